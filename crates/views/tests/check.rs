//! One evaluation in every form: a passing and a failing one as snapshots, and text of a hostile tool in each of them.

#![allow(clippy::unwrap_used, reason = "test builders may panic")]

use std::collections::{BTreeMap, BTreeSet};

use onus_model::*;
use onus_views::Style;
use onus_views::check::*;
use quick_xml::escape::unescape;
use quick_xml::events::Event as Xml;
use serde_json::{Value, json};

/// Everything that must not reach a reader as it is.
const HOSTILE: &str = "\x1b[32mPASS\x1b[0m ]]></failure> %0A::error::x\n::stop-commands::x ##[error]y | `a` <b> \
                       [c](http://d) ![e](f) \u{202e}evil\0 \u{ffff} &amp; \"q\" @all $x$ \u{9b}2J\r\nend";

fn level(name: &str) -> LevelName {
    LevelName::new(name).unwrap()
}

fn id(text: &str) -> CriterionId {
    CriterionId::new(text).unwrap()
}

fn criterion(name: &str, severity: Severity, weight: f64, verify: Value) -> Criterion {
    Criterion {
        id: id(name),
        description: format!("{name} is as it should be"),
        severity,
        weight: Weight::try_from(weight).unwrap(),
        level: level("A"),
        check: "look at it".to_owned(),
        verify: serde_json::from_value(verify).unwrap(),
        ..Criterion::new(id(name), level("A"))
    }
}

fn verdict(name: &str, kind: VerdictKind, source: VerdictSource, details: &str, findings: Vec<Finding>) -> Verdict {
    Verdict {
        evidence: vec![Evidence::Files { files: 3 }],
        findings,
        ..Verdict::bare(id(name), kind, details, source)
    }
}

fn finding(path: Option<&str>, line: Option<u32>, level: FindingLevel, message: &str) -> Finding {
    Finding {
        path: path.map(str::to_owned),
        line,
        level,
        message: message.to_owned(),
    }
}

fn criteria() -> Vec<Criterion> {
    let tests = json!([{"type": "tests", "command": "cargo test", "format": "cargo"}]);
    let lint = json!([
        {"type": "lint", "command": "cargo clippy", "format": "lines"},
        {"type": "pattern", "search": "unwrap", "rule": "forbidden"}
    ]);
    let of = |dimension: &str, criterion| Criterion {
        dimension: Some(dimension.to_owned()),
        ..criterion
    };
    vec![
        of(
            "correctness",
            criterion("a.correctness.tests", Severity::Fail, 3.0, tests),
        ),
        of("craft", criterion("a.quality.lint", Severity::Fail, 2.0, lint)),
        criterion("a.style", Severity::Warn, 1.5, json!([])),
        criterion("a.docs.readme", Severity::Info, 1.0, json!([])),
        criterion("a.security.review", Severity::Fail, 1.0, json!([])),
    ]
}

fn report(points: u16, passed: bool, verdicts: Vec<Verdict>) -> CheckReport {
    let artifact = Digest::of(b"artifact");
    let contract = Digest::of(b"contract");
    CheckReport {
        contract_sha256: contract,
        artifact_sha256: artifact,
        level: level("A"),
        scorecard: Scorecard {
            artifact_hash: artifact.short(),
            artifact_sha256: artifact,
            contract_sha256: contract,
            phase: level("A"),
            score: Score::from_basis_points(points),
            threshold: Score::from_basis_points(8_000),
            passed,
            failed: Vec::new(),
            warnings: Vec::new(),
            rule_results: verdicts,
            dimensions: Vec::new(),
            gates: None,
            regressed: Vec::new(),
            reasons: Vec::new(),
            effort: Effort::default(),
            degraded: Vec::new(),
        },
        criteria: criteria(),
        baseline: None,
        notes: Vec::new(),
        elapsed_ms: 12_345,
        tool_version: "0.1.0".to_owned(),
    }
}

