//! Death and failing disks, with the real binary: whenever a process dies, nothing that it acknowledged is lost, and the
//! next one ends the run as if nothing had happened.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "tests touch the world, kill processes and say what they measured"
)]

#[path = "crash/crowd.rs"]
mod crowd;
#[path = "crash/disk.rs"]
mod disk;
#[path = "crash/story.rs"]
mod story;
#[path = "crash/tracer.rs"]
mod tracer;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::process::Child;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use disk::history_files;
use onus_testkit::{Said, said};
use story::{ALIAS, Story, acknowledged, assert_holds, is_alive, owed, uncut, wait_until, whole_lines};
use tracer::{Calls, Sabotage, Threads, can_trace, count_calls, traced};

/// Where a death fell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    BeforeTheFirstEvent,
    InTheMiddle,
    AfterTheLastEvent,
}

/// Takes the story up after a process of it died, and holds every promise against what that one left.
fn take_up(story: &Story, dead: &Said, context: &str) -> Fate {
    take_up_in(story, "second", dead, context)
}

fn take_up_in(story: &Story, life: &str, dead: &Said, context: &str) -> Fate {
    let printed = acknowledged(&dead.stdout);
    let Some(left) = story.history() else {
        assert!(printed.is_empty(), "{context}: acknowledged without a history");
        let refused = story.resume_after_kill(life);
        assert_eq!(refused.code, Some(2), "{context}: {}", refused.stderr);
        assert!(
            refused.stderr.contains("there is no run"),
            "{context}: {}",
            refused.stderr
        );
        // The alias is still free.
        let again = said(&mut story.run(life));
        assert_eq!(again.code, Some(0), "{context}: {}", again.stderr);
        assert_eq!(story.calls(life), uncut().calls, "{context}");
        story.assert_ended_well(context);
        return Fate::BeforeTheFirstEvent;
    };
    let (whole, records) = whole_lines(&left);
    assert_holds(&records, &printed, context);
    let ended = records.last().is_some_and(|r| r["event"] == "stopped");
    let resumed = story.resume_after_kill(life);
    let history = story.history().unwrap();
    assert!(history.starts_with(whole), "{context}: the history lost its beginning");
    let (_, records_now) = whole_lines(&history);
    assert_holds(&records_now, &printed, context);
    if ended {
        assert_eq!(resumed.code, Some(2), "{context}: {}", resumed.stderr);
        assert!(
            resumed.stderr.contains("has already ended"),
            "{context}: {}",
            resumed.stderr
        );
        assert_eq!(history, left, "{context}");
        story.assert_ended_well(context);
        return Fate::AfterTheLastEvent;
    }
    assert_eq!(resumed.code, Some(0), "{context}: {}", resumed.stderr);
    assert_holds(&records_now, &acknowledged(&resumed.stdout), context);
    assert_eq!(
        story.calls(life),
        owed(&records),
        "{context}: what was finished is not done again"
    );
    story.assert_ended_well(context);
    Fate::InTheMiddle
}

/// Works items off on every core.
fn on_all_cores<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = work(item);
                    results.lock().unwrap().push(result);
                }
            });
        }
    });
    results.into_inner().unwrap()
}

/// Calls by which a run changes what lies on disk and what a crash can leave: killed at each of them.
const KILL_AT_EACH: [&str; 9] = [
    "fdatasync",
    "fsync",
    "pwrite64",
    "rename",
    "renameat",
    "renameat2",
    "link",
    "linkat",
    "ftruncate",
];
/// The rest of what a run does: killed at some of them.
const KILL_AT_SOME: [(&str, usize); 14] = [
    ("write", 16),
    ("openat", 10),
    ("unlink", 8),
    ("mkdir", 6),
    ("unlinkat", 5),
    ("flock", 5),
    ("clone3", 5),
    ("clone", 5),
    ("vfork", 5),
    ("statx", 4),
    ("epoll_wait", 4),
    ("utimensat", 4),
    ("kill", 3),
    ("exit_group", 1),
];

/// Which calls to die at, from the calls of an undisturbed run.
fn kill_points(calls: &Calls) -> Vec<Sabotage> {
    let each = KILL_AT_EACH.map(|call| (call, usize::MAX));
    let mut points = Vec::new();
    for (call, wanted) in each.into_iter().chain(KILL_AT_SOME) {
        let first = calls.by_the_first_thread.get(call).copied().unwrap_or(0);
        points.extend(spread(1..=first, wanted).map(|when| kill(call, when, Threads::First)));
        // Another thread's calls count for themselves, but the first to come to a number dies.
        let other = calls.by_another.get(call).copied().unwrap_or(0);
        points.extend(spread(first + 1..=other, wanted).map(|when| kill(call, when, Threads::All)));
    }
    points
}

