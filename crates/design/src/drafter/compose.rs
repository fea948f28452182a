//! Composes the first intent from what a brief means.

use std::collections::{BTreeMap, BTreeSet};

use super::brief::Brief;
use super::english::{self, VerbClass};
use super::meaning::{self, Feature, Meaning};
use super::phrase::Act;
use super::text::{Token, capital, clip, listing, sentence, slug, small, tokens};
use super::things::{Thing, Things, entity_name};
use super::tidy;
use crate::intent::{
    Action, Cardinality, Component, ComponentKind, DataModel, Flow, Intent, Interaction, Relationship, Step,
};

const STEPS_MAX: usize = 6;
const ACTS_MAX: usize = 3;
const FLOWS_MAX: usize = 50;
const GOALS_MAX: usize = 20;
const INTERACTIONS_MAX: usize = 100;
const COMPONENTS_MAX: usize = 190;
const DESCRIPTION_MAX: usize = 480;

/// Why a brief that was read gives no intent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DraftError {
    #[error(
        "`{0}` is no feature id: lower-case letters, digits and dashes, 2 to 64 of them, beginning with a letter or a digit"
    )]
    FeatureId(String),
    #[error("the brief says nothing that somebody does; add a line such as `As a customer I want to track my order`")]
    NothingToDo,
}

/// A first intent.
pub fn draft(brief: &Brief, feature_id: &str) -> Result<Intent, DraftError> {
    let valid = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if !(2..=64).contains(&feature_id.len()) || !feature_id.chars().all(valid) || feature_id.starts_with('-') {
        return Err(DraftError::FeatureId(feature_id.to_owned()));
    }
    let meaning = meaning::of(brief);
    let Some(first) = meaning.features.first() else {
        return Err(DraftError::NothingToDo);
    };
    let actor = first.actor.clone();
    let mut things = Things::of(&meaning, keeps_people(brief), &brief.title);
    let data_model = things.data_model(&actor);
    let mut composer = Composer {
        main_actor: meaning
            .features
            .iter()
            .map(|feature| &feature.actor)
            .find(|name| *name != "system")
            .unwrap_or(&actor)
            .clone(),
        things,
        intent: Intent {
            feature_id: feature_id.to_owned(),
            version: "0.1.0".into(),
            title: clip(&capital(&brief.title), 120),
            goals: Vec::new(),
            user_flows: Vec::new(),
            components: Vec::new(),
            data_model,
            interactions: Vec::new(),
        },
    };
    if composer.intent.title.is_empty() {
        composer.intent.title = clip(&capital(&feature_id.replace('-', " ")), 120);
    }
    for feature in &meaning.features {
        composer.flow(feature);
    }
    composer.finish();
    composer.goals(&meaning);
    let nearest = Nearest::of(&composer.intent);
    for rule in &meaning.rules {
        composer.rule(&nearest, &rule.when, &rule.then);
    }
    let mut intent = composer.intent;
    for fact in &meaning.facts {
        place_fact(&mut intent, &nearest, fact);
    }
    tidy::shorten_sentences(&mut intent);
    Ok(intent)
}

/// One more flow in an intent that exists, with the things it needs.
pub(super) fn add_feature(brief: &Brief, intent: &mut Intent, feature: &Feature) {
    if intent.user_flows.len() >= FLOWS_MAX {
        return;
    }
    let mut meaning = meaning::of(brief);
    meaning.features.push(feature.clone());
    let mut things = Things::of(&meaning, keeps_people(brief), &brief.title);
    let wanted = things.about(feature).map(|thing| entity_name(&thing.name));
    let model = things.data_model(&feature.actor);
    for mut entity in model.entities {
        if Some(&entity.name) == wanted.as_ref() && intent.entity(&entity.name).is_none() {
            entity
                .relationships
                .retain(|link| intent.entity(&link.target).is_some());
            if entity.relationships.is_empty()
                && let Some(first) = intent.data_model.entities.first()
            {
                entity.relationships.push(Relationship {
                    name: "is shown with".into(),
                    target: first.name.clone(),
                    cardinality: Cardinality::ManyToMany,
                });
            }
            intent.data_model.entities.push(entity);
        }
    }
    let mut composer = Composer {
        main_actor: feature.actor.clone(),
        things,
        intent: intent.clone(),
    };
    composer.flow(feature);
    tidy::tell_flows_apart(&mut composer.intent);
    tidy::connect_views(&mut composer.intent);
    *intent = composer.intent;
    tidy::shorten_sentences(intent);
}

