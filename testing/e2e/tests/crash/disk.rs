//! Ledgers that cannot be written: full disks, real and played, and disks that fail.

use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use onus_testkit::{Said, said};

use crate::story::{ALIAS, Story, acknowledged, assert_holds, whole_lines};
use crate::tracer::{Sabotage, Threads, can_trace, count_calls};
use crate::{on_all_cores, take_up};

/// Both names that a history has: it gets the second when its first events are whole.
pub(crate) fn history_files(story: &Story) -> Vec<PathBuf> {
    let dir = story.run_dir();
    vec![dir.join("history.jsonl"), dir.join(".history.jsonl.tmp")]
}

/// A disk that fails, and what must hold whatever way it was made to fail: exit code 6, one message, no event printed that
/// is not on disk.
fn assert_failed_honestly(story: &Story, failed: &Said, context: &str) {
    assert_eq!(failed.code, Some(6), "{context}: {}", failed.stderr);
    assert_eq!(
        failed.stderr.matches("error:").count(),
        1,
        "{context}: {}",
        failed.stderr
    );
    assert!(failed.stderr.contains("ledger"), "{context}: {}", failed.stderr);
    let printed = acknowledged(&failed.stdout);
    match story.history() {
        None => assert!(printed.is_empty(), "{context}: acknowledged without a history"),
        Some(left) => assert_holds(&whole_lines(&left).1, &printed, context),
    }
}

