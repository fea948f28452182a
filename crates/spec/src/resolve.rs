//! A loop file over its preset, with the flags over both: a draft, or everything that is in the way of one.

mod judged;

use std::collections::{BTreeMap, BTreeSet};

use onus_model::{
    ArtifactForm, Criterion, Cycle, Level, LevelName, Limits, Role, Score, Severity, Stage, Stagnation, StopCondition,
    StopRule, TaskType, Weight,
};

use self::judged::Known;
use crate::draft::{BoundAgent, Draft, FileNeed, Need, Origin, Sources};
use crate::file::{
    AgentPart, ControlPart, CriteriaFrom, CriterionPart, InferencePart, LoopFile, MAX_ITERATIONS_MAX, NamedAgent,
    TemplatePart, stays_inside,
};
use crate::infer::{infer_task_type, stated_max_iterations};
use crate::presets;
use crate::problems::{self, Problem, Span, suggest};
use crate::prompts;
use crate::reader::{At, Problems};

/// What flags and other tools' settings say; it wins over the loop file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overrides {
    pub prompt: Option<String>,
    pub ideal_result: Option<String>,
    pub task_type: Option<TaskType>,
    pub max_iterations: Option<u32>,
    pub max_completed_step_seconds: Option<u64>,
    pub same_failures_max: Option<u32>,
    pub thresholds: BTreeMap<LevelName, Score>,
    /// One command that plays every role.
    pub agent: Option<Vec<String>>,
    /// Only the contract is wanted: nobody needs to play a role.
    pub contract_only: bool,
    /// Where the run's files go.
    pub root: Option<String>,
    pub workspace: Option<String>,
}

/// The name of the agent that a flag gave.
const FLAG_AGENT: &str = "command-line";

impl LoopFile {
    /// The files to read before resolving: the task's prompt, templates, scripts of agents that play a role or judge, and
    /// the judges' bad examples.
    pub fn needs(&self, overrides: &Overrides) -> Vec<FileNeed> {
        let need = |path: &At<String>, why| FileNeed {
            path: path.value.clone(),
            why,
            span: path.span.clone(),
        };
        let mut needs = Vec::new();
        if overrides.prompt.is_none() {
            needs.extend(self.task.prompt_file.as_ref().map(|path| need(path, Need::TaskPrompt)));
        }
        let own = self
            .prompts
            .iter()
            .filter(|(_, path)| !path.value.starts_with(prompts::BUILT_IN));
        needs.extend(own.map(|(role, path)| need(path, Need::Template { role: *role })));
        for (name, agent) in &self.agents {
            if let AgentPart::Scripted { script, .. } = &agent.value.part
                && overrides.agent.is_none()
                && self.plays(name)
            {
                needs.push(need(script, Need::Script { agent: name.clone() }));
            }
        }
        for control in self.judging.controls.iter().flat_map(|at| &at.value) {
            match control {
                ControlPart::Twin(path) => needs.push(need(path, Need::Twin)),
                ControlPart::Empty | ControlPart::Hollow => {}
            }
        }
        needs
    }

    /// The agent of every role that has none of its own: the named default, or the only agent there is.
    fn default_agent(&self) -> Option<&str> {
        let only = match self.agents.len() {
            1 => self.agents.keys().next().map(String::as_str),
            _ => None,
        };
        self.roles.default.as_ref().map(|at| at.value.as_str()).or(only)
    }

    fn plays(&self, agent: &str) -> bool {
        let judges = self.judging.judges.iter().flat_map(|at| &at.value);
        self.default_agent() == Some(agent)
            || self
                .roles
                .named
                .values()
                .chain(judges)
                .any(|named| named.value == agent)
    }
}

