//! Loop files: what they resolve to, and what is said about wrong ones.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use onus_model::{AgentSpec, Criterion, Digest, Role, Score, Severity, Stage, TaskType, Weight, canonical_sha256};
use onus_spec::{
    Draft, LoopFile, Need, Origin, Overrides, Problem, Sources, eject, preset, preset_text, presets, resolve,
};

/// A file that resolves, to be changed by each test.
const GOOD: &str = r#"
preset = "reflex"

[task]
prompt = "Write a README for the course catalogue"
ideal_result = "A newcomer can start the server"

[agents.writer]
kind = "command"
command = ["claude", "-p"]
env = ["ANTHROPIC_API_KEY"]
timeout_seconds = 600

[agents.judge]
kind = "scripted"
script = "judge.toml"

[roles]
default = "writer"
evaluator = "judge"
"#;

fn sources(texts: &[(&str, &str)]) -> Sources {
    let texts = texts
        .iter()
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
    Sources { texts: texts.collect() }
}

fn draft_with(text: &str, overrides: &Overrides) -> Result<Draft, String> {
    let sources = sources(&[
        ("judge.toml", "answers = []"),
        ("brief.md", "\nOpenAPI spec, max 6 iterations\n"),
    ]);
    resolve(&LoopFile::parse(text), overrides, &sources).map_err(|problems| described(text, &problems))
}

fn draft(text: &str) -> Draft {
    draft_with(text, &Overrides::default()).unwrap_or_else(|problems| panic!("{problems}"))
}

fn described(text: &str, problems: &[Problem]) -> String {
    problems.iter().map(|problem| problem.describe(text) + "\n").collect()
}

/// The problems of a file, in reading order.
fn problems(text: &str) -> String {
    draft_with(text, &Overrides::default()).err().unwrap_or_default()
}

/// One mistake added to the good file gives exactly this problem.
#[track_caller]
fn check_problem(addition: &str, expected: &str) {
    let text = format!("{GOOD}\n{addition}");
    let line = GOOD.lines().count() + 2;
    let said = problems(&text);
    let relative: Vec<String> = said
        .trim_end()
        .lines()
        .map(|said| {
            match said
                .split_once(':')
                .and_then(|(at, rest)| Some((at.parse::<usize>().ok()?, rest)))
            {
                Some((at, rest)) if at >= line => format!("{}:{rest}", at + 1 - line),
                _ => said.to_owned(),
            }
        })
        .collect();
    assert_eq!(relative.join("\n"), expected, "{addition}");
}

fn weights(criteria: &[Criterion], levels: &[&str]) -> Weight {
    let active = criteria.iter().filter(|c| levels.contains(&c.level.as_str()));
    active.fold(Weight::ZERO, |sum, c| sum.plus(c.weight))
}

