//! A throw-away project whose loop never passes, and the real binary to run in it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use onus_ledger::Places;
use tempfile::TempDir;

use crate::measure::bare;

pub(crate) const ROOT: &str = ".ai-factory/evolution";

/// The programs under measurement.
pub(crate) struct Tools {
    pub(crate) onus: PathBuf,
    pub(crate) agent: PathBuf,
    /// Where projects are made: the disk that is measured.
    pub(crate) dir: PathBuf,
}

impl Tools {
    pub(crate) fn project(&self) -> io::Result<Project> {
        let dir = tempfile::Builder::new().prefix("onus-bench-").tempdir_in(&self.dir)?;
        for name in ["project", "home", "state", "floor"] {
            fs::create_dir(dir.path().join(name))?;
        }
        let project = Project {
            dir,
            onus: self.onus.clone(),
        };
        fs::write(project.path().join("onus.toml"), loop_file(&self.agent))?;
        Ok(project)
    }
}

pub(crate) struct Project {
    dir: TempDir,
    onus: PathBuf,
}

impl Project {
    pub(crate) fn path(&self) -> PathBuf {
        self.dir.path().join("project")
    }

    /// A folder on the same disk.
    pub(crate) fn floor(&self) -> PathBuf {
        self.dir.path().join("floor")
    }

    pub(crate) fn places(&self) -> Places {
        let state = self.dir.path().join("state/onus");
        Places::new(&self.path(), &self.path().join(ROOT), &state)
    }

    /// The binary in this project, silent, with nothing of this machine but `PATH`.
    pub(crate) fn onus(&self, args: &[&str]) -> Command {
        self.surround(bare(&self.onus), args)
    }

    /// The same under another program.
    pub(crate) fn onus_under(&self, program: &str, options: &[&str], args: &[&str]) -> Command {
        let mut command = bare(Path::new(program));
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.args(options).arg(&self.onus);
        self.surround(command, args)
    }

    fn surround(&self, mut command: Command, args: &[&str]) -> Command {
        command.args(args).current_dir(self.path());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.dir.path().join("home"));
        command.env("XDG_STATE_HOME", self.dir.path().join("state"));
        command.env("USER", "bench").stderr(Stdio::null());
        command
    }

    /// The arguments that drive the loop for so many iterations.
    pub(crate) fn drive<'a>(iterations: &'a str, alias: &'a str) -> [&'a str; 7] {
        let confirm = ["--quiet", "--accept-criteria", "--max-iterations"];
        ["run", confirm[0], confirm[1], confirm[2], iterations, "--alias", alias]
    }
}

/// Five checks that pass and one criterion for the evaluator, who never lets it pass.
fn loop_file(agent: &Path) -> String {
    let agent = format!("{:?}", agent.display().to_string());
    let mut text = format!(
        r#"preset = "reflex"
criteria_from = "none"

[task]
prompt = "A document that is never good enough"
type = "other"

[agents.noop]
kind = "command"
command = [{agent}]

[[levels]]
name = "A"
threshold = 0.9
active_levels = ["A"]

[[criteria]]
id = "a.judged.never"
description = "Never holds"
severity = "fail"
level = "A"
check = "Say no."
"#
    );
    for number in 1..=CHECKS {
        text.push_str(&format!(
            r#"
[[criteria]]
id = "a.checked.c{number}"
description = "Holds, by a program"
severity = "fail"
level = "A"
check = "Run the program."
verify = {{ type = "executable", command = [{agent}] }}
"#
        ));
    }
    text
}

/// Executable checks in each evaluation.
pub(crate) const CHECKS: usize = 5;
