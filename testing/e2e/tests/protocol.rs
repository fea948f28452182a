//! The command protocol from the agent's side: what it is told, how it may answer, and what becomes of agents that
//! misbehave.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::too_many_lines,
    reason = "tests touch the world, fail loudly and read as one table"
)]

mod stage;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use stage::{DONE, Loop, Sandbox, hold, is_alive, payloads, run, run_args, wait_until};

/// Notes everything an agent can see of one call under `seen/<role>-<n>.*`.
const WITNESS: &str = r#"
n=1; while [ -e "seen/$ONUS_ROLE-$n.env" ]; do n=$((n+1)); done
see="seen/$ONUS_ROLE-$n"
env > "$see.env"
cat > "$see.prompt"
cat "$ONUS_REQUEST" > "$see.request"
stat -c %a "$ONUS_REQUEST" > "$see.mode"
pwd > "$see.cwd"
[ -e "$ONUS_RESPONSE" ] && : > "$see.response"
[ -e "$ONUS_ARTIFACT" ] && cat "$ONUS_ARTIFACT" > "$see.base"
:
"#;

/// `DONE`, one criterion that PREPARE decides and one that only the evaluator can.
fn three_criteria() -> String {
    let more = r#"
[[criteria]]
id = "a.named"
description = "The note names the tree."
severity = "warn"
check = "The word cedar stands in it."

[[criteria]]
id = "a.true"
description = "What the note says is true."
severity = "fail"
check = "Read it."
"#;
    format!("{DONE}{more}")
}

const PREPARES_ONE: &str = r#"echo '{"checks": [{"rule_id": "a.named", "type": "content", "search": "(?i)cedar"}]}'"#;
const PASSES_ONE: &str = r#"echo '{"rule_results": [{"id": "a.true", "verdict": "pass", "details": "it is one", "quote": "The cedar is an evergreen tree."}]}'"#;

/// A run in which every role plays, watched; it fails once, is refined and passes both levels.
fn witnessed() -> Sandbox {
    let criteria = three_criteria();
    let sandbox = Loop {
        agent: r#"env = ["LISTED"]"#,
        criteria: &criteria,
        cast: &[("all", WITNESS), ("preparer", PREPARES_ONE), ("evaluator", PASSES_ONE)],
        ..Loop::default()
    }
    .sandbox();
    std::fs::create_dir(sandbox.project().join("seen")).unwrap();
    let mut command = sandbox.command(run_args("4", &[]));
    command
        .env("SECRET_TOKEN", "xyzzy-4711")
        .env("LISTED", "for the agent")
        .env("LC_ALL", "C.UTF-8");
    command.env("ONUS_ITERATION", "999").env("ONUS_SMUGGLED", "x");
    stage::said(&mut command).expect(0);
    sandbox
}

