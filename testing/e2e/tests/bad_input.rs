//! What Onus is given and should not be: wrong loop files, missing programs, places that cannot be written, agents that
//! reach for the engine's own files, and words that would act on a terminal.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::too_many_lines,
    reason = "tests touch the world, fail loudly and read as one table"
)]

mod stage;

use std::process::Command;

use serde_json::{Value, json};
use stage::{
    Background, Loop, Said, Sandbox, files_below, hold, killed_run, payloads, run, run_args, said, wait_until,
};

const ROOT: &str = ".ai-factory/evolution";
const HISTORY: &str = ".ai-factory/evolution/note/history.jsonl";

/// Nothing was made, neither in the project nor beside it.
#[track_caller]
fn left_nothing(sandbox: &Sandbox) {
    assert!(
        !sandbox.exists(".onus") && !sandbox.exists(".ai-factory"),
        "{:?}",
        files_below(&sandbox.project())
    );
    assert!(
        files_below(&sandbox.state()).is_empty(),
        "{:?}",
        files_below(&sandbox.state())
    );
}

#[test]
fn a_loop_file_with_many_mistakes_is_reported_whole_with_places_and_suggestions() {
    let sandbox = Sandbox::in_memory();
    sandbox.write(
        "onus.toml",
        r#"preset = "reflexx"
colour = "blue"

[task]
prompt = "Write the note"
type = "doc"

[limits]
max_iteration = 4
check_timeout_seconds = "60"

[thresholds]
A = 1.2

[agents.writer]
kind = "commnd"

[agents.judge]
kind = "command"
command = "claude -p"

[roles]
default = "writter"
evaluater = "judge"

[files]
root = "../elsewhere"

[[criteria]]
id = "a b"

[[criteria]]
id = "a.x"
severity = "critical"
verify = { type = "content", serch = "x" }
"#,
    );
    let told = run(&sandbox).expect(3);
    for (place, words) in [
        ("1:10", "unknown preset `reflexx`"),
        ("2:1", "colour"),
        ("6:8", "doc"),
        ("9:1", "max_iteration"),
        ("10:25", "check_timeout_seconds"),
        ("13:5", "thresholds.A"),
        ("16:8", "commnd"),
        ("20:11", "command"),
        ("23:11", "unknown agent `writter`"),
        ("24:1", "evaluater"),
        ("27:8", "root"),
        ("30:6", "criterion id `a b`"),
        ("34:12", "critical"),
        ("35:30", "serch"),
    ] {
        assert!(
            told.stderr.contains(&format!("onus.toml:{place}")),
            "{place} {words}: {}",
            told.stderr
        );
        assert!(told.stderr.contains(words), "{place} {words}: {}", told.stderr);
    }
    for suggestion in [
        "`reflex`",
        "`docs`",
        "`max_iterations`",
        "`command`",
        "`writer`",
        "`evaluator`",
        "`search`",
    ] {
        assert!(told.stderr.contains(suggestion), "{suggestion}: {}", told.stderr);
    }
    assert!(
        told.stderr.contains("error: the loop cannot be used: "),
        "{}",
        told.stderr
    );
    left_nothing(&sandbox);
    // Looking at runs does not need a loop file without mistakes.
    sandbox.onus(["list"]).expect(0);
    sandbox.onus(["doctor"]).expect(3);
}

#[test]
fn a_file_that_is_not_toml_is_told_where_it_breaks() {
    let sandbox = Sandbox::in_memory();
    sandbox.write("onus.toml", "preset = \"reflex\"\n[task\nprompt = 'x'\n");
    let told = run(&sandbox).expect(3);
    assert!(told.stderr.contains("onus.toml:2:"), "{}", told.stderr);
    left_nothing(&sandbox);
}

#[test]
fn texts_that_are_not_text_or_too_long_are_refused() {
    let sandbox = Loop::default().sandbox();
    sandbox.write("latin1.md", b"Sch\xf6ne Gr\xfc\xdfe");
    sandbox.write("long.md", vec![b'x'; 10 << 20]);
    sandbox.write("latin1.toml", b"# Sch\xf6n\npreset = \"reflex\"\n");
    for (args, words) in [
        (
            &["run", "--task-file", "latin1.md"][..],
            "`{dir}/latin1.md` is not UTF-8 text: byte 3 does not fit",
        ),
        (&["run", "--task-file", "long.md"], "has more than 1048576 bytes"),
        (&["run", "--task-file", "none.md"], "cannot read `{dir}/none.md`"),
        (&["run", "--task-file", "."], "cannot read"),
        (
            &["run", "--file", "latin1.toml"],
            "is not UTF-8 text: byte 5 does not fit",
        ),
        (&["run", "--file", "none.toml"], "cannot read loop file `none.toml`"),
        (&["run", "--file", "long.md"], "has more than 1048576 bytes"),
    ] {
        let told = sandbox.onus(args).expect(3);
        let dir = sandbox.project().display().to_string();
        assert!(
            told.stderr.contains(&words.replace("{dir}", &dir)),
            "{args:?}: {}",
            told.stderr
        );
        left_nothing(&sandbox);
    }
    let told = sandbox.onus(["run", "--task-file", "long.md"]).expect(3);
    assert!(
        told.stderr.contains("put longer material into the workspace"),
        "{}",
        told.stderr
    );
    // More than a mebibyte in words of the command line itself.
    let word = "x".repeat(120_000);
    let told = sandbox
        .onus([&["run"], vec![word.as_str(); 10].as_slice()].concat())
        .expect(2);
    assert!(
        told.stderr.contains("the task has more than 1048576 bytes"),
        "{}",
        told.stderr
    );
    sandbox.write(
        "onus.toml",
        Loop::default().toml().replace(
            "prompt = \"Write the note about cedar trees\"",
            "prompt_file = \"long.md\"",
        ),
    );
    let told = run(&sandbox).expect(3);
    assert!(
        told.stderr.contains("onus.toml:5:") && told.stderr.contains("has more than 1048576 bytes"),
        "{}",
        told.stderr
    );
    left_nothing(&sandbox);
}

