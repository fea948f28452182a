#![allow(clippy::disallowed_methods, reason = "tests damage files on purpose")]

use std::fs;
use std::time::Duration;

use super::*;
use crate::testing::{Scene, project};

#[test]
fn an_object_is_stored_once_and_checked_when_read() {
    let (_dir, places) = project();
    for durability in [Durability::Relaxed, Durability::Synced] {
        let digest = put(&places, b"text", durability).unwrap();
        assert_eq!(digest, Digest::of(b"text"));
        assert_eq!(get(&places, &digest, 4).unwrap(), b"text");
        assert!(matches!(
            get(&places, &digest, 3),
            Err(LedgerError::TooLarge { limit: 3, .. })
        ));
    }
    let digest = Digest::of(b"text");
    let path = places.object(&digest);
    fs::write(&path, "lies").unwrap();
    match get(&places, &digest, 100) {
        Err(LedgerError::ObjectDamaged { wanted, found }) => {
            assert_eq!((wanted, found), (digest, Digest::of(b"lies")));
        }
        other => panic!("{other:?}"),
    }
    // A relaxed put trusts the size; a synced one does not.
    put(&places, b"text", Durability::Relaxed).unwrap();
    assert!(get(&places, &digest, 100).is_err());
    put(&places, b"text", Durability::Synced).unwrap();
    assert_eq!(get(&places, &digest, 100).unwrap(), b"text");
    fs::write(&path, "te").unwrap();
    put(&places, b"text", Durability::Relaxed).unwrap();
    assert_eq!(get(&places, &digest, 100).unwrap(), b"text");
    fs::remove_file(&path).unwrap();
    assert!(matches!(get(&places, &digest, 100), Err(LedgerError::ObjectMissing(d)) if d == digest));
}

#[test]
fn only_old_objects_that_nobody_mentions_are_collected() {
    let scene = Scene::with_events(6);
    let places = &scene.places;
    // The history mentions the artifact and the transcript.
    put(places, b"transcript", Durability::Relaxed).unwrap();
    let quarantined = put(places, b"quarantined", Durability::Relaxed).unwrap();
    fs::write(places.quarantine().join("old-1"), format!("x{quarantined}x")).unwrap();
    let lonely = put(places, b"lonely", Durability::Relaxed).unwrap();
    let leftover = places.objects().join(".0123456789abcdef.tmp");
    fs::write(&leftover, "half").unwrap();
    let put_at = fs::metadata(places.object(&lonely)).unwrap().modified().unwrap();

    let none = collect(places, put_at - Duration::from_secs(1)).unwrap();
    assert_eq!((none.removed, none.kept), (0, 5));
    let some = collect(places, put_at + Duration::from_secs(1)).unwrap();
    assert_eq!(
        some,
        Collected {
            removed: 2,
            removed_bytes: 10,
            kept: 3
        }
    );
    assert!(!leftover.exists() && !places.object(&lonely).exists());
    for kept in [&b"transcript"[..], b"# artifact", b"quarantined"] {
        assert_eq!(get(places, &Digest::of(kept), 100).unwrap(), kept);
    }
    crate::files::remove_run(places, &scene.alias).unwrap();
    assert_eq!(collect(places, put_at + Duration::from_secs(1)).unwrap().removed, 2);
}

#[test]
fn an_object_put_again_is_young_again() {
    let (_dir, places) = project();
    let digest = put(&places, b"text", Durability::Relaxed).unwrap();
    let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    fs::File::open(places.object(&digest))
        .unwrap()
        .set_modified(old)
        .unwrap();
    put(&places, b"text", Durability::Relaxed).unwrap();
    assert_eq!(collect(&places, old + Duration::from_secs(60)).unwrap().removed, 0);
}
