//! The shape of the loop file, key by key.

use std::collections::BTreeMap;

use onus_model::{
    ArtifactForm, Check, CheckKind, CommandLine, CriterionId, ExpectedContent, ExpectedRun, GitUse, LevelName, Role,
    Search, Severity, Stage, Status, Step, StopCondition, StopRule, TaskType,
};
use serde::de::DeserializeOwned;

use super::judged::{read_evaluation, read_gate, read_globs, read_judging, read_repeat, read_rubric, read_scoring};
use super::{
    AgentPart, CriteriaFrom, CriterionPart, CyclePart, FilesPart, InferencePart, Keywords, LevelPart, LimitsPart,
    LoopFile, MAX_ITERATIONS_MAX, NamedAgent, RolesPart, StagnationPart, TaskPart, TemplatePart, Thresholds,
};
use crate::problems::{Problem, suggest};
use crate::prompts;
use crate::reader::{At, Node, Problems, Section};

/// Thirty days: the longest a step or a run may be allowed to take.
const SECONDS_MAX: u64 = 30 * 24 * 3600;
/// One GiB: an artifact or an output beyond it would not fit where it is read.
const BYTES_MAX: u64 = 1 << 30;
/// More tries, plan steps or issues than this are a mistake.
const COUNT_MAX: u32 = 100;

pub(super) const SCORE: &str = "a number between 0 and 1 with at most four decimals";
pub(super) const WEIGHT: &str = "a number between 0 and 1000000 with at most three decimals";

/// The whole file.
pub(super) fn read_file(root: &mut Section<'_>, p: &mut Problems) -> LoopFile {
    let file = LoopFile {
        preset: root.read("preset", p, Node::filled),
        summary: root.read("summary", p, Node::filled),
        name: root.read("name", p, Node::filled),
        version: root.read("version", p, |node, p| node.count(1..=u32::MAX, p)),
        criteria_from: root.read("criteria_from", p, read_criteria_from),
        artifact: root.read("artifact", p, |node, p| {
            node.word(&[("file", ArtifactForm::File), ("tree", ArtifactForm::Tree)], p)
        }),
        git: root.read("git", p, |node, p| {
            node.word(&[("off", GitUse::Off), ("worktree", GitUse::Worktree)], p)
        }),
        task: in_section(root, "task", p, read_task),
        cycle: in_section(root, "cycle", p, read_cycle),
        levels: root.read("levels", p, |node, p| node.list(p, read_level)),
        thresholds: in_section(root, "thresholds", p, read_thresholds),
        weights: in_section(root, "weights", p, |section, p| {
            section.by_word("severity", &severities(), p, |node, p| node.quantity(WEIGHT, p))
        }),
        scoring: in_section(root, "scoring", p, read_scoring),
        evaluation: in_section(root, "evaluation", p, read_evaluation),
        judging: in_section(root, "judging", p, read_judging),
        stop: root.read("stop", p, |node, p| node.list(p, read_stop_rule)),
        stagnation: in_section(root, "stagnation", p, read_stagnation),
        limits: in_section(root, "limits", p, read_limits),
        agents: in_section(root, "agents", p, read_agents),
        roles: in_section(root, "roles", p, read_roles),
        prompts: in_section(root, "prompts", p, |section, p| {
            section.by_word("role", &roles(), p, |node, p| {
                read_prompt_path(node, p).map(|path| node.at(path))
            })
        }),
        files: in_section(root, "files", p, |section, p| FilesPart {
            root: section.read("root", p, inside),
            workspace: section.read("workspace", p, inside),
        }),
        protected: root.read("protected", p, |node, p| node.list(p, inside)),
        criteria: read_criteria(root, "[[criteria]]", p),
        templates: in_section(root, "templates", p, |section, p| {
            section.by_word("task type", &task_types(), p, read_template)
        }),
        inference: in_section(root, "inference", p, read_inference),
        next_steps: in_section(root, "next_steps", p, |section, p| {
            section.by_word("task type", &task_types(), p, Node::filled)
        }),
        well_formed: true,
        problems: Problems::new(),
    };
    root.finish(p);
    file
}

