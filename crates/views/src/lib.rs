//! Onus's telling: records and facts to summaries, reports, tables and JSON.
//!
//! Pure: nothing here prints, reads a clock or decides anything. A face calls these and writes what they return, so the
//! terminal, the files and a replay of a stored history all say the same. Text that agents or people wrote is escaped
//! here, before a terminal can see it.

pub mod check;
pub mod escape;
pub mod explain;
pub mod facts;
pub mod files;
pub mod narrator;
pub mod report;
pub mod status;
pub mod style;
pub mod summary;
pub mod timeline;
mod width;
mod words;

pub use escape::{for_terminal, one_line};
pub use explain::explanation_text;
pub use facts::{ArtifactStatus, RunFacts, artifact_status};
pub use files::{CurrentJson, RunJson, current_json, current_json_text, run_json, run_json_text};
pub use narrator::{Block, Narrator};
pub use report::{Distance, FinalReport, final_report};
pub use status::{RunSummary, list_table, status_line, status_text};
pub use style::Style;
pub use summary::{IterationSummary, iteration_summary, level_switch};
pub use timeline::{foreign_timeline, record_line, timeline};
