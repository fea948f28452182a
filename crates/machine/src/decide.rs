//! The one place where news becomes events.

use onus_model::{
    Boundary, Decision, Digest, Effect, Event, FileEdit, Input, ProgressNote, Rejected, Scorecard, Stamped, Step,
    StepError, StepOutput, StepTask, StopRequest, Verdict, VerdictKind, canonical_sha256,
};

use crate::follow::follow;
use crate::{Run, apply, scorecard, well_formed};

/// Decides what one input means. Reads no clock, touches no disk, awaits nothing.
///
/// A rejected input changes nothing: results of tasks that are not open (duplicates, zombies, late answers) end here.
pub fn decide(run: Option<&Run>, input: Input) -> Result<Decision, Rejected> {
    let Some(run) = run else {
        return match input {
            Input::Start(start) => {
                well_formed(&start.spec)?;
                let hash = canonical_sha256(&*start.spec).map_err(|e| Rejected::BadSpec(e.to_string()))?;
                if hash != start.contract_sha256 {
                    return Err(Rejected::BadSpec(format!(
                        "its hash is {hash}, not {}",
                        start.contract_sha256
                    )));
                }
                Ok(Turn::new(None).record(Event::RunStarted(start)).settle(None))
            }
            Input::Finished { .. } | Input::Failed { .. } | Input::Stop { .. } | Input::Resume { .. } => {
                Err(Rejected::NotStarted)
            }
        };
    };
    if !run.is_running() {
        return Err(Rejected::Ended(run.status));
    }
    let turn = Turn::new(Some(run));
    match input {
        Input::Start(_) => Err(Rejected::AlreadyStarted),
        Input::Finished {
            task,
            output,
            transcript,
            boundary,
        } => {
            require_open(run, &task)?;
            let event = result_event(run, &task, output, transcript, &boundary)?;
            let turn = turn.record(event).refuse(boundary.edits);
            // A stop waits for the whole stage.
            let request = boundary.stop_requested.as_ref().filter(|_| turn.between_stages());
            Ok(turn.settle(request))
        }
        Input::Failed { task, error, boundary } => {
            require_open(run, &task)?;
            let event = failure_event(run, &task, error, &boundary);
            let turn = turn.record(event).refuse(boundary.edits);
            Ok(turn.settle(boundary.stop_requested.as_ref()))
        }
        Input::Stop { reason, by } => Ok(turn.settle(Some(&StopRequest { reason, by }))),
        Input::Resume { by, engine, edits } => {
            let turn = turn.record(Event::Resumed { by, engine }).refuse(edits);
            Ok(turn.settle(None))
        }
    }
}

/// The effects that a recovered run still owes. Recovery is folding [`apply`] over the ledger, then this.
pub fn pending(run: Option<&Run>) -> Vec<Effect> {
    run.map(Run::open_tasks)
        .unwrap_or_default()
        .into_iter()
        .map(Effect::Run)
        .collect()
}

fn require_open(run: &Run, task: &StepTask) -> Result<(), Rejected> {
    if run.open_tasks().contains(task) {
        Ok(())
    } else {
        Err(Rejected::NotOpen(task.clone()))
    }
}

