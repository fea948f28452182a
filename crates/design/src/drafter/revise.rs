//! The next intent: every finding of the critic has a handler that changes the place it names, and what a person said is followed.

use std::collections::BTreeSet;

use super::brief::Brief;
use super::compose::{DraftError, draft, nearest_component, unique_id};
use super::english;
use super::feedback;
use super::meaning;
use super::technology;
use super::text::{capital, clip, joined, lower_camel, sentence, small, spaced, tokens, upper_camel};
use super::tidy;
use crate::intent::{
    Action, Attribute, Cardinality, Component, ComponentKind, Entity, Intent, Interaction, Relationship, Step,
    ValueKind,
};

/// What the critic found, as the drafter needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// A JSON pointer into the intent that is revised.
    pub pointer: String,
    pub rule_id: String,
    pub message: String,
    pub fix: String,
}

/// A revised intent, and what became of every hint and every wish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    pub intent: Intent,
    pub applied: Vec<String>,
    /// What could not be done. A wish that could not be followed is kept as a goal, and stands here as well.
    pub not_applied: Vec<String>,
}

/// Findings beyond this are looked at in the next revision.
const HINTS_MAX: usize = 500;
const WRONG: &str = "; if it cannot be done, nothing is stored and the reason is shown";

/// The next intent. Findings come first, because their pointers are into the intent as it is; then what a person wishes.
pub fn revise(brief: &Brief, intent: &Intent, findings: &[Hint], wishes: Option<&str>) -> Result<Revision, DraftError> {
    if meaning::of(brief).features.is_empty() {
        return Err(DraftError::NothingToDo);
    }
    let mut work = Work {
        brief,
        intent: intent.clone(),
        gone: Gone::default(),
    };
    let mut applied = Vec::new();
    let mut not_applied = Vec::new();
    for hint in findings.iter().take(HINTS_MAX) {
        let told = format!(
            "`{}` at `{}`",
            hint.rule_id,
            if hint.pointer.is_empty() { "/" } else { &hint.pointer }
        );
        let before = (work.intent.clone(), work.gone.clone());
        work.follow(hint);
        if (&work.intent, &work.gone) == (&before.0, &before.1) {
            not_applied.push(format!("{told}: {}", hint.message));
        } else {
            applied.push(format!("{told}: {}", hint.fix));
        }
    }
    not_applied.extend(
        findings
            .iter()
            .skip(HINTS_MAX)
            .map(|hint| format!("`{}` at `{}`: left for the next revision", hint.rule_id, hint.pointer)),
    );
    let mut intent = work.finish();
    if let Some(wishes) = wishes {
        let told = feedback::follow(brief, &mut intent, wishes);
        applied.extend(told.applied);
        not_applied.extend(told.not_applied);
    }
    Ok(Revision {
        intent,
        applied,
        not_applied,
    })
}

/// Places to remove at the end, so that the pointers of other findings stay right.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Gone {
    goals: BTreeSet<usize>,
    components: BTreeSet<usize>,
    entities: BTreeSet<usize>,
    attributes: BTreeSet<(usize, usize)>,
    relationships: BTreeSet<(usize, usize)>,
}

struct Work<'a> {
    brief: &'a Brief,
    intent: Intent,
    gone: Gone,
}

