//! The loop file (`onus.toml`): its shape, and everything that can be wrong with it on its own.
//!
//! A preset is the same kind of file with everything filled in; a user's file names a preset and says what is different.
//! What depends on both (unknown agents, levels, roles nobody plays) is found by `resolve`.

mod judged;
mod read;

use std::collections::BTreeMap;

use onus_model::{
    Anchor, ArtifactForm, Check, CriterionId, Dimension, Gate, GitUse, Globs, LevelName, OnWorse, Role, SameFamily,
    Score, Severity, Stage, StopRule, TaskType, Weight,
};
use toml::de::DeTable;

use crate::problems::{self, Problem};
use crate::reader::{At, Problems, Section};

pub use read::stays_inside;

/// No loop needs more; a typo should not cost a thousand agent calls.
pub const MAX_ITERATIONS_MAX: u32 = 1000;
/// A loop file as read, together with what is wrong with it. Every value is optional and knows its place.
#[derive(Debug, Clone)]
pub struct LoopFile {
    pub preset: Option<At<String>>,
    pub summary: Option<At<String>>,
    /// Name and version of the criteria set.
    pub name: Option<At<String>>,
    pub version: Option<At<u32>>,
    /// Which template the criteria start from; absent: the one of the task type.
    pub criteria_from: Option<At<CriteriaFrom>>,
    pub artifact: Option<At<ArtifactForm>>,
    pub git: Option<At<GitUse>>,
    pub task: TaskPart,
    pub cycle: CyclePart,
    pub levels: Option<At<Vec<LevelPart>>>,
    pub thresholds: Thresholds,
    pub weights: BTreeMap<Severity, Weight>,
    pub scoring: ScoringPart,
    pub evaluation: EvaluationPart,
    pub judging: JudgingPart,
    pub stop: Option<At<Vec<StopRule>>>,
    pub stagnation: StagnationPart,
    pub limits: LimitsPart,
    pub agents: BTreeMap<String, At<NamedAgent>>,
    pub roles: RolesPart,
    /// `preset:NAME`, or a path relative to the project.
    pub prompts: BTreeMap<Role, At<String>>,
    pub files: FilesPart,
    pub protected: Option<At<Vec<String>>>,
    pub criteria: Vec<At<CriterionPart>>,
    pub templates: BTreeMap<TaskType, TemplatePart>,
    pub inference: InferencePart,
    pub next_steps: BTreeMap<TaskType, String>,
    /// It is TOML at all.
    pub(crate) well_formed: bool,
    pub(crate) problems: Problems,
}

/// Thresholds by level; the key has its own place, because the level may be unknown.
pub type Thresholds = BTreeMap<LevelName, At<Score>>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CriteriaFrom {
    Template(TaskType),
    Nothing,
}

#[derive(Debug, Clone, Default)]
pub struct TaskPart {
    pub prompt: Option<At<String>>,
    pub prompt_file: Option<At<String>>,
    pub ideal_result: Option<At<String>>,
    pub task_type: Option<At<TaskType>>,
}

#[derive(Debug, Clone, Default)]
pub struct CyclePart {
    pub first: Option<At<Vec<Stage>>>,
    pub later: Option<At<Vec<Stage>>>,
    pub level_up: Option<At<Vec<Stage>>>,
    pub on_fail: Option<At<Vec<Stage>>>,
}

#[derive(Debug, Clone)]
pub struct LevelPart {
    pub name: At<LevelName>,
    pub threshold: Score,
    pub active_levels: At<Vec<LevelName>>,
}

#[derive(Debug, Clone, Default)]
pub struct ScoringPart {
    /// Each with the place of its name.
    pub dimensions: Option<At<Vec<At<Dimension>>>>,
    pub strict: Option<At<bool>>,
    pub ratchet: Option<At<bool>>,
    pub trust_threshold: Option<At<Score>>,
    pub on_worse: Option<At<OnWorse>>,
}

#[derive(Debug, Clone, Default)]
pub struct EvaluationPart {
    pub groups: Option<At<Vec<At<String>>>>,
    pub stop_early: Option<At<bool>>,
    pub keep_verdicts: Option<At<bool>>,
    pub flaky_runs: Option<At<u32>>,
}

