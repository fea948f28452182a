//! Scores are computed here and nowhere else; what an agent claims about sums is not even read.

use std::collections::BTreeSet;

use onus_model::{
    CheckKind, Criterion, CriterionId, Digest, Dimension, DimensionScore, Effort, FailedCriterion, Gate, GateOutcome,
    GateResult, Gates, LevelName, LoopSpec, NextMove, Reason, Score, Scorecard, Severity, Verdict, VerdictKind,
    VerdictSource,
};

use crate::share::{Sum, mean};

/// What the criteria of gate `trust` must reach where the loop does not say.
const TRUST_THRESHOLD: u16 = 8_000;

/// One verdict for every active criterion, the score, and whether the level's gate passes.
///
/// A criterion without a verdict fails. Anything but a pass fails a criterion of severity `fail` and is a warning on the
/// others; verdicts about criteria that are not active count for nothing. `passed_before` are the criteria that passed
/// earlier in the run.
pub fn scorecard(
    spec: &LoopSpec,
    contract: Digest,
    level: &LevelName,
    artifact: Digest,
    verdicts: &[Verdict],
    passed_before: &BTreeSet<CriterionId>,
) -> Scorecard {
    let threshold = spec.level(level).map_or(Score::ONE, |l| l.threshold);
    let marks: Vec<Mark> = spec
        .active(level)
        .map(|criterion| Mark::new(criterion, verdicts))
        .collect();
    let (mut failed, mut warnings) = (Vec::new(), Vec::new());
    for mark in marks.iter().filter(|mark| !mark.holds()) {
        let finding = FailedCriterion {
            id: mark.criterion.id.clone(),
            severity: mark.criterion.severity,
            message: mark.verdict.details.clone(),
        };
        match mark.criterion.severity {
            Severity::Fail => failed.push(finding),
            Severity::Warn | Severity::Info => warnings.push(finding),
        }
    }
    let (score, dimensions) = scores(spec, threshold, &marks);
    let gates = gates(spec, &marks);
    let regressed = ids(&marks, |mark| {
        !mark.holds() && !mark.verdict.left_out && passed_before.contains(&mark.criterion.id)
    });
    let reasons = reasons(
        spec,
        &marks,
        (score, threshold),
        &dimensions,
        gates.as_ref(),
        &regressed,
    );
    Scorecard {
        artifact_hash: artifact.short(),
        artifact_sha256: artifact,
        contract_sha256: contract,
        phase: level.clone(),
        score,
        threshold,
        passed: reasons.is_empty(),
        failed,
        warnings,
        rule_results: marks.into_iter().map(|mark| mark.verdict).collect(),
        dimensions,
        gates,
        regressed,
        reasons,
        effort: Effort::default(),
        degraded: Vec::new(),
    }
}

/// Criteria that kept the gate shut whatever the score: severity `fail`, must-pass, gate `goal` and what regressed.
pub fn blocking(spec: &LoopSpec, card: &Scorecard) -> BTreeSet<CriterionId> {
    let mut blocking: BTreeSet<CriterionId> = hard_blockers(spec, card).cloned().collect();
    for reason in &card.reasons {
        if let Reason::Regressed { ids } = reason {
            blocking.extend(ids.iter().cloned());
        }
    }
    blocking
}

/// Something of severity `fail`, must-pass or of gate `goal` does not hold. A regression alone is not meant: whether it is
/// being worked on shows in the score.
pub(crate) fn is_blocked(spec: &LoopSpec, card: &Scorecard) -> bool {
    hard_blockers(spec, card).next().is_some()
}

fn hard_blockers<'a>(spec: &'a LoopSpec, card: &'a Scorecard) -> impl Iterator<Item = &'a CriterionId> {
    let holds = |id: &CriterionId| {
        let mut found = card.rule_results.iter().filter(|verdict| verdict.id == *id);
        found.any(|verdict| verdict.verdict == VerdictKind::Pass)
    };
    spec.active(&card.phase)
        .filter(|c| c.severity == Severity::Fail || c.must_pass || c.gate == Some(Gate::Goal))
        .map(|c| &c.id)
        .filter(move |id| !holds(id))
}

/// Nothing but the score, or the score of a dimension, kept the gate shut. A failure without a reason is not known to be minor.
pub(crate) fn only_the_score_is_missing(card: &Scorecard) -> bool {
    !card.passed
        && !card.reasons.is_empty()
        && card.reasons.iter().all(|reason| match reason {
            Reason::Threshold { .. } | Reason::Dimension { .. } => true,
            Reason::Failing { .. }
            | Reason::MustPass { .. }
            | Reason::Trust { .. }
            | Reason::Goal { .. }
            | Reason::Regressed { .. } => false,
        })
}

/// One active criterion with its settled verdict.
struct Mark<'a> {
    criterion: &'a Criterion,
    verdict: Verdict,
}

