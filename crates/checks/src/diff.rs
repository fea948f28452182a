//! What differs from the base: where, how much, and whether it is anything at all.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use onus_model::{DiffCheck, Digest, Evidence};
use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::globs::{compile_globs, count, finding, plural};
use crate::{CheckResult, FINDINGS_MAX, Files, Outcome};

/// Steps that comparing lines may take over all files, a second or two; the cost of one comparison is the square of the
/// lines in it at worst. What does not fit counts as replaced, which is never too few lines.
const STEPS_MAX: usize = 100_000_000;

/// Holds the tree against its base: no change outside of `allowed`, no more files and lines than allowed, and, where asked,
/// one change that is more than white space or another name.
pub fn diff(check: &DiffCheck, files: &dyn Files, base: &dyn Files) -> CheckResult {
    let allowed = match compile_globs(&check.allowed) {
        Ok(allowed) => allowed,
        Err(why) => return result(Outcome::Unusable, why, 0, 0),
    };
    let changes = match changes(files, base) {
        Ok(changes) => changes,
        Err(path) => {
            let why = format!("`{path}` cannot be read, so it cannot be compared");
            return result(Outcome::CouldNotRun, why, 0, 0);
        }
    };
    let mut steps_left = STEPS_MAX;
    let lines: usize = changes.iter().map(|change| change.lines(&mut steps_left)).sum();
    let outside: Vec<_> = changes
        .iter()
        .filter(|change| !allowed.is_match(&change.path))
        .collect();

    let over = |number: usize, max: Option<u32>| max.filter(|max| count(number) > *max);
    let seen = format!("{} and {} differ", plural(changes.len(), "file"), plural(lines, "line"));
    let (outcome, why) = if let Some(first) = outside.first() {
        let why = format!(
            "{} outside of what may change, first `{}`",
            plural(outside.len(), "file"),
            first.path
        );
        (Outcome::Failed, why)
    } else if let Some(max) = over(changes.len(), check.max_files) {
        (
            Outcome::Failed,
            format!("{seen}; at most {} may", plural(max as usize, "file")),
        )
    } else if let Some(max) = over(lines, check.max_lines) {
        (
            Outcome::Failed,
            format!("{seen}; at most {} may", plural(max as usize, "line")),
        )
    } else if check.not_empty && changes.is_empty() {
        (Outcome::Failed, "nothing differs from the base".to_owned())
    } else if check.not_empty && !has_substance(&changes) {
        (Outcome::Failed, format!("{seen}, but only in white space or names"))
    } else {
        (Outcome::Passed, seen)
    };
    let findings = outside.iter().take(FINDINGS_MAX).map(|change| {
        let what = match (&change.before, &change.after) {
            (None, _) => "was added",
            (_, None) => "was removed",
            (Some(_), Some(_)) => "was changed",
        };
        finding(&change.path, None, format!("{what}, and may not be"))
    });
    CheckResult {
        findings: findings.collect(),
        ..result(outcome, why, changes.len(), lines)
    }
}

fn result(outcome: Outcome, why: String, files: usize, lines: usize) -> CheckResult {
    let evidence = Evidence::Diff {
        files: count(files),
        lines: count(lines),
    };
    CheckResult {
        outcome,
        why,
        evidence,
        findings: Vec::new(),
    }
}

/// One file that is not as it was; absent: not there.
struct Change {
    path: String,
    before: Option<Vec<u8>>,
    after: Option<Vec<u8>>,
}

/// All changes, by path, or the path of a file that cannot be read.
fn changes(files: &dyn Files, base: &dyn Files) -> Result<Vec<Change>, String> {
    let (now, then): (BTreeSet<_>, BTreeSet<_>) =
        (files.paths().into_iter().collect(), base.paths().into_iter().collect());
    let read = |tree: &dyn Files, paths: &BTreeSet<&str>, path: &str| match paths.contains(path) {
        false => Ok(None),
        true => tree.read(path).map(Some).ok_or_else(|| path.to_owned()),
    };
    let mut changes = Vec::new();
    for path in now.union(&then) {
        let (before, after) = (read(base, &then, path)?, read(files, &now, path)?);
        if before != after {
            changes.push(Change {
                path: (*path).to_owned(),
                before,
                after,
            });
        }
    }
    Ok(changes)
}

impl Change {
    /// Lines added and removed. Bytes that are not text have no lines and count as a file only.
    fn lines(&self, steps_left: &mut usize) -> usize {
        match (text_of(self.before.as_deref()), text_of(self.after.as_deref())) {
            (Some(before), Some(after)) => changed_lines(before, after, steps_left),
            _ => 0,
        }
    }
}

