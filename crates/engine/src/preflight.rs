//! Before the first agent is asked: every check of the contract runs once.
//!
//! A check that cannot be used at all is a mistake in the contract, and costs nobody an agent's work. What already fails is
//! the baseline that later failures are told apart from.

use std::collections::BTreeSet;
use std::sync::Arc;

use onus_checks as checks;
use onus_ledger::Places;
use onus_model::{
    ArtifactForm, Baseline, CheckKind, CommandLine, Criterion, Digest, GitUse, LoopSpec, Snapshot, Verdict,
    VerdictSource,
};
use onus_runners::Scratch;
use tokio_util::sync::CancellationToken;

use crate::branch::Branch;
use crate::checking::{Bench, Desk, run_checks, side_by_side};
use crate::inspect::{Inspector, Judged, PassedTests};
use crate::open::{NewRun, ready};
use crate::world::Tools;
use crate::{EngineError, Project, area, tree};

/// Takes the baseline of a run that is about to start. Refuses a loop whose agents or checks cannot be used.
pub async fn preflight(project: &Project, new: &mut NewRun, cancel: &CancellationToken) -> Result<(), EngineError> {
    let (_, dir) = ready(project, &new.spec)?;
    let spec = Arc::new(new.spec.clone());
    if spec.artifact == ArtifactForm::File && spec.criteria.iter().all(|c| c.verify.is_empty()) {
        return Ok(());
    }
    let scratch = project.work();
    let unusable = |source| EngineError::Storage {
        attempt: "make a directory in",
        path: scratch.clone(),
        source,
    };
    Project::make_private(&scratch).map_err(unusable)?;
    let own = Scratch::create(&scratch).map_err(unusable)?;
    let tools = Arc::new(Tools::new(project, own.path().to_owned(), &spec.limits));
    let (bench, base, base_sha256) = match spec.artifact {
        ArtifactForm::File => {
            let desk = Desk {
                tools,
                workspace: Arc::from(dir.as_path()),
                frozen: Arc::new(spec.frozen_files.clone()),
                cancel: cancel.clone(),
            };
            (Bench::Document(desk, Arc::from([])), Snapshot::default(), None)
        }
        ArtifactForm::Tree => {
            let base = match spec.git {
                GitUse::Off => tree::take(&project.places, &dir, &runs_below(project, &spec), None)?,
                GitUse::Worktree => {
                    Branch::of(&dir, &project.places, &new.alias).must_be_free()?;
                    Branch::base(&dir, &project.places)?
                }
            };
            let judged = Judged {
                before: PassedTests::new(),
                tree: base.clone(),
                base: Some(base.clone()),
            };
            let sha256 = area::store(&project.places, &base)?;
            let inspector = Inspector::new(tools, judged, &spec.protected, cancel.clone())?;
            (Bench::Tree(Arc::new(inspector)), base, Some(sha256))
        }
    };
    let verdicts = run_once(&spec, &bench, &base).await?;
    if cancel.is_cancelled() {
        return Err(EngineError::Interrupted);
    }
    let tests_sha256 = match &bench {
        Bench::Tree(inspector) => store_tests(&project.places, &inspector.passed_tests())?,
        Bench::Document(..) => None,
    };
    new.baseline = Some(Baseline {
        base_sha256,
        tests_sha256,
        verdicts,
    });
    Ok(())
}

/// Where runs are kept, relative to the workspace: never part of a tree.
pub(crate) fn runs_below(project: &Project, spec: &LoopSpec) -> String {
    let workspace = spec.workspace.trim_end_matches('/');
    match project.root.strip_prefix(workspace) {
        Some(below) if workspace != "." => below.trim_start_matches('/').to_owned(),
        Some(_) | None => project.root.clone(),
    }
}

fn store_tests(places: &Places, tests: &PassedTests) -> Result<Option<Digest>, EngineError> {
    if tests.values().all(BTreeSet::is_empty) {
        return Ok(None);
    }
    area::put_json(places, tests).map(Some)
}

pub(crate) fn load_tests(places: &Places, sha256: &Digest) -> Result<PassedTests, EngineError> {
    area::get_json(places, sha256, "a list of tests")
}

/// Whether a command starts a program of the tree itself.
fn runs_the_work(command: &CommandLine) -> bool {
    match command {
        CommandLine::Argv(argv) => argv
            .first()
            .is_some_and(|program| program.contains('/') && !program.starts_with('/')),
        CommandLine::Shell(line) => line.contains("./"),
    }
}

async fn run_once(spec: &Arc<LoopSpec>, bench: &Bench, base: &Snapshot) -> Result<Vec<Verdict>, EngineError> {
    let runs = |c: &&Criterion| {
        let waits = |kind: &CheckKind| matches!(kind, CheckKind::Expr(_) | CheckKind::Human(_));
        !c.verify.is_empty() && !c.verify.iter().any(|check| waits(&check.kind))
    };
    let jobs = spec.criteria.iter().filter(runs).map(|criterion| {
        let (criterion, bench) = (criterion.clone(), bench.clone());
        let reads: Digest = checks::reads_digest(&criterion, base);
        async move {
            let (results, flaky) = run_checks(&criterion.verify, &bench).await;
            // What a check runs out of the tree may be there once the work is done.
            let fixed = criterion.verify.iter().zip(&results);
            let fixed = fixed.filter(|(check, _)| !check.kind.command().is_some_and(runs_the_work));
            let fixed: Vec<_> = fixed.map(|(_, result)| result.clone()).collect();
            if let Some(why) = checks::unusable(&fixed) {
                return Err(EngineError::Configuration(format!(
                    "criterion `{}` cannot be checked: {why}; no agent was asked",
                    criterion.id
                )));
            }
            Ok(Verdict {
                flaky,
                reads_sha256: Some(reads),
                ..checks::from_checks(&criterion, VerdictSource::Contract, results)
            })
        }
    });
    side_by_side(jobs).await.into_iter().collect()
}
