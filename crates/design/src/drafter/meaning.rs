//! What a brief means: who does what to which things, what for, and what holds for those things.

use super::brief::{Brief, Form, Part, Statement};
use super::english::{self, VerbClass};
use super::phrase::{self, Act, Noun};
use super::text::{Token, clip, joined, sentence, small, tokens};

/// More flows than this nobody reviews; what is left becomes a fact.
const FEATURES_MAX: usize = 40;
const MODALS: [&str; 12] = [
    "can", "may", "must", "should", "will", "shall", "need", "needs", "want", "wants", "has", "have",
];

#[derive(Debug, Default)]
pub(super) struct Meaning {
    pub(super) features: Vec<Feature>,
    pub(super) goals: Vec<String>,
    pub(super) rules: Vec<Rule>,
    /// What else is said; it belongs to a part that has words in common with it.
    pub(super) facts: Vec<String>,
    pub(super) data: Vec<DataFact>,
}

/// Something that somebody does.
#[derive(Debug, Clone)]
pub(super) struct Feature {
    pub(super) actor: String,
    /// A name the brief gives it, if any.
    pub(super) label: Option<String>,
    pub(super) acts: Vec<Act>,
    pub(super) goal: Option<String>,
}

/// `When …, …`
#[derive(Debug, Clone)]
pub(super) struct Rule {
    pub(super) when: String,
    pub(super) then: String,
}

/// `A product has a name and a price`.
#[derive(Debug, Clone)]
pub(super) struct DataFact {
    pub(super) owner: Noun,
    pub(super) parts: Vec<DataPart>,
    pub(super) text: String,
}

#[derive(Debug, Clone)]
pub(super) struct DataPart {
    pub(super) noun: Noun,
    /// It is another thing, not a value.
    pub(super) is_thing: bool,
    pub(super) choices: Vec<String>,
    /// How the owner stands to it, where the brief has a word for it.
    pub(super) relation: Option<String>,
    pub(super) many: bool,
}

pub(super) fn of(brief: &Brief) -> Meaning {
    let mut meaning = Meaning::default();
    let default_actor = main_actor(brief);
    for statement in brief
        .statements
        .iter()
        .filter(|statement| statement.part != Part::OutOfScope)
    {
        let actor = heading_actor(&statement.heading).unwrap_or_else(|| default_actor.clone());
        read(statement, &actor, &mut meaning);
    }
    name_what_it_is(brief, &mut meaning);
    if meaning.features.len() > FEATURES_MAX {
        let rest = meaning.features.split_off(FEATURES_MAX);
        let told = |feature: &Feature| {
            feature
                .acts
                .first()
                .map(|act| format!("{} can {}", feature.actor, act.phrase))
        };
        meaning.facts.extend(rest.iter().filter_map(told));
    }
    meaning.goals.dedup();
    meaning
}

/// `reset it` with nothing before it is about what the title names.
fn name_what_it_is(brief: &Brief, meaning: &mut Meaning) {
    let title = tokens(&brief.title);
    let named = title.iter().find(|token| {
        token.is_word()
            && !english::is_function_word(&token.lower)
            && !english::is_qualifier(&token.lower)
            && english::verb_base(&token.lower).is_none()
    });
    let Some(named) = named else { return };
    for act in meaning
        .features
        .iter_mut()
        .filter_map(|feature| feature.acts.first_mut())
    {
        let pronoun = format!("{} it", act.verb);
        if act.objects.is_empty() && act.phrase.starts_with(&pronoun) {
            let head = english::singular(&named.lower);
            act.phrase = act.phrase.replacen(&pronoun, &format!("{} the {head}", act.verb), 1);
            act.objects.push(Noun {
                before: Vec::new(),
                head,
                plural: false,
                owner: None,
            });
        }
    }
}

/// Who the brief speaks of first: in a story, else the first person it names, else a user.
fn main_actor(brief: &Brief) -> String {
    let of_story = brief.statements.iter().find_map(|statement| match &statement.form {
        Form::Story { actor, .. } => Some(actor.clone()),
        Form::Bullet | Form::Sentence => None,
    });
    let named = || {
        let all: Vec<Token> = brief
            .statements
            .iter()
            .flat_map(|statement| tokens(&statement.text))
            .collect();
        all.iter()
            .find(|token| english::is_person(&token.lower))
            .map(|token| english::singular(&token.lower))
    };
    of_story
        .or_else(named)
        .filter(|name| name != "person")
        .unwrap_or_else(|| "user".to_owned())
}