fn keeps_people(brief: &Brief) -> bool {
    !brief.statements.iter().any(|statement| {
        let lower = statement.text.to_lowercase();
        [
            "no account",
            "without an account",
            "without account",
            "no login",
            "anonymous",
        ]
        .iter()
        .any(|words| lower.contains(words))
    })
}

/// What two texts have in common: content words of both.
fn content(text: &str) -> BTreeSet<String> {
    let counts = |token: &&Token| token.is_word() && token.lower.len() > 2 && !english::is_function_word(&token.lower);
    tokens(text)
        .iter()
        .filter(counts)
        .map(|token| english::root(&token.lower))
        .collect()
}

/// What the components say, to find the one that a text is about.
pub(super) struct Nearest(Vec<BTreeSet<String>>);

impl Nearest {
    pub(super) fn of(intent: &Intent) -> Self {
        let told = |one: &Component| content(&format!("{} {}", one.name, one.description));
        Nearest(intent.components.iter().map(told).collect())
    }

    /// The component whose words overlap most with a text; the first of equals.
    pub(super) fn find(&self, text: &str) -> Option<usize> {
        let wanted = content(text);
        let score =
            |(at, told): (usize, &BTreeSet<String>)| (told.intersection(&wanted).count(), std::cmp::Reverse(at));
        let best = self.0.iter().enumerate().map(score).max()?;
        (best.0 > 0).then_some(best.1.0)
    }
}

pub(super) fn nearest_component(intent: &Intent, text: &str) -> Option<usize> {
    Nearest::of(intent).find(text)
}

/// Puts a fact where it belongs: into the description of the nearest component with room for it, else among the goals.
fn place_fact(intent: &mut Intent, nearest: &Nearest, fact: &str) {
    let fact = sentence(fact);
    if let Some(at) = nearest.find(&fact) {
        let component = &mut intent.components[at];
        let longer = format!("{} {fact}", component.description);
        if longer.chars().count() <= DESCRIPTION_MAX {
            component.description = longer;
            return;
        }
    }
    if intent.goals.len() < GOALS_MAX && !intent.goals.contains(&fact) {
        intent.goals.push(fact);
    } else if let Some(component) = intent
        .components
        .iter_mut()
        .find(|component| component.description.chars().count() + fact.chars().count() < DESCRIPTION_MAX)
    {
        component.description = format!("{} {fact}", component.description);
    }
}

/// An id that no other part of the same kind has.
pub(super) fn unique_id<'a>(wanted: &str, taken: impl Iterator<Item = &'a str>, otherwise: &str) -> String {
    let taken: BTreeSet<&str> = taken.collect();
    let base = Some(slug(wanted))
        .filter(|id| !id.is_empty())
        .unwrap_or_else(|| otherwise.to_owned());
    if !taken.contains(base.as_str()) {
        return base;
    }
    (2..)
        .map(|number| format!("{base}-{number}"))
        .find(|id| !taken.contains(id.as_str()))
        .unwrap_or(base)
}

/// A step before it has an id: what is done, in words, and where.
type Draft = (Action, String, Vec<String>);

struct Composer {
    /// Who opens what the system works on.
    main_actor: String,
    things: Things,
    intent: Intent,
}

/// Where a flow takes place.
struct Place {
    actor: String,
    thing: String,
    things: String,
    entity: Vec<String>,
    view: String,
    list: String,
    values: Vec<String>,
}

impl Composer {
    fn component(
        &mut self,
        wanted: &str,
        name: &str,
        kind: ComponentKind,
        description: &str,
        parent: Option<&str>,
        data: &[String],
    ) -> String {
        let id = Some(slug(wanted))
            .filter(|id| !id.is_empty())
            .unwrap_or_else(|| "part".to_owned());
        if self.intent.component(&id).is_none() && self.intent.components.len() < COMPONENTS_MAX {
            self.intent.components.push(Component {
                id: id.clone(),
                name: clip(&capital(name), 100),
                kind,
                description: clip(&sentence(description), DESCRIPTION_MAX),
                parent: parent.map(str::to_owned),
                data: data.to_vec(),
            });
        }
        if self.intent.component(&id).is_some() {
            id
        } else {
            self.intent.components[0].id.clone()
        }
    }

