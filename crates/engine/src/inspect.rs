//! One evaluation of a contract on a tree: for CI, for hands, and before and after the work of a loop.
//!
//! Programs run in trees of their own, laid out from what is stored, with protected paths as they were in the base. What is
//! judged is the stored tree, never the directory it came from.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use onus_checks as checks;
use onus_checks::{CheckResult, Files, Ran, RunEnd};
use onus_machine::scorecard;
use onus_model::{
    Check, CheckKind, CommandLine, Criterion, CriterionId, Digest, LevelName, LoopSpec, Scorecard, Snapshot, Verdict,
    VerdictKind, VerdictSource,
};
use onus_runners::{CheckRequest, Scratch, Subject, run_check};
use tokio_util::sync::CancellationToken;

use crate::checking::{Bench, aside, could_not_run, run_checks, run_end, side_by_side, unusable};
use crate::intent;
use crate::tree::{self, Stored};
use crate::world::Tools;
use crate::{EngineError, Project};

/// The largest report file that is read.
const REPORT_BYTES_MAX: u64 = 64 << 20;

/// A tree to be judged, and the tree the work began from.
#[derive(Debug, Clone)]
pub struct Judged {
    pub tree: Snapshot,
    pub base: Option<Snapshot>,
    /// Tests that passed on the base, where it was looked at: none of them may be gone.
    pub before: PassedTests,
}

/// Names of the tests that passed, by the command that ran them.
pub type PassedTests = BTreeMap<String, BTreeSet<String>>;

/// Evaluates every criterion that is active at `level`. Criteria only a judge or a person could decide fail closed.
pub async fn inspect(
    project: &Project,
    spec: &Arc<LoopSpec>,
    contract: Digest,
    level: &LevelName,
    judged: &Judged,
    cancel: &CancellationToken,
) -> Result<Scorecard, EngineError> {
    let (card, _) = inspect_tests(project, spec, contract, level, judged, cancel).await?;
    Ok(card)
}

/// [`inspect`], and which tests passed.
pub async fn inspect_tests(
    project: &Project,
    spec: &Arc<LoopSpec>,
    contract: Digest,
    level: &LevelName,
    judged: &Judged,
    cancel: &CancellationToken,
) -> Result<(Scorecard, PassedTests), EngineError> {
    let artifact = judged
        .tree
        .sha256()
        .map_err(|error| EngineError::Internal(error.to_string()))?;
    let scratch = project.work();
    Project::make_private(&scratch)
        .map_err(|error| EngineError::Configuration(format!("cannot create `{}`: {error}", scratch.display())))?;
    let tools = Arc::new(Tools::new(project, scratch, &spec.limits));
    let inspector = Arc::new(Inspector::new(tools, judged.clone(), &spec.protected, cancel.clone())?);
    let (plain, derived): (Vec<&Criterion>, Vec<&Criterion>) = spec.active(level).partition(|c| !is_derived(c));
    let jobs = plain.iter().map(|criterion| {
        let (inspector, criterion) = (Arc::clone(&inspector), (*criterion).clone());
        async move {
            if criterion.verify.is_empty() {
                return checks::unchecked(&criterion);
            }
            let (results, flaky) = run_checks(&criterion.verify, &Bench::Tree(inspector)).await;
            Verdict {
                flaky,
                ..checks::from_checks(&criterion, VerdictSource::Contract, results)
            }
        }
    });
    let mut verdicts = side_by_side(jobs).await;
    // Expressions see the others' results, so they come last.
    let derived: Vec<Verdict> = derived.into_iter().map(|c| derive(c, &verdicts)).collect();
    verdicts.extend(derived);
    if cancel.is_cancelled() {
        return Err(EngineError::Interrupted);
    }
    let card = scorecard(spec, contract, level, artifact, &verdicts, &BTreeSet::new());
    Ok((card, inspector.passed_tests()))
}

/// A criterion over the results of others.
pub(crate) fn derive(criterion: &Criterion, verdicts: &[Verdict]) -> Verdict {
    let results: BTreeMap<CriterionId, VerdictKind> = verdicts.iter().map(|v| (v.id.clone(), v.verdict)).collect();
    let own = criterion.verify.iter().map(|check| {
        let CheckKind::Expr(expr) = &check.kind else {
            return could_not_run(format!("`{}` cannot stand beside an expression", check.kind.name()));
        };
        checks::expr(expr, &results)
    });
    checks::from_checks(criterion, VerdictSource::Contract, own.collect())
}

