//! EVALUATE: what the contract's checks say, what judges say about the rest, and what need not be decided again.
//!
//! Groups go in their order. Inside a group checks come before judges; where the loop stops early, a blocking failure
//! spares everything after it. A verdict may be kept while what it was decided from stays the same, but never in the
//! evaluation that completes a run.

use std::sync::Arc;

use onus_checks as checks;
use onus_model::{
    ArtifactForm, Check, Criterion, Digest, Effort, Evaluation, FileEdit, FileEntry, Severity, Snapshot, StepOutput,
    TreePath, Verdict, VerdictKind, VerdictSource,
};

use crate::checking::{Bench, Desk, run_checks, side_by_side};
use crate::inspect::{Inspector, Judged, derive, is_derived};
use crate::judging::Packet;
use crate::perform::{Job, Performed, Trouble};
use crate::tree::Stored;
use crate::{EngineError, area};

/// The artifact, as checks and judges see it. A document is a tree of one file.
pub(crate) struct Subject {
    pub(crate) artifact: Digest,
    pub(crate) snapshot: Snapshot,
    pub(crate) packet: Packet,
    bench: Bench,
}

/// An evaluation on its way.
#[derive(Default)]
struct Progress {
    verdicts: Vec<Verdict>,
    effort: Effort,
    /// Programs that ran for the contract, and whether their check passed.
    commands: Vec<(String, bool)>,
    transcript: Option<Digest>,
    /// A blocking failure was seen, so that nothing more is asked.
    over: bool,
}

impl Job {
    pub(crate) async fn evaluate(self: &Arc<Self>) -> Result<Performed, Trouble> {
        let subject = self.subject()?;
        let spec = &self.run.spec;
        let active: Vec<&Criterion> = spec.active(&self.run.level).collect();
        let (derived, plain): (Vec<&Criterion>, Vec<&Criterion>) = active.into_iter().partition(|c| is_derived(c));
        let mut progress = Progress::default();
        for group in groups(&spec.evaluation, &plain) {
            self.evaluate_group(&group, &subject, &mut progress).await?;
            self.not_cancelled()?;
        }
        // Expressions see the others' results, so they come last.
        let derived: Vec<Verdict> = derived.into_iter().map(|c| derive(c, &progress.verdicts)).collect();
        progress.verdicts.extend(derived);
        let edits = self.put_back(&subject)?;
        let was_judged = |v: &Verdict| v.source == VerdictSource::Evaluator;
        let degraded = if progress.verdicts.iter().any(was_judged) {
            self.world.degraded.clone()
        } else {
            Vec::new()
        };
        Ok(Performed {
            output: StepOutput::Verdicts {
                artifact: subject.artifact,
                verdicts: progress.verdicts,
                effort: progress.effort,
                degraded,
            },
            transcript: progress.transcript,
            edits,
        })
    }

    /// What was evaluated is what is left: a tree that something changed meanwhile is laid out again, and the change is told.
    fn put_back(&self, subject: &Subject) -> Result<Vec<FileEdit>, Trouble> {
        if self.world.form != ArtifactForm::Tree {
            return Ok(Vec::new());
        }
        let edit = self.world.area.settle(self.world.places(), &subject.snapshot)?;
        Ok(edit.into_iter().collect())
    }

    async fn evaluate_group(
        self: &Arc<Self>,
        group: &[&Criterion],
        subject: &Subject,
        progress: &mut Progress,
    ) -> Result<(), Trouble> {
        let prepared = self.run.prepared_checks.as_deref().unwrap_or_default();
        let asked = checks::asked(group.iter().copied(), prepared);
        let is_asked = |c: &Criterion| asked.iter().any(|a| a.id == c.id);
        let judges = self.judge_count();
        if progress.over {
            progress.effort.left_out += count(asked.len()) * judges;
            progress.verdicts.extend(group.iter().map(|c| left_out(c)));
            return Ok(());
        }
        let (mut open, mut to_ask) = (Vec::new(), Vec::new());
        for criterion in group {
            let reads = checks::reads_digest(criterion, &subject.snapshot);
            match (self.kept(criterion, reads), is_asked(criterion)) {
                (Some(verdict), was_asked) => {
                    progress.effort.kept += if was_asked { judges } else { 0 };
                    progress.verdicts.push(verdict);
                }
                (None, true) => to_ask.push((*criterion, reads)),
                (None, false) => open.push((*criterion, reads)),
            }
        }
        self.run_group_checks(open, subject, progress).await;
        // A failure that was kept says nothing about what was changed since, so it spares later groups, not its own: what the
        // agent mended must be seen, or work that moves looks like work that stands still.
        let mut by_checks = group.iter().filter(|c| !is_asked(c));
        if self.run.spec.evaluation.stop_early && by_checks.any(|c| blocks(c, &progress.verdicts)) {
            progress.over = true;
            progress.effort.left_out += count(to_ask.len()) * judges;
            progress.verdicts.extend(to_ask.iter().map(|(c, _)| left_out(c)));
            return Ok(());
        }
        let criteria: Vec<&Criterion> = to_ask.iter().map(|(c, _)| *c).collect();
        let judged = self.judge(&criteria, subject, &progress.commands).await?;
        progress.effort.asked += judged.asked;
        progress.transcript = judged.transcript.or(progress.transcript);
        for mut verdict in judged.verdicts {
            verdict.reads_sha256 = to_ask.iter().find(|(c, _)| c.id == verdict.id).map(|(_, reads)| *reads);
            progress.verdicts.push(verdict);
        }
        progress.over = self.run.spec.evaluation.stop_early && group.iter().any(|c| blocks(c, &progress.verdicts));
        Ok(())
    }

