//! A tree of files by content: what is judged is what is stored, and what is stored is named by what it holds.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CanonicalError, Digest, canonical_sha256};

/// The path of a file inside a snapshot: relative, `/` between its parts, nothing that climbs or hides.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct TreePath(String);

/// The path cannot be part of a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a plain path inside the tree")]
pub struct TreePathError(String);

impl TreePath {
    /// The longest name that every common file system takes.
    const PART_BYTES_MAX: usize = 255;

    pub fn new(text: impl Into<String>) -> Result<TreePath, TreePathError> {
        let text = text.into();
        let plain =
            |part: &str| !part.is_empty() && part != "." && part != ".." && part.len() <= TreePath::PART_BYTES_MAX;
        let clean = !text.chars().any(|c| c.is_control() || c == '\\');
        if clean && text.split('/').all(plain) {
            Ok(TreePath(text))
        } else {
            Err(TreePathError(text))
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for TreePath {
    type Error = TreePathError;
    fn try_from(text: String) -> Result<TreePath, TreePathError> {
        TreePath::new(text)
    }
}

impl From<TreePath> for String {
    fn from(path: TreePath) -> String {
        path.0
    }
}

impl fmt::Display for TreePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileEntry {
    pub sha256: Digest,
    pub bytes: u64,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub executable: bool,
}

/// All files of a tree. What could not be taken is named, never silently skipped.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Snapshot {
    pub files: BTreeMap<TreePath, FileEntry>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
}

/// Something that is in the directory and not in the snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    /// As far as it can be written.
    pub path: String,
    pub why: String,
}

impl Snapshot {
    /// The tree's name: the digest of its files, their modes and their paths.
    pub fn sha256(&self) -> Result<Digest, CanonicalError> {
        canonical_sha256(&self.files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_inside_and_show_themselves() {
        for good in ["a", "a/b.rs", ".github/workflows/ci.yml", "ä/b c"] {
            assert!(TreePath::new(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "/a",
            "a/",
            "a//b",
            "../a",
            "a/../b",
            "./a",
            "a\nb",
            "a\0",
            "a\\b",
            &"x".repeat(256),
        ] {
            assert!(TreePath::new(bad).is_err(), "{bad:?}");
        }
    }
}
