//! Onus's senses: raw output to answers, verdicts and evidence.
//!
//! Pure: bytes and exit statuses come in as arguments. Nothing here runs a program, reads a file or decides what a verdict
//! means for the run; `runners` produce what is read here, `machine` decides.
//!
//! Everything read is written by someone else, so every reader has a bound and fails closed.

mod document;
mod markdown;
mod pattern;
mod report;
mod text;
mod xml;

pub mod answer;
pub mod artifact;
pub mod artifact_files;
pub mod content;
pub mod control;
pub mod coverage;
pub mod diff;
pub mod evaluate;
pub mod executable;
pub mod expr;
pub mod globs;
pub mod judge;
pub mod links;
pub mod lint;
pub mod marker;
pub mod metric;
pub mod openapi;
pub mod pattern_files;
pub mod quote;
pub mod reads;
pub mod repeat;
pub mod result;
pub mod schema;
pub mod sections;
pub mod tests_run;

pub use answer::{AnswerError, Place, critique, plan, prepared, read_json_answer, runnable};
pub use artifact::artifact_text;
pub use artifact_files::artifact_files;
pub use content::search;
pub use control::control;
pub use coverage::coverage;
pub use diff::diff;
pub use evaluate::{asked, from_checks, unchecked};
pub use executable::{RunEnd, read_run};
pub use expr::expr;
pub use globs::{compile_globs, matching};
pub use judge::{
    Earlier, Judged, Leak, LeakPlace, Material, Prior, combine, converge, first_word, hollow, judge, leak,
    packet_files, passes_claimed, void,
};
pub use links::links;
pub use lint::lint;
pub use marker::marker;
pub use metric::metric;
pub use openapi::openapi;
pub use pattern::COUNT_MAX;
pub use pattern_files::pattern_files;
pub use quote::{Folded, find_quote};
pub use reads::reads_digest;
pub use repeat::repeated;
pub use result::{CheckResult, FINDINGS_MAX, Files, Outcome, Ran, unusable};
pub use schema::{Validator, Violation, schema_files};
pub use sections::changes;
pub use tests_run::{TestReport, TestStatus, passed_tests, tests};
