//! Exit codes: they speak of the gate, not of the status word.

/// What the process says to its caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitCode {
    /// The gate passed.
    Passed = 0,
    /// The run ended, or a check ran, without passing.
    NotPassed = 1,
    Usage = 2,
    Configuration = 3,
    /// A person has to decide something.
    Waiting = 4,
    StoppedByUser = 5,
    /// An agent, a step or the storage failed.
    Failed = 6,
    /// What is on disk is not what was recorded.
    Integrity = 7,
    Internal = 70,
}

impl ExitCode {
    pub const ALL: [ExitCode; 9] = [
        ExitCode::Passed,
        ExitCode::NotPassed,
        ExitCode::Usage,
        ExitCode::Configuration,
        ExitCode::Waiting,
        ExitCode::StoppedByUser,
        ExitCode::Failed,
        ExitCode::Integrity,
        ExitCode::Internal,
    ];

    pub const fn code(self) -> u8 {
        self as u8
    }

    pub const fn meaning(self) -> &'static str {
        match self {
            ExitCode::Passed => "the gate passed",
            ExitCode::NotPassed => "ended without passing",
            ExitCode::Usage => "wrong usage of the command line",
            ExitCode::Configuration => "the loop file or its set-up is wrong",
            ExitCode::Waiting => "waiting for a person",
            ExitCode::StoppedByUser => "stopped by the user",
            ExitCode::Failed => "failed: an agent, a step or the storage",
            ExitCode::Integrity => "integrity violation: the files are not what was recorded",
            ExitCode::Internal => "internal error",
        }
    }
}
