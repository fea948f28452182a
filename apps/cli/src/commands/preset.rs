//! `onus preset`: the loops that come with Onus.

use onus_ledger::Durability;
use onus_ledger::files::write_view;
use onus_model::ExitCode;
use onus_spec::{eject, preset_text, presets};

use crate::cli::PresetCommand;
use crate::commands::print_json;
use crate::fault::Fault;
use crate::surroundings::Surroundings;
use crate::terminal::out;

pub(crate) fn run(around: &Surroundings, command: PresetCommand) -> Result<ExitCode, Fault> {
    match command {
        PresetCommand::List(args) => {
            let all = presets();
            if args.json {
                let rows: Vec<_> = all
                    .iter()
                    .map(|p| serde_json::json!({ "name": p.name, "summary": p.summary }))
                    .collect();
                print_json(&rows)?;
            } else {
                all.iter().for_each(|p| out(&format!("{:<12} {}\n", p.name, p.summary)));
            }
        }
        PresetCommand::Show { name } => out(preset_text(&name).ok_or_else(|| unknown(&name))?),
        PresetCommand::Eject { name, into } => {
            let files = eject(&name).ok_or_else(|| unknown(&name))?;
            let dir = into.map_or_else(|| around.project_dir(), |dir| around.resolve(&dir));
            let taken: Vec<_> = files
                .iter()
                .filter(|(path, _)| dir.join(path).exists())
                .map(|(path, _)| path.as_str())
                .collect();
            if !taken.is_empty() {
                return Err(Fault::usage(format!(
                    "`{}` is already there in `{}`",
                    taken.join("`, `"),
                    dir.display()
                ))
                .hint("move it away, or pass `--into DIR`"));
            }
            for (path, text) in files {
                let full = dir.join(&path);
                if let Some(parent) = full.parent() {
                    std::fs::create_dir_all(parent).map_err(|error| {
                        Fault::new(ExitCode::Failed, format!("cannot create `{}`", parent.display())).because(&error)
                    })?;
                }
                write_view(&full, text.as_bytes(), Durability::Synced)?;
                out(&format!("{path}\n"));
            }
        }
    }
    Ok(ExitCode::Passed)
}

fn unknown(name: &str) -> Fault {
    let names: Vec<_> = presets().iter().map(|p| format!("`{}`", p.name)).collect();
    Fault::usage(format!("there is no preset `{name}`")).hint(format!("there is {}", names.join(", ")))
}