fn passing() -> CheckReport {
    use VerdictKind::Pass;
    use VerdictSource::{Contract, Evaluator, Prepared};
    let tolerated = finding(Some("src/a.rs"), Some(7), FindingLevel::Error, "unused import");
    report(
        10_000,
        true,
        vec![
            verdict("a.correctness.tests", Pass, Contract, "14 tests passed", Vec::new()),
            verdict(
                "a.quality.lint",
                Pass,
                Contract,
                "1 finding, 5 allowed",
                vec![tolerated],
            ),
            verdict("a.style", Pass, Prepared, "nothing matched", Vec::new()),
            verdict("a.docs.readme", Pass, Evaluator, "quoted at line 3", Vec::new()),
            verdict("a.security.review", Pass, Evaluator, "", Vec::new()),
        ],
    )
}

/// Broken by the work, failing before, fixed, a warning without findings, and one that nobody decided.
fn failing() -> CheckReport {
    use FindingLevel::{Error, Note, Warning};
    use VerdictKind::{Fail, Pass, Warn};
    use VerdictSource::{Contract, Evaluator, Prepared};
    let tests = (1..=12).map(|n| {
        finding(
            Some("tests/日本 a.rs"),
            Some(n),
            Error,
            "assertion failed: left == right",
        )
    });
    let lint = vec![
        finding(Some("src/a.rs"), Some(7), Error, "unused import"),
        finding(Some("src/a.rs"), Some(9), Error, "unused import"),
        finding(Some("src/b.rs"), None, Warning, "file is long"),
        finding(Some("../outside.rs"), Some(1), Note, "seen from elsewhere"),
        finding(None, None, Error, "could not compile"),
    ];
    let mut report = report(
        2_941,
        false,
        vec![
            verdict(
                "a.correctness.tests",
                Fail,
                Contract,
                "12 of 14 tests failed\nsee the report",
                tests.collect(),
            ),
            verdict(
                "a.quality.lint",
                Fail,
                Contract,
                "3 errors, 0 allowed; the linter said more than a line can hold",
                lint,
            ),
            verdict("a.style", Warn, Prepared, "2 long lines", Vec::new()),
            verdict("a.docs.readme", Pass, Evaluator, "quoted at line 3", Vec::new()),
        ],
    );
    let before = [
        ("a.correctness.tests", Pass),
        ("a.quality.lint", Fail),
        ("a.docs.readme", Fail),
        ("a.style", Pass),
    ];
    report.baseline = Some(before.map(|(name, kind)| (id(name), kind)).into());
    report.notes = vec!["`big.bin` is not part of the tree: too large".to_owned()];
    report
}

fn hostile() -> CheckReport {
    let findings = vec![
        finding(Some("::error file=x::,a.rs"), Some(0), FindingLevel::Error, HOSTILE),
        finding(Some("a%b c|d`e\u{202e}.rs"), Some(2), FindingLevel::Error, HOSTILE),
        finding(None, None, FindingLevel::Error, "::stop-commands::x"),
    ];
    let mut report = failing();
    report
        .criteria
        .iter_mut()
        .for_each(|c| HOSTILE.clone_into(&mut c.description));
    report.scorecard.rule_results = vec![verdict(
        "a.quality.lint",
        VerdictKind::Fail,
        VerdictSource::Contract,
        HOSTILE,
        findings,
    )];
    report.notes = vec![HOSTILE.to_owned()];
    report
}

