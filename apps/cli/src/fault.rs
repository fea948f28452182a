//! What went wrong, as a person reads it: one message, its causes, what to do next, and an exit code.

use std::fmt::Write as _;

use onus_engine::EngineError;
use onus_ledger::LedgerError;
use onus_model::ExitCode;
use onus_views::for_terminal;

/// The one error type of the command line. A failed gate is a result, not one of these.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) exit: ExitCode,
    message: String,
    causes: Vec<String>,
    hints: Vec<String>,
    /// Text that is printed as it is, before everything else: source snippets.
    listing: String,
}

impl Fault {
    pub(crate) fn new(exit: ExitCode, message: impl Into<String>) -> Fault {
        Fault {
            exit,
            message: message.into(),
            causes: Vec::new(),
            hints: Vec::new(),
            listing: String::new(),
        }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Fault {
        Fault::new(ExitCode::Usage, message)
    }

    pub(crate) fn configuration(message: impl Into<String>) -> Fault {
        Fault::new(ExitCode::Configuration, message)
    }

    pub(crate) fn internal(message: impl Into<String>) -> Fault {
        Fault::new(ExitCode::Internal, message)
    }

    /// Problems in a file, already rendered with their places.
    pub(crate) fn with_listing(mut self, listing: String) -> Fault {
        self.listing = listing;
        self
    }

    pub(crate) fn because(mut self, error: &dyn std::error::Error) -> Fault {
        let mut source = Some(error);
        while let Some(cause) = source {
            self.causes.push(cause.to_string());
            source = cause.source();
        }
        self
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Fault {
        self.hints.push(hint.into());
        self
    }

    /// The whole text for standard error.
    pub(crate) fn text(&self) -> String {
        let mut text = self.listing.clone();
        let _ = writeln!(text, "error: {}", for_terminal(&self.message));
        for cause in &self.causes {
            let _ = writeln!(text, "caused by: {}", for_terminal(cause));
        }
        if !self.hints.is_empty() {
            text.push('\n');
        }
        for hint in &self.hints {
            let _ = writeln!(text, "hint: {}", for_terminal(hint));
        }
        text
    }
}

impl From<EngineError> for Fault {
    fn from(error: EngineError) -> Fault {
        let mut fault = Fault::new(error.exit_code(), error.to_string());
        if let Some(source) = std::error::Error::source(&error) {
            fault = fault.because(source);
        }
        if let EngineError::Ended {
            last_error: Some(last), ..
        } = &error
        {
            fault.causes.push(last.clone());
        }
        match error.hint() {
            Some(hint) => fault.hint(hint),
            None => fault,
        }
    }
}

impl From<LedgerError> for Fault {
    fn from(error: LedgerError) -> Fault {
        EngineError::from(error).into()
    }
}
