//! Looking at runs without holding them: for lists, status and histories.

use onus_ledger::{Authenticity, Chained, Foreign, HeadState, History, files};
use onus_machine::replay::fold;
use onus_model::{Alias, Score};
use onus_views::{RunFacts, RunSummary};
use serde::Deserialize;

use crate::book::facts;
use crate::{EngineError, Project};

/// A run as its ledger tells it.
#[derive(Debug)]
pub enum Seen {
    Ours {
        facts: Box<RunFacts>,
        history: Chained,
    },
    /// Written by another tool in the documented form: shown, not trusted.
    Foreign {
        summary: RunSummary,
        history: Foreign,
    },
}

/// Why a history must not be believed, if there is a reason.
pub fn distrust(history: &Chained) -> Option<String> {
    match (&history.damage, history.authenticity, history.head) {
        (Some(damage), ..) => Some(format!("event {} is damaged: {damage}", damage.seq)),
        (None, Authenticity::Forged { seq }, _) => Some(format!("event {seq} was not sealed with this machine's key")),
        (None, _, HeadState::RolledBack { head_seq, last_seq }) => Some(format!(
            "it ends at event {last_seq}, but event {head_seq} was recorded"
        )),
        (None, _, HeadState::Differs { seq }) => Some(format!("event {seq} is not the one that was recorded")),
        (None, ..) => None,
    }
}

impl Seen {
    pub fn summary(&self) -> RunSummary {
        match self {
            Seen::Ours { facts, .. } => RunSummary::from(&**facts),
            Seen::Foreign { summary, .. } => summary.clone(),
        }
    }
}

/// Reads one run. Its `run.json` is not asked: whoever can write there can write anything.
pub fn look(project: &Project, alias: &Alias) -> Result<Seen, EngineError> {
    match onus_ledger::read(&project.places, alias)? {
        History::Foreign(history) => Ok(Seen::Foreign {
            summary: foreign_summary(project, alias)?,
            history,
        }),
        History::Chained(history) => {
            let run = fold(history.records.iter().map(|r| &r.stamped.event));
            let (Some(run), Some(first), Some(last)) = (run, history.records.first(), history.records.last()) else {
                return Err(EngineError::Integrity(match &history.damage {
                    Some(damage) => {
                        format!("the history of run `{alias}` is damaged from its first event on: {damage}")
                    }
                    None => format!("the history of run `{alias}` does not begin with a start"),
                }));
            };
            let facts = facts(&run, &first.run_id, alias, &first.ts, &last.ts);
            Ok(Seen::Ours {
                facts: Box::new(facts),
                history,
            })
        }
    }
}

/// The run that `current.json` names. It is only a pointer: if it is lost, a single running run is meant.
pub fn active(project: &Project) -> Result<Option<Alias>, EngineError> {
    #[derive(Deserialize)]
    struct Current {
        task_alias: Alias,
    }
    let current = files::read_current(&project.places)?;
    if let Some(current) = current.and_then(|bytes| serde_json::from_slice::<Current>(&bytes).ok()) {
        return Ok(Some(current.task_alias));
    }
    let running = |alias: &Alias| matches!(look(project, alias), Ok(seen) if seen.summary().status == "running");
    let mut running = files::list_aliases(&project.places)?.into_iter().filter(running);
    Ok(match (running.next(), running.next()) {
        (Some(alias), None) => Some(alias),
        (None, _) | (Some(_), Some(_)) => None,
    })
}

/// What another tool's `run.json` says.
fn foreign_summary(project: &Project, alias: &Alias) -> Result<RunSummary, EngineError> {
    #[derive(Deserialize, Default)]
    struct RunFile {
        status: Option<String>,
        iteration: Option<u32>,
        last_score: Option<f64>,
        updated_at: Option<String>,
    }
    let bytes = files::read_run_json(&project.places, alias)?.unwrap_or_default();
    let file: RunFile = serde_json::from_slice(&bytes).unwrap_or_default();
    Ok(RunSummary {
        alias: alias.to_string(),
        status: file.status.unwrap_or_else(|| "unknown".to_owned()),
        iteration: file.iteration,
        last_score: file
            .last_score
            .and_then(|score| Score::try_from((score * 10_000.0).round() / 10_000.0).ok()),
        updated_at: file.updated_at.unwrap_or_default(),
    })
}
