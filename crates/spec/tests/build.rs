//! The preset `build`: a loop over a tree that brings no criteria of its own.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use onus_model::{ArtifactForm, GitUse, LoopSpec, OnWorse, Role, Score, Stage, StopCondition, TaskType};
use onus_spec::{LoopFile, Overrides, Problem, Sources, eject, lint, preset, presets, resolve};

const FILE: &str = r#"
preset = "build"
protected = ["tests/**"]

[task]
prompt = "Make it work"

[agents.worker]
kind = "command"
command = ["worker"]

[[criteria]]
id = "a.tests"
description = "Every test passes."
severity = "fail"
verify = { type = "tests", command = "cargo test", format = "cargo" }
"#;

fn described(text: &str, problems: &[Problem]) -> String {
    problems.iter().map(|problem| problem.describe(text) + "\n").collect()
}

fn contract(text: &str, overrides: &Overrides) -> Result<LoopSpec, String> {
    let draft = resolve(&LoopFile::parse(text), overrides, &Sources::default()).map_err(|p| described(text, &p))?;
    draft.freeze(&Sources::default()).map_err(|p| described(text, &p))
}

#[test]
fn a_task_an_agent_and_a_check_are_enough() {
    let draft = resolve(&LoopFile::parse(FILE), &Overrides::default(), &Sources::default()).unwrap();
    assert_eq!(draft.root, ".onus/runs");
    let spec = contract(FILE, &Overrides::default()).unwrap();
    assert_eq!((spec.preset.as_str(), spec.task.task_type), ("build", TaskType::Code));
    assert_eq!((spec.artifact, spec.git), (ArtifactForm::Tree, GitUse::Off));
    assert_eq!(spec.criteria.len(), 1);
    assert_eq!(
        spec.levels
            .iter()
            .map(|l| (l.name.as_str(), l.threshold))
            .collect::<Vec<_>>(),
        [("A", Score::ONE)]
    );
    let labels = |stages: &[Stage]| stages.iter().map(Stage::label).collect::<Vec<_>>().join(" ");
    let cycle = &spec.cycle;
    assert_eq!(
        [&cycle.first, &cycle.later, &cycle.level_up, &cycle.on_fail].map(|stages| labels(stages)),
        ["PRODUCE EVALUATE", "EVALUATE", "EVALUATE", "REFINE"]
    );
    assert_eq!(
        spec.roles.keys().copied().collect::<Vec<_>>(),
        spec.prompts.keys().copied().collect::<Vec<_>>()
    );
    assert_eq!(spec.roles.len(), 3);
    assert_eq!(spec.scoring.on_worse, OnWorse::Rollback);
    assert!(spec.scoring.ratchet && spec.evaluation.stop_early && spec.evaluation.keep_verdicts);
    assert!(spec.judging.one_by_one);
    assert_eq!((spec.evaluation.flaky_runs, spec.limits.max_iterations), (3, 6));
    let words: Vec<String> = spec
        .stop
        .iter()
        .map(|rule| format!("{} {}", rule.when.name(), rule.status))
        .collect();
    insta::assert_snapshot!(words.join("\n"), @r"
    threshold_reached completed
    user_stop stopped
    dispute stopped
    oscillation stopped
    same_failures stopped
    stagnation stopped
    budget_exceeded stopped
    iteration_limit stopped
    ");
    assert!(spec.stop.iter().all(|rule| rule.when != StopCondition::NoMajorIssues));
    assert_eq!(lint(&spec), []);
}

/// The type comes from the flag, the file, the prompt, and from the preset last; no template follows from it.
#[test]
fn any_type_of_task_can_be_built() {
    for task_type in TaskType::ALL {
        let overrides = Overrides {
            task_type: Some(task_type),
            ..Overrides::default()
        };
        let spec = contract(FILE, &overrides).unwrap();
        assert_eq!((spec.task.task_type, spec.criteria.len()), (task_type, 1));
        assert!(spec.next_step.is_some());
    }
    let docs = FILE.replace(
        "prompt = \"Make it work\"",
        "prompt = \"Make it work\"\ntype = \"docs\"",
    );
    assert_eq!(
        contract(&docs, &Overrides::default()).unwrap().task.task_type,
        TaskType::Docs
    );
}

#[test]
fn without_criteria_it_does_not_start() {
    let bare = FILE.split("[[criteria]]").next().unwrap();
    assert_eq!(
        contract(bare, &Overrides::default()).unwrap_err(),
        "no criterion counts at level `A`, so it would always pass\n  help: add `[[criteria]]`, or set `criteria_from` to a task type\n"
    );
}

#[test]
fn a_file_wins_over_the_preset_key_by_key() {
    let mine = FILE.replace("preset = \"build\"\n", "preset = \"build\"\ngit = \"worktree\"\n")
        + "[scoring]\nstrict = true\n[evaluation]\nflaky_runs = 0\n[judging]\ncontrols = [\"empty\"]\n";
    let spec = contract(&mine, &Overrides::default()).unwrap();
    assert_eq!(spec.git, GitUse::Worktree);
    assert!(spec.scoring.strict && spec.scoring.on_worse == OnWorse::Rollback);
    assert!(spec.evaluation.stop_early && spec.evaluation.flaky_runs == 0);
    assert!(spec.judging.one_by_one && spec.judging.controls.len() == 1);
    let file = FILE.replace(
        "preset = \"build\"\n",
        "preset = \"build\"\nartifact = \"file\"\ngit = \"worktree\"\n",
    );
    assert!(
        contract(&file, &Overrides::default())
            .unwrap_err()
            .starts_with("4:7: `git = \"worktree\"` is for")
    );
}

#[test]
fn a_contract_alone_needs_no_agent() {
    let alone = Overrides {
        contract_only: true,
        ..Overrides::default()
    };
    let text = FILE.replace("[agents.worker]\nkind = \"command\"\ncommand = [\"worker\"]\n", "");
    assert!(contract(&text, &alone).unwrap().roles.is_empty());
    assert!(
        contract(&text, &Overrides::default())
            .unwrap_err()
            .starts_with("no agent plays `producer`, `evaluator`, `refiner`")
    );
}

#[test]
fn the_preset_is_an_ordinary_loop_file_and_can_be_ejected() {
    let build = preset("build").unwrap();
    assert_eq!(described(build.text, build.file.problems()), "");
    let summary = &presets()[1].summary;
    assert!(summary.contains("until the checks"), "{summary}");
    let files = eject("build").unwrap();
    assert_eq!(files.len(), 4);
    // The examples in the comments can be used where they stand.
    let uncommented: String = files[0]
        .1
        .lines()
        .filter_map(|line| line.strip_prefix("#   "))
        .map(|l| format!("{l}\n"))
        .collect();
    assert_eq!(uncommented.matches("[task]").count(), 0, "{uncommented}");
    assert!(uncommented.contains("type = \"tests\""), "{uncommented}");
    let (top, own) = FILE
        .split_once("preset = \"build\"\n")
        .unwrap()
        .1
        .split_once('\n')
        .unwrap();
    // The ejected file has a `[task]` already.
    let own = own.replace("[task]\nprompt = \"Make it work\"\n", "");
    let text = format!("{top}\n{}\n{own}", files[0].1).replace("\n[task]\n", "\n[task]\nprompt = \"Make it work\"\n");
    let sources = Sources {
        texts: files[1..].iter().cloned().collect::<BTreeMap<_, _>>(),
    };
    let file = LoopFile::parse(&text);
    let draft = resolve(&file, &Overrides::default(), &sources).unwrap_or_else(|p| panic!("{}", described(&text, &p)));
    let mut mine = draft.freeze(&sources).unwrap();
    let plain = contract(FILE, &Overrides::default()).unwrap();
    for role in [Role::Producer, Role::Evaluator, Role::Refiner] {
        assert_eq!(mine.prompts[&role].path, format!("prompts/build/{role}.md.j2"));
        let path = plain.prompts[&role].path.clone();
        mine.prompts.get_mut(&role).unwrap().path = path;
    }
    assert_eq!(mine, plain);
}

/// The loop file of the guide, all its parts together, is one that can be used.
#[test]
fn the_guide_shows_a_loop_file_that_works() {
    let guide = include_str!("../../../docs/guide/red-to-green.md");
    let blocks = guide
        .split("```toml\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next());
    let text: String = blocks.collect();
    assert!(text.matches("[[criteria]]").count() >= 3, "{text}");
    let spec = contract(&text, &Overrides::default()).unwrap();
    assert_eq!(spec.criteria.len(), 3);
    assert_eq!(spec.judging.judges.len(), 1);
    assert_eq!(
        lint(&spec)
            .iter()
            .filter(|complaint| complaint.criterion.is_some())
            .count(),
        0,
        "{:?}",
        lint(&spec)
    );
}
