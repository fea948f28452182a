//! Where things are. Paths only: nothing here touches the disk but to resolve the run folder's real name.

use std::path::{Path, PathBuf};

use onus_model::{Alias, Digest};

pub const CURRENT_FILE: &str = "current.json";
pub const RUN_FILE: &str = "run.json";
pub const HISTORY_FILE: &str = "history.jsonl";
pub const ARTIFACT_FILE: &str = "artifact.md";

/// The three folders of a project's memory.
///
/// - root: `current.json` and, per run, `<alias>/{run.json,history.jsonl,artifact.md}`; nothing else.
/// - `<project>/.onus`: locks, objects, stop requests, quarantine; ignored by git.
/// - state: the key and the heads, outside the project and out of the agents' reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    root: PathBuf,
    onus: PathBuf,
    state: PathBuf,
}

impl Places {
    pub fn new(project: &Path, root: &Path, state: &Path) -> Places {
        Places {
            root: root.to_owned(),
            onus: project.join(".onus"),
            state: state.to_owned(),
        }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn onus(&self) -> &Path {
        &self.onus
    }

    pub fn state(&self) -> &Path {
        &self.state
    }

    pub fn current(&self) -> PathBuf {
        self.root.join(CURRENT_FILE)
    }

    pub fn run_dir(&self, alias: &Alias) -> PathBuf {
        self.root.join(alias.as_str())
    }

    pub fn history(&self, alias: &Alias) -> PathBuf {
        self.run_dir(alias).join(HISTORY_FILE)
    }

    pub fn run_json(&self, alias: &Alias) -> PathBuf {
        self.run_dir(alias).join(RUN_FILE)
    }

    pub fn artifact(&self, alias: &Alias) -> PathBuf {
        self.run_dir(alias).join(ARTIFACT_FILE)
    }

    pub fn lock(&self, alias: &Alias) -> PathBuf {
        self.onus.join("locks").join(format!("{alias}.lock"))
    }

    /// Guards `current.json`. The dot keeps it apart from every alias.
    pub(crate) fn current_lock(&self) -> PathBuf {
        self.onus.join("locks/.current.lock")
    }

    pub fn stop_request(&self, alias: &Alias) -> PathBuf {
        self.onus.join("stop").join(format!("{alias}.json"))
    }

    pub fn objects(&self) -> PathBuf {
        self.onus.join("objects")
    }

    pub fn object(&self, digest: &Digest) -> PathBuf {
        let hex = digest.to_string();
        let (shelf, name) = hex.split_at(2);
        self.objects().join(shelf).join(name)
    }

    pub fn quarantine(&self) -> PathBuf {
        self.onus.join("quarantine")
    }

    pub fn key(&self) -> PathBuf {
        self.state.join("key")
    }

    /// Named by the run folder's real path, so that two projects never share a head. A moved project has none.
    pub fn head(&self, alias: &Alias) -> PathBuf {
        let root = self
            .root
            .canonicalize()
            .or_else(|_| std::path::absolute(&self.root))
            .unwrap_or_else(|_| self.root.clone());
        let name = Digest::of(root.join(alias.as_str()).as_os_str().as_encoded_bytes());
        self.state.join("heads").join(format!("{name}.head"))
    }
}
