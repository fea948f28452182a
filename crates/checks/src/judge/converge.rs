//! Second thoughts. Strict judges must not loop for ever: words that were passed once and stand as they stood are not held
//! against the work. And nobody asks again until the answer is yes: on the same work a failure stays a failure.

use std::collections::HashMap;

use onus_model::{Criterion, Evidence, Verdict, VerdictKind, VerdictSource};

use super::claim::{Cited, cited};
use crate::Files;
use crate::diff::unchanged_lines;
use crate::quote::Folded;
use crate::text::{DETAILS_CHARS_MAX, clip};

/// Stands before the words of a failure that a judge wants to take back.
const FAILED_BEFORE: &str = "this failed before and is unchanged: ";

/// What was judged before.
#[derive(Clone, Copy)]
pub struct Earlier<'a> {
    /// The last judged verdict of this criterion.
    pub verdict: &'a Verdict,
    /// The tree it was about.
    pub files: &'a dyn Files,
}

/// A judged criterion that passed earlier and does not now holds all the same, with the complaint as advice, if every part
/// of the complaint points at lines that stand unchanged since. A complaint that points nowhere, one about a criterion
/// that must pass and that comes with evidence, and everything that a check decides stay as they are.
pub fn converge(criterion: &Criterion, now: Verdict, earlier: Option<Earlier<'_>>, files: &dyn Files) -> Verdict {
    let Some(earlier) = earlier else { return now };
    let judged = criterion.verify.is_empty()
        && now.id == criterion.id
        && earlier.verdict.id == criterion.id
        && now.source == VerdictSource::Evaluator
        && earlier.verdict.source == VerdictSource::Evaluator;
    let complains = matches!(now.verdict, VerdictKind::Fail | VerdictKind::Warn);
    let passed = earlier.verdict.verdict == VerdictKind::Pass;
    let proven = criterion.must_pass && !now.evidence.is_empty();
    if !judged || !complains || !passed || proven || !on_old_words(&now, earlier.files, files) {
        return now;
    }
    let details = format!("advisory: this was passed before and is unchanged: {}", now.details);
    Verdict {
        verdict: VerdictKind::Pass,
        details: clip(&details, DETAILS_CHARS_MAX),
        advisory: true,
        anchor: earlier.verdict.anchor,
        ..now
    }
}

/// What a second answer about the very same work comes to: a failure stays one. A pass that lacked evidence was no failure of
/// the work, so it may be asked about again.
pub fn first_word(earlier: &Verdict, now: Verdict) -> Verdict {
    let failed = matches!(earlier.verdict, VerdictKind::Fail | VerdictKind::Warn | VerdictKind::Na);
    if !failed || now.verdict != VerdictKind::Pass || now.source != VerdictSource::Evaluator {
        return now;
    }
    let before = earlier.details.strip_prefix(FAILED_BEFORE).unwrap_or(&earlier.details);
    Verdict {
        verdict: VerdictKind::Fail,
        details: clip(&format!("{FAILED_BEFORE}{before}"), DETAILS_CHARS_MAX),
        anchor: earlier.anchor,
        evidence: earlier.evidence.clone(),
        findings: earlier.findings.clone(),
        ..now
    }
}

/// Lines of one file that a complaint points at.
struct Span<'a> {
    path: &'a str,
    first: u32,
    last: u32,
}

/// Whether there is a complaint, each part of it has a place, and all those lines stand as they stood.
fn on_old_words(verdict: &Verdict, before: &dyn Files, after: &dyn Files) -> bool {
    let paths = after.paths();
    let only = match paths.as_slice() {
        [only] => Some(*only),
        _ => None,
    };
    let mut files = HashMap::new();
    let found = verdict.findings.iter().map(|finding| {
        let path = finding.path.as_deref().or(only)?;
        let line = finding.line?;
        Some(Span {
            path,
            first: line,
            last: line,
        })
    });
    let shown = verdict.evidence.iter().map(|evidence| match evidence {
        Evidence::Quote { quote, path, line } => {
            let path = path.as_deref().or(only)?;
            let text = String::from_utf8(after.read(path)?).ok()?;
            Some(Span {
                path,
                first: *line,
                last: Folded::new(&text).last_line(quote, *line)?,
            })
        }
        Evidence::Citation { citation } => match cited(citation)? {
            Cited::Lines { path, first, last } => Some(Span { path, first, last }),
            Cited::Name { .. } | Cited::Commit(_) => None,
        },
        Evidence::Command { .. }
        | Evidence::Search { .. }
        | Evidence::Files { .. }
        | Evidence::Tests { .. }
        | Evidence::Coverage { .. }
        | Evidence::Metric { .. }
        | Evidence::Diff { .. }
        | Evidence::Expression { .. } => None,
    });
    let Some(spans) = found.chain(shown).collect::<Option<Vec<Span<'_>>>>() else {
        return false;
    };
    let stands = |span: &Span<'_>| {
        let same = files
            .entry(span.path.to_owned())
            .or_insert_with(|| same_lines(span.path, before, after));
        let range = (span.first as usize)
            .checked_sub(1)
            .map(|from| from..span.last as usize);
        let lines = range.and_then(|range| same.get(range)).unwrap_or_default();
        !lines.is_empty() && lines.iter().all(|same| *same)
    };
    !spans.is_empty() && spans.iter().all(stands)
}

