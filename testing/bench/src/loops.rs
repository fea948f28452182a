//! What driving a loop costs beyond its syncs and its agents.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use crate::measure::{Pair, bare, median, run, timed};
use crate::project::{Project, Tools};
use crate::table::Row;
use crate::{Args, floor, work};

/// A run of one iteration and a run of many take turns with the floor; the difference of the two is the iterations alone.
pub(crate) fn iteration(tools: &Tools, args: &Args) -> io::Result<Vec<Row>> {
    let work = work::of_one_iteration(tools, args.iterations.min(20))?;
    let many = (1 + args.iterations).to_string();
    let unsynced = work::Work {
        appends: 0.0,
        files: 0.0,
        folders: 0.0,
        ..work
    };
    let (mut pair, mut programs) = (Pair::default(), Pair::default());
    for _ in 0..args.rounds {
        let project = tools.project()?;
        let short = run(&mut project.onus(&Project::drive("1", "short")))?;
        let long = run(&mut project.onus(&Project::drive(&many, "long")))?;
        let least = |work| {
            let (took, done) = timed(|| floor::run(&project.floor(), &tools.agent, work, args.iterations));
            done.map(|()| took / args.iterations)
        };
        let each = long.saturating_sub(short) / args.iterations;
        pair.push(each, least(&work)?);
        programs.push(each, least(&unsynced)?);
    }
    let source = if work.seen {
        "seen with strace"
    } else {
        "strace is missing; known from the code"
    };
    let work::Work {
        appends,
        append_bytes,
        files,
        folders,
        starts,
        ..
    } = work;
    let counts = format!(
        "{:.2} over {:.2} ms; {appends:.1} appends of {append_bytes} bytes, {files:.1} files, {folders:.1} folders synced, {starts:.1} programs ({source})",
        pair.measured_ms(),
        pair.floor_ms(),
    );
    let sizes = (0..args.rounds.clamp(1, 3))
        .map(|_| peak_mb(tools, &many))
        .collect::<io::Result<Vec<_>>>()?;
    Ok(vec![
        Row::ratio(
            "engine, one iteration, over its syncs and bare starts",
            pair.ratio(),
            counts,
        )
        .goal(1.5),
        Row::plain(
            "engine, one iteration",
            pair.measured_ms(),
            "ms",
            "6 agents, 5 checks, every event flushed",
        ),
        Row::plain(
            "engine, one iteration, without its programs",
            pair.measured_ms() - programs.floor_ms(),
            "ms",
            format!("the same programs, bare, take {:.2} ms", programs.floor_ms()),
        )
        .goal(6.0),
        Row::plain(
            "engine, peak memory",
            median(&sizes),
            "MB",
            format!("VmHWM over {many} iterations"),
        )
        .goal(14.0),
    ])
}

/// The most memory a run ever had, in MB.
fn peak_mb(tools: &Tools, iterations: &str) -> io::Result<f64> {
    let project = tools.project()?;
    let mut child = project.onus(&Project::drive(iterations, "memory")).spawn()?;
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0.0;
    while child.try_wait()?.is_none() {
        if let Some(now) = high_water_kb(Path::new(&status)) {
            peak = now;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok(peak / 1024.0)
}

fn high_water_kb(status: &Path) -> Option<f64> {
    let text = fs::read_to_string(status).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

/// How soon the program is there.
pub(crate) fn start(tools: &Tools, args: &Args) -> io::Result<Vec<Row>> {
    let project = tools.project()?;
    run(&mut project.onus(&Project::drive("3", "ended")))?;
    let bare_start = || run(&mut bare(Path::new("/bin/true")));
    let (mut version, mut status) = (Pair::default(), Pair::default());
    for _ in 0..args.rounds * 10 {
        version.push(run(&mut project.onus(&["--version"]))?, bare_start()?);
        status.push(run(&mut project.onus(&["status", "ended"]))?, bare_start()?);
    }
    let note = |pair: &Pair| format!("{:.2} over {:.2} ms", pair.measured_ms(), pair.floor_ms());
    Ok(vec![
        Row::ratio("onus --version, over /bin/true", version.ratio(), note(&version)),
        Row::ratio("onus status, over /bin/true", status.ratio(), note(&status)),
        Row::plain("onus status", status.measured_ms(), "ms", "a run of 3 iterations").goal(16.0),
    ])
}
