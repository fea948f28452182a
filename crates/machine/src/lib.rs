//! The decisions of Onus. Everything here is a synchronous function of its arguments: no clock, disk, network,
//! environment or randomness is in scope, so a decision made once can be made again from the ledger alone.
//!
//! * [`decide`] says what one piece of news means: which events to record and what to do next.
//! * [`apply`] replays one recorded event. It is total: what was recorded always applies.
//! * [`pending`] says what a recovered run still owes.
//!
//! Events of one decision are written in one append, but a crash may keep only the first of them. So what follows from a
//! state (a stop, a level switch, the next iteration) is computed from the state itself, and taking a run up again computes
//! it once more.

mod apply;
mod decide;
mod explain;
mod follow;
mod oscillation;
pub mod replay;
mod run;
mod score;
mod share;
mod wellformed;

pub use apply::apply;
pub use decide::{decide, pending};
pub use explain::explain;
pub use run::{Candidate, Known, Progress, Run, Segment, Visit};
pub use score::{blocking, scorecard};
pub use wellformed::well_formed;
