//! Where agents work, and the way from there to a stored tree and back.
//!
//! A loop around a tree judges, stores and shows one and the same thing: the files of the area, with protected paths as they
//! were in the base. Whatever else lies there when a step begins or ends is put right first, and what lay there is kept.
#![allow(
    clippy::disallowed_methods,
    reason = "an edge: it writes the agents' working directory"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use onus_ledger::{Durability, Places, objects};
use onus_model::{ArtifactRef, Changes, Digest, FileEdit, FileEntry, Snapshot, TreePath, canonical_json};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::EngineError;
use crate::tree;

/// So many paths of a change are named; the snapshots have all.
const CHANGES_NAMED_MAX: usize = 200;

/// The largest stored list of files or of tests.
const LIST_BYTES_MAX: u64 = 64 << 20;

/// An ignore file that is put back may bring up another one that it hid; deeper than this nobody nests them.
const IGNORE_ROUNDS_MAX: u32 = 4;

#[derive(Debug, Clone)]
pub(crate) struct Area {
    /// Absolute.
    pub(crate) dir: PathBuf,
    /// Where runs are kept, relative to `dir`: never part of the work.
    pub(crate) runs: String,
    pub(crate) protected: Vec<String>,
}

/// A tree that was taken, and what was not allowed to stay in it.
pub(crate) struct Taken {
    pub(crate) snapshot: Snapshot,
    pub(crate) refused: Vec<FileEdit>,
}

impl Area {
    /// Makes the area hold exactly the files of `wanted`. Tells what was there instead, if that was another tree.
    pub(crate) fn settle(&self, places: &Places, wanted: &Snapshot) -> Result<Option<FileEdit>, EngineError> {
        let mut first = None;
        for _ in 0..IGNORE_ROUNDS_MAX {
            let found = match self.look(places, wanted) {
                Ok(found) => found,
                Err(EngineError::Configuration(why)) => {
                    return Err(EngineError::Configuration(format!(
                        "{why}; it can neither be kept nor put back: clear it up, then `onus resume`"
                    )));
                }
                Err(error) => return Err(error),
            };
            if found.files == wanted.files {
                break;
            }
            let kept = store(places, &found)?;
            first.get_or_insert(kept);
            self.write(places, &found, wanted)?;
            if !changed(&found, wanted).any(ignores) {
                break;
            }
        }
        let Some(found) = first else { return Ok(None) };
        let frozen_sha256 = wanted
            .sha256()
            .map_err(|error| EngineError::Internal(error.to_string()))?;
        Ok(Some(FileEdit {
            path: ".".to_owned(),
            frozen_sha256,
            found_sha256: Some(found),
        }))
    }

    /// Takes the tree that an agent left, once no process of its is left to change it.
    pub(crate) fn take(&self, places: &Places, base: &Snapshot) -> Result<Taken, EngineError> {
        let is_protected = tree::protected(&self.protected)?;
        let mut refused: BTreeMap<TreePath, FileEdit> = BTreeMap::new();
        let mut rounds = 0;
        loop {
            let found = self.look(places, base)?;
            let snapshot = tree::with_protected(&found, Some(base), &is_protected);
            let edited: Vec<&TreePath> = changed(&found, base)
                .filter(|path| is_protected(path.as_str()))
                .collect();
            for path in &edited {
                let (then, now) = (base.files.get(*path), found.files.get(*path));
                refused.entry((*path).clone()).or_insert_with(|| FileEdit {
                    path: path.to_string(),
                    frozen_sha256: then.map_or_else(|| Digest::of(b""), |file| file.sha256),
                    found_sha256: now.map(|file| file.sha256),
                });
            }
            if !edited.is_empty() {
                self.write(places, &found, &snapshot)?;
            }
            rounds += 1;
            if rounds == IGNORE_ROUNDS_MAX || !edited.into_iter().any(ignores) {
                let refused = refused.into_values().collect();
                return Ok(Taken { snapshot, refused });
            }
        }
    }

