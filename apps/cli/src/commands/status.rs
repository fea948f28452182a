//! `onus status`: where a loop stands, by its ledger.

use onus_engine::shelf::{Seen, distrust, look};
use onus_ledger::holder;
use onus_model::ExitCode;
use onus_views::{run_json, status_text};

use crate::cli::OneArgs;
use crate::commands::print_json;
use crate::fault::Fault;
use crate::surroundings::Surroundings;
use crate::terminal::{out, say};

pub(crate) fn run(around: &Surroundings, args: &OneArgs) -> Result<ExitCode, Fault> {
    let project = around.project()?;
    let Some(alias) = around.alias(&project, args.alias.as_ref())? else {
        if args.json {
            print_json(&serde_json::Value::Null)?;
        } else {
            out("no run is active\n");
            say("\nhint: `onus list` shows all runs, `onus run` starts one\n");
        }
        return Ok(ExitCode::Passed);
    };
    match look(&project, &alias)? {
        Seen::Ours { facts, history } => {
            if args.json {
                print_json(&run_json(&facts))?;
            } else {
                out(&status_text(&facts, around.terminal.style));
            }
            if let Some(why) = distrust(&history) {
                say(&format!(
                    "\nwarning: this history does not hold: {why}\nhint: `onus verify {alias}` says more\n"
                ));
                return Ok(ExitCode::Integrity);
            }
            if facts.status == onus_model::Status::Running && holder(&project.places, &alias)?.is_none() {
                say(&format!(
                    "\nhint: no process is working on it; `onus resume {alias}` goes on\n"
                ));
            }
        }
        Seen::Foreign { summary, .. } if args.json => print_json(&summary)?,
        Seen::Foreign { summary, .. } => {
            out(&onus_views::list_table(&[summary]));
            say("\nnote: this history was written by another tool; Onus shows it and vouches for nothing\n");
        }
    }
    Ok(ExitCode::Passed)
}