    async fn run_group_checks(
        self: &Arc<Self>,
        open: Vec<(&Criterion, Digest)>,
        subject: &Subject,
        progress: &mut Progress,
    ) {
        let prepared = self.run.prepared_checks.as_deref().unwrap_or_default();
        let jobs = open.into_iter().map(|(criterion, reads)| {
            let (source, own): (VerdictSource, Vec<Check>) = match criterion.verify.as_slice() {
                [] => {
                    let own = prepared
                        .iter()
                        .filter(|p| p.rule_id == criterion.id && p.control.counts());
                    (VerdictSource::Prepared, own.map(|p| p.check.clone()).collect())
                }
                own => (VerdictSource::Contract, own.to_vec()),
            };
            let (job, bench, criterion) = (Arc::clone(self), subject.bench.clone(), criterion.clone());
            async move { job.by_checks(&criterion, source, &own, reads, &bench).await }
        });
        for (verdict, commands) in side_by_side(jobs).await {
            progress.verdicts.push(verdict);
            progress.commands.extend(commands);
        }
    }

    /// A criterion by its checks. A result that contradicts an earlier one on the same content is not taken at its word:
    /// the check runs again, and passes only if it passes every time.
    async fn by_checks(
        &self,
        criterion: &Criterion,
        source: VerdictSource,
        own: &[Check],
        reads: Digest,
        bench: &Bench,
    ) -> (Verdict, Vec<(String, bool)>) {
        let (results, flaky) = run_checks(own, bench).await;
        let commands = own.iter().zip(&results).filter_map(|(check, result)| {
            let command = check.kind.command()?;
            Some((command.to_string(), result.outcome == checks::Outcome::Passed))
        });
        let commands = commands.collect();
        let mut verdict = checks::from_checks(criterion, source, results);
        verdict.flaky = flaky;
        let passes = |verdict: &Verdict| verdict.verdict == VerdictKind::Pass;
        let known = self.run.known.get(&criterion.id).map(|known| &known.verdict);
        let before = known.filter(|v| v.reads_sha256 == Some(reads) && v.source == VerdictSource::Contract);
        if source == VerdictSource::Contract && before.is_some_and(|before| passes(before) != passes(&verdict)) {
            verdict = self.again(criterion, own, verdict, bench).await;
        }
        // A check that an agent prepared is another one next time.
        verdict.reads_sha256 = Some(reads).filter(|_| source == VerdictSource::Contract);
        (verdict, commands)
    }

    /// Runs a check that gave two results on one content a fixed number of times more.
    async fn again(&self, criterion: &Criterion, own: &[Check], first: Verdict, bench: &Bench) -> Verdict {
        let runs = self.run.spec.evaluation.flaky_runs;
        let mut passed = 0;
        let mut last = first;
        for _ in 0..runs {
            let (results, _) = run_checks(own, bench).await;
            let verdict = checks::from_checks(criterion, VerdictSource::Contract, results);
            if verdict.verdict == VerdictKind::Pass {
                passed += 1;
            }
            if verdict.verdict != VerdictKind::Pass || last.verdict == VerdictKind::Pass {
                last = verdict;
            }
        }
        let steady = runs > 0 && passed == runs;
        Verdict {
            verdict: if steady { VerdictKind::Pass } else { VerdictKind::Fail },
            details: format!(
                "flaky: it gave two results on the same content; {passed} of {runs} further runs passed; {}",
                last.details
            ),
            flaky: true,
            ..last
        }
    }

