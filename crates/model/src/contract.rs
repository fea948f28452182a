//! The contract of a run: everything that is frozen by hash before the first step.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Check, CriterionId, Digest, LevelName, Role, Score, Stage, Status, Weight};

/// A preset with the user's overrides, fully expanded: a run needs nothing else. Its canonical SHA-256 is the contract hash.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoopSpec {
    pub preset: String,
    /// Name and version of the criteria set, as `run.json` shows them.
    pub name: String,
    pub version: u32,
    pub task: Task,
    pub cycle: Cycle,
    /// In order: passing one activates the next.
    pub levels: Vec<Level>,
    pub criteria: Vec<Criterion>,
    /// Tested top-down at a boundary; the first that matches wins.
    pub stop: Vec<StopRule>,
    pub stagnation: Stagnation,
    pub limits: Limits,
    pub roles: BTreeMap<Role, RoleBinding>,
    pub prompts: BTreeMap<Role, TemplateRef>,
    /// Where agents work, relative to the project.
    pub workspace: String,
    /// Paths of a tree that checks see as they were in the base, whatever was done to them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub protected: Vec<String>,
    /// Files of the workspace that the contract's checks run, as they were when the run started. A check whose file was
    /// changed since decides nothing.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub frozen_files: BTreeMap<String, Digest>,
    /// What to do with the finished artifact, in words for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_step: Option<String>,
}

impl LoopSpec {
    /// Criteria that hold at this level.
    pub fn active(&self, level: &LevelName) -> impl Iterator<Item = &Criterion> {
        let names: &[LevelName] = self.level(level).map_or(&[], |l| &l.active_levels);
        self.criteria.iter().filter(move |c| names.contains(&c.level))
    }

    pub fn level(&self, name: &LevelName) -> Option<&Level> {
        self.levels.iter().find(|l| l.name == *name)
    }

    pub fn level_after(&self, name: &LevelName) -> Option<&Level> {
        let at = self.levels.iter().position(|l| l.name == *name)?;
        self.levels.get(at + 1)
    }
}

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Task {
    pub prompt: String,
    #[serde(default)]
    pub ideal_result: String,
    pub task_type: TaskType,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaskType {
    ApiSpec,
    Code,
    Docs,
    Config,
    Other,
}

impl TaskType {
    pub const ALL: [TaskType; 5] = [
        TaskType::ApiSpec,
        TaskType::Code,
        TaskType::Docs,
        TaskType::Config,
        TaskType::Other,
    ];

    /// The word in files and flags.
    pub const fn name(self) -> &'static str {
        match self {
            TaskType::ApiSpec => "api_spec",
            TaskType::Code => "code",
            TaskType::Docs => "docs",
            TaskType::Config => "config",
            TaskType::Other => "other",
        }
    }
}

/// Which stages run when. Presets differ here, not in the machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cycle {
    /// The first iteration.
    pub first: Vec<Stage>,
    /// Every later iteration.
    pub later: Vec<Stage>,
    /// After a level was passed that is not the last: the same artifact, no iteration consumed.
    pub level_up: Vec<Stage>,
    /// After an evaluation that neither passed nor stopped the run; then the next iteration begins.
    pub on_fail: Vec<Stage>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Level {
    pub name: LevelName,
    pub threshold: Score,
    /// Criteria of these levels count here.
    pub active_levels: Vec<LevelName>,
}

/// One thing that must be true.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Criterion {
    pub id: CriterionId,
    pub description: String,
    pub severity: Severity,
    pub weight: Weight,
    #[serde(rename = "phase")]
    pub level: LevelName,
    /// How to tell, in words; PREPARE turns it into checks.
    pub check: String,
    /// Checks the contract brings along: the engine runs these and asks nobody.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verify: Vec<Check>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    Fail,
    Warn,
    Info,
}

impl Severity {
    pub const ALL: [Severity; 3] = [Severity::Fail, Severity::Warn, Severity::Info];

    pub const fn name(self) -> &'static str {
        match self {
            Severity::Fail => "fail",
            Severity::Warn => "warn",
            Severity::Info => "info",
        }
    }
}

impl std::fmt::Display for Severity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// A named condition that ends a run, and the status it leaves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StopRule {
    pub when: StopCondition,
    pub status: Status,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StopCondition {
    /// The last level passed.
    ThresholdReached,
    /// The last level did not pass, but nothing of severity `fail` is failing.
    NoMajorIssues,
    /// A person asked.
    UserStop,
    /// The score has stopped moving while nothing blocks.
    Stagnation,
    /// The same criteria failed several iterations in a row.
    SameFailures,
    /// The time for completed steps is used up.
    BudgetExceeded,
    /// The last allowed iteration did not pass.
    IterationLimit,
}

impl StopCondition {
    pub const ALL: [StopCondition; 7] = [
        StopCondition::ThresholdReached,
        StopCondition::NoMajorIssues,
        StopCondition::UserStop,
        StopCondition::Stagnation,
        StopCondition::SameFailures,
        StopCondition::BudgetExceeded,
        StopCondition::IterationLimit,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            StopCondition::ThresholdReached => "threshold_reached",
            StopCondition::NoMajorIssues => "no_major_issues",
            StopCondition::UserStop => "user_stop",
            StopCondition::Stagnation => "stagnation",
            StopCondition::SameFailures => "same_failures",
            StopCondition::BudgetExceeded => "budget_exceeded",
            StopCondition::IterationLimit => "iteration_limit",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Stagnation {
    /// A smaller gain than this is no progress.
    pub delta_min: Score,
    /// So many evaluations without progress stop the run.
    pub count_max: u32,
    /// The same failing set so many times in a row stops the run; absent: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_failures_max: Option<u32>,
}

/// A bound on everything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Limits {
    pub max_iterations: u32,
    /// Seconds of completed steps after which the run stops at the next boundary; absent: no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_completed_step_seconds: Option<u64>,
    /// How often a step may be tried, the first time included.
    pub step_attempts_max: u32,
    pub plan_steps_min: u32,
    pub plan_steps_max: u32,
    pub critique_issues_max: u32,
    pub agent_timeout_seconds: u64,
    pub check_timeout_seconds: u64,
    pub output_bytes_max: u64,
    pub artifact_bytes_max: u64,
}

/// The agent that plays a role, by its name in the loop file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RoleBinding {
    pub agent: String,
    #[serde(flatten)]
    pub spec: AgentSpec,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum AgentSpec {
    /// Any program that follows the command protocol.
    Command {
        command: Vec<String>,
        /// Names of environment variables it may see beyond the standard ones.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        env: Vec<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timeout_seconds: Option<u64>,
    },
    /// Answers from a file.
    Scripted {
        /// Relative to the project.
        script: String,
        sha256: Digest,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timeout_seconds: Option<u64>,
    },
}

/// The prompt template a role is asked with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TemplateRef {
    /// `preset:reflex/planner`, or a path relative to the project.
    pub path: String,
    pub version: String,
    pub sha256: Digest,
}
