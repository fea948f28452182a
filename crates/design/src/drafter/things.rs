//! The things a brief is about, with their values and how they stand to each other: the data model of the draft.

use super::english::{self, VerbClass};
use super::meaning::{DataFact, Feature, Meaning};
use super::phrase::{Act, Noun};
use super::text::{capital, clip, listing, lower_camel, sentence, spaced, upper_camel};
use crate::intent::{Attribute, Cardinality, DataModel, Entity, Relationship, ValueKind};

/// More things than this are no longer one feature.
const THINGS_MAX: usize = 30;
const ATTRIBUTES_MAX: usize = 14;
/// Values that are never a thing of their own.
const ALWAYS_VALUES: [&str; 26] = [
    "name",
    "title",
    "price",
    "cost",
    "amount",
    "quantity",
    "total",
    "status",
    "state",
    "date",
    "time",
    "day",
    "number",
    "email",
    "phone",
    "description",
    "summary",
    "type",
    "kind",
    "size",
    "reason",
    "level",
    "value",
    "text",
    "start",
    "end",
];
/// Verbs that leave a thing in another state, worth a word of its own.
const STATE_VERBS: &str = "approve reject cancel close reopen assign return complete accept decline archive pay ship pack pick publish \
    confirm resolve pause resume reserve borrow renew refund reimburse redeem acknowledge submit check-in start finish enable disable \
    withdraw retire block receive restock escalate mute silence cook";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Thing {
    /// `expense report`, in the singular.
    pub(super) name: String,
    pub(super) person: bool,
    mentions: usize,
    attributes: Vec<Attribute>,
    links: Vec<(String, String, Cardinality)>,
    said: Vec<String>,
    states: Vec<String>,
    done: Vec<String>,
}

#[derive(Debug, Default)]
pub(super) struct Things {
    all: Vec<Thing>,
    /// People can be kept as entities; a brief without accounts keeps none.
    pub(super) keeps_people: bool,
}

fn words(name: &str) -> Vec<String> {
    name.split(' ').map(str::to_owned).collect()
}

pub(super) fn entity_name(name: &str) -> String {
    upper_camel(&words(name))
}

/// What a noun can be: a thing's name, or nothing to keep.
fn thing_name(noun: &Noun) -> Option<String> {
    let head = noun.head.as_str();
    let gerund = noun.before.last().is_some_and(|word| word.ends_with("ing"));
    if english::is_screen_word(head) && !gerund {
        let inner = noun.before.last()?;
        let usable =
            !english::is_abstract(inner) && !english::is_attribute_noun(inner) && !english::is_screen_word(inner);
        return usable.then(|| inner.clone());
    }
    if english::is_abstract(head) || head.len() < 3 || english::is_function_word(head) {
        return None;
    }
    let verb_only = english::verb_base(head).is_some_and(|base| base != head && head.ends_with("ing"));
    let name = noun.name();
    (!verb_only && !entity_name(&name).is_empty()).then_some(name)
}

fn is_value(noun: &Noun) -> bool {
    english::is_attribute_noun(&noun.head)
}

impl Things {
    pub(super) fn of(meaning: &Meaning, keeps_people: bool, title: &str) -> Self {
        let mut things = Things {
            all: Vec::new(),
            keeps_people,
        };
        for fact in &meaning.data {
            things.mention(&fact.owner, 3);
        }
        for act in meaning.features.iter().flat_map(|feature| &feature.acts) {
            for noun in act.objects.iter().filter(|noun| !is_value(noun)) {
                things.mention(noun, 2);
            }
            let around = act
                .others
                .iter()
                .filter(|(word, noun)| !is_value(noun) && !["by", "about", "as", "without"].contains(&word.as_str()));
            for (word, noun) in around {
                // What something is done with or moved into is part of the story; where and when it is done may not be.
                things.mention(
                    noun,
                    if ["with", "from", "into"].contains(&word.as_str()) {
                        2
                    } else {
                        1
                    },
                );
            }
        }
        // Values that belong to nothing are things after all: `reserve a seat`.
        for act in meaning.features.iter().flat_map(|feature| &feature.acts) {
            if things.in_act(act).is_empty() {
                let known = |noun: &Noun| {
                    meaning
                        .data
                        .iter()
                        .flat_map(|fact| &fact.parts)
                        .any(|part| part.noun.name() == noun.name())
                };
                let free = |noun: &&Noun| {
                    is_value(noun)
                        && !known(noun)
                        && !ALWAYS_VALUES.contains(&noun.head.as_str())
                        && noun.owner.is_none()
                };
                if let Some(noun) = act.objects.iter().find(free) {
                    things.mention(noun, 2);
                }
            }
        }
        things.merge_short_names();
        things.all.sort_by_key(|thing| std::cmp::Reverse(thing.mentions));
        // What is named once, in passing, is not kept.
        things.all.retain(|thing| thing.mentions > 1);
        things.all.truncate(THINGS_MAX);
        if things.all.iter().all(|thing| thing.person) {
            let inner = super::text::tokens(title).into_iter().rev().find(|token| {
                token.is_word()
                    && !english::is_function_word(&token.lower)
                    && !english::is_person(&token.lower)
                    && !entity_name(&token.lower).is_empty()
            });
            let name = inner.map_or_else(|| "entry".to_owned(), |token| english::singular(&token.lower));
            things.add(&name, 1);
        }
        for fact in &meaning.data {
            things.learn(fact);
        }
        for feature in &meaning.features {
            things.learn_feature(feature);
        }
        things
    }

