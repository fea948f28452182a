//! Deciding a recorded run once more.
//!
//! The ledger holds every result that influenced a decision, so the same decisions can be made again from it, and the same
//! results can be put before another contract to see where it would have gone a different way.

use std::collections::VecDeque;

use onus_model::{
    Boundary, Digest, Event, FileEdit, Input, LoopSpec, ProgressNote, Rejected, Stamped, Step, StepOutput,
    StopCondition, StopRequest, canonical_sha256,
};

use crate::{Run, apply, decide};

/// Where a second decision went another way than the record.
#[derive(Debug, Clone, PartialEq)]
pub struct Divergence {
    /// Index of the recorded event.
    pub at: usize,
    /// `None`: the record ends here.
    pub recorded: Option<Stamped>,
    /// `None`: nothing would have been recorded here.
    pub decided: Option<Stamped>,
}

/// What deciding again gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Replayed {
    /// The state after the last event on which record and decision agree (with the decision's own word at a divergence).
    pub run: Option<Run>,
    pub divergence: Option<Divergence>,
}

impl Replayed {
    /// Canonical SHA-256 of the state.
    pub fn state_sha256(&self) -> Option<Digest> {
        self.run.as_ref().and_then(|run| canonical_sha256(run).ok())
    }
}

/// The state that a record adds up to, without deciding anything again.
pub fn fold<'a>(events: impl IntoIterator<Item = &'a Event>) -> Option<Run> {
    events.into_iter().fold(None, apply)
}

/// Decides a record again; with `what_if`, under another contract for the same task.
pub fn replay(record: &[Stamped], what_if: Option<&dyn Fn(&mut LoopSpec)>) -> Result<Replayed, Rejected> {
    let mut run: Option<Run> = None;
    let mut owed: VecDeque<Stamped> = VecDeque::new();
    for (at, recorded) in record.iter().enumerate() {
        if housekeeping(&recorded.event) {
            // A tear or a repair lost whatever the last decision still owed.
            owed.clear();
            run = apply(run, &recorded.event);
            continue;
        }
        if matches!(recorded.event, Event::Resumed { .. }) {
            owed.clear();
        }
        if owed.is_empty() {
            let Some(input) = input_of(run.as_ref(), recorded, &record[at + 1..], what_if)? else {
                return Ok(diverged(run, at, Some(recorded), None));
            };
            match decide(run.as_ref(), input) {
                Ok(decision) => owed.extend(decision.events),
                Err(_) => return Ok(diverged(run, at, Some(recorded), None)),
            }
        }
        let Some(decided) = owed.pop_front() else {
            return Ok(diverged(run, at, Some(recorded), None));
        };
        let same = match what_if {
            None => decided == *recorded,
            // Under another contract payloads differ (thresholds, gaps); the kind of event is what tells paths apart.
            Some(_) => same_way(&decided.event, &recorded.event),
        };
        run = apply(run, &decided.event);
        if !same {
            return Ok(diverged(run, at, Some(recorded), Some(decided)));
        }
    }
    // A decision may owe more than was recorded: a torn batch, or a contract that would have stopped here.
    if let Some(decided) = owed.pop_front() {
        run = apply(run, &decided.event);
        return Ok(diverged(run, record.len(), None, Some(decided)));
    }
    Ok(Replayed { run, divergence: None })
}

fn diverged(run: Option<Run>, at: usize, recorded: Option<&Stamped>, decided: Option<Stamped>) -> Replayed {
    Replayed {
        run,
        divergence: Some(Divergence {
            at,
            recorded: recorded.cloned(),
            decided,
        }),
    }
}

fn housekeeping(event: &Event) -> bool {
    matches!(
        event,
        Event::TailRepaired { .. } | Event::Adopted { .. } | Event::Repaired { .. }
    )
}

