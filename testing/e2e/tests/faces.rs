//! The faces of a run: every command, in words and as JSON, on runs that are sound and on runs that are not.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::too_many_lines,
    reason = "tests touch the world, fail loudly and read as one table"
)]

mod stage;

use std::collections::BTreeSet;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use stage::{Loop, Sandbox, files_below, hold, killed_run, release, run, run_args, run_until_held, said, wait_until};

const ROOT: &str = ".ai-factory/evolution";
const HISTORY: &str = ".ai-factory/evolution/note/history.jsonl";
const CRITIC: &str =
    r#"echo '{"issues": [{"rule_id": "a.done", "problem": "no last line", "fix_instruction": "Add the last line"}]}'"#;

fn held_at_critique() -> Sandbox {
    let critic = format!("{}\n{CRITIC}", hold("hold"));
    Loop {
        cast: &[("critic", &critic)],
        ..Loop::default()
    }
    .sandbox()
}

/// A finished, passed run.
fn finished() -> Sandbox {
    let sandbox = Loop::default().sandbox();
    run(&sandbox).expect(0);
    sandbox
}

fn keys(value: &Value) -> BTreeSet<&str> {
    value
        .as_object()
        .unwrap_or_else(|| panic!("{value}"))
        .keys()
        .map(String::as_str)
        .collect()
}

#[track_caller]
fn has_keys(value: &Value, expected: &[&str]) {
    assert_eq!(keys(value), expected.iter().copied().collect(), "{value}");
}

#[test]
fn every_command_that_shows_something_also_says_it_as_json() {
    let sandbox = finished();
    let json = |args: &[&str]| sandbox.onus([args, &["--json"]].concat()).expect(0).json();

    let status = json(&["status", "note"]);
    assert_eq!(
        status,
        serde_json::from_str::<Value>(&sandbox.read(&format!("{ROOT}/note/run.json"))).unwrap()
    );
    let list = json(&["list"]);
    has_keys(&list[0], &["alias", "status", "iteration", "last_score", "updated_at"]);
    assert_eq!(
        (&list[0]["alias"], &list[0]["status"], &list[0]["iteration"]),
        (&json!("note"), &json!("completed"), &json!(2))
    );
    let verified = json(&["verify"]);
    has_keys(
        &verified[0],
        &[
            "alias", "sound", "events", "bytes", "objects", "head", "problems", "notes",
        ],
    );
    assert_eq!(
        (&verified[0]["sound"], &verified[0]["problems"]),
        (&json!(true), &json!([]))
    );
    assert_eq!(verified[0]["events"], sandbox.history("note").len());
    let replayed = json(&["replay", "note"]);
    has_keys(&replayed, &["alias", "events", "agrees", "state_sha256", "diverges_at"]);
    assert_eq!(
        (&replayed["agrees"], &replayed["diverges_at"]),
        (&json!(true), &Value::Null)
    );
    let presets = json(&["preset", "list"]);
    assert!(
        presets.as_array().unwrap().iter().any(|p| p["name"] == "reflex"),
        "{presets}"
    );
    has_keys(&presets[0], &["name", "summary"]);
    let doctor = json(&["doctor"]);
    for finding in doctor.as_array().unwrap() {
        has_keys(finding, &["what", "ok", "detail"]);
        assert_eq!(finding["ok"], true, "{finding}");
    }
    let told = json(&["repair", "note"]);
    has_keys(&told, &["alias", "result", "status", "bytes_dropped", "quarantined"]);
    assert_eq!(
        (&told["result"], &told["status"]),
        (&json!("rebuilt"), &json!("completed"))
    );

    let lines = sandbox.onus(["history", "note", "--json"]).expect(0).stdout;
    let records: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(records, sandbox.history("note"));
    let second = sandbox
        .onus(["history", "note", "--iteration", "2", "--json"])
        .expect(0)
        .stdout;
    assert!(
        second.lines().count() > 3 && second.lines().all(|line| line.contains("\"iteration\":2")),
        "{second}"
    );

    assert_eq!(
        json(&["clean", "note", "--yes"]),
        json!({ "deleted": ["note"], "kept": [] })
    );
    assert_eq!(json(&["status"]), Value::Null);
    assert_eq!(json(&["list"]), json!([]));
    assert_eq!(json(&["verify"]), json!([]));
}