    fn mention(&mut self, noun: &Noun, weight: usize) {
        if let Some(owner) = noun.owner.as_deref().filter(|owner| english::class_of(owner).is_none()) {
            self.add(owner, 1);
        }
        if let Some(name) = thing_name(noun) {
            self.add(&name, weight);
        }
    }

    fn add(&mut self, name: &str, weight: usize) {
        let person = english::is_person(name.rsplit(' ').next().unwrap_or(name));
        if person && !self.keeps_people {
            return;
        }
        match self
            .all
            .iter_mut()
            .find(|thing| thing.name == name || entity_name(&thing.name) == entity_name(name))
        {
            Some(thing) => thing.mentions += weight,
            None => self.all.push(Thing {
                name: name.to_owned(),
                person,
                mentions: weight,
                attributes: Vec::new(),
                links: Vec::new(),
                said: Vec::new(),
                states: Vec::new(),
                done: Vec::new(),
            }),
        }
    }

    /// `report` is `expense report` if that is the only report there is.
    fn merge_short_names(&mut self) {
        let names: Vec<String> = self.all.iter().map(|thing| thing.name.clone()).collect();
        for short in names.iter().filter(|name| !name.contains(' ')) {
            let long: Vec<&String> = names
                .iter()
                .filter(|name| name.ends_with(&format!(" {short}")))
                .collect();
            if let [only] = long.as_slice() {
                let weight = self
                    .all
                    .iter()
                    .find(|thing| &thing.name == short)
                    .map_or(0, |thing| thing.mentions);
                // The short name is the usual one if it is used more often.
                let (keep, drop) = if weight > 4 {
                    (short.clone(), (*only).clone())
                } else {
                    ((*only).clone(), short.clone())
                };
                let moved = self
                    .all
                    .iter()
                    .find(|thing| thing.name == drop)
                    .map_or(0, |thing| thing.mentions);
                self.all.retain(|thing| thing.name != drop);
                if let Some(thing) = self.all.iter_mut().find(|thing| thing.name == keep) {
                    thing.mentions += moved;
                }
            }
        }
    }

    /// The thing a noun stands for, also by its last or its only word.
    pub(super) fn named(&self, noun: &Noun) -> Option<&Thing> {
        let full = thing_name(noun)?;
        self.by_name(&full)
    }

    pub(super) fn by_name(&self, name: &str) -> Option<&Thing> {
        let exact = self.all.iter().find(|thing| thing.name == name);
        let head = name.rsplit(' ').next().unwrap_or(name);
        exact
            .or_else(|| self.all.iter().find(|thing| thing.name == head))
            .or_else(|| self.all.iter().find(|thing| thing.name.ends_with(&format!(" {name}"))))
    }

    fn at(&mut self, name: &str) -> Option<&mut Thing> {
        let name = self.by_name(name)?.name.clone();
        self.all.iter_mut().find(|thing| thing.name == name)
    }

    fn in_act(&self, act: &Act) -> Vec<String> {
        let objects = act
            .objects
            .iter()
            .filter(|noun| !is_value(noun) || self.all.iter().any(|thing| thing.name == noun.name()));
        let all = objects.chain(act.others.iter().map(|(_, noun)| noun).filter(|noun| !is_value(noun)));
        let mut found: Vec<String> = Vec::new();
        for thing in all.filter_map(|noun| self.named(noun)) {
            if !found.contains(&thing.name) {
                found.push(thing.name.clone());
            }
        }
        found
    }

