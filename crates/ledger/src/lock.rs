//! One process per run. The kernel drops the lock when its holder dies, so no lock is ever stale.

use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Write as _};
use std::path::Path;

use onus_model::Alias;

use crate::disk::{self, Identity};
use crate::error::{Attempt as _, LedgerError};
use crate::files;
use crate::places::Places;

/// A lock can be missed while somebody only looks whether it is held ([`holder`]); looking takes microseconds.
const ATTEMPTS_MAX: u32 = 1000;

/// Who works on a run. The process id is for people; the lock itself is the kernel's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holder {
    pub pid: Option<u32>,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pid {
            Some(pid) => write!(f, "process {pid}"),
            None => f.write_str("another process"),
        }
    }
}

/// Who works on a run now, if anybody does.
pub fn holder(places: &Places, alias: &Alias) -> Result<Option<Holder>, LedgerError> {
    let path = places.lock(alias);
    let Some(mut file) = disk::open_to_read(&path)? else {
        return Ok(None);
    };
    // Shared, so that two lookers do not take each other for a holder.
    match file.try_lock_shared() {
        Ok(()) => Ok(None),
        Err(TryLockError::WouldBlock) => Ok(Some(read_holder(&mut file))),
        Err(TryLockError::Error(e)) => Err(e).attempt("lock", &path),
    }
}

/// The run's lock, held until dropped.
pub(crate) struct Lock {
    file: File,
}

impl Lock {
    pub(crate) fn acquire(places: &Places, alias: &Alias) -> Result<Lock, LedgerError> {
        files::prepare(places)?;
        let path = places.lock(alias);
        for _ in 0..ATTEMPTS_MAX {
            let mut file = open(&path)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => match file.try_lock_shared() {
                    // Only lookers are there.
                    Ok(()) => {
                        std::thread::yield_now();
                        continue;
                    }
                    Err(TryLockError::WouldBlock) => {
                        let holder = read_holder(&mut file);
                        let alias = alias.clone();
                        return Err(LedgerError::Locked { alias, holder });
                    }
                    Err(TryLockError::Error(e)) => return Err(e).attempt("lock", &path),
                },
                Err(TryLockError::Error(e)) => return Err(e).attempt("lock", &path),
            }
            // A lock on a file that was removed meanwhile protects nothing.
            let held = file.metadata().attempt("look at", &path)?;
            if Identity::at(&path).attempt("look at", &path)? != Some(Identity::of(&held)) {
                continue;
            }
            file.set_len(0).attempt("write", &path)?;
            writeln!(file, "{}", std::process::id()).attempt("write", &path)?;
            return Ok(Lock { file });
        }
        let (alias, holder) = (alias.clone(), Holder { pid: None });
        Err(LedgerError::Locked { alias, holder })
    }

    /// For `current.json`, which runs share. Waits: it is held for one small write.
    pub(crate) fn wait_for_current(places: &Places) -> Result<Lock, LedgerError> {
        files::prepare(places)?;
        let path = places.current_lock();
        let file = open(&path)?;
        file.lock().attempt("lock", &path)?;
        Ok(Lock { file })
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing unlocks; the emptied file only spares the next reader an old process id.
        let _ = self.file.set_len(0);
    }
}

fn open(path: &Path) -> Result<File, LedgerError> {
    let mut options = OpenOptions::new();
    disk::open_regular(path, options.read(true).write(true).create(true).truncate(false)).attempt("open", path)
}

fn read_holder(file: &mut File) -> Holder {
    let mut text = String::new();
    // Ten digits are the longest process id.
    let pid = file
        .take(11)
        .read_to_string(&mut text)
        .ok()
        .and_then(|_| text.trim_end().parse().ok());
    Holder { pid }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{alias, project};

    #[test]
    fn the_second_is_refused_with_the_holders_process_id() {
        let (_dir, places) = project();
        assert_eq!(holder(&places, &alias()).unwrap(), None);
        let me = Holder {
            pid: Some(std::process::id()),
        };
        let lock = Lock::acquire(&places, &alias()).unwrap();
        assert_eq!(holder(&places, &alias()).unwrap(), Some(me));
        match Lock::acquire(&places, &alias()) {
            Err(LedgerError::Locked { holder, .. }) => assert_eq!(holder, me),
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("locked twice"),
        }
        drop(lock);
        assert_eq!(holder(&places, &alias()).unwrap(), None);
        assert!(Lock::acquire(&places, &alias()).is_ok());
    }

    #[test]
    fn lookers_never_keep_a_process_out() {
        let (_dir, places) = project();
        drop(Lock::acquire(&places, &alias()).unwrap());
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for _ in 0..300 {
                        holder(&places, &alias()).unwrap();
                    }
                });
            }
            for _ in 0..300 {
                drop(Lock::acquire(&places, &alias()).unwrap());
            }
        });
    }

    #[test]
    fn a_removed_lock_file_is_not_a_lock() {
        let (_dir, places) = project();
        let lock = Lock::acquire(&places, &alias()).unwrap();
        disk::remove(&places.lock(&alias())).unwrap();
        // The lock is gone with its file; the next one holds the new file.
        let next = Lock::acquire(&places, &alias()).unwrap();
        assert!(matches!(
            Lock::acquire(&places, &alias()),
            Err(LedgerError::Locked { .. })
        ));
        drop((lock, next));
    }
}
