//! What a loop over a tree doubts: its own contract before it starts, and its judges while it runs.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

use onus_testkit::{Said, Sandbox};

const LOOP: &str = r#"
preset = "build"
protected = ["onus.toml", "*.sh"]

[agents.coder]
kind = "command"
command = ["sh", "coder.sh"]

[agents.strict]
kind = "command"
command = ["./strict.sh"]

[agents.sloppy]
kind = "command"
command = ["./sloppy.sh"]

[roles]
default = "coder"
"#;

/// Writes a line a call, so that every revision is another.
const CODER: &str = "echo x >> asked-coder; echo 'a line of text' >> work.txt";

fn project(rest: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("onus.toml", format!("{LOOP}{rest}"));
    sandbox.write(".gitignore", "asked-*\n");
    sandbox.write("work.txt", "begun\n");
    sandbox.write("coder.sh", CODER);
    sandbox.script("strict.sh", "exit 1");
    sandbox.script("sloppy.sh", "exit 1");
    sandbox
}

fn run(sandbox: &Sandbox) -> Said {
    sandbox.onus([
        "run",
        "--accept-criteria",
        "--max-iterations",
        "2",
        "--alias",
        "doubt",
        "work on it",
    ])
}

fn calls(sandbox: &Sandbox, name: &str) -> usize {
    let asked = format!("asked-{name}");
    if sandbox.exists(&asked) {
        sandbox.read(&asked).lines().count()
    } else {
        0
    }
}

