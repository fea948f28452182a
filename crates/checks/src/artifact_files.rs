//! Files that must be there and hold something.

use onus_model::{ArtifactCheck, ContentType};
use serde_json::Value;

use crate::globs::{compile_globs, finding, no_match, plural, read_files};
use crate::text::is_blank;
use crate::{CheckResult, Files, Outcome, document};

/// Each glob names at least one file with something in it; where a content type is asked for, every file that is named
/// has it. An empty file satisfies nobody, so it does not satisfy "exists".
pub fn artifact_files(check: &ArtifactCheck, files: &dyn Files) -> CheckResult {
    let set = match compile_globs(&check.files) {
        Ok(set) => set,
        Err(why) => return read_files(Outcome::Unusable, why, 0, Vec::new()),
    };
    let globs = &check.files.0;
    let (mut named, mut filled) = (vec![false; globs.len()], vec![false; globs.len()]);
    let (mut looked, mut findings) = (0, Vec::new());
    for path in files.paths() {
        let matched = set.matches(path);
        if matched.is_empty() {
            continue;
        }
        let Some(bytes) = files.read(path) else {
            return read_files(
                Outcome::CouldNotRun,
                format!("`{path}` cannot be read"),
                looked,
                findings,
            );
        };
        looked += 1;
        let empty = is_empty(&bytes);
        for glob in matched {
            named[glob] = true;
            filled[glob] |= !empty;
        }
        if let Some(problem) = check.content.and_then(|content| unlike(content, &bytes)) {
            findings.push(finding(path, None, problem));
        }
    }
    let missing: Vec<_> = globs
        .iter()
        .zip(&named)
        .filter(|(_, is)| !**is)
        .map(|(glob, _)| glob.clone())
        .collect();
    let hollow: Vec<_> = globs
        .iter()
        .zip(&filled)
        .filter(|(_, is)| !**is)
        .map(|(glob, _)| glob.clone())
        .collect();
    let (outcome, why) = if !missing.is_empty() {
        (Outcome::Failed, no_match(&missing))
    } else if !hollow.is_empty() {
        (
            Outcome::Failed,
            format!("every file that `{}` names is empty", hollow.join("`, `")),
        )
    } else if !findings.is_empty() {
        let why = format!("{} of {} have another content", findings.len(), plural(looked, "file"));
        (Outcome::Failed, why)
    } else {
        (Outcome::Passed, format!("{} there", plural(looked, "file")))
    };
    read_files(outcome, why, looked, findings)
}

fn is_empty(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).map_or(bytes.is_empty(), is_blank)
}

/// What shows that the bytes are not of the type. Files of bytes are known by how they begin and end: a name, or a first
/// line that was pasted, is not enough.
fn unlike(content: ContentType, bytes: &[u8]) -> Option<String> {
    let framed = |name: &str, begins: bool, ends: bool| match (begins, ends) {
        (true, true) => None,
        (false, _) => Some(format!("does not begin as {name} does")),
        (true, false) => Some(format!("begins as {name} does, but its end is missing")),
    };
    match content {
        ContentType::Text => match document::text(bytes) {
            Err(problem) => Some(problem.message),
            Ok(text) => text
                .find('\0')
                .map(|at| format!("is not text: a NUL byte is at offset {at}")),
        },
        ContentType::Json => document::json(bytes).err().map(|problem| problem.message),
        ContentType::Toml => document::toml(bytes).err().map(|problem| problem.message),
        ContentType::Yaml => match document::yaml(bytes) {
            Err(problem) => Some(problem.message),
            // Any prose is a YAML text.
            Ok(all)
                if !all
                    .iter()
                    .any(|value| matches!(value, Value::Object(_) | Value::Array(_))) =>
            {
                Some("is YAML without a mapping or a list".to_owned())
            }
            Ok(_) => None,
        },
        ContentType::Png => framed(
            "a PNG",
            bytes.starts_with(b"\x89PNG\r\n\x1a\n") && bytes.get(12..16) == Some(b"IHDR"),
            bytes.ends_with(b"IEND\xaeB`\x82"),
        ),
        ContentType::Jpeg => framed(
            "a JPEG",
            bytes.starts_with(b"\xff\xd8\xff"),
            within(tail(bytes, 1_024), b"\xff\xd9"),
        ),
        ContentType::Pdf => framed(
            "a PDF",
            bytes.starts_with(b"%PDF-"),
            within(tail(bytes, 1_024), b"%%EOF"),
        ),
        // An archive may end in a comment of up to 65,535 bytes after its last record of 22.
        ContentType::Zip => framed(
            "a ZIP",
            bytes.starts_with(b"PK\x03\x04"),
            within(tail(bytes, 65_557), b"PK\x05\x06"),
        ),
    }
}

