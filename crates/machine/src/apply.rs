//! Replaying events.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use onus_model::{
    ArtifactRef, Criterion, CriterionId, Event, Gate, ProgressNote, Reason, RunStarted, Score, Scorecard, Status, Step,
    Verdict, VerdictKind,
};

use crate::oscillation::visit;
use crate::run::{Candidate, Known, Progress, Run, Segment, Visit};
use crate::score::{blocking, is_blocked, share};

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
    let known = baseline_known(start);
    // What held before the work must hold after it.
    let held = known
        .values()
        .filter(|known| known.verdict.verdict == VerdictKind::Pass);
    let passed_once = held.map(|known| known.verdict.id.clone()).collect();
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
        passed_once,
        candidates: Vec::new(),
        trail: Vec::new(),
        oscillation: None,
        disputes: BTreeMap::new(),
        edits: BTreeSet::new(),
        completed_step_ms: 0,
        last_completed_step: String::new(),
        last_error: None,
        baseline: start.baseline.iter().flat_map(|b| b.verdicts.clone()).collect(),
        known,
        restored: false,
        stop: None,
        failure: None,
    })
}

/// What was known of the tree before the work began.
fn baseline_known(start: &RunStarted) -> BTreeMap<CriterionId, Known> {
    let Some(baseline) = &start.baseline else {
        return BTreeMap::new();
    };
    let Some(base) = baseline.base_sha256 else {
        return BTreeMap::new();
    };
    let one = |verdict: &Verdict| {
        let known = Known {
            verdict: verdict.clone(),
            artifact_sha256: base,
        };
        (verdict.id.clone(), known)
    };
    let kept = baseline.verdicts.iter().filter(|v| v.reads_sha256.is_some());
    kept.map(one).collect()
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
            remember(run, scorecard);
            visit(run, scorecard);
            run.evaluation = Some(scorecard.clone());
            finish(run, Step::Evaluate, *note);
            run.freshly_evaluated = true;
            if !scorecard.passed {
                (run.segment, run.index) = (Segment::OnFail, 0);
            } else if !scorecard.is_fresh() && run.spec.level_after(&run.level).is_none() {
                (run.segment, run.index) = (Segment::Confirm, 0);
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
        Event::ArtifactRestored { artifact, .. } => restore(run, artifact),
        Event::PhaseSwitched { to, .. } => {
            run.level = to.clone();
            (run.segment, run.index) = (Segment::LevelUp, 0);
            run.freshly_evaluated = false;
            run.trail.clear();
            run.oscillation = None;
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
        Event::EditRefused(edit) => {
            run.edits.insert(edit.clone());
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
    } else if !is_blocked(&run.spec, card) {
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

/// Keeps what an evaluation says beyond its score.
fn remember(run: &mut Run, card: &Scorecard) {
    run.restored = false;
    for verdict in &card.rule_results {
        // A criterion that was left out keeps what was known of it.
        if verdict.reads_sha256.is_some() {
            let known = Known {
                verdict: Verdict {
                    kept: false,
                    ..verdict.clone()
                },
                artifact_sha256: card.artifact_sha256,
            };
            run.known.insert(verdict.id.clone(), known);
        }
        if verdict.verdict == VerdictKind::Pass {
            run.passed_once.insert(verdict.id.clone());
        }
        if verdict.advisory {
            *run.disputes.entry(verdict.id.clone()).or_default() += 1;
        }
    }
    let Some(artifact) = run.artifact.clone() else { return };
    let level = run.spec.levels.iter().position(|l| l.name == card.phase).unwrap_or(0);
    // A gate that is shut only by what was left out is not known to be.
    let doubtful = |criterion: &Criterion| {
        let mut decided = card.rule_results.iter().filter(|v| v.id == criterion.id && !v.left_out);
        criterion.gate == Some(Gate::Trust) && decided.any(|verdict| share(criterion, verdict) < Score::ONE)
    };
    let untrusted = card.reasons.iter().any(|reason| matches!(reason, Reason::Trust { .. }))
        && run.spec.active(&card.phase).any(doubtful);
    let left_out: BTreeSet<&CriterionId> = card
        .rule_results
        .iter()
        .filter(|verdict| verdict.left_out)
        .map(|verdict| &verdict.id)
        .collect();
    let known = blocking(&run.spec, card);
    let candidate = Candidate {
        level,
        blocking: known.iter().filter(|id| !left_out.contains(id)).count() + usize::from(untrusted),
        left_out: left_out.len(),
        scorecard: Arc::new(card.clone()),
        artifact,
    };
    // Whatever was found at a lower level led here, so it cannot be better.
    run.candidates.retain(|earlier| earlier.level >= level);
    let sha256 = candidate.artifact.artifact_sha256;
    let known = |earlier: &&mut Candidate| earlier.artifact.artifact_sha256 == sha256;
    match run.candidates.iter_mut().find(known) {
        Some(earlier) => *earlier = candidate,
        None => run.candidates.push(candidate),
    }
}

/// Takes up an earlier artifact with what was found about it.
fn restore(run: &mut Run, artifact: &ArtifactRef) {
    run.artifact = Some(artifact.clone());
    run.restored = true;
    run.stage_base.clone_from(&run.artifact);
    let Some(candidate) = run.candidate(artifact.artifact_sha256).cloned() else {
        return;
    };
    let failing: BTreeSet<CriterionId> = candidate.scorecard.failing_ids().cloned().collect();
    run.trail.push(Visit {
        iteration: run.iteration,
        artifact: artifact.artifact_sha256,
        failing,
        restored: true,
    });
    run.progress.last_score = candidate.scorecard.score;
    run.evaluation = Some(Box::new((*candidate.scorecard).clone()));
}
