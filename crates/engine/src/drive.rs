//! The event loop of one run: effects go out, results come in, each is decided, recorded and only then acted on.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use onus_ledger::files;
use onus_machine::{Run, decide};
use onus_model::{Boundary, Effect, Input, Record, Rejected, StepTask, StopRequest};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::perform::{Job, Performed, Trouble};
use crate::{Clock, EngineError, OpenRun, sources};

/// How a face talks to a run it drives.
#[derive(Debug, Default)]
pub struct Control {
    stop: OnceLock<StopRequest>,
    now: CancellationToken,
}

impl Control {
    /// Stop when the step in flight is recorded. The first request counts.
    pub fn stop(&self, request: StopRequest) {
        // A second request adds nothing to the first.
        let _ = self.stop.set(request);
    }

    /// Cancelled when somebody wants to leave at once.
    pub fn left(&self) -> CancellationToken {
        self.now.clone()
    }

    /// Leave at once; the run stays as it is and can be resumed.
    pub fn interrupt(&self) {
        self.now.cancel();
    }
}

/// Who watches a run: told of every record after it is safe, and of progress that is not recorded.
pub trait Observer: Send {
    fn recorded(&mut self, record: &Record, run: &Run);
    fn step_started(&mut self, task: &StepTask);
}

/// How driving ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The run has ended, one way or the other.
    Ended,
    /// The run was left in the middle and can be resumed.
    Interrupted,
}

type Results = JoinSet<(StepTask, Result<Performed, Trouble>)>;

impl OpenRun {
    /// Drives the run until it ends or is interrupted.
    pub async fn drive(
        &mut self,
        clock: &dyn Clock,
        control: &Control,
        observer: &mut dyn Observer,
    ) -> Result<Ending, EngineError> {
        let cancel = CancellationToken::new();
        // Whatever happens below, nothing this run started goes on without it.
        let _nothing_stays = cancel.clone().drop_guard();
        let mut results = Results::new();
        for record in std::mem::take(&mut self.unseen) {
            observer.recorded(&record, &self.book.run);
        }
        let effects = std::mem::take(&mut self.owed);
        self.launch(effects, &mut results, &cancel, observer);
        let mut stage_began = clock.elapsed();
        while self.book.run.is_running() {
            let (task, result) = tokio::select! {
                biased;
                () = control.now.cancelled() => {
                    cancel.cancel();
                    while results.join_next().await.is_some() {}
                    self.book.leave()?;
                    return Ok(Ending::Interrupted);
                }
                joined = results.join_next() => match joined {
                    Some(joined) => joined.map_err(|error| EngineError::Internal(format!("a step ended abnormally: {error}")))?,
                    None => return Err(EngineError::Internal("the run awaits no step and has not ended".to_owned())),
                },
            };
            let stage = self.book.run.stages_done;
            let boundary = self.boundary(control, clock.elapsed().saturating_sub(stage_began))?;
            let input = match result {
                Ok(Performed {
                    output,
                    transcript,
                    edits,
                }) => Input::Finished {
                    task,
                    output,
                    transcript,
                    boundary: Boundary {
                        edits: [boundary.edits, edits].concat(),
                        ..boundary
                    },
                },
                Err(Trouble::Step(error)) => Input::Failed { task, error, boundary },
                // Nothing is recorded: the run stays as it is, and can be resumed when the disk is well.
                Err(Trouble::Engine(error)) => return Err(error),
            };
            let decision = match decide(Some(&self.book.run), input) {
                Ok(decision) => decision,
                // A late answer of a task that is no longer open.
                Err(Rejected::NotOpen(_)) => continue,
                Err(rejected) => return Err(EngineError::Internal(format!("a result was rejected: {rejected}"))),
            };
            let records = self.book.record(clock, &decision.events)?;
            self.lay_down(&decision.events)?;
            for record in records {
                observer.recorded(&record, &self.book.run);
            }
            if self.book.run.stages_done != stage {
                stage_began = clock.elapsed();
            }
            self.launch(decision.effects, &mut results, &cancel, observer);
        }
        cancel.cancel();
        while results.join_next().await.is_some() {}
        self.book.leave()?;
        Ok(Ending::Ended)
    }

    fn launch(
        &self,
        effects: Vec<Effect>,
        results: &mut Results,
        cancel: &CancellationToken,
        observer: &mut dyn Observer,
    ) {
        if effects.is_empty() {
            return;
        }
        let run = Arc::new(self.book.run.clone());
        for Effect::Run(task) in effects {
            observer.step_started(&task);
            let previous_error = run
                .last_error
                .as_ref()
                .filter(|e| task.attempt > 1 && e.failed_step == task.step);
            let job = Job {
                world: Arc::clone(&self.world),
                run: Arc::clone(&run),
                task: task.clone(),
                recent: self.book.recent.iter().cloned().collect(),
                previous_error: previous_error.map(|error| error.message.clone()),
                cancel: cancel.clone(),
            };
            results.spawn(async move { (task, job.perform().await) });
        }
    }

    fn boundary(&self, control: &Control, stage: Duration) -> Result<Boundary, EngineError> {
        let stop_requested = match control.stop.get() {
            Some(request) => Some(request.clone()),
            None => files::read_stop_request(self.world.places(), &self.world.alias)?,
        };
        Ok(Boundary {
            stage_ms: u64::try_from(stage.as_millis()).unwrap_or(u64::MAX),
            stop_requested,
            edits: sources::edits(&self.world),
        })
    }
}
