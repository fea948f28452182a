//! Events: what happened, in the past tense, and the record that carries one in `history.jsonl`.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    CriterionId, Digest, Issue, LevelName, LoopSpec, PreparedCheck, RunId, Score, Scorecard, Step, StopCondition,
    Verdict,
};

/// One line of the ledger. Field order is the order on disk; `prev`, `hash` and `mac` come last (see the ledger crate).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Record {
    pub seq: u64,
    /// RFC 3339, UTC. Decoration: order is by `seq`.
    pub ts: String,
    pub run_id: RunId,
    #[serde(flatten)]
    pub stamped: Stamped,
    pub prev: Digest,
    pub hash: Digest,
    /// HMAC of `hash` with a key that agents cannot reach.
    pub mac: Digest,
}

/// An event with where in the loop it happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Stamped {
    pub iteration: u32,
    /// The level's name; the source documents call it phase.
    pub phase: LevelName,
    /// The stage's label: `PLAN`, `PRODUCE_PREPARE` …
    pub step: String,
    #[serde(flatten)]
    pub event: Event,
    pub status: String,
}

/// The first twelve are the loop's own; the rest is the engine's housekeeping.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", content = "payload", rename_all = "snake_case")]
pub enum Event {
    RunStarted(Box<RunStarted>),
    PlanCreated {
        plan: Vec<String>,
        #[serde(flatten)]
        note: ProgressNote,
    },
    ArtifactCreated {
        #[serde(flatten)]
        artifact: ArtifactRef,
        #[serde(flatten)]
        note: ProgressNote,
    },
    ChecksPrepared {
        checks: Vec<PreparedCheck>,
        #[serde(flatten)]
        note: ProgressNote,
    },
    EvaluationDone {
        #[serde(flatten)]
        scorecard: Box<Scorecard>,
        #[serde(flatten)]
        note: ProgressNote,
    },
    CritiqueDone {
        issues: Vec<Issue>,
        #[serde(flatten)]
        note: ProgressNote,
    },
    RefinementDone {
        #[serde(flatten)]
        artifact: ArtifactRef,
        previous_artifact_hash: Digest,
        #[serde(flatten)]
        note: ProgressNote,
    },
    /// An earlier artifact was taken up again because it is better than the last one.
    ArtifactRestored {
        #[serde(flatten)]
        artifact: ArtifactRef,
        score: Score,
        replaced: Digest,
    },
    PhaseSwitched {
        from: LevelName,
        to: LevelName,
    },
    IterationAdvanced {
        iteration: u32,
    },
    PhaseError {
        #[serde(flatten)]
        error: StepError,
        attempt: u32,
        will_retry: bool,
    },
    Stopped(StopDetails),
    Failed {
        reason: String,
        message: String,
    },
    /// A process took the run up again; whatever was in flight runs once more.
    Resumed {
        by: String,
        engine: String,
    },
    /// A file that the contract froze was changed during the run. The run goes on with what was frozen.
    EditRefused(FileEdit),
    /// A half-written last line was removed before going on.
    TailRepaired {
        bytes_dropped: u64,
        dropped_sha256: Digest,
    },
    /// A person accepted a history that this machine could not vouch for.
    Adopted {
        by: String,
        reason: String,
    },
    /// A person cut a damaged end off the history.
    Repaired {
        by: String,
        bytes_dropped: u64,
        dropped_sha256: Digest,
    },
}