/// Reads the table `[key]` if it is there. What `read` did not ask for is unknown.
fn in_section<T: Default>(
    root: &mut Section<'_>,
    key: &'static str,
    problems: &mut Problems,
    read: impl FnOnce(&mut Section<'_>, &mut Problems) -> T,
) -> T {
    let node = root.get(key);
    let section = node.and_then(|node| node.section(format!("[{key}]"), problems));
    section.map_or_else(T::default, |mut section| {
        let value = read(&mut section, problems);
        section.finish(problems);
        value
    })
}

fn read_criteria_from(node: &Node<'_>, problems: &mut Problems) -> Option<CriteriaFrom> {
    let templates = TaskType::ALL.map(|t| (t.name(), CriteriaFrom::Template(t)));
    let words: Vec<_> = templates.into_iter().chain([("none", CriteriaFrom::Nothing)]).collect();
    node.word(&words, problems)
}

fn read_task(section: &mut Section<'_>, problems: &mut Problems) -> TaskPart {
    let task = TaskPart {
        prompt: section.read("prompt", problems, Node::filled),
        prompt_file: section.read("prompt_file", problems, inside),
        ideal_result: section.read("ideal_result", problems, Node::text),
        task_type: section.read("type", problems, |node, p| node.word(&task_types(), p)),
    };
    if let (Some(_), Some(file)) = (&task.prompt, &task.prompt_file) {
        let problem = file.problem("`task.prompt` and `task.prompt_file` are both given");
        problems.push(problem.with_help("keep one of them".to_owned()));
    }
    task
}

fn read_cycle(section: &mut Section<'_>, problems: &mut Problems) -> CyclePart {
    CyclePart {
        first: section.read("first", problems, evaluated_stages),
        later: section.read("later", problems, evaluated_stages),
        level_up: section.read("level_up", problems, evaluated_stages),
        on_fail: section.read("on_fail", problems, |node, problems| {
            let stages = read_stages(node, problems)?;
            if stages.iter().any(|stage| stage.0.contains(&Step::Evaluate)) {
                let message = format!("`{}` must not hold `evaluate`: the next iteration evaluates", node.name);
                problems.push(Problem::new(node.span.clone(), message));
                return None;
            }
            Some(stages)
        }),
    }
}

/// Stages that end with an evaluation, on its own: the machine decides there and nowhere else.
fn evaluated_stages(node: &Node<'_>, problems: &mut Problems) -> Option<Vec<Stage>> {
    let stages = read_stages(node, problems)?;
    let evaluations = stages
        .iter()
        .flat_map(|stage| &stage.0)
        .filter(|step| **step == Step::Evaluate)
        .count();
    let last_alone = stages.last().is_some_and(|stage| stage.0 == [Step::Evaluate]);
    if evaluations == 1 && last_alone {
        return Some(stages);
    }
    let message = match evaluations {
        0 => format!("`{}` has no `evaluate`, so nothing would ever pass", node.name),
        _ => format!("`{}` must evaluate once, in a last stage of its own", node.name),
    };
    let help = "end it with `[\"evaluate\"]`".to_owned();
    problems.push(Problem::new(node.span.clone(), message).with_help(help));
    None
}

fn read_stages(node: &Node<'_>, problems: &mut Problems) -> Option<Vec<Stage>> {
    let steps = Step::ALL.map(|step| (step.name(), step));
    node.list(problems, |stage, problems| {
        let read = stage.list(problems, |step, problems| step.word(&steps, problems))?;
        let twice = read.iter().enumerate().find(|(at, step)| read[..*at].contains(step));
        let message = match (read.is_empty(), twice) {
            (true, _) => format!("`{}` has an empty stage", node.name),
            (false, Some((_, step))) => format!("`{}` has `{step}` twice in one stage", node.name),
            (false, None) => return Some(Stage(read)),
        };
        problems.push(Problem::new(stage.span.clone(), message));
        None
    })
}

fn read_level(node: &Node<'_>, problems: &mut Problems) -> Option<LevelPart> {
    let before = problems.len();
    let mut section = node.section("[[levels]]", problems)?;
    let name = section.read("name", problems, read_level_name);
    let threshold = section.read("threshold", problems, |node, p| node.quantity(SCORE, p));
    let active = section.read("active_levels", problems, |node, p| node.list(p, read_level_name));
    section.finish(problems);
    match (name, threshold, active) {
        (Some(name), Some(threshold), Some(active_levels)) => Some(LevelPart {
            name,
            threshold: threshold.value,
            active_levels,
        }),
        _ => missing(
            node,
            before,
            "a level needs `name`, `threshold` and `active_levels`",
            problems,
        ),
    }
}

fn read_stop_rule(node: &Node<'_>, problems: &mut Problems) -> Option<StopRule> {
    let before = problems.len();
    let conditions = StopCondition::ALL.map(|condition| (condition.name(), condition));
    let statuses = [Status::Completed, Status::Stopped].map(|status| (status.name(), status));
    let mut section = node.section("[[stop]]", problems)?;
    let when = section.read("when", problems, |node, p| node.word(&conditions, p));
    let status = section.read("status", problems, |node, p| node.word(&statuses, p));
    section.finish(problems);
    match (when, status) {
        (Some(when), Some(status)) => Some(StopRule {
            when: when.value,
            status: status.value,
        }),
        _ => missing(node, before, "a stop rule needs `when` and `status`", problems),
    }
}

/// Notes what is missing, unless a problem noted since `before` already explains why.
pub(super) fn missing<T>(node: &Node<'_>, before: usize, message: &str, problems: &mut Problems) -> Option<T> {
    if problems.len() == before {
        problems.push(Problem::new(node.span.clone(), message));
    }
    None
}

fn read_thresholds(section: &mut Section<'_>, problems: &mut Problems) -> Thresholds {
    let mut thresholds = Thresholds::new();
    for (key, node) in section.names() {
        let level = level_name(&key, problems);
        let score = node.quantity(SCORE, problems);
        thresholds.extend(level.zip(score).map(|(level, score)| (level, At::new(score, key.span))));
    }
    thresholds
}

fn read_stagnation(section: &mut Section<'_>, problems: &mut Problems) -> StagnationPart {
    StagnationPart {
        delta_min: section.read("delta_min", problems, |node, p| node.quantity(SCORE, p)),
        count_max: section.read("count_max", problems, |node, p| node.count(1..=COUNT_MAX, p)),
        same_failures_max: section.read("same_failures_max", problems, |node, p| node.count(1..=COUNT_MAX, p)),
    }
}

fn read_limits(section: &mut Section<'_>, problems: &mut Problems) -> LimitsPart {
    let few = |node: &Node<'_>, p: &mut Problems| node.count(1..=COUNT_MAX, p);
    let seconds = |node: &Node<'_>, p: &mut Problems| node.integer(1..=SECONDS_MAX, p);
    let bytes = |node: &Node<'_>, p: &mut Problems| node.integer(1..=BYTES_MAX, p);
    LimitsPart {
        max_iterations: section.read("max_iterations", problems, |node, p| {
            node.count(1..=MAX_ITERATIONS_MAX, p)
        }),
        max_completed_step_seconds: section.read("max_completed_step_seconds", problems, seconds),
        step_attempts_max: section.read("step_attempts_max", problems, few),
        plan_steps_min: section.read("plan_steps_min", problems, few),
        plan_steps_max: section.read("plan_steps_max", problems, few),
        critique_issues_max: section.read("critique_issues_max", problems, few),
        agent_timeout_seconds: section.read("agent_timeout_seconds", problems, seconds),
        check_timeout_seconds: section.read("check_timeout_seconds", problems, seconds),
        output_bytes_max: section.read("output_bytes_max", problems, bytes),
        artifact_bytes_max: section.read("artifact_bytes_max", problems, bytes),
    }
}

fn read_agents(section: &mut Section<'_>, problems: &mut Problems) -> BTreeMap<String, At<NamedAgent>> {
    let mut agents = BTreeMap::new();
    for (key, node) in section.names() {
        let agent = read_agent(&key.value, &node, problems).unwrap_or(NamedAgent {
            family: None,
            part: AgentPart::Unreadable,
        });
        agents.insert(key.value, At::new(agent, key.span));
    }
    agents
}

fn read_agent(name: &str, node: &Node<'_>, problems: &mut Problems) -> Option<NamedAgent> {
    #[derive(Clone, Copy)]
    enum Kind {
        Command,
        Scripted,
    }
    let before = problems.len();
    let mut section = node.section(format!("[agents.{name}]"), problems)?;
    let Some(kind) = section.get("kind") else {
        let message = format!("agent `{name}` has no `kind`: `command` or `scripted`");
        return missing(node, before, &message, problems);
    };
    let kind = kind.word(&[("command", Kind::Command), ("scripted", Kind::Scripted)], problems)?;
    let timeout_seconds = section
        .read("timeout_seconds", problems, |node, p| node.integer(1..=SECONDS_MAX, p))
        .map(|at| at.value);
    let family = section.read("family", problems, Node::filled);
    let (agent, needed) = match kind {
        Kind::Command => {
            let command = section.read("command", problems, read_argv);
            let env = section.read("env", problems, |node, p| node.list(p, read_variable_name));
            let agent = command.map(|command| AgentPart::Command {
                command: command.value,
                env: env.map(|at| at.value).unwrap_or_default(),
                timeout_seconds,
            });
            (agent, "command")
        }
        Kind::Scripted => {
            let script = section.read("script", problems, inside);
            let agent = script.map(|script| AgentPart::Scripted {
                script,
                timeout_seconds,
            });
            (agent, "script")
        }
    };
    section.finish(problems);
    let Some(part) = agent else {
        return missing(node, before, &format!("agent `{name}` has no `{needed}`"), problems);
    };
    Some(NamedAgent {
        family: family.map(|at| at.value.trim().to_owned()),
        part,
    })
}

/// A program and its arguments.
fn read_argv(node: &Node<'_>, problems: &mut Problems) -> Option<Vec<String>> {
    if !node.is_list() {
        return node.refuse(
            "a list",
            Some("the program and its arguments, one by one: `[\"claude\", \"-p\"]`"),
            problems,
        );
    }
    let argv = node.list(problems, Node::text)?;
    if argv.first().is_none_or(|program| program.trim().is_empty()) {
        problems.push(Problem::new(
            node.span.clone(),
            format!("`{}` names no program", node.name),
        ));
        return None;
    }
    Some(argv)
}

fn read_variable_name(node: &Node<'_>, problems: &mut Problems) -> Option<String> {
    let name = node.text(problems)?;
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if starts && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Some(name);
    }
    node.refuse(
        "names of environment variables",
        Some("values stay in the environment, out of the file"),
        problems,
    )
}