pub(crate) fn is_derived(criterion: &Criterion) -> bool {
    criterion
        .verify
        .iter()
        .any(|check| matches!(check.kind, CheckKind::Expr(_)))
}

/// A tree laid out for every program, with protected paths as they were in the base.
pub(crate) struct Inspector {
    tools: Arc<Tools>,
    /// The tree with protected paths restored.
    seen: Snapshot,
    judged: Judged,
    passed: Mutex<PassedTests>,
    cancel: CancellationToken,
}

impl Inspector {
    pub(crate) fn new(
        tools: Arc<Tools>,
        judged: Judged,
        protected: &[String],
        cancel: CancellationToken,
    ) -> Result<Inspector, EngineError> {
        let seen = tree::with_protected(&judged.tree, judged.base.as_ref(), tree::protected(protected)?);
        Ok(Inspector {
            tools,
            seen,
            judged,
            passed: Mutex::default(),
            cancel,
        })
    }

    /// The tests that passed so far.
    pub(crate) fn passed_tests(&self) -> PassedTests {
        self.passed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) async fn check(self: &Arc<Self>, check: &Check) -> CheckResult {
        match &check.kind {
            CheckKind::Executable { command, expected } => match self.run(command, None).await {
                Ok(ran) => checks::read_run(command, expected, &ran.end, &ran.stdout, &ran.stderr),
                Err(problem) => could_not_run(problem),
            },
            CheckKind::Tests(check) => {
                let manifest = check.manifest.as_ref().map(|path| self.stored().read(path));
                let manifest = match (manifest, &check.manifest) {
                    (Some(None), Some(path)) => return unusable(format!("manifest `{path}` is not in the tree")),
                    (manifest, _) => manifest
                        .flatten()
                        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
                };
                match self.run(&check.command, check.report.as_deref()).await {
                    Ok(ran) => {
                        let key = check.command.to_string();
                        let before = self.judged.before.get(&key);
                        let result = checks::tests(check, &ran, manifest.as_deref(), before);
                        let mut passed = self.passed.lock().unwrap_or_else(PoisonError::into_inner);
                        passed.insert(key, checks::passed_tests(check, &ran));
                        result
                    }
                    Err(problem) => could_not_run(problem),
                }
            }
            CheckKind::Lint(check) => match self.run(&check.command, check.report.as_deref()).await {
                Ok(ran) => checks::lint(check, &ran),
                Err(problem) => could_not_run(problem),
            },
            CheckKind::Metric(check) => match self.run(&check.command, None).await {
                Ok(ran) => checks::metric(check, &ran),
                Err(problem) => could_not_run(problem),
            },
            CheckKind::Coverage(check) => match &check.command {
                None => checks::coverage(check, self.stored().read(&check.report).as_deref(), None),
                Some(command) => match self.run(command, Some(&check.report)).await {
                    Ok(ran) => checks::coverage(check, ran.report.as_deref(), Some(&ran)),
                    Err(problem) => could_not_run(problem),
                },
            },
            CheckKind::Human(check) => could_not_run(format!("only a person can say: {}", check.question)),
            CheckKind::Content { .. }
            | CheckKind::Pattern(_)
            | CheckKind::Schema(_)
            | CheckKind::Marker(_)
            | CheckKind::Artifact(_)
            | CheckKind::Diff(_)
            | CheckKind::Openapi(_)
            | CheckKind::Links(_)
            | CheckKind::Intent(_)
            | CheckKind::Expr(_) => {
                let (inspector, kind) = (Arc::clone(self), check.kind.clone());
                aside(move || inspector.look(&kind)).await
            }
        }
    }

