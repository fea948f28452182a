//! The table a person reads in a terminal.

use super::{Change, CheckReport, Row, log_line, place};
use crate::style::Style;
use crate::width::{clip, table, width};
use crate::words;

/// More findings than this are counted, not shown; the files have them all.
const FINDINGS_SHOWN_MAX: usize = 10;

/// Less room than this makes a reason unreadable beside its row: it then gets a line of its own.
const WHY_COLUMNS_MIN: usize = 24;

/// Between two columns of a table.
const GAP: usize = 2;

/// No line needs more of a text than this, however wide the terminal is.
pub(super) const LINE_CHARS_MAX: usize = 400;

pub(super) const INDENT: &str = "      ";

/// A row for each criterion, what was found where it does not hold, and the gate in one line. Ends in a line break.
pub fn text(report: &CheckReport, style: Style, columns: usize) -> String {
    let rows = report.rows();
    let mut text = table_text(&rows, style, columns);
    for note in &report.notes {
        text.push_str(&format!("note: {}\n", log_line(note, LINE_CHARS_MAX)));
    }
    if report.baseline.is_some() {
        let count = |change| rows.iter().filter(|row| row.change == Some(change)).count();
        let parts = Change::ALL.map(|change| format!("{} {}", count(change), change.words()));
        text.push_str(&format!("against the base: {}\n", parts.join(", ")));
    }
    text.push_str(&format!(
        "── Gate {} | Phase {} | {} | {} | contract {} | artifact {} ──\n",
        style.verdict(report.scorecard.passed),
        report.level,
        report.tally(&rows),
        words::duration(report.elapsed_ms),
        report.contract_sha256.short(),
        report.artifact_sha256.short(),
    ));
    text
}

fn table_text(rows: &[Row<'_>], style: Style, columns: usize) -> String {
    let header = ["", "criterion", "severity", "weight", "by"]
        .map(str::to_owned)
        .to_vec();
    let mut cells: Vec<Vec<String>> = std::iter::once(header).chain(rows.iter().map(fixed_cells)).collect();
    let room = columns.saturating_sub(fixed_width(&cells));
    let beside = room >= WHY_COLUMNS_MIN;
    if beside {
        let whys = std::iter::once("why".to_owned()).chain(rows.iter().map(|row| clip(&row.why(LINE_CHARS_MAX), room)));
        cells.iter_mut().zip(whys).for_each(|(cells, why)| cells.push(why));
    }
    let room_below = columns.saturating_sub(INDENT.len()).max(WHY_COLUMNS_MIN);
    let plain = table(&cells);
    let mut lines = plain.lines();
    let mut text = format!("{}\n", style.dim(lines.next().unwrap_or_default()));
    for (row, line) in rows.iter().zip(lines) {
        text.push_str(&painted(row, line, style));
        if !beside {
            text.push_str(&format!("{INDENT}{}\n", clip(&row.why(LINE_CHARS_MAX), room_below)));
        }
        if row.tells() {
            text.push_str(&findings(row, room_below));
        }
    }
    text
}

fn fixed_cells(row: &Row<'_>) -> Vec<String> {
    vec![
        row.mark().to_owned(),
        row.criterion.id.to_string(),
        row.criterion.severity.to_string(),
        row.criterion.weight.to_string(),
        row.decided_by(),
    ]
}

fn fixed_width(cells: &[Vec<String>]) -> usize {
    let columns = cells.first().map_or(0, Vec::len);
    let widest = |column: usize| {
        cells
            .iter()
            .filter_map(|row| row.get(column))
            .map(|cell| width(cell))
            .max()
    };
    (0..columns).filter_map(widest).map(|widest| widest + GAP).sum()
}

/// Colour goes in after the columns were measured.
fn painted(row: &Row<'_>, line: &str, style: Style) -> String {
    let mark = row.mark();
    let rest = line.strip_prefix(mark).unwrap_or_default();
    let mark = match (row.tells(), row.blocks()) {
        (false, _) => style.good(mark),
        (true, true) => style.bad(mark),
        (true, false) => mark.to_owned(),
    };
    format!("{mark}{rest}\n")
}

/// The dash keeps a text from the beginning of its line, where CI systems look for commands.
fn findings(row: &Row<'_>, columns: usize) -> String {
    let all = row.findings();
    let mut text = String::new();
    for finding in all.iter().take(FINDINGS_SHOWN_MAX) {
        let place = place(finding).map(|place| place + " ").unwrap_or_default();
        let line = format!("- {place}{}", log_line(&finding.message, LINE_CHARS_MAX));
        text.push_str(&format!("{INDENT}{}\n", clip(&line, columns)));
    }
    if let Some(more) = all.len().checked_sub(FINDINGS_SHOWN_MAX).filter(|more| *more > 0) {
        text.push_str(&format!("{INDENT}… {more} more\n"));
    }
    text
}
