//! Which file a command's first word names.

use std::{
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use crate::SpawnError;

/// Finds the program a command names, as an absolute path.
///
/// A bare name is looked up in the absolute directories of `path`, leaving out those inside `workspace`: what an agent
/// put there must not be mistaken for the program the contract names. A name with a slash is relative to `base`.
pub fn find_program(name: &str, path: &str, workspace: &Path, base: &Path) -> Result<PathBuf, SpawnError> {
    if name.is_empty() {
        return Err(SpawnError::EmptyCommand);
    }
    if name.contains('/') {
        let program = base.join(name);
        return match executable(&program) {
            Some(true) => Ok(program),
            Some(false) => Err(SpawnError::NotExecutable(name.to_owned())),
            None => Err(SpawnError::ProgramNotFound(name.to_owned())),
        };
    }
    let real = |dir: &Path| dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    let workspace = real(workspace);
    let candidates = absolute_dirs(path)
        .filter(|dir| !real(dir).starts_with(&workspace))
        .map(|dir| dir.join(name));
    let mut error = SpawnError::ProgramNotFound(name.to_owned());
    for program in candidates {
        match executable(&program) {
            Some(true) => return Ok(program),
            Some(false) => error = SpawnError::NotExecutable(name.to_owned()),
            None => {}
        }
    }
    Err(error)
}

/// The directories of a `PATH` that do not depend on where a program is started.
pub(crate) fn absolute_dirs(path: &str) -> impl Iterator<Item = &Path> {
    path.split(':').map(Path::new).filter(|dir| dir.is_absolute())
}

/// Whether a file may be executed; `None` if there is no such file.
fn executable(path: &Path) -> Option<bool> {
    let metadata = path.metadata().ok()?;
    Some(metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_name_is_never_found_in_the_workspace_or_a_relative_directory() {
        let dir = tempfile::tempdir().unwrap();
        let bin = dir.path().join("bin");
        std::fs::create_dir(&bin).unwrap();
        std::os::unix::fs::symlink("/bin/sh", bin.join("tool")).unwrap();
        let path = format!("bin:.::{}:/usr/bin:/bin", bin.display());

        let find = |name: &str, workspace: &Path| find_program(name, &path, workspace, dir.path());
        assert_eq!(find("tool", Path::new("/nowhere")).unwrap(), bin.join("tool"));
        assert!(matches!(find("tool", dir.path()), Err(SpawnError::ProgramNotFound(name)) if name == "tool"));
        assert!(find("sh", dir.path()).unwrap().is_absolute());
    }

    #[test]
    fn a_name_with_a_slash_is_relative_to_the_base() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("bin")).unwrap();
        std::os::unix::fs::symlink("/bin/sh", dir.path().join("bin/tool")).unwrap();
        std::fs::File::create(dir.path().join("bin/text")).unwrap();

        let find = |name: &str| find_program(name, "/usr/bin:/bin", Path::new("/nowhere"), dir.path());
        assert_eq!(find("bin/tool").unwrap(), dir.path().join("bin/tool"));
        assert_eq!(find("/bin/sh").unwrap(), Path::new("/bin/sh"));
        assert!(matches!(find("bin/text"), Err(SpawnError::NotExecutable(_))));
        assert!(matches!(find("bin/none"), Err(SpawnError::ProgramNotFound(_))));
        assert!(matches!(find("bin"), Err(SpawnError::ProgramNotFound(_))));
        assert!(matches!(find(""), Err(SpawnError::EmptyCommand)));
    }
}