    /// What a feature is mainly about: the first thing that is no person, else the most spoken of.
    pub(super) fn about(&self, feature: &Feature) -> Option<&Thing> {
        let named: Vec<String> = feature.acts.iter().flat_map(|act| self.in_act(act)).collect();
        let owners = feature
            .acts
            .iter()
            .flat_map(|act| &act.objects)
            .filter_map(|noun| noun.owner.clone().or_else(|| noun.before.first().cloned()));
        let thing = |name: &String| self.all.iter().find(|thing| &thing.name == name);
        let label = feature
            .label
            .iter()
            .flat_map(|label| words(&label.to_lowercase()))
            .map(|word| english::singular(&word));
        let values: Vec<String> = feature
            .acts
            .iter()
            .flat_map(|act| act.objects.iter().chain(act.others.iter().map(|(_, noun)| noun)))
            .map(|noun| lower_camel(&noun.words()))
            .collect();
        let shared = |thing: &&Thing| {
            thing
                .attributes
                .iter()
                .filter(|attribute| values.contains(&attribute.name))
                .count()
        };
        // `search the catalogue by title` is about what has a title.
        let by_values = || {
            self.all
                .iter()
                .filter(|thing| shared(thing) > 0)
                .rev()
                .max_by_key(shared)
        };
        named
            .iter()
            .filter_map(thing)
            .find(|thing| !thing.person)
            .or_else(|| {
                owners
                    .filter_map(|owner| self.all.iter().find(|thing| thing.name == owner && !thing.person))
                    .next()
            })
            .or_else(|| {
                label
                    .filter_map(|word| self.all.iter().find(|thing| thing.name == word))
                    .next()
            })
            .or_else(|| named.iter().find_map(thing))
            .or_else(by_values)
            .or_else(|| self.all.iter().find(|thing| !thing.person))
            .or_else(|| self.all.first())
    }

    fn learn(&mut self, fact: &DataFact) {
        let Some(owner) = thing_name(&fact.owner)
            .and_then(|name| self.by_name(&name))
            .map(|thing| thing.name.clone())
        else {
            return;
        };
        for part in &fact.parts {
            let target = self
                .by_name(&part.noun.name())
                .map(|thing| thing.name.clone())
                .filter(|name| *name != owner);
            let known_thing = target.is_some() && !english::is_attribute_noun(&part.noun.head);
            if part.is_thing || known_thing {
                let name = target.or_else(|| thing_name(&part.noun));
                let Some(name) = name.filter(|name| self.keeps_people || !english::is_person(name)) else {
                    continue;
                };
                self.add(&name, 1);
                let cardinality = if part.many {
                    Cardinality::OneToMany
                } else {
                    Cardinality::ManyToOne
                };
                let word = part.relation.clone().unwrap_or_else(|| "has".to_owned());
                self.link(&owner, &word, &name, cardinality);
            } else if let Some(thing) = self.at(&owner) {
                thing.attribute(&part.noun.words(), &part.choices);
            }
        }
        if let Some(thing) = self.at(&owner) {
            thing.said.push(sentence(&super::phrase::third(&fact.text)));
        }
    }

    fn link(&mut self, from: &str, word: &str, to: &str, cardinality: Cardinality) {
        let Some(target) = self
            .by_name(to)
            .map(|thing| thing.name.clone())
            .filter(|name| name != from)
        else {
            return;
        };
        // One way is enough: the other way round says the same.
        let reversed = self
            .by_name(&target)
            .is_some_and(|thing| thing.links.iter().any(|(_, other, _)| other == from));
        if let Some(thing) = self.at(from).filter(|_| !reversed)
            && !thing.links.iter().any(|(_, other, _)| *other == target)
        {
            thing.links.push((clip(word, 60), target, cardinality));
        }
    }

    fn learn_feature(&mut self, feature: &Feature) {
        let about = self.about(feature).map(|thing| thing.name.clone());
        for act in &feature.acts {
            let objects: Vec<String> = act
                .objects
                .iter()
                .filter(|noun| !is_value(noun))
                .filter_map(|noun| self.named(noun))
                .map(|thing| thing.name.clone())
                .collect();
            let main = objects.first().cloned().or_else(|| about.clone());
            self.learn_values(act, main.as_deref());
            let Some(main) = main else { continue };
            for (word, noun) in act.others.iter().filter(|(_, noun)| !is_value(noun)) {
                if let Some(other) = self.named(noun).map(|thing| thing.name.clone()) {
                    let person = self.by_name(&other).is_some_and(|thing| thing.person);
                    let name = match word.as_str() {
                        "of" => "belongs to".to_owned(),
                        "to" | "into" | "in" | "on" | "onto" if !person => "is part of".to_owned(),
                        _ => format!("is {} {word}", english::participle(&act.verb)),
                    };
                    self.link(&main, &name, &other, Cardinality::ManyToOne);
                }
            }
            if objects.contains(&main)
                && let Some(thing) = self.at(&main)
            {
                let participle = english::participle(&act.verb);
                let is_state = STATE_VERBS.split_ascii_whitespace().any(|verb| verb == act.verb);
                if is_state && !thing.states.contains(&participle) {
                    thing.states.push(participle);
                }
                if act.class == VerbClass::Create && !thing.person && !thing.done.contains(&act.verb) {
                    thing.done.push(act.verb.clone());
                }
            }
            let acted_on = matches!(act.class, VerbClass::Create | VerbClass::Update);
            if acted_on && self.keeps_people && feature.actor != "system" {
                let actor = actor_thing(&feature.actor);
                self.add(&actor, 1);
                self.link(
                    &main,
                    &format!("is {} by", english::participle(&act.verb)),
                    &actor,
                    Cardinality::ManyToOne,
                );
            }
        }
    }

