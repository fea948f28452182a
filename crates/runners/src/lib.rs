//! Onus's hands: they run programs and scripted agents, and give back bytes and how it ended.
//!
//! A runner never judges: what the bytes mean is read by `checks` and the engine, what follows is decided by `machine`.
//! Nothing here reads the environment or knows the current directory; both are handed in. Called by the engine only.

mod agent;
mod check;
mod command;
mod files;
mod process;
mod program;
mod scratch;
mod scripted;
mod tree;

pub use agent::{Agent, AgentFailure, AgentReply, AgentRequest, FailureCause};
pub use check::{CheckRequest, Subject, run_check};
pub use command::{CommandAgent, Surroundings};
pub use process::{Captured, End, Finished, Spawn, SpawnError, run};
pub use program::find_program;
pub use scratch::Scratch;
pub use scripted::{Script, ScriptError, ScriptFile, ScriptFormat};
