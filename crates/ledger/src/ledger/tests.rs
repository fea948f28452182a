//! Crashes, damage, forgery and failing disks.
#![allow(clippy::disallowed_methods, reason = "tests damage files on purpose")]
#![allow(clippy::wildcard_enum_match_arm, reason = "any other error fails the test")]

use std::fs;

use onus_model::Event;
use proptest::prelude::*;

use super::*;
use crate::error::{Cause, Unvouched};
use crate::head;
use crate::line::Line;
use crate::testing::{Scene, TS, events, stamp};

/// Where each line of a history ends.
fn line_ends(bytes: &[u8]) -> Vec<usize> {
    (1..)
        .zip(bytes)
        .filter(|(_, b)| **b == b'\n')
        .map(|(end, _)| end)
        .collect()
}

/// The head as it was when the history ended with this many events.
fn set_head_back(scene: &Scene, whole: &[Record]) {
    scene.forget_head();
    if let Some(Record { seq, hash, .. }) = whole.last() {
        let mut head = head::Head::open(scene.places.head(&scene.alias)).unwrap();
        head.write(Mark { seq: *seq, hash: *hash }).unwrap();
    }
}

#[test]
fn what_was_appended_is_read_back_in_order() {
    let scene = Scene::new();
    let all = events(12);
    let (mut ledger, mut written) =
        Ledger::create(&scene.places, &scene.alias, scene.run_id.clone(), TS, &all[..2]).unwrap();
    written.extend(ledger.append(TS, &all[2..3]).unwrap());
    assert_eq!(ledger.append(TS, &[]).unwrap(), []);
    written.extend(ledger.append(TS, &all[3..]).unwrap());
    assert_eq!((ledger.last_seq(), ledger.run_id()), (12, &scene.run_id));
    ledger.close().unwrap();

    let (mut ledger, records, recovered) = scene.open().unwrap();
    assert_eq!(records, written);
    assert_eq!(
        records.iter().map(|r| r.seq).collect::<Vec<_>>(),
        (1..=12).collect::<Vec<_>>()
    );
    let found = Recovered {
        torn: None,
        head: HeadState::Newest,
    };
    assert_eq!(recovered, found);
    ledger.append(TS, &all[..1]).unwrap();
    drop(ledger);
    assert_eq!(scene.open().unwrap().1.len(), 13);
}

#[test]
fn the_root_holds_the_documented_files_and_nothing_else() {
    let scene = Scene::with_events(3);
    for stray in [".run.json.tmp", ".history.jsonl.tmp", ".artifact.md.tmp"] {
        fs::write(scene.places.run_dir(&scene.alias).join(stray), "half").unwrap();
    }
    fs::write(scene.places.root().join(".current.json.tmp"), "half").unwrap();
    drop(scene.open().unwrap());
    let names = |dir| -> Vec<_> {
        disk::entries(dir)
            .unwrap()
            .iter()
            .map(|e| e.file_name().into_string().unwrap())
            .collect()
    };
    assert_eq!(names(scene.places.root()), ["courses-api"]);
    assert_eq!(
        names(&scene.places.run_dir(&scene.alias)),
        ["artifact.md", "history.jsonl"]
    );
    assert_eq!(
        fs::read_to_string(scene.places.onus().join(".gitignore")).unwrap(),
        "*\n"
    );
}

#[test]
fn an_alias_is_used_once() {
    let scene = Scene::with_events(2);
    assert!(matches!(scene.create(&events(1)), Err(LedgerError::AliasTaken(_))));
    assert_eq!(scene.open().unwrap().1.len(), 2);
    // A file that never held an event takes nothing away.
    scene.set_history(b"");
    assert!(scene.create(&events(1)).is_ok());
    assert_eq!(scene.open().unwrap().1.len(), 1);
}

#[test]
fn a_run_starts_with_an_event_of_its_own() {
    let scene = Scene::new();
    assert!(matches!(scene.create(&[]), Err(LedgerError::NoEvents(_))));
    let other = RunId::new("courses-api-2-20260218-120000").unwrap();
    let created = Ledger::create(&scene.places, &scene.alias, other, TS, &events(1));
    assert!(matches!(created, Err(LedgerError::WrongRun { .. })));
    assert!(matches!(scene.refused(), LedgerError::NoSuchRun(_)));
    assert!(
        !scene.places.lock(&scene.alias).exists(),
        "asking for a run that is not there leaves nothing"
    );
}

