//! Onus's senses: raw output to answers, verdicts and evidence.
//!
//! Pure: bytes and exit statuses come in as arguments. Nothing here runs a program, reads a file or decides what a verdict
//! means for the run; `runners` produce what is read here, `machine` decides.
//!
//! Everything read is written by someone else, so every reader has a bound and fails closed.

mod markdown;
mod pattern;
mod text;

pub mod answer;
pub mod artifact;
pub mod content;
pub mod control;
pub mod evaluate;
pub mod executable;
pub mod quote;
pub mod result;
pub mod sections;

pub use answer::{AnswerError, Place, critique, plan, prepared, read_json_answer, runnable};
pub use artifact::artifact_text;
pub use content::search;
pub use control::control;
pub use evaluate::{asked, from_checks, judge, unchecked};
pub use executable::{RunEnd, read_run};
pub use pattern::COUNT_MAX;
pub use quote::{Folded, find_quote};
pub use result::{CheckResult, Outcome};
pub use sections::changes;