#[test]
fn a_loop_file_from_another_editor_is_read() {
    for (name, text) in [
        ("with a byte order mark", format!("\u{feff}{}", Loop::default().toml())),
        ("with carriage returns", Loop::default().toml().replace('\n', "\r\n")),
    ] {
        let sandbox = Loop::default().sandbox();
        sandbox.write("onus.toml", text);
        let told = run(&sandbox);
        assert_eq!(told.code, Some(0), "{name}: {}", told.stderr);
    }
}

#[test]
fn a_long_task_within_the_limit_works() {
    let sandbox = Loop {
        cast: &[("planner", "wc -c > size; echo '{\"plan\": [\"a\", \"b\", \"c\"]}'")],
        ..Loop::default()
    }
    .sandbox();
    sandbox.write("task.md", "word ".repeat(60_000));
    sandbox
        .onus(run_args("4", &["--task-file", "task.md", "--quiet"]))
        .expect(0);
    assert!(sandbox.read("size").trim().parse::<u64>().unwrap() > 300_000);
}

#[test]
fn an_alias_is_a_name_and_never_a_path() {
    let sandbox = Loop::default().sandbox();
    let long = "x".repeat(65);
    for alias in [
        "../x",
        "..",
        "a/b",
        "/etc",
        "ab",
        "Abc",
        "a b c",
        "-abc",
        "äöü",
        "a.b",
        "",
        long.as_str(),
    ] {
        let flag = format!("--alias={alias}");
        sandbox
            .onus(["run", "--accept-criteria", "--max-iterations", "1", flag.as_str()])
            .expect(2);
        for command in [
            "status", "resume", "stop", "history", "explain", "verify", "replay", "repair", "clean",
        ] {
            let told = sandbox.onus([command, "--", alias]).expect(2);
            assert!(told.stderr.contains("alias"), "{command} {alias}: {}", told.stderr);
        }
    }
    left_nothing(&sandbox);
}

