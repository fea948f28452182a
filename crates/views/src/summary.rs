//! One iteration in a few lines.

use onus_model::{Changes, Issue, LevelName, Scorecard};

use crate::escape::{for_terminal, one_line};
use crate::style::Style;
use crate::words;

/// The longest fix instruction that is shown; the ledger has it whole.
const FIX_CHARS_MAX: usize = 160;

/// The longest reason that is shown.
const WHY_CHARS_MAX: usize = 160;

#[derive(Debug, Clone, Copy)]
pub struct IterationSummary<'a> {
    pub iteration: u32,
    pub max_iterations: u32,
    pub plan: &'a [String],
    pub scorecard: &'a Scorecard,
    /// What moved; none if this artifact was summed up before.
    pub changed: Option<&'a Changes>,
    pub issues: &'a [Issue],
    pub artifact_path: &'a str,
}

/// The documented block, with one line for each issue if the evaluation did not pass. Ends in a line break.
pub fn iteration_summary(summary: &IterationSummary<'_>, style: Style) -> String {
    let IterationSummary {
        iteration,
        max_iterations,
        scorecard: card,
        ..
    } = summary;
    let mut text = format!(
        "── Iteration {iteration}/{max_iterations} | Phase {} | Score: {} | {} ──\n",
        card.phase,
        card.score,
        style.verdict(card.passed)
    );
    let changed = summary
        .changed
        .map_or("nothing, the same artifact".to_owned(), words::changes);
    let (failed, warnings) = words::failed_ids(card);
    let documented = [
        ("Plan:", words::plan(summary.plan)),
        ("Hash:", card.artifact_sha256.short()),
        ("Changed:", changed),
        ("Failed:", failed),
        ("Warnings:", warnings),
        ("Artifact:", for_terminal(summary.artifact_path)),
    ];
    let why = why(card).map(|why| ("why", why));
    let more = why
        .into_iter()
        .chain(words::particulars(card))
        .map(|(label, value)| (capitalised(&label.replace('_', " ")) + ":", value));
    for (label, value) in documented
        .into_iter()
        .map(|(label, value)| (label.to_owned(), value))
        .chain(more)
    {
        text.push_str(&format!("{} {value}\n", style.dim(&format!("{label:<10}"))));
    }
    if !card.passed {
        for issue in summary.issues {
            text.push_str(&format!(
                "  {}: {}\n",
                issue.rule_id,
                one_line(&issue.fix_instruction, FIX_CHARS_MAX)
            ));
        }
    }
    text
}

/// What the first criterion that fails says about it; nothing if the gate passed.
fn why(card: &Scorecard) -> Option<String> {
    let mut failing = words::decided(card, &card.failed).chain(words::decided(card, &card.warnings));
    let first = failing
        .next()
        .filter(|failed| !card.passed && !failed.message.trim().is_empty())?;
    Some(format!("{}: {}", first.id, one_line(&first.message, WHY_CHARS_MAX)))
}

fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    chars
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// The line over the full artifact when a level was passed that is not the last.
pub fn level_switch(from: &LevelName, to: &LevelName, card: Option<&Scorecard>) -> String {
    match card {
        Some(card) => format!(
            "Phase {from} passed with {} of {}, on to phase {to}: artifact {}",
            card.score,
            card.threshold,
            card.artifact_sha256.short()
        ),
        None => format!("Phase {from} passed, on to phase {to}"),
    }
}
