//! A run as it stands in its ledger, and the views of it that are kept beside the ledger.
//!
//! The order is always: append and sync, then apply, then rewrite the views. The views can be lost; the ledger cannot.

use std::collections::VecDeque;

use onus_ledger::{Durability, History, Ledger, Places, files, objects};
use onus_machine::replay::fold;
use onus_machine::{Run, apply, decide};
use onus_model::{Alias, ArtifactForm, Digest, Event, Input, Record, RunId, Stamped, canonical_sha256};
use onus_views::{RunFacts, record_line, run_json_text};

use crate::shelf::distrust;
use crate::{Clock, EngineError, Project, area};

/// How many of the last events the planner is told.
const RECENT_MAX: usize = 3;

pub(crate) struct Book {
    pub(crate) alias: Alias,
    pub(crate) run_id: RunId,
    pub(crate) places: Places,
    pub(crate) run: Run,
    /// The last events in words.
    pub(crate) recent: VecDeque<String>,
    ledger: Ledger,
    created_at: String,
    updated_at: String,
    /// `current.json` as it was written last; it changes once a second at the most.
    current: String,
}

impl Book {
    /// Begins a run's history.
    pub(crate) fn begin(
        project: &Project,
        clock: &dyn Clock,
        alias: &Alias,
        events: &[Stamped],
    ) -> Result<(Book, Vec<Record>), EngineError> {
        let ts = clock.stamp();
        let run_id = RunId::compose(alias, &clock.run_stamp()).map_err(|e| EngineError::Internal(e.to_string()))?;
        let (ledger, records) = Ledger::create(&project.places, alias, run_id.clone(), &ts, events)?;
        let run = fold(events.iter().map(|s| &s.event))
            .ok_or_else(|| EngineError::Internal("the first event does not start a run".to_owned()))?;
        let mut book = Book {
            alias: alias.clone(),
            run_id,
            places: project.places.clone(),
            run,
            recent: VecDeque::new(),
            ledger,
            created_at: ts.clone(),
            updated_at: ts,
            current: String::new(),
        };
        book.remember(&records);
        book.write_views(Durability::Relaxed)?;
        Ok((book, records))
    }

    /// Takes a run's history up again: with what was recorded before, and what is recorded now because a torn last line is gone.
    pub(crate) fn open(
        project: &Project,
        clock: &dyn Clock,
        alias: &Alias,
    ) -> Result<(Book, Vec<Record>, Vec<Record>), EngineError> {
        let (ledger, records, recovered) = Ledger::open(&project.places, alias)?;
        let run = fold(records.iter().map(|r| &r.stamped.event));
        let (Some(run), Some(first), Some(last)) = (run, records.first(), records.last()) else {
            return Err(EngineError::Integrity(format!(
                "the history of run `{alias}` does not begin with a start"
            )));
        };
        if canonical_sha256(&*run.spec).ok() != Some(run.contract_sha256) {
            return Err(EngineError::Integrity(format!(
                "the contract of run `{alias}` does not have its recorded hash"
            )));
        }
        let mut book = Book {
            alias: alias.clone(),
            run_id: first.run_id.clone(),
            places: project.places.clone(),
            run,
            recent: VecDeque::new(),
            ledger,
            created_at: first.ts.clone(),
            updated_at: last.ts.clone(),
            current: String::new(),
        };
        book.remember(&records);
        let mut fresh = Vec::new();
        if let Some(torn) = recovered.torn {
            let event = Event::TailRepaired {
                bytes_dropped: torn.bytes_dropped,
                dropped_sha256: torn.dropped_sha256,
            };
            fresh = book.note(clock, event)?;
        }
        Ok((book, records, fresh))
    }

    /// Records events and brings the views up to date.
    pub(crate) fn record(&mut self, clock: &dyn Clock, events: &[Stamped]) -> Result<Vec<Record>, EngineError> {
        let ts = clock.stamp();
        let records = self.ledger.append(&ts, events)?;
        let mut artifact = None;
        for stamped in events {
            // A started run stays one whatever is applied to it.
            if let Some(run) = apply(Some(self.run.clone()), &stamped.event) {
                self.run = run;
            }
            if let Event::ArtifactCreated { artifact: new, .. }
            | Event::RefinementDone { artifact: new, .. }
            | Event::ArtifactRestored { artifact: new, .. } = &stamped.event
            {
                artifact = Some(new.artifact_sha256);
            }
        }
        self.remember(&records);
        self.updated_at = ts;
        if let Some(sha256) = artifact {
            self.write_artifact(&sha256, Durability::Relaxed)?;
        }
        self.write_views(Durability::Relaxed)?;
        Ok(records)
    }

    /// Records one event of housekeeping, which no decision is needed for.
    pub(crate) fn note(&mut self, clock: &dyn Clock, event: Event) -> Result<Vec<Record>, EngineError> {
        let stamped = Stamped {
            iteration: self.run.iteration,
            phase: self.run.level.clone(),
            step: self.run.current_step(),
            status: event.status().to_owned(),
            event,
        };
        self.record(clock, &[stamped])
    }

    /// Decides an input that needs no agent, and records what follows.
    pub(crate) fn settle(&mut self, clock: &dyn Clock, input: Input) -> Result<Settled, EngineError> {
        let decision = decide(Some(&self.run), input).map_err(EngineError::BadLoop)?;
        let records = self.record(clock, &decision.events)?;
        Ok(Settled {
            records,
            effects: decision.effects,
        })
    }