fn heading_actor(heading: &str) -> Option<String> {
    let words = tokens(heading);
    let last = words.iter().rev().find(|token| token.is_word())?;
    (words.len() <= 4 && english::is_person(&last.lower)).then(|| {
        let noun = phrase::noun_at(&words, 0).map(|(noun, _)| noun.name());
        noun.unwrap_or_else(|| english::singular(&last.lower))
    })
}

fn read(statement: &Statement, actor: &str, meaning: &mut Meaning) {
    match &statement.form {
        Form::Story { actor, want, so_that } => {
            let acts = phrase::acts(&tokens(want));
            let goal = so_that.as_deref().map(phrase::third);
            if let Some(goal) = &goal {
                meaning.goals.push(goal_sentence(actor, goal));
            }
            if acts.is_empty() {
                meaning.features.push(Feature {
                    actor: actor.clone(),
                    label: None,
                    acts: vec![shown(want)],
                    goal,
                });
            } else {
                meaning.features.push(Feature {
                    actor: actor.clone(),
                    label: None,
                    acts,
                    goal,
                });
            }
        }
        Form::Bullet => read_bullet(statement, actor, meaning),
        Form::Sentence => read_sentence(&statement.text, statement.part, actor, meaning),
    }
}

fn goal_sentence(actor: &str, goal: &str) -> String {
    let first = tokens(goal)
        .first()
        .map(|token| token.lower.clone())
        .unwrap_or_default();
    if english::class_of(&first).is_some() && !english::is_function_word(&first) {
        return sentence(&format!("{} can {goal}", english::plural_name(actor)));
    }
    if first == "they" {
        let rest = goal.split_once(' ').map_or("", |(_, rest)| rest);
        return sentence(&format!("{} {rest}", english::plural_name(actor)));
    }
    sentence(goal)
}

/// A want without a verb that is known: somebody sees it.
fn shown(text: &str) -> Act {
    let words = tokens(text);
    let mut act = Act {
        verb: "see".into(),
        class: VerbClass::View,
        phrase: format!("see {}", small(&phrase::third(text))),
        objects: Vec::new(),
        others: Vec::new(),
        instead: false,
    };
    if let Some((noun, _)) = phrase::noun_at(&words, 0) {
        act.objects.push(noun);
    }
    act
}

pub(super) fn read_bullet(statement: &Statement, actor: &str, meaning: &mut Meaning) {
    let text = statement.text.trim_end_matches(['.', ';', ',']);
    if let Some((label, rest)) = label_of(text) {
        let acts = phrase::acts(&tokens(&rest));
        let labelled = phrase::noun_at(&tokens(&label), 0).map(|(noun, _)| noun);
        if !acts.is_empty() && statement.part != Part::Data {
            meaning.features.push(Feature {
                actor: actor.to_owned(),
                label: Some(label),
                acts,
                goal: None,
            });
        } else if let Some(owner) = labelled.filter(|_| rest.contains(',') || statement.part == Part::Data) {
            let parts = data_parts(&tokens(&rest));
            meaning.data.push(DataFact {
                owner,
                parts,
                text: format!("{label}: {rest}"),
            });
        } else {
            let before = meaning.features.len();
            read_sentence(&rest, statement.part, actor, meaning);
            // `Rate limit: max 5 per hour` is a rule, nothing that somebody does.
            let counts = rest.contains(|c: char| c.is_ascii_digit());
            if meaning.features.len() == before && statement.part == Part::Other && !counts {
                let acts = Some(phrase::acts(&tokens(&label)))
                    .filter(|acts| !acts.is_empty())
                    .unwrap_or_else(|| vec![shown(&label)]);
                meaning.features.push(Feature {
                    actor: actor.to_owned(),
                    label: Some(label),
                    acts,
                    goal: None,
                });
            }
        }
        return;
    }
    let words = tokens(text);
    // `Order history` is a thing, `Order a taxi` is not.
    let names_a_screen = words.len() <= 3
        && words
            .first()
            .is_some_and(|first| phrase::is_noun_too(&english::plural(&first.lower)))
        && words.get(1).is_some_and(|next| english::is_screen_word(&next.lower));
    let imperative = !names_a_screen
        && words
            .first()
            .is_some_and(|first| english::class_of(&first.lower).is_some_and(|class| class != VerbClass::State));
    if statement.part == Part::Goals {
        meaning.goals.push(sentence(&phrase::third(text)));
    } else if statement.part == Part::Data {
        read_sentence(text, Part::Data, actor, meaning);
    } else if imperative {
        let (main, goal) = split_reason(&words);
        let acts = phrase::acts(main);
        meaning.features.push(Feature {
            actor: actor.to_owned(),
            label: None,
            acts,
            goal: goal.as_deref().map(phrase::third),
        });
    } else {
        let before = (meaning.features.len(), meaning.facts.len());
        read_sentence(text, statement.part, actor, meaning);
        let only_fact = meaning.features.len() == before.0 && meaning.facts.len() == before.1 + 1;
        let short_noun = words.len() <= 8
            && !words
                .iter()
                .any(|token| token.is_one_of(&["no", "not", "only", "never", "must", "is", "are"]));
        let says_how_it_is = words.iter().any(|token| {
            english::verb_base(&token.lower).and_then(|base| english::class_of(&base)) == Some(VerbClass::State)
        });
        if only_fact && short_noun && !says_how_it_is {
            meaning.facts.pop();
            meaning.features.push(Feature {
                actor: actor.to_owned(),
                label: None,
                acts: vec![shown(text)],
                goal: None,
            });
        }
    }
}