#[test]
fn a_good_file_freezes_into_a_whole_contract() {
    let draft = draft(GOOD);
    let mut spec = draft.freeze(&sources(&[("judge.toml", "answers = []")])).unwrap();
    assert_eq!(
        (spec.preset.as_str(), spec.name.as_str(), spec.version),
        ("reflex", "loop_default_v1", 1)
    );
    assert_eq!(spec.task.task_type, TaskType::Docs);
    assert_eq!(spec.limits.max_iterations, 4);
    assert_eq!(draft.max_iterations_from, Origin::Preset);
    assert_eq!(draft.root, ".ai-factory/evolution");
    assert_eq!(draft.next_step.as_deref(), Some("`/aif-docs` to integrate it"));
    assert_eq!(
        spec.levels.iter().map(|l| l.threshold.to_string()).collect::<Vec<_>>(),
        ["0.75", "0.85"]
    );
    assert_eq!(spec.roles.len(), 6);
    assert_eq!(spec.roles[&Role::Producer].agent, "writer");
    assert!(matches!(&spec.roles[&Role::Evaluator].spec, AgentSpec::Scripted { script, .. } if script == "judge.toml"));
    assert_eq!(spec.prompts[&Role::Planner].path, "preset:reflex/planner");
    assert_eq!(spec.prompts[&Role::Planner].version, "1");
    assert!(canonical_sha256(&spec).is_ok());
    let words: Vec<String> = spec
        .stop
        .iter()
        .map(|rule| format!("{} {}", rule.when.name(), rule.status))
        .collect();
    insta::assert_snapshot!(words.join("\n"), @r"
    threshold_reached completed
    no_major_issues completed
    user_stop stopped
    stagnation stopped
    same_failures stopped
    budget_exceeded stopped
    iteration_limit stopped
    ");
    // The wording of the prompts has snapshots of its own.
    spec.prompts
        .values_mut()
        .for_each(|template| template.sha256 = Digest::of(b""));
    insta::assert_json_snapshot!("frozen", spec);
}

#[test]
fn templates_have_the_documented_ids_and_weights() {
    let expected = [
        (TaskType::ApiSpec, 7, 12, ["0.80", "0.90"]),
        (TaskType::Code, 7, 12, ["0.80", "0.90"]),
        (TaskType::Docs, 6, 10, ["0.75", "0.85"]),
        (TaskType::Config, 7, 11, ["0.80", "0.90"]),
    ];
    let mut listing = String::new();
    for (task_type, a, ab, thresholds) in expected {
        let overrides = Overrides {
            task_type: Some(task_type),
            ..Overrides::default()
        };
        let draft = draft_with(GOOD, &overrides).unwrap();
        assert_eq!(
            weights(&draft.criteria, &["A"]),
            Weight::whole(a),
            "{}",
            task_type.name()
        );
        assert_eq!(
            weights(&draft.criteria, &["A", "B"]),
            Weight::whole(ab),
            "{}",
            task_type.name()
        );
        assert_eq!(
            draft.levels.iter().map(|l| l.threshold.to_string()).collect::<Vec<_>>(),
            thresholds
        );
        for c in &draft.criteria {
            assert!(
                c.id.as_str()
                    .starts_with(&format!("{}.", c.level.as_str().to_lowercase())),
                "{}",
                c.id
            );
            listing += &format!("{:8} {} {}\n", task_type.name(), c.severity, c.id);
        }
    }
    insta::assert_snapshot!("template_ids", listing);
}

#[test]
fn the_preset_is_an_ordinary_loop_file_without_problems() {
    let reflex = preset("reflex").unwrap();
    assert_eq!(described(reflex.text, reflex.file.problems()), "");
    assert_eq!(
        presets().iter().map(|p| p.name).collect::<Vec<_>>(),
        ["reflex", "build"]
    );
    for task_type in TaskType::ALL {
        assert!(reflex.next_step(task_type).is_some());
    }
    let cycle = draft(GOOD).cycle;
    let labels = |stages: &[Stage]| stages.iter().map(Stage::label).collect::<Vec<_>>().join(" ");
    assert_eq!(labels(&cycle.first), "PLAN PRODUCE_PREPARE EVALUATE");
    assert_eq!(cycle.first, cycle.later);
    assert_eq!(labels(&cycle.level_up), "PREPARE EVALUATE");
    assert_eq!(labels(&cycle.on_fail), "CRITIQUE REFINE");
}

#[test]
fn an_ejected_preset_resolves_to_the_same_loop() {
    let files = eject("reflex").unwrap();
    let (path, text) = &files[0];
    assert_eq!(path, "onus.toml");
    assert_eq!(files.len(), 7);
    assert!(eject("nobody").is_none());
    let file = LoopFile::parse(text);
    let overrides = Overrides {
        prompt: Some("README".into()),
        agent: Some(vec!["true".into()]),
        ..Overrides::default()
    };
    let needs: Vec<String> = file.needs(&overrides).into_iter().map(|need| need.path).collect();
    let ejected: BTreeMap<String, String> = files[1..].iter().cloned().collect();
    assert!(needs.iter().all(|path| ejected.contains_key(path)), "{needs:?}");
    assert_eq!(needs.len(), 6);
    let sources = Sources { texts: ejected };
    let mine = resolve(&file, &overrides, &sources).unwrap_or_else(|p| panic!("{}", described(text, &p)));
    let plain = resolve(&LoopFile::empty(), &overrides, &Sources::default()).unwrap();
    let (mut mine, plain) = (
        mine.freeze(&sources).unwrap(),
        plain.freeze(&Sources::default()).unwrap(),
    );
    for (role, template) in &mut mine.prompts {
        assert_eq!(template.path, format!("prompts/reflex/{role}.md.j2"));
        template.path.clone_from(&plain.prompts[role].path);
    }
    assert_eq!(mine, plain);
}

#[test]
fn a_file_says_which_files_it_needs() {
    let text = format!("{GOOD}\n[prompts]\ncritic = \"prompts/critic.md.j2\"\nplanner = \"preset:reflex/planner\"\n")
        .replace(
            "prompt = \"Write a README for the course catalogue\"",
            "prompt_file = \"brief.md\"",
        );
    let needs = |overrides: &Overrides| {
        let needs = LoopFile::parse(&text).needs(overrides);
        needs.into_iter().map(|need| (need.path, need.why)).collect::<Vec<_>>()
    };
    let template = ("prompts/critic.md.j2".to_owned(), Need::Template { role: Role::Critic });
    let all = [
        ("brief.md".to_owned(), Need::TaskPrompt),
        template.clone(),
        (
            "judge.toml".to_owned(),
            Need::Script {
                agent: "judge".to_owned(),
            },
        ),
    ];
    assert_eq!(needs(&Overrides::default()), all);
    let flags = Overrides {
        prompt: Some("x".into()),
        agent: Some(vec!["x".into()]),
        ..Overrides::default()
    };
    assert_eq!(needs(&flags), [template]);
    let draft = draft(&text);
    assert_eq!(draft.prompt, "OpenAPI spec, max 6 iterations");
    assert_eq!(
        (draft.limits.max_iterations, draft.max_iterations_from),
        (6, Origin::Prompt)
    );
}

#[test]
fn flags_win_over_the_file_and_the_file_over_the_preset() {
    let text = format!(
        "{GOOD}\n[limits]\nmax_iterations = 7\n[thresholds]\nA = 0.6\nB = 0.7\n[stagnation]\nsame_failures_max = 3\n"
    );
    let from_file = draft(&text);
    assert_eq!(
        (from_file.limits.max_iterations, from_file.max_iterations_from),
        (7, Origin::File)
    );
    assert_eq!(from_file.stagnation.same_failures_max, Some(3));
    let flags = Overrides {
        prompt: Some("Dockerfile for the server".into()),
        ideal_result: Some("small".into()),
        max_iterations: Some(2),
        max_completed_step_seconds: Some(90),
        thresholds: [("B".parse().unwrap(), Score::ONE)].into(),
        agent: Some(vec!["agent".into(), "--go".into()]),
        root: Some("runs".into()),
        ..Overrides::default()
    };
    let draft = draft_with(&text, &flags).unwrap();
    assert_eq!(draft.task_type, Some(TaskType::Config));
    assert_eq!(
        draft.levels.iter().map(|l| l.threshold.to_string()).collect::<Vec<_>>(),
        ["0.60", "1.00"]
    );
    assert_eq!(
        (draft.limits.max_iterations, draft.max_iterations_from),
        (2, Origin::Flag)
    );
    assert_eq!(draft.limits.max_completed_step_seconds, Some(90));
    assert_eq!((draft.root.as_str(), draft.ideal_result.as_str()), ("runs", "small"));
    assert!(draft.roles.values().all(|bound| bound.agent == "command-line"));
}

#[test]
fn criteria_change_and_extend_the_templates() {
    let text = format!(
        r#"{GOOD}
[[criteria]]
id = "a.completeness.examples"
severity = "fail"

[[criteria]]
id = "a.style.errors-section"
description = "There is a section about errors."
severity = "warn"
weight = 1.5
verify = [{{ type = "content", search = "^## Errors" }}, {{ type = "executable", command = "test -s \"$ONUS_ARTIFACT\"", expected = "exit 0" }}]
"#
    );
    let draft = draft(&text);
    let find = |id: &str| draft.criteria.iter().find(|c| c.id.as_str() == id).unwrap();
    assert_eq!(draft.criteria.len(), 9);
    let changed = find("a.completeness.examples");
    assert_eq!((changed.severity, changed.weight), (Severity::Fail, Weight::whole(2)));
    assert!(changed.description.starts_with("Instructions"));
    let added = find("a.style.errors-section");
    assert_eq!((added.level.as_str(), added.verify.len()), ("A", 2));
    assert_eq!(added.check, added.description);
    let none = text.replace("preset = \"reflex\"", "criteria_from = \"none\"").replace(
        "id = \"a.completeness.examples\"\n",
        "id = \"a.x\"\ndescription = \"d\"\ncheck = \"c\"\n",
    );
    assert_eq!(self::draft(&none).criteria.len(), 2);
}

#[test]
fn what_is_missing_is_said_when_freezing() {
    let overrides = Overrides {
        agent: Some(vec!["true".into()]),
        ..Overrides::default()
    };
    let draft = resolve(&LoopFile::empty(), &overrides, &Sources::default()).unwrap();
    insta::assert_snapshot!(described("", &draft.freeze(&Sources::default()).unwrap_err()), @r"
    there is no task
      help: set `task.prompt`, or give the task on the command line
    the task's type is not plain
      help: set `task.type` to `api_spec`, `code`, `docs`, `config` or `other`
    no criterion counts at level `A`, so it would always pass
      help: add `[[criteria]]`, or set `criteria_from` to a task type
    no criterion counts at level `B`, so it would always pass
      help: add `[[criteria]]`, or set `criteria_from` to a task type
    ");
    let unread = self::draft(GOOD).freeze(&Sources::default()).unwrap_err();
    assert_eq!(
        described(GOOD, &unread),
        "16:10: script `judge.toml` of agent `judge` was not read\n"
    );
}

#[test]
fn many_mistakes_are_reported_at_once() {
    let text = include_str!("mistakes.toml");
    insta::assert_snapshot!("mistakes", problems(text));
}

#[test]
fn syntax_errors_come_first_and_all_of_them() {
    insta::assert_snapshot!(problems("preset = \n[limits\nmax_iterations = 4 4\n"), @r"
    1:10: string values must be quoted, expected literal string
    2:8: unclosed table, expected `]`
    ");
}

#[test]
fn budgets_are_positive_integers_and_never_coerced() {
    for value in [
        "\"60\"",
        "0",
        "-5",
        "60.0",
        "true",
        "99999999999999999999",
        "[60]",
        "1979-05-27",
    ] {
        let text = format!("[limits]\nmax_completed_step_seconds = {value}\n");
        let file = LoopFile::parse(&text);
        assert_eq!(file.problems().len(), 1, "{value}");
        assert!(
            file.problems()[0]
                .message
                .starts_with("`limits.max_completed_step_seconds` must be an integer"),
            "{value}"
        );
    }
    let file = LoopFile::parse("[limits]\nmax_completed_step_seconds = 3_600\n");
    assert_eq!(file.limits.max_completed_step_seconds.unwrap().value, 3600);
}

#[test]
fn paths_stay_inside_the_project() {
    for (path, good) in [
        ("prompts/a.md.j2", true),
        (".", true),
        (".ai-factory/evolution", true),
        ("a..b/c", true),
        ("", false),
        ("/etc/passwd", false),
        ("..", false),
        ("a/../../b", false),
        ("a\\\\..\\\\b", false),
        ("C:/x", false),
        ("~/x", false),
        ("a\\u0000b", false),
    ] {
        for key in [
            "[files]\nroot",
            "[files]\nworkspace",
            "[prompts]\ncritic",
            "[task]\nprompt_file",
            "[agents.x]\nkind = \"scripted\"\nscript",
        ] {
            let file = LoopFile::parse(&format!("{key} = \"{path}\"\n"));
            assert_eq!(file.problems().is_empty(), good, "{key} {path}: {:?}", file.problems());
        }
    }
}

#[test]
fn mistakes_in_cycle_levels_and_limits_have_their_messages() {
    for (addition, expected) in [
        (
            "[cycle]\nlater = [[\"plan\"]]",
            "2:9: `cycle.later` has no `evaluate`, so nothing would ever pass\n  help: end it with `[\"evaluate\"]`",
        ),
        (
            "[cycle]\nlevel_up = []",
            "2:12: `cycle.level_up` has no `evaluate`, so nothing would ever pass\n  help: end it with `[\"evaluate\"]`",
        ),
        (
            "[cycle]\nlater = [[\"produce\", \"evaluate\"]]",
            "2:9: `cycle.later` must evaluate once, in a last stage of its own\n  help: end it with `[\"evaluate\"]`",
        ),
        (
            "[cycle]\nlater = [[], [\"evaluate\"]]",
            "2:10: `cycle.later` has an empty stage",
        ),
        (
            "[cycle]\nlater = [[\"plan\", \"plan\"], [\"evaluate\"]]",
            "2:10: `cycle.later` has `plan` twice in one stage",
        ),
        (
            "[cycle]\nfirst = [[\"evaluate\"]]",
            "2:9: `cycle.first` has no `produce`, so there would be nothing to evaluate",
        ),
        (
            "[cycle]\non_fail = [[\"evaluate\"]]",
            "2:11: `cycle.on_fail` must not hold `evaluate`: the next iteration evaluates",
        ),
        (
            "[limits]\nplan_steps_min = 9",
            "2:18: `limits.plan_steps_min` is 9, more than `limits.plan_steps_max`, 5",
        ),
        (
            "[limits]\nmax_iterations = 1001",
            "2:18: `limits.max_iterations` must be an integer between 1 and 1000, not 1001",
        ),
        (
            "[thresholds]\nA = 1.5",
            "2:5: `thresholds.A` must be a number between 0 and 1 with at most four decimals, not 1.5",
        ),
        (
            "[thresholds]\nC = 0.5",
            "2:1: a threshold is set for level `C`, which does not exist\n  help: known: `A`, `B`",
        ),
    ] {
        check_problem(addition, expected);
    }
}

#[test]
fn mistakes_in_agents_prompts_and_criteria_have_their_messages() {
    for (addition, expected) in [
        (
            "[prompts]\ncritic = \"preset:reflex/critik\"",
            "2:10: unknown built-in prompt `preset:reflex/critik`\n  help: did you mean `preset:reflex/critic`?",
        ),
        (
            "[agents.x]\nkind = \"command\"\ncommand = []",
            "3:11: `agents.x.command` names no program",
        ),
        ("[agents.x]\nkind = \"command\"", "1:1: agent `x` has no `command`"),
        (
            "[agents.x]\ncommand = [\"x\"]",
            "1:1: agent `x` has no `kind`: `command` or `scripted`",
        ),
        (
            "[agents.x]\nkind = \"command\"\ncommand = [\"x\"]\nenv = [\"K=v\"]",
            "4:8: `agents.x.env` must be names of environment variables, not \"K=v\"\n  help: values stay in the environment, out of the file",
        ),
        (
            "[[criteria]]\nid = \"a.new\"\ndescription = \"d\"\nseverity = \"fail\"",
            "2:6: criterion `a.new` has no `check`\n  help: say in words how to tell, or give `verify`",
        ),
        (
            "[[criteria]]\nid = \"new\"\ndescription = \"d\"\nseverity = \"fail\"\ncheck = \"c\"",
            "2:6: criterion `new` has no `level`",
        ),
        (
            "[[criteria]]\nid = \"a.x\"\nlevel = \"C\"\ndescription = \"d\"\nseverity = \"fail\"\ncheck = \"c\"",
            "3:9: criterion `a.x` is of level `C`, which does not exist\n  help: known: `A`, `B`",
        ),
        (
            "[[criteria]]\nid = \"a.x\"\nweight = -1\ndescription = \"d\"\nseverity = \"fail\"\ncheck = \"c\"",
            "3:10: `criteria.weight` must be a number between 0 and 1000000 with at most three decimals, not -1",
        ),
        (
            "[[criteria]]\nid = \"b.style.consistency\"\nverify = { type = \"content\", search = \"x\", expected = \"maybe\" }",
            "3:55: `criteria.verify.expected` must be `present`, `absent` or {min, max}, not \"maybe\"",
        ),
        (
            "[[criteria]]\nid = \"b.style.consistency\"\nverify = { type = \"executable\", command = \"x\", expected = { exitt = 1 } }",
            "3:61: unknown key `exitt` in `expected`\n  help: did you mean `exit`?",
        ),
        (
            "[[criteria]]\nid = \"b.style.consistency\"\nverify = { type = \"content\" }",
            "3:10: a `content` check needs a `search`",
        ),
        (
            "[[stop]]\nwhen = \"threshold_reached\"\nstatus = \"completed\"",
            "1:1: stop rule `user_stop` is missing\n1:1: stop rule `iteration_limit` is missing",
        ),
        (
            "[[levels]]\nname = \"A\"\nthreshold = 0.5\nactive_levels = []\n[[levels]]\nname = \"B\"\nthreshold = 0.5\nactive_levels = [\"B\", \"C\"]",
            "2:8: level `A` is active nowhere\n  help: add it to its own `active_levels`: `[\"A\"]`\n8:17: `active_levels` names level `C`, which does not exist\n  help: known: `A`, `B`",
        ),
    ] {
        check_problem(addition, expected);
    }
}

#[test]
fn flags_are_checked_too() {
    let flags = Overrides {
        max_iterations: Some(0),
        max_completed_step_seconds: Some(0),
        thresholds: [("Z".parse().unwrap(), Score::ONE)].into(),
        agent: Some(vec![]),
        root: Some("../x".into()),
        ..Overrides::default()
    };
    insta::assert_snapshot!(draft_with(GOOD, &flags).unwrap_err(), @r#"
    a threshold is set for level `Z`, which does not exist
      help: known: `A`, `B`
    the number of iterations must be between 1 and 1000, not 0
    the limit on completed seconds must be a positive integer, not 0
    the agent's command names no program
    `files.root` must be a relative path without `..`, not "../x"
    "#);
}

#[test]
fn a_template_of_ones_own_is_tried_before_the_run() {
    let text = format!("{GOOD}\n[prompts]\nevaluator = \"mine.md.j2\"\n");
    let check = |template: &str| {
        let sources = sources(&[("judge.toml", ""), ("mine.md.j2", template)]);
        resolve(&LoopFile::parse(&text), &Overrides::default(), &sources).map_err(|p| described(&text, &p))
    };
    assert!(check("{# onus-template mine 3 #}\n{{ artifact }}").is_ok());
    // The evaluator is blind: a template that asks for more than it may know does not render.
    for blind in ["{{ iteration }}", "{{ score }}", "{{ artifact"] {
        let said = check(blind).unwrap_err();
        assert!(
            said.starts_with("23:13: prompt template `mine.md.j2`: the template does not"),
            "{said}"
        );
    }
}

#[test]
fn one_agent_alone_plays_everything() {
    let text = GOOD.split("[agents.judge]").next().unwrap();
    assert!(draft(text).roles.values().all(|bound| bound.agent == "writer"));
    assert_eq!(
        problems("[task]\nprompt = \"README\"\n"),
        "no agent plays `planner`, `producer`, `preparer`, `evaluator`, `critic`, `refiner`\n  help: name one in `[agents.NAME]`, set it as `default` in `[roles]`, or pass `--agent COMMAND`\n"
    );
    let evaluate_only = format!("{text}\n[cycle]\non_fail = []\n");
    assert!(!draft(&evaluate_only).roles.contains_key(&Role::Refiner));
}

/// Cuts, swaps and overwrites at many places: parsing and resolving give problems or a draft, and never panic.
#[test]
fn no_text_makes_the_reader_panic() {
    let overrides = Overrides {
        agent: Some(vec!["true".into()]),
        ..Overrides::default()
    };
    let try_text = |text: &str| {
        let file = LoopFile::parse(text);
        for problem in file.problems() {
            problem.describe(text);
        }
        if let Ok(draft) = resolve(&file, &overrides, &Sources::default()) {
            draft.freeze(&Sources::default()).ok();
        }
    };
    const NOISE: [&str; 12] = [
        "",
        "\"",
        "[",
        "]]",
        "{",
        "=",
        "-1",
        "é",
        "\0",
        "9999999999999999999999",
        "'''",
        "\n[a.b]\n",
    ];
    let build = preset_text("build").unwrap();
    for text in [preset_text("reflex").unwrap(), build, include_str!("mistakes.toml")] {
        for at in (0..text.len()).step_by(97).filter(|at| text.is_char_boundary(*at)) {
            try_text(&text[..at]);
            let (head, tail) = text.split_at(at);
            let noise = NOISE[at % NOISE.len()];
            try_text(&format!("{head}{noise}{tail}"));
            let skipped = tail.char_indices().nth(at % 17).map_or(tail, |(skip, _)| &tail[skip..]);
            try_text(&format!("{head}{noise}{skipped}"));
        }
    }
    for text in [
        "",
        "\u{feff}",
        "[[criteria]]",
        "criteria = 1",
        "levels = []",
        "stop = []",
        &"[".repeat(5000),
        &"a.".repeat(5000),
    ] {
        try_text(text);
    }
}