/// For each line of the file as it is now, whether it stood there before; none, if either cannot be read as text.
fn same_lines(path: &str, before: &dyn Files, after: &dyn Files) -> Vec<bool> {
    let text = |files: &dyn Files| files.read(path).and_then(|bytes| String::from_utf8(bytes).ok());
    match (text(before), text(after)) {
        (Some(before), Some(after)) => unchanged_lines(&before, &after),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use onus_model::{Check, CheckKind, ExpectedContent, Finding, FindingLevel, Score, Search};

    use super::super::tests::criterion;
    use super::*;
    use crate::globs::testing::Tree;

    fn before() -> Tree {
        Tree::new(&[
            ("a.md", "# Title\nold words stand here\nand go on\nlast line of all\n"),
            ("b.md", "b\n"),
        ])
    }

    /// One line is new at the top, one is changed at the end.
    fn after() -> Tree {
        Tree::new(&[
            (
                "a.md",
                "# Title\nbrand new words\nold words stand here\nand go on\nlast line changed\n",
            ),
            ("b.md", "b\n"),
            ("new.md", "all of it is new\n"),
        ])
    }

    fn verdict(kind: VerdictKind, evidence: Vec<Evidence>, findings: Vec<Finding>) -> Verdict {
        Verdict {
            evidence,
            findings,
            ..Verdict::bare(criterion("a.x").id, kind, "not good", VerdictSource::Evaluator)
        }
    }

    #[test]
    fn asking_again_about_the_same_work_does_not_make_it_pass() {
        use VerdictKind::{Fail, Na, Pass, Unverified, Warn};
        for (earlier, now, expected) in [
            (Fail, Pass, Fail),
            (Warn, Pass, Fail),
            (Na, Pass, Fail),
            (Unverified, Pass, Pass),
            (Pass, Pass, Pass),
            (Fail, Unverified, Unverified),
            (Fail, Fail, Fail),
        ] {
            let earlier = verdict(earlier, Vec::new(), Vec::new());
            let found = first_word(
                &earlier,
                Verdict {
                    anchor: Some(Score::ONE),
                    ..verdict(now, Vec::new(), Vec::new())
                },
            );
            assert_eq!(found.verdict, expected, "{:?} then {now:?}", earlier.verdict);
            if now == Pass && expected == Fail {
                assert_eq!(
                    (found.details.as_str(), found.anchor),
                    ("this failed before and is unchanged: not good", None)
                );
                // However often it is asked.
                assert_eq!(first_word(&found, passed()).details, found.details);
            }
        }
        let by_check = Verdict {
            source: VerdictSource::Contract,
            ..passed()
        };
        let failed = verdict(Fail, Vec::new(), Vec::new());
        assert_eq!(first_word(&failed, by_check.clone()), by_check);
    }

    fn passed() -> Verdict {
        Verdict {
            anchor: Some(Score::from_basis_points(7_500)),
            ..verdict(VerdictKind::Pass, Vec::new(), Vec::new())
        }
    }

    fn quote(quote: &str, line: u32) -> Evidence {
        Evidence::Quote {
            quote: quote.to_owned(),
            path: Some("a.md".to_owned()),
            line,
        }
    }

    fn cite(citation: &str) -> Evidence {
        Evidence::Citation {
            citation: citation.to_owned(),
        }
    }

    fn finding(path: Option<&str>, line: Option<u32>) -> Finding {
        Finding {
            path: path.map(str::to_owned),
            line,
            level: FindingLevel::Error,
            message: String::new(),
        }
    }

    fn settle(criterion: &Criterion, now: &Verdict, earlier: &Verdict) -> Verdict {
        let old = before();
        let earlier = Earlier {
            verdict: earlier,
            files: &old,
        };
        converge(criterion, now.clone(), Some(earlier), &after())
    }

    #[test]
    fn second_thoughts_about_old_words_are_advice() {
        let at = |path, line| finding(Some(path), Some(line));
        for (evidence, findings, advisory) in [
            (vec![quote("old words stand here", 3)], vec![], true),
            (
                vec![quote("old words stand here and go on", 3)],
                vec![at("a.md", 3)],
                true,
            ),
            (vec![], vec![at("a.md", 1), at("b.md", 1)], true),
            (vec![cite("a.md:3-4")], vec![], true),
            // New or changed words, or both.
            (vec![quote("brand new words", 2)], vec![], false),
            (vec![quote("and go on last line changed", 4)], vec![], false),
            (
                vec![quote("old words stand here", 3), quote("brand new words", 2)],
                vec![],
                false,
            ),
            (vec![cite("a.md:2-3")], vec![], false),
            (vec![], vec![at("a.md", 3), at("a.md", 5)], false),
            (vec![], vec![at("new.md", 1)], false),
            // No place, or none that is there.
            (vec![], vec![], false),
            (vec![], vec![finding(Some("a.md"), None)], false),
            (vec![], vec![finding(None, Some(1))], false),
            (vec![quote("old words stand here", 3)], vec![finding(None, None)], false),
            (
                vec![quote("old words stand here", 3), cite("a.md#words")],
                vec![],
                false,
            ),
            (vec![cite("deadbeef")], vec![], false),
            (vec![Evidence::Files { files: 1 }], vec![at("a.md", 1)], false),
            (vec![quote("old words stand here", 4)], vec![], false),
            (vec![], vec![at("a.md", 0)], false),
            (vec![], vec![at("a.md", 99)], false),
            (vec![cite("a.md:4-3")], vec![], false),
        ] {
            let now = verdict(VerdictKind::Fail, evidence, findings);
            let found = settle(&criterion("a.x"), &now, &passed());
            if advisory {
                assert_eq!((found.verdict, found.advisory), (VerdictKind::Pass, true), "{now:?}");
                assert_eq!(
                    found.details,
                    "advisory: this was passed before and is unchanged: not good"
                );
                assert_eq!(found.anchor, passed().anchor);
                assert_eq!((&found.evidence, &found.findings), (&now.evidence, &now.findings));
            } else {
                assert_eq!(found, now);
            }
        }
    }

    #[test]
    fn everything_else_stays() {
        let old = || vec![quote("old words stand here", 3)];
        let plain = criterion("a.x");
        let must = Criterion {
            must_pass: true,
            ..criterion("a.x")
        };
        let checked = Criterion {
            verify: vec![Check::new(CheckKind::Content {
                search: Search::Regex("x".to_owned()),
                expected: ExpectedContent::PRESENT,
            })],
            ..criterion("a.x")
        };
        let fail = verdict(VerdictKind::Fail, old(), Vec::new());
        let by = |source| Verdict { source, ..fail.clone() };
        for (criterion, now, earlier) in [
            (&must, fail.clone(), passed()),
            (&checked, fail.clone(), passed()),
            (&plain, fail.clone(), verdict(VerdictKind::Fail, Vec::new(), Vec::new())),
            (
                &plain,
                fail.clone(),
                verdict(VerdictKind::Unverified, Vec::new(), Vec::new()),
            ),
            (&plain, by(VerdictSource::Contract), passed()),
            (&plain, by(VerdictSource::Prepared), passed()),
            (&plain, by(VerdictSource::Engine), passed()),
            (
                &plain,
                fail.clone(),
                Verdict {
                    source: VerdictSource::Contract,
                    ..passed()
                },
            ),
            (
                &plain,
                fail.clone(),
                Verdict {
                    id: super::super::tests::criterion("a.y").id,
                    ..passed()
                },
            ),
            (&plain, verdict(VerdictKind::Pass, old(), Vec::new()), passed()),
            (&plain, verdict(VerdictKind::Unverified, old(), Vec::new()), passed()),
        ] {
            assert_eq!(settle(criterion, &now, &earlier), now);
        }
        assert_eq!(converge(&plain, fail.clone(), None, &after()), fail);
        // Without evidence, a criterion that must pass is treated like any other.
        let unproven = verdict(VerdictKind::Fail, Vec::new(), vec![finding(Some("a.md"), Some(1))]);
        assert!(settle(&must, &unproven, &passed()).advisory);
    }

    #[test]
    fn one_file_needs_no_path() {
        let old = Tree::new(&[("artifact.md", "one line of words\ntwo\n")]);
        let new = Tree::new(&[("artifact.md", "one line of words\nthree\n")]);
        for (line, advisory) in [(1, true), (2, false)] {
            let now = verdict(VerdictKind::Warn, Vec::new(), vec![finding(None, Some(line))]);
            let earlier = Earlier {
                verdict: &passed(),
                files: &old,
            };
            assert_eq!(converge(&criterion("a.x"), now, Some(earlier), &new).advisory, advisory);
        }
    }
}