/// What acts on a terminal, reorders or hides.
fn acts(text: &str) -> bool {
    text.chars()
        .any(|c| matches!(c, '\0'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{202e}'))
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap()
}

/// Element names with their attributes and all text in order; fails on anything that is not well-formed.
fn parsed(xml: &str) -> Vec<(String, BTreeMap<String, String>, String)> {
    let mut reader = quick_xml::Reader::from_str(xml);
    let (mut found, mut open) = (Vec::new(), Vec::new());
    let element = |tag: &quick_xml::events::BytesStart<'_>| {
        let attributes = tag.attributes().map(Result::unwrap);
        let attributes = attributes.map(|a| (a.key.as_ref().to_owned(), unescape(&a.value).unwrap().into_owned()));
        (tag.name().as_ref().to_owned(), attributes.collect(), String::new())
    };
    loop {
        match reader.read_event().unwrap() {
            Xml::Eof => break,
            Xml::Start(tag) => {
                open.push(found.len());
                found.push(element(&tag));
            }
            Xml::Empty(tag) => found.push(element(&tag)),
            Xml::End(_) => drop(open.pop().unwrap()),
            Xml::Text(text) => {
                if let Some(at) = open.last() {
                    found[*at].2.push_str(text.as_ref());
                }
            }
            Xml::GeneralRef(name) => {
                let entity = format!("&{};", name.as_ref());
                found[*open.last().unwrap()].2.push_str(&unescape(&entity).unwrap());
            }
            Xml::Decl(_) => {}
            Xml::CData(_) | Xml::Comment(_) | Xml::PI(_) | Xml::DocType(_) => panic!("nothing else is written"),
        }
    }
    assert!(open.is_empty());
    found
}

/// What SARIF requires, and what GitHub requires beyond it.
fn check_sarif(log: &Value) {
    assert_eq!(log["version"], "2.1.0");
    let [run] = log["runs"].as_array().unwrap().as_slice() else {
        panic!("one run")
    };
    let driver = &run["tool"]["driver"];
    assert_eq!((&driver["name"], &driver["version"]), (&json!("onus"), &json!("0.1.0")));
    let mut rules = BTreeSet::new();
    for rule in driver["rules"].as_array().unwrap() {
        assert!(rules.insert(rule["id"].as_str().unwrap()), "{rule}");
        assert!(!rule["shortDescription"]["text"].as_str().unwrap().is_empty());
        assert!(rule["properties"]["tags"].as_array().unwrap().len() <= 20);
    }
    let results = run["results"].as_array().unwrap();
    assert!(results.len() <= 25_000);
    let mut fingerprints = BTreeSet::new();
    for result in results {
        assert!(rules.contains(result["ruleId"].as_str().unwrap()), "{result}");
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().unwrap()));
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        let [location] = result["locations"].as_array().unwrap().as_slice() else {
            panic!("one location: {result}")
        };
        let place = &location["physicalLocation"];
        let uri = place["artifactLocation"]["uri"].as_str().unwrap();
        assert!(
            !uri.is_empty() && !uri.starts_with('/') && !uri.contains(':') && !uri.contains(".."),
            "{uri}"
        );
        assert!(place["region"]["startLine"].as_u64().unwrap() >= 1);
        let fingerprint = result["partialFingerprints"]["primaryLocationLineHash"]
            .as_str()
            .unwrap();
        assert!(fingerprints.insert(fingerprint), "{result}");
    }
}

#[test]
fn a_passing_and_a_failing_evaluation_are_told_in_every_form() {
    for (name, report) in [("passing", passing()), ("failing", failing())] {
        insta::assert_snapshot!(format!("{name}_text"), text(&report, Style::Plain, 110));
        insta::assert_snapshot!(format!("{name}_json"), pretty(&json(&report)));
        insta::assert_snapshot!(format!("{name}_sarif"), pretty(&sarif(&report)));
        insta::assert_snapshot!(format!("{name}_junit"), junit(&report));
        insta::assert_snapshot!(format!("{name}_annotations"), github_annotations(&report).join("\n"));
        insta::assert_snapshot!(format!("{name}_summary"), step_summary(&report));
    }
}

#[test]
fn a_narrow_terminal_gets_reasons_below_the_rows() {
    insta::assert_snapshot!("failing_narrow", text(&failing(), Style::Plain, 60));
}

#[test]
fn no_width_is_too_small_and_colour_changes_nothing_but_colour() {
    for columns in [0, 1, 40, 80, 500] {
        let painted = text(&failing(), Style::Ansi, columns);
        let mut plain = painted;
        for code in ["\x1b[2m", "\x1b[31m", "\x1b[32m", "\x1b[0m"] {
            plain = plain.replace(code, "");
        }
        assert_eq!(plain, text(&failing(), Style::Plain, columns));
    }
}

