use super::*;

macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("../../tests/fixtures/lint/", $name))
    };
}

fn run(format: LintFormat, end: RunEnd, stdout: &str, max_errors: u32, max_warnings: Option<u32>) -> CheckResult {
    let check = LintCheck {
        command: CommandLine::Shell("x".to_owned()),
        format,
        report: None,
        max_errors,
        max_warnings,
    };
    let ran = Ran {
        end,
        stdout: stdout.as_bytes().to_owned(),
        stderr: Vec::new(),
        report: None,
    };
    lint(&check, &ran)
}

/// Outcome, line for people and the first findings as `path:line level`.
fn told(result: &CheckResult) -> String {
    let place = |f: &Finding| {
        format!(
            "{}:{} {:?}",
            f.path.as_deref().unwrap_or("-"),
            f.line.unwrap_or(0),
            f.level
        )
    };
    let places: Vec<String> = result.findings.iter().take(3).map(place).collect();
    format!("{:?}: {} | {}", result.outcome, result.why, places.join(", "))
}

#[test]
fn what_linters_print_is_counted() {
    let no_more = "at most 0 errors expected";
    for (report, code, counts) in [
        (
            fixture!("flake8.txt"),
            1,
            format!("Failed: 2 errors, 0 warnings, 0 notes; {no_more} | bad.py:1 Error, bad.py:2 Error"),
        ),
        (
            fixture!("ruff.txt"),
            1,
            format!("Failed: 1 errors, 1 warnings, 0 notes; {no_more} | bad.py:1 Error, bad.py:1 Warning"),
        ),
        (
            fixture!("mypy.txt"),
            1,
            format!("Failed: 1 errors, 0 warnings, 0 notes; {no_more} | bad.py:3 Error"),
        ),
        (
            fixture!("gcc.txt"),
            1,
            format!("Failed: 1 errors, 1 warnings, 1 notes; {no_more} | a.c:1 Error, a.c:1 Warning, a.c:1 Note"),
        ),
        (
            fixture!("clippy_error.txt"),
            101,
            format!("Failed: 1 errors, 0 warnings, 0 notes; {no_more} | src/main.rs:1 Error"),
        ),
        (
            fixture!("clippy_short.txt"),
            101,
            format!("Failed: 1 errors, 0 warnings, 0 notes; {no_more} | src/main.rs:1 Error"),
        ),
        (
            fixture!("clippy.txt"),
            0,
            "Passed: 0 errors, 2 warnings, 0 notes | src/main.rs:2 Warning, src/main.rs:3 Warning".to_owned(),
        ),
        (
            fixture!("eslint_unix.txt"),
            1,
            format!("Failed: 1 errors, 1 warnings, 0 notes; {no_more} | -:3 Error, -:1 Warning"),
        ),
        (
            "C:\\a b\\c.c:7:1: fatal error: no such file",
            1,
            format!("Failed: 1 errors, 0 warnings, 0 notes; {no_more} | C:\\a b\\c.c:7 Error"),
        ),
        (
            "\u{1b}[1msrc/a.rs:1:2: \u{1b}[33mwarning\u{1b}[0m: x",
            0,
            "Passed: 0 errors, 1 warnings, 0 notes | src/a.rs:1 Warning".to_owned(),
        ),
        (
            "error: no such option",
            2,
            format!("Failed: 1 errors, 0 warnings, 0 notes; {no_more} | -:0 Error"),
        ),
        (
            "error[E1]: a\nerror: b\n  --> x.rs:5:1",
            1,
            format!("Failed: 2 errors, 0 warnings, 0 notes; {no_more} | -:0 Error, x.rs:5 Error"),
        ),
        (
            "all good at 12:30",
            0,
            "Passed: 0 errors, 0 warnings, 0 notes | ".to_owned(),
        ),
        ("", 0, "Passed: 0 errors, 0 warnings, 0 notes | ".to_owned()),
        (
            "Traceback (most recent call last):",
            1,
            "Failed: 0 errors, 0 warnings, 0 notes; exit code 1 without an error or a warning that could be read | "
                .to_owned(),
        ),
    ] {
        assert_eq!(
            told(&run(LintFormat::Lines, RunEnd::Exited(code), report, 0, None)),
            counts,
            "{report}"
        );
    }
}

