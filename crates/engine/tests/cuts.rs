//! A crash at every byte of a run's history: whatever was acknowledged is kept, the rest is done again, and the run ends
//! as if nothing had happened.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests play the crash: they write and remove files"
)]

mod canonical;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use canonical::{Driven, Scene, drive};
use onus_engine::shelf::{Seen, look};
use onus_engine::{Clock, EngineError};
use onus_ledger::{Ledger, LedgerError};
use onus_machine::replay::{fold, replay};
use onus_model::{Digest, Event, ExitCode, Record, Stamped, StepTask};
use onus_views::{RunFacts, run_json_text};

/// Noon for ever: nothing in a run may depend on how long it took.
struct Noon;

impl Clock for Noon {
    fn now(&self) -> jiff::Timestamp {
        "2026-02-18T12:00:00Z".parse().unwrap()
    }

    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }
}

/// Every file of the project's memory and of the state, as it was when a batch of events had been acknowledged.
struct Moment {
    number: usize,
    /// Where the batch ends in the history.
    end: usize,
    head: Vec<u8>,
    files: BTreeMap<PathBuf, Vec<u8>>,
}

/// The uncut run, and what lay on disk after each of its batches.
struct Canon {
    whole: Vec<u8>,
    /// Where each event ends.
    line_ends: Vec<usize>,
    driven: Driven,
    moments: Vec<Moment>,
    /// The key that sealed it.
    key: Vec<u8>,
}

impl Canon {
    fn record() -> Canon {
        let scene = Scene::new();
        let places = scene.project.places.clone();
        let open = scene.start(&Noon).unwrap();
        let mut moments: Vec<Moment> = Vec::new();
        let driven = drive(open, &Noon, &mut |_| {
            let end = fs::read(places.history(&scene.alias)).unwrap().len();
            // The records of one batch are acknowledged together.
            if moments.last().is_none_or(|m| m.end != end) {
                moments.push(Moment {
                    number: moments.len(),
                    end,
                    head: fs::read(places.head(&scene.alias)).unwrap(),
                    files: memory(&scene),
                });
            }
        });
        let whole = scene.history();
        let canon = Canon {
            line_ends: (1..=whole.len()).filter(|at| whole[at - 1] == b'\n').collect(),
            whole,
            driven,
            moments,
            key: fs::read(places.key()).unwrap(),
        };
        canon.is_the_one_that_is_meant();
        canon
    }

    fn is_the_one_that_is_meant(&self) {
        let names: Vec<&str> = self.driven.records.iter().map(|r| r.stamped.event.name()).collect();
        let mut sorted = names.clone();
        sorted[2..4].sort_unstable();
        sorted[9..11].sort_unstable();
        let meant = [
            "run_started",
            "plan_created",
            "artifact_created",
            "checks_prepared",
            "evaluation_done",
            "critique_done",
            "refinement_done",
            "iteration_advanced",
            "plan_created",
            "artifact_created",
            "checks_prepared",
            "evaluation_done",
            "phase_switched",
            "checks_prepared",
            "evaluation_done",
            "stopped",
        ];
        assert_eq!(sorted, meant);
        assert!(self.driven.run.passed());
        assert_eq!((self.driven.run.iteration, self.driven.run.level.as_str()), (2, "B"));
        // Two events are one batch three times: after REFINE, after level A and at the end.
        assert_eq!(self.moments.len(), meant.len() - 3);
        assert_eq!(self.moments.last().unwrap().end, self.whole.len());
    }

    /// How many events are whole before a cut, and where the last of them ends.
    fn kept(&self, cut: usize) -> (usize, usize) {
        let events = self.line_ends.partition_point(|end| *end <= cut);
        (events, events.checked_sub(1).map_or(0, |last| self.line_ends[last]))
    }

    fn first_line(&self) -> usize {
        self.line_ends[0]
    }

    /// What a crash can leave when the history reaches to `cut`.
    fn crashes(&self, cut: usize) -> Vec<Crash<'_>> {
        let acknowledged = self.moments.iter().rposition(|m| m.end <= cut);
        let before = |n: usize| n.checked_sub(1).map(|n| &self.moments[n]);
        match acknowledged {
            // Nothing was acknowledged, so there is no head and there are no views.
            None => vec![Crash {
                cut,
                head: None,
                views: None,
                objects: &self.moments[0],
            }],
            Some(n) if self.moments[n].end == cut => {
                let (now, earlier) = (&self.moments[n], before(n));
                vec![
                    // Died after the sync: the head still names the batch before.
                    Crash {
                        cut,
                        head: earlier,
                        views: earlier,
                        objects: now,
                    },
                    // Died after the head was written.
                    Crash {
                        cut,
                        head: Some(now),
                        views: earlier,
                        objects: now,
                    },
                    // Died while the next step ran.
                    Crash {
                        cut,
                        head: Some(now),
                        views: Some(now),
                        objects: now,
                    },
                ]
            }
            // Died while the next batch was written; what it refers to was stored before.
            Some(n) => {
                let now = &self.moments[n];
                vec![Crash {
                    cut,
                    head: Some(now),
                    views: Some(now),
                    objects: &self.moments[n + 1],
                }]
            }
        }
    }
}

