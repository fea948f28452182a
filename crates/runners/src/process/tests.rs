use std::{fs, path::Path, sync::Arc};

use super::*;

fn sh(script: &str) -> Spawn {
    Spawn {
        program: "/bin/sh".into(),
        args: vec!["-c".to_owned(), script.to_owned()],
        cwd: "/".into(),
        env: BTreeMap::from([("PATH".to_owned(), "/usr/bin:/bin".to_owned())]),
        marker: None,
        stdin: Vec::new(),
        timeout: Duration::from_secs(10),
        grace: Duration::from_millis(100),
        output_bytes_max: 1 << 20,
    }
}

async fn finish(spawn: Spawn) -> Finished {
    run(spawn, &CancellationToken::new()).await.unwrap()
}

/// Reads what a script wrote to a pipe in `dir`; ends when every writer is gone, without having to guess how long.
async fn read_fifo(path: &Path) -> Vec<u8> {
    let path = path.to_owned();
    tokio::task::spawn_blocking(move || fs::read(path).unwrap())
        .await
        .unwrap()
}

/// A directory with a pipe called `alive`. A process that holds its writing end is seen to live and, by its closing,
/// to die.
async fn with_fifo() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let fifo = dir.path().join("alive");
    let made = finish(sh(&format!("mkfifo '{}'", fifo.display()))).await;
    assert_eq!(made.end, End::Exited(0));
    (dir, fifo)
}

#[tokio::test]
async fn ends_are_told_apart() {
    for (script, end) in [
        ("exit 0", End::Exited(0)),
        ("exit 3", End::Exited(3)),
        ("kill -9 $$", End::Signaled(9)),
        ("kill -TERM $$", End::Signaled(15)),
    ] {
        assert_eq!(finish(sh(script)).await.end, end, "{script}");
    }
}

#[tokio::test]
async fn bytes_come_back_as_they_were_written() {
    let finished = finish(sh(r"printf '\377\000a\n'; printf 'oops' >&2")).await;
    assert_eq!(finished.stdout.bytes, b"\xff\0a\n");
    assert_eq!(finished.stderr.bytes, b"oops");
    assert!(!finished.stdout.is_truncated());
}

#[tokio::test]
async fn a_timeout_kills_the_whole_tree() {
    let (_dir, fifo) = with_fifo().await;
    // The grandchild ignores the polite signal and would say `late` afterwards.
    let script = format!(
        r#"exec 3>'{}'; sh -c 'trap "" TERM; echo early >&3; sleep 30; echo late >&3' & sleep 30"#,
        fifo.display()
    );
    let spawn = Spawn {
        timeout: Duration::from_secs(1),
        ..sh(&script)
    };
    let (finished, said) = tokio::join!(finish(spawn), read_fifo(&fifo));
    assert_eq!(finished.end, End::TimedOut);
    assert_eq!(said, b"early\n");
}

#[tokio::test]
async fn an_ignored_term_is_followed_by_kill() {
    let spawn = Spawn {
        timeout: Duration::from_millis(100),
        ..sh("trap '' TERM; while :; do sleep 0.01; done")
    };
    let finished = finish(spawn).await;
    assert_eq!(finished.end, End::TimedOut);
    assert!(finished.elapsed >= Duration::from_millis(200), "{:?}", finished.elapsed);
    assert!(finished.elapsed < Duration::from_secs(5), "{:?}", finished.elapsed);
}

#[tokio::test]
async fn what_a_program_says_on_its_way_out_is_kept() {
    let spawn = Spawn {
        timeout: Duration::from_millis(500),
        grace: Duration::from_secs(5),
        ..sh("trap 'echo saved; exit 0' TERM; while :; do sleep 0.01; done")
    };
    let finished = finish(spawn).await;
    assert_eq!(
        (finished.end, finished.stdout.bytes.as_slice()),
        (End::TimedOut, b"saved\n".as_slice())
    );
}

#[tokio::test]
async fn a_child_left_behind_neither_delays_the_end_nor_outlives_it() {
    let (_dir, fifo) = with_fifo().await;
    let script = format!("exec 3>'{}'; sleep 30 & echo done", fifo.display());
    let (finished, _) = tokio::join!(finish(sh(&script)), read_fifo(&fifo));
    assert_eq!(
        (finished.end, finished.stdout.bytes.as_slice()),
        (End::Exited(0), b"done\n".as_slice())
    );
    assert!(finished.elapsed < Duration::from_secs(5), "{:?}", finished.elapsed);
}