/// Names in backticks in a message.
fn quoted(message: &str) -> Vec<String> {
    message.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn number(parts: &[&str], at: usize) -> Option<usize> {
    parts.get(at)?.parse().ok()
}

impl Work<'_> {
    fn follow(&mut self, hint: &Hint) {
        let parts: Vec<&str> = hint.pointer.split('/').skip(1).collect();
        match parts.first().copied() {
            Some("goals") => self.goal(hint, number(&parts, 1)),
            Some("userFlows") => self.flow(hint, &parts),
            Some("components") => self.component(hint, &parts),
            Some("dataModel") => self.data(hint, &parts),
            Some("interactions") => self.interaction(hint, &parts),
            Some("title") => self.title(hint),
            Some(_) | None => self.whole(hint),
        }
    }

    /// What a text needs, whatever it belongs to; `None` if the rule is not about words.
    fn better_text(&self, hint: &Hint, text: &str, about: &str) -> Option<String> {
        let rule = hint.rule_id.as_str();
        let better = match rule {
            "vague" | "placeholder" => without(text, &quoted(&hint.message)),
            "sentence-long" => tidy::readable(text),
            "character-hidden" => text.chars().filter(|c| !is_hidden(*c)).collect(),
            "code" => without(&technology::without_names(text).0, &quoted(&hint.message)),
            _ if rule.starts_with("term-") => without(&technology::without_names(text).0, &quoted(&hint.message)),
            "description-short" | "description-empty" | "description-name" | "description-twice" | "goal-thin"
            | "flow-outcome" | "view-thin" | "prose-none" => self.longer(text, about),
            _ => return None,
        };
        let words = tokens(&better).iter().filter(|token| token.is_word()).count();
        let better = if words < 4 { self.longer(&better, about) } else { better };
        Some(tidy::readable(&sentence(&better)))
    }

    /// A text with what the brief says about the same thing. Facts that it holds already are passed over.
    fn longer(&self, text: &str, about: &str) -> String {
        let wanted = words_of(&format!("{text} {about}"));
        let facts = self
            .brief
            .statements
            .iter()
            .map(|statement| sentence(&super::phrase::third(&statement.text)));
        let told = facts
            .filter(|fact| !text.contains(fact.as_str()) && fact.chars().count() < 220)
            .map(|fact| (words_of(&fact).intersection(&wanted).count(), fact))
            .rev()
            .max_by_key(|(common, _)| *common)
            .filter(|(common, _)| *common > 0);
        let head = sentence(text);
        let about = small(about.trim());
        match told {
            Some((_, fact)) if head.is_empty() => fact,
            Some((_, fact)) => format!("{head} {fact}"),
            None if head.is_empty() => format!("What people need to {about}."),
            None => format!("{head} It belongs to: {about}."),
        }
    }

    fn whole(&mut self, hint: &Hint) {
        match hint.rule_id.as_str() {
            "goals-few" => self.more_goals(),
            "view-none" | "flow-none" | "entity-none" | "control-none" | "interaction-none" | "model-unused" => {
                self.complete_by_brief()
            }
            "prose-none" => {
                for at in 0..self.intent.components.len() {
                    let one = &self.intent.components[at];
                    let (text, about) = (one.description.clone(), one.name.clone());
                    if words_of(&text).len() < 4 {
                        self.intent.components[at].description = clip(&self.longer(&text, &about), 480);
                    }
                }
            }
            _ => {}
        }
    }

    /// What a first draft has and this intent lacks.
    fn complete_by_brief(&mut self) {
        let Ok(first) = draft(self.brief, &self.intent.feature_id) else {
            return;
        };
        for entity in first.data_model.entities {
            if self.intent.entity(&entity.name).is_none() && self.intent.data_model.entities.len() < 100 {
                self.intent.data_model.entities.push(entity);
            }
        }
        for component in first.components {
            if self.intent.component(&component.id).is_none() && self.intent.components.len() < 200 {
                self.intent.components.push(component);
            }
        }
        for flow in first.user_flows {
            if !self.intent.user_flows.iter().any(|known| known.id == flow.id) && self.intent.user_flows.len() < 50 {
                self.intent.user_flows.push(flow);
            }
        }
        for interaction in first.interactions {
            if !self.intent.interactions.iter().any(|known| known.id == interaction.id)
                && self.intent.interactions.len() < 100
            {
                self.intent.interactions.push(interaction);
            }
        }
    }

    fn title(&mut self, hint: &Hint) {
        let better = match hint.rule_id.as_str() {
            "title-empty" => self.brief.title.clone(),
            _ => without(&technology::without_names(&self.intent.title).0, &quoted(&hint.message)),
        };
        if better.chars().any(char::is_alphanumeric) {
            self.intent.title = clip(&capital(&better), 120);
        }
    }

    fn more_goals(&mut self) {
        let Ok(first) = draft(self.brief, &self.intent.feature_id) else {
            return;
        };
        let told = first.user_flows.iter().map(|flow| {
            sentence(&format!(
                "{} can {}",
                english::plural_name(&small(&flow.actor)),
                small(&flow.name)
            ))
        });
        for goal in first.goals.iter().cloned().chain(told) {
            if self.intent.goals.len() < 3 && !self.intent.goals.contains(&goal) {
                self.intent.goals.push(goal);
            }
        }
    }

    fn goal(&mut self, hint: &Hint, at: Option<usize>) {
        let Some(text) = at.and_then(|at| self.intent.goals.get(at)).cloned() else {
            self.more_goals();
            return;
        };
        let Some(at) = at else { return };
        if hint.rule_id == "description-twice" {
            self.gone.goals.insert(at);
        } else if let Some(better) = self.better_text(hint, &text, &self.intent.title.clone()) {
            self.intent.goals[at] = better;
        }
    }

    fn flow(&mut self, hint: &Hint, parts: &[&str]) {
        let Some(at) = number(parts, 1).filter(|at| *at < self.intent.user_flows.len()) else {
            self.complete_by_brief();
            return;
        };
        if parts.get(2) == Some(&"steps")
            && let Some(step) = number(parts, 3).filter(|step| *step < self.intent.user_flows[at].steps.len())
        {
            self.step(hint, parts, at, step);
            return;
        }
        let flow = self.intent.user_flows[at].clone();
        match (hint.rule_id.as_str(), parts.get(2).copied()) {
            ("flow-short", _) => self.lengthen(at),
            ("flow-actor", _) => {
                let of_brief = meaning::of(self.brief)
                    .features
                    .into_iter()
                    .map(|feature| feature.actor)
                    .find(|actor| actor != "system");
                self.intent.user_flows[at].actor =
                    capital(&of_brief.unwrap_or_else(|| "visitor of the feature".to_owned()));
            }
            ("flow-twice", _) => tidy::own_part(&mut self.intent, at),
            ("view-island", _) => {
                if let [from, to, ..] = quoted(&hint.message).as_slice() {
                    tidy::lead_on(&mut self.intent, &flow.actor, from, to);
                }
            }
            ("id-twice", _) => {
                let taken: Vec<String> = self.intent.user_flows.iter().map(|one| one.id.clone()).collect();
                self.intent.user_flows[at].id = unique_id(&flow.id, taken.iter().map(String::as_str), "flow");
            }
            ("name-twice", _) => {
                let name = format!(
                    "{} ({} {})",
                    clip(&flow.name, 70),
                    small(&clip(&flow.actor, 25)),
                    at + 1
                );
                self.intent.user_flows[at].name = name;
            }
            (_, Some("outcome")) | ("flow-outcome", _) => {
                if let Some(better) = self.better_text(hint, &flow.outcome, &flow.name) {
                    self.intent.user_flows[at].outcome = clip(&better, 300);
                }
            }
            (_, Some("name")) => {
                let better = without(&technology::without_names(&flow.name).0, &quoted(&hint.message));
                self.intent.user_flows[at].name =
                    clip(&capital(if better.is_empty() { &flow.outcome } else { &better }), 110);
            }
            (_, Some("actor")) => {
                let better = without(&technology::without_names(&flow.actor).0, &quoted(&hint.message));
                self.intent.user_flows[at].actor = clip(if better.is_empty() { "Visitor" } else { &better }, 80);
            }
            _ => {}
        }
    }

    /// A way that begins with opening the view and ends with seeing what came of it.
    fn lengthen(&mut self, at: usize) {
        let flow = &self.intent.user_flows[at];
        let here = flow
            .steps
            .iter()
            .flat_map(|step| &step.components)
            .find_map(|id| tidy::view_of(&self.intent, id));
        let Some(view) = here.or_else(|| self.first_view()) else {
            return;
        };
        let (who, outcome) = (
            format!("The {}", small(&flow.actor)),
            small(flow.outcome.trim_end_matches('.')),
        );
        let open = Step {
            id: "0-open".into(),
            description: clip(
                &format!("{who} opens the place where it begins: {}.", small(&flow.name)),
                300,
            ),
            action: Action::Navigate,
            components: vec![view.clone()],
        };
        let see = Step {
            id: "9-see".into(),
            description: clip(&format!("{who} sees what came of it: {outcome}."), 300),
            action: Action::View,
            components: vec![view],
        };
        let steps = &mut self.intent.user_flows[at].steps;
        steps.insert(0, open);
        steps.push(see);
    }

    fn first_view(&self) -> Option<String> {
        self.intent
            .components
            .iter()
            .find(|one| one.kind == ComponentKind::View)
            .map(|one| one.id.clone())
    }

    fn step(&mut self, hint: &Hint, parts: &[&str], flow: usize, at: usize) {
        let step = self.intent.user_flows[flow].steps[at].clone();
        let name = self.intent.user_flows[flow].name.clone();
        match hint.rule_id.as_str() {
            "step-component" => {
                let named = number(parts, 5).and_then(|one| step.components.get(one)).cloned();
                let missing = named
                    .into_iter()
                    .chain(quoted(&hint.message))
                    .find(|id| step.components.contains(id) && self.intent.component(id).is_none());
                if let Some(id) = missing {
                    let kind = match step.action {
                        Action::View => ComponentKind::Data,
                        Action::Navigate => ComponentKind::View,
                        Action::Notify | Action::Compute => ComponentKind::Utility,
                        Action::Enter
                        | Action::Select
                        | Action::Submit
                        | Action::Create
                        | Action::Update
                        | Action::Delete
                        | Action::Confirm
                        | Action::Search => ComponentKind::Control,
                    };
                    self.add_component(&id, kind, &step.description);
                }
            }
            "step-control" => {
                let wanted = format!(
                    "{}-{}",
                    super::compose::action_word(step.action),
                    clip(&self.intent.user_flows[flow].id, 40)
                );
                let id = unique_id(
                    &wanted,
                    self.intent.components.iter().map(|one| one.id.as_str()),
                    "control",
                );
                self.add_component(&id, ComponentKind::Control, &step.description);
                self.intent.user_flows[flow].steps[at].components.push(id);
            }
            "change-data" | "change-entity" => {
                let Some(entity) = self.nearest_entity(&format!("{name} {}", step.description)) else {
                    return;
                };
                if let Some(one) = self
                    .intent
                    .components
                    .iter_mut()
                    .find(|one| step.components.contains(&one.id))
                {
                    one.data = vec![entity];
                }
            }
            "entry-lost" => {
                let steps = &mut self.intent.user_flows[flow].steps;
                let ids: Vec<String> = steps.iter().map(|one| one.id.clone()).collect();
                let id = unique_id(
                    &format!("{}-confirm", step.id),
                    ids.iter().map(String::as_str),
                    "confirm",
                );
                let description = clip(
                    &format!("What was entered is checked and stored, to {}.", small(&name)),
                    300,
                );
                steps.insert(
                    at + 1,
                    Step {
                        id,
                        description,
                        action: Action::Submit,
                        components: step.components,
                    },
                );
            }
            "id-twice" => {
                let ids: Vec<String> = self.intent.user_flows[flow]
                    .steps
                    .iter()
                    .map(|one| one.id.clone())
                    .collect();
                self.intent.user_flows[flow].steps[at].id = unique_id(&step.id, ids.iter().map(String::as_str), "step");
            }
            _ => {
                if let Some(better) = self.better_text(hint, &step.description, &name) {
                    self.intent.user_flows[flow].steps[at].description = clip(&better, 300);
                }
            }
        }
    }

    /// A component that a step asked for, where people find it, with an answer to what is done to it.
    fn add_component(&mut self, id: &str, kind: ComponentKind, what: &str) {
        if self.intent.components.len() >= 200 {
            return;
        }
        let parent = match kind {
            ComponentKind::View | ComponentKind::Utility => None,
            ComponentKind::Container | ComponentKind::Control | ComponentKind::Data => self.first_view(),
        };
        let data: Vec<String> = self.nearest_entity(what).into_iter().collect();
        let what = small(what.trim_end_matches('.'));
        self.intent.components.push(Component {
            id: id.to_owned(),
            name: clip(&capital(&id.replace('-', " ")), 110),
            kind,
            description: clip(&format!("Is there so that this can be done: {what}."), 480),
            parent,
            data,
        });
        if kind == ComponentKind::Control {
            self.answer(id, &what);
        }
    }

    fn answer(&mut self, component: &str, what: &str) {
        if self.intent.interactions.len() >= 100 {
            return;
        }
        let name = self
            .intent
            .component(component)
            .map_or_else(|| component.to_owned(), |one| one.name.clone());
        let id = unique_id(
            &format!("on-{}", clip(component, 50)),
            self.intent.interactions.iter().map(|one| one.id.as_str()),
            "on-part",
        );
        let response = format!("{}{WRONG}.", capital(&clip(what.trim_end_matches('.'), 200)));
        self.intent.interactions.push(Interaction {
            id,
            component: component.to_owned(),
            trigger: clip(&format!("Somebody chooses “{name}”."), 200),
            response,
        });
    }

    fn nearest_entity(&self, text: &str) -> Option<String> {
        let wanted = words_of(text);
        let common = |entity: &Entity| words_of(&spaced(&entity.name)).intersection(&wanted).count();
        self.intent
            .data_model
            .entities
            .iter()
            .rev()
            .max_by_key(|entity| common(entity))
            .map(|entity| entity.name.clone())
    }

    fn component(&mut self, hint: &Hint, parts: &[&str]) {
        let Some(at) = number(parts, 1).filter(|at| *at < self.intent.components.len()) else {
            self.complete_by_brief();
            return;
        };
        let one = self.intent.components[at].clone();
        match (hint.rule_id.as_str(), parts.get(2).copied()) {
            ("orphan", _) => {
                self.gone.components.insert(at);
            }
            ("control-silent", _) => self.answer(&one.id, &one.description),
            ("control-error", _) => {
                if let Some(known) = self
                    .intent
                    .interactions
                    .iter_mut()
                    .find(|known| known.component == one.id)
                {
                    known.response = format!("{}{WRONG}.", clip(known.response.trim_end_matches('.'), 220));
                }
            }
            ("parent-unknown" | "parent-circle" | "part-outside", _) => {
                self.intent.components[at].parent = self
                    .first_view()
                    .filter(|view| *view != one.id && one.kind != ComponentKind::View);
            }
            ("view-nested", _) => self.intent.components[at].parent = None,
            ("view-empty" | "data-none", _) => {
                let near = self.nearest_entity(&format!("{} {}", one.name, one.description));
                self.intent.components[at].data.extend(near);
            }
            ("data-unknown", _) => {
                let known: Vec<String> = one
                    .data
                    .iter()
                    .filter(|name| self.intent.entity(name).is_some())
                    .cloned()
                    .collect();
                let near = if known.is_empty() {
                    self.nearest_entity(&format!("{} {}", one.name, one.data.join(" ")))
                } else {
                    None
                };
                self.intent.components[at].data = known.into_iter().chain(near).collect();
            }
            ("id-twice", _) => {
                let taken: Vec<String> = self.intent.components.iter().map(|known| known.id.clone()).collect();
                self.intent.components[at].id = unique_id(&one.id, taken.iter().map(String::as_str), "part");
                self.gone.components.insert(at);
            }
            ("name-twice", _) => {
                self.intent.components[at].name =
                    clip(&format!("{} ({})", clip(&one.name, 60), one.id.replace('-', " ")), 120)
            }
            (_, Some("name")) => {
                let better = without(&technology::without_names(&one.name).0, &quoted(&hint.message));
                self.intent.components[at].name =
                    clip(&capital(if better.is_empty() { &one.id } else { &better }), 120);
            }
            _ => {
                if let Some(better) = self.better_text(hint, &one.description, &one.name) {
                    self.intent.components[at].description = clip(&better, 480);
                }
            }
        }
    }

    fn interaction(&mut self, hint: &Hint, parts: &[&str]) {
        let Some(at) = number(parts, 1).filter(|at| *at < self.intent.interactions.len()) else {
            let controls: Vec<(String, String)> = self
                .intent
                .components
                .iter()
                .filter(|one| one.kind == ComponentKind::Control)
                .map(|one| (one.id.clone(), one.description.clone()))
                .collect();
            for (id, what) in controls {
                self.answer(&id, &what);
            }
            return;
        };
        let one = self.intent.interactions[at].clone();
        let about = self
            .intent
            .component(&one.component)
            .map_or_else(|| one.id.replace('-', " "), |component| component.name.clone());
        match (hint.rule_id.as_str(), parts.get(2).copied()) {
            ("interaction-component", _) => {
                let near = nearest_component(
                    &self.intent,
                    &format!("{} {} {}", one.component.replace('-', " "), one.trigger, one.response),
                )
                .unwrap_or(0);
                if let Some(component) = self.intent.components.get(near) {
                    self.intent.interactions[at].component = component.id.clone();
                }
            }
            ("id-twice", _) => {
                let taken: Vec<String> = self.intent.interactions.iter().map(|known| known.id.clone()).collect();
                self.intent.interactions[at].id = unique_id(&one.id, taken.iter().map(String::as_str), "on-part");
            }
            (_, Some("trigger")) => {
                if let Some(better) = self.better_text(hint, &one.trigger, &format!("use {about}")) {
                    self.intent.interactions[at].trigger = clip(&better, 200);
                }
            }
            _ => {
                if let Some(better) = self.better_text(hint, &one.response, &about) {
                    self.intent.interactions[at].response = clip(&better, 300);
                }
            }
        }
    }

    fn data(&mut self, hint: &Hint, parts: &[&str]) {
        let Some(at) = number(parts, 2).filter(|at| *at < self.intent.data_model.entities.len()) else {
            self.complete_by_brief();
            return;
        };
        let entity = self.intent.data_model.entities[at].clone();
        match (parts.get(3).copied(), number(parts, 4)) {
            (Some("attributes"), Some(one)) if one < entity.attributes.len() => self.attribute(hint, at, one),
            (Some("relationships"), Some(one)) if one < entity.relationships.len() => {
                self.relationship(hint, parts, at, one)
            }
            _ => self.entity(hint, at, &entity),
        }
    }

    fn entity(&mut self, hint: &Hint, at: usize, entity: &Entity) {
        let name = spaced(&entity.name);
        match hint.rule_id.as_str() {
            "entity-twice" => {
                self.gone.entities.insert(at);
            }
            "entity-key" => {
                let id = Attribute {
                    name: "id".into(),
                    kind: ValueKind::Identifier,
                    required: true,
                    unique: true,
                    description: format!("Tells one {name} from every other."),
                };
                self.intent.data_model.entities[at].attributes.insert(0, id);
            }
            "entity-required" => {
                if let Some(first) = self.intent.data_model.entities[at].attributes.first_mut() {
                    first.required = true;
                }
            }
            "entity-thin" => {
                let free = ["name", "note", "createdAt"]
                    .iter()
                    .find(|free| !entity.attributes.iter().any(|known| known.name == **free));
                if let Some(free) = free {
                    let kind = if *free == "createdAt" {
                        ValueKind::DateTime
                    } else {
                        ValueKind::Text
                    };
                    let description = format!("The {} of the {name}, as people know it.", spaced(free));
                    self.intent.data_model.entities[at].attributes.push(Attribute {
                        name: (*free).to_owned(),
                        kind,
                        required: false,
                        unique: false,
                        description,
                    });
                }
            }
            "entity-unused" => {
                let near = nearest_component(&self.intent, &format!("{name} {}", entity.description));
                let data = self
                    .intent
                    .components
                    .iter()
                    .position(|one| one.kind == ComponentKind::Data);
                if let Some(one) = near.or(data).and_then(|one| self.intent.components.get_mut(one)) {
                    one.data.push(entity.name.clone());
                }
            }
            "entity-isolated" => {
                let other = self
                    .intent
                    .data_model
                    .entities
                    .iter()
                    .find(|other| other.name != entity.name)
                    .map(|other| other.name.clone());
                if let Some(target) = other {
                    let link = Relationship {
                        name: "is shown with".into(),
                        target,
                        cardinality: Cardinality::ManyToMany,
                    };
                    self.intent.data_model.entities[at].relationships.push(link);
                }
            }
            "name-form" => self.rename_entity(at, entity),
            _ => {
                if let Some(better) = self.better_text(hint, &entity.description, &name) {
                    self.intent.data_model.entities[at].description = clip(&better, 480);
                }
            }
        }
    }

    fn rename_entity(&mut self, at: usize, entity: &Entity) {
        let words: Vec<String> = spaced(&entity.name)
            .split(|c: char| !c.is_alphanumeric())
            .map(str::to_owned)
            .collect();
        let proper = upper_camel(&words);
        let name = if proper == entity.name || proper.is_empty() {
            format!("{}Entry", upper_camel(std::slice::from_ref(&self.intent.feature_id)))
        } else {
            proper
        };
        if self.intent.entity(&name).is_none() {
            feedback::rename_entity(&mut self.intent, &entity.name, &name);
            self.intent.data_model.entities[at].name = name;
        }
    }

    fn attribute(&mut self, hint: &Hint, entity: usize, at: usize) {
        let owner = spaced(&self.intent.data_model.entities[entity].name);
        let known = self.intent.data_model.entities[entity].attributes[at].clone();
        let words: Vec<String> = spaced(&known.name)
            .split(|c: char| !c.is_alphanumeric())
            .map(str::to_owned)
            .collect();
        match hint.rule_id.as_str() {
            "attribute-twice" => {
                self.gone.attributes.insert((entity, at));
            }
            "attribute-kind" => {
                let boolean = ["is", "has"].contains(&words.first().map_or("", String::as_str));
                let kind = if boolean {
                    ValueKind::Boolean
                } else {
                    english::value_kind(&words)
                };
                self.intent.data_model.entities[entity].attributes[at].kind = kind;
            }
            "choice-unsaid" => {
                let description = format!("One of: open, in progress, done; says how far the {owner} is.");
                self.intent.data_model.entities[entity].attributes[at].description = description;
            }
            "name-form" => {
                let proper = lower_camel(&words);
                let name = if proper == known.name || proper.is_empty() {
                    lower_camel(&[owner, "note".into()])
                } else {
                    proper
                };
                if !self.intent.data_model.entities[entity]
                    .attributes
                    .iter()
                    .any(|one| one.name == name)
                {
                    self.intent.data_model.entities[entity].attributes[at].name = name;
                }
            }
            _ => {
                if let Some(better) = self.better_text(
                    hint,
                    &known.description,
                    &format!("know the {} of the {owner}", spaced(&known.name)),
                ) {
                    self.intent.data_model.entities[entity].attributes[at].description = better;
                }
            }
        }
    }

    fn relationship(&mut self, hint: &Hint, parts: &[&str], entity: usize, at: usize) {
        let link = self.intent.data_model.entities[entity].relationships[at].clone();
        if ["relation-unknown", "relation-twice", "relation-mismatch"].contains(&hint.rule_id.as_str()) {
            // Of two sides that say different things the first one stays.
            let other = self
                .intent
                .data_model
                .entities
                .iter()
                .position(|one| one.name == link.target);
            if hint.rule_id != "relation-mismatch" || other.is_some_and(|other| other < entity) {
                self.gone.relationships.insert((entity, at));
            } else if let Some(other) = other {
                let from = self.intent.data_model.entities[entity].name.clone();
                let back = self.intent.data_model.entities[other]
                    .relationships
                    .iter()
                    .position(|one| one.target == from);
                self.gone.relationships.extend(back.map(|back| (other, back)));
            }
        } else if parts.get(5) == Some(&"name") {
            let better = without(&technology::without_names(&link.name).0, &quoted(&hint.message));
            self.intent.data_model.entities[entity].relationships[at].name =
                clip(if better.is_empty() { "belongs with" } else { &better }, 80);
        }
    }

    fn finish(mut self) -> Intent {
        let gone = self.gone;
        for (entity, at) in gone.relationships.into_iter().rev() {
            self.intent.data_model.entities[entity].relationships.remove(at);
        }
        for (entity, at) in gone.attributes.into_iter().rev() {
            self.intent.data_model.entities[entity].attributes.remove(at);
        }
        let names: BTreeSet<String> = gone
            .entities
            .iter()
            .map(|at| self.intent.data_model.entities[*at].name.clone())
            .collect();
        for at in gone.entities.into_iter().rev() {
            self.intent.data_model.entities.remove(at);
        }
        let left: BTreeSet<String> = self
            .intent
            .data_model
            .entities
            .iter()
            .map(|entity| entity.name.clone())
            .collect();
        for one in &mut self.intent.components {
            one.data.retain(|name| left.contains(name) || !names.contains(name));
        }
        for at in gone.goals.into_iter().rev() {
            if self.intent.goals.len() > 1 {
                self.intent.goals.remove(at);
            }
        }
        let removed: BTreeSet<String> = gone
            .components
            .iter()
            .map(|at| self.intent.components[*at].id.clone())
            .collect();
        let mut at = 0;
        self.intent.components.retain(|_| {
            at += 1;
            !gone.components.contains(&(at - 1))
        });
        for one in &mut self.intent.components {
            one.parent = one.parent.take().filter(|parent| !removed.contains(parent));
        }
        self.intent.interactions.retain(|one| !removed.contains(&one.component));
        if self.intent.components.is_empty() || self.intent.user_flows.is_empty() {
            let mut work = Work {
                brief: self.brief,
                intent: self.intent,
                gone: Gone::default(),
            };
            work.complete_by_brief();
            return work.intent;
        }
        self.intent
    }
}