/// What a step stores, a worker puts on its shelf. The first thread puts more things on others, so these calls are found
/// by the names of what they store.
fn kill_points_of_steps(story: &Story) -> Vec<(&'static str, usize, Vec<PathBuf>)> {
    let records = story.sandbox.history(ALIAS);
    let artifacts: BTreeSet<&str> = records
        .iter()
        .filter_map(|r| r["payload"]["artifact_sha256"].as_str())
        .collect();
    let mut points = Vec::new();
    for artifact in artifacts {
        let (shelf, name) = artifact.split_at(2);
        let shelf = PathBuf::from(".onus/objects").join(shelf);
        for (call, count) in [("mkdir", 1), ("openat", 4), ("fsync", 2)] {
            points.extend((1..=count).map(|when| (call, when, vec![shelf.clone(), shelf.join(name)])));
        }
    }
    points
}

fn kill(call: &str, when: usize, threads: Threads) -> Sabotage {
    Sabotage {
        call: call.to_owned(),
        when,
        what: "signal=SIGKILL",
        files: Vec::new(),
        threads,
    }
}

/// So many numbers of a range, evenly.
fn spread(range: RangeInclusive<usize>, wanted: usize) -> impl Iterator<Item = usize> {
    let count = range.clone().count();
    let wanted = wanted.min(count);
    (0..wanted).map(move |i| range.start() + i * count / wanted)
}

/// `None`: the run was faster.
fn killed_after(time: Duration) -> Option<Fate> {
    let story = Story::new();
    let mut child = story.run("first").spawn().unwrap();
    std::thread::sleep(time);
    child.kill().unwrap();
    let output = child.wait_with_output().unwrap();
    let dead = Said {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    };
    dead.code
        .is_none()
        .then(|| take_up(&story, &dead, &format!("killed after {time:?}")))
}

#[test]
fn killed_at_any_point_a_run_loses_nothing_and_ends_the_same() {
    let (took, began) = (uncut().took, Instant::now());
    let (method, fates) = if can_trace() {
        let story = Story::new();
        let calls = count_calls(&story.run("first"), &story.sandbox.state().join("trace"), &[]);
        let mut points = kill_points(&calls);
        points.extend(
            kill_points_of_steps(&story)
                .into_iter()
                .map(|(call, when, files)| Sabotage {
                    files,
                    ..kill(call, when, Threads::All)
                }),
        );
        let fates = on_all_cores(&points, |point| {
            let story = Story::new();
            let point = Sabotage {
                files: point
                    .files
                    .iter()
                    .map(|file| story.sandbox.project().join(file))
                    .collect(),
                ..point.clone()
            };
            let dead = said(&mut point.on(&story.run("first")));
            // A run makes a few calls more or less each time, so the last of them may never come.
            assert!(matches!(dead.code, None | Some(0)), "{point:?}: {}", dead.stderr);
            dead.code
                .is_none()
                .then(|| take_up(&story, &dead, &format!("killed at {} {}", point.call, point.when)))
        });
        ("strace", fates)
    } else {
        let points: Vec<u32> = (1..=150).collect();
        let mut fates = Vec::new();
        // A run that is faster than the one measured ends before it can be killed; then the later points come earlier.
        for faster in [1, 2, 4, 8] {
            if fates.iter().flatten().count() < 100 {
                fates.extend(on_all_cores(&points, |point| {
                    killed_after(took * *point / (150 * faster))
                }));
            }
        }
        ("by the clock", fates)
    };
    let mut by_fate: BTreeMap<Fate, usize> = BTreeMap::new();
    for fate in fates.iter().flatten() {
        *by_fate.entry(*fate).or_default() += 1;
    }
    let killed: usize = by_fate.values().sum();
    eprintln!(
        "SIGKILL ({method}): {killed} points of {}, {by_fate:?}, {:.1?}",
        fates.len(),
        began.elapsed()
    );
    assert!(killed >= 100, "only {killed} points");
    assert!(by_fate.contains_key(&Fate::InTheMiddle));
}

