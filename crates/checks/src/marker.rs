//! Markers in text: `[FINDING]` or `[METRIC:accuracy]` at the start of a line.
//!
//! White space may stand in front of one, and what makes a line a heading, a list item, a quotation or a comment: `#`,
//! `-`, `*`, `+`, `>`, `//`. In Markdown, what stands in fenced code is shown, not said, and does not count.

use onus_model::{Finding, FindingLevel, MarkerCheck};

use crate::globs::{read_files, select};
use crate::markdown::{self, Line};
use crate::text::{MESSAGE_CHARS_MAX, clip};
use crate::{CheckResult, FINDINGS_MAX, Files, Outcome};

/// Counts a marker in all files that the globs name. `NAME` matches with any subject, `NAME:subject` with this one.
pub fn marker(check: &MarkerCheck, files: &dyn Files) -> CheckResult {
    let wanted = match wanted(&check.marker) {
        Ok(wanted) => wanted,
        Err(why) => return read_files(Outcome::Unusable, why, 0, Vec::new()),
    };
    let paths = match select(&check.files, files) {
        Ok(paths) => paths,
        Err(nothing) => return nothing.result(),
    };
    let mut read = 0_usize;
    let mut count = 0_u32;
    let mut findings = Vec::new();
    for path in paths {
        // A file that cannot be read can only be one too few.
        let Some(bytes) = files.read(path) else { continue };
        read += 1;
        for line in places(&String::from_utf8_lossy(&bytes), is_markdown(path), wanted) {
            count = count.saturating_add(1);
            if findings.len() < FINDINGS_MAX {
                findings.push(found(path, line, wanted));
            }
        }
    }
    let outcome = if count >= check.min {
        Outcome::Passed
    } else {
        Outcome::Failed
    };
    let shown = clip(wanted, MESSAGE_CHARS_MAX);
    let why = format!(
        "`[{shown}]` stands {count} times in {read} files; expected at least {}",
        check.min
    );
    read_files(outcome, why, read, findings)
}

fn found(path: &str, line: u32, marker: &str) -> Finding {
    Finding {
        path: Some(path.to_owned()),
        line: Some(line),
        level: FindingLevel::Note,
        message: clip(&format!("`[{marker}]`"), MESSAGE_CHARS_MAX),
    }
}

/// The marker without white space around it; one that no line can hold is refused.
fn wanted(marker: &str) -> Result<&str, String> {
    let trimmed = marker.trim();
    if trimmed.trim_matches(':') != trimmed || trimmed.is_empty() || trimmed.contains(['[', ']', '\n']) {
        return Err(format!(
            "`{marker}` is not a marker such as `FINDING` or `METRIC:accuracy`"
        ));
    }
    Ok(trimmed)
}

fn is_markdown(path: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    ["md", "markdown"]
        .iter()
        .any(|known| extension.eq_ignore_ascii_case(known))
}

/// Numbers of the lines that the marker stands on.
fn places(text: &str, markdown: bool, wanted: &str) -> Vec<u32> {
    let mut reader = markdown::Reader::default();
    let mut places = Vec::new();
    for (number, line) in (1_u32..).zip(text.lines()) {
        let is_code = markdown && !matches!(reader.read(line), Line::Text | Line::Heading(_));
        if !is_code && stands_on(line, wanted) {
            places.push(number);
        }
    }
    places
}

fn stands_on(line: &str, wanted: &str) -> bool {
    let content = line.trim_start_matches(|c: char| c.is_whitespace() || "#-*+>/".contains(c));
    let Some(rest) = content.strip_prefix('[').and_then(|rest| rest.strip_prefix(wanted)) else {
        return false;
    };
    let any_subject = || {
        let subject = rest.strip_prefix(':').and_then(|rest| rest.split_once(']'));
        !wanted.contains(':') && subject.is_some_and(|(subject, _)| !subject.trim().is_empty())
    };
    rest.starts_with(']') || any_subject()
}

#[cfg(test)]
mod tests;
