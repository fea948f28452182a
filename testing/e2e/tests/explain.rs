//! `onus explain`: the numbers behind an evaluation, in words and as JSON.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests touch the world and fail loudly"
)]

mod stage;

use serde_json::json;
use stage::{DONE, Loop, Sandbox, run, run_args};

/// One criterion blocks until the refiner adds the last line, and one of severity `warn` never holds.
fn two_criteria() -> Sandbox {
    let criteria = format!(
        r#"{DONE}
weight = 2

[[criteria]]
id = "a.latin"
description = "The note has the Latin name."
severity = "warn"
weight = 1
verify = {{ type = "content", search = "Cedrus" }}
"#
    );
    Loop {
        criteria: &criteria,
        ..Loop::default()
    }
    .sandbox()
}

#[test]
fn an_evaluation_is_explained_with_its_numbers() {
    let sandbox = two_criteria();
    sandbox.onus(run_args("1", &[])).expect(1);
    let told = sandbox.onus(["explain", "note"]).expect(0).stdout;
    for words in [
        "note, iteration 1 | Phase A | Score: 0.00 of ",
        "score = weight × share / weight = 0 / 3 = 0.00",
        "why not:  failing: a.done",
        "needed:   a.done, a.latin; the score would be 1.00",
    ] {
        assert!(told.contains(words), "{words}:\n{told}");
    }
    let row = |id: &str| {
        let line = told.lines().find(|line| line.contains(id) && line.starts_with("FAIL"));
        line.unwrap().split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(row("a.done"), ["FAIL", "a.done", "2", "0.00", "0.6666", "failing"]);
    assert_eq!(row("a.latin"), ["FAIL", "a.latin", "1", "0.00", "0.3333"]);
    assert!(told.lines().all(|line| line.chars().count() < 100), "{told}");

    let explained = sandbox.onus(["explain", "note", "--json"]).expect(0).json();
    assert_eq!(explained["passed"], json!(false));
    assert_eq!(explained["reasons"][0], json!({"why": "failing", "ids": ["a.done"]}));
    assert_eq!(explained["criteria"][0]["cost"], json!(0.6666));
    assert_eq!(explained["needed"], json!({"ids": ["a.done", "a.latin"], "score": 1.0}));
}

#[test]
fn the_last_evaluation_is_meant_unless_an_iteration_is_named() {
    let sandbox = Loop::default().sandbox();
    run(&sandbox).expect(0);
    let last = sandbox.onus(["explain", "note"]).expect(0).stdout;
    assert!(
        last.contains("note, iteration 2 | ") && last.contains("needed:   nothing: the gate passed"),
        "{last}"
    );
    let first = sandbox.onus(["explain", "note", "--iteration", "1"]).expect(0).stdout;
    assert!(
        first.contains("note, iteration 1 | ") && first.contains("needed:   a.done; the score would be 1.00"),
        "{first}"
    );
    let refused = sandbox.onus(["explain", "note", "--iteration", "3"]).expect(2);
    assert!(
        refused.stderr.contains("has no evaluation in iteration 3") && refused.stderr.contains("`onus history note`"),
        "{}",
        refused.stderr
    );
    sandbox.onus(["explain", "none-such"]).expect(2);
}
