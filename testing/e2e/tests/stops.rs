//! How runs end: by their rules, by a person from here or elsewhere, by a signal, or not at all; and what can be done with
//! an ended or an abandoned run.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::too_many_lines,
    reason = "tests touch the world, fail loudly and read as one table"
)]

mod stage;

use serde_json::{Value, json};
use stage::{
    Background, DONE, Loop, Said, Sandbox, files_below, hold, is_alive, killed_run, payloads, release, run, run_args,
    run_until_held, wait_until,
};

const ROOT: &str = ".ai-factory/evolution";

/// A critic that waits while the file `hold` is there, and leaves its process id.
fn held_at_critique() -> Sandbox {
    let critic = format!(
        "echo $$ > critic.pid; {}\n{}",
        hold("hold"),
        r#"echo '{"issues": [{"rule_id": "a.done", "problem": "no last line", "fix_instruction": "Add the last line"}]}'"#
    );
    Loop {
        cast: &[("critic", &critic)],
        ..Loop::default()
    }
    .sandbox()
}

fn run_json(sandbox: &Sandbox) -> Value {
    serde_json::from_str(&sandbox.read(&format!("{ROOT}/note/run.json"))).unwrap()
}

/// Where a run stands, by its own file and by `onus status`, which must agree.
#[track_caller]
fn status(sandbox: &Sandbox) -> String {
    let file = run_json(sandbox);
    let shown = sandbox.onus(["status", "note", "--json"]).expect(0).json();
    assert_eq!(file["status"], shown["status"]);
    file["status"].as_str().unwrap().to_owned()
}

