use onus_model::CommandLine;

use super::*;
use crate::RunEnd;

fn run(stdout: &str, op: Comparison, target: &str, end: RunEnd) -> String {
    let check = MetricCheck {
        command: CommandLine::Shell("x".to_owned()),
        name: "accuracy".to_owned(),
        op,
        target: target.to_owned(),
    };
    let ran = Ran {
        end,
        stdout: stdout.as_bytes().to_owned(),
        stderr: Vec::new(),
        report: None,
    };
    let result = metric(&check, &ran);
    format!("{:?}: {}", result.outcome, result.why)
}

fn check(stdout: &str, expected: &str) {
    assert_eq!(
        run(stdout, Comparison::AtLeast, "0.9", RunEnd::Exited(0)),
        expected,
        "{stdout}"
    );
}

#[test]
fn the_last_value_counts() {
    for (stdout, value) in [
        ("accuracy 0.95", "0.95"),
        ("accuracy: 0.95 of 1", "0.95"),
        ("accuracy = 0.95\n", "0.95"),
        ("accuracy=0.95", "0.95"),
        ("accuracy : 95%", "95%"),
        ("accuracy: 95 %", "95 %"),
        ("  [METRIC:accuracy] 0.95", "0.95"),
        ("[METRIC:accuracy]: +9.5e-1", "+9.5e-1"),
        ("accuracy 0.1\naccuracy 0.95\nother 0.1", "0.95"),
        (
            "accuracy: 0.95\naccuracy is good\naccuracy_top5: 0.1\nmean accuracy: 0.1\n",
            "0.95",
        ),
        ("\u{1b}[1maccuracy\u{1b}[0m: 0.95", "0.95"),
    ] {
        check(stdout, &format!("Passed: `accuracy` is {value}, expected >= 0.9"));
    }
    for (stdout, expected) in [
        (
            "accuracy 0.95\naccuracy 0.1",
            "Failed: `accuracy` is 0.1, expected >= 0.9",
        ),
        (
            "accuracy 0.95\naccuracy nan",
            "Failed: the value of `accuracy` `nan` is not a decimal number",
        ),
        (
            "accuracy 0.95\naccuracy: inf",
            "Failed: the value of `accuracy` `inf` is not a decimal number",
        ),
        (
            "accuracy 0.95\naccuracy:",
            "Failed: the value of `accuracy` `` is not a decimal number",
        ),
        (
            "accuracy: 0,95",
            "Failed: the value of `accuracy` `0,95` is not a decimal number",
        ),
        (
            "accuracy: 1e999",
            "Failed: the value of `accuracy` `1e999` is out of range",
        ),
        (
            "accuracy: 1e99999999999",
            "Failed: the value of `accuracy` `1e99999999999` is not a decimal number",
        ),
        ("", "Failed: the program did not print `accuracy`"),
        ("accuracy", "Failed: the program did not print `accuracy`"),
        ("[METRIC] 0.95", "Failed: the program did not print `accuracy`"),
    ] {
        check(stdout, expected);
    }
    let long = format!("accuracy {}", "9".repeat(1_000));
    check(
        &long,
        &format!(
            "Failed: the value of `accuracy` `{}…` is too long for a number",
            "9".repeat(64)
        ),
    );
}

#[test]
fn the_program_must_succeed_and_the_target_be_a_number() {
    let good = "accuracy 1";
    for (target, end, expected) in [
        ("0.9", RunEnd::Exited(1), "Failed: exit code 1, expected 0"),
        (
            "0.9",
            RunEnd::Exited(127),
            "Unusable: exit code 127: a command was not found or not executable",
        ),
        (
            "0.9",
            RunEnd::TimedOut { after_seconds: 5 },
            "CouldNotRun: the program was ended after 5 seconds",
        ),
        (
            "high",
            RunEnd::Exited(0),
            "Unusable: the target `high` is not a decimal number",
        ),
        ("", RunEnd::Exited(0), "Unusable: the target `` is not a decimal number"),
    ] {
        assert_eq!(run(good, Comparison::AtLeast, target, end), expected);
    }
}

#[test]
fn decimals_compare_exactly() {
    use Ordering::{Equal, Greater, Less};
    for (a, b, expected) in [
        ("0.1", "0.10", Equal),
        ("85%", "0.85", Equal),
        ("1e3", "1000.0", Equal),
        ("-0", "+0.000", Equal),
        (".5", "5.e-1", Equal),
        ("0.30000000000000004", "0.3", Greater),
        ("9007199254740993", "9007199254740992", Greater),
        ("0.09", "0.1", Less),
        ("10", "9", Greater),
        ("-10", "-9", Less),
        ("-1", "0", Less),
        ("0", "0.0001", Less),
        ("-1", "1e-400", Less),
        ("0.5", "0.51", Less),
        ("-0.5", "-0.51", Greater),
        ("1e-2", "0.02", Less),
    ] {
        let (left, right) = (Decimal::parse(a).unwrap(), Decimal::parse(b).unwrap());
        assert_eq!(left.cmp(&right), expected, "{a} {b}");
        assert_eq!(right.cmp(&left), expected.reverse(), "{b} {a}");
    }
    for text in [
        "", "-", ".", "1.2.3", "1e", "e1", "0x10", "1_000", "--1", "1 2", "%", "NaN", "∞", "１", "1e401",
    ] {
        assert!(Decimal::parse(text).is_err(), "{text}");
    }
}

#[test]
fn every_comparison_means_what_it_says() {
    for (op, below, equal, above) in [
        (Comparison::AtLeast, false, true, true),
        (Comparison::Above, false, false, true),
        (Comparison::AtMost, true, true, false),
        (Comparison::Below, true, false, false),
        (Comparison::Equal, false, true, false),
        (Comparison::NotEqual, true, false, true),
    ] {
        let passes = |value| run(&format!("accuracy {value}"), op, "1", RunEnd::Exited(0)).starts_with("Passed");
        assert_eq!(
            (passes("0.99"), passes("1.0"), passes("1.01")),
            (below, equal, above),
            "{op:?}"
        );
    }
}

#[test]
fn the_cause_stands_beside_a_missing_value() {
    for (code, stdout, target, caused) in [
        (1, "", "0.9", true),
        (127, "", "0.9", true),
        (0, "nothing", "0.9", true),
        (0, "accuracy: many", "0.9", true),
        (0, "accuracy: 0.5", "0.9", false),
        (1, "", "much", false),
    ] {
        let check = MetricCheck {
            command: CommandLine::Shell("x".to_owned()),
            name: "accuracy".to_owned(),
            op: Comparison::AtLeast,
            target: target.to_owned(),
        };
        let ran = Ran {
            end: RunEnd::Exited(code),
            stdout: stdout.as_bytes().to_owned(),
            stderr: b"no such file: model.bin\n".to_vec(),
            report: None,
        };
        let why = metric(&check, &ran).why;
        assert_eq!(
            why.ends_with("; it said: no such file: model.bin"),
            caused,
            "{code} {stdout}: {why}"
        );
    }
}
