//! What a loop must look like for the machine to promise an end.

use std::collections::BTreeSet;

use onus_model::{LoopSpec, Rejected, Stage, Step, StopCondition};

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
