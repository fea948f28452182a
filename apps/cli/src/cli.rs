//! The command line: every command, flag and help text.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use onus_model::{Alias, LevelName, Score, TaskType};

/// Printed under `--help` and held against the code by a test.
pub(crate) const EXIT_CODES: &str = "Exit codes:
   0  the gate passed
   1  ended without passing
   2  wrong usage of the command line
   3  the loop file or its set-up is wrong
   4  waiting for a person
   5  stopped by the user
   6  failed: an agent, a step or the storage
   7  integrity violation: the files are not what was recorded
  70  internal error";

/// A quality loop around any AI agent: code, never the agent, decides when the work is done.
/// In the type that clap compares.
const MUTANTS_MAX: i64 = onus_engine::prove::MUTANTS_MAX as i64;

#[derive(Debug, Parser)]
#[command(name = "onus", version, after_help = EXIT_CODES, max_term_width = 100, propagate_version = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Global {
    /// Work in this project instead of the current directory
    #[arg(short = 'C', long, global = true, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// When to use colour
    #[arg(long, global = true, value_enum, default_value_t = ColorChoice::Auto, value_name = "WHEN")]
    pub(crate) color: ColorChoice,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a loop for a task to its end
    #[command(visible_alias = "new")]
    Run(Box<RunArgs>),
    /// Go on with a run that was interrupted
    Resume(ResumeArgs),
    /// Evaluate a contract once on what is there, for CI and for hands
    Check(CheckArgs),
    /// Write a contract that fits the project
    Init(InitArgs),
    /// Show, name or examine the contract of a loop file
    Contract(ContractArgs),
    /// Show where a run stands
    Status(OneArgs),
    /// Stop a run
    Stop(StopArgs),
    /// List all runs of the project
    List(JsonArgs),
    /// Show the events of a run
    History(HistoryArgs),
    /// Show how an evaluation came to its score, and what would have been enough
    Explain(ExplainArgs),
    /// Delete the files of runs that have ended
    Clean(CleanArgs),
    /// Check that the files of runs are what was recorded
    Verify(VerifyArgs),
    /// Put right a history that is damaged or was sealed on another machine
    Repair(RepairArgs),
    /// Decide a recorded run once more, as it was or under other limits
    Replay(ReplayArgs),
    /// Show the loops that come with Onus
    Preset(PresetArgs),
    /// Print the JSON schema of a file, an answer or an event
    Schema(SchemaArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Check that this machine and this project are ready
    Doctor(JsonArgs),
}

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// What is to be made
    #[arg(value_name = "TASK")]
    pub(crate) task: Vec<String>,
    /// Read the task from a file
    #[arg(long, value_name = "FILE", conflicts_with = "task")]
    pub(crate) task_file: Option<PathBuf>,
    /// The loop file [default: onus.toml, if there is one]; its directory is the project
    #[arg(short, long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Name of the run [default: made from the task]
    #[arg(long)]
    pub(crate) alias: Option<Alias>,
    /// What an ideal result looks like
    #[arg(long, value_name = "TEXT")]
    pub(crate) ideal: Option<String>,
    /// What kind of artifact is made [default: inferred from the task]
    #[arg(long = "type", value_name = "TYPE", value_parser = task_type)]
    pub(crate) task_type: Option<TaskType>,
    /// Let this command play every role, for example --agent "claude -p"
    #[arg(long, value_name = "COMMAND")]
    pub(crate) agent: Option<String>,
    /// Confirm the success criteria without being asked
    #[arg(long)]
    pub(crate) accept_criteria: bool,
    /// Set and confirm the number of iterations without being asked
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) max_iterations: Option<u32>,
    /// Threshold of a level, for example --threshold B=0.95
    #[arg(long, value_name = "LEVEL=SCORE", value_parser = threshold)]
    pub(crate) threshold: Vec<(LevelName, Score)>,
    /// Stop after so many seconds of completed steps
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_completed_step_seconds: Option<u64>,
    /// Ask every set-up question, also where the task type is clear
    #[arg(long)]
    pub(crate) full_setup: bool,
    /// Copy the final artifact here
    #[arg(long, value_name = "PATH")]
    pub(crate) save_as: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct OutputArgs {
    /// Print every event as a JSON line, and the report last
    #[arg(long)]
    pub(crate) json: bool,
    /// Print only the final report
    #[arg(short, long, conflicts_with = "json")]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ResumeArgs {
    /// The run [default: the active one]
    pub(crate) alias: Option<Alias>,
    /// Copy the final artifact here
    #[arg(long, value_name = "PATH")]
    pub(crate) save_as: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// A directory or a file [default: the project]
    pub(crate) path: Option<PathBuf>,
    /// The contract [default: onus.toml of the project]
    #[arg(long, value_name = "FILE")]
    pub(crate) contract: Option<PathBuf>,
    /// What the work began from: a git revision, or a directory. Protected paths are taken from it
    #[arg(long, value_name = "REVISION|DIR")]
    pub(crate) base: Option<String>,
    /// Evaluate at this level [default: the last]
    #[arg(long)]
    pub(crate) level: Option<LevelName>,
    /// Instead check the checks: which of them fail on nothing, on the base, or on the work with one change
    #[arg(long, conflicts_with_all = ["sarif", "junit"])]
    pub(crate) prove: bool,
    /// Try so many changes [default: 20]
    #[arg(long, value_name = "N", requires = "prove", value_parser = clap::value_parser!(u16).range(1..=MUTANTS_MAX))]
    pub(crate) mutants: Option<u16>,
    /// Also write the result as SARIF
    #[arg(long, value_name = "FILE")]
    pub(crate) sarif: Option<PathBuf>,
    /// Also write the result as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// Only print what would be written
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ContractArgs {
    #[command(subcommand)]
    pub(crate) command: ContractCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ContractCommand {
    /// Print the whole contract as it would be frozen
    Show(ContractFileArgs),
    /// Print its hash as `onus check` uses it: SHA-256 of its canonical JSON (RFC 8785); a run's own is in `onus status`
    Hash(ContractFileArgs),
    /// Find criteria that cannot fail, cannot matter or cannot be reached
    Lint(ContractFileArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ContractFileArgs {
    /// The contract [default: onus.toml of the project]
    pub(crate) file: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct OneArgs {
    /// The run [default: the active one]
    pub(crate) alias: Option<Alias>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct JsonArgs {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct StopArgs {
    /// The run [default: the active one]
    pub(crate) alias: Option<Alias>,
    /// Why [default: user_stop]
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
    /// End the step in flight instead of waiting for its result
    #[arg(long)]
    pub(crate) now: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct HistoryArgs {
    /// The run [default: the active one]
    pub(crate) alias: Option<Alias>,
    /// Only this iteration
    #[arg(long, value_name = "N")]
    pub(crate) iteration: Option<u32>,
    /// Print the records as JSON lines
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The run [default: the active one]
    pub(crate) alias: Option<Alias>,
    /// The last evaluation of this iteration [default: of the run]
    #[arg(long, value_name = "N")]
    pub(crate) iteration: Option<u32>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CleanArgs {
    /// The run to delete
    #[arg(required_unless_present = "all")]
    pub(crate) alias: Option<Alias>,
    /// Every run that has ended
    #[arg(long, conflicts_with = "alias")]
    pub(crate) all: bool,
    /// Delete without asking
    #[arg(short, long)]
    pub(crate) yes: bool,
    /// Only say what would be deleted
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// The run [default: all]
    pub(crate) alias: Option<Alias>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RepairArgs {
    pub(crate) alias: Alias,
    /// Accept a history that this machine did not write, and seal it with this machine's key
    #[arg(long)]
    pub(crate) adopt: bool,
    /// Only say what would be done
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Do it without asking
    #[arg(short, long)]
    pub(crate) yes: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// The run [default: the active one]
    pub(crate) alias: Option<Alias>,
    /// Decide under another value: `threshold=0.9`, `threshold.A=0.7`, `max_iterations=2`, `delta_min=0.05`, `count_max=3`
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) what_if: Vec<String>,
    /// Also print what the live run printed
    #[arg(long)]
    pub(crate) print: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PresetArgs {
    #[command(subcommand)]
    pub(crate) command: PresetCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PresetCommand {
    /// List the presets
    List(JsonArgs),
    /// Print a preset
    Show { name: String },
    /// Write a preset's loop file and prompts into a directory, to be changed
    Eject {
        name: String,
        /// Where to [default: the project]
        #[arg(long, value_name = "DIR")]
        into: Option<PathBuf>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct SchemaArgs {
    /// Which one [default: list them]
    pub(crate) name: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    pub(crate) shell: clap_complete::Shell,
}

fn task_type(text: &str) -> Result<TaskType, String> {
    let wanted = text.replace('-', "_");
    let found = TaskType::ALL.into_iter().find(|t| t.name() == wanted);
    found.ok_or_else(|| {
        let names: Vec<_> = TaskType::ALL.iter().map(|t| t.name()).collect();
        format!("expected one of {}", names.join(", "))
    })
}

fn threshold(text: &str) -> Result<(LevelName, Score), String> {
    let (level, score) = text.split_once('=').ok_or("expected LEVEL=SCORE, for example B=0.9")?;
    let level = LevelName::new(level).map_err(|e| e.to_string())?;
    let score: f64 = score.parse().map_err(|_| format!("`{score}` is not a number"))?;
    Ok((level, Score::try_from(score).map_err(|e| e.to_string())?))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;
    use onus_model::ExitCode;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_help_names_every_exit_code() {
        let lines: Vec<String> = ExitCode::ALL
            .iter()
            .map(|code| format!("{:>4}  {}", code.code(), code.meaning()))
            .collect();
        assert_eq!(EXIT_CODES, format!("Exit codes:\n{}", lines.join("\n")));
    }
}