#[test]
fn a_check_that_can_never_run_stops_the_loop_before_an_agent_is_asked() {
    for (check, words) in [
        (
            r#"{ type = "executable", command = ["no-such-tool"] }"#,
            "`no-such-tool` was not found",
        ),
        (
            r#"{ type = "executable", command = "no-such-tool --all" }"#,
            "exit code 127",
        ),
        (
            r#"{ type = "tests", command = ["no-such-tool"], format = "tap" }"#,
            "`no-such-tool` was not found",
        ),
        (
            r#"{ type = "tests", command = ["true"], format = "tap", manifest = "tests.txt" }"#,
            "manifest `tests.txt` is not in the tree",
        ),
        (
            r#"{ type = "lint", command = ["no-such-tool"], format = "lines" }"#,
            "`no-such-tool` was not found",
        ),
        (
            r#"{ type = "metric", command = ["no-such-tool"], name = "n", op = ">=", target = "1" }"#,
            "`no-such-tool` was not found",
        ),
        (
            r#"{ type = "coverage", command = ["no-such-tool"], report = "c.info", format = "lcov", baseline = 80 }"#,
            "`no-such-tool` was not found",
        ),
        (
            r#"{ type = "schema", files = "*.json", schema = "none.json" }"#,
            "`none.json` is not there",
        ),
        (r#"{ type = "pattern", search = "(" }"#, "is not a regular expression"),
        (r#"{ type = "human", question = "Is it nice?" }"#, "waits for a person"),
    ] {
        let criterion =
            format!("[[criteria]]\nid = \"a.x\"\ndescription = \"d\"\nseverity = \"fail\"\nverify = {check}\n");
        let sandbox = project(&criterion);
        let told = run(&sandbox).expect(3);
        assert!(
            told.stderr.contains("`a.x`") && told.stderr.contains(words),
            "{check}: {}",
            told.stderr
        );
        assert_eq!(calls(&sandbox, "coder"), 0, "{check}");
        assert!(!sandbox.exists(".onus/runs/doubt"), "{check}");
    }
}

#[test]
fn a_program_that_the_work_itself_brings_may_come_later() {
    let check = "[[criteria]]\nid = \"a.x\"\ndescription = \"d\"\nseverity = \"fail\"\nverify = { type = \"executable\", command = [\"./tool\"] }\n";
    let sandbox = project(check);
    sandbox.write("coder.sh", "printf '#!/bin/sh\\nexit 0\\n' > tool; chmod +x tool");
    run(&sandbox).expect(0);
}

/// Two judges; one answers nonsense the first time.
const JUDGED: &str = r#"
[judging]
judges = ["strict", "sloppy"]

[[criteria]]
id = "a.read"
description = "The text can be read."
severity = "fail"
check = "Read it."
reads = "work.txt"
"#;

#[test]
fn a_judge_that_said_no_is_not_asked_again_because_another_one_stumbled() {
    let sandbox = project(JUDGED);
    let pass =
        r#"echo '{"rule_results": [{"id": "a.read", "verdict": "pass", "details": "ok", "quote": "a line of text"}]}'"#;
    let here = sandbox.project().display().to_string();
    // Says no once, then yes: whoever asks twice is deceived.
    sandbox.script(
        "strict.sh",
        &format!(
            "echo x >> {here}/asked-strict\nif [ $(wc -l < {here}/asked-strict) -eq 1 ]; then echo '{{\"rule_results\": [{{\"id\": \"a.read\", \"verdict\": \"fail\", \"details\": \"dull\"}}]}}'; else {pass}; fi"
        ),
    );
    sandbox.script(
        "sloppy.sh",
        &format!("echo x >> {here}/asked-sloppy\nif [ $(wc -l < {here}/asked-sloppy) -eq 1 ]; then echo nonsense; else {pass}; fi"),
    );
    // The coder has one revision only, so the verdict is about one work.
    let said = sandbox.onus([
        "run",
        "--accept-criteria",
        "--max-iterations",
        "1",
        "--alias",
        "doubt",
        "work on it",
    ]);
    let said = said.expect(1);
    assert_eq!(
        (calls(&sandbox, "strict"), calls(&sandbox, "sloppy")),
        (1, 2),
        "{}",
        said.stderr
    );
    assert!(said.stderr.contains("to be tried again"), "{}", said.stderr);
}

#[test]
fn a_hidden_failure_keeps_nothing_from_the_agent_that_it_could_mend() {
    let sandbox = project(
        r#"
[[criteria]]
id = "a.secret"
description = "Held out."
severity = "fail"
hidden = true
verify = { type = "pattern", search = "never there", files = "work.txt" }

[[criteria]]
id = "a.shown"
description = "Names the thing."
severity = "fail"
verify = { type = "pattern", search = "the thing", files = "work.txt" }
"#,
    );
    sandbox.write(
        "coder.sh",
        format!("{CODER}\ncat \"$ONUS_REQUEST\" > asked-request-$ONUS_ROLE"),
    );
    run(&sandbox).expect(1);
    let told = sandbox.read("asked-request-refiner");
    assert!(
        told.contains("the thing") && !told.contains("a.secret") && !told.contains("never there"),
        "{told}"
    );
    assert!(!told.contains("not decided"), "{told}");
}

#[test]
fn a_test_that_passed_before_may_not_go() {
    let sandbox = project(
        r#"
[[criteria]]
id = "a.tests"
description = "Every test passes."
severity = "fail"
verify = { type = "tests", command = ["sh", "run-tests"], format = "tap" }
"#,
    );
    let two = "echo 'TAP version 13'; echo 'ok 1 - adds'; echo 'ok 2 - doubles'; echo '1..2'\n";
    let one = "echo 'TAP version 13'; echo 'ok 1 - adds'; echo '1..1'\n";
    sandbox.write("run-tests", two);
    sandbox.write("coder.sh", format!("{CODER}\ncat > run-tests <<'END'\n{one}END"));
    let told = run(&sandbox).expect(1);
    assert!(told.stderr.contains("a.tests"), "{}", told.stderr);
    let history = sandbox.read(".onus/runs/doubt/history.jsonl");
    assert!(history.contains("doubles"), "{history}");
    // Nothing is asked of a test that is still there.
    let honest = project(&sandbox.read("onus.toml")[LOOP.len()..]);
    honest.write("run-tests", two);
    run(&honest).expect(0);
}
