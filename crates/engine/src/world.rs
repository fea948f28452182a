//! What a step needs of the world, fixed for the whole run.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use onus_ledger::Places;
use onus_model::{Alias, Digest, Role, RunId};
use onus_runners::Agent;
use tokio::sync::Semaphore;

/// A document given to the agents as background.
#[derive(Debug, Clone)]
pub(crate) struct ContextText {
    pub(crate) path: String,
    pub(crate) text: String,
}

/// An agent and how long one call of it may take.
#[derive(Debug)]
pub(crate) struct BoundAgent {
    pub(crate) agent: Agent,
    pub(crate) timeout: Duration,
}

#[derive(Debug)]
pub(crate) struct World {
    pub(crate) run_id: RunId,
    pub(crate) alias: Alias,
    pub(crate) places: Places,
    /// Absolute.
    pub(crate) workspace: PathBuf,
    /// Where scratch directories of calls and checks are made.
    pub(crate) scratch: PathBuf,
    /// The `PATH` that checks see.
    pub(crate) path: String,
    pub(crate) agents: BTreeMap<Role, BoundAgent>,
    pub(crate) templates: BTreeMap<Role, String>,
    pub(crate) context: Vec<ContextText>,
    pub(crate) check_timeout: Duration,
    pub(crate) output_bytes_max: u64,
    /// Files that checks run, as the contract froze them.
    pub(crate) frozen_files: BTreeMap<String, Digest>,
    /// How many check programs run at once.
    pub(crate) check_turns: Semaphore,
}
