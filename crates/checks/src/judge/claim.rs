//! One piece of evidence that a judge gave, held against what the engine has.

use std::collections::{BTreeSet, HashMap};

use onus_model::{Claim, Evidence, TreePath};

use super::Material;
use crate::quote::Folded;
use crate::text::{DETAILS_CHARS_MAX, MESSAGE_CHARS_MAX, clip, is_blank};

/// Bytes that quotes without a path are looked for in; a large project's sources.
const SEARCH_BYTES_MAX: usize = 64 << 20;

/// Commits are named by at least so many digits, and by no more than SHA-1 has.
const COMMIT_DIGITS: std::ops::RangeInclusive<usize> = 7..=40;

/// What became of a claim. `Nothing` and `Contradicted` say it as what follows "passed on".
pub(super) enum Seen {
    Holds {
        evidence: Evidence,
        place: Option<Place>,
    },
    /// It may be so, and shows nothing.
    Nothing(String),
    /// The engine saw otherwise.
    Contradicted(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) path: Option<String>,
    pub(super) line: u32,
}

/// A place in files as a citation names it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Cited<'a> {
    Lines { path: &'a str, first: u32, last: u32 },
    Name { path: &'a str, name: &'a str },
    Commit(&'a str),
}

/// Reads a citation; `None`: it has none of the forms.
pub(super) fn cited(text: &str) -> Option<Cited<'_>> {
    let number = |text: &str| {
        let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        digits.then(|| text.parse::<u32>().unwrap_or(u32::MAX))
    };
    let lines = |text: &str| match text.split_once('-') {
        None => number(text).map(|line| (line, line)),
        Some((first, last)) => Some((number(first)?, number(last)?)),
    };
    if let Some((path, place)) = text.rsplit_once(':')
        && let Some((first, last)) = lines(place)
        && !path.is_empty()
    {
        return Some(Cited::Lines { path, first, last });
    }
    if let Some((path, name)) = text.rsplit_once('#')
        && !path.is_empty()
        && !is_blank(name)
    {
        return Some(Cited::Name { path, name });
    }
    let hex = COMMIT_DIGITS.contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit());
    hex.then_some(Cited::Commit(text))
}

/// Why a claim cannot be looked at as it is written: its field, and the problem. The judge is asked to write it again.
pub(super) fn malformed(claim: &Claim) -> Option<(&'static str, String)> {
    let plain = |path: &str| {
        let error = TreePath::new(clip(path, MESSAGE_CHARS_MAX)).err();
        error.map(|error| ("path", error.to_string()))
    };
    let blank = |field, text: &str| is_blank(text).then(|| (field, "is blank".to_owned()));
    match claim {
        Claim::Quote { quote, path, .. } => blank("quote", quote).or_else(|| path.as_deref().and_then(plain)),
        Claim::File { path } => plain(path),
        Claim::Command { command } => blank("command", command),
        Claim::Citation { citation } => match cited(citation.trim()) {
            Some(Cited::Lines { path, .. } | Cited::Name { path, .. }) => {
                plain(path).map(|(_, problem)| ("citation", problem))
            }
            Some(Cited::Commit(_)) => None,
            None => Some((
                "citation",
                format!(
                    "`{}` is none of `path:12`, `path:3-9`, `path#name` and a commit of 7 to 40 hex digits",
                    clip(citation, MESSAGE_CHARS_MAX)
                ),
            )),
        },
    }
}

/// The files that judges were shown, each read and folded once.
pub(super) struct Texts<'a> {
    material: &'a Material<'a>,
    paths: BTreeSet<&'a str>,
    read: HashMap<String, Option<Text>>,
    bytes: usize,
}

struct Text {
    whole: String,
    folded: Folded,
}