#[test]
fn the_words_of_every_command_hold_the_same_facts() {
    let sandbox = finished();
    let words = |args: &[&str]| sandbox.onus(args).expect(0).stdout;
    let status = words(&["status", "note"]);
    for fact in [
        "completed",
        "2/4",
        "phase:",
        "EVALUATE",
        "1.00",
        "threshold_reached",
        "failed:",
        "none",
    ] {
        assert!(status.contains(fact), "{fact}: {status}");
    }
    let list = words(&["list"]);
    let header: Vec<&str> = list.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(header, ["alias", "status", "iteration", "last_score", "updated_at"]);
    let history = words(&["history", "note"]);
    assert_eq!(history.lines().count(), sandbox.history("note").len());
    assert!(
        history
            .lines()
            .last()
            .unwrap()
            .contains("completed, passed: threshold_reached"),
        "{history}"
    );
    assert!(
        words(&["verify"]).starts_with("note: sound, 16 events, "),
        "{}",
        words(&["verify"])
    );
    assert!(words(&["replay", "note"]).contains("16 events decide to the same state again"));
    assert!(sandbox.onus(["status"]).expect(0).stdout.contains("is active"));
    assert!(
        sandbox
            .onus(["status"])
            .expect(0)
            .stderr
            .contains("`onus list` shows all")
    );
}

#[test]
fn a_run_as_json_is_a_line_for_every_event_and_the_report_last() {
    let sandbox = Loop::default().sandbox();
    let told = sandbox.onus(run_args("4", &["--json"])).expect(0);
    let lines: Vec<Value> = told
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let (report, events) = lines.split_last().unwrap();
    let records: Vec<Value> = events
        .iter()
        .map(|line| {
            assert_eq!(line["type"], "event");
            line["record"].clone()
        })
        .collect();
    assert_eq!(records, sandbox.history("note"));
    assert_eq!(report["type"], "report");
    let report = &report["report"];
    for key in [
        "run_id",
        "task_alias",
        "status",
        "passed",
        "iteration",
        "max_iterations",
        "phase",
        "threshold",
        "final_score",
        "stop_reason",
        "explanation",
        "distance_to_success",
        "completed_phase_seconds",
        "max_completed_phase_seconds",
        "overshoot_seconds",
        "artifact_status",
        "artifact",
        "artifact_sha256",
    ] {
        assert!(report.get(key).is_some(), "{key}: {report}");
    }
    assert_eq!(
        (
            &report["status"],
            &report["passed"],
            &report["final_score"],
            &report["artifact"]
        ),
        (
            &json!("completed"),
            &json!(true),
            &json!(1.0),
            &json!(".ai-factory/evolution/note/artifact.md")
        )
    );
}

#[test]
fn a_resumed_run_and_a_stopped_one_speak_json_too() {
    let sandbox = held_at_critique();
    killed_run(&sandbox);
    let before = sandbox.history("note").len();
    let told = sandbox.onus(["resume", "--json"]).expect(0);
    let lines: Vec<Value> = told
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines[0]["record"]["event"], "resumed");
    assert_eq!(
        lines.len() - 1,
        sandbox.history("note").len() - before,
        "only what is new is told"
    );
    assert_eq!(lines.last().unwrap()["report"]["passed"], true);

    let sandbox = held_at_critique();
    killed_run(&sandbox);
    let told = sandbox.onus(["stop", "--json", "--reason", "later"]).expect(0).json();
    assert_eq!(
        (&told["status"], &told["stop"]["reason"]),
        (&json!("stopped"), &json!("later"))
    );
}

#[test]
fn a_quiet_run_says_only_how_it_ended() {
    let sandbox = Loop::default().sandbox();
    let told = sandbox.onus(run_args("4", &["--quiet"])).expect(0);
    assert_eq!(told.stderr, "");
    assert!(
        told.stdout.trim_start().starts_with("── note-") && !told.stdout.contains("Iteration 1/4"),
        "{}",
        told.stdout
    );
    sandbox.onus(run_args("4", &["--quiet", "--json"])).expect(2);
}

#[test]
fn an_iteration_is_summed_up_in_the_documented_lines() {
    let sandbox = Loop::default().sandbox();
    let told = run(&sandbox).expect(0).stdout;
    assert!(
        told.contains("── Iteration 1/4 | Phase A | Score: 0.00 | FAIL ──"),
        "{told}"
    );
    assert!(
        told.contains("── Iteration 2/4 | Phase A | Score: 1.00 | PASS ──"),
        "{told}"
    );
    for line in [
        "Plan:",
        "Hash:",
        "Changed:",
        "Failed:    a.done",
        "Warnings:  none",
        "Artifact:  .ai-factory/evolution/note/artifact.md",
        "a.done: Add the last line",
    ] {
        assert!(told.contains(line), "{line}: {told}");
    }
    // In full at the level switch and at the end, and nowhere else.
    assert_eq!(told.matches("The cedar is an evergreen tree.").count(), 2, "{told}");
}

