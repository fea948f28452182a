//! `onus repair`: put a history right. Nothing is deleted; what is cut off goes to quarantine.

use onus_engine::{mend, rebuild};
use onus_ledger::{Cause, Damage, Fault as LedgerFault, plan_repair};
use onus_model::ExitCode;
use onus_views::for_terminal;

use crate::cli::RepairArgs;
use crate::commands::{confirmed, print_json};
use crate::fault::Fault;
use crate::surroundings::Surroundings;
use crate::terminal::{out, say};

pub(crate) fn run(around: &Surroundings, args: &RepairArgs) -> Result<ExitCode, Fault> {
    let project = around.project()?;
    let alias = &args.alias;
    let agree = |question: &str| -> Result<bool, Fault> {
        Ok(!args.dry_run && (args.yes || confirmed(&around.terminal, question, "--yes")?))
    };
    if args.adopt {
        let what = format!(
            "`{alias}`: the history is accepted as it is and sealed with this machine's key; the old file is kept"
        );
        say(&format!("{what}\n"));
        if !agree("Accept this history?")? {
            return Ok(ExitCode::Passed);
        }
        let done = mend::adopt(&project, &around.clock, alias, "accepted with `onus repair --adopt`")?;
        return told(args, "adopted", &done);
    }
    let plan = plan_repair(&project.places, alias)?;
    if plan.fault == LedgerFault::Nothing {
        say(&format!(
            "`{alias}`: the history is whole ({} events); run.json and artifact.md are written anew from it\n",
            plan.keep_events
        ));
        if args.dry_run {
            return Ok(ExitCode::Passed);
        }
        let rebuilt = rebuild(&project, &around.clock, alias, None)?;
        let done = mend::Mended {
            rebuilt,
            quarantined: None,
            bytes_dropped: 0,
        };
        return told(args, "rebuilt", &done);
    }
    say(&format!(
        "`{alias}`: {}\n  keep: {} events, {} bytes\n  cut off and keep in quarantine: {} bytes\n",
        for_terminal(&in_words(&plan.fault)),
        plan.keep_events,
        plan.keep_bytes,
        plan.drop_bytes
    ));
    let question = if plan.drop_bytes > 0 {
        "Cut the history there?"
    } else {
        "Accept the history as it is?"
    };
    if !agree(question)? {
        return Ok(ExitCode::Passed);
    }
    let done = mend::repair(&project, &around.clock, alias, &plan)?;
    told(args, "repaired", &done)
}

fn in_words(fault: &LedgerFault) -> String {
    match fault {
        LedgerFault::Nothing => "the history is whole".to_owned(),
        LedgerFault::Torn => "the last line was cut short".to_owned(),
        LedgerFault::Damaged(Damage {
            cause: Cause::Record(what),
            seq,
            ..
        }) => {
            format!("event {seq} is of a kind this version does not know ({what}); a newer Onus may read it")
        }
        LedgerFault::Damaged(damage) => format!("event {} is damaged: {damage}", damage.seq),
        LedgerFault::RolledBack { head_seq, last_seq } => {
            format!("the history ends at event {last_seq}, but event {head_seq} was recorded")
        }
        LedgerFault::HeadDiffers { seq } => format!("event {seq} is not the one that was recorded"),
    }
}

fn told(args: &RepairArgs, what: &str, done: &mend::Mended) -> Result<ExitCode, Fault> {
    let quarantined = done.quarantined.as_ref().map(|path| path.display().to_string());
    if args.json {
        print_json(&serde_json::json!({
            "alias": args.alias, "result": what, "status": done.rebuilt.facts.status,
            "bytes_dropped": done.bytes_dropped, "quarantined": quarantined,
        }))?;
    } else {
        out(&format!(
            "{}: {what}, it is {}\n",
            args.alias, done.rebuilt.facts.status
        ));
        if let Some(kept) = done.rebuilt.edited {
            out(&format!(
                "  artifact.md was not the recorded one; what lay there is kept as object {kept}\n"
            ));
        }
        if let Some(path) = quarantined {
            out(&format!("  what was there before is kept in {path}\n"));
        }
    }
    Ok(ExitCode::Passed)
}