    fn interaction(&mut self, component: &str, trigger: &str, response: &str) {
        let (trigger, response) = (clip(&sentence(trigger), 200), clip(&sentence(response), 300));
        if self
            .intent
            .interactions
            .iter()
            .any(|known| known.component == component && (known.trigger == trigger || known.response == response))
            || self.intent.interactions.len() >= INTERACTIONS_MAX
        {
            return;
        }
        let taken: Vec<String> = self
            .intent
            .interactions
            .iter()
            .map(|interaction| interaction.id.clone())
            .collect();
        let id = unique_id(&format!("on-{component}"), taken.iter().map(String::as_str), "on-part");
        self.intent.interactions.push(Interaction {
            id,
            component: component.to_owned(),
            trigger,
            response,
        });
    }

    fn place(&mut self, thing: &Thing, feature: &Feature) -> Place {
        let name = thing.name.clone();
        let many = english::plural_name(&name);
        let entity = entity_name(&name);
        let reader = if feature.actor == "system" {
            self.main_actor.clone()
        } else {
            feature.actor.clone()
        };
        let actor = format!("the {}", small(&reader));
        let values: Vec<String> = self.intent.entity(&entity).map_or_else(Vec::new, |entity| {
            entity
                .attributes
                .iter()
                .filter(|attribute| attribute.name != "id")
                .map(|attribute| super::text::spaced(&attribute.name))
                .collect()
        });
        let shown = listing(&values[..values.len().min(4)]);
        let entity: Vec<String> = self
            .intent
            .entity(&entity)
            .map(|entity| entity.name.clone())
            .into_iter()
            .collect();
        let view_name = format!("{} view", capital(&many));
        let phrase = match feature.acts.first() {
            Some(act) if feature.actor != "system" => act.phrase.clone(),
            Some(_) | None => format!("see {many}"),
        };
        let view = self.component(
            &format!("{name} view"),
            &view_name,
            ComponentKind::View,
            &format!("The page about {many}, where {actor} can {phrase}"),
            None,
            &entity,
        );
        let list = self.component(
            &format!("{name} list"),
            &format!("List of {many}"),
            ComponentKind::Data,
            &format!("Lists the {many}, each with its {shown}"),
            Some(&view),
            &entity,
        );
        let response = format!(
            "The {many} are listed with their {shown}; if there are none, the list says so and names what to do first"
        );
        let trigger = format!("{} opens the {}", capital(&actor), small(&view_name));
        self.interaction(&list, &trigger, &response);
        Place {
            actor,
            thing: name,
            things: many,
            entity,
            view,
            list,
            values,
        }
    }

    fn flow(&mut self, feature: &Feature) {
        let Some(thing) = self.things.about(feature).cloned() else {
            return;
        };
        let place = self.place(&thing, feature);
        let mut steps: Vec<Draft> = Vec::new();
        let first = feature.acts.first().map_or(VerbClass::View, |act| act.class);
        let alone = feature.actor == "system";
        if !alone {
            steps.push((
                Action::Navigate,
                format!("{} opens the {} view", capital(&place.actor), place.things),
                vec![place.view.clone()],
            ));
        }
        for act in feature.acts.iter().take(ACTS_MAX) {
            let mut more = steps.clone();
            self.act(act, &place, &mut more);
            if more.len() < STEPS_MAX {
                steps = more;
            } else if let Some(main) = more
                .into_iter()
                .skip(steps.len())
                .find(|(action, _, _)| !matches!(action, Action::Enter | Action::Select))
            {
                // No room for every move: what is done stays.
                steps.push(main);
            }
        }
        steps.truncate(STEPS_MAX - 1);
        let end = self.last_step(feature, &place, first);
        steps.push(end);
        let phrase = told(feature, |act| act.phrase.clone());
        let done = told(feature, done);
        let who = capital(&format!("the {}", small(&feature.actor)));
        let outcome = match &feature.goal {
            Some(goal) => format!("{who} has {done}, so that {goal}"),
            None => format!("{who} has {done}"),
        };
        let name = feature
            .label
            .as_ref()
            .map_or_else(|| phrase.clone(), |label| format!("{label}: {phrase}"));
        let taken: Vec<String> = self.intent.user_flows.iter().map(|flow| flow.id.clone()).collect();
        let id = unique_id(&clip(&name, 48), taken.iter().map(String::as_str), "flow");
        let mut ids: Vec<String> = Vec::new();
        let steps = steps
            .into_iter()
            .enumerate()
            .map(|(at, (action, description, components))| {
                let wanted = format!("{}-{}", at + 1, action_word(action));
                let id = unique_id(&wanted, ids.iter().map(String::as_str), "step");
                ids.push(id.clone());
                Step {
                    id,
                    description: clip(&sentence(&description), 300),
                    action,
                    components,
                }
            })
            .collect();
        let actor = clip(&capital(&feature.actor), 80);
        self.intent.user_flows.push(Flow {
            id,
            name: clip(&capital(&name), 110),
            actor,
            outcome: clip(&sentence(&outcome), 300),
            steps,
        });
    }

