//! Completeness: every part that a design needs is there and says something.

use std::collections::BTreeSet;

use super::graph::Graph;
use super::rules::{
    CONTROL_ERROR, CONTROL_NONE, CONTROL_SILENT, ENTITY_NONE, ENTITY_THIN, FLOW_ACTOR, FLOW_OUTCOME, FLOW_SHORT,
    GOAL_THIN, GOALS_FEW, INTERACTION_NONE, TITLE_EMPTY, VIEW_EMPTY, VIEW_NONE, VIEW_THIN,
};
use super::{Report, words};
use crate::{Action, Component, ComponentKind, Intent, Interaction};

const GOALS_MIN: usize = 2;
const GOAL_WORDS_MIN: usize = 4;
pub(super) const STEPS_MIN: usize = 2;
const OUTCOME_WORDS_MIN: usize = 3;
const VIEW_WORDS_MIN: usize = 5;
const ATTRIBUTES_MIN: usize = 2;
const TITLE_LETTERS_MIN: usize = 4;

const EMPTY_TITLES: [&str; 9] = [
    "untitled",
    "title",
    "feature",
    "new feature",
    "my feature",
    "design",
    "draft",
    "test",
    "example",
];

const NOBODY: [&str; 12] = [
    "", "none", "nobody", "anyone", "anybody", "someone", "somebody", "everyone", "n a", "na", "unknown", "actor",
];

/// Words by which a response speaks of things going wrong.
const WRONG: [&str; 60] = [
    "error",
    "errors",
    "fail",
    "fails",
    "failed",
    "failure",
    "wrong",
    "invalid",
    "missing",
    "refused",
    "refuses",
    "rejected",
    "rejects",
    "cannot",
    "can't",
    "couldn't",
    "not",
    "isn't",
    "aren't",
    "doesn't",
    "don't",
    "unless",
    "otherwise",
    "warning",
    "warns",
    "warned",
    "problem",
    "problems",
    "conflict",
    "unavailable",
    "already",
    "expired",
    "declined",
    "declines",
    "empty",
    "unknown",
    "retry",
    "retries",
    "again",
    "instead",
    "blocked",
    "blocks",
    "without",
    "until",
    "never",
    "nothing",
    "none",
    "denied",
    "lost",
    "offline",
    "incomplete",
    "unsaved",
    "mistake",
    "mistakes",
    "undo",
    "undone",
    "impossible",
    "exceeds",
    "unreachable",
    "disabled",
];

pub(super) fn changes(action: Action) -> bool {
    match action {
        Action::Submit | Action::Create | Action::Update | Action::Delete => true,
        Action::View
        | Action::Navigate
        | Action::Enter
        | Action::Select
        | Action::Confirm
        | Action::Search
        | Action::Notify
        | Action::Compute => false,
    }
}

/// Done by a person with a control.
fn is_done_by_hand(action: Action) -> bool {
    match action {
        Action::Enter | Action::Select | Action::Confirm | Action::Search => true,
        Action::View | Action::Navigate | Action::Notify | Action::Compute => false,
        Action::Submit | Action::Create | Action::Update | Action::Delete => true,
    }
}

pub(super) fn judge(intent: &Intent, report: &mut Report) {
    judge_title_and_goals(intent, report);
    judge_flows(intent, report);
    judge_components(intent, report);
    judge_interactions(intent, report);
    judge_entities(intent, report);
}

fn judge_title_and_goals(intent: &Intent, report: &mut Report) {
    let title = words::plain(&intent.title);
    let letters = title.chars().filter(|c| c.is_alphabetic()).count();
    if letters < TITLE_LETTERS_MIN || EMPTY_TITLES.contains(&title.as_str()) {
        report.add(
            &TITLE_EMPTY,
            "/title",
            format!("`{}` does not name a feature", intent.title),
        );
    }
    if intent.goals.len() < GOALS_MIN {
        report.add(
            &GOALS_FEW,
            "/goals",
            format!("{} goals, at least {GOALS_MIN} are needed", intent.goals.len()),
        );
    }
    for (index, goal) in intent.goals.iter().enumerate() {
        let count = words::count(goal);
        if count < GOAL_WORDS_MIN {
            report.add(
                &GOAL_THIN,
                &format!("/goals/{index}"),
                format!("the goal has {count} words"),
            );
        }
    }
}

