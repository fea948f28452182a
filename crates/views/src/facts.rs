//! What is known about one run. The engine fills this from the machine's state; every view of a whole run reads it.

use std::sync::Arc;

use onus_model::{
    Alias, ArtifactRef, Digest, Issue, LevelName, LoopSpec, PreparedCheck, RunId, Score, Scorecard, Status, StepError,
    StopDetails, Task,
};
use serde::Serialize;

#[derive(Debug, Clone, PartialEq)]
pub struct RunFacts {
    pub run_id: RunId,
    pub alias: Alias,
    pub status: Status,
    pub iteration: u32,
    pub max_iterations: u32,
    pub level: LevelName,
    /// The documented word: `PLAN`, `PRODUCE_PREPARE` …
    pub current_step: String,
    pub task: Task,
    pub spec: Arc<LoopSpec>,
    pub contract_sha256: Digest,
    pub plan: Vec<String>,
    pub prepared_checks: Option<Vec<PreparedCheck>>,
    pub artifact: Option<ArtifactRef>,
    pub evaluation: Option<Scorecard>,
    pub critique: Option<Vec<Issue>>,
    pub stop: Option<StopDetails>,
    /// The message of the `failed` event.
    pub failure: Option<String>,
    pub last_phase_error: Option<StepError>,
    pub last_score: Score,
    pub stagnation_count: u32,
    /// How the work goes in circles, in words.
    pub oscillation: Option<String>,
    pub completed_step_ms: u64,
    /// RFC 3339; none while no step is running.
    pub step_started_at: Option<String>,
    pub created_at: String,
    pub updated_at: String,
}

impl RunFacts {
    /// The gate passed; a status of `completed` alone does not say so.
    pub fn passed(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.passed)
    }

    /// The documented stop reason; empty while the run goes on.
    pub fn stop_reason(&self) -> &str {
        match (&self.stop, &self.failure) {
            (Some(stop), _) => &stop.reason,
            (None, Some(_)) => "phase_error",
            (None, None) => "",
        }
    }

    /// The scorecard, if it speaks of the artifact as it is now, at the level the run is at.
    pub fn current_evaluation(&self) -> Option<&Scorecard> {
        self.evaluation
            .as_ref()
            .filter(|_| artifact_status(self) == ArtifactStatus::Evaluated)
    }
}

/// Whether the last score speaks of the artifact. Only `Evaluated` may show a final score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ArtifactStatus {
    NotCreated,
    Unevaluated,
    /// The score belongs to an earlier version, or to an earlier level.
    Stale,
    Evaluated,
}

impl ArtifactStatus {
    pub const fn name(self) -> &'static str {
        match self {
            ArtifactStatus::NotCreated => "not_created",
            ArtifactStatus::Unevaluated => "unevaluated",
            ArtifactStatus::Stale => "stale",
            ArtifactStatus::Evaluated => "evaluated",
        }
    }

    /// Why there is no final score.
    pub const fn reason(self) -> Option<&'static str> {
        match self {
            ArtifactStatus::NotCreated => Some("no artifact was created"),
            ArtifactStatus::Unevaluated => Some("the artifact was never evaluated"),
            ArtifactStatus::Stale => Some("the artifact or the level changed after the last evaluation"),
            ArtifactStatus::Evaluated => None,
        }
    }
}

pub fn artifact_status(facts: &RunFacts) -> ArtifactStatus {
    match (&facts.artifact, &facts.evaluation) {
        (None, _) => ArtifactStatus::NotCreated,
        (Some(_), None) => ArtifactStatus::Unevaluated,
        (Some(artifact), Some(card))
            if card.artifact_sha256 == artifact.artifact_sha256 && card.phase == facts.level =>
        {
            ArtifactStatus::Evaluated
        }
        (Some(_), Some(_)) => ArtifactStatus::Stale,
    }
}