fn read_roles(section: &mut Section<'_>, problems: &mut Problems) -> RolesPart {
    RolesPart {
        default: section.read("default", problems, Node::filled),
        named: section.by_word("role", &roles(), problems, |node, p| {
            node.filled(p).map(|agent| node.at(agent))
        }),
    }
}

fn read_prompt_path(node: &Node<'_>, problems: &mut Problems) -> Option<String> {
    let text = node.text(problems)?;
    if !text.starts_with(prompts::BUILT_IN) {
        return inside(node, problems);
    }
    if prompts::built_in(&text).is_none() {
        let message = format!("unknown built-in prompt `{text}`");
        let help = suggest(&text, prompts::built_in_paths());
        problems.push(Problem::new(node.span.clone(), message).with_help(help));
        return None;
    }
    Some(text)
}

/// A path that stays inside the project, whatever the platform makes of it.
pub(super) fn inside(node: &Node<'_>, problems: &mut Problems) -> Option<String> {
    let path = node.filled(problems)?;
    if stays_inside(&path) {
        return Some(path);
    }
    node.refuse(
        "a relative path without `..`",
        Some("paths are relative to the project"),
        problems,
    )
}

/// Whether a path names something inside the project and nothing else.
pub fn stays_inside(path: &str) -> bool {
    let absolute = path.starts_with(['/', '\\', '~']) || path.as_bytes().get(1) == Some(&b':');
    let climbs = path.split(['/', '\\']).any(|part| part.trim() == "..");
    !path.is_empty() && !absolute && !climbs && !path.chars().any(char::is_control)
}

