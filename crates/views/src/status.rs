//! Where runs stand: one in a line or a few, many in a table.

use onus_model::Score;
use serde::Serialize;

use crate::escape::one_line;
use crate::facts::{RunFacts, artifact_status};
use crate::style::Style;
use crate::width::table;
use crate::words::{self, PHRASE_CHARS_MAX};

/// `alias | status | iteration | phase | current_step | last_score | updated_at`.
pub fn status_line(facts: &RunFacts) -> String {
    let RunFacts {
        alias,
        status,
        iteration,
        max_iterations,
        level,
        current_step,
        ..
    } = facts;
    let updated = one_line(&facts.updated_at, PHRASE_CHARS_MAX);
    format!(
        "{alias} | {status} | {iteration}/{max_iterations} | {level} | {current_step} | {} | {updated}",
        facts.last_score
    )
}

/// The status line's facts with labels, and what is failing, for one run.
pub fn status_text(facts: &RunFacts, style: Style) -> String {
    let seconds = facts.completed_step_ms / 1000;
    let budget = match facts.spec.limits.max_completed_step_seconds {
        Some(max) => format!("{seconds} of {max}"),
        None => format!("{seconds}, no limit"),
    };
    let mut rows = vec![
        ("run", facts.run_id.to_string()),
        ("task", one_line(&facts.task.prompt, PHRASE_CHARS_MAX)),
        ("status", facts.status.to_string()),
        ("iteration", format!("{}/{}", facts.iteration, facts.max_iterations)),
        ("phase", facts.level.to_string()),
        ("current_step", facts.current_step.clone()),
        (
            "last_score",
            facts
                .evaluation
                .as_ref()
                .map_or_else(|| "-".to_owned(), |_| facts.last_score.to_string()),
        ),
        ("artifact_status", artifact_status(facts).name().to_owned()),
        ("completed_phase_seconds", budget),
        ("updated_at", one_line(&facts.updated_at, PHRASE_CHARS_MAX)),
    ];
    if let Some(card) = &facts.evaluation {
        let (failed, warnings) = words::failed_ids(card);
        rows.push(("failed", failed));
        rows.push(("warnings", warnings));
        rows.extend(words::particulars(card));
    }
    if let Some(oscillation) = &facts.oscillation {
        rows.push(("oscillation", one_line(oscillation, 2 * PHRASE_CHARS_MAX)));
    }
    if !facts.stop_reason().is_empty() {
        rows.push(("stop_reason", one_line(facts.stop_reason(), PHRASE_CHARS_MAX)));
    }
    if let Some(error) = &facts.last_phase_error {
        rows.push(("last_phase_error", one_line(&error.to_string(), 2 * PHRASE_CHARS_MAX)));
    }
    labelled(&rows, style)
}

/// `label:  value` lines, values in one column.
pub(crate) fn labelled(rows: &[(&str, String)], style: Style) -> String {
    let width = rows.iter().map(|(label, _)| label.len() + 1).max().unwrap_or(0);
    let line = |(label, value): &(&str, String)| {
        format!("{}  {value}\n", style.dim(&format!("{:<width$}", format!("{label}:"))))
    };
    rows.iter().map(line).collect()
}

/// One row of a list. Texts, because a list also shows runs that another program wrote.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunSummary {
    pub alias: String,
    pub status: String,
    pub iteration: Option<u32>,
    pub last_score: Option<Score>,
    pub updated_at: String,
}

impl From<&RunFacts> for RunSummary {
    fn from(facts: &RunFacts) -> RunSummary {
        RunSummary {
            alias: facts.alias.to_string(),
            status: facts.status.to_string(),
            iteration: Some(facts.iteration),
            last_score: facts.evaluation.as_ref().map(|_| facts.last_score),
            updated_at: facts.updated_at.clone(),
        }
    }
}

/// `alias  status  iteration  last_score  updated_at`, aligned.
pub fn list_table(runs: &[RunSummary]) -> String {
    if runs.is_empty() {
        return "no runs\n".to_owned();
    }
    let absent = || "-".to_owned();
    let header = ["alias", "status", "iteration", "last_score", "updated_at"]
        .map(str::to_owned)
        .to_vec();
    let row = |run: &RunSummary| {
        vec![
            one_line(&run.alias, PHRASE_CHARS_MAX),
            one_line(&run.status, PHRASE_CHARS_MAX),
            run.iteration.map_or_else(absent, |n| n.to_string()),
            run.last_score.map_or_else(absent, |score| score.to_string()),
            one_line(&run.updated_at, PHRASE_CHARS_MAX),
        ]
    };
    table(&std::iter::once(header).chain(runs.iter().map(row)).collect::<Vec<_>>())
}
