//! Every (state, input) pair of the loop, walked from the start and printed as one table: the snapshot is the
//! documentation, and `docs/reference/state-machine.md` is made from it.
//! `ONUS_UPDATE=1 cargo test -p onus-machine --test table` rewrites that page.

#![allow(clippy::unwrap_used, clippy::wildcard_enum_match_arm, reason = "tests")]

mod support;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write as _;

use onus_machine::Run;
use onus_model::*;
use support::*;

/// One row: where the run is, what comes in, what is recorded, where it goes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    state: String,
    input: &'static str,
    events: String,
    next: String,
    from_node: String,
    to_node: String,
}

fn node(run: &Run) -> String {
    if run.is_running() {
        run.current_step()
    } else {
        run.status.name().to_uppercase()
    }
}

fn state_name(run: &Run) -> String {
    if !run.is_running() {
        return run.status.name().to_owned();
    }
    let mut name = format!("{} {}", run.level, run.current_step());
    if run.confirming() {
        name.push_str(" to confirm");
    }
    for step in &run.done {
        write!(name, ", {step} done").unwrap();
    }
    for (step, count) in &run.failures {
        write!(name, ", {step} failed {count}").unwrap();
    }
    name
}

/// The news that can arrive in a state, by name.
fn inputs(run: &Run) -> Vec<(&'static str, Input)> {
    let boundary = Boundary {
        stage_ms: 1000,
        stop_requested: None,
        ..Boundary::default()
    };
    let stop = StopRequest {
        reason: None,
        by: "me".into(),
    };
    let mut list = Vec::new();
    for task in run.open_tasks() {
        let step = task.step;
        let done = |failing: &[&str], boundary: &Boundary| Input::Finished {
            task: task.clone(),
            output: output(run, step, failing),
            transcript: None,
            boundary: boundary.clone(),
        };
        let asked = Boundary {
            stop_requested: Some(stop.clone()),
            ..boundary.clone()
        };
        match step {
            Step::Evaluate => {
                list.push(("evaluate: all hold", done(&[], &boundary)));
                let mut kept = done(&[], &boundary);
                if let Input::Finished {
                    output: StepOutput::Verdicts { verdicts, .. },
                    ..
                } = &mut kept
                {
                    verdicts.iter_mut().for_each(|verdict| verdict.kept = true);
                }
                list.push(("evaluate: all hold, verdicts were kept", kept));
                let soft = if run.level.as_str() == "A" {
                    "a.should"
                } else {
                    "b.should"
                };
                let name = if run.passed_once.iter().any(|id| id.as_str() == soft) {
                    "evaluate: a soft one fails that had passed"
                } else {
                    "evaluate: a soft one fails"
                };
                list.push((name, done(&[soft], &boundary)));
                list.push(("evaluate: a blocking one fails", done(&["a.must"], &boundary)));
                list.push(("evaluate: a blocking one fails, stop asked", done(&["a.must"], &asked)));
            }
            Step::Plan => list.push(("plan", done(&[], &boundary))),
            Step::Produce => list.push(("produce", done(&[], &boundary))),
            Step::Prepare => list.push(("prepare", done(&[], &boundary))),
            Step::Critique => list.push(("critique", done(&[], &boundary))),
            Step::Refine => list.push(("refine", done(&[], &boundary))),
        }
        if step != Step::Evaluate {
            list.push(("result, stop asked", done(&[], &asked)));
        }
        list.push((
            "error",
            Input::Failed {
                task: task.clone(),
                error: error(step),
                boundary: boundary.clone(),
            },
        ));
    }
    list.push((
        "stop",
        Input::Stop {
            reason: None,
            by: "me".into(),
        },
    ));
    list.push(("resume", resume()));
    list
}

/// What the best artifact so far came to, and whether the run is at it.
fn best(run: &Run) -> String {
    let Some(best) = run.best() else {
        return String::new();
    };
    let here = run.artifact.as_ref() == Some(&best.artifact);
    format!("{} {} {} {here}", best.level, best.blocking, best.scorecard.score)
}

