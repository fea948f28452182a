//! Clocks that lie. Order is by sequence number and durations come from the monotonic clock, so wall time may do what it
//! likes.
#![allow(clippy::unwrap_used, reason = "tests")]

mod canonical;

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use canonical::{Scene, drive};
use jiff::{SignedDuration, Timestamp};
use onus_engine::Clock;
use onus_engine::shelf::{Seen, look};
use onus_model::Record;

const TEN_YEARS: i64 = 10 * 365 * 24 * 3600;

/// Adds the next of `jumps` to noon, in seconds, every time it is asked.
struct Jumpy {
    jumps: &'static [i64],
    asked: AtomicU32,
}

impl Jumpy {
    fn new(jumps: &'static [i64]) -> Jumpy {
        Jumpy {
            jumps,
            asked: AtomicU32::new(0),
        }
    }
}

impl Clock for Jumpy {
    fn now(&self) -> Timestamp {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed) as usize;
        let noon: Timestamp = "2026-02-18T12:00:00Z".parse().unwrap();
        noon + SignedDuration::from_secs(self.jumps[asked % self.jumps.len()])
    }

    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }
}

fn assert_in_order(records: &[Record]) {
    let seqs: Vec<u64> = records.iter().map(|r| r.seq).collect();
    assert_eq!(seqs, (1..=seqs.len() as u64).collect::<Vec<_>>());
    assert!(records.windows(2).all(|pair| pair[1].prev == pair[0].hash));
}

#[test]
fn a_clock_that_jumps_ten_years_between_events_changes_nothing_but_the_stamps() {
    let steady = Scene::new();
    let noon = Jumpy::new(&[0]);
    let as_it_should_be = drive(steady.start(&noon).unwrap(), &noon, &mut |_| {});

    let jumps: [&'static [i64]; 4] = [
        &[-TEN_YEARS, TEN_YEARS],
        &[TEN_YEARS, 0, -TEN_YEARS],
        &[0, -1, 1],
        &[-5 * TEN_YEARS, 5 * TEN_YEARS, 0],
    ];
    for jumps in jumps {
        let (scene, clock) = (Scene::new(), Jumpy::new(jumps));
        let driven = drive(scene.start(&clock).unwrap(), &clock, &mut |_| {});
        assert_eq!(driven.run.stop, as_it_should_be.run.stop);
        assert_eq!(driven.run.progress, as_it_should_be.run.progress);
        assert_eq!(driven.run.artifact, as_it_should_be.run.artifact);
        let names =
            |records: &[Record]| -> Vec<&'static str> { records.iter().map(|r| r.stamped.event.name()).collect() };
        assert_eq!(names(&driven.records), names(&as_it_should_be.records));
        assert_in_order(&driven.records);
        assert!(
            !driven.records.is_sorted_by(|a, b| a.ts <= b.ts),
            "the stamps do jump: {jumps:?}"
        );
        let report = onus_ledger::verify(&scene.project.places, &scene.alias).unwrap();
        assert!(report.is_sound(), "{:?}", report.problems);
        let Seen::Ours { facts, history } = look(&scene.project, &scene.alias).unwrap() else {
            panic!("taken for another tool's");
        };
        assert_eq!(history.records, driven.records, "shown in the order of their numbers");
        assert!(facts.passed());
    }
}

#[test]
fn a_run_resumed_ten_years_ago_goes_on_after_its_last_event() {
    let scene = Scene::new();
    let today = Jumpy::new(&[0]);
    drop(scene.start(&today).unwrap());
    let began = scene.history();

    let long_ago = Jumpy::new(&[-TEN_YEARS]);
    let driven = drive(scene.resume(&long_ago).unwrap(), &long_ago, &mut |_| {});
    assert!(driven.run.passed());
    assert!(scene.history().starts_with(&began));
    assert_eq!(driven.records[0].stamped.event.name(), "resumed");
    let Seen::Ours { history, .. } = look(&scene.project, &scene.alias).unwrap() else {
        panic!("taken for another tool's");
    };
    assert_in_order(&history.records);
    assert!(history.records[1].ts < history.records[0].ts);
}
