#![allow(clippy::disallowed_methods, reason = "tests damage files on purpose")]

use std::fs;

use super::*;
use crate::testing::Scene;
use crate::{Ledger, adopt, plan_repair, verify};

fn chained(scene: &Scene) -> Chained {
    match read(&scene.places, &scene.alias).unwrap() {
        History::Chained(chained) => chained,
        History::Foreign(foreign) => panic!("{foreign:?}"),
    }
}

#[test]
fn reading_needs_no_lock_and_shows_what_can_be_shown() {
    let scene = Scene::with_events(4);
    let open = scene.open().unwrap();
    let sound = chained(&scene);
    assert_eq!(
        (sound.records.len(), sound.head, sound.authenticity),
        (4, HeadState::Newest, Authenticity::Sealed)
    );
    drop(open);

    let whole = scene.history();
    scene.set_history(&whole[..whole.len() - 1]);
    let torn = chained(&scene);
    assert_eq!((torn.records.len(), torn.torn.is_some()), (3, true));
    assert_eq!(
        torn.head,
        HeadState::RolledBack {
            head_seq: 4,
            last_seq: 3
        }
    );

    let mut damaged = whole.clone();
    damaged[whole.len() / 2] ^= 4;
    scene.set_history(&damaged);
    let shown = chained(&scene);
    assert_eq!(shown.records[..], sound.records[..shown.records.len()]);
    assert_eq!(shown.damage.unwrap().seq, shown.records.len() as u64 + 1);

    scene.set_history(&whole);
    scene.forget_key();
    assert_eq!(chained(&scene).authenticity, Authenticity::NoKey);
}

#[test]
fn a_history_of_another_tool_is_shown_but_not_taken_up() {
    let scene = Scene::new();
    fs::create_dir_all(scene.places.run_dir(&scene.alias)).unwrap();
    let line = r#"{"ts":"2026-02-18T12:00:00Z","run_id":"x","iteration":1,"phase":"A","step":"PLAN","event":"run_started","status":"ok","payload":{}}"#;
    for text in [
        format!("{line}\n{line}\n\nnot json\n"),
        format!("{line}\n{line}\nnot json"),
        format!("{line}\n{line}\n["),
    ] {
        scene.set_history(text.as_bytes());
        match read(&scene.places, &scene.alias).unwrap() {
            History::Foreign(foreign) => {
                assert_eq!((foreign.lines.len(), foreign.unreadable), (2, 1));
                assert_eq!(foreign.lines[0]["event"], "run_started");
            }
            History::Chained(chained) => panic!("{chained:?}"),
        }
        let (places, alias) = (&scene.places, &scene.alias);
        assert!(matches!(scene.refused(), LedgerError::Foreign(_)));
        assert!(matches!(verify(places, alias), Err(LedgerError::Foreign(_))));
        assert!(matches!(plan_repair(places, alias), Err(LedgerError::Foreign(_))));
        assert!(matches!(adopt(places, alias), Err(LedgerError::Foreign(_))));
        assert_eq!(scene.history(), text.as_bytes());
    }
}

#[test]
fn a_plain_history_in_place_of_a_recorded_one_is_damage() {
    let scene = Scene::with_events(2);
    scene.set_history(b"{\"event\":\"stopped\"}\n");
    assert!(matches!(
        Ledger::open(&scene.places, &scene.alias),
        Err(LedgerError::Damaged { .. })
    ));
    assert!(chained(&scene).damage.is_some());
}

#[test]
fn a_pipe_or_a_folder_is_not_a_history() {
    let scene = Scene::with_events(2);
    let path = scene.places.history(&scene.alias);
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(matches!(read(&scene.places, &scene.alias), Err(LedgerError::Io { .. })));
    fs::remove_dir(&path).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &path,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    assert!(matches!(read(&scene.places, &scene.alias), Err(LedgerError::Io { .. })));
}