impl Event {
    pub const fn name(&self) -> &'static str {
        match self {
            Event::RunStarted(_) => "run_started",
            Event::PlanCreated { .. } => "plan_created",
            Event::ArtifactCreated { .. } => "artifact_created",
            Event::ChecksPrepared { .. } => "checks_prepared",
            Event::EvaluationDone { .. } => "evaluation_done",
            Event::CritiqueDone { .. } => "critique_done",
            Event::RefinementDone { .. } => "refinement_done",
            Event::ArtifactRestored { .. } => "artifact_restored",
            Event::PhaseSwitched { .. } => "phase_switched",
            Event::IterationAdvanced { .. } => "iteration_advanced",
            Event::PhaseError { .. } => "phase_error",
            Event::Stopped(_) => "stopped",
            Event::Failed { .. } => "failed",
            Event::Resumed { .. } => "resumed",
            Event::EditRefused(_) => "edit_refused",
            Event::TailRepaired { .. } => "tail_repaired",
            Event::Adopted { .. } => "adopted",
            Event::Repaired { .. } => "repaired",
        }
    }

    /// The record's `status` word.
    pub const fn status(&self) -> &'static str {
        match self {
            Event::PhaseError { .. } | Event::Failed { .. } => "error",
            Event::EditRefused(_) | Event::TailRepaired { .. } | Event::Adopted { .. } | Event::Repaired { .. } => {
                "warn"
            }
            Event::RunStarted(_)
            | Event::PlanCreated { .. }
            | Event::ArtifactCreated { .. }
            | Event::ChecksPrepared { .. }
            | Event::EvaluationDone { .. }
            | Event::CritiqueDone { .. }
            | Event::RefinementDone { .. }
            | Event::ArtifactRestored { .. }
            | Event::PhaseSwitched { .. }
            | Event::IterationAdvanced { .. }
            | Event::Stopped(_)
            | Event::Resumed { .. } => "ok",
        }
    }
}

/// Everything a run starts from. With it, all else can be rebuilt from the ledger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunStarted {
    pub contract_sha256: Digest,
    pub spec: Arc<LoopSpec>,
    pub confirmed: Confirmations,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub context: Vec<ContextFile>,
    /// Files that the contract was read from: the loop file, templates, scripts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<ContextFile>,
    /// The work before the run, and what every check said about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Box<Baseline>>,
    pub engine: String,
}

/// How things stood before the first agent was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Baseline {
    /// The tree the work begins from, as a stored snapshot; absent: the loop makes one document from nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_sha256: Option<Digest>,
    /// The tests that passed on it, as a stored list by command; absent: there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests_sha256: Option<Digest>,
    /// Of the criteria that the contract's own checks decide, at every level.
    pub verdicts: Vec<Verdict>,
}

/// A frozen file that is not what it was.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct FileEdit {
    pub path: String,
    pub frozen_sha256: Digest,
    /// Absent: it is gone, or cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found_sha256: Option<Digest>,
}

/// Who confirmed what. A run never starts without both.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Confirmations {
    pub criteria: Confirmation,
    pub max_iterations: Confirmation,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Confirmation {
    pub by: String,
    /// `prompt`, or the flag that said it.
    pub how: String,
    pub at: String,
}

/// A project document given to the agents as background.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContextFile {
    pub path: String,
    pub sha256: Digest,
}

/// An artifact by content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactRef {
    pub artifact_sha256: Digest,
    pub bytes: u64,
    pub changed: Changes,
}

/// Which sections moved against the artifact before.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Changes {
    /// There was nothing before.
    #[serde(default)]
    pub initial: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modified: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
}

/// What a finished step leaves beside its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ProgressNote {
    /// Milliseconds the stage took, on the event that completes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage_ms: Option<u64>,
    /// The agent's full output, if it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<Digest>,
}

/// Why a step did not give a usable result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[error("{failed_step}: {message}")]
pub struct StepError {
    pub failed_step: Step,
    /// A stable word: `spawn`, `exit`, `signal`, `timeout`, `output_limit`, `invalid_answer`, `empty_artifact`, `cancelled`, `io`.
    pub kind: String,
    pub message: String,
    /// The end of what the agent wrote, for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tail: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<Digest>,
}

/// How and why a run stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StopDetails {
    /// The rule's name, or what the person said.
    pub reason: StopReason,
    pub rule: StopCondition,
    /// The status this leaves.
    pub outcome: Status,
    /// The gate passed. Nothing else makes the exit code 0.
    pub passed: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocking: Vec<CriterionId>,
    pub completed_phase_seconds: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_completed_phase_seconds: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overshoot_seconds: Option<u64>,
    pub last_completed_step: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

pub type StopReason = String;

/// Where a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Running,
    Completed,
    Stopped,
    Failed,
}

impl Status {
    pub const fn name(self) -> &'static str {
        match self {
            Status::Running => "running",
            Status::Completed => "completed",
            Status::Stopped => "stopped",
            Status::Failed => "failed",
        }
    }
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