/// `Search: find a book by title` → label and rest.
fn label_of(text: &str) -> Option<(String, String)> {
    let (label, rest) = text
        .split_once(": ")
        .or_else(|| text.split_once(" – "))
        .or_else(|| text.split_once(" — "))
        .or_else(|| text.split_once(" - "))?;
    let words = label.split_whitespace().count();
    ((1..=4).contains(&words) && !rest.trim().is_empty()).then(|| (label.trim().to_owned(), rest.trim().to_owned()))
}

fn split_reason(words: &[Token]) -> (&[Token], Option<String>) {
    let at = (1..words.len()).find(|at| {
        words[*at].is("so")
            && words
                .get(at + 1)
                .is_some_and(|next| next.is_one_of(&["that", "they", "the", "nobody", "no", "i", "we", "it"]))
            || words[*at].is("because")
    });
    match at {
        Some(at) => {
            let skip = if words[at + 1..].first().is_some_and(|next| next.is("that")) {
                2
            } else {
                1
            };
            let goal = joined(&words[at + skip..]).trim_end_matches(['.', ',']).to_owned();
            (&words[..at], Some(goal).filter(|goal| !goal.is_empty()))
        }
        None => (words, None),
    }
}

fn read_sentence(text: &str, part: Part, actor: &str, meaning: &mut Meaning) {
    let text = text.trim().trim_end_matches(['.', ';', ',', '!', '?', ':']);
    let words = tokens(text);
    if words.is_empty() {
        return;
    }
    let (first, second) = clauses(&words);
    if let Some(second) = second {
        let before = meaning.features.len();
        read_sentence(&joined(first), part, actor, meaning);
        let last = meaning
            .features
            .get(before..)
            .and_then(|new| new.last())
            .and_then(|feature| feature.acts.last());
        let object = last.and_then(|act| act.objects.last()).map(|noun| {
            if noun.plural {
                english::plural_name(&noun.name())
            } else {
                format!("the {}", noun.name())
            }
        });
        // `A publish shifts and B sign up for them`: for shifts.
        let second = second.iter().map(|token| match &object {
            Some(object) if token.is_one_of(&["it", "them"]) => Token {
                text: object.clone(),
                lower: object.clone(),
            },
            Some(_) | None => token.clone(),
        });
        read_sentence(&joined(&second.collect::<Vec<_>>()), part, actor, meaning);
        return;
    }
    if first.len() < words.len() {
        read_sentence(&joined(first), part, actor, meaning);
        return;
    }
    if let Some(fact) = data_fact(&words, text).filter(|_| part != Part::Background) {
        meaning.data.push(fact);
        return;
    }
    if let Some(rule) = rule(&words) {
        meaning.rules.push(rule);
        return;
    }
    let (main, goal) = split_reason(&words);
    let goal = goal.as_deref().map(phrase::third);
    let lower = text.to_lowercase();
    let is_goal = part == Part::Goals
        || [
            "we want ",
            "the goal ",
            "our goal",
            "the aim",
            "we aim",
            "this will ",
            "the point ",
        ]
        .iter()
        .any(|start| lower.starts_with(start));
    if is_goal {
        let wish = ["We want to ", "we want to "]
            .iter()
            .find_map(|start| text.strip_prefix(start))
            .unwrap_or(text);
        meaning.goals.push(sentence(&phrase::of_team(wish)));
        return;
    }
    match subject_feature(main, actor, part) {
        Some(mut feature) => {
            if let Some(goal) = &goal {
                meaning.goals.push(goal_sentence(&feature.actor, goal));
            }
            feature.goal = goal;
            meaning.features.push(feature);
        }
        None => meaning.facts.push(sentence(&phrase::of_team(text))),
    }
}

