//! A draft: what set-up shows and edits before a person confirms it. Freezing turns it into the contract.

use std::collections::{BTreeMap, BTreeSet};

use onus_model::{
    AgentSpec, ArtifactForm, Criterion, Cycle, Digest, Evaluation, GitUse, JudgeControl, Judging, Level, Limits,
    LoopSpec, Role, RoleBinding, SameFamily, Scoring, Severity, Stagnation, StopRule, Task, TaskType, TemplateRef,
    Weight,
};

use crate::family::{Kin, Program};
use crate::file::{AgentPart, ControlPart, NamedAgent};
use crate::infer::Inference;
use crate::problems::{Problem, Span};
use crate::prompts;

/// Texts of the files a loop names, by the path that names them. The caller reads them; this crate touches no disk.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    pub texts: BTreeMap<String, String>,
}

impl Sources {
    pub fn get(&self, path: &str) -> Option<&str> {
        self.texts.get(path).map(String::as_str)
    }
}

/// A file that must be read before a loop can be resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileNeed {
    /// Relative to the project.
    pub path: String,
    pub why: Need,
    /// Where the loop file names it, for the report if it cannot be read.
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    TaskPrompt,
    Template {
        role: Role,
    },
    Script {
        agent: String,
    },
    /// A bad example that no judge may pass.
    Twin,
}

/// Who gave a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    Flag,
    File,
    /// Stated in the task's own words.
    Prompt,
    /// Said in set-up.
    Person,
    Preset,
}

/// A loop with everything filled in that is known so far.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    pub preset: String,
    pub name: String,
    pub version: u32,
    /// May still be empty.
    pub prompt: String,
    pub ideal_result: String,
    /// Absent: it was not given, and the prompt does not tell it plainly. Ask, and resolve again with the answer.
    pub task_type: Option<TaskType>,
    /// What the prompt says about the type, given or not.
    pub inference: Inference,
    pub cycle: Cycle,
    pub artifact: ArtifactForm,
    pub git: GitUse,
    pub scoring: Scoring,
    pub evaluation: Evaluation,
    pub judging: DraftJudging,
    pub levels: Vec<Level>,
    pub criteria: Vec<Criterion>,
    /// What a criterion of each severity is worth by default.
    pub weights: BTreeMap<Severity, Weight>,
    pub stop: Vec<StopRule>,
    pub stagnation: Stagnation,
    pub limits: Limits,
    pub max_iterations_from: Origin,
    /// The agent of every role that the cycle needs.
    pub roles: BTreeMap<Role, BoundAgent>,
    /// The template of every such role: `preset:NAME` or a path.
    pub prompts: BTreeMap<Role, String>,
    /// Where the run's files go, relative to the project. No part of the contract.
    pub root: String,
    pub workspace: String,
    /// Paths that checks see as they were in the base.
    pub protected: Vec<String>,
    /// What to do with the finished artifact.
    pub next_step: Option<String>,
}

/// Who judges and how, before the files it names are frozen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftJudging {
    pub judges: Vec<BoundAgent>,
    pub one_by_one: bool,
    pub controls: Vec<ControlPart>,
    pub same_family: SameFamily,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoundAgent {
    pub agent: String,
    pub family: Option<String>,
    pub spec: AgentPart,
}

impl Draft {
    /// What a criterion of this severity is worth.
    pub fn weight_of(&self, severity: Severity) -> Weight {
        self.weights.get(&severity).copied().unwrap_or(Weight::ZERO)
    }

    /// The contract. Fails while something is missing that only a person or a file can give.
    pub fn freeze(&self, sources: &Sources) -> Result<LoopSpec, Vec<Problem>> {
        let mut problems = self.gaps();
        let roles = collect(&self.roles, &mut problems, |_, bound| bound.freeze(sources));
        let prompts = collect(&self.prompts, &mut problems, |role, path| {
            freeze_prompt(role, path, sources)
        });
        let judging = self.judging.freeze(sources, &mut problems);
        match self.task_type {
            Some(task_type) if problems.is_empty() => Ok(LoopSpec {
                preset: self.preset.clone(),
                name: self.name.clone(),
                version: self.version,
                task: Task {
                    prompt: self.prompt.clone(),
                    ideal_result: self.ideal_result.clone(),
                    task_type,
                },
                cycle: self.cycle.clone(),
                artifact: self.artifact,
                scoring: self.scoring.clone(),
                evaluation: self.evaluation.clone(),
                judging,
                git: self.git,
                levels: self.levels.clone(),
                criteria: self.criteria.clone(),
                stop: self.stop.clone(),
                stagnation: self.stagnation.clone(),
                limits: self.limits.clone(),
                roles,
                prompts,
                workspace: self.workspace.clone(),
                protected: self.protected.clone(),
                next_step: self.next_step.clone(),
                // The caller reads the workspace.
                frozen_files: BTreeMap::new(),
            }),
            Some(_) | None => Err(problems),
        }
    }

