//! Where things stand on the page, and which findings belong there.
//!
//! Anchors are made of indices, never of foreign text.

use std::collections::BTreeMap;

use super::Scores;
use super::text::{name, put, visible};
use crate::intent::Intent;

/// Findings that are shown; the rest is counted.
pub(super) const FINDINGS_MAX: usize = 300;
/// Marks beside one place; the rest is reached through the list.
const MARKS_MAX: usize = 3;

/// A place on the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) anchor: String,
    /// In words, for people. Not yet escaped.
    pub(super) words: String,
}

impl Place {
    fn new(anchor: impl Into<String>, words: impl Into<String>) -> Place {
        Place {
            anchor: anchor.into(),
            words: words.into(),
        }
    }
}

/// The place of a JSON pointer into the intent: the thing itself, or the nearest thing around it that is there.
pub(super) fn of(intent: &Intent, pointer: &str) -> Place {
    let mut parts = pointer.split('/').skip(1);
    let head = parts.next().unwrap_or_default();
    let rest: Vec<&str> = parts.collect();
    let at = |n: usize| rest.get(n).and_then(|part| index(part));
    let within = |n: usize, list: &str| rest.get(n).is_some_and(|part| *part == list);
    let short = |text: &str| visible(text, 60);
    match head {
        "goals" => match at(0).filter(|&i| i < intent.goals.len()) {
            Some(i) => Place::new(format!("g{i}"), format!("Goal {}", i + 1)),
            None => Place::new("goals", "Goals"),
        },
        "userFlows" => match at(0).and_then(|i| Some((i, intent.user_flows.get(i)?))) {
            Some((i, flow)) => match at(2).filter(|&step| within(1, "steps") && step < flow.steps.len()) {
                Some(step) => Place::new(
                    format!("f{i}s{step}"),
                    format!("{}, step {}", short(&flow.name), step + 1),
                ),
                None => Place::new(format!("f{i}"), format!("Flow {}", short(&flow.name))),
            },
            None => Place::new("flows", "Flows"),
        },
        "components" => match at(0).and_then(|i| Some((i, intent.components.get(i)?))) {
            Some((i, component)) => Place::new(format!("c{i}"), format!("Part {}", short(&component.name))),
            None => Place::new("parts", "Parts"),
        },
        "dataModel" => match at(1).and_then(|i| Some((i, intent.data_model.entities.get(i)?))) {
            Some((i, entity)) => {
                let title = short(&entity.name);
                let attribute = at(3).filter(|_| within(2, "attributes"));
                let relationship = at(3).filter(|_| within(2, "relationships"));
                if let Some((a, found)) = attribute.and_then(|a| Some((a, entity.attributes.get(a)?))) {
                    Place::new(format!("e{i}a{a}"), format!("{title}, {}", short(&found.name)))
                } else if let Some((r, found)) = relationship.and_then(|r| Some((r, entity.relationships.get(r)?))) {
                    Place::new(format!("e{i}r{r}"), format!("{title} {}", short(&found.name)))
                } else {
                    Place::new(format!("e{i}"), title)
                }
            }
            None => Place::new("data", "Data"),
        },
        "interactions" => match at(0).filter(|&i| i < intent.interactions.len()) {
            Some(i) => Place::new(format!("i{i}"), format!("Behaviour {}", i + 1)),
            None => Place::new("behaviour", "Behaviour"),
        },
        _ => Place::new("top", "The whole design"),
    }
}

/// An index as a JSON pointer writes it.
fn index(part: &str) -> Option<usize> {
    let plain = part == "0" || (!part.starts_with('0') && part.bytes().all(|byte| byte.is_ascii_digit()));
    if plain { part.parse().ok() } else { None }
}

/// Findings by the place they are about, to mark it.
pub(super) struct Notes {
    by_anchor: BTreeMap<String, Vec<usize>>,
}

impl Notes {
    pub(super) fn new(intent: &Intent, scores: Option<&Scores>) -> Notes {
        let mut by_anchor: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (number, (pointer, _)) in scores
            .iter()
            .flat_map(|s| s.findings.iter().take(FINDINGS_MAX))
            .enumerate()
        {
            by_anchor.entry(of(intent, pointer).anchor).or_default().push(number);
        }
        Notes { by_anchor }
    }

    /// Links from a place to its findings.
    pub(super) fn at(&self, anchor: &str) -> String {
        let mut out = String::new();
        for number in self.by_anchor.get(anchor).into_iter().flatten().take(MARKS_MAX) {
            let shown = number + 1;
            put!(
                out,
                " <a class=\"mark\" href=\"#n{number}\" aria-label=\"Finding {shown}\">{shown}</a>"
            );
        }
        out
    }
}

/// A link to a part by its id, or its id alone when there is no such part.
pub(super) fn part_link(intent: &Intent, id: &str) -> String {
    match intent.components.iter().position(|component| component.id == id) {
        Some(i) => format!("<a href=\"#c{i}\"><bdi>{}</bdi></a>", name(&intent.components[i].name)),
        None => format!("<span class=\"unknown\"><bdi>{}</bdi> (unknown)</span>", name(id)),
    }
}

/// A link to an entity by its name, or its name alone when there is no such entity.
pub(super) fn entity_link(intent: &Intent, wanted: &str) -> String {
    match intent
        .data_model
        .entities
        .iter()
        .position(|entity| entity.name == wanted)
    {
        Some(i) => format!("<a href=\"#e{i}\"><bdi>{}</bdi></a>", name(wanted)),
        None => format!("<span class=\"unknown\"><bdi>{}</bdi> (unknown)</span>", name(wanted)),
    }
}
