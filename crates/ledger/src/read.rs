//! Reading a history without its lock, for the faces: shows what is there and says how far to trust it.

use std::io::{BufRead as _, BufReader, Read as _};

use onus_model::{Alias, Record};

use crate::disk;
use crate::error::{Attempt as _, Cause, Damage, LedgerError};
use crate::ledger::HISTORY_BYTES_MAX;
use crate::line::LINE_BYTES_MAX;
use crate::places::Places;
use crate::scan::{Survey, Torn, survey};

#[derive(Debug, Clone, PartialEq)]
pub enum History {
    Chained(Chained),
    Foreign(Foreign),
}

/// A history of Onus's own. Records end where the chain does.
#[derive(Debug, Clone, PartialEq)]
pub struct Chained {
    pub records: Vec<Record>,
    /// While a process works on the run, this may be a line on its way to the disk.
    pub torn: Option<Torn>,
    pub damage: Option<Damage>,
    pub authenticity: Authenticity,
    pub head: HeadState,
}

/// A history in the documented plain form, written by another tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Foreign {
    pub lines: Vec<serde_json::Value>,
    /// Lines that are not JSON.
    pub unreadable: u64,
}

/// Whether the events were sealed with this machine's key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Authenticity {
    Sealed,
    /// This machine has no key to tell by.
    NoKey,
    /// From this event on (at the latest), they were not.
    Forged {
        seq: u64,
    },
}

/// What the head outside the project says about the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeadState {
    /// It names the last event.
    Newest,
    /// It names an earlier one: a process died between recording an event and noting it.
    Behind { seq: u64 },
    /// There is none: a moved project, or a lost state folder.
    Absent,
    /// It names an event that the history no longer has.
    RolledBack { head_seq: u64, last_seq: u64 },
    /// The history has another event in that place.
    Differs { seq: u64 },
}

/// Reads what can be read. Only a history that is not there, or not a file, is an error.
pub fn read(places: &Places, alias: &Alias) -> Result<History, LedgerError> {
    let (survey, records) = survey_records(places, alias)?;
    if survey.is_foreign() {
        return read_foreign(places, alias).map(History::Foreign);
    }
    Ok(History::Chained(Chained {
        records,
        torn: survey.torn,
        damage: survey.damage,
        authenticity: survey.authenticity,
        head: survey.head,
    }))
}

pub(crate) fn survey_records(places: &Places, alias: &Alias) -> Result<(Survey, Vec<Record>), LedgerError> {
    let mut records = Vec::new();
    let survey = survey(places, alias, |line, offset, _| {
        if offset > HISTORY_BYTES_MAX {
            return Err(Cause::TooLong);
        }
        records.push(line.record()?);
        Ok(())
    })?;
    Ok((survey, records))
}

fn read_foreign(places: &Places, alias: &Alias) -> Result<Foreign, LedgerError> {
    let path = places.history(alias);
    let file = disk::open_to_read(&path)?.ok_or_else(|| LedgerError::NoSuchRun(alias.clone()))?;
    let mut reader = BufReader::new(file.take(HISTORY_BYTES_MAX));
    let mut foreign = Foreign {
        lines: Vec::new(),
        unreadable: 0,
    };
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        let limit = LINE_BYTES_MAX as u64;
        if reader
            .by_ref()
            .take(limit)
            .read_until(b'\n', &mut buffer)
            .attempt("read", &path)?
            == 0
        {
            return Ok(foreign);
        }
        match serde_json::from_slice(&buffer) {
            Ok(value) => foreign.lines.push(value),
            Err(_) if buffer.trim_ascii().is_empty() => {}
            Err(_) => foreign.unreadable += 1,
        }
    }
}

#[cfg(test)]
mod tests;
