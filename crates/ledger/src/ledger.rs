//! The open history of one run: taken up, appended to, given back.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

use onus_model::{Alias, Record, RunId, Stamped};

use crate::disk::{self, Identity};
use crate::error::{AppendStage, Attempt as _, Change, LedgerError};
use crate::files;
use crate::head::{Head, Mark};
use crate::key::Key;
use crate::line::{self, GENESIS, Next};
use crate::lock::Lock;
use crate::places::Places;
use crate::read::{HeadState, survey_records};
use crate::scan::{Torn, belongs};

/// A history is held in memory when a run is taken up; this bounds it. A long run writes a few MiB.
pub const HISTORY_BYTES_MAX: u64 = 512 << 20;

/// What [`Ledger::open`] found and put right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recovered {
    /// A last line that was cut short is gone; the caller records `tail_repaired`.
    pub torn: Option<Torn>,
    /// As found. An absent head was made anew.
    pub head: HeadState,
}

/// A run's history, locked by this process.
pub struct Ledger {
    run_id: RunId,
    path: PathBuf,
    log: Box<dyn LogFile>,
    key: Key,
    head: Head,
    last: Mark,
    bytes: u64,
    /// As this process left the file; unknown until it has written.
    touched: Option<(i64, i64)>,
    poisoned: bool,
    _lock: Lock,
}

impl Ledger {
    /// Starts a run's history with its first events. It appears on disk with all of them or not at all.
    pub fn create(
        places: &Places,
        alias: &Alias,
        run_id: RunId,
        ts: &str,
        events: &[Stamped],
    ) -> Result<(Ledger, Vec<Record>), LedgerError> {
        if !belongs(&run_id, alias) {
            let alias = alias.clone();
            return Err(LedgerError::WrongRun { alias, run_id });
        }
        if events.is_empty() {
            return Err(LedgerError::NoEvents(alias.clone()));
        }
        let (run_dir, path) = (places.run_dir(alias), places.history(alias));
        disk::is_real_dir(&run_dir)?;
        let lock = Lock::acquire(places, alias)?;
        if let Some(file) = disk::open_to_read(&path)?
            && file.metadata().attempt("look at", &path)?.len() > 0
        {
            return Err(LedgerError::AliasTaken(alias.clone()));
        }
        disk::make_dir(&run_dir, files::DIR_MODE)?;
        files::sweep(places, alias)?;
        files::clear_stop_request(places, alias)?;
        let key = Key::load_or_create(places)?;
        disk::remove(&places.head(alias))?;

        let temporary = disk::temporary(&path);
        let log = disk::open_regular(&temporary, OpenOptions::new().read(true).append(true).create_new(true))
            .attempt("create", &temporary)?;
        let mut ledger = Ledger {
            run_id,
            path: temporary.clone(),
            log: Box::new(log),
            key,
            head: Head::open(places.head(alias))?,
            last: Mark { seq: 0, hash: GENESIS },
            bytes: 0,
            touched: None,
            poisoned: false,
            _lock: lock,
        };
        let (batch, records) = ledger.encode(ts, events)?;
        let written = ledger.write(&batch).and_then(|()| disk::rename(&temporary, &path));
        if let Err(e) = written {
            // The error that matters is the one above; a leftover is removed when the run is next created.
            let _ = disk::remove(&temporary);
            return Err(e);
        }
        ledger.path = path;
        ledger.advance(&batch, &records)?;
        Ok((ledger, records))
    }

    /// Takes up a run: locks it, verifies every event, and removes a last line that was cut short. Anything else that is
    /// not as it was left is refused.
    pub fn open(places: &Places, alias: &Alias) -> Result<(Ledger, Vec<Record>, Recovered), LedgerError> {
        if !disk::is_real_dir(&places.run_dir(alias))? {
            // Says whether there was a run once.
            return Err(match survey_records(places, alias) {
                Err(e) => e,
                Ok(_) => LedgerError::NoSuchRun(alias.clone()),
            });
        }
        let lock = Lock::acquire(places, alias)?;
        Ledger::open_locked(places, alias, lock)
    }

    pub(crate) fn open_locked(
        places: &Places,
        alias: &Alias,
        lock: Lock,
    ) -> Result<(Ledger, Vec<Record>, Recovered), LedgerError> {
        files::sweep(places, alias)?;
        let (survey, records) = survey_records(places, alias)?;
        survey.admit(places, alias)?;
        let path = places.history(alias);
        let log = disk::open_regular(&path, OpenOptions::new().read(true).append(true)).attempt("open", &path)?;
        if survey.torn.is_some() {
            log.set_len(survey.bytes)
                .and_then(|()| log.sync_all())
                .attempt("cut the torn end of", &path)?;
        }
        let (Some(run_id), Some(key)) = (survey.run_id, Key::load(places)?) else {
            // Admission saw an event and its seal, so both were there a moment ago.
            return Err(LedgerError::NoEvents(alias.clone()));
        };
        let mut ledger = Ledger {
            run_id,
            path,
            log: Box::new(log),
            key,
            head: Head::open(places.head(alias))?,
            last: survey.last,
            bytes: survey.bytes,
            touched: None,
            poisoned: false,
            _lock: lock,
        };
        if survey.head != HeadState::Newest {
            // A head must never name an event that only the page cache holds.
            ledger.log.sync().attempt("sync", &ledger.path)?;
            ledger.head.write(ledger.last)?;
            ledger.head.sync()?;
        }
        let recovered = Recovered {
            torn: survey.torn,
            head: survey.head,
        };
        Ok((ledger, records, recovered))
    }

