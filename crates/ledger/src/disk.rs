//! The few ways this crate touches the disk: no links followed, no pipes waited for, every read bounded.
#![allow(
    clippy::disallowed_methods,
    reason = "this is the door through which the ledger writes, renames and removes"
)]

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use onus_model::Digest;
use rustix::fs::OFlags;
use sha2::{Digest as _, Sha256};

use crate::error::{Attempt as _, LedgerError};
use crate::files::Durability;

/// Which file a descriptor or a path means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity {
    dev: u64,
    ino: u64,
}

impl Identity {
    pub(crate) fn of(meta: &fs::Metadata) -> Identity {
        Identity {
            dev: meta.dev(),
            ino: meta.ino(),
        }
    }

    /// Of what stands at a path now, not of what a link there points to. `None` if nothing does.
    pub(crate) fn at(path: &Path) -> io::Result<Option<Identity>> {
        match fs::symlink_metadata(path) {
            Ok(meta) => Ok(Some(Identity::of(&meta))),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(e),
        }
    }
}

/// Opens a regular file. A link is refused, and a pipe does not block.
pub(crate) fn open_regular(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed());
    let file = options.open(path).map_err(|e| {
        if e.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) {
            io::Error::new(io::ErrorKind::InvalidInput, "it is a symbolic link")
        } else {
            e
        }
    })?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"))
    }
}

pub(crate) fn open_to_read(path: &Path) -> Result<Option<File>, LedgerError> {
    match open_regular(path, OpenOptions::new().read(true)) {
        Ok(file) => Ok(Some(file)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e).attempt("open", path),
    }
}

/// The whole of a small file, or `None` if there is none.
pub(crate) fn read_bounded(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, LedgerError> {
    let Some(file) = open_to_read(path)? else {
        return Ok(None);
    };
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .attempt("read", path)?;
    if bytes.len() as u64 > limit {
        return Err(LedgerError::TooLarge {
            path: path.to_owned(),
            bytes: bytes.len() as u64,
            limit,
        });
    }
    Ok(Some(bytes))
}

/// The hash of a file of any size, or `None` if there is none.
pub(crate) fn digest_file(path: &Path) -> Result<Option<Digest>, LedgerError> {
    let Some(file) = open_to_read(path)? else {
        return Ok(None);
    };
    digest_rest(&file).map(|(_, digest)| Some(digest)).attempt("read", path)
}

/// The length and hash of what is left to read.
pub(crate) fn digest_rest(mut file: &File) -> io::Result<(u64, Digest)> {
    let mut hasher = Sha256::new();
    let mut bytes = 0;
    let mut buffer = vec![0u8; 64 << 10];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok((bytes, Digest::from_bytes(hasher.finalize().into()))),
            n => {
                hasher.update(&buffer[..n]);
                bytes += n as u64;
            }
        }
    }
}

/// Where [`replace`] builds a file before it takes its name.
pub(crate) fn temporary(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.tmp"))
}

/// Puts a whole new file in a path's place. The caller makes sure that nobody else replaces the same path.
pub(crate) fn replace(path: &Path, bytes: &[u8], durability: Durability) -> Result<(), LedgerError> {
    let temporary = temporary(path);
    remove(&temporary)?;
    install(&temporary, path, bytes, durability)
}

/// Like [`replace`], for paths that several processes may replace at once. `workshop` is where the file is built.
pub(crate) fn replace_shared(
    workshop: &Path,
    path: &Path,
    bytes: &[u8],
    durability: Durability,
) -> Result<(), LedgerError> {
    let nonce = getrandom::u64().map_err(io::Error::from).attempt("name", path)?;
    install(&workshop.join(format!(".{nonce:016x}.tmp")), path, bytes, durability)
}

/// Writes `temporary`, which must not exist, and renames it to `path`.
fn install(temporary: &Path, path: &Path, bytes: &[u8], durability: Durability) -> Result<(), LedgerError> {
    let write = || {
        let mut file = OpenOptions::new().write(true).create_new(true).open(temporary)?;
        file.write_all(bytes)?;
        if durability == Durability::Synced {
            file.sync_all()?;
        }
        fs::rename(temporary, path)
    };
    if let Err(e) = write() {
        // The error that matters is the one above; a leftover is removed when the run is next opened.
        let _ = fs::remove_file(temporary);
        return Err(e).attempt("write", path);
    }
    match durability {
        Durability::Synced => sync_parent(path),
        Durability::Relaxed => Ok(()),
    }
}

pub(crate) fn rename(from: &Path, to: &Path) -> Result<(), LedgerError> {
    fs::rename(from, to).attempt("put in place", to)?;
    sync_parent(to)
}

/// Removes a file or link. Nothing there is as good.
pub(crate) fn remove(path: &Path) -> Result<(), LedgerError> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e).attempt("remove", path),
        Ok(()) | Err(_) => Ok(()),
    }
}

pub(crate) fn remove_tree(path: &Path) -> Result<(), LedgerError> {
    match fs::remove_dir_all(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e).attempt("remove", path),
        Ok(()) | Err(_) => sync_parent(path),
    }
}

/// Makes a folder and its missing parents, each of them durable.
pub(crate) fn make_dir(path: &Path, mode: u32) -> Result<(), LedgerError> {
    let make = || fs::DirBuilder::new().mode(mode).create(path);
    let made = match make() {
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            if let Some(parent) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
                make_dir(parent, mode)?;
            }
            make()
        }
        made => made,
    };
    match made {
        Ok(()) => sync_parent(path),
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        Err(e) => Err(e).attempt("create folder", path),
    }
}

/// Whether there is a folder. A link to one is refused: it could lead anywhere.
pub(crate) fn is_real_dir(path: &Path) -> Result<bool, LedgerError> {
    match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_dir() => Ok(true),
        Ok(_) => Err(LedgerError::NotADirectory(path.to_owned())),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(e) => Err(e).attempt("look at", path),
    }
}

/// Makes names in the path's folder durable.
pub(crate) fn sync_parent(path: &Path) -> Result<(), LedgerError> {
    let parent = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        Some(_) | None => Path::new("."),
    };
    File::open(parent)
        .and_then(|dir| dir.sync_all())
        .attempt("sync folder", parent)
}

/// The entries of a folder, sorted; none if it does not exist.
pub(crate) fn entries(dir: &Path) -> Result<Vec<fs::DirEntry>, LedgerError> {
    let reader = match fs::read_dir(dir) {
        Ok(reader) => reader,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(e).attempt("list", dir),
    };
    let mut entries = reader.collect::<io::Result<Vec<_>>>().attempt("list", dir)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    Ok(entries)
}