#[test]
fn a_deleted_history_is_noticed() {
    let scene = Scene::with_events(4);
    fs::remove_dir_all(scene.places.run_dir(&scene.alias)).unwrap();
    assert!(matches!(
        scene.refused(),
        LedgerError::RolledBack {
            head_seq: 4,
            last_seq: 0,
            ..
        }
    ));
}

#[test]
fn a_run_folder_that_is_a_link_is_refused() {
    let scene = Scene::with_events(2);
    let (dir, away) = (scene.places.run_dir(&scene.alias), scene.places.onus().join("away"));
    fs::rename(&dir, &away).unwrap();
    std::os::unix::fs::symlink(&away, &dir).unwrap();
    assert!(matches!(scene.refused(), LedgerError::NotADirectory(_)));
    assert!(matches!(scene.create(&events(1)), Err(LedgerError::NotADirectory(_))));
    fs::remove_file(&dir).unwrap();
    fs::create_dir(&dir).unwrap();
    std::os::unix::fs::symlink(away.join("history.jsonl"), scene.places.history(&scene.alias)).unwrap();
    assert!(matches!(scene.refused(), LedgerError::Io { .. }));
}

#[test]
fn one_process_at_a_time() {
    let scene = Scene::with_events(1);
    let first = scene.open().unwrap();
    match scene.refused() {
        LedgerError::Locked { holder, .. } => assert_eq!(holder.pid, Some(std::process::id())),
        other => panic!("{other}"),
    }
    drop(first);
    assert!(scene.open().is_ok());
}

#[test]
fn a_cut_at_any_byte_is_noticed_by_the_head() {
    let scene = Scene::with_events(6);
    let (whole, head) = (scene.history(), scene.head());
    for cut in 0..whole.len() {
        scene.set_history(&whole[..cut]);
        let events = line_ends(&whole[..cut]).len() as u64;
        match scene.refused() {
            LedgerError::RolledBack { head_seq, last_seq, .. } => assert_eq!((head_seq, last_seq), (6, events)),
            other => panic!("cut at {cut}: {other}"),
        }
        assert_eq!(scene.history(), &whole[..cut], "a refusal changes nothing");
        assert_eq!(scene.head(), head);
    }
}

#[test]
fn a_crash_at_any_byte_recovers_to_the_whole_events_before_it() {
    let scene = Scene::with_events(6);
    let (whole, records) = (scene.history(), scene.open().unwrap().1);
    for cut in 0..=whole.len() {
        let ends = line_ends(&whole[..cut]);
        let kept = ends.last().copied().unwrap_or(0);
        scene.set_history(&whole[..cut]);
        set_head_back(&scene, &records[..ends.len()]);
        if ends.is_empty() {
            assert!(matches!(scene.refused(), LedgerError::NoEvents(_)), "cut at {cut}");
            scene.set_head(b"");
            continue;
        }
        let (mut ledger, found, recovered) = scene.open().unwrap();
        assert_eq!(found, &records[..ends.len()], "cut at {cut}");
        let torn = (cut > kept).then(|| Torn {
            bytes_dropped: (cut - kept) as u64,
            dropped_sha256: onus_model::Digest::of(&whole[kept..cut]),
        });
        assert_eq!(recovered.torn, torn);
        // Going on costs a second open; some cuts in every line are enough for it.
        if cut % 16 == 0 {
            ledger.append(TS, &events(1)).unwrap();
            drop(ledger);
            assert_eq!(scene.open().unwrap().1.len(), ends.len() + 1);
        }
    }
}

#[test]
fn a_flipped_bit_anywhere_is_never_accepted() {
    let scene = Scene::with_events(6);
    let whole = scene.history();
    for head in [Some(scene.head()), None] {
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (at % 8);
            scene.set_history(&bytes);
            match &head {
                Some(head) => scene.set_head(head),
                None => disk::remove(&scene.places.head(&scene.alias)).unwrap(),
            }
            match scene.open() {
                Err(LedgerError::Damaged { source, .. }) => assert!(source.offset <= at as u64, "{at}: {source}"),
                Err(LedgerError::RolledBack { .. }) => assert!(head.is_some() && at == whole.len() - 1),
                // Without a head, a first seal that does not fit looks like another machine's.
                Err(LedgerError::Unauthenticated { .. }) => assert!(head.is_none()),
                Err(other) => panic!("flip at {at}: {other}"),
                Ok((_, records, recovered)) => {
                    assert!(head.is_none() && at == whole.len() - 1, "flip at {at}");
                    assert!(recovered.torn.is_some() && records.len() == 5);
                }
            }
        }
    }
}

