//! The files around a history: projections that people read, the artifact, stop requests. All written whole, by rename.

use std::path::Path;

use onus_model::{Alias, StopRequest};
use serde::{Deserialize, Serialize};

use crate::disk;
use crate::error::LedgerError;
use crate::head;
use crate::lock::Lock;
use crate::places::Places;

/// Leaves the folder's permissions to the user's mask.
pub(crate) const DIR_MODE: u32 = 0o777;
/// A projection of a run is a few KiB; a file far beyond that is not one.
const VIEW_BYTES_MAX: u64 = 16 << 20;
/// A stop request is one sentence.
const STOP_BYTES_MAX: u64 = 64 << 10;

/// Whether a file must survive a power cut, or can be made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    Synced,
    Relaxed,
}

/// Makes `.onus` with everything in it that others expect to be there.
pub(crate) fn prepare(places: &Places) -> Result<(), LedgerError> {
    let onus = places.onus();
    for folder in ["locks", "objects", "stop", "quarantine"] {
        disk::make_dir(&onus.join(folder), DIR_MODE)?;
    }
    let ignore = onus.join(".gitignore");
    if ignore.exists() {
        return Ok(());
    }
    disk::replace_shared(onus, &ignore, b"*\n", Durability::Relaxed)
}

/// Removes what a process that died left half-written. Under the run's lock.
pub(crate) fn sweep(places: &Places, alias: &Alias) -> Result<(), LedgerError> {
    for path in [places.history(alias), places.run_json(alias), places.artifact(alias)] {
        disk::remove(&disk::temporary(&path))?;
    }
    let _current = Lock::wait_for_current(places)?;
    disk::remove(&disk::temporary(&places.current()))
}

/// Replaces a file that people read. The caller holds the run, so nobody else writes the same path.
pub fn write_view(path: &Path, bytes: &[u8], durability: Durability) -> Result<(), LedgerError> {
    disk::replace(path, bytes, durability)
}

pub fn write_run_json(places: &Places, alias: &Alias, bytes: &[u8], durability: Durability) -> Result<(), LedgerError> {
    write_view(&places.run_json(alias), bytes, durability)
}

pub fn read_run_json(places: &Places, alias: &Alias) -> Result<Option<Vec<u8>>, LedgerError> {
    disk::is_real_dir(&places.run_dir(alias))?;
    disk::read_bounded(&places.run_json(alias), VIEW_BYTES_MAX)
}

pub fn write_artifact(places: &Places, alias: &Alias, bytes: &[u8], durability: Durability) -> Result<(), LedgerError> {
    write_view(&places.artifact(alias), bytes, durability)
}

/// The artifact as it lies there now, which may not be the recorded one. `None` if there is none.
pub fn read_artifact(places: &Places, alias: &Alias, bytes_max: u64) -> Result<Option<Vec<u8>>, LedgerError> {
    disk::is_real_dir(&places.run_dir(alias))?;
    disk::read_bounded(&places.artifact(alias), bytes_max)
}

/// `current.json` names the run that was started last. Runs share it, hence its own lock.
pub fn write_current(places: &Places, bytes: &[u8], durability: Durability) -> Result<(), LedgerError> {
    disk::make_dir(places.root(), DIR_MODE)?;
    let _current = Lock::wait_for_current(places)?;
    write_view(&places.current(), bytes, durability)
}

pub fn read_current(places: &Places) -> Result<Option<Vec<u8>>, LedgerError> {
    disk::read_bounded(&places.current(), VIEW_BYTES_MAX)
}

/// Removes `current.json` if its `task_alias` is this run. Says whether it was.
pub fn clear_current_if(places: &Places, alias: &Alias) -> Result<bool, LedgerError> {
    #[derive(Deserialize)]
    struct Current {
        task_alias: String,
    }
    let _current = Lock::wait_for_current(places)?;
    let names_it = read_current(places)?
        .and_then(|bytes| serde_json::from_slice::<Current>(&bytes).ok())
        .is_some_and(|current| current.task_alias == alias.as_str());
    if names_it {
        disk::remove(&places.current())?;
    }
    Ok(names_it)
}

#[derive(Serialize, Deserialize)]
struct StopFile {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    by: String,
}

/// Asks the process that holds a run to stop it at the next boundary. Requests replace each other.
pub fn write_stop_request(places: &Places, alias: &Alias, request: &StopRequest) -> Result<(), LedgerError> {
    prepare(places)?;
    let path = places.stop_request(alias);
    let file = StopFile {
        reason: request.reason.clone(),
        by: request.by.clone(),
    };
    let bytes = serde_json::to_vec(&file).map_err(|e| LedgerError::Encode {
        event: "stop request",
        source: Some(e),
    })?;
    disk::replace_shared(places.onus(), &path, &bytes, Durability::Relaxed)
}

/// Somebody's wish to stop the run, if there is one. A file that cannot be understood still is one.
pub fn read_stop_request(places: &Places, alias: &Alias) -> Result<Option<StopRequest>, LedgerError> {
    let unclear = StopFile {
        reason: None,
        by: "unknown".to_owned(),
    };
    let file = match disk::read_bounded(&places.stop_request(alias), STOP_BYTES_MAX) {
        Ok(None) => return Ok(None),
        Ok(Some(bytes)) => serde_json::from_slice(&bytes).unwrap_or(unclear),
        Err(LedgerError::TooLarge { .. }) => unclear,
        Err(e) => return Err(e),
    };
    Ok(Some(StopRequest {
        reason: file.reason,
        by: file.by,
    }))
}

pub fn clear_stop_request(places: &Places, alias: &Alias) -> Result<(), LedgerError> {
    disk::remove(&places.stop_request(alias))
}

/// All runs of the project, by name. A run has a history, a `run.json`, or a head that says there was a history; any other
/// folder is somebody else's, whatever its name.
pub fn list_aliases(places: &Places) -> Result<Vec<Alias>, LedgerError> {
    let entries = disk::entries(places.root())?.into_iter();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let is_run = |alias: &Alias| {
        places.history(alias).exists()
            || places.run_json(alias).exists()
            || head::load(&places.head(alias)).is_ok_and(|mark| mark.is_some())
    };
    Ok(folders
        .filter_map(|entry| Alias::new(entry.file_name().to_str()?).ok())
        .filter(is_run)
        .collect())
}

/// Removes a run that nobody works on: its folder, head, stop request and lock. Its objects stay for [`crate::objects::collect`].
pub fn remove_run(places: &Places, alias: &Alias) -> Result<(), LedgerError> {
    let run_dir = places.run_dir(alias);
    if !disk::is_real_dir(&run_dir)? {
        return Err(LedgerError::NoSuchRun(alias.clone()));
    }
    let _lock = Lock::acquire(places, alias)?;
    // The head first: without it, a removal that is cut short looks like a moved run and not like an attack.
    disk::remove(&places.head(alias))?;
    disk::remove_tree(&run_dir)?;
    clear_stop_request(places, alias)?;
    disk::remove(&places.lock(alias))
}

#[cfg(test)]
mod tests;