    /// The tree as it lies there. A link in the place of the area would lead out of it.
    fn look(&self, places: &Places, known: &Snapshot) -> Result<Snapshot, EngineError> {
        if !self.dir.symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
            return Err(EngineError::Configuration(format!(
                "`{}` is no longer a directory",
                self.dir.display()
            )));
        }
        tree::take(places, &self.dir, &self.runs, Some(known))
    }

    fn write(&self, places: &Places, found: &Snapshot, wanted: &Snapshot) -> Result<(), EngineError> {
        for path in found.files.keys().filter(|path| !wanted.files.contains_key(*path)) {
            let full = self.dir.join(path.as_str());
            std::fs::remove_file(&full).map_err(|source| storage("remove", &full, source))?;
        }
        for (path, file) in &wanted.files {
            if found.files.get(path) != Some(file) {
                self.put(places, path, *file)?;
            }
        }
        Ok(())
    }

    fn put(&self, places: &Places, path: &TreePath, file: FileEntry) -> Result<(), EngineError> {
        let full = self.dir.join(path.as_str());
        // A directory that became a link would lead out of the area; a file that became a directory is in the way.
        let mut dir = self.dir.clone();
        let parts: Vec<&str> = path.as_str().split('/').collect();
        for part in &parts[..parts.len() - 1] {
            dir.push(part);
            match dir.symlink_metadata() {
                Ok(meta) if meta.is_dir() => continue,
                Ok(_) => std::fs::remove_file(&dir).map_err(|source| storage("remove", &dir, source))?,
                Err(_) => {}
            }
            std::fs::create_dir(&dir).map_err(|source| storage("make the directory", &dir, source))?;
        }
        match full.symlink_metadata() {
            Ok(meta) if meta.is_dir() => {
                std::fs::remove_dir_all(&full).map_err(|source| storage("remove", &full, source))?;
            }
            Ok(_) => std::fs::remove_file(&full).map_err(|source| storage("remove", &full, source))?,
            Err(_) => {}
        }
        let bytes = objects::get(places, &file.sha256, tree::FILE_BYTES_MAX)?;
        let mode = if file.executable { 0o755 } else { 0o644 };
        let written = std::fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(mode)
            .open(&full)
            .and_then(|mut out| {
                out.write_all(&bytes)?;
                out.set_permissions(std::fs::Permissions::from_mode(mode))
            });
        written.map_err(|source| storage("write", &full, source))
    }
}

/// Paths that are not the same in two trees.
fn changed<'a>(found: &'a Snapshot, wanted: &'a Snapshot) -> impl Iterator<Item = &'a TreePath> {
    let paths: BTreeSet<&TreePath> = found.files.keys().chain(wanted.files.keys()).collect();
    let differs = |path: &&TreePath| found.files.get(*path) != wanted.files.get(*path);
    paths.into_iter().filter(differs)
}

/// Whether a file decides which others are part of a tree.
fn ignores(path: &TreePath) -> bool {
    path.as_str().rsplit('/').next() == Some(".gitignore")
}

fn storage(attempt: &'static str, path: &Path, source: std::io::Error) -> EngineError {
    EngineError::Storage {
        attempt,
        path: path.to_owned(),
        source,
    }
}

/// Stores the list of a tree's files; its digest is the tree's name.
pub(crate) fn store(places: &Places, snapshot: &Snapshot) -> Result<Digest, EngineError> {
    put_json(places, &snapshot.files)
}

/// Stores a value in its canonical form.
pub(crate) fn put_json<T: Serialize>(places: &Places, value: &T) -> Result<Digest, EngineError> {
    let text = canonical_json(value).map_err(|error| EngineError::Internal(error.to_string()))?;
    Ok(objects::put(places, &text, Durability::Synced)?)
}

/// A stored value, which must be `what` its name was recorded as.
pub(crate) fn get_json<T: DeserializeOwned>(places: &Places, sha256: &Digest, what: &str) -> Result<T, EngineError> {
    let bytes = objects::get(places, sha256, LIST_BYTES_MAX)?;
    serde_json::from_slice(&bytes)
        .map_err(|error| EngineError::Integrity(format!("object {sha256} is not {what}: {error}")))
}

/// A stored tree by its name.
pub(crate) fn load(places: &Places, sha256: &Digest) -> Result<Snapshot, EngineError> {
    Ok(Snapshot {
        files: get_json(places, sha256, "a tree")?,
        left_out: Vec::new(),
    })
}

/// The record of a tree: its name, its size, and which files moved against the one before.
pub(crate) fn record(places: &Places, snapshot: &Snapshot, before: &Snapshot) -> Result<ArtifactRef, EngineError> {
    let named = |paths: Vec<&TreePath>| -> Vec<String> {
        let shown = paths.iter().take(CHANGES_NAMED_MAX).map(ToString::to_string);
        let rest = paths.len().saturating_sub(CHANGES_NAMED_MAX);
        shown.chain((rest > 0).then(|| format!("and {rest} more"))).collect()
    };
    let (now, then) = (&snapshot.files, &before.files);
    let added = now.keys().filter(|path| !then.contains_key(*path)).collect();
    let removed = then.keys().filter(|path| !now.contains_key(*path)).collect();
    let modified = now
        .iter()
        .filter(|(path, file)| then.get(*path).is_some_and(|then| then != *file))
        .map(|(path, _)| path)
        .collect();
    Ok(ArtifactRef {
        artifact_sha256: store(places, snapshot)?,
        bytes: now.values().map(|file| file.bytes).sum(),
        changed: Changes {
            initial: false,
            added: named(added),
            modified: named(modified),
            removed: named(removed),
        },
    })
}

/// A tree in words: every file with its size and the beginning of its digest.
pub(crate) fn listing(snapshot: &Snapshot) -> String {
    let bytes: u64 = snapshot.files.values().map(|file| file.bytes).sum();
    let mut text = format!(
        "# Files of the artifact\n\n{} files, {bytes} bytes.\n\n| file | bytes | sha256 |\n|---|---:|---|\n",
        snapshot.files.len()
    );
    for (path, file) in &snapshot.files {
        text.push_str(&format!("| `{path}` | {} | `{}` |\n", file.bytes, file.sha256.short()));
    }
    text
}