/// A file that is not there is like an empty one.
fn text_of(bytes: Option<&[u8]>) -> Option<&str> {
    bytes.map_or(Some(""), as_text)
}

fn as_text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}

fn changed_lines(before: &str, after: &str, steps_left: &mut usize) -> usize {
    let changed = |op: &DiffOp| match *op {
        DiffOp::Equal { .. } => 0,
        DiffOp::Delete { old_len, .. } => old_len,
        DiffOp::Insert { new_len, .. } => new_len,
        DiffOp::Replace { old_len, new_len, .. } => old_len + new_len,
    };
    match compare(before, after, steps_left) {
        Compared::Lines { ops, .. } => ops.iter().map(changed).sum(),
        Compared::NotAtAll { before, after, .. } => before + after,
    }
}

/// For each line of `after`, whether it stood there before. What is too much to compare counts as changed.
pub(crate) fn unchanged_lines(before: &str, after: &str) -> Vec<bool> {
    let mut unchanged = vec![true; after.split_inclusive('\n').count()];
    let mut steps_left = STEPS_MAX;
    let mut mark = |from: usize, length: usize| unchanged[from..from + length].fill(false);
    match compare(before, after, &mut steps_left) {
        Compared::NotAtAll { head, after, .. } => mark(head, after),
        Compared::Lines { head, ops } => {
            for op in ops {
                match op {
                    DiffOp::Equal { .. } | DiffOp::Delete { .. } => {}
                    DiffOp::Insert { new_index, new_len, .. } | DiffOp::Replace { new_index, new_len, .. } => {
                        mark(head + new_index, new_len);
                    }
                }
            }
        }
    }
    unchanged
}

/// What lies between the lines that two texts begin and end with.
enum Compared {
    Lines {
        head: usize,
        ops: Vec<DiffOp>,
    },
    /// One side has no lines there, or both have too many: how many.
    NotAtAll {
        head: usize,
        before: usize,
        after: usize,
    },
}

fn compare(before: &str, after: &str, steps_left: &mut usize) -> Compared {
    let mut numbers = HashMap::new();
    let (before, after) = (numbered(before, &mut numbers), numbered(after, &mut numbers));
    let head = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
    let (before, after) = (&before[head..], &after[head..]);
    let tail = before
        .iter()
        .rev()
        .zip(after.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let (before, after) = (&before[..before.len() - tail], &after[..after.len() - tail]);

    let all = before.len() + after.len();
    let steps = all.saturating_mul(all);
    if before.is_empty() || after.is_empty() || steps > *steps_left {
        return Compared::NotAtAll {
            head,
            before: before.len(),
            after: after.len(),
        };
    }
    *steps_left -= steps;
    Compared::Lines {
        head,
        ops: capture_diff_slices(Algorithm::Myers, before, after),
    }
}

/// Lines as numbers, which compare at once where long lines do not.
fn numbered<'a>(text: &'a str, numbers: &mut HashMap<&'a str, usize>) -> Vec<usize> {
    let number = |line| {
        let next = numbers.len();
        *numbers.entry(line).or_insert(next)
    };
    text.split_inclusive('\n').map(number).collect()
}

