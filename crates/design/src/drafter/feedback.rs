//! Follows what a person said when they rejected a design: add, remove, rename, split, show, ask for. Nothing said is lost.

use super::brief::{Brief, Part};
use super::compose::{self, nearest_component, unique_id};
use super::english::{self, VerbClass};
use super::meaning::{self, Feature};
use super::phrase::{self, Act, Noun};
use super::revise::words_of;
use super::technology;
use super::text::{Token, capital, clip, joined, lower_camel, sentence, small, spaced, tokens, upper_camel};
use super::tidy;
use crate::intent::{Action, Attribute, Intent, Step};

const WISHES_MAX: usize = 50;
const GOALS_MAX: usize = 20;

#[derive(Debug, Default)]
pub(super) struct Followed {
    pub(super) applied: Vec<String>,
    pub(super) not_applied: Vec<String>,
}

/// Follows every sentence of the feedback, in its order.
pub(super) fn follow(brief: &Brief, intent: &mut Intent, text: &str) -> Followed {
    let mut told = Followed::default();
    let wishes = wishes(text);
    for wish in wishes.iter().take(WISHES_MAX) {
        match follow_one(brief, intent, wish) {
            Some(done) => told.applied.push(format!("`{}`: {done}", clip(wish, 120))),
            None => {
                keep(intent, &technology::without_names(wish).0);
                told.not_applied.push(format!(
                    "`{}`: nothing in the design answers to it; kept as a goal for a person to decide",
                    clip(wish, 120)
                ));
            }
        }
    }
    told.not_applied.extend(wishes.iter().skip(WISHES_MAX).map(|wish| {
        format!(
            "`{}`: at most {WISHES_MAX} wishes are followed at once",
            clip(wish, 120)
        )
    }));
    told
}

/// What cannot be followed stays visible, also when there is no room for another goal.
fn keep(intent: &mut Intent, wish: &str) {
    let goal = sentence(&format!("A reviewer asked for this: {}", clip(&small(wish), 240)));
    if intent.goals.contains(&goal) {
        return;
    }
    if intent.goals.len() >= GOALS_MAX {
        intent.goals.pop();
    }
    intent.goals.push(goal);
}

fn wishes(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines() {
        let line: String = line.chars().filter(|c| !c.is_control()).collect();
        let line = line.trim().trim_start_matches(['-', '*', '+', '•', ' ']).to_owned();
        let ends = line.replace(". ", ".\n").replace("; ", ";\n").replace("! ", "!\n");
        for one in ends.lines() {
            let one = one.trim().trim_end_matches(['.', ';', '!']).trim();
            if one.chars().any(char::is_alphanumeric) {
                found.push(one.to_owned());
            }
        }
    }
    found
}

fn follow_one(brief: &Brief, intent: &mut Intent, wish: &str) -> Option<String> {
    let all = tokens(&technology::without_names(wish).0);
    let skip = all
        .iter()
        .take_while(|token| {
            token.is_one_of(&[
                "please", "also", "we", "i", "you", "should", "must", "need", "want", "to", "and", "could", "can", ",",
                "it", "would", "like",
            ])
        })
        .count();
    let words = all.get(skip..).unwrap_or_default();
    let first = words.first()?;
    let rest = &words[1..];
    if first.is_one_of(&["remove", "delete", "drop", "omit"]) || first.is_one_of(&["no", "without"]) {
        return remove(intent, rest);
    }
    if first.is_one_of(&["rename", "call", "change", "replace"]) {
        return rename(intent, first, rest);
    }
    if first.is("split") {
        return split(intent, rest);
    }
    let asks = position(words, &[&["ask", "asks", "asking"], &["for"]])
        .map(|at| (at, at + 2))
        .or_else(|| position(words, &[&["collect", "collects", "require", "requires"]]).map(|at| (at, at + 1)));
    if let Some((at, begin)) = asks {
        return ask_for(intent, &words[..at], &words[begin..]);
    }
    if let Some(at) = position(words, &[&["show", "shows", "display", "displays"]]) {
        return show(intent, &words[..at], &words[at + 1..]);
    }
    if first.is_one_of(&["add", "include", "allow", "support"]) {
        return add(brief, intent, rest);
    }
    if first.is("make") {
        return None;
    }
    let actor = small(&intent.user_flows.first()?.actor.clone());
    let feature = meaning::subject_feature(words, &actor, Part::Other).or_else(|| {
        let acts = phrase::acts(words);
        let begins = acts.first().is_some_and(|act| {
            act.class != VerbClass::State && english::verb_base(&first.lower).as_deref() == Some(act.verb.as_str())
        });
        begins.then_some(Feature {
            actor,
            label: None,
            acts,
            goal: None,
        })
    });
    // `Make it pop` is done to nothing that the design has.
    let feature = feature.filter(|feature| feature.acts.iter().any(|act| !act.objects.is_empty()))?;
    add_feature(brief, intent, &feature)
}

