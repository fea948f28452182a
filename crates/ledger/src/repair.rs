//! A person's decision about a history that cannot be taken up as it is. Nothing is lost: what goes, goes to quarantine.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use onus_model::{Alias, Digest, Record};

use crate::disk;
use crate::error::{Attempt as _, Damage, LedgerError};
use crate::files;
use crate::key::Key;
use crate::ledger::Ledger;
use crate::lock::Lock;
use crate::places::Places;
use crate::read::survey_records;
use crate::scan::{Survey, survey};

/// More pieces than anybody keeps; a bound on the search for a free name.
const QUARANTINED_MAX: u32 = 10_000;

/// What is wrong with a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    Nothing,
    /// The last line was cut short.
    Torn,
    /// Everything from here on cannot be trusted.
    Damaged(Damage),
    /// Events that were recorded are gone.
    RolledBack {
        head_seq: u64,
        last_seq: u64,
    },
    /// Another event was recorded in this place.
    HeadDiffers {
        seq: u64,
    },
}

/// What a repair would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepairPlan {
    pub fault: Fault,
    pub keep_events: u64,
    pub keep_bytes: u64,
    pub drop_bytes: u64,
    pub dropped_sha256: Digest,
}

/// A run after its repair. The caller records `repaired`.
#[derive(Debug)]
pub struct Repaired {
    pub ledger: Ledger,
    pub records: Vec<Record>,
    /// Where the dropped bytes are now.
    pub quarantined: Option<PathBuf>,
}

/// A run after its adoption. The caller records `adopted`.
#[derive(Debug)]
pub struct Adopted {
    pub ledger: Ledger,
    pub records: Vec<Record>,
    /// The whole history as it was before.
    pub quarantined: PathBuf,
    /// Bytes at its end that did not continue the chain and were left behind.
    pub bytes_dropped: u64,
}

/// What [`repair`] would keep and drop. Changes nothing.
pub fn plan_repair(places: &Places, alias: &Alias) -> Result<RepairPlan, LedgerError> {
    let (survey, _) = survey_records(places, alias)?;
    let fault = fault(places, alias, &survey)?;
    let (keep_events, keep_bytes) = match &fault {
        Fault::Damaged(damage) => (damage.seq - 1, damage.offset),
        Fault::Nothing | Fault::Torn | Fault::RolledBack { .. } | Fault::HeadDiffers { .. } => {
            (survey.last.seq, survey.bytes)
        }
    };
    let path = places.history(alias);
    let mut file = open_history(places, alias)?;
    let (drop_bytes, dropped_sha256) = file
        .seek(SeekFrom::Start(keep_bytes))
        .and_then(|_| disk::digest_rest(&file))
        .attempt("read", &path)?;
    Ok(RepairPlan {
        fault,
        keep_events,
        keep_bytes,
        drop_bytes,
        dropped_sha256,
    })
}

fn fault(places: &Places, alias: &Alias, survey: &Survey) -> Result<Fault, LedgerError> {
    match survey.admit(places, alias) {
        Ok(()) if survey.torn.is_some() => Ok(Fault::Torn),
        Ok(()) => Ok(Fault::Nothing),
        Err(LedgerError::Damaged { source, .. }) => Ok(Fault::Damaged(source)),
        Err(LedgerError::RolledBack { head_seq, last_seq, .. }) => Ok(Fault::RolledBack { head_seq, last_seq }),
        Err(LedgerError::HeadDiffers { seq, .. }) => Ok(Fault::HeadDiffers { seq }),
        Err(other) => Err(other),
    }
}

