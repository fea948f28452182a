//! What every reader of a program's report needs: how the program ended, a bound on what is read, and text without colours.

use onus_model::{CommandLine, ExpectedRun};

use crate::executable::with_last_words;
use crate::{Outcome, Ran, RunEnd, read_run};

/// The largest report that is read. Reports of tens of thousands of tests take a few megabytes.
const REPORT_BYTES_MAX: usize = 16 << 20;

/// The longest terminal sequence; links are long. Looking no further keeps the time linear.
const SEQUENCE_CHARS_MAX: usize = 1_000;

/// What ends a check before anything was shown, and why.
pub(crate) type Ended = (Outcome, String);

pub(crate) fn could_not_run(why: String) -> Ended {
    (Outcome::CouldNotRun, why)
}

pub(crate) fn unusable(why: String) -> Ended {
    (Outcome::Unusable, why)
}

/// The exit code of a program that ran and ended by itself; otherwise why nothing can be said.
pub(crate) fn exit_code(command: &CommandLine, ran: &Ran) -> Result<i32, Ended> {
    let seen = read_run(command, &ExpectedRun::default(), &ran.end, &[], &[]);
    match ran.end {
        RunEnd::Exited(code) if seen.outcome != Outcome::Unusable => Ok(code),
        RunEnd::Exited(_)
        | RunEnd::Signalled(_)
        | RunEnd::TimedOut { .. }
        | RunEnd::NotStarted { .. }
        | RunEnd::Flooded { .. }
        | RunEnd::Interrupted => Err((seen.outcome, seen.why)),
    }
}

/// With the end of what the program said, where the cause often stands. Standard output that is the report itself was read
/// already.
pub(crate) fn with_cause(why: String, report: Option<&str>, ran: &Ran) -> String {
    let stdout = report.map_or(&[][..], |_| &ran.stdout);
    with_last_words(why, stdout, &ran.stderr)
}

/// The bytes of the report: the file where the check names one, standard output otherwise.
pub(crate) fn bytes<'a>(path: Option<&str>, ran: &'a Ran) -> Result<&'a [u8], Ended> {
    match path {
        None => Ok(&ran.stdout),
        Some(path) => ran
            .report
            .as_deref()
            .ok_or_else(|| could_not_run(format!("the program did not write its report `{path}`"))),
    }
}

/// The report as text. Bytes that are no UTF-8 become U+FFFD: they can spoil a name, never make one.
pub(crate) fn text(bytes: &[u8]) -> Result<String, String> {
    if bytes.len() > REPORT_BYTES_MAX {
        return Err(format!("the report is larger than {REPORT_BYTES_MAX} bytes"));
    }
    Ok(without_colours(&String::from_utf8_lossy(bytes)))
}

/// Leaves off terminal sequences: `ESC [ … letter` (colours), `ESC ( letter` (character sets), `ESC ] … BEL` (links).
fn without_colours(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        plain.push_str(before);
        rest = after_sequence(after);
    }
    plain.push_str(rest);
    plain
}

/// What follows the sequence that `rest` begins with. No sequence crosses a line: a cut one must not swallow the report.
fn after_sequence(rest: &str) -> &str {
    let near = rest
        .char_indices()
        .nth(SEQUENCE_CHARS_MAX)
        .map_or(rest, |(at, _)| &rest[..at]);
    let line = near.lines().next().unwrap_or_default();
    let length = match line.as_bytes().first() {
        Some(b'[') => line
            .bytes()
            .skip(1)
            .position(|b| (0x40..=0x7e).contains(&b))
            .map(|at| at + 2),
        Some(b'(' | b')') => line.chars().nth(1).map(|c| 1 + c.len_utf8()),
        Some(b']') => line.find(['\u{7}', '\u{1b}']).map(|end| match &line[end..] {
            string_end if string_end.starts_with("\u{1b}\\") => end + 2,
            _ => end + 1,
        }),
        _ => None,
    };
    &rest[length.unwrap_or(0)..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_left_off() {
        for (text, expected) in [
            ("plain", "plain"),
            ("a \u{1b}[1;32mok\u{1b}(B\u{1b}[m.", "a ok."),
            ("\u{1b}]8;;http://x\u{1b}\\E501\u{1b}]8;;\u{7}!", "E501!"),
            ("cut \u{1b}", "cut "),
            ("cut \u{1b}[1\nnext", "cut [1\nnext"),
            ("\u{1b}(é|\u{1b}(", "|("),
        ] {
            assert_eq!(without_colours(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_report_has_a_bound() {
        assert_eq!(text(&vec![0x1b; 100_000]).unwrap(), "");
        assert!(text(&vec![b' '; REPORT_BYTES_MAX + 1]).is_err());
    }
}