/// The news that a recorded event came from; `None` if the event cannot be a decision's first.
fn input_of(
    run: Option<&Run>,
    recorded: &Stamped,
    rest: &[Stamped],
    what_if: Option<&dyn Fn(&mut LoopSpec)>,
) -> Result<Option<Input>, Rejected> {
    let edits = refused_edits(rest);
    let stop_requested = stop_after(&rest[edits.len()..]);
    let finished = |step: Step, output: StepOutput, note: &ProgressNote| {
        let boundary = Boundary {
            stage_ms: note.stage_ms.unwrap_or(0),
            stop_requested: stop_requested.clone(),
            edits: edits.clone(),
        };
        run.map(|run| Input::Finished {
            task: run.task(step),
            output,
            transcript: note.transcript,
            boundary,
        })
    };
    Ok(match &recorded.event {
        Event::RunStarted(start) => {
            let mut start = start.clone();
            if let Some(change) = what_if {
                let mut spec = (*start.spec).clone();
                change(&mut spec);
                start.contract_sha256 = canonical_sha256(&spec).map_err(|e| Rejected::BadSpec(e.to_string()))?;
                start.spec = spec.into();
            }
            Some(Input::Start(start))
        }
        Event::PlanCreated { plan, note } => finished(Step::Plan, StepOutput::Plan(plan.clone()), note),
        Event::ArtifactCreated { artifact, note } => {
            finished(Step::Produce, StepOutput::Artifact(artifact.clone()), note)
        }
        Event::ChecksPrepared { checks, note } => finished(Step::Prepare, StepOutput::Checks(checks.clone()), note),
        Event::EvaluationDone { scorecard, note } => {
            let output = StepOutput::Verdicts {
                artifact: scorecard.artifact_sha256,
                verdicts: scorecard.rule_results.clone(),
                effort: scorecard.effort,
                degraded: scorecard.degraded.clone(),
            };
            finished(Step::Evaluate, output, note)
        }
        Event::CritiqueDone { issues, note } => finished(Step::Critique, StepOutput::Critique(issues.clone()), note),
        Event::RefinementDone { artifact, note, .. } => {
            finished(Step::Refine, StepOutput::Artifact(artifact.clone()), note)
        }
        // A stop that came later than the failure found a retry already promised.
        Event::PhaseError { error, will_retry, .. } => run.map(|run| Input::Failed {
            task: run.task(error.failed_step),
            error: error.clone(),
            boundary: Boundary {
                stage_ms: 0,
                stop_requested: stop_requested.filter(|_| !will_retry),
                edits,
            },
        }),
        Event::Resumed { by, engine } => Some(Input::Resume {
            by: by.clone(),
            engine: engine.clone(),
            edits,
        }),
        // Nothing but a person's stop goes back to an earlier artifact without a step before it.
        Event::ArtifactRestored { .. } => {
            let StopRequest { reason, by } = stop_requested.unwrap_or_else(|| StopRequest {
                reason: None,
                by: String::new(),
            });
            Some(Input::Stop { reason, by })
        }
        Event::Stopped(_) => user_stop(&recorded.event).map(|StopRequest { reason, by }| Input::Stop { reason, by }),
        Event::EditRefused(_)
        | Event::PhaseSwitched { .. }
        | Event::IterationAdvanced { .. }
        | Event::Failed { .. }
        | Event::TailRepaired { .. }
        | Event::Adopted { .. }
        | Event::Repaired { .. } => None,
    })
}

/// What the step's boundary, or the resumption, said about frozen files.
fn refused_edits(rest: &[Stamped]) -> Vec<FileEdit> {
    rest.iter()
        .map_while(|stamped| {
            let Event::EditRefused(edit) = &stamped.event else {
                return None;
            };
            Some(edit.clone())
        })
        .collect()
}

/// The request behind a stop that comes next, or after going back to an earlier artifact.
fn stop_after(rest: &[Stamped]) -> Option<StopRequest> {
    let mut events = rest.iter().map(|stamped| &stamped.event);
    let next = events.find(|event| !matches!(event, Event::ArtifactRestored { .. }))?;
    user_stop(next)
}

/// The request behind a stop by a person.
fn user_stop(event: &Event) -> Option<StopRequest> {
    let Event::Stopped(details) = event else { return None };
    if details.rule != StopCondition::UserStop {
        return None;
    }
    let reason = Some(details.reason.clone()).filter(|reason| reason != StopCondition::UserStop.name());
    Some(StopRequest {
        reason,
        by: details.by.clone().unwrap_or_default(),
    })
}

/// Whether two decisions lead the same way: the same kind of event and, at the end, the same rule.
fn same_way(one: &Event, other: &Event) -> bool {
    match (one, other) {
        (Event::Stopped(one), Event::Stopped(other)) => one.rule == other.rule,
        (one, other) => one.name() == other.name(),
    }
}