#[test]
fn replaying_a_run_tells_it_again_as_it_was_told() {
    let sandbox = Loop::default().sandbox();
    let live = run(&sandbox).expect(0).stdout;
    let again = sandbox.onus(["replay", "note", "--print"]).expect(0).stdout;
    let told = again.split("\nnote: 16 events").next().unwrap().trim_end();
    assert!(live.starts_with(told), "live:\n{live}\nagain:\n{told}");
}

/// A run that scores 0.5 at level A with nothing that blocks, and is stopped by its iterations.
fn half() -> Sandbox {
    let criteria = r#"
[[criteria]]
id = "a.must"
description = "d"
severity = "fail"
verify = { type = "content", search = "cedar" }

[[criteria]]
id = "a.one"
description = "d"
severity = "warn"
verify = { type = "content", search = "oak" }

[[criteria]]
id = "a.two"
description = "d"
severity = "warn"
verify = { type = "content", search = "elm" }
"#;
    let sandbox = Loop {
        criteria,
        cast: &[
            (
                "critic",
                r#"echo '{"issues": [{"rule_id": "a.one", "problem": "p", "fix_instruction": "f"}]}'"#,
            ),
            ("refiner", "echo more >> \"$ONUS_ARTIFACT\""),
        ],
        ..Loop::default()
    }
    .sandbox();
    sandbox.onus(run_args("2", &[])).expect(1);
    sandbox
}

#[test]
fn what_if_shows_where_a_run_would_have_gone_another_way() {
    let sandbox = half();
    let history = sandbox.read(HISTORY);
    for (what, recorded, instead, outcome) in [
        (
            "threshold.A=0.5",
            json!("critique_done"),
            json!("phase_switched"),
            "goes on with PREPARE",
        ),
        (
            "threshold=0.5",
            json!("critique_done"),
            json!("phase_switched"),
            "goes on with PREPARE",
        ),
        (
            "max_iterations=1",
            json!("critique_done"),
            json!("stopped"),
            "iteration_limit in iteration 1, not passed",
        ),
        (
            "max_iterations=5",
            json!("stopped"),
            Value::Null,
            "goes on with CRITIQUE",
        ),
        (
            "threshold.A=0.6",
            Value::Null,
            Value::Null,
            "iteration_limit in iteration 2, not passed",
        ),
    ] {
        let told = sandbox
            .onus(["replay", "note", "--what-if", what, "--json"])
            .expect(0)
            .json();
        has_keys(
            &told,
            &[
                "alias",
                "what_if",
                "same",
                "diverges_at",
                "recorded",
                "instead",
                "outcome",
            ],
        );
        assert_eq!(
            (&told["recorded"], &told["instead"]),
            (&recorded, &instead),
            "{what}: {told}"
        );
        assert_eq!(told["same"], recorded.is_null(), "{what}");
        assert!(told["outcome"].as_str().unwrap().starts_with(outcome), "{what}: {told}");
    }
    let told = sandbox
        .onus(["replay", "note", "--what-if", "threshold.A=0.5"])
        .expect(0)
        .stdout;
    assert!(
        told.contains("the run goes another way at event 6") && told.contains("instead:  phase_switched"),
        "{told}"
    );
    for wrong in [
        "threshold",
        "threshold=2",
        "max_iterations=0",
        "speed=9",
        "threshold.A=x",
    ] {
        sandbox.onus(["replay", "note", "--what-if", wrong]).expect(2);
    }
    assert_eq!(sandbox.read(HISTORY), history, "asking changes nothing");
}

#[test]
fn what_if_about_a_level_that_does_not_exist_is_refused() {
    let sandbox = half();
    let told = sandbox.onus(["replay", "note", "--what-if", "threshold.Z=0.5"]);
    assert_eq!(told.code, Some(2), "{told:?}");
}

/// Does something to the history of a run that has died in the middle, or has ended.
fn spoiled(sandbox: &Sandbox, deed: &str) {
    let mut command = Command::new("sh");
    said(
        command
            .args(["-c", deed])
            .current_dir(sandbox.project().join(ROOT).join("note")),
    )
    .expect(0);
}

/// Deeds, and the place that `verify` must name.
const DEEDS: [(&str, &str); 6] = [
    (
        "sed -i '4s/\"iteration\":1/\"iteration\":7/' history.jsonl",
        "event 4 (byte ",
    ),
    ("sed -i '3d' history.jsonl", "event 3 (byte "),
    ("sed -i '2{h;d};3{G}' history.jsonl", "event 2 (byte "),
    (
        "sed -i '$d' history.jsonl",
        "was recorded, but the history ends at event ",
    ),
    ("truncate -s -20 history.jsonl", "cut short after"),
    ("echo '{\"event\":\"stopped\"}' >> history.jsonl", " (byte "),
];

