//! What a verdict was decided from, by content.

use std::collections::BTreeMap;

use onus_model::{Criterion, Digest, FileEntry, LeftOut, Snapshot, TreePath, canonical_sha256};
use serde::Serialize;

use crate::compile_globs;

#[derive(Debug, Serialize)]
struct Read<'a> {
    criterion: &'a Criterion,
    files: BTreeMap<&'a TreePath, &'a FileEntry>,
    left_out: &'a [LeftOut],
}

/// The digest of a criterion and of the files it reads: while it is the same, so is whatever decides the criterion. Without
/// `reads`, or with globs that cannot be used, all files count; what the snapshot left out counts always, because nobody
/// knows whether it would have been read.
pub fn reads_digest(criterion: &Criterion, snapshot: &Snapshot) -> Digest {
    let globs = criterion.reads.as_ref().and_then(|reads| compile_globs(reads).ok());
    let reads = |path: &TreePath| globs.as_ref().is_none_or(|globs| globs.is_match(path.as_str()));
    let read = Read {
        criterion,
        files: snapshot.files.iter().filter(|(path, _)| reads(path)).collect(),
        left_out: &snapshot.left_out,
    };
    // Numbers beyond JSON's have no canonical form; their plain form names them as well.
    canonical_sha256(&read).unwrap_or_else(|_| Digest::of(format!("{read:?}").as_bytes()))
}

#[cfg(test)]
mod tests {
    use onus_model::{CriterionId, LevelName, Weight};

    use super::*;
    use crate::globs::testing::globs;

    fn snapshot(files: &[(&str, &str)]) -> Snapshot {
        let entry = |(path, text): &(&str, &str)| {
            let entry = FileEntry {
                sha256: Digest::of(text.as_bytes()),
                bytes: text.len() as u64,
                executable: false,
            };
            (TreePath::new(*path).unwrap(), entry)
        };
        Snapshot {
            files: files.iter().map(entry).collect(),
            left_out: Vec::new(),
        }
    }

    #[test]
    fn only_what_is_read_counts() {
        let bare = Criterion::new(CriterionId::new("a.x").unwrap(), LevelName::new("A").unwrap());
        let reading = |list: &[&str]| Criterion {
            reads: Some(globs(list)),
            ..bare.clone()
        };
        let (docs, all, bad) = (reading(&["docs/**"]), bare.clone(), reading(&["[a"]));
        let then = snapshot(&[("docs/a.md", "a"), ("src/a.rs", "x")]);
        for (criterion, files, same) in [
            (&docs, &[("docs/a.md", "a"), ("src/a.rs", "y")][..], true),
            (&docs, &[("docs/a.md", "a")], true),
            (&docs, &[("docs/a.md", "b"), ("src/a.rs", "x")], false),
            (&docs, &[("docs/b.md", "a"), ("src/a.rs", "x")], false),
            (
                &docs,
                &[("docs/a.md", "a"), ("docs/b.md", ""), ("src/a.rs", "x")],
                false,
            ),
            (&all, &[("docs/a.md", "a"), ("src/a.rs", "y")], false),
            (&all, &[("docs/a.md", "a"), ("src/a.rs", "x")], true),
            (&bad, &[("docs/a.md", "a"), ("src/a.rs", "y")], false),
        ] {
            let now = snapshot(files);
            assert_eq!(
                reads_digest(criterion, &then) == reads_digest(criterion, &now),
                same,
                "{files:?}"
            );
        }
        let mut executable = then.clone();
        executable.files.values_mut().for_each(|entry| entry.executable = true);
        assert_ne!(reads_digest(&docs, &then), reads_digest(&docs, &executable));
        let mut more = then.clone();
        more.left_out.push(LeftOut {
            path: "docs/link".to_owned(),
            why: "a link".to_owned(),
        });
        assert_ne!(reads_digest(&docs, &then), reads_digest(&docs, &more));
        let changed = Criterion {
            weight: Weight::whole(2),
            ..docs.clone()
        };
        assert_ne!(reads_digest(&docs, &then), reads_digest(&changed, &then));
    }

    #[test]
    fn numbers_without_a_canonical_form_still_differ() {
        let criterion = Criterion::new(CriterionId::new("a.x").unwrap(), LevelName::new("A").unwrap());
        let sized = |bytes: u64| {
            let mut snapshot = snapshot(&[("a", "a")]);
            snapshot.files.values_mut().for_each(|entry| entry.bytes = bytes);
            reads_digest(&criterion, &snapshot)
        };
        assert_ne!(sized((1 << 53) + 1), sized((1 << 53) + 2));
        assert_eq!(sized(u64::MAX), sized(u64::MAX));
    }
}
