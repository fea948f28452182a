//! What follows from a state: the stop rules in their order, the level switch, the next iteration.

use onus_model::{Event, LoopSpec, StopCondition, StopDetails, StopRequest};

use crate::Run;
use crate::run::Segment;

/// The event that a run at a boundary owes before its next stage may begin; `None` when the next stage may begin.
pub(crate) fn follow(run: &Run, request: Option<&StopRequest>) -> Option<Event> {
    if !run.is_running() {
        return None;
    }
    if let Some(stop) = stopping(run, request) {
        return Some(Event::Stopped(stop));
    }
    if let Some((step, error)) = exhausted(run) {
        return Some(Event::Failed {
            reason: "phase_error".to_owned(),
            message: format!("{step} failed: {error}"),
        });
    }
    if run.stage().is_some() {
        return None;
    }
    match run.segment {
        Segment::OnFail => Some(Event::IterationAdvanced {
            iteration: run.iteration + 1,
        }),
        // A list of stages that ends with an evaluation which neither failed nor stopped the run: the level passed.
        Segment::First | Segment::Later | Segment::LevelUp => {
            let next = run.spec.level_after(&run.level)?;
            Some(Event::PhaseSwitched {
                from: run.level.clone(),
                to: next.name.clone(),
            })
        }
    }
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
        blocking: evaluation
            .map(|e| e.failed.iter().map(|f| f.id.clone()).collect())
            .unwrap_or_default(),
        completed_phase_seconds: run.completed_step_ms / 1000,
        max_completed_phase_seconds: budget,
        overshoot_seconds: budget.map(|max| (run.completed_step_ms / 1000).saturating_sub(max)),
        last_completed_step: run.last_completed_step.clone(),
        by: request
            .filter(|_| rule.when == StopCondition::UserStop)
            .map(|r| r.by.clone()),
    })
}

fn matches(condition: StopCondition, run: &Run, request: Option<&StopRequest>) -> bool {
    let evaluation = run.evaluation.as_ref().filter(|_| run.freshly_evaluated);
    let last_level = run.spec.level_after(&run.level).is_none();
    let not_passed = evaluation.is_some_and(|e| !e.passed);
    match condition {
        StopCondition::ThresholdReached => last_level && evaluation.is_some_and(|e| e.passed),
        StopCondition::NoMajorIssues => last_level && evaluation.is_some_and(|e| !e.passed && e.failed.is_empty()),
        StopCondition::UserStop => request.is_some(),
        StopCondition::Stagnation => not_passed && run.progress.stagnation_count >= run.spec.stagnation.count_max,
        StopCondition::SameFailures => {
            let limit = run.spec.stagnation.same_failures_max;
            not_passed && limit.is_some_and(|limit| run.progress.same_failures >= limit)
        }
        StopCondition::BudgetExceeded => budget_used_up(&run.spec, run.completed_step_ms),
        StopCondition::IterationLimit => not_passed && run.iteration >= run.spec.limits.max_iterations,
    }
}

fn budget_used_up(spec: &LoopSpec, completed_ms: u64) -> bool {
    spec.limits
        .max_completed_step_seconds
        .is_some_and(|max| completed_ms >= max.saturating_mul(1000))
}