#[test]
fn verify_names_the_place_of_the_damage_and_nothing_goes_on_from_there() {
    for (deed, place) in DEEDS {
        let sandbox = held_at_critique();
        killed_run(&sandbox);
        spoiled(&sandbox, deed);
        let spoiled = sandbox.read(HISTORY);
        let told = sandbox.onus(["verify", "note"]).expect(7);
        assert!(
            told.stdout.contains("NOT SOUND") && told.stdout.contains(place),
            "{deed}: {}",
            told.stdout
        );
        assert!(
            told.stderr.contains("`onus repair note --dry-run`"),
            "{deed}: {}",
            told.stderr
        );
        let told = sandbox.onus(["verify", "--json"]).expect(7).json();
        assert_eq!(told[0]["sound"], false, "{deed}");
        assert!(told[0]["problems"].to_string().contains(place), "{deed}: {told}");
        for command in [["resume", "note"], ["stop", "note"]] {
            let told = sandbox.onus(command).expect(7);
            assert!(
                told.stderr.contains("history.jsonl") && told.stderr.contains("onus repair note --dry-run"),
                "{deed}: {}",
                told.stderr
            );
        }
        assert_eq!(sandbox.read(HISTORY), spoiled, "{deed}");
    }
}

#[test]
fn a_history_that_was_tampered_with_is_not_replayed_as_if_it_were_whole() {
    for (deed, _) in DEEDS {
        let sandbox = finished();
        spoiled(&sandbox, deed);
        let told = sandbox.onus(["replay", "note"]);
        assert_eq!(told.code, Some(7), "{deed}: {told:?}");
        let told = sandbox.onus(["replay", "note", "--json"]);
        assert!(
            told.code == Some(7) && !told.stdout.contains("\"agrees\": true"),
            "{deed}: {told:?}"
        );
    }
}

#[test]
fn a_history_that_was_tampered_with_is_not_shown_as_if_it_were_whole() {
    let mut silent = Vec::new();
    for (deed, _) in DEEDS {
        let sandbox = finished();
        spoiled(&sandbox, deed);
        for command in [["history", "note"], ["status", "note"], ["explain", "note"]] {
            let told = sandbox.onus(command);
            if told.code == Some(0) && !told.stderr.contains("warning") {
                silent.push(format!("{command:?} after `{deed}`"));
            }
        }
    }
    assert!(silent.is_empty(), "{silent:#?}");
}

#[test]
fn a_run_whose_end_was_cut_off_is_not_listed_as_if_nothing_had_happened() {
    let sandbox = finished();
    spoiled(&sandbox, "sed -i '$d' history.jsonl");
    let told = sandbox.onus(["list", "--json"]).expect(0).json();
    assert_ne!(told[0]["status"], "running", "{told}");
}

#[test]
fn a_forged_history_is_told_from_a_true_one() {
    // Somebody who can compute hashes but has no key rewrites the whole chain.
    let sandbox = held_at_critique();
    killed_run(&sandbox);
    let mut prev = "0".repeat(64);
    let mut forged = String::new();
    for line in sandbox.read(HISTORY).lines() {
        let line = line.replace("\"passed\":false", "\"passed\":true");
        let body = &line[..line.rfind(",\"hash\":\"").unwrap()];
        let at = body.rfind("\"prev\":\"").unwrap();
        let body = format!("{}\"prev\":\"{prev}\"", &body[..at]);
        let path = sandbox.write("body", &body);
        prev = stage::sha256(&path);
        let mac = &line[line.rfind("\"mac\":\"").unwrap()..];
        forged.push_str(&format!("{body},\"hash\":\"{prev}\",{mac}\n"));
    }
    sandbox.write(HISTORY, forged);
    let told = sandbox.onus(["verify", "note"]).expect(7);
    assert!(
        told.stdout.contains("not sealed with this machine's key")
            || told.stdout.contains("another event was recorded"),
        "{}",
        told.stdout
    );
    sandbox.onus(["resume", "note"]).expect(7);
    // With the head gone as well, only the key tells.
    std::fs::remove_dir_all(sandbox.state().join("onus/heads")).unwrap();
    sandbox.onus(["resume", "note"]).expect(7);
}

