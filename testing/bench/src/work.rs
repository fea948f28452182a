//! What one iteration costs at least: how often the engine syncs and starts programs, seen from outside with `strace`.

use std::fs;
use std::io;
use std::path::Path;

use serde::Serialize;

use crate::project::{CHECKS, Project, ROOT, Tools};

/// Syncs and starts of one iteration.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Work {
    /// Appends to the history, each of them synced.
    pub(crate) appends: f64,
    pub(crate) append_bytes: usize,
    /// Other files written and synced: artifacts.
    pub(crate) files: f64,
    /// Folders synced.
    pub(crate) folders: f64,
    pub(crate) starts: f64,
    /// Seen with `strace`; otherwise known from the engine's code.
    pub(crate) seen: bool,
}

/// plan, produce and prepare, evaluate, critique, refine; every stage's result is appended, produce and prepare on their
/// own; produce and refine store an artifact each: its file, its folder and the new shelf.
const KNOWN: Work = Work {
    appends: 6.0,
    append_bytes: 1100,
    files: 2.0,
    folders: 4.0,
    starts: 6.0 + CHECKS as f64,
    seen: false,
};

/// Watches a short and a long run; the difference is what the iterations in between took.
pub(crate) fn of_one_iteration(tools: &Tools, iterations: u32) -> io::Result<Work> {
    let project = tools.project()?;
    let one = watch(&project, 1, "short");
    let many = watch(&project, 1 + iterations, "long");
    let (Ok(one), Ok(many)) = (one, many) else {
        return Ok(KNOWN);
    };
    let each = |count: fn(&Counts) -> u64| (count(&many) - count(&one)) as f64 / f64::from(iterations);
    let appends = each(|c| c.appends);
    let bytes = each(|c| c.history_bytes) / appends;
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a few hundred bytes"
    )]
    let append_bytes = bytes.round() as usize;
    Ok(Work {
        appends,
        append_bytes,
        files: each(|c| c.files),
        folders: each(|c| c.folders),
        starts: each(|c| c.starts),
        seen: true,
    })
}

#[derive(Default)]
struct Counts {
    appends: u64,
    history_bytes: u64,
    files: u64,
    folders: u64,
    starts: u64,
}

fn watch(project: &Project, iterations: u32, alias: &str) -> io::Result<Counts> {
    let trace = project.floor().join(alias);
    let path = trace.display().to_string();
    let options = [
        "-f",
        "-y",
        "-qq",
        "-e",
        "trace=fsync,fdatasync,execve",
        "-e",
        "signal=none",
        "-o",
        &path,
    ];
    let iterations = iterations.to_string();
    project
        .onus_under("strace", &options, &Project::drive(&iterations, alias))
        .status()?;
    let mut counts = Counts::default();
    for line in fs::read_to_string(&trace)?.lines().filter(|line| line.ends_with("= 0")) {
        let synced = || {
            line.split_once('<')
                .and_then(|(_, rest)| rest.split_once('>'))
                .map(|(path, _)| Path::new(path))
        };
        if line.contains("execve(") {
            counts.starts += 1;
        } else if line.contains("fdatasync(") {
            counts.appends += 1;
        } else if synced().is_some_and(Path::is_dir) {
            counts.folders += 1;
        } else if line.contains("fsync(") {
            counts.files += 1;
        }
    }
    let history = project.path().join(ROOT).join(alias).join("history.jsonl");
    counts.history_bytes = fs::metadata(history)?.len();
    Ok(counts)
}