#[test]
fn an_evaluation_of_nothing_is_told_too() {
    let mut report = passing();
    report.criteria.clear();
    report.scorecard.rule_results.clear();
    assert!(text(&report, Style::Plain, 80).contains("0 passed"));
    check_sarif(&sarif(&report));
    parsed(&junit(&report));
}

#[test]
fn sarif_is_what_code_hosts_accept() {
    for report in [passing(), failing(), hostile()] {
        check_sarif(&sarif(&report));
    }
}

#[test]
fn a_moved_line_is_the_same_alert() {
    let prints = |report: &CheckReport| -> Vec<String> {
        let log = sarif(report);
        let results = log["runs"][0]["results"].as_array().unwrap();
        results
            .iter()
            .map(|r| r["partialFingerprints"]["primaryLocationLineHash"].to_string())
            .collect()
    };
    let mut moved = failing();
    for finding in moved.scorecard.rule_results.iter_mut().flat_map(|v| &mut v.findings) {
        finding.line = finding.line.map(|line| line + 100);
    }
    assert_eq!(prints(&failing()), prints(&moved));
}

#[test]
fn limits_cut_the_quiet_things() {
    let mut report = failing();
    let quiet = finding(Some("a"), Some(1), FindingLevel::Note, "quiet");
    let loud = finding(Some("a"), Some(2), FindingLevel::Error, "loud");
    let many = std::iter::repeat_n(quiet, 25_000).chain(std::iter::once(loud));
    report.scorecard.rule_results[1].findings = many.collect();
    let log = sarif(&report);
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 25_000);
    assert!(results.iter().any(|r| r["message"]["text"] == "loud"));

    let annotations = github_annotations(&report);
    let count = |kind: &str| annotations.iter().filter(|line| line.starts_with(kind)).count();
    assert_eq!(
        (count("::error "), count("::warning "), count("::notice ")),
        (10, 1, 10)
    );
    assert!(annotations.is_sorted_by_key(|line| !line.starts_with("::error ")));
}

#[test]
fn a_summary_fits_into_what_a_step_may_write() {
    let mut report = failing();
    report.notes = vec!["日本語".repeat(60); 5_000];
    let summary = step_summary(&report);
    assert!(summary.len() <= 1_000_000 && summary.len() > 990_000);
    assert!(summary.starts_with("### ") && summary.ends_with("The rest did not fit.\n"));
}

#[test]
fn junit_says_what_stops_the_gate_and_reads_back() {
    let xml = parsed(&junit(&failing()));
    let suite = &xml[1];
    let attribute = |name: &str| suite.1[name].as_str();
    assert_eq!(
        (attribute("tests"), attribute("failures"), attribute("skipped")),
        ("6", "4", "0")
    );
    let names = |element: &str, key: &str| -> Vec<String> {
        xml.iter()
            .filter(|(name, ..)| name == element)
            .map(|(_, attributes, _)| attributes[key].clone())
            .collect()
    };
    assert_eq!(
        names("testcase", "name"),
        [
            "a.correctness.tests",
            "a.quality.lint",
            "a.style",
            "a.docs.readme",
            "a.security.review",
            "gate"
        ]
    );
    assert_eq!(
        names("testcase", "classname"),
        ["correctness", "craft", "A", "A", "A", "onus"]
    );
    assert_eq!(names("failure", "type"), ["FAIL", "FAIL", "UNVERIFIED", "gate"]);
}