    fn learn_values(&mut self, act: &Act, main: Option<&str>) {
        let of = act
            .others
            .iter()
            .find(|(word, noun)| ["of", "for"].contains(&word.as_str()) && !is_value(noun))
            .and_then(|(_, noun)| self.named(noun))
            .map(|thing| thing.name.clone());
        let around = act
            .others
            .iter()
            .filter(|(word, _)| ["by", "with", "and"].contains(&word.as_str()))
            .map(|(_, noun)| noun);
        let values: Vec<Noun> = act
            .objects
            .iter()
            .chain(around)
            .filter(|noun| is_value(noun))
            .cloned()
            .collect();
        for noun in values {
            if self.all.iter().any(|thing| thing.name == noun.name()) {
                continue;
            }
            let by_word = noun
                .before
                .first()
                .and_then(|word| self.all.iter().find(|thing| &thing.name == word))
                .map(|thing| thing.name.clone());
            let named = if by_word.is_some() {
                vec![noun.head.clone()]
            } else {
                noun.words()
            };
            let owner = noun
                .owner
                .clone()
                .filter(|owner| self.by_name(owner).is_some())
                .or(by_word)
                .or_else(|| of.clone())
                .or_else(|| main.map(str::to_owned));
            if let Some(thing) = owner.and_then(|owner| self.at(&owner)) {
                thing.attribute(&named, &[]);
            }
        }
    }

    /// The data model; every thing can be told from its like and stands to at least one other.
    pub(super) fn data_model(&mut self, actor: &str) -> DataModel {
        self.connect(actor);
        let entities = self.all.iter().map(|thing| thing.entity(&self.all)).collect();
        DataModel { entities }
    }

    fn connect(&mut self, actor: &str) {
        let linked = |all: &[Thing], name: &str| {
            all.iter().any(|thing| {
                (thing.name == name && !thing.links.is_empty()) || thing.links.iter().any(|(_, to, _)| to == name)
            })
        };
        let Some(hub) = self
            .all
            .iter()
            .find(|thing| !thing.person)
            .map(|thing| thing.name.clone())
        else {
            return;
        };
        for name in self.all.iter().map(|thing| thing.name.clone()).collect::<Vec<_>>() {
            if linked(&self.all, &name) || name == hub {
                continue;
            }
            let person = self.by_name(&name).is_some_and(|thing| thing.person);
            let word = if person { "works with" } else { "is shown with" };
            self.link(&name, word, &hub, Cardinality::ManyToMany);
        }
        if !linked(&self.all, &hub) && self.keeps_people {
            let person = actor_thing(actor);
            self.add(&person, 1);
            self.link(&hub, "is used by", &person, Cardinality::ManyToMany);
        }
    }
}

/// `busy clinic nurse` is kept as `clinic nurse`.
fn actor_thing(actor: &str) -> String {
    let tokens = super::text::tokens(&actor.to_lowercase());
    super::phrase::noun_at(&tokens, 0)
        .map(|(noun, _)| noun.name())
        .filter(|name| !entity_name(name).is_empty())
        .unwrap_or_else(|| "user".to_owned())
}

impl Thing {
    fn attribute(&mut self, words: &[String], choices: &[String]) {
        // An attribute does not repeat its owner: `orderNumber` of an order is its `number`.
        let own: Vec<String> = self.name.split(' ').map(str::to_owned).collect();
        let short: Vec<String> = if words.len() > 1 && own.contains(&words[0]) {
            words[1..].to_vec()
        } else {
            words.to_vec()
        };
        let name = lower_camel(&short);
        if name.is_empty()
            || self.attributes.len() >= ATTRIBUTES_MAX
            || self.attributes.iter().any(|known| known.name == name)
        {
            return;
        }
        let kind = if choices.len() > 1 {
            ValueKind::Choice
        } else {
            english::value_kind(&short)
        };
        let description = if choices.is_empty() {
            String::new()
        } else {
            sentence(&format!("One of: {}", choices.join(", ")))
        };
        self.attributes.push(Attribute {
            name,
            kind,
            required: false,
            unique: false,
            description,
        });
    }