fn position(words: &[Token], wanted: &[&[&str]]) -> Option<usize> {
    (0..words.len()).find(|at| {
        wanted
            .iter()
            .enumerate()
            .all(|(next, one)| words.get(at + next).is_some_and(|token| token.is_one_of(one)))
    })
}

/// `no` part of a design is left without a flow, a component or a goal: the last one stays.
fn remove(intent: &mut Intent, words: &[Token]) -> Option<String> {
    let mut wanted = words_of(&joined(words));
    for filler in [
        "flow",
        "view",
        "page",
        "field",
        "step",
        "goal",
        "attribute",
        "component",
        "button",
        "screen",
    ] {
        if wanted.len() > 1 {
            wanted.remove(filler);
        }
    }
    if wanted.is_empty() {
        return None;
    }
    let meant = |text: &str| wanted.is_subset(&words_of(text));
    let mut gone: Vec<String> = Vec::new();
    let flows: Vec<String> = intent
        .user_flows
        .iter()
        .filter(|flow| meant(&format!("{} {}", flow.name, flow.id.replace('-', " "))))
        .map(|flow| flow.id.clone())
        .collect();
    if !flows.is_empty() && flows.len() < intent.user_flows.len() {
        gone.extend(
            intent
                .user_flows
                .iter()
                .filter(|flow| flows.contains(&flow.id))
                .map(|flow| format!("flow `{}`", flow.name)),
        );
        intent.user_flows.retain(|flow| !flows.contains(&flow.id));
        tidy::drop_orphans(intent);
    }
    for entity in &mut intent.data_model.entities {
        let owner = spaced(&entity.name);
        let named = |attribute: &Attribute| {
            let name = words_of(&spaced(&attribute.name));
            !name.is_empty()
                && name.is_subset(&wanted)
                && wanted.is_subset(&words_of(&format!("{owner} {}", spaced(&attribute.name))))
        };
        let unkept: Vec<String> = entity
            .attributes
            .iter()
            .filter(|one| !one.unique && named(one))
            .map(|one| one.name.clone())
            .collect();
        if entity.attributes.len() > unkept.len() {
            gone.extend(unkept.iter().map(|name| format!("`{name}` of `{}`", entity.name)));
            entity.attributes.retain(|one| !unkept.contains(&one.name));
        }
    }
    gone.extend(remove_entity(intent, &wanted));
    let parts: Vec<String> = intent
        .components
        .iter()
        .filter(|one| meant(&one.name))
        .map(|one| one.id.clone())
        .collect();
    for id in parts {
        if let Some(name) = remove_component(intent, &id) {
            gone.push(format!("component `{name}`"));
        }
    }
    let goals = intent.goals.len();
    let kept: Vec<String> = intent.goals.iter().filter(|goal| !meant(goal)).cloned().collect();
    if !kept.is_empty() && kept.len() < goals {
        intent.goals = kept;
        gone.push(format!("{} of the goals", goals - intent.goals.len()));
    }
    (!gone.is_empty()).then(|| format!("removed {}", gone.join(", ")))
}

/// An entity with exactly that name goes, if others are left; whatever pointed to it points to it no longer.
fn remove_entity(intent: &mut Intent, wanted: &std::collections::BTreeSet<String>) -> Option<String> {
    let at = intent
        .data_model
        .entities
        .iter()
        .position(|entity| words_of(&spaced(&entity.name)) == *wanted)?;
    if intent.data_model.entities.len() < 2 {
        return None;
    }
    let name = intent.data_model.entities.remove(at).name;
    for entity in &mut intent.data_model.entities {
        entity.relationships.retain(|link| link.target != name);
    }
    let fallback = intent.data_model.entities.first().map(|entity| entity.name.clone());
    for one in &mut intent.components {
        let had = one.data.len();
        one.data.retain(|known| *known != name);
        if one.data.is_empty() && had > 0 {
            one.data.extend(fallback.clone());
        }
    }
    Some(format!("entity `{name}`"))
}

