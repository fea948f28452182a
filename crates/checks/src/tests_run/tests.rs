use onus_model::CommandLine;

use super::*;
use crate::RunEnd;

macro_rules! fixture {
    ($name:literal) => {
        (
            $name,
            include_str!(concat!("../../tests/fixtures/tests/", $name)).as_bytes(),
        )
    };
}

type Fixture = (&'static str, &'static [u8]);

/// Real output of the tools, but for go and surefire, which are written after their documentation.
const GREEN: [(Fixture, TestFormat, &str); 13] = [
    (
        fixture!("cargo_green.txt"),
        TestFormat::Cargo,
        "Passed: 4 passed, 2 skipped",
    ),
    (
        fixture!("cargo_colour.txt"),
        TestFormat::Cargo,
        "Passed: 1 passed, 0 skipped",
    ),
    (fixture!("go_green.json"), TestFormat::Go, "Passed: 2 passed, 1 skipped"),
    (
        fixture!("junit_nextest.xml"),
        TestFormat::Junit,
        "Passed: 3 passed, 0 skipped",
    ),
    (
        fixture!("junit_node_exit.xml"),
        TestFormat::Junit,
        "Passed: 1 passed, 0 skipped",
    ),
    (
        fixture!("junit_node_green.xml"),
        TestFormat::Junit,
        "Passed: 4 passed, 0 skipped",
    ),
    (
        fixture!("junit_pytest_green.xml"),
        TestFormat::Junit,
        "Passed: 5 passed, 0 skipped",
    ),
    (
        fixture!("pytest_green_rA.txt"),
        TestFormat::Pytest,
        "Passed: 5 passed, 0 skipped",
    ),
    (
        fixture!("pytest_green_v.txt"),
        TestFormat::Pytest,
        "Passed: 5 passed, 0 skipped",
    ),
    (
        fixture!("pytest_subok.txt"),
        TestFormat::Pytest,
        "Passed: 3 passed, 0 skipped",
    ),
    (
        fixture!("pytest_xdist.txt"),
        TestFormat::Pytest,
        "Passed: 5 passed, 0 skipped",
    ),
    (
        fixture!("tap_node_exit.txt"),
        TestFormat::Tap,
        "Passed: 1 passed, 0 skipped",
    ),
    (
        fixture!("tap_node_green.txt"),
        TestFormat::Tap,
        "Passed: 6 passed, 0 skipped",
    ),
];

