use onus_model::CommandLine;

use super::*;
use crate::RunEnd;

macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("../../tests/fixtures/coverage/", $name))
    };
}

fn run(format: CoverageFormat, report: &str, baseline: f64) -> CheckResult {
    let check = CoverageCheck {
        command: None,
        report: "lcov.info".to_owned(),
        format,
        baseline,
    };
    coverage(&check, Some(report.as_bytes()), None)
}

fn told(result: &CheckResult) -> String {
    let warned = if result.findings.is_empty() { "" } else { " (warned)" };
    format!("{:?}{warned}: {}", result.outcome, result.why)
}

#[test]
fn lines_are_counted_one_by_one() {
    use CoverageFormat::{Cobertura, Lcov};
    for (format, report, expected) in [
        (Lcov, fixture!("node.lcov"), "13 of 18 lines covered (72.22%)"),
        (Lcov, fixture!("coveragepy.lcov"), "6 of 9 lines covered (66.66%)"),
        (Cobertura, fixture!("coveragepy.xml"), "6 of 9 lines covered (66.66%)"),
        // Sums are not believed where there are lines.
        (
            Lcov,
            "SF:a\nDA:1,0\nDA:2,1\nLF:1\nLH:1\nend_of_record\n",
            "1 of 2 lines covered (50.00%)",
        ),
        (
            Lcov,
            "SF:a\nLF:4\nLH:1\nend_of_record\n",
            "1 of 4 lines covered (25.00%)",
        ),
        // Records of one file are one file.
        (
            Lcov,
            "TN:x\nSF:a\nDA:1,0\nDA:2,0,sum\nend_of_record\nTN:y\nSF:a\nDA:1,3\nend_of_record\nSF:b\nDA:1,0\nend_of_record\n",
            "1 of 3 lines covered (33.33%)",
        ),
        (
            Cobertura,
            "<coverage lines-valid='1' lines-covered='1'><class filename='a'><methods><method><lines>\
             <line number='1' hits='1'/></lines></method></methods><lines><line number='1' hits='1'/>\
             <line number='2' hits='0'/></lines></class></coverage>",
            "1 of 2 lines covered (50.00%)",
        ),
    ] {
        assert_eq!(
            told(&run(format, report, 0.0)),
            format!("Passed: {expected}, baseline 0.00%"),
            "{report}"
        );
    }
}

#[test]
fn the_baseline_is_exact() {
    let third = "SF:a\nDA:1,1\nDA:2,0\nDA:3,0\nend_of_record\n";
    for (baseline, expected) in [
        (33.33, "Passed: 1 of 3 lines covered (33.33%), baseline 33.33%"),
        (33.34, "Passed (warned): 1 of 3 lines covered (33.33%), baseline 33.34%"),
        (35.33, "Passed (warned): 1 of 3 lines covered (33.33%), baseline 35.33%"),
        (35.34, "Failed: 1 of 3 lines covered (33.33%), baseline 35.34%"),
        (100.0, "Failed: 1 of 3 lines covered (33.33%), baseline 100.00%"),
        (
            100.01,
            "Unusable: the baseline 100.01 is not a percentage with at most two decimals",
        ),
        (
            82.125,
            "Unusable: the baseline 82.125 is not a percentage with at most two decimals",
        ),
        (
            -1.0,
            "Unusable: the baseline -1 is not a percentage with at most two decimals",
        ),
        (
            f64::NAN,
            "Unusable: the baseline NaN is not a percentage with at most two decimals",
        ),
        (
            f64::INFINITY,
            "Unusable: the baseline inf is not a percentage with at most two decimals",
        ),
    ] {
        assert_eq!(told(&run(CoverageFormat::Lcov, third, baseline)), expected);
    }
    for (baseline, expected) in [(82.5, Some(8_250)), (0.07, Some(7)), (82.0, Some(8_200)), (1e300, None)] {
        assert_eq!(hundredths(baseline), expected);
    }
}

