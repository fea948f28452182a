//! What a loop must look like for the machine to promise an end.

use std::collections::BTreeSet;

use onus_model::{LoopSpec, Rejected, Score, Stage, Step, StopCondition, Weight};

/// Refuses a loop that could hang, skip its gate or never evaluate.
pub fn well_formed(spec: &LoopSpec) -> Result<(), Rejected> {
    let fail = |text: String| Err(Rejected::BadSpec(text));
    if spec.levels.is_empty() {
        return fail("it has no level".to_owned());
    }
    let names: BTreeSet<_> = spec.levels.iter().map(|l| &l.name).collect();
    if names.len() != spec.levels.len() {
        return fail("two levels have one name".to_owned());
    }
    let ids: BTreeSet<_> = spec.criteria.iter().map(|c| &c.id).collect();
    if ids.len() != spec.criteria.len() {
        return fail("two criteria have one id".to_owned());
    }
    if let Some(stray) = spec.criteria.iter().find(|c| !names.contains(&c.level)) {
        return fail(format!(
            "criterion `{}` is of level `{}`, which does not exist",
            stray.id, stray.level
        ));
    }
    for level in &spec.levels {
        if spec.active(&level.name).next().is_none() {
            return fail(format!(
                "level `{}` has no active criterion, so it would always pass",
                level.name
            ));
        }
    }
    if spec.limits.max_iterations == 0 || spec.limits.step_attempts_max == 0 {
        return fail("max_iterations and step_attempts_max must be at least 1".to_owned());
    }
    // Without these the run could end without its gate, never, or not when it is told to.
    for needed in [
        StopCondition::ThresholdReached,
        StopCondition::UserStop,
        StopCondition::IterationLimit,
    ] {
        if !spec.stop.iter().any(|rule| rule.when == needed) {
            return fail(format!("stop rule `{}` is missing", needed.name()));
        }
    }
    scoring(spec).or_else(fail)?;
    let cycle = &spec.cycle;
    for (name, stages) in [
        ("first", &cycle.first),
        ("later", &cycle.later),
        ("level_up", &cycle.level_up),
    ] {
        stages_end_with_evaluate(stages).or_else(|text| fail(format!("cycle.{name} {text}")))?;
    }
    if !cycle.first.iter().any(|stage| stage.0.contains(&Step::Produce)) {
        return fail("cycle.first never produces an artifact".to_owned());
    }
    if cycle.on_fail.iter().any(|stage| stage.0.contains(&Step::Evaluate)) {
        return fail("cycle.on_fail holds evaluate, which belongs at the end of the other lists".to_owned());
    }
    for stage in cycle
        .first
        .iter()
        .chain(&cycle.later)
        .chain(&cycle.level_up)
        .chain(&cycle.on_fail)
    {
        let distinct: BTreeSet<_> = stage.0.iter().collect();
        if stage.0.is_empty() || distinct.len() != stage.0.len() {
            return fail(format!("stage [{}] is empty or names a step twice", stage.label()));
        }
    }
    Ok(())
}

/// Every name that a criterion uses exists, and every number can be reached.
fn scoring(spec: &LoopSpec) -> Result<(), String> {
    let dimensions = &spec.scoring.dimensions;
    let names: BTreeSet<&str> = dimensions.iter().map(|d| d.name.as_str()).collect();
    if names.len() != dimensions.len() {
        return Err("two dimensions have one name".to_owned());
    }
    if !dimensions.is_empty() && dimensions.iter().all(|d| d.weight == Weight::ZERO) {
        return Err("all dimensions weigh nothing, so everything would pass".to_owned());
    }
    for criterion in &spec.criteria {
        let id = &criterion.id;
        if let Some(name) = criterion.dimension.as_deref().filter(|name| !names.contains(name)) {
            return Err(format!(
                "criterion `{id}` is of dimension `{name}`, which does not exist"
            ));
        }
        let groups = &spec.evaluation.groups;
        if let Some(name) = criterion.group.as_ref().filter(|name| !groups.contains(name)) {
            return Err(format!("criterion `{id}` is of group `{name}`, which does not exist"));
        }
        let anchors: BTreeSet<Score> = criterion.rubric.iter().map(|anchor| anchor.score).collect();
        if anchors.len() != criterion.rubric.len() {
            return Err(format!("two anchors of criterion `{id}` have one score"));
        }
        if let Some(at) = criterion.pass_at.filter(|at| !anchors.contains(at)) {
            return Err(format!("criterion `{id}` holds at {at}, which is none of its anchors"));
        }
    }
    // With dimensions, a level in which none counts would score 1 whatever fails.
    for level in spec.levels.iter().filter(|_| !dimensions.is_empty()) {
        let weighs = |name: &str| dimensions.iter().any(|d| d.name == name && d.weight > Weight::ZERO);
        let mut active = spec.active(&level.name).filter_map(|c| c.dimension.as_deref());
        if !active.any(weighs) {
            return Err(format!(
                "level `{}` has no active criterion in a dimension that weighs anything, so it would always score 1",
                level.name
            ));
        }
    }
    Ok(())
}

fn stages_end_with_evaluate(stages: &[Stage]) -> Result<(), String> {
    let Some((last, before)) = stages.split_last() else {
        return Err("is empty".to_owned());
    };
    if last.0 != [Step::Evaluate] {
        return Err("must end with the stage [evaluate]".to_owned());
    }
    if before.iter().any(|stage| stage.0.contains(&Step::Evaluate)) {
        return Err("evaluates more than once".to_owned());
    }
    Ok(())
}