/// With the exit code that the tool had.
const RED: [(Fixture, TestFormat, i32, &str); 21] = [
    (
        fixture!("cargo_red.txt"),
        TestFormat::Cargo,
        101,
        "Failed: 1 failed: `broken`",
    ),
    (
        fixture!("cargo_shown.txt"),
        TestFormat::Cargo,
        101,
        "Failed: 1 failed: `broken`",
    ),
    (
        fixture!("cargo_quits.txt"),
        TestFormat::Cargo,
        0,
        "Failed: incomplete report: a test binary ended without a `test result:` line",
    ),
    (
        fixture!("go_red.json"),
        TestFormat::Go,
        1,
        "Failed: 2 failed: `example.com/broken`, `example.com/shop::TestSell`",
    ),
    (
        fixture!("junit_node_mixed.xml"),
        TestFormat::Junit,
        1,
        "Failed: 2 failed: `test::bad`, `test::fails inside`",
    ),
    (
        fixture!("junit_pytest_mixed.xml"),
        TestFormat::Junit,
        1,
        "Failed: 3 failed: `test_mixed::test_bad`, `test_mixed::test_setup`, `test_mixed::test_teardown`",
    ),
    (
        fixture!("junit_pytest_flaky.xml"),
        TestFormat::Junit,
        0,
        "Failed: incomplete report: the suite `pytest` counts 1 tests and shows 2",
    ),
    (
        fixture!("junit_pytest_subtests.xml"),
        TestFormat::Junit,
        0,
        "Failed: incomplete report: the suite `pytest` counts 3 tests and shows 1",
    ),
    (
        fixture!("junit_surefire_flaky.xml"),
        TestFormat::Junit,
        0,
        "Failed: 1 failed: `app.ShopTest::sells`; exit code 0 although tests failed",
    ),
    (fixture!("pytest_mixed_v.txt"), TestFormat::Pytest, 1, MIXED),
    (fixture!("pytest_mixed_rA.txt"), TestFormat::Pytest, 1, MIXED),
    (fixture!("pytest_mixed_both.txt"), TestFormat::Pytest, 1, MIXED),
    (fixture!("pytest_xdistmixed.txt"), TestFormat::Pytest, 1, MIXED),
    (
        fixture!("pytest_sub.txt"),
        TestFormat::Pytest,
        1,
        "Failed: 3 failed: `t_sub.py::test_subs`, `t_sub.py::test_subs - assert 1 != 1`, `t_sub.py::test_subs(i=1)`",
    ),
    (
        fixture!("pytest_flaky.txt"),
        TestFormat::Pytest,
        0,
        "Failed: 1 failed: `t_flaky.py::test_flaky`; exit code 0 although tests failed; 0 passed, at least 1 expected",
    ),
    (
        fixture!("pytest_green_q.txt"),
        TestFormat::Pytest,
        0,
        "Failed: incomplete report: no line such as `3 passed in 0.1s` at its end; 0 passed, at least 1 expected",
    ),
    (
        fixture!("pytest_exit.txt"),
        TestFormat::Pytest,
        0,
        "Failed: incomplete report: no line such as `3 passed in 0.1s` at its end",
    ),
    (
        fixture!("pytest_pexit.txt"),
        TestFormat::Pytest,
        0,
        "Failed: incomplete report: pytest says `_pytest.outcomes.Exit: enough`",
    ),
    (
        fixture!("pytest_collect.txt"),
        TestFormat::Pytest,
        2,
        "Failed: incomplete report: pytest says `Interrupted: 1 error during collection`; 1 failed: `t_collect.py`; \
         0 passed, at least 1 expected",
    ),
    (
        fixture!("pytest_none.txt"),
        TestFormat::Pytest,
        5,
        "Failed: no test ran; exit code 5 although no test failed; 0 passed, at least 1 expected",
    ),
    (
        fixture!("tap_node_mixed.txt"),
        TestFormat::Tap,
        1,
        "Failed: 3 failed: `bad`, `group`, `group > fails inside`",
    ),
];

const MIXED: &str =
    "Failed: 3 failed: `test_mixed.py::test_bad`, `test_mixed.py::test_setup`, `test_mixed.py::test_teardown`";

fn run(format: TestFormat, end: RunEnd, stdout: &[u8], min: u32, manifest: Option<&str>) -> CheckResult {
    let check = TestsCheck {
        command: CommandLine::Shell("x".to_owned()),
        format,
        report: None,
        manifest: manifest.map(|_| "tests.txt".to_owned()),
        min,
        baseline: true,
    };
    let ran = Ran {
        end,
        stdout: stdout.to_owned(),
        stderr: Vec::new(),
        report: None,
    };
    tests(&check, &ran, manifest, None)
}

fn told(result: &CheckResult) -> String {
    format!("{:?}: {}", result.outcome, result.why)
}

fn check(format: TestFormat, code: i32, stdout: &[u8], expected: &str) {
    let result = run(format, RunEnd::Exited(code), stdout, 1, None);
    assert_eq!(told(&result), expected, "{}", String::from_utf8_lossy(stdout));
}

#[test]
fn green_reports_pass_and_prove_their_own_manifest() {
    for ((name, report), format, expected) in GREEN {
        check(format, 0, report, expected);
        let manifest = TestReport::read(format, report).manifest();
        let end = RunEnd::Exited(0);
        assert!(run(format, end.clone(), report, 1, Some(&manifest)).passed(), "{name}");
        let more = run(format, end, report, 1, Some(&format!("{manifest}one more\n")));
        assert_eq!(
            told(&more),
            "Failed: 1 of the manifest did not run: `one more`",
            "{name}"
        );
    }
}