#[test]
fn a_crash_before_the_head_was_written_is_no_damage() {
    let scene = Scene::with_events(5);
    let records = scene.open().unwrap().1;
    set_head_back(&scene, &records[..3]);
    let (ledger, found, recovered) = scene.open().unwrap();
    assert_eq!((found.len(), recovered.head), (5, HeadState::Behind { seq: 3 }));
    drop(ledger);
    scene.forget_head();
    assert_eq!(scene.open().unwrap().2.head, HeadState::Absent);
    assert_eq!(scene.open().unwrap().2.head, HeadState::Newest);
}

fn rearranged(arrange: impl Fn(&mut Vec<Vec<u8>>)) -> LedgerError {
    let scene = Scene::with_events(6);
    scene.forget_head();
    let mut lines: Vec<_> = scene
        .history()
        .split_inclusive(|b| *b == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    arrange(&mut lines);
    scene.set_history(&lines.concat());
    scene.refused()
}

#[test]
fn lines_that_were_swapped_repeated_removed_or_added_are_refused_at_their_place() {
    let check = |arrange: fn(&mut Vec<Vec<u8>>), seq: u64| match rearranged(arrange) {
        LedgerError::Damaged { source, .. } => assert_eq!(source.seq, seq, "{source}"),
        other => panic!("{other}"),
    };
    check(|lines| lines.swap(2, 3), 3);
    check(|lines| lines.insert(3, lines[2].clone()), 4);
    check(|lines| drop(lines.remove(2)), 3);
    check(|lines| drop(lines.remove(0)), 1);
    check(|lines| lines.insert(1, b"\n".to_vec()), 2);
    check(|lines| lines.push(b"{}\n".to_vec()), 7);
    check(|lines| lines[3].fill(0), 4);
}

/// Everything an attacker without the key can do: a whole valid chain.
fn forge(scene: &Scene, from: usize) -> Vec<u8> {
    let other = Scene::new();
    let mut bytes = Vec::new();
    let mut prev = GENESIS;
    for (n, line) in scene.history().split_inclusive(|b| *b == b'\n').enumerate() {
        let record = Line::parse(line.strip_suffix(b"\n").unwrap())
            .unwrap()
            .record()
            .unwrap();
        let mut stamped = record.stamped;
        let key = if n < from { scene.key() } else { other.key() };
        if n >= from {
            stamped.iteration += 1;
        }
        let next = Next {
            seq: record.seq,
            prev,
            ts: TS,
            run_id: &scene.run_id,
        };
        let (line, record) = line::encode(&next, &stamped, &key).unwrap();
        prev = record.hash;
        bytes.extend(line);
    }
    bytes
}

#[test]
fn a_chain_without_the_key_is_refused() {
    let scene = Scene::with_events(6);
    let forged = forge(&scene, 3);
    scene.set_history(&forged);
    match scene.refused() {
        LedgerError::Damaged { source, .. } => assert_eq!((source.seq, source.cause), (4, Cause::Mac)),
        other => panic!("{other}"),
    }
    let scene = Scene::with_events(6);
    scene.set_history(&forge(&scene, 0));
    assert!(matches!(scene.refused(), LedgerError::Damaged { source, .. } if source.cause == Cause::Mac));
    scene.forget_head();
    let refused = scene.refused();
    assert!(matches!(
        refused,
        LedgerError::Unauthenticated {
            why: Unvouched::OtherKey,
            ..
        }
    ));
    assert!(refused.hint().unwrap().contains("onus repair courses-api --adopt"));
}

#[test]
fn another_history_sealed_with_the_right_key_is_not_this_run() {
    let scene = Scene::with_events(3);
    let rewritten = {
        let mut next = Next {
            seq: 1,
            prev: GENESIS,
            ts: TS,
            run_id: &scene.run_id,
        };
        let mut bytes = Vec::new();
        for event in events(4).iter().rev() {
            let (line, record) = line::encode(&next, event, &scene.key()).unwrap();
            (next.seq, next.prev) = (next.seq + 1, record.hash);
            bytes.extend(line);
        }
        bytes
    };
    scene.set_history(&rewritten);
    assert!(matches!(scene.refused(), LedgerError::HeadDiffers { seq: 3, .. }));

    let other = onus_model::Alias::new("other-run").unwrap();
    fs::create_dir(scene.places.run_dir(&other)).unwrap();
    fs::copy(scene.places.history(&scene.alias), scene.places.history(&other)).unwrap();
    match Ledger::open(&scene.places, &other) {
        Err(LedgerError::Damaged { source, .. }) => assert!(matches!(source.cause, Cause::Run(_)), "{source}"),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("accepted a copy under another name"),
    }
}

#[test]
fn without_the_key_nothing_is_taken_up() {
    let scene = Scene::with_events(2);
    scene.forget_key();
    assert!(matches!(
        scene.refused(),
        LedgerError::Unauthenticated {
            why: Unvouched::NoKey,
            ..
        }
    ));
    assert!(matches!(
        scene.elsewhere().refused(),
        LedgerError::Unauthenticated {
            why: Unvouched::NoKey,
            ..
        }
    ));
}

#[test]
fn whoever_touches_an_open_history_is_noticed_before_the_next_event() {
    type Touch = fn(&std::path::Path);
    let check = |touch: Touch, expected: Change| {
        let scene = Scene::with_events(3);
        let (mut ledger, ..) = scene.open().unwrap();
        touch(&scene.places.history(&scene.alias));
        match ledger.append(TS, &events(1)) {
            Err(LedgerError::Changed { change, .. }) => assert_eq!(change, expected),
            other => panic!("{expected}: {other:?}"),
        }
        assert!(matches!(ledger.append(TS, &events(1)), Err(LedgerError::Poisoned(_))));
    };
    check(
        |path| {
            OpenOptions::new()
                .append(true)
                .open(path)
                .unwrap()
                .write_all(b"x")
                .unwrap()
        },
        Change::Grown,
    );
    check(
        |path| OpenOptions::new().write(true).open(path).unwrap().set_len(9).unwrap(),
        Change::Cut,
    );
    check(|path| fs::remove_file(path).unwrap(), Change::Deleted);
    check(
        |path| {
            let copy = path.with_extension("copy");
            fs::copy(path, &copy).unwrap();
            fs::rename(&copy, path).unwrap();
        },
        Change::Replaced,
    );
}

/// A disk that fails once, in a known way.
struct Faulty {
    disk: File,
    fault: DiskFault,
}

#[derive(Debug, Clone, Copy)]
enum DiskFault {
    Write(rustix::io::Errno),
    /// This many bytes arrive.
    Short(usize),
    Sync(rustix::io::Errno),
}

impl LogFile for Faulty {
    fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.fault {
            DiskFault::Write(errno) => Err(errno.into()),
            DiskFault::Short(count) => LogFile::append(&mut self.disk, &bytes[..count]),
            DiskFault::Sync(_) => LogFile::append(&mut self.disk, bytes),
        }
    }

    fn sync(&mut self) -> io::Result<()> {
        match self.fault {
            DiskFault::Sync(errno) => Err(errno.into()),
            DiskFault::Write(_) | DiskFault::Short(_) => LogFile::sync(&mut self.disk),
        }
    }

    fn stat(&self) -> io::Result<Stat> {
        LogFile::stat(&self.disk)
    }
}