#[test]
fn sarif_is_counted() {
    for (report, code, expected) in [
        (
            fixture!("ruff.sarif"),
            1,
            "Failed: 2 errors, 0 warnings, 0 notes; at most 0 errors expected | -:1 Error, -:1 Error",
        ),
        (
            fixture!("mixed.sarif"),
            0,
            "Failed: 3 errors, 1 warnings, 2 notes; at most 0 errors expected | src/b.js:0 Error, -:0 Error, -:0 Error",
        ),
        (
            r#"{"version":"2.1.0","runs":[{"results":[]}]}"#,
            0,
            "Passed: 0 errors, 0 warnings, 0 notes | ",
        ),
        (
            r#"{"version":"2.1.0","runs":[{"results":[]}]}"#,
            2,
            "Failed: 0 errors, 0 warnings, 0 notes; exit code 2 without an error or a warning that could be read | ",
        ),
        (
            r#"{"version":"2.1.0","runs":[]}"#,
            0,
            "Failed: the report has no run | ",
        ),
        (
            r#"{"version":"2.1.0","runs":[{"results":null}]}"#,
            0,
            "Failed: a run has no results: the linter looked at nothing | ",
        ),
        (
            r#"{"version":"2.1.0","runs":[{"results":[],"invocations":[{"executionSuccessful":false}]}]}"#,
            0,
            "Failed: the linter says that it did not succeed | ",
        ),
        (
            r#"{"version":"1.0.0","runs":[]}"#,
            0,
            "Failed: the report is SARIF `1.0.0`, expected 2.1.0 | ",
        ),
    ] {
        assert_eq!(
            told(&run(LintFormat::Sarif, RunEnd::Exited(code), report, 0, None)),
            expected,
            "{report}"
        );
    }
}

#[test]
fn the_contract_says_how_many_are_too_many() {
    for (max_errors, max_warnings, outcome) in [
        (0, None, Outcome::Failed),
        (1, None, Outcome::Passed),
        (1, Some(1), Outcome::Passed),
        (1, Some(0), Outcome::Failed),
    ] {
        let result = run(
            LintFormat::Lines,
            RunEnd::Exited(1),
            fixture!("gcc.txt"),
            max_errors,
            max_warnings,
        );
        assert_eq!(result.outcome, outcome, "{max_errors} {max_warnings:?}");
    }
}

#[test]
fn a_linter_that_did_not_run_shows_nothing() {
    for (end, outcome) in [
        (RunEnd::Exited(127), Outcome::Unusable),
        (RunEnd::Signalled(9), Outcome::CouldNotRun),
        (RunEnd::TimedOut { after_seconds: 9 }, Outcome::CouldNotRun),
    ] {
        assert_eq!(run(LintFormat::Lines, end, "", 0, None).outcome, outcome);
    }
}

#[test]
fn cut_and_hostile_reports_never_pass() {
    let report = fixture!("mixed.sarif").trim_end();
    for (end, _) in report.char_indices() {
        assert_eq!(
            run(LintFormat::Sarif, RunEnd::Exited(0), &report[..end], 9, None).outcome,
            Outcome::Failed,
            "{end}"
        );
    }
    let many = format!(
        r#"{{"version":"2.1.0","runs":[{{"results":[{}{{}}]}}]}}"#,
        "{},".repeat(100_000)
    );
    for (format, report) in [
        (LintFormat::Sarif, many.as_str()),
        (LintFormat::Sarif, &"[".repeat(100_000)),
        (LintFormat::Lines, &"a:1: error: x\n".repeat(10_000)),
        (LintFormat::Lines, &format!("error: {}", ":1".repeat(100_000))),
    ] {
        let result = run(format, RunEnd::Exited(0), report, 0, None);
        assert_eq!(result.outcome, Outcome::Failed);
        assert!(result.findings.len() <= FINDINGS_MAX);
    }
}

#[test]
fn the_cause_stands_beside_an_unreadable_report() {
    for (format, code, stdout, report, caused) in [
        (LintFormat::Sarif, 1, "", None, true),
        (LintFormat::Lines, 1, "", None, true),
        (LintFormat::Lines, 127, "", None, true),
        (LintFormat::Sarif, 0, "", Some("out.sarif"), true),
        (LintFormat::Lines, 1, "a.py:1: error: bad\n", None, false),
        (LintFormat::Lines, 0, "", None, false),
    ] {
        let check = LintCheck {
            command: CommandLine::Shell("x".to_owned()),
            format,
            report: report.map(str::to_owned),
            max_errors: 0,
            max_warnings: None,
        };
        let ran = Ran {
            end: RunEnd::Exited(code),
            stdout: stdout.as_bytes().to_owned(),
            stderr: b"ruff: no such option\n".to_vec(),
            report: None,
        };
        let why = lint(&check, &ran).why;
        assert_eq!(
            why.ends_with("; it said: ruff: no such option"),
            caused,
            "{code} {stdout}: {why}"
        );
    }
}
