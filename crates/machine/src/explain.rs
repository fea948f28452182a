//! Why an evaluation came to its score, and what would have been enough.

use std::collections::BTreeSet;

use onus_model::{
    Blocks, Criterion, CriterionId, CriterionShare, Explanation, Gate, GateOutcome, LoopSpec, Needed, Reason, Score,
    Scorecard, Severity, Verdict, VerdictKind, Weight,
};

use crate::score::{share, trust_threshold};
use crate::{blocking, scorecard};

/// What one blocking criterion weighs against gaps of scores when the way to a pass is looked for.
const BLOCKER: u32 = 100_000;

/// Takes a scorecard of this contract apart.
pub fn explain(spec: &LoopSpec, card: &Scorecard) -> Explanation {
    let active: Vec<&Criterion> = spec.active(&card.phase).collect();
    let criteria: Vec<CriterionShare> = active
        .iter()
        .filter_map(|criterion| {
            let verdict = verdict_of(card, &criterion.id)?;
            let alone = as_if(spec, card, &BTreeSet::from([&criterion.id])).score;
            Some(CriterionShare {
                id: criterion.id.clone(),
                severity: criterion.severity,
                dimension: criterion.dimension.clone(),
                holds: verdict.verdict == VerdictKind::Pass,
                left_out: verdict.left_out,
                weight: criterion.weight,
                share: share(criterion, verdict),
                cost: if verdict.left_out {
                    Score::ZERO
                } else {
                    card.score.gap_to(alone)
                },
                blocks: blocks(spec, card, criterion, verdict),
            })
        })
        .collect();
    Explanation {
        phase: card.phase.clone(),
        score: card.score,
        threshold: card.threshold,
        passed: card.passed,
        formula: formula(card, &criteria),
        criteria,
        dimensions: card.dimensions.clone(),
        gates: card.gates.clone(),
        reasons: card.reasons.clone(),
        needed: needed(spec, card),
    }
}

fn verdict_of<'a>(card: &'a Scorecard, id: &CriterionId) -> Option<&'a Verdict> {
    card.rule_results.iter().find(|verdict| verdict.id == *id)
}

/// The scorecard as it would be if these held wholly.
fn as_if(spec: &LoopSpec, card: &Scorecard, held: &BTreeSet<&CriterionId>) -> Scorecard {
    let best = |id: &CriterionId| {
        let criterion = spec.criteria.iter().find(|criterion| criterion.id == *id);
        criterion.and_then(|criterion| criterion.rubric.iter().map(|anchor| anchor.score).max())
    };
    let changed = |verdict: &Verdict| {
        if !held.contains(&verdict.id) {
            return verdict.clone();
        }
        Verdict {
            verdict: VerdictKind::Pass,
            anchor: best(&verdict.id),
            left_out: false,
            ..verdict.clone()
        }
    };
    let verdicts: Vec<Verdict> = card.rule_results.iter().map(changed).collect();
    let passed_before: BTreeSet<CriterionId> = card.regressed.iter().cloned().collect();
    scorecard(
        spec,
        card.contract_sha256,
        &card.phase,
        card.artifact_sha256,
        &verdicts,
        &passed_before,
    )
}

fn blocks(spec: &LoopSpec, card: &Scorecard, criterion: &Criterion, verdict: &Verdict) -> Vec<Blocks> {
    let mut blocks = Vec::new();
    let shut = |gate: GateOutcome| matches!(gate, GateOutcome::Fail | GateOutcome::Blocked);
    let untrusted = card.gates.as_ref().is_some_and(|gates| shut(gates.trust.result));
    if criterion.gate == Some(Gate::Trust) && untrusted && share(criterion, verdict) < Score::ONE {
        blocks.push(Blocks::Trust);
    }
    if verdict.verdict == VerdictKind::Pass {
        return blocks;
    }
    let regressed = card.reasons.iter().any(|reason| match reason {
        Reason::Regressed { ids } => ids.contains(&criterion.id),
        Reason::Failing { .. }
        | Reason::MustPass { .. }
        | Reason::Threshold { .. }
        | Reason::Dimension { .. }
        | Reason::Trust { .. }
        | Reason::Goal { .. } => false,
    });
    let of_dimension = card
        .dimensions
        .iter()
        .any(|d| d.capped_by.as_ref() == Some(&criterion.id));
    let of_whole = criterion.dimension.is_none() && criterion.cap == Some(card.score) && higher_uncapped(spec, card);
    for (applies, block) in [
        (criterion.severity == Severity::Fail, Blocks::Failing),
        (criterion.must_pass, Blocks::MustPass),
        (criterion.gate == Some(Gate::Goal), Blocks::Goal),
        (regressed, Blocks::Regressed),
        (of_dimension || of_whole, Blocks::Cap),
    ] {
        if applies {
            blocks.push(block);
        }
    }
    blocks.sort();
    blocks
}