/// The report of `run --json`.
fn report(said: &Said) -> Value {
    let last: Value = serde_json::from_str(said.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(last["type"], "report");
    last["report"].clone()
}

/// Criteria `(id, severity, pattern)`.
fn criteria(list: &[(&str, &str, &str)]) -> String {
    let one = |(id, severity, pattern): &(&str, &str, &str)| {
        format!(
            "[[criteria]]\nid = \"{id}\"\ndescription = \"d\"\nseverity = \"{severity}\"\nverify = {{ type = \"content\", search = \"{pattern}\" }}\n"
        )
    };
    list.iter().map(one).collect()
}

/// A critic with something to say about one criterion, whatever fails.
fn critic(id: &str) -> String {
    format!(r#"echo '{{"issues": [{{"rule_id": "{id}", "problem": "p", "fix_instruction": "f"}}]}}'"#)
}

const WRITE_ON: &str = "echo more >> \"$ONUS_ARTIFACT\"";

#[test]
fn a_run_that_passes_its_last_level_is_completed_and_passed() {
    // On the very last allowed iteration: success comes before limits.
    let sandbox = Loop::default().sandbox();
    let said = sandbox.onus(run_args("2", &[])).expect(0);
    assert!(said.stdout.contains("| completed | passed ──"), "{}", said.stdout);
    assert!(
        said.stdout.contains("threshold_reached — the last level passed"),
        "{}",
        said.stdout
    );
    let run = run_json(&sandbox);
    assert_eq!(run["stop"], json!({ "passed": true, "reason": "threshold_reached" }));
    assert_eq!((&run["status"], &run["iteration"]), (&json!("completed"), &json!(2)));
    assert_eq!(payloads(&sandbox, "stopped")[0]["rule"], "threshold_reached");
}

#[test]
fn only_warnings_left_at_the_last_level_complete_a_run_without_passing_it() {
    let sandbox = Loop {
        criteria: &criteria(&[("a.must", "fail", "cedar"), ("b.should", "warn", "oak")]),
        ..Loop::default()
    }
    .sandbox();
    let said = run(&sandbox).expect(1);
    assert!(said.stdout.contains("| completed | not passed ──"), "{}", said.stdout);
    assert!(said.stdout.contains("completed, not passed"), "{}", said.stdout);
    let run = run_json(&sandbox);
    assert_eq!(run["stop"], json!({ "passed": false, "reason": "no_major_issues" }));
    assert_eq!(
        (&run["status"], &run["phase"], &run["iteration"]),
        (&json!("completed"), &json!("B"), &json!(1))
    );
    // Tested before anybody is asked to criticise.
    assert!(payloads(&sandbox, "critique_done").is_empty());
}

#[test]
fn only_warnings_left_at_an_earlier_level_stop_a_run_when_it_stops_moving() {
    let sandbox = Loop {
        criteria: &criteria(&[
            ("a.must", "fail", "cedar"),
            ("a.should", "warn", "oak"),
            ("a.could", "warn", "elm"),
        ]),
        cast: &[("critic", &critic("a.should")), ("refiner", WRITE_ON)],
        ..Loop::default()
    }
    .sandbox();
    let said = sandbox.onus(run_args("9", &[])).expect(1);
    assert!(
        said.stdout.contains("stagnation — the score has stopped moving"),
        "{}",
        said.stdout
    );
    let run = run_json(&sandbox);
    assert_eq!(run["stop"], json!({ "passed": false, "reason": "stagnation" }));
    // Half of the weight at once, then twice nothing more.
    assert_eq!(
        (
            &run["status"],
            &run["phase"],
            &run["iteration"],
            &run["stagnation_count"],
            &run["last_score"]
        ),
        (&json!("stopped"), &json!("A"), &json!(3), &json!(2), &json!(0.5))
    );
    assert_eq!(payloads(&sandbox, "critique_done").len(), 2);
}

#[test]
fn a_run_stuck_on_a_blocking_criterion_never_stagnates_and_ends_with_its_iterations() {
    let sandbox = Loop {
        criteria: &criteria(&[
            ("a.done", "fail", "^DONE$"),
            ("a.named", "warn", "cedar"),
            ("a.elm", "warn", "elm"),
        ]),
        cast: &[("refiner", WRITE_ON)],
        ..Loop::default()
    }
    .sandbox();
    let said = sandbox.onus(run_args("4", &["--json"])).expect(1);
    let report = report(&said);
    assert_eq!(
        (
            &report["stop_reason"],
            &report["status"],
            &report["passed"],
            &report["iteration"]
        ),
        (&json!("iteration_limit"), &json!("stopped"), &json!(false), &json!(4))
    );
    assert_eq!(
        report["distance_to_success"],
        json!({
            "threshold": 0.8, "score": 0.25, "gap": 0.55, "failing_fail_rules": 1, "blocking": ["a.done"],
            "passed_rules": 1, "total_rules": 3,
        })
    );
    assert_eq!(payloads(&sandbox, "stopped")[0]["blocking"], json!(["a.done"]));
}

#[test]
fn the_distance_to_success_is_told_in_words_when_the_iterations_run_out_and_only_then() {
    let sandbox = Loop {
        cast: &[("refiner", WRITE_ON)],
        ..Loop::default()
    }
    .sandbox();
    let said = sandbox.onus(run_args("1", &[])).expect(1);
    for line in [
        "distance_to_success:",
        "threshold:  0.80",
        "score:      0.00",
        "gap:        0.80",
        "blocking:   1 (a.done)",
        "rules:      0/1 passed",
    ] {
        assert!(said.stdout.contains(line), "{line}: {}", said.stdout);
    }
    // The last iteration ends with its evaluation: nobody refines what nobody will judge.
    assert!(payloads(&sandbox, "refinement_done").is_empty());
    let passing = Loop::default().sandbox();
    assert!(!run(&passing).expect(0).stdout.contains("distance_to_success"));
}

#[test]
fn a_budget_of_seconds_stops_at_the_next_boundary_and_says_by_how_much_it_was_passed() {
    let sandbox = Loop {
        cast: &[("producer", "sleep 1.05; echo DONE")],
        ..Loop::default()
    }
    .sandbox();
    let said = sandbox
        .onus(run_args("4", &["--max-completed-step-seconds", "1", "--json"]))
        .expect(1);
    let report = report(&said);
    assert_eq!(
        (
            &report["stop_reason"],
            &report["status"],
            &report["max_completed_phase_seconds"],
            &report["completed_phase_seconds"]
        ),
        (&json!("budget_exceeded"), &json!("stopped"), &json!(1), &json!(1))
    );
    // The artifact is there, and no score speaks of it.
    assert_eq!(
        (&report["artifact_status"], &report["final_score"]),
        (&json!("unevaluated"), &Value::Null)
    );
    assert_eq!(report["final_score_unavailable"], "the artifact was never evaluated");
    let stopped = &payloads(&sandbox, "stopped")[0];
    assert_eq!(
        (
            &stopped["completed_phase_seconds"],
            &stopped["max_completed_phase_seconds"],
            &stopped["overshoot_seconds"],
            &stopped["last_completed_step"]
        ),
        (&json!(1), &json!(1), &json!(0), &json!("PRODUCE_PREPARE"))
    );
    assert_eq!(run_json(&sandbox)["max_completed_phase_seconds"], 1);
}

#[test]
fn a_run_that_passes_within_the_step_that_uses_up_its_budget_has_passed() {
    let slow = r#"{ type = "executable", command = "sleep 1.05; grep -q DONE artifact.md" }"#;
    let sandbox = Loop {
        criteria: &format!(
            "[[criteria]]\nid = \"b.slow\"\ndescription = \"d\"\nseverity = \"fail\"\nverify = {slow}\n{DONE}"
        ),
        cast: &[("producer", "echo DONE")],
        ..Loop::default()
    }
    .sandbox();
    sandbox
        .onus(run_args("4", &["--max-completed-step-seconds", "1"]))
        .expect(0);
}

#[test]
fn the_same_failures_again_and_again_stop_a_run_that_asks_for_it() {
    let sandbox = Loop {
        rest: "[stagnation]\nsame_failures_max = 2",
        cast: &[("refiner", WRITE_ON)],
        ..Loop::default()
    }
    .sandbox();
    let said = sandbox.onus(run_args("9", &[])).expect(1);
    assert!(
        said.stdout
            .contains("same_failures — the same criteria failed again and again"),
        "{}",
        said.stdout
    );
    let run = run_json(&sandbox);
    assert_eq!(
        (&run["status"], &run["iteration"], &run["stop"]["reason"]),
        (&json!("stopped"), &json!(2), &json!("same_failures"))
    );
}

#[test]
fn a_stop_from_elsewhere_waits_for_the_step_and_keeps_its_reason() {
    let sandbox = held_at_critique();
    let mut run = run_until_held(&sandbox, "hold", &[]);
    let stop = Background::start(&mut sandbox.command(["stop", "--reason", "enough for today"]));
    wait_until("the stop waits", || {
        stop.stderr().contains("waiting for the step in flight")
    });
    assert!(run.is_running());
    release(&sandbox, "hold");
    let said = stop.end().expect(0);
    assert_eq!(said.stdout, "note: stopped (enough for today)\n");
    let said = run.end().expect(5);
    assert!(
        said.stdout.contains("enough for today — stopped by a person (tester)"),
        "{}",
        said.stdout
    );

    let run = run_json(&sandbox);
    assert_eq!(
        (&run["status"], &run["stop"]),
        (
            &json!("stopped"),
            &json!({ "passed": false, "reason": "enough for today" })
        )
    );
    let events = sandbox.events("note");
    assert_eq!(
        events[events.len() - 2..],
        ["critique_done", "stopped"],
        "the step in flight was recorded"
    );
    assert_eq!(payloads(&sandbox, "stopped")[0]["by"], "tester");
    assert!(!sandbox.exists(&format!("{ROOT}/current.json")));
    assert!(files_below(&sandbox.project().join(".onus/stop")).is_empty());
    sandbox.onus(["verify"]).expect(0);
}

#[test]
fn a_stop_waits_for_both_of_two_steps() {
    let open = "[[criteria]]\nid = \"a.open\"\ndescription = \"d\"\nseverity = \"fail\"\ncheck = \"c\"\n";
    let sandbox = Loop {
        criteria: open,
        cast: &[
            ("producer", &format!("{}; echo text", hold("hold"))),
            ("preparer", "echo '{\"checks\": []}'"),
        ],
        ..Loop::default()
    }
    .sandbox();
    let run = run_until_held(&sandbox, "hold", &[]);
    let stop = Background::start(&mut sandbox.command(["stop", "note", "--json"]));
    wait_until("the checks are recorded", || {
        sandbox.events("note").contains(&"checks_prepared".to_owned())
    });
    wait_until("the stop waits", || stop.stderr().contains("waiting"));
    release(&sandbox, "hold");
    run.end().expect(5);
    assert_eq!(stop.end().expect(0).json()["stop"]["reason"], "user_stop");
    let events = sandbox.events("note");
    assert_eq!(events[events.len() - 2..], ["artifact_created", "stopped"]);
}

#[test]
fn a_stop_now_ends_the_step_in_flight() {
    let sandbox = held_at_critique();
    let run = run_until_held(&sandbox, "hold", &[]);
    let said = sandbox.onus(["stop", "--now", "--reason", "fire"]).expect(0);
    assert_eq!(said.stdout, "note: stopped (fire)\n");
    run.end().expect(5);
    assert!(!is_alive(&sandbox.read("critic.pid")));
    assert_eq!(status(&sandbox), "stopped");
    assert_eq!(run_json(&sandbox)["stop"]["reason"], "fire");
    assert!(payloads(&sandbox, "critique_done").is_empty());
    assert!(files_below(&sandbox.project().join(".onus/stop")).is_empty());
}

#[test]
fn an_interrupt_stops_after_the_step_in_flight() {
    let sandbox = held_at_critique();
    let run = run_until_held(&sandbox, "hold", &[]);
    run.signal("INT");
    wait_until("the interrupt is heard", || run.stderr().contains("press Ctrl-C again"));
    release(&sandbox, "hold");
    run.end().expect(5);
    assert_eq!(status(&sandbox), "stopped");
    assert_eq!(
        run_json(&sandbox)["stop"],
        json!({ "passed": false, "reason": "user_stop" })
    );
    assert_eq!(payloads(&sandbox, "critique_done").len(), 1);
    assert_eq!(payloads(&sandbox, "stopped")[0]["by"], "tester");
}

#[test]
fn whoever_leaves_at_once_finds_the_run_where_it_was() {
    for signals in [&["INT", "INT"][..], &["TERM"], &["HUP"], &["INT", "TERM"]] {
        let sandbox = held_at_critique();
        let run = run_until_held(&sandbox, "hold", &[]);
        for (n, name) in signals.iter().enumerate() {
            run.signal(name);
            if n + 1 < signals.len() {
                wait_until("the first signal is heard", || {
                    run.stderr().contains("press Ctrl-C again")
                });
            }
        }
        let said = run.end().expect(5);
        assert!(
            said.stderr.contains("`onus resume note` goes on"),
            "{signals:?}: {}",
            said.stderr
        );
        assert!(!is_alive(&sandbox.read("critic.pid")), "{signals:?}");
        assert_eq!(status(&sandbox), "running", "{signals:?}");
        assert!(payloads(&sandbox, "phase_error").is_empty(), "{signals:?}");
        release(&sandbox, "hold");
        sandbox.onus(["resume"]).expect(0);
        assert_eq!(status(&sandbox), "completed", "{signals:?}");
        sandbox.onus(["verify"]).expect(0);
    }
}

#[test]
fn a_run_under_nohup_outlives_its_terminal() {
    let sandbox = held_at_critique();
    sandbox.write("hold", "");
    let plain = sandbox.command(run_args("4", &[]));
    let mut command = std::process::Command::new("nohup");
    command
        .arg(plain.get_program())
        .args(plain.get_args())
        .current_dir(sandbox.project())
        .env_clear();
    command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut run = Background::start(command.stdin(std::process::Stdio::null()));
    wait_until("the agent holds", || sandbox.exists("hold.reached"));
    run.signal("HUP");
    // Long enough for one that listens to leave.
    let patience = std::time::Instant::now() + std::time::Duration::from_millis(300);
    while run.is_running() && std::time::Instant::now() < patience {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    release(&sandbox, "hold");
    run.end().expect(0);
}

#[test]
fn an_interrupt_while_a_check_runs_leaves_no_verdict_behind() {
    let check = r#"{ type = "executable", command = "cd \"$ONUS_WORKSPACE\"; if [ -e hold ] && [ -s \"$ONUS_ARTIFACT\" ]; then : > hold.reached; while [ -e hold ]; do sleep 0.02; done; fi; true" }"#;
    let sandbox = Loop {
        criteria: &format!(
            "[[criteria]]\nid = \"a.slow\"\ndescription = \"d\"\nseverity = \"fail\"\nverify = {check}\n"
        ),
        ..Loop::default()
    }
    .sandbox();
    let run = run_until_held(&sandbox, "hold", &[]);
    run.signal("TERM");
    run.end().expect(5);
    assert!(payloads(&sandbox, "evaluation_done").is_empty() && payloads(&sandbox, "phase_error").is_empty());
    release(&sandbox, "hold");
    sandbox.onus(["resume"]).expect(0);
}

#[test]
fn a_second_process_is_refused_with_the_firsts_id() {
    let sandbox = held_at_critique();
    let first = run_until_held(&sandbox, "hold", &[]);
    let history = sandbox.read(&format!("{ROOT}/note/history.jsonl"));
    for command in [
        vec!["resume", "note"],
        vec!["resume"],
        run_args("4", &[]),
        vec!["repair", "note", "--yes"],
    ] {
        let said = sandbox.onus(&command).expect(2);
        assert!(
            said.stderr.contains(&format!("held by process {}", first.pid())),
            "{command:?}: {}",
            said.stderr
        );
    }
    let said = sandbox.onus(["clean", "note", "--yes"]).expect(2);
    assert!(said.stderr.contains("is running"), "{}", said.stderr);
    // Looking is always allowed.
    for command in [
        vec!["status"],
        vec!["list"],
        vec!["history", "note"],
        vec!["verify", "note"],
        vec!["replay", "note"],
    ] {
        sandbox.onus(&command).expect(0);
    }
    assert_eq!(sandbox.read(&format!("{ROOT}/note/history.jsonl")), history);
    release(&sandbox, "hold");
    first.end().expect(0);
}

#[test]
fn a_run_nobody_works_on_is_stopped_at_once() {
    let sandbox = held_at_critique();
    killed_run(&sandbox);
    assert_eq!(status(&sandbox), "running");
    let said = sandbox.onus(["stop", "--reason", "no longer needed"]).expect(0);
    assert_eq!(said.stdout, "note: stopped (no longer needed)\n");
    assert_eq!(status(&sandbox), "stopped");
    assert!(!sandbox.exists(&format!("{ROOT}/current.json")));
    let said = sandbox.onus(["stop", "note"]).expect(2);
    assert!(said.stderr.contains("already ended: it is stopped"), "{}", said.stderr);
    let said = sandbox.onus(["stop"]).expect(2);
    assert!(said.stderr.contains("is active"), "{}", said.stderr);
}

#[test]
fn an_ended_run_is_not_resumed_and_a_failed_one_says_why_it_failed() {
    let sandbox = Loop::default().sandbox();
    run(&sandbox).expect(0);
    let said = sandbox.onus(["resume", "note"]).expect(2);
    assert!(
        said.stderr.contains("has already ended: it is completed"),
        "{}",
        said.stderr
    );
    assert!(said.stderr.contains("a new run"), "{}", said.stderr);

    let sandbox = Loop {
        cast: &[("planner", "echo quota >&2; exit 3")],
        ..Loop::default()
    }
    .sandbox();
    run(&sandbox).expect(6);
    let said = sandbox.onus(["resume", "note"]).expect(2);
    assert!(said.stderr.contains("it is failed"), "{}", said.stderr);
    assert!(
        said.stderr.contains("plan: agent `sh` exited with code 3"),
        "{}",
        said.stderr
    );
    assert_eq!(
        sandbox.events("note").last().unwrap(),
        "failed",
        "a refused resume records nothing"
    );
    let said = sandbox.onus(["resume", "nothing-here"]).expect(2);
    assert!(
        said.stderr.contains("there is no run `nothing-here`"),
        "{}",
        said.stderr
    );
}

#[test]
fn cleaning_asks_first_and_never_touches_a_running_run() {
    let sandbox = held_at_critique();
    killed_run(&sandbox);
    let again = |alias: &str| {
        sandbox
            .onus(["run", "--accept-criteria", "--max-iterations", "4", "--alias", alias])
            .expect(0);
    };
    again("first");
    again("second");
    let dirs = || -> Vec<String> {
        let entries = std::fs::read_dir(sandbox.project().join(ROOT)).unwrap();
        let mut names: Vec<String> = entries
            .map(|e| e.unwrap().file_name().to_str().unwrap().to_owned())
            .collect();
        names.retain(|name| name != "current.json");
        names.sort();
        names
    };

    let said = sandbox.onus(["clean", "first"]).expect(4);
    assert!(
        said.stderr.contains("needs a yes") && said.stderr.contains("`--yes`"),
        "{}",
        said.stderr
    );
    assert!(said.stderr.contains("evolution/first"), "{}", said.stderr);
    let said = sandbox.onus(["clean", "first", "--dry-run"]).expect(0);
    assert!(
        said.stderr.contains("would delete") && said.stderr.contains("evolution/first"),
        "{}",
        said.stderr
    );
    let said = sandbox.onus(["clean", "note", "--yes"]).expect(2);
    assert!(
        said.stderr.contains("`note` is running") && said.stderr.contains("onus stop note"),
        "{}",
        said.stderr
    );
    sandbox.onus(["clean", "unheard-of", "--yes"]).expect(2);
    sandbox.onus(["clean"]).expect(2);
    sandbox.onus(["clean", "first", "--all"]).expect(2);
    assert_eq!(dirs(), ["first", "note", "second"]);

    assert_eq!(
        sandbox.onus(["clean", "first", "--yes"]).expect(0).stdout,
        "deleted 1\n"
    );
    assert_eq!(dirs(), ["note", "second"]);
    let said = sandbox.onus(["clean", "--all", "--yes", "--json"]).expect(0);
    assert_eq!(said.json(), json!({ "deleted": ["second"], "kept": ["note"] }));
    assert_eq!(dirs(), ["note"]);
    let said = sandbox.onus(["clean", "--all", "--yes"]).expect(0);
    assert!(said.stderr.contains("nothing to delete"), "{}", said.stderr);

    // What is left still works, and the name is free again.
    sandbox.onus(["resume"]).expect(0);
    again("first");
    sandbox.onus(["clean", "--all", "--yes"]).expect(0);
    assert_eq!(dirs(), Vec::<String>::new());
    assert!(files_below(&sandbox.state().join("onus/heads")).is_empty());
}

#[test]
fn cleaning_everything_leaves_folders_alone_that_are_no_runs() {
    let sandbox = Loop::default().sandbox();
    run(&sandbox).expect(0);
    sandbox.write(&format!("{ROOT}/lessons/learned.md"), "What we learned in two years.\n");
    let said = sandbox.onus(["clean", "--all", "--yes", "--json"]).expect(0);
    assert_eq!(said.json()["deleted"], json!(["note"]), "{said:?}");
    assert!(sandbox.exists(&format!("{ROOT}/lessons/learned.md")));
    assert!(!sandbox.onus(["list"]).expect(0).stdout.contains("lessons"));
}

#[test]
fn a_wish_to_stop_that_outlived_its_process_costs_no_further_step() {
    let critic = format!(
        "echo x >> asked; {}\n{}",
        hold("hold"),
        r#"echo '{"issues": [{"rule_id": "a.done", "problem": "p", "fix_instruction": "f"}]}'"#
    );
    let sandbox = Loop {
        cast: &[("critic", &critic)],
        ..Loop::default()
    }
    .sandbox();
    let run = run_until_held(&sandbox, "hold", &[]);
    let stop = Background::start(&mut sandbox.command(["stop", "note"]));
    wait_until("the stop waits", || stop.stderr().contains("waiting"));
    stop.kill();
    run.kill();
    release(&sandbox, "hold");
    // Either whoever resumes wants the run to go on, or the wish still holds; asking an agent once more is neither.
    sandbox.onus(["resume"]);
    let asked = sandbox.read("asked").lines().count();
    match status(&sandbox).as_str() {
        "completed" => assert_eq!(asked, 2),
        other => assert_eq!((other, asked), ("stopped", 1)),
    }
}

#[test]
fn an_interrupt_before_the_first_agent_leaves_no_run() {
    let check = r#"{ type = "executable", command = "cd \"$ONUS_WORKSPACE\"; : > hold.reached; while [ -e hold ]; do sleep 0.02; done" }"#;
    let sandbox = Loop {
        criteria: &format!(
            "[[criteria]]\nid = \"a.slow\"\ndescription = \"d\"\nseverity = \"fail\"\nverify = {check}\n"
        ),
        ..Loop::default()
    }
    .sandbox();
    let run = run_until_held(&sandbox, "hold", &[]);
    run.signal("TERM");
    let said = run.end().expect(5);
    assert!(said.stderr.contains("nothing was recorded"), "{}", said.stderr);
    assert!(
        sandbox
            .onus(["list", "--json"])
            .expect(0)
            .json()
            .as_array()
            .unwrap()
            .is_empty()
    );
}
