//! Set-up: no run starts unless a person has confirmed the criteria and the number of iterations, each explicitly, by flags
//! or on a terminal.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::too_many_lines,
    reason = "tests touch the world, fail loudly and read as one table"
)]

mod stage;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};
use stage::{Loop, Sandbox, files_below, payloads, wait_until};

/// Everything in the project that a test did not put there.
fn leftovers(sandbox: &Sandbox) -> Vec<String> {
    let mut files = files_below(&sandbox.project());
    files.retain(|name| !matches!(name.as_str(), "onus.toml" | "agent.sh" | "script.toml"));
    files
}

#[test]
fn without_a_terminal_flags_must_confirm_both_and_what_is_missing_is_named() {
    const CRITERIA: &str = "`--accept-criteria` confirms the success criteria";
    const ITERATIONS: &str = "`--max-iterations 4` confirms the number of iterations";
    for (flags, named, not_named) in [
        (&[][..], &[CRITERIA, ITERATIONS][..], &[][..]),
        (&["--accept-criteria"], &[ITERATIONS], &[CRITERIA]),
        (&["--max-iterations", "4"], &[CRITERIA], &[ITERATIONS]),
    ] {
        let sandbox = Loop::default().sandbox();
        let told = sandbox.onus([&["run"], flags].concat()).expect(4);
        for hint in named {
            assert!(told.stderr.contains(hint), "{flags:?}: {}", told.stderr);
        }
        for hint in not_named {
            assert!(!told.stderr.contains(hint), "{flags:?}: {}", told.stderr);
        }
        // What would be confirmed is shown.
        for words in ["a.done", "thresholds   A 0.80, B 0.90", "at most 4", "planner=shell"] {
            assert!(told.stderr.contains(words), "{flags:?}: {}", told.stderr);
        }
        assert_eq!(leftovers(&sandbox), Vec::<String>::new(), "{flags:?}");
    }
}

#[test]
fn both_flags_start_a_run_and_the_record_says_who_confirmed_what_and_how() {
    let sandbox = Loop::default().sandbox();
    stage::run(&sandbox).expect(0);
    let start = payloads(&sandbox, "run_started").remove(0);
    let started_at = sandbox.history("note")[0]["ts"].clone();
    assert_eq!(
        start["confirmed"],
        json!({
            "criteria": { "by": "tester", "how": "--accept-criteria", "at": started_at },
            "max_iterations": { "by": "tester", "how": "--max-iterations", "at": started_at },
        })
    );
    assert_eq!(start["spec"]["limits"]["max_iterations"], 4);
}

#[test]
fn a_task_of_no_plain_type_needs_one_named() {
    let sandbox = Sandbox::in_memory();
    sandbox.script("agent.sh", &stage::cast(&[]));
    for (task, words) in [
        ("Write something nice", "nothing in it tells"),
        ("Write a README and a Dockerfile", "it could be"),
    ] {
        let flags = [
            "run",
            "--accept-criteria",
            "--max-iterations",
            "2",
            "--agent",
            "sh agent.sh",
            task,
        ];
        let told = sandbox.onus(flags).expect(4);
        assert!(
            told.stderr.contains(words) && told.stderr.contains("`--type api_spec|code|docs|config|other`"),
            "{task}: {}",
            told.stderr
        );
        assert_eq!(leftovers(&sandbox), Vec::<String>::new(), "{task}");
    }
    // With the type named, only the confirmations are missing.
    let told = sandbox
        .onus([
            "run",
            "--type",
            "docs",
            "--agent",
            "sh agent.sh",
            "Write something nice",
        ])
        .expect(4);
    assert!(
        told.stderr.contains("--accept-criteria") && told.stderr.contains("a.correctness.accuracy"),
        "{}",
        told.stderr
    );
    sandbox
        .onus(["run", "--type", "poem", "--agent", "sh agent.sh", "Write"])
        .expect(2);
}

#[test]
fn the_type_is_told_from_the_task_where_it_is_plain() {
    let sandbox = Sandbox::in_memory();
    sandbox.script("agent.sh", &stage::cast(&[]));
    for (task, task_type, criterion) in [
        (
            "OpenAPI 3.1 spec of a course catalogue",
            "api_spec",
            "a.correctness.endpoints",
        ),
        ("Implement a parser for dates", "code", "a.correctness.compiles"),
        ("A README for the build", "docs", "a.correctness.accuracy"),
        ("A Dockerfile for the service", "config", "a.correctness.syntax"),
    ] {
        let told = sandbox.onus(["run", "--agent", "sh agent.sh", task]).expect(4);
        assert!(
            told.stderr.contains(&format!("type         {task_type}")),
            "{task}: {}",
            told.stderr
        );
        assert!(told.stderr.contains(criterion), "{task}: {}", told.stderr);
    }
}

