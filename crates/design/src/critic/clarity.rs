//! Clarity: words are specific and mean one thing.

use std::collections::{BTreeMap, BTreeSet};

use super::rules::{
    CHARACTER_HIDDEN, CHOICE_UNSAID, DESCRIPTION_EMPTY, DESCRIPTION_NAME, DESCRIPTION_SHORT, DESCRIPTION_TWICE,
    ID_TWICE, NAME_TWICE, PLACEHOLDER, PROSE_NONE, Rule, SENTENCE_LONG, VAGUE,
};
use super::texts::{Role, Text};
use super::words::{Word, words};
use super::{Report, vague, words as text_words};
use crate::{ComponentKind, Intent, ValueKind};

const SENTENCE_WORDS_MAX: usize = 40;
const DESCRIPTION_WORDS_MIN: usize = 4;
const STEP_WORDS_MIN: usize = 3;
const RESPONSE_WORDS_MIN: usize = 3;
const TRIGGER_WORDS_MIN: usize = 2;
/// Two choices need two words to be told.
const CHOICE_WORDS_MIN: usize = 2;

/// Words that fit every design. A description that has no other says nothing.
const EMPTY_WORDS: [&str; 74] = [
    "a",
    "an",
    "the",
    "this",
    "that",
    "it",
    "is",
    "are",
    "be",
    "will",
    "of",
    "for",
    "to",
    "in",
    "on",
    "and",
    "or",
    "with",
    "all",
    "here",
    "some",
    "any",
    "by",
    "from",
    "as",
    "show",
    "shows",
    "shown",
    "display",
    "displays",
    "displayed",
    "view",
    "views",
    "see",
    "sees",
    "list",
    "lists",
    "manage",
    "manages",
    "managed",
    "process",
    "processes",
    "processed",
    "use",
    "uses",
    "used",
    "does",
    "do",
    "done",
    "work",
    "works",
    "data",
    "information",
    "info",
    "content",
    "contents",
    "details",
    "items",
    "item",
    "element",
    "elements",
    "component",
    "page",
    "screen",
    "section",
    "area",
    "part",
    "user",
    "users",
    "main",
    "system",
    "app",
    "feature",
    "functionality",
];

