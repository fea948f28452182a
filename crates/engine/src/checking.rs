//! Running checks: on the artifact to decide a criterion, and on nothing to decide whether a check is one at all.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use onus_checks::{CheckResult, Files, Outcome, RunEnd, control, read_run, repeated};
use onus_ledger::{Durability, objects};
use onus_model::{Check, CheckKind, Digest, Evidence, PreparedCheck};
use onus_runners::{CheckRequest, End, Scratch, Subject, run_check};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::frozen;
use crate::inspect::{Inspector, look};
use crate::world::Tools;

/// What checks are run on.
#[derive(Clone)]
pub(crate) enum Bench {
    /// One document; programs run in the workspace.
    Document(Desk, Arc<[u8]>),
    /// A tree, laid out anew for every program.
    Tree(Arc<Inspector>),
}

/// Where the checks of a document run.
#[derive(Clone)]
pub(crate) struct Desk {
    pub(crate) tools: Arc<Tools>,
    pub(crate) workspace: Arc<Path>,
    /// Files that checks run, as the contract froze them.
    pub(crate) frozen: Arc<BTreeMap<String, Digest>>,
    pub(crate) cancel: CancellationToken,
}

impl Bench {
    async fn run(&self, check: &Check) -> CheckResult {
        match self {
            Bench::Document(desk, bytes) => run_one(desk, check, bytes).await,
            Bench::Tree(inspector) => inspector.check(check).await,
        }
    }
}

/// The results of one criterion's checks, and whether one of them gave more than one.
pub(crate) async fn run_checks(checks: &[Check], bench: &Bench) -> (Vec<CheckResult>, bool) {
    let (mut results, mut any_flaky) = (Vec::new(), false);
    for check in checks {
        let runs = check.repeat.map_or(1, |repeat| repeat.runs.max(1));
        let mut own = Vec::new();
        for _ in 0..runs {
            own.push(bench.run(check).await);
        }
        let (result, flaky) = repeated(own, check.repeat.and_then(|repeat| repeat.need));
        any_flaky |= flaky;
        results.push(result);
    }
    (results, any_flaky)
}

/// Tries each prepared check on an empty artifact and, where that passes, on its counterexample. Only one that can fail
/// counts.
pub(crate) async fn prove(desk: &Desk, prepared: Vec<PreparedCheck>) -> Vec<PreparedCheck> {
    let jobs = prepared.into_iter().map(|mut prepared| {
        let desk = desk.clone();
        async move {
            let on_empty = run_one(&desk, &prepared.check, b"").await;
            let twin = match &prepared.check.counterexample {
                Some(text) => Some((text.as_str(), run_one(&desk, &prepared.check, text.as_bytes()).await)),
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

async fn run_one(desk: &Desk, check: &Check, artifact: &[u8]) -> CheckResult {
    let tools = &desk.tools;
    match &check.kind {
        CheckKind::Executable { command, expected } => {
            if let Some(name) = frozen::changed(command, &desk.frozen, &desk.workspace) {
                return could_not_run(format!(
                    "`{name}`, which this check runs, was changed since the run started"
                ));
            }
            // Programs compete for cores; searches are too short to matter.
            let _turn = tools.turns.acquire().await;
            let not_started = |reason: String| RunEnd::NotStarted { reason };
            let (end, stdout, stderr) = match Scratch::create(&tools.scratch) {
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
                        workspace: &desk.workspace,
                        path: &tools.path,
                        timeout: tools.timeout,
                        output_bytes_max: tools.output_bytes_max,
                    };
                    match run_check(request, &desk.cancel).await {
                        Err(error) => (not_started(error.to_string()), Vec::new(), Vec::new()),
                        Ok(finished) => (
                            run_end(finished.end, tools.timeout, tools.output_bytes_max),
                            finished.stdout.bytes,
                            finished.stderr.bytes,
                        ),
                    }
                }
            };
            // The verdict names this output by its hash. Nothing is decided from the copy, so it may be lost.
            let _ = objects::put(&tools.places, &stdout, Durability::Relaxed);
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
        | CheckKind::Intent(_)
        | CheckKind::Expr(_)
        | CheckKind::Human(_) => {
            let (kind, only) = (check.kind.clone(), OnlyFile(Arc::from(artifact)));
            aside(move || look(&kind, &only)).await
        }
    }
}

/// Looks off the event loop, where it holds nobody else up: looking cannot be interrupted. On it, where there is no thread
/// to be had.
pub(crate) async fn aside(look: impl FnOnce() -> CheckResult + Clone + Send + 'static) -> CheckResult {
    let (tell, told) = tokio::sync::oneshot::channel();
    let there = look.clone();
    let started = std::thread::Builder::new().spawn(move || {
        // Nobody waits any more when the run was left.
        let _ = tell.send(there());
    });
    match started {
        Err(_) => look(),
        Ok(_) => told
            .await
            .unwrap_or_else(|_| could_not_run("the check ended abnormally".to_owned())),
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
        End::Cancelled => RunEnd::Interrupted,
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

/// A check that could show nothing on any work.
pub(crate) fn unusable(why: String) -> CheckResult {
    CheckResult {
        outcome: Outcome::Unusable,
        ..could_not_run(why)
    }
}

/// An artifact as a tree of one file.
#[derive(Clone)]
struct OnlyFile(Arc<[u8]>);

impl Files for OnlyFile {
    fn paths(&self) -> Vec<&str> {
        vec![onus_ledger::ARTIFACT_FILE]
    }

    fn read(&self, path: &str) -> Option<Vec<u8>> {
        (path == onus_ledger::ARTIFACT_FILE).then(|| self.0.to_vec())
    }
}
