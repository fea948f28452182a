//! Phrases: nouns with what belongs to them, and verbs with what they are done to.

use super::english::{self, VerbClass};
use super::text::{Token, joined, tokens};

/// A thing, in the singular.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Noun {
    /// What stands before the head and makes it another thing: `expense` in `expense report`.
    pub(super) before: Vec<String>,
    pub(super) head: String,
    pub(super) plural: bool,
    /// `product` in `the product's price`.
    pub(super) owner: Option<String>,
}

impl Noun {
    pub(super) fn words(&self) -> Vec<String> {
        self.before.iter().cloned().chain([self.head.clone()]).collect()
    }

    pub(super) fn name(&self) -> String {
        self.words().join(" ")
    }
}

/// Something done: a verb, the things it is done to, and the others around it.
#[derive(Debug, Clone)]
pub(super) struct Act {
    pub(super) verb: String,
    pub(super) class: VerbClass,
    /// The whole of it as the brief says it, beginning with the verb's base form.
    pub(super) phrase: String,
    pub(super) objects: Vec<Noun>,
    pub(super) others: Vec<(String, Noun)>,
    /// It is another way, not a further step: `approve or reject`.
    pub(super) instead: bool,
}

const DETERMINERS: [&str; 34] = [
    "a", "an", "the", "my", "your", "his", "her", "its", "our", "their", "this", "that", "these", "those", "each",
    "every", "all", "any", "some", "no", "which", "what", "one", "two", "three", "both", "another", "other", "several",
    "many", "more", "most", "such", "few",
];
const PREPOSITIONS: [&str; 27] = [
    "of", "to", "for", "with", "from", "in", "on", "at", "by", "into", "about", "per", "via", "between", "against",
    "under", "through", "without", "within", "as", "over", "onto", "before", "after", "during", "until", "along",
];

/// Words before which a verb is another act.
const VERB_LEADS: [&str; 6] = ["must", "can", "may", "should", "will", "they"];
/// After these a word that can be a verb is one.
const VERB_BEFORE: [&str; 14] = [
    "it", "they", "who", "that", "which", "to", "must", "can", "may", "should", "will", "he", "she", "i",
];

/// The noun that begins at `at`, and where it ends.
pub(super) fn noun_at(words: &[Token], at: usize) -> Option<(Noun, usize)> {
    let mut at = at;
    while words
        .get(at)
        .is_some_and(|token| token.is_one_of(&DETERMINERS) || token.lower.chars().all(|c| c.is_ascii_digit()))
    {
        at += 1;
    }
    let begin = at;
    let mut found: Vec<String> = Vec::new();
    let mut owner = None;
    while let Some(token) = words.get(at) {
        let word = token.lower.as_str();
        let letters = word.chars().next().is_some_and(char::is_alphabetic);
        if !letters || english::is_function_word(word) {
            break;
        }
        if let Some(name) = word.strip_suffix("'s").or_else(|| word.strip_suffix('\'')) {
            owner = Some(english::singular(name));
            found.clear();
            at += 1;
            continue;
        }
        // A form that only a verb has ends the noun: `orders placed yesterday`, `readings arriving late`.
        let verb_form = english::verb_base(word).is_some_and(|base| {
            base != word && (word.ends_with("ed") || word.ends_with("ing") || english::participle(&base) == word)
        });
        if verb_form && !found.is_empty() {
            break;
        }
        let third_person = word.ends_with('s') && english::verb_base(word).is_some_and(|base| base != word);
        // `Doctors see …`: after a plural a verb is a verb.
        let after_plural =
            found.last().is_some_and(|last| english::is_plural(last)) && english::class_of(word).is_some();
        if after_plural {
            break;
        }
        if third_person && !found.is_empty() && !is_noun_too(word) && words.get(at + 1).is_some_and(Token::is_word) {
            break;
        }
        if !english::is_qualifier(word) && (!verb_form || word.ends_with("ing")) {
            found.push(word.to_owned());
        }
        at += 1;
    }
    if at == begin && owner.is_none() {
        return None;
    }
    let last = found.pop()?;
    // `list of loans` is about loans.
    let container = english::is_screen_word(&last)
        || ["number", "amount", "kind", "type", "set", "pile", "choice", "selection"].contains(&last.as_str());
    if container
        && words.get(at).is_some_and(|token| token.is("of"))
        && let Some((inner, end)) = noun_at(words, at + 1)
    {
        return Some((inner, end));
    }
    let keep = found.len().saturating_sub(2);
    let before = found
        .split_off(keep)
        .into_iter()
        .map(|word| english::singular(&word))
        .collect();
    Some((
        Noun {
            before,
            head: english::singular(&last),
            plural: english::is_plural(&last),
            owner,
        },
        at,
    ))
}