/// `criteria = [[…]]` of a file or a template.
fn read_criteria(section: &mut Section<'_>, label: &str, problems: &mut Problems) -> Vec<At<CriterionPart>> {
    let items = section
        .get("criteria")
        .and_then(|node| node.items(problems))
        .unwrap_or_default();
    let mut criteria: Vec<At<CriterionPart>> = Vec::new();
    for item in items {
        let Some(criterion) = read_criterion(&item, label, problems) else {
            continue;
        };
        let id = &criterion.id;
        if criteria.iter().any(|other| other.value.id.value == id.value) {
            problems.push(id.problem(format!("criterion `{}` stands here twice", id.value)));
        } else {
            criteria.push(item.at(criterion));
        }
    }
    criteria
}

fn read_criterion(node: &Node<'_>, label: &str, problems: &mut Problems) -> Option<CriterionPart> {
    let before = problems.len();
    let mut section = node.section(label, problems)?;
    let id = section.read("id", problems, |node, p| {
        let text = node.text(p)?;
        CriterionId::new(text)
            .map_err(|e| p.push(Problem::new(node.span.clone(), e.to_string())))
            .ok()
    });
    let description = section.read("description", problems, Node::filled);
    let severity = section.read("severity", problems, |node, p| node.word(&severities(), p));
    let weight = section.read("weight", problems, |node, p| node.quantity(WEIGHT, p));
    let level = section.read("level", problems, read_level_name);
    let dimension = section.read("dimension", problems, Node::filled);
    let group = section.read("group", problems, Node::filled);
    let gate = section.read("gate", problems, read_gate);
    let must_pass = section.read("must_pass", problems, Node::flag);
    let hidden = section.read("hidden", problems, Node::flag);
    let cap = section.read("cap", problems, |node, p| node.quantity(SCORE, p));
    let rubric = section.read("rubric", problems, read_rubric);
    let pass_at = section.read("pass_at", problems, |node, p| node.quantity(SCORE, p));
    let reads = section.read("reads", problems, read_globs);
    let check = section.read("check", problems, Node::filled);
    let verify = section.read("verify", problems, |node, p| {
        let checks: Vec<_> = node.one_or_many(p)?.iter().map(|item| read_check(item, p)).collect();
        checks.into_iter().collect()
    });
    section.finish(problems);
    let damaged = problems.len() > before;
    let Some(id) = id else {
        return missing(node, before, "a criterion needs an `id`", problems);
    };
    Some(CriterionPart {
        id,
        description: description.map(|at| at.value),
        severity: severity.map(|at| at.value),
        weight: weight.map(|at| at.value),
        level,
        dimension,
        group,
        gate: gate.map(|at| at.value),
        must_pass: must_pass.map(|at| at.value),
        hidden: hidden.map(|at| at.value),
        cap: cap.map(|at| at.value),
        rubric: rubric.map(|at| at.value),
        pass_at,
        reads: reads.map(|at| at.value),
        check: check.map(|at| at.value),
        verify: verify.map(|at| at.value),
        damaged,
    })
}

