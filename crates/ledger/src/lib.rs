//! Onus's memory: append-only history, artifacts by hash, locks, recovery.
//!
//! One run is one file, `history.jsonl`. A line is the JSON of a [`onus_model::Record`] whose fields stand in a fixed order:
//!
//! ```text
//! {"seq":1,"ts":"…","run_id":"…","iteration":1,"phase":"A","step":"PLAN","event":"…","status":"ok","payload":{…},"prev":"…","hash":"…","mac":"…"}
//! ```
//!
//! `hash` is the SHA-256 of the bytes before `,"hash":`; `prev` is the hash of the line before (64 zeros for the first);
//! `mac` is HMAC-SHA256 of the 32 hash bytes with a key that lives outside the project. So [`verify`] needs no JSON parser,
//! and a person checks a line with `sed 's/,"hash":"[0-9a-f]*","mac":"[0-9a-f]*"}$//' | tr -d '\n' | sha256sum`. The newest
//! (seq, hash) is also kept outside the project, so a history that lost its end is noticed.
//!
//! What holds:
//! - [`Ledger::append`] is one `write` and one `fdatasync`; it returns records only after both. After any failure the
//!   ledger is poisoned and the disk must be read again by [`Ledger::open`].
//! - Nothing is dropped silently: a half-written last line is reported to the caller, who records it; anything worse is
//!   refused with its place, and only a person's [`repair()`] or [`adopt`] goes on, keeping the old bytes in quarantine.
//! - `run.json`, `current.json` and `artifact.md` are projections ([`files`]); they are never read to decide anything.
//!
//! This crate knows no clock and decides nothing about a run. It blocks; the engine calls it from where blocking is fine.

mod disk;
mod error;
pub mod files;
mod head;
mod key;
mod ledger;
mod line;
mod lock;
pub mod objects;
mod places;
mod read;
mod repair;
mod scan;
mod verify;

pub use error::{AppendStage, Cause, Change, Damage, LedgerError, Unvouched};
pub use files::Durability;
pub use ledger::{HISTORY_BYTES_MAX, Ledger, Recovered};
pub use line::LINE_BYTES_MAX;
pub use lock::{Holder, holder};
pub use places::{ARTIFACT_FILE, CURRENT_FILE, HISTORY_FILE, Places, RUN_FILE};
pub use read::{Authenticity, Chained, Foreign, HeadState, History, read};
pub use repair::{Adopted, Fault, RepairPlan, Repaired, adopt, plan_repair, repair};
pub use scan::Torn;
pub use verify::{Problem, ProblemKind, Report, verify};

#[cfg(test)]
mod testing;
