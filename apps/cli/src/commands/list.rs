//! `onus list`: all loops of the project.

use onus_engine::shelf::{Seen, distrust, look};
use onus_ledger::files::list_aliases;
use onus_model::ExitCode;
use onus_views::{RunSummary, list_table};

use crate::cli::JsonArgs;
use crate::commands::print_json;
use crate::fault::Fault;
use crate::surroundings::Surroundings;
use crate::terminal::out;

/// What a run says of itself, unless its history does not hold.
fn believed(seen: &Seen) -> RunSummary {
    let summary = seen.summary();
    match seen {
        Seen::Ours { history, .. } if distrust(history).is_some() => RunSummary {
            status: "damaged".to_owned(),
            ..summary
        },
        Seen::Ours { .. } | Seen::Foreign { .. } => summary,
    }
}

pub(crate) fn run(around: &Surroundings, args: &JsonArgs) -> Result<ExitCode, Fault> {
    let project = around.project()?;
    let mut runs = Vec::new();
    for alias in list_aliases(&project.places)? {
        // A run that cannot be read is still a run: hiding it would be a lie.
        runs.push(match look(&project, &alias) {
            Ok(seen) => believed(&seen),
            Err(_) => RunSummary {
                alias: alias.to_string(),
                status: "unreadable".to_owned(),
                iteration: None,
                last_score: None,
                updated_at: String::new(),
            },
        });
    }
    if args.json {
        print_json(&runs)?;
    } else {
        out(&list_table(&runs));
    }
    Ok(ExitCode::Passed)
}
