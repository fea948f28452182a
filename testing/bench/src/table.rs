//! What was found, as one table or as JSON.

use serde::Serialize;

#[derive(Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) what: String,
    pub(crate) value: f64,
    pub(crate) unit: &'static str,
    /// At most this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) goal: Option<f64>,
    /// A missed goal fails the whole.
    #[serde(skip)]
    must: bool,
    /// The absolute figures behind it.
    pub(crate) note: String,
}

impl Row {
    pub(crate) fn ratio(what: impl Into<String>, value: f64, note: impl Into<String>) -> Row {
        Row {
            what: what.into(),
            value,
            unit: "x",
            goal: None,
            must: false,
            note: note.into(),
        }
    }

    pub(crate) fn plain(what: impl Into<String>, value: f64, unit: &'static str, note: impl Into<String>) -> Row {
        Row {
            unit,
            ..Row::ratio(what, value, note)
        }
    }

    pub(crate) fn goal(self, goal: f64) -> Row {
        Row {
            goal: Some(goal),
            ..self
        }
    }

    /// A goal that is a promise.
    pub(crate) fn must(self, goal: f64) -> Row {
        Row {
            must: true,
            ..self.goal(goal)
        }
    }

    pub(crate) fn broken(&self) -> bool {
        self.must && self.goal.is_some_and(|goal| self.value > goal)
    }

    fn cells(&self) -> [String; 4] {
        let figure = |value: f64| match self.unit {
            "x" => format!("{value:.2}×"),
            unit => format!("{value:.2} {unit}"),
        };
        let goal = self.goal.map_or_else(String::new, |goal| {
            let word = if self.value <= goal { "met" } else { "MISSED" };
            format!("≤ {} {word}", figure(goal))
        });
        [self.what.clone(), figure(self.value), goal, self.note.clone()]
    }
}

/// A table that is also Markdown.
pub(crate) fn text(rows: &[Row]) -> String {
    let heads = ["what", "figure", "goal", "behind it"].map(str::to_owned);
    let all: Vec<[String; 4]> = std::iter::once(heads).chain(rows.iter().map(Row::cells)).collect();
    let width = |column: usize| all.iter().map(|cells| cells[column].chars().count()).max().unwrap_or(0);
    let widths = [0, 1, 2, 3].map(width);
    let mut text = String::new();
    for (at, cells) in all.iter().enumerate() {
        for (cell, width) in cells.iter().zip(widths) {
            text.push_str(&format!("| {cell:<width$} "));
        }
        text.push_str("|\n");
        if at == 0 {
            for width in widths {
                text.push_str(&format!("|{}", "-".repeat(width + 2)));
            }
            text.push_str("|\n");
        }
    }
    text
}