/// A crash while a crash is being put right. The first process left half a line behind, so the second has a tail to cut.
#[test]
fn a_resume_that_is_killed_can_be_resumed() {
    if !can_trace() {
        eprintln!("NOT SHOWN for kills inside a resume: no strace");
        return;
    }
    let began = Instant::now();
    uncut();
    let interrupted = || {
        let story = Story::new();
        story.hold("first", "refine");
        let mut first = story.run("first").spawn().unwrap();
        story.held("first", "refine");
        first.kill().unwrap();
        first.wait().unwrap();
        story.release("first", "refine");
        let mut torn = story.history().unwrap();
        torn.extend_from_slice(br#"{"seq":7,"ts":"2026-"#);
        std::fs::write(story.run_dir().join("history.jsonl"), torn).unwrap();
        story
    };
    let story = interrupted();
    let calls = count_calls(&story.resume("second"), &story.sandbox.state().join("trace"), &[]);
    let mut points = kill_points(&calls);
    points.retain(|point| KILL_AT_EACH.contains(&point.call.as_str()));
    let fates = on_all_cores(&points, |point| {
        let story = interrupted();
        let dead = said(&mut point.on(&story.resume("second")));
        let context = format!("a resume killed at {} {}", point.call, point.when);
        dead.code
            .is_none()
            .then(|| take_up_in(&story, "third", &dead, &context))
    });
    let killed = fates.iter().flatten().count();
    eprintln!(
        "SIGKILL inside a resume (strace): {killed} points, {:.1?}",
        began.elapsed()
    );
    assert!(killed >= 20, "only {killed} points");
}

/// What a process leaves that dies, or meets a full disk, before its first event is no run, and must not keep the others
/// from being verified.
#[test]
fn a_run_that_never_began_is_in_nobodys_way() {
    let story = Story::new();
    let args = "run --accept-criteria --max-iterations 3 --quiet --alias other";
    story.sandbox.onus(args.split(' ')).expect(0);
    if can_trace() {
        let sabotage = Sabotage {
            files: history_files(&story),
            ..kill("fdatasync", 1, Threads::First)
        };
        assert_eq!(said(&mut sabotage.on(&story.run("first"))).code, None);
        assert!(story.run_dir().exists() && story.history().is_none());
    } else {
        eprintln!("NOT SHOWN with a real kill: no strace");
        let half = story.run_dir().join(".history.jsonl.tmp");
        std::fs::create_dir(story.run_dir()).unwrap();
        std::fs::write(half, "{\"seq\":1,").unwrap();
    }
    let verified = story.sandbox.onus(["verify"]);
    assert!(
        verified.stdout.contains("other: sound"),
        "{}{}",
        verified.stdout,
        verified.stderr
    );
    assert_eq!(verified.code, Some(0), "{}", verified.stderr);
    let listed = story.sandbox.onus(["list"]).expect(0);
    assert!(!listed.stdout.contains("unreadable"), "{}", listed.stdout);
}

/// PRODUCE has its result, PREPARE has not, the process dies: both are done again, from where they began. A producer that
/// adds to what it is given must not find its own work there.
#[test]
fn a_stage_that_was_half_done_is_done_again_from_where_it_began() {
    let story = Story::with_producer(r#"[ "$ONUS_ITERATION" != 1 ] || printf '# Note\n' >> "$ONUS_ARTIFACT""#);
    story.hold("first", "prepare");
    let mut first = story.run("first").spawn().unwrap();
    read_until(&mut first, "artifact_created");
    first.kill().unwrap();
    first.wait().unwrap();
    story.release("first", "prepare");
    story.resume_after_kill("second").expect(0);
    let records = story.sandbox.history(ALIAS);
    let made = records
        .iter()
        .filter(|r| r["event"] == "artifact_created" && r["iteration"] == 1);
    let made: Vec<_> = made
        .map(|r| (&r["payload"]["bytes"], &r["payload"]["changed"]))
        .collect();
    assert_eq!(made.len(), 2, "the stage is done twice");
    assert_eq!(made[0], made[1], "the same producer, asked the same, makes the same");
}

/// Reads a process's events until one of this name is printed.
fn read_until(child: &mut Child, event: &str) {
    let name = format!("\"event\":\"{event}\"");
    let lines = BufReader::new(child.stdout.as_mut().unwrap()).lines();
    let found = lines.map_while(Result::ok).any(|line| line.contains(&name));
    assert!(found, "the process ended before `{event}`");
}

/// The head may lag behind the history and never run ahead of it, or a power cut looks like an attack. A process that died
/// between writing an event and syncing it leaves an event that only memory holds; whoever takes the run up must sync the
/// history before it makes the head durable.
#[test]
fn a_resume_syncs_the_history_before_the_head_that_names_it() {
    if !can_trace() {
        eprintln!("NOT SHOWN: no strace");
        return;
    }
    let story = Story::new();
    let sabotage = Sabotage {
        files: history_files(&story),
        ..kill("fdatasync", 3, Threads::First)
    };
    let dead = said(&mut sabotage.on(&story.run("first")));
    assert_eq!(dead.code, None);
    let unacknowledged = whole_lines(&story.history().unwrap()).1.len() - acknowledged(&dead.stdout).len();
    assert_eq!(unacknowledged, 1, "an event was written and not synced");

    let log = story.sandbox.state().join("trace");
    said(&mut traced(
        &story.resume("second"),
        &log,
        &["trace=fsync,fdatasync".to_owned()],
        &[],
        Threads::First,
    ))
    .expect(0);
    let calls = std::fs::read_to_string(&log).unwrap();
    let first = |file: &str| calls.lines().position(|call| call.contains(file)).unwrap();
    assert!(first("/history.jsonl>") < first(".head>"), "{calls}");
}

/// The event is recorded, the copy of the artifact is not yet written, the process dies: nobody changed the file from
/// outside, and nobody is told so.
#[test]
fn a_copy_that_a_crash_left_behind_is_not_blamed_on_anybody() {
    if !can_trace() {
        eprintln!("NOT SHOWN: no strace");
        return;
    }
    let story = Story::new();
    let sabotage = Sabotage {
        files: vec![story.run_dir().join(".artifact.md.tmp")],
        ..kill("rename", 2, Threads::First)
    };
    let dead = said(&mut sabotage.on(&story.run("first")));
    assert_eq!(dead.code, None);
    let records = story.sandbox.history(ALIAS);
    assert!(
        records.iter().any(|r| r["event"] == "refinement_done"),
        "killed elsewhere"
    );
    let resumed = story.resume_after_kill("second").expect(0);
    assert!(
        !resumed.stderr.contains("changed outside the run"),
        "{}",
        resumed.stderr
    );
    story.assert_ended_well("killed before the second artifact.md");
}

/// An engine that is killed leaves the working directory of the agent it had called. Somebody has to remove it in the end.
#[test]
fn what_a_killed_engine_left_in_its_workshop_is_cleaned_up() {
    let story = Story::new();
    story.hold("first", "refine");
    let mut first = story.run("first").spawn().unwrap();
    let agent = story.held("first", "refine");
    first.kill().unwrap();
    first.wait().unwrap();
    story.release("first", "refine");
    wait_until("the agent is gone", || !is_alive(&agent));
    story.resume_after_kill("second").expect(0);
    story.sandbox.onus(["clean", ALIAS, "--yes"]).expect(0);
    let mut left = Vec::new();
    let mut open = vec![story.sandbox.home().join(".cache/onus/work")];
    while let Some(dir) = open.pop() {
        for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path)
            } else {
                left.push(path)
            }
        }
    }
    assert!(left.is_empty(), "{left:?}");
}