/// Puts everything together. Problems of the file on its own are reported along with those found here.
pub fn resolve(file: &LoopFile, overrides: &Overrides, sources: &Sources) -> Result<Draft, Vec<Problem>> {
    let mut problems = file.problems.clone();
    if !file.well_formed {
        // Of a file that is not TOML nothing is known, so nothing is missing either.
        return Err(problems);
    }
    let wanted = file.preset.as_ref().map_or(presets::DEFAULT, |at| at.value.as_str());
    if let (None, Some(at)) = (presets::preset(wanted), &file.preset) {
        let problem = at.problem(format!("unknown preset `{wanted}`"));
        problems.push(problem.with_help(suggest(wanted, presets::names())));
    }
    // With an unknown preset the rest is still worth checking, against the default one.
    let preset = presets::preset(wanted).or_else(|| presets::preset(presets::DEFAULT));
    let draft = preset.and_then(|preset| {
        let mut resolver = Resolver {
            file,
            overrides,
            sources,
            preset: &preset.file,
            problems: &mut problems,
        };
        resolver.draft(preset.name)
    });
    match draft {
        Some(draft) if problems.is_empty() => Ok(draft),
        Some(_) | None => {
            problems::sort(&mut problems);
            Err(problems)
        }
    }
}

struct Resolver<'a> {
    file: &'a LoopFile,
    preset: &'a LoopFile,
    overrides: &'a Overrides,
    sources: &'a Sources,
    problems: &'a mut Problems,
}

/// A part of either file; only a place in the user's file means anything to the user.
struct Picked<T> {
    value: T,
    span: Option<Span>,
}