#[tokio::test]
async fn a_child_left_behind_may_finish_what_it_was_saying() {
    let finished = finish(sh("echo early; (sleep 0.02; echo late) &")).await;
    assert_eq!(finished.stdout.bytes, b"early\nlate\n");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_child_in_a_session_of_its_own_is_found_by_the_marker() {
    let (dir, fifo) = with_fifo().await;
    let script = format!("exec 3>'{}'; setsid sleep 30 & exit 0", fifo.display());
    let mut spawn = Spawn {
        marker: Some("MARK"),
        ..sh(&script)
    };
    spawn.env.insert("MARK".to_owned(), dir.path().display().to_string());
    let (finished, _) = tokio::join!(finish(spawn), read_fifo(&fifo));
    assert_eq!(finished.end, End::Exited(0));
}

#[tokio::test]
async fn a_flood_is_cut_and_stopped() {
    let spawn = Spawn {
        output_bytes_max: 1000,
        ..sh("yes")
    };
    let finished = finish(spawn).await;
    assert_eq!(finished.end, End::OutputLimit);
    assert_eq!(finished.stdout.bytes, b"y\n".repeat(500));
    assert!(finished.stdout.is_truncated());
}

#[tokio::test]
async fn the_limit_holds_for_quick_programs_too() {
    for (count, end) in [(1000, End::Exited(0)), (1001, End::OutputLimit)] {
        let spawn = Spawn {
            output_bytes_max: 1000,
            ..sh(&format!("head -c {count} /dev/zero"))
        };
        assert_eq!(finish(spawn).await.end, end, "{count}");
    }
}

#[tokio::test]
async fn of_too_many_complaints_the_last_are_kept() {
    let spawn = Spawn {
        output_bytes_max: 4,
        ..sh("head -c 300000 /dev/zero >&2; printf last >&2")
    };
    let finished = finish(spawn).await;
    assert_eq!(
        (finished.end, finished.stderr.bytes.as_slice()),
        (End::Exited(0), b"last".as_slice())
    );
    assert_eq!(finished.stderr.total, 300_004);
}

#[tokio::test]
async fn input_that_nobody_reads_blocks_nothing() {
    let spawn = Spawn {
        stdin: vec![b'x'; 10 << 20],
        ..sh("echo done")
    };
    assert_eq!(finish(spawn).await.stdout.bytes, b"done\n");
}

#[tokio::test]
async fn input_and_output_flow_at_the_same_time() {
    let input: Vec<u8> = (0..=255).cycle().take(1 << 20).collect();
    assert_eq!(
        finish(Spawn {
            stdin: input.clone(),
            ..sh("cat")
        })
        .await
        .stdout
        .bytes,
        input
    );
}

#[tokio::test]
async fn a_program_that_closed_its_outputs_still_gets_its_input() {
    let dir = tempfile::tempdir().unwrap();
    let copy = dir.path().join("copy");
    let script = format!("exec >/dev/null 2>&1; sleep 0.05; cat > '{}'", copy.display());
    let finished = finish(Spawn {
        stdin: vec![b'x'; 1 << 20],
        ..sh(&script)
    })
    .await;
    assert_eq!(finished.end, End::Exited(0));
    assert_eq!(fs::metadata(copy).unwrap().len(), 1 << 20);
}

#[tokio::test]
async fn a_program_can_be_cancelled() {
    let (_dir, fifo) = with_fifo().await;
    let cancel = CancellationToken::new();
    let script = format!("exec 3>'{}'; sleep 30", fifo.display());
    let cancelling = async {
        let file = fifo.clone();
        // Opening waits for the program to be there.
        let reader = tokio::task::spawn_blocking(move || fs::File::open(file).unwrap())
            .await
            .unwrap();
        cancel.cancel();
        reader
    };
    let (finished, _reader) = tokio::join!(run(sh(&script), &cancel), cancelling);
    assert_eq!(finished.unwrap().end, End::Cancelled);
}

#[tokio::test]
async fn dropping_the_future_kills_the_tree() {
    let (_dir, fifo) = with_fifo().await;
    let cancel = Arc::new(CancellationToken::new());
    let script = format!("exec 3>'{}'; echo here >&3; sleep 30 & sleep 30", fifo.display());
    let task = tokio::spawn({
        let cancel = cancel.clone();
        async move { run(sh(&script), &cancel).await }
    });
    let file = fifo.clone();
    let mut reader = tokio::task::spawn_blocking(move || fs::File::open(file).unwrap())
        .await
        .unwrap();
    task.abort();
    let rest = tokio::task::spawn_blocking(move || {
        let mut rest = Vec::new();
        io::Read::read_to_end(&mut reader, &mut rest).map(|_| rest)
    });
    assert!(rest.await.unwrap().is_ok());
    assert!(task.await.unwrap_err().is_cancelled());
}

#[tokio::test]
async fn what_cannot_start_says_why() {
    let dir = tempfile::tempdir().unwrap();
    let (text, script) = (dir.path().join("text"), dir.path().join("script"));
    fs::write(&text, "text").unwrap();
    fs::write(&script, "#!/no/such/interpreter\n").unwrap();
    let mode = |mode| std::os::unix::fs::PermissionsExt::from_mode(mode);
    fs::set_permissions(&script, mode(0o755)).unwrap();

    let error = async |program: &Path, cwd: &str| {
        let spawn = Spawn {
            program: program.to_owned(),
            cwd: cwd.into(),
            ..sh("")
        };
        run(spawn, &CancellationToken::new()).await.unwrap_err()
    };
    assert!(matches!(
        error(Path::new("/no/such/program"), "/").await,
        SpawnError::ProgramNotFound(_)
    ));
    assert!(matches!(error(&text, "/").await, SpawnError::NotExecutable(_)));
    assert!(matches!(error(&script, "/").await, SpawnError::NotExecutable(_)));
    assert!(matches!(
        error(Path::new("/bin/sh"), "/no/such/dir").await,
        SpawnError::CwdMissing(_)
    ));
}

#[test]
fn a_tail_begins_at_a_whole_character() {
    let said = Captured::from("aé日本".as_bytes().to_vec());
    for (bytes_max, tail) in [
        (0, ""),
        (2, ""),
        (3, "本"),
        (5, "本"),
        (6, "日本"),
        (7, "日本"),
        (8, "é日本"),
        (99, "aé日本"),
    ] {
        assert_eq!(said.tail(bytes_max), tail, "{bytes_max}");
    }
    assert_eq!(Captured::from(b"\xffx".to_vec()).tail(2), "\u{fffd}x");
}