#[test]
fn a_failing_disk_means_no_answer_no_further_event_and_nothing_lost() {
    use rustix::io::Errno;
    let check = |fault: DiskFault, stage: AppendStage, kind: io::ErrorKind| {
        for acknowledged in 1..4u32 {
            let scene = Scene::with_events(acknowledged);
            let (mut ledger, before, _) = scene.open().unwrap();
            let path = scene.places.history(&scene.alias);
            let disk = OpenOptions::new().append(true).open(path).unwrap();
            ledger.log = Box::new(Faulty { disk, fault });
            let error = ledger.append(TS, &events(2)).unwrap_err();
            assert!(
                matches!(error, LedgerError::Append { stage: at, .. } if at == stage),
                "{fault:?}: {error}"
            );
            assert_eq!(error.io_kind(), Some(kind));
            assert!(std::error::Error::source(&error).is_some());
            assert!(matches!(ledger.append(TS, &events(1)), Err(LedgerError::Poisoned(_))));
            drop(ledger);
            // What was acknowledged is there; what was not may be, whole events of it only.
            let (mut ledger, after, _) = scene.open().unwrap();
            assert_eq!(after[..before.len()], before, "{fault:?}");
            assert!(after.len() <= before.len() + 2);
            ledger.append(TS, &events(1)).unwrap();
            drop(ledger);
            assert_eq!(scene.open().unwrap().1.len(), after.len() + 1);
        }
    };
    check(
        DiskFault::Write(Errno::NOSPC),
        AppendStage::Write,
        io::ErrorKind::StorageFull,
    );
    check(
        DiskFault::Write(Errno::DQUOT),
        AppendStage::Write,
        io::ErrorKind::QuotaExceeded,
    );
    check(
        DiskFault::Write(Errno::ROFS),
        AppendStage::Write,
        io::ErrorKind::ReadOnlyFilesystem,
    );
    for count in [0, 1, 7, 400, 900] {
        check(DiskFault::Short(count), AppendStage::Write, io::ErrorKind::WriteZero);
    }
    check(
        DiskFault::Sync(Errno::NOSPC),
        AppendStage::Sync,
        io::ErrorKind::StorageFull,
    );
    let eio = io::Error::from(Errno::IO).kind();
    check(DiskFault::Sync(Errno::IO), AppendStage::Sync, eio);
}