#[test]
fn a_green_report_needs_a_green_end() {
    for ((name, report), format, _) in GREEN {
        let red = run(format, RunEnd::Exited(1), report, 1, None);
        assert_eq!(told(&red), "Failed: exit code 1 although no test failed", "{name}");
        for (end, outcome) in [
            (RunEnd::Exited(127), Outcome::Unusable),
            (RunEnd::Signalled(9), Outcome::CouldNotRun),
            (RunEnd::TimedOut { after_seconds: 9 }, Outcome::CouldNotRun),
        ] {
            assert_eq!(run(format, end, report, 1, None).outcome, outcome, "{name}");
        }
        assert_eq!(
            run(format, RunEnd::Exited(0), report, 100, None).outcome,
            Outcome::Failed,
            "{name}"
        );
    }
}

#[test]
fn red_reports_fail_whatever_the_exit_code() {
    for ((_, report), format, code, expected) in RED {
        check(format, code, report, expected);
        for code in [0, 1] {
            assert_eq!(
                run(format, RunEnd::Exited(code), report, 0, None).outcome,
                Outcome::Failed
            );
        }
    }
    let perl = fixture!("tap_perl.txt").1;
    check(
        TestFormat::Tap,
        1,
        perl,
        "Failed: 1 failed: `first line of the input valid`",
    );
}

/// Cut anywhere, with exit code 0 and nothing but the report to go by.
#[test]
fn a_cut_report_never_passes() {
    let red = RED.iter().map(|(fixture, format, ..)| (fixture, *format));
    let green = GREEN.iter().map(|(fixture, format, _)| (fixture, *format));
    for ((name, report), format) in red.chain(green).filter(|(_, format)| !is_open_ended(*format)) {
        let whole = TestReport::read(format, report);
        for end in 0..report.len() {
            let cut = TestReport::read(format, &report[..end]);
            // What may be missing at the end: comments, a frame around the totals, white space.
            assert!(cut.incomplete.is_some() || cut == whole, "{name} cut at {end}: {cut:?}");
        }
    }
    for ((name, report), format, code, _) in RED.iter().filter(|(_, format, ..)| is_open_ended(*format)) {
        for end in 0..report.len() {
            let cut = run(*format, RunEnd::Exited(*code), &report[..end], 1, None);
            assert_eq!(cut.outcome, Outcome::Failed, "{name} cut at {end}");
        }
    }
}

/// Cargo says nowhere how many binaries there are, and go how many packages: a cut between two is seen by the exit code, or
/// by a manifest.
fn is_open_ended(format: TestFormat) -> bool {
    matches!(format, TestFormat::Cargo | TestFormat::Go)
}

#[test]
fn every_test_has_a_name_of_its_own() {
    let names = |format, report| TestReport::read(format, report).manifest();
    assert_eq!(
        names(TestFormat::Cargo, fixture!("cargo_green.txt").1),
        "adds\nsrc/lib.rs - add\ntests::adds\ntests::panics - should panic\n"
    );
    assert_eq!(
        names(TestFormat::Tap, fixture!("tap_node_green.txt").1),
        "adds\ngroup\ngroup > one\ngroup > two # hash\nparent\nparent > child\n"
    );
    assert_eq!(
        names(TestFormat::Go, fixture!("go_green.json").1),
        "example.com/shop::TestBuy\nexample.com/shop::TestBuy/two_items\n"
    );
    assert_eq!(
        names(TestFormat::Pytest, fixture!("pytest_subok.txt").1),
        "t_subok.py::test_subs\nt_subok.py::test_subs[a b] (i=0)\nt_subok.py::test_subs[a b] (i=1)\n"
    );
    let verbose = names(TestFormat::Pytest, fixture!("pytest_green_v.txt").1);
    assert_eq!(verbose, names(TestFormat::Pytest, fixture!("pytest_green_rA.txt").1));
    assert_eq!(verbose, names(TestFormat::Pytest, fixture!("pytest_xdist.txt").1));
    assert!(verbose.ends_with("test_green.py::test_text[x PASSED y]\n"), "{verbose}");
}

