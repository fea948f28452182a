//! Data-model integrity: what is kept carries what people do.

use std::collections::{BTreeMap, BTreeSet};

use super::Report;
use super::completeness::{changes, needs_data};
use super::graph::Graph;
use super::rules::{
    ATTRIBUTE_KIND, ATTRIBUTE_TWICE, CHANGE_ENTITY, DATA_NONE, DATA_UNKNOWN, ENTITY_ISOLATED, ENTITY_KEY,
    ENTITY_REQUIRED, ENTITY_TWICE, ENTITY_UNUSED, MODEL_UNUSED, NAME_FORM, RELATION_MISMATCH, RELATION_TWICE,
    RELATION_UNKNOWN,
};
use crate::{Attribute, Cardinality, ComponentKind, Entity, Intent, ValueKind};

/// Names that fit everything and therefore nothing.
const EMPTY_NAMES: [&str; 18] = [
    "data", "object", "thing", "things", "item1", "item2", "entity", "record1", "model", "info", "stuff", "value1",
    "value2", "foo", "baz", "temp", "tmp", "misc",
];

pub(super) fn judge(intent: &Intent, report: &mut Report) {
    judge_components(intent, report);
    judge_changes(intent, report);
    judge_use(intent, report);
    let mut names = BTreeSet::new();
    for (index, entity) in intent.data_model.entities.iter().enumerate() {
        let place = format!("/dataModel/entities/{index}");
        if !names.insert(entity.name.to_lowercase()) {
            report.add(
                &ENTITY_TWICE,
                &format!("{place}/name"),
                format!("there is already an entity `{}`", entity.name),
            );
        }
        judge_entity(entity, &place, report);
        judge_relationships(entity, &place, intent, report);
    }
}

fn judge_components(intent: &Intent, report: &mut Report) {
    for (index, component) in intent.components.iter().enumerate() {
        let place = format!("/components/{index}");
        for (index, name) in component.data.iter().enumerate() {
            if intent.entity(name).is_none() {
                report.add(
                    &DATA_UNKNOWN,
                    &format!("{place}/data/{index}"),
                    format!("there is no entity `{name}`"),
                );
            }
        }
        let is_bare = component.kind == ComponentKind::Data && component.data.is_empty();
        if is_bare && !intent.data_model.entities.is_empty() {
            report.add(
                &DATA_NONE,
                &place,
                format!("`{}` shows data and does not say which", component.id),
            );
        }
    }
}

/// A step without any data at all is a matter of coherence; here the data named must exist.
fn judge_changes(intent: &Intent, report: &mut Report) {
    let graph = Graph::new(intent);
    for (flow_index, flow) in intent.user_flows.iter().enumerate() {
        for (step_index, step) in flow.steps.iter().enumerate() {
            if !changes(step.action) {
                continue;
            }
            let named: BTreeSet<&str> = step.components.iter().flat_map(|id| graph.data_at(id)).collect();
            if !named.is_empty() && !named.iter().any(|name| intent.entity(name).is_some()) {
                let pointer = format!("/userFlows/{flow_index}/steps/{step_index}");
                report.add(
                    &CHANGE_ENTITY,
                    &pointer,
                    format!("no entity is there for the step `{}`", step.id),
                );
            }
        }
    }
}

fn judge_use(intent: &Intent, report: &mut Report) {
    let entities = &intent.data_model.entities;
    let named: BTreeSet<&str> = intent
        .components
        .iter()
        .flat_map(|one| &one.data)
        .map(String::as_str)
        .collect();
    let is_named = entities.iter().any(|entity| named.contains(entity.name.as_str()));
    // A feature that keeps nothing and shows nothing that is kept needs no data model.
    let needs_model = !entities.is_empty() || needs_data(intent);
    if needs_model && !is_named {
        report.add(&MODEL_UNUSED, "/dataModel", "no component shows or changes any entity");
    }
    let mut related: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for entity in entities {
        for relationship in &entity.relationships {
            let (from, to) = (entity.name.as_str(), relationship.target.as_str());
            related.entry(from).or_default().insert(to);
            related.entry(to).or_default().insert(from);
        }
    }
    for (index, entity) in entities.iter().enumerate() {
        let place = format!("/dataModel/entities/{index}");
        let name = entity.name.as_str();
        let near = related.get(name);
        let is_used = named.contains(name) || near.is_some_and(|near| near.iter().any(|other| named.contains(other)));
        if !is_used {
            report.add(
                &ENTITY_UNUSED,
                &place,
                format!("no component shows or changes `{name}`"),
            );
        }
        if entities.len() > 1 && near.is_none() {
            report.add(
                &ENTITY_ISOLATED,
                &place,
                format!("`{name}` is related to no other entity"),
            );
        }
    }
}

