//! What GitHub Actions shows: annotations on the changed files, and the page under a job.

use onus_model::FindingLevel;

use super::{CheckReport, Problem, Row, message, place, problems};
use crate::escape::{for_terminal, one_line};
use crate::words::{self, PHRASE_CHARS_MAX};

/// A step shows no more annotations of one kind.
const ANNOTATIONS_MAX: usize = 10;

/// A summary above 1 MiB is dropped whole.
const SUMMARY_BYTES_MAX: usize = 1_000_000;

/// Findings of one criterion in the summary.
const FINDINGS_SHOWN_MAX: usize = 50;

/// Workflow commands, a line each, the loudest first. The gate itself is the first if it does not pass.
pub fn github_annotations(report: &CheckReport) -> Vec<String> {
    let rows = report.rows();
    let mut commands = Vec::new();
    if !report.scorecard.passed {
        let tally = data(&report.tally(&rows));
        commands.push((FindingLevel::Error, format!("::error title=onus gate::{tally}")));
    }
    commands.extend(
        problems(&rows)
            .iter()
            .map(|problem| (problem.level, annotation(problem))),
    );
    let of = |level| {
        commands
            .iter()
            .filter(move |(of, _)| *of == level)
            .take(ANNOTATIONS_MAX)
    };
    [FindingLevel::Error, FindingLevel::Warning, FindingLevel::Note]
        .into_iter()
        .flat_map(of)
        .map(|(_, command)| command.clone())
        .collect()
}

fn annotation(problem: &Problem<'_>) -> String {
    let kind = match problem.level {
        FindingLevel::Error => "error",
        FindingLevel::Warning => "warning",
        FindingLevel::Note => "notice",
    };
    let mut properties = Vec::new();
    if let Some(path) = problem.path {
        properties.push(format!("file={}", property(&for_terminal(path))));
    }
    if let Some(line) = problem.line {
        properties.push(format!("line={line}"));
    }
    properties.push(format!("title={}", property(problem.rule.as_str())));
    format!("::{kind} {}::{}", properties.join(","), data(&problem.message))
}

/// The text after `::`. Percent first, or the others would be escaped twice.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// Markdown for the job's page: the table, and what was found behind a fold. Ends in a line break.
pub fn step_summary(report: &CheckReport) -> String {
    let rows = report.rows();
    let gate = if report.scorecard.passed { "PASS" } else { "FAIL" };
    let mut text = format!("### Onus: {gate}, {}\n\n", report.tally(&rows));
    text.push_str("| | criterion | severity | weight | by | why |\n|---|---|---|---|---|---|\n");
    for row in &rows {
        text.push_str(&format!(
            "| {} | {} | {} | {} | {} | {} |\n",
            row.mark(),
            code(row.criterion.id.as_str()),
            row.criterion.severity,
            row.criterion.weight,
            row.decided_by(),
            markdown(&row.why(2 * PHRASE_CHARS_MAX)),
        ));
    }
    text.push_str(&folded(&rows));
    for note in &report.notes {
        text.push_str(&format!(
            "\n{}\n",
            markdown(&format!("note: {}", one_line(note, 2 * PHRASE_CHARS_MAX)))
        ));
    }
    text.push_str(&format!(
        "\nPhase {}, contract {}, artifact {}, {}, onus {}\n",
        report.level,
        code(&report.contract_sha256.short()),
        code(&report.artifact_sha256.short()),
        words::duration(report.elapsed_ms),
        markdown(&one_line(&report.tool_version, PHRASE_CHARS_MAX)),
    ));
    cut(text)
}

fn folded(rows: &[Row<'_>]) -> String {
    let open: Vec<&Row<'_>> = rows.iter().filter(|row| row.tells()).collect();
    if open.is_empty() {
        return String::new();
    }
    let findings = open.iter().map(|row| row.findings().len()).sum();
    let warned = open.iter().filter(|row| row.warned()).count();
    let mut counts = Vec::new();
    if open.len() > warned {
        let failing = open.len() - warned;
        counts.push(words::count(failing, "criterion does not hold", "criteria do not hold"));
    }
    if warned > 0 {
        counts.push(words::count(
            warned,
            "criterion holds with a warning",
            "criteria hold with a warning",
        ));
    }
    counts.push(words::count(findings, "finding", "findings"));
    // Markdown inside HTML needs the empty lines.
    let mut text = format!("\n<details><summary>{}</summary>\n", counts.join(", "));
    for row in open {
        text.push_str(&format!(
            "\n{} {}: {}\n",
            row.mark(),
            code(row.criterion.id.as_str()),
            paragraph(row.details())
        ));
        for finding in row.findings().iter().take(FINDINGS_SHOWN_MAX) {
            let place = place(finding).map_or_else(|| "the whole".to_owned(), |place| code(&place));
            text.push_str(&format!("- {place}: {}\n", paragraph(&finding.message)));
        }
        if let Some(more) = row
            .findings()
            .len()
            .checked_sub(FINDINGS_SHOWN_MAX)
            .filter(|more| *more > 0)
        {
            text.push_str(&format!("- … {more} more\n"));
        }
    }
    text + "\n</details>\n"
}

/// Several lines of foreign text inside one paragraph or list item.
fn paragraph(text: &str) -> String {
    let lines: Vec<String> = message(&[text]).lines().map(markdown).collect();
    lines.join("<br>")
}

/// In HTML, because a code span of Markdown has no way to hold a backtick safely.
fn code(text: &str) -> String {
    format!("<code>{}</code>", markdown(text))
}

/// Every character that Markdown, HTML, a table or GitHub's mentions and formulas act on, as an entity: those are text
/// wherever they stand. A caller puts words in front, so that marks which only count at the beginning of a line do not.
fn markdown(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in for_terminal(text).chars() {
        match c {
            '&' | '<' | '>' | '"' | '\'' | '|' | '`' | '*' | '_' | '~' | '[' | ']' | '\\' | '!' | '#' | '$' | '@' => {
                safe.push_str(&format!("&#{};", u32::from(c)));
            }
            '\n' | '\t' => safe.push(' '),
            _ => safe.push(c),
        }
    }
    safe
}

/// At the end of a line, so that no entity is cut in two.
fn cut(mut text: String) -> String {
    const REST: &str = "\n\n</details>\n\nThe rest did not fit.\n";
    if text.len() <= SUMMARY_BYTES_MAX {
        return text;
    }
    let mut end = SUMMARY_BYTES_MAX - REST.len();
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(text[..end].rfind('\n').unwrap_or(end));
    text + REST
}
