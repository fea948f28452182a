//! One file for each command.

pub(crate) mod check;
pub(crate) mod clean;
pub(crate) mod completions;
pub(crate) mod contract;
pub(crate) mod doctor;
mod driving;
pub(crate) mod explain;
pub(crate) mod history;
pub(crate) mod init;
pub(crate) mod list;
pub(crate) mod preset;
pub(crate) mod repair;
pub(crate) mod replay;
pub(crate) mod resume;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod status;
pub(crate) mod stop;
pub(crate) mod verify;

use serde::Serialize;

use crate::fault::Fault;
use crate::terminal::{Terminal, out};

/// Prints a value as pretty JSON.
fn print_json(value: &impl Serialize) -> Result<(), Fault> {
    let text =
        serde_json::to_string_pretty(value).map_err(|error| Fault::internal("cannot write JSON").because(&error))?;
    out(&format!("{text}\n"));
    Ok(())
}

/// One thread is enough: whatever takes long is another process.
fn runtime() -> Result<tokio::runtime::Runtime, Fault> {
    let built = tokio::runtime::Builder::new_current_thread().enable_all().build();
    built.map_err(|error| Fault::internal("the runtime cannot be started").because(&error))
}

/// Asks for a yes before something that cannot be undone. Without a person to ask, the answer is no.
fn confirmed(terminal: &Terminal, question: &str, flag: &str) -> Result<bool, Fault> {
    if !terminal.interactive {
        return Err(Fault::new(
            onus_model::ExitCode::Waiting,
            format!("{question} needs a yes, and there is no terminal to ask on"),
        )
        .hint(format!("pass `{flag}` to say yes")));
    }
    let answer = inquire::Confirm::new(question).with_default(false).prompt();
    match answer {
        Err(error) if crate::setup::broken_off(&error) => Err(Fault::new(
            onus_model::ExitCode::StoppedByUser,
            "broken off; nothing was changed",
        )),
        answer => answer.map_err(|error| crate::setup::dialogue_fault(&error)),
    }
}
