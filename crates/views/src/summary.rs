//! One iteration in a few lines.

use onus_model::{Changes, Issue, LevelName, Scorecard};

use crate::escape::{for_terminal, one_line};
use crate::style::Style;
use crate::words;

/// The longest fix instruction that is shown; the ledger has it whole.
const FIX_CHARS_MAX: usize = 160;

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
    let documented = [
        ("Plan:", words::plan(summary.plan)),
        ("Hash:", card.artifact_sha256.short()),
        ("Changed:", changed),
        ("Failed:", words::failed_ids(&card.failed)),
        ("Warnings:", words::failed_ids(&card.warnings)),
        ("Artifact:", for_terminal(summary.artifact_path)),
    ];
    let more = words::particulars(card)
        .into_iter()
        .map(|(label, value)| (capitalised(label) + ":", value));
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