/// Without the caps on the whole the score would be higher.
fn higher_uncapped(spec: &LoopSpec, card: &Scorecard) -> bool {
    let mut spec = spec.clone();
    for criterion in spec.criteria.iter_mut().filter(|c| c.dimension.is_none()) {
        criterion.cap = None;
    }
    as_if(&spec, card, &BTreeSet::new()).score > card.score
}

/// The score as it was computed, one line for each dimension and one for the whole.
fn formula(card: &Scorecard, criteria: &[CriterionShare]) -> Vec<String> {
    let of = |own: &[&CriterionShare]| {
        let earned = own.iter().fold(0_u128, |sum, c| sum + points(c.weight, c.share));
        let whole = own.iter().fold(Weight::ZERO, |sum, c| sum.plus(c.weight));
        format!("{} / {whole}", decimal(earned))
    };
    let mut lines = Vec::new();
    for dimension in &card.dimensions {
        let own: Vec<_> = criteria
            .iter()
            .filter(|c| c.dimension.as_ref() == Some(&dimension.name))
            .collect();
        let capped = dimension.capped_by.as_ref().map(|id| format!(", held down by {id}"));
        lines.push(format!(
            "{} = weight × share / weight = {} = {}{}",
            dimension.name,
            of(&own),
            dimension.score,
            capped.unwrap_or_default()
        ));
    }
    let whole = if card.dimensions.is_empty() {
        format!("weight × share / weight = {}", of(&criteria.iter().collect::<Vec<_>>()))
    } else {
        let terms: Vec<String> = card
            .dimensions
            .iter()
            .map(|d| format!("{} × {}", d.weight, d.name))
            .collect();
        let weight = card.dimensions.iter().fold(Weight::ZERO, |sum, d| sum.plus(d.weight));
        format!("({}) / {weight}", terms.join(" + "))
    };
    let holds_down = criteria
        .iter()
        .find(|c| c.blocks.contains(&Blocks::Cap) && c.dimension.is_none());
    let capped = holds_down.map(|c| format!(", held down by {}", c.id));
    lines.push(format!(
        "score = {whole} = {}{}",
        card.score,
        capped.unwrap_or_default()
    ));
    lines
}

/// Weight times share, in ten-millionths.
fn points(weight: Weight, share: Score) -> u128 {
    u128::from(weight.thousandths()) * u128::from(share.basis_points())
}

fn decimal(ten_millionths: u128) -> String {
    let text = format!("{}.{:07}", ten_millionths / 10_000_000, ten_millionths % 10_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// What would have been enough: everything that blocks, then one criterion after the other by what it gains, then without
/// those that turned out not to be needed. What was left out comes last, and so only where nothing else is enough: that it
/// failed is not known.
fn needed(spec: &LoopSpec, card: &Scorecard) -> Option<Needed> {
    if card.passed {
        return None;
    }
    let blockers = blocking(spec, card);
    let mut held: BTreeSet<&CriterionId> = blockers.iter().collect();
    let mut chosen: Vec<&CriterionId> = Vec::new();
    let open = |criterion: &&Criterion| {
        verdict_of(card, &criterion.id).is_some_and(|verdict| share(criterion, verdict) < Score::ONE)
            || card.failing_ids().any(|id| *id == criterion.id)
    };
    let left_out = |id: &CriterionId| verdict_of(card, id).is_some_and(|verdict| verdict.left_out);
    let candidates: Vec<&Criterion> = spec.active(&card.phase).filter(open).collect();
    while !as_if(spec, card, &held).passed {
        let next = candidates
            .iter()
            .map(|criterion| &criterion.id)
            .filter(|id| !held.contains(id))
            .min_by_key(|id| {
                let with = as_if(spec, card, &held.iter().copied().chain([*id]).collect());
                (left_out(id), missing(spec, &with), std::cmp::Reverse(with.score))
            })?;
        held.insert(next);
        chosen.push(next);
    }
    chosen.sort_by_key(|id| !left_out(id));
    for id in chosen {
        held.remove(id);
        if !as_if(spec, card, &held).passed {
            held.insert(id);
        }
    }
    let score = as_if(spec, card, &held).score;
    let ids = spec.active(&card.phase).map(|criterion| &criterion.id);
    Some(Needed {
        ids: ids.filter(|id| held.contains(id)).cloned().collect(),
        score,
    })
}

/// How far a scorecard is from a pass.
fn missing(spec: &LoopSpec, card: &Scorecard) -> u32 {
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX).saturating_mul(BLOCKER);
    let gap = |score: Score, threshold: Score| u32::from(score.gap_to(threshold).basis_points());
    card.reasons.iter().fold(0, |sum: u32, reason| {
        sum.saturating_add(match reason {
            Reason::Failing { ids } | Reason::MustPass { ids } | Reason::Regressed { ids } => count(ids.len()),
            Reason::Goal { met, of } => of.saturating_sub(*met).saturating_mul(BLOCKER),
            Reason::Threshold { score, threshold } | Reason::Dimension { score, threshold, .. } => {
                gap(*score, *threshold)
            }
            Reason::Trust { score, .. } => gap(*score, trust_threshold(spec)),
        })
    })
}
