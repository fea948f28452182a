//! The state of a run: what the events so far add up to.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use onus_model::{
    ArtifactRef, CriterionId, Digest, Issue, LevelName, LoopSpec, PreparedCheck, Score, Scorecard, Stage, Status, Step,
    StepError, StepTask, StopDetails,
};
use serde::Serialize;

/// A started run. `None` where a run is expected means: not started.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Run {
    pub spec: Arc<LoopSpec>,
    pub contract_sha256: Digest,
    pub status: Status,
    /// From 1.
    pub iteration: u32,
    pub level: LevelName,
    /// Which list of stages the run is in, and how many of them are done.
    pub segment: Segment,
    pub index: usize,
    /// Stages finished since the start; makes every task's name unique.
    pub stages_done: u32,
    /// Steps of the current stage whose result is recorded.
    pub done: BTreeSet<Step>,
    /// Failed tries in the current stage.
    pub failures: BTreeMap<Step, u32>,
    pub plan: Vec<String>,
    pub prepared_checks: Option<Vec<PreparedCheck>>,
    pub artifact: Option<ArtifactRef>,
    /// The artifact the current stage began from; a stage that is done again begins there again.
    pub stage_base: Option<ArtifactRef>,
    pub evaluation: Option<Box<Scorecard>>,
    pub critique: Option<Vec<Issue>>,
    /// The last finished stage was an evaluation, so the rules that look at scores apply.
    pub freshly_evaluated: bool,
    pub progress: Progress,
    pub completed_step_ms: u64,
    pub last_completed_step: String,
    pub last_error: Option<StepError>,
    pub stop: Option<StopDetails>,
    pub failure: Option<String>,
}

/// Which list of stages of the loop's cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Segment {
    First,
    Later,
    LevelUp,
    OnFail,
}

/// What stagnation is measured by.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Progress {
    pub last_score: Score,
    /// What the next score is compared with; back to 0 at a level switch, where the denominator changes.
    pub base: Score,
    pub stagnation_count: u32,
    pub failing: BTreeSet<CriterionId>,
    /// How many evaluations in a row had exactly this failing set.
    pub same_failures: u32,
}

impl Run {
    pub fn stages(&self) -> &[Stage] {
        let cycle = &self.spec.cycle;
        match self.segment {
            Segment::First => &cycle.first,
            Segment::Later => &cycle.later,
            Segment::LevelUp => &cycle.level_up,
            Segment::OnFail => &cycle.on_fail,
        }
    }

    /// The stage being worked on; `None` between two lists of stages.
    pub fn stage(&self) -> Option<&Stage> {
        self.stages().get(self.index)
    }

    /// The documented `current_step` word.
    pub fn current_step(&self) -> String {
        self.stage()
            .map_or_else(|| self.last_completed_step.clone(), Stage::label)
    }

    pub fn is_running(&self) -> bool {
        self.status == Status::Running
    }

    /// The step's name as of now: a result must carry exactly this to count.
    pub fn task(&self, step: Step) -> StepTask {
        StepTask {
            iteration: self.iteration,
            level: self.level.clone(),
            stage: self.stages_done,
            step,
            attempt: self.failures.get(&step).copied().unwrap_or(0) + 1,
        }
    }

    /// Steps whose result is still awaited.
    pub fn open_tasks(&self) -> Vec<StepTask> {
        if !self.is_running() {
            return Vec::new();
        }
        let steps = self.stage().map_or(&[][..], |stage| &stage.0);
        steps
            .iter()
            .filter(|step| !self.done.contains(step))
            .map(|step| self.task(*step))
            .collect()
    }

    /// The gate passed. Only this makes the exit code 0.
    pub fn passed(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.passed)
    }
}
