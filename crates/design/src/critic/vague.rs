//! Words and phrases that let everyone imagine something else.

use std::sync::LazyLock;

use super::words::{Phrases, Word};

/// Where a word of the lexicon is not vague.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unless {
    Never,
    /// It is a noun here: one of these words comes before it.
    After(&'static [&'static str]),
    /// It is said precisely: one of these words comes after it.
    Before(&'static [&'static str]),
}

use Unless::{After, Before, Never};

const NOUN: &[&str] = &[
    "a", "the", "door", "drag", "resize", "user", "account", "its", "each", "pull", "cup",
];
const NUMBERED: &[&str] = &["as", "in", "for", "to", "enough"];

/// All in small letters; a hyphen is a space. Whole words only.
const LEXICON: &[(&str, Unless)] = &[
    ("etc", Never),
    ("and so on", Never),
    ("and so forth", Never),
    ("and more", Before(&["than"])),
    ("and the like", Never),
    ("and such", Never),
    ("or similar", Never),
    ("or whatever", Never),
    ("or something", Never),
    ("some kind of", Never),
    ("some sort of", Never),
    ("some type of", Never),
    ("kind of like", Never),
    ("sort of like", Never),
    ("user friendly", Never),
    ("easy to use", Never),
    ("easy to understand", Never),
    ("ease of use", Never),
    ("state of the art", Never),
    ("best practice", Never),
    ("best practices", Never),
    ("cutting edge", Never),
    ("next generation", Never),
    ("world class", Never),
    ("best in class", Never),
    ("high quality", Never),
    ("high performance", Never),
    ("as needed", Never),
    ("if needed", Never),
    ("when needed", Never),
    ("as required", Never),
    ("as necessary", Never),
    ("if necessary", Never),
    ("where necessary", Never),
    ("as appropriate", Never),
    ("if appropriate", Never),
    ("where appropriate", Never),
    ("as applicable", Never),
    ("if applicable", Never),
    ("if possible", Never),
    ("where possible", Never),
    ("when possible", Never),
    ("as possible", Never),
    ("as far as possible", Never),
    ("as soon as possible", Never),
    ("to be decided", Never),
    ("to be defined", Never),
    ("in some cases", Never),
    ("in most cases", Never),
    ("in many cases", Never),
    ("under certain conditions", Never),
    ("from time to time", Never),
    ("more or less", Never),
    ("a lot of", Never),
    ("lots of", Never),
    ("a bunch of", Never),
    ("a number of", Never),
    ("a variety of", Never),
    ("a range of", Never),
    ("all kinds of", Never),
    ("all sorts of", Never),
    ("look and feel", Never),
    ("real time like", Never),
    ("out of the box", Never),
    ("bells and whistles", Never),
    ("appropriate", Never),
    ("appropriately", Never),
    ("suitable", Never),
    ("suitably", Never),
    ("adequate", Never),
    ("adequately", Never),
    ("sufficient", Before(NUMBERED)),
    ("sufficiently", Never),
    ("reasonable", Never),
    ("reasonably", Never),
    ("proper", Before(&["name", "noun"])),
    ("properly", Never),
    ("relevant", Before(&["to"])),
    ("handle", After(NOUN)),
    ("handles", After(NOUN)),
    ("handling", After(&["baggage", "parcel", "cash", "food"])),
    ("deal with", Never),
    ("deals with", Never),
    ("take care of", Never),
    ("takes care of", Never),
    ("various", Never),
    ("miscellaneous", Never),
    ("misc", Never),
    ("stuff", Never),
    ("things", Never),
    ("something", Before(&["that", "which", "in"])),
    ("somehow", Never),
    ("somewhere", Never),
    ("sometimes", Never),
    ("maybe", Never),
    ("perhaps", Never),
    ("possibly", Never),
    ("probably", Never),
    ("might", Never),
    ("usually", Never),
    ("generally", Never),
    ("normally", Never),
    ("typically", Never),
    ("often", After(&["how", "too"])),
    ("basically", Never),
    ("essentially", Never),
    ("roughly", Never),
    ("intuitive", Never),
    ("intuitively", Never),
    ("seamless", Never),
    ("seamlessly", Never),
    ("effortless", Never),
    ("effortlessly", Never),
    ("easily", Never),
    ("conveniently", Never),
    ("robust", Never),
    (
        "flexible",
        Before(&["hours", "working", "dates", "ticket", "tickets", "fare"]),
    ),
    ("powerful", Never),
    ("modern", Never),
    ("sleek", Never),
    ("nice", Never),
    ("nicely", Never),
    ("awesome", Never),
    ("amazing", Never),
    ("beautiful", Never),
    ("elegant", Never),
    (
        "smart",
        Before(&[
            "meter", "meters", "phone", "phones", "card", "cards", "home", "lock", "locks", "watch",
        ]),
    ),
    ("efficient", Never),
    ("efficiently", Never),
    ("scalable", Never),
    ("performant", Never),
    ("innovative", Never),
    ("optimal", Never),
    ("optimized", Never),
    ("enhanced", Never),
    ("improved experience", Never),
    ("great experience", Never),
    ("better experience", Never),
    ("good experience", Never),
];

/// Words that only hold a text's place.
const PLACEHOLDERS: &[&str] = &[
    "tbd",
    "tba",
    "tbc",
    "todo",
    "to do later",
    "fixme",
    "xxx",
    "lorem ipsum",
    "lorem",
    "placeholder text",
    "description here",
    "insert text",
    "insert description",
    "text here",
    "coming soon",
    "asdf",
    "blah",
    "blah blah",
    "foo bar",
    "foobar",
];

static VAGUE: LazyLock<Phrases<Unless>> = LazyLock::new(|| Phrases::new(LEXICON.iter().copied()));
static HOLDS_PLACE: LazyLock<Phrases<()>> = LazyLock::new(|| Phrases::new(PLACEHOLDERS.iter().map(|one| (*one, ()))));

/// The words and phrases of the lexicon.
pub fn vague_phrases() -> impl Iterator<Item = &'static str> {
    LEXICON.iter().map(|(phrase, _)| *phrase)
}

fn as_written(words: &[Word]) -> String {
    words
        .iter()
        .map(|word| word.written.as_str())
        .collect::<Vec<_>>()
        .join(" ")
}

/// The vague words of a text, as written.
pub(super) fn vague(words: &[Word]) -> Vec<String> {
    let mut found = Vec::new();
    let mut index = 0;
    while index < words.len() {
        let Some((length, unless)) = VAGUE.at(words, index) else {
            index += 1;
            continue;
        };
        let before = index.checked_sub(1).and_then(|before| words.get(before));
        let after = words.get(index + length);
        let is_precise = match unless {
            Never => false,
            After(list) => before.is_some_and(|word| list.contains(&word.small.as_str())),
            Before(list) => after.is_some_and(|word| list.contains(&word.small.as_str())),
        };
        if !is_precise {
            found.push(as_written(&words[index..index + length]));
        }
        index += length;
    }
    found
}

/// The placeholders of a text, as written.
pub(super) fn placeholders(text: &str, words: &[Word]) -> Vec<String> {
    let mut found = Vec::new();
    for index in 0..words.len() {
        if let Some((length, ())) = HOLDS_PLACE.at(words, index) {
            found.push(as_written(&words[index..index + length]));
        }
    }
    if text.contains("???") {
        found.push("???".to_string());
    }
    // A text of dots or dashes is one as well.
    if words.is_empty() && !text.trim().is_empty() && !text.contains("???") {
        found.push(text.trim().to_string());
    }
    found
}