fn tail(bytes: &[u8], length: usize) -> &[u8] {
    &bytes[bytes.len().saturating_sub(length)..]
}

fn within(bytes: &[u8], mark: &[u8]) -> bool {
    bytes.windows(mark.len()).any(|window| window == mark)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::globs::testing::{Tree, globs, shown};

    fn check(list: &[&str], content: Option<ContentType>, tree: &Tree) -> String {
        let check = ArtifactCheck {
            files: globs(list),
            content,
        };
        shown(&artifact_files(&check, tree))
    }

    #[test]
    fn each_glob_names_a_file_with_something_in_it() {
        let tree = Tree::new(&[
            ("a.md", "# A"),
            ("b/empty.md", ""),
            ("b/blank.md", " \n\u{feff}\t"),
            ("c/x.md", "x"),
        ]);
        for (list, expected) in [
            (&["a.md", "c/*"][..], "Passed: 2 files there"),
            (&["**/*.md"], "Passed: 4 files there"),
            (&["a.md", "d/*"], "Failed: no file matches `d/*`"),
            (&["a.md", "b/*"], "Failed: every file that `b/*` names is empty"),
            (&[], "Unusable: 0 globs are given, 1 to 200 may be"),
            (
                &["[x"],
                "Unusable: the glob `[x` is wrong: unclosed character class; missing ']'",
            ),
        ] {
            assert_eq!(check(list, None, &tree), expected);
        }
        let tree = tree.with("big", None);
        assert_eq!(check(&["*"], None, &tree), "CouldNotRun: `big` cannot be read");
    }

    #[test]
    fn content_is_known_by_its_bytes() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x01\0\0\0\0IEND\xaeB`\x82";
        for (content, bytes, expected) in [
            (ContentType::Text, &b"hello"[..], None),
            (
                ContentType::Text,
                b"a\0b",
                Some("is not text: a NUL byte is at offset 1"),
            ),
            (
                ContentType::Text,
                b"a\xff",
                Some("is not UTF-8: the first bad byte is at offset 1"),
            ),
            (ContentType::Json, b"[1]", None),
            (
                ContentType::Json,
                b"{",
                Some("is not JSON: EOF while parsing an object at line 1 column 1"),
            ),
            (ContentType::Yaml, b"a: 1\n---\n- b\n", None),
            (
                ContentType::Yaml,
                b"just prose",
                Some("is YAML without a mapping or a list"),
            ),
            (ContentType::Toml, b"a = 1", None),
            (ContentType::Toml, b"a = ", Some("is not TOML")),
            (ContentType::Png, png, None),
            (
                ContentType::Png,
                b"\x89PNG\r\n\x1a\n",
                Some("does not begin as a PNG does"),
            ),
            (
                ContentType::Png,
                &png[..30],
                Some("begins as a PNG does, but its end is missing"),
            ),
            (ContentType::Jpeg, b"\xff\xd8\xff\xe0..\xff\xd9", None),
            (ContentType::Jpeg, b"GIF89a", Some("does not begin as a JPEG does")),
            (ContentType::Pdf, b"%PDF-1.7\n...\n%%EOF\n", None),
            (
                ContentType::Pdf,
                b"%PDF-1.7\n",
                Some("begins as a PDF does, but its end is missing"),
            ),
            (ContentType::Zip, b"PK\x03\x04...PK\x05\x06...", None),
            (ContentType::Zip, b"PK\x05\x06", Some("does not begin as a ZIP does")),
            (ContentType::Zip, b"", Some("does not begin as a ZIP does")),
        ] {
            let problem = unlike(content, bytes);
            match expected {
                None => assert_eq!(problem, None),
                Some(start) => assert!(problem.as_ref().is_some_and(|p| p.starts_with(start)), "{problem:?}"),
            }
        }
        let tree = Tree::new(&[("a.json", "{}"), ("b.json", "{"), ("c.json", "")]);
        assert!(
            check(&["*.json"], Some(ContentType::Json), &tree)
                .starts_with("Failed: 2 of 3 files have another content\nb.json:")
        );
    }
}
