//! What this crate's tests share: a scratch project and a run with known events.
#![allow(clippy::disallowed_methods, reason = "tests damage files on purpose")]

use std::fs;
use std::path::Path;

use onus_model::{Alias, ArtifactRef, Changes, Digest, Event, LevelName, ProgressNote, Record, RunId, Stamped};
use tempfile::TempDir;

use crate::key::Key;
use crate::{Durability, Ledger, LedgerError, Places, Recovered, objects};

pub(crate) const TS: &str = "2026-02-18T12:00:00Z";

/// In memory where possible: these tests sync a lot.
pub(crate) fn scratch() -> TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() {
        TempDir::new_in(memory).unwrap()
    } else {
        TempDir::new().unwrap()
    }
}

pub(crate) fn places_in(dir: &Path) -> Places {
    let project = dir.join("project");
    Places::new(&project, &project.join(".ai-factory/evolution"), &dir.join("state"))
}

pub(crate) fn project() -> (TempDir, Places) {
    let dir = scratch();
    let places = places_in(dir.path());
    (dir, places)
}

pub(crate) fn alias() -> Alias {
    Alias::new("courses-api").unwrap()
}

pub(crate) fn artifact(text: &str) -> ArtifactRef {
    ArtifactRef {
        artifact_sha256: Digest::of(text.as_bytes()),
        bytes: text.len() as u64,
        changed: Changes::default(),
    }
}

pub(crate) fn stamp(event: Event) -> Stamped {
    Stamped {
        iteration: 1,
        phase: LevelName::new("A").unwrap(),
        step: "PRODUCE_PREPARE".to_owned(),
        status: event.status().to_owned(),
        event,
    }
}

/// A cycle of different events; every sixth carries an artifact.
pub(crate) fn events(count: u32) -> Vec<Stamped> {
    let note = ProgressNote {
        stage_ms: Some(7),
        transcript: Some(Digest::of(b"transcript")),
    };
    let event = |n: u32| match n % 6 {
        0 => Event::PlanCreated {
            plan: vec!["one\nline".to_owned(), "\",\"event\":\"artifact_created\"".to_owned()],
            note,
        },
        1 => Event::ArtifactCreated {
            artifact: artifact("# artifact"),
            note,
        },
        2 => Event::IterationAdvanced { iteration: n },
        3 => Event::PhaseSwitched {
            from: LevelName::new("A").unwrap(),
            to: LevelName::new("B").unwrap(),
        },
        4 => Event::Resumed {
            by: "möller 日本".to_owned(),
            engine: "onus 0.1.0".to_owned(),
        },
        _ => Event::TailRepaired {
            bytes_dropped: u64::MAX,
            dropped_sha256: Digest::of(b"torn"),
        },
    };
    (0..count).map(|n| stamp(event(n))).collect()
}

/// A project with one run.
pub(crate) struct Scene {
    pub(crate) places: Places,
    pub(crate) alias: Alias,
    pub(crate) run_id: RunId,
    dir: TempDir,
}

pub(crate) type Opened = Result<(Ledger, Vec<Record>, Recovered), LedgerError>;

impl Scene {
    pub(crate) fn new() -> Scene {
        let (dir, places) = project();
        let run_id = RunId::compose(&alias(), "20260218-120000").unwrap();
        Scene {
            places,
            alias: alias(),
            run_id,
            dir,
        }
    }

    /// The run is closed; its artifact is stored and lies where it belongs.
    pub(crate) fn with_events(count: u32) -> Scene {
        let scene = Scene::new();
        let all = events(count);
        let mut ledger = scene.create(&all[..1]).unwrap();
        for event in &all[1..] {
            ledger.append(TS, std::slice::from_ref(event)).unwrap();
        }
        ledger.close().unwrap();
        objects::put(&scene.places, b"# artifact", Durability::Relaxed).unwrap();
        crate::files::write_artifact(&scene.places, &scene.alias, b"# artifact", Durability::Relaxed).unwrap();
        scene
    }

    pub(crate) fn create(&self, events: &[Stamped]) -> Result<Ledger, LedgerError> {
        Ledger::create(&self.places, &self.alias, self.run_id.clone(), TS, events).map(|(ledger, _)| ledger)
    }

    pub(crate) fn open(&self) -> Opened {
        Ledger::open(&self.places, &self.alias)
    }

    pub(crate) fn refused(&self) -> LedgerError {
        match self.open() {
            Err(e) => e,
            Ok((_, records, recovered)) => panic!("accepted {} records, {recovered:?}", records.len()),
        }
    }

    pub(crate) fn key(&self) -> Key {
        Key::load_or_create(&self.places).unwrap()
    }

    pub(crate) fn history(&self) -> Vec<u8> {
        fs::read(self.places.history(&self.alias)).unwrap()
    }

    pub(crate) fn set_history(&self, bytes: &[u8]) {
        fs::write(self.places.history(&self.alias), bytes).unwrap();
    }

    pub(crate) fn head(&self) -> Vec<u8> {
        fs::read(self.places.head(&self.alias)).unwrap()
    }

    pub(crate) fn set_head(&self, bytes: &[u8]) {
        fs::write(self.places.head(&self.alias), bytes).unwrap();
    }

    pub(crate) fn forget_head(&self) {
        fs::remove_file(self.places.head(&self.alias)).unwrap();
    }

    pub(crate) fn forget_key(&self) {
        fs::remove_file(self.places.key()).unwrap();
    }

    /// The same project as another machine sees it.
    pub(crate) fn elsewhere(&self) -> Scene {
        let dir = scratch();
        let project = self.dir.path().join("project");
        let places = Places::new(&project, self.places.root(), dir.path());
        Scene {
            places,
            alias: self.alias.clone(),
            run_id: self.run_id.clone(),
            dir,
        }
    }
}
