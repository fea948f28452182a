//! What can go wrong between a face and a run, sorted by what a caller can do about it.

use std::io;
use std::path::PathBuf;

use onus_ledger::LedgerError;
use onus_model::{Alias, ExitCode, Rejected, Status};

#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error("run `{alias}` has already ended: it is {status}")]
    Ended {
        alias: Alias,
        status: Status,
        /// The last error of a failed run, so that a person sees what went wrong.
        last_error: Option<String>,
    },
    #[error("{0}")]
    Configuration(String),
    /// The engine's own files could not be written or read; the run stays as it is.
    #[error("cannot {attempt} `{}`", path.display())]
    Storage {
        attempt: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    /// A person left before anything was recorded.
    #[error("interrupted; nothing was recorded")]
    Interrupted,
    #[error("the loop cannot run")]
    BadLoop(#[source] Rejected),
    #[error("{0}")]
    Integrity(String),
    #[error("{0}")]
    Internal(String),
}

impl EngineError {
    pub fn exit_code(&self) -> ExitCode {
        match self {
            EngineError::Ledger(error) => ledger_exit_code(error),
            EngineError::Ended { .. } => ExitCode::Usage,
            EngineError::Configuration(_) | EngineError::BadLoop(_) => ExitCode::Configuration,
            EngineError::Storage { .. } => ExitCode::Failed,
            EngineError::Interrupted => ExitCode::StoppedByUser,
            EngineError::Integrity(_) => ExitCode::Integrity,
            EngineError::Internal(_) => ExitCode::Internal,
        }
    }

    pub fn hint(&self) -> Option<String> {
        match self {
            EngineError::Ledger(error) => error.hint(),
            EngineError::Ended { alias, .. } => Some(format!(
                "`onus history {alias}` shows how it went; a new run needs another alias"
            )),
            EngineError::Storage { source, .. } if source.kind() == io::ErrorKind::StorageFull => {
                Some("free some disk space, then resume the run".to_owned())
            }
            EngineError::Storage { .. } => {
                Some("nothing recorded is lost: see to the disk, then resume the run".to_owned())
            }
            EngineError::Configuration(_)
            | EngineError::Interrupted
            | EngineError::BadLoop(_)
            | EngineError::Integrity(_)
            | EngineError::Internal(_) => None,
        }
    }
}

fn ledger_exit_code(error: &LedgerError) -> ExitCode {
    match error {
        LedgerError::AliasTaken(_)
        | LedgerError::NoSuchRun(_)
        | LedgerError::Foreign(_)
        | LedgerError::Locked { .. } => ExitCode::Usage,
        LedgerError::NoEvents(_)
        | LedgerError::Unauthenticated { .. }
        | LedgerError::Damaged { .. }
        | LedgerError::RolledBack { .. }
        | LedgerError::HeadDiffers { .. }
        | LedgerError::Changed { .. }
        | LedgerError::BadKey(_)
        | LedgerError::NotADirectory(_)
        | LedgerError::ObjectMissing(_)
        | LedgerError::ObjectDamaged { .. } => ExitCode::Integrity,
        LedgerError::Io { .. }
        | LedgerError::Append { .. }
        | LedgerError::Poisoned(_)
        | LedgerError::LineTooLong { .. }
        | LedgerError::HistoryFull { .. }
        | LedgerError::TooLarge { .. }
        | LedgerError::PlanChanged(_) => ExitCode::Failed,
        LedgerError::WrongRun { .. } | LedgerError::BadTimestamp(_) | LedgerError::Encode { .. } => ExitCode::Internal,
    }
}
