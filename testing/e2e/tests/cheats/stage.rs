//! The stage for cheats: one project, laid out twice, with a cheat at work in one copy and an honest twin in the other.

use std::path::{Path, PathBuf};

use onus_testkit::{Said, Sandbox, git, python_with, said, tool_homes};

/// One way to look done without being done, and the honest way beside it.
pub(crate) struct Cheat {
    pub(crate) id: &'static str,
    pub(crate) what: &'static str,
    /// What in Onus stops it.
    pub(crate) caught_by: &'static str,
    /// The project at the start, `onus.toml` included; committed to git, and the base of every check. A file that
    /// begins with `#!` can be executed. `@PYTHON@` stands for a Python that has pytest.
    pub(crate) files: &'static [(&'static str, &'static str)],
    pub(crate) cheat: Act,
    pub(crate) honest: Act,
    /// Words of the cheating run that say why it did not pass. The honest twin must not say them.
    pub(crate) says: &'static str,
}

/// What is done in the project.
pub(crate) enum Act {
    /// `onus run` with this script of the agent in `agent.toml`; one iteration, unless `onus.toml` has `max_iterations`.
    Run(&'static str),
    /// These files are changed (`None`: removed), then `onus check --base HEAD`.
    #[allow(dead_code, reason = "for rows that need no loop")]
    Check(&'static [(&'static str, Option<&'static str>)]),
    /// Anything else; gives the exit code and everything said.
    #[allow(dead_code, reason = "for rows that tamper between commands")]
    Do(fn(&Sandbox) -> (i32, String)),
}

/// What became of a cheat and of its honest twin.
pub(crate) struct Outcome {
    pub(crate) cheat: (i32, String),
    pub(crate) honest: (i32, String),
}

impl Outcome {
    pub(crate) fn of(row: &Cheat) -> Outcome {
        Outcome {
            cheat: play(row, &row.cheat),
            honest: play(row, &row.honest),
        }
    }

    /// The gate did not pass, for the reason that the row gives.
    pub(crate) fn is_caught(&self, row: &Cheat) -> bool {
        self.cheat.0 != 0 && self.cheat.1.contains(row.says)
    }

    /// Honest work did not pass, or was told the cheat's reason.
    pub(crate) fn is_false_alarm(&self, row: &Cheat) -> bool {
        self.honest.0 != 0 || self.honest.1.contains(row.says)
    }
}

/// The alias of every run on this stage.
pub(crate) const ALIAS: &str = "cheat";

/// A loop over a tree whose only agent is the scripted `coder`: protected paths as TOML, then the rest of the file.
macro_rules! build_loop {
    ($protected:literal, $($rest:expr),+ $(,)?) => {
        concat!(
            "preset = \"build\"\nprotected = ", $protected, "\n",
            "\n[agents.coder]\nkind = \"scripted\"\nscript = \"agent.toml\"\n\n[roles]\ndefault = \"coder\"\n\n",
            $($rest),+
        )
    };
}
pub(crate) use build_loop;

fn play(row: &Cheat, act: &Act) -> (i32, String) {
    let sandbox = Sandbox::in_memory();
    for (path, text) in row.files {
        write(&sandbox, path, text);
    }
    match act {
        Act::Run(script) => write(&sandbox, "agent.toml", script),
        Act::Check(_) | Act::Do(_) if !sandbox.exists("agent.toml") => write(&sandbox, "agent.toml", "answer = []\n"),
        Act::Check(_) | Act::Do(_) => {}
    }
    git(&sandbox, &["init", "-q"]);
    git(&sandbox, &["add", "-A"]);
    git(&sandbox, &["commit", "-qm", "base"]);
    match act {
        Act::Run(_) => run(&sandbox, &[]),
        Act::Check(changes) => {
            for (path, text) in *changes {
                match text {
                    Some(text) => write(&sandbox, path, text),
                    None => std::fs::remove_file(sandbox.project().join(path)).unwrap(),
                }
            }
            check(&sandbox, &["--base", "HEAD"])
        }
        Act::Do(act) => act(&sandbox),
    }
}

/// Writes a file of the project as a row gives it.
pub(crate) fn write(sandbox: &Sandbox, path: &str, text: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    let text = if text.contains("@PYTHON@") {
        text.replace("@PYTHON@", &python_with(&["pytest", "coverage"]).display().to_string())
    } else {
        text.to_owned()
    };
    let full = sandbox.write(path, &text);
    if text.starts_with("#!") {
        std::fs::set_permissions(full, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// `onus run` with more flags, and everything it said and recorded.
pub(crate) fn run(sandbox: &Sandbox, flags: &[&str]) -> (i32, String) {
    let contract = sandbox.read("onus.toml");
    // A number from the loop file must be confirmed like any other.
    let iterations = contract.lines().find_map(|line| line.strip_prefix("max_iterations = "));
    let mut args = vec!["run", "--accept-criteria", "--alias", ALIAS];
    args.extend(["--max-iterations", iterations.unwrap_or("1")]);
    args.extend(flags);
    args.push("make the tests pass");
    let (code, said) = all(onus(sandbox, &args));
    (code, said + &recorded(sandbox))
}

/// `onus check` with flags, and everything it said.
pub(crate) fn check(sandbox: &Sandbox, flags: &[&str]) -> (i32, String) {
    let mut args = vec!["check"];
    args.extend(flags);
    all(onus(sandbox, &args))
}

/// `onus` with the homes of the tools, which the sandbox's own home does not have.
pub(crate) fn onus(sandbox: &Sandbox, args: &[&str]) -> Said {
    let mut command = sandbox.command(args);
    command.envs(tool_homes());
    said(&mut command)
}

/// The exit code and everything said. A signal is no exit code, and never a pass.
pub(crate) fn all(said: Said) -> (i32, String) {
    let Said { code, stdout, stderr } = said;
    (code.unwrap_or(-1), stdout + &stderr)
}

/// The histories of all runs, without their beginnings: those hold the contract and how things were before the work,
/// which are no words about the work.
pub(crate) fn recorded(sandbox: &Sandbox) -> String {
    let mut files = Vec::new();
    for root in [".onus/runs", ".ai-factory/evolution"] {
        find(&sandbox.project().join(root), &mut files);
    }
    files.sort();
    let mut text = String::new();
    for file in files {
        let history = std::fs::read_to_string(file).unwrap_or_default();
        for line in history.lines().filter(|line| !line.contains("\"run_started\"")) {
            text.push_str(line);
            text.push('\n');
        }
    }
    text
}

fn find(dir: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).into_iter().flatten() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            find(&entry.path(), files);
        } else if entry.file_name() == "history.jsonl" {
            files.push(entry.path());
        }
    }
}