/// An agent can use up every process there may be; the engine must not die of it without a word.
#[test]
fn an_engine_that_gets_no_thread_does_not_panic() {
    if !can_trace() {
        eprintln!("NOT SHOWN: no strace");
        return;
    }
    // Old systems start threads with `clone`; the first is the runtime's own, before there is any agent.
    for call in ["clone3", "clone"] {
        let story = Story::new();
        let sabotage = Sabotage {
            what: "error=EAGAIN",
            ..kill(call, 2, Threads::First)
        };
        let told = said(&mut sabotage.on(&story.run("first")));
        assert!(
            matches!(told.code, Some(0 | 6)),
            "{call}: {:?} {}",
            told.code,
            told.stderr
        );
    }
}

#[test]
fn an_agent_that_outlives_its_engine_disturbs_nothing() {
    let story = Story::new();
    story.hold("first", "produce");
    let mut first = story.run("first").spawn().unwrap();
    let agent = story.held("first", "produce");
    first.kill().unwrap();
    first.wait().unwrap();
    story.resume_after_kill("second").expect(0);
    assert!(is_alive(&agent), "it lingered all the time");
    story.assert_ended_well("with a lingering agent");
    story.release("first", "produce");
    wait_until("the agent is gone", || !is_alive(&agent));
    story.assert_ended_well("after a lingering agent");
}