#[test]
fn repair_shows_first_asks_then_and_cuts_into_quarantine() {
    for (deed, kept) in [
        ("sed -i '4s/\"iteration\":1/\"iteration\":7/' history.jsonl", 3),
        ("sed -i '3d' history.jsonl", 2),
        ("sed -i '$d' history.jsonl", 4),
        ("truncate -s -20 history.jsonl", 4),
        ("echo '{\"event\":\"stopped\"}' >> history.jsonl", 5),
    ] {
        let sandbox = held_at_critique();
        killed_run(&sandbox);
        spoiled(&sandbox, deed);
        let spoiled = sandbox.read(HISTORY);

        let told = sandbox.onus(["repair", "note", "--dry-run"]).expect(0);
        assert!(
            told.stderr.contains(&format!("keep: {kept} events")),
            "{deed}: {}",
            told.stderr
        );
        let told = sandbox.onus(["repair", "note"]).expect(4);
        assert!(told.stderr.contains("`--yes`"), "{deed}: {}", told.stderr);
        assert_eq!(sandbox.read(HISTORY), spoiled, "{deed}");
        assert!(
            files_below(&sandbox.project().join(".onus/quarantine")).is_empty(),
            "{deed}"
        );

        let told = sandbox.onus(["repair", "note", "--yes", "--json"]).expect(0).json();
        assert_eq!(
            (&told["result"], &told["status"]),
            (&json!("repaired"), &json!("running")),
            "{deed}"
        );
        let lines: Vec<&str> = spoiled.split_inclusive('\n').collect();
        let cut: String = lines[kept..].concat();
        assert_eq!(told["bytes_dropped"], cut.len(), "{deed}");
        if cut.is_empty() {
            assert_eq!(told["quarantined"], Value::Null, "{deed}");
        } else {
            assert_eq!(
                std::fs::read_to_string(told["quarantined"].as_str().unwrap()).unwrap(),
                cut,
                "{deed}"
            );
            let record = sandbox.history("note").pop().unwrap();
            assert_eq!(
                (&record["event"], &record["payload"]["by"]),
                (&json!("repaired"), &json!("tester")),
                "{deed}"
            );
        }
        assert!(sandbox.read(HISTORY).starts_with(&lines[..kept].concat()), "{deed}");
        sandbox.onus(["verify", "note"]).expect(0);
        sandbox.onus(["resume"]).expect(0);
        sandbox.onus(["verify", "note"]).expect(0);
        sandbox.onus(["replay", "note"]).expect(0);
    }
}

#[test]
fn a_history_whose_first_event_is_damaged_is_kept_and_cannot_be_repaired() {
    let sandbox = held_at_critique();
    killed_run(&sandbox);
    spoiled(&sandbox, "sed -i '1s/reflex/relfex/' history.jsonl");
    let spoiled = sandbox.read(HISTORY);
    let told = sandbox.onus(["repair", "note", "--yes"]).expect(7);
    assert!(told.stderr.contains("holds no whole event"), "{}", told.stderr);
    assert_eq!(sandbox.read(HISTORY), spoiled);
    assert!(sandbox.onus(["list"]).expect(0).stdout.contains("unreadable"));
    sandbox.onus(["clean", "note", "--yes"]).expect(0);
}

#[test]
fn a_run_outlives_the_loss_of_this_machines_key_on_a_persons_word() {
    let sandbox = held_at_critique();
    killed_run(&sandbox);
    std::fs::remove_dir_all(sandbox.state().join("onus")).unwrap();
    let told = sandbox.onus(["resume", "note"]).expect(7);
    assert!(
        told.stderr.contains("this machine has no key") && told.stderr.contains("`onus repair note --adopt`"),
        "{}",
        told.stderr
    );
    sandbox.onus(["verify", "note"]).expect(7);
    let told = sandbox.onus(["repair", "note", "--adopt"]).expect(4);
    assert!(told.stderr.contains("`--yes`"), "{}", told.stderr);
    sandbox.onus(["repair", "note", "--adopt", "--dry-run"]).expect(0);
    assert!(!sandbox.state().join("onus/key").exists(), "a look makes no key");
    let before = sandbox.read(HISTORY);
    let told = sandbox
        .onus(["repair", "note", "--adopt", "--yes", "--json"])
        .expect(0)
        .json();
    assert_eq!(
        (&told["result"], &told["status"]),
        (&json!("adopted"), &json!("running"))
    );
    assert_eq!(
        std::fs::read_to_string(told["quarantined"].as_str().unwrap()).unwrap(),
        before
    );
    let record = sandbox.history("note").pop().unwrap();
    assert_eq!(
        (&record["event"], &record["payload"]["by"]),
        (&json!("adopted"), &json!("tester"))
    );
    sandbox.onus(["resume"]).expect(0);
    sandbox.onus(["verify", "note"]).expect(0);
    sandbox.onus(["replay", "note"]).expect(0);
}

#[test]
fn a_history_sealed_on_another_machine_is_shown_and_taken_up_only_on_a_persons_word() {
    let sandbox = held_at_critique();
    killed_run(&sandbox);
    std::fs::remove_dir_all(sandbox.state().join("onus")).unwrap();
    // This machine gets a key of its own with its first run.
    sandbox
        .onus(["run", "--accept-criteria", "--max-iterations", "4", "--alias", "other"])
        .expect(0);
    let told = sandbox.onus(["resume", "note"]).expect(7);
    assert!(told.stderr.contains("sealed with another key"), "{}", told.stderr);
    assert!(sandbox.onus(["list"]).expect(0).stdout.contains("note"));
    sandbox.onus(["repair", "note", "--adopt", "--yes"]).expect(0);
    sandbox.onus(["resume", "note"]).expect(0);
    sandbox.onus(["verify"]).expect(0);
}

