//! The newest event of a run, kept outside the project: how a history that lost its end is noticed.
//!
//! Two slots of fixed size, written in place in turn, so a torn write costs one slot and the other still counts. The head
//! is not synced on every append: it may lag behind the history, never run ahead of it.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use onus_model::Digest;

use crate::disk;
use crate::error::{Attempt as _, LedgerError};
use crate::key::STATE_MODE;

/// `<seq, 20 digits> <hash> <SHA-256 of what stands before>\n`.
const SLOT_BYTES: usize = 20 + 1 + 64 + 1 + 64 + 1;
const CHECKED_BYTES: usize = 20 + 1 + 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) seq: u64,
    pub(crate) hash: Digest,
}

pub(crate) struct Head {
    file: File,
    path: PathBuf,
    next_slot: u64,
}

impl Head {
    /// Opens a head for writing; makes an empty one if there is none.
    pub(crate) fn open(path: PathBuf) -> Result<Head, LedgerError> {
        if let Some(heads) = path.parent() {
            disk::make_dir(heads, STATE_MODE)?;
        }
        let newest = newest_slot(&path)?;
        let mut options = OpenOptions::new();
        let file =
            disk::open_regular(&path, options.write(true).create(true).truncate(false)).attempt("open", &path)?;
        let next_slot = newest.map_or(0, |(slot, _)| 1 - slot);
        Ok(Head { file, path, next_slot })
    }

    pub(crate) fn write(&mut self, mark: Mark) -> Result<(), LedgerError> {
        let at = self.next_slot * SLOT_BYTES as u64;
        self.file.write_all_at(&encode(mark), at).attempt("write", &self.path)?;
        self.next_slot = 1 - self.next_slot;
        Ok(())
    }

    pub(crate) fn sync(&self) -> Result<(), LedgerError> {
        self.file.sync_all().attempt("sync", &self.path)?;
        disk::sync_parent(&self.path)
    }
}

/// The newest readable mark. A head of which nothing is readable is as good as none.
pub(crate) fn load(path: &Path) -> Result<Option<Mark>, LedgerError> {
    Ok(newest_slot(path)?.map(|(_, mark)| mark))
}

fn newest_slot(path: &Path) -> Result<Option<(u64, Mark)>, LedgerError> {
    let bytes = match disk::read_bounded(path, 2 * SLOT_BYTES as u64) {
        Ok(bytes) => bytes.unwrap_or_default(),
        Err(LedgerError::TooLarge { .. }) => Vec::new(),
        Err(e) => return Err(e),
    };
    let marks = (0u64..)
        .zip(bytes.chunks(SLOT_BYTES))
        .filter_map(|(slot, text)| Some((slot, decode(text)?)));
    Ok(marks.max_by_key(|(_, mark)| mark.seq))
}

fn encode(mark: Mark) -> Vec<u8> {
    let checked = format!("{:020} {}", mark.seq, mark.hash);
    let check = Digest::of(checked.as_bytes());
    format!("{checked} {check}\n").into_bytes()
}

fn decode(slot: &[u8]) -> Option<Mark> {
    let checked = std::str::from_utf8(slot.get(..CHECKED_BYTES)?).ok()?;
    let (seq, hash) = checked.split_once(' ')?;
    let mark = Mark {
        seq: seq.parse().ok()?,
        hash: hash.parse().ok()?,
    };
    (encode(mark) == slot).then_some(mark)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::scratch;

    fn mark(seq: u64) -> Mark {
        Mark {
            seq,
            hash: Digest::of(&seq.to_le_bytes()),
        }
    }

    #[test]
    fn the_newest_mark_counts_and_a_torn_slot_falls_back_to_the_other() {
        let dir = scratch();
        let path = dir.path().join("heads/x.head");
        assert_eq!(load(&path).unwrap(), None);
        let mut head = Head::open(path.clone()).unwrap();
        for seq in [1, 3, 5] {
            head.write(mark(seq)).unwrap();
            assert_eq!(load(&path).unwrap(), Some(mark(seq)));
        }
        head.sync().unwrap();
        // 5 stands in slot 0, 3 in slot 1; every torn byte of slot 0 leaves 3.
        for at in 0..SLOT_BYTES as u64 {
            let mut head = Head::open(path.clone()).unwrap();
            head.file.write_all_at(b"~", at).unwrap();
            assert_eq!(load(&path).unwrap(), Some(mark(3)));
            head = Head::open(path.clone()).unwrap();
            head.write(mark(5)).unwrap();
            assert_eq!(load(&path).unwrap(), Some(mark(5)));
        }
        head.file.set_len(7).unwrap();
        assert_eq!(load(&path).unwrap(), None);
        head.file.set_len(9999).unwrap();
        assert_eq!(load(&path).unwrap(), None);
    }
}
