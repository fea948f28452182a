//! What the ledger costs: verifying, appending, replaying, listing.

use std::fs::{self, OpenOptions};
use std::hint::black_box;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::Stdio;

use onus_machine::replay;
use onus_model::{Event, Stamped};

use crate::Args;
use crate::measure::{Pair, bare, median, run, timed};
use crate::project::{ROOT, Tools};
use crate::story::{self, Story};
use crate::table::Row;

/// A long history against `sha256sum` of the same file.
pub(crate) fn verify(tools: &Tools, args: &Args) -> io::Result<Vec<Row>> {
    let story = Story::record(tools)?;
    let project = tools.project()?;
    let places = project.places();
    let name = "long";
    let history = project.path().join(ROOT).join(name).join("history.jsonl");
    // How long one iteration is, from a short history.
    story.write(&places, "short", &story.events(101)?)?;
    let bytes = |name: &str| fs::metadata(project.path().join(ROOT).join(name).join("history.jsonl")).map(|m| m.len());
    let iterations = (args.ledger_mb << 20) / (bytes("short")? / 101);
    let iterations = u32::try_from(iterations).map_err(io::Error::other)?;
    let events = story.events(iterations)?;
    let count = events.len();
    drop(story.write(&places, name, &events)?);
    drop(events);
    // Writes the views of the run, which a ledger alone does not have.
    run(&mut project.onus(&["repair", name, "--yes"]))?;

    let alias = story::alias(name)?;
    let (mut library, mut command) = (Pair::default(), Pair::default());
    let sum = || run(bare(Path::new("/usr/bin/sha256sum")).arg(&history));
    sum()?;
    for _ in 0..args.rounds.min(5) {
        let (took, report) = timed(|| onus_ledger::verify(&places, &alias));
        let report = report.map_err(io::Error::other)?;
        if !report.is_sound() {
            return Err(io::Error::other(format!("not sound: {:?}", report.problems.first())));
        }
        library.push(took, sum()?);
        let (took, said) = timed(|| project.onus(&["verify", name]).stdout(Stdio::piped()).output());
        let said = said?;
        if !said.status.success() {
            let said = String::from_utf8_lossy(&said.stdout).into_owned();
            return Err(io::Error::other(format!("`onus verify`: {said}")));
        }
        command.push(took, sum()?);
    }
    let size = bytes(name)? as f64 / f64::from(1 << 20);
    let note = |pair: &Pair| {
        format!(
            "{:.0} over {:.0} ms; {size:.0} MB, {count} events",
            pair.measured_ms(),
            pair.floor_ms()
        )
    };
    Ok(vec![
        Row::ratio(
            "verify (chain, seals, head, objects), over sha256sum",
            library.ratio(),
            note(&library),
        )
        .goal(3.0),
        Row::ratio(
            "onus verify (the same and every decision again), over sha256sum",
            command.ratio(),
            note(&command),
        )
        .goal(3.0),
    ])
}

/// One event at a time against the bare write of the same bytes.
pub(crate) fn append(tools: &Tools, args: &Args) -> io::Result<Vec<Row>> {
    let story = Story::record(tools)?;
    let project = tools.project()?;
    let events = story.events(args.rounds * 20)?;
    let (first, rest) = events.split_at(1);
    let mut ledger = story.write(&project.places(), "events", first)?;
    let history = project.path().join(ROOT).join("events/history.jsonl");
    let mut bare = OpenOptions::new()
        .create(true)
        .append(true)
        .open(project.floor().join("history"))?;
    let mut pair = Pair::default();
    let mut before = fs::metadata(&history)?.len();
    for event in rest {
        let (took, appended) = timed(|| story::append(&mut ledger, event));
        appended?;
        let after = fs::metadata(&history)?.len();
        let bytes = vec![b'x'; usize::try_from(after - before).map_err(io::Error::other)?];
        before = after;
        let (least, written) = timed(|| bare.write_all(&bytes).and_then(|()| bare.sync_data()));
        written?;
        pair.push(took, least);
    }
    let note = format!(
        "{:.0} over {:.0} µs; {} events of {} bytes",
        pair.measured_ms() * 1e3,
        pair.floor_ms() * 1e3,
        rest.len(),
        before / events.len() as u64
    );
    Ok(vec![Row::ratio(
        "append of one event, over write + fdatasync",
        pair.ratio(),
        note,
    )])
}

/// 10,000 events in memory and from the disk.
pub(crate) fn replay(tools: &Tools, args: &Args) -> io::Result<Vec<Row>> {
    const EVENTS: usize = 10_000;
    let story = Story::record(tools)?;
    let project = tools.project()?;
    let mut events = story.events(1500)?;
    events.truncate(EVENTS);
    drop(story.write(&project.places(), "events", &events)?);
    let alias = story::alias("events")?;
    let (mut fold, mut again, mut read) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..args.rounds {
        fold.push(
            timed(|| black_box(replay::fold(events.iter().map(|s: &Stamped| &s.event as &Event))))
                .0
                .as_secs_f64(),
        );
        let (took, replayed) = timed(|| replay::replay(&events, None));
        replayed.map_err(io::Error::other)?;
        again.push(took.as_secs_f64());
        let (took, history) = timed(|| onus_ledger::read(&project.places(), &alias));
        history.map_err(io::Error::other)?;
        read.push(took.as_secs_f64());
    }
    let row = |what: &str, times: &[f64]| {
        let each = format!("{:.2} µs an event", median(times) * 1e6 / EVENTS as f64);
        Row::plain(what, median(times) * 1e3, "ms", each)
    };
    Ok(vec![
        row("fold of 10,000 events", &fold),
        row("replay (every decision again) of 10,000 events", &again),
        row("reading and checking 10,000 events from disk", &read),
    ])
}

/// All runs of a project that has many.
pub(crate) fn list(tools: &Tools, args: &Args) -> io::Result<Vec<Row>> {
    let story = Story::record(tools)?;
    let project = tools.project()?;
    let events = story.events(4)?;
    for number in 0..args.runs {
        drop(story.write(&project.places(), &format!("run-{number}"), &events)?);
    }
    let mut pair = Pair::default();
    for _ in 0..args.rounds {
        pair.push(
            run(&mut project.onus(&["list"]))?,
            run(&mut project.onus(&["--version"]))?,
        );
    }
    let each = (pair.measured_ms() - pair.floor_ms()) * 1e3 / f64::from(args.runs);
    let note = format!(
        "{each:.1} µs a run of {} events; the goal is 50 ms with 10,000",
        events.len()
    );
    let row = Row::plain(
        format!("onus list with {} runs", args.runs),
        pair.measured_ms(),
        "ms",
        note,
    );
    Ok(vec![row.goal(50.0)])
}