impl<'a> Mark<'a> {
    fn new(criterion: &'a Criterion, verdicts: &[Verdict]) -> Mark<'a> {
        Mark {
            criterion,
            verdict: settle(criterion, verdicts),
        }
    }

    fn holds(&self) -> bool {
        self.verdict.verdict == VerdictKind::Pass
    }

    fn share(&self) -> Score {
        share(self.criterion, &self.verdict)
    }
}

/// How much of its weight a criterion earns: its anchor if it has a rubric, else all or nothing.
pub(crate) fn share(criterion: &Criterion, verdict: &Verdict) -> Score {
    match (verdict.verdict, verdict.anchor) {
        (VerdictKind::Unverified, _) => Score::ZERO,
        _ if verdict.left_out => Score::ZERO,
        (_, Some(anchor)) if !criterion.rubric.is_empty() => anchor,
        (VerdictKind::Pass, _) => Score::ONE,
        (VerdictKind::Fail | VerdictKind::Warn | VerdictKind::Na, _) => Score::ZERO,
    }
}

/// The whole score, and that of each dimension with something active in it.
fn scores(spec: &LoopSpec, threshold: Score, marks: &[Mark]) -> (Score, Vec<DimensionScore>) {
    let dimensions = &spec.scoring.dimensions;
    if dimensions.is_empty() {
        let score = sum(marks.iter()).score();
        let cap = lowest_cap(marks.iter());
        return (cap.map_or(score, |(_, cap)| score.min(cap)), Vec::new());
    }
    let (mut shown, mut parts) = (Vec::new(), Vec::new());
    for dimension in dimensions {
        let own = || {
            let belongs = |mark: &&Mark| mark.criterion.dimension.as_deref() == Some(dimension.name.as_str());
            marks.iter().filter(belongs)
        };
        if own().next().is_none() {
            continue;
        }
        let (sum, capped_by) = capped(sum(own()), lowest_cap(own()));
        shown.push(DimensionScore {
            name: dimension.name.clone(),
            weight: dimension.weight,
            score: sum.score(),
            threshold: dimension.threshold.unwrap_or(threshold),
            capped_by,
        });
        parts.push((dimension.weight, sum));
    }
    let score = mean(&parts);
    let cap = lowest_cap(marks.iter().filter(|mark| mark.criterion.dimension.is_none()));
    (cap.map_or(score, |(_, cap)| score.min(cap)), shown)
}

fn sum<'m, 'a: 'm>(marks: impl Iterator<Item = &'m Mark<'a>>) -> Sum {
    marks.fold(Sum::default(), |sum, mark| {
        sum.plus(mark.criterion.weight, mark.share())
    })
}

/// The anti-pattern that allows the least.
fn lowest_cap<'m, 'a: 'm>(marks: impl Iterator<Item = &'m Mark<'a>>) -> Option<(&'m CriterionId, Score)> {
    marks
        .filter(|mark| !mark.holds())
        .filter_map(|mark| mark.criterion.cap.map(|cap| (&mark.criterion.id, cap)))
        .min_by_key(|(_, cap)| *cap)
}

fn capped(sum: Sum, cap: Option<(&CriterionId, Score)>) -> (Sum, Option<CriterionId>) {
    match cap {
        Some((id, cap)) if sum.is_above(cap) => (Sum::exactly(cap), Some(id.clone())),
        Some(_) | None => (sum, None),
    }
}

/// The two gates, where the contract has any.
fn gates(spec: &LoopSpec, marks: &[Mark]) -> Option<Gates> {
    let any = marks.iter().any(|mark| mark.criterion.gate.is_some());
    if !any && spec.scoring.trust_threshold.is_none() {
        return None;
    }
    let trust = gate(marks, Gate::Trust, |score, _| {
        if score >= trust_threshold(spec) {
            GateOutcome::Pass
        } else {
            GateOutcome::Fail
        }
    });
    let goal = gate(marks, Gate::Goal, |_, open| match open {
        [] => GateOutcome::Pass,
        open if open.iter().any(|mark| needs_a_person(mark.criterion)) => GateOutcome::Blocked,
        _ => GateOutcome::Fail,
    });
    let next = next_move(trust.result, goal.result);
    Some(Gates { trust, goal, next })
}

pub(crate) fn trust_threshold(spec: &LoopSpec) -> Score {
    let default = Score::from_basis_points(TRUST_THRESHOLD);
    spec.scoring.trust_threshold.unwrap_or(default)
}

