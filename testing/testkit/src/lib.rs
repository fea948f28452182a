//! Onus's test kit: throw-away projects in a cleared environment, and the real binary to run in them.
//!
//! Nothing of the person's machine is seen by a test: home, state and temporary files are inside the project's own
//! directory, the environment is empty but for `PATH`.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test kit touches the world and fails loudly"
)]

pub mod handbook;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use tempfile::TempDir;

/// The `onus` binary of the same profile as the running test, built if it is not there or not fresh.
pub fn onus_binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| {
        // .../target/<profile>/deps/<test binary>
        let test = std::env::current_exe().unwrap();
        let profile_dir = test
            .ancestors()
            .find(|dir| dir.ends_with("deps"))
            .and_then(Path::parent)
            .unwrap();
        let mut build = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        build.args(["build", "--quiet", "--package", "onus-cli", "--bin", "onus"]);
        build
            .arg("--manifest-path")
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml"));
        build.arg("--target-dir").arg(profile_dir.parent().unwrap());
        if profile_dir.ends_with("release") {
            build.arg("--release");
        }
        assert!(build.status().unwrap().success(), "the onus binary does not build");
        profile_dir.join("onus")
    })
}

/// What a command said and how it ended.
#[derive(Debug)]
pub struct Said {
    /// `None`: killed by a signal.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Said {
    /// Fails with everything that was said unless the exit code is this one.
    #[track_caller]
    pub fn expect(self, code: i32) -> Said {
        assert_eq!(
            self.code,
            Some(code),
            "stdout:\n{}\nstderr:\n{}",
            self.stdout,
            self.stderr
        );
        self
    }

    /// Standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error} in: {}", self.stdout))
    }
}

/// A project of its own, with a home and a state directory beside it.
#[derive(Debug)]
pub struct Sandbox {
    dir: TempDir,
}

impl Default for Sandbox {
    fn default() -> Self {
        Sandbox::new()
    }
}

impl Sandbox {
    pub fn new() -> Sandbox {
        Sandbox::at(tempfile::tempdir().unwrap())
    }

    /// On a memory file system where there is one: for tests that sync thousands of times.
    pub fn in_memory() -> Sandbox {
        let shm = Path::new("/dev/shm");
        Sandbox::at(if shm.is_dir() {
            tempfile::tempdir_in(shm).unwrap()
        } else {
            tempfile::tempdir().unwrap()
        })
    }

    fn at(dir: TempDir) -> Sandbox {
        for name in ["project", "home", "state", "tmp"] {
            std::fs::create_dir(dir.path().join(name)).unwrap();
        }
        Sandbox { dir }
    }

    pub fn project(&self) -> PathBuf {
        self.dir.path().join("project")
    }

    /// What `$HOME` is.
    pub fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    /// What `$XDG_STATE_HOME` is.
    pub fn state(&self) -> PathBuf {
        self.dir.path().join("state")
    }

    /// Writes a file of the project, with its directories.
    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let full = self.project().join(path);
        std::fs::create_dir_all(full.parent().unwrap()).unwrap();
        std::fs::write(&full, text).unwrap();
        full
    }

    /// Writes an executable `/bin/sh` script of the project.
    pub fn script(&self, path: &str, body: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt as _;
        let full = self.write(path, format!("#!/bin/sh\n{body}\n"));
        std::fs::set_permissions(&full, std::fs::Permissions::from_mode(0o755)).unwrap();
        full
    }

    #[track_caller]
    pub fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.project().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    pub fn exists(&self, path: &str) -> bool {
        self.project().join(path).exists()
    }

    /// The binary, ready to be started in the project. Standard input is closed.
    pub fn command<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(onus_binary());
        command.args(args).current_dir(self.project()).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.home()).env("XDG_STATE_HOME", self.state());
        command.env("TMPDIR", self.dir.path().join("tmp")).env("USER", "tester");
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs the binary to its end.
    pub fn onus<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Said {
        said(&mut self.command(args))
    }

    /// Records of a run's history, as JSON.
    pub fn history(&self, alias: &str) -> Vec<serde_json::Value> {
        let text = self.read(&format!(".ai-factory/evolution/{alias}/history.jsonl"));
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Names of the events of a run's history.
    pub fn events(&self, alias: &str) -> Vec<String> {
        self.history(alias)
            .iter()
            .map(|record| record["event"].as_str().unwrap().to_owned())
            .collect()
    }

    /// Copies the files of an example into the project, without what a run left there.
    pub fn example(&self, name: &str) {
        let from = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples")).join(name);
        copy(&from, &self.project());
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (path, name) = (entry.path(), entry.file_name());
        if path.is_file() {
            std::fs::copy(path, to.join(name)).unwrap();
        } else if name != ".onus" && name != ".ai-factory" && name != "__pycache__" {
            copy(&path, &to.join(name));
        }
    }
}

/// Runs any command to its end.
pub fn said(command: &mut Command) -> Said {
    let output = command.output().unwrap();
    Said {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Runs git in the project, as nobody in particular.
#[track_caller]
pub fn git(sandbox: &Sandbox, args: &[&str]) -> Said {
    let mut command = Command::new("git");
    for setting in ["user.name=t", "user.email=t@example.invalid", "init.defaultBranch=main"] {
        command.args(["-c", setting]);
    }
    command
        .args(args)
        .current_dir(sandbox.project())
        .env("GIT_CONFIG_GLOBAL", "/dev/null");
    said(&mut command).expect(0)
}

/// Where the tools of the machine keep their own files, which a sandbox's home does not have.
pub fn tool_homes() -> Vec<(&'static str, PathBuf)> {
    let home = std::env::home_dir().unwrap_or_default();
    [
        ("CARGO_HOME", ".cargo"),
        ("RUSTUP_HOME", ".rustup"),
        ("PYENV_ROOT", ".pyenv"),
    ]
    .into_iter()
    .map(|(name, below)| {
        (
            name,
            std::env::var_os(name).map_or_else(|| home.join(below), PathBuf::from),
        )
    })
    .filter(|(_, path)| path.is_dir())
    .collect()
}

/// A Python that has these packages: the machine's, or one made for the tests and kept beside the build.
pub fn python_with(packages: &[&str]) -> PathBuf {
    static PYTHON: OnceLock<PathBuf> = OnceLock::new();
    let has = |python: &Path| {
        let import = format!("import {}", packages.join(", "));
        let tried = Command::new(python)
            .args(["-c", &import])
            .stderr(Stdio::null())
            .status();
        tried.is_ok_and(|status| status.success())
    };
    PYTHON
        .get_or_init(|| {
            let test = std::env::current_exe().unwrap();
            let target = test
                .ancestors()
                .find(|dir| dir.ends_with("deps"))
                .unwrap()
                .join("../..");
            let venv = target.join("python-for-tests");
            let python = venv.join("bin/python");
            if has(&python) {
                return python.canonicalize().map_or(python.clone(), |_| python);
            }
            let made = |command: &mut Command| {
                assert!(
                    command.status().unwrap().success(),
                    "{command:?}: the tests need Python 3 with venv and pip"
                );
            };
            made(Command::new("python3").args(["-m", "venv"]).arg(&venv));
            made(
                Command::new(&python)
                    .args(["-m", "pip", "install", "--quiet"])
                    .args(packages),
            );
            std::path::absolute(&python).unwrap()
        })
        .clone()
}
