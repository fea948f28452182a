//! The least an iteration can take: the same syncs and the same program starts, and nothing else.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;
use std::process::Command;

use crate::measure::bare;
use crate::project::CHECKS;
use crate::work::Work;

/// The programs of each stage, run side by side within it: the planner, producer and preparer, evaluator and checks,
/// critic, refiner.
const STAGES: [&[&str]; 5] = [
    &["planner"],
    &["producer", "preparer"],
    &["evaluator"],
    &["critic"],
    &["refiner"],
];
const EVALUATE: usize = 2;

/// Does the work of `iterations` iterations in `dir`.
pub(crate) fn run(dir: &Path, agent: &Path, work: &Work, iterations: u32) -> io::Result<()> {
    let mut log = OpenOptions::new().create(true).append(true).open(dir.join("history"))?;
    let line = vec![b'x'; work.append_bytes];
    let artifact = vec![b'x'; 100];
    let (mut appends, mut files, mut folders) = (
        Share::new(work.appends),
        Share::new(work.files),
        Share::new(work.folders),
    );
    for iteration in 0..iterations {
        let text = iteration.to_string();
        for (stage, roles) in STAGES.iter().enumerate() {
            let checks = if stage == EVALUATE { CHECKS } else { 0 };
            let commands = roles.iter().map(|role| agent_as(agent, role, &text));
            together(commands.chain((0..checks).map(|_| bare(agent))))?;
            for _ in 0..files.next() {
                let name = dir.join(format!("{iteration}-{stage}"));
                let mut file = File::create(name)?;
                file.write_all(&artifact)?;
                file.sync_all()?;
            }
            for _ in 0..folders.next() {
                File::open(dir)?.sync_all()?;
            }
            for _ in 0..appends.next() {
                log.write_all(&line)?;
                log.sync_data()?;
            }
        }
    }
    for entry in fs::read_dir(dir)? {
        fs::remove_file(entry?.path())?;
    }
    Ok(())
}

fn agent_as(agent: &Path, role: &str, iteration: &str) -> Command {
    let mut command = bare(agent);
    command.env("ONUS_ROLE", role).env("ONUS_ITERATION", iteration);
    command
}

/// Starts all, then waits for all.
fn together(commands: impl Iterator<Item = Command>) -> io::Result<()> {
    let children = commands
        .map(|mut command| command.spawn())
        .collect::<io::Result<Vec<_>>>()?;
    for mut child in children {
        child.wait()?;
    }
    Ok(())
}

/// Deals a number of things per iteration out to the stages.
struct Share {
    each: f64,
    owed: f64,
}

impl Share {
    fn new(per_iteration: f64) -> Share {
        Share {
            each: per_iteration / STAGES.len() as f64,
            owed: 0.0,
        }
    }

    fn next(&mut self) -> u32 {
        self.owed += self.each;
        // A hair more, because fifths do not add up.
        let whole = (self.owed + 1e-9).floor();
        self.owed -= whole;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a handful")]
        let count = whole as u32;
        count
    }
}
