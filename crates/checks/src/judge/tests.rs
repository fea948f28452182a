use onus_model::{Anchor, LevelName, Severity};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::globs::testing::Tree;

pub(super) fn criterion(id: &str) -> Criterion {
    Criterion::new(CriterionId::new(id).unwrap(), LevelName::new("A").unwrap())
}

/// Holds at 0.75.
pub(super) fn rubric(id: &str) -> Criterion {
    let anchor = |points| Anchor {
        score: Score::from_basis_points(points),
        text: String::new(),
    };
    Criterion {
        rubric: [2_500, 5_000, 7_500, 10_000].map(anchor).into(),
        ..criterion(id)
    }
}

pub(super) fn judged(id: &str, judge: &str, verdict: VerdictKind) -> Judged {
    Judged {
        id: CriterionId::new(id).unwrap(),
        vote: Vote {
            judge: judge.to_owned(),
            verdict,
            anchor: None,
            details: "so".to_owned(),
            fabricated: false,
        },
        evidence: Vec::new(),
        findings: Vec::new(),
    }
}

fn document() -> Tree {
    Tree::new(&[("artifact.md", "# Title\nEvery endpoint returns JSON.\n\nDone\n")])
}

fn sources() -> Tree {
    Tree::new(&[
        ("README.md", "# Shop\n\nThe shop sells cedar\nand oak tables.\n"),
        ("blank.txt", " \n\u{feff}"),
        ("src/lib.rs", "fn sell_table() {}\n\nfn buy() { sell_table_twice() }\n"),
    ])
    .with("logo.png", Some(b"\x89PNG\xff"))
    .with("huge.txt", None)
}

fn ask(answer: &Value, criteria: &[Criterion], files: &dyn Files) -> Result<Vec<Judged>, AnswerError> {
    let material = Material {
        files,
        commands: &[
            ("cargo test".to_owned(), true),
            ("cargo clippy".to_owned(), false),
            ("make".to_owned(), true),
            ("make".to_owned(), false),
        ],
        commit_exists: &|commit| commit == "deadbeef",
    };
    let asked: Vec<&Criterion> = criteria.iter().collect();
    judge(
        serde_json::from_value(answer.clone()).unwrap(),
        "one",
        &asked,
        &material,
    )
}

