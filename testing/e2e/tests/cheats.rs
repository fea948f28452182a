//! Seventy-one ways to look done without being done: each is caught, and its honest twin passes.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

#[path = "cheats/checks.rs"]
mod checks;
#[path = "cheats/completion.rs"]
mod completion;
#[path = "cheats/contract.rs"]
mod contract;
#[path = "cheats/evidence.rs"]
mod evidence;
#[path = "cheats/judged.rs"]
mod judged;
#[path = "cheats/judges.rs"]
mod judges;
#[path = "cheats/stage.rs"]
mod stage;

use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};

use stage::{Cheat, Outcome};

/// C01 to C71; the rest of the list is about the sandbox.
const CHEATS: usize = 71;

/// Most of a row is waiting for programs.
const WORKERS: usize = 4;

fn rows() -> Vec<&'static Cheat> {
    let parts = [
        completion::CHEATS,
        checks::CHEATS,
        contract::CHEATS,
        evidence::CHEATS,
        judges::CHEATS,
    ];
    parts.into_iter().flatten().collect()
}

#[test]
fn every_cheat_of_the_list_has_one_row() {
    let ids: Vec<&str> = rows().iter().map(|row| row.id).collect();
    let expected: Vec<String> = (1..=CHEATS).map(|number| format!("C{number:02}")).collect();
    assert_eq!(ids, expected);
}

/// `ONUS_CHEATS=C14,C15` looks at these rows only, and prints all that was said.
#[test]
fn cheats_are_caught_and_honest_twins_pass() {
    let chosen = std::env::var("ONUS_CHEATS").ok();
    let is_chosen = |row: &&Cheat| chosen.as_ref().is_none_or(|ids| ids.split(',').any(|id| id == row.id));
    let rows: Vec<&Cheat> = rows().into_iter().filter(is_chosen).collect();
    let outcomes = play(&rows);

    let mut table = String::from("id | cheat | caught by | cheat: what happened | honest twin\n---|---|---|---|---\n");
    let (mut caught, mut alarms, mut wrong) = (0, 0, String::new());
    for (row, outcome) in rows.iter().zip(&outcomes) {
        let (is_caught, is_alarm) = (outcome.is_caught(row), outcome.is_false_alarm(row));
        caught += usize::from(is_caught);
        alarms += usize::from(is_alarm);
        let Cheat {
            id,
            what,
            caught_by,
            says,
            ..
        } = row;
        let happened = if is_caught {
            format!("exit {}: {says}", outcome.cheat.0)
        } else {
            "NOT CAUGHT".to_owned()
        };
        let twin = if is_alarm { "FALSE ALARM" } else { "passed" };
        writeln!(table, "{id} | {what} | {caught_by} | {happened} | {twin}").unwrap();
        if !is_caught || is_alarm || chosen.is_some() {
            let Outcome { cheat, honest } = outcome;
            writeln!(wrong, "\n=== {id} wants: {says}").unwrap();
            writeln!(wrong, "--- cheat: exit {}\n{}", cheat.0, cheat.1).unwrap();
            writeln!(wrong, "--- honest: exit {}\n{}", honest.0, honest.1).unwrap();
        }
    }
    println!("{table}");
    println!("{caught} of {} caught, {alarms} false alarms", rows.len());
    assert!(caught == rows.len() && alarms == 0, "{wrong}");
    if chosen.is_some() {
        println!("{wrong}");
    } else {
        assert_eq!(rows.len(), CHEATS);
    }
}

/// The outcome of each row, in the order of the rows.
fn play(rows: &[&Cheat]) -> Vec<Outcome> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(row) = rows.get(index) else { return done };
            done.push((index, Outcome::of(row)));
        }
    };
    let mut outcomes: Vec<(usize, Outcome)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    outcomes.sort_by_key(|(index, _)| *index);
    outcomes.into_iter().map(|(_, outcome)| outcome).collect()
}
