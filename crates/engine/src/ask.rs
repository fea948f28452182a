//! What each role is told. The evaluator's context is built from the task, the criteria and the artifact alone: no
//! iteration, no scores, no plan, nothing another agent said about its own work.

use onus_machine::Run;
use onus_model::{Control, Criterion, FailedCriterion, PreparedCheck, Step};
use serde_json::{Map, Value, json};

use crate::world::World;

/// Words for one step beyond what the run and the world hold.
pub(crate) struct Telling<'a> {
    pub(crate) step: Step,
    /// The criteria this role is asked about.
    pub(crate) rules: &'a [&'a Criterion],
    pub(crate) artifact: Option<&'a str>,
    /// The last events in words, for the planner.
    pub(crate) recent: &'a [String],
    /// Marks where the artifact begins and ends in the evaluator's prompt.
    pub(crate) fence: &'a str,
    pub(crate) previous_error: Option<&'a str>,
}

/// The names a role's template may use; the table stands in `onus_spec::prompts`.
pub(crate) fn context(run: &Run, world: &World, telling: &Telling<'_>) -> Value {
    let limits = &run.spec.limits;
    let background: Vec<Value> = world
        .context
        .iter()
        .map(|c| json!({ "path": c.path, "text": c.text }))
        .collect();
    let evaluation = run.evaluation.as_ref();
    let own = match telling.step {
        Step::Plan => json!({
            "max_iterations": limits.max_iterations,
            "plan_steps_min": limits.plan_steps_min,
            "plan_steps_max": limits.plan_steps_max,
            "rules": rules(telling.rules),
            "failures": evaluation.map(|card| findings(card.failed.iter().chain(&card.warnings))).unwrap_or_default(),
            "recent_events": telling.recent,
            "context": background,
        }),
        Step::Produce => json!({ "plan": run.plan, "context": background, "artifact": telling.artifact }),
        Step::Prepare => json!({ "plan": run.plan, "rules": rules(telling.rules), "rejected": rejected(run) }),
        Step::Evaluate => {
            json!({ "rules": rules(telling.rules), "artifact": telling.artifact, "fence": telling.fence })
        }
        Step::Critique => json!({
            "artifact": telling.artifact,
            "issues_max": limits.critique_issues_max,
            "failed": evaluation.map(|card| findings(&card.failed)).unwrap_or_default(),
            "warnings": evaluation.map(|card| findings(&card.warnings)).unwrap_or_default(),
        }),
        Step::Refine => json!({ "artifact": telling.artifact, "issues": run.critique, "context": background }),
    };
    let mut all = Map::new();
    all.insert("run_id".into(), json!(world.run_id));
    all.insert("phase_level".into(), json!(run.level));
    all.insert(
        "task".into(),
        json!({ "prompt": run.spec.task.prompt, "ideal_result": run.spec.task.ideal_result }),
    );
    if telling.step != Step::Evaluate {
        all.insert("iteration".into(), json!(run.iteration));
    }
    all.insert("previous_error".into(), json!(telling.previous_error));
    if let Value::Object(own) = own {
        all.extend(own);
    }
    Value::Object(all)
}

fn rules(criteria: &[&Criterion]) -> Vec<Value> {
    let one =
        |c: &&Criterion| json!({ "id": c.id, "description": c.description, "severity": c.severity, "check": c.check });
    criteria.iter().map(one).collect()
}

fn findings<'a>(list: impl IntoIterator<Item = &'a FailedCriterion>) -> Vec<Value> {
    let one = |f: &FailedCriterion| json!({ "id": f.id, "severity": f.severity, "message": f.message });
    list.into_iter().map(one).collect()
}

/// Prepared checks that did not count, and why, so that the next ones are better.
fn rejected(run: &Run) -> Vec<Value> {
    let told = |prepared: &PreparedCheck| match &prepared.control {
        Control::Vacuous { reason } => Some(json!({ "rule_id": prepared.rule_id, "reason": reason })),
        Control::Untried | Control::FailsOnEmpty | Control::FailsOnCounterexample { .. } => None,
    };
    run.prepared_checks.iter().flatten().filter_map(told).collect()
}