/// `We need a tool where A and B` → `A`, `B`: two clauses in which different people do something.
fn clauses(words: &[Token]) -> (&[Token], Option<&[Token]>) {
    let frame = words
        .first()
        .is_some_and(|first| first.is_one_of(&["we", "i", "there"]));
    let begin = words
        .iter()
        .take(9)
        .position(|token| token.is_one_of(&["where"]))
        .filter(|_| frame)
        .map_or(0, |at| at + 1);
    let words = &words[begin..];
    let opens_condition = words
        .first()
        .is_some_and(|first| first.is_one_of(&["when", "if", "once", "after", "unless", "given", "as"]));
    let splits = |at: &usize| {
        let Some((noun, end)) =
            phrase::noun_at(words, at + 1).filter(|_| words[*at].is_one_of(&["and", "but", "while"]))
        else {
            return false;
        };
        let verb = words
            .get(end)
            .is_some_and(|token| token.is_one_of(&MODALS) || english::verb_base(&token.lower).is_some());
        english::is_person(&noun.head) && verb && words.get(end + 1).is_some()
    };
    match (3..words.len()).find(splits).filter(|_| !opens_condition) {
        Some(at) => (&words[..at], Some(&words[at + 1..])),
        None => (words, None),
    }
}

fn rule(words: &[Token]) -> Option<Rule> {
    let opens = [
        "when", "if", "once", "after", "unless", "whenever", "as", "before", "until", "given",
    ];
    if !words.first()?.is_one_of(&opens) || (words[0].is("as") && !words.get(1)?.is("soon")) {
        return None;
    }
    let then = words
        .iter()
        .position(|token| token.is("then"))
        .filter(|_| words[0].is("given"));
    let comma = then.or_else(|| words.iter().position(|token| token.is(",") || token.is("then")))?;
    let then = words[comma + 1..]
        .iter()
        .skip_while(|token| token.is("then"))
        .cloned()
        .collect::<Vec<_>>();
    (comma > 2 && then.len() > 1).then(|| Rule {
        when: clip(&phrase::third(&joined(&words[..comma])), 190),
        then: phrase::third(&joined(&then)),
    })
}