fn judge_flows(intent: &Intent, report: &mut Report) {
    for (index, flow) in intent.user_flows.iter().enumerate() {
        let place = format!("/userFlows/{index}");
        if flow.steps.len() < STEPS_MIN {
            let message = format!("the flow `{}` has {} steps", flow.id, flow.steps.len());
            report.add(&FLOW_SHORT, &format!("{place}/steps"), message);
        }
        if NOBODY.contains(&words::plain(&flow.actor).as_str()) {
            let message = format!("`{}` does not say who goes the flow `{}`", flow.actor, flow.id);
            report.add(&FLOW_ACTOR, &format!("{place}/actor"), message);
        }
        let count = words::count(&flow.outcome);
        if count < OUTCOME_WORDS_MIN {
            let message = format!("the outcome of `{}` has {count} words", flow.id);
            report.add(&FLOW_OUTCOME, &format!("{place}/outcome"), message);
        }
    }
}

fn judge_components(intent: &Intent, report: &mut Report) {
    let graph = Graph::new(intent);
    let has = |kind| intent.components.iter().any(|component| component.kind == kind);
    let actions: BTreeSet<Action> = intent
        .user_flows
        .iter()
        .flat_map(|flow| &flow.steps)
        .map(|step| step.action)
        .collect();
    let by_person = actions
        .iter()
        .any(|action| !matches!(action, Action::Notify | Action::Compute));
    if by_person && !has(ComponentKind::View) {
        report.add(&VIEW_NONE, "/components", "no component is a view");
    }
    if actions.iter().any(|action| is_done_by_hand(*action)) && !has(ComponentKind::Control) {
        report.add(&CONTROL_NONE, "/components", "no component is a control");
    }
    for (index, component) in intent.components.iter().enumerate() {
        if component.kind != ComponentKind::View {
            continue;
        }
        let place = format!("/components/{index}");
        let count = words::count(&component.description);
        if count < VIEW_WORDS_MIN {
            let message = format!("the view `{}` is described in {count} words", component.id);
            report.add(&VIEW_THIN, &format!("{place}/description"), message);
        }
        if component.data.is_empty() && graph.descendants(&component.id).next().is_none() {
            report.add(
                &VIEW_EMPTY,
                &place,
                format!("nothing is inside the view `{}`", component.id),
            );
        }
    }
}

fn judge_interactions(intent: &Intent, report: &mut Report) {
    if intent.interactions.is_empty() {
        report.add(&INTERACTION_NONE, "/interactions", "there is no interaction");
    }
    let steps = || intent.user_flows.iter().flat_map(|flow| &flow.steps);
    for (index, component) in intent.components.iter().enumerate() {
        if component.kind != ComponentKind::Control {
            continue;
        }
        let place = format!("/components/{index}");
        let own: Vec<&Interaction> = intent
            .interactions
            .iter()
            .filter(|one| one.component == component.id)
            .collect();
        let is_changing = steps().any(|step| changes(step.action) && step.components.contains(&component.id));
        if own.is_empty() {
            report.add(
                &CONTROL_SILENT,
                &place,
                format!("the control `{}` has no interaction", component.id),
            );
        } else if is_changing && !own.iter().any(|one| speaks_of_failure(one)) {
            let message = format!(
                "no interaction of `{}` says what happens when it goes wrong",
                component.id
            );
            report.add(&CONTROL_ERROR, &place, message);
        }
    }
}

fn speaks_of_failure(interaction: &Interaction) -> bool {
    let all = words::words(&interaction.trigger)
        .into_iter()
        .chain(words::words(&interaction.response));
    all.into_iter().any(|word| WRONG.contains(&word.small.as_str()))
}

/// Whether anything in the design is shown or changed that has to be kept.
pub(super) fn needs_data(intent: &Intent) -> bool {
    let mut steps = intent.user_flows.iter().flat_map(|flow| &flow.steps);
    let shows = |component: &Component| component.kind == ComponentKind::Data || !component.data.is_empty();
    intent.components.iter().any(shows) || steps.any(|step| changes(step.action))
}

fn judge_entities(intent: &Intent, report: &mut Report) {
    let entities = &intent.data_model.entities;
    if entities.is_empty() && needs_data(intent) {
        report.add(&ENTITY_NONE, "/dataModel/entities", "the data model has no entity");
    }
    for (index, entity) in entities.iter().enumerate() {
        let count = entity.attributes.len();
        if count < ATTRIBUTES_MIN {
            let message = format!("`{}` has {count} attributes", entity.name);
            report.add(
                &ENTITY_THIN,
                &format!("/dataModel/entities/{index}/attributes"),
                message,
            );
        }
    }
}
