//! Every text of an intent with its place, for the rules that read words.

use crate::Intent;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A label: title, name, actor.
    Label,
    /// Sentences.
    Prose,
    /// An id, or the name of an entity or attribute: words run together.
    Identifier,
}

#[derive(Debug, Clone)]
pub(super) struct Text<'a> {
    pub(super) pointer: String,
    pub(super) text: &'a str,
    pub(super) role: Role,
}

pub(super) fn of(intent: &Intent) -> Vec<Text<'_>> {
    let mut all = Vec::new();
    let mut add = |pointer: String, text, role| all.push(Text { pointer, text, role });
    add("/featureId".to_string(), intent.feature_id.as_str(), Role::Identifier);
    add("/title".to_string(), &intent.title, Role::Label);
    for (index, goal) in intent.goals.iter().enumerate() {
        add(format!("/goals/{index}"), goal, Role::Prose);
    }
    for (index, flow) in intent.user_flows.iter().enumerate() {
        let place = format!("/userFlows/{index}");
        add(format!("{place}/id"), &flow.id, Role::Identifier);
        add(format!("{place}/name"), &flow.name, Role::Label);
        add(format!("{place}/actor"), &flow.actor, Role::Label);
        add(format!("{place}/outcome"), &flow.outcome, Role::Prose);
        for (index, step) in flow.steps.iter().enumerate() {
            add(format!("{place}/steps/{index}/id"), &step.id, Role::Identifier);
            add(
                format!("{place}/steps/{index}/description"),
                &step.description,
                Role::Prose,
            );
        }
    }
    for (index, component) in intent.components.iter().enumerate() {
        let place = format!("/components/{index}");
        add(format!("{place}/id"), &component.id, Role::Identifier);
        add(format!("{place}/name"), &component.name, Role::Label);
        add(format!("{place}/description"), &component.description, Role::Prose);
    }
    for (index, entity) in intent.data_model.entities.iter().enumerate() {
        let place = format!("/dataModel/entities/{index}");
        add(format!("{place}/name"), &entity.name, Role::Identifier);
        add(format!("{place}/description"), &entity.description, Role::Prose);
        for (index, attribute) in entity.attributes.iter().enumerate() {
            let place = format!("{place}/attributes/{index}");
            add(format!("{place}/name"), &attribute.name, Role::Identifier);
            add(format!("{place}/description"), &attribute.description, Role::Prose);
        }
        for (index, relationship) in entity.relationships.iter().enumerate() {
            add(
                format!("{place}/relationships/{index}/name"),
                &relationship.name,
                Role::Label,
            );
        }
    }
    for (index, interaction) in intent.interactions.iter().enumerate() {
        let place = format!("/interactions/{index}");
        add(format!("{place}/id"), &interaction.id, Role::Identifier);
        add(format!("{place}/trigger"), &interaction.trigger, Role::Prose);
        add(format!("{place}/response"), &interaction.response, Role::Prose);
    }
    all
}
