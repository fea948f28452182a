//! Directories that live as long as one call.
#![allow(clippy::disallowed_methods, reason = "a scratch directory is deleted by its owner")]

use std::{
    fs, io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

/// A new, empty directory that nobody else may enter; gone, with all it holds, when dropped.
#[derive(Debug)]
pub struct Scratch(TempDir);

impl Scratch {
    /// Makes one inside `parent`, which must exist.
    pub fn create(parent: &Path) -> io::Result<Scratch> {
        tempfile::Builder::new()
            .prefix("scratch-")
            .tempdir_in(parent)
            .map(Scratch)
    }

    /// Removes a directory in which scratch directories were made, with whatever was left behind there.
    pub fn sweep(parent: &Path) -> io::Result<()> {
        let gone = |result: io::Result<()>| match result {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            result => result,
        };
        gone(fs::remove_dir_all(parent)).or_else(|_| {
            unlock(parent);
            gone(fs::remove_dir_all(parent))
        })
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        match fs::remove_dir_all(self.path()) {
            Ok(()) => self.0.disable_cleanup(true),
            // Whoever worked here may have locked directories; the inner guard then tries once more.
            Err(_) => unlock(self.path()),
        }
    }
}

/// Makes every directory under `root` writable, following no links.
fn unlock(root: &Path) {
    let mut open: Vec<PathBuf> = vec![root.to_owned()];
    while let Some(dir) = open.pop() {
        let _ = fs::set_permissions(&dir, fs::Permissions::from_mode(0o700));
        let entries = fs::read_dir(&dir).into_iter().flatten().flatten();
        open.extend(
            entries
                .filter(|e| e.file_type().is_ok_and(|t| t.is_dir()))
                .map(|e| e.path()),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scratch_directory_goes_away_with_locked_content_and_leaves_link_targets_alone() {
        let parent = tempfile::tempdir().unwrap();
        let kept = parent.path().join("kept");
        fs::write(&kept, "x").unwrap();

        let scratch = Scratch::create(parent.path()).unwrap();
        let inner = scratch.path().join("locked/inner");
        fs::create_dir_all(&inner).unwrap();
        fs::write(inner.join("file"), "x").unwrap();
        std::os::unix::fs::symlink(parent.path(), inner.join("link")).unwrap();
        for dir in [inner.as_path(), &scratch.path().join("locked")] {
            fs::set_permissions(dir, fs::Permissions::from_mode(0o500)).unwrap();
        }
        let path = scratch.path().to_owned();
        unlock(&path);
        assert_eq!(fs::metadata(&inner).unwrap().permissions().mode() & 0o777, 0o700);
        drop(scratch);

        assert!(!path.exists());
        assert!(kept.exists());
    }
}