/// `<somebody> can <verb> …`, `<somebody> <verb>s …`, `<things> can be <verb>ed by <somebody>`.
pub(super) fn subject_feature(words: &[Token], default_actor: &str, part: Part) -> Option<Feature> {
    let limit = words
        .windows(2)
        .any(|pair| pair[0].is("at") && pair[1].is_one_of(&["most", "least"]));
    let negative = limit
        || words
            .iter()
            .take(8)
            .any(|token| token.is_one_of(&["not", "never", "cannot", "no", "can't", "only", "nobody"]));
    if negative {
        return None;
    }
    let (subject, mut at) = subject(words)?;
    let may = words
        .get(at)
        .is_some_and(|token| token.is_one_of(&["can", "may", "wants", "want"]));
    // Whoever can do something is somebody.
    let agent = |head: &str| {
        ["er", "or", "ist", "ian", "ic", "ant", "ee"]
            .iter()
            .any(|ending| head.ends_with(ending))
    };
    let is_person = subject
        .as_ref()
        .is_none_or(|noun| english::is_person(&noun.head) || (may && agent(&noun.head)));
    let system = subject.as_ref().is_some_and(|noun| {
        [
            "system",
            "app",
            "application",
            "site",
            "tool",
            "console",
            "website",
            "software",
        ]
        .contains(&noun.head.as_str())
    });
    let modal = words.get(at).is_some_and(|token| token.is_one_of(&MODALS));
    while words.get(at).is_some_and(|token| {
        token.is_one_of(&MODALS)
            || token.is_one_of(&[
                "be", "able", "to", "also", "then", "is", "are", "like", "would", "always",
            ])
            || (token.lower.ends_with("ly") && english::verb_base(&token.lower).is_none())
    }) {
        at += 1;
    }
    // Background says how things are today; only what shall be possible is a feature.
    if part == Part::Background && !modal {
        return None;
    }
    let verb = words.get(at)?;
    let base = english::verb_base(&verb.lower)?;
    let passive = words[..at]
        .last()
        .is_some_and(|before| before.is_one_of(&["be", "is", "are"]) || before.lower.ends_with("ly"))
        && verb.lower == english::participle(&base);
    if english::class_of(&base) == Some(VerbClass::State) {
        return None;
    }
    if passive && let Some(object) = &subject {
        // `The user is notified` is something the system does.
        let notified = english::class_of(&base) == Some(VerbClass::Notify);
        let actor = if notified { "system" } else { default_actor };
        return passive_feature(words, at, &base, object, actor).filter(|_| modal || notified);
    }
    if !(is_person || system) {
        return None;
    }
    let acts = phrase::acts(&words[at..]);
    let does_alone = acts
        .first()
        .is_some_and(|act| matches!(act.class, VerbClass::Notify | VerbClass::Compute));
    let who = match &subject {
        Some(_) if system && does_alone => "system".to_owned(),
        Some(noun) if !system => noun.name(),
        Some(_) | None => default_actor.to_owned(),
    };
    (!acts.is_empty()).then_some(Feature {
        actor: who,
        label: None,
        acts,
        goal: None,
    })
}

/// `Orders can be cancelled by the clerk`: the clerk cancels orders.
fn passive_feature(words: &[Token], at: usize, base: &str, object: &Noun, default_actor: &str) -> Option<Feature> {
    let by = words
        .iter()
        .position(|token| token.is("by"))
        .filter(|by| *by > at)
        .and_then(|by| phrase::noun_at(words, by + 1).map(|(noun, end)| (by, noun, end)))
        .filter(|(_, noun, _)| english::is_person(&noun.head));
    let (who, rest) = match by {
        Some((by, noun, end)) => (
            noun.name(),
            format!("{} {}", joined(&words[at + 1..by]), joined(&words[end..])),
        ),
        None => (default_actor.to_owned(), joined(&words[at + 1..])),
    };
    let object_text = if object.plural {
        english::plural_name(&object.name())
    } else {
        format!("{} {}", english::article(&object.name()), object.name())
    };
    let text = phrase::third(format!("{base} {object_text} {rest}").trim());
    let acts = phrase::acts(&tokens(&text));
    (!acts.is_empty()).then_some(Feature {
        actor: who,
        label: None,
        acts,
        goal: None,
    })
}

/// The noun before the verb, and where the verb begins; `we`, `you` and `they` are nobody in particular.
fn subject(words: &[Token]) -> Option<(Option<Noun>, usize)> {
    if words
        .first()?
        .is_one_of(&["we", "you", "they", "everyone", "everybody", "anyone", "i"])
    {
        return Some((None, 1));
    }
    let (noun, mut end) = phrase::noun_at(words, 0)?;
    // `Nurses and doctors can …`: the first one goes this way.
    while words.get(end).is_some_and(|token| token.is_one_of(&["and", "or", ","])) {
        let (_, next) = phrase::noun_at(words, end + 1)?;
        end = next;
    }
    Some((Some(noun), end))
}