#[test]
fn the_manifest_holds_every_name() {
    let report = b"1..3\nok 1 - a\nok 2 - b # SKIP later\nok 3 - c # TODO\n";
    for (manifest, expected) in [
        (None, "Passed: 1 passed, 2 skipped"),
        (Some("a\n\n"), "Passed: 1 passed, 2 skipped"),
        (Some("a\nb\n"), "Failed: 1 of the manifest skipped: `b`"),
        (Some("c\r\n  a  "), "Failed: 1 of the manifest skipped: `c`"),
        (
            Some("a\nA\nd\ne\nf\n"),
            "Failed: 4 of the manifest did not run: `A`, `d`, `e`, …",
        ),
        (Some(" \n"), "Unusable: the manifest `tests.txt` names no test"),
    ] {
        let result = run(TestFormat::Tap, RunEnd::Exited(0), report, 1, manifest);
        assert_eq!(told(&result), expected, "{manifest:?}");
    }
    let result = run(TestFormat::Tap, RunEnd::Exited(0), report, 1, Some("a\nb\nd\n"));
    let findings: Vec<_> = result.findings.iter().map(|f| (f.level, f.message.as_str())).collect();
    assert_eq!(
        findings,
        [
            (FindingLevel::Error, "`d` is in the manifest and did not run"),
            (FindingLevel::Error, "`b` is in the manifest and was skipped"),
            (FindingLevel::Note, "`c` was skipped"),
        ]
    );
    let Evidence::Tests {
        passed,
        failed,
        skipped,
        missing,
        ..
    } = result.evidence
    else {
        panic!("{:?}", result.evidence)
    };
    assert_eq!((passed, failed, skipped, missing), (1, 0, 2, 1));

    let check = TestsCheck {
        command: CommandLine::Shell("x".to_owned()),
        format: TestFormat::Tap,
        report: Some("out.tap".to_owned()),
        manifest: Some("tests.txt".to_owned()),
        min: 1,
        baseline: true,
    };
    let mut ran = Ran {
        end: RunEnd::Exited(0),
        stdout: report.to_vec(),
        stderr: Vec::new(),
        report: None,
    };
    let missing = "CouldNotRun: the program did not write its report `out.tap`; it said: 1..3\nok 1 - a\n\
                   ok 2 - b # SKIP later\nok 3 - c # TODO";
    assert_eq!(told(&tests(&check, &ran, Some("a"), None)), missing);
    ran.report = Some(b"1..1\nok 1 - a\n".to_vec());
    assert_eq!(
        told(&tests(&check, &ran, Some("a"), None)),
        "Passed: 1 passed, 0 skipped"
    );
    let unread = "Unusable: the manifest `tests.txt` cannot be read";
    assert_eq!(told(&tests(&check, &ran, None, None)), unread);
}

fn tap(stdout: &str) -> Ran {
    Ran {
        end: RunEnd::Exited(0),
        stdout: stdout.as_bytes().to_owned(),
        stderr: Vec::new(),
        report: None,
    }
}

#[allow(
    clippy::needless_pass_by_value,
    reason = "callers read better without borrowing what they have just made"
)]
fn tap_check(json: serde_json::Value) -> TestsCheck {
    let mut check = serde_json::json!({"command": "x", "format": "tap"});
    check.as_object_mut().unwrap().extend(json.as_object().unwrap().clone());
    serde_json::from_value(check).unwrap()
}

