//! Where a project is and who works in it. Read from the world once, by the face.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use onus_ledger::Places;

/// The loop file a project is expected to have.
pub const LOOP_FILE: &str = "onus.toml";

/// Documents that give every agent the project's conventions, if they are there.
pub(crate) const CONTEXT_FILES: [&str; 3] = [
    ".ai-factory/DESCRIPTION.md",
    ".ai-factory/ARCHITECTURE.md",
    ".ai-factory/RULES.md",
];

#[derive(Debug, Clone)]
pub struct Project {
    /// Absolute.
    pub dir: PathBuf,
    /// Where runs are kept, relative to `dir`.
    pub root: String,
    pub places: Places,
    /// The environment the face was started in; agents see an allow-list of it.
    pub env: BTreeMap<String, String>,
    /// Who is recorded as having confirmed, stopped or resumed.
    pub user: String,
}

impl Project {
    /// `state` is a directory outside the project that no agent can reach.
    pub fn new(dir: &Path, root: &str, state: &Path, env: BTreeMap<String, String>, user: &str) -> Project {
        Project {
            dir: dir.to_owned(),
            root: root.to_owned(),
            places: Places::new(dir, &dir.join(root), state),
            env,
            user: user.to_owned(),
        }
    }

    pub(crate) fn path_variable(&self) -> &str {
        self.env
            .get("PATH")
            .map_or("/usr/local/bin:/usr/bin:/bin", String::as_str)
    }

    /// A run's artifact as people know it: relative to the project.
    pub fn artifact_path(&self, alias: &onus_model::Alias) -> String {
        format!("{}/{alias}/{}", self.root, onus_ledger::ARTIFACT_FILE)
    }
}