    /// Records events, all or none: one write, one sync, and only then an answer. After an error of the disk the ledger
    /// takes nothing more; whatever did reach the disk is found by the next [`Ledger::open`].
    pub fn append(&mut self, ts: &str, events: &[Stamped]) -> Result<Vec<Record>, LedgerError> {
        if self.poisoned {
            return Err(LedgerError::Poisoned(self.path.clone()));
        }
        let (batch, records) = self.encode(ts, events)?;
        if batch.is_empty() {
            return Ok(records);
        }
        self.poisoned = true;
        self.refuse_changes()?;
        self.write(&batch)?;
        self.advance(&batch, &records)?;
        self.poisoned = false;
        Ok(records)
    }

    pub fn run_id(&self) -> &RunId {
        &self.run_id
    }

    /// The number of the newest event.
    pub fn last_seq(&self) -> u64 {
        self.last.seq
    }

    /// Makes the head durable; for the end of a run.
    pub fn sync_head(&self) -> Result<(), LedgerError> {
        self.head.sync()
    }

    /// Gives the run back with a durable head. Dropping does the same but for the sync.
    pub fn close(self) -> Result<(), LedgerError> {
        self.sync_head()
    }

    fn encode(&self, ts: &str, events: &[Stamped]) -> Result<(Vec<u8>, Vec<Record>), LedgerError> {
        // The line's reader finds the end of `ts` at the next quote.
        if ts.is_empty() || !ts.bytes().all(|b| b.is_ascii_graphic() && b != b'"' && b != b'\\') {
            return Err(LedgerError::BadTimestamp(ts.to_owned()));
        }
        let (mut batch, mut records) = (Vec::new(), Vec::with_capacity(events.len()));
        let Mark {
            mut seq,
            hash: mut prev,
        } = self.last;
        for stamped in events {
            seq += 1;
            let run_id = &self.run_id;
            let (line, record) = line::encode(&Next { seq, prev, ts, run_id }, stamped, &self.key)?;
            prev = record.hash;
            batch.extend_from_slice(&line);
            records.push(record);
        }
        if self.bytes + batch.len() as u64 > HISTORY_BYTES_MAX {
            return Err(LedgerError::HistoryFull {
                path: self.path.clone(),
                limit: HISTORY_BYTES_MAX,
            });
        }
        Ok((batch, records))
    }

    /// Nobody else may have touched the file: neither the one that is open nor the one that carries its name.
    fn refuse_changes(&self) -> Result<(), LedgerError> {
        let open = self.log.stat().attempt("look at", &self.path)?;
        let named = Identity::at(&self.path).attempt("look at", &self.path)?;
        let change = match named {
            None => Change::Deleted,
            Some(named) if named != open.identity => Change::Replaced,
            Some(_) if open.bytes > self.bytes => Change::Grown,
            Some(_) if open.bytes < self.bytes => Change::Cut,
            Some(_) if self.touched.is_some_and(|touched| touched != open.touched) => Change::Rewritten,
            Some(_) => return Ok(()),
        };
        let path = self.path.clone();
        Err(LedgerError::Changed { path, change })
    }

    fn write(&mut self, batch: &[u8]) -> Result<(), LedgerError> {
        let failed = |stage| {
            let path = self.path.clone();
            move |source| LedgerError::Append { path, stage, source }
        };
        let (write_failed, sync_failed) = (failed(AppendStage::Write), failed(AppendStage::Sync));
        let written = self.log.append(batch);
        written
            .and_then(|written| {
                let whole = batch.len();
                let short = || {
                    io::Error::new(
                        io::ErrorKind::WriteZero,
                        format!("{written} of {whole} bytes were written"),
                    )
                };
                if written == whole { Ok(()) } else { Err(short()) }
            })
            .map_err(write_failed)?;
        self.log.sync().map_err(sync_failed)
    }

    fn advance(&mut self, batch: &[u8], records: &[Record]) -> Result<(), LedgerError> {
        if let Some(Record { seq, hash, .. }) = records.last() {
            (self.last.seq, self.last.hash) = (*seq, *hash);
            self.bytes += batch.len() as u64;
            self.touched = self.log.stat().ok().map(|stat| stat.touched);
            self.head.write(self.last)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ledger")
            .field("path", &self.path)
            .field("last_seq", &self.last.seq)
            .field("poisoned", &self.poisoned)
            .finish_non_exhaustive()
    }
}

/// The file events go to. A trait so that tests can make it fail.
trait LogFile: Send {
    /// One `write`. May write less.
    fn append(&mut self, bytes: &[u8]) -> io::Result<usize>;
    fn sync(&mut self) -> io::Result<()>;
    fn stat(&self) -> io::Result<Stat>;
}

struct Stat {
    identity: Identity,
    bytes: u64,
    /// When content or attributes last changed; nobody can set it back.
    touched: (i64, i64),
}

impl LogFile for File {
    fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match self.write(bytes) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                written => return written,
            }
        }
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }

    fn stat(&self) -> io::Result<Stat> {
        let meta = self.metadata()?;
        Ok(Stat {
            identity: Identity::of(&meta),
            bytes: meta.len(),
            touched: (meta.ctime(), meta.ctime_nsec()),
        })
    }
}

#[cfg(test)]
mod tests;