/// `Each X has a, b and c`; `X belongs to Y`; `X consists of Ys`.
fn data_fact(words: &[Token], text: &str) -> Option<DataFact> {
    let (owner, at) = phrase::noun_at(words, 0)?;
    let word = |at: usize, what: &[&str]| words.get(at).is_some_and(|token| token.is_one_of(what));
    let keeps_values = [
        "has", "have", "contains", "contain", "includes", "include", "records", "holds", "shows", "carries", "needs",
    ];
    if english::is_abstract(&owner.head) || english::is_screen_word(&owner.head) {
        return None;
    }
    if word(at, &["belongs", "belong"]) || (word(at, &["is", "are"]) && word(at + 1, &["part"])) {
        let to = words[at..].iter().position(|token| token.is_one_of(&["to", "of"]))? + at;
        let (noun, _) = phrase::noun_at(words, to + 1)?;
        let part = DataPart {
            noun,
            is_thing: true,
            choices: Vec::new(),
            relation: Some("belongs to".into()),
            many: false,
        };
        return Some(DataFact {
            owner,
            parts: vec![part],
            text: text.to_owned(),
        });
    }
    let begin = if word(at, &["consists", "consist"]) {
        at + 2
    } else if word(at, &keeps_values)
        || (word(at, &["with"]) && words.len() > at + 3 && words[at..].iter().any(|token| token.is(",")))
    {
        at + 1
    } else {
        return None;
    };
    if word(begin, &["to", "been", "not", "no"]) {
        return None;
    }
    let mut parts = data_parts(&words[begin..]);
    let of_people = english::is_person(&owner.head);
    if word(at, &["shows", "records", "needs"]) && (of_people || parts.len() < 2) {
        return None;
    }
    for part in &mut parts {
        part.is_thing = part.is_thing
            || (word(at, &["contains", "contain", "consists", "consist", "holds"])
                && !english::is_attribute_noun(&part.noun.head));
    }
    (!parts.is_empty()).then(|| DataFact {
        owner,
        parts,
        text: text.to_owned(),
    })
}

/// Nouns between commas; what stands in brackets are the values one of them can have.
fn data_parts(words: &[Token]) -> Vec<DataPart> {
    let mut parts: Vec<DataPart> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let many = words[at..]
            .iter()
            .take(3)
            .any(|token| token.is_one_of(&["many", "several", "more", "multiple"]));
        let skip = words[at..]
            .iter()
            .take_while(|token| {
                token.is_one_of(&[
                    "one",
                    "or",
                    "more",
                    "many",
                    "several",
                    "multiple",
                    "zero",
                    "optional",
                    "optionally",
                    "and",
                    ",",
                    "its",
                    "their",
                    "either",
                ])
            })
            .count();
        let moment = words
            .get(at + skip)
            .zip(words.get(at + skip + 1))
            .filter(|(verb, word)| word.is_one_of(&["at", "on"]) && english::verb_base(&verb.lower).is_some());
        if let Some((verb, word)) = moment {
            let noun = Noun {
                before: vec![verb.lower.clone()],
                head: word.lower.clone(),
                plural: false,
                owner: None,
            };
            parts.push(DataPart {
                noun,
                is_thing: false,
                choices: Vec::new(),
                relation: None,
                many: false,
            });
            at += skip + 2;
            continue;
        }
        let Some((noun, end)) = phrase::noun_at(words, at + skip) else {
            at += skip.max(1);
            continue;
        };
        at = end;
        let mut choices = Vec::new();
        if words.get(at).is_some_and(|token| token.is("(")) {
            let close = words[at..]
                .iter()
                .position(|token| token.is(")"))
                .map_or(words.len(), |close| at + close);
            choices = words[at + 1..close]
                .split(|token| token.is_one_of(&[",", "or", "and", "/", "|"]))
                .map(joined)
                .filter(|choice| !choice.is_empty() && choice.split(' ').count() <= 3)
                .collect();
            at = (close + 1).min(words.len());
        }
        let is_thing = !english::is_attribute_noun(&noun.head)
            && (many || (noun.plural && choices.is_empty()) || english::is_person(&noun.head));
        if !english::is_screen_word(&noun.head) || english::is_attribute_noun(&noun.head) {
            parts.push(DataPart {
                many: many || noun.plural,
                noun,
                is_thing,
                choices,
                relation: None,
            });
        }
        // What follows up to the next comma explains this part.
        at += words[at..]
            .iter()
            .take_while(|token| !token.is_one_of(&[",", "and", ";"]))
            .count();
    }
    parts
}