#[test]
fn a_project_that_was_moved_goes_on_where_it_is() {
    let sandbox = held_at_critique();
    killed_run(&sandbox);
    let moved = sandbox.project().with_file_name("moved");
    std::fs::rename(sandbox.project(), &moved).unwrap();
    std::fs::create_dir(sandbox.project()).unwrap();
    let dir = moved.to_str().unwrap();
    let told = sandbox.onus(["-C", dir, "verify"]).expect(0);
    assert!(told.stdout.contains("no head for this run"), "{}", told.stdout);
    sandbox.onus(["-C", dir, "resume"]).expect(0);
    sandbox.onus(["-C", dir, "verify"]).expect(0);
}

#[test]
fn an_ejected_preset_runs_once_it_has_a_task_and_an_agent() {
    let sandbox = Sandbox::in_memory();
    let told = sandbox.onus(["preset", "eject", "reflex"]).expect(0);
    for file in told.stdout.lines() {
        assert!(sandbox.exists(file), "{file}");
    }
    assert!(
        told.stdout.contains("onus.toml") && told.stdout.contains("evaluator"),
        "{}",
        told.stdout
    );
    let told = sandbox.onus(["preset", "eject", "reflex"]).expect(2);
    assert!(told.stderr.contains("already there"), "{}", told.stderr);

    let quote = "The cedar is an evergreen tree.";
    let judge = format!(
        r#"ids=$(grep -o '"id":"[^"]*"' "$ONUS_REQUEST" | cut -d'"' -f4)
printf '{{"rule_results": ['; sep=''
for id in $ids; do printf '%s{{"id": "%s", "verdict": "pass", "quote": "{quote}"}}' "$sep" "$id"; sep=', '; done
printf ']}}'"#
    );
    sandbox.script(
        "agent.sh",
        &stage::cast(&[
            ("evaluator", &judge),
            ("planner", "cat > prompt; echo '{\"plan\": [\"a\", \"b\", \"c\"]}'"),
        ]),
    );
    // The ejected prompts are the ones that are used.
    let template = files_below(&sandbox.project())
        .into_iter()
        .find(|file| file.contains("planner"))
        .unwrap();
    let text = sandbox.read(&template);
    sandbox.write(&template, format!("{text}\nSpeak like a gardener.\n"));
    let toml = sandbox.read("onus.toml");
    sandbox.write("onus.toml", format!("{toml}\n[task]\nprompt = \"A README about cedars\"\n\n[agents.shell]\nkind = \"command\"\ncommand = [\"sh\", \"agent.sh\"]\n"));
    run(&sandbox).expect(0);
    assert!(sandbox.read("prompt").contains("Speak like a gardener."));
    assert_eq!(
        sandbox.history("note")[0]["payload"]["spec"]["criteria"]
            .as_array()
            .unwrap()
            .len(),
        8
    );

    sandbox
        .onus(["preset", "eject", "reflex", "--into", "deep/er"])
        .expect(0);
    assert!(sandbox.exists("deep/er/onus.toml"));
    assert!(
        sandbox
            .onus(["preset", "show", "reflex"])
            .expect(0)
            .stdout
            .contains("[cycle]")
    );
    for args in [["preset", "show", "reflx"], ["preset", "eject", "reflx"]] {
        let told = sandbox.onus(args).expect(2);
        assert!(told.stderr.contains("`reflex`"), "{}", told.stderr);
    }
}

#[test]
fn completions_are_scripts_that_their_shell_can_read() {
    let sandbox = Sandbox::in_memory();
    for (shell, words) in [
        ("bash", "complete -F _onus"),
        ("zsh", "#compdef onus"),
        ("fish", "complete -c onus"),
    ] {
        let told = sandbox.onus(["completions", shell]).expect(0);
        assert!(told.stdout.contains(words) && told.stdout.contains("resume"), "{shell}");
        assert_eq!(told.stderr, "");
    }
    let script = sandbox.onus(["completions", "bash"]).expect(0).stdout;
    let path = sandbox.write("onus.bash", script);
    said(Command::new("bash").arg("-n").arg(path)).expect(0);
    sandbox.onus(["completions", "tcsh"]).expect(2);
}