/// Forms are those of the model, so that a contract's checks and an agent's prepared ones read alike.
fn read_check(node: &Node<'_>, problems: &mut Problems) -> Option<Check> {
    let before = problems.len();
    #[derive(Clone, Copy)]
    enum Kind {
        Executable,
        Content,
        /// Read by its form in the model.
        Other,
    }
    let mut section = node.section("verify", problems)?;
    let Some(kind) = section.get("type") else {
        return missing(
            node,
            before,
            "a check needs a `type`, for example `command` or `pattern`",
            problems,
        );
    };
    let kind = kind.word(
        &[
            ("executable", Kind::Executable),
            ("command", Kind::Executable),
            ("content", Kind::Content),
            ("pattern", Kind::Other),
            ("schema", Kind::Other),
            ("tests", Kind::Other),
            ("lint", Kind::Other),
            ("coverage", Kind::Other),
            ("metric", Kind::Other),
            ("marker", Kind::Other),
            ("artifact", Kind::Other),
            ("diff", Kind::Other),
            ("openapi", Kind::Other),
            ("links", Kind::Other),
            ("intent", Kind::Other),
            ("expr", Kind::Other),
            ("human", Kind::Other),
        ],
        problems,
    )?;
    let counterexample = section
        .read("counterexample", problems, Node::filled)
        .map(|at| at.value);
    let repeat = section.get("repeat").map(|node| read_repeat(&node, problems));
    if matches!(repeat, Some(None)) {
        return None;
    }
    let kind = match kind {
        Kind::Other => return node.check_form(problems),
        Kind::Executable => {
            let command = section.read("command", problems, read_command_line);
            let must_be = "an exit code, a text or {exit, stdout_contains, stdout_matches}";
            let keys = ["exit", "stdout_contains", "stdout_matches"];
            let expected = section
                .get("expected")
                .map(|node| read_expected(&node, keys, must_be, problems));
            section.finish(problems);
            let Some(command) = command else {
                return missing(node, before, "an `executable` check needs a `command`", problems);
            };
            CheckKind::Executable {
                command: command.value,
                expected: expected.unwrap_or_else(|| Some(ExpectedRun::default()))?,
            }
        }
        Kind::Content => {
            let search = section.read("search", problems, read_search);
            let must_be = "`present`, `absent` or {min, max}";
            let expected = section
                .get("expected")
                .map(|node| read_expected(&node, ["min", "max"], must_be, problems));
            section.finish(problems);
            let Some(search) = search else {
                return missing(node, before, "a `content` check needs a `search`", problems);
            };
            CheckKind::Content {
                search: search.value,
                expected: expected.unwrap_or_else(|| Some(ExpectedContent::default()))?,
            }
        }
    };
    Some(Check {
        counterexample,
        repeat: repeat.flatten(),
        ..Check::new(kind)
    })
}

