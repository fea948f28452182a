//! A run's own branch and worktree: every artifact is a commit, and the user's files stay untouched.
//!
//! Only git's plumbing is used: no checkout, no filters, no hooks, nothing that the repository's configuration could make run.
#![allow(clippy::disallowed_methods, reason = "an edge: it asks git to store trees")]

use std::path::{Path, PathBuf};

use onus_ledger::Places;
use onus_model::{Alias, Snapshot};

use crate::EngineError;
use crate::tree::{self, git, git_with};

/// The commit a worktree begins from.
pub(crate) const START: &str = "HEAD";

/// Who is named as the author of a run's commits: they are the engine's, not a person's.
const IDENTITY: [(&str, &str); 4] = [
    ("GIT_AUTHOR_NAME", "onus"),
    ("GIT_AUTHOR_EMAIL", "onus@localhost"),
    ("GIT_COMMITTER_NAME", "onus"),
    ("GIT_COMMITTER_EMAIL", "onus@localhost"),
];

#[derive(Debug, Clone)]
pub(crate) struct Branch {
    repository: PathBuf,
    pub(crate) dir: PathBuf,
    name: String,
}

impl Branch {
    pub(crate) fn of(repository: &Path, places: &Places, alias: &Alias) -> Branch {
        Branch {
            repository: repository.to_owned(),
            dir: places.onus().join("trees").join(alias.as_str()),
            name: format!("onus/{alias}"),
        }
    }

    /// The tree the work begins from: the last commit, whatever lies uncommitted beside it.
    pub(crate) fn base(repository: &Path, places: &Places) -> Result<Snapshot, EngineError> {
        let inside = git(repository, &["rev-parse", "--show-prefix"], None)?;
        if !inside.trim_ascii().is_empty() {
            return Err(EngineError::Configuration(format!(
                "`git = \"worktree\"` needs the workspace to be the root of its repository, and `{}` is not",
                repository.display()
            )));
        }
        tree::take_commit(places, repository, START)
    }

    /// Refuses a branch or a directory that is there already: it may be somebody's work.
    pub(crate) fn must_be_free(&self) -> Result<(), EngineError> {
        let reference = format!("refs/heads/{}", self.name);
        let taken = git(&self.repository, &["show-ref", "--verify", "--quiet", &reference], None).is_ok();
        if taken || self.dir.exists() {
            return Err(EngineError::Configuration(format!(
                "branch `{}` is there already; give the run another `--alias`, or remove it: `git worktree remove --force {}` and `git branch -D {}`",
                self.name,
                self.dir.display(),
                self.name
            )));
        }
        Ok(())
    }

    /// Makes the worktree, if it is not there. Its files are laid out by whoever settles the area.
    pub(crate) fn open(&self) -> Result<(), EngineError> {
        if self.dir.join(".git").exists() {
            return Ok(());
        }
        let dir = self.dir.display().to_string();
        let reference = format!("refs/heads/{}", self.name);
        if git(&self.repository, &["show-ref", "--verify", "--quiet", &reference], None).is_ok() {
            git(&self.repository, &["worktree", "prune"], None)?;
            git(
                &self.repository,
                &["worktree", "add", "--no-checkout", &dir, &self.name],
                None,
            )?;
        } else {
            git(
                &self.repository,
                &["worktree", "add", "--no-checkout", "-b", &self.name, &dir, START],
                None,
            )?;
        }
        git(&self.dir, &["read-tree", "HEAD"], None)?;
        Ok(())
    }

    /// Commits the files of the worktree, which are those of `snapshot`. A tree that is committed already is not again.
    pub(crate) fn commit(&self, snapshot: &Snapshot, message: &str) -> Result<(), EngineError> {
        let index = self.dir.with_extension("index").display().to_string();
        let env = [("GIT_INDEX_FILE", index.as_str())];
        git_with(&self.dir, &["read-tree", "HEAD"], None, &env)?;
        let listed = git_with(&self.dir, &["ls-files", "-s", "-z"], None, &env)?;
        let mut lines = String::new();
        for entry in listed.split(|b| *b == 0).filter(|e| e.starts_with(b"100")) {
            let text = String::from_utf8_lossy(entry);
            let path = text.split_once('\t').map_or("", |(_, path)| path);
            if !snapshot.files.keys().any(|own| own.as_str() == path) {
                lines.push_str(&format!("0 {}\t{path}\0", "0".repeat(40)));
            }
        }
        let paths: String = snapshot.files.keys().map(|path| format!("{path}\n")).collect();
        let hashed = git(
            &self.dir,
            &["hash-object", "-w", "--no-filters", "--stdin-paths"],
            Some(paths.into_bytes()),
        )?;
        let hashes = String::from_utf8_lossy(&hashed);
        for ((path, file), hash) in snapshot.files.iter().zip(hashes.lines()) {
            let mode = if file.executable { "100755" } else { "100644" };
            lines.push_str(&format!("{mode} {hash}\t{path}\0"));
        }
        git_with(
            &self.dir,
            &["update-index", "-z", "--index-info"],
            Some(lines.into_bytes()),
            &env,
        )?;
        let tree = git_with(&self.dir, &["write-tree"], None, &env)?;
        // It only served to build the tree.
        let _ = std::fs::remove_file(&index);
        let tree = line(&tree);
        if tree == line(&git(&self.dir, &["rev-parse", "HEAD^{tree}"], None)?) {
            return Ok(());
        }
        let parent = line(&git(&self.dir, &["rev-parse", "HEAD"], None)?);
        let commit = git_with(
            &self.dir,
            &["commit-tree", &tree, "-p", &parent, "-m", message],
            None,
            &IDENTITY,
        )?;
        let reference = format!("refs/heads/{}", self.name);
        git(&self.dir, &["update-ref", &reference, &line(&commit), &parent], None)?;
        git(&self.dir, &["read-tree", "HEAD"], None)?;
        Ok(())
    }
}

fn line(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}
