//! The command line of Onus. It turns flags into the engine's verbs and events into words; it decides nothing.

mod cli;
mod commands;
mod fault;
mod problems;
mod setup;
mod surroundings;
mod terminal;
mod watch;

use clap::Parser as _;
use onus_model::ExitCode;

use crate::cli::{Cli, Command};
use crate::fault::Fault;
use crate::surroundings::Surroundings;

fn main() -> std::process::ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // clap knows which of help, version and error this is, and where each belongs.
            let _ = error.print();
            return match error.exit_code() {
                0 => ExitCode::Passed.into_process(),
                _ => ExitCode::Usage.into_process(),
            };
        }
    };
    match dispatch(cli) {
        Ok(code) => code.into_process(),
        Err(fault) => {
            terminal::say(&fault.text());
            fault.exit.into_process()
        }
    }
}

fn dispatch(cli: Cli) -> Result<ExitCode, Fault> {
    let around = Surroundings::read(&cli.global)?;
    match cli.command {
        Command::Run(args) => commands::run::run(&around, &args),
        Command::Resume(args) => commands::resume::run(&around, &args),
        Command::Check(args) => commands::check::run(&around, &args),
        Command::Init(args) => commands::init::run(&around, &args),
        Command::Contract(args) => commands::contract::run(&around, &args.command),
        Command::Status(args) => commands::status::run(&around, &args),
        Command::Stop(args) => commands::stop::run(&around, &args),
        Command::List(args) => commands::list::run(&around, &args),
        Command::History(args) => commands::history::run(&around, &args),
        Command::Explain(args) => commands::explain::run(&around, &args),
        Command::Clean(args) => commands::clean::run(&around, &args),
        Command::Verify(args) => commands::verify::run(&around, &args),
        Command::Repair(args) => commands::repair::run(&around, &args),
        Command::Replay(args) => commands::replay::run(&around, &args),
        Command::Preset(args) => commands::preset::run(&around, args.command),
        Command::Schema(args) => commands::schema::run(&args),
        Command::Completions(args) => commands::completions::run(&args),
        Command::Doctor(args) => commands::doctor::run(&around, &args),
    }
}

/// The model's exit codes as the process's.
trait IntoProcess {
    fn into_process(self) -> std::process::ExitCode;
}

impl IntoProcess for ExitCode {
    fn into_process(self) -> std::process::ExitCode {
        std::process::ExitCode::from(self.code())
    }
}
