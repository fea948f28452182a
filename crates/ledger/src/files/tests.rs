#![allow(clippy::disallowed_methods, reason = "tests damage files on purpose")]

use std::fs;

use super::*;
use crate::places::RUN_FILE;
use crate::testing::{Scene, project};

#[test]
fn current_is_cleared_only_for_the_run_it_names() {
    let (_dir, places) = project();
    let (one, two) = (Alias::new("run-one").unwrap(), Alias::new("run-two").unwrap());
    assert!(!clear_current_if(&places, &one).unwrap());
    write_current(&places, br#"{"task_alias":"run-two"}"#, Durability::Relaxed).unwrap();
    assert!(!clear_current_if(&places, &one).unwrap());
    assert!(places.current().exists());
    assert!(clear_current_if(&places, &two).unwrap());
    assert_eq!(read_current(&places).unwrap(), None);
    write_current(&places, b"not json", Durability::Synced).unwrap();
    assert!(!clear_current_if(&places, &two).unwrap());
}

#[test]
fn writers_of_current_at_the_same_time_leave_one_whole_file() {
    let (_dir, places) = project();
    let text = |n: u8| vec![b'0' + n; 4096 * usize::from(n + 1)];
    std::thread::scope(|scope| {
        for n in 0..4 {
            let places = &places;
            scope.spawn(move || (0..50).for_each(|_| write_current(places, &text(n), Durability::Relaxed).unwrap()));
        }
    });
    let left = read_current(&places).unwrap().unwrap();
    assert!((0..4).any(|n| left == text(n)));
}

#[test]
fn a_planted_link_is_neither_followed_nor_read() {
    let scene = Scene::with_events(1);
    let (places, alias) = (&scene.places, &scene.alias);
    let outside = places.onus().join("outside");
    fs::write(&outside, "mine").unwrap();
    let temporary = places.run_dir(alias).join(".run.json.tmp");
    std::os::unix::fs::symlink(&outside, &temporary).unwrap();
    fs::remove_file(places.artifact(alias)).unwrap();
    std::os::unix::fs::symlink(&outside, places.artifact(alias)).unwrap();

    write_run_json(places, alias, b"{}", Durability::Synced).unwrap();
    assert!(matches!(read_artifact(places, alias, 100), Err(LedgerError::Io { .. })));
    write_artifact(places, alias, b"# new", Durability::Synced).unwrap();
    assert_eq!(fs::read(&outside).unwrap(), b"mine");
    assert_eq!(read_artifact(places, alias, 5).unwrap().unwrap(), b"# new");
    assert_eq!(read_run_json(places, alias).unwrap().unwrap(), b"{}");
    assert!(matches!(
        read_artifact(places, alias, 4),
        Err(LedgerError::TooLarge { .. })
    ));
}

#[test]
fn a_stop_request_is_one_however_it_is_worded() {
    let scene = Scene::with_events(1);
    let (places, alias) = (&scene.places, &scene.alias);
    assert_eq!(read_stop_request(places, alias).unwrap(), None);
    let request = StopRequest {
        reason: Some("lunch".to_owned()),
        by: "ann".to_owned(),
    };
    write_stop_request(places, alias, &request).unwrap();
    assert_eq!(read_stop_request(places, alias).unwrap(), Some(request));
    for text in [&b"stop!"[..], b"", &vec![b'x'; 1 << 20]] {
        fs::write(places.stop_request(alias), text).unwrap();
        assert_eq!(read_stop_request(places, alias).unwrap().unwrap().by, "unknown");
    }
    clear_stop_request(places, alias).unwrap();
    assert_eq!(read_stop_request(places, alias).unwrap(), None);
}

#[test]
fn only_folders_with_an_alias_for_a_name_and_a_run_in_them_are_runs() {
    let scene = Scene::with_events(1);
    let root = scene.places.root();
    for name in ["zzz-run", "..bad", "UPPER", "ab"] {
        fs::create_dir(root.join(name)).unwrap();
        fs::write(root.join(name).join(RUN_FILE), "{}").unwrap();
    }
    fs::create_dir(root.join("lessons")).unwrap();
    fs::write(root.join("lessons/learned.md"), "").unwrap();
    fs::write(root.join("some-file"), "").unwrap();
    std::os::unix::fs::symlink("/tmp", root.join("link-run")).unwrap();
    let names: Vec<_> = list_aliases(&scene.places)
        .unwrap()
        .into_iter()
        .map(String::from)
        .collect();
    assert_eq!(names, ["courses-api", "zzz-run"]);
    let (_dir, empty) = project();
    assert_eq!(list_aliases(&empty).unwrap(), []);
}

#[test]
fn removing_a_run_takes_exactly_what_is_its_own() {
    let scene = Scene::with_events(3);
    let (places, alias) = (&scene.places, &scene.alias);
    let open = scene.open().unwrap();
    assert!(matches!(remove_run(places, alias), Err(LedgerError::Locked { .. })));
    assert!(places.history(alias).exists());
    drop(open);
    let request = StopRequest {
        reason: None,
        by: "ann".to_owned(),
    };
    write_stop_request(places, alias, &request).unwrap();
    let objects = disk::entries(&places.objects()).unwrap().len();
    remove_run(places, alias).unwrap();
    for gone in [
        places.run_dir(alias),
        places.head(alias),
        places.stop_request(alias),
        places.lock(alias),
    ] {
        assert!(!gone.exists(), "{}", gone.display());
    }
    assert!(places.key().exists());
    assert_eq!(disk::entries(&places.objects()).unwrap().len(), objects);
    assert!(matches!(remove_run(places, alias), Err(LedgerError::NoSuchRun(_))));
    assert!(
        scene.create(&crate::testing::events(1)).is_ok(),
        "the alias is free again"
    );
}
