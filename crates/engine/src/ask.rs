//! What each role is told. The evaluator's context is built from the task, the criteria and the artifact alone: no
//! iteration, no scores, no plan, nothing another agent said about its own work.

use onus_machine::Run;
use onus_model::{
    ArtifactForm, Control, Criterion, CriterionId, FailedCriterion, PreparedCheck, Scorecard, Step, Verdict,
    VerdictKind,
};
use serde_json::{Map, Value, json};

use crate::world::World;

/// The artifact, as an agent is shown it.
#[derive(Debug, Clone)]
pub(crate) enum Shown {
    Document(String),
    /// Files of a tree, by path.
    Files(Vec<(String, String)>),
}

impl Shown {
    /// The same places with other texts.
    pub(crate) fn map(&self, text: impl Fn(&str) -> String) -> Shown {
        match self {
            Shown::Document(own) => Shown::Document(text(own)),
            Shown::Files(files) => Shown::Files(files.iter().map(|(path, own)| (path.clone(), text(own))).collect()),
        }
    }

    /// Another text in its stead.
    pub(crate) fn replaced(&self, path: &str, text: String) -> Shown {
        match self {
            Shown::Document(_) => Shown::Document(text),
            Shown::Files(_) => Shown::Files(vec![(path.to_owned(), text)]),
        }
    }

    pub(crate) fn text(&self) -> String {
        match self {
            Shown::Document(text) => text.clone(),
            Shown::Files(files) => files.iter().map(|(_, text)| format!("{text}\n")).collect(),
        }
    }

    fn document(&self) -> Option<&str> {
        match self {
            Shown::Document(text) => Some(text),
            Shown::Files(_) => None,
        }
    }

    fn files(&self) -> Option<Vec<Value>> {
        match self {
            Shown::Document(_) => None,
            Shown::Files(files) => Some(
                files
                    .iter()
                    .map(|(path, text)| json!({ "path": path, "text": text }))
                    .collect(),
            ),
        }
    }
}

/// Words for one step beyond what the run and the world hold.
pub(crate) struct Telling<'a> {
    pub(crate) step: Step,
    /// The criteria this role is asked about.
    pub(crate) rules: &'a [&'a Criterion],
    pub(crate) shown: Option<&'a Shown>,
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
    let hidden = |id: &CriterionId| run.spec.criteria.iter().any(|c| c.hidden && c.id == *id);
    let seen = |f: &&FailedCriterion| !hidden(&f.id);
    let failed = |with: bool| -> Vec<Value> {
        let list = evaluation.map(|card| card.failed.iter().filter(seen).map(|f| told(f, card, with)).collect());
        list.unwrap_or_default()
    };
    let warnings = |with: bool| -> Vec<Value> {
        let list = evaluation.map(|card| card.warnings.iter().filter(seen).map(|f| told(f, card, with)).collect());
        list.unwrap_or_default()
    };
    let hidden_failing = evaluation.map_or(0, |card| card.failing_ids().filter(|id| hidden(id)).count());
    let visible: Vec<&Criterion> = run.spec.active(&run.level).filter(|c| !c.hidden).collect();
    let artifact = telling.shown.and_then(Shown::document);
    let tree = world.form == ArtifactForm::Tree;
    let failures = [failed(false), warnings(false)].concat();
    let own = match telling.step {
        Step::Plan => json!({
            "max_iterations": limits.max_iterations,
            "plan_steps_min": limits.plan_steps_min,
            "plan_steps_max": limits.plan_steps_max,
            "rules": rules(&visible),
            "failures": failures,
            "recent_events": telling.recent,
            "context": background,
        }),
        Step::Produce => json!({
            "plan": run.plan,
            "context": background,
            "artifact": artifact,
            "tree": tree,
            "rules": rules(&visible),
            "baseline": baseline(run, &visible),
        }),
        Step::Prepare => json!({ "plan": run.plan, "rules": rules(telling.rules), "rejected": rejected(run) }),
        Step::Evaluate => json!({
            "rules": rules(telling.rules),
            "artifact": artifact,
            "files": telling.shown.and_then(Shown::files),
            "fence": telling.fence,
        }),
        Step::Critique => json!({
            "artifact": artifact,
            "issues_max": limits.critique_issues_max,
            "failed": failed(false),
            "warnings": warnings(false),
            "hidden_failing": hidden_failing,
        }),
        Step::Refine => json!({
            "artifact": artifact,
            "issues": run.critique,
            "context": background,
            "tree": tree,
            "rules": rules(&visible),
            "failed": failed(true),
            "warnings": warnings(true),
            "hidden_failing": hidden_failing,
            "restored": run.restored,
        }),
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
    let one = |c: &&Criterion| {
        let mut rule = json!({ "id": c.id, "description": c.description, "severity": c.severity, "check": c.check });
        if !c.rubric.is_empty() {
            rule["rubric"] = json!(c.rubric);
            rule["pass_at"] = json!(c.passes_at());
        }
        rule
    };
    criteria.iter().map(one).collect()
}

/// What an evaluation found wrong; with its places where the agent can use them.
fn told(failed: &FailedCriterion, card: &Scorecard, with_findings: bool) -> Value {
    let mut value = json!({ "id": failed.id, "severity": failed.severity, "message": failed.message });
    if with_findings {
        let verdict = card.rule_results.iter().find(|v| v.id == failed.id);
        value["findings"] = json!(verdict.map(|v| &v.findings[..]).unwrap_or_default());
    }
    value
}

/// What the contract's checks found wrong before the work.
fn baseline(run: &Run, visible: &[&Criterion]) -> Vec<Value> {
    let fails = |v: &&Verdict| v.verdict != VerdictKind::Pass && visible.iter().any(|c| c.id == v.id);
    let one = |v: &Verdict| json!({ "id": v.id, "verdict": v.verdict, "details": v.details });
    run.baseline.iter().filter(fails).map(one).collect()
}

/// Prepared checks that did not count, and why, so that the next ones are better.
fn rejected(run: &Run) -> Vec<Value> {
    let told = |prepared: &PreparedCheck| match &prepared.control {
        Control::Vacuous { reason } => Some(json!({ "rule_id": prepared.rule_id, "reason": reason })),
        Control::Untried | Control::FailsOnEmpty | Control::FailsOnCounterexample { .. } => None,
    };
    run.prepared_checks.iter().flatten().filter_map(told).collect()
}