#[test]
fn hostile_text_is_only_text() {
    let report = hostile();
    for form in [
        text(&report, Style::Plain, 120),
        text(&report, Style::Plain, 40),
        junit(&report),
        step_summary(&report),
        github_annotations(&report).join("\n"),
        sarif(&report)["runs"][0]["results"][0]["message"]["text"]
            .as_str()
            .unwrap()
            .to_owned(),
    ] {
        assert!(!acts(&form), "{form:?}");
    }

    // A runner takes `::` at the beginning of a line and `##[` anywhere for a command.
    for line in text(&report, Style::Plain, 40).lines() {
        assert!(!line.trim_start().starts_with("::") && !line.contains("##["), "{line}");
    }

    let xml = parsed(&junit(&report));
    let failure = xml
        .iter()
        .find(|(_, attributes, _)| attributes.get("type").is_some_and(|kind| kind == "FAIL"));
    let failure = failure.unwrap();
    assert!(failure.2.contains("]]></failure>") && failure.2.contains("\\u{ffff}") && failure.2.contains("&amp;"));
    assert_eq!(xml.iter().filter(|(name, ..)| name == "testcase").count(), 6);

    insta::assert_snapshot!("hostile_annotations", github_annotations(&report).join("\n"));
    insta::assert_snapshot!("hostile_summary", step_summary(&report));
    insta::assert_snapshot!("hostile_text", text(&report, Style::Plain, 110));
}

/// Almost enough coverage: the gate passes, and nobody can miss it.
#[test]
fn a_pass_with_a_warning_is_shown_as_one() {
    let mut report = passing();
    let why = "80 of 100 lines covered (80.00%), baseline 82.00%";
    let row = |level| {
        let findings = vec![finding(None, None, level, why)];
        verdict(
            "a.quality.lint",
            VerdictKind::Pass,
            VerdictSource::Contract,
            why,
            findings,
        )
    };
    report.scorecard.rule_results[1] = row(FindingLevel::Warning);
    let shown = text(&report, Style::Plain, 120);
    assert!(shown.contains("WARN  a.quality.lint"), "{shown}");
    assert!(
        shown.contains("Gate PASS") && shown.contains("4 passed, 0 failed, 1 warning"),
        "{shown}"
    );
    let value = json(&report);
    let of = |value: &Value, key: &str| value["criteria"][1][key].clone();
    assert_eq!(
        (of(&value, "verdict"), of(&value, "warned")),
        (json!("pass"), json!(true))
    );
    assert_eq!((of(&value, "holds"), of(&value, "blocks")), (json!(true), json!(false)));
    assert_eq!(
        value["counts"],
        json!({"total": 5, "passed": 4, "failed": 0, "warnings": 1, "left_out": 0})
    );
    assert!(step_summary(&report).contains("| WARN | <code>a.quality.lint</code>"));
    assert!(junit(&report).contains("<system-out>WARN: 80 of 100"));
    assert_eq!(sarif(&report)["runs"][0]["results"][0]["level"], "warning");
    assert!(github_annotations(&report)[0].starts_with("::warning title=a.quality.lint::80 of 100"));

    report.scorecard.rule_results[1] = row(FindingLevel::Note);
    let quiet = text(&report, Style::Plain, 120);
    assert!(
        quiet.contains("PASS  a.quality.lint") && quiet.contains("0 warnings"),
        "a note is no warning: {quiet}"
    );
    assert_eq!(of(&json(&report), "warned"), json!(false));
}

#[test]
fn what_was_left_out_is_not_shown_as_failed() {
    let mut report = failing();
    let left_out = |name: &str| Verdict {
        left_out: true,
        ..verdict(
            name,
            VerdictKind::Fail,
            VerdictSource::Engine,
            "not decided",
            Vec::new(),
        )
    };
    report.scorecard.rule_results[2] = left_out("a.style");
    report.scorecard.rule_results.push(left_out("a.security.review"));
    let shown = text(&report, Style::Plain, 120);
    for row in ["LEFT OUT  a.style", "LEFT OUT  a.security.review"] {
        assert!(shown.contains(row), "{shown}");
    }
    assert!(shown.contains("1 passed, 2 failed, 0 warnings, 2 left out"), "{shown}");
    let value = json(&report);
    assert_eq!(
        (&value["counts"]["left_out"], &value["counts"]["failed"]),
        (&json!(2), &json!(2))
    );
    assert_eq!(value["criteria"][4]["left_out"], true);
    assert_eq!(
        value["criteria"][4]["blocks"], true,
        "it keeps the gate shut all the same"
    );
    let xml = junit(&report);
    assert!(
        xml.contains("type=\"LEFT OUT\"") && xml.contains("skipped=\"1\""),
        "{xml}"
    );
}