#[test]
fn a_full_device_says_so() {
    let scene = Scene::with_events(1);
    let (mut ledger, ..) = scene.open().unwrap();
    let mut full = OpenOptions::new().append(true).open("/dev/full").unwrap();
    let error = LogFile::append(&mut full, b"x").unwrap_err();
    ledger.log = Box::new(Faulty {
        disk: full,
        fault: DiskFault::Short(1),
    });
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    // The device is not the file of that name, which is noticed even before the write.
    assert!(matches!(
        ledger.append(TS, &events(1)),
        Err(LedgerError::Changed {
            change: Change::Replaced,
            ..
        })
    ));
}

#[test]
fn an_event_that_cannot_be_recorded_is_refused_before_the_disk_is_touched() {
    let scene = Scene::with_events(1);
    let (mut ledger, ..) = scene.open().unwrap();
    for ts in ["", "a\"b", "a\\b", "a b", "a\nb", "é"] {
        assert!(
            matches!(ledger.append(ts, &events(1)), Err(LedgerError::BadTimestamp(_))),
            "{ts:?}"
        );
    }
    let message = "x".repeat(line::LINE_BYTES_MAX);
    let reason = "huge".to_owned();
    let huge = stamp(Event::Failed { reason, message });
    assert!(matches!(
        ledger.append(TS, &[huge]),
        Err(LedgerError::LineTooLong { .. })
    ));
    assert_eq!(ledger.append(TS, &events(1)).unwrap()[0].seq, 2);
}

#[test]
fn a_tail_longer_than_any_line_is_damage() {
    let scene = Scene::with_events(1);
    let mut bytes = scene.history();
    bytes.resize(bytes.len() + line::LINE_BYTES_MAX + 1, 0);
    scene.set_history(&bytes);
    assert!(matches!(scene.refused(), LedgerError::Damaged { source, .. } if source.cause == Cause::TooLong));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_in_any_batches_survives_a_crash_anywhere(
        batches in proptest::collection::vec(proptest::collection::vec((any::<String>(), any::<String>()), 1..4), 1..5),
        place in any::<proptest::sample::Index>(),
    ) {
        let scene = Scene::new();
        let batch = |texts: &[(String, String)]| -> Vec<Stamped> {
            let failed = |(reason, message): &(String, String)| Event::Failed { reason: reason.clone(), message: message.clone() };
            texts.iter().map(failed).map(stamp).collect()
        };
        let (mut ledger, mut written) =
            Ledger::create(&scene.places, &scene.alias, scene.run_id.clone(), TS, &batch(&batches[0])).unwrap();
        for texts in &batches[1..] {
            written.extend(ledger.append(TS, &batch(texts)).unwrap());
        }
        drop(ledger);
        let whole = scene.history();
        let first = line_ends(&whole)[0];
        let cut = first + place.index(whole.len() - first + 1);
        scene.set_history(&whole[..cut]);
        scene.forget_head();
        let (_, records, recovered) = scene.open().unwrap();
        let ends = line_ends(&whole[..cut]);
        prop_assert_eq!(&records, &written[..ends.len()]);
        let torn = (cut - ends[ends.len() - 1]) as u64;
        prop_assert_eq!(recovered.torn.map_or(0, |torn| torn.bytes_dropped), torn);
    }
}