#[test]
fn every_schema_is_listed_and_is_json() {
    let sandbox = finished();
    let list = sandbox.onus(["schema"]).expect(0).stdout;
    let names: Vec<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(
        names,
        [
            "record",
            "loop-spec",
            "plan",
            "prepare",
            "evaluate",
            "critique",
            "intent"
        ]
    );
    for name in names {
        let schema = sandbox.onus(["schema", name]).expect(0).json();
        assert!(
            schema["$schema"].is_string() && schema["title"].is_string(),
            "{name}: {schema}"
        );
    }
    // What the schema calls required is there in every line.
    let schema = sandbox.onus(["schema", "record"]).expect(0).json();
    for record in sandbox.history("note") {
        for key in schema["required"].as_array().unwrap() {
            assert!(record.get(key.as_str().unwrap()).is_some(), "{key} in {record}");
        }
    }
    let told = sandbox.onus(["schema", "recrod"]).expect(2);
    assert!(told.stderr.contains("`record`"), "{}", told.stderr);
}

#[test]
fn every_command_explains_itself() {
    let sandbox = Sandbox::in_memory();
    let commands = [
        "run",
        "new",
        "resume",
        "status",
        "stop",
        "list",
        "history",
        "clean",
        "verify",
        "repair",
        "replay",
        "preset",
        "schema",
        "completions",
        "doctor",
    ];
    for command in commands {
        let told = sandbox.onus([command, "--help"]).expect(0);
        assert!(
            told.stdout.contains("Usage: onus") && told.stderr.is_empty(),
            "{command}: {told:?}"
        );
        assert_eq!(told.stdout, sandbox.onus([command, "-h"]).expect(0).stdout, "{command}");
    }
    for command in [["preset", "list"], ["preset", "show"], ["preset", "eject"]] {
        sandbox.onus([&command[..], &["--help"]].concat()).expect(0);
    }
    let help = sandbox.onus(["--help"]).expect(0).stdout;
    assert!(
        commands.iter().all(|command| help.contains(command)) && help.contains("integrity violation"),
        "{help}"
    );
    assert!(sandbox.onus(["--version"]).expect(0).stdout.starts_with("onus "));
    assert!(files_below(&sandbox.project()).is_empty());
}

#[test]
fn colour_is_for_terminals_and_for_whoever_asks() {
    let sandbox = finished();
    let coloured = |args: &[&str], env: &[(&str, &str)]| {
        let mut command = sandbox.command(args);
        said(command.envs(env.iter().copied()))
            .expect(0)
            .stdout
            .contains('\u{1b}')
    };
    for (args, env, expected) in [
        (&["verify"][..], &[][..], false),
        (&["--color", "always", "verify"], &[], true),
        (&["verify", "--color", "always"], &[], true),
        (&["--color", "never", "verify"], &[("CLICOLOR_FORCE", "1")], false),
        (&["verify"], &[("CLICOLOR_FORCE", "1")], true),
        (&["verify"], &[("CLICOLOR_FORCE", "0")], false),
        (&["verify"], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], false),
        (&["--color", "always", "verify"], &[("NO_COLOR", "1")], true),
        (&["--color", "always", "verify", "--json"], &[], false),
        (&["--color", "always", "history", "note", "--json"], &[], false),
    ] {
        assert_eq!(coloured(args, env), expected, "{args:?} {env:?}");
    }
}

#[test]
fn the_artifact_is_copied_where_it_is_wanted() {
    let sandbox = Loop::default().sandbox();
    let told = sandbox.onus(run_args("4", &["--save-as", "note.md"])).expect(0);
    assert!(told.stderr.contains("saved as "), "{}", told.stderr);
    assert_eq!(
        sandbox.read("note.md"),
        sandbox.read(&format!("{ROOT}/note/artifact.md"))
    );
    assert_eq!(files_below(&sandbox.project().join(ROOT)).len(), 3);
    // Without an artifact there is nothing to save, and that is no second error.
    let sandbox = Loop {
        cast: &[("planner", "exit 1")],
        ..Loop::default()
    }
    .sandbox();
    sandbox.onus(run_args("4", &["--save-as", "note.md"])).expect(6);
    assert!(!sandbox.exists("note.md"));
    // A run that did not pass leaves its last artifact all the same.
    let sandbox = Loop {
        cast: &[("refiner", "echo more >> \"$ONUS_ARTIFACT\"")],
        ..Loop::default()
    }
    .sandbox();
    sandbox.onus(run_args("1", &["--save-as", "note.md"])).expect(1);
    assert!(sandbox.exists("note.md"));
    let sandbox = held_at_critique();
    killed_run(&sandbox);
    sandbox.onus(["resume", "--save-as", "note.md"]).expect(0);
    assert!(sandbox.read("note.md").ends_with("DONE\n"));
}

