//! A pattern that files must or must not hold.

use onus_model::{Finding, PatternCheck, PatternRule, Search};
use regex::Regex;

use crate::globs::{finding, line_at, plural, read_files, select};
use crate::pattern::{self, COUNT_MAX};
use crate::text::{MESSAGE_CHARS_MAX, clip};
use crate::{CheckResult, Files, Outcome};

/// Bytes that one search reads: a large project's sources. The worst pattern reads slowly (see `pattern`).
const BYTES_MAX: usize = 64 << 20;

/// Looks for the pattern in every file that the globs name. Bytes that are not UTF-8 are searched around, not skipped:
/// otherwise one bad byte would hide a file.
pub fn pattern_files(check: &PatternCheck, files: &dyn Files) -> CheckResult {
    let (shown, needle) = match needle(&check.search, check.rule) {
        Ok(found) => found,
        Err(why) => return read_files(Outcome::Unusable, why, 0, Vec::new()),
    };
    let paths = match select(&check.files, files) {
        Ok(paths) => paths,
        Err(nothing) if check.rule == PatternRule::Forbidden && nothing.outcome == Outcome::Failed => {
            let why = format!("looked at nothing: {}", nothing.why);
            return read_files(Outcome::CouldNotRun, why, 0, Vec::new());
        }
        Err(nothing) => return nothing.result(),
    };
    let mut seen = Seen::default();
    for path in &paths {
        seen.look(path, files.read(path), &needle, check.rule);
    }
    seen.judge(&shown, check.rule, paths.len())
}

enum Needle<'a> {
    Literal(&'a str),
    Regex(Regex),
}

fn needle(search: &Search, rule: PatternRule) -> Result<(String, Needle<'_>), String> {
    let (Search::Regex(text) | Search::Literal { literal: text }) = search;
    let shown = clip(text, MESSAGE_CHARS_MAX);
    let refused = |problem: &str| format!("the search `{shown}` {problem}");
    let needle = match search {
        Search::Literal { literal } if literal.is_empty() => return Err(refused("is empty")),
        Search::Literal { literal } => Needle::Literal(literal),
        Search::Regex(text) => Needle::Regex(pattern::compile(text).map_err(|problem| refused(&problem))?),
    };
    match &needle {
        // It would find itself in every file, so finding it shows nothing.
        Needle::Regex(regex) if rule != PatternRule::Forbidden && regex.is_match("") => {
            Err(refused("matches even the empty text, so a match shows nothing"))
        }
        Needle::Regex(_) | Needle::Literal(_) => Ok((shown, needle)),
    }
}

impl Needle<'_> {
    /// Where it begins, up to `max` times.
    fn places(&self, text: &str, max: usize) -> Vec<usize> {
        match self {
            Needle::Literal(literal) => text.match_indices(literal).map(|(at, _)| at).take(max).collect(),
            Needle::Regex(regex) => regex.find_iter(text).map(|found| found.start()).take(max).collect(),
        }
    }
}

#[derive(Default)]
struct Seen {
    bytes: usize,
    matches: usize,
    first: Option<(String, u32)>,
    unread: Option<String>,
    /// Files without a match.
    without: Vec<Finding>,
    found: Vec<Finding>,
}

impl Seen {
    fn look(&mut self, path: &str, bytes: Option<Vec<u8>>, needle: &Needle<'_>, rule: PatternRule) {
        let max = match rule {
            PatternRule::Required | PatternRule::RequiredEverywhere => 1,
            PatternRule::Forbidden => (COUNT_MAX as usize).saturating_sub(self.matches),
        };
        let settled = max == 0 || rule == PatternRule::Required && self.matches > 0;
        if settled {
            return;
        }
        let room = BYTES_MAX.saturating_sub(self.bytes);
        let Some(bytes) = bytes.filter(|bytes| bytes.len() <= room) else {
            self.unread.get_or_insert_with(|| path.to_owned());
            return;
        };
        self.bytes += bytes.len();
        let text = String::from_utf8_lossy(&bytes);
        let places = needle.places(&text, max);
        if places.is_empty() {
            self.without.push(finding(path, None, "does not match"));
        }
        self.matches += places.len();
        let (mut at, mut line) = (0, 1_u32);
        for place in places {
            line = line.saturating_add(line_at(&text[at..place], place) - 1);
            at = place;
            self.first.get_or_insert_with(|| (path.to_owned(), line));
            let here = text[at..].lines().next().unwrap_or_default();
            self.found.push(finding(path, Some(line), here.trim()));
        }
    }