impl<'a> Texts<'a> {
    pub(super) fn new(material: &'a Material<'a>) -> Texts<'a> {
        Texts {
            material,
            paths: material.files.paths().into_iter().collect(),
            read: HashMap::new(),
            bytes: 0,
        }
    }

    /// `passes`: the judge says that the criterion holds, so a command that failed speaks against it.
    pub(super) fn look(&mut self, claim: &Claim, passes: bool) -> Seen {
        match claim {
            Claim::Quote { quote, path, line } => self.quote(quote, path.as_deref(), *line),
            Claim::File { path } => self.file(path),
            Claim::Command { command } => self.command(command.trim(), passes),
            Claim::Citation { citation } => self.citation(citation.trim()),
        }
    }

    fn quote(&mut self, quote: &str, path: Option<&str>, line: Option<u32>) -> Seen {
        let only = match (path, self.paths.first()) {
            (Some(path), _) => Some(path.to_owned()),
            (None, Some(only)) if self.paths.len() == 1 => Some((*only).to_owned()),
            (None, _) => None,
        };
        let Some(within) = only else {
            return self.quote_anywhere(quote, line);
        };
        if !self.paths.contains(within.as_str()) {
            return no_file(&within);
        }
        let place = path.map_or_else(
            || "the artifact".to_owned(),
            |path| format!("`{}`", clip(path, MESSAGE_CHARS_MAX)),
        );
        let Some(text) = self.text(&within) else {
            return Seen::Nothing(format!("a quote, but {place} cannot be read as text"));
        };
        let there = text.folded.contains(quote);
        let found = match line {
            Some(line) => text.folded.find_at(quote, line),
            None => text.folded.find(quote),
        };
        match (found, line) {
            (Some(line), _) => holds(quote, path.map(str::to_owned), line),
            (None, _) if !there => Seen::Contradicted(format!("a quote that does not stand in {place}")),
            (None, Some(line)) if text.folded.find(quote).is_some() => {
                Seen::Contradicted(format!("a quote that does not begin at line {line} of {place}"))
            }
            (None, _) => too_short(),
        }
    }

    /// All files of the tree, in the order of their paths.
    fn quote_anywhere(&mut self, quote: &str, line: Option<u32>) -> Seen {
        let paths: Vec<&str> = self.paths.iter().copied().collect();
        let (mut there, mut elsewhere, mut unread) = (false, false, false);
        for path in paths {
            if self.bytes > SEARCH_BYTES_MAX && !self.read.contains_key(path) {
                unread = true;
                continue;
            }
            let Some(text) = self.text(path) else { continue };
            let found = match line {
                Some(line) => text.folded.find_at(quote, line),
                None => text.folded.find(quote),
            };
            if let Some(line) = found {
                return holds(quote, Some(path.to_owned()), line);
            }
            there |= text.folded.contains(quote);
            elsewhere |= line.is_some() && text.folded.find(quote).is_some();
        }
        match line {
            _ if unread => Seen::Nothing("a quote without a path, in too large a tree to look everywhere".to_owned()),
            Some(line) if elsewhere => {
                Seen::Contradicted(format!("a quote that does not begin at line {line} of any file"))
            }
            _ if there => too_short(),
            _ => Seen::Contradicted("a quote that does not stand in any file".to_owned()),
        }
    }

    fn file(&self, path: &str) -> Seen {
        if !self.paths.contains(path) {
            return no_file(path);
        }
        if self.paths.len() == 1 {
            return Seen::Nothing("the whole artifact, which shows nothing".to_owned());
        }
        let shown = clip(path, MESSAGE_CHARS_MAX);
        match self.material.files.read(path) {
            None => Seen::Nothing(format!("the file `{shown}`, which cannot be read")),
            Some(bytes) if std::str::from_utf8(&bytes).is_ok_and(is_blank) => {
                Seen::Contradicted(format!("the file `{shown}`, which is empty"))
            }
            Some(_) => cites(path, None),
        }
    }

    fn command(&self, command: &str, passes: bool) -> Seen {
        let shown = clip(command, MESSAGE_CHARS_MAX);
        let mut ran = self.material.commands.iter().filter(|(line, _)| line.trim() == command);
        match ran.next() {
            None => Seen::Contradicted(format!("the command `{shown}`, which was not run")),
            Some((_, passed)) if passes && !(*passed && ran.all(|(_, passed)| *passed)) => {
                Seen::Contradicted(format!("the command `{shown}`, which failed"))
            }
            Some(_) => cites(command, None),
        }
    }

    fn citation(&mut self, citation: &str) -> Seen {
        let shown = clip(citation, MESSAGE_CHARS_MAX);
        match cited(citation) {
            None => Seen::Contradicted(format!("`{shown}`, which cites nothing")),
            Some(Cited::Commit(commit)) if (self.material.commit_exists)(commit) => cites(citation, None),
            Some(Cited::Commit(_)) => Seen::Contradicted(format!("the commit `{shown}`, which does not exist")),
            Some(Cited::Lines { path, .. } | Cited::Name { path, .. }) if !self.paths.contains(path) => no_file(path),
            Some(Cited::Lines { path, first, last }) => match self.text(path) {
                None => unreadable(path),
                Some(text) => {
                    let lines: Vec<&str> = text.whole.lines().collect();
                    let range = (first as usize).checked_sub(1).map(|from| from..last as usize);
                    match range.and_then(|range| lines.get(range)) {
                        Some(cited) if cited.iter().all(|line| is_blank(line)) && first <= last => {
                            Seen::Nothing(format!("`{shown}`, which is blank"))
                        }
                        Some(_) if first <= last => cites(citation, Some((path, first))),
                        _ => Seen::Contradicted(format!("`{shown}`, which are no lines of that file")),
                    }
                }
            },
            Some(Cited::Name { path, name }) => match self.text(path) {
                None => unreadable(path),
                Some(text) if has_word(&text.whole, name) => cites(citation, None),
                Some(_) => Seen::Contradicted(format!("`{shown}`, a name that file does not hold")),
            },
        }
    }

    fn text(&mut self, path: &str) -> Option<&Text> {
        if !self.read.contains_key(path) {
            let whole = self
                .material
                .files
                .read(path)
                .and_then(|bytes| String::from_utf8(bytes).ok());
            self.bytes = self.bytes.saturating_add(whole.as_ref().map_or(0, String::len));
            let text = whole.map(|whole| Text {
                folded: Folded::new(&whole),
                whole,
            });
            self.read.insert(path.to_owned(), text);
        }
        self.read.get(path).and_then(Option::as_ref)
    }
}