#[test]
fn a_place_where_nothing_can_be_saved_is_found_out_before_the_run() {
    let sandbox = Loop::default().sandbox();
    let told = sandbox.onus(run_args("4", &["--save-as", "nowhere/note.md"]));
    assert!(told.stderr.contains("nowhere"), "{}", told.stderr);
    assert!(
        !sandbox.exists(HISTORY),
        "agents were paid for a result that cannot be delivered"
    );
}

#[test]
fn a_run_without_an_artifact_suggests_nothing_to_do_with_it() {
    let sandbox = Loop {
        cast: &[("planner", "exit 1")],
        ..Loop::default()
    }
    .sandbox();
    let told = run(&sandbox).expect(6);
    assert!(
        told.stdout.contains("not_created") && !told.stdout.contains("next:"),
        "{}",
        told.stdout
    );
}

#[test]
fn nobody_listening_is_no_reason_to_stop_or_to_panic() {
    let sandbox = finished();
    // The exit code goes to a file: the pipe's own is that of its last command.
    let deaf = |args: &str, how: &str| -> (String, String) {
        let command = sandbox.command(["--version"]);
        let envs = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
        let script = match how {
            "pipe" => format!("{{ $ONUS {args} 2> err; echo $? > code; }} | true"),
            "closed" => format!("$ONUS {args} >&- 2> err; echo $? > code"),
            "all closed" => format!("$ONUS {args} <&- >&- 2>&-; echo $? > code; : > err"),
            "full" => format!("$ONUS {args} > /dev/full 2> err; echo $? > code"),
            _ => panic!("{how}"),
        };
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &script])
            .current_dir(sandbox.project())
            .env_clear()
            .envs(envs);
        said(shell.env("ONUS", onus_testkit::onus_binary()).stdin(Stdio::null()));
        wait_until("the code is there", || sandbox.read("code").ends_with('\n'));
        (sandbox.read("code").trim().to_owned(), sandbox.read("err"))
    };
    for how in ["pipe", "closed", "all closed", "full"] {
        for (args, code) in [
            ("list", "0"),
            ("status note --json", "0"),
            ("history note", "0"),
            ("verify", "0"),
            ("schema record", "0"),
            ("completions bash", "0"),
            ("--help", "0"),
            ("replay note --print", "0"),
            ("fly", "2"),
        ] {
            sandbox.write("code", "");
            let (found, err) = deaf(args, how);
            assert_eq!(found, code, "{how}: {args}: {err}");
            assert!(!err.contains("panicked"), "{how}: {args}: {err}");
        }
        sandbox.write("code", "");
        let alias = how.replace(' ', "-");
        let (code, err) = deaf(
            &format!("run --accept-criteria --max-iterations 4 --alias {alias}"),
            how,
        );
        assert_eq!((code.as_str(), err.contains("panicked")), ("0", false), "{how}: {err}");
        assert_eq!(sandbox.events(&alias).last().unwrap(), "stopped", "{how}");
    }
}

#[test]
fn a_project_is_found_from_below_and_from_elsewhere() {
    let sandbox = finished();
    let below = sandbox.project().join("src/deep");
    std::fs::create_dir_all(&below).unwrap();
    let mut command = sandbox.command(["list"]);
    assert!(said(command.current_dir(&below)).expect(0).stdout.contains("note"));
    let elsewhere = sandbox.state();
    let project = sandbox.project().display().to_string();
    let mut command = sandbox.command(["-C", &project, "list"]);
    assert!(said(command.current_dir(&elsewhere)).expect(0).stdout.contains("note"));
    // A loop file that is named marks its project.
    let file = format!("{project}/onus.toml");
    let mut command = sandbox.command([
        "run",
        "--file",
        &file,
        "--accept-criteria",
        "--max-iterations",
        "4",
        "--alias",
        "far",
    ]);
    said(command.current_dir(&elsewhere)).expect(0);
    assert!(sandbox.exists(&format!("{ROOT}/far/run.json")));
    assert!(!elsewhere.join(".onus").exists());
}

#[test]
fn the_old_word_for_starting_a_run_works_too() {
    let sandbox = Loop::default().sandbox();
    sandbox
        .onus(["new", "--accept-criteria", "--max-iterations", "4", "--alias", "note"])
        .expect(0);
}

#[test]
fn a_run_in_flight_is_seen_by_everybody() {
    let sandbox = held_at_critique();
    let run = run_until_held(&sandbox, "hold", &[]);
    let status = sandbox.onus(["status"]).expect(0);
    assert!(
        status.stdout.contains("CRITIQUE") && status.stdout.contains("running"),
        "{}",
        status.stdout
    );
    assert!(
        !status.stderr.contains("no process is working on it"),
        "{}",
        status.stderr
    );
    let told = sandbox.onus(["verify", "note"]).expect(0);
    assert!(told.stdout.contains("sound"), "{}", told.stdout);
    release(&sandbox, "hold");
    run.end().expect(0);
}