fn gate(marks: &[Mark], which: Gate, outcome: impl Fn(Score, &[&Mark]) -> GateOutcome) -> GateResult {
    let own: Vec<&Mark> = marks.iter().filter(|mark| mark.criterion.gate == Some(which)).collect();
    if own.is_empty() {
        return GateResult {
            result: GateOutcome::NoContract,
            score: Score::ZERO,
            met: 0,
            of: 0,
        };
    }
    let open: Vec<&Mark> = own.iter().copied().filter(|mark| !mark.holds()).collect();
    let score = sum(own.iter().copied()).score();
    let count = |list: &[&Mark]| u32::try_from(list.len()).unwrap_or(u32::MAX);
    GateResult {
        result: outcome(score, &open),
        score,
        met: count(&own) - count(&open),
        of: count(&own),
    }
}

fn needs_a_person(criterion: &Criterion) -> bool {
    criterion
        .verify
        .iter()
        .any(|check| matches!(check.kind, CheckKind::Human(_)))
}

/// The decision matrix: work that cannot be believed is reworked before anybody asks whether it is what was wanted.
pub(crate) fn next_move(trust: GateOutcome, goal: GateOutcome) -> NextMove {
    match (trust, goal) {
        (_, GateOutcome::Blocked) | (GateOutcome::Blocked, _) => NextMove::Blocked,
        (GateOutcome::Fail, _) => NextMove::Rework,
        (GateOutcome::Pass | GateOutcome::NoContract, GateOutcome::Fail) => NextMove::Pivot,
        (GateOutcome::Pass | GateOutcome::NoContract, GateOutcome::Pass | GateOutcome::NoContract) => {
            NextMove::Complete
        }
    }
}

/// Why the gate does not pass, in the order it is asked.
fn reasons(
    spec: &LoopSpec,
    marks: &[Mark],
    (score, threshold): (Score, Score),
    dimensions: &[DimensionScore],
    gates: Option<&Gates>,
    regressed: &[CriterionId],
) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let mut about = |ids: Vec<CriterionId>, reason: fn(Vec<CriterionId>) -> Reason| {
        if !ids.is_empty() {
            reasons.push(reason(ids));
        }
    };
    about(
        ids(marks, |mark| !mark.holds() && mark.criterion.severity == Severity::Fail),
        |ids| Reason::Failing { ids },
    );
    about(ids(marks, |mark| !mark.holds() && mark.criterion.must_pass), |ids| {
        Reason::MustPass { ids }
    });
    if score < threshold {
        reasons.push(Reason::Threshold { score, threshold });
    }
    for dimension in dimensions.iter().filter(|d| d.score < d.threshold) {
        let must = |d: &Dimension| d.name == dimension.name && d.must_pass;
        if spec.scoring.strict || spec.scoring.dimensions.iter().any(must) {
            reasons.push(Reason::Dimension {
                name: dimension.name.clone(),
                score: dimension.score,
                threshold: dimension.threshold,
            });
        }
    }
    if let Some(Gates { trust, goal, .. }) = gates {
        if trust.result == GateOutcome::Fail {
            reasons.push(Reason::Trust {
                score: trust.score,
                threshold: trust_threshold(spec),
            });
        }
        if matches!(goal.result, GateOutcome::Fail | GateOutcome::Blocked) {
            reasons.push(Reason::Goal {
                met: goal.met,
                of: goal.of,
            });
        }
    }
    if spec.scoring.ratchet && !regressed.is_empty() {
        reasons.push(Reason::Regressed {
            ids: regressed.to_vec(),
        });
    }
    reasons
}

fn ids(marks: &[Mark], which: impl Fn(&Mark) -> bool) -> Vec<CriterionId> {
    let chosen = marks.iter().filter(|mark| which(mark));
    chosen.map(|mark| mark.criterion.id.clone()).collect()
}

/// The one verdict of a criterion, in the words its severity allows.
fn settle(criterion: &Criterion, verdicts: &[Verdict]) -> Verdict {
    let mut found = verdicts.iter().filter(|v| v.id == criterion.id);
    let mut verdict = match (found.next(), found.next()) {
        (Some(verdict), None) => verdict.clone(),
        (None, _) => closed(criterion, "no verdict was given"),
        (Some(_), Some(_)) => closed(criterion, "more than one verdict was given"),
    };
    // Nobody decided it, so nobody can have passed it.
    if verdict.left_out && verdict.verdict == VerdictKind::Pass {
        verdict.verdict = VerdictKind::Unverified;
    }
    verdict.verdict = match (verdict.verdict, criterion.severity) {
        (VerdictKind::Pass, _) => VerdictKind::Pass,
        (VerdictKind::Unverified, _) => VerdictKind::Unverified,
        (VerdictKind::Fail | VerdictKind::Warn | VerdictKind::Na, Severity::Fail) => VerdictKind::Fail,
        (VerdictKind::Fail | VerdictKind::Warn | VerdictKind::Na, Severity::Warn | Severity::Info) => VerdictKind::Warn,
    };
    verdict
}

fn closed(criterion: &Criterion, reason: &str) -> Verdict {
    Verdict::bare(criterion.id.clone(), VerdictKind::Fail, reason, VerdictSource::Engine)
}