/// Plural nouns that are also verbs: `orders`, `reports`. At the end of a noun they are nouns.
pub(super) fn is_noun_too(word: &str) -> bool {
    let nouns = "orders books reports lists plans schedules rates comments records searches filters tracks reviews checks returns requests \
        changes tags labels links scans exports prints posts logs sets counts messages alerts emails transfers purchases notes texts scores \
        shares views files claims invoices totals grades answers starts stops displays offers supplies uses plays releases";
    nouns.split_ascii_whitespace().any(|noun| noun == word)
}

/// First person becomes third: a design speaks about people, not as one of them.
pub(super) fn third(text: &str) -> String {
    let mut all = tokens(text);
    let mut after_i = false;
    for token in &mut all {
        let replaced = match token.lower.as_str() {
            "i" | "we" => "they",
            "my" | "our" | "your" => "their",
            "me" | "us" | "you" => "them",
            "mine" | "ours" => "theirs",
            "myself" | "ourselves" => "themselves",
            "i'm" | "we're" => "they are",
            "i've" | "we've" => "they have",
            "i'll" | "we'll" => "they will",
            "am" if after_i => "are",
            "was" if after_i => "were",
            "don't" => "do not",
            "can't" => "cannot",
            "doesn't" => "does not",
            "isn't" => "is not",
            "it's" => "it is",
            _ => "",
        };
        after_i = token.is("i");
        if !replaced.is_empty() {
            token.text = replaced.to_owned();
            token.lower = replaced.to_owned();
        }
    }
    joined(&all).trim_matches([' ', ',', '.', ';']).to_owned()
}

/// Everything that is done in a phrase such as `search the catalogue and reserve a book`.
pub(super) fn acts(words: &[Token]) -> Vec<Act> {
    let mut starts: Vec<usize> = Vec::new();
    for at in 0..words.len() {
        let begins = at == 0
            || words[at - 1].is_one_of(&["and", "or", ",", "then", "to", "also"])
            || (at > 1
                && words[at - 1].is_one_of(&VERB_LEADS)
                && words[at - 2].is_one_of(&["and", "then", "they", ","]));
        let to_is_direction = at > 0 && words[at - 1].is("to") && words.get(at + 1).is_none_or(|next| !next.is_word());
        let base = english::verb_base(&words[at].lower);
        let form = base.as_deref().is_some_and(|base| {
            words[at].lower == base
                || words[at].lower == english::third_person(base) && starts.len() == usize::from(at > 0)
        });
        let first_form = at == 0 && base.is_some();
        let continues = at > 0 && starts.is_empty();
        let followed = at == 0
            || words.get(at + 1).is_some_and(|next| {
                next.is_one_of(&DETERMINERS)
                    || next.is_one_of(&PREPOSITIONS)
                    || next.is_one_of(&["them", "it", "out", "up", "off", "how", "when", "where", "whether"])
                    || (next.is_word()
                        && english::verb_base(&next.lower).is_none()
                        && english::class_of(&words[at].lower).is_some()
                        && !is_value_list(words, at))
            });
        if begins && (form || first_form) && followed && !to_is_direction && !continues {
            starts.push(at);
        }
    }
    let mut found: Vec<Act> = Vec::new();
    for (index, start) in starts.iter().enumerate() {
        let end = starts.get(index + 1).copied().unwrap_or(words.len());
        let previous = found.last().and_then(|act: &Act| act.objects.first().cloned());
        if let Some(mut act) = act(&words[*start..end], previous.as_ref()) {
            act.instead = *start > 0 && words[start - 1].is("or");
            found.push(act);
        }
    }
    // In `book, move and cancel appointments` all three are done to appointments.
    for at in (0..found.len().saturating_sub(1)).rev() {
        if found[at].phrase == found[at].verb
            && let Some(object) = found[at + 1].objects.first().cloned()
        {
            let name = object.name();
            let told = if object.plural {
                english::plural_name(&name)
            } else {
                format!("{} {name}", english::article(&name))
            };
            found[at].phrase = format!("{} {told}", found[at].verb);
            found[at].objects.push(object);
        }
    }
    found
}

