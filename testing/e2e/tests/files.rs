//! The files of a run: exactly the documented ones with exactly the documented fields, and what happens when one of them is
//! lost, damaged, edited or another tool's.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::too_many_lines,
    reason = "tests touch the world, fail loudly and read as one table"
)]

mod stage;

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::{Value, json};
use stage::{
    Loop, Sandbox, files_below, hold, killed_run, payloads, release, run, run_args, run_until_held, said, sha256,
};

const ROOT: &str = ".ai-factory/evolution";
const CRITIC: &str =
    r#"echo '{"issues": [{"rule_id": "a.done", "problem": "no last line", "fix_instruction": "Add the last line"}]}'"#;

/// A loop whose critic waits while the file `hold` is there.
fn held_at_critique() -> Sandbox {
    let critic = format!("{}\n{CRITIC}", hold("hold"));
    Loop {
        cast: &[("critic", &critic)],
        ..Loop::default()
    }
    .sandbox()
}

/// Keys of a pretty-printed object, in their order in the file.
fn keys_in_order(text: &str) -> Vec<String> {
    let top = text.lines().filter_map(|line| line.strip_prefix("  \""));
    top.filter_map(|line| Some(line.split_once("\":")?.0.to_owned()))
        .collect()
}

const RUN_KEYS: [&str; 22] = [
    "run_id",
    "task_alias",
    "status",
    "iteration",
    "max_iterations",
    "phase",
    "current_step",
    "task",
    "criteria",
    "plan",
    "prepared_checks",
    "evaluation",
    "critique",
    "stop",
    "last_score",
    "stagnation_count",
    "max_completed_phase_seconds",
    "completed_phase_seconds",
    "phase_started_epoch_seconds",
    "created_at",
    "updated_at",
    "onus",
];