/// A component goes with what is inside it, unless a step would be left without any.
fn remove_component(intent: &mut Intent, id: &str) -> Option<String> {
    let name = intent.component(id)?.name.clone();
    let mut gone = vec![id.to_owned()];
    for _ in 0..intent.components.len() {
        let more: Vec<String> = intent
            .components
            .iter()
            .filter(|one| one.parent.as_ref().is_some_and(|parent| gone.contains(parent)) && !gone.contains(&one.id))
            .map(|one| one.id.clone())
            .collect();
        gone.extend(more);
    }
    let needed = |step: &Step| step.components.iter().all(|one| gone.contains(one));
    for flow in &mut intent.user_flows {
        if flow.steps.iter().filter(|step| !needed(step)).count() < 2 {
            return None;
        }
    }
    for flow in &mut intent.user_flows {
        flow.steps.retain(|step| !needed(step));
        for step in &mut flow.steps {
            step.components.retain(|one| !gone.contains(one));
        }
    }
    intent.components.retain(|one| !gone.contains(&one.id));
    intent.interactions.retain(|one| !gone.contains(&one.component));
    Some(name)
}

/// `rename X to Y`, `call X Y`, `replace X with Y`, `change X to Y`.
fn rename(intent: &mut Intent, verb: &Token, words: &[Token]) -> Option<String> {
    let middle = words
        .iter()
        .position(|token| token.is_one_of(&["to", "with", "by", "into", "as"]));
    let (from, to) = match middle {
        Some(at) => (&words[..at], &words[at + 1..]),
        None if verb.is("call") && words.len() > 1 => words.split_at(words.len() - 1),
        None => return None,
    };
    let bare = |part: &[Token]| {
        let skip = part
            .iter()
            .take_while(|token| token.is_one_of(&["the", "a", "an", "\"", "“", "'", "all", "every"]))
            .count();
        let kept: Vec<Token> = part[skip..]
            .iter()
            .filter(|token| !token.is_one_of(&["\"", "“", "”", "'"]))
            .cloned()
            .collect();
        kept
    };
    let (from, to) = (bare(from), bare(to));
    if from.is_empty() || to.is_empty() || from.len() > 5 || to.len() > 8 {
        return None;
    }
    let mut changed = 0;
    let mut replace = |text: &mut String| {
        let better = replaced(text, &from, &to);
        if better != *text {
            *text = better;
            changed += 1;
        }
    };
    replace(&mut intent.title);
    for flow in &mut intent.user_flows {
        replace(&mut flow.name);
        replace(&mut flow.actor);
    }
    for one in &mut intent.components {
        replace(&mut one.name);
    }
    for text in tidy::texts(intent) {
        replace(text);
    }
    let names = |part: &[Token]| {
        upper_camel(
            &part
                .iter()
                .map(|token| english::singular(&token.lower))
                .collect::<Vec<_>>(),
        )
    };
    let (old, new) = (names(&from), names(&to));
    if intent.entity(&old).is_some() && !new.is_empty() && intent.entity(&new).is_none() {
        rename_entity(intent, &old, &new);
        changed += 1;
    }
    limit(intent);
    (changed > 0).then(|| format!("`{}` is `{}` in {changed} places", joined(&from), joined(&to)))
}

/// Everything that names the entity names it by its new name.
pub(super) fn rename_entity(intent: &mut Intent, old: &str, new: &str) {
    for entity in &mut intent.data_model.entities {
        if entity.name == old {
            entity.name = new.to_owned();
        }
        for link in entity.relationships.iter_mut().filter(|link| link.target == old) {
            link.target = new.to_owned();
        }
    }
    for name in intent
        .components
        .iter_mut()
        .flat_map(|one| &mut one.data)
        .filter(|name| *name == old)
    {
        *name = new.to_owned();
    }
}

