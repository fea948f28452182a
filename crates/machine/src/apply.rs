//! Replaying events.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use onus_model::{Event, ProgressNote, RunStarted, Scorecard, Status, Step};

use crate::run::{Progress, Run, Segment};

/// The state after one more event. Total: a recorded event always applies, and one that makes no sense where it stands
/// (anything before `run_started`, anything after the end) changes nothing.
pub fn apply(run: Option<Run>, event: &Event) -> Option<Run> {
    let Some(mut run) = run else {
        let Event::RunStarted(start) = event else { return None };
        return begin(start);
    };
    if run.is_running() {
        advance(&mut run, event);
    }
    Some(run)
}

fn begin(start: &RunStarted) -> Option<Run> {
    let first_level = start.spec.levels.first()?;
    Some(Run {
        spec: Arc::clone(&start.spec),
        contract_sha256: start.contract_sha256,
        status: Status::Running,
        iteration: 1,
        level: first_level.name.clone(),
        segment: Segment::First,
        index: 0,
        stages_done: 0,
        done: BTreeSet::new(),
        failures: BTreeMap::new(),
        plan: Vec::new(),
        prepared_checks: None,
        artifact: None,
        stage_base: None,
        evaluation: None,
        critique: None,
        freshly_evaluated: false,
        progress: Progress::default(),
        completed_step_ms: 0,
        last_completed_step: String::new(),
        last_error: None,
        stop: None,
        failure: None,
    })
}

fn advance(run: &mut Run, event: &Event) {
    match event {
        Event::PlanCreated { plan, note } => {
            run.plan.clone_from(plan);
            finish(run, Step::Plan, *note);
        }
        Event::ArtifactCreated { artifact, note } => {
            run.artifact = Some(artifact.clone());
            finish(run, Step::Produce, *note);
        }
        Event::ChecksPrepared { checks, note } => {
            run.prepared_checks = Some(checks.clone());
            finish(run, Step::Prepare, *note);
        }
        Event::EvaluationDone { scorecard, note } => {
            measure(run, scorecard);
            run.evaluation = Some(scorecard.clone());
            finish(run, Step::Evaluate, *note);
            run.freshly_evaluated = true;
            if !scorecard.passed {
                (run.segment, run.index) = (Segment::OnFail, 0);
            }
        }
        Event::CritiqueDone { issues, note } => {
            run.critique = Some(issues.clone());
            finish(run, Step::Critique, *note);
        }
        Event::RefinementDone { artifact, note, .. } => {
            run.artifact = Some(artifact.clone());
            finish(run, Step::Refine, *note);
        }
        Event::PhaseSwitched { to, .. } => {
            run.level = to.clone();
            (run.segment, run.index) = (Segment::LevelUp, 0);
            run.freshly_evaluated = false;
            run.progress = Progress {
                last_score: run.progress.last_score,
                ..Progress::default()
            };
        }
        Event::IterationAdvanced { iteration } => {
            run.iteration = *iteration;
            (run.segment, run.index) = (Segment::Later, 0);
            run.freshly_evaluated = false;
        }
        Event::PhaseError { error, .. } => {
            *run.failures.entry(error.failed_step).or_default() += 1;
            run.last_error = Some(error.clone());
        }
        Event::Stopped(details) => {
            run.status = details.outcome;
            run.stop = Some(details.clone());
        }
        Event::Failed { message, .. } => {
            run.status = Status::Failed;
            run.failure = Some(message.clone());
        }
        // Whatever was half done in this stage is done again, together.
        Event::Resumed { .. } => {
            if !run.done.is_empty() {
                run.done.clear();
                run.artifact.clone_from(&run.stage_base);
            }
        }
        Event::RunStarted(_) | Event::TailRepaired { .. } | Event::Adopted { .. } | Event::Repaired { .. } => {}
    }
}

/// Marks a step as done and, with the last one of its stage, goes on to the next stage.
fn finish(run: &mut Run, step: Step, note: ProgressNote) {
    run.done.insert(step);
    let Some(stage) = run.stage() else { return };
    if !stage.0.iter().all(|s| run.done.contains(s)) {
        return;
    }
    run.last_completed_step = stage.label();
    run.completed_step_ms = run.completed_step_ms.saturating_add(note.stage_ms.unwrap_or(0));
    run.stage_base.clone_from(&run.artifact);
    run.stages_done += 1;
    run.index += 1;
    run.done.clear();
    run.failures.clear();
    run.freshly_evaluated = false;
}

/// Moves the counters that stagnation is measured by.
fn measure(run: &mut Run, card: &Scorecard) {
    let progress = &mut run.progress;
    let gain = card.score.delta(progress.base);
    if gain >= i32::from(run.spec.stagnation.delta_min.basis_points()) {
        progress.stagnation_count = 0;
    } else if card.failed.is_empty() {
        progress.stagnation_count += 1;
    }
    let failing: BTreeSet<_> = card.failing_ids().cloned().collect();
    progress.same_failures = if failing == progress.failing {
        progress.same_failures + 1
    } else {
        1
    };
    progress.failing = failing;
    progress.base = card.score;
    progress.last_score = card.score;
}