/// The event that records a step's result.
fn result_event(
    run: &Run,
    task: &StepTask,
    output: StepOutput,
    transcript: Option<Digest>,
    boundary: &Boundary,
) -> Result<Event, Rejected> {
    let completes_stage = run.open_tasks().len() == 1;
    let note = ProgressNote {
        stage_ms: completes_stage.then_some(boundary.stage_ms),
        transcript,
    };
    let current = run.artifact.as_ref().map(|a| a.artifact_sha256);
    match (task.step, output) {
        (Step::Plan, StepOutput::Plan(plan)) => Ok(Event::PlanCreated { plan, note }),
        (Step::Produce, StepOutput::Artifact(artifact)) => Ok(Event::ArtifactCreated { artifact, note }),
        (Step::Refine, StepOutput::Artifact(artifact)) => {
            let previous_artifact_hash = current.unwrap_or(artifact.artifact_sha256);
            Ok(Event::RefinementDone {
                artifact,
                previous_artifact_hash,
                note,
            })
        }
        (Step::Prepare, StepOutput::Checks(checks)) => Ok(Event::ChecksPrepared { checks, note }),
        (Step::Critique, StepOutput::Critique(issues)) => Ok(Event::CritiqueDone { issues, note }),
        (
            Step::Evaluate,
            StepOutput::Verdicts {
                artifact,
                verdicts,
                effort,
                degraded,
            },
        ) => {
            if current != Some(artifact) {
                let current = current.map_or_else(|| "absent".to_owned(), |d| d.to_string());
                return Err(Rejected::WrongArtifact {
                    given: artifact,
                    current,
                });
            }
            let verdicts = if run.confirming() {
                verdicts.into_iter().map(decided_now).collect()
            } else {
                verdicts
            };
            let (spec, level) = (&run.spec, &run.level);
            let card = Scorecard {
                effort,
                degraded,
                ..scorecard(spec, run.contract_sha256, level, artifact, &verdicts, &run.passed_once)
            };
            Ok(Event::EvaluationDone {
                scorecard: Box::new(card),
                note,
            })
        }
        (_, output) => {
            let given = match output {
                StepOutput::Plan(_) => "a plan",
                StepOutput::Artifact(_) => "an artifact",
                StepOutput::Checks(_) => "checks",
                StepOutput::Verdicts { .. } => "verdicts",
                StepOutput::Critique(_) => "a critique",
            };
            Err(Rejected::WrongOutput {
                task: task.clone(),
                given,
            })
        }
    }
}

/// Where everything must be decided anew, a kept verdict is none.
fn decided_now(verdict: Verdict) -> Verdict {
    if !verdict.kept {
        return verdict;
    }
    Verdict {
        verdict: VerdictKind::Unverified,
        details: "kept from an earlier evaluation, where it had to be decided anew".to_owned(),
        kept: false,
        ..verdict
    }
}

fn failure_event(run: &Run, task: &StepTask, error: StepError, boundary: &Boundary) -> Event {
    let will_retry = task.attempt < run.spec.limits.step_attempts_max && boundary.stop_requested.is_none();
    let error = StepError {
        failed_step: task.step,
        ..error
    };
    Event::PhaseError {
        error,
        attempt: task.attempt,
        will_retry,
    }
}

/// A decision being made: events so far, and the state they lead to.
struct Turn {
    open_before: Vec<StepTask>,
    run: Option<Run>,
    decision: Decision,
    /// Taking a run up again starts everything that is open, also what was open before.
    restart_all: bool,
}

impl Turn {
    fn new(run: Option<&Run>) -> Turn {
        let open_before = run.map(Run::open_tasks).unwrap_or_default();
        Turn {
            open_before,
            run: run.cloned(),
            decision: Decision::default(),
            restart_all: false,
        }
    }

    /// Adds an event, stamped with where the run was when it happened.
    fn record(mut self, event: Event) -> Turn {
        self.restart_all |= matches!(event, Event::Resumed { .. });
        let before = self.run.take();
        let place = before
            .as_ref()
            .map(|run| (run.iteration, run.level.clone(), run.current_step()));
        let after = apply(before, &event);
        let place = place.or_else(|| {
            after
                .as_ref()
                .map(|run| (run.iteration, run.level.clone(), run.current_step()))
        });
        if let Some((iteration, phase, step)) = place {
            let status = event.status().to_owned();
            self.decision.events.push(Stamped {
                iteration,
                phase,
                step,
                event,
                status,
            });
        }
        self.run = after;
        self
    }

    /// Records the edits of frozen files that are news.
    fn refuse(mut self, edits: Vec<FileEdit>) -> Turn {
        for edit in edits {
            if self.run.as_ref().is_some_and(|run| !run.edits.contains(&edit)) {
                self = self.record(Event::EditRefused(edit));
            }
        }
        self
    }

    fn between_stages(&self) -> bool {
        self.run.as_ref().is_none_or(|run| run.done.is_empty())
    }

    /// Adds what follows from the new state until the next stage may begin or the run has ended.
    fn settle(mut self, request: Option<&StopRequest>) -> Decision {
        while let Some(event) = self.run.as_ref().and_then(|run| follow(run, request)) {
            self = self.record(event);
        }
        let (open_before, restart_all) = (self.open_before, self.restart_all);
        let fresh = |task: &StepTask| restart_all || !open_before.contains(task);
        self.decision.effects = self
            .run
            .as_ref()
            .map(Run::open_tasks)
            .unwrap_or_default()
            .into_iter()
            .filter(fresh)
            .map(Effect::Run)
            .collect();
        self.decision
    }
}