/// Whether the changed files, taken without white space and without their names, hold anything else than before. Moving
/// files and reformatting them is motion, not work.
fn has_substance(changes: &[Change]) -> bool {
    let mut balance: BTreeMap<Digest, i64> = BTreeMap::new();
    for change in changes {
        for (side, weight) in [(&change.before, -1), (&change.after, 1)] {
            let Some(bytes) = side else { continue };
            let squeezed = match as_text(bytes) {
                Some(text) => text.split_whitespace().collect::<String>().into_bytes(),
                None => bytes.clone(),
            };
            if !squeezed.is_empty() {
                *balance.entry(Digest::of(&squeezed)).or_default() += weight;
            }
        }
    }
    balance.values().any(|weight| *weight != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::globs::testing::{Tree, shown};

    fn base() -> Tree {
        Tree::new(&[
            ("Makefile", "all:\n"),
            ("src/a.rs", "one\ntwo\nthree\n"),
            ("src/b.rs", "b\n"),
        ])
    }

    fn check(json: serde_json::Value, tree: &Tree) -> String {
        let check: DiffCheck = serde_json::from_value(json).unwrap();
        shown(&diff(&check, tree, &base()))
    }

    #[test]
    fn changes_keep_to_what_is_allowed() {
        let tree = base()
            .with("src/a.rs", Some(b"one\n2\nthree\nfour\n"))
            .with("src/c.bin", Some(b"\0\xff"));
        let src = serde_json::json!({"allowed": "src/**", "max_files": 2, "max_lines": 3});
        assert_eq!(check(src.clone(), &tree), "Passed: 2 files and 3 lines differ");
        let tree = tree.with("Makefile", Some(b"all: cheat\n")).with("ci.yml", Some(b""));
        assert_eq!(
            check(src, &tree),
            "Failed: 2 files outside of what may change, first `Makefile`\n\
             Makefile: was changed, and may not be\nci.yml: was added, and may not be"
        );
        assert_eq!(
            check(serde_json::json!({"max_files": 3}), &tree),
            "Failed: 4 files and 5 lines differ; at most 3 files may"
        );
        assert_eq!(
            check(serde_json::json!({"max_lines": 4}), &tree),
            "Failed: 4 files and 5 lines differ; at most 4 lines may"
        );
        assert_eq!(
            check(serde_json::json!({"allowed": []}), &tree),
            "Unusable: 0 globs are given, 1 to 200 may be"
        );
        let unread = base().with("src/b.rs", None);
        assert_eq!(
            check(serde_json::json!({}), &unread),
            "CouldNotRun: `src/b.rs` cannot be read, so it cannot be compared"
        );
    }

    #[test]
    fn motion_is_not_work() {
        let moved = Tree::new(&[
            ("Makefile", "all:\n"),
            ("src/a.rs", "one\ntwo\nthree\n"),
            ("src/z.rs", " b\n\n"),
        ]);
        for (tree, expected) in [
            (base(), "Failed: nothing differs from the base"),
            (
                base().with("src/b.rs", Some(b"  b\r\n")),
                "Failed: 1 file and 2 lines differ, but only in white space or names",
            ),
            (
                base().with("new", Some(b" \n")).with("new2", Some(b"")),
                "Failed: 2 files and 1 line differ, but only in white space or names",
            ),
            (
                moved,
                "Failed: 2 files and 3 lines differ, but only in white space or names",
            ),
            (
                base().with("src/b.rs", Some(b"c\n")),
                "Passed: 1 file and 2 lines differ",
            ),
            (base().with("copy", Some(b"b\n")), "Passed: 1 file and 1 line differ"),
            (base().with("x", Some(b"\0")), "Passed: 1 file and 0 lines differ"),
        ] {
            assert_eq!(check(serde_json::json!({"not_empty": true}), &tree), expected);
        }
        let removed = Tree::new(&[("Makefile", "all:\n"), ("src/a.rs", "one\ntwo\nthree\n")]);
        assert_eq!(
            check(serde_json::json!({"allowed": "*", "not_empty": true}), &removed),
            "Failed: 1 file outside of what may change, first `src/b.rs`\nsrc/b.rs: was removed, and may not be"
        );
    }

    #[test]
    fn lines_that_stood_there_are_known() {
        for (before, after, expected) in [
            ("a\nb\nc\n", "a\nb\nc\n", &[true, true, true][..]),
            ("a\nb\nc\n", "new\na\nb\nc\n", &[false, true, true, true]),
            ("a\nb\nc\nd\n", "a\nB\nc\nnew\nd\n", &[true, false, true, false, true]),
            ("a\nb\n", "b\n", &[true]),
            ("", "a\n", &[false]),
            ("a\n", "", &[]),
            ("a", "a\n", &[false]),
        ] {
            assert_eq!(unchanged_lines(before, after), expected, "{before:?} {after:?}");
        }
    }

    #[test]
    fn lines_are_counted_within_a_bound() {
        let lines = |numbers: std::ops::Range<u32>| numbers.map(|n| format!("{n}\n")).collect::<String>();
        let mut steps = STEPS_MAX;
        assert_eq!(changed_lines(&lines(0..2_000), &lines(1_000..3_000), &mut steps), 2_000);
        assert!(steps < STEPS_MAX);
        // Too much to compare: all of it counts, although half is the same.
        let mut none = 0;
        assert_eq!(changed_lines(&lines(0..2_000), &lines(1_000..3_000), &mut none), 4_000);
        // Nothing to compare costs nothing.
        assert_eq!(changed_lines("", &lines(0..100_000), &mut none), 100_000);
        assert_eq!(changed_lines("a", "a\n", &mut steps), 2);
    }
}
