#![allow(clippy::disallowed_methods, reason = "tests damage files on purpose")]

use std::fs;

use super::*;
use crate::testing::{Scene, TS, events};

fn problems(scene: &Scene) -> Vec<Problem> {
    verify(&scene.places, &scene.alias).unwrap().problems
}

/// The one problem of a scene.
fn check(scene: &Scene, seq: Option<u64>, kind: &ProblemKind) {
    match &problems(scene)[..] {
        [problem] => assert_eq!((problem.seq, &problem.kind), (seq, kind)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_sound_run_has_no_problems() {
    let scene = Scene::with_events(12);
    let report = verify(&scene.places, &scene.alias).unwrap();
    assert!(report.is_sound() && !report.live, "{:?}", report.problems);
    assert_eq!((report.events, report.bytes), (12, scene.history().len() as u64));
    assert_eq!((report.objects, report.head), (1, HeadState::Newest));
    let open = scene.open().unwrap();
    assert!(verify(&scene.places, &scene.alias).unwrap().live);
    drop(open);
}

#[test]
fn every_problem_is_named_with_its_place() {
    let wanted = Digest::of(b"# artifact");
    let found = Digest::of(b"# changed");

    let scene = Scene::with_events(6);
    let object = scene.places.object(&wanted);
    fs::write(&object, "# changed").unwrap();
    check(&scene, Some(2), &ProblemKind::ObjectDamaged { wanted, found });
    fs::remove_file(&object).unwrap();
    check(&scene, Some(2), &ProblemKind::ObjectMissing(wanted));

    let scene = Scene::with_events(12);
    let path = scene.places.artifact(&scene.alias);
    fs::write(&path, "# changed").unwrap();
    check(&scene, Some(8), &ProblemKind::ArtifactDiffers { wanted, found });
    fs::remove_file(&path).unwrap();
    check(&scene, Some(8), &ProblemKind::ArtifactMissing(wanted));
    std::os::unix::fs::symlink("/etc/hostname", &path).unwrap();
    assert!(matches!(
        &problems(&scene)[..],
        [Problem {
            kind: ProblemKind::Unreadable { .. },
            ..
        }]
    ));

    let scene = Scene::with_events(6);
    scene.forget_key();
    check(&scene, None, &ProblemKind::NoKey);

    let scene = Scene::with_events(6);
    let whole = scene.history();
    let mut bytes = whole.clone();
    let at = bytes.len() - 10;
    bytes[at] = if bytes[at] == b'0' { b'1' } else { b'0' };
    scene.set_history(&bytes);
    check(&scene, Some(6), &ProblemKind::Forged);
    scene.set_history(&[&whole[..], b"{}\n"].concat());
    check(&scene, Some(7), &ProblemKind::Damaged(Cause::Form));
    assert_eq!(problems(&scene)[0].offset, Some(whole.len() as u64));
    scene.set_history(&[&whole[..], b"{}"].concat());
    assert_eq!(
        problems(&scene)[0].to_string(),
        format!(
            "event 7 (byte {}): the last line is cut short after 2 bytes",
            whole.len()
        )
    );
    let last = whole[..whole.len() - 1].iter().rposition(|b| *b == b'\n').unwrap() + 1;
    scene.set_history(&whole[..last]);
    check(
        &scene,
        None,
        &ProblemKind::RolledBack {
            head_seq: 6,
            last_seq: 5,
        },
    );
}

#[test]
fn twenty_thousand_events_are_verified_in_one_pass() {
    let scene = Scene::new();
    let mut ledger = scene.create(&events(1)).unwrap();
    let batch = events(999);
    for _ in 0..20 {
        ledger.append(TS, &batch).unwrap();
    }
    ledger.close().unwrap();
    let report = verify(&scene.places, &scene.alias).unwrap();
    assert_eq!(report.events, 19_981);
    assert_eq!(report.objects, 1, "one artifact, however often it was recorded");
}
