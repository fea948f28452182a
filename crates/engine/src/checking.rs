//! Running checks: on the artifact to decide a criterion, and on nothing to decide whether a check is one at all.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use onus_checks::{CheckResult, Files, Outcome, RunEnd, control, read_run};
use onus_ledger::{Durability, objects};
use onus_model::{Check, CheckKind, Evidence, PreparedCheck};
use onus_runners::{CheckRequest, End, Scratch, Subject, run_check};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::frozen;
use crate::inspect::look;
use crate::world::World;

/// Runs checks side by side, each on its own copy of the artifact. Results come back in the order of the checks.
pub(crate) async fn run_all(
    world: &Arc<World>,
    checks: Vec<Check>,
    artifact: &Arc<[u8]>,
    cancel: &CancellationToken,
) -> Vec<CheckResult> {
    let jobs = checks.into_iter().map(|check| {
        let (world, artifact, cancel) = (Arc::clone(world), Arc::clone(artifact), cancel.clone());
        async move { run_one(&world, &check, &artifact, &cancel).await }
    });
    side_by_side(jobs).await
}

/// Tries each prepared check on an empty artifact and, where that passes, on its counterexample. Only one that can fail
/// counts.
pub(crate) async fn prove(
    world: &Arc<World>,
    prepared: Vec<PreparedCheck>,
    cancel: &CancellationToken,
) -> Vec<PreparedCheck> {
    let jobs = prepared.into_iter().map(|mut prepared| {
        let (world, cancel) = (Arc::clone(world), cancel.clone());
        async move {
            let on_empty = run_one(&world, &prepared.check, b"", &cancel).await;
            let twin = match &prepared.check.counterexample {
                Some(text) => Some((
                    text.as_str(),
                    run_one(&world, &prepared.check, text.as_bytes(), &cancel).await,
                )),
                None => None,
            };
            prepared.control = control(&on_empty, twin.as_ref().map(|(text, result)| (*text, result)));
            prepared
        }
    });
    side_by_side(jobs).await
}

/// Runs futures as tasks and gives their results in the order they came.
pub(crate) async fn side_by_side<T, F>(jobs: impl Iterator<Item = F>) -> Vec<T>
where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
{
    let mut set = JoinSet::new();
    for (place, job) in jobs.enumerate() {
        set.spawn(async move { (place, job.await) });
    }
    let mut results = set.join_all().await;
    results.sort_by_key(|(place, _)| *place);
    results.into_iter().map(|(_, result)| result).collect()
}

async fn run_one(world: &World, check: &Check, artifact: &[u8], cancel: &CancellationToken) -> CheckResult {
    match &check.kind {
        CheckKind::Executable { command, expected } => {
            if let Some(name) = frozen::changed(command, &world.frozen_files, &world.workspace) {
                return could_not_run(format!(
                    "`{name}`, which this check runs, was changed since the run started"
                ));
            }
            // Programs compete for cores; searches are too short to matter.
            let _turn = world.check_turns.acquire().await;
            let not_started = |reason: String| RunEnd::NotStarted { reason };
            let (end, stdout, stderr) = match Scratch::create(&world.scratch) {
                Err(error) => (
                    not_started(format!("cannot create a scratch directory: {error}")),
                    Vec::new(),
                    Vec::new(),
                ),
                Ok(scratch) => {
                    let request = CheckRequest {
                        command,
                        subject: Subject::File {
                            name: onus_ledger::ARTIFACT_FILE,
                            bytes: artifact,
                        },
                        env: &BTreeMap::new(),
                        scratch: scratch.path(),
                        workspace: &world.workspace,
                        path: &world.path,
                        timeout: world.check_timeout,
                        output_bytes_max: world.output_bytes_max,
                    };
                    match run_check(request, cancel).await {
                        Err(error) => (not_started(error.to_string()), Vec::new(), Vec::new()),
                        Ok(finished) => (
                            run_end(finished.end, world.check_timeout, world.output_bytes_max),
                            finished.stdout.bytes,
                            finished.stderr.bytes,
                        ),
                    }
                }
            };
            // The verdict names this output by its hash. Nothing is decided from the copy, so it may be lost.
            let _ = objects::put(&world.places, &stdout, Durability::Relaxed);
            read_run(command, expected, &end, &stdout, &stderr)
        }
        CheckKind::Content { .. }
        | CheckKind::Pattern(_)
        | CheckKind::Schema(_)
        | CheckKind::Tests(_)
        | CheckKind::Lint(_)
        | CheckKind::Coverage(_)
        | CheckKind::Metric(_)
        | CheckKind::Marker(_)
        | CheckKind::Artifact(_)
        | CheckKind::Diff(_)
        | CheckKind::Openapi(_)
        | CheckKind::Links(_)
        | CheckKind::Expr(_)
        | CheckKind::Human(_) => {
            // Looking cannot be interrupted; off the event loop it holds nobody else up.
            let (kind, only) = (check.kind.clone(), OnlyFile(artifact.to_vec()));
            let looked = tokio::task::spawn_blocking(move || look(&kind, &only)).await;
            looked.unwrap_or_else(|error| could_not_run(format!("the check ended abnormally: {error}")))
        }
    }
}

/// How a program ended, in the words of the checks.
pub(crate) fn run_end(end: End, timeout: Duration, output_bytes_max: u64) -> RunEnd {
    match end {
        End::Exited(code) => RunEnd::Exited(code),
        End::Signaled(signal) => RunEnd::Signalled(signal),
        End::TimedOut => RunEnd::TimedOut {
            after_seconds: timeout.as_secs(),
        },
        End::Cancelled => RunEnd::NotStarted {
            reason: "the run was interrupted".to_owned(),
        },
        End::OutputLimit => RunEnd::Flooded {
            bytes_max: output_bytes_max,
        },
    }
}

/// A check that has shown nothing.
pub(crate) fn could_not_run(why: String) -> CheckResult {
    CheckResult {
        outcome: Outcome::CouldNotRun,
        why,
        evidence: Evidence::Files { files: 0 },
        findings: Vec::new(),
    }
}

/// An artifact as a tree of one file.
struct OnlyFile(Vec<u8>);

impl Files for OnlyFile {
    fn paths(&self) -> Vec<&str> {
        vec![onus_ledger::ARTIFACT_FILE]
    }

    fn read(&self, path: &str) -> Option<Vec<u8>> {
        (path == onus_ledger::ARTIFACT_FILE).then(|| self.0.clone())
    }
}
