//! Words of a text, and finding phrases among them. A phrase matches whole words only.

use std::collections::BTreeMap;

/// One word: as written, and in small letters for comparing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) written: String,
    pub(super) small: String,
    /// A full stop, comma or the like, or nothing at all, comes after it.
    pub(super) ends_clause: bool,
    /// A full stop, `!` or `?`, or nothing at all, comes after it.
    pub(super) ends_sentence: bool,
}

fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '+' | '#' | '\'' | '’' | '_')
}

/// Splits at everything that is no letter or digit. Dots inside a word stay (`next.js`), one before it as well (`.net`);
/// hyphens split, so that `user-friendly` is two words.
pub(super) fn words(text: &str) -> Vec<Word> {
    let chars: Vec<char> = text.chars().collect();
    let at = |index: usize| chars.get(index).copied().unwrap_or(' ');
    let inside = |index: usize| {
        let c = at(index);
        is_word_char(c) || (c == '.' && at(index + 1).is_alphanumeric())
    };
    let mut found = Vec::new();
    let mut index = 0;
    while index < chars.len() {
        if !inside(index) {
            index += 1;
            continue;
        }
        let start = index;
        while index < chars.len() && inside(index) {
            index += 1;
        }
        let written: String = chars[start..index].iter().collect();
        let written = written.trim_matches(['\'', '’', '_']).to_string();
        if !written.chars().any(char::is_alphanumeric) {
            continue;
        }
        let rest = &chars[index..];
        let next = rest
            .iter()
            .copied()
            .find(|c| !c.is_whitespace() && !matches!(c, '"' | '”' | '’' | ')' | '`'));
        found.push(Word {
            small: written.to_lowercase().replace('’', "'"),
            written,
            ends_clause: next.is_none_or(|c| matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '(' | '–' | '—')),
            ends_sentence: next.is_none_or(|c| matches!(c, '.' | '!' | '?')),
        });
    }
    found
}

/// How many words a text has that carry a letter or digit.
pub(super) fn count(text: &str) -> usize {
    words(text).len()
}

/// Small letters, single spaces, no punctuation: for asking whether two texts say the same.
pub(super) fn plain(text: &str) -> String {
    words(text)
        .into_iter()
        .map(|word| word.small)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Phrases by their first word, for looking up many at once.
pub(super) struct Phrases<T>(BTreeMap<&'static str, Vec<(Vec<&'static str>, T)>>);

impl<T: Copy> Phrases<T> {
    pub(super) fn new(all: impl IntoIterator<Item = (&'static str, T)>) -> Phrases<T> {
        let mut by_first: BTreeMap<&'static str, Vec<(Vec<&'static str>, T)>> = BTreeMap::new();
        for (phrase, value) in all {
            let parts: Vec<&'static str> = phrase.split(' ').collect();
            if let Some(first) = parts.first() {
                by_first.entry(first).or_default().push((parts.clone(), value));
            }
        }
        for list in by_first.values_mut() {
            list.sort_by_key(|(parts, _)| std::cmp::Reverse(parts.len()));
        }
        Phrases(by_first)
    }

    /// The longest phrase that starts at a word: how many words it has, and what belongs to it.
    pub(super) fn at(&self, words: &[Word], index: usize) -> Option<(usize, T)> {
        let candidates = self.0.get(words.get(index)?.small.as_str())?;
        let found = candidates.iter().find(|(parts, _)| {
            let here = words.get(index..index + parts.len());
            here.is_some_and(|here| here.iter().zip(parts).all(|(word, part)| word.small == *part))
        });
        found.map(|(parts, value)| (parts.len(), *value))
    }
}

/// `a`, `b` and `c`, at most five.
pub(super) fn quoted(found: &[String]) -> String {
    let mut unique: Vec<&String> = Vec::new();
    for one in found {
        if !unique.contains(&one) {
            unique.push(one);
        }
    }
    let shown: Vec<String> = unique.iter().take(5).map(|one| format!("`{one}`")).collect();
    shown.join(", ")
}