#[test]
fn bad_reports_fail() {
    use CoverageFormat::{Cobertura, Lcov};
    for (format, report, expected) in [
        (Lcov, "", "the report has no lines"),
        (Lcov, "SF:a\nend_of_record\n", "the report has no lines"),
        (Lcov, "SF:a\nDA:1,1\n", "incomplete report: the last record has no end"),
        (
            Lcov,
            "SF:a\nSF:b\n",
            "line 2 of the report begins a record before the last one ended",
        ),
        (Lcov, "DA:1,1\n", "line 1 of the report is outside of a record"),
        (Lcov, "SF:a\nDA:1\n", "line 2 of the report is not `DA:line,hits`"),
        (
            Lcov,
            "SF:a\nDA:1,-1\n",
            "line 2 of the report has no number where one belongs",
        ),
        (
            Lcov,
            "SF:a\nLF:1\nLH:2\nend_of_record\n",
            "line 4 of the report ends a record with more lines hit than there are",
        ),
        (Cobertura, "", "incomplete report: the document is empty"),
        (Cobertura, "<coverage/>", "the report has no lines"),
        (Cobertura, "<testsuite/>", "the report is not Cobertura: no `coverage`"),
        (
            Cobertura,
            "<coverage><class>",
            "incomplete report: a `class` has no `filename`",
        ),
        (
            Cobertura,
            "<coverage><line/></coverage>",
            "incomplete report: a `line` is outside of a `class`",
        ),
        (
            Cobertura,
            "<coverage><class filename='a'><line number='1'/>",
            "incomplete report: a `line` has no `hits`",
        ),
    ] {
        assert_eq!(
            told(&run(format, report, 0.0)),
            format!("Failed: {expected}"),
            "{report}"
        );
    }
    let report = fixture!("coveragepy.xml").trim_end();
    for end in 0..report.len() {
        assert!(!run(Cobertura, &report[..end], 0.0).passed(), "{end}");
    }
    // LCOV says nowhere how many records there are; within a record, a cut is seen.
    let report = fixture!("coveragepy.lcov").trim_end();
    for end in 0..report.len() {
        assert!(!run(Lcov, &report[..end], 0.0).passed(), "{end}");
    }
}

#[test]
fn the_program_that_makes_the_report_must_succeed() {
    let check = CoverageCheck {
        command: Some(CommandLine::Shell("x".to_owned())),
        report: "lcov.info".to_owned(),
        format: CoverageFormat::Lcov,
        baseline: 50.0,
    };
    let report = Some(&b"SF:a\nDA:1,1\nend_of_record\n"[..]);
    let ran = |end| Ran {
        end,
        stdout: Vec::new(),
        stderr: Vec::new(),
        report: None,
    };
    for (report, ran, expected) in [
        (
            report,
            Some(ran(RunEnd::Exited(0))),
            "Passed: 1 of 1 lines covered (100.00%), baseline 50.00%",
        ),
        (
            report,
            Some(ran(RunEnd::Exited(1))),
            "Failed: exit code 1 of the program that makes the report",
        ),
        (
            report,
            Some(ran(RunEnd::Signalled(9))),
            "CouldNotRun: the program was killed by signal 9",
        ),
        (
            report,
            None,
            "CouldNotRun: the program that makes the report did not run",
        ),
        (
            None,
            Some(ran(RunEnd::Exited(0))),
            "CouldNotRun: there is no report `lcov.info`",
        ),
    ] {
        assert_eq!(told(&coverage(&check, report, ran.as_ref())), expected);
    }
}

#[test]
fn the_cause_stands_beside_an_unreadable_report() {
    let check = CoverageCheck {
        command: Some(CommandLine::Shell("x".to_owned())),
        report: "lcov.info".to_owned(),
        format: CoverageFormat::Lcov,
        baseline: 50.0,
    };
    let covered = "SF:a\nDA:1,1\nend_of_record\n";
    for (code, report, caused) in [
        (1, None, true),
        (1, Some(covered), true),
        (0, None, true),
        (0, Some("SF:a\n"), true),
        (0, Some(covered), false),
        (0, Some("SF:a\nDA:1,0\nend_of_record\n"), false),
    ] {
        let ran = Ran {
            end: RunEnd::Exited(code),
            stdout: Vec::new(),
            stderr: b"No module named coverage\n".to_vec(),
            report: report.map(|text| text.as_bytes().to_owned()),
        };
        let why = coverage(&check, ran.report.as_deref(), Some(&ran)).why;
        assert_eq!(
            why.ends_with("; it said: No module named coverage"),
            caused,
            "{code}: {why}"
        );
    }
}