/// Every write to the ledger and every sync of it, with every error: the ledger's failures, one by one.
fn fail_each_append(errors: [&'static str; 2]) -> usize {
    let story = Story::new();
    let log = story.sandbox.state().join("trace");
    let counts = count_calls(&story.run("first"), &log, &history_files(&story)).by_the_first_thread;
    assert_eq!(counts["write"], counts["fdatasync"], "{counts:?}");
    assert!(counts["write"] >= 12, "{counts:?}");
    let mut points = Vec::new();
    for call in ["write", "fdatasync"] {
        points.extend((1..=counts[call]).flat_map(|when| errors.map(|what| (call, when, what))));
    }
    on_all_cores(&points, |(call, when, what)| {
        let story = Story::new();
        let sabotage = Sabotage {
            call: (*call).to_owned(),
            when: *when,
            what,
            files: history_files(&story),
            threads: Threads::First,
        };
        let context = format!("{what} at {call} {when}");
        let failed = said(&mut sabotage.on(&story.run("first")));
        assert_failed_honestly(&story, &failed, &context);
        let hinted = failed.stderr.contains("\nhint: free some disk space");
        assert!(*what != "error=ENOSPC" || hinted, "{context}: {}", failed.stderr);
        let printed = acknowledged(&failed.stdout).len();
        let kept = story.history().map_or(0, |left| whole_lines(&left).1.len());
        assert!(
            *call == "fdatasync" || kept == printed,
            "{context}: {kept} events, {printed} acknowledged"
        );
        take_up(&story, &failed, &context);
    });
    points.len()
}

#[test]
fn a_ledger_that_cannot_be_written_or_synced_ends_the_process_and_not_the_run() {
    let began = Instant::now();
    if can_trace() {
        let points = fail_each_append(["error=ENOSPC", "error=EIO"]);
        eprintln!(
            "ENOSPC and EIO on the ledger (strace): {points} points, {:.1?}",
            began.elapsed()
        );
    } else if let Some(left) = SmallDisk::try_new() {
        left.a_full_disk_cuts_an_event_short();
        eprintln!(
            "ENOSPC on the ledger (a real full disk, no strace for EIO): {:.1?}",
            began.elapsed()
        );
    } else {
        // The ledger's own tests put a failing file under it.
        let mut tests = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        tests.args(["test", "--quiet", "--package", "onus-ledger", "--lib", "a_failing_disk"]);
        let told = said(tests.current_dir(env!("CARGO_MANIFEST_DIR")));
        assert!(told.stdout.contains("1 passed"), "{}{}", told.stdout, told.stderr);
        eprintln!("ENOSPC and EIO on the ledger: in-process only (neither strace nor mounts here)");
    }
}

#[test]
fn a_full_disk_stops_a_run_that_goes_on_when_there_is_space_again() {
    match SmallDisk::try_new() {
        Some(disk) => disk.a_full_disk_cuts_an_event_short(),
        None => eprintln!("NOT SHOWN on a real full disk: no mounts for this user"),
    }
}

/// A disk that is too full for the artifact, and not too full for the event that says so: the step fails for want of
/// space, not because of its agent. The run must not be failed for good.
#[test]
fn a_disk_without_room_for_the_artifact_does_not_fail_the_run_for_good() {
    let Some(disk) = SmallDisk::try_new() else {
        eprintln!("NOT SHOWN: no mounts for this user");
        return;
    };
    // 60 KiB are left for an artifact of 300 000 bytes, which comes on standard output.
    let refine = "dd if=/dev/zero of=filler bs=1k 2>/dev/null; truncate -s -60K filler; \
                  printf '# Note\\n\\nBody\\n'; head -c 300000 /dev/zero | tr '\\0' x";
    let days = disk.two_days("refine", refine);
    assert_eq!(days.first.code, Some(6), "{}", days.first.stderr);
    assert_eq!(days.second.code, Some(0), "{}", days.second.stderr);
}

/// A project on a file system of its own, 1 MiB large.
struct SmallDisk {
    story: Story,
}

/// What a run said on the day its disk was full, and on the day after.
struct Days {
    first: Said,
    second: Said,
    left: Vec<u8>,
    history: Vec<u8>,
    verified: Option<i32>,
}

impl SmallDisk {
    /// `None` where this user may not mount anything.
    fn try_new() -> Option<SmallDisk> {
        let try_mount = ["-rm", "sh", "-c", "mount -t tmpfs -o size=64k none /mnt"];
        let mounted = Command::new("unshare").args(try_mount).output();
        mounted
            .is_ok_and(|o| o.status.success())
            .then(|| SmallDisk { story: Story::new() })
    }

    /// Runs the story on the small disk; in its first life, `step` does `act` instead of the usual. Then the space is freed
    /// and the run resumed.
    fn two_days(&self, step: &str, act: &str) -> Days {
        let sandbox = &self.story.sandbox;
        let agent = sandbox.read("agent.sh");
        let act =
            format!("if [ \"$LIFE $ONUS_STEP\" = 'first {step}' ]; then {act}; exit 0; fi\ncase \"$ONUS_STEP\" in");
        sandbox.script("agent.sh", &agent.replace("case \"$ONUS_STEP\" in", &act));
        let onus = |command: &Command| -> String {
            let words = std::iter::once(command.get_program()).chain(command.get_args());
            words.map(|word| format!("'{}' ", word.to_str().unwrap())).collect()
        };
        let (first, second) = (onus(&self.story.run("first")), onus(&self.story.resume("second")));
        let verify = onus(&sandbox.command(["verify", ALIAS]));
        // One shell for all of it: the mount is gone with its last process.
        let days = format!(
            "cp onus.toml agent.sh .. && mount -t tmpfs -o size=1m none \"$PWD\" && cd \"$PWD\" && cp ../onus.toml ../agent.sh . || exit 99
             LIFE=first {first} > ../first.out 2> ../first.err; echo $? > ../first.code
             cp .ai-factory/evolution/{ALIAS}/history.jsonl ../left; rm -f filler
             LIFE=second {second} > ../second.out 2> ../second.err; echo $? > ../second.code
             cp .ai-factory/evolution/{ALIAS}/history.jsonl ../history
             {verify} > ../verify.out 2>&1; echo $? > ../verify.code"
        );
        let mut shell = Command::new("unshare");
        let plain = sandbox.command([""]);
        shell
            .args(["-rm", "sh", "-c", &days])
            .current_dir(sandbox.project())
            .env_clear();
        shell.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
        said(&mut shell).expect(0);
        let read = |name: &str| std::fs::read(sandbox.project().join("..").join(name)).unwrap();
        let text = |name: &str| String::from_utf8(read(name)).unwrap();
        let code = |name: &str| text(name).trim().parse().ok();
        let told = |day: &str| Said {
            code: code(&format!("{day}.code")),
            stdout: text(&format!("{day}.out")),
            stderr: text(&format!("{day}.err")),
        };
        Days {
            first: told("first"),
            second: told("second"),
            left: read("left"),
            history: read("history"),
            verified: code("verify.code"),
        }
    }

    /// An event of more than a page, on a disk without a free page.
    fn a_full_disk_cuts_an_event_short(&self) {
        let critique = "dd if=/dev/zero of=filler bs=1k 2>/dev/null; long=$(printf '%05000d' 0); \
                        echo \"{\\\"issues\\\": [{\\\"rule_id\\\": \\\"a.body\\\", \\\"problem\\\": \\\"$long\\\", \\\"fix_instruction\\\": \\\"write\\\"}]}\"";
        let days = self.two_days("critique", critique);
        let printed = acknowledged(&days.first.stdout);
        assert_eq!(days.first.code, Some(6), "{}", days.first.stderr);
        assert!(
            days.first.stderr.contains("cannot write to ledger"),
            "{}",
            days.first.stderr
        );
        assert!(
            days.first.stderr.contains("hint: free some disk space"),
            "{}",
            days.first.stderr
        );
        let (whole, records) = whole_lines(&days.left);
        assert_eq!(printed.len(), 5);
        assert_eq!(records, printed, "all that was acknowledged, and nothing more");
        assert!(days.left.len() > whole.len(), "the event was cut short");
        assert_eq!(days.second.code, Some(0), "{}", days.second.stderr);
        assert!(days.history.starts_with(whole));
        let resumed = acknowledged(&days.second.stdout);
        assert_eq!(resumed[0]["event"], "tail_repaired");
        assert_eq!(days.verified, Some(0));
    }
}

/// A device that fails is no riddle: the message says what to do about it, as it does for a full one.
#[test]
fn an_input_output_error_on_the_ledger_comes_with_a_hint() {
    if !can_trace() {
        eprintln!("NOT SHOWN: no strace");
        return;
    }
    for call in ["write", "fdatasync"] {
        let story = Story::new();
        let sabotage = Sabotage {
            call: call.to_owned(),
            when: 3,
            what: "error=EIO",
            files: history_files(&story),
            threads: Threads::First,
        };
        let failed = said(&mut sabotage.on(&story.run("first")));
        assert_failed_honestly(&story, &failed, call);
        assert!(failed.stderr.contains("\nhint: "), "{call}: {}", failed.stderr);
    }
}