fn walk(spec: LoopSpec) -> BTreeSet<Row> {
    let mut rows = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut queue = VecDeque::from([Bench::started(spec)]);
    while let Some(bench) = queue.pop_front() {
        let run = bench.run();
        let key = format!(
            "{} {} {:?} {} {} {:?} {}",
            state_name(run),
            run.iteration,
            run.segment,
            run.progress.stagnation_count,
            run.progress.base,
            run.passed_once,
            best(run)
        );
        if !seen.insert(key) {
            continue;
        }
        for (name, input) in inputs(run) {
            let mut after = bench.clone();
            let (events, next, to_node) = match after.feed(input) {
                Ok(decision) => {
                    let events: Vec<String> = decision.events.iter().map(event_name).collect();
                    (events.join(", "), state_name(after.run()), node(after.run()))
                }
                Err(rejected) => (format!("rejected: {rejected}"), state_name(run), node(run)),
            };
            let (state, from_node) = (state_name(run), node(run));
            rows.insert(Row {
                state,
                input: name,
                events,
                next,
                from_node,
                to_node,
            });
            // A resume only repeats; following it would never end.
            if name != "resume" {
                queue.push_back(after);
            }
        }
    }
    rows
}

fn event_name(stamped: &Stamped) -> String {
    match &stamped.event {
        Event::Stopped(details) => format!("stopped({})", details.rule.name()),
        event => event.name().to_owned(),
    }
}

fn rows() -> BTreeSet<Row> {
    let mut budget = spec(2);
    budget.limits.max_completed_step_seconds = Some(5);
    walk(spec(4)).into_iter().chain(walk(budget)).collect()
}

fn table(rows: &BTreeSet<Row>) -> String {
    let mut text = String::from("| state | input | recorded | next state |\n|---|---|---|---|\n");
    let lines: BTreeSet<String> = rows
        .iter()
        .map(|r| format!("| {} | {} | {} | {} |", r.state, r.input, r.events, r.next))
        .collect();
    for line in lines {
        writeln!(text, "{line}").unwrap();
    }
    text
}

/// The diagram: stages and ends as nodes, what is recorded as labels.
fn diagram(rows: &BTreeSet<Row>) -> String {
    let mut edges: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for row in rows
        .iter()
        .filter(|r| r.from_node != r.to_node && !r.events.starts_with("rejected"))
    {
        let last = row.events.rsplit(", ").next().unwrap_or_default().to_owned();
        edges
            .entry((row.from_node.clone(), row.to_node.clone()))
            .or_default()
            .insert(last);
    }
    let mut text = String::from("stateDiagram-v2\n    [*] --> PLAN : run_started\n");
    for ((from, to), labels) in &edges {
        let labels: Vec<_> = labels.iter().map(String::as_str).collect();
        writeln!(text, "    {from} --> {to} : {}", labels.join(" / ")).unwrap();
    }
    for end in ["COMPLETED", "STOPPED", "FAILED"] {
        writeln!(text, "    {end} --> [*]").unwrap();
    }
    text
}

#[test]
fn every_state_and_input_is_in_the_table() {
    insta::assert_snapshot!("transitions", table(&rows()));
}

#[test]
fn the_reference_page_is_made_from_the_table() {
    let rows = rows();
    let page = format!(
        "# The state machine of the `reflex` loop\n\n\
         Generated from the machine by `ONUS_UPDATE=1 cargo test -p onus-machine --test table`; do not edit.\n\n\
         ```mermaid\n{}```\n\n\
         A row for every state that can be reached and every input that can arrive in it. `A` and `B` are levels; \
         a state names its stage, the steps of the stage that are done, and failed tries. Where one state and input \
         have several rows, the iteration, the budget, the stagnation count, what had passed before or the best artifact so far decides.\n\n{}",
        diagram(&rows),
        table(&rows)
    );
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/state-machine.md");
    #[allow(clippy::disallowed_methods, reason = "a test that keeps a generated page up to date")]
    if std::env::var_os("ONUS_UPDATE").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    let on_disk = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        on_disk == page,
        "docs/reference/state-machine.md is out of date: run with ONUS_UPDATE=1"
    );
}
