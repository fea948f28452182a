//! What can go wrong with a run's memory, and what a person can do about it.

use std::io;
use std::path::{Path, PathBuf};

use onus_model::{Alias, Digest, RunId};

use crate::lock::Holder;

#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    #[error("cannot {attempt} `{}`", path.display())]
    Io {
        attempt: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    #[error("run `{alias}` is held by {holder}")]
    Locked { alias: Alias, holder: Holder },
    #[error("alias `{0}` already has a history")]
    AliasTaken(Alias),
    #[error("run id `{run_id}` does not belong to alias `{alias}`")]
    WrongRun { alias: Alias, run_id: RunId },
    #[error("there is no run `{0}`")]
    NoSuchRun(Alias),
    #[error("the history of run `{0}` holds no whole event")]
    NoEvents(Alias),
    #[error("the history of run `{0}` was written by another tool and can only be read")]
    Foreign(Alias),
    #[error("the history of run `{alias}` cannot be authenticated: {why}")]
    Unauthenticated { alias: Alias, why: Unvouched },
    #[error("ledger `{}` is damaged at event {}", path.display(), source.seq)]
    Damaged { path: PathBuf, source: Damage },
    #[error("ledger `{}` ends at event {last_seq}, but event {head_seq} was recorded", path.display())]
    RolledBack {
        path: PathBuf,
        head_seq: u64,
        last_seq: u64,
    },
    #[error("ledger `{}` has another event {seq} than the one that was recorded", path.display())]
    HeadDiffers { path: PathBuf, seq: u64 },
    #[error("ledger `{}` {change} while the run was open", path.display())]
    Changed { path: PathBuf, change: Change },
    #[error("cannot {stage} ledger `{}`; the events are not recorded", path.display())]
    Append {
        path: PathBuf,
        stage: AppendStage,
        source: io::Error,
    },
    #[error("ledger `{}` takes no more events after an earlier failure", .0.display())]
    Poisoned(PathBuf),
    #[error("cannot record an event of {bytes} bytes; the limit is {limit}")]
    LineTooLong { bytes: usize, limit: usize },
    #[error("ledger `{}` would grow beyond {limit} bytes", path.display())]
    HistoryFull { path: PathBuf, limit: u64 },
    #[error("`{0}` is not a time stamp")]
    BadTimestamp(String),
    #[error("cannot write event `{event}` as JSON")]
    Encode {
        event: &'static str,
        #[source]
        source: Option<serde_json::Error>,
    },
    #[error("key file `{}` does not hold 64 hex digits", .0.display())]
    BadKey(PathBuf),
    #[error("`{}` must be a folder and not a link", .0.display())]
    NotADirectory(PathBuf),
    #[error("`{}` is {bytes} bytes; the limit is {limit}", path.display())]
    TooLarge { path: PathBuf, bytes: u64, limit: u64 },
    #[error("object `{0}` is missing")]
    ObjectMissing(Digest),
    #[error("object `{wanted}` is damaged: its content is `{found}`")]
    ObjectDamaged { wanted: Digest, found: Digest },
    #[error("the history of run `{0}` is not what it was when the repair was planned")]
    PlanChanged(Alias),
}

