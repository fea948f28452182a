//! Many processes at one run: some want to work on it, some only look.

use std::process::Child;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use crate::read_until;
use crate::story::{ALIAS, Story, owed, uncut, whole_lines};

#[test]
fn of_many_resumes_one_works_and_the_others_are_told_who() {
    const ROUNDS: usize = 10;
    const RESUMES: usize = 8;
    let began = Instant::now();
    uncut();
    let (mut held, mut named, mut late) = (0, 0, 0);
    for round in 0..ROUNDS {
        let story = Story::new();
        story.hold("first", "critique");
        let mut first = story.run("first").spawn().unwrap();
        story.held("first", "critique");
        first.kill().unwrap();
        first.wait().unwrap();
        story.release("first", "critique");
        let dead = first.id().to_string();
        let left = story.history().unwrap();
        let (whole, records) = whole_lines(&left);

        let lives: Vec<String> = (0..RESUMES).map(|n| format!("resume-{n}")).collect();
        let children: Vec<Child> = lives.iter().map(|life| story.resume(life).spawn().unwrap()).collect();
        let pids: Vec<String> = children.iter().map(|child| child.id().to_string()).collect();
        let mut winners = Vec::new();
        for (life, child) in lives.iter().zip(children) {
            let output = child.wait_with_output().unwrap();
            let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
            match output.status.code() {
                Some(0) => winners.push(life),
                Some(2) if stderr.contains("is held by") => {
                    held += 1;
                    let holder = stderr.split("held by process ").nth(1).and_then(|t| t.lines().next());
                    // Between taking the lock and writing its id, a holder has no name.
                    assert!(
                        holder.is_some() || stderr.contains("held by another process"),
                        "{stderr}"
                    );
                    assert!(
                        holder.is_none_or(|pid| pid == dead || pids.iter().any(|p| p == pid)),
                        "{stderr}"
                    );
                    named += usize::from(holder.is_some());
                }
                Some(2) if stderr.contains("has already ended") => late += 1,
                code => panic!("round {round}, {life}: {code:?} {stderr}"),
            }
        }
        assert_eq!(winners.len(), 1, "round {round}");
        for life in &lives {
            let expected = if life == winners[0] { owed(&records) } else { Vec::new() };
            assert_eq!(story.calls(life), expected, "round {round}: {life}");
        }
        let history = story.history().unwrap();
        assert!(history.starts_with(whole), "round {round}");
        let resumed = whole_lines(&history)
            .1
            .iter()
            .filter(|r| r["event"] == "resumed")
            .count();
        assert_eq!(resumed, 1, "round {round}");
        story.assert_ended_well(&format!("round {round}"));
    }
    eprintln!(
        "concurrent resumes: {ROUNDS} rounds of {RESUMES}, {held} refused ({named} with the process id), {late} came after \
         the end, {:.1?}",
        began.elapsed()
    );
    assert!(named > 0, "nobody was told who works");
}

#[test]
fn looking_at_a_run_never_fails_and_never_disturbs_it() {
    const ROUNDS: usize = 5;
    let looks: [&[&str]; 6] = [
        &["status"],
        &["status", ALIAS, "--json"],
        &["list", "--json"],
        &["history", ALIAS, "--json"],
        &["verify"],
        &["verify", ALIAS, "--json"],
    ];
    let (began, looked) = (Instant::now(), AtomicUsize::new(0));
    uncut();
    for round in 0..ROUNDS {
        let story = Story::new();
        let mut run = story.run("first").spawn().unwrap();
        read_until(&mut run, "run_started");
        let working = AtomicBool::new(true);
        let code = std::thread::scope(|scope| {
            for look in looks {
                let (story, working, looked) = (&story, &working, &looked);
                scope.spawn(move || {
                    while working.load(Ordering::Relaxed) {
                        let told = story.sandbox.onus(look);
                        assert_eq!(
                            told.code,
                            Some(0),
                            "round {round}: {look:?}: {}{}",
                            told.stdout,
                            told.stderr
                        );
                        assert!(
                            !told.stdout.contains("unreadable"),
                            "round {round}: {look:?}: {}",
                            told.stdout
                        );
                        looked.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
            // Its output must be read, or it waits for a reader for ever.
            let mut rest = Vec::new();
            std::io::Read::read_to_end(run.stdout.as_mut().unwrap(), &mut rest).unwrap();
            let code = run.wait().unwrap().code();
            working.store(false, Ordering::Relaxed);
            code
        });
        assert_eq!(code, Some(0), "round {round}");
        assert_eq!(story.calls("first"), uncut().calls, "round {round}");
        assert_eq!(whole_lines(&story.history().unwrap()).1.len(), 16, "round {round}");
        story.assert_ended_well(&format!("round {round}"));
    }
    let looked = looked.into_inner();
    eprintln!("lookers: {ROUNDS} runs, {looked} looks, {:.1?}", began.elapsed());
    assert!(looked >= 30, "{looked}");
}

#[test]
fn of_many_starts_under_one_alias_one_begins() {
    let story = Story::new();
    uncut();
    let lives: Vec<String> = (0..8).map(|n| format!("start-{n}")).collect();
    let children: Vec<Child> = lives.iter().map(|life| story.run(life).spawn().unwrap()).collect();
    let mut winners = Vec::new();
    for (life, child) in lives.iter().zip(children) {
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        match output.status.code() {
            Some(0) => winners.push(life),
            Some(2) => assert!(
                stderr.contains("is held by") || stderr.contains("already has a history"),
                "{stderr}"
            ),
            code => panic!("{life}: {code:?} {stderr}"),
        }
    }
    assert_eq!(winners.len(), 1);
    assert_eq!(story.calls(winners[0]), uncut().calls);
    assert_eq!(whole_lines(&story.history().unwrap()).1.len(), 16);
    story.assert_ended_well("eight starts");
}
