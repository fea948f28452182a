//! Where a project is and who works in it. Read from the world once, by the face.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use onus_ledger::Places;
use onus_model::Digest;

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

    /// The `PATH` of checks: without directories of the project, where an agent may put a program of the same name.
    pub(crate) fn check_path(&self) -> String {
        let real = |dir: &Path| dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
        let project = real(&self.dir);
        let outside = |dir: &&str| Path::new(dir).is_absolute() && !real(Path::new(dir)).starts_with(&project);
        let dirs: Vec<&str> = self.path_variable().split(':').filter(outside).collect();
        dirs.join(":")
    }

    /// Where checks and judges work: outside the project, because many programs look for settings, a repository or
    /// instructions in the directories above them, and those of the project are the agents' own. Named by its real path.
    pub(crate) fn work(&self) -> PathBuf {
        let named = |name: &str| self.env.get(name).map(PathBuf::from).filter(|dir| dir.is_absolute());
        let cache = named("XDG_CACHE_HOME").or_else(|| Some(named("HOME")?.join(".cache")));
        let real = self.dir.canonicalize().unwrap_or_else(|_| self.dir.clone());
        let name = Digest::of(real.as_os_str().as_encoded_bytes()).to_string();
        let root = cache.map_or_else(|| self.places.state().to_owned(), |cache| cache.join("onus"));
        root.join("work").join(&name[..16])
    }

    /// Makes a directory for nobody else to enter.
    pub(crate) fn make_private(dir: &Path) -> std::io::Result<()> {
        use std::os::unix::fs::DirBuilderExt as _;
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(dir)
    }

    /// A run's artifact as people know it: relative to the project.
    pub fn artifact_path(&self, alias: &onus_model::Alias) -> String {
        format!("{}/{alias}/{}", self.root, onus_ledger::ARTIFACT_FILE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(dir: &Path, env: &[(&str, &str)]) -> Project {
        let env = env
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Project::new(dir, "runs", Path::new("/state"), env.collect(), "tester")
    }

    #[test]
    fn the_path_of_checks_has_no_directory_of_the_project() {
        let dir = tempfile::tempdir().unwrap();
        let (inside, alias) = (dir.path().join("project/bin"), dir.path().join("alias"));
        std::fs::create_dir_all(&inside).unwrap();
        std::os::unix::fs::symlink(&inside, &alias).unwrap();
        let path = format!("{}:bin:.::{}:/usr/bin:/bin", inside.display(), alias.display());
        let project = project(&dir.path().join("project"), &[("PATH", &path)]);
        assert_eq!(project.check_path(), "/usr/bin:/bin");
    }

    #[test]
    fn programs_work_outside_the_project() {
        for (env, root) in [
            (
                &[("XDG_CACHE_HOME", "/cache"), ("HOME", "/home/me")][..],
                "/cache/onus/work",
            ),
            (
                &[("XDG_CACHE_HOME", "cache"), ("HOME", "/home/me")],
                "/home/me/.cache/onus/work",
            ),
            (&[], "/state/work"),
        ] {
            let (one, other) = (project(Path::new("/one"), env), project(Path::new("/other"), env));
            assert_eq!(one.work().parent().unwrap(), Path::new(root));
            assert_ne!(one.work(), other.work());
        }
    }
}