/// Carries out the plan a person agreed to, and takes the run up. Refused if the history is not the one they saw.
pub fn repair(places: &Places, alias: &Alias, agreed: &RepairPlan) -> Result<Repaired, LedgerError> {
    disk::is_real_dir(&places.run_dir(alias))?;
    let lock = Lock::acquire(places, alias)?;
    if plan_repair(places, alias)? != *agreed {
        return Err(LedgerError::PlanChanged(alias.clone()));
    }
    if agreed.keep_events == 0 {
        return Err(LedgerError::NoEvents(alias.clone()));
    }
    let mut quarantined = None;
    if agreed.drop_bytes > 0 {
        quarantined = Some(quarantine(places, alias, agreed.keep_bytes)?);
        let path = places.history(alias);
        let cut = |file: File| file.set_len(agreed.keep_bytes).and_then(|()| file.sync_all());
        disk::open_regular(&path, OpenOptions::new().write(true))
            .and_then(cut)
            .attempt("cut", &path)?;
    }
    // The person vouches for what is left; opening it writes the head anew.
    disk::remove(&places.head(alias))?;
    let (ledger, records, _) = Ledger::open_locked(places, alias, lock)?;
    Ok(Repaired {
        ledger,
        records,
        quarantined,
    })
}

/// Seals a history with this machine's key after a person vouched for it, and takes the run up. Hashes stay as they are.
/// Whatever does not continue the chain is left behind.
pub fn adopt(places: &Places, alias: &Alias) -> Result<Adopted, LedgerError> {
    disk::is_real_dir(&places.run_dir(alias))?;
    let lock = Lock::acquire(places, alias)?;
    files::sweep(places, alias)?;
    let path = places.history(alias);
    // Made only once there is something to seal.
    let found = survey(places, alias, |_, _, _| Ok(()))?;
    if found.is_foreign() {
        return Err(LedgerError::Foreign(alias.clone()));
    }
    if found.last.seq == 0 {
        return Err(LedgerError::NoEvents(alias.clone()));
    }
    let key = Key::load_or_create(places)?;
    let quarantined = quarantine(places, alias, 0)?;

    let temporary = disk::temporary(&path);
    let file = disk::open_regular(&temporary, OpenOptions::new().write(true).create_new(true))
        .attempt("create", &temporary)?;
    let mut writer = BufWriter::new(file);
    let mut written = Ok(());
    survey(places, alias, |line, _, hash| {
        if written.is_ok() {
            written = writer.write_all(&line.reseal(&key, hash));
        }
        Ok(())
    })?;
    written
        .and_then(|()| writer.into_inner().map_err(io::IntoInnerError::into_error))
        .and_then(|file| file.sync_all())
        .attempt("write", &temporary)?;
    let before = open_history(places, alias)?.metadata().attempt("look at", &path)?.len();
    disk::rename(&temporary, &path)?;
    disk::remove(&places.head(alias))?;
    let (ledger, records, _) = Ledger::open_locked(places, alias, lock)?;
    Ok(Adopted {
        ledger,
        records,
        quarantined,
        bytes_dropped: before.saturating_sub(found.bytes),
    })
}

/// Copies the history from an offset on to a new file in quarantine, durably.
fn quarantine(places: &Places, alias: &Alias, from: u64) -> Result<PathBuf, LedgerError> {
    let folder = places.quarantine();
    disk::make_dir(&folder, files::DIR_MODE)?;
    let (path, mut copy) = create_numbered(&folder, alias)?;
    let mut history = open_history(places, alias)?;
    history
        .seek(SeekFrom::Start(from))
        .and_then(|_| io::copy(&mut history, &mut copy))
        .and_then(|_| copy.sync_all())
        .attempt("write", &path)?;
    disk::sync_parent(&path)?;
    Ok(path)
}

fn create_numbered(folder: &Path, alias: &Alias) -> Result<(PathBuf, File), LedgerError> {
    let mut taken = io::Error::from(io::ErrorKind::AlreadyExists);
    for n in 1..=QUARANTINED_MAX {
        let path = folder.join(format!("{alias}-{n}"));
        match disk::open_regular(&path, OpenOptions::new().write(true).create_new(true)) {
            Ok(file) => return Ok((path, file)),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => taken = e,
            Err(e) => return Err(e).attempt("create", &path),
        }
    }
    Err(taken).attempt("find a free name in", folder)
}

fn open_history(places: &Places, alias: &Alias) -> Result<File, LedgerError> {
    disk::open_to_read(&places.history(alias))?.ok_or_else(|| LedgerError::NoSuchRun(alias.clone()))
}

#[cfg(test)]
mod tests;