    fn act(&mut self, act: &Act, place: &Place, steps: &mut Vec<Draft>) {
        let who = capital(&place.actor);
        let does = format!("{who} {}", does(act));
        let label = label(act, place);
        match act.class {
            VerbClass::View | VerbClass::State => {
                let details = self.details(place);
                self.interaction(
                    &details,
                    &format!(
                        "{who} selects {} {} in the list",
                        english::article(&place.thing),
                        place.thing
                    ),
                    &format!(
                        "The {} is shown with its {}; if it no longer exists, the page says so and leads back to the list",
                        place.thing,
                        listing(&place.values[..place.values.len().min(5)])
                    ),
                );
                self.select(place, steps);
                steps.push((Action::View, does, vec![details]));
            }
            VerbClass::Search => self.search(act, place, steps),
            VerbClass::Create => {
                let form = self.form(place);
                let control = self.control(act, &label, Some(&form), place);
                let wanted = listing(
                    &place
                        .values
                        .iter()
                        .filter(|value| !value.ends_with(" at") && *value != "status")
                        .take(4)
                        .cloned()
                        .collect::<Vec<_>>(),
                );
                let enter = format!("{who} enters the {wanted} of the {}", place.thing);
                if !steps.iter().any(|(_, known, _)| *known == enter) {
                    steps.push((Action::Enter, enter, vec![form]));
                }
                steps.push((Action::Submit, does, vec![control]));
            }
            VerbClass::Update | VerbClass::Delete => {
                let control = self.control(act, &label, Some(&place.view), place);
                self.select(place, steps);
                steps.push((act.class.action(), does, vec![control.clone()]));
                steps.push((
                    Action::Confirm,
                    format!("{who} confirms to {}", act.phrase),
                    vec![control],
                ));
            }
            VerbClass::Notify | VerbClass::Compute => self.work_unseen(act, &label, place, steps),
        }
    }

    fn search(&mut self, act: &Act, place: &Place, steps: &mut Vec<Draft>) {
        let who = capital(&place.actor);
        let does = format!("{who} {}", does(act));
        let by: Vec<String> = act
            .others
            .iter()
            .filter(|(word, _)| word == "by")
            .map(|(_, noun)| noun.name())
            .collect();
        let by = if by.is_empty() {
            place.values.first().cloned().unwrap_or_else(|| "name".into())
        } else {
            by.join(" or ")
        };
        let search = self.component(
            &format!("{} search", place.thing),
            &format!("Search for {}", place.things),
            ComponentKind::Control,
            &format!(
                "Takes the {by} that {} looks for and narrows the list of {}",
                place.actor, place.things
            ),
            Some(&place.view),
            &place.entity,
        );
        self.interaction(
            &search,
            &format!("{who} enters the {by} to look for"),
            &format!(
                "Only {} that match stay in the list; if none matches, the list says so and offers to search again",
                place.things
            ),
        );
        steps.push((
            Action::Enter,
            format!("{who} enters the {by} to look for"),
            vec![search.clone()],
        ));
        steps.push((Action::Search, does, vec![search, place.list.clone()]));
    }

    fn work_unseen(&mut self, act: &Act, label: &str, place: &Place, steps: &mut Vec<Draft>) {
        let who = capital(&place.actor);
        let utility = self.component(
            label,
            label,
            ComponentKind::Utility,
            &format!("Works unseen to {}", act.phrase),
            None,
            &place.entity,
        );
        self.interaction(
            &utility,
            &format!("The moment comes to {}", act.phrase),
            &format!(
                "The system {}; if that fails, it is tried again and the failure is shown in the list of {}",
                self::does(act),
                place.things
            ),
        );
        self.select(place, steps);
        let told = if act.verb == "receive" || act.verb == "get" {
            format!("{who} {}", self::does(act))
        } else {
            format!("The system {}", self::does(act))
        };
        steps.push((act.class.action(), told, vec![utility]));
    }