/// What lies on disk when the process is gone.
#[derive(Clone, Copy)]
struct Crash<'a> {
    cut: usize,
    head: Option<&'a Moment>,
    views: Option<&'a Moment>,
    objects: &'a Moment,
}

impl Crash<'_> {
    /// Puts a scene into this state, whatever it was before.
    fn play(&self, canon: &Canon, scene: &Scene) {
        let places = &scene.project.places;
        for dir in [places.root(), places.onus(), places.state()] {
            let _ = fs::remove_dir_all(dir);
        }
        let views = self
            .views
            .into_iter()
            .flat_map(|m| &m.files)
            .filter(|(path, _)| !is_object(path));
        let objects = self.objects.files.iter().filter(|(path, _)| is_object(path));
        for (path, bytes) in views.chain(objects) {
            put(&scene.dir().join(path), bytes);
        }
        put(&places.key(), &canon.key);
        self.cut(canon, scene);
    }

    /// Puts only the history and its head into this state; enough where nothing else was touched since [`Crash::play`].
    fn cut(&self, canon: &Canon, scene: &Scene) {
        put(&scene.history_path(), &canon.whole[..self.cut]);
        // Named by its project's path, so it is not among the files above. A history is made with an empty one beside it.
        let head = self.head.map_or(&b""[..], |moment| &moment.head);
        put(&scene.project.places.head(&scene.alias), head);
    }

    fn same_files(&self, other: &Crash<'_>) -> bool {
        let number = |crash: &Crash<'_>| (crash.views.map(|m| m.number), crash.objects.number);
        number(self) == number(other)
    }
}

fn is_object(path: &Path) -> bool {
    path.starts_with("project/.onus/objects")
}

fn put(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// Objects and views by their paths in the scene. Not the history, the key and the head: a crash has its own.
fn memory(scene: &Scene) -> BTreeMap<PathBuf, Vec<u8>> {
    let places = &scene.project.places;
    let mut files = BTreeMap::new();
    let mut open = vec![places.root().to_owned(), places.objects()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path != scene.history_path() {
                let bytes = fs::read(&path).unwrap();
                files.insert(path.strip_prefix(scene.dir()).unwrap().to_owned(), bytes);
            }
        }
    }
    files
}

/// What the ledger must hold after a resume: the housekeeping, then what the uncut run did next. A stage that was half
/// done is done again, all of it; no other step is.
fn assert_continues(canon: &Canon, kept: usize, torn: bool, after: &Driven) {
    let all = &canon.driven.records;
    let before = fold(all[..kept].iter().map(|r| &r.stamped.event)).unwrap();
    let mut expected: Vec<String> = torn.then(|| "tail_repaired".to_owned()).into_iter().collect();
    expected.push("resumed".to_owned());
    expected.extend(all[kept - before.done.len()..].iter().map(what));
    let mut found: Vec<String> = after.records.iter().map(what).collect();
    // Side by side means in any order.
    for list in [&mut expected, &mut found] {
        for at in 1..list.len() {
            if list[at - 1].starts_with("checks_prepared") && list[at].starts_with("artifact_created") {
                list.swap(at - 1, at);
            }
        }
    }
    assert_eq!(found, expected, "{kept} events were kept");

    // The same by what was asked of the agents.
    let named = |tasks: &[StepTask]| -> Vec<String> {
        let mut names: Vec<String> = tasks
            .iter()
            .filter(|task| task.stage >= before.stages_done)
            .map(StepTask::to_string)
            .collect();
        names.sort();
        names
    };
    assert_eq!(
        named(&after.started),
        named(&canon.driven.started),
        "{kept} events were kept"
    );
    assert!(after.started.iter().all(|task| task.stage >= before.stages_done));
}

fn what(record: &Record) -> String {
    let Stamped {
        iteration,
        phase,
        event,
        ..
    } = &record.stamped;
    if matches!(event, Event::Resumed { .. } | Event::TailRepaired { .. }) {
        event.name().to_owned()
    } else {
        format!("{} {iteration}/{phase}", event.name())
    }
}

/// Runs `work` on every item, on every core, each worker in a project of its own.
fn on_all_cores<T: Sync>(items: &[T], work: impl Fn(&Scene, &T) + Sync) {
    let next = AtomicUsize::new(0);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                let scene = Scene::new();
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    work(&scene, item);
                }
            });
        }
    });
}

