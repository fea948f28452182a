//! Searches in the artifact's text.

use onus_model::{Evidence, ExpectedContent, Search};

use crate::pattern::{self, COUNT_MAX};
use crate::text::{MESSAGE_CHARS_MAX, clip};
use crate::{CheckResult, Outcome};

/// Looks for `search` in `text`. Counting ends as soon as the result is certain, so `matches` says "at least" when it
/// stands at the bound.
pub fn search(text: &str, search: &Search, expected: ExpectedContent) -> CheckResult {
    let (shown, found) = match search {
        Search::Literal { literal } if literal.is_empty() => (literal, Err("is empty".to_owned())),
        Search::Literal { literal } => (
            literal,
            Ok(count(text.match_indices(literal.as_str()).map(|(at, _)| at), expected)),
        ),
        Search::Regex(pattern) => (
            pattern,
            pattern::compile(pattern).map(|regex| count(regex.find_iter(text).map(|found| found.start()), expected)),
        ),
    };
    let shown = clip(shown, MESSAGE_CHARS_MAX);
    let (outcome, why, matches, line) = match found {
        Err(problem) => (Outcome::Unusable, format!("the search `{shown}` {problem}"), 0, None),
        Ok((matches, first)) => {
            let line = first.map(|at| line_of(text, at));
            let held = matches >= expected.min && expected.max.is_none_or(|max| matches <= max);
            let outcome = if held { Outcome::Passed } else { Outcome::Failed };
            (outcome, tell(&shown, matches, line, expected), matches, line)
        }
    };
    let evidence = Evidence::Search {
        search: shown,
        matches,
        line,
    };
    CheckResult {
        outcome,
        why,
        evidence,
        findings: Vec::new(),
    }
}

/// How many matches there are, up to the number that settles the question, and where the first begins.
fn count(mut places: impl Iterator<Item = usize>, expected: ExpectedContent) -> (u32, Option<usize>) {
    let Some(first) = places.next() else {
        return (0, None);
    };
    let rest = places.take(settled(expected) as usize - 1).count();
    (u32::try_from(rest).unwrap_or(COUNT_MAX).saturating_add(1), Some(first))
}

/// The number of matches beyond which nothing changes.
fn settled(expected: ExpectedContent) -> u32 {
    let bound = expected.max.map_or(expected.min, |max| max.saturating_add(1));
    bound.clamp(1, COUNT_MAX + 1)
}

fn line_of(text: &str, at: usize) -> u32 {
    let breaks = text.as_bytes()[..at].iter().filter(|b| **b == b'\n').count();
    u32::try_from(breaks).unwrap_or(u32::MAX).saturating_add(1)
}

fn tell(search: &str, matches: u32, line: Option<u32>, expected: ExpectedContent) -> String {
    let wanted = match (expected.min, expected.max) {
        (min, None) => format!("at least {min}"),
        (_, Some(0)) => "none".to_owned(),
        (min, Some(max)) if min == max => format!("exactly {min}"),
        (0, Some(max)) => format!("at most {max}"),
        (min, Some(max)) => format!("{min} to {max}"),
    };
    let times = match matches {
        _ if matches == settled(expected) => format!("at least {matches} times"),
        1 => "once".to_owned(),
        _ => format!("{matches} times"),
    };
    match line {
        None => format!("`{search}` does not match; expected {wanted}"),
        Some(line) => format!("`{search}` matches {times}, first at line {line}; expected {wanted}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, pattern: &str, min: u32, max: Option<u32>) -> (Outcome, String) {
        let result = search(text, &Search::Regex(pattern.to_owned()), ExpectedContent { min, max });
        (result.outcome, result.why)
    }

    #[test]
    fn matches_are_counted_against_what_is_expected() {
        let text = "# A\nx\n# B\n# C\n";
        for (pattern, min, max, outcome, why) in [
            (
                "^# ",
                1,
                None,
                Outcome::Passed,
                "`^# ` matches at least 1 times, first at line 1; expected at least 1",
            ),
            (
                "^# ",
                3,
                Some(3),
                Outcome::Passed,
                "`^# ` matches 3 times, first at line 1; expected exactly 3",
            ),
            (
                "^# ",
                1,
                Some(2),
                Outcome::Failed,
                "`^# ` matches at least 3 times, first at line 1; expected 1 to 2",
            ),
            (
                "^x$",
                2,
                None,
                Outcome::Failed,
                "`^x$` matches once, first at line 2; expected at least 2",
            ),
            (
                "B$",
                0,
                Some(0),
                Outcome::Failed,
                "`B$` matches at least 1 times, first at line 3; expected none",
            ),
            ("y", 0, Some(0), Outcome::Passed, "`y` does not match; expected none"),
            ("y", 1, None, Outcome::Failed, "`y` does not match; expected at least 1"),
            (
                "^# ",
                0,
                Some(9),
                Outcome::Passed,
                "`^# ` matches 3 times, first at line 1; expected at most 9",
            ),
            (
                "[",
                0,
                Some(0),
                Outcome::Unusable,
                "the search `[` is not a regular expression: unclosed character class",
            ),
        ] {
            assert_eq!(check(text, pattern, min, max), (outcome, why.to_owned()));
        }
    }

    #[test]
    fn literals_are_taken_as_they_are() {
        let literal = |literal: &str| Search::Literal {
            literal: literal.to_owned(),
        };
        let result = search("a\n[x](y)", &literal("[x]("), ExpectedContent::PRESENT);
        assert!(result.passed());
        assert_eq!(
            result.evidence,
            Evidence::Search {
                search: "[x](".to_owned(),
                matches: 1,
                line: Some(2)
            }
        );
        assert_eq!(
            search("a", &literal(""), ExpectedContent::PRESENT).outcome,
            Outcome::Unusable
        );
    }

    #[test]
    fn bombs_are_refused_or_end() {
        let text = "a".repeat(10 << 20);
        for bomb in [
            "(a*)*b",
            "(a|a)*b",
            "(?:a?){500}b",
            "a{1000}{1000}",
            "(\\w{100}){100}",
            ".*[^a]|b",
        ] {
            assert_ne!(check(&text, bomb, 1, None).0, Outcome::Passed, "{bomb}");
        }
        assert_eq!(check(&text, "a", 1, Some(u32::MAX)).0, Outcome::Passed);
        assert_eq!(check(&text, "a", u32::MAX, None).0, Outcome::Failed);
    }
}