    fn look(&self, kind: &CheckKind) -> CheckResult {
        let CheckKind::Diff(check) = kind else {
            return look(kind, &self.stored());
        };
        match &self.judged.base {
            // What was changed, so without the protected paths put back.
            Some(base) => checks::diff(
                check,
                &Stored {
                    places: &self.tools.places,
                    snapshot: &self.judged.tree,
                },
                &Stored {
                    places: &self.tools.places,
                    snapshot: base,
                },
            ),
            None => could_not_run("there is no base to compare with; pass `--base`".to_owned()),
        }
    }

    fn stored(&self) -> Stored<'_> {
        Stored {
            places: &self.tools.places,
            snapshot: &self.seen,
        }
    }

    /// Runs a program in a tree of its own and takes the report it was told to write.
    async fn run(&self, command: &CommandLine, report: Option<&str>) -> Result<Ran, String> {
        let _turn = self.tools.turns.acquire().await;
        let scratch = Scratch::create(&self.tools.scratch)
            .map_err(|error| format!("cannot create a scratch directory: {error}"))?;
        let work = scratch.path().join("work");
        std::fs::create_dir(&work).map_err(|error| format!("cannot create `{}`: {error}", work.display()))?;
        tree::lay_out(&self.tools.places, &self.seen, &work).map_err(|error| error.to_string())?;
        if let Some(report) = report {
            // A report that came with the tree would be a claim; only one the program writes now is evidence.
            let stale = work.join(report);
            if stale.exists() {
                tree::remove(&stale).map_err(|error| format!("cannot remove the old `{report}`: {error}"))?;
            }
        }
        let request = CheckRequest {
            command,
            subject: Subject::Tree,
            scratch: scratch.path(),
            workspace: &work,
            path: &self.tools.path,
            env: &self.tools.env,
            timeout: self.tools.timeout,
            output_bytes_max: self.tools.output_bytes_max,
        };
        let finished = match run_check(request, &self.cancel).await {
            Ok(finished) => finished,
            Err(error) => {
                return Ok(Ran {
                    end: RunEnd::NotStarted {
                        reason: error.to_string(),
                    },
                    stdout: Vec::new(),
                    stderr: Vec::new(),
                    report: None,
                });
            }
        };
        let end = run_end(finished.end, self.tools.timeout, self.tools.output_bytes_max);
        let report = report.and_then(|report| tree::read_report(&work, report, REPORT_BYTES_MAX));
        Ok(Ran {
            end,
            stdout: finished.stdout.bytes,
            stderr: finished.stderr.bytes,
            report,
        })
    }
}

/// Checks that read files and run nothing.
pub(crate) fn look(kind: &CheckKind, files: &dyn Files) -> CheckResult {
    match kind {
        CheckKind::Content { search, expected } => match files.paths().as_slice() {
            [only] => {
                let bytes = files.read(only).unwrap_or_default();
                checks::search(&String::from_utf8_lossy(&bytes), search, *expected)
            }
            _ => could_not_run("`content` looks at one file; use `pattern` for a tree".to_owned()),
        },
        CheckKind::Pattern(check) => checks::pattern_files(check, files),
        CheckKind::Schema(check) => checks::schema_files(check, files, compile_schema),
        CheckKind::Marker(check) => checks::marker(check, files),
        CheckKind::Artifact(check) => checks::artifact_files(check, files),
        CheckKind::Openapi(check) => checks::openapi(check, files),
        CheckKind::Links(check) => checks::links(check, files),
        CheckKind::Intent(check) => intent::check(check, files),
        CheckKind::Executable { .. }
        | CheckKind::Tests(_)
        | CheckKind::Lint(_)
        | CheckKind::Coverage(_)
        | CheckKind::Metric(_)
        | CheckKind::Diff(_)
        | CheckKind::Expr(_)
        | CheckKind::Human(_) => could_not_run(format!("`{}` checks do more than look", kind.name())),
    }
}

/// A JSON Schema made ready. Nothing is fetched: a schema that refers elsewhere cannot be used.
fn compile_schema(schema: &serde_json::Value) -> Result<checks::Validator, String> {
    let validator = jsonschema::validator_for(schema).map_err(|error| error.to_string())?;
    Ok(Box::new(move |value| {
        let violations = validator.iter_errors(value);
        violations
            .map(|error| checks::Violation {
                pointer: error.instance_path().to_string(),
                message: error.to_string(),
            })
            .collect()
    }))
}