pub(super) fn judge(intent: &Intent, texts: &[Text<'_>], report: &mut Report) {
    for text in texts {
        judge_text(text, report);
    }
    judge_substance(texts, report);
    judge_ids(intent, report);
    judge_names(intent, report);
    judge_descriptions(intent, report);
    judge_choices(intent, report);
}

/// What is hardly said has few mistakes; it is not clear for that.
fn judge_substance(texts: &[Text<'_>], report: &mut Report) {
    let is_told = |text: &&Text<'_>| text.role == Role::Prose && !text.pointer.contains("/attributes/");
    let told: Vec<_> = texts
        .iter()
        .filter(is_told)
        .filter(|text| !text.pointer.starts_with("/interactions"))
        .collect();
    let sentences = told
        .iter()
        .filter(|text| text_words::count(text.text) >= DESCRIPTION_WORDS_MIN)
        .count();
    if 2 * sentences < told.len() {
        let message = format!(
            "{sentences} of {} texts have {DESCRIPTION_WORDS_MIN} words or more",
            told.len()
        );
        report.add(&PROSE_NONE, "", message);
    }
}

fn judge_text(text: &Text<'_>, report: &mut Report) {
    if let Some(hidden) = text.text.chars().find(|c| is_hidden(*c)) {
        let message = format!("the text contains U+{:04X}, which nobody sees", u32::from(hidden));
        report.add(&CHARACTER_HIDDEN, &text.pointer, message);
    }
    if text.role == Role::Identifier {
        return;
    }
    let found = words(text.text);
    let placeholders = vague::placeholders(text.text, &found);
    if !placeholders.is_empty() {
        let message = format!("{} only holds the place of a text", text_words::quoted(&placeholders));
        report.add(&PLACEHOLDER, &text.pointer, message);
    }
    let vague = vague::vague(&found);
    if !vague.is_empty() {
        let message = format!("{} can mean anything", text_words::quoted(&vague));
        report.add(&VAGUE, &text.pointer, message);
    }
    let longest = longest_sentence(&found);
    if longest > SENTENCE_WORDS_MAX {
        report.add(&SENTENCE_LONG, &text.pointer, format!("a sentence has {longest} words"));
    }
    // A label may be as short as a word; a sentence has to say something.
    let is_empty = !found.is_empty() && found.iter().all(|word| EMPTY_WORDS.contains(&word.small.as_str()));
    let says_values = text.pointer.contains("/attributes/");
    if text.role == Role::Prose && is_empty && !says_values {
        report.add(
            &DESCRIPTION_EMPTY,
            &text.pointer,
            format!("`{}` fits every design", text.text),
        );
    }
}

fn is_hidden(c: char) -> bool {
    let is_mark = matches!(c, '\u{00AD}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}');
    is_mark || (c.is_control() && !matches!(c, '\n' | '\t'))
}

fn longest_sentence(found: &[Word]) -> usize {
    found
        .split_inclusive(|word| word.ends_sentence)
        .map(<[Word]>::len)
        .max()
        .unwrap_or(0)
}

/// Reports every key that was there before.
fn judge_twice<'a>(
    all: impl Iterator<Item = (String, String, &'a str)>,
    rule: &'static Rule,
    what: &str,
    report: &mut Report,
) {
    let mut seen = BTreeSet::new();
    for (pointer, key, shown) in all {
        if key.is_empty() {
            continue;
        }
        if !seen.insert(key) {
            report.add(rule, &pointer, format!("{what} `{shown}` stands there twice"));
        }
    }
}

fn judge_ids(intent: &Intent, report: &mut Report) {
    let flows = intent.user_flows.iter().enumerate();
    let flow_ids = flows
        .clone()
        .map(|(index, flow)| (format!("/userFlows/{index}/id"), flow.id.clone(), flow.id.as_str()));
    judge_twice(flow_ids, &ID_TWICE, "the id", report);
    for (flow_index, flow) in flows {
        let steps = flow.steps.iter().enumerate();
        let ids = steps.map(|(index, step)| {
            (
                format!("/userFlows/{flow_index}/steps/{index}/id"),
                step.id.clone(),
                step.id.as_str(),
            )
        });
        judge_twice(ids, &ID_TWICE, "the id", report);
    }
    let components = intent.components.iter().enumerate();
    let ids = components.map(|(index, one)| (format!("/components/{index}/id"), one.id.clone(), one.id.as_str()));
    judge_twice(ids, &ID_TWICE, "the id", report);
    let interactions = intent.interactions.iter().enumerate();
    let ids = interactions.map(|(index, one)| (format!("/interactions/{index}/id"), one.id.clone(), one.id.as_str()));
    judge_twice(ids, &ID_TWICE, "the id", report);
}

fn judge_names(intent: &Intent, report: &mut Report) {
    let flows = intent.user_flows.iter().enumerate();
    let names = flows.map(|(index, flow)| {
        (
            format!("/userFlows/{index}/name"),
            text_words::plain(&flow.name),
            flow.name.as_str(),
        )
    });
    judge_twice(names, &NAME_TWICE, "the name", report);
    let mut inside: BTreeMap<Option<&str>, Vec<(String, String, &str)>> = BTreeMap::new();
    for (index, one) in intent.components.iter().enumerate() {
        let entry = (
            format!("/components/{index}/name"),
            text_words::plain(&one.name),
            one.name.as_str(),
        );
        inside.entry(one.parent.as_deref()).or_default().push(entry);
    }
    for names in inside.into_values() {
        judge_twice(names.into_iter(), &NAME_TWICE, "the name", report);
    }
}

/// A description with its name; the fewest words it may have, where another rule does not say so.
struct Described<'a> {
    pointer: String,
    name: &'a str,
    text: &'a str,
    words_min: usize,
}

fn judge_descriptions(intent: &Intent, report: &mut Report) {
    let components: Vec<Described<'_>> = intent
        .components
        .iter()
        .enumerate()
        .map(|(index, one)| Described {
            pointer: format!("/components/{index}/description"),
            name: &one.name,
            text: &one.description,
            // A view's description is asked for by completeness.
            words_min: if one.kind == ComponentKind::View {
                0
            } else {
                DESCRIPTION_WORDS_MIN
            },
        })
        .collect();
    let entities: Vec<Described<'_>> = intent
        .data_model
        .entities
        .iter()
        .enumerate()
        .map(|(index, one)| Described {
            pointer: format!("/dataModel/entities/{index}/description"),
            name: &one.name,
            text: &one.description,
            words_min: DESCRIPTION_WORDS_MIN,
        })
        .collect();
    let goals = intent.goals.iter().enumerate();
    let goals = goals
        .map(|(index, goal)| described(format!("/goals/{index}"), goal, 0))
        .collect();
    let mut groups: Vec<Vec<Described<'_>>> = vec![components, entities, goals];
    for (flow_index, flow) in intent.user_flows.iter().enumerate() {
        let place = format!("/userFlows/{flow_index}/steps");
        let steps = flow.steps.iter().enumerate();
        let steps = steps.map(|(index, step)| {
            described(
                format!("{place}/{index}/description"),
                &step.description,
                STEP_WORDS_MIN,
            )
        });
        groups.push(steps.collect());
    }
    for group in &groups {
        judge_group(group, report);
    }
    for (index, one) in intent.interactions.iter().enumerate() {
        judge_length(
            &described(
                format!("/interactions/{index}/trigger"),
                &one.trigger,
                TRIGGER_WORDS_MIN,
            ),
            report,
        );
        judge_length(
            &described(
                format!("/interactions/{index}/response"),
                &one.response,
                RESPONSE_WORDS_MIN,
            ),
            report,
        );
    }
}

fn described(pointer: String, text: &str, words_min: usize) -> Described<'_> {
    Described {
        pointer,
        name: "",
        text,
        words_min,
    }
}