    /// Something is selected once in a flow, with a control of its own.
    fn select(&mut self, place: &Place, steps: &mut Vec<Draft>) {
        if steps.iter().any(|(action, _, _)| *action == Action::Select) {
            return;
        }
        let who = capital(&place.actor);
        let label = format!("select {}", place.thing);
        let control = self.component(
            &label,
            &label,
            ComponentKind::Control,
            &format!("Marks one row in the list of {} as the one to work with", place.things),
            Some(&place.view),
            &place.entity,
        );
        let response = format!(
            "The {} is marked and what can be done with it is offered; if it was removed meanwhile, the list says so",
            place.thing
        );
        let trigger = format!("{who} selects a row in the list of {}", place.things);
        self.interaction(&control, &trigger, &response);
        steps.push((
            Action::Select,
            format!("{who} selects the {} in the list of {}", place.thing, place.things),
            vec![place.list.clone(), control],
        ));
    }

    fn details(&mut self, place: &Place) -> String {
        let shown = listing(&place.values);
        self.component(
            &format!("{} details", place.thing),
            &format!("Details of the {}", place.thing),
            ComponentKind::Data,
            &format!(
                "Shows one {} with its {shown}, so that {} can decide what to do with it",
                place.thing, place.actor
            ),
            Some(&place.view),
            &place.entity,
        )
    }

    fn form(&mut self, place: &Place) -> String {
        let wanted = listing(
            &place
                .values
                .iter()
                .filter(|value| !value.ends_with(" at") && *value != "status")
                .cloned()
                .collect::<Vec<_>>(),
        );
        self.component(
            &format!("{} form", place.thing),
            &format!("Form for the {}", place.thing),
            ComponentKind::Container,
            &format!("Takes in the {wanted} of the {} from {}", place.thing, place.actor),
            Some(&place.view),
            &place.entity,
        )
    }

    fn control(&mut self, act: &Act, label: &str, parent: Option<&str>, place: &Place) -> String {
        let control = self.component(
            label,
            label,
            ComponentKind::Control,
            &format!("Lets {} {}", place.actor, act.phrase),
            parent,
            &place.entity,
        );
        let object = act
            .objects
            .first()
            .map_or_else(|| place.thing.clone(), |noun| noun.name());
        let participle = english::participle(&act.verb);
        let first = place.values.first().cloned().unwrap_or_else(|| "name".to_owned());
        let response = match act.class {
            VerbClass::Create => format!(
                "The {object} is {participle} and stands in the list of {}; if the {first} is missing or wrong, nothing is stored and the field says why",
                place.things
            ),
            VerbClass::Delete => format!(
                "After a question back, the {object} is {participle} and leaves the list; if it cannot be {participle}, it stays and the reason is shown"
            ),
            VerbClass::Update
            | VerbClass::View
            | VerbClass::Search
            | VerbClass::Notify
            | VerbClass::Compute
            | VerbClass::State => {
                format!(
                    "The {object} is {participle} and shown as it is now; if it was changed by somebody else meanwhile, nothing is stored and both versions are shown"
                )
            }
        };
        self.interaction(
            &control,
            &format!("{} chooses “{}”", capital(&place.actor), capital(label)),
            &response,
        );
        control
    }

    fn last_step(&mut self, feature: &Feature, place: &Place, first: VerbClass) -> Draft {
        let who = capital(&place.actor);
        let last = feature.acts.last().or(feature.acts.first());
        let object = last
            .and_then(|act| act.objects.first())
            .map_or_else(|| place.thing.clone(), |noun| noun.name());
        let participle = last.map_or_else(|| "shown".to_owned(), |act| english::participle(&act.verb));
        let text = match first {
            VerbClass::View | VerbClass::State | VerbClass::Search | VerbClass::Notify | VerbClass::Compute => {
                format!("{who} sees the result in the list of {}", place.things)
            }
            VerbClass::Create | VerbClass::Update | VerbClass::Delete => format!(
                "{who} sees in the list of {} that the {object} is {participle}",
                place.things
            ),
        };
        let text = match &feature.goal {
            Some(goal) => format!("{text}, so that {goal}"),
            None => text,
        };
        (Action::View, text, vec![place.list.clone()])
    }