/// One of the model's forms. A misspelled key would silently weaken the check, so it is refused.
fn read_expected<T: DeserializeOwned, const N: usize>(
    node: &Node<'_>,
    keys: [&'static str; N],
    must_be: &str,
    problems: &mut Problems,
) -> Option<T> {
    if node.is_table() {
        let before = problems.len();
        let mut section = node.section("expected", problems)?;
        for key in keys {
            section.get(key);
        }
        section.finish(problems);
        if problems.len() > before {
            return None;
        }
    }
    node.form(must_be, problems)
}

fn read_command_line(node: &Node<'_>, problems: &mut Problems) -> Option<CommandLine> {
    if node.is_list() {
        read_argv(node, problems).map(CommandLine::Argv)
    } else {
        node.filled(problems).map(CommandLine::Shell)
    }
}

fn read_search(node: &Node<'_>, problems: &mut Problems) -> Option<Search> {
    let before = problems.len();
    if !node.is_table() {
        return node.filled(problems).map(Search::Regex);
    }
    let mut section = node.section("search", problems)?;
    let literal = section.read("literal", problems, Node::filled);
    section.finish(problems);
    match literal {
        Some(literal) => Some(Search::Literal { literal: literal.value }),
        None => missing(node, before, "a literal search needs `literal`", problems),
    }
}

fn read_template(node: &Node<'_>, problems: &mut Problems) -> Option<TemplatePart> {
    let label = node.name.clone();
    let mut section = node.section(format!("[{label}]"), problems)?;
    let thresholds = section
        .get("thresholds")
        .and_then(|node| node.section("thresholds", problems));
    let template = TemplatePart {
        thresholds: thresholds
            .map(|mut section| read_thresholds(&mut section, problems))
            .unwrap_or_default(),
        criteria: read_criteria(&mut section, &format!("[[{label}.criteria]]"), problems),
    };
    section.finish(problems);
    Some(template)
}

fn read_inference(section: &mut Section<'_>, problems: &mut Problems) -> InferencePart {
    let mut points = |key| {
        section
            .read(key, problems, |node, p| node.count(0..=COUNT_MAX, p))
            .map(|at| at.value)
    };
    InferencePart {
        strong_points: points("strong_points"),
        weak_points: points("weak_points"),
        points_min: points("points_min"),
        words: section.by_word("task type", &task_types(), problems, |node, problems| {
            let mut section = node.section(format!("[{}]", node.name), problems)?;
            let mut words = |key| section.read(key, problems, |node, p| node.list(p, Node::filled));
            let keywords = Keywords {
                strong: words("strong").map(|at| at.value).unwrap_or_default(),
                weak: words("weak").map(|at| at.value).unwrap_or_default(),
            };
            section.finish(problems);
            Some(keywords)
        }),
    }
}

fn read_level_name(node: &Node<'_>, problems: &mut Problems) -> Option<LevelName> {
    let name = node.text(problems)?;
    level_name(&node.at(name), problems)
}

fn level_name(text: &At<String>, problems: &mut Problems) -> Option<LevelName> {
    LevelName::new(text.value.as_str())
        .map_err(|e| problems.push(text.problem(e.to_string())))
        .ok()
}

fn task_types() -> [(&'static str, TaskType); 5] {
    TaskType::ALL.map(|task_type| (task_type.name(), task_type))
}

fn severities() -> [(&'static str, Severity); 3] {
    Severity::ALL.map(|severity| (severity.name(), severity))
}

fn roles() -> [(&'static str, Role); 6] {
    Role::ALL.map(|role| (role.name(), role))
}
