//! Watching a run: what is recorded becomes words, what is in flight becomes a spinner.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use onus_engine::{Observer, Project};
use onus_ledger::objects;
use onus_machine::Run;
use onus_model::{Digest, Record, StepTask};
use onus_views::{Block, Narrator, Style, for_terminal};

use crate::terminal::{Terminal, out, say};

/// The most of an artifact that is printed in full; the file has all of it.
const ARTIFACT_SHOWN_BYTES_MAX: usize = 256 << 10;

/// What a run's output looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Voice {
    /// For a person, as it happens.
    Words,
    /// One JSON object a line.
    Json,
    /// Nothing until the report.
    Quiet,
}

pub(crate) struct Watcher<'a> {
    project: &'a Project,
    narrator: Narrator,
    voice: Voice,
    style: Style,
    spinner: ProgressBar,
}

impl<'a> Watcher<'a> {
    pub(crate) fn new(project: &'a Project, terminal: &Terminal, voice: Voice, artifact_path: &str) -> Watcher<'a> {
        let spinner = if terminal.lively && voice == Voice::Words {
            ProgressBar::new_spinner()
        } else {
            ProgressBar::hidden()
        };
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
            spinner.set_style(style);
        }
        Watcher {
            project,
            narrator: Narrator::new(terminal.style, artifact_path),
            voice,
            style: terminal.style,
            spinner,
        }
    }

    /// Takes note of what happened before, without a word.
    pub(crate) fn catch_up(&mut self, past: &[Record]) {
        for record in past {
            self.narrator.tell(record);
        }
    }

    /// Prints what one record leads to.
    pub(crate) fn tell(&mut self, record: &Record) {
        match self.voice {
            Voice::Quiet => {}
            Voice::Json => json_line("event", "record", record),
            Voice::Words => {
                let blocks = self.narrator.tell(record);
                for block in blocks {
                    self.spinner.suspend(|| match block {
                        Block::Line(line) => say(&format!("{line}\n")),
                        Block::Note(note) => say(&format!("{}\n", note.trim_end())),
                        Block::Summary(summary) => out(&format!("\n{summary}")),
                        Block::FullArtifact { sha256, title } => {
                            out(&full_artifact(self.project, &sha256, &title, self.style))
                        }
                    });
                }
            }
        }
    }

    pub(crate) fn done(&self) {
        self.spinner.finish_and_clear();
    }
}

impl Observer for Watcher<'_> {
    fn recorded(&mut self, record: &Record, _: &Run) {
        self.tell(record);
    }

    fn step_started(&mut self, task: &StepTask) {
        if self.spinner.is_hidden() {
            return;
        }
        let attempt = if task.attempt > 1 {
            format!(", try {}", task.attempt)
        } else {
            String::new()
        };
        self.spinner.set_message(format!(
            "{} (iteration {}, level {}{attempt})",
            task.step, task.iteration, task.level
        ));
        self.spinner.reset_elapsed();
        self.spinner.enable_steady_tick(Duration::from_millis(120));
    }
}

/// `{"type": kind, key: value}` on a line of its own.
pub(crate) fn json_line(kind: &str, key: &str, value: &impl serde::Serialize) {
    let line = serde_json::json!({ "type": kind, key: value });
    out(&format!("{line}\n"));
}

/// An artifact between two rules, made harmless for a terminal.
fn full_artifact(project: &Project, sha256: &Digest, title: &str, style: Style) -> String {
    let bytes = match objects::get(&project.places, sha256, u64::MAX) {
        Ok(bytes) => bytes,
        Err(error) => return format!("\n(the artifact cannot be shown: {error})\n"),
    };
    let shown = &bytes[..bytes.len().min(ARTIFACT_SHOWN_BYTES_MAX)];
    let mut text = for_terminal(&String::from_utf8_lossy(shown));
    if !text.ends_with('\n') {
        text.push('\n');
    }
    if shown.len() < bytes.len() {
        text.push_str(&format!("… {} more bytes\n", bytes.len() - shown.len()));
    }
    let rule = |label: &str| {
        style.dim(&format!(
            "──── {label} {}",
            "─".repeat(60_usize.saturating_sub(label.chars().count()))
        ))
    };
    format!("\n{}\n{text}{}\n", rule(title), rule("end of artifact"))
}
