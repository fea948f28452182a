//! Why an evaluation came to its score, as a person reads it.

use onus_model::{Blocks, CriterionShare, Explanation, Score};

use crate::escape::one_line;
use crate::style::Style;
use crate::width::{clip, table, width, wrap};
use crate::words::{self, PHRASE_CHARS_MAX};

/// No line is wider than this.
const COLUMNS: usize = 99;
const ID_COLUMNS_MAX: usize = 36;
const DIMENSION_COLUMNS_MAX: usize = 14;

/// Where the labelled values under the table begin.
const INDENT: usize = 10;

/// The formula with its numbers, a row for each criterion, why the gate did not pass and what would have been enough. Ends in
/// a line break.
pub fn explanation_text(explanation: &Explanation, title: &str, style: Style) -> String {
    let Explanation {
        phase,
        score,
        threshold,
        ..
    } = explanation;
    let mut text = format!(
        "── {} | Phase {phase} | Score: {score} of {threshold} | {} ──\n",
        one_line(title, PHRASE_CHARS_MAX / 2),
        style.verdict(explanation.passed)
    );
    for line in &explanation.formula {
        let line = one_line(line, 8 * PHRASE_CHARS_MAX);
        text.push_str(&format!("{}\n", wrap(&line, COLUMNS, INDENT)));
    }
    text.push('\n');
    text.push_str(&criteria_table(&explanation.criteria, style));
    text.push('\n');
    let mut rows = Vec::new();
    if let Some(gates) = &explanation.gates {
        rows.push(("gates", words::gates(gates)));
    }
    for (at, reason) in explanation.reasons.iter().enumerate() {
        rows.push((if at == 0 { "why not" } else { "" }, words::reason(reason)));
    }
    match &explanation.needed {
        Some(needed) => {
            let enough = format!("{}; the score would be {}", words::ids(&needed.ids), needed.score);
            rows.push(("needed", enough));
        }
        None => rows.push(("needed", "nothing: the gate passed".to_owned())),
    }
    for (label, value) in rows {
        let label = if label.is_empty() {
            String::new()
        } else {
            format!("{label}:")
        };
        let wrapped = wrap(&value, COLUMNS - INDENT, 0).replace('\n', &format!("\n{}", " ".repeat(INDENT)));
        text.push_str(&format!("{}{wrapped}\n", style.dim(&format!("{label:<INDENT$}"))));
    }
    text
}

fn criteria_table(criteria: &[CriterionShare], style: Style) -> String {
    let with_dimensions = criteria.iter().any(|criterion| criterion.dimension.is_some());
    let header = ["", "criterion", "dimension", "weight", "share", "cost", "blocks"];
    let mut rows: Vec<Vec<String>> = vec![header.map(str::to_owned).to_vec()];
    rows.extend(criteria.iter().map(cells));
    if !with_dimensions {
        rows.iter_mut().for_each(|row| drop(row.remove(2)));
    }
    let last = rows.first().map_or(0, Vec::len).saturating_sub(1);
    let widest = |column: usize| rows.iter().map(|row| width(&row[column]) + 2).max().unwrap_or(0);
    let room = COLUMNS.saturating_sub((0..last).map(widest).sum());
    for row in &mut rows {
        row[last] = clip(&row[last], room);
    }
    let plain = table(&rows);
    let mut lines = plain.lines();
    let mut text = format!("{}\n", style.dim(lines.next().unwrap_or_default()));
    for (criterion, line) in criteria.iter().zip(lines) {
        let mark = mark(criterion);
        let rest = line.strip_prefix(mark).unwrap_or_default();
        let mark = match (criterion.holds, criterion.blocks.is_empty() || criterion.left_out) {
            (true, _) => style.good(mark),
            (false, false) => style.bad(mark),
            (false, true) => mark.to_owned(),
        };
        text.push_str(&format!("{mark}{rest}\n"));
    }
    text
}

fn mark(criterion: &CriterionShare) -> &'static str {
    match (criterion.left_out, criterion.holds) {
        (true, _) => "LEFT OUT",
        (false, true) => "PASS",
        (false, false) => "FAIL",
    }
}

fn cells(criterion: &CriterionShare) -> Vec<String> {
    let cost = match criterion.cost {
        Score::ZERO => "-".to_owned(),
        cost => cost.to_string(),
    };
    let dimension = criterion.dimension.as_deref().unwrap_or("-");
    let blocks: Vec<&str> = criterion.blocks.iter().copied().map(Blocks::name).collect();
    vec![
        mark(criterion).to_owned(),
        clip(criterion.id.as_str(), ID_COLUMNS_MAX),
        clip(&one_line(dimension, PHRASE_CHARS_MAX), DIMENSION_COLUMNS_MAX),
        criterion.weight.to_string(),
        criterion.share.to_string(),
        cost,
        blocks.join(", "),
    ]
}