    /// A verdict from before, if what it was decided from is still the same.
    fn kept(&self, criterion: &Criterion, reads: Digest) -> Option<Verdict> {
        if !self.run.spec.evaluation.keep_verdicts || self.run.confirming() {
            return None;
        }
        let known = &self.run.known.get(&criterion.id)?.verdict;
        let same = known.reads_sha256 == Some(reads) && !known.flaky;
        same.then(|| Verdict {
            kept: true,
            ..known.clone()
        })
    }

    /// The run's artifact, from the store: what lies on disk is only a copy.
    fn subject(&self) -> Result<Subject, Trouble> {
        let Some(artifact) = self.run.artifact.as_ref().map(|a| a.artifact_sha256) else {
            let message = "there is no artifact to evaluate";
            return Err(self.error("empty_artifact", message.to_owned()).into());
        };
        match self.world.form {
            ArtifactForm::File => {
                let text = self.artifact()?.unwrap_or_default();
                let bytes: Arc<[u8]> = Arc::from(text.as_bytes());
                let snapshot = one_file(&bytes, artifact)?;
                Ok(Subject {
                    artifact,
                    snapshot,
                    packet: Packet::Document(text),
                    bench: Bench::Document(self.desk(), bytes),
                })
            }
            ArtifactForm::Tree => {
                let snapshot = area::load(self.world.places(), &artifact)?;
                let judged = Judged {
                    before: self.world.before.clone(),
                    tree: snapshot.clone(),
                    base: Some(self.world.base.clone()),
                };
                let (tools, cancel) = (Arc::clone(&self.world.tools), self.cancel.clone());
                let inspector = Inspector::new(tools, judged, &self.run.spec.protected, cancel)?;
                Ok(Subject {
                    artifact,
                    snapshot,
                    packet: Packet::Tree,
                    bench: Bench::Tree(Arc::new(inspector)),
                })
            }
        }
    }

    /// An earlier artifact of the run as a tree.
    pub(crate) fn earlier(&self, artifact: &Digest) -> Result<Snapshot, EngineError> {
        match self.world.form {
            ArtifactForm::File => {
                let max = self.run.spec.limits.artifact_bytes_max;
                let bytes = onus_ledger::objects::get(self.world.places(), artifact, max)?;
                one_file(&bytes, *artifact)
            }
            ArtifactForm::Tree => area::load(self.world.places(), artifact),
        }
    }

    pub(crate) fn desk(&self) -> Desk {
        Desk {
            tools: Arc::clone(&self.world.tools),
            workspace: Arc::from(self.world.area.dir.as_path()),
            frozen: Arc::new(self.world.frozen_files.clone()),
            cancel: self.cancel.clone(),
        }
    }
}

impl Subject {
    pub(crate) fn files<'a>(&'a self, job: &'a Job) -> Stored<'a> {
        Stored {
            places: job.world.places(),
            snapshot: &self.snapshot,
        }
    }
}

fn one_file(bytes: &[u8], sha256: Digest) -> Result<Snapshot, EngineError> {
    let name = TreePath::new(onus_ledger::ARTIFACT_FILE).map_err(|error| EngineError::Internal(error.to_string()))?;
    let file = FileEntry {
        sha256,
        bytes: bytes.len() as u64,
        executable: false,
    };
    Ok(Snapshot {
        files: [(name, file)].into(),
        left_out: Vec::new(),
    })
}

/// Criteria in the order of their groups; those without one come first, hidden ones last: what an agent cannot know of must not
/// keep from it what it can.
fn groups<'a>(evaluation: &Evaluation, criteria: &[&'a Criterion]) -> Vec<Vec<&'a Criterion>> {
    let names = std::iter::once(None).chain(evaluation.groups.iter().map(Some));
    let shown = names.map(|name| -> Vec<&Criterion> {
        let own = criteria.iter().filter(|c| !c.hidden && c.group.as_ref() == name);
        own.copied().collect()
    });
    let all = shown.chain(std::iter::once(criteria.iter().copied().filter(|c| c.hidden).collect()));
    all.filter(|group| !group.is_empty()).collect()
}

/// Whether this criterion keeps the gate shut whatever the others say.
fn blocks(criterion: &Criterion, verdicts: &[Verdict]) -> bool {
    let fails = |v: &Verdict| v.id == criterion.id && v.verdict != VerdictKind::Pass;
    (criterion.severity == Severity::Fail || criterion.must_pass) && verdicts.iter().any(fails)
}

fn left_out(criterion: &Criterion) -> Verdict {
    let why = "not decided: something before it failed already";
    Verdict {
        left_out: true,
        ..Verdict::bare(criterion.id.clone(), VerdictKind::Fail, why, VerdictSource::Engine)
    }
}

pub(crate) fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
