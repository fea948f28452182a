//! Coherence: flows, components and views fit together.

use std::collections::{BTreeMap, BTreeSet};

use super::completeness::{STEPS_MIN, changes};
use super::graph::Graph;
use super::rules::{
    CHANGE_DATA, ENTRY_LOST, FLOW_NONE, FLOW_TWICE, INTERACTION_COMPONENT, ORPHAN, PARENT_CIRCLE, PARENT_UNKNOWN,
    PART_OUTSIDE, STEP_COMPONENT, STEP_CONTROL, VIEW_ISLAND, VIEW_NESTED,
};
use super::{Report, words};
use crate::{Action, Component, ComponentKind, Flow, Intent, Step};

pub(super) fn judge(intent: &Intent, report: &mut Report) {
    let graph = Graph::new(intent);
    judge_substance(intent, &graph, report);
    judge_references(intent, &graph, report);
    for (index, component) in intent.components.iter().enumerate() {
        judge_place(component, &format!("/components/{index}"), &graph, report);
    }
    judge_orphans(intent, &graph, report);
    for (index, flow) in intent.user_flows.iter().enumerate() {
        judge_flow(flow, &format!("/userFlows/{index}"), &graph, report);
    }
    judge_flow_twice(intent, report);
    judge_islands(intent, &graph, report);
}

/// What is hardly there has few mistakes; it is not coherent for that.
fn judge_substance(intent: &Intent, graph: &Graph<'_>, report: &mut Report) {
    let is_known = |step: &Step| step.components.iter().all(|id| graph.get(id).is_some());
    let is_sound = |flow: &Flow| flow.steps.len() >= STEPS_MIN && flow.steps.iter().all(is_known);
    if !intent.user_flows.iter().any(is_sound) {
        report.add(&FLOW_NONE, "/userFlows", "no flow leads from a reason to an outcome");
    }
}

fn judge_references(intent: &Intent, graph: &Graph<'_>, report: &mut Report) {
    for (flow_index, flow) in intent.user_flows.iter().enumerate() {
        for (step_index, step) in flow.steps.iter().enumerate() {
            for (index, id) in step.components.iter().enumerate() {
                if graph.get(id).is_none() {
                    let pointer = format!("/userFlows/{flow_index}/steps/{step_index}/components/{index}");
                    report.add(&STEP_COMPONENT, &pointer, format!("there is no component `{id}`"));
                }
            }
        }
    }
    for (index, interaction) in intent.interactions.iter().enumerate() {
        if graph.get(&interaction.component).is_none() {
            let message = format!("there is no component `{}`", interaction.component);
            report.add(
                &INTERACTION_COMPONENT,
                &format!("/interactions/{index}/component"),
                message,
            );
        }
    }
}

/// Where a component is. One finding at most: a wrong parent says everything about the place.
fn judge_place(component: &Component, place: &str, graph: &Graph<'_>, report: &mut Report) {
    let id = &component.id;
    let Some(parent_id) = &component.parent else {
        if matches!(component.kind, ComponentKind::Control | ComponentKind::Data) {
            report.add(
                &PART_OUTSIDE,
                place,
                format!("`{id}` is inside no view and no container"),
            );
        }
        return;
    };
    let pointer = format!("{place}/parent");
    let Some(parent) = graph.get(parent_id) else {
        report.add(
            &PARENT_UNKNOWN,
            &pointer,
            format!("there is no component `{parent_id}`"),
        );
        return;
    };
    if graph.is_in_circle(id) {
        report.add(
            &PARENT_CIRCLE,
            &pointer,
            format!("`{id}` is inside itself, by way of `{parent_id}`"),
        );
        return;
    }
    match component.kind {
        ComponentKind::View => report.add(
            &VIEW_NESTED,
            &pointer,
            format!("the view `{id}` is inside `{parent_id}`"),
        ),
        ComponentKind::Control | ComponentKind::Data => {
            if !matches!(parent.kind, ComponentKind::View | ComponentKind::Container) {
                let message = format!("`{id}` is inside `{parent_id}`, which is no view and no container");
                report.add(&PART_OUTSIDE, &pointer, message);
            }
        }
        ComponentKind::Container | ComponentKind::Utility => {}
    }
}

fn judge_orphans(intent: &Intent, graph: &Graph<'_>, report: &mut Report) {
    let named: BTreeSet<&str> = steps(intent)
        .flat_map(|step| &step.components)
        .map(String::as_str)
        .collect();
    let mut used = named.clone();
    for id in named {
        used.extend(graph.ancestors(id).map(|component| component.id.as_str()));
    }
    for (index, component) in intent.components.iter().enumerate() {
        if !used.contains(component.id.as_str()) {
            let message = format!("no flow uses `{}` or anything inside it", component.id);
            report.add(&ORPHAN, &format!("/components/{index}"), message);
        }
    }
}

fn steps(intent: &Intent) -> impl Iterator<Item = &Step> {
    intent.user_flows.iter().flat_map(|flow| &flow.steps)
}