/// Opening alone: exactly the whole events before the cut, and the torn bytes named.
fn assert_recovers(canon: &Canon, scene: &Scene, cut: usize) {
    let (events, end) = canon.kept(cut);
    let kept = &canon.driven.records[..events];
    let (ledger, records, recovered) = Ledger::open(&scene.project.places, &scene.alias).unwrap();
    assert_eq!(records, kept, "cut at {cut}");
    let torn = recovered.torn.map_or(0, |t| t.bytes_dropped);
    assert_eq!(torn, (cut - end) as u64, "cut at {cut}");
    drop(ledger);
    assert_eq!(scene.history(), &canon.whole[..end]);
}

/// Resuming and driving to the end: the same run, and a record that holds.
fn assert_ends_the_same(canon: &Canon, scene: &Scene, crash: &Crash<'_>) {
    crash.play(canon, scene);
    let cut = crash.cut;
    let (events, kept) = canon.kept(cut);
    // Whoever only looks sees the whole events and changes nothing.
    match look(&scene.project, &scene.alias).unwrap() {
        Seen::Ours { history, .. } => assert_eq!(history.records, canon.driven.records[..events], "cut at {cut}"),
        Seen::Foreign { .. } => panic!("cut at {cut}: taken for another tool's"),
    }
    assert_eq!(scene.history(), &canon.whole[..cut]);
    let open = scene
        .resume(&Noon)
        .unwrap_or_else(|error| panic!("cut at {cut}: {error}"));
    let after = drive(open, &Noon, &mut |_| {});
    // The whole state: status, reason, iteration, level, score, artifact, verdicts, and all counters.
    assert_eq!(after.run, canon.driven.run, "cut at {cut}");
    assert_continues(canon, events, kept < cut, &after);

    let history = scene.history();
    assert_eq!(&history[..kept], &canon.whole[..kept], "cut at {cut}");
    let places = &scene.project.places;
    let report = onus_ledger::verify(places, &scene.alias).unwrap();
    assert!(report.is_sound(), "cut at {cut}: {:?}", report.problems);
    let Seen::Ours { facts, history } = look(&scene.project, &scene.alias).unwrap() else {
        panic!("cut at {cut}: taken for another tool's");
    };
    assert_eq!(history.records.len(), events + after.records.len());
    let seqs: Vec<u64> = history.records.iter().map(|r| r.seq).collect();
    assert_eq!(seqs, (1..=seqs.len() as u64).collect::<Vec<_>>());
    let record: Vec<Stamped> = history.records.iter().map(|r| r.stamped.clone()).collect();
    assert_eq!(replay(&record, None).unwrap().divergence, None, "cut at {cut}");
    assert_views(scene, &facts);
}

/// The files that people read say what the ledger says of a run that has ended.
fn assert_views(scene: &Scene, facts: &RunFacts) {
    let places = &scene.project.places;
    let run_json = fs::read_to_string(places.run_json(&scene.alias)).unwrap();
    let status = run_json.lines().find(|line| line.contains("\"status\"")).unwrap();
    assert!(
        run_json == run_json_text(facts).unwrap(),
        "run.json is not what the ledger says ({}): {status}",
        facts.status
    );
    assert!(!places.current().exists(), "current.json names a run that has ended");
    let artifact = fs::read(places.artifact(&scene.alias)).unwrap();
    assert_eq!(
        Some(Digest::of(&artifact)),
        facts.artifact.as_ref().map(|a| a.artifact_sha256)
    );
}

/// Every crash from the first whole event on that leaves a run which has not ended.
fn unfinished(canon: &Canon) -> Vec<Crash<'_>> {
    (canon.first_line()..canon.whole.len())
        .flat_map(|cut| canon.crashes(cut))
        .collect()
}

/// A full resume takes 20 ms in a debug build and there are 10 000 bytes, so between event boundaries only every 17th byte
/// is resumed to the end; the others are opened and read. `ONUS_EVERY_BYTE=1` resumes them all, which takes minutes.
fn full_every() -> usize {
    if std::env::var_os("ONUS_EVERY_BYTE").is_some() {
        1
    } else {
        17
    }
}