fn is_hidden(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{00AD}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}')
}

pub(super) fn words_of(text: &str) -> BTreeSet<String> {
    tokens(text)
        .iter()
        .filter(|token| token.is_word() && token.lower.len() > 2 && !english::is_function_word(&token.lower))
        .map(|token| english::root(&token.lower))
        .collect()
}

/// A text without some words or phrases. A clause that says only that something is so goes with them.
fn without(text: &str, phrases: &[String]) -> String {
    let mut all: Vec<super::text::Token> = tokens(text)
        .into_iter()
        .flat_map(|token| {
            if token.text.contains('-') {
                tokens(&token.text.replace('-', " "))
            } else {
                vec![token]
            }
        })
        .collect();
    for phrase in phrases {
        let wanted = tokens(&phrase.replace('-', " "));
        if wanted.is_empty() {
            continue;
        }
        while let Some(at) = all
            .windows(wanted.len())
            .position(|part| part.iter().zip(&wanted).all(|(one, other)| one.lower == other.lower))
        {
            let states = at > 0
                && all[at - 1].is_one_of(&["is", "are", "be", "was", "feels", "looks", "as", "more", "something"]);
            let from = if states {
                all[..at]
                    .iter()
                    .rposition(|token| token.is_one_of(&[",", ".", ";", "and", "that"]))
                    .unwrap_or(0)
            } else {
                at
            };
            let mut to = at + wanted.len();
            if states {
                to += all[to..]
                    .iter()
                    .take_while(|token| !token.is_one_of(&[",", ".", ";", "and"]))
                    .count();
            }
            all.drain(from..to);
        }
    }
    // What joined the words that went joins nothing now.
    let dangling = |token: &super::text::Token| {
        token.is_one_of(&[
            "and", "or", ",", ";", "a", "an", "the", "with", "in", "of", "to", "very",
        ])
    };
    while all.last().is_some_and(|last| dangling(last) || last.is(".")) {
        all.pop();
    }
    while all
        .first()
        .is_some_and(|first| first.is_one_of(&["and", "or", ",", ";", "."]))
    {
        all.remove(0);
    }
    joined(&all)
}
