//! Makes the parts of an intent fit: nothing unused, no two alike, a way from view to view, sentences of a readable length.

use std::collections::{BTreeMap, BTreeSet};

use super::compose::unique_id;
use super::text::{capital, clip, sentence, small};
use crate::intent::{ComponentKind, Intent, Interaction};

/// Longer sentences are read twice.
const SENTENCE_WORDS_MAX: usize = 36;
const INTERACTIONS_MAX: usize = 100;

/// The view a component is in, or it itself.
pub(super) fn view_of(intent: &Intent, id: &str) -> Option<String> {
    let mut at = intent.component(id)?;
    for _ in 0..intent.components.len() {
        match (&at.kind, at.parent.as_deref()) {
            (ComponentKind::View, _) => return Some(at.id.clone()),
            (_, Some(parent)) => at = intent.component(parent)?,
            (_, None) => return None,
        }
    }
    None
}

/// Components that no step names, nor anything inside them, go; so do their interactions.
pub(super) fn drop_orphans(intent: &mut Intent) {
    let mut used: BTreeSet<String> = intent
        .user_flows
        .iter()
        .flat_map(|flow| &flow.steps)
        .flat_map(|step| step.components.clone())
        .collect();
    loop {
        let parents: Vec<String> = intent
            .components
            .iter()
            .filter(|one| used.contains(&one.id))
            .filter_map(|one| one.parent.clone())
            .collect();
        let before = used.len();
        used.extend(parents);
        if used.len() == before {
            break;
        }
    }
    intent.components.retain(|one| used.contains(&one.id));
    intent.interactions.retain(|one| used.contains(&one.component));
}

/// Flows that go exactly the same way are one flow: the first keeps the other's outcome as its own.
pub(super) fn tell_flows_apart(intent: &mut Intent) {
    let mut names: BTreeSet<String> = BTreeSet::new();
    let mut ways: BTreeMap<String, String> = BTreeMap::new();
    let mut added = Vec::new();
    for at in 0..intent.user_flows.len() {
        let flow = &intent.user_flows[at];
        if !names.insert(flow.name.to_lowercase()) {
            let name = clip(&format!("{} as {}", clip(&flow.name, 80), small(&flow.actor)), 110);
            let name = if names.insert(name.to_lowercase()) {
                name
            } else {
                format!("{} ({})", clip(&name, 100), at + 1)
            };
            names.insert(name.to_lowercase());
            intent.user_flows[at].name = name;
        }
        let flow = &intent.user_flows[at];
        let way = format!(
            "{:?}",
            flow.steps
                .iter()
                .map(|step| (step.action, &step.components))
                .collect::<Vec<_>>()
        );
        if ways.insert(way, flow.id.clone()).is_some() {
            added.push(at);
        }
    }
    for at in added {
        own_part(intent, at);
    }
}

/// Gives a flow a part that only it uses, so that what is special about it can be seen.
pub(super) fn own_part(intent: &mut Intent, at: usize) {
    let Some(flow) = intent.user_flows.get(at) else { return };
    let Some(step) = flow
        .steps
        .iter()
        .rposition(|step| step.components.iter().any(|id| view_of(intent, id).is_some()))
    else {
        return;
    };
    let view = flow.steps[step].components.iter().find_map(|id| view_of(intent, id));
    let data = view
        .as_deref()
        .and_then(|id| intent.component(id))
        .map(|view| view.data.clone())
        .unwrap_or_default();
    let id = unique_id(
        &format!("part-{}", clip(&flow.id, 40)),
        intent.components.iter().map(|one| one.id.as_str()),
        "part",
    );
    let name = clip(&format!("Part for: {}", small(&flow.name)), 110);
    let description = clip(
        &sentence(&format!(
            "Holds what the {} needs to {}",
            small(&flow.actor),
            small(&flow.name)
        )),
        400,
    );
    let kind = if data.is_empty() {
        ComponentKind::Container
    } else {
        ComponentKind::Data
    };
    intent.components.push(crate::intent::Component {
        id: id.clone(),
        name,
        kind,
        description,
        parent: view,
        data,
    });
    intent.user_flows[at].steps[step].components.push(id);
}