/// Also in the plural, and with a capital where there was one.
fn replaced(text: &str, from: &[Token], to: &[Token]) -> String {
    let all = tokens(text);
    let mut done: Vec<Token> = Vec::new();
    let mut at = 0;
    let mut found = false;
    while at < all.len() {
        let part = all.get(at..at + from.len());
        let same = |one: &Token, other: &Token| {
            one.lower == other.lower || english::singular(&one.lower) == english::singular(&other.lower)
        };
        match part.filter(|part| part.iter().zip(from).all(|(one, other)| same(one, other))) {
            Some(part) => {
                found = true;
                let many = part
                    .last()
                    .zip(from.last())
                    .is_some_and(|(one, other)| english::is_plural(&one.lower) && !english::is_plural(&other.lower));
                let begins = part[0].text.chars().next().is_some_and(char::is_uppercase);
                for (index, token) in to.iter().enumerate() {
                    let text = if many && index + 1 == to.len() {
                        english::plural_name(&token.text)
                    } else {
                        token.text.clone()
                    };
                    let text = if begins && index == 0 { capital(&text) } else { text };
                    done.push(Token {
                        lower: text.to_lowercase(),
                        text,
                    });
                }
                at += from.len();
            }
            None => {
                done.push(all[at].clone());
                at += 1;
            }
        }
    }
    if found { joined(&done) } else { text.to_owned() }
}

/// A longer name must not break what the schema allows.
fn limit(intent: &mut Intent) {
    intent.title = clip(&intent.title, 120);
    for flow in &mut intent.user_flows {
        flow.name = clip(&flow.name, 120);
        flow.actor = clip(&flow.actor, 80);
        flow.outcome = clip(&flow.outcome, 300);
        for step in &mut flow.steps {
            step.description = clip(&step.description, 300);
        }
    }
    for one in &mut intent.components {
        one.name = clip(&one.name, 120);
        one.description = clip(&one.description, 500);
    }
    for one in &mut intent.interactions {
        one.trigger = clip(&one.trigger, 200);
        one.response = clip(&one.response, 300);
    }
    for entity in &mut intent.data_model.entities {
        entity.description = clip(&entity.description, 500);
    }
}

fn nearest_flow(intent: &Intent, text: &str) -> Option<usize> {
    let wanted = words_of(text);
    let common = |at: &usize| {
        let flow = &intent.user_flows[*at];
        let steps: String = flow
            .steps
            .iter()
            .map(|step| step.description.as_str())
            .collect::<Vec<_>>()
            .join(" ");
        let near = words_of(&flow.name).intersection(&wanted).count();
        let far = words_of(&format!("{} {steps}", flow.outcome))
            .intersection(&wanted)
            .count();
        (near * 3 + far, std::cmp::Reverse(*at))
    };
    let best = (0..intent.user_flows.len()).max_by_key(common)?;
    (common(&best).0 > 0).then_some(best)
}

/// `split <flow> into <a> and <b>`
fn split(intent: &mut Intent, words: &[Token]) -> Option<String> {
    let into = words.iter().position(|token| token.is("into"))?;
    let ordinals = ["first", "second", "third", "fourth", "fifth"];
    let counted = words[..into]
        .iter()
        .find_map(|token| ordinals.iter().position(|one| token.is(one)))
        .filter(|at| *at < intent.user_flows.len());
    let at = counted.or_else(|| nearest_flow(intent, &joined(&words[..into])))?;
    let names: Vec<String> = words[into + 1..]
        .split(|token| token.is_one_of(&["and", ","]))
        .map(joined)
        .filter(|name| !name.is_empty())
        .collect();
    let flow = intent.user_flows[at].clone();
    if names.len() < 2 || intent.user_flows.len() + names.len() > 50 || flow.steps.len() < 2 {
        return None;
    }
    let size = flow.steps.len().div_ceil(names.len()).max(1);
    for (index, name) in names.iter().enumerate() {
        let begin = (index * size).min(flow.steps.len() - 1);
        let mut steps: Vec<Step> = flow.steps[begin..(begin + size).min(flow.steps.len())].to_vec();
        if steps.len() < 2 {
            let mut open = flow.steps[0].clone();
            open.id = "0-open".into();
            steps.insert(0, open);
        }
        let id = unique_id(
            &clip(name, 48),
            intent.user_flows.iter().map(|one| one.id.as_str()),
            "flow",
        );
        let outcome = clip(
            &sentence(&format!(
                "The {} is through with this part: {}",
                small(&flow.actor),
                small(name)
            )),
            300,
        );
        let part = crate::intent::Flow {
            id,
            name: clip(&capital(name), 110),
            actor: flow.actor.clone(),
            outcome,
            steps,
        };
        intent.user_flows.insert(at + 1 + index, part);
    }
    intent.user_flows.remove(at);
    for at in 0..intent.user_flows.len() {
        close_entry(intent, at);
    }
    tidy::tell_flows_apart(intent);
    Some(format!("`{}` is now {} flows", flow.name, names.len()))
}