    /// Puts `artifact.md` back to what the ledger says. What lay there instead is kept as an object, and named.
    ///
    /// An earlier artifact of the same run is no edit: a process that died had not come to writing the newer one.
    pub(crate) fn restore_artifact(&self, past: &[Record]) -> Result<Option<Digest>, EngineError> {
        let max = self.run.spec.limits.artifact_bytes_max;
        let recorded = self.run.artifact.as_ref().map(|a| a.artifact_sha256);
        if self.run.spec.artifact == ArtifactForm::Tree {
            // Only a list for people; the files themselves are put right when the next step begins.
            if let Some(recorded) = recorded {
                self.write_artifact(&recorded, Durability::Relaxed)?;
            }
            return Ok(None);
        }
        let found = files::read_artifact(&self.places, &self.alias, max).unwrap_or_default();
        let edited = match found {
            Some(bytes) if Some(Digest::of(&bytes)) == recorded => return Ok(None),
            Some(bytes) if recorded_before(past, Digest::of(&bytes)) => None,
            Some(bytes) => Some(objects::put(&self.places, &bytes, Durability::Synced)?),
            None => None,
        };
        if let Some(recorded) = recorded {
            self.write_artifact(&recorded, Durability::Relaxed)?;
        }
        Ok(edited)
    }

    pub(crate) fn facts(&self) -> RunFacts {
        facts(&self.run, &self.run_id, &self.alias, &self.created_at, &self.updated_at)
    }

    /// Leaves the run: the head and, if the run has ended, the views are made durable.
    pub(crate) fn leave(&mut self) -> Result<(), EngineError> {
        self.ledger.sync_head()?;
        if !self.run.is_running() {
            self.write_views(Durability::Synced)?;
            files::clear_stop_request(&self.places, &self.alias)?;
            self.still_holds()?;
        }
        Ok(())
    }

    /// The whole history once more, as it lies on disk: an outcome is worth no more than the record behind it.
    fn still_holds(&self) -> Result<(), EngineError> {
        let History::Chained(history) = onus_ledger::read(&self.places, &self.alias)? else {
            return Err(EngineError::Integrity(format!(
                "the history of run `{}` was replaced",
                self.alias
            )));
        };
        match distrust(&history) {
            Some(why) => Err(EngineError::Integrity(format!(
                "the history of run `{}` does not hold: {why}",
                self.alias
            ))),
            None => Ok(()),
        }
    }

    /// Writes the views anew from what the ledger says.
    pub(crate) fn rewrite(&mut self) -> Result<(), EngineError> {
        self.write_views(Durability::Synced)
    }

    fn remember(&mut self, records: &[Record]) {
        for record in records.iter().rev().take(RECENT_MAX).rev() {
            if self.recent.len() == RECENT_MAX {
                self.recent.pop_front();
            }
            self.recent.push_back(record_line(record));
        }
    }

    fn write_artifact(&self, sha256: &Digest, durability: Durability) -> Result<(), EngineError> {
        let bytes = match self.run.spec.artifact {
            ArtifactForm::File => objects::get(&self.places, sha256, self.run.spec.limits.artifact_bytes_max)?,
            ArtifactForm::Tree => area::listing(&area::load(&self.places, sha256)?).into_bytes(),
        };
        Ok(files::write_artifact(&self.places, &self.alias, &bytes, durability)?)
    }

    fn write_views(&mut self, durability: Durability) -> Result<(), EngineError> {
        let facts = self.facts();
        let unwritable =
            |error: serde_json::Error| EngineError::Internal(format!("run.json cannot be written: {error}"));
        let text = run_json_text(&facts).map_err(unwritable)?;
        files::write_run_json(&self.places, &self.alias, text.as_bytes(), durability)?;
        if self.run.is_running() {
            let text = onus_views::current_json_text(&facts).map_err(unwritable)?;
            if text != self.current {
                files::write_current(&self.places, text.as_bytes(), durability)?;
                self.current = text;
            }
        } else {
            files::clear_current_if(&self.places, &self.alias)?;
        }
        Ok(())
    }
}

fn recorded_before(past: &[Record], sha256: Digest) -> bool {
    past.iter().any(|record| {
        matches!(&record.stamped.event, Event::ArtifactCreated { artifact, .. } | Event::RefinementDone { artifact, .. }
            if artifact.artifact_sha256 == sha256)
    })
}

/// What a decision led to.
pub(crate) struct Settled {
    pub(crate) records: Vec<Record>,
    pub(crate) effects: Vec<onus_model::Effect>,
}

/// Everything the views need to know of a run.
pub(crate) fn facts(run: &Run, run_id: &RunId, alias: &Alias, created_at: &str, updated_at: &str) -> RunFacts {
    RunFacts {
        run_id: run_id.clone(),
        alias: alias.clone(),
        status: run.status,
        iteration: run.iteration,
        max_iterations: run.spec.limits.max_iterations,
        level: run.level.clone(),
        current_step: run.current_step(),
        task: run.spec.task.clone(),
        spec: std::sync::Arc::clone(&run.spec),
        contract_sha256: run.contract_sha256,
        plan: run.plan.clone(),
        prepared_checks: run.prepared_checks.clone(),
        artifact: run.artifact.clone(),
        evaluation: run.evaluation.as_deref().cloned(),
        critique: run.critique.clone(),
        stop: run.stop.clone(),
        failure: run.failure.clone(),
        last_phase_error: run.last_error.clone(),
        last_score: run.progress.last_score,
        stagnation_count: run.progress.stagnation_count,
        oscillation: run.oscillation.clone(),
        completed_step_ms: run.completed_step_ms,
        // A stage begins when the event before it is recorded.
        step_started_at: run.is_running().then(|| updated_at.to_owned()),
        created_at: created_at.to_owned(),
        updated_at: updated_at.to_owned(),
    }
}