    fn entity(&self, all: &[Thing]) -> Entity {
        let mut attributes = vec![Attribute {
            name: "id".into(),
            kind: ValueKind::Identifier,
            required: true,
            unique: true,
            description: format!("Tells one {} from every other.", self.name),
        }];
        let mut own = self.attributes.clone();
        own.retain(|attribute| attribute.name != "id");
        let told_apart = own.len() > 1 && !self.person;
        if !told_apart
            && !own
                .iter()
                .any(|attribute| ["name", "title", "subject", "description"].contains(&attribute.name.as_str()))
        {
            let description = format!("What people call the {}.", self.name);
            own.insert(
                0,
                Attribute {
                    name: "name".into(),
                    kind: ValueKind::Text,
                    required: true,
                    unique: false,
                    description,
                },
            );
        }
        let (first, name) = (own.first().map(|attribute| attribute.name.clone()), self.name.clone());
        for attribute in &mut own {
            attribute.required = Some(&attribute.name) == first.as_ref() || attribute.required;
            if attribute.description.is_empty() {
                attribute.description = described(&spaced(&attribute.name), attribute.kind, &name);
            }
        }
        attributes.extend(own);
        let has = |attributes: &[Attribute], name: &str| attributes.iter().any(|attribute| attribute.name == name);
        if !self.states.is_empty() && !has(&attributes, "status") {
            let description = sentence(&format!("One of: new, {}", self.states.join(", ")));
            attributes.push(Attribute {
                name: "status".into(),
                kind: ValueKind::Choice,
                required: true,
                unique: false,
                description,
            });
        }
        if let Some(verb) = self.done.first() {
            let participle = english::participle(verb);
            let name = format!("{}At", lower_camel(std::slice::from_ref(&participle)));
            if !has(&attributes, &name) {
                let description = format!("When the {} was {participle}.", self.name);
                attributes.push(Attribute {
                    name,
                    kind: ValueKind::DateTime,
                    required: true,
                    unique: false,
                    description,
                });
            }
        }
        let known = |name: &String| all.iter().any(|thing| &thing.name == name);
        let relationships = self
            .links
            .iter()
            .filter(|(_, to, _)| known(to))
            .map(|(name, to, cardinality)| Relationship {
                name: name.clone(),
                target: entity_name(to),
                cardinality: *cardinality,
            })
            .collect();
        Entity {
            name: entity_name(&self.name),
            description: clip(&self.description(&attributes), 480),
            attributes,
            relationships,
        }
    }

    fn description(&self, attributes: &[Attribute]) -> String {
        let article = capital(english::article(&self.name));
        if !self.said.is_empty() {
            return self.said.join(" ");
        }
        let values: Vec<String> = attributes
            .iter()
            .filter(|attribute| attribute.name != "id")
            .take(4)
            .map(|attribute| spaced(&attribute.name))
            .collect();
        let done: Vec<String> = self.done.iter().take(2).map(|verb| english::participle(verb)).collect();
        let what = match (self.person, done.is_empty()) {
            (true, _) => format!("{article} {} who works with this feature", self.name),
            (false, false) => format!("{article} {} that is {} here", self.name, listing(&done)),
            (false, true) => format!("{article} {} that people see here", self.name),
        };
        format!("{what}, kept with its {}.", listing(&values))
    }
}

fn described(name: &str, kind: ValueKind, owner: &str) -> String {
    match kind {
        ValueKind::Money => format!("The {name} of the {owner}, with its currency."),
        ValueKind::Date => format!("The calendar day of the {owner}'s {name}."),
        ValueKind::DateTime => format!("The {name} of the {owner}, with day and hour."),
        ValueKind::Choice => format!("Which {name} the {owner} has, out of a fixed set."),
        ValueKind::Identifier => format!("The {name} written on the {owner}."),
        ValueKind::Text
        | ValueKind::Number
        | ValueKind::Integer
        | ValueKind::Boolean
        | ValueKind::Duration
        | ValueKind::Email
        | ValueKind::Url
        | ValueKind::File
        | ValueKind::Location => format!("The {name} of the {owner}."),
    }
}