fn holds(quote: &str, path: Option<String>, line: u32) -> Seen {
    Seen::Holds {
        evidence: Evidence::Quote {
            quote: clip(quote.trim(), DETAILS_CHARS_MAX),
            path: path.clone(),
            line,
        },
        place: Some(Place { path, line }),
    }
}

fn cites(citation: &str, place: Option<(&str, u32)>) -> Seen {
    Seen::Holds {
        evidence: Evidence::Citation {
            citation: clip(citation, MESSAGE_CHARS_MAX),
        },
        place: place.map(|(path, line)| Place {
            path: Some(path.to_owned()),
            line,
        }),
    }
}

fn too_short() -> Seen {
    Seen::Nothing("a quote that is too short to show anything".to_owned())
}

fn no_file(path: &str) -> Seen {
    Seen::Contradicted(format!(
        "the file `{}`, which is not there",
        clip(path, MESSAGE_CHARS_MAX)
    ))
}

fn unreadable(path: &str) -> Seen {
    Seen::Nothing(format!(
        "the file `{}`, which cannot be read as text",
        clip(path, MESSAGE_CHARS_MAX)
    ))
}

/// Whether `word` stands in the text with nothing that would make it part of a longer one.
fn has_word(text: &str, word: &str) -> bool {
    let joins = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(word)
        .any(|(at, _)| !joins(text[..at].chars().next_back()) && !joins(text[at + word.len()..].chars().next()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn citations_have_four_forms() {
        let lines = |path, first, last| Some(Cited::Lines { path, first, last });
        for (text, expected) in [
            ("src/a.rs:12", lines("src/a.rs", 12, 12)),
            ("a:b.rs:3-9", lines("a:b.rs", 3, 9)),
            ("a.rs:9-3", lines("a.rs", 9, 3)),
            ("a.rs:99999999999", lines("a.rs", u32::MAX, u32::MAX)),
            (
                "a.rs#Foo::new",
                Some(Cited::Name {
                    path: "a.rs",
                    name: "Foo::new",
                }),
            ),
            ("deadbee", Some(Cited::Commit("deadbee"))),
            ("deadbe", None),
            (&"a".repeat(41), None),
            ("see RFC 7231", None),
            ("a.rs", None),
            ("a.rs:", None),
            (":12", None),
            ("a.rs:-3", None),
            ("a.rs:+3", None),
            ("a.rs# ", None),
            ("#name", None),
            ("", None),
        ] {
            assert_eq!(cited(text), expected, "{text}");
        }
    }
}