#[test]
fn what_passed_before_must_be_there_and_pass() {
    let check = tap_check(serde_json::json!({}));
    let base = tap("1..4\nok 1 - adds\nok 2 - takes\nnot ok 3 - broken\nok 4 - later # SKIP\n");
    let before = passed_tests(&check, &base);
    assert_eq!(before.iter().map(String::as_str).collect::<Vec<_>>(), ["adds", "takes"]);
    let free = tap_check(serde_json::json!({"baseline": false}));
    for (now, expected) in [
        ("1..2\nok 1 - adds\nok 2 - takes\n", "Passed: 2 passed, 0 skipped"),
        (
            "1..3\nok 1 - adds\nok 2 - takes\nok 3 - new\n",
            "Passed: 3 passed, 0 skipped",
        ),
        (
            "1..1\nok 1 - takes\n",
            "Failed: 1 passed before and did not run: `adds`",
        ),
        (
            "1..2\nok 1 - sums\nok 2 - takes\n",
            "Failed: 1 passed before and did not run: `adds`",
        ),
        (
            "1..2\nok 1 - adds # SKIP\nok 2 - takes\n",
            "Failed: 1 passed before and skipped now: `adds`",
        ),
        (
            "1..2\nnot ok 1 - adds\nok 2 - takes\n",
            "Failed: 1 failed: `adds`; exit code 0 although tests failed",
        ),
    ] {
        assert_eq!(told(&tests(&check, &tap(now), None, Some(&before))), expected, "{now}");
        let unheld = tests(&free, &tap(now), None, Some(&before));
        assert_eq!(unheld.passed(), !now.contains("not ok"), "{now}");
    }
    let result = tests(&check, &tap("1..1\nok 1 - takes # SKIP\n"), None, Some(&before));
    let findings: Vec<&str> = result.findings.iter().map(|f| f.message.as_str()).collect();
    assert_eq!(
        findings,
        [
            "`adds` passed before and did not run",
            "`takes` passed before and was skipped"
        ]
    );
    assert!(
        matches!(result.evidence, Evidence::Tests { missing: 1, .. }),
        "{:?}",
        result.evidence
    );

    let held = tap_check(serde_json::json!({"manifest": "tests.txt"}));
    let both = tests(&held, &tap("1..1\nok 1 - takes\n"), Some("adds"), Some(&before));
    assert_eq!(
        told(&both),
        "Failed: 1 of the manifest did not run: `adds`",
        "named once"
    );
    let unwritten = tap_check(serde_json::json!({"report": "out.tap"}));
    assert!(passed_tests(&unwritten, &base).is_empty(), "no report, no names");
}

#[test]
fn a_baseline_that_is_not_named_is_not_written() {
    let check = tap_check(serde_json::json!({}));
    assert!(check.baseline);
    assert_eq!(serde_json::to_value(&check).unwrap().get("baseline"), None);
    let free = tap_check(serde_json::json!({"baseline": false}));
    assert_eq!(serde_json::to_value(&free).unwrap()["baseline"], false);
}

#[test]
fn the_cause_stands_beside_an_unreadable_report() {
    let cause = "; it said: No module named pytest";
    let check = tap_check(serde_json::json!({}));
    let to_file = tap_check(serde_json::json!({"report": "out.tap"}));
    for (check, code, stdout, caused) in [
        (&check, 1, "", true),
        (&check, 127, "", true),
        (&check, 1, "1..1\nok 1 - a\n", true),
        (&check, 0, "1..2\nok 1 - a\n", true),
        (&to_file, 0, "", true),
        (&check, 1, "1..1\nnot ok 1 - a\n", false),
        (&check, 0, "1..1\nok 1 - a\n", false),
    ] {
        let ran = Ran {
            end: RunEnd::Exited(code),
            stderr: b"python: \nNo module named pytest\n".to_vec(),
            ..tap(stdout)
        };
        let why = tests(check, &ran, None, None).why;
        assert_eq!(
            why.ends_with("No module named pytest"),
            caused,
            "{code} {stdout}: {why}"
        );
    }
    let ran = Ran {
        stdout: b"No module named pytest".to_vec(),
        ..tap("")
    };
    let why = tests(&to_file, &ran, None, None).why;
    assert!(why.ends_with(cause), "what is no report may tell the cause: {why}");
}