    fn judge(self, shown: &str, rule: PatternRule, files: usize) -> CheckResult {
        let places = match self.matches {
            many if many >= COUNT_MAX as usize => format!("at least {COUNT_MAX} places"),
            few => plural(few, "place"),
        };
        let first = self.first.map(|(path, line)| format!("`{path}` line {line}"));
        let in_files = plural(files, "file");
        let unread = self
            .unread
            .map(|path| format!("`{path}` cannot be read, or more than {BYTES_MAX} bytes would have to be"));
        let (outcome, why, findings) = match (rule, first, unread) {
            (PatternRule::Forbidden, Some(first), _) => (
                Outcome::Failed,
                format!("`{shown}` is forbidden and matches in {places}, first in {first}"),
                self.found,
            ),
            (PatternRule::RequiredEverywhere, _, _) if !self.without.is_empty() => (
                Outcome::Failed,
                format!("`{shown}` does not match in {} of {in_files}", self.without.len()),
                self.without,
            ),
            (PatternRule::Required, Some(first), _) => {
                (Outcome::Passed, format!("`{shown}` matches in {first}"), Vec::new())
            }
            (_, _, Some(unread)) => (Outcome::CouldNotRun, unread, Vec::new()),
            (PatternRule::Forbidden, None, None) => (
                Outcome::Passed,
                format!("`{shown}` matches in none of {in_files}"),
                Vec::new(),
            ),
            (PatternRule::Required, None, None) => (
                Outcome::Failed,
                format!("`{shown}` matches in none of {in_files}"),
                Vec::new(),
            ),
            (PatternRule::RequiredEverywhere, _, None) => (
                Outcome::Passed,
                format!("`{shown}` matches in each of {in_files}"),
                Vec::new(),
            ),
        };
        read_files(outcome, why, files, findings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::globs::testing::{Tree, globs, shown};

    fn check(search: &str, rule: PatternRule, list: &[&str], tree: &Tree) -> String {
        let check = PatternCheck {
            search: Search::Regex(search.to_owned()),
            files: globs(list),
            rule,
        };
        shown(&pattern_files(&check, tree))
    }

    #[test]
    fn rules_hold_or_name_the_places() {
        let tree = Tree::new(&[
            ("a.rs", "fn a() {}\n"),
            ("b.rs", "fn b() {\n  todo()\n}\n\n  todo()"),
            ("c.md", "x"),
        ]);
        let everywhere = PatternRule::RequiredEverywhere;
        for (search, rule, list, expected) in [
            (
                "todo",
                PatternRule::Required,
                "**",
                "Passed: `todo` matches in `b.rs` line 2",
            ),
            (
                "nope",
                PatternRule::Required,
                "*.rs",
                "Failed: `nope` matches in none of 2 files",
            ),
            ("^fn ", everywhere, "*.rs", "Passed: `^fn ` matches in each of 2 files"),
            (
                "^fn ",
                everywhere,
                "**",
                "Failed: `^fn ` does not match in 1 of 3 files\nc.md: does not match",
            ),
            (
                "nope",
                PatternRule::Forbidden,
                "**",
                "Passed: `nope` matches in none of 3 files",
            ),
            (
                "todo",
                PatternRule::Forbidden,
                "**",
                "Failed: `todo` is forbidden and matches in 2 places, first in `b.rs` line 2\nb.rs:2: todo()\nb.rs:5: todo()",
            ),
        ] {
            assert_eq!(check(search, rule, &[list], &tree), expected);
        }
    }

    #[test]
    fn what_cannot_be_searched_does_not_pass() {
        let tree = Tree::new(&[("a.txt", "x")])
            .with("big", None)
            .with("bin", Some(b"\xff\0todo\xfe"));
        for (search, rule, list, expected) in [
            ("y", PatternRule::Forbidden, "**", "CouldNotRun: `big` cannot be read"),
            ("y", PatternRule::Required, "**", "CouldNotRun: `big` cannot be read"),
            ("x", PatternRule::Required, "**", "Passed"),
            (
                ".",
                PatternRule::RequiredEverywhere,
                "**",
                "CouldNotRun: `big` cannot be read",
            ),
            (
                "todo",
                PatternRule::Forbidden,
                "bin",
                "Failed: `todo` is forbidden and matches in 1 place",
            ),
            (
                "y",
                PatternRule::Forbidden,
                "*.rs",
                "CouldNotRun: looked at nothing: no file matches `*.rs`",
            ),
            ("y", PatternRule::Required, "*.rs", "Failed: no file matches `*.rs`"),
            (
                "(",
                PatternRule::Forbidden,
                "**",
                "Unusable: the search `(` is not a regular expression",
            ),
            (
                "x*",
                PatternRule::Required,
                "**",
                "Unusable: the search `x*` matches even the empty text",
            ),
            (
                "",
                PatternRule::RequiredEverywhere,
                "**",
                "Unusable: the search `` matches even the empty text",
            ),
        ] {
            let shown = check(search, rule, &[list], &tree);
            assert!(shown.starts_with(expected), "{shown}");
        }
        let empty = PatternCheck {
            search: Search::Literal { literal: String::new() },
            files: globs(&["**"]),
            rule: PatternRule::Forbidden,
        };
        assert_eq!(pattern_files(&empty, &tree).outcome, Outcome::Unusable);
    }

    #[test]
    fn findings_are_bounded_and_counted() {
        let tree = Tree::new(&[("a", &"x\n".repeat(5000)), ("b", "x")]);
        let check = PatternCheck {
            search: Search::Literal {
                literal: "x".to_owned(),
            },
            files: globs(&["**"]),
            rule: PatternRule::Forbidden,
        };
        let result = pattern_files(&check, &tree);
        assert_eq!(result.findings.len(), crate::FINDINGS_MAX);
        assert!(result.why.contains("at least 1000 places"), "{}", result.why);
    }
}
