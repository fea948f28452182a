//! The files that a contract was read from: watched during the run, and never read again.

use std::path::Path;

use onus_model::{ContextFile, Digest, FileEdit};

use crate::load::TEXT_BYTES_MAX;
use crate::world::World;

/// What a file holds now; `None` if it cannot be read or is too large to be what it was.
fn digest(path: &Path) -> Option<Digest> {
    use std::io::Read as _;
    use std::os::unix::fs::OpenOptionsExt as _;
    // A pipe in its place must not hold the run up.
    let flags = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).ok()?;
    let file = std::fs::OpenOptions::new()
        .read(true)
        .custom_flags(flags)
        .open(path)
        .ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(TEXT_BYTES_MAX + 1).read_to_end(&mut bytes).ok()?;
    Some(Digest::of(&bytes))
}

/// The loop file, templates and scripts, as they are now.
pub(crate) fn freeze<'a>(project: &Path, paths: impl IntoIterator<Item = &'a str>) -> Vec<ContextFile> {
    let one = |path: &'a str| {
        Some(ContextFile {
            sha256: digest(&project.join(path))?,
            path: path.to_owned(),
        })
    };
    paths.into_iter().filter_map(one).collect()
}

/// Those that are not what they were when the run started.
pub(crate) fn edits(world: &World) -> Vec<FileEdit> {
    changed(&world.project, &world.sources)
}

pub(crate) fn changed(project: &Path, sources: &[ContextFile]) -> Vec<FileEdit> {
    let one = |source: &ContextFile| {
        let found = digest(&project.join(&source.path));
        (found != Some(source.sha256)).then(|| FileEdit {
            path: source.path.clone(),
            frozen_sha256: source.sha256,
            found_sha256: found,
        })
    };
    sources.iter().filter_map(one).collect()
}