#[derive(Debug, Clone, Default)]
pub struct JudgingPart {
    /// Names of agents.
    pub judges: Option<At<Vec<At<String>>>>,
    pub one_by_one: Option<At<bool>>,
    pub same_family: Option<At<SameFamily>>,
    pub controls: Option<At<Vec<ControlPart>>>,
}

/// Work that no judge may pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ControlPart {
    Empty,
    Hollow,
    /// The path of a bad example.
    Twin(At<String>),
}

#[derive(Debug, Clone, Default)]
pub struct StagnationPart {
    pub delta_min: Option<At<Score>>,
    pub count_max: Option<At<u32>>,
    pub same_failures_max: Option<At<u32>>,
}

#[derive(Debug, Clone, Default)]
pub struct LimitsPart {
    pub max_iterations: Option<At<u32>>,
    pub max_completed_step_seconds: Option<At<u64>>,
    pub step_attempts_max: Option<At<u32>>,
    pub plan_steps_min: Option<At<u32>>,
    pub plan_steps_max: Option<At<u32>>,
    pub critique_issues_max: Option<At<u32>>,
    pub agent_timeout_seconds: Option<At<u64>>,
    pub check_timeout_seconds: Option<At<u64>>,
    pub output_bytes_max: Option<At<u64>>,
    pub artifact_bytes_max: Option<At<u64>>,
}

/// What `[agents.NAME]` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedAgent {
    /// The model family behind it.
    pub family: Option<String>,
    pub part: AgentPart,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentPart {
    Command {
        command: Vec<String>,
        env: Vec<String>,
        timeout_seconds: Option<u64>,
    },
    Scripted {
        script: At<String>,
        timeout_seconds: Option<u64>,
    },
    /// It has a name, and a problem that was already noted.
    Unreadable,
}

#[derive(Debug, Clone, Default)]
pub struct RolesPart {
    pub default: Option<At<String>>,
    pub named: BTreeMap<Role, At<String>>,
}

#[derive(Debug, Clone, Default)]
pub struct FilesPart {
    pub root: Option<At<String>>,
    pub workspace: Option<At<String>>,
}

/// A criterion, or what is to be different about one of the template's.
#[derive(Debug, Clone)]
pub struct CriterionPart {
    pub id: At<CriterionId>,
    pub description: Option<String>,
    pub severity: Option<Severity>,
    pub weight: Option<Weight>,
    pub level: Option<At<LevelName>>,
    pub dimension: Option<At<String>>,
    pub group: Option<At<String>>,
    pub gate: Option<Gate>,
    pub must_pass: Option<bool>,
    pub hidden: Option<bool>,
    pub cap: Option<Score>,
    pub rubric: Option<Vec<Anchor>>,
    pub pass_at: Option<At<Score>>,
    pub reads: Option<Globs>,
    pub check: Option<String>,
    pub verify: Option<Vec<Check>>,
    /// Some field was unreadable, so what is missing is not worth a second complaint.
    pub damaged: bool,
}

#[derive(Debug, Clone, Default)]
pub struct TemplatePart {
    pub thresholds: Thresholds,
    pub criteria: Vec<At<CriterionPart>>,
}

/// The words that tell a task's type, and what they are worth.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InferencePart {
    pub strong_points: Option<u32>,
    pub weak_points: Option<u32>,
    /// With fewer points a type is not told at all.
    pub points_min: Option<u32>,
    pub words: BTreeMap<TaskType, Keywords>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keywords {
    pub strong: Vec<String>,
    pub weak: Vec<String>,
}

impl LoopFile {
    /// Reads whatever can be read. Problems are kept inside, for `resolve` to report with its own.
    pub fn parse(text: &str) -> LoopFile {
        let (document, errors) = DeTable::parse_recoverable(text);
        let mut problems: Problems = errors.iter().map(|e| Problem::new(e.span(), e.message())).collect();
        let well_formed = problems.is_empty();
        // What a recovered table seems to miss is noise: the syntax comes first.
        let empty = DeTable::new();
        let table = if well_formed { document.get_ref() } else { &empty };
        let file = read::read_file(&mut Section::root(table), &mut problems);
        problems::sort(&mut problems);
        LoopFile {
            well_formed,
            problems,
            ..file
        }
    }

    /// The file that says nothing: its preset says everything.
    pub fn empty() -> LoopFile {
        LoopFile::parse("")
    }

    /// What is wrong with the file on its own.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}