#[test]
fn an_agent_that_cannot_be_started_is_found_out_before_anything_is_made() {
    for (command, words) in [
        (
            r#"["no-such-agent-at-all", "-p"]"#,
            "agent `shell` cannot be used: program `no-such-agent-at-all` was not found",
        ),
        (r#"["./none.sh"]"#, "program `./none.sh` was not found"),
        (r#"["./plain.txt"]"#, "program `./plain.txt` cannot be executed"),
        (r#"["."]"#, "program `.` cannot be executed"),
    ] {
        let sandbox = Loop::default().sandbox();
        sandbox.write("plain.txt", "no program");
        sandbox.write(
            "onus.toml",
            Loop::default().toml().replace(r#"["sh", "agent.sh"]"#, command),
        );
        let told = run(&sandbox).expect(3);
        assert!(told.stderr.contains(words), "{command}: {}", told.stderr);
        left_nothing(&sandbox);
        let told = sandbox.onus(["doctor"]).expect(3);
        assert!(told.stdout.contains("FAIL planner"), "{command}: {}", told.stdout);
    }
    let sandbox = Loop::default().sandbox();
    sandbox
        .onus(run_args("1", &["--agent", "no-such-agent-at-all"]))
        .expect(3);
    left_nothing(&sandbox);
}

/// A loop of scripted agents.
fn scripted(sandbox: &Sandbox, script: &str) {
    let toml = Loop::default()
        .toml()
        .replace(r#"kind = "command""#, r#"kind = "scripted""#);
    sandbox.write(
        "onus.toml",
        toml.replace(r#"command = ["sh", "agent.sh"]"#, r#"script = "script.toml""#),
    );
    sandbox.write("script.toml", script);
}

#[test]
fn a_script_that_cannot_be_used_is_found_out_before_anything_is_made() {
    for (script, words) in [
        ("answer = 3", "script.toml"),
        ("[[answer]]\nrole = \"planer\"\ntext = \"x\"", "2:"),
        (
            "[[answer]]\nrole = \"planner\"",
            "an answer needs `text`, `file`, `json` or `write`",
        ),
        (
            "[[answer]]\nrole = \"producer\"\nfile = \"none.md\"",
            "cannot read file `none.md`",
        ),
        (
            "[[answer]]\nrole = \"producer\"\nfile = \"../state/x\"",
            "must be a file inside the script's directory",
        ),
    ] {
        let sandbox = Sandbox::in_memory();
        scripted(&sandbox, script);
        let told = run(&sandbox).expect(3);
        assert!(
            told.stderr.contains(words) && told.stderr.contains("onus.toml:"),
            "{script}: {}",
            told.stderr
        );
        left_nothing(&sandbox);
    }
    let sandbox = Sandbox::in_memory();
    scripted(&sandbox, "answer = []");
    std::fs::remove_file(sandbox.project().join("script.toml")).unwrap();
    let told = run(&sandbox).expect(3);
    assert!(told.stderr.contains("script.toml"), "{}", told.stderr);
    left_nothing(&sandbox);
}

const SCRIPT: &str = r#"
[[answer]]
role = "planner"
json = { plan = ["a", "b", "c"] }

[[answer]]
role = "producer"
text = "A note.\n"

[[answer]]
role = "critic"
delay_ms = 400
json = { issues = [{ rule_id = "a.done", problem = "p", fix_instruction = "f" }] }

[[answer]]
role = "refiner"
file = "refined.md"

[[answer]]
role = "producer"
iteration = 2
fault = "repeat"
"#;

#[test]
fn a_script_that_changed_since_the_start_is_refused() {
    let sandbox = Sandbox::in_memory();
    scripted(&sandbox, SCRIPT);
    sandbox.write("refined.md", "DONE\n");
    let started = Background::start(&mut sandbox.command(run_args("4", &[])));
    wait_until("the critic is asked", || {
        sandbox.exists(HISTORY) && sandbox.events("note").contains(&"evaluation_done".to_owned())
    });
    started.kill();
    for (name, text) in [
        ("script.toml", format!("{SCRIPT}\n# eased\n")),
        ("refined.md", "DONE\nDONE\n".to_owned()),
    ] {
        let before = sandbox.read(name);
        sandbox.write(name, text);
        let told = sandbox.onus(["resume"]).expect(7);
        assert!(
            told.stderr.contains("is not the one this run was started with"),
            "{name}: {}",
            told.stderr
        );
        sandbox.write(name, before);
    }
    sandbox.onus(["resume"]).expect(0);
}

#[test]
fn the_contract_is_frozen_whatever_becomes_of_the_loop_file() {
    let easy = "[[criteria]]\nid = \"a.easy\"\ndescription = \"d\"\nseverity = \"info\"\nweight = 1\nverify = { type = \"content\", search = \".\" }\n";
    let toml = Loop {
        criteria: easy,
        rest: "[thresholds]\nA = 0.0\nB = 0.0\n",
        ..Loop::default()
    }
    .toml();
    let toml = toml.replace(r#"["sh", "agent.sh"]"#, r#"["false"]"#);
    // Changed by an agent while the run goes on.
    let planner = format!("cat > onus.toml <<'END'\n{toml}\nEND\necho '{{\"plan\": [\"a\", \"b\", \"c\"]}}'");
    let sandbox = Loop {
        cast: &[("planner", &planner)],
        ..Loop::default()
    }
    .sandbox();
    run(&sandbox).expect(0);
    assert!(sandbox.read("onus.toml").contains("a.easy"));
    assert_eq!(payloads(&sandbox, "evaluation_done")[0]["failed"][0]["id"], "a.done");
    assert_eq!(payloads(&sandbox, "refinement_done").len(), 1);

    // Changed, or gone, while nobody works on the run.
    for text in [Some(toml.as_str()), Some("not toml ["), None] {
        let critic = format!(
            "{}\n{}",
            hold("hold"),
            r#"echo '{"issues": [{"rule_id": "a.done", "problem": "p", "fix_instruction": "f"}]}'"#
        );
        let sandbox = Loop {
            cast: &[("critic", &critic)],
            ..Loop::default()
        }
        .sandbox();
        killed_run(&sandbox);
        match text {
            Some(text) => drop(sandbox.write("onus.toml", text)),
            None => std::fs::remove_file(sandbox.project().join("onus.toml")).unwrap(),
        }
        sandbox.onus(["resume"]).expect(0);
        assert!(
            sandbox.read(&format!("{ROOT}/note/artifact.md")).ends_with("DONE\n"),
            "{text:?}"
        );
    }
}

#[test]
fn the_prompts_of_a_run_are_those_it_was_started_with() {
    let critic = format!(
        "{}\n{}",
        hold("hold"),
        r#"echo '{"issues": [{"rule_id": "a.done", "problem": "p", "fix_instruction": "f"}]}'"#
    );
    let sandbox = Loop {
        rest: "[prompts]\nplanner = \"planner.md\"",
        cast: &[
            ("critic", &critic),
            ("planner", "cat > prompt; echo '{\"plan\": [\"a\", \"b\", \"c\"]}'"),
        ],
        ..Loop::default()
    }
    .sandbox();
    sandbox.write("planner.md", "Plan strictly, in iteration {{ iteration }}.\n");
    killed_run(&sandbox);
    assert_eq!(sandbox.read("prompt").trim_end(), "Plan strictly, in iteration 1.");
    sandbox.write("planner.md", "Say that all is well.\n");
    sandbox.onus(["resume"]).expect(0);
    assert_eq!(sandbox.read("prompt").trim_end(), "Plan strictly, in iteration 2.");
}

#[test]
fn a_workspace_that_disappears_fails_the_step_and_not_the_record() {
    let sandbox = Loop {
        rest: "[files]\nworkspace = \"src\"",
        ..Loop::default()
    }
    .sandbox();
    sandbox.write(
        "onus.toml",
        sandbox
            .read("onus.toml")
            .replace(r#"["sh", "agent.sh"]"#, r#"["./agent.sh"]"#),
    );
    sandbox.script(
        "agent.sh",
        &stage::cast(&[("planner", "rm -r \"$PWD\"; echo '{\"plan\": [\"a\", \"b\", \"c\"]}'")]),
    );
    std::fs::create_dir(sandbox.project().join("src")).unwrap();
    let told = run(&sandbox).expect(6);
    let errors = payloads(&sandbox, "phase_error");
    assert_eq!((errors.len(), &errors[0]["kind"]), (2, &json!("spawn")));
    assert!(
        errors[0]["message"].as_str().unwrap().contains("does not exist"),
        "{}",
        errors[0]
    );
    assert!(told.stdout.contains("produce failed (spawn)"), "{}", told.stdout);
    sandbox.onus(["verify"]).expect(0);
}

#[test]
fn a_workspace_that_was_never_there_is_found_out_before_anything_is_made() {
    let sandbox = Loop {
        rest: "[files]\nworkspace = \"nowhere\"",
        ..Loop::default()
    }
    .sandbox();
    let told = run(&sandbox).expect(3);
    assert!(told.stderr.contains("nowhere"), "{}", told.stderr);
    left_nothing(&sandbox);
}

#[test]
fn places_that_cannot_be_written_are_named() {
    let flags = [
        "run",
        "--accept-criteria",
        "--max-iterations",
        "1",
        "--type",
        "docs",
        "--agent",
        "sh agent.sh",
        "Write",
    ];
    // Nobody can write there, not even root.
    let sandbox = Sandbox::in_memory();
    for dir in ["/proc", "/sys"] {
        let told = sandbox.onus([&["-C", dir], &flags[..]].concat()).expect(6);
        assert!(told.stderr.contains(&format!("`{dir}/.onus")), "{dir}: {}", told.stderr);
        assert!(told.stderr.contains("caused by:"), "{dir}: {}", told.stderr);
    }
    for (file, words) in [
        (".onus", ".onus"),
        (".ai-factory", ".ai-factory"),
        (".ai-factory/evolution", "evolution"),
        (".ai-factory/evolution/note", "note"),
    ] {
        let sandbox = Loop::default().sandbox();
        sandbox.write(file, "I am a file\n");
        let told = run(&sandbox);
        assert!(matches!(told.code, Some(6 | 7)), "{file}: {told:?}");
        assert!(
            told.stderr.starts_with("error: ") && told.stderr.contains(words),
            "{file}: {}",
            told.stderr
        );
        assert_eq!(sandbox.read(file), "I am a file\n");
    }
    let sandbox = Loop::default().sandbox();
    std::fs::write(sandbox.state().join("onus"), "I am a file\n").unwrap();
    let told = run(&sandbox).expect(6);
    assert!(told.stderr.contains("state/onus"), "{}", told.stderr);
    sandbox.onus(["-C", "nowhere", "list"]).expect(2);
    sandbox.onus(["-C", "onus.toml", "list"]).expect(2);
}

#[test]
fn links_in_the_place_of_a_run_are_not_followed() {
    let sandbox = Loop::default().sandbox();
    let target = sandbox.project().join("elsewhere");
    std::fs::create_dir(&target).unwrap();
    std::fs::create_dir_all(sandbox.project().join(ROOT)).unwrap();
    std::os::unix::fs::symlink(&target, sandbox.project().join(ROOT).join("note")).unwrap();
    let told = run(&sandbox).expect(7);
    assert!(
        told.stderr.contains("must be a folder and not a link"),
        "{}",
        told.stderr
    );
    assert!(files_below(&target).is_empty());
}

/// Runs a shell script as root of a private mount name space, with a small file system at `$DISK`; `None` where that is
/// not allowed.
fn on_a_small_disk(sandbox: &Sandbox, script: &str) -> Option<Said> {
    let allowed = said(Command::new("unshare").args(["-rm", "true"])).code == Some(0);
    let disk = sandbox.project().parent().unwrap().join("disk");
    std::fs::create_dir(&disk).unwrap();
    let onus = onus_testkit::onus_binary();
    let command = sandbox.command(["--version"]);
    let mut inside = Command::new("unshare");
    inside.args([
        "-rm",
        "sh",
        "-c",
        &format!("mount -t tmpfs -o size=1m none \"$DISK\" && cd \"$DISK\" || exit 99\n{script}"),
    ]);
    inside.current_dir(sandbox.project()).env_clear();
    inside.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    inside
        .env("DISK", &disk)
        .env("ONUS", onus)
        .env("PROJECT", sandbox.project());
    let told = allowed.then(|| said(inside.stdin(std::process::Stdio::null())))?;
    (told.code != Some(99)).then_some(told)
}

#[test]
fn a_full_disk_fails_the_run_and_loses_nothing_that_was_recorded() {
    // The agent fills the disk before it answers; afterwards there is room again.
    let sandbox = Loop {
        cast: &[("critic", "[ -e filled ] || { : > filled; cat /dev/zero > filler 2>/dev/null; }\necho '{\"issues\": [{\"rule_id\": \"a.done\", \"problem\": \"p\", \"fix_instruction\": \"f\"}]}'")],
        ..Loop::default()
    }
    .sandbox();
    let script = r#"
cp "$PROJECT"/* .
"$ONUS" run --accept-criteria --max-iterations 4 --alias note > "$PROJECT/first.out" 2> "$PROJECT/first.err"
echo "first $?"
cp .ai-factory/evolution/note/history.jsonl "$PROJECT/history"
rm filler
"$ONUS" verify note > "$PROJECT/verify.out" 2>&1
echo "verify $?"
"$ONUS" resume note > "$PROJECT/second.out" 2> "$PROJECT/second.err"
echo "second $?"
"$ONUS" verify note > "$PROJECT/last.out" 2>&1
echo "last $?"
"#;
    let Some(told) = on_a_small_disk(&sandbox, script) else {
        // No private mounts here: at least a full output must not end a run.
        let mut command = Command::new("sh");
        command
            .args(["-c", "\"$ONUS\" schema > /dev/full"])
            .env("ONUS", onus_testkit::onus_binary());
        said(&mut command).expect(0);
        return;
    };
    let read = |name: &str| sandbox.read(name);
    assert!(told.stdout.starts_with("first 6\n"), "{told:?} {}", read("first.err"));
    assert!(
        read("first.err").contains("No space left on device"),
        "{}",
        read("first.err")
    );
    assert!(
        read("first.err").contains("free some disk space, then resume the run"),
        "{}",
        read("first.err")
    );
    assert!(told.stdout.contains("second 0\n"), "{told:?} {}", read("second.err"));
    assert!(told.stdout.contains("last 0\n"), "{told:?} {}", read("last.out"));
}

#[test]
fn a_disk_that_is_full_from_the_start_starts_no_run() {
    let sandbox = Loop::default().sandbox();
    let script = r#"
cp "$PROJECT"/* .
cat /dev/zero > filler 2>/dev/null
"$ONUS" run --accept-criteria --max-iterations 4 --alias note > "$PROJECT/first.out" 2> "$PROJECT/first.err"
echo "first $?"
rm filler
"$ONUS" run --accept-criteria --max-iterations 4 --alias note > "$PROJECT/second.out" 2> "$PROJECT/second.err"
echo "second $?"
"#;
    let Some(told) = on_a_small_disk(&sandbox, script) else {
        return;
    };
    assert_eq!(
        told.stdout,
        "first 6\nsecond 0\n",
        "{}{}",
        sandbox.read("first.err"),
        sandbox.read("second.err")
    );
    assert!(
        sandbox.read("first.err").contains("No space left on device"),
        "{}",
        sandbox.read("first.err")
    );
}

/// Lets an agent do something to its run's history, and expects the run to end with an integrity violation.
fn tampered(deed: &str) -> Result<(), String> {
    let critic = format!(
        "cd {ROOT}/note && {{ {deed}\n}} >/dev/null 2>&1; {}",
        r#"echo '{"issues": [{"rule_id": "a.done", "problem": "p", "fix_instruction": "f"}]}'"#
    );
    let sandbox = Loop {
        cast: &[("critic", &critic)],
        ..Loop::default()
    }
    .sandbox();
    let told = run(&sandbox);
    if told.code != Some(7) {
        return Err(format!("`{deed}` ends with {:?}: {}", told.code, told.stderr));
    }
    if !told.stderr.contains("history.jsonl") {
        return Err(format!("`{deed}`: {}", told.stderr));
    }
    Ok(())
}

#[test]
fn a_history_that_an_agent_writes_to_cuts_or_replaces_ends_the_run() {
    for deed in [
        "echo '{}' >> history.jsonl",
        "tail -n 1 history.jsonl > t; cat t >> history.jsonl",
        "truncate -s -10 history.jsonl",
        ": > history.jsonl",
        "sed -i '$d' history.jsonl",
        "sed -i 's/\"passed\":false/\"passed\":true/' history.jsonl",
        "rm history.jsonl",
        "mv history.jsonl away.jsonl",
        "cp history.jsonl t; mv t history.jsonl",
        "mv history.jsonl \"$TMPDIR/kept\"; ln -s \"$TMPDIR/kept\" history.jsonl",
        "cd ..; mv note gone",
    ] {
        tampered(deed).unwrap();
    }
}

#[test]
fn an_engine_that_gives_up_takes_its_agents_with_it() {
    let open = "[[criteria]]\nid = \"a.open\"\ndescription = \"d\"\nseverity = \"fail\"\ncheck = \"c\"\n";
    let sandbox = Loop {
        criteria: open,
        cast: &[
            (
                "producer",
                "echo $$ > pid; setsid sleep 60 & echo $! > child.pid; : > ready; sleep 60",
            ),
            (
                "preparer",
                &format!("while [ ! -e ready ]; do sleep 0.01; done; echo x >> {HISTORY}; echo '{{\"checks\": []}}'"),
            ),
        ],
        ..Loop::default()
    }
    .sandbox();
    let started = std::time::Instant::now();
    run(&sandbox).expect(7);
    assert!(started.elapsed().as_secs() < 30);
    for pid in ["pid", "child.pid"] {
        // Killed before the engine left; the system may take a moment to bury it.
        wait_until("the agents are gone", || !stage::is_alive(&sandbox.read(pid)));
    }
}

#[test]
fn an_agent_that_locks_the_engines_files_does_not_hold_the_engine() {
    let open = "[[criteria]]\nid = \"a.open\"\ndescription = \"d\"\nseverity = \"fail\"\ncheck = \"c\"\n";
    let sandbox = Loop {
        agent: "timeout_seconds = 1",
        rest: "[limits]\nstep_attempts_max = 1",
        criteria: open,
        cast: &[
            (
                "producer",
                "exec flock .onus/locks/.current.lock sh -c ': > locked; exec sleep 8'",
            ),
            (
                "preparer",
                "while [ ! -e locked ]; do sleep 0.01; done; echo '{\"checks\": []}'",
            ),
        ],
    }
    .sandbox();
    let started = std::time::Instant::now();
    run(&sandbox).expect(6);
    assert!(
        started.elapsed().as_secs() < 6,
        "the producer had one second, and took {:?}",
        started.elapsed()
    );
}

#[test]
fn a_history_that_an_agent_edits_in_place_ends_the_run() {
    for deed in [
        // Another score, as long as the true one.
        "printf 'true ' | dd of=history.jsonl bs=1 conv=notrunc seek=$(grep -bo '\"passed\":false' history.jsonl | head -1 | cut -d: -f1 | awk '{print $1 + 9}')",
        // The same lines in another order.
        "tac history.jsonl > t; cat t > history.jsonl; rm t",
        // One letter.
        "printf X | dd of=history.jsonl bs=1 seek=300 conv=notrunc",
    ] {
        tampered(deed).unwrap();
    }
}

#[test]
fn a_history_that_was_edited_in_place_is_noticed_by_verify_at_the_latest() {
    let sandbox = Loop::default().sandbox();
    run(&sandbox).expect(0);
    let deed = format!("printf X | dd of={HISTORY} bs=1 seek=300 conv=notrunc");
    said(Command::new("sh").args(["-c", &deed]).current_dir(sandbox.project())).expect(0);
    let told = sandbox.onus(["verify"]).expect(7);
    assert!(told.stdout.contains("event 1 (byte 0)"), "{}", told.stdout);
}

#[test]
fn views_that_an_agent_rewrites_decide_nothing() {
    let deed = format!(
        "cd {ROOT}; for f in note/run.json current.json; do echo '{{\"status\": \"completed\", \"task_alias\": \"other\"}}' > $f; done; echo 'DONE' > note/artifact.md"
    );
    let critic = format!(
        "{deed}; {}",
        r#"echo '{"issues": [{"rule_id": "a.done", "problem": "p", "fix_instruction": "f"}]}'"#
    );
    let sandbox = Loop {
        cast: &[("critic", &critic), ("refiner", "echo more >> \"$ONUS_ARTIFACT\"")],
        ..Loop::default()
    }
    .sandbox();
    sandbox.onus(run_args("2", &[])).expect(1);
    assert!(
        sandbox
            .read(&format!("{ROOT}/note/artifact.md"))
            .ends_with("tree.\nmore\n")
    );
    let run: Value = serde_json::from_str(&sandbox.read(&format!("{ROOT}/note/run.json"))).unwrap();
    assert_eq!(
        (&run["status"], &run["stop"]["passed"]),
        (&json!("stopped"), &json!(false))
    );
    sandbox.onus(["verify", "note"]).expect(0);
}

/// Lets an agent do something to the stored artifacts between two steps that need one.
fn objects_spoiled(deed: &str) -> (Sandbox, Said) {
    let critic = format!(
        "{deed}; {}",
        r#"echo '{"issues": [{"rule_id": "a.done", "problem": "p", "fix_instruction": "f"}]}'"#
    );
    let sandbox = Loop {
        cast: &[("critic", &critic)],
        ..Loop::default()
    }
    .sandbox();
    let told = run(&sandbox);
    (sandbox, told)
}

/// The artifact that is about to be refined is exchanged for one that would pass.
const EXCHANGE: &str = "for f in $(grep -rl 'evergreen tree' .onus/objects); do chmod u+w $f; echo DONE > $f; done";

#[test]
fn objects_that_an_agent_changes_are_not_believed() {
    for deed in [EXCHANGE, "rm -r .onus/objects"] {
        let (sandbox, told) = objects_spoiled(deed);
        assert!(matches!(told.code, Some(6 | 7)), "{deed}: {told:?}");
        let said = format!("{}{}", told.stdout, told.stderr);
        assert!(
            said.contains("is damaged: its content is") || said.contains("is missing"),
            "{deed}: {said}"
        );
        assert!(payloads(&sandbox, "refinement_done").is_empty(), "{deed}");
        sandbox.onus(["verify"]).expect(7);
    }
}

#[test]
fn a_stored_artifact_that_is_not_what_was_recorded_is_an_integrity_violation() {
    for deed in [EXCHANGE, "rm -r .onus/objects"] {
        let (sandbox, told) = objects_spoiled(deed);
        assert_eq!(told.code, Some(7), "{deed}: {told:?}");
        assert!(payloads(&sandbox, "failed").is_empty(), "{deed}: no agent has failed");
    }
}

/// Words that would act on a terminal: colours, a title, a cursor, C1, and text that runs backwards.
const EVIL: &str = "\u{1b}[31mred\u{1b}[0m \u{1b}]0;title\u{7} \u{9b}2J \u{202e}drawkcab";

#[track_caller]
fn harmless(what: &str, told: &Said) {
    for (stream, text) in [("stdout", &told.stdout), ("stderr", &told.stderr)] {
        for bad in ['\u{1b}', '\u{9b}', '\u{7}', '\u{202e}', '\r'] {
            assert!(!text.contains(bad), "{what}: {bad:?} on {stream}: {text:?}");
        }
    }
}

#[test]
fn what_agents_say_never_acts_on_the_terminal() {
    let answer = |value: &Value| format!("cat <<'END'\n{}\nEND", serde_json::to_string(value).unwrap());
    let open = "[[criteria]]\nid = \"a.open\"\ndescription = \"d\"\nseverity = \"warn\"\ncheck = \"c\"\n";
    let sandbox = Loop {
        criteria: &format!("{}{open}", stage::DONE),
        cast: &[
            ("all", &format!("printf '%s\\n' '{EVIL}' >&2")),
            ("planner", &answer(&json!({ "plan": [EVIL, "b", "c"] }))),
            ("producer", &format!("[ -e \"$ONUS_ARTIFACT\" ] || printf '# %s\\n\\n%s\\n' '{EVIL}' '{EVIL}'")),
            ("preparer", &answer(&json!({ "checks": [{ "rule_id": "a.open", "type": "executable", "command": format!("echo '{EVIL}'; false") }] }))),
            ("critic", &answer(&json!({ "issues": [{ "rule_id": "a.done", "problem": EVIL, "fix_instruction": EVIL }] }))),
        ],
        ..Loop::default()
    }
    .sandbox();
    let never = |args: &[&str]| sandbox.onus([&["--color", "never"], args].concat());
    let told = never(&run_args("4", &["--ideal", EVIL]));
    harmless("run", &told);
    assert!(
        told.stdout.contains("\\u{1b}[31mred"),
        "what was said is shown, made visible: {}",
        told.stdout
    );
    for args in [
        &["status", "note"][..],
        &["list"],
        &["history", "note"],
        &["verify", "note"],
        &["replay", "note", "--print"],
        &["resume", "note"],
    ] {
        harmless(&format!("{args:?}"), &never(args));
    }
    // JSON has escapes of its own.
    for args in [
        &["status", "note", "--json"][..],
        &["history", "note", "--json"],
        &["replay", "note", "--json"],
    ] {
        let told = never(args);
        assert!(
            !told.stdout.contains('\u{1b}') && !told.stdout.contains('\u{7}'),
            "{args:?}: {}",
            told.stdout
        );
    }
    // The same where an agent fails with it.
    let sandbox = Loop {
        cast: &[("planner", &format!("printf '%s\\n' '{EVIL}' >&2; exit 1"))],
        ..Loop::default()
    }
    .sandbox();
    let told = sandbox
        .onus([&["--color", "never"], run_args("4", &[]).as_slice()].concat())
        .expect(6);
    harmless("failed", &told);
    assert!(told.stdout.contains("\\u{1b}[31mred"), "{}", told.stdout);
    for args in [
        &["status", "note"][..],
        &["history", "note"],
        &["resume", "note"],
        &["replay", "note", "--print"],
    ] {
        harmless(
            &format!("{args:?}"),
            &sandbox.onus([&["--color", "never"], args].concat()),
        );
    }
}

#[test]
fn what_files_say_never_acts_on_the_terminal_either() {
    let sandbox = Sandbox::in_memory();
    // A loop file, a task, and another tool's history.
    sandbox.write(
        "evil.toml",
        format!("preset = \"{EVIL}\"\ncolour = 'x' # {EVIL}\n").replace('\u{7}', ""),
    );
    harmless("loop file", &sandbox.onus(["run", "--file", "evil.toml"]).expect(3));
    sandbox.script("agent.sh", &stage::cast(&[]));
    sandbox.write("task.md", EVIL);
    let told = sandbox
        .onus([
            "run",
            "--task-file",
            "task.md",
            "--type",
            "docs",
            "--agent",
            "sh agent.sh",
        ])
        .expect(4);
    harmless("task", &told);
    let event = json!({ "ts": EVIL, "run_id": EVIL, "iteration": 1, "phase": EVIL, "step": EVIL, "event": EVIL, "status": EVIL, "payload": { EVIL: EVIL } });
    sandbox.write(&format!("{ROOT}/old/history.jsonl"), format!("{event}\n"));
    sandbox.write(
        &format!("{ROOT}/old/run.json"),
        json!({ "status": EVIL, "iteration": 1, "updated_at": EVIL }).to_string(),
    );
    for args in [&["list"][..], &["status", "old"], &["history", "old"]] {
        harmless(&format!("{args:?}"), &sandbox.onus(args).expect(0));
    }
    sandbox.write(
        ".ai-factory/config.yaml",
        format!(
            "paths:\n  evolution: \"../{}\"\n",
            EVIL.replace(['\u{1b}', '\u{7}', '\u{9b}'], "\\x1b")
        ),
    );
    harmless("settings", &sandbox.onus(["list"]).expect(3));
}

#[test]
fn an_agents_name_never_acts_on_the_terminal() {
    let sandbox = Loop::default().sandbox();
    let toml = Loop::default()
        .toml()
        .replace("[agents.shell]", r#"[agents."\u001b[31mshell\u001b[2K"]"#);
    sandbox.write("onus.toml", toml);
    harmless("agent", &sandbox.onus(["run"]).expect(4));
}

#[test]
fn the_reason_of_a_stop_never_acts_on_the_terminal() {
    let critic = format!("{}; exit 1", hold("hold"));
    let sandbox = Loop {
        cast: &[("critic", &critic)],
        ..Loop::default()
    }
    .sandbox();
    killed_run(&sandbox);
    harmless("stop", &sandbox.onus(["stop", "note", "--reason", EVIL]).expect(0));
    harmless("status", &sandbox.onus(["status", "note"]).expect(0));
}

#[test]
fn an_agent_that_talks_without_end_on_standard_error_is_cut_and_not_kept_whole() {
    let sandbox = Loop {
        rest: "[limits]\noutput_bytes_max = 100000",
        cast: &[
            (
                "planner",
                "head -c 20000000 /dev/zero | tr '\\0' e >&2; echo '{\"plan\": [\"a\", \"b\", \"c\"]}'",
            ),
            ("producer", "echo DONE"),
        ],
        ..Loop::default()
    }
    .sandbox();
    run(&sandbox).expect(0);
    let kept = said(
        Command::new("du")
            .args(["-sk", ".onus/objects"])
            .current_dir(sandbox.project()),
    )
    .expect(0);
    assert!(
        kept.stdout.split_whitespace().next().unwrap().parse::<u64>().unwrap() < 1000,
        "{}",
        kept.stdout
    );
}

#[test]
fn a_command_line_that_is_not_understood_says_so() {
    let sandbox = Sandbox::in_memory();
    for args in [
        &["fly"][..],
        &["run", "--fast"],
        &["status", "a", "b"],
        &["--color", "pink", "list"],
        &[],
        &["history", "note", "--iteration", "x"],
        &["repair"],
    ] {
        let told = sandbox.onus(args).expect(2);
        assert!(!told.stderr.is_empty() && told.stdout.is_empty(), "{args:?}: {told:?}");
    }
    let told = sandbox.onus(["stats"]).expect(2);
    assert!(told.stderr.contains("status"), "{}", told.stderr);
    left_nothing(&sandbox);
}
