//! `onus check --prove`: whether the checks of a contract can fail.

use std::path::Path;
use std::time::Duration;

use onus_engine::inspect::Judged;
use onus_engine::prove::{MUTANTS_DEFAULT, Progress, Proof, ProveOptions, prove};
use onus_engine::{Clock as _, Project};
use onus_model::{ExitCode, LevelName};
use onus_views::check::prove::{json, text};
use tokio_util::sync::CancellationToken;

use super::{Contract, WIDTH, contract_in};
use crate::cli::CheckArgs;
use crate::commands::{print_json, runtime};
use crate::fault::Fault;
use crate::surroundings::Surroundings;
use crate::terminal::{out, say};

/// Where nobody watches, a line now and then shows that something happens.
const QUIET: Duration = Duration::from_secs(10);

pub(super) fn run(
    around: &Surroundings,
    args: &CheckArgs,
    contract: &Contract,
    project: &Project,
    level: &LevelName,
    path: &Path,
    judged: &Judged,
) -> Result<ExitCode, Fault> {
    let options = ProveOptions {
        mutants_max: args.mutants.map_or(MUTANTS_DEFAULT, usize::from),
        not_work: contract_in(contract, path).iter().map(ToString::to_string).collect(),
    };
    let began = around.clock.elapsed();
    let mut told = began;
    let mut progress = |progress: Progress<'_>| {
        let now = around.clock.elapsed();
        if around.terminal.lively || now.saturating_sub(told) >= QUIET {
            told = now;
            say(&format!("{}\n", line(progress)));
        }
    };
    let (runtime, cancel) = (runtime()?, CancellationToken::new());
    let proof: Proof = runtime.block_on(Box::pin(prove(
        project,
        &contract.spec,
        contract.sha256,
        level,
        judged,
        &options,
        &cancel,
        &mut progress,
    )))?;
    let elapsed = around.clock.elapsed().saturating_sub(began).as_millis();
    let elapsed = u64::try_from(elapsed).unwrap_or(u64::MAX);
    if args.json {
        print_json(&json(&proof, env!("CARGO_PKG_VERSION"), elapsed))?;
    } else {
        out(&text(&proof, around.terminal.style, WIDTH, elapsed));
    }
    Ok(if proof.holds() {
        ExitCode::Passed
    } else {
        ExitCode::NotPassed
    })
}

fn line(progress: Progress<'_>) -> String {
    match progress {
        Progress::Work => "checking the work as it is".to_owned(),
        Progress::Empty => "checking without the work".to_owned(),
        Progress::Base => "checking the base".to_owned(),
        Progress::Mutant { nth, of, mutant } => {
            let fate = if mutant.noticed_by.is_empty() {
                "not noticed"
            } else {
                "noticed"
            };
            format!("{nth}/{of} {fate}: {}", mutant.told())
        }
    }
}
