//! The state of a run: what the events so far add up to.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use onus_model::{
    ArtifactRef, CriterionId, Digest, FileEdit, Issue, LevelName, LoopSpec, PreparedCheck, Score, Scorecard, Stage,
    Status, Step, StepError, StepTask, StopDetails, Verdict,
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
    /// Criteria that some evaluation of this run passed.
    pub passed_once: BTreeSet<CriterionId>,
    /// Every artifact evaluated at the highest level so far, with what was found last.
    pub candidates: Vec<Candidate>,
    /// Where the work has been at this level.
    pub trail: Vec<Visit>,
    /// How the work goes in circles, in words for people.
    pub oscillation: Option<String>,
    /// How often a judge took back a pass without a change to what it is about.
    pub disputes: BTreeMap<CriterionId, u32>,
    /// Frozen files that were found changed.
    pub edits: BTreeSet<FileEdit>,
    pub completed_step_ms: u64,
    pub last_completed_step: String,
    pub last_error: Option<StepError>,
    /// What the contract's checks said before the work.
    pub baseline: Vec<Verdict>,
    /// The last verdict on each criterion that may be kept, and the artifact it was about.
    pub known: BTreeMap<CriterionId, Known>,
    /// The artifact was taken back to the best so far since the last evaluation.
    pub restored: bool,
    pub stop: Option<StopDetails>,
    pub failure: Option<String>,
}

/// A verdict and what it was about.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Known {
    pub verdict: Verdict,
    pub artifact_sha256: Digest,
}

/// Which list of stages of the loop's cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Segment {
    First,
    Later,
    LevelUp,
    OnFail,
    /// The last level passed with verdicts that were kept: one evaluation of everything says whether it holds.
    Confirm,
}

/// An artifact that was evaluated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Candidate {
    pub artifact: ArtifactRef,
    pub scorecard: Arc<Scorecard>,
    /// The level's place in the loop.
    pub level: usize,
    /// How many things no score makes up for; what was left out is not known to be one.
    pub blocking: usize,
    /// How many criteria nobody decided, because something before them failed.
    pub left_out: usize,
}

impl Candidate {
    /// Greater is better. An evaluation that got further is: whoever mends what stopped it early must not be taken back for
    /// what only then came to light.
    pub(crate) fn rank(&self) -> (usize, Reverse<usize>, Reverse<usize>, Score) {
        (
            self.level,
            Reverse(self.left_out),
            Reverse(self.blocking),
            self.scorecard.score,
        )
    }
}

/// One artifact on the way, and what failed there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Visit {
    pub iteration: u32,
    pub artifact: Digest,
    pub failing: BTreeSet<CriterionId>,
    /// The engine went back here; the agents did not.
    pub restored: bool,
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
            // A well-formed list ends with [evaluate].
            Segment::Confirm => cycle.first.last().map_or(&[], std::slice::from_ref),
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

    /// An evaluation is due in which no verdict may be kept.
    pub fn confirming(&self) -> bool {
        self.segment == Segment::Confirm
    }

    /// The best artifact so far: by level, then by how little blocks, then by how much was decided, then by
    /// score. Of equals the earliest.
    pub fn best(&self) -> Option<&Candidate> {
        let better = |best: &'_ Candidate, next: &'_ Candidate| next.rank() > best.rank();
        self.candidates
            .iter()
            .reduce(|best, next| if better(best, next) { next } else { best })
    }

    /// What was found about this artifact.
    pub(crate) fn candidate(&self, artifact: Digest) -> Option<&Candidate> {
        self.candidates
            .iter()
            .find(|candidate| candidate.artifact.artifact_sha256 == artifact)
    }

    /// The best artifact, if the current one is worse or was never evaluated.
    pub(crate) fn better_than_current(&self) -> Option<&Candidate> {
        let current = self.artifact.as_ref()?.artifact_sha256;
        let standing = self.candidate(current).map(Candidate::rank);
        self.best().filter(|best| Some(best.rank()) > standing)
    }

    /// The gate passed. Only this makes the exit code 0.
    pub fn passed(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.passed)
    }
}