/// After a pronoun, or right after a noun as in `guests come`.
fn is_verb_here(words: &[Token], at: usize) -> bool {
    let before = &words[at - 1];
    let after_noun = at > 1
        && before.is_word()
        && !english::is_function_word(&before.lower)
        && english::class_of(&words[at].lower).is_some();
    after_noun || (before.is_one_of(&VERB_BEFORE) && english::verb_base(&words[at].lower).is_some())
}

/// What the writers say about themselves is about their team.
pub(super) fn of_team(text: &str) -> String {
    let mut all = tokens(text);
    for token in &mut all {
        let replaced = match token.lower.as_str() {
            "we" | "us" => "the team",
            "our" => "the",
            _ => continue,
        };
        token.text = replaced.to_owned();
        token.lower = replaced.to_owned();
    }
    third(&joined(&all))
}

/// In `name, price and stock` words that could be verbs are values.
fn is_value_list(words: &[Token], at: usize) -> bool {
    english::is_attribute_noun(&words[at].lower)
        || (at > 0 && words[at - 1].is(",") && words.get(at + 2).is_some_and(|token| token.is_one_of(&[",", "and"])))
}

fn act(words: &[Token], previous: Option<&Noun>) -> Option<Act> {
    let verb = english::verb_base(&words.first()?.lower)?;
    let class = english::class_of(&verb)?;
    let mut end = words.len();
    while end > 1
        && (words[end - 1].is_one_of(&["and", "or", ",", "then", "to", "also", ".", ";"])
            || words[end - 1].is_one_of(&VERB_LEADS))
    {
        end -= 1;
    }
    let words = &words[..end];
    let mut objects: Vec<Noun> = Vec::new();
    let mut others: Vec<(String, Noun)> = Vec::new();
    let mut preposition: Option<String> = None;
    let mut at = 1;
    while at < words.len() {
        let token = &words[at];
        if token.is_one_of(&["it", "them"]) && objects.is_empty() {
            objects.extend(previous.cloned());
            at += 1;
        } else if token.is_one_of(&PREPOSITIONS) {
            preposition = Some(token.lower.clone());
            at += 1;
        } else if is_verb_here(words, at) {
            at += 1;
        } else if let Some((noun, next)) = noun_at(words, at) {
            match &preposition {
                Some(word) => others.push((word.clone(), noun)),
                None => objects.push(noun),
            }
            at = next.max(at + 1);
        } else {
            at += 1;
        }
    }
    let rest = third(&joined(&words[1..]));
    // What somebody gets is sent to them.
    let sent = [
        "confirmation",
        "reminder",
        "notification",
        "alert",
        "message",
        "warning",
        "notice",
    ];
    let is_sent = objects.first().is_some_and(|noun| sent.contains(&noun.head.as_str()))
        || others.iter().any(|(word, noun)| word == "by" && noun.head == "email");
    let class = if ["receive", "get"].contains(&verb.as_str()) && is_sent {
        VerbClass::Notify
    } else {
        class
    };
    Some(Act {
        phrase: format!("{verb} {rest}").trim().to_owned(),
        verb,
        class,
        objects,
        others,
        instead: false,
    })
}
