//! Judge calls of a loop that stops early and keeps verdicts, against one that asks everything every time.

use std::fs;
use std::io;
use std::time::Duration;

use onus_testkit::handbook::{Handbook, NAIVE, Reads, SAVING, STANDARD, Thrift};
use serde_json::Value;

use crate::Args;
use crate::measure::timed;
use crate::project::Tools;
use crate::table::Row;

/// The promise: at most so many calls of the naive loop's, on the standard scenario.
const SHARE_MAX: f64 = 0.5;

/// How a run ended, and what it took.
struct Told {
    passed: bool,
    artifact: String,
    iterations: u64,
    calls: usize,
    took: Duration,
}

pub(crate) fn judge_calls(tools: &Tools, _: &Args) -> io::Result<Vec<Row>> {
    let only_early = Thrift {
        keep_verdicts: false,
        ..SAVING
    };
    let only_kept = Thrift {
        stop_early: false,
        ..SAVING
    };
    let whole = Handbook {
        reads: Reads::Handbook,
        ..STANDARD
    };
    let judge_only = Handbook {
        faults_for_checks: 0,
        ..STANDARD
    };
    let short = Handbook {
        faults_for_judge: 1,
        ..judge_only
    };
    let cases = [
        ("the standard scenario", STANDARD, SAVING),
        ("the same, stopping early only", STANDARD, only_early),
        ("the same, keeping verdicts only", STANDARD, only_kept),
        ("every criterion reads everything", whole, SAVING),
        ("checks find nothing", judge_only, SAVING),
        (
            "checks find nothing, everything is read",
            Handbook {
                reads: Reads::Handbook,
                ..judge_only
            },
            SAVING,
        ),
        ("done in two iterations", short, SAVING),
    ];
    let mut rows = Vec::new();
    for (name, handbook, thrift) in cases {
        let (naive, saving) = (run(tools, handbook, NAIVE)?, run(tools, handbook, thrift)?);
        same_outcome(name, &naive, &saving)?;
        let note = format!(
            "{} of {} calls in {} iterations; {:.0} of {:.0} ms with a judge that answers at once",
            saving.calls,
            naive.calls,
            saving.iterations,
            saving.took.as_secs_f64() * 1e3,
            naive.took.as_secs_f64() * 1e3,
        );
        let share = saving.calls as f64 / naive.calls as f64;
        let row = Row::ratio(format!("judge calls, {name}"), share, note);
        rows.push(if rows.is_empty() { row.must(SHARE_MAX) } else { row });
    }
    Ok(rows)
}

fn same_outcome(name: &str, naive: &Told, saving: &Told) -> io::Result<()> {
    let same = naive.artifact == saving.artifact && naive.iterations == saving.iterations;
    if naive.passed && saving.passed && same {
        Ok(())
    } else {
        Err(io::Error::other(format!("{name}: saving calls changed the outcome")))
    }
}

/// Runs the handbook to its end. Calls are counted by the judge itself, and must be those of the history.
fn run(tools: &Tools, handbook: Handbook, thrift: Thrift) -> io::Result<Told> {
    let project = tools.project()?;
    let calls = project.floor().join("calls");
    for (path, text) in handbook.files(thrift, &calls) {
        let path = project.path().join(path);
        fs::create_dir_all(path.parent().unwrap_or(&path))?;
        fs::write(path, text)?;
    }
    let iterations = handbook.iterations().to_string();
    let mut command = project.onus(&crate::project::Project::drive(&iterations, "handbook"));
    let (took, status) = timed(|| command.status());
    let history = fs::read_to_string(project.path().join(".onus/runs/handbook/history.jsonl"))?;
    let records = history
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<Vec<Value>, _>>()?;
    let cards: Vec<&Value> = records.iter().filter(|r| r["event"] == "evaluation_done").collect();
    let asked = cards
        .iter()
        .filter_map(|card| card["payload"]["effort"]["asked"].as_u64());
    let (asked, calls) = (asked.sum::<u64>(), fs::read_to_string(&calls)?.lines().count());
    if asked != calls as u64 {
        return Err(io::Error::other(format!(
            "the history has {asked} judge calls, the judge {calls}"
        )));
    }
    let last = cards.last().map_or(&Value::Null, |card| &card["payload"]);
    Ok(Told {
        passed: status?.success(),
        artifact: last["artifact_sha256"].to_string(),
        iterations: records.last().and_then(|r| r["iteration"].as_u64()).unwrap_or(0),
        calls,
        took,
    })
}
