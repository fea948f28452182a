//! Histories of any length, decided by the real machine, without agents.

use std::io;

use onus_ledger::{Durability, History, Ledger, Places, files, objects};
use onus_machine::{Run, apply, decide, pending};
use onus_model::{
    Alias, ArtifactRef, Boundary, Changes, Digest, Effect, Effort, Event, Input, Issue, RunId, RunStarted, Stamped,
    Step, StepOutput, Verdict, canonical_sha256,
};

use crate::measure::run;
use crate::project::{Project, Tools};

const STAMP: &str = "2026-01-01T00:00:00Z";
const ARTIFACT: &[u8] = b"# Artifact\n";

/// Answers of one real iteration, to be given over and over.
pub(crate) struct Story {
    start: RunStarted,
    verdicts: Vec<Verdict>,
    issues: Vec<Issue>,
    artifact: ArtifactRef,
}

impl Story {
    /// Runs two real iterations and keeps what was said in them.
    pub(crate) fn record(tools: &Tools) -> io::Result<Story> {
        let project = tools.project()?;
        run(&mut project.onus(&Project::drive("2", "real")))?;
        let alias = alias("real")?;
        let History::Chained(history) = onus_ledger::read(&project.places(), &alias).map_err(io::Error::other)? else {
            return Err(io::Error::other("a foreign history"));
        };
        let (mut start, mut verdicts, mut issues) = (None, Vec::new(), Vec::new());
        for record in history.records {
            match record.stamped.event {
                Event::RunStarted(started) => start = Some(*started),
                Event::EvaluationDone { scorecard, .. } => verdicts = scorecard.rule_results,
                Event::CritiqueDone { issues: said, .. } => issues = said,
                _ => {}
            }
        }
        Ok(Story {
            start: start.ok_or_else(|| io::Error::other("the run did not start"))?,
            verdicts,
            issues,
            artifact: ArtifactRef {
                artifact_sha256: Digest::of(ARTIFACT),
                bytes: ARTIFACT.len() as u64,
                changed: Changes::default(),
            },
        })
    }

    /// The events of a run that ends at this many iterations.
    pub(crate) fn events(&self, iterations: u32) -> io::Result<Vec<Stamped>> {
        let mut start = self.start.clone();
        let mut spec = (*start.spec).clone();
        spec.limits.max_iterations = iterations;
        start.contract_sha256 = canonical_sha256(&spec).map_err(io::Error::other)?;
        start.spec = spec.into();
        let mut state: Option<Run> = None;
        let mut events = Vec::new();
        let mut inputs = vec![Input::Start(Box::new(start))];
        while let Some(input) = inputs.pop() {
            let decision = decide(state.as_ref(), input).map_err(io::Error::other)?;
            for stamped in &decision.events {
                state = apply(state, &stamped.event);
            }
            events.extend(decision.events);
            // One at a time: the next input names a task that is open after this one.
            inputs.extend(
                pending(state.as_ref())
                    .into_iter()
                    .next()
                    .map(|effect| self.answer(effect)),
            );
        }
        Ok(events)
    }

    fn answer(&self, effect: Effect) -> Input {
        let Effect::Run(task) = effect;
        let output = match task.step {
            Step::Plan => StepOutput::Plan(["one", "two", "three"].map(str::to_owned).to_vec()),
            Step::Produce | Step::Refine => StepOutput::Artifact(self.artifact.clone()),
            Step::Prepare => StepOutput::Checks(Vec::new()),
            Step::Evaluate => StepOutput::Verdicts {
                artifact: self.artifact.artifact_sha256,
                verdicts: self.verdicts.clone(),
                effort: Effort::default(),
                degraded: Vec::new(),
            },
            Step::Critique => StepOutput::Critique(self.issues.clone()),
        };
        let boundary = Boundary {
            stage_ms: 1,
            stop_requested: None,
            edits: Vec::new(),
        };
        Input::Finished {
            task,
            output,
            transcript: None,
            boundary,
        }
    }

    /// Writes a run with its artifact. The ledger is left open.
    pub(crate) fn write(&self, places: &Places, name: &str, events: &[Stamped]) -> io::Result<Ledger> {
        let alias = alias(name)?;
        let run_id = RunId::compose(&alias, "20260101-000000").map_err(io::Error::other)?;
        objects::put(places, ARTIFACT, Durability::Relaxed).map_err(io::Error::other)?;
        let (first, rest) = events.split_at(events.len().min(1000));
        let (mut ledger, _) = Ledger::create(places, &alias, run_id, STAMP, first).map_err(io::Error::other)?;
        for batch in rest.chunks(1000) {
            ledger.append(STAMP, batch).map_err(io::Error::other)?;
        }
        files::write_artifact(places, &alias, ARTIFACT, Durability::Relaxed).map_err(io::Error::other)?;
        Ok(ledger)
    }
}

/// Appends one event.
pub(crate) fn append(ledger: &mut Ledger, event: &Stamped) -> io::Result<()> {
    ledger
        .append(STAMP, std::slice::from_ref(event))
        .map(drop)
        .map_err(io::Error::other)
}

pub(crate) fn alias(name: &str) -> io::Result<Alias> {
    Alias::new(name).map_err(io::Error::other)
}