impl LedgerError {
    /// What to try next, for the faces to print.
    pub fn hint(&self) -> Option<String> {
        match self {
            LedgerError::Unauthenticated { alias, .. } => Some(format!(
                "`onus repair {alias} --adopt` accepts it as it is and keeps the old file"
            )),
            LedgerError::RolledBack { path, last_seq: 0, .. } => {
                let alias = path.parent()?.file_name()?.to_str()?;
                Some(format!(
                    "the history is gone: `onus clean {alias}` removes what is left, a new run needs another alias until then"
                ))
            }
            LedgerError::Changed {
                path,
                change: Change::Deleted,
            } => {
                let alias = path.parent()?.file_name()?.to_str()?;
                Some(format!(
                    "the history is gone: `onus clean {alias}` removes what is left"
                ))
            }
            LedgerError::Damaged { path, .. }
            | LedgerError::RolledBack { path, .. }
            | LedgerError::HeadDiffers { path, .. } => {
                let alias = path.parent()?.file_name()?.to_str()?;
                Some(format!("`onus repair {alias} --dry-run` shows what would be kept"))
            }
            LedgerError::AliasTaken(alias) => Some(format!(
                "`onus status {alias}` shows it; another alias starts a new run"
            )),
            LedgerError::NoEvents(alias) => Some(format!("`onus clean {alias}` removes it")),
            LedgerError::Append { source, .. } | LedgerError::Io { source, .. } => io_hint(source),
            LedgerError::Poisoned(_) | LedgerError::Changed { .. } => {
                Some("resume the run: its history is read again from disk".to_owned())
            }
            LedgerError::Locked { .. }
            | LedgerError::WrongRun { .. }
            | LedgerError::NoSuchRun(_)
            | LedgerError::Foreign(_)
            | LedgerError::LineTooLong { .. }
            | LedgerError::HistoryFull { .. }
            | LedgerError::BadTimestamp(_)
            | LedgerError::Encode { .. }
            | LedgerError::BadKey(_)
            | LedgerError::NotADirectory(_)
            | LedgerError::TooLarge { .. }
            | LedgerError::ObjectMissing(_)
            | LedgerError::ObjectDamaged { .. }
            | LedgerError::PlanChanged(_) => None,
        }
    }

    /// What the operating system said, if it was asked.
    pub fn io_kind(&self) -> Option<io::ErrorKind> {
        if let LedgerError::Io { source, .. } | LedgerError::Append { source, .. } = self {
            Some(source.kind())
        } else {
            None
        }
    }
}

fn io_hint(error: &io::Error) -> Option<String> {
    /// Has no kind of its own.
    const EIO: i32 = 5;
    let (kind, raw) = (error.kind(), error.raw_os_error());
    use io::ErrorKind::{QuotaExceeded, ReadOnlyFilesystem, StorageFull, WriteZero};
    if matches!(kind, StorageFull | QuotaExceeded | WriteZero) {
        Some("free some disk space, then resume the run".to_owned())
    } else if kind == ReadOnlyFilesystem {
        Some("the file system is mounted read-only".to_owned())
    } else if raw == Some(EIO) {
        Some("the disk is failing: see to it, then resume the run".to_owned())
    } else {
        None
    }
}

/// The first place where a history stops being trustworthy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{cause} at byte {offset}")]
pub struct Damage {
    /// The event that should stand here.
    pub seq: u64,
    /// Where its line begins.
    pub offset: u64,
    pub cause: Cause,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Cause {
    #[error("a line that is not in the ledger's form")]
    Form,
    #[error("a line that is too long")]
    TooLong,
    #[error("event number {0} out of order")]
    Seq(u64),
    #[error("an event of another run, `{0}`,")]
    Run(String),
    #[error("an event that does not continue the one before it")]
    Prev,
    #[error("an event that does not match its hash")]
    Hash,
    #[error("an event that was not sealed with this machine's key")]
    Mac,
    #[error("an event this version cannot read ({0})")]
    Record(String),
}

/// Why this machine cannot say who wrote a history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unvouched {
    #[error("this machine has no key")]
    NoKey,
    #[error("it was sealed with another key")]
    OtherKey,
}

/// What somebody else did to an open history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Change {
    #[error("was written to by somebody else")]
    Grown,
    #[error("was cut")]
    Cut,
    #[error("was replaced")]
    Replaced,
    #[error("was deleted")]
    Deleted,
    #[error("was rewritten in place")]
    Rewritten,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AppendStage {
    #[error("write to")]
    Write,
    #[error("sync")]
    Sync,
}

/// Names what was attempted on which path.
pub(crate) trait Attempt<T> {
    fn attempt(self, attempt: &'static str, path: &Path) -> Result<T, LedgerError>;
}

impl<T> Attempt<T> for io::Result<T> {
    fn attempt(self, attempt: &'static str, path: &Path) -> Result<T, LedgerError> {
        self.map_err(|source| LedgerError::Io {
            attempt,
            path: path.to_owned(),
            source,
        })
    }
}