fn judge_entity(entity: &Entity, place: &str, report: &mut Report) {
    let name = &entity.name;
    if !is_camel_case(name, char::is_uppercase) || EMPTY_NAMES.contains(&name.to_lowercase().as_str()) {
        report.add(
            &NAME_FORM,
            &format!("{place}/name"),
            format!("`{name}` does not say what is kept"),
        );
    }
    if !entity
        .attributes
        .iter()
        .any(|one| one.unique || one.kind == ValueKind::Identifier)
    {
        report.add(
            &ENTITY_KEY,
            &format!("{place}/attributes"),
            format!("nothing tells one `{name}` from another"),
        );
    }
    if !entity.attributes.iter().any(|one| one.required) {
        report.add(
            &ENTITY_REQUIRED,
            &format!("{place}/attributes"),
            format!("nothing about `{name}` is required"),
        );
    }
    let mut names = BTreeSet::new();
    for (index, attribute) in entity.attributes.iter().enumerate() {
        let pointer = format!("{place}/attributes/{index}");
        if !names.insert(attribute.name.to_lowercase()) {
            let message = format!("`{name}` has `{}` already", attribute.name);
            report.add(&ATTRIBUTE_TWICE, &format!("{pointer}/name"), message);
        }
        let small = attribute.name.to_lowercase();
        if !is_camel_case(&attribute.name, char::is_lowercase) || EMPTY_NAMES.contains(&small.as_str()) {
            let message = format!("`{}` does not say what is known", attribute.name);
            report.add(&NAME_FORM, &format!("{pointer}/name"), message);
        }
        if let Some(wanted) = promised_kind(attribute) {
            let message = format!("`{}` is not {wanted}, as its name promises", attribute.name);
            report.add(&ATTRIBUTE_KIND, &format!("{pointer}/type"), message);
        }
    }
}

fn is_camel_case(name: &str, first: impl Fn(char) -> bool) -> bool {
    name.chars().next().is_some_and(first) && name.chars().all(|c| c.is_ascii_alphanumeric())
}

/// What the name of an attribute promises, where its type is something else.
fn promised_kind(attribute: &Attribute) -> Option<&'static str> {
    use ValueKind as K;
    let name = attribute.name.as_str();
    let is_followed_by_capital = |prefix: &str| {
        let rest = name.strip_prefix(prefix);
        rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
    };
    let ends = |word: &str| name == word.to_lowercase() || name.ends_with(word);
    let (wanted, kinds): (_, &[K]) = if is_followed_by_capital("is") || is_followed_by_capital("has") {
        ("true or false", &[K::Boolean])
    } else if name.len() > 2 && name.ends_with("At") {
        ("a moment", &[K::DateTime, K::Date])
    } else if ends("Date") {
        ("a date", &[K::Date, K::DateTime])
    } else if ends("Email") {
        ("an email address", &[K::Email])
    } else if ends("Price") {
        ("an amount of money", &[K::Money, K::Number, K::Integer])
    } else if ends("Quantity") {
        ("a number", &[K::Integer, K::Number])
    } else {
        return None;
    };
    (!kinds.contains(&attribute.kind)).then_some(wanted)
}

fn inverse(cardinality: Cardinality) -> Cardinality {
    match cardinality {
        Cardinality::OneToOne => Cardinality::OneToOne,
        Cardinality::OneToMany => Cardinality::ManyToOne,
        Cardinality::ManyToOne => Cardinality::OneToMany,
        Cardinality::ManyToMany => Cardinality::ManyToMany,
    }
}

fn judge_relationships(entity: &Entity, place: &str, intent: &Intent, report: &mut Report) {
    let mut seen = BTreeSet::new();
    for (index, relationship) in entity.relationships.iter().enumerate() {
        let pointer = format!("{place}/relationships/{index}");
        let name = &relationship.target;
        if !seen.insert((relationship.name.to_lowercase(), name)) {
            let message = format!("`{}` {} `{name}` already", entity.name, relationship.name);
            report.add(&RELATION_TWICE, &pointer, message);
        }
        let Some(target) = intent.entity(name) else {
            report.add(
                &RELATION_UNKNOWN,
                &format!("{pointer}/target"),
                format!("there is no entity `{name}`"),
            );
            continue;
        };
        let mut back = target
            .relationships
            .iter()
            .filter(|one| one.target == entity.name)
            .peekable();
        let is_two_sided = name != &entity.name && back.peek().is_some();
        if is_two_sided && !back.any(|one| one.cardinality == inverse(relationship.cardinality)) {
            let message = format!(
                "`{name}` and `{}` say different things about how many belong together",
                entity.name
            );
            report.add(&RELATION_MISMATCH, &format!("{pointer}/cardinality"), message);
        }
    }
}