#[test]
fn namesakes_are_told_apart_or_fail() {
    for (report, expected) in [
        ("1..2\nok 1 - a\nok 2 - a\n", "a\na (2)\n"),
        ("1..3\nok 1 - a\nok 2 - a\nok 3 - a\n", "a\na (2)\na (3)\n"),
        ("1..2\nok 1 - a\nnot ok 2 - a\n", ""),
        ("1..2\nok 1 - a\nok 2 - a # SKIP\n", ""),
        ("1..2\nok 1 - a # SKIP\nok 2 - a\n", ""),
    ] {
        assert_eq!(
            TestReport::read(TestFormat::Tap, report.as_bytes()).manifest(),
            expected,
            "{report}"
        );
    }
    let double = br#"<testsuite><testcase name="a"/><testcase name="a"><skipped/></testcase></testsuite>"#;
    check(
        TestFormat::Junit,
        0,
        double,
        "Failed: 1 failed: `a`; exit code 0 although tests failed; 0 passed, at least 1 expected",
    );
}

fn check_incomplete(format: TestFormat, reports: &[(&str, &str)]) {
    for (report, why) in reports {
        let result = run(format, RunEnd::Exited(0), report.as_bytes(), 1, None);
        let expected = format!("Failed: incomplete report: {why}");
        assert!(told(&result).starts_with(&expected), "{report}\n{}", told(&result));
    }
}

#[test]
fn junit_that_does_not_add_up_is_incomplete() {
    check_incomplete(
        TestFormat::Junit,
        &[
            ("", "the document is empty"),
            ("1 passed", "the document is empty"),
            ("<html></html>", "not JUnit: no `testsuite`"),
            ("<testsuite><testcase name='a'></testsuite>", "not XML: "),
            ("<testsuite><testcase name='&x;'/></testsuite>", ""),
            (
                "<testsuite tests='2'><testcase name='a'/></testsuite>",
                "the suite `` counts 2 tests and shows 1",
            ),
            (
                "<testsuite tests='x'><testcase name='a'/></testsuite>",
                "`tests` is not a number",
            ),
            (
                "<testsuite failures='1'><testcase name='a'/></testsuite>",
                "the suite `` counts 1 failures and shows none",
            ),
            (
                "<testsuite><error/><testcase name='a'/></testsuite>",
                "a failure outside of any test",
            ),
        ],
    );
}

#[test]
fn cargo_that_does_not_add_up_is_incomplete() {
    let good = "running 2 tests\ntest a ... ok\ntest b ... ok\n\n\
                test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
    check(TestFormat::Cargo, 0, good.as_bytes(), "Passed: 2 passed, 0 skipped");
    let announced = "2 tests were announced";
    check_incomplete(
        TestFormat::Cargo,
        &[
            ("", "no `test result:` line"),
            (&good.replace("running 2", "running 3"), "3 tests were announced"),
            (&good.replace("test b ... ok\n", ""), announced),
            (&good.replace("b ... ok", "b ... noise"), announced),
            (&good.replace(": ok.", ": FAILED."), announced),
            (&good.replace("2 passed", "20 passed"), announced),
            (&good.replace("test result", "test a ... ok\ntest result"), announced),
            (&format!("{good}running 1 test\n"), "a test binary ended"),
            (&format!("running 1 test\n{good}"), "a test binary ended"),
            (
                &format!("{good}test result: ok. 1 passed"),
                "a `test result:` without tests",
            ),
        ],
    );
}

#[test]
fn pytest_that_does_not_add_up_is_incomplete() {
    check_incomplete(
        TestFormat::Pytest,
        &[
            ("", "no line such as"),
            (
                "a.py::b PASSED [100%]\n=== 2 passed in 0.1s ===\n",
                "pytest counts 2 passed",
            ),
            (
                "=== FAILURES ===\na.py::b PASSED [100%]\n=== 1 passed in 0.1s ===\n",
                "pytest counts 1 passed",
            ),
            (
                "collected 2 items\na.py::b PASSED [ 50%]\n=== 1 passed in 0.1s ===\n",
                "pytest collected 2 tests and ran 1",
            ),
            (
                "2 workers [2 items]\n[gw0] [ 50%] PASSED a.py::b\n=== 1 passed in 0.1s ===\n",
                "pytest collected 2 tests and ran 1",
            ),
        ],
    );
}