fn environment(sandbox: &Sandbox, call: &str) -> BTreeMap<String, String> {
    // What the shell itself sets is not the engine's doing.
    let text = sandbox.read(&format!("seen/{call}.env"));
    let pairs = text.lines().filter_map(|line| line.split_once('='));
    let own = pairs.filter(|(name, _)| !matches!(*name, "PWD" | "OLDPWD" | "SHLVL" | "_"));
    own.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

#[test]
fn one_script_plays_all_six_roles_and_is_called_as_often_as_the_loop_says() {
    let sandbox = witnessed();
    let calls: BTreeSet<String> = stage::files_below(&sandbox.project().join("seen"))
        .into_iter()
        .filter_map(|name| name.strip_suffix(".env").map(str::to_owned))
        .collect();
    let expected = [
        "critic-1",
        "evaluator-1",
        "evaluator-2",
        "evaluator-3",
        "planner-1",
        "planner-2",
        "preparer-1",
        "preparer-2",
        "preparer-3",
        "producer-1",
        "producer-2",
        "refiner-1",
    ];
    assert_eq!(calls, expected.map(str::to_owned).into());
    let mut events = sandbox.events("note");
    // PRODUCE and PREPARE run side by side; either may be recorded first.
    for at in 1..events.len() {
        if events[at] == "artifact_created" && events[at - 1] == "checks_prepared" {
            events.swap(at - 1, at);
        }
    }
    let expected = [
        "run_started",
        "plan_created",
        "artifact_created",
        "checks_prepared",
        "evaluation_done",
        "critique_done",
        "refinement_done",
        "iteration_advanced",
        "plan_created",
        "artifact_created",
        "checks_prepared",
        "evaluation_done",
        "phase_switched",
        "checks_prepared",
        "evaluation_done",
        "stopped",
    ];
    assert_eq!(events, expected);
}

#[test]
fn every_role_is_told_where_it_is_and_the_evaluator_never_how_long_it_has_gone_on() {
    let sandbox = witnessed();
    let run_id = sandbox.history("note")[0]["run_id"].as_str().unwrap().to_owned();
    for (call, step, iteration, level) in [
        ("planner-1", "plan", Some("1"), "A"),
        ("producer-1", "produce", Some("1"), "A"),
        ("preparer-1", "prepare", Some("1"), "A"),
        ("evaluator-1", "evaluate", None, "A"),
        ("critic-1", "critique", Some("1"), "A"),
        ("refiner-1", "refine", Some("1"), "A"),
        ("planner-2", "plan", Some("2"), "A"),
        ("producer-2", "produce", Some("2"), "A"),
        ("evaluator-2", "evaluate", None, "A"),
        ("preparer-3", "prepare", Some("2"), "B"),
        ("evaluator-3", "evaluate", None, "B"),
    ] {
        let env = environment(&sandbox, call);
        let told = |name: &str| env.get(name).map(String::as_str);
        let role = call.split('-').next().unwrap();
        assert_eq!(told("ONUS_ROLE"), Some(role), "{call}");
        assert_eq!(told("ONUS_STEP"), Some(step), "{call}");
        assert_eq!(told("ONUS_ITERATION"), iteration, "{call}");
        assert_eq!(told("ONUS_LEVEL"), Some(level), "{call}");
        assert_eq!(told("ONUS_RUN_ID"), Some(run_id.as_str()), "{call}");
        assert_eq!(told("ONUS_ALIAS"), Some("note"), "{call}");
        for path in ["ONUS_ARTIFACT", "ONUS_REQUEST", "ONUS_RESPONSE"] {
            assert!(told(path).is_some_and(|path| path.starts_with('/')), "{call} {path}");
        }
        assert!(told("ONUS_ARTIFACT").unwrap().ends_with("/artifact.md"), "{call}");
        assert_eq!(sandbox.read(&format!("seen/{call}.mode")), "444\n", "{call}");
        assert_eq!(
            std::path::Path::new(sandbox.read(&format!("seen/{call}.cwd")).trim()),
            sandbox.project().canonicalize().unwrap(),
            "{call}"
        );
        assert!(!sandbox.exists(&format!("seen/{call}.response")), "{call}");
    }
}

#[test]
fn an_agent_sees_an_allow_list_of_the_environment_and_what_the_loop_file_adds() {
    let sandbox = witnessed();
    for call in [
        "planner-1",
        "producer-1",
        "preparer-1",
        "evaluator-1",
        "critic-1",
        "refiner-1",
    ] {
        let env = environment(&sandbox, call);
        let names: BTreeSet<&str> = env
            .keys()
            .map(String::as_str)
            .filter(|name| !name.starts_with("ONUS_"))
            .collect();
        let allowed = ["HOME", "LC_ALL", "LISTED", "PATH", "TMPDIR", "USER", "XDG_STATE_HOME"];
        assert_eq!(names, allowed.into(), "{call}");
        assert_eq!(env["LISTED"], "for the agent", "{call}");
        let told = env.keys().filter(|name| name.starts_with("ONUS_")).count();
        assert_eq!(told, if call == "evaluator-1" { 8 } else { 9 }, "{call}: {env:?}");
        assert!(!env.contains_key("ONUS_SMUGGLED"), "{call}");
    }
    let everything = stage::said(
        std::process::Command::new("grep")
            .args(["-rl", "xyzzy-4711"])
            .arg(sandbox.project()),
    );
    assert_eq!(everything.stdout, "", "the secret is nowhere");
}

#[test]
fn the_prompt_comes_on_standard_input_and_the_request_holds_the_same_structured() {
    let sandbox = witnessed();
    for call in [
        "planner-1",
        "producer-1",
        "preparer-1",
        "evaluator-1",
        "critic-1",
        "refiner-1",
    ] {
        let request: Value = serde_json::from_str(&sandbox.read(&format!("seen/{call}.request"))).unwrap();
        assert_eq!(request["task"]["prompt"], "Write the note about cedar trees", "{call}");
        assert_eq!(request["task"]["ideal_result"], "A note that ends well", "{call}");
        let prompt = sandbox.read(&format!("seen/{call}.prompt"));
        assert!(prompt.contains("Write the note about cedar trees"), "{call}: {prompt}");
    }
    let planner: Value = serde_json::from_str(&sandbox.read("seen/planner-2.request")).unwrap();
    assert_eq!(planner["failures"][0]["id"], "a.done");
    assert_eq!(planner["recent_events"].as_array().unwrap().len(), 3);
    let refiner: Value = serde_json::from_str(&sandbox.read("seen/refiner-1.request")).unwrap();
    assert_eq!(refiner["issues"][0]["fix_instruction"], "Add the last line");
    assert!(sandbox.read("seen/refiner-1.prompt").contains("Add the last line"));
}

#[test]
fn each_role_gets_the_artifact_as_it_stands_before_its_step() {
    let sandbox = witnessed();
    let draft = "# Cedar\n\nThe cedar is an evergreen tree.\n";
    let refined = format!("{draft}DONE\n");
    for (call, base) in [
        ("planner-1", None),
        ("producer-1", None),
        ("preparer-1", None),
        ("evaluator-1", Some(draft)),
        ("critic-1", Some(draft)),
        ("refiner-1", Some(draft)),
        ("planner-2", None),
        ("producer-2", Some(refined.as_str())),
        ("preparer-2", None),
        ("evaluator-2", Some(&refined)),
        ("evaluator-3", Some(&refined)),
    ] {
        let path = format!("seen/{call}.base");
        assert_eq!(
            sandbox.exists(&path).then(|| sandbox.read(&path)).as_deref(),
            base,
            "{call}"
        );
    }
}

#[test]
fn the_evaluator_is_told_nothing_of_what_was_decided_before() {
    let sandbox = witnessed();
    let keys = |call: &str| -> BTreeSet<String> {
        let request: Value = serde_json::from_str(&sandbox.read(&format!("seen/{call}.request"))).unwrap();
        request.as_object().unwrap().keys().cloned().collect()
    };
    let expected = [
        "artifact",
        "fence",
        "files",
        "phase_level",
        "previous_error",
        "rules",
        "run_id",
        "task",
    ];
    for call in ["evaluator-1", "evaluator-2", "evaluator-3"] {
        assert_eq!(keys(call), expected.map(str::to_owned).into(), "{call}");
        let request = sandbox.read(&format!("seen/{call}.request")).to_lowercase();
        for word in [
            "iteration",
            "score",
            "verdict",
            "passed",
            "critique",
            "issue",
            "plan",
            "name the tree",
        ] {
            assert!(!request.contains(word), "{call} says `{word}`: {request}");
        }
        let prompt = sandbox.read(&format!("seen/{call}.prompt"));
        for word in [
            "Iteration",
            "iteration",
            "0.5",
            "0.6",
            "Add the last line",
            "no last line",
            "Name the tree",
        ] {
            assert!(!prompt.contains(word), "{call} says `{word}`: {prompt}");
        }
        // Only what no check decides is asked.
        assert!(
            request.contains("a.true") && !request.contains("a.named") && !request.contains("a.done"),
            "{request}"
        );
    }
    // Between iterations nothing it sees differs but the artifact, its paths and the fence.
    let seen = |call: &str| {
        let mut env = environment(&sandbox, call);
        env.retain(|name, _| !matches!(name.as_str(), "ONUS_ARTIFACT" | "ONUS_REQUEST" | "ONUS_RESPONSE"));
        let mut request: Value = serde_json::from_str(&sandbox.read(&format!("seen/{call}.request"))).unwrap();
        request["artifact"].take();
        request["fence"].take();
        (env, request)
    };
    assert_eq!(seen("evaluator-1"), seen("evaluator-2"));
}

#[test]
fn an_artifact_is_a_file_or_else_standard_output() {
    for (name, producer, artifact) in [
        ("by file", r#"echo talk; echo DONE > "$ONUS_ARTIFACT""#, "DONE\n"),
        ("by rename", r#"echo DONE > new; mv new "$ONUS_ARTIFACT""#, "DONE\n"),
        ("by stdout", "printf 'first\\nDONE\\n'", "first\nDONE\n"),
        (
            "by stdout, with talk on stderr",
            "echo thinking >&2; echo DONE",
            "DONE\n",
        ),
        (
            "by stdout beside an empty file",
            r#": > "$ONUS_ARTIFACT"; echo DONE"#,
            "DONE\n",
        ),
        (
            "larger than a pipe",
            "head -c 300000 /dev/zero | tr '\\0' x; printf '\\nDONE\\n'",
            "*",
        ),
    ] {
        let sandbox = Loop {
            cast: &[("producer", producer)],
            ..Loop::default()
        }
        .sandbox();
        run(&sandbox).expect(0);
        let found = sandbox.read(".ai-factory/evolution/note/artifact.md");
        if artifact == "*" {
            assert_eq!(found.len(), 300_006, "{name}");
        } else {
            assert_eq!(found, artifact, "{name}");
        }
    }
}

#[test]
fn a_refiner_may_answer_on_standard_output_and_an_untouched_file_is_then_no_answer() {
    let sandbox = Loop {
        cast: &[("refiner", r#"cat "$ONUS_ARTIFACT"; echo DONE"#)],
        ..Loop::default()
    }
    .sandbox();
    run(&sandbox).expect(0);
    assert!(
        sandbox
            .read(".ai-factory/evolution/note/artifact.md")
            .ends_with("tree.\nDONE\n")
    );
}

#[test]
fn a_json_answer_is_a_file_or_standard_output_or_its_last_json_block() {
    const PLAN: &str = r#"{"plan": ["right", "b", "c"]}"#;
    const WRONG: &str = r#"{"plan": ["wrong", "b", "c"]}"#;
    for (name, planner) in [
        (
            "response file",
            format!(r#"echo '{WRONG}'; echo '{PLAN}' > "$ONUS_RESPONSE""#),
        ),
        ("whole stdout", format!("echo '{PLAN}'")),
        ("with a byte order mark", format!("printf '\\357\\273\\277%s' '{PLAN}'")),
        (
            "blank response file",
            format!(r#"echo '  ' > "$ONUS_RESPONSE"; echo '{PLAN}'"#),
        ),
        (
            "last of several blocks",
            format!(
                "cat <<'END'\nFirst I thought\n```json\n{WRONG}\n```\nbut rather\n```json\n{PLAN}\n```\nand that is all.\nEND"
            ),
        ),
        (
            "beside other keys",
            r#"echo '{"plan": ["right", "b", "c"], "score": 1.0, "passed": true}'"#.to_owned(),
        ),
    ] {
        let sandbox = Loop {
            cast: &[("planner", &planner)],
            ..Loop::default()
        }
        .sandbox();
        run(&sandbox).expect(0);
        assert_eq!(payloads(&sandbox, "plan_created")[0]["plan"][0], "right", "{name}");
        assert!(payloads(&sandbox, "phase_error").is_empty(), "{name}");
    }
}

/// A misbehaving agent: role, what it does, the error's kind, words of its message.
type Misdeed = (&'static str, &'static str, &'static str, &'static str);

/// Runs an agent that misbehaves every time, and expects the documented end: one retry, then `failed`, exit 6.
fn fails(agent: &str, rest: &str, (role, deed, kind, words): Misdeed) {
    let sandbox = Loop {
        agent,
        rest,
        cast: &[(role, deed)],
        ..Loop::default()
    }
    .sandbox();
    let said = run(&sandbox).expect(6);
    let errors = payloads(&sandbox, "phase_error");
    let step = match role {
        "planner" => "plan",
        "producer" => "produce",
        _ => panic!("{role}"),
    };
    assert_eq!(errors.len(), 2, "{deed}");
    for (error, attempt) in errors.iter().zip(1..) {
        assert_eq!(error["kind"], kind, "{deed}: {error}");
        assert_eq!(error["failed_step"], step, "{deed}");
        assert_eq!(error["attempt"], attempt, "{deed}");
        assert_eq!(error["will_retry"], attempt == 1, "{deed}");
        assert!(error["message"].as_str().unwrap().contains(words), "{deed}: {error}");
    }
    let failed = &payloads(&sandbox, "failed")[0];
    assert_eq!(failed["reason"], "phase_error", "{deed}");
    assert!(failed["message"].as_str().unwrap().contains(words), "{deed}: {failed}");
    assert!(
        said.stdout.contains(&format!("{step} failed ({kind})")),
        "{deed}: {}",
        said.stdout
    );
    let run_json: Value = serde_json::from_str(&sandbox.read(".ai-factory/evolution/note/run.json")).unwrap();
    assert_eq!(
        (run_json["status"].as_str(), run_json["stop"]["reason"].as_str()),
        (Some("failed"), Some("phase_error"))
    );
    assert!(!sandbox.exists(".ai-factory/evolution/current.json"), "{deed}");
    sandbox.onus(["verify"]).expect(0);
}

#[test]
fn an_answer_that_is_not_what_was_asked_for_fails_the_step_after_one_retry() {
    for misdeed in [
        (
            "planner",
            "echo 'I have a plan, trust me'",
            "invalid_answer",
            "not the JSON asked for",
        ),
        (
            "planner",
            "echo '{\"plan\": \"one\"}'",
            "invalid_answer",
            "expected a sequence",
        ),
        (
            "planner",
            "echo '{\"plan\": [\"one\"]}'",
            "invalid_answer",
            "has 1 steps, asked were 3 to 5",
        ),
        (
            "planner",
            "echo '{\"plan\": [\"a\", \" \", \"c\"]}'",
            "invalid_answer",
            "plan[1]",
        ),
        (
            "planner",
            "echo '{\"plan\": [], \"plan\": [\"a\", \"b\", \"c\"]}'",
            "invalid_answer",
            "duplicate field",
        ),
        ("planner", "printf '\\377\\376\\000'", "invalid_answer", "not UTF-8"),
        ("planner", "true", "invalid_answer", "no answer"),
        (
            "planner",
            "echo '{' > \"$ONUS_RESPONSE\"; echo '{\"plan\": [\"a\", \"b\", \"c\"]}'",
            "invalid_answer",
            "`ONUS_RESPONSE`",
        ),
        (
            "planner",
            "ln -s /etc/passwd \"$ONUS_RESPONSE\"",
            "invalid_answer",
            "no regular file",
        ),
    ] {
        fails("", "", misdeed);
    }
}

#[test]
fn an_artifact_that_is_none_fails_the_step_after_one_retry() {
    for misdeed in [
        ("producer", "true", "empty_artifact", "wrote no artifact"),
        ("producer", ": > \"$ONUS_ARTIFACT\"", "empty_artifact", ""),
        (
            "producer",
            "printf '\\n \\n' > \"$ONUS_ARTIFACT\"",
            "empty_artifact",
            "empty",
        ),
        (
            "producer",
            "printf 'a\\000b' > \"$ONUS_ARTIFACT\"",
            "invalid_answer",
            "NUL byte",
        ),
        (
            "producer",
            "printf 'a\\377b' > \"$ONUS_ARTIFACT\"",
            "invalid_answer",
            "not UTF-8",
        ),
        ("producer", "printf '\\377\\376'", "invalid_answer", "not UTF-8"),
        (
            "producer",
            "ln -s /etc/passwd \"$ONUS_ARTIFACT\"",
            "invalid_answer",
            "no regular file",
        ),
        (
            "producer",
            "mkdir \"$ONUS_ARTIFACT\"",
            "invalid_answer",
            "no regular file",
        ),
        (
            "producer",
            "mkfifo \"$ONUS_ARTIFACT\"",
            "invalid_answer",
            "no regular file",
        ),
    ] {
        fails("", "", misdeed);
    }
    let small = "[limits]\nartifact_bytes_max = 1000";
    for misdeed in [
        (
            "producer",
            "head -c 1001 /dev/zero | tr '\\0' x > \"$ONUS_ARTIFACT\"",
            "output_limit",
            "1000 bytes",
        ),
        (
            "producer",
            "head -c 1001 /dev/zero | tr '\\0' x",
            "output_limit",
            "1000",
        ),
    ] {
        fails("", small, misdeed);
    }
}

#[test]
fn an_agent_that_does_not_end_well_fails_the_step_whatever_it_said() {
    const ANSWER: &str = "echo '{\"plan\": [\"a\", \"b\", \"c\"]}'; ";
    let with_answer = |deed: &str| -> &'static str { Box::leak(format!("{ANSWER}{deed}").into_boxed_str()) };
    for misdeed in [
        ("planner", with_answer("exit 3"), "exit", "exited with code 3"),
        ("planner", with_answer("kill -9 $$"), "signal", "signal 9"),
        ("planner", with_answer("kill -TERM $$"), "signal", "signal 15"),
        (
            "producer",
            "echo text > \"$ONUS_ARTIFACT\"; echo oh no >&2; exit 1",
            "exit",
            "exited with code 1",
        ),
    ] {
        fails("", "", misdeed);
    }
    let flood = "[limits]\noutput_bytes_max = 65536";
    fails(
        "",
        flood,
        ("planner", "yes no-end-to-it", "output_limit", "more than 65536 bytes"),
    );
}

#[test]
fn an_agent_has_only_so_much_time() {
    fails(
        "timeout_seconds = 1",
        "",
        ("planner", "exec sleep 30", "timeout", "did not end within 1s"),
    );
}

#[test]
fn an_agent_that_ignores_being_asked_to_end_is_killed() {
    let sandbox = Loop {
        agent: "timeout_seconds = 1",
        rest: "[limits]\nstep_attempts_max = 1",
        cast: &[("planner", "trap '' TERM; echo $$ > pid; while :; do sleep 0.1; done")],
        ..Loop::default()
    }
    .sandbox();
    run(&sandbox).expect(6);
    assert_eq!(payloads(&sandbox, "phase_error")[0]["kind"], "timeout");
    assert!(!is_alive(&sandbox.read("pid")));
}

#[test]
fn the_end_of_what_a_failed_agent_wrote_is_shown_and_its_whole_output_kept() {
    let sandbox = Loop {
        cast: &[("planner", "echo 'quota exceeded until noon' >&2; exit 1")],
        ..Loop::default()
    }
    .sandbox();
    let said = run(&sandbox).expect(6);
    assert!(said.stdout.contains("quota exceeded until noon"), "{}", said.stdout);
    let error = &payloads(&sandbox, "phase_error")[0];
    assert_eq!(error["tail"], "quota exceeded until noon\n");
    let (shelf, name) = error["transcript"].as_str().unwrap().split_at(2);
    assert!(
        sandbox
            .read(&format!(".onus/objects/{shelf}/{name}"))
            .contains("quota exceeded until noon")
    );
}

#[test]
fn a_step_is_tried_once_more_and_told_why() {
    const SECOND_TIME: &str = r#"
n=1; while [ -e "try-$ONUS_ROLE-$n" ]; do n=$((n+1)); done
cat > "try-$ONUS_ROLE-$n"
cat "$ONUS_REQUEST" > "request-$ONUS_ROLE-$n"
"#;
    let criteria = three_criteria();
    for (role, good, words) in [
        (
            "planner",
            r#"echo '{"plan": ["a", "b", "c"]}'"#,
            "not the JSON asked for",
        ),
        (
            "producer",
            "echo 'The cedar is an evergreen tree.'; echo DONE",
            "wrote no artifact",
        ),
        ("preparer", PREPARES_ONE, "not the JSON asked for"),
        ("evaluator", PASSES_ONE, "not the JSON asked for"),
    ] {
        let bad = if role == "producer" { "true" } else { "echo nonsense" };
        let part = format!("{SECOND_TIME}\nif [ $n = 1 ]; then {bad}; else {good}; fi");
        let mut parts = vec![("preparer", PREPARES_ONE), ("evaluator", PASSES_ONE)];
        parts.retain(|(name, _)| *name != role);
        parts.push((role, &part));
        let sandbox = Loop {
            criteria: &criteria,
            cast: &parts,
            ..Loop::default()
        }
        .sandbox();
        run(&sandbox).expect(0);
        let errors = payloads(&sandbox, "phase_error");
        assert_eq!(errors.len(), 1, "{role}");
        let reason = errors[0]["message"].as_str().unwrap();
        assert!(reason.contains(words), "{role}: {reason}");
        let request =
            |n: u32| -> Value { serde_json::from_str(&sandbox.read(&format!("request-{role}-{n}"))).unwrap() };
        assert_eq!(request(1)["previous_error"], Value::Null, "{role}");
        assert_eq!(request(2)["previous_error"], reason, "{role}");
        assert!(
            !sandbox.read(&format!("try-{role}-1")).contains("could not be used"),
            "{role}"
        );
        let prompt = sandbox.read(&format!("try-{role}-2"));
        assert!(
            prompt.contains("could not be used") && prompt.contains(words),
            "{role}: {prompt}"
        );
        // Only the step that failed is repeated, and a later call of the role is told nothing of it.
        if role == "planner" {
            assert_eq!(payloads(&sandbox, "artifact_created").len(), 2, "{role}");
            assert_eq!(request(3)["previous_error"], Value::Null, "{role}");
        }
    }
}

#[test]
fn nothing_an_agent_started_goes_on_without_it() {
    const LEAVES_CHILDREN: &str = r#"
(echo $$ > /dev/null; sh -c 'echo $$ > child.pid; while :; do echo late >> late; sleep 0.01; done') &
setsid sh -c 'echo $$ > session.pid; while :; do echo late >> late; sleep 0.01; done' > /dev/null 2>&1 &
nohup sh -c 'echo $$ > nohup.pid; while :; do echo late >> "$ONUS_ARTIFACT"; sleep 0.01; done' > /dev/null 2>&1 &
while [ ! -s child.pid ] || [ ! -s session.pid ] || [ ! -s nohup.pid ]; do sleep 0.01; done
echo '{"plan": ["a", "b", "c"]}'
"#;
    // The next agent looks: by then all must be gone.
    let looks = r#"
for who in child session nohup; do
    pid=$(cat $who.pid); state=$(sed 's/.*) //; s/ .*//' /proc/$pid/stat 2>/dev/null)
    case "$state" in ''|Z|X) ;; *) echo "$who $state" >> alive ;; esac
done
echo DONE > "$ONUS_ARTIFACT"
"#;
    let sandbox = Loop {
        cast: &[("planner", LEAVES_CHILDREN), ("producer", looks)],
        ..Loop::default()
    }
    .sandbox();
    run(&sandbox).expect(0);
    assert!(!sandbox.exists("alive"), "{}", sandbox.read("alive"));
    for who in ["child", "session", "nohup"] {
        assert!(!is_alive(&sandbox.read(&format!("{who}.pid"))), "{who}");
    }
}

#[test]
fn an_agent_that_holds_its_output_open_in_a_child_does_not_hold_the_run() {
    let sandbox = Loop {
        cast: &[
            ("planner", "echo '{\"plan\": [\"a\", \"b\", \"c\"]}'; sleep 30 &"),
            ("producer", "echo DONE"),
        ],
        ..Loop::default()
    }
    .sandbox();
    let started = std::time::Instant::now();
    run(&sandbox).expect(0);
    assert!(started.elapsed().as_secs() < 10);
}

#[test]
fn produce_and_prepare_run_at_the_same_time() {
    const MEET: &str = r#"
meet() {
    : > "here.$1"
    i=0; while [ ! -e "here.$2" ]; do i=$((i+1)); [ $i -gt 500 ] && exit 9; sleep 0.02; done
}
"#;
    let sandbox = Loop {
        criteria: &three_criteria(),
        cast: &[
            ("all", MEET),
            (
                "producer",
                "meet producer preparer; printf 'The cedar is an evergreen tree.\\nDONE\\n'",
            ),
            ("preparer", &format!("meet preparer producer; {PREPARES_ONE}")),
            ("evaluator", PASSES_ONE),
        ],
        ..Loop::default()
    }
    .sandbox();
    run(&sandbox).expect(0);
}

#[test]
fn a_side_that_fails_is_repeated_alone() {
    let sandbox = Loop {
        criteria: &three_criteria(),
        cast: &[
            (
                "producer",
                "echo x >> produced; printf 'The cedar is an evergreen tree.\\nDONE\\n'",
            ),
            (
                "preparer",
                &format!("echo x >> prepared; [ $(wc -l < prepared) = 1 ] && exit 1; {PREPARES_ONE}"),
            ),
            ("evaluator", PASSES_ONE),
        ],
        ..Loop::default()
    }
    .sandbox();
    run(&sandbox).expect(0);
    // Prepared again for level B.
    assert_eq!((sandbox.read("produced").len(), sandbox.read("prepared").len()), (2, 6));
}

#[test]
fn a_program_beside_the_loop_file_is_an_agent_and_so_is_one_given_by_flag() {
    let sandbox = Loop::default().sandbox();
    let toml = Loop::default()
        .toml()
        .replace(r#"["sh", "agent.sh"]"#, r#"["./agent.sh"]"#);
    sandbox.write("onus.toml", toml);
    run(&sandbox).expect(0);
    sandbox
        .onus([
            "run",
            "--accept-criteria",
            "--max-iterations",
            "4",
            "--alias",
            "flag",
            "--agent",
            "sh agent.sh",
        ])
        .expect(0);
    let roles = &sandbox.history("flag")[0]["payload"]["spec"]["roles"];
    assert_eq!(roles["planner"]["command"], serde_json::json!(["sh", "agent.sh"]));
}

#[test]
fn scratch_directories_are_gone_when_the_run_is() {
    let sandbox = Loop {
        cast: &[("refiner", "d=$(dirname \"$ONUS_ARTIFACT\"); mkdir -p \"$d/deep/er\"; : > \"$d/deep/er/x\"; chmod 0 \"$d/deep\"; echo DONE >> \"$ONUS_ARTIFACT\"")],
        ..Loop::default()
    }
    .sandbox();
    run(&sandbox).expect(0);
    assert_eq!(
        stage::files_below(&sandbox.home().join(".cache/onus/work")),
        Vec::<String>::new()
    );
}

#[test]
fn an_agent_works_in_the_workspace_that_the_loop_names() {
    let sandbox = Loop {
        rest: "[files]\nworkspace = \"src\"",
        cast: &[("producer", "pwd > where; echo DONE")],
        ..Loop::default()
    }
    .sandbox();
    std::fs::create_dir(sandbox.project().join("src")).unwrap();
    sandbox.script("src/agent.sh", &stage::cast(&[("producer", "pwd > where; echo DONE")]));
    run(&sandbox).expect(0);
    assert!(sandbox.read("src/where").trim_end().ends_with("/project/src"));
}

#[test]
fn a_late_answer_of_an_agent_that_was_given_up_changes_nothing() {
    // The planner is cut off by its timeout; what it would have written later must not appear.
    let sandbox = Loop {
        agent: "timeout_seconds = 1",
        cast: &[(
            "planner",
            "if [ -e second ]; then echo '{\"plan\": [\"second\", \"b\", \"c\"]}'; exit; fi; : > second; echo $$ > pid; hold=1; sleep 20; echo '{\"plan\": [\"first\", \"b\", \"c\"]}' > \"$ONUS_RESPONSE\"",
        )],
        ..Loop::default()
    }
    .sandbox();
    run(&sandbox).expect(0);
    assert_eq!(payloads(&sandbox, "plan_created")[0]["plan"][0], "second");
    assert!(!is_alive(&sandbox.read("pid")));
}

#[test]
fn a_run_that_is_watched_says_what_it_does_while_it_does_it() {
    // Lines are printed as things are recorded, not at the end.
    let sandbox = Loop {
        cast: &[(
            "critic",
            &format!(
                "{}\n{}",
                hold("hold"),
                r#"echo '{"issues": [{"rule_id": "a.done", "problem": "p", "fix_instruction": "f"}]}'"#
            ),
        )],
        ..Loop::default()
    }
    .sandbox();
    sandbox.write("hold", "");
    let log = sandbox.project().join("log");
    let mut command = sandbox.command(run_args("4", &[]));
    command
        .stderr(std::fs::File::create(&log).unwrap())
        .stdout(std::process::Stdio::null());
    let mut child = command.spawn().unwrap();
    wait_until("the critic is asked", || sandbox.exists("hold.reached"));
    let so_far = std::fs::read_to_string(&log).unwrap();
    stage::release(&sandbox, "hold");
    assert!(child.wait().unwrap().success());
    assert!(
        so_far.contains("plan_created") && so_far.contains("evaluation_done"),
        "{so_far}"
    );
}