fn judge_flow(flow: &Flow, place: &str, graph: &Graph<'_>, report: &mut Report) {
    for (index, step) in flow.steps.iter().enumerate() {
        // A step that names nothing known has its own finding.
        let known: Vec<&Component> = step.components.iter().filter_map(|id| graph.get(id)).collect();
        if known.is_empty() {
            continue;
        }
        let pointer = format!("{place}/steps/{index}");
        let by_control = matches!(
            step.action,
            Action::Enter | Action::Select | Action::Submit | Action::Confirm
        );
        if by_control && !known.iter().any(|component| has_control(component, graph)) {
            let message = format!("no control is named for the step `{}`", step.id);
            report.add(&STEP_CONTROL, &pointer, message);
        }
        if changes(step.action)
            && known
                .iter()
                .all(|component| graph.data_at(&component.id).next().is_none())
        {
            let message = format!(
                "the step `{}` changes something, and no component there names what",
                step.id
            );
            report.add(&CHANGE_DATA, &pointer, message);
        }
    }
    let entered = flow.steps.iter().rposition(|step| step.action == Action::Enter);
    if let Some(entered) = entered {
        let is_used = flow.steps[entered + 1..].iter().any(|step| uses_entry(step.action));
        if !is_used {
            let message = format!("nothing is done with what is entered in `{}`", flow.id);
            report.add(&ENTRY_LOST, &format!("{place}/steps/{entered}"), message);
        }
    }
}

fn has_control(component: &Component, graph: &Graph<'_>) -> bool {
    let is_control = |id: &str| graph.get(id).is_some_and(|one| one.kind == ComponentKind::Control);
    is_control(&component.id) || graph.descendants(&component.id).any(is_control)
}

fn uses_entry(action: Action) -> bool {
    match action {
        Action::Submit | Action::Create | Action::Update | Action::Delete => true,
        Action::Confirm | Action::Search | Action::Compute => true,
        Action::View | Action::Navigate | Action::Enter | Action::Select | Action::Notify => false,
    }
}

fn judge_flow_twice(intent: &Intent, report: &mut Report) {
    let mut seen: BTreeMap<Vec<(Action, &[String])>, &str> = BTreeMap::new();
    for (index, flow) in intent.user_flows.iter().enumerate() {
        let way: Vec<(Action, &[String])> = flow
            .steps
            .iter()
            .map(|step| (step.action, step.components.as_slice()))
            .collect();
        if way.is_empty() {
            continue;
        }
        if let Some(first) = seen.get(&way) {
            let message = format!("`{}` goes the same way as `{first}`", flow.id);
            report.add(&FLOW_TWICE, &format!("/userFlows/{index}/steps"), message);
        } else {
            seen.insert(way, &flow.id);
        }
    }
}

/// Which views belong together, by joining them pair by pair.
struct Islands<'a>(BTreeMap<&'a str, &'a str>);

impl<'a> Islands<'a> {
    fn root(&self, mut view: &'a str) -> &'a str {
        while let Some(next) = self.0.get(view).copied().filter(|next| *next != view) {
            view = next;
        }
        view
    }

    fn join(&mut self, one: &'a str, other: &'a str) {
        let (one, other) = (self.root(one), self.root(other));
        if one != other {
            self.0.insert(one.max(other), one.min(other));
        }
    }
}

/// Views are connected when a flow leads from one to the other, or when an interaction of one names the other.
fn judge_islands(intent: &Intent, graph: &Graph<'_>, report: &mut Report) {
    let mut islands = Islands(BTreeMap::new());
    let mut first_of_actor: BTreeMap<String, &str> = BTreeMap::new();
    let views_of = |step: &Step| -> Vec<&str> { step.components.iter().filter_map(|id| graph.view_of(id)).collect() };
    for flow in &intent.user_flows {
        let views: Vec<&str> = flow.steps.iter().flat_map(views_of).collect();
        for pair in views.windows(2) {
            islands.join(pair[0], pair[1]);
        }
    }
    let named: Vec<(String, &str)> = intent
        .components
        .iter()
        .filter(|one| one.kind == ComponentKind::View)
        .map(|view| (format!(" {} ", words::plain(&view.name)), view.id.as_str()))
        .collect();
    for interaction in &intent.interactions {
        let Some(here) = graph.view_of(&interaction.component) else {
            continue;
        };
        let text = format!(
            " {} {} ",
            words::plain(&interaction.trigger),
            words::plain(&interaction.response)
        );
        for (name, view) in named.iter().filter(|(name, _)| text.contains(name.as_str())) {
            if name.trim().is_empty() {
                continue;
            }
            islands.join(here, view);
        }
    }
    for (index, flow) in intent.user_flows.iter().enumerate() {
        let Some(view) = flow.steps.iter().flat_map(views_of).next() else {
            continue;
        };
        let first = *first_of_actor.entry(words::plain(&flow.actor)).or_insert(view);
        if islands.root(first) != islands.root(view) {
            let message = format!(
                "nothing leads from `{first}` to `{view}`, though `{}` uses both",
                flow.actor
            );
            report.add(&VIEW_ISLAND, &format!("/userFlows/{index}"), message);
            // One missing way is one finding, however many flows it cuts off.
            islands.join(first, view);
        }
    }
}