#[test]
fn only_the_four_documented_files_exist_during_a_run_and_three_after_it() {
    let look = format!("find {ROOT} -type f | sort > seen-$ONUS_ROLE");
    let with = |part: &str| format!("{look}\n{part}");
    let sandbox = Loop {
        // PRODUCE and PREPARE are left out: while one runs, the other's result may be on its way to the disk.
        cast: &[
            ("planner", &with(r#"echo '{"plan": ["a", "b", "c"]}'"#)),
            ("critic", &with(CRITIC)),
            ("refiner", &with(r#"echo DONE >> "$ONUS_ARTIFACT""#)),
        ],
        ..Loop::default()
    }
    .sandbox();
    run(&sandbox).expect(0);
    let before =
        format!("{ROOT}/current.json\n{ROOT}/note/artifact.md\n{ROOT}/note/history.jsonl\n{ROOT}/note/run.json\n");
    assert_eq!(sandbox.read("seen-critic"), before);
    assert_eq!(sandbox.read("seen-refiner"), before);
    assert_eq!(
        files_below(&sandbox.project().join(ROOT)),
        ["note/artifact.md", "note/history.jsonl", "note/run.json"]
    );
    assert_eq!(
        files_below(&sandbox.project().join(".ai-factory")),
        [
            "evolution/note/artifact.md",
            "evolution/note/history.jsonl",
            "evolution/note/run.json"
        ]
    );
    assert_eq!(sandbox.read(".onus/.gitignore"), "*\n");
}

#[test]
fn before_the_first_artifact_there_are_only_three_files() {
    let planner = format!(
        "find {ROOT} -type f | sort > seen\n{}",
        r#"echo '{"plan": ["a", "b", "c"]}'"#
    );
    let sandbox = Loop {
        cast: &[("planner", &planner), ("producer", "echo DONE")],
        ..Loop::default()
    }
    .sandbox();
    run(&sandbox).expect(0);
    assert_eq!(
        sandbox.read("seen"),
        format!("{ROOT}/current.json\n{ROOT}/note/history.jsonl\n{ROOT}/note/run.json\n")
    );
}

#[test]
fn run_json_has_the_documented_fields_in_the_documented_order_and_nothing_else() {
    let copies = format!("cp {ROOT}/note/run.json during-run.json; cp {ROOT}/current.json during-current.json");
    let critic = format!("{copies}\n{CRITIC}");
    let first = format!(
        "cp {ROOT}/note/run.json first-run.json; {}",
        r#"echo '{"plan": ["a", "b", "c"]}'"#
    );
    let planner = format!(
        "[ -e first-run.json ] || {{ {first}; exit; }}\n{}",
        r#"echo '{"plan": ["d", "e", "f"]}'"#
    );
    let sandbox = Loop {
        cast: &[("planner", &planner), ("critic", &critic)],
        ..Loop::default()
    }
    .sandbox();
    run(&sandbox).expect(0);

    let first: Value = serde_json::from_str(&sandbox.read("first-run.json")).unwrap();
    assert_eq!(keys_in_order(&sandbox.read("first-run.json")), RUN_KEYS);
    let run_id = sandbox.history("note")[0]["run_id"].clone();
    for (key, value) in [
        ("run_id", run_id.clone()),
        ("task_alias", json!("note")),
        ("status", json!("running")),
        ("iteration", json!(1)),
        ("max_iterations", json!(4)),
        ("phase", json!("A")),
        ("current_step", json!("PLAN")),
        (
            "task",
            json!({ "prompt": "Write the note about cedar trees", "ideal_result": "A note that ends well" }),
        ),
        ("plan", json!([])),
        ("prepared_checks", Value::Null),
        ("evaluation", Value::Null),
        ("critique", Value::Null),
        ("stop", json!({ "passed": false, "reason": "" })),
        ("last_score", json!(0)),
        ("stagnation_count", json!(0)),
        ("max_completed_phase_seconds", Value::Null),
        ("completed_phase_seconds", json!(0)),
    ] {
        assert_eq!(first[key], value, "{key}");
    }
    assert_eq!(
        first["criteria"],
        json!({
            "name": "loop_default_v1", "version": 1,
            "phase": { "A": { "threshold": 0.8, "active_levels": ["A"] }, "B": { "threshold": 0.9, "active_levels": ["A", "B"] } },
            "rules": [{
                "id": "a.done", "description": "The note has its last line.", "severity": "fail", "weight": 2, "phase": "A",
                "check": "The note has its last line.",
            }],
        })
    );
    assert!(first["phase_started_epoch_seconds"].is_i64());
    assert_eq!(first["onus"]["artifact_status"], "not_created");

    let during: Value = serde_json::from_str(&sandbox.read("during-run.json")).unwrap();
    assert_eq!(keys_in_order(&sandbox.read("during-run.json")), RUN_KEYS);
    assert_eq!(
        (
            &during["status"],
            &during["current_step"],
            &during["plan"][0],
            &during["evaluation"]["passed"]
        ),
        (&json!("running"), &json!("CRITIQUE"), &json!("a"), &json!(false))
    );
    assert_eq!(during["evaluation"]["failed"][0]["id"], "a.done");
    assert_eq!(during["onus"]["artifact_status"], "evaluated");

    let current = sandbox.read("during-current.json");
    assert_eq!(
        keys_in_order(&current),
        ["active_run_id", "task_alias", "status", "updated_at"]
    );
    let current: Value = serde_json::from_str(&current).unwrap();
    assert_eq!(
        (&current["active_run_id"], &current["task_alias"], &current["status"]),
        (&run_id, &json!("note"), &json!("running"))
    );
    assert_eq!(current["updated_at"], during["updated_at"]);

    let text = sandbox.read(&format!("{ROOT}/note/run.json"));
    let last: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(keys_in_order(&text), RUN_KEYS);
    assert_eq!(
        (
            &last["status"],
            &last["iteration"],
            &last["phase"],
            &last["stop"],
            &last["last_score"]
        ),
        (
            &json!("completed"),
            &json!(2),
            &json!("B"),
            &json!({ "passed": true, "reason": "threshold_reached" }),
            &json!(1)
        )
    );
    assert_eq!(last["phase_started_epoch_seconds"], Value::Null);
    assert_eq!(
        last["onus"]["artifact_sha256"].as_str().unwrap(),
        sha256(&sandbox.project().join(format!("{ROOT}/note/artifact.md")))
    );
    let hash = last["evaluation"]["artifact_hash"].as_str().unwrap();
    assert!(last["onus"]["artifact_sha256"].as_str().unwrap().starts_with(hash) && hash.len() == 8);
}

#[test]
fn the_twelve_documented_events_are_all_there_are() {
    // A plan that is refused once gives `phase_error`; one that is refused always gives `failed`.
    let planner = r#"[ -e tried ] || { : > tried; exit 1; }; echo '{"plan": ["a", "b", "c"]}'"#;
    let sandbox = Loop {
        cast: &[("planner", planner)],
        ..Loop::default()
    }
    .sandbox();
    run(&sandbox).expect(0);
    let mut seen: BTreeSet<String> = sandbox.events("note").into_iter().collect();
    sandbox.script("agent.sh", "exit 1");
    sandbox
        .onus(["run", "--accept-criteria", "--max-iterations", "1", "--alias", "bad"])
        .expect(6);
    seen.extend(sandbox.events("bad"));
    let documented = [
        "run_started",
        "plan_created",
        "artifact_created",
        "checks_prepared",
        "evaluation_done",
        "critique_done",
        "refinement_done",
        "phase_switched",
        "iteration_advanced",
        "phase_error",
        "stopped",
        "failed",
    ];
    assert_eq!(seen, documented.map(str::to_owned).into());

    let steps: BTreeSet<String> = sandbox
        .history("note")
        .iter()
        .map(|record| record["step"].as_str().unwrap().to_owned())
        .collect();
    let documented = ["PLAN", "PRODUCE_PREPARE", "PREPARE", "EVALUATE", "CRITIQUE", "REFINE"];
    assert_eq!(steps, documented.map(str::to_owned).into());
    for line in sandbox.read(&format!("{ROOT}/note/history.jsonl")).lines() {
        let keys = [
            "seq",
            "ts",
            "run_id",
            "iteration",
            "phase",
            "step",
            "event",
            "status",
            "payload",
            "prev",
            "hash",
            "mac",
        ];
        let record: Value = serde_json::from_str(line).unwrap();
        let found: BTreeSet<&str> = record.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(found, keys.into(), "{line}");
    }
}

#[test]
fn a_refinement_names_the_artifact_it_replaced() {
    let sandbox = Loop {
        cast: &[(
            "refiner",
            "cat \"$ONUS_ARTIFACT\" > replaced.md; echo DONE >> \"$ONUS_ARTIFACT\"",
        )],
        ..Loop::default()
    }
    .sandbox();
    run(&sandbox).expect(0);
    let refinement = &payloads(&sandbox, "refinement_done")[0];
    assert_eq!(
        refinement["previous_artifact_hash"].as_str().unwrap(),
        sha256(&sandbox.project().join("replaced.md"))
    );
    assert_eq!(
        refinement["previous_artifact_hash"],
        payloads(&sandbox, "artifact_created")[0]["artifact_sha256"]
    );
    // The bytes it replaced are kept by their hash.
    let (shelf, name) = refinement["previous_artifact_hash"].as_str().unwrap().split_at(2);
    assert_eq!(
        sandbox.read(&format!(".onus/objects/{shelf}/{name}")),
        sandbox.read("replaced.md")
    );
}

#[test]
fn the_chain_can_be_recomputed_with_plain_tools() {
    let sandbox = Loop::default().sandbox();
    run(&sandbox).expect(0);
    let text = sandbox.read(&format!("{ROOT}/note/history.jsonl"));
    assert!(text.ends_with('\n'));
    let lines: Vec<&str> = text.lines().collect();
    for (n, line) in lines.iter().enumerate() {
        let body = &line[..line.rfind(",\"hash\":\"").unwrap()];
        sandbox.write(&format!("bodies/{n:03}"), body);
    }
    let sums = said(
        Command::new("sh")
            .args(["-c", "sha256sum bodies/*"])
            .current_dir(sandbox.project()),
    )
    .expect(0);
    let mut before = "0".repeat(64);
    for ((line, sum), seq) in lines.iter().zip(sums.stdout.lines()).zip(1..) {
        let record: Value = serde_json::from_str(line).unwrap();
        assert_eq!(record["seq"], seq);
        assert_eq!(record["prev"], before.as_str(), "event {seq}");
        assert_eq!(record["hash"], sum[..64], "event {seq}");
        sum[..64].clone_into(&mut before);
    }
    assert_eq!(lines.len(), sums.stdout.lines().count());
}

#[test]
fn run_started_holds_everything_the_run_starts_from() {
    let sandbox = Loop::default().sandbox();
    run(&sandbox).expect(0);
    let start = payloads(&sandbox, "run_started").remove(0);
    assert_eq!(start["spec"]["criteria"][0]["id"], "a.done");
    assert_eq!(start["spec"]["limits"]["max_iterations"], 4);
    assert_eq!(start["spec"]["task"]["prompt"], "Write the note about cedar trees");
    for (role, prompt) in start["spec"]["prompts"].as_object().unwrap() {
        let (shelf, name) = prompt["sha256"].as_str().unwrap().split_at(2);
        assert!(sandbox.exists(&format!(".onus/objects/{shelf}/{name}")), "{role}");
    }
}

#[test]
fn the_root_may_be_moved_by_the_loop_file_or_by_ai_factorys_settings() {
    let config = "paths:\n  plans: .ai-factory/plans\n  evolution: quality/evolution\nlanguage:\n  ui: en\n";
    for (name, rest, yaml, root) in [
        ("loop file", "[files]\nroot = \"quality/runs\"", None, "quality/runs"),
        ("settings", "", Some(config), "quality/evolution"),
        ("both", "[files]\nroot = \"quality/runs\"", Some(config), "quality/runs"),
        ("settings that do not say", "", Some("language:\n  ui: en\n"), ROOT),
    ] {
        let sandbox = Loop {
            rest,
            ..Loop::default()
        }
        .sandbox();
        if let Some(yaml) = yaml {
            sandbox.write(".ai-factory/config.yaml", yaml);
        }
        let told = run(&sandbox).expect(0);
        assert!(
            told.stdout.contains(&format!("{root}/note/artifact.md")),
            "{name}: {}",
            told.stdout
        );
        let files = files_below(&sandbox.project().join(root));
        assert_eq!(
            files,
            ["note/artifact.md", "note/history.jsonl", "note/run.json"],
            "{name}"
        );
        if root != ROOT {
            assert!(!sandbox.exists(ROOT), "{name}");
        }
        let list = sandbox.onus(["list", "--json"]).expect(0).json();
        assert_eq!(
            (&list[0]["alias"], &list[0]["status"]),
            (&json!("note"), &json!("completed")),
            "{name}"
        );
        sandbox.onus(["verify"]).expect(0);
        sandbox.onus(["status", "note"]).expect(0);
    }
}

#[test]
fn a_root_outside_the_project_is_refused() {
    for yaml in [
        "paths:\n  evolution: ../elsewhere\n",
        "paths:\n  evolution: /var/tmp/evolution\n",
        "paths: [\n",
    ] {
        let sandbox = Loop::default().sandbox();
        sandbox.write(".ai-factory/config.yaml", yaml);
        let told = run(&sandbox).expect(3);
        assert!(
            told.stderr.contains(".ai-factory/config.yaml"),
            "{yaml}: {}",
            told.stderr
        );
        assert!(!sandbox.exists(".onus") && !sandbox.exists(ROOT), "{yaml}");
    }
}

#[test]
fn the_projects_description_reaches_the_writers_and_not_the_judge() {
    let criteria = format!(
        "{}\n[[criteria]]\nid = \"a.open\"\ndescription = \"d\"\nseverity = \"warn\"\ncheck = \"c\"\n",
        stage::DONE
    );
    let sandbox = Loop {
        criteria: &criteria,
        cast: &[("all", "cat > prompt-$ONUS_ROLE")],
        ..Loop::default()
    }
    .sandbox();
    sandbox.write(
        ".ai-factory/DESCRIPTION.md",
        "# Arboretum\n\nWe only write about conifers.\n",
    );
    sandbox.onus(run_args("2", &[]));
    for role in ["planner", "producer", "refiner"] {
        let prompt = sandbox.read(&format!("prompt-{role}"));
        assert!(prompt.contains("We only write about conifers."), "{role}: {prompt}");
    }
    assert!(!sandbox.read("prompt-evaluator").contains("conifers"));
    let start = payloads(&sandbox, "run_started").remove(0);
    assert_eq!(start["context"][0]["path"], ".ai-factory/DESCRIPTION.md");
    assert_eq!(
        start["context"][0]["sha256"].as_str().unwrap(),
        sha256(&sandbox.project().join(".ai-factory/DESCRIPTION.md"))
    );
}

#[test]
fn the_description_of_a_run_is_the_one_it_was_started_with() {
    let planner = format!("cat > prompt; {}", r#"echo '{"plan": ["a", "b", "c"]}'"#);
    let critic = format!("{}\n{CRITIC}", hold("hold"));
    let sandbox = Loop {
        cast: &[("planner", &planner), ("critic", &critic)],
        ..Loop::default()
    }
    .sandbox();
    sandbox.write(".ai-factory/DESCRIPTION.md", "We only write about conifers.\n");
    killed_run(&sandbox);
    sandbox.write(".ai-factory/DESCRIPTION.md", "We only write about palms.\n");
    sandbox.onus(["resume"]).expect(0);
    let prompt = sandbox.read("prompt");
    assert!(prompt.contains("conifers") && !prompt.contains("palms"), "{prompt}");
    assert!(prompt.contains("iteration 2"), "{prompt}");
}

/// A history in the documented form, as a prompt-driven tool leaves it.
fn foreign(sandbox: &Sandbox) {
    sandbox.write(
        &format!("{ROOT}/courses-api-ddd/history.jsonl"),
        r#"{"ts":"2026-02-18T12:00:00Z","run_id":"courses-api-ddd-20260218-120000","iteration":1,"phase":"A","step":"PLAN","event":"run_started","status":"ok","payload":{}}
{"ts":"2026-02-18T12:01:10Z","run_id":"courses-api-ddd-20260218-120000","iteration":1,"phase":"A","step":"EVALUATE","event":"evaluation_done","status":"ok","payload":{"score":0.72,"passed":false}}
"#,
    );
    sandbox.write(
        &format!("{ROOT}/courses-api-ddd/run.json"),
        r#"{"run_id": "courses-api-ddd-20260218-120000", "task_alias": "courses-api-ddd", "status": "running", "iteration": 1, "last_score": 0.72, "updated_at": "2026-02-18T12:01:10Z"}"#,
    );
    sandbox.write(&format!("{ROOT}/courses-api-ddd/artifact.md"), "# Courses\n");
}

#[test]
fn another_tools_history_is_shown_and_never_taken_up() {
    let sandbox = Sandbox::in_memory();
    foreign(&sandbox);
    let before = files_below(&sandbox.project().join(ROOT));
    let history = sandbox.read(&format!("{ROOT}/courses-api-ddd/history.jsonl"));

    let list = sandbox.onus(["list"]).expect(0).stdout;
    for word in ["courses-api-ddd", "running", "0.72", "2026-02-18T12:01:10Z"] {
        assert!(list.contains(word), "{list}");
    }
    let status = sandbox.onus(["status", "courses-api-ddd"]).expect(0);
    assert!(
        status.stdout.contains("running") && status.stderr.contains("another tool"),
        "{status:?}"
    );
    let timeline = sandbox.onus(["history", "courses-api-ddd"]).expect(0).stdout;
    assert!(
        timeline.contains("run_started") && timeline.contains("score=0.72"),
        "{timeline}"
    );
    assert_eq!(
        sandbox
            .onus(["history", "courses-api-ddd", "--json"])
            .expect(0)
            .stdout
            .lines()
            .count(),
        2
    );
    for command in [
        vec!["resume", "courses-api-ddd"],
        vec!["stop", "courses-api-ddd"],
        vec!["repair", "courses-api-ddd", "--yes"],
        vec!["repair", "courses-api-ddd", "--adopt", "--yes"],
        vec!["replay", "courses-api-ddd"],
    ] {
        let told = sandbox.onus(&command).expect(2);
        assert!(told.stderr.contains("another tool"), "{command:?}: {}", told.stderr);
    }
    let told = sandbox.onus(["verify", "courses-api-ddd"]);
    assert!(format!("{told:?}").contains("another tool"), "{told:?}");
    assert_eq!(files_below(&sandbox.project().join(ROOT)), before);
    assert_eq!(sandbox.read(&format!("{ROOT}/courses-api-ddd/history.jsonl")), history);
}

#[test]
fn verifying_everything_says_something_about_every_run_also_beside_a_foreign_one() {
    let sandbox = Loop::default().sandbox();
    run(&sandbox).expect(0);
    foreign(&sandbox);
    let told = sandbox.onus(["verify"]);
    assert!(told.stdout.contains("note: sound"), "{told:?}");
    assert!(told.stdout.contains("courses-api-ddd"), "{told:?}");
}

#[test]
fn verifying_everything_is_not_stopped_by_a_lost_history_or_an_empty_folder() {
    for lose in [
        "mkdir .ai-factory/evolution/empty",
        "mkdir -p .ai-factory/evolution/lost && rm .ai-factory/evolution/lost/history.jsonl",
    ] {
        let sandbox = Loop::default().sandbox();
        run(&sandbox).expect(0);
        sandbox
            .onus([
                "run",
                "--accept-criteria",
                "--max-iterations",
                "4",
                "--alias",
                "lost",
                "--quiet",
            ])
            .expect(0);
        said(Command::new("sh").args(["-c", lose]).current_dir(sandbox.project())).expect(0);
        let told = sandbox.onus(["verify"]);
        assert!(told.stdout.contains("note: sound"), "{lose}: {told:?}");
    }
}

#[test]
fn a_lost_or_garbled_run_json_changes_nothing_that_is_shown() {
    let sandbox = held_at_critique();
    killed_run(&sandbox);
    let path = sandbox.project().join(ROOT).join("note/run.json");
    let status = sandbox.onus(["status", "note"]).expect(0).stdout;
    let list = sandbox.onus(["list"]).expect(0).stdout;
    assert!(
        status.contains("CRITIQUE") && list.contains("running"),
        "{status}{list}"
    );
    for garbage in [
        None,
        Some(&b""[..]),
        Some(b"{\"status\": \"completed\"}"),
        Some(b"\xff\xfe\x00"),
        Some(b"{"),
    ] {
        match garbage {
            None => std::fs::remove_file(&path).unwrap(),
            Some(bytes) => std::fs::write(&path, bytes).unwrap(),
        }
        assert_eq!(sandbox.onus(["status", "note"]).expect(0).stdout, status, "{garbage:?}");
        assert_eq!(sandbox.onus(["status"]).expect(0).stdout, status, "{garbage:?}");
        assert_eq!(sandbox.onus(["list"]).expect(0).stdout, list, "{garbage:?}");
        let told = sandbox.onus(["verify", "note"]).expect(7);
        assert!(told.stdout.contains("run.json"), "{garbage:?}: {}", told.stdout);
    }
    sandbox.onus(["resume"]).expect(0);
    let text = sandbox.read(&format!("{ROOT}/note/run.json"));
    assert_eq!(keys_in_order(&text), RUN_KEYS);
    sandbox.onus(["verify"]).expect(0);
}

#[test]
fn repair_writes_lost_views_anew_and_changes_no_history() {
    let sandbox = Loop::default().sandbox();
    run(&sandbox).expect(0);
    let dir = sandbox.project().join(ROOT).join("note");
    let whole = |name: &str| std::fs::read(dir.join(name)).unwrap();
    let (run_json, artifact, history) = (whole("run.json"), whole("artifact.md"), whole("history.jsonl"));
    std::fs::remove_file(dir.join("run.json")).unwrap();
    std::fs::write(dir.join("artifact.md"), "mine now\n").unwrap();
    sandbox.onus(["verify"]).expect(7);
    sandbox.onus(["repair", "note", "--dry-run"]).expect(0);
    assert!(!dir.join("run.json").exists());
    sandbox.onus(["repair", "note"]).expect(0);
    assert_eq!(
        (whole("run.json"), whole("artifact.md"), whole("history.jsonl")),
        (run_json, artifact, history)
    );
    sandbox.onus(["verify"]).expect(0);
    assert!(!sandbox.exists(&format!("{ROOT}/current.json")));
}

#[test]
fn a_lost_current_json_loses_nothing() {
    let sandbox = held_at_critique();
    killed_run(&sandbox);
    for text in [None, Some("{"), Some("{\"task_alias\": \"../../etc\"}")] {
        let path = sandbox.project().join(ROOT).join("current.json");
        match text {
            None => std::fs::remove_file(&path).unwrap(),
            Some(text) => std::fs::write(&path, text).unwrap(),
        }
        let status = sandbox.onus(["status", "--json"]).expect(0).json();
        assert_eq!(status["task_alias"], "note", "{text:?}");
    }
    sandbox.onus(["resume"]).expect(0);
    assert!(
        !sandbox.exists(&format!("{ROOT}/current.json")),
        "a pointer that names nothing is removed with the run"
    );
}

#[test]
fn a_lost_history_is_reported_and_nothing_is_guessed() {
    for (name, lose) in [
        ("deleted", "rm .ai-factory/evolution/note/history.jsonl"),
        ("with its folder", "rm -r .ai-factory/evolution/note"),
    ] {
        let sandbox = held_at_critique();
        killed_run(&sandbox);
        said(Command::new("sh").args(["-c", lose]).current_dir(sandbox.project())).expect(0);
        for command in [
            vec!["resume", "note"],
            vec!["resume"],
            vec!["status", "note"],
            vec!["stop", "note"],
            vec!["history", "note"],
            vec!["verify", "note"],
            vec!["replay", "note"],
            vec!["repair", "note", "--yes"],
        ] {
            let told = sandbox.onus(&command);
            assert_eq!(told.code, Some(7), "{name}: {command:?}: {told:?}");
            let said = format!("{}{}", told.stdout, told.stderr);
            assert!(said.contains("but event 5 was recorded"), "{name}: {command:?}: {said}");
        }
        let list = sandbox.onus(["list"]).expect(0).stdout;
        assert!(!list.contains("completed"), "{name}: {list}");
        assert!(!sandbox.exists(&format!("{ROOT}/note/history.jsonl")), "{name}");
        assert!(
            files_below(&sandbox.project().join(".onus/quarantine")).is_empty(),
            "{name}"
        );
    }
}

#[test]
fn a_person_whose_history_is_lost_is_told_to_start_anew() {
    let sandbox = held_at_critique();
    killed_run(&sandbox);
    std::fs::remove_file(sandbox.project().join(ROOT).join("note/history.jsonl")).unwrap();
    let told = sandbox.onus(["resume", "note"]).expect(7).stderr;
    assert!(!told.contains("onus repair"), "repair cannot help here: {told}");
    assert!(
        told.contains("onus clean note") || told.contains("onus run") || told.contains("new"),
        "{told}"
    );
}

#[test]
fn an_artifact_edited_by_hand_is_put_back_and_the_edit_is_kept() {
    let sandbox = held_at_critique();
    killed_run(&sandbox);
    let path = sandbox.project().join(ROOT).join("note/artifact.md");
    let recorded = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, "# My own words\n").unwrap();
    let edited = sha256(&path);
    let told = sandbox.onus(["resume"]).expect(0);
    assert!(
        told.stderr.contains("was changed outside the run") && told.stderr.contains(&edited),
        "{}",
        told.stderr
    );
    assert_eq!(std::fs::read_to_string(&path).unwrap(), format!("{recorded}DONE\n"));
    let (shelf, name) = edited.split_at(2);
    assert_eq!(
        sandbox.read(&format!(".onus/objects/{shelf}/{name}")),
        "# My own words\n"
    );
}

#[test]
fn a_deleted_artifact_is_put_back_and_one_that_became_a_link_is_not_followed() {
    for spoil in ["rm artifact.md", "rm artifact.md; ln -s ../../../onus.toml artifact.md"] {
        let sandbox = held_at_critique();
        killed_run(&sandbox);
        let dir = sandbox.project().join(ROOT).join("note");
        said(Command::new("sh").args(["-c", spoil]).current_dir(&dir)).expect(0);
        let loop_file = sandbox.read("onus.toml");
        sandbox.onus(["resume"]).expect(0);
        assert!(
            sandbox.read(&format!("{ROOT}/note/artifact.md")).ends_with("DONE\n"),
            "{spoil}"
        );
        assert_eq!(sandbox.read("onus.toml"), loop_file, "{spoil}");
        sandbox.onus(["verify"]).expect(0);
    }
}

#[test]
fn a_step_that_was_in_flight_is_done_again_and_a_finished_one_never() {
    let critic = format!("echo x >> asked; {}\n{CRITIC}", hold("hold"));
    let sandbox = Loop {
        cast: &[
            ("critic", &critic),
            ("planner", "echo x >> planned; echo '{\"plan\": [\"a\", \"b\", \"c\"]}'"),
        ],
        ..Loop::default()
    }
    .sandbox();
    killed_run(&sandbox);
    let told = sandbox.onus(["status"]).expect(0);
    assert!(told.stderr.contains("`onus resume note` goes on"), "{}", told.stderr);
    sandbox.onus(["resume"]).expect(0);
    assert_eq!((sandbox.read("asked").len(), sandbox.read("planned").len()), (4, 4));
    let events = sandbox.events("note");
    assert_eq!(events.iter().filter(|event| *event == "resumed").count(), 1);
    assert_eq!(
        sandbox
            .history("note")
            .iter()
            .find(|r| r["event"] == "resumed")
            .unwrap()["payload"]["by"],
        "tester"
    );
}

#[test]
fn two_runs_of_one_project_do_not_disturb_each_other() {
    let sandbox = held_at_critique();
    let first = run_until_held(&sandbox, "hold", &[]);
    sandbox.script("other.sh", &stage::cast(&[]));
    sandbox
        .onus([
            "run",
            "--accept-criteria",
            "--max-iterations",
            "4",
            "--alias",
            "other",
            "--agent",
            "sh other.sh",
        ])
        .expect(0);
    release(&sandbox, "hold");
    first.end().expect(0);
    let list = sandbox.onus(["list", "--json"]).expect(0).json();
    assert_eq!(
        (&list[0]["status"], &list[1]["status"]),
        (&json!("completed"), &json!("completed"))
    );
    assert!(!sandbox.exists(&format!("{ROOT}/current.json")));
    sandbox.onus(["verify"]).expect(0);
}

#[test]
fn an_alias_is_made_from_the_task_and_numbered_where_it_is_taken() {
    let sandbox = Loop::default().sandbox();
    for alias in ["write-the-note-about-cedar-trees", "write-the-note-about-cedar-trees-2"] {
        sandbox
            .onus(["run", "--accept-criteria", "--max-iterations", "4"])
            .expect(0);
        assert!(sandbox.exists(&format!("{ROOT}/{alias}/run.json")), "{alias}");
    }
    let told = sandbox.onus(run_args("4", &[])).expect(0);
    drop(told);
    let told = sandbox.onus(run_args("4", &[])).expect(2);
    assert!(
        told.stderr.contains("alias `note` already has a history"),
        "{}",
        told.stderr
    );
}