    fn finish(&mut self) {
        tidy::drop_orphans(&mut self.intent);
        tidy::tell_flows_apart(&mut self.intent);
        tidy::connect_views(&mut self.intent);
        self.unshown_entities();
    }

    /// Entities that no flow is about get a place where they are seen: beside what they belong to.
    fn unshown_entities(&mut self) {
        let DataModel { entities } = self.intent.data_model.clone();
        let mut beside: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for entity in &entities {
            if self
                .intent
                .components
                .iter()
                .any(|component| component.data.contains(&entity.name))
            {
                continue;
            }
            let shows = |name: &str| {
                let is_shown = |component: &Component| {
                    component.kind == ComponentKind::Data && component.data.iter().any(|data| data == name)
                };
                self.intent.components.iter().rposition(is_shown)
            };
            let onward = entity.relationships.iter().find_map(|link| shows(&link.target));
            let back = || {
                entities
                    .iter()
                    .filter(|other| other.relationships.iter().any(|link| link.target == entity.name))
                    .find_map(|other| shows(&other.name))
            };
            let any = || {
                self.intent
                    .components
                    .iter()
                    .position(|component| component.kind == ComponentKind::Data)
            };
            if let Some(at) = onward.or_else(back).or_else(any) {
                beside.entry(at).or_default().push(entity.name.clone());
            }
        }
        for (at, names) in beside {
            let component = &mut self.intent.components[at];
            let told: Vec<String> = names.iter().map(|name| super::text::spaced(name)).collect();
            component.description = clip(
                &format!("{} Beside each stands its {}.", component.description, listing(&told)),
                DESCRIPTION_MAX,
            );
            component.data.extend(names);
        }
    }

    fn goals(&mut self, meaning: &Meaning) {
        for goal in &meaning.goals {
            let goal = clip(goal, 280);
            if !goal.is_empty() && !self.intent.goals.contains(&goal) && self.intent.goals.len() < GOALS_MAX - 4 {
                self.intent.goals.push(goal);
            }
        }
        for feature in meaning
            .features
            .iter()
            .filter(|feature| feature.goal.is_none() && feature.actor != "system")
        {
            if self.intent.goals.len() >= 3 {
                break;
            }
            let Some(act) = feature.acts.first() else { continue };
            let goal = sentence(&format!("{} can {}", english::plural_name(&feature.actor), act.phrase));
            if !self.intent.goals.contains(&goal) {
                self.intent.goals.push(clip(&goal, 280));
            }
        }
        if self.intent.goals.is_empty() {
            self.intent.goals.push(sentence(&self.intent.title.clone()));
        }
    }

    fn rule(&mut self, nearest: &Nearest, when: &str, then: &str) {
        let at = nearest.find(&format!("{when} {then}")).unwrap_or(0);
        let component = self.intent.components[at].id.clone();
        self.interaction(&component, when, then);
    }
}

pub(super) fn action_word(action: Action) -> &'static str {
    match action {
        Action::View => "see",
        Action::Navigate => "open",
        Action::Enter => "enter",
        Action::Select => "select",
        Action::Submit => "submit",
        Action::Create => "create",
        Action::Update => "change",
        Action::Delete => "remove",
        Action::Confirm => "confirm",
        Action::Search => "search",
        Action::Notify => "notify",
        Action::Compute => "compute",
    }
}

/// All that is done in a feature, in one phrase.
fn told(feature: &Feature, tell: impl Fn(&Act) -> String) -> String {
    let mut text = String::new();
    for act in &feature.acts {
        let link = if text.is_empty() {
            ""
        } else if act.instead {
            " or "
        } else {
            " and "
        };
        text = format!("{text}{link}{}", tell(act));
    }
    text
}

fn rest(act: &Act) -> &str {
    act.phrase.split_once(' ').map_or("", |(_, rest)| rest)
}

/// `books an appointment`
fn does(act: &Act) -> String {
    format!("{} {}", english::third_person(&act.verb), rest(act))
        .trim()
        .to_owned()
}

/// `booked an appointment`
fn done(act: &Act) -> String {
    format!("{} {}", english::participle(&act.verb), rest(act))
        .trim()
        .to_owned()
}

/// `Book appointment`
fn label(act: &Act, place: &Place) -> String {
    let object = act
        .objects
        .first()
        .map_or_else(|| place.thing.clone(), |noun| noun.name());
    format!("{} {object}", act.verb)
}
