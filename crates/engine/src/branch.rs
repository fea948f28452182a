//! A run's own branch and worktree: every artifact is a commit, and the user's files stay untouched.
//!
//! Only git's plumbing is used: no checkout, no filters, no hooks, nothing that the repository's configuration could make run.
#![allow(clippy::disallowed_methods, reason = "an edge: it asks git to store trees")]

use std::path::{Path, PathBuf};

use onus_ledger::Places;
use onus_model::{Alias, Snapshot, TreePath};

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

    fn reference(&self) -> String {
        format!("refs/heads/{}", self.name)
    }

    /// The tree the work begins from: the last commit, whatever lies uncommitted beside it.
    pub(crate) fn base(repository: &Path, places: &Places) -> Result<Snapshot, EngineError> {
        let needs = |what: &str| {
            let place = repository.display();
            EngineError::Configuration(format!(
                "`git = \"worktree\"` needs {what}; `{place}` is not, or has none"
            ))
        };
        let inside = git(repository, &["rev-parse", "--show-prefix"], None)
            .map_err(|error| EngineError::Configuration(format!("`git = \"worktree\"` needs a repository: {error}")))?;
        if !inside.trim_ascii().is_empty() {
            return Err(needs("the workspace to be the root of its repository"));
        }
        git(repository, &["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], None)
            .map_err(|_| needs("a repository with a commit to begin from"))?;
        tree::take_commit(places, repository, START)
    }

    /// Refuses a branch or a directory that is there already: it may be somebody's work.
    pub(crate) fn must_be_free(&self) -> Result<(), EngineError> {
        let reference = self.reference();
        // Branches are kept like files: `onus` and `onus/ALIAS/more` are in the way too.
        let listed = git(
            &self.repository,
            &["for-each-ref", "--format=%(refname)", "refs/heads/onus"],
            None,
        );
        let listed = listed.unwrap_or_default();
        let listed = String::from_utf8_lossy(&listed);
        let below = format!("{reference}/");
        let mut taken = listed
            .lines()
            .filter(|name| *name == "refs/heads/onus" || *name == reference || name.starts_with(&below));
        if let Some(taken) = taken.next() {
            let name = taken.trim_start_matches("refs/heads/");
            return Err(EngineError::Configuration(format!(
                "branch `{name}` is there already; give the run another `--alias`, or remove it: `git worktree remove --force {}` and `git branch -D {name}`",
                self.dir.display(),
            )));
        }
        if self.dir.symlink_metadata().is_ok() {
            return Err(EngineError::Configuration(format!(
                "`{}` is there already; give the run another `--alias`, or remove it: `git worktree remove --force {}`",
                self.dir.display(),
                self.dir.display()
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
        let reference = self.reference();
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
        self.refresh(&reference);
        Ok(())
    }

    /// Commits the files of `snapshot`, as they are stored: whatever became meanwhile of the worktree, of its index and of
    /// the branch that is checked out there. A tree that is committed already is not again.
    pub(crate) fn commit(&self, places: &Places, snapshot: &Snapshot, message: &str) -> Result<(), EngineError> {
        let (repository, reference) = (&self.repository, self.reference());
        let parent = line(&git(repository, &["rev-parse", "--verify", &reference], None)?);
        let index = self.dir.with_extension("index").display().to_string();
        let env = [("GIT_INDEX_FILE", index.as_str())];
        git_with(repository, &["read-tree", &parent], None, &env)?;
        let listed = git_with(repository, &["ls-files", "-s", "-z"], None, &env)?;
        let mut lines = String::new();
        for entry in listed.split(|b| *b == 0).filter(|e| e.starts_with(b"100")) {
            let path = std::str::from_utf8(entry).ok().and_then(|text| text.split_once('\t'));
            // A name that no tree can hold was never laid out, so nobody has removed it.
            let Some(path) = path.and_then(|(_, path)| TreePath::new(path).ok()) else {
                continue;
            };
            if !snapshot.files.contains_key(&path) {
                lines.push_str(&format!("0 {}\t{path}\0", "0".repeat(parent.len())));
            }
        }
        let stored = snapshot.files.values().map(|file| places.object(&file.sha256));
        let stored: String = stored.map(|path| format!("{}\n", path.display())).collect();
        let hashed = git(
            repository,
            &["hash-object", "-w", "--no-filters", "--stdin-paths"],
            Some(stored.into_bytes()),
        )?;
        let hashes = String::from_utf8_lossy(&hashed);
        for ((path, file), hash) in snapshot.files.iter().zip(hashes.lines()) {
            let mode = if file.executable { "100755" } else { "100644" };
            lines.push_str(&format!("{mode} {hash}\t{path}\0"));
        }
        git_with(
            repository,
            &["update-index", "-z", "--index-info"],
            Some(lines.into_bytes()),
            &env,
        )?;
        let tree = line(&git_with(repository, &["write-tree"], None, &env)?);
        // It only served to build the tree.
        let _ = std::fs::remove_file(&index);
        if tree == line(&git(repository, &["rev-parse", &format!("{parent}^{{tree}}")], None)?) {
            return Ok(());
        }
        let commit = git_with(
            repository,
            &["commit-tree", &tree, "-p", &parent, "-m", message],
            None,
            &IDENTITY,
        )?;
        git(repository, &["update-ref", &reference, &line(&commit), &parent], None)?;
        self.refresh(&reference);
        Ok(())
    }

    /// Lets the worktree's own index and HEAD follow the branch. Only whoever runs git there sees them, so a lock or a link
    /// that an agent left broken does not hold the run up.
    fn refresh(&self, reference: &str) {
        let Some(own) = self.git_dir() else { return };
        let env = [("GIT_DIR", own.as_str())];
        let _ = git_with(&self.repository, &["symbolic-ref", "HEAD", reference], None, &env);
        let _ = git_with(&self.repository, &["read-tree", reference], None, &env);
    }

    /// What the repository keeps about the worktree; the link in the worktree itself is the agent's to change.
    fn git_dir(&self) -> Option<String> {
        let common = line(&git(&self.repository, &["rev-parse", "--git-common-dir"], None).ok()?);
        let entries = std::fs::read_dir(self.repository.join(common).join("worktrees")).ok()?;
        let own = self.dir.canonicalize().ok()?;
        let mut entries = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let found = entries.find(|entry| {
            let link = std::fs::read_to_string(entry.join("gitdir")).unwrap_or_default();
            let dir = entry.join(link.trim()).parent().and_then(|dir| dir.canonicalize().ok());
            dir.as_ref() == Some(&own)
        });
        Some(found?.display().to_string())
    }
}

fn line(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}
