//! What is wrong with a loop file, said all at once, each with its place.

use std::fmt;
use std::ops::Range;

/// Bytes of the loop file's text.
pub type Span = Range<usize>;

/// One thing that must be changed before a run can start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where in the loop file; absent when a flag, a default or something missing is to blame.
    pub span: Option<Span>,
    pub message: String,
    pub help: Option<String>,
}

impl Problem {
    pub fn new(span: impl Into<Option<Span>>, message: impl Into<String>) -> Problem {
        Problem {
            span: span.into(),
            message: message.into(),
            help: None,
        }
    }

    #[must_use]
    pub fn with_help(mut self, help: impl Into<Option<String>>) -> Problem {
        self.help = help.into();
        self
    }

    /// `3:5: message`, then the help on a line of its own. For terminals without pictures, logs and tests.
    pub fn describe(&self, text: &str) -> String {
        match &self.span {
            Some(span) => {
                let (line, column) = line_column(text, span.start);
                format!("{line}:{column}: {self}")
            }
            None => self.to_string(),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.help {
            Some(help) => write!(f, "\n  help: {help}"),
            None => Ok(()),
        }
    }
}

/// In reading order; problems without a place come last.
pub(crate) fn sort(problems: &mut [Problem]) {
    problems.sort_by_key(|p| p.span.as_ref().map_or(usize::MAX, |span| span.start));
}

/// Line and column of a byte offset, both from 1; columns count characters. An offset past the end is the end.
pub fn line_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.char_indices().take_while(|(at, _)| *at < offset).map(|(_, c)| c);
    before.fold((1, 1), |(line, column), c| match c {
        '\n' => (line + 1, 1),
        _ => (line, column + 1),
    })
}

/// `did you mean …?` if one of the known words is near, else the known words themselves.
pub(crate) fn suggest<'w>(given: &str, known: impl IntoIterator<Item = &'w str>) -> Option<String> {
    /// A list longer than this helps nobody.
    const LISTED_MAX: usize = 12;
    let known: Vec<&str> = known.into_iter().collect();
    let lower = given.to_lowercase();
    let nearest = known
        .iter()
        .map(|word| (strsim::damerau_levenshtein(&lower, &word.to_lowercase()), word))
        .min_by_key(|(distance, _)| *distance);
    match nearest {
        // A third of the letters may be wrong: `max_iteration`, `evaluater`, `faill`, but not `x` for `A`.
        Some((distance, word)) if distance * 3 <= word.len().max(lower.len()) => {
            Some(format!("did you mean `{word}`?"))
        }
        Some(_) if known.len() <= LISTED_MAX => Some(format!("known: {}", quoted(&known))),
        Some(_) | None => None,
    }
}

fn quoted(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_characters_from_one() {
        let text = "a\nbé = 1\n";
        for (offset, expected) in [
            (0, (1, 1)),
            (1, (1, 2)),
            (2, (2, 1)),
            (3, (2, 2)),
            (4, (2, 3)),
            (5, (2, 3)),
            (99, (3, 1)),
        ] {
            assert_eq!(line_column(text, offset), expected, "{offset}");
        }
    }

    #[test]
    fn near_words_are_suggested_and_far_ones_listed() {
        let words = ["fail", "warn", "info"];
        for (given, expected) in [
            ("fial", Some("did you mean `fail`?")),
            ("WARN", Some("did you mean `warn`?")),
            ("critical", Some("known: `fail`, `warn`, `info`")),
        ] {
            assert_eq!(suggest(given, words).as_deref(), expected);
        }
        assert_eq!(suggest("x", []), None);
    }
}
