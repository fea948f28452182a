//! Which files of a tree a check looks at. A check that looked at nothing has shown nothing, so no file is never a pass.

use globset::{GlobBuilder, GlobSet};
use onus_model::{Evidence, Finding, FindingLevel, Globs};

use crate::text::{MESSAGE_CHARS_MAX, clip};
use crate::{CheckResult, FINDINGS_MAX, Files, Outcome};

/// People write a handful; each is compiled.
const GLOBS_MAX: usize = 200;
const GLOB_BYTES_MAX: usize = 512;

/// Compiles globs that follow the paths of a tree: `*` stays inside a directory, `**` does not.
pub fn compile_globs(globs: &Globs) -> Result<GlobSet, String> {
    if globs.0.is_empty() || globs.0.len() > GLOBS_MAX {
        return Err(format!("{} globs are given, 1 to {GLOBS_MAX} may be", globs.0.len()));
    }
    let mut set = GlobSet::builder();
    for glob in &globs.0 {
        let refused = |problem: &str| format!("the glob `{}` {problem}", clip(glob, MESSAGE_CHARS_MAX));
        if glob.len() > GLOB_BYTES_MAX {
            return Err(refused(&format!("is longer than {GLOB_BYTES_MAX} bytes")));
        }
        // No path of a tree has such parts, so the glob would quietly match nothing.
        if glob.split('/').any(|part| matches!(part, "" | "." | "..")) {
            return Err(refused(
                "is not relative to the tree: no part may be empty, `.` or `..`",
            ));
        }
        let built = GlobBuilder::new(glob).literal_separator(true).build();
        set.add(built.map_err(|error| refused(&format!("is wrong: {}", error.kind())))?);
    }
    set.build().map_err(|error| format!("the globs are wrong: {error}"))
}

/// The paths that match, in their order.
pub fn matching<'a>(globs: &GlobSet, files: &'a dyn Files) -> Vec<&'a str> {
    files.paths().into_iter().filter(|path| globs.is_match(path)).collect()
}

/// Why a check ended before it looked at a file.
pub(crate) struct NothingToSee {
    pub(crate) outcome: Outcome,
    pub(crate) why: String,
}

/// The files a check looks at: at least one, and each file that is named without a wildcard.
pub(crate) fn select<'a>(globs: &Globs, files: &'a dyn Files) -> Result<Vec<&'a str>, NothingToSee> {
    let set = compile_globs(globs).map_err(|why| NothingToSee {
        outcome: Outcome::Unusable,
        why,
    })?;
    let found = matching(&set, files);
    let missing = |glob: &&String| !glob.contains(['*', '?', '[', '{', '\\']) && !found.contains(&glob.as_str());
    // A file that is named is expected; deleting it must not make a check easier.
    let named = globs.0.iter().find(missing);
    match named {
        None if !found.is_empty() => Ok(found),
        _ => Err(NothingToSee {
            outcome: Outcome::Failed,
            why: no_match(named.map_or(globs.0.as_slice(), std::slice::from_ref)),
        }),
    }
}

pub(crate) fn no_match(globs: &[String]) -> String {
    format!("no file matches `{}`", clip(&globs.join("`, `"), MESSAGE_CHARS_MAX))
}

/// An error at a place in the tree.
pub(crate) fn finding(path: &str, line: Option<u32>, message: impl AsRef<str>) -> Finding {
    Finding {
        path: Some(path.to_owned()),
        line,
        level: FindingLevel::Error,
        message: clip(message.as_ref(), MESSAGE_CHARS_MAX),
    }
}

/// The result of a check that read `files` files; findings beyond the bound are dropped, `why` has told their number.
pub(crate) fn read_files(
    outcome: Outcome,
    why: impl Into<String>,
    files: usize,
    mut findings: Vec<Finding>,
) -> CheckResult {
    findings.truncate(FINDINGS_MAX);
    CheckResult {
        outcome,
        why: why.into(),
        evidence: Evidence::Files { files: count(files) },
        findings,
    }
}

impl NothingToSee {
    pub(crate) fn result(self) -> CheckResult {
        read_files(self.outcome, self.why, 0, Vec::new())
    }
}