/// A flow that ends with something entered also does something with it.
fn close_entry(intent: &mut Intent, at: usize) {
    let steps = &mut intent.user_flows[at].steps;
    if let Some(last) = steps.last().filter(|last| last.action == Action::Enter).cloned() {
        let description = "What was entered is checked and kept for the next part.".to_owned();
        steps.push(Step {
            id: format!("{}-keep", clip(&last.id, 50)),
            description,
            action: Action::Submit,
            components: last.components,
        });
    }
}

/// `the checkout should ask for the delivery date`
fn ask_for(intent: &mut Intent, place: &[Token], what: &[Token]) -> Option<String> {
    let what_text = joined(what);
    let (noun, end) = phrase::noun_at(what, 0)?;
    let tail = joined(what.get(end..).unwrap_or_default());
    let place_text = format!("{} {tail}", joined(place));
    let flow = nearest_flow(intent, &place_text)
        .or_else(|| nearest_flow(intent, &what_text))
        .unwrap_or(0);
    let wanted = |step: &&Step| step.action == Action::Enter;
    let near = intent
        .user_flows
        .get(flow)?
        .steps
        .iter()
        .find(wanted)
        .or_else(|| intent.user_flows[flow].steps.first())?
        .components
        .clone();
    let entity = near
        .iter()
        .filter_map(|id| intent.component(id))
        .find_map(|one| one.data.first().cloned())?;
    let name = attribute(intent, &entity, &noun);
    let told = spaced(&name);
    let steps = &intent.user_flows[flow].steps;
    let at = steps
        .iter()
        .position(|step| step.action == Action::Enter)
        .map_or(1.min(steps.len()), |at| at + 1);
    let actor = small(&intent.user_flows[flow].actor);
    let id = unique_id(
        &format!("enter-{told}"),
        steps.iter().map(|step| step.id.as_str()),
        "enter",
    );
    let description = clip(
        &sentence(&format!("The {actor} enters the {} {tail}", noun.name())),
        300,
    );
    let flow_name = intent.user_flows[flow].name.clone();
    intent.user_flows[flow].steps.insert(
        at,
        Step {
            id,
            description,
            action: Action::Enter,
            components: near.clone(),
        },
    );
    let uses = |step: &Step| {
        matches!(
            step.action,
            Action::Submit | Action::Create | Action::Update | Action::Confirm
        )
    };
    if !intent.user_flows[flow].steps[at + 1..].iter().any(uses) {
        let description = format!("The {actor} confirms the {} that was entered.", noun.name());
        intent.user_flows[flow].steps.insert(
            at + 1,
            Step {
                id: format!("keep-{}", clip(&told.replace(' ', "-"), 40)),
                description,
                action: Action::Submit,
                components: near.clone(),
            },
        );
    }
    if let Some(one) = intent.components.iter_mut().find(|one| near.contains(&one.id)) {
        one.description = clip(
            &format!("{} It also asks for the {}.", one.description, noun.name()),
            490,
        );
    }
    Some(format!(
        "`{flow_name}` asks for the {}, kept as `{name}` of `{entity}`",
        noun.name()
    ))
}

fn attribute(intent: &mut Intent, entity: &str, noun: &Noun) -> String {
    let own = tokens(&spaced(entity));
    let words: Vec<String> = noun
        .words()
        .into_iter()
        .filter(|word| !own.iter().any(|token| token.is(word)))
        .collect();
    let words = if words.is_empty() { noun.words() } else { words };
    let name = Some(lower_camel(&words))
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| "note".into());
    if let Some(kept) = intent.data_model.entities.iter_mut().find(|one| one.name == entity)
        && !kept.attributes.iter().any(|one| one.name == name)
        && kept.attributes.len() < 100
    {
        let kind = english::value_kind(&words);
        let description = format!(
            "The {} of the {}, asked for by a reviewer.",
            noun.name(),
            spaced(entity)
        );
        kept.attributes.push(Attribute {
            name: name.clone(),
            kind,
            required: false,
            unique: false,
            description,
        });
    }
    name
}

