//! What the stories share: a cast of shell scripts that play all roles, a loop file for them, and processes in the background.
#![allow(dead_code, reason = "each story uses its own part of this")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "tests touch the world and fail loudly"
)]

use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

pub(crate) use onus_testkit::{Said, Sandbox, said};
use serde_json::Value;
use tempfile::TempDir;

/// Generous: only a test that is about to fail waits this long.
const PATIENCE: Duration = Duration::from_secs(20);

/// The one criterion of most stories: a last line that the first draft lacks and the refiner adds.
pub(crate) const DONE: &str = r#"
[[criteria]]
id = "a.done"
description = "The note has its last line."
severity = "fail"
verify = { type = "content", search = "^DONE$" }
"#;

/// A loop whose roles are all played by the script `agent.sh`.
pub(crate) struct Loop<'a> {
    /// Further keys of the agent.
    pub(crate) agent: &'a str,
    pub(crate) criteria: &'a str,
    /// Further tables.
    pub(crate) rest: &'a str,
    /// What each role does instead of the usual; see [`cast`].
    pub(crate) cast: &'a [(&'a str, &'a str)],
}

impl Default for Loop<'_> {
    fn default() -> Self {
        Loop {
            agent: "",
            criteria: DONE,
            rest: "",
            cast: &[],
        }
    }
}

impl Loop<'_> {
    /// The loop in a project of its own.
    pub(crate) fn sandbox(&self) -> Sandbox {
        let sandbox = Sandbox::in_memory();
        self.write(&sandbox);
        sandbox
    }

    pub(crate) fn write(&self, sandbox: &Sandbox) {
        sandbox.write("onus.toml", self.toml());
        sandbox.script("agent.sh", &cast(self.cast));
    }

    pub(crate) fn toml(&self) -> String {
        let Loop {
            agent, criteria, rest, ..
        } = self;
        format!(
            r#"preset = "reflex"
criteria_from = "none"

[task]
prompt = "Write the note about cedar trees"
ideal_result = "A note that ends well"
type = "docs"

[agents.shell]
kind = "command"
command = ["sh", "agent.sh"]
{agent}
{rest}
{criteria}
"#
        )
    }
}

/// An evaluator that passes nothing it is asked about.
const FAILS_ALL: &str = r#"ids=$(tr ',{' '\n\n' < "$ONUS_REQUEST" | sed -n 's/.*"id":"\([^"]*\)".*/\1/p')
results=
for id in $ids; do results="$results${results:+, }{\"id\": \"$id\", \"verdict\": \"fail\"}"; done
echo "{\"rule_results\": [$results]}""#;

/// The body of a script that plays every role. The usual play fails once, is refined, and passes in iteration 2.
///
/// An entry `("all", …)` runs before every role.
pub(crate) fn cast(changes: &[(&str, &str)]) -> String {
    let usual = [
        ("all", ":"),
        (
            "planner",
            r#"echo '{"plan": ["Name the tree", "Describe it", "End it"]}'"#,
        ),
        (
            "producer",
            r##"[ -e "$ONUS_ARTIFACT" ] || printf '# Cedar\n\nThe cedar is an evergreen tree.\n' > "$ONUS_ARTIFACT""##,
        ),
        ("preparer", r#"echo '{"checks": []}'"#),
        ("evaluator", FAILS_ALL),
        (
            "critic",
            r#"echo '{"issues": [{"rule_id": "a.done", "problem": "no last line", "fix_instruction": "Add the last line"}]}'"#,
        ),
        ("refiner", r#"echo DONE >> "$ONUS_ARTIFACT""#),
    ];
    for (role, _) in changes {
        assert!(usual.iter().any(|(name, _)| name == role), "no role `{role}`");
    }
    let part = |role: &str| {
        let own = changes.iter().find(|(name, _)| *name == role);
        own.or(usual.iter().find(|(name, _)| *name == role))
            .unwrap()
            .1
            .to_owned()
    };
    let roles: String = usual[1..]
        .iter()
        .map(|(role, _)| format!("{role})\n{}\n;;\n", part(role)))
        .collect();
    format!("{}\ncase \"$ONUS_ROLE\" in\n{roles}esac", part("all"))
}

/// Waits in the shell until `file` is gone, and says with `file.reached` that it waits.
pub(crate) fn hold(file: &str) -> String {
    format!("if [ -e {file} ]; then : > {file}.reached; while [ -e {file} ]; do sleep 0.02; done; fi")
}

/// `onus run`, confirmed, under the alias `note`.
pub(crate) fn run_args<'a>(iterations: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec![
        "run",
        "--accept-criteria",
        "--max-iterations",
        iterations,
        "--alias",
        "note",
    ];
    args.extend(more);
    args
}

