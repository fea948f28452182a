//! Files that cross the boundary: written for an agent, read back from one.

use std::{
    fs::{File, Metadata, OpenOptions},
    io::{self, Read, Write},
    os::{
        fd::{AsFd, OwnedFd},
        unix::fs::OpenOptionsExt,
    },
    path::Path,
};

use rustix::{
    fs::{Mode, OFlags},
    io::Errno,
};

/// Whether the reader of a file may also write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    ReadOnly,
    Writable,
}

/// Writes a file that did not exist.
pub(crate) fn create(path: &Path, bytes: &[u8], access: Access) -> io::Result<File> {
    let mode = match access {
        Access::ReadOnly => 0o444,
        Access::Writable => 0o644,
    };
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
    file.write_all(bytes)?;
    Ok(file)
}

/// Why a file was not taken back.
#[derive(Debug)]
pub(crate) enum ReadError {
    /// A link, a pipe, a directory, a device.
    NotAFile,
    TooLarge,
    Io(io::Error),
}

pub(crate) struct ReadFile {
    pub(crate) bytes: Vec<u8>,
    pub(crate) metadata: Metadata,
}

/// Opens a directory once, so that later reads do not depend on what its path has become.
pub(crate) fn open_dir(path: &Path) -> io::Result<OwnedFd> {
    Ok(rustix::fs::open(
        path,
        OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC,
        Mode::empty(),
    )?)
}

/// Reads a regular file of a directory, following no link and waiting for nobody; `None` if there is none.
pub(crate) fn read_regular(dir: impl AsFd, name: &str, bytes_max: u64) -> Result<Option<ReadFile>, ReadError> {
    // Non-blocking: opening a pipe would otherwise wait for its writer.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match rustix::fs::openat(dir, name, flags, Mode::empty()) {
        Ok(fd) => File::from(fd),
        Err(Errno::NOENT) => return Ok(None),
        Err(Errno::LOOP | Errno::NXIO) => return Err(ReadError::NotAFile),
        Err(errno) => return Err(ReadError::Io(errno.into())),
    };
    let metadata = file.metadata().map_err(ReadError::Io)?;
    if !metadata.is_file() {
        return Err(ReadError::NotAFile);
    }
    let mut bytes = Vec::new();
    file.take(bytes_max.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(ReadError::Io)?;
    if bytes.len() as u64 > bytes_max {
        return Err(ReadError::TooLarge);
    }
    Ok(Some(ReadFile { bytes, metadata }))
}