#[test]
fn a_number_of_iterations_in_the_task_fills_the_draft_and_confirms_nothing() {
    let sandbox = Loop::default().sandbox();
    let told = sandbox
        .onus([
            "run",
            "--accept-criteria",
            "Write a README about cedars, max 6 iterations",
        ])
        .expect(4);
    assert!(
        told.stderr.contains("at most 6 (stated in the task)"),
        "{}",
        told.stderr
    );
    assert!(told.stderr.contains("`--max-iterations 6` confirms"), "{}", told.stderr);
    assert_eq!(leftovers(&sandbox), Vec::<String>::new());
    // So does one in the loop file.
    let sandbox = Loop {
        rest: "[limits]\nmax_iterations = 3",
        ..Loop::default()
    }
    .sandbox();
    let told = sandbox.onus(["run", "--accept-criteria"]).expect(4);
    assert!(
        told.stderr.contains("at most 3 (loop file)") && told.stderr.contains("`--max-iterations 3`"),
        "{}",
        told.stderr
    );
}

#[test]
fn a_task_comes_from_the_command_line_a_file_or_the_loop_file() {
    let sandbox = Loop::default().sandbox();
    sandbox.write("task.md", "From a file\n");
    let confirmed = ["--accept-criteria", "--max-iterations", "4", "--quiet"];
    let prompt = |alias: &str, more: &[&str]| -> Value {
        sandbox
            .onus([&["run", "--alias", alias], &confirmed[..], more].concat())
            .expect(0);
        sandbox.history(alias)[0]["payload"]["spec"]["task"].clone()
    };
    assert_eq!(prompt("one", &["From", "the", "line"])["prompt"], "From the line");
    assert_eq!(prompt("two", &["--task-file", "task.md"])["prompt"], "From a file\n");
    assert_eq!(prompt("three", &[])["prompt"], "Write the note about cedar trees");
    assert_eq!(prompt("four", &["--ideal", "Short"])["ideal_result"], "Short");
    sandbox.onus(["run", "--task-file", "task.md", "and a task"]).expect(2);
    std::fs::remove_file(sandbox.project().join("onus.toml")).unwrap();
    let told = sandbox
        .onus([
            "run",
            "--agent",
            "sh agent.sh",
            "--accept-criteria",
            "--max-iterations",
            "4",
        ])
        .expect(3);
    assert!(told.stderr.contains("there is no task"), "{}", told.stderr);
}

#[test]
fn thresholds_may_be_given_by_flag() {
    let sandbox = Loop::default().sandbox();
    sandbox
        .onus(stage::run_args("4", &["--threshold", "A=0.55", "--threshold", "B=1"]))
        .expect(0);
    let levels = payloads(&sandbox, "run_started")[0]["spec"]["levels"].clone();
    assert_eq!(
        (&levels[0]["threshold"], &levels[1]["threshold"]),
        (&json!(0.55), &json!(1.0))
    );
    let told = sandbox.onus(["run", "--threshold", "C=0.5"]).expect(3);
    assert!(
        told.stderr.contains("level `C`, which does not exist"),
        "{}",
        told.stderr
    );
}

#[test]
fn numbers_that_make_no_sense_are_refused_on_the_command_line() {
    let sandbox = Loop::default().sandbox();
    for flags in [
        ["--max-iterations", "0"],
        ["--max-iterations", "1001"],
        ["--max-iterations", "-1"],
        ["--max-iterations", "2.5"],
        ["--max-iterations", "many"],
        ["--max-completed-step-seconds", "0"],
        ["--max-completed-step-seconds", "-5"],
        ["--max-completed-step-seconds", "1.5"],
        ["--max-completed-step-seconds", "60s"],
        ["--threshold", "A"],
        ["--threshold", "A=1.1"],
        ["--threshold", "A=-0.1"],
        ["--threshold", "A=0.12345"],
        ["--threshold", "A=NaN"],
        ["--agent", " "],
        ["--agent", "'unclosed"],
    ] {
        sandbox
            .onus([&["run", "--accept-criteria"], &flags[..]].concat())
            .expect(2);
        assert_eq!(leftovers(&sandbox), Vec::<String>::new(), "{flags:?}");
    }
}

