//! Content by hash: artifacts, transcripts, logs. An object never changes; the ledger refers to it by its SHA-256.

use std::collections::HashSet;
use std::fs::OpenOptions;
use std::io::{self, BufRead as _, BufReader};
use std::path::Path;
use std::time::SystemTime;

use onus_model::Digest;
use rustix::fs::{Timespec, Timestamps, UTIME_NOW};

use crate::disk;
use crate::error::{Attempt as _, LedgerError};
use crate::files::{self, Durability, list_aliases};
use crate::places::Places;

/// What [`collect`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Collected {
    pub removed: u64,
    pub removed_bytes: u64,
    pub kept: u64,
}

/// Stores content and names it. Content that is there already is not written again.
pub fn put(places: &Places, bytes: &[u8], durability: Durability) -> Result<Digest, LedgerError> {
    let digest = Digest::of(bytes);
    let path = places.object(&digest);
    if keep_existing(&path, bytes, durability)? {
        return Ok(digest);
    }
    files::prepare(places)?;
    if let Some(shelf) = path.parent() {
        disk::make_dir(shelf, files::DIR_MODE)?;
    }
    disk::replace_shared(&places.objects(), &path, bytes, durability)?;
    Ok(digest)
}

/// Whether the object is there and as durable as asked. Its time is renewed, so that a collection running now leaves it.
fn keep_existing(path: &Path, bytes: &[u8], durability: Durability) -> Result<bool, LedgerError> {
    let whole = match durability {
        Durability::Relaxed => disk::open_to_read(path)?
            .map(|file| file.metadata().attempt("look at", path))
            .transpose()?
            .is_some_and(|meta| meta.len() == bytes.len() as u64),
        // It may have been put there relaxed, and a power cut may have taken its content since.
        Durability::Synced => match disk::read_bounded(path, bytes.len() as u64) {
            Ok(found) => found.is_some_and(|found| found == bytes),
            Err(LedgerError::TooLarge { .. }) => false,
            Err(e) => return Err(e),
        },
    };
    if !whole {
        return Ok(false);
    }
    let file = disk::open_regular(path, OpenOptions::new().write(true)).attempt("open", path)?;
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: UTIME_NOW,
    };
    let times = Timestamps {
        last_access: now,
        last_modification: now,
    };
    rustix::fs::futimens(&file, &times)
        .map_err(io::Error::from)
        .attempt("renew", path)?;
    if durability == Durability::Synced {
        file.sync_all().attempt("sync", path)?;
        disk::sync_parent(path)?;
    }
    Ok(true)
}

/// The content of an object. What does not hash to its name is not returned.
pub fn get(places: &Places, digest: &Digest, bytes_max: u64) -> Result<Vec<u8>, LedgerError> {
    let path = places.object(digest);
    let bytes = disk::read_bounded(&path, bytes_max)?.ok_or(LedgerError::ObjectMissing(*digest))?;
    let found = Digest::of(&bytes);
    if found == *digest {
        Ok(bytes)
    } else {
        let wanted = *digest;
        Err(LedgerError::ObjectDamaged { wanted, found })
    }
}

/// Removes objects that no history refers to and that are older than `older_than`. The age spares what a run has stored
/// but not yet recorded, so it should lie well behind now.
///
/// Any 64 hex digits in a history, in quarantine or in an object that is kept (the list of a tree names its files) count as a
/// reference: rather keep too much.
pub fn collect(places: &Places, older_than: SystemTime) -> Result<Collected, LedgerError> {
    let mut unreferenced = HashSet::new();
    let mut leftovers = Vec::new();
    let mut collected = Collected::default();
    for shelf in disk::entries(&places.objects())? {
        if !shelf.file_type().is_ok_and(|kind| kind.is_dir()) {
            leftovers.push(shelf.path());
            continue;
        }
        for object in disk::entries(&shelf.path())? {
            let name = format!("{}{}", shelf.file_name().display(), object.file_name().display());
            match name.parse::<Digest>() {
                Ok(digest) => {
                    unreferenced.insert(digest);
                }
                Err(_) => collected.kept += 1,
            }
        }
    }
    let stored = unreferenced.clone();
    for alias in list_aliases(places)? {
        forget_referenced(&places.history(&alias), &mut unreferenced)?;
    }
    for entry in disk::entries(&places.quarantine())? {
        forget_referenced(&entry.path(), &mut unreferenced)?;
    }
    let mut followed = HashSet::new();
    loop {
        let kept: Vec<Digest> = stored.difference(&unreferenced).copied().collect();
        let fresh: Vec<Digest> = kept.into_iter().filter(|digest| followed.insert(*digest)).collect();
        if fresh.is_empty() || unreferenced.is_empty() {
            break;
        }
        for digest in fresh {
            forget_referenced(&places.object(&digest), &mut unreferenced)?;
        }
    }
    collected.kept += (stored.len() - unreferenced.len()) as u64;

    for path in unreferenced.iter().map(|digest| places.object(digest)).chain(leftovers) {
        // Looked at now and not before: it may have been put again meanwhile.
        let Some(file) = disk::open_to_read(&path)? else {
            continue;
        };
        let meta = file.metadata().attempt("look at", &path)?;
        if meta.modified().attempt("look at", &path)? < older_than {
            disk::remove(&path)?;
            collected.removed += 1;
            collected.removed_bytes += meta.len();
        } else {
            collected.kept += 1;
        }
    }
    Ok(collected)
}

fn forget_referenced(path: &Path, unreferenced: &mut HashSet<Digest>) -> Result<(), LedgerError> {
    let Some(file) = disk::open_to_read(path)? else {
        return Ok(());
    };
    let mut reader = BufReader::with_capacity(256 << 10, file);
    // The run of hex digits that the text is in; one more than 64 says that it is too long.
    let mut digits = String::with_capacity(65);
    loop {
        let chunk = reader.fill_buf().attempt("read", path)?;
        let taken = chunk.len();
        for byte in chunk {
            match byte {
                b'0'..=b'9' | b'a'..=b'f' => {
                    if digits.len() <= 64 {
                        digits.push(char::from(*byte));
                    }
                }
                _ => {
                    if let Ok(digest) = digits.parse::<Digest>() {
                        unreferenced.remove(&digest);
                    }
                    digits.clear();
                }
            }
        }
        if taken == 0 {
            return Ok(());
        }
        reader.consume(taken);
    }
}

#[cfg(test)]
mod tests;