#[test]
fn go_that_does_not_add_up_is_incomplete() {
    let run = r#"{"Action":"run","Package":"p","Test":"T"}"#;
    let pass = r#"{"Action":"pass","Package":"p","Test":"T"}"#;
    check_incomplete(
        TestFormat::Go,
        &[
            ("ok  \texample.com\t0.1s\n", "no event"),
            (&pass[..pass.len() - 1], "a line is not an event"),
            (&format!("{run}\n{pass}\n"), "`p` began and did not end"),
            (
                &format!("{run}\n{}\n", r#"{"Action":"pass","Package":"p"}"#),
                "`p::T` began and did not end",
            ),
        ],
    );
}

#[test]
fn tap_that_does_not_add_up_is_incomplete() {
    check_incomplete(
        TestFormat::Tap,
        &[
            ("", "the output is cut off"),
            ("ok 1 - a\n", "no plan"),
            ("1..1\nok 1 - a", "the output is cut off"),
            ("1..2\nok 1 - a\n", "the plan has 2 tests, 1 are there"),
            ("1..1\nok 1 - a\nok 2 - b\n", "the plan has 1 tests, 2 are there"),
            ("1..1\n1..1\nok 1 - a\n", "two plans"),
            ("1..1\nok 1 - a\nBail out! no more\n", "the tests bailed out"),
            ("1..1\nok 1 - a\n    ok 1 - b\n    1..1\n", "subtests without"),
            ("    ok 1 - b\n    1..2\nok 1 - a\n1..1\n", "the plan has 2 tests"),
            (
                "        ok 1 - b\n        1..1\nok 1 - a\n1..1\n",
                "subtests are nested",
            ),
            ("1..1\nok 1 - a {\n    ok 1 - b\n    1..1\n}\n", "subtests in braces"),
            ("1..1\nok 1 - a\n  ---\n  x\n", "the output is cut off"),
        ],
    );
}

#[test]
fn no_test_is_no_proof() {
    for (format, report) in [
        (TestFormat::Junit, "<testsuites/>"),
        (TestFormat::Junit, "<testsuite tests='0'></testsuite>"),
        (
            TestFormat::Cargo,
            "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 9 filtered out; finished in 0.00s\n",
        ),
        (TestFormat::Pytest, "==== no tests ran in 0.01s ====\n"),
        (TestFormat::Go, "{\"Action\":\"skip\",\"Package\":\"p\"}\n"),
        (TestFormat::Tap, "1..0 # SKIP no database\n"),
    ] {
        for min in [0, 1] {
            let result = run(format, RunEnd::Exited(0), report.as_bytes(), min, None);
            assert!(
                told(&result).starts_with("Failed: no test ran"),
                "{report}: {}",
                told(&result)
            );
        }
    }
}

#[test]
fn bombs_end() {
    let deep = "<testsuite>".repeat(100_000);
    let many = "ok\n".repeat(TESTS_MAX + 1);
    let names = format!("{}ok 1 - {}\n1..1\n", "    ok\n".repeat(5_000), "n".repeat(900));
    let nested: String = (0..200)
        .rev()
        .map(|depth| format!("{}ok - x\n", "    ".repeat(depth)))
        .collect();
    for (format, report) in [
        (TestFormat::Junit, deep.as_str()),
        (TestFormat::Tap, &many),
        (TestFormat::Tap, &names),
        (TestFormat::Tap, &nested),
        (TestFormat::Go, &"{\"Action\":".repeat(100_000)),
        (TestFormat::Pytest, &"=".repeat(100_000)),
        (TestFormat::Cargo, &"running 18446744073709551615 tests\n".repeat(1_000)),
    ] {
        let result = run(format, RunEnd::Exited(0), report.as_bytes(), 1, None);
        assert_eq!(result.outcome, Outcome::Failed);
        assert!(result.findings.len() <= FINDINGS_MAX);
    }
}
