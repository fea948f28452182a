#![allow(clippy::disallowed_methods, reason = "tests damage files on purpose")]

use std::fs;

use super::*;
use crate::testing::{Scene, TS, events};
use crate::{Cause, HeadState, read};

fn line_starts(bytes: &[u8]) -> Vec<usize> {
    let ends = (1..).zip(bytes).filter(|(_, b)| **b == b'\n').map(|(end, _)| end);
    std::iter::once(0).chain(ends).collect()
}

/// Plans, compares, carries out, and goes on with the run.
fn check(scene: &Scene, fault: &Fault, keep_events: u64) -> Option<PathBuf> {
    let before = scene.history();
    let plan = plan_repair(&scene.places, &scene.alias).unwrap();
    assert_eq!((&plan.fault, plan.keep_events), (fault, keep_events));
    assert_eq!(scene.history(), before, "a plan changes nothing");
    let keep = usize::try_from(plan.keep_bytes).unwrap();
    assert_eq!(plan.dropped_sha256, Digest::of(&before[keep..]));
    let mut repaired = repair(&scene.places, &scene.alias, &plan).unwrap();
    assert_eq!(repaired.records.len() as u64, keep_events);
    if let Some(path) = &repaired.quarantined {
        assert_eq!(fs::read(path).unwrap(), &before[keep..]);
    }
    repaired.ledger.append(TS, &events(1)).unwrap();
    drop(repaired.ledger);
    assert_eq!(scene.open().unwrap().1.len() as u64, keep_events + 1);
    repaired.quarantined
}

#[test]
fn a_sound_history_needs_no_repair() {
    assert_eq!(check(&Scene::with_events(3), &Fault::Nothing, 3), None);
}

#[test]
fn a_damaged_middle_goes_to_quarantine_with_all_that_follows() {
    let scene = Scene::with_events(6);
    let mut bytes = scene.history();
    let offset = line_starts(&bytes)[3];
    bytes[offset + 30] ^= 1;
    scene.set_history(&bytes);
    let damage = |cause| {
        Fault::Damaged(Damage {
            seq: 4,
            offset: offset as u64,
            cause,
        })
    };
    let first = check(&scene, &damage(Cause::Hash), 3).unwrap();
    assert!(first.ends_with("quarantine/courses-api-1"));

    let mut bytes = scene.history();
    let offset = line_starts(&bytes)[3];
    let end = bytes.len() - 10;
    bytes[end] = if bytes[end] == b'0' { b'1' } else { b'0' };
    scene.set_history(&bytes);
    let damage = Fault::Damaged(Damage {
        seq: 4,
        offset: offset as u64,
        cause: Cause::Mac,
    });
    let second = check(&scene, &damage, 3).unwrap();
    assert!(second.ends_with("quarantine/courses-api-2") && first.exists());
}

#[test]
fn a_torn_end_and_a_lost_end_are_accepted_on_request() {
    let scene = Scene::with_events(4);
    let bytes = scene.history();
    scene.set_history(&bytes[..bytes.len() - 5]);
    let lost = |head_seq, last_seq| Fault::RolledBack { head_seq, last_seq };
    assert!(check(&scene, &lost(4, 3), 3).is_some());

    let bytes = scene.history();
    scene.set_history(&bytes[..line_starts(&bytes)[2]]);
    assert_eq!(check(&scene, &lost(4, 2), 2), None);

    let bytes = scene.history();
    scene.set_history(&bytes[..bytes.len() - 5]);
    scene.forget_head();
    assert!(check(&scene, &Fault::Torn, 2).is_some());
}

#[test]
fn a_plan_for_another_history_is_not_carried_out() {
    let scene = Scene::with_events(4);
    let whole = scene.history();
    scene.set_history(&whole[..whole.len() - 5]);
    let plan = plan_repair(&scene.places, &scene.alias).unwrap();
    scene.set_history(&whole[..whole.len() - 6]);
    let repaired = repair(&scene.places, &scene.alias, &plan);
    assert!(matches!(repaired, Err(LedgerError::PlanChanged(_))));
    assert_eq!(scene.history().len(), whole.len() - 6);
}

#[test]
fn nothing_is_cut_when_nothing_would_be_left() {
    let scene = Scene::with_events(2);
    let mut bytes = scene.history();
    bytes[20] ^= 1;
    scene.set_history(&bytes);
    let plan = plan_repair(&scene.places, &scene.alias).unwrap();
    assert_eq!(plan.keep_events, 0);
    assert!(matches!(
        repair(&scene.places, &scene.alias, &plan),
        Err(LedgerError::NoEvents(_))
    ));
    assert_eq!(scene.history(), bytes);
}

#[test]
fn an_adopted_history_keeps_its_hashes_and_the_old_file() {
    let home = Scene::with_events(5);
    let (before, old) = (home.open().unwrap().1, home.history());
    let away = home.elsewhere();
    assert!(matches!(
        plan_repair(&away.places, &away.alias),
        Err(LedgerError::Unauthenticated { .. })
    ));
    let mut adopted = adopt(&away.places, &away.alias).unwrap();
    assert_eq!(fs::read(&adopted.quarantined).unwrap(), old);
    assert_eq!(adopted.bytes_dropped, 0);
    let hashes = |records: &[Record]| records.iter().map(|r| r.hash).collect::<Vec<_>>();
    assert_eq!(hashes(&adopted.records), hashes(&before));
    assert_ne!(adopted.records[0].mac, before[0].mac);
    adopted.ledger.append(TS, &events(1)).unwrap();
    drop(adopted.ledger);
    let (_, records, recovered) = away.open().unwrap();
    assert_eq!((records.len(), recovered.head), (6, HeadState::Newest));
    // The first machine now is the one that cannot vouch for it.
    assert!(matches!(home.refused(), LedgerError::Damaged { .. }));
}

#[test]
fn adoption_leaves_a_broken_end_behind() {
    let scene = Scene::with_events(5);
    scene.forget_key();
    let mut bytes = scene.history();
    let offset = line_starts(&bytes)[3];
    bytes[offset + 30] ^= 1;
    scene.set_history(&bytes);
    let adopted = adopt(&scene.places, &scene.alias).unwrap();
    assert_eq!(adopted.records.len(), 3);
    assert_eq!(adopted.bytes_dropped, (bytes.len() - offset) as u64);
    assert_eq!(fs::read(&adopted.quarantined).unwrap(), bytes);
    assert!(matches!(read(&scene.places, &scene.alias), Ok(crate::History::Chained(c)) if c.damage.is_none()));
}
