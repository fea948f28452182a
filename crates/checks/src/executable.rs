//! What a program that the engine ran says about a criterion.

use onus_model::{CommandLine, Digest, Evidence, ExpectedRun};

use crate::pattern;
use crate::text::{MESSAGE_CHARS_MAX, clip};
use crate::{CheckResult, Outcome};

/// How a program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunEnd {
    Exited(i32),
    Signalled(i32),
    TimedOut {
        after_seconds: u64,
    },
    NotStarted {
        reason: String,
    },
    /// It wrote more than is read.
    Flooded {
        bytes_max: u64,
    },
    /// The run was interrupted, which says nothing about the check or the work.
    Interrupted,
}

/// A shell's words for "found, but not executable" and "not found": the check itself is missing something.
const SHELL_CANNOT_RUN: [i32; 2] = [126, 127];

/// Holds a finished program against what was expected of it: exit code first, then output.
pub fn read_run(
    command: &CommandLine,
    expected: &ExpectedRun,
    end: &RunEnd,
    stdout: &[u8],
    stderr: &[u8],
) -> CheckResult {
    let (outcome, why) = match end {
        RunEnd::NotStarted { reason } => (
            Outcome::Unusable,
            format!("the program could not be started: {}", clip(reason, MESSAGE_CHARS_MAX)),
        ),
        RunEnd::Flooded { bytes_max } => (
            Outcome::CouldNotRun,
            format!("the program wrote more than {bytes_max} bytes"),
        ),
        RunEnd::Interrupted => (Outcome::CouldNotRun, "the run was interrupted".to_owned()),
        RunEnd::TimedOut { after_seconds } => (
            Outcome::CouldNotRun,
            format!("the program was ended after {after_seconds} seconds"),
        ),
        RunEnd::Signalled(signal) => (
            Outcome::CouldNotRun,
            format!("the program was killed by signal {signal}"),
        ),
        RunEnd::Exited(code) if *code != expected.exit && SHELL_CANNOT_RUN.contains(code) => (
            Outcome::Unusable,
            format!("exit code {code}: a command was not found or not executable"),
        ),
        RunEnd::Exited(code) if *code != expected.exit => {
            (Outcome::Failed, format!("exit code {code}, expected {}", expected.exit))
        }
        RunEnd::Exited(code) => read_output(*code, expected, &String::from_utf8_lossy(stdout)),
    };
    let why = match outcome {
        Outcome::Passed => why,
        // Whoever is to mend it must see what the program said.
        Outcome::Failed | Outcome::CouldNotRun | Outcome::Unusable => with_last_words(why, stdout, stderr),
    };
    let evidence = Evidence::Command {
        command: clip(&command.to_string(), MESSAGE_CHARS_MAX),
        exit: match end {
            RunEnd::Exited(code) => Some(*code),
            RunEnd::Signalled(_)
            | RunEnd::TimedOut { .. }
            | RunEnd::NotStarted { .. }
            | RunEnd::Flooded { .. }
            | RunEnd::Interrupted => None,
        },
        stdout_sha256: Digest::of(stdout),
    };
    CheckResult {
        outcome,
        why,
        evidence,
        findings: Vec::new(),
    }
}

/// The end of what a program said: its complaints, else its output.
pub(crate) fn with_last_words(why: String, stdout: &[u8], stderr: &[u8]) -> String {
    let said = if stderr.trim_ascii().is_empty() { stdout } else { stderr };
    let text = String::from_utf8_lossy(said.trim_ascii_end());
    let skip = text.chars().count().saturating_sub(MESSAGE_CHARS_MAX);
    let tail: String = text.chars().skip(skip).collect();
    if tail.trim().is_empty() {
        why
    } else {
        format!("{why}; it said: {}", tail.trim())
    }
}