impl Resolver<'_> {
    fn draft(&mut self, preset: &str) -> Option<Draft> {
        let prompt = self.prompt();
        let inference = infer_task_type(&prompt, &self.inference());
        let given = self
            .overrides
            .task_type
            .or(self.file.task.task_type.as_ref().map(|at| at.value));
        // What a preset is made for counts least: the prompt may say otherwise.
        let usual = self.preset.task.task_type.as_ref().map(|at| at.value);
        let task_type = given.or(inference.one()).or(usual);
        let cycle = self.cycle();
        let levels = self.levels(task_type);
        let weights = self.weights();
        let (artifact, git) = self.form();
        let (scoring, evaluation) = (self.scoring(), self.evaluation());
        let known = Known {
            dimensions: scoring
                .dimensions
                .iter()
                .map(|dimension| dimension.name.clone())
                .collect(),
            groups: evaluation.groups.clone(),
        };
        let criteria = levels
            .as_deref()
            .map(|levels| self.criteria(task_type, levels, &weights, &known));
        let stop = self.stop();
        let stagnation = self.stagnation();
        let limits = self.limits(&prompt);
        let roles = match (&cycle, self.overrides.contract_only) {
            (_, true) => Some(BTreeMap::new()),
            (cycle, false) => cycle.as_ref().map(|cycle| self.roles(cycle)),
        };
        let judging = self.judging();
        if let (Some(roles), Some(criteria)) = (&roles, &criteria) {
            self.refuse_same_family(&judging, roles, criteria);
        }
        let prompts = cycle.as_ref().map(|cycle| self.prompts(cycle, artifact));
        let root = self.path("files.root", &self.overrides.root, |file| &file.files.root);
        let workspace = self.path("files.workspace", &self.overrides.workspace, |file| {
            &file.files.workspace
        });
        let name = self.pick("name", |file| &file.name);
        let version = self.pick("version", |file| &file.version);
        let (limits, max_iterations_from) = limits?;
        Some(Draft {
            preset: preset.to_owned(),
            name: name?.value,
            version: version?.value,
            ideal_result: self.ideal_result(),
            prompt,
            task_type,
            inference,
            cycle: cycle?,
            artifact,
            git,
            scoring,
            evaluation,
            judging,
            levels: levels?,
            criteria: criteria?,
            weights,
            stop: stop?,
            stagnation: stagnation?,
            limits,
            max_iterations_from,
            roles: roles?,
            prompts: prompts?,
            root: root?,
            workspace: workspace?,
            protected: self
                .pick_if_set(|file| &file.protected)
                .map(|picked| picked.value)
                .unwrap_or_default(),
            next_step: task_type.and_then(|t| self.next_step(t)),
        })
    }

    fn note(&mut self, span: Option<Span>, message: impl Into<String>, help: Option<String>) {
        self.problems.push(Problem::new(span, message).with_help(help));
    }

    /// The user's value, else the preset's.
    fn pick_if_set<T: Clone>(&self, part: impl Fn(&LoopFile) -> &Option<At<T>>) -> Option<Picked<T>> {
        let mine = part(self.file).as_ref().map(|at| Picked {
            value: at.value.clone(),
            span: Some(at.span.clone()),
        });
        mine.or_else(|| {
            part(self.preset).as_ref().map(|at| Picked {
                value: at.value.clone(),
                span: None,
            })
        })
    }

    fn pick<T: Clone>(&mut self, name: &str, part: impl Fn(&LoopFile) -> &Option<At<T>>) -> Option<Picked<T>> {
        let picked = self.pick_if_set(part);
        if picked.is_none() {
            self.note(
                None,
                format!("neither the loop file nor its preset sets `{name}`"),
                None,
            );
        }
        picked
    }

    fn value<T: Clone>(&mut self, name: &str, part: impl Fn(&LoopFile) -> &Option<At<T>>) -> Option<T> {
        self.pick(name, part).map(|picked| picked.value)
    }

    fn prompt(&mut self) -> String {
        let task = &self.file.task;
        if let Some(prompt) = self
            .overrides
            .prompt
            .as_ref()
            .or(task.prompt.as_ref().map(|at| &at.value))
        {
            return prompt.clone();
        }
        let Some(path) = &task.prompt_file else {
            return String::new();
        };
        match self.sources.get(&path.value) {
            Some(text) if !text.trim().is_empty() => text.trim().to_owned(),
            Some(_) => {
                self.problems
                    .push(path.problem(format!("`{}` holds no task", path.value)));
                String::new()
            }
            None => {
                self.problems
                    .push(path.problem(format!("`{}` was not read", path.value)));
                String::new()
            }
        }
    }

    fn ideal_result(&self) -> String {
        let in_file = self.file.task.ideal_result.as_ref().map(|at| &at.value);
        self.overrides
            .ideal_result
            .as_ref()
            .or(in_file)
            .cloned()
            .unwrap_or_default()
    }

    fn inference(&self) -> InferencePart {
        let (mine, theirs) = (&self.file.inference, &self.preset.inference);
        let mut words = theirs.words.clone();
        words.extend(mine.words.clone());
        InferencePart {
            strong_points: mine.strong_points.or(theirs.strong_points),
            weak_points: mine.weak_points.or(theirs.weak_points),
            points_min: mine.points_min.or(theirs.points_min),
            words,
        }
    }

    fn next_step(&self, task_type: TaskType) -> Option<String> {
        self.file
            .next_steps
            .get(&task_type)
            .or_else(|| self.preset.next_steps.get(&task_type))
            .cloned()
    }

    fn cycle(&mut self) -> Option<Cycle> {
        let first = self.pick("cycle.first", |file| &file.cycle.first)?;
        let produces = |stage: &Stage| stage.0.contains(&onus_model::Step::Produce);
        if !first.value.iter().any(produces) {
            self.note(
                first.span,
                "`cycle.first` has no `produce`, so there would be nothing to evaluate",
                None,
            );
        }
        Some(Cycle {
            first: first.value,
            later: self.value("cycle.later", |file| &file.cycle.later)?,
            level_up: self.value("cycle.level_up", |file| &file.cycle.level_up)?,
            on_fail: self.value("cycle.on_fail", |file| &file.cycle.on_fail)?,
        })
    }

    /// The template the criteria start from, and whether the user wrote it.
    fn template(&self, task_type: Option<TaskType>) -> Option<(&TemplatePart, bool)> {
        let wanted = match self.file.criteria_from.as_ref().map(|at| at.value) {
            Some(CriteriaFrom::Nothing) => None,
            Some(CriteriaFrom::Template(template)) => Some(template),
            None => task_type,
        }?;
        let mine = self.file.templates.get(&wanted).map(|template| (template, true));
        mine.or_else(|| self.preset.templates.get(&wanted).map(|template| (template, false)))
    }

    /// Levels with their thresholds: flags, then `[thresholds]`, then the template's, then the levels' own.
    fn levels(&mut self, task_type: Option<TaskType>) -> Option<Vec<Level>> {
        let parts = self.pick("levels", |file| &file.levels)?;
        let own_levels = parts.span.is_some();
        let names: Vec<LevelName> = parts.value.iter().map(|level| level.name.value.clone()).collect();
        if names.is_empty() {
            self.note(parts.span, "`levels` is empty, so nothing could ever pass", None);
            return None;
        }
        let template = match self.template(task_type) {
            Some((template, own)) if own || !own_levels => template.thresholds.clone(),
            Some(_) | None => BTreeMap::new(),
        };
        let in_file = self
            .file
            .thresholds
            .iter()
            .map(|(level, at)| (level.clone(), Some(at.span.clone())));
        let in_flags = self.overrides.thresholds.keys().map(|level| (level.clone(), None));
        for (level, span) in in_file.chain(in_flags).collect::<Vec<_>>() {
            self.known_level(&level, span, "a threshold is set for", &names);
        }
        for (at, part) in parts.value.iter().enumerate() {
            let span = own_levels.then(|| part.name.span.clone());
            if names[..at].contains(&part.name.value) {
                self.note(
                    span.clone(),
                    format!("level `{}` is there twice", part.name.value),
                    None,
                );
            }
            if !parts
                .value
                .iter()
                .any(|level| level.active_levels.value.contains(&part.name.value))
            {
                let help = format!("add it to its own `active_levels`: `[\"{}\"]`", part.name.value);
                self.note(
                    span,
                    format!("level `{}` is active nowhere", part.name.value),
                    Some(help),
                );
            }
            for active in &part.active_levels.value {
                let span = own_levels.then(|| part.active_levels.span.clone());
                self.known_level(active, span, "`active_levels` names", &names);
            }
        }
        let threshold = |name: &LevelName, own: Score| {
            let flag = self.overrides.thresholds.get(name).copied();
            let in_file = || self.file.thresholds.get(name).map(|at| at.value);
            flag.or_else(in_file)
                .or_else(|| template.get(name).map(|at| at.value))
                .unwrap_or(own)
        };
        let levels = parts.value.into_iter().map(|part| Level {
            threshold: threshold(&part.name.value, part.threshold),
            name: part.name.value,
            active_levels: part.active_levels.value,
        });
        Some(levels.collect())
    }

    fn known_level(&mut self, level: &LevelName, span: Option<Span>, what: &str, names: &[LevelName]) -> bool {
        let known = names.contains(level);
        if !known {
            let help = suggest(level.as_str(), names.iter().map(LevelName::as_str));
            self.note(span, format!("{what} level `{level}`, which does not exist"), help);
        }
        known
    }

    fn weights(&self) -> BTreeMap<Severity, Weight> {
        let mut weights = self.preset.weights.clone();
        weights.extend(self.file.weights.clone());
        weights
    }

    /// The template's criteria; the user's on top: the same id changes one, a new id adds one.
    fn criteria(
        &mut self,
        task_type: Option<TaskType>,
        levels: &[Level],
        weights: &BTreeMap<Severity, Weight>,
        known: &Known,
    ) -> Vec<Criterion> {
        let mut parts: Vec<Picked<CriterionPart>> = Vec::new();
        if let Some((template, own)) = self.template(task_type) {
            parts.extend(template.criteria.iter().map(|at| Picked {
                value: at.value.clone(),
                span: own.then(|| at.value.id.span.clone()),
            }));
        }
        for at in &self.file.criteria {
            let span = Some(at.value.id.span.clone());
            match parts.iter_mut().find(|part| part.value.id.value == at.value.id.value) {
                Some(part) => {
                    *part = Picked {
                        value: overlaid(&part.value, &at.value),
                        span,
                    }
                }
                None => parts.push(Picked {
                    value: at.value.clone(),
                    span,
                }),
            }
        }
        let names: Vec<LevelName> = levels.iter().map(|level| level.name.clone()).collect();
        parts
            .into_iter()
            .filter_map(|part| self.criterion(part, &names, weights, known))
            .collect()
    }

    fn criterion(
        &mut self,
        part: Picked<CriterionPart>,
        levels: &[LevelName],
        weights: &BTreeMap<Severity, Weight>,
        known: &Known,
    ) -> Option<Criterion> {
        let Picked { value: part, span } = part;
        let id = part.id.value.clone();
        self.fits(&id, &part, &span, known);
        let level = match part.level {
            Some(at) => {
                let mine = self.file.criteria.iter().find(|mine| mine.value.id.value == id);
                let named = mine.and_then(|mine| mine.value.level.as_ref());
                let place = named.map(|level| level.span.clone()).or(span.clone());
                self.known_level(&at.value, place, &format!("criterion `{id}` is of"), levels)
                    .then_some(at.value)?
            }
            None => match level_of(&id.to_string(), levels) {
                Some(level) => level.clone(),
                None => return self.lacks(span, part.damaged, &id.to_string(), "level"),
            },
        };
        let verify = part.verify.unwrap_or_default();
        let Some(severity) = part.severity else {
            return self.lacks(span, part.damaged, &id.to_string(), "severity");
        };
        let Some(description) = part.description else {
            return self.lacks(span, part.damaged, &id.to_string(), "description");
        };
        let check = match part.check {
            Some(check) => check,
            // With a check of its own the engine needs no words; people still want some.
            None if !verify.is_empty() => description.clone(),
            None => return self.lacks(span, part.damaged, &id.to_string(), "check"),
        };
        Some(Criterion {
            weight: part.weight.or(weights.get(&severity).copied()).unwrap_or(Weight::ZERO),
            description,
            severity,
            dimension: part.dimension.map(|at| at.value),
            group: part.group.map(|at| at.value),
            gate: part.gate,
            must_pass: part.must_pass.unwrap_or_default(),
            hidden: part.hidden.unwrap_or_default(),
            cap: part.cap,
            rubric: part.rubric.unwrap_or_default(),
            pass_at: part.pass_at.map(|at| at.value),
            reads: part.reads,
            check,
            verify,
            ..Criterion::new(id, level)
        })
    }

    fn lacks(&mut self, span: Option<Span>, damaged: bool, id: &str, key: &str) -> Option<Criterion> {
        if !damaged {
            let help = match key {
                "check" => Some("say in words how to tell, or give `verify`".to_owned()),
                _ => None,
            };
            self.note(span, format!("criterion `{id}` has no `{key}`"), help);
        }
        None
    }

    fn stop(&mut self) -> Option<Vec<StopRule>> {
        let stop = self.pick("stop", |file| &file.stop)?;
        let mut seen = BTreeSet::new();
        for rule in &stop.value {
            if !seen.insert(rule.when) {
                self.note(
                    stop.span.clone(),
                    format!("stop rule `{}` is there twice", rule.when.name()),
                    None,
                );
            }
        }
        // Without these a run could end without its gate, or never.
        for needed in [
            StopCondition::ThresholdReached,
            StopCondition::UserStop,
            StopCondition::IterationLimit,
        ] {
            if !seen.contains(&needed) {
                self.note(
                    stop.span.clone(),
                    format!("stop rule `{}` is missing", needed.name()),
                    None,
                );
            }
        }
        Some(stop.value)
    }

    fn stagnation(&mut self) -> Option<Stagnation> {
        let same_failures = self
            .pick_if_set(|file| &file.stagnation.same_failures_max)
            .map(|picked| picked.value);
        Some(Stagnation {
            delta_min: self.value("stagnation.delta_min", |file| &file.stagnation.delta_min)?,
            count_max: self.value("stagnation.count_max", |file| &file.stagnation.count_max)?,
            same_failures_max: self.overrides.same_failures_max.or(same_failures),
        })
    }

    fn limits(&mut self, prompt: &str) -> Option<(Limits, Origin)> {
        let (max_iterations, origin) = self.max_iterations(prompt)?;
        let seconds = self
            .pick_if_set(|file| &file.limits.max_completed_step_seconds)
            .map(|picked| picked.value);
        if self.overrides.max_completed_step_seconds == Some(0) {
            self.note(
                None,
                "the limit on completed seconds must be a positive integer, not 0",
                None,
            );
        }
        let least = self.pick("limits.plan_steps_min", |file| &file.limits.plan_steps_min)?;
        let most = self.pick("limits.plan_steps_max", |file| &file.limits.plan_steps_max)?;
        if least.value > most.value {
            let message = format!(
                "`limits.plan_steps_min` is {}, more than `limits.plan_steps_max`, {}",
                least.value, most.value
            );
            self.note(least.span.or(most.span), message, None);
        }
        let limits = Limits {
            max_iterations,
            max_completed_step_seconds: self.overrides.max_completed_step_seconds.or(seconds),
            step_attempts_max: self.value("limits.step_attempts_max", |file| &file.limits.step_attempts_max)?,
            plan_steps_min: least.value,
            plan_steps_max: most.value,
            critique_issues_max: self.value("limits.critique_issues_max", |file| &file.limits.critique_issues_max)?,
            agent_timeout_seconds: self.value("limits.agent_timeout_seconds", |file| {
                &file.limits.agent_timeout_seconds
            })?,
            check_timeout_seconds: self.value("limits.check_timeout_seconds", |file| {
                &file.limits.check_timeout_seconds
            })?,
            output_bytes_max: self.value("limits.output_bytes_max", |file| &file.limits.output_bytes_max)?,
            artifact_bytes_max: self.value("limits.artifact_bytes_max", |file| &file.limits.artifact_bytes_max)?,
        };
        Some((limits, origin))
    }

    fn max_iterations(&mut self, prompt: &str) -> Option<(u32, Origin)> {
        if let Some(flag) = self.overrides.max_iterations {
            if !(1..=MAX_ITERATIONS_MAX).contains(&flag) {
                self.note(
                    None,
                    format!("the number of iterations must be between 1 and {MAX_ITERATIONS_MAX}, not {flag}"),
                    None,
                );
            }
            return Some((flag, Origin::Flag));
        }
        if let Some(at) = &self.file.limits.max_iterations {
            return Some((at.value, Origin::File));
        }
        if let Some(stated) = stated_max_iterations(prompt) {
            return Some((stated, Origin::Prompt));
        }
        self.value("limits.max_iterations", |file| &file.limits.max_iterations)
            .map(|count| (count, Origin::Preset))
    }

    fn roles(&mut self, cycle: &Cycle) -> BTreeMap<Role, BoundAgent> {
        let named = self.file.roles.named.values().chain(&self.file.roles.default);
        for agent in named.filter(|agent| !self.file.agents.contains_key(&agent.value)) {
            self.problems.push(unknown_agent(self.file, agent));
        }
        if let Some(command) = &self.overrides.agent {
            return self.flag_agent(command, cycle);
        }
        let mut bound = BTreeMap::new();
        let mut unplayed = Vec::new();
        // Where judges are named, the first of them stands in for an evaluator that is not.
        let judge = self.file.judging.judges.as_ref().and_then(|at| at.value.first());
        for role in needed(cycle) {
            let own = self.file.roles.named.get(&role);
            let stand_in = judge.filter(|_| role == Role::Evaluator);
            let own = own.or(stand_in).map(|at| at.value.as_str());
            match own.or(self.file.default_agent()) {
                // An unknown agent was noted above.
                Some(name) => bound.extend(
                    self.file
                        .agents
                        .get(name)
                        .map(|agent| (role, BoundAgent::new(name, &agent.value))),
                ),
                None => unplayed.push(format!("`{role}`")),
            }
        }
        if !unplayed.is_empty() {
            let help =
                "name one in `[agents.NAME]`, set it as `default` in `[roles]`, or pass `--agent COMMAND`".to_owned();
            self.note(None, format!("no agent plays {}", unplayed.join(", ")), Some(help));
        }
        bound
    }

    fn flag_agent(&mut self, command: &[String], cycle: &Cycle) -> BTreeMap<Role, BoundAgent> {
        if command.first().is_none_or(|program| program.trim().is_empty()) {
            self.note(None, "the agent's command names no program", None);
        }
        let part = AgentPart::Command {
            command: command.to_vec(),
            env: Vec::new(),
            timeout_seconds: None,
        };
        let agent = BoundAgent::new(FLAG_AGENT, &NamedAgent { family: None, part });
        needed(cycle).into_iter().map(|role| (role, agent.clone())).collect()
    }

    /// Templates of the roles that play; the user's own are tried out right here.
    fn prompts(&mut self, cycle: &Cycle, form: ArtifactForm) -> BTreeMap<Role, String> {
        let mut paths = BTreeMap::new();
        for role in needed(cycle) {
            let mine = self.file.prompts.get(&role);
            if let Some(at) = mine
                && let Some(text) = self.sources.get(&at.value)
                && let Err(error) = prompts::try_out(role, form, text)
            {
                let cause = std::error::Error::source(&error).map(ToString::to_string);
                self.problems.push(
                    at.problem(format!("prompt template `{}`: {error}", at.value))
                        .with_help(cause),
                );
            }
            match mine.or_else(|| self.preset.prompts.get(&role)) {
                Some(at) => paths.extend([(role, at.value.clone())]),
                None => self.note(None, format!("role `{role}` has no prompt template"), None),
            }
        }
        paths
    }

    fn path(
        &mut self,
        name: &str,
        flag: &Option<String>,
        part: impl Fn(&LoopFile) -> &Option<At<String>>,
    ) -> Option<String> {
        match flag {
            Some(path) if !stays_inside(path) => {
                self.note(
                    None,
                    format!("`{name}` must be a relative path without `..`, not {path:?}"),
                    None,
                );
                None
            }
            Some(path) => Some(path.clone()),
            None => self.value(name, part),
        }
    }
}