fn judge_length(one: &Described<'_>, report: &mut Report) {
    let count = text_words::count(one.text);
    if count < one.words_min {
        let message = format!(
            "`{}` has {count} words, at least {} are needed",
            one.text, one.words_min
        );
        report.add(&DESCRIPTION_SHORT, &one.pointer, message);
    }
}

/// Descriptions that must differ from one another.
fn judge_group(group: &[Described<'_>], report: &mut Report) {
    let mut seen = BTreeSet::new();
    for one in group {
        let plain = text_words::plain(one.text);
        if !one.name.is_empty() && plain.replace(' ', "") == text_words::plain(one.name).replace(' ', "") {
            report.add(
                &DESCRIPTION_NAME,
                &one.pointer,
                format!("`{}` only repeats the name", one.text),
            );
            continue;
        }
        judge_length(one, report);
        if !plain.is_empty() && !seen.insert(plain) {
            report.add(
                &DESCRIPTION_TWICE,
                &one.pointer,
                format!("`{}` stands there twice", one.text),
            );
        }
    }
}

fn judge_choices(intent: &Intent, report: &mut Report) {
    for (entity_index, entity) in intent.data_model.entities.iter().enumerate() {
        for (index, attribute) in entity.attributes.iter().enumerate() {
            let is_unsaid = text_words::count(&attribute.description) < CHOICE_WORDS_MIN;
            if attribute.kind == ValueKind::Choice && is_unsaid {
                let pointer = format!("/dataModel/entities/{entity_index}/attributes/{index}");
                let message = format!("`{}` of `{}` does not say its choices", attribute.name, entity.name);
                report.add(&CHOICE_UNSAID, &pointer, message);
            }
        }
    }
}
