//! How components are inside one another. Everything is worked out once for each component: steps ask about them often.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Component, ComponentKind, Intent};

pub(super) struct Graph<'a> {
    parts: BTreeMap<&'a str, Part<'a>>,
}

/// A component and what is around it.
struct Part<'a> {
    /// The first of its id; a second one is a finding of its own.
    component: &'a Component,
    /// From the inside out. Ends at a circle.
    ancestors: Vec<&'a Component>,
    /// At any depth. In a circle, it is among them itself.
    descendants: BTreeSet<&'a str>,
    data: BTreeSet<&'a str>,
}

impl<'a> Graph<'a> {
    pub(super) fn new(intent: &'a Intent) -> Graph<'a> {
        let mut by_id: BTreeMap<&str, &Component> = BTreeMap::new();
        let mut children: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for component in &intent.components {
            by_id.entry(component.id.as_str()).or_insert(component);
            if let Some(parent) = &component.parent {
                children.entry(parent).or_default().push(&component.id);
            }
        }
        let inside: BTreeMap<&str, BTreeSet<&str>> = by_id.keys().map(|id| (*id, descendants(id, &children))).collect();
        let parts = by_id.iter().map(|(id, component)| {
            let ancestors = ancestors(component, &by_id);
            let descendants = inside.get(id).cloned().unwrap_or_default();
            let mut near: BTreeSet<&str> = BTreeSet::from([*id]);
            near.extend(ancestors.iter().map(|one| one.id.as_str()));
            near.extend(&descendants);
            near.extend(
                ancestors
                    .first()
                    .and_then(|parent| inside.get(parent.id.as_str()))
                    .into_iter()
                    .flatten(),
            );
            let near = near.into_iter().filter_map(|id| by_id.get(id));
            let part = Part {
                component,
                ancestors,
                descendants,
                data: near.flat_map(|one| one.data.iter().map(String::as_str)).collect(),
            };
            (*id, part)
        });
        Graph { parts: parts.collect() }
    }

    pub(super) fn get(&self, id: &str) -> Option<&'a Component> {
        self.parts.get(id).map(|part| part.component)
    }

    /// What a component is inside of, from the inside out.
    pub(super) fn ancestors(&self, id: &str) -> impl Iterator<Item = &'a Component> {
        self.parts
            .get(id)
            .into_iter()
            .flat_map(|part| part.ancestors.iter().copied())
    }

    /// Everything inside a component, at any depth.
    pub(super) fn descendants(&self, id: &str) -> impl Iterator<Item = &'a str> {
        self.parts
            .get(id)
            .into_iter()
            .flat_map(|part| part.descendants.iter().copied())
    }

    pub(super) fn is_in_circle(&self, id: &str) -> bool {
        self.parts.get(id).is_some_and(|part| part.descendants.contains(id))
    }

    /// The outermost view that a component is, or is inside of.
    pub(super) fn view_of(&self, id: &str) -> Option<&'a str> {
        let part = self.parts.get(id)?;
        let mut around = part.ancestors.iter().rev().chain([&part.component]);
        around
            .find(|one| one.kind == ComponentKind::View)
            .map(|view| view.id.as_str())
    }

    /// The names of what is shown or changed at a component: its own, that of everything it is inside of, of everything
    /// inside it, and of the other parts of its parent.
    pub(super) fn data_at(&self, id: &str) -> impl Iterator<Item = &'a str> {
        self.parts
            .get(id)
            .into_iter()
            .flat_map(|part| part.data.iter().copied())
    }
}

fn ancestors<'a>(component: &'a Component, by_id: &BTreeMap<&'a str, &'a Component>) -> Vec<&'a Component> {
    let mut seen = BTreeSet::from([component.id.as_str()]);
    let mut found = Vec::new();
    let mut next = component.parent.as_deref();
    while let Some(parent) = next.and_then(|id| by_id.get(id)) {
        if !seen.insert(parent.id.as_str()) {
            break;
        }
        found.push(*parent);
        next = parent.parent.as_deref();
    }
    found
}

fn descendants<'a>(id: &str, children: &BTreeMap<&'a str, Vec<&'a str>>) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&str> = children.get(id).into_iter().flatten().copied().collect();
    while let Some(next) = open.pop() {
        if found.insert(next) {
            open.extend(children.get(next).into_iter().flatten().copied());
        }
    }
    found
}
