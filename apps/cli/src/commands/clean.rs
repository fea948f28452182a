//! `onus clean`: delete the files of loops that have ended.

use std::time::{Duration, SystemTime};

use onus_engine::Project;
use onus_engine::shelf::{Seen, look};
use onus_ledger::{files, holder, objects};
use onus_model::{Alias, ExitCode};

use crate::cli::CleanArgs;
use crate::commands::{confirmed, print_json};
use crate::fault::Fault;
use crate::surroundings::Surroundings;
use crate::terminal::{out, say};

/// Objects younger than this may belong to a step that is about to be recorded.
const OBJECT_AGE_MIN: Duration = Duration::from_secs(3600);

pub(crate) fn run(around: &Surroundings, args: &CleanArgs) -> Result<ExitCode, Fault> {
    let project = around.project()?;
    let (wanted, kept) = match &args.alias {
        Some(alias) => (vec![only_ended(&project, alias)?], Vec::new()),
        None => {
            let all = files::list_aliases(&project.places)?;
            all.into_iter().partition(|alias| only_ended(&project, alias).is_ok())
        }
    };
    for alias in &kept {
        say(&format!("keeping {alias}: it is running\n"));
    }
    for alias in &wanted {
        say(&format!(
            "{} {}\n",
            if args.dry_run { "would delete" } else { "to delete:" },
            project.places.run_dir(alias).display()
        ));
    }
    if wanted.is_empty() {
        say("nothing to delete\n");
    }
    let question = format!(
        "Delete {} run{}?",
        wanted.len(),
        if wanted.len() == 1 { "" } else { "s" }
    );
    let go = !wanted.is_empty() && !args.dry_run && (args.yes || confirmed(&around.terminal, &question, "--yes")?);
    let mut deleted = Vec::new();
    if go {
        for alias in wanted {
            files::remove_run(&project.places, &alias)?;
            files::clear_current_if(&project.places, &alias)?;
            deleted.push(alias);
        }
        objects::collect(&project.places, older_than())?;
    }
    if args.json {
        print_json(&serde_json::json!({ "deleted": deleted, "kept": kept }))?;
    } else if go {
        out(&format!("deleted {}\n", deleted.len()));
    }
    Ok(ExitCode::Passed)
}

/// The alias again, if its run has ended and nobody holds it.
fn only_ended(project: &Project, alias: &Alias) -> Result<Alias, Fault> {
    let status = match look(project, alias) {
        // Nobody here can say whether another tool still works on its run; the person is asked before anything goes.
        Ok(Seen::Foreign { .. }) => "foreign".to_owned(),
        Ok(seen) => seen.summary().status,
        // Unreadable files are somebody's to delete, and nobody can be working on them.
        Err(_) if project.places.run_dir(alias).is_dir() => "unreadable".to_owned(),
        Err(error) => return Err(error.into()),
    };
    if status == "running" || holder(&project.places, alias)?.is_some() {
        return Err(
            Fault::usage(format!("run `{alias}` is running")).hint(format!("`onus stop {alias}` ends it first"))
        );
    }
    Ok(alias.clone())
}

#[allow(clippy::disallowed_methods, reason = "file ages are compared with the wall clock")]
fn older_than() -> SystemTime {
    let now = SystemTime::now();
    now.checked_sub(OBJECT_AGE_MIN).unwrap_or(now)
}