/// One result about `a.x`: `verdict: details`, or why the answer is refused. A fabrication is marked `!`.
fn check(result: &Value, criterion: Criterion, files: &dyn Files) -> String {
    match ask(&json!({ "rule_results": [result] }), &[criterion], files) {
        Ok(judged) => {
            let vote = &judged[0].vote;
            let mark = if vote.fabricated { "!" } else { "" };
            format!("{:?}{mark}: {}", vote.verdict, vote.details)
        }
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_judge_passes_only_with_words_that_stand_there() {
    let result =
        |verdict: &str, quote: Option<&str>| json!({"id": "a.x", "verdict": verdict, "details": "so", "quote": quote});
    let real = Some("endpoint returns\nJSON");
    let (absent, short) = (Some("every endpoint returns XML"), Some("end"));
    for (verdict, quote, expected) in [
        ("pass", real, "Pass: so"),
        ("pass", Some("Done"), "Pass: so"),
        ("pass", None, "Unverified: passed without a quote or other evidence: so"),
        (
            "pass",
            Some(" "),
            "Unverified: passed without a quote or other evidence: so",
        ),
        (
            "pass",
            absent,
            "Unverified!: passed on a quote that does not stand in the artifact: so",
        ),
        (
            "pass",
            short,
            "Unverified: passed on a quote that is too short to show anything: so",
        ),
        (
            "pass",
            Some("xyz"),
            "Unverified!: passed on a quote that does not stand in the artifact: so",
        ),
        ("fail", None, "Fail: so"),
        (
            "fail",
            absent,
            "Fail!: part of its evidence is a quote that does not stand in the artifact: so",
        ),
        ("warn", None, "Warn: so"),
        (
            "na",
            real,
            "Fail: `na` is for the contract to declare, not for the evaluator: so",
        ),
        ("unverified", None, "Unverified: so"),
    ] {
        let shown = check(&result(verdict, quote), criterion("a.x"), &document());
        assert_eq!(shown, expected, "{verdict} {quote:?}");
    }
}

/// A pass that rests on one claim: how the verdict starts, and words of it.
fn check_claims<const N: usize>(cases: [(Value, &str, &str); N]) {
    for (claim, start, words) in cases {
        let result = json!({"id": "a.x", "verdict": "pass", "details": "so", "evidence": [claim]});
        let shown = check(&result, criterion("a.x"), &sources());
        assert!(shown.starts_with(start) && shown.contains(words), "{result}: {shown}");
    }
}

const MADE_UP: &str = "Unverified!: passed on ";
const NOTHING: &str = "Unverified: passed on ";

#[test]
fn quotes_files_and_commands_are_looked_up() {
    let quote = |quote: &str, path: Option<&str>, line: Option<u32>| json!({"kind": "quote", "quote": quote, "path": path, "line": line});
    let file = |path: &str| json!({"kind": "file", "path": path});
    let command = |command: &str| json!({"kind": "command", "command": command});
    let oak = "sells cedar and oak";
    check_claims([
        (quote(oak, None, None), "Pass", ""),
        (quote(oak, Some("README.md"), None), "Pass", ""),
        (quote(oak, Some("README.md"), Some(3)), "Pass", ""),
        (quote(oak, None, Some(3)), "Pass", ""),
        (
            quote(oak, Some("README.md"), Some(4)),
            MADE_UP,
            "a quote that does not begin at line 4 of `README.md`",
        ),
        (
            quote(oak, Some("README.md"), Some(0)),
            MADE_UP,
            "a quote that does not begin at line 0 of `README.md`",
        ),
        (
            quote(oak, None, Some(4)),
            MADE_UP,
            "a quote that does not begin at line 4 of any file",
        ),
        (
            quote(oak, Some("src/lib.rs"), None),
            MADE_UP,
            "a quote that does not stand in `src/lib.rs`",
        ),
        (
            quote(oak, Some("src/none.rs"), None),
            MADE_UP,
            "the file `src/none.rs`, which is not there",
        ),
        (
            quote(oak, Some("logo.png"), None),
            NOTHING,
            "a quote, but `logo.png` cannot be read as text",
        ),
        (
            quote("sells walnut tables", None, None),
            MADE_UP,
            "a quote that does not stand in any file",
        ),
        (
            quote("fn", None, None),
            NOTHING,
            "a quote that is too short to show anything",
        ),
        (file("README.md"), "Pass", ""),
        (file("logo.png"), "Pass", ""),
        (file("blank.txt"), MADE_UP, "the file `blank.txt`, which is empty"),
        (file("none"), MADE_UP, "the file `none`, which is not there"),
        (file("huge.txt"), NOTHING, "the file `huge.txt`, which cannot be read"),
        (command(" cargo test "), "Pass", ""),
        (
            command("cargo clippy"),
            MADE_UP,
            "the command `cargo clippy`, which failed",
        ),
        (command("make"), MADE_UP, "the command `make`, which failed"),
        (
            command("cargo bench"),
            MADE_UP,
            "the command `cargo bench`, which was not run",
        ),
    ]);
}

#[test]
fn citations_are_looked_up() {
    let cite = |citation: &str| json!({"kind": "citation", "citation": citation});
    check_claims([
        (cite("README.md:3"), "Pass", ""),
        (cite("README.md:1-4"), "Pass", ""),
        (cite("README.md:2"), NOTHING, "`README.md:2`, which is blank"),
        (
            cite("README.md:5"),
            MADE_UP,
            "`README.md:5`, which are no lines of that file",
        ),
        (cite("README.md:0"), MADE_UP, "which are no lines"),
        (cite("README.md:0-3"), MADE_UP, "which are no lines"),
        (cite("README.md:3-9"), MADE_UP, "which are no lines"),
        (cite("README.md:4-3"), MADE_UP, "which are no lines"),
        (cite("README.md:4-1"), MADE_UP, "which are no lines"),
        (cite("README.md:99999999999"), MADE_UP, "which are no lines"),
        (cite("none.md:1"), MADE_UP, "the file `none.md`, which is not there"),
        (
            cite("logo.png:1"),
            NOTHING,
            "the file `logo.png`, which cannot be read as text",
        ),
        (cite("src/lib.rs#sell_table"), "Pass", ""),
        (
            cite("src/lib.rs#sell"),
            MADE_UP,
            "`src/lib.rs#sell`, a name that file does not hold",
        ),
        (cite("src/lib.rs#refund"), MADE_UP, "a name that file does not hold"),
        (cite("deadbeef"), "Pass", ""),
        (cite("0123456"), MADE_UP, "the commit `0123456`, which does not exist"),
    ]);
}

#[test]
fn one_piece_that_holds_is_enough_and_one_that_is_made_up_is_too_many() {
    let good = json!({"kind": "file", "path": "README.md"});
    let weak = json!({"kind": "quote", "quote": "fn"});
    let bad = json!({"kind": "command", "command": "cargo bench"});
    for (evidence, start) in [
        (json!([good, weak]), "Pass: so"),
        (
            json!([good, bad]),
            "Unverified!: passed on the command `cargo bench`, which was not run: so",
        ),
        (json!([]), "Unverified: passed without a quote or other evidence: so"),
    ] {
        let result = json!({"id": "a.x", "verdict": "pass", "details": "so", "evidence": evidence});
        assert_eq!(check(&result, criterion("a.x"), &sources()), start);
    }
    // The only file is what is judged; that it is there shows nothing about it.
    let whole = json!({"id": "a.x", "verdict": "pass", "evidence": [{"kind": "file", "path": "artifact.md"}]});
    assert_eq!(
        check(&whole, criterion("a.x"), &document()),
        "Unverified: passed on the whole artifact, which shows nothing"
    );
    // A command that failed is what a failure rests on.
    let failed = json!({"id": "a.x", "verdict": "fail", "evidence": [{"kind": "command", "command": "cargo clippy"}]});
    assert_eq!(check(&failed, criterion("a.x"), &sources()), "Fail: ");
}

#[test]
fn evidence_in_the_wrong_form_is_sent_back() {
    for (claim, expected) in [
        (
            json!({"kind": "quote", "quote": " "}),
            "rule_results[0].evidence[1].quote: is blank",
        ),
        (
            json!({"kind": "quote", "quote": "cedar", "path": "../x"}),
            "rule_results[0].evidence[1].path: `../x` is not a plain path inside the tree",
        ),
        (
            json!({"kind": "file", "path": "/etc/passwd"}),
            "rule_results[0].evidence[1].path: `/etc/passwd` is not",
        ),
        (
            json!({"kind": "command", "command": ""}),
            "rule_results[0].evidence[1].command: is blank",
        ),
        (
            json!({"kind": "citation", "citation": "see the README"}),
            "rule_results[0].evidence[1].citation: `see the README` is none of `path:12`, `path:3-9`, `path#name`",
        ),
        (
            json!({"kind": "citation", "citation": "./a.rs:1"}),
            "rule_results[0].evidence[1].citation: `./a.rs` is not",
        ),
    ] {
        let good = json!({"kind": "file", "path": "README.md"});
        let result = json!({"id": "a.x", "verdict": "pass", "evidence": [good, claim]});
        let shown = check(&result, criterion("a.x"), &sources());
        assert!(
            shown.starts_with("the answer is refused: ") && shown.contains(expected),
            "{shown}"
        );
    }
    let many = json!({"id": "a.x", "verdict": "fail", "evidence": vec![json!({"kind": "file", "path": "a"}); 51]});
    assert!(check(&many, criterion("a.x"), &sources()).contains("evidence: has 51 pieces, at most 50 are allowed"));
    // The shape is refused where the answer is read, with the place.
    for (claim, expected) in [
        (json!({"kind": "rumour"}), "rule_results[0].evidence[0]"),
        (json!({"kind": "file"}), "missing field `path`"),
        (
            json!({"kind": "file", "path": "a", "really": true}),
            "unknown field `really`",
        ),
    ] {
        let answer = json!({"rule_results": [{"id": "a.x", "verdict": "pass", "evidence": [claim]}]}).to_string();
        let error = crate::read_json_answer::<EvaluateAnswer>(Some(answer.as_bytes()), b"").unwrap_err();
        let shown = error.to_string();
        assert!(
            shown.contains("rule_results[0].evidence[0]") && shown.contains(expected),
            "{shown}"
        );
    }
}

#[test]
fn a_rubric_decides_by_its_anchor() {
    let quote = Some("Every endpoint returns JSON.");
    let result = |verdict: &str, anchor: Option<f64>, quote: Option<&str>| json!({"id": "a.x", "verdict": verdict, "details": "so", "anchor": anchor, "quote": quote});
    for (result, expected) in [
        (result("pass", Some(0.75), quote), "Pass: so"),
        (result("pass", Some(1.0), quote), "Pass: so"),
        (
            result("pass", Some(1.0), None),
            "Unverified: passed without a quote or other evidence: so",
        ),
        (
            result("pass", Some(0.5), quote),
            "Fail: the anchor is 0.50, and it holds at 0.75: so",
        ),
        (result("fail", Some(1.0), quote), "Fail: so"),
        (
            result("warn", Some(0.25), quote),
            "Fail: the anchor is 0.25, and it holds at 0.75: so",
        ),
        (
            result("pass", None, quote),
            "the answer is refused: rule_results[0].anchor: is missing; `a.x` is judged by its rubric, so give one of \
             0.25, 0.50, 0.75, 1.00",
        ),
        (
            result("pass", Some(0.8), quote),
            "the answer is refused: rule_results[0].anchor: 0.80 is none of the anchors of `a.x`: 0.25, 0.50, 0.75, 1.00",
        ),
        (
            result("fail", None, quote),
            "the answer is refused: rule_results[0].anchor: is missing; `a.x` is judged by its rubric, so give one of \
             0.25, 0.50, 0.75, 1.00",
        ),
    ] {
        assert_eq!(check(&result, rubric("a.x"), &document()), expected);
    }
    let strict = Criterion {
        pass_at: Some(Score::ONE),
        ..rubric("a.x")
    };
    assert_eq!(
        check(&result("pass", Some(0.75), quote), strict, &document()),
        "Fail: the anchor is 0.75, and it holds at 1.00: so"
    );
    // Without a rubric an anchor means nothing.
    assert_eq!(
        check(&result("pass", Some(0.1), quote), criterion("a.x"), &document()),
        "Pass: so"
    );
}

#[test]
fn the_ids_must_be_those_that_were_asked_about() {
    let criteria = [criterion("a.x"), criterion("a.y")];
    let judged = |ids: &[&str]| {
        let results: Vec<_> = ids.iter().map(|id| json!({"id": id, "verdict": "fail"})).collect();
        ask(&json!({ "rule_results": results }), &criteria, &document())
    };
    for (ids, error) in [
        (
            &["a.x", "b.z"][..],
            "rule_results[1].id: `b.z` is not a criterion that was asked about",
        ),
        (&["a.x", "a.x"], "rule_results[1].id: `a.x` has a verdict already"),
        (&["a.y"], "rule_results: has no verdict for `a.x`"),
        (&[], "rule_results: has no verdict for `a.x`, `a.y`"),
    ] {
        assert_eq!(
            judged(ids).unwrap_err().to_string(),
            format!("the answer is refused: {error}")
        );
    }
    let words = judged(&["a.y", "a.x"]).unwrap();
    assert_eq!(
        words.iter().map(|word| word.id.as_str()).collect::<Vec<_>>(),
        ["a.x", "a.y"]
    );
}

#[test]
fn complaints_say_where() {
    let evidence = json!([
        {"kind": "quote", "quote": "and oak tables."},
        {"kind": "citation", "citation": "src/lib.rs:3"},
        {"kind": "citation", "citation": "src/lib.rs#buy"},
        {"kind": "quote", "quote": "made up by the judge"},
    ]);
    for (verdict, level) in [
        ("fail", Some(FindingLevel::Error)),
        ("warn", Some(FindingLevel::Warning)),
        ("pass", None),
    ] {
        let result = json!({"id": "a.x", "verdict": verdict, "details": "no price", "evidence": evidence});
        let judged = ask(&json!({ "rule_results": [result] }), &[criterion("a.x")], &sources()).unwrap();
        assert_eq!(judged[0].evidence.len(), 3);
        assert!(judged[0].vote.fabricated);
        let places: Vec<_> = judged[0]
            .findings
            .iter()
            .map(|f| (f.path.as_deref(), f.line, f.level))
            .collect();
        let expected = level.map_or_else(Vec::new, |level| {
            vec![
                (Some("README.md"), Some(4), level),
                (Some("src/lib.rs"), Some(3), level),
            ]
        });
        assert_eq!(places, expected, "{verdict}");
    }
}

#[test]
fn one_judge_is_enough_to_fail() {
    use VerdictKind::{Fail, Na, Pass, Unverified, Warn};
    let word = |judge: &str, verdict, anchor: Option<u16>| {
        let mut word = judged("a.x", judge, verdict);
        word.vote.anchor = anchor.map(Score::from_basis_points);
        word
    };
    for (words, verdict, anchor, details) in [
        (vec![word("a", Pass, None)], Pass, None, "so"),
        (vec![word("a", Fail, None)], Fail, None, "so"),
        (
            vec![word("a", Pass, None), word("b", Pass, None)],
            Pass,
            None,
            "2 of 2 judges pass; a: so; b: so",
        ),
        (
            vec![word("a", Pass, None), word("b", Fail, None), word("c", Pass, None)],
            Fail,
            None,
            "2 of 3 judges pass; b: so",
        ),
        (
            vec![word("a", Pass, None), word("b", Unverified, None)],
            Unverified,
            None,
            "1 of 2 judges pass; b: so",
        ),
        (
            vec![word("a", Unverified, None), word("b", Fail, None)],
            Fail,
            None,
            "0 of 2 judges pass; a: so; b: so",
        ),
        (
            vec![word("a", Pass, None), word("b", Warn, None)],
            Warn,
            None,
            "1 of 2 judges pass; b: so",
        ),
        (vec![word("a", Na, None)], Fail, None, "so"),
        (
            vec![word("a", Pass, Some(10_000)), word("b", Pass, Some(7_500))],
            Pass,
            Some(7_500),
            "2 of 2 judges pass; a: so; b: so",
        ),
        (
            vec![word("a", Pass, Some(10_000)), word("b", Fail, Some(5_000))],
            Fail,
            Some(5_000),
            "1 of 2 judges pass; b: so",
        ),
        // A verdict against the anchors gives no credit for them.
        (vec![word("a", Unverified, Some(10_000))], Unverified, None, "so"),
        (vec![word("a", Fail, Some(10_000))], Fail, None, "so"),
    ] {
        let found = combine(&rubric("a.x"), words.clone());
        assert_eq!(
            (found.verdict, found.anchor, found.details.as_str(), found.source),
            (
                verdict,
                anchor.map(Score::from_basis_points),
                details,
                VerdictSource::Evaluator
            )
        );
        assert_eq!(found.votes, words.into_iter().map(|word| word.vote).collect::<Vec<_>>());
    }
    for nobody in [Vec::new(), vec![judged("a.other", "a", Pass)]] {
        let found = combine(&criterion("a.x"), nobody);
        assert_eq!((found.verdict, found.source), (Fail, VerdictSource::Engine));
        assert_eq!(found.details, "no judge gave a verdict");
    }
}

#[test]
fn a_verdict_rests_on_those_who_gave_it() {
    let quote = |quote: &str| Evidence::Quote {
        quote: quote.to_owned(),
        path: None,
        line: 1,
    };
    let placed = |judge: &str, verdict| Judged {
        evidence: vec![quote(judge)],
        findings: complaints(verdict, "so", vec![Place { path: None, line: 1 }]),
        ..judged("a.x", judge, verdict)
    };
    let criterion = Criterion {
        severity: Severity::Fail,
        ..criterion("a.x")
    };
    let both = combine(
        &criterion,
        vec![placed("a", VerdictKind::Pass), placed("b", VerdictKind::Fail)],
    );
    assert_eq!(both.evidence, [quote("b")]);
    assert_eq!(both.findings.len(), 1);
    // A complaint without a place stays visible beside one that has a place.
    let mixed = combine(
        &criterion,
        vec![placed("a", VerdictKind::Fail), judged("a.x", "b", VerdictKind::Fail)],
    );
    assert_eq!(
        mixed.findings.iter().filter(|finding| finding.line.is_none()).count(),
        1
    );
    let alone = combine(&criterion, vec![judged("a.x", "b", VerdictKind::Fail)]);
    assert_eq!(alone.findings, []);
}

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

proptest! {
    /// Whatever a judge quotes and wherever it says that stands: a quote that counts occurs in the text.
    #[test]
    fn a_verified_quote_always_occurs_in_the_text(
        text in "[ab é\n\t]{0,60}",
        quote in "[ab é\n]{0,12}",
        cut in (0_usize..60, 0_usize..20),
        line in prop::option::of(0_u32..6),
        from_text in any::<bool>(),
    ) {
        let cut: String = text.chars().skip(cut.0).take(cut.1).collect();
        let quote = if from_text { cut } else { quote };
        let tree = Tree::new(&[("a.md", text.as_str()), ("b.md", "other")]);
        let claim = json!({"kind": "quote", "quote": quote, "line": line});
        let answer = json!({"rule_results": [{"id": "a.x", "verdict": "pass", "evidence": [claim]}]});
        if let Ok(judged) = ask(&answer, &[criterion("a.x")], &tree) {
            let passes = judged[0].vote.verdict == VerdictKind::Pass;
            prop_assert_eq!(passes, !judged[0].evidence.is_empty());
            for evidence in &judged[0].evidence {
                let Evidence::Quote { quote, path, line: at } = evidence else { panic!("{evidence:?}") };
                prop_assert!(folded(&text).contains(&folded(quote)));
                prop_assert_eq!(path.as_deref(), Some("a.md"));
                let from: Vec<&str> = text.split('\n').skip(*at as usize - 1).collect();
                prop_assert!(folded(&from.join("\n")).contains(&folded(quote)));
                prop_assert!(line.is_none_or(|line| line == *at));
            }
        }
    }
}
