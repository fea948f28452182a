//! `onus explain`: how an evaluation came to its score, and what would have been enough.

use onus_engine::shelf::{Seen, distrust, look};
use onus_machine::explain;
use onus_model::{Event, ExitCode, Record, Scorecard};
use onus_views::explanation_text;

use crate::cli::ExplainArgs;
use crate::commands::print_json;
use crate::fault::Fault;
use crate::surroundings::Surroundings;
use crate::terminal::{out, say};

pub(crate) fn run(around: &Surroundings, args: &ExplainArgs) -> Result<ExitCode, Fault> {
    let project = around.project()?;
    let alias = around.some_alias(&project, args.alias.as_ref())?;
    let Seen::Ours { facts, history } = look(&project, &alias)? else {
        return Err(Fault::configuration(format!(
            "run `{alias}` was written by another program, which did not record its contract"
        ))
        .hint(format!("`onus history {alias}` shows its events")));
    };
    let Some((iteration, card)) = evaluation(&history.records, args.iteration) else {
        let when = args.iteration.map(|n| format!(" in iteration {n}")).unwrap_or_default();
        return Err(Fault::usage(format!("run `{alias}` has no evaluation{when}"))
            .hint(format!("`onus history {alias}` shows what was done")));
    };
    let explanation = explain(&facts.spec, card);
    if args.json {
        print_json(&explanation)?;
    } else {
        let title = format!("{alias}, iteration {iteration}");
        out(&explanation_text(&explanation, &title, around.terminal.style));
    }
    if let Some(why) = distrust(&history) {
        say(&format!(
            "\nwarning: this history does not hold: {why}\nhint: `onus verify {alias}` says more\n"
        ));
        return Ok(ExitCode::Integrity);
    }
    Ok(ExitCode::Passed)
}

/// The last evaluation, of one iteration or of all, and its iteration.
fn evaluation(records: &[Record], iteration: Option<u32>) -> Option<(u32, &Scorecard)> {
    let wanted = |record: &&Record| iteration.is_none_or(|n| record.stamped.iteration == n);
    records.iter().rev().filter(wanted).find_map(|record| {
        let Event::EvaluationDone { scorecard, .. } = &record.stamped.event else {
            return None;
        };
        Some((record.stamped.iteration, &**scorecard))
    })
}