#[test]
fn a_crash_at_any_byte_is_recovered_and_the_run_ends_as_if_nothing_had_happened() {
    let (canon, began) = (Canon::record(), Instant::now());
    let (crashes, full) = (unfinished(&canon), AtomicUsize::new(0));
    // Cuts that differ in nothing but the history and its head share what lies around them.
    let chunks: Vec<&[Crash<'_>]> = crashes
        .chunk_by(Crash::same_files)
        .flat_map(|same| same.chunks(100))
        .collect();
    on_all_cores(&chunks, |scene, chunk| {
        chunk[0].play(&canon, scene);
        for crash in *chunk {
            crash.cut(&canon, scene);
            assert_recovers(&canon, scene, crash.cut);
        }
        let every = full_every();
        let at_boundary = |cut| canon.kept(cut).1 == cut;
        for crash in chunk.iter().filter(|c| at_boundary(c.cut) || c.cut % every == 0) {
            assert_ends_the_same(&canon, scene, crash);
            full.fetch_add(1, Ordering::Relaxed);
        }
    });
    let (full, events) = (full.into_inner(), canon.driven.records.len());
    eprintln!(
        "cuts: {} bytes, {events} events; {} crashes recovered, {full} of them resumed to the end, {:.1?}",
        canon.whole.len(),
        crashes.len(),
        began.elapsed()
    );
}

#[test]
fn without_one_whole_event_there_is_a_clear_error_and_no_guess() {
    let canon = Canon::record();
    let cuts: Vec<usize> = (0..canon.first_line()).collect();
    on_all_cores(&cuts, |scene, &cut| {
        for crash in canon.crashes(cut) {
            crash.play(&canon, scene);
            let error = refused(scene, cut);
            assert!(
                matches!(error, EngineError::Ledger(LedgerError::NoEvents(_))),
                "cut at {cut}: {error}"
            );
            assert_eq!(error.exit_code(), ExitCode::Integrity);
            assert!(error.to_string().contains("holds no whole event"), "{error}");
            assert!(error.hint().is_some());
            assert_eq!(scene.history(), &canon.whole[..cut], "a refusal changes nothing");
            assert!(look(&scene.project, &scene.alias).is_err(), "cut at {cut}");
        }
    });
}

/// A history gets its name only when its first events are whole. A crash before that leaves a file that nobody asked for,
/// and the alias is still free.
#[test]
fn a_crash_before_the_first_acknowledgement_leaves_no_run() {
    let canon = Canon::record();
    let cuts: Vec<usize> = (0..=canon.first_line()).step_by(97).collect();
    on_all_cores(&cuts, |scene, &cut| {
        canon.crashes(0)[0].play(&canon, scene);
        let path = scene.history_path();
        fs::remove_file(&path).unwrap();
        put(&path.with_file_name(".history.jsonl.tmp"), &canon.whole[..cut]);
        let error = refused(scene, cut);
        assert!(
            matches!(error, EngineError::Ledger(LedgerError::NoSuchRun(_))),
            "cut at {cut}: {error}"
        );
        let open = scene.start(&Noon).unwrap();
        assert_eq!(drive(open, &Noon, &mut |_| {}).run, canon.driven.run);
        assert_eq!(scene.history(), canon.whole, "the same run, to the byte");
    });
}

/// A crash never takes an acknowledged event away, so a history that lost one was tampered with.
#[test]
fn a_history_that_lost_acknowledged_events_is_refused() {
    let canon = Canon::record();
    let cuts: Vec<usize> = (0..canon.whole.len())
        .filter(|cut| cut % full_every() == 0 || canon.line_ends.contains(cut))
        .collect();
    on_all_cores(&cuts, |scene, &cut| {
        // One batch was lost, or everything that came after.
        let next = canon.moments.iter().find(|m| m.end > cut);
        for moment in [next, canon.moments.last()].into_iter().flatten() {
            let crash = Crash {
                cut,
                head: Some(moment),
                views: Some(moment),
                objects: moment,
            };
            crash.play(&canon, scene);
            let error = refused(scene, cut);
            assert!(
                matches!(error, EngineError::Ledger(LedgerError::RolledBack { .. })),
                "cut at {cut}: {error}"
            );
            assert_eq!(error.exit_code(), ExitCode::Integrity);
            assert_eq!(scene.history(), &canon.whole[..cut], "a refusal changes nothing");
            let report = onus_ledger::verify(&scene.project.places, &scene.alias).unwrap();
            assert!(!report.is_sound(), "cut at {cut}");
        }
    });
}

/// The last event is recorded, the process dies before it writes `run.json`: taking the run up again must say that it has
/// ended and put the views right, like every other resume does.
#[test]
fn a_crash_right_after_the_last_event_leaves_views_that_a_resume_puts_right() {
    let canon = Canon::record();
    let scene = Scene::new();
    for crash in canon.crashes(canon.whole.len()) {
        crash.play(&canon, &scene);
        let error = refused(&scene, crash.cut);
        assert!(matches!(error, EngineError::Ended { .. }), "{error}");
        assert_eq!(scene.history(), canon.whole);
        let Seen::Ours { facts, .. } = look(&scene.project, &scene.alias).unwrap() else {
            panic!("taken for another tool's");
        };
        assert_views(&scene, &facts);
    }
}

/// The error of a resume that must not succeed.
fn refused(scene: &Scene, cut: usize) -> EngineError {
    match scene.resume(&Noon) {
        Err(error) => error,
        Ok(_) => panic!("cut at {cut}: accepted"),
    }
}