/// `show the total in the cart`, `the list should show the due date`
fn show(intent: &mut Intent, before: &[Token], what: &[Token]) -> Option<String> {
    let (noun, end) = phrase::noun_at(what, 0)?;
    let place = format!("{} {}", joined(before), joined(what.get(end..).unwrap_or_default()));
    let at = nearest_component(intent, &place).or_else(|| nearest_component(intent, &joined(what)))?;
    let fact = format!("It shows {}.", joined(what).trim_end_matches('.'));
    let one = &mut intent.components[at];
    one.description = clip(
        &format!(
            "{} {fact}",
            clip(&one.description, 480usize.saturating_sub(fact.chars().count()))
        ),
        500,
    );
    let (name, entity) = (one.name.clone(), one.data.first().cloned());
    if english::is_attribute_noun(&noun.head)
        && let Some(entity) = entity
    {
        attribute(intent, &entity, &noun);
    }
    Some(format!("`{name}` shows {}", joined(what)))
}

fn add(brief: &Brief, intent: &mut Intent, words: &[Token]) -> Option<String> {
    let skip = words
        .iter()
        .take_while(|token| {
            token.is_one_of(&[
                "a",
                "an",
                "the",
                "some",
                "new",
                "possibility",
                "option",
                "way",
                "to",
                "that",
                "flow",
                "feature",
                "for",
            ])
        })
        .count();
    let actor = small(&intent.user_flows.first()?.actor.clone());
    let lead = &words[..skip];
    let inner = words.get(skip..)?;
    let verb_first = inner
        .first()
        .and_then(|first| english::verb_base(&first.lower))
        .filter(|base| english::class_of(base) != Some(VerbClass::State));
    let explicit = lead.iter().any(|token| token.is_one_of(&["to", "flow", "feature"]));
    if explicit && verb_first.is_some() {
        return add_feature(
            brief,
            intent,
            &Feature {
                actor,
                label: None,
                acts: phrase::acts(inner),
                goal: None,
            },
        );
    }
    let (noun, end) = phrase::noun_at(words, 0)?;
    let rest = joined(words.get(end..).unwrap_or_default());
    // `add a phone number to the customer`
    let target = words
        .get(end..)
        .filter(|rest| {
            rest.first()
                .is_some_and(|token| token.is_one_of(&["to", "for", "on", "in"]))
        })
        .and_then(|rest| phrase::noun_at(rest, 1))
        .map(|(noun, _)| noun.name());
    let has_target = target.is_some();
    let entity = target
        .and_then(|name| intent.entity(&super::things::entity_name(&name)))
        .map(|entity| entity.name.clone());
    if let Some(entity) = entity.filter(|_| english::is_attribute_noun(&noun.head)) {
        let name = attribute(intent, &entity, &noun);
        return Some(format!("`{entity}` has `{name}`"));
    }
    if has_target && english::is_attribute_noun(&noun.head) {
        return None;
    }
    add_noun(brief, intent, noun, &rest)
}

/// `add a search`, `add an export of orders`: the noun is something done; another noun is something to see.
fn add_noun(brief: &Brief, intent: &mut Intent, noun: Noun, rest: &str) -> Option<String> {
    let actor = small(&intent.user_flows.first()?.actor);
    let (verb, object) = match english::class_of(&noun.head) {
        Some(VerbClass::State) | None => (
            "see".to_owned(),
            format!("{} {} {rest}", english::article(&noun.name()), noun.name()),
        ),
        Some(_) => (noun.head.clone(), format!("{} {rest}", noun.before.join(" "))),
    };
    let object = object
        .trim()
        .trim_start_matches("of ")
        .trim_start_matches("for ")
        .to_owned();
    let object = if object.is_empty() {
        intent
            .data_model
            .entities
            .first()
            .map_or_else(String::new, |entity| english::plural_name(&spaced(&entity.name)))
    } else {
        object
    };
    let acts = phrase::acts(&tokens(&format!("{verb} {object}")));
    let acts = if acts.is_empty() {
        vec![Act {
            class: VerbClass::View,
            phrase: format!("see {object}"),
            verb: "see".into(),
            objects: vec![noun],
            others: Vec::new(),
            instead: false,
        }]
    } else {
        acts
    };
    add_feature(
        brief,
        intent,
        &Feature {
            actor,
            label: None,
            acts,
            goal: None,
        },
    )
}

fn add_feature(brief: &Brief, intent: &mut Intent, feature: &Feature) -> Option<String> {
    let flows = intent.user_flows.len();
    compose::add_feature(brief, intent, feature);
    let added = intent.user_flows.get(flows)?;
    Some(format!("added the flow `{}`", added.name))
}
