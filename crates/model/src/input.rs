//! What goes into a decision and what comes out of it.

use crate::{
    ArtifactRef, Digest, Effort, FileEdit, Issue, PreparedCheck, RunStarted, Stamped, Status, StepError, StepTask,
    Verdict,
};

/// News from the world.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    Start(Box<RunStarted>),
    /// A step gave a usable result.
    Finished {
        task: StepTask,
        output: StepOutput,
        transcript: Option<Digest>,
        boundary: Boundary,
    },
    /// A step did not.
    Failed {
        task: StepTask,
        error: StepError,
        boundary: Boundary,
    },
    /// A person stops a run that no process is working on.
    Stop {
        reason: Option<String>,
        by: String,
    },
    /// A process takes the run up again.
    Resume {
        by: String,
        engine: String,
        /// Frozen files that are not what they were.
        edits: Vec<FileEdit>,
    },
}

/// What a step gave, already read and verified.
#[derive(Debug, Clone, PartialEq)]
pub enum StepOutput {
    Plan(Vec<String>),
    /// From PRODUCE or REFINE.
    Artifact(ArtifactRef),
    Checks(Vec<PreparedCheck>),
    Verdicts {
        artifact: Digest,
        verdicts: Vec<Verdict>,
        effort: Effort,
        degraded: Vec<String>,
    },
    Critique(Vec<Issue>),
}

/// What the engine knows at the moment a step ends.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Boundary {
    /// Milliseconds since the stage began, by a monotonic clock.
    pub stage_ms: u64,
    pub stop_requested: Option<StopRequest>,
    /// Frozen files that are not what they were.
    pub edits: Vec<FileEdit>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StopRequest {
    /// `user_stop` if absent.
    pub reason: Option<String>,
    pub by: String,
}

/// What one input means: record these events, in this order and all at once; then do these effects.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Decision {
    pub events: Vec<Stamped>,
    pub effects: Vec<Effect>,
}

/// What the engine owes the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    Run(StepTask),
}

/// An input that changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Rejected {
    #[error("the run has not started")]
    NotStarted,
    #[error("the run has already started")]
    AlreadyStarted,
    #[error("the run has ended: it is {0}")]
    Ended(Status),
    #[error("step {0} is not open")]
    NotOpen(StepTask),
    #[error("step {task} cannot give {given}")]
    WrongOutput { task: StepTask, given: &'static str },
    #[error("the verdicts are about artifact {given}, the run's artifact is {current}")]
    WrongArtifact { given: Digest, current: String },
    #[error("the loop is not well-formed: {0}")]
    BadSpec(String),
}
