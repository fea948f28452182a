//! Whether the work goes in circles.
//!
//! One swing back is no oscillation: a fix may break something, and the next one may mend it. The work oscillates when its
//! content returns to where it was before the last change, or when the same two sets of criteria fail in turn twice over.
//! Evaluating an unchanged artifact again is no step, and neither is going back by the engine's own hand.

use std::collections::BTreeSet;

use onus_model::{CriterionId, Scorecard};

use crate::run::{Run, Visit};

/// Adds an evaluation to the trail and says whether the work came back.
pub(crate) fn visit(run: &mut Run, card: &Scorecard) {
    let artifact = card.artifact_sha256;
    if run.confirming() || run.trail.last().is_some_and(|last| last.artifact == artifact) {
        return;
    }
    let failing: BTreeSet<CriterionId> = card.failing_ids().cloned().collect();
    run.trail.push(Visit {
        iteration: run.iteration,
        artifact,
        failing,
        restored: false,
    });
    run.oscillation = came_back(&run.trail).or_else(|| swings(&run.trail));
}

/// The last artifact was there before.
fn came_back(trail: &[Visit]) -> Option<String> {
    let (last, before) = trail.split_last()?;
    let earlier = before.iter().find(|visit| visit.artifact == last.artifact)?;
    Some(format!(
        "iteration {} made the artifact of iteration {} again ({})",
        last.iteration,
        earlier.iteration,
        last.artifact.short()
    ))
}

/// The last four steps failed in turn on the same two sets.
fn swings(trail: &[Visit]) -> Option<String> {
    let steps: Vec<&Visit> = trail.iter().filter(|visit| !visit.restored).collect();
    let [.., first, second, third, fourth] = steps.as_slice() else {
        return None;
    };
    let swinging =
        first.failing != second.failing && first.failing == third.failing && second.failing == fourth.failing;
    swinging.then(|| {
        format!(
            "since iteration {} the same criteria fail in turn: {}; then {}",
            first.iteration,
            named(&first.failing),
            named(&second.failing)
        )
    })
}

fn named(ids: &BTreeSet<CriterionId>) -> String {
    let names: Vec<&str> = ids.iter().map(CriterionId::as_str).collect();
    if names.is_empty() {
        return "none".to_owned();
    }
    names.join(", ")
}
