//! Stopping early and keeping verdicts spare judge calls and change nothing about the result.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

use onus_testkit::Sandbox;
use onus_testkit::handbook::{Handbook, NAIVE, PAGES, Reads, SAVING, STANDARD, Thrift};
use serde_json::{Value, json};

/// How a run of the handbook went.
#[derive(Debug)]
struct Told {
    /// Judge calls of each evaluation, as the history has them.
    asked: Vec<u64>,
    iterations: Value,
    artifact: Value,
    failed: Value,
}

/// Runs the handbook to its pass. The judge's own tally must be the history's.
fn run(handbook: Handbook, thrift: Thrift) -> Told {
    let sandbox = Sandbox::in_memory();
    let calls = sandbox.state().join("calls");
    for (path, text) in handbook.files(thrift, &calls) {
        sandbox.write(&path, text);
    }
    let iterations = handbook.iterations().to_string();
    let told = sandbox.onus([
        "run",
        "--accept-criteria",
        "--max-iterations",
        &iterations,
        "--alias",
        "handbook",
    ]);
    told.expect(0);
    sandbox.onus(["verify", "handbook"]).expect(0);
    let history = sandbox.onus(["history", "handbook", "--json"]).expect(0);
    let records: Vec<Value> = history
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let cards: Vec<&Value> = records
        .iter()
        .filter(|record| record["event"] == "evaluation_done")
        .map(|record| &record["payload"])
        .collect();
    let asked: Vec<u64> = cards
        .iter()
        .map(|card| card["effort"]["asked"].as_u64().unwrap())
        .collect();
    let counted = std::fs::read_to_string(&calls).unwrap().lines().count();
    assert_eq!(asked.iter().sum::<u64>(), counted as u64, "{asked:?}");
    let last = cards.last().unwrap();
    Told {
        asked,
        iterations: records.last().unwrap()["iteration"].clone(),
        artifact: last["artifact_sha256"].clone(),
        failed: last["failed"].clone(),
    }
}

#[track_caller]
fn same_outcome(naive: &Told, saving: &Told) {
    assert_eq!(saving.artifact, naive.artifact);
    assert_eq!(saving.iterations, naive.iterations);
    assert_eq!((&saving.failed, &naive.failed), (&json!([]), &json!([])));
}

#[test]
fn the_standard_scenario_needs_at_most_half_the_judge_calls() {
    let (naive, saving) = (run(STANDARD, NAIVE), run(STANDARD, SAVING));
    same_outcome(&naive, &saving);
    assert_eq!(naive.asked, [6, 6, 6, 6, 6, 6]);
    // Two drafts that checks refuse, all pages once, three mended pages, and all once more with nothing kept.
    let sum = |told: &Told| told.asked.iter().sum::<u64>();
    assert_eq!((&saving.asked[..3], saving.asked.last()), (&[0, 0, 6][..], Some(&6)));
    assert_eq!(sum(&saving), 15, "{:?}", saving.asked);
    assert!(2 * sum(&saving) <= sum(&naive), "{} of {}", sum(&saving), sum(&naive));
}

#[test]
fn each_saving_alone_has_the_same_outcome() {
    let naive = run(STANDARD, NAIVE);
    let early = Thrift {
        keep_verdicts: false,
        ..SAVING
    };
    let kept = Thrift {
        stop_early: false,
        ..SAVING
    };
    for (thrift, asked) in [(early, vec![0, 0, 6, 6, 6, 6]), (kept, vec![6, 1, 1, 1, 1, 1, 6])] {
        let told = run(STANDARD, thrift);
        same_outcome(&naive, &told);
        assert_eq!(told.asked, asked, "{thrift:?}");
    }
}

#[test]
fn criteria_that_read_everything_are_asked_again_after_every_change() {
    let handbook = Handbook {
        reads: Reads::Handbook,
        ..STANDARD
    };
    let (naive, saving) = (run(handbook, NAIVE), run(handbook, SAVING));
    same_outcome(&naive, &saving);
    // Nothing was kept, so nothing is left to confirm.
    assert_eq!(saving.asked, [0, 0, 6, 6, 6, 6]);
}

#[test]
fn a_run_that_is_soon_done_pays_for_its_confirmation() {
    let handbook = Handbook {
        faults_for_checks: 0,
        faults_for_judge: 1,
        ..STANDARD
    };
    let (naive, saving) = (run(handbook, NAIVE), run(handbook, SAVING));
    same_outcome(&naive, &saving);
    assert_eq!(naive.asked, [6, 6]);
    assert_eq!(saving.asked, [6, 1, PAGES.len() as u64]);
}

/// Four faults that only the judge finds, mended one an iteration.
#[test]
fn a_kept_failure_does_not_hide_that_the_work_moves() {
    let handbook = Handbook {
        faults_for_checks: 0,
        faults_for_judge: 4,
        ..STANDARD
    };
    let (naive, saving) = (run(handbook, NAIVE), run(handbook, SAVING));
    same_outcome(&naive, &saving);
}