pub(crate) fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// `1 file`, `2 files`.
pub(crate) fn plural(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// The line of a byte offset, from 1.
pub(crate) fn line_at(text: &str, at: usize) -> u32 {
    let before = text.as_bytes().get(..at).unwrap_or(text.as_bytes());
    count(before.iter().filter(|byte| **byte == b'\n').count()).saturating_add(1)
}

#[cfg(test)]
pub(crate) mod testing {
    use std::collections::BTreeMap;

    use onus_model::Globs;

    use crate::{CheckResult, Files};

    /// A small tree; a file without bytes cannot be read.
    pub(crate) struct Tree(BTreeMap<String, Option<Vec<u8>>>);

    impl Tree {
        pub(crate) fn new(files: &[(&str, &str)]) -> Tree {
            let bytes = |(path, text): &(&str, &str)| ((*path).to_owned(), Some(text.as_bytes().to_vec()));
            Tree(files.iter().map(bytes).collect())
        }

        pub(crate) fn with(mut self, path: &str, bytes: Option<&[u8]>) -> Tree {
            self.0.insert(path.to_owned(), bytes.map(<[u8]>::to_vec));
            self
        }
    }

    impl Files for Tree {
        fn paths(&self) -> Vec<&str> {
            self.0.keys().map(String::as_str).collect()
        }

        fn read(&self, path: &str) -> Option<Vec<u8>> {
            self.0.get(path).cloned().flatten()
        }
    }

    pub(crate) fn globs(list: &[&str]) -> Globs {
        Globs(list.iter().map(|glob| (*glob).to_owned()).collect())
    }

    /// `Outcome: why`, then one line for each finding.
    pub(crate) fn shown(result: &CheckResult) -> String {
        let mut shown = format!("{:?}: {}", result.outcome, result.why);
        for finding in &result.findings {
            let path = finding.path.as_deref().unwrap_or("-");
            let line = finding.line.map_or(String::new(), |line| format!(":{line}"));
            shown += &format!("\n{path}{line}: {}", finding.message);
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{Tree, globs, shown};
    use super::*;

    #[test]
    fn globs_follow_the_paths_of_the_tree() {
        let tree = Tree::new(&[
            ("a.md", ""),
            ("b.rs", ""),
            ("d/a.md", ""),
            ("d/e/.x", ""),
            ("d/e/a.md", ""),
        ]);
        for (list, expected) in [
            (&["**"][..], &["a.md", "b.rs", "d/a.md", "d/e/.x", "d/e/a.md"][..]),
            (&["*.md"], &["a.md"]),
            (&["**/*.md"], &["a.md", "d/a.md", "d/e/a.md"]),
            (&["d/*"], &["d/a.md"]),
            (&["d/**"], &["d/a.md", "d/e/.x", "d/e/a.md"]),
            (&["*.{rs,md}"], &["a.md", "b.rs"]),
            (&["b.rs", "d/?.md"], &["b.rs", "d/a.md"]),
        ] {
            assert_eq!(select(&globs(list), &tree).ok().unwrap(), expected, "{list:?}");
        }
    }

    #[test]
    fn looking_at_nothing_is_no_pass() {
        let tree = Tree::new(&[("a.md", "")]);
        let long = "x".repeat(600);
        for (list, expected) in [
            (&["*.rs"][..], "Failed: no file matches `*.rs`"),
            (&["a.md", "b.md"], "Failed: no file matches `b.md`"),
            (&["A.md"], "Failed: no file matches `A.md`"),
            (&[], "Unusable: 0 globs are given, 1 to 200 may be"),
            (&["a.md"; 201], "Unusable: 201 globs are given, 1 to 200 may be"),
            (&[long.as_str()], "is longer than 512 bytes"),
            (
                &["./a.md"],
                "Unusable: the glob `./a.md` is not relative to the tree: no part may be empty, `.` or `..`",
            ),
            (&["/a.md"], "is not relative to the tree"),
            (&["d/../a.md"], "is not relative to the tree"),
            (&[""], "is not relative to the tree"),
            (
                &["[a"],
                "Unusable: the glob `[a` is wrong: unclosed character class; missing ']'",
            ),
            (&["{a"], "is wrong"),
        ] {
            let shown = shown(&select(&globs(list), &tree).err().unwrap().result());
            assert!(shown.contains(expected), "{shown}");
        }
    }
}