fn unknown_agent(file: &LoopFile, name: &At<String>) -> Problem {
    let known = file.agents.keys().map(String::as_str);
    let help = suggest(&name.value, known).unwrap_or_else(|| format!("define it: `[agents.{}]`", name.value));
    name.problem(format!("unknown agent `{}`", name.value)).with_help(help)
}

/// Roles that some step of the cycle needs.
fn needed(cycle: &Cycle) -> BTreeSet<Role> {
    let stages = [&cycle.first, &cycle.later, &cycle.level_up, &cycle.on_fail];
    stages
        .into_iter()
        .flatten()
        .flat_map(|stage| &stage.0)
        .map(|step| step.role())
        .collect()
}

/// The user's fields where given. A new severity brings its own weight, and a new rubric its own passing anchor.
fn overlaid(base: &CriterionPart, over: &CriterionPart) -> CriterionPart {
    let kept_weight = match over.severity {
        Some(severity) if Some(severity) != base.severity => None,
        Some(_) | None => base.weight,
    };
    let kept_pass_at = base.pass_at.as_ref().filter(|_| over.rubric.is_none());
    CriterionPart {
        id: over.id.clone(),
        description: over.description.clone().or_else(|| base.description.clone()),
        severity: over.severity.or(base.severity),
        weight: over.weight.or(kept_weight),
        level: over.level.clone().or_else(|| base.level.clone()),
        dimension: over.dimension.clone().or_else(|| base.dimension.clone()),
        group: over.group.clone().or_else(|| base.group.clone()),
        gate: over.gate.or(base.gate),
        must_pass: over.must_pass.or(base.must_pass),
        hidden: over.hidden.or(base.hidden),
        cap: over.cap.or(base.cap),
        rubric: over.rubric.clone().or_else(|| base.rubric.clone()),
        pass_at: over.pass_at.clone().or_else(|| kept_pass_at.cloned()),
        reads: over.reads.clone().or_else(|| base.reads.clone()),
        check: over.check.clone().or_else(|| base.check.clone()),
        verify: over.verify.clone().or_else(|| base.verify.clone()),
        damaged: over.damaged || base.damaged,
    }
}

/// `a.correctness.endpoints` is of level `A`.
fn level_of<'l>(id: &str, levels: &'l [LevelName]) -> Option<&'l LevelName> {
    let (prefix, _) = id.split_once('.')?;
    levels.iter().find(|level| level.as_str().eq_ignore_ascii_case(prefix))
}
