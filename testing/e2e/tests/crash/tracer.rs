//! `strace` as a saboteur: it kills the process, or makes a call fail, at exactly the call that is named.
//!
//! `when=` counts the calls of one name in one thread, so a set of names swept with one counter would miss most of its
//! points. The ledger, its head and the views are the first thread's work; what a step needs of the disk is a worker's, and
//! is found by following all threads. Agents are never hit: a child is let go when it becomes another program.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use onus_testkit::said;

/// Whether `strace` is here and may trace. `ONUS_WITHOUT_STRACE` says no, to try the other ways.
pub(crate) fn can_trace() -> bool {
    static CAN: OnceLock<bool> = OnceLock::new();
    *CAN.get_or_init(|| {
        let probe = [
            "-qq",
            "-o",
            "/dev/null",
            "-e",
            "trace=chdir",
            "-e",
            "inject=chdir:error=ENOSPC",
            "sh",
            "-c",
            "cd /",
        ];
        let refused = Command::new("strace").args(probe).stderr(Stdio::null()).status();
        std::env::var_os("ONUS_WITHOUT_STRACE").is_none() && refused.is_ok_and(|status| !status.success())
    })
}

/// What goes wrong, and at which call.
#[derive(Debug, Clone)]
pub(crate) struct Sabotage {
    pub(crate) call: String,
    /// From 1.
    pub(crate) when: usize,
    /// `signal=SIGKILL`, `error=ENOSPC` …
    pub(crate) what: &'static str,
    /// Only calls on these files count; empty: all calls do.
    pub(crate) files: Vec<PathBuf>,
    pub(crate) threads: Threads,
}

/// Whose calls count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Threads {
    First,
    All,
}

impl Sabotage {
    pub(crate) fn on(&self, command: &Command) -> Command {
        let Sabotage { call, when, what, .. } = self;
        let rules = [format!("trace={call}"), format!("inject={call}:{what}:when={when}")];
        traced(command, Path::new("/dev/null"), &rules, &self.files, self.threads)
    }
}

/// The same command with its calls written to a file.
pub(crate) fn traced(command: &Command, log: &Path, rules: &[String], files: &[PathBuf], threads: Threads) -> Command {
    let mut wrapped = Command::new("strace");
    wrapped.args(["-qq", "-y", "-o"]).arg(log);
    if threads == Threads::All {
        wrapped.args(["-f", "-b", "execve"]);
    }
    for rule in rules {
        wrapped.args(["-e", rule]);
    }
    for file in files {
        wrapped.arg("-P").arg(file);
    }
    wrapped.arg(command.get_program()).args(command.get_args()).env_clear();
    wrapped.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    wrapped.current_dir(command.get_current_dir().unwrap());
    wrapped
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    wrapped
}

/// How often each call is made.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    pub(crate) by_the_first_thread: BTreeMap<String, usize>,
    /// By whichever other thread makes the most of them.
    pub(crate) by_another: BTreeMap<String, usize>,
}

/// Counts the calls of a command, which must succeed.
pub(crate) fn count_calls(command: &Command, log: &Path, files: &[PathBuf]) -> Calls {
    said(&mut traced(command, log, &[], files, Threads::All)).expect(0);
    let text = std::fs::read_to_string(log).unwrap();
    let mut by_thread: BTreeMap<&str, BTreeMap<String, usize>> = BTreeMap::new();
    let mut first = None;
    for line in text.lines() {
        // `1234  fsync(3</a/file>) = 0`; a call that is resumed was counted when it began.
        let Some((thread, call)) = line.split_once(' ') else {
            continue;
        };
        first = first.or(Some(thread));
        if let Some((name, _)) = call.trim_start().split_once('(')
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        {
            *by_thread.entry(thread).or_default().entry(name.to_owned()).or_insert(0) += 1;
        }
    }
    let mut calls = Calls::default();
    for (thread, counts) in by_thread {
        if Some(thread) == first {
            calls.by_the_first_thread = counts;
            continue;
        }
        for (name, count) in counts {
            let most = calls.by_another.entry(name).or_insert(0);
            *most = count.max(*most);
        }
    }
    calls
}
