//! What follows from a state: the stop rules in their order, the level switch, the next iteration.

use onus_model::{CriterionId, Event, LoopSpec, OnWorse, Scorecard, StopCondition, StopDetails, StopRequest};

use crate::Run;
use crate::run::Segment;
use crate::score::{blocking, only_the_score_is_missing};

/// A judge that takes a pass back so often without a change to the work is contradicted by itself, not by the work.
const DISPUTES_MAX: u32 = 2;

/// The event that a run at a boundary owes before its next stage may begin; `None` when the next stage may begin.
pub(crate) fn follow(run: &Run, request: Option<&StopRequest>) -> Option<Event> {
    if !run.is_running() {
        return None;
    }
    if let Some(stop) = stopping(run, request) {
        // The final artifact is never worse than an earlier one.
        let restored = if stop.passed { None } else { restoring(run) };
        return Some(restored.unwrap_or(Event::Stopped(stop)));
    }
    if let Some((step, error)) = exhausted(run) {
        return Some(restoring(run).unwrap_or_else(|| Event::Failed {
            reason: "phase_error".to_owned(),
            message: format!("{step} failed: {error}"),
        }));
    }
    if rolls_back(run)
        && let Some(event) = restoring(run)
    {
        return Some(event);
    }
    if run.stage().is_some() {
        return None;
    }
    match run.segment {
        Segment::OnFail => Some(Event::IterationAdvanced {
            iteration: run.iteration + 1,
        }),
        // A list of stages that ends with an evaluation which neither failed nor stopped the run: the level passed.
        Segment::First | Segment::Later | Segment::LevelUp | Segment::Confirm => {
            let next = run.spec.level_after(&run.level)?;
            Some(Event::PhaseSwitched {
                from: run.level.clone(),
                to: next.name.clone(),
            })
        }
    }
}

/// The next revision is to start from the best artifact, and an evaluation has just said whether this is it.
fn rolls_back(run: &Run) -> bool {
    let failed = run.freshly_evaluated && run.evaluation.as_ref().is_some_and(|e| !e.passed);
    run.spec.scoring.on_worse == OnWorse::Rollback && failed
}

/// Taking up the best artifact, if the current one is worse or was never evaluated.
fn restoring(run: &Run) -> Option<Event> {
    let replaced = run.artifact.as_ref()?.artifact_sha256;
    let best = run.better_than_current()?;
    Some(Event::ArtifactRestored {
        artifact: best.artifact.clone(),
        score: best.scorecard.score,
        replaced,
    })
}

/// A step that used up its tries.
fn exhausted(run: &Run) -> Option<(String, String)> {
    let (step, _) = run
        .failures
        .iter()
        .find(|(_, count)| **count >= run.spec.limits.step_attempts_max)?;
    let error = run.last_error.as_ref().map_or_else(String::new, |e| e.message.clone());
    Some((step.name().to_owned(), error))
}

/// The first stop rule that matches.
fn stopping(run: &Run, request: Option<&StopRequest>) -> Option<StopDetails> {
    let rule = run.spec.stop.iter().find(|rule| matches(rule.when, run, request))?;
    let budget = run.spec.limits.max_completed_step_seconds;
    let evaluation = run.evaluation.as_ref().filter(|_| run.freshly_evaluated);
    Some(StopDetails {
        reason: match (rule.when, request) {
            (StopCondition::UserStop, Some(StopRequest { reason: Some(text), .. })) => text.clone(),
            (condition, _) => condition.name().to_owned(),
        },
        rule: rule.when,
        outcome: rule.status,
        passed: rule.when == StopCondition::ThresholdReached,
        blocking: evaluation.map(|card| in_order(&run.spec, card)).unwrap_or_default(),
        completed_phase_seconds: run.completed_step_ms / 1000,
        max_completed_phase_seconds: budget,
        overshoot_seconds: budget.map(|max| (run.completed_step_ms / 1000).saturating_sub(max)),
        last_completed_step: run.last_completed_step.clone(),
        by: request
            .filter(|_| rule.when == StopCondition::UserStop)
            .map(|r| r.by.clone()),
    })
}

/// What blocks, in the contract's order.
fn in_order(spec: &LoopSpec, card: &Scorecard) -> Vec<CriterionId> {
    let blocking = blocking(spec, card);
    let active = spec.active(&card.phase).map(|criterion| &criterion.id);
    active.filter(|id| blocking.contains(id)).cloned().collect()
}

fn matches(condition: StopCondition, run: &Run, request: Option<&StopRequest>) -> bool {
    let evaluation = run.evaluation.as_ref().filter(|_| run.freshly_evaluated);
    let last_level = run.spec.level_after(&run.level).is_none();
    let not_passed = evaluation.is_some_and(|e| !e.passed);
    match condition {
        StopCondition::ThresholdReached => last_level && evaluation.is_some_and(|e| e.passed && e.is_fresh()),
        StopCondition::NoMajorIssues => last_level && evaluation.is_some_and(|e| only_the_score_is_missing(e)),
        StopCondition::UserStop => request.is_some(),
        StopCondition::Stagnation => not_passed && run.progress.stagnation_count >= run.spec.stagnation.count_max,
        StopCondition::SameFailures => {
            let limit = run.spec.stagnation.same_failures_max;
            not_passed && limit.is_some_and(|limit| run.progress.same_failures >= limit)
        }
        StopCondition::Oscillation => not_passed && run.oscillation.is_some(),
        StopCondition::Dispute => not_passed && run.disputes.values().any(|count| *count >= DISPUTES_MAX),
        StopCondition::BudgetExceeded => budget_used_up(&run.spec, run.completed_step_ms),
        StopCondition::IterationLimit => not_passed && run.iteration >= run.spec.limits.max_iterations,
    }
}

fn budget_used_up(spec: &LoopSpec, completed_ms: u64) -> bool {
    spec.limits
        .max_completed_step_seconds
        .is_some_and(|max| completed_ms >= max.saturating_mul(1000))
}