    /// What only set-up can fill in: the task, its type, and criteria that can decide something at every level.
    pub fn gaps(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut gap = |message: String, help: &str| {
            problems.push(Problem::new(None, message).with_help(help.to_owned()));
        };
        if self.prompt.trim().is_empty() {
            gap(
                "there is no task".to_owned(),
                "set `task.prompt`, or give the task on the command line",
            );
        }
        if self.task_type.is_none() {
            let message = match &self.inference {
                Inference::Ambiguous(types) => {
                    let names: Vec<&str> = types.iter().map(|t| t.name()).collect();
                    format!("the task's type is not plain: it could be {}", names.join(" or "))
                }
                Inference::One(_) | Inference::Unknown => "the task's type is not plain".to_owned(),
            };
            gap(
                message,
                "set `task.type` to `api_spec`, `code`, `docs`, `config` or `other`",
            );
        }
        for level in &self.levels {
            let counts = |c: &&Criterion| level.active_levels.contains(&c.level) && c.weight > Weight::ZERO;
            if self.criteria.iter().find(counts).is_none() {
                let message = format!("no criterion counts at level `{}`, so it would always pass", level.name);
                gap(message, "add `[[criteria]]`, or set `criteria_from` to a task type");
            }
        }
        let mut seen = BTreeSet::new();
        for criterion in self.criteria.iter().filter(|c| !seen.insert(&c.id)) {
            gap(
                format!("criterion `{}` is there twice", criterion.id),
                "give each one its own id",
            );
        }
        problems
    }
}

impl DraftJudging {
    fn freeze(&self, sources: &Sources, problems: &mut Vec<Problem>) -> Judging {
        let mut note = |problem: Problem| {
            if !problems.contains(&problem) {
                problems.push(problem);
            }
        };
        let mut judges = Vec::new();
        for judge in &self.judges {
            judge
                .freeze(sources)
                .map_or_else(&mut note, |binding| judges.push(binding));
        }
        let mut controls = Vec::new();
        for control in &self.controls {
            controls.push(match control {
                ControlPart::Empty => JudgeControl::Empty,
                ControlPart::Hollow => JudgeControl::Hollow,
                ControlPart::Twin(path) => match sources.get(&path.value) {
                    Some(text) => JudgeControl::Twin {
                        path: path.value.clone(),
                        sha256: Digest::of(text.as_bytes()),
                    },
                    None => {
                        note(path.problem(format!("bad example `{}` was not read", path.value)));
                        continue;
                    }
                },
            });
        }
        Judging {
            judges,
            one_by_one: self.one_by_one,
            controls,
            same_family: self.same_family,
        }
    }
}

impl BoundAgent {
    pub(crate) fn new(name: &str, agent: &NamedAgent) -> BoundAgent {
        BoundAgent {
            agent: name.to_owned(),
            family: agent.family.clone(),
            spec: agent.part.clone(),
        }
    }

    pub(crate) fn kin(&self) -> Kin<'_> {
        Kin {
            agent: &self.agent,
            family: self.family.as_deref(),
            program: match &self.spec {
                AgentPart::Command { command, env, .. } => Program::Command(command, env),
                AgentPart::Scripted { script, .. } => Program::Script(&script.value),
                AgentPart::Unreadable => Program::Unknown,
            },
        }
    }

    fn freeze(&self, sources: &Sources) -> Result<RoleBinding, Problem> {
        let spec = match &self.spec {
            AgentPart::Command {
                command,
                env,
                timeout_seconds,
            } => AgentSpec::Command {
                command: command.clone(),
                env: env.clone(),
                timeout_seconds: *timeout_seconds,
            },
            AgentPart::Scripted {
                script,
                timeout_seconds,
            } => {
                let text = sources.get(&script.value).ok_or_else(|| {
                    script.problem(format!(
                        "script `{}` of agent `{}` was not read",
                        script.value, self.agent
                    ))
                })?;
                AgentSpec::Scripted {
                    script: script.value.clone(),
                    sha256: Digest::of(text.as_bytes()),
                    timeout_seconds: *timeout_seconds,
                }
            }
            AgentPart::Unreadable => {
                return Err(Problem::new(None, format!("agent `{}` could not be read", self.agent)));
            }
        };
        Ok(RoleBinding {
            agent: self.agent.clone(),
            family: self.family.clone(),
            spec,
        })
    }
}

fn freeze_prompt(role: Role, path: &str, sources: &Sources) -> Result<TemplateRef, Problem> {
    match prompts::built_in(path).or_else(|| sources.get(path)) {
        Some(text) => Ok(prompts::template_ref(path, text)),
        None => Err(Problem::new(
            None,
            format!("prompt template `{path}` of role `{role}` was not read"),
        )),
    }
}

/// The values that came out, while each failure is noted once.
fn collect<V, T>(
    map: &BTreeMap<Role, V>,
    problems: &mut Vec<Problem>,
    mut freeze: impl FnMut(Role, &V) -> Result<T, Problem>,
) -> BTreeMap<Role, T> {
    let mut frozen = BTreeMap::new();
    for (role, value) in map {
        match freeze(*role, value) {
            Ok(value) => frozen.extend([(*role, value)]),
            Err(problem) if problems.contains(&problem) => {}
            Err(problem) => problems.push(problem),
        }
    }
    frozen
}
