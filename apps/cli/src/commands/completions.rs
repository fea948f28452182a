//! `onus completions`: a completion script for a shell.

use clap::CommandFactory as _;
use onus_model::ExitCode;

use crate::cli::{Cli, CompletionsArgs};
use crate::fault::Fault;
use crate::terminal::out;

pub(crate) fn run(args: &CompletionsArgs) -> Result<ExitCode, Fault> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "onus", &mut script);
    out(&String::from_utf8_lossy(&script));
    Ok(ExitCode::Passed)
}
