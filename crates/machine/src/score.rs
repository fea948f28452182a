//! Scores are computed here and nowhere else; what an agent claims about sums is not even read.

use onus_model::{
    Criterion, Digest, FailedCriterion, LevelName, LoopSpec, Score, Scorecard, Severity, Verdict, VerdictKind,
    VerdictSource, Weight,
};

/// One verdict for every active criterion, the score, and whether the level's gate passes.
///
/// A criterion without a verdict fails. Anything but a pass fails a criterion of severity `fail` and is a warning on the
/// others; verdicts about criteria that are not active count for nothing.
pub fn scorecard(
    spec: &LoopSpec,
    contract: Digest,
    level: &LevelName,
    artifact: Digest,
    verdicts: &[Verdict],
) -> Scorecard {
    let threshold = spec.level(level).map_or(Score::ONE, |l| l.threshold);
    let (mut whole, mut part) = (Weight::ZERO, Weight::ZERO);
    let (mut failed, mut warnings, mut rule_results) = (Vec::new(), Vec::new(), Vec::new());
    for criterion in spec.active(level) {
        let verdict = settle(criterion, verdicts);
        whole = whole.plus(criterion.weight);
        if verdict.verdict == VerdictKind::Pass {
            part = part.plus(criterion.weight);
        } else {
            let finding = FailedCriterion {
                id: criterion.id.clone(),
                severity: criterion.severity,
                message: verdict.details.clone(),
            };
            match criterion.severity {
                Severity::Fail => failed.push(finding),
                Severity::Warn | Severity::Info => warnings.push(finding),
            }
        }
        rule_results.push(verdict);
    }
    let score = Score::of_weights(part, whole);
    Scorecard {
        artifact_hash: artifact.short(),
        artifact_sha256: artifact,
        contract_sha256: contract,
        phase: level.clone(),
        score,
        threshold,
        passed: score >= threshold && failed.is_empty(),
        failed,
        warnings,
        rule_results,
    }
}

/// The one verdict of a criterion, in the words its severity allows.
fn settle(criterion: &Criterion, verdicts: &[Verdict]) -> Verdict {
    let mut found = verdicts.iter().filter(|v| v.id == criterion.id);
    let mut verdict = match (found.next(), found.next()) {
        (Some(verdict), None) => verdict.clone(),
        (None, _) => closed(criterion, "no verdict was given"),
        (Some(_), Some(_)) => closed(criterion, "more than one verdict was given"),
    };
    verdict.verdict = match (verdict.verdict, criterion.severity) {
        (VerdictKind::Pass, _) => VerdictKind::Pass,
        (VerdictKind::Unverified, _) => VerdictKind::Unverified,
        (VerdictKind::Fail | VerdictKind::Warn | VerdictKind::Na, Severity::Fail) => VerdictKind::Fail,
        (VerdictKind::Fail | VerdictKind::Warn | VerdictKind::Na, Severity::Warn | Severity::Info) => VerdictKind::Warn,
    };
    verdict
}

fn closed(criterion: &Criterion, reason: &str) -> Verdict {
    Verdict {
        id: criterion.id.clone(),
        verdict: VerdictKind::Fail,
        details: reason.to_owned(),
        source: VerdictSource::Engine,
        evidence: Vec::new(),
        findings: Vec::new(),
    }
}