/// Runs the loop to its end, with at most four iterations.
pub(crate) fn run(sandbox: &Sandbox) -> Said {
    sandbox.onus(run_args("4", &[]))
}

/// A process in the background; killed if the test ends before it. What it says goes to files, so it never waits.
pub(crate) struct Background {
    child: Child,
    said: TempDir,
}

impl Background {
    pub(crate) fn start(command: &mut Command) -> Background {
        let said = tempfile::tempdir().unwrap();
        let file = |name: &str| Stdio::from(File::create(said.path().join(name)).unwrap());
        let child = command.stdout(file("stdout")).stderr(file("stderr")).spawn().unwrap();
        Background { child, said }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn signal(&self, name: &str) {
        signal(self.pid(), name);
    }

    pub(crate) fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// What it has said on standard error so far.
    pub(crate) fn stderr(&self) -> String {
        self.words("stderr")
    }

    /// Waits for its end, but not for ever.
    #[track_caller]
    pub(crate) fn end(mut self) -> Said {
        let patience = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(
                Instant::now() < patience,
                "process {} does not end: {}",
                self.pid(),
                self.stderr()
            );
            std::thread::sleep(Duration::from_millis(5));
        };
        Said {
            code: status.code(),
            stdout: self.words("stdout"),
            stderr: self.words("stderr"),
        }
    }

    fn words(&self, name: &str) -> String {
        String::from_utf8_lossy(&std::fs::read(self.said.path().join(name)).unwrap()).into_owned()
    }

    /// Dies at once, as if the power had gone.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn signal(pid: u32, name: &str) {
    let sent = said(Command::new("sh").args(["-c", &format!("kill -{name} {pid}")]));
    assert_eq!(sent.code, Some(0), "{}", sent.stderr);
}

/// Waits until something is so; says what was waited for if it never is.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut so: impl FnMut() -> bool) {
    let patience = Instant::now() + PATIENCE;
    while !so() {
        assert!(Instant::now() < patience, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whether a process does anything: one that nobody has reaped does not.
pub(crate) fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    let state = stat.rsplit(')').next().unwrap_or_default().trim_start().chars().next();
    !matches!(state, None | Some('Z' | 'X'))
}

/// Starts a run and lets it come to where the script holds for `file`.
#[track_caller]
pub(crate) fn run_until_held(sandbox: &Sandbox, file: &str, more: &[&str]) -> Background {
    sandbox.write(file, "");
    let run = Background::start(&mut sandbox.command(run_args("4", more)));
    wait_until("the agent holds", || sandbox.exists(&format!("{file}.reached")));
    run
}

/// Lets a held script go on.
pub(crate) fn release(sandbox: &Sandbox, file: &str) {
    std::fs::remove_file(sandbox.project().join(file)).unwrap();
}

/// A run that died in the middle: its process is killed while the script holds for `hold` in the role that does.
#[track_caller]
pub(crate) fn killed_run(sandbox: &Sandbox) {
    run_until_held(sandbox, "hold", &[]).kill();
    release(sandbox, "hold");
}

/// The payloads of all events of one name.
pub(crate) fn payloads(sandbox: &Sandbox, event: &str) -> Vec<Value> {
    let named = sandbox
        .history("note")
        .into_iter()
        .filter(|record| record["event"] == event);
    named.map(|mut record| record["payload"].take()).collect()
}

/// The verdict of one criterion in a scorecard.
#[track_caller]
pub(crate) fn verdict<'a>(scorecard: &'a Value, id: &str) -> &'a Value {
    let results = scorecard["rule_results"].as_array().unwrap();
    results
        .iter()
        .find(|result| result["id"] == id)
        .unwrap_or_else(|| panic!("no `{id}` in {scorecard}"))
}

pub(crate) fn sha256(path: &Path) -> String {
    let said = said(Command::new("sha256sum").arg(path)).expect(0);
    said.stdout.trim_start_matches('\\')[..64].to_owned()
}

/// Every file below a directory, relative to it, sorted.
pub(crate) fn files_below(dir: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![dir.to_owned()];
    while let Some(at) = open.pop() {
        for entry in std::fs::read_dir(at).into_iter().flatten() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                open.push(entry.path());
            } else {
                found.push(entry.path().strip_prefix(dir).unwrap().display().to_string());
            }
        }
    }
    found.sort();
    found
}
