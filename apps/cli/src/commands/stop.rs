//! `onus stop`: end a loop, whoever is working on it.

use std::time::Duration;

use onus_engine::shelf::{Seen, look};
use onus_engine::{EngineError, Project, stop_idle};
use onus_ledger::{LedgerError, files, holder};
use onus_model::{Alias, ExitCode, Status, StopRequest};
use onus_views::{RunFacts, one_line};

use crate::cli::StopArgs;
use crate::commands::print_json;
use crate::fault::Fault;
use crate::surroundings::Surroundings;
use crate::terminal::{out, say};

/// How often a waiting `stop` looks again.
const POLL: Duration = Duration::from_millis(50);

pub(crate) fn run(around: &Surroundings, args: &StopArgs) -> Result<ExitCode, Fault> {
    let project = around.project()?;
    let alias = around.some_alias(&project, args.alias.as_ref())?;
    let facts = stop(around, &project, &alias, args.reason.as_deref(), args.now)?;
    if args.json {
        print_json(&onus_views::run_json(&facts))?;
    } else {
        out(&format!(
            "{alias}: {} ({})\n",
            facts.status,
            one_line(facts.stop_reason(), 200)
        ));
    }
    Ok(ExitCode::Passed)
}

fn stop(
    around: &Surroundings,
    project: &Project,
    alias: &Alias,
    reason: Option<&str>,
    now: bool,
) -> Result<RunFacts, Fault> {
    match stop_idle(project, &around.clock, alias, reason.map(str::to_owned)) {
        Ok(facts) => return Ok(facts),
        Err(EngineError::Ledger(LedgerError::Locked { .. })) => {}
        Err(error) => return Err(error.into()),
    }
    let request = StopRequest {
        reason: reason.map(str::to_owned),
        by: around.user.clone(),
    };
    files::write_stop_request(&project.places, alias, &request)?;
    if now {
        end_the_holder(project, alias)?;
    } else {
        say("waiting for the step in flight to be recorded; `onus stop --now` does not wait\n");
    }
    loop {
        if holder(&project.places, alias)?.is_none() {
            // The holder may have left without ending the run.
            match stop_idle(project, &around.clock, alias, reason.map(str::to_owned)) {
                Ok(facts) => return Ok(facts),
                Err(EngineError::Ledger(LedgerError::Locked { .. })) => {}
                Err(EngineError::Ended { .. }) => return ended(project, alias),
                Err(error) => return Err(error.into()),
            }
        }
        // A process that takes the run up does not answer to what was asked of the one before it.
        if files::read_stop_request(&project.places, alias)?.is_none() {
            files::write_stop_request(&project.places, alias, &request)?;
        }
        std::thread::sleep(POLL);
    }
}

/// Asks the process that holds the run to leave at once; its agents go with it.
fn end_the_holder(project: &Project, alias: &Alias) -> Result<(), Fault> {
    let Some(holder) = holder(&project.places, alias)? else {
        return Ok(());
    };
    let pid = holder
        .pid
        .and_then(|pid| i32::try_from(pid).ok())
        .and_then(rustix::process::Pid::from_raw);
    let Some(pid) = pid else {
        return Err(Fault::new(
            ExitCode::Failed,
            format!("run `{alias}` is held by {holder}, which cannot be signalled"),
        ));
    };
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).map_err(|error| {
        Fault::new(
            ExitCode::Failed,
            format!("cannot signal process {}", pid.as_raw_nonzero()),
        )
        .because(&error)
    })
}

fn ended(project: &Project, alias: &Alias) -> Result<RunFacts, Fault> {
    match look(project, alias)? {
        Seen::Ours { facts, .. } if facts.status != Status::Running => Ok(*facts),
        Seen::Ours { .. } | Seen::Foreign { .. } => Err(Fault::internal(format!("run `{alias}` ended and did not"))),
    }
}
