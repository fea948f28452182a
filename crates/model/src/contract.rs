//! The contract of a run: everything that is frozen by hash before the first step.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Check, CriterionId, Digest, Evaluation, Globs, Judging, LevelName, Role, Score, Scoring, Stage, Status, Weight,
    is_default,
};

/// A preset with the user's overrides, fully expanded: a run needs nothing else. Its canonical SHA-256 is the contract hash.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoopSpec {
    pub preset: String,
    /// Name and version of the criteria set, as `run.json` shows them.
    pub name: String,
    pub version: u32,
    pub task: Task,
    pub cycle: Cycle,
    #[serde(default, skip_serializing_if = "is_default")]
    pub artifact: ArtifactForm,
    /// In order: passing one activates the next.
    pub levels: Vec<Level>,
    pub criteria: Vec<Criterion>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub scoring: Scoring,
    #[serde(default, skip_serializing_if = "is_default")]
    pub evaluation: Evaluation,
    #[serde(default, skip_serializing_if = "is_default")]
    pub judging: Judging,
    /// Tested top-down at a boundary; the first that matches wins.
    pub stop: Vec<StopRule>,
    pub stagnation: Stagnation,
    pub limits: Limits,
    pub roles: BTreeMap<Role, RoleBinding>,
    pub prompts: BTreeMap<Role, TemplateRef>,
    /// Where agents work, relative to the project.
    pub workspace: String,
    #[serde(default, skip_serializing_if = "is_default")]
    pub git: GitUse,
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

/// What a loop makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ArtifactForm {
    /// One document, kept beside the ledger.
    #[default]
    File,
    /// The files of the workspace.
    Tree,
}

/// What a loop over a tree does with git.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GitUse {
    /// Nothing: agents work in the workspace itself.
    #[default]
    Off,
    /// Agents work in a worktree of the run's own; every iteration is a commit on the branch `onus/ALIAS`.
    Worktree,
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
    /// The part of the score it belongs to, where the loop scores by dimensions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dimension: Option<String>,
    /// Evaluated together with the others of its group, and after the groups before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<Gate>,
    /// No score makes up for it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub must_pass: bool,
    /// Producing agents are not told of it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub hidden: bool,
    /// An anti-pattern: when it does not hold, its dimension (or, without one, the whole) scores no more than this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cap: Option<Score>,
    /// What a judge measures it by, from the worst to the best.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rubric: Vec<Anchor>,
    /// The anchor at which it holds; absent: the best but one of three or more, else the best.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass_at: Option<Score>,
    /// The files that decide it: what a judge is shown, and what must stay the same for a verdict to be kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reads: Option<Globs>,
    /// How to tell, in words; PREPARE turns it into checks.
    pub check: String,
    /// Checks the contract brings along: the engine runs these and asks nobody.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verify: Vec<Check>,
}

impl Criterion {
    /// A criterion that says nothing but what it is about.
    pub fn new(id: CriterionId, level: LevelName) -> Criterion {
        Criterion {
            id,
            description: String::new(),
            severity: Severity::Fail,
            weight: Weight::whole(1),
            level,
            dimension: None,
            group: None,
            gate: None,
            must_pass: false,
            hidden: false,
            cap: None,
            rubric: Vec::new(),
            pass_at: None,
            reads: None,
            check: String::new(),
            verify: Vec::new(),
        }
    }

    /// The anchor at which a judged criterion holds.
    pub fn passes_at(&self) -> Score {
        let mut anchors: Vec<Score> = self.rubric.iter().map(|anchor| anchor.score).collect();
        anchors.sort();
        let default = match anchors.as_slice() {
            [.., good, _best] if anchors.len() > 2 => *good,
            [.., best] => *best,
            [] => Score::ONE,
        };
        self.pass_at.unwrap_or(default)
    }
}

/// One step of a rubric: what work that deserves `score` looks like.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Anchor {
    pub score: Score,
    pub text: String,
}

/// Which of the two questions a criterion answers: can the work be believed, and does it do what was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Gate {
    Trust,
    Goal,
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
    /// The work went back to an earlier state, by content or by what fails.
    Oscillation,
    /// A judge took back the same verdict twice without a change to what it is about: a person must decide.
    Dispute,
    /// The time for completed steps is used up.
    BudgetExceeded,
    /// The last allowed iteration did not pass.
    IterationLimit,
}

impl StopCondition {
    pub const ALL: [StopCondition; 9] = [
        StopCondition::ThresholdReached,
        StopCondition::NoMajorIssues,
        StopCondition::UserStop,
        StopCondition::Stagnation,
        StopCondition::SameFailures,
        StopCondition::Oscillation,
        StopCondition::Dispute,
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
            StopCondition::Oscillation => "oscillation",
            StopCondition::Dispute => "dispute",
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
    /// The model family behind it, as the loop file says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
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
