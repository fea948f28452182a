//! The engine: it wires the pure decisions to the world and owns the one event loop of a run.
//!
//! A face loads a loop file ([`load`]), lets a person confirm the draft, starts or resumes a run ([`OpenRun`]) and drives it
//! ([`OpenRun::drive`]) while watching what is recorded. Everything a face shows comes from events; everything it wants goes
//! through these verbs.
//!
//! Not here: decisions (`machine`), reading of answers (`checks`), words on a screen (`views` and the faces).

mod agents;
mod area;
mod ask;
mod book;
mod branch;
mod checking;
mod clock;
mod drive;
mod error;
mod evaluation;
mod frozen;
pub mod inspect;
mod intent;
mod judging;
pub mod load;
pub mod mend;
mod open;
mod perform;
mod preflight;
mod project;
pub mod prove;
pub mod shelf;
mod sources;
pub mod tree;
mod world;

pub use clock::{Clock, SystemClock};
pub use drive::{Control, Ending, Observer};
pub use error::EngineError;
pub use open::{NewRun, OpenRun, Rebuilt, rebuild, stop_idle};
pub use preflight::preflight;
pub use project::{LOOP_FILE, Project};

/// Recorded in every ledger, so that a history says which engine wrote it.
pub const ENGINE: &str = concat!("onus ", env!("CARGO_PKG_VERSION"));
