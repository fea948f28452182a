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

use crate::EngineError;
use crate::tree;

/// So many paths of a change are named; the snapshots have all.
const CHANGES_NAMED_MAX: usize = 200;

/// The largest stored list of files.
const SNAPSHOT_BYTES_MAX: u64 = 64 << 20;

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
    /// Makes the area hold exactly the files of `wanted`. Gives the name of what was there instead, if that was another tree.
    pub(crate) fn settle(&self, places: &Places, wanted: &Snapshot) -> Result<Option<Digest>, EngineError> {
        let found = tree::take(places, &self.dir, &self.runs, Some(wanted))?;
        if found.files == wanted.files {
            return Ok(None);
        }
        let kept = store(places, &found)?;
        self.write(places, &found, wanted)?;
        Ok(Some(kept))
    }

    /// Takes the tree that an agent left, once no process of its is left to change it.
    pub(crate) fn take(&self, places: &Places, base: &Snapshot) -> Result<Taken, EngineError> {
        let found = tree::take(places, &self.dir, &self.runs, Some(base))?;
        let is_protected = tree::protected(&self.protected)?;
        let snapshot = tree::with_protected(&found, Some(base), &is_protected);
        let paths: BTreeSet<&TreePath> = found.files.keys().chain(base.files.keys()).collect();
        let mut refused = Vec::new();
        for path in paths.into_iter().filter(|path| is_protected(path.as_str())) {
            let (then, now) = (base.files.get(path), found.files.get(path));
            if then != now {
                refused.push(FileEdit {
                    path: path.to_string(),
                    frozen_sha256: then.map_or_else(|| Digest::of(b""), |file| file.sha256),
                    found_sha256: now.map(|file| file.sha256),
                });
            }
        }
        if !refused.is_empty() {
            self.write(places, &found, &snapshot)?;
        }
        Ok(Taken { snapshot, refused })
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

fn storage(attempt: &'static str, path: &Path, source: std::io::Error) -> EngineError {
    EngineError::Storage {
        attempt,
        path: path.to_owned(),
        source,
    }
}

/// Stores the list of a tree's files; its digest is the tree's name.
pub(crate) fn store(places: &Places, snapshot: &Snapshot) -> Result<Digest, EngineError> {
    let text = canonical_json(&snapshot.files).map_err(|error| EngineError::Internal(error.to_string()))?;
    Ok(objects::put(places, &text, Durability::Synced)?)
}

/// A stored tree by its name.
pub(crate) fn load(places: &Places, sha256: &Digest) -> Result<Snapshot, EngineError> {
    let bytes = objects::get(places, sha256, SNAPSHOT_BYTES_MAX)?;
    let files: BTreeMap<TreePath, FileEntry> = serde_json::from_slice(&bytes)
        .map_err(|error| EngineError::Integrity(format!("object {sha256} is not a tree: {error}")))?;
    Ok(Snapshot {
        files,
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
