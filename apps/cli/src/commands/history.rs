//! `onus history`: the events of a loop.

use onus_engine::shelf::{Seen, distrust, look};
use onus_model::{ExitCode, Record};
use onus_views::{foreign_timeline, timeline};

use crate::cli::HistoryArgs;
use crate::fault::Fault;
use crate::surroundings::Surroundings;
use crate::terminal::{out, say};

pub(crate) fn run(around: &Surroundings, args: &HistoryArgs) -> Result<ExitCode, Fault> {
    let project = around.project()?;
    let alias = around.some_alias(&project, args.alias.as_ref())?;
    match look(&project, &alias)? {
        Seen::Ours { history, .. } => {
            let wanted = |record: &&Record| args.iteration.is_none_or(|n| record.stamped.iteration == n);
            let records: Vec<Record> = history.records.iter().filter(wanted).cloned().collect();
            if args.json {
                for record in &records {
                    out(&format!("{}\n", serde_json::json!(record)));
                }
            } else {
                out(&timeline(&records));
            }
            if let Some(why) = distrust(&history) {
                say(&format!(
                    "\nwarning: this history does not hold: {why}\nhint: `onus verify {alias}` says more\n"
                ));
                return Ok(ExitCode::Integrity);
            }
        }
        Seen::Foreign { history, .. } if args.json => {
            for line in &history.lines {
                out(&format!("{line}\n"));
            }
        }
        Seen::Foreign { history, .. } => out(&foreign_timeline(&history.lines)),
    }
    Ok(ExitCode::Passed)
}
