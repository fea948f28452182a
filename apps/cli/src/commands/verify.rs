//! `onus verify`: are the files what was recorded, and do the decisions follow from the record?

use onus_engine::Project;
use onus_engine::shelf::{Seen, look};
use onus_ledger::{HeadState, LedgerError, ProblemKind, files};
use onus_machine::replay::replay;
use onus_model::{Alias, ExitCode, Stamped};
use onus_views::{for_terminal, run_json_text};
use serde::Serialize;

use crate::cli::VerifyArgs;
use crate::commands::print_json;
use crate::fault::Fault;
use crate::surroundings::Surroundings;
use crate::terminal::{out, say};

#[derive(Serialize)]
struct Verified {
    alias: Alias,
    sound: bool,
    events: u64,
    bytes: u64,
    objects: u64,
    head: String,
    problems: Vec<String>,
    notes: Vec<String>,
    /// Nothing is wrong but that this machine did not seal it.
    #[serde(skip)]
    unvouched: bool,
}

pub(crate) fn run(around: &Surroundings, args: &VerifyArgs) -> Result<ExitCode, Fault> {
    let project = around.project()?;
    let aliases = match &args.alias {
        Some(alias) => vec![alias.clone()],
        None => files::list_aliases(&project.places)?,
    };
    let reports = aliases
        .iter()
        .map(|alias| verify(&project, alias))
        .collect::<Result<Vec<_>, Fault>>()?;
    if args.json {
        print_json(&reports)?;
    } else {
        for report in &reports {
            print(report, around);
        }
        if reports.is_empty() {
            out("no runs\n");
        }
    }
    Ok(if reports.iter().all(|r| r.sound) {
        ExitCode::Passed
    } else {
        ExitCode::Integrity
    })
}

fn print(report: &Verified, around: &Surroundings) {
    let style = around.terminal.style;
    let word = if report.sound {
        style.good("sound")
    } else {
        style.bad("NOT SOUND")
    };
    let Verified {
        alias,
        events,
        bytes,
        objects,
        ..
    } = report;
    out(&format!(
        "{alias}: {word}, {events} events, {bytes} bytes, {objects} artifact{}\n",
        if *objects == 1 { "" } else { "s" }
    ));
    for problem in &report.problems {
        out(&format!("  {}\n", for_terminal(problem)));
    }
    for note in &report.notes {
        out(&format!("  note: {}\n", for_terminal(note)));
    }
    if !report.sound {
        let how = if report.unvouched { "--adopt" } else { "--dry-run" };
        say(&format!(
            "\nhint: `onus repair {alias} {how}` shows what can be put right\n"
        ));
    }
}

/// Another tool's history has nothing that could be verified.
fn foreign(alias: &Alias) -> Verified {
    Verified {
        alias: alias.clone(),
        sound: true,
        events: 0,
        bytes: 0,
        objects: 0,
        head: "none".to_owned(),
        problems: Vec::new(),
        unvouched: false,
        notes: vec!["written by another tool: there is nothing to verify, and Onus vouches for nothing".to_owned()],
    }
}

fn unreadable(alias: &Alias, error: &LedgerError) -> Verified {
    Verified {
        sound: false,
        problems: vec![error.to_string()],
        notes: error.hint().into_iter().collect(),
        ..foreign(alias)
    }
}

const fn head_word(head: HeadState) -> &'static str {
    match head {
        HeadState::Newest => "newest",
        HeadState::Behind { .. } => "behind",
        HeadState::Absent => "absent",
        HeadState::RolledBack { .. } => "rolled_back",
        HeadState::Differs { .. } => "differs",
    }
}

fn verify(project: &Project, alias: &Alias) -> Result<Verified, Fault> {
    let report = match onus_ledger::verify(&project.places, alias) {
        Ok(report) => report,
        Err(LedgerError::Foreign(_)) => return Ok(foreign(alias)),
        Err(error @ LedgerError::NoSuchRun(_)) => return Err(error.into()),
        // One run that cannot be read must not hide the others.
        Err(error) => return Ok(unreadable(alias, &error)),
    };
    let mut problems: Vec<String> = report.problems.iter().map(ToString::to_string).collect();
    let mut notes = Vec::new();
    if report.head == HeadState::Absent {
        notes.push("this machine has no head for this run, so a missing end would not be noticed".to_owned());
    }
    // The chain says who wrote what; this says whether the decisions follow from it.
    if problems.is_empty()
        && let Seen::Ours { facts, history } = look(project, alias)?
    {
        let record: Vec<Stamped> = history.records.iter().map(|r| r.stamped.clone()).collect();
        match replay(&record, None) {
            Ok(again) => problems.extend(again.divergence.filter(|d| d.recorded.is_some()).map(|d| {
                format!(
                    "event {}: the recorded decision does not follow from what was recorded before it",
                    d.at + 1
                )
            })),
            Err(rejected) => problems.push(format!("the record cannot be decided again: {rejected}")),
        }
        let expected = run_json_text(&facts).map_err(|error| Fault::internal("cannot write JSON").because(&error))?;
        let found = files::read_run_json(&project.places, alias)?;
        if found.as_deref() != Some(expected.as_bytes()) && !report.live {
            let what = if found.is_some() {
                "is not what the ledger says"
            } else {
                "is missing"
            };
            problems.push(format!("run.json {what}; `onus repair {alias}` writes it anew"));
        }
    }
    Ok(Verified {
        alias: alias.clone(),
        sound: problems.is_empty(),
        events: report.events,
        bytes: report.bytes,
        objects: report.objects,
        head: head_word(report.head).to_owned(),
        unvouched: report.problems.iter().all(|p| matches!(p.kind, ProblemKind::NoKey)),
        problems,
        notes,
    })
}