/// Every actor can get from each of their views to the next.
pub(super) fn connect_views(intent: &mut Intent) {
    let mut views: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for flow in &intent.user_flows {
        let seen = views.entry(flow.actor.clone()).or_default();
        for view in flow
            .steps
            .iter()
            .flat_map(|step| &step.components)
            .filter_map(|id| view_of(intent, id))
        {
            if !seen.contains(&view) {
                seen.push(view);
            }
        }
    }
    let mut joined: BTreeSet<(String, String)> = BTreeSet::new();
    for (actor, seen) in views {
        for pair in seen.windows(2) {
            if joined.insert((pair[0].clone(), pair[1].clone())) {
                lead_on(intent, &actor, &pair[0], &pair[1]);
            }
        }
    }
}

/// An interaction that leads from one view to another.
pub(super) fn lead_on(intent: &mut Intent, actor: &str, from: &str, to: &str) {
    let Some(target) = intent.component(to) else { return };
    let name = target.name.clone();
    let leads =
        |one: &Interaction| one.component == from && one.response.starts_with(&format!("{} opens", capital(&name)));
    if intent.interactions.len() >= INTERACTIONS_MAX || intent.interactions.iter().any(leads) {
        return;
    }
    let id = unique_id(
        &format!("from-{}-to-{}", clip(from, 24), clip(to, 24)),
        intent.interactions.iter().map(|one| one.id.as_str()),
        "on-part",
    );
    intent.interactions.push(Interaction {
        id,
        component: from.to_owned(),
        trigger: clip(
            &sentence(&format!("The {} chooses “{}”", small(actor), capital(&name))),
            200,
        ),
        response: clip(
            &format!(
                "{} opens; if it cannot be read, the reason stands there with a way back.",
                capital(&name)
            ),
            300,
        ),
    });
}

/// Every text that people read, for changing it.
pub(super) fn texts(intent: &mut Intent) -> Vec<&mut String> {
    let mut all: Vec<&mut String> = intent.goals.iter_mut().collect();
    for flow in &mut intent.user_flows {
        all.push(&mut flow.outcome);
        all.extend(flow.steps.iter_mut().map(|step| &mut step.description));
    }
    all.extend(intent.components.iter_mut().map(|one| &mut one.description));
    for entity in &mut intent.data_model.entities {
        all.push(&mut entity.description);
        all.extend(entity.attributes.iter_mut().map(|one| &mut one.description));
    }
    for one in &mut intent.interactions {
        all.push(&mut one.trigger);
        all.push(&mut one.response);
    }
    all
}

pub(super) fn shorten_sentences(intent: &mut Intent) {
    for text in texts(intent) {
        *text = readable(text);
    }
}

/// Cuts sentences that are too long at their last comma, or where a reason begins.
pub(super) fn readable(text: &str) -> String {
    let mut done: Vec<String> = Vec::new();
    for one in text.split_inclusive(". ") {
        let words: Vec<&str> = one.split_whitespace().collect();
        if words.len() <= SENTENCE_WORDS_MAX {
            done.push(one.trim().to_owned());
            continue;
        }
        let limit = SENTENCE_WORDS_MAX.min(words.len() - 1);
        let breaks = |at: &usize| {
            words[*at].ends_with([',', ';']) || (words[at + 1] == "so" && words.get(at + 2) == Some(&"that"))
        };
        let cut = (8..limit).rev().find(breaks).unwrap_or(limit - 1);
        let (head, tail) = words.split_at(cut + 1);
        let tail = tail.join(" ");
        let tail = tail
            .strip_prefix("so that ")
            .map_or(tail.clone(), |reason| format!("This way {reason}"));
        let tail = tail.strip_prefix("and ").map_or(tail.clone(), str::to_owned);
        done.push(sentence(&head.join(" ")));
        done.push(readable(&sentence(&tail)));
    }
    done.join(" ")
}