fn read_output(code: i32, expected: &ExpectedRun, stdout: &str) -> (Outcome, String) {
    if let Some(text) = &expected.stdout_contains
        && !stdout.contains(text.as_str())
    {
        return (
            Outcome::Failed,
            format!("standard output does not contain `{}`", clip(text, MESSAGE_CHARS_MAX)),
        );
    }
    if let Some(pattern) = &expected.stdout_matches {
        let shown = clip(pattern, MESSAGE_CHARS_MAX);
        match pattern::compile(pattern) {
            Err(problem) => return (Outcome::Unusable, format!("the pattern `{shown}` {problem}")),
            Ok(regex) if !regex.is_match(stdout) => {
                return (Outcome::Failed, format!("standard output does not match `{shown}`"));
            }
            Ok(_) => {}
        }
    }
    (Outcome::Passed, format!("exit code {code}, as expected"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(expected: &ExpectedRun, end: &RunEnd, stdout: &[u8]) -> String {
        let result = read_run(&CommandLine::Shell("x".to_owned()), expected, end, stdout, b"");
        format!("{:?}: {}", result.outcome, result.why)
    }

    #[test]
    fn a_program_must_end_as_expected() {
        let not_started = RunEnd::NotStarted {
            reason: "no such file".to_owned(),
        };
        for (exit, end, expected) in [
            (0, RunEnd::Exited(0), "Passed: exit code 0, as expected"),
            (0, RunEnd::Exited(1), "Failed: exit code 1, expected 0"),
            (3, RunEnd::Exited(3), "Passed: exit code 3, as expected"),
            (127, RunEnd::Exited(127), "Passed: exit code 127, as expected"),
            (
                0,
                RunEnd::Exited(127),
                "Unusable: exit code 127: a command was not found or not executable",
            ),
            (
                0,
                RunEnd::Signalled(9),
                "CouldNotRun: the program was killed by signal 9",
            ),
            (
                0,
                RunEnd::TimedOut { after_seconds: 60 },
                "CouldNotRun: the program was ended after 60 seconds",
            ),
            (0, RunEnd::Interrupted, "CouldNotRun: the run was interrupted"),
            (
                0,
                not_started,
                "Unusable: the program could not be started: no such file",
            ),
        ] {
            let run = ExpectedRun {
                exit,
                ..ExpectedRun::default()
            };
            assert_eq!(check(&run, &end, b""), expected);
        }
    }

    #[test]
    fn a_program_must_say_what_is_expected() {
        let contains = |text: &str| ExpectedRun {
            stdout_contains: Some(text.to_owned()),
            ..ExpectedRun::default()
        };
        let matches = |text: &str| ExpectedRun {
            stdout_matches: Some(text.to_owned()),
            ..ExpectedRun::default()
        };
        for (run, stdout, expected) in [
            (
                contains("12 passed"),
                &b"12 passed\xff"[..],
                "Passed: exit code 0, as expected",
            ),
            (
                contains("12 passed"),
                b"0 passed",
                "Failed: standard output does not contain `12 passed`; it said: 0 passed",
            ),
            (matches("^ok$"), b"a\nok\n", "Passed: exit code 0, as expected"),
            (
                matches("^ok$"),
                b"not ok",
                "Failed: standard output does not match `^ok$`; it said: not ok",
            ),
            (
                matches("("),
                b"",
                "Unusable: the pattern `(` is not a regular expression: unclosed group",
            ),
        ] {
            assert_eq!(check(&run, &RunEnd::Exited(0), stdout), expected);
        }
    }

    #[test]
    fn what_a_failing_program_said_last_is_told() {
        let run = |stdout: &[u8], stderr: &[u8]| {
            let command = CommandLine::Shell("x".to_owned());
            read_run(&command, &ExpectedRun::default(), &RunEnd::Exited(1), stdout, stderr).why
        };
        assert_eq!(
            run(b"fine", b"line 3: bad\n"),
            "exit code 1, expected 0; it said: line 3: bad"
        );
        assert_eq!(
            run(b"line 4: bad", b" \n"),
            "exit code 1, expected 0; it said: line 4: bad"
        );
        assert_eq!(run(b"", b""), "exit code 1, expected 0");
        assert!(run(b"", "ä".repeat(100_000).as_bytes()).chars().count() < 2 * MESSAGE_CHARS_MAX);
    }
}
