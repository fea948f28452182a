//! What a step needs of the world, fixed for the whole run.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use onus_ledger::Places;
use onus_model::{Alias, ArtifactForm, ContextFile, Digest, Role, RunId, Snapshot};
use onus_runners::{Agent, AgentReply};
use tokio::sync::Semaphore;

use crate::Project;
use crate::area::Area;
use crate::inspect::PassedTests;

/// A document given to the agents as background.
#[derive(Debug, Clone)]
pub(crate) struct ContextText {
    pub(crate) path: String,
    pub(crate) text: String,
}

/// An agent and how long one call of it may take.
#[derive(Debug)]
pub(crate) struct BoundAgent {
    /// As the loop file calls it.
    pub(crate) name: String,
    pub(crate) agent: Agent,
    pub(crate) timeout: Duration,
    /// Files of the project that its command runs, as they were when it was bound.
    pub(crate) files: Vec<(PathBuf, Digest)>,
}

/// What it takes to run the programs of checks.
#[derive(Debug)]
pub(crate) struct Tools {
    pub(crate) places: Places,
    /// Where scratch directories of calls and checks are made.
    pub(crate) scratch: PathBuf,
    /// The `PATH` that checks see.
    pub(crate) path: String,
    /// What they see beside it, in a tree of files.
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) timeout: Duration,
    pub(crate) output_bytes_max: u64,
    /// How many check programs run at once.
    pub(crate) turns: Semaphore,
}

impl Tools {
    pub(crate) fn new(project: &Project, scratch: PathBuf, limits: &onus_model::Limits) -> Tools {
        Tools {
            places: project.places.clone(),
            scratch,
            path: project.check_path(),
            env: crate::tree::tool_homes(&project.env),
            timeout: Duration::from_secs(limits.check_timeout_seconds),
            output_bytes_max: limits.output_bytes_max,
            turns: Semaphore::new(std::thread::available_parallelism().map_or(1, usize::from)),
        }
    }
}

#[derive(Debug)]
pub(crate) struct World {
    pub(crate) run_id: RunId,
    pub(crate) alias: Alias,
    pub(crate) tools: std::sync::Arc<Tools>,
    pub(crate) form: ArtifactForm,
    /// Where agents work.
    pub(crate) area: Area,
    /// The tree that the work began from; of a loop around one document it is empty.
    pub(crate) base: Snapshot,
    /// Tests that passed on it.
    pub(crate) before: PassedTests,
    pub(crate) agents: BTreeMap<Role, BoundAgent>,
    /// Who judges, if the loop names judges of its own.
    pub(crate) judges: Vec<BoundAgent>,
    /// How many judges are asked at once.
    pub(crate) judge_turns: Semaphore,
    /// Usable answers of the evaluation that is going on. When another answer was not usable, only that question is put again:
    /// whoever has said no is not asked until it is yes.
    pub(crate) answered: Mutex<BTreeMap<(u32, String), AgentReply>>,
    /// Bad examples for judges, by path.
    pub(crate) twins: BTreeMap<String, String>,
    pub(crate) templates: BTreeMap<Role, String>,
    pub(crate) context: Vec<ContextText>,
    /// Files that checks run, as the contract froze them.
    pub(crate) frozen_files: BTreeMap<String, Digest>,
    /// Files that the contract was read from.
    pub(crate) sources: Vec<ContextFile>,
    /// The project's directory, which `sources` are relative to.
    pub(crate) project: PathBuf,
    /// Why judges' words weigh less in this loop.
    pub(crate) degraded: Vec<String>,
}

impl World {
    /// A usable answer to this question, from an earlier try of the same evaluation.
    pub(crate) fn answer(&self, question: &(u32, String)) -> Option<AgentReply> {
        let answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
        answered.get(question).cloned()
    }

    pub(crate) fn keep_answer(&self, question: (u32, String), reply: AgentReply) {
        let mut answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
        answered.retain(|(stage, _), _| *stage == question.0);
        answered.insert(question, reply);
    }

    pub(crate) fn places(&self) -> &Places {
        &self.tools.places
    }
}