/// A terminal of its own, with `onus` in it.
struct Terminal {
    socket: String,
    /// Where the socket and the exit code are.
    dir: PathBuf,
}

impl Terminal {
    fn start(sandbox: &Sandbox, args: &str) -> Terminal {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let dir = sandbox.project().parent().unwrap().to_owned();
        let terminal = Terminal {
            socket: format!("onus-{}-{number}", std::process::id()),
            dir: dir.clone(),
        };
        let onus = onus_testkit::onus_binary().display().to_string();
        let (path, here) = (std::env::var("PATH").unwrap(), dir.display());
        let environment = format!(
            "PATH='{path}' HOME={here}/home XDG_STATE_HOME={here}/state TMPDIR={here}/tmp USER=tester TERM=screen"
        );
        let script = format!("cd {here}/project; env -i {environment} {onus} {args}; echo $? > {here}/exit; sleep 60");
        terminal.tmux(&["new-session", "-d", "-x", "120", "-y", "50", &script]);
        terminal
    }

    fn tmux(&self, args: &[&str]) -> String {
        let mut command = Command::new("tmux");
        command.args(["-L", &self.socket, "-f", "/dev/null"]).args(args);
        command
            .env_remove("TMUX")
            .env("TMUX_TMPDIR", &self.dir)
            .env("LC_ALL", "C.UTF-8");
        let output = command
            .output()
            .unwrap_or_else(|error| panic!("these tests need `tmux`: {error}"));
        assert!(
            output.status.success(),
            "tmux {args:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Everything on the screen and above it.
    fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p", "-S", "-500"])
    }

    /// Waits until the last line that says something holds these words: the question that is being asked now.
    #[track_caller]
    fn asks(&self, question: &str) {
        let asked = |screen: &str| {
            let last = screen
                .lines()
                .rev()
                .find(|line| line.trim_start().starts_with('?'))
                .unwrap_or_default()
                .to_owned();
            last.contains(question)
        };
        let mut screen = String::new();
        let patience = std::time::Instant::now() + std::time::Duration::from_secs(20);
        while !asked(&screen) {
            assert!(
                std::time::Instant::now() < patience,
                "`{question}` is not asked:\n{screen}"
            );
            std::thread::sleep(std::time::Duration::from_millis(10));
            screen = self.screen();
        }
    }

    /// Presses keys by their tmux names.
    fn press(&self, keys: &[&str]) {
        self.tmux(&[&["send-keys"], keys].concat());
    }

    /// Types text over what stands there, and Enter.
    fn answer(&self, text: &str) {
        self.press(&["End"]);
        self.press(&["-N", "30", "BSpace"]);
        if !text.is_empty() {
            self.tmux(&["send-keys", "-l", text]);
        }
        self.press(&["Enter"]);
    }

    #[track_caller]
    fn exit_code(&self) -> i32 {
        let path = self.dir.join("exit");
        let read = |path: &Path| std::fs::read_to_string(path).unwrap_or_default();
        let mut waited = String::new();
        wait_until("onus ends", || {
            waited = read(&path);
            waited.ends_with('\n')
        });
        waited.trim().parse().unwrap()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // Only this test's own server listens on this socket.
        let mut command = Command::new("tmux");
        command
            .args(["-L", &self.socket, "kill-server"])
            .env_remove("TMUX")
            .env("TMUX_TMPDIR", &self.dir);
        let _ = command.output();
    }
}

const CRITERIA: &str = "Confirm these success criteria?";

#[test]
fn tmux_is_there_for_the_tests_on_a_terminal() {
    let version = Command::new("tmux").arg("-V").output();
    assert!(version.is_ok(), "the tests of the dialogue need `tmux` on the PATH");
}

#[test]
fn on_a_terminal_both_are_asked_and_recorded_as_answered() {
    let sandbox = Loop::default().sandbox();
    let terminal = Terminal::start(&sandbox, "run --alias note");
    terminal.asks(CRITERIA);
    let screen = terminal.screen();
    for words in [
        "Write the note about cedar trees",
        "a.done",
        "A 0.80, B 0.90",
        "at most 4 (default)",
    ] {
        assert!(screen.contains(words), "{words}: {screen}");
    }
    assert!(
        !sandbox.exists(".ai-factory") && !sandbox.exists(".onus"),
        "nothing starts before both are confirmed"
    );
    terminal.press(&["Enter"]);
    terminal.asks("Confirm max iterations = 4?");
    assert!(
        !sandbox.exists(".ai-factory") && !sandbox.exists(".onus"),
        "nothing starts before both are confirmed"
    );
    terminal.press(&["Enter"]);
    terminal.asks("Save a copy of the artifact as");
    terminal.answer("copy.md");
    assert_eq!(terminal.exit_code(), 0);
    assert!(sandbox.read("copy.md").ends_with("DONE\n"));
    let confirmed = payloads(&sandbox, "run_started")[0]["confirmed"].clone();
    for part in ["criteria", "max_iterations"] {
        assert_eq!(
            (&confirmed[part]["by"], &confirmed[part]["how"]),
            (&json!("tester"), &json!("prompt")),
            "{part}"
        );
    }
}

#[test]
fn changing_the_number_of_iterations_asks_for_both_again() {
    let sandbox = Loop::default().sandbox();
    let terminal = Terminal::start(&sandbox, "run --alias note");
    terminal.asks(CRITERIA);
    terminal.press(&["Enter"]);
    terminal.asks("Confirm max iterations = 4?");
    terminal.press(&["Down", "Enter"]);
    terminal.asks("Max iterations:");
    terminal.answer("2");
    terminal.asks(CRITERIA);
    let screen = terminal.screen();
    assert_eq!(screen.matches(CRITERIA).count(), 2, "{screen}");
    assert!(screen.contains("at most 2"), "{screen}");
    terminal.press(&["Enter"]);
    terminal.asks("Confirm max iterations = 2?");
    terminal.press(&["Enter"]);
    terminal.asks("Save a copy");
    terminal.press(&["Enter"]);
    assert_eq!(terminal.exit_code(), 0);
    assert_eq!(
        payloads(&sandbox, "run_started")[0]["spec"]["limits"]["max_iterations"],
        2
    );
}

#[test]
fn a_number_the_person_typed_is_not_called_the_default() {
    let sandbox = Loop::default().sandbox();
    let terminal = Terminal::start(&sandbox, "run --alias note");
    terminal.asks(CRITERIA);
    terminal.press(&["Enter"]);
    terminal.asks("Confirm max iterations = 4?");
    terminal.press(&["Down", "Enter"]);
    terminal.asks("Max iterations:");
    terminal.answer("2");
    wait_until("the changed draft is shown", || terminal.screen().contains("at most 2"));
    assert!(
        !terminal.screen().contains("at most 2 (default)"),
        "{}",
        terminal.screen()
    );
}

#[test]
fn changing_a_threshold_asks_for_both_again_and_the_flag_that_said_one_no_longer_counts() {
    let sandbox = Loop::default().sandbox();
    let terminal = Terminal::start(&sandbox, "run --alias note --max-iterations 3");
    terminal.asks(CRITERIA);
    terminal.press(&["Down", "Enter"]);
    terminal.asks("Which level?");
    terminal.press(&["Enter"]);
    terminal.asks("New threshold");
    terminal.answer("nonsense");
    wait_until("the answer is refused", || {
        terminal.screen().contains("a threshold is a number from 0 to 1")
    });
    terminal.asks("New threshold");
    terminal.answer("0.7");
    terminal.asks(CRITERIA);
    wait_until("the changed draft is shown", || {
        terminal.screen().contains("A 0.70, B 0.90")
    });
    terminal.press(&["Enter"]);
    terminal.asks("Confirm max iterations = 3?");
    terminal.press(&["Enter"]);
    terminal.asks("Save a copy");
    terminal.press(&["Enter"]);
    assert_eq!(terminal.exit_code(), 0);
    let start = payloads(&sandbox, "run_started").remove(0);
    assert_eq!(start["spec"]["levels"][0]["threshold"], 0.7);
    assert_eq!(start["confirmed"]["max_iterations"]["how"], "prompt");
}

#[test]
fn whoever_quits_leaves_nothing_behind() {
    for (name, keys) in [
        ("by the last choice", &["Up", "Enter"][..]),
        ("by Escape", &["Escape"]),
        ("by Ctrl-C", &["C-c"]),
    ] {
        let sandbox = Loop::default().sandbox();
        let terminal = Terminal::start(&sandbox, "run --alias note");
        terminal.asks(CRITERIA);
        terminal.press(keys);
        assert_eq!(terminal.exit_code(), 5, "{name}");
        assert!(
            terminal.screen().contains("nothing was started"),
            "{name}: {}",
            terminal.screen()
        );
        assert_eq!(leftovers(&sandbox), Vec::<String>::new(), "{name}");
        assert!(files_below(&sandbox.state()).is_empty(), "{name}");
    }
    let sandbox = Loop::default().sandbox();
    let terminal = Terminal::start(&sandbox, "run --alias note");
    terminal.asks(CRITERIA);
    terminal.press(&["Enter"]);
    terminal.asks("Confirm max iterations = 4?");
    terminal.press(&["Up", "Enter"]);
    assert_eq!(terminal.exit_code(), 5);
    assert_eq!(leftovers(&sandbox), Vec::<String>::new());
}

/// Walks the full set-up of a task that tells nothing, with these answers in the documented order.
fn full_setup(terminal: &Terminal, iterations: &str) {
    terminal.asks("What kind of artifact is it?");
    terminal.tmux(&["send-keys", "-l", "docs"]);
    terminal.press(&["Enter"]);
    terminal.asks("What does an ideal result look like?");
    terminal.answer("It can be sung");
    terminal.asks("Which checks are mandatory?");
    terminal.answer("It names the cedar; it has a last line");
    terminal.asks("What else would be good to have?");
    terminal.answer("It rhymes");
    terminal.asks("Quality threshold of level A");
    terminal.answer("0.5");
    terminal.asks("Quality threshold of level B");
    terminal.answer("0.6");
    terminal.asks("Max iterations:");
    terminal.answer(iterations);
    terminal.asks("What counts as a major issue?");
    terminal.answer("It insults somebody");
}

#[test]
fn a_task_that_tells_nothing_leads_through_all_questions_in_their_order() {
    let sandbox = Sandbox::in_memory();
    sandbox.script("agent.sh", &stage::cast(&[]));
    let terminal = Terminal::start(&sandbox, "run --alias note --agent 'sh agent.sh' Write something nice");
    full_setup(&terminal, "1");
    terminal.asks(CRITERIA);
    let screen = terminal.screen();
    for words in [
        "type         docs",
        "A 0.50, B 0.60",
        "at most 1",
        "It names the cedar",
        "it has a last line",
        "It rhymes",
        "It insults somebody",
        "It can be sung",
    ] {
        assert!(screen.contains(words), "{words}: {screen}");
    }
    terminal.press(&["Enter"]);
    terminal.asks("Confirm max iterations = 1?");
    terminal.press(&["Enter"]);
    terminal.asks("Save a copy");
    terminal.press(&["Enter"]);
    assert_eq!(terminal.exit_code(), 1, "the silent evaluator passes nothing");
    let spec = payloads(&sandbox, "run_started")[0]["spec"].clone();
    assert_eq!(
        (&spec["task"]["task_type"], &spec["limits"]["max_iterations"]),
        (&json!("docs"), &json!(1))
    );
    assert_eq!(
        (&spec["levels"][0]["threshold"], &spec["levels"][1]["threshold"]),
        (&json!(0.5), &json!(0.6))
    );
    let severity = |words: &str| {
        let all = spec["criteria"].as_array().unwrap();
        let found = all.iter().find(|c| c["description"].as_str().unwrap().contains(words));
        found.unwrap_or_else(|| panic!("no `{words}` in {spec}"))["severity"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(
        (severity("names the cedar").as_str(), severity("a last line").as_str()),
        ("fail", "fail")
    );
    assert_eq!(
        (severity("rhymes").as_str(), severity("insults somebody").as_str()),
        ("warn", "fail")
    );
}

#[test]
fn a_flag_confirms_the_number_it_names_and_no_other() {
    let sandbox = Sandbox::in_memory();
    sandbox.script("agent.sh", &stage::cast(&[]));
    let terminal = Terminal::start(
        &sandbox,
        "run --alias note --accept-criteria --max-iterations 3 --agent 'sh agent.sh' Write something nice",
    );
    full_setup(&terminal, "1");
    // What was typed may not be what the flags meant, so both are asked.
    wait_until("it goes on", || {
        terminal.screen().contains("Confirm these success criteria?")
            || sandbox.exists(".ai-factory/evolution/note/history.jsonl")
    });
    if sandbox.exists(".ai-factory/evolution/note/history.jsonl") {
        let start = payloads(&sandbox, "run_started").remove(0);
        panic!(
            "{} iterations were confirmed by {}",
            start["spec"]["limits"]["max_iterations"], start["confirmed"]["max_iterations"]
        );
    }
}

#[test]
fn an_empty_task_is_asked_for() {
    let sandbox = Sandbox::in_memory();
    sandbox.script("agent.sh", &stage::cast(&[]));
    let terminal = Terminal::start(&sandbox, "run --alias note --agent 'sh agent.sh'");
    terminal.asks("What is to be made?");
    terminal.answer("A README about cedars");
    terminal.asks(CRITERIA);
    assert!(terminal.screen().contains("type         docs"), "{}", terminal.screen());
    terminal.press(&["Escape"]);
    assert_eq!(terminal.exit_code(), 5);
}

#[test]
fn cleaning_on_a_terminal_asks_and_a_no_keeps_everything() {
    let sandbox = Loop::default().sandbox();
    stage::run(&sandbox).expect(0);
    let terminal = Terminal::start(&sandbox, "clean note");
    terminal.asks("Delete 1 ");
    terminal.answer("n");
    assert_eq!(terminal.exit_code(), 0);
    assert!(sandbox.exists(".ai-factory/evolution/note/history.jsonl"));
    std::fs::remove_file(terminal.dir.join("exit")).unwrap();
    drop(terminal);
    let terminal = Terminal::start(&sandbox, "clean note");
    terminal.asks("Delete 1 ");
    terminal.answer("y");
    assert_eq!(terminal.exit_code(), 0);
    assert!(!sandbox.exists(".ai-factory/evolution/note"));
}

#[test]
fn whoever_does_not_answer_where_to_save_has_still_passed() {
    for key in ["Escape", "C-c"] {
        let sandbox = Loop::default().sandbox();
        let terminal = Terminal::start(&sandbox, "run --alias note --accept-criteria --max-iterations 4");
        terminal.asks("Save a copy of the artifact as");
        terminal.press(&[key]);
        assert_eq!(terminal.exit_code(), 0, "{key}: {}", terminal.screen());
        assert!(
            !terminal.screen().contains("nothing was started"),
            "{key}: {}",
            terminal.screen()
        );
    }
}

#[test]
fn whoever_breaks_off_cleaning_is_not_told_about_starting() {
    let sandbox = Loop::default().sandbox();
    stage::run(&sandbox).expect(0);
    let terminal = Terminal::start(&sandbox, "clean note");
    terminal.asks("Delete 1 ");
    terminal.press(&["C-c"]);
    assert_eq!(terminal.exit_code(), 5);
    assert!(sandbox.exists(".ai-factory/evolution/note/history.jsonl"));
    assert!(
        !terminal.screen().contains("nothing was started"),
        "{}",
        terminal.screen()
    );
}

#[test]
fn ctrl_c_on_a_terminal_reaches_the_engine_and_not_the_agent() {
    let critic = format!(
        "{}\n{}",
        stage::hold("hold"),
        r#"echo '{"issues": [{"rule_id": "a.done", "problem": "p", "fix_instruction": "f"}]}'"#
    );
    let sandbox = Loop {
        cast: &[("critic", &critic)],
        ..Loop::default()
    }
    .sandbox();
    sandbox.write("hold", "");
    let terminal = Terminal::start(
        &sandbox,
        "run --alias note --accept-criteria --max-iterations 4 --quiet",
    );
    wait_until("the agent holds", || sandbox.exists("hold.reached"));
    terminal.press(&["C-c"]);
    wait_until("the interrupt is heard", || {
        terminal.screen().contains("press Ctrl-C again")
    });
    stage::release(&sandbox, "hold");
    assert_eq!(terminal.exit_code(), 5);
    assert_eq!(
        payloads(&sandbox, "critique_done").len(),
        1,
        "the agent was left to finish"
    );
    assert_eq!(payloads(&sandbox, "stopped")[0]["reason"], "user_stop");
}

#[test]
fn a_terminal_is_not_asked_where_flags_say_everything() {
    let sandbox = Loop::default().sandbox();
    let terminal = Terminal::start(
        &sandbox,
        "run --alias note --accept-criteria --max-iterations 4 --quiet",
    );
    assert_eq!(terminal.exit_code(), 0);
    let screen = terminal.screen();
    assert!(!screen.contains("Confirm") && screen.contains("passed"), "{screen}");
}
