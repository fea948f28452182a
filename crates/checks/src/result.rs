//! What one deterministic check showed.

use onus_model::{Evidence, Finding};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckResult {
    pub outcome: Outcome,
    /// One line for people: what was seen against what was expected.
    pub why: String,
    pub evidence: Evidence,
    /// Where; also of checks that passed with a warning.
    pub findings: Vec<Finding>,
}

/// Only `Passed` passes anything. The ways of not passing differ when a check is itself checked: one that has not run has
/// not shown that it can fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Passed,
    Failed,
    /// Nothing was shown, and the work may be why: no time left, no report, no file to look at.
    CouldNotRun,
    /// Nothing can be shown, whatever the work is: the check itself is wrong, or what it needs is not there.
    Unusable,
}

impl CheckResult {
    pub fn passed(&self) -> bool {
        self.outcome == Outcome::Passed
    }
}

/// Why a set of checks can decide nothing about any work: the first reason, if there is one.
pub fn unusable(results: &[CheckResult]) -> Option<&str> {
    let broken = results.iter().find(|result| result.outcome == Outcome::Unusable);
    broken.map(|result| result.why.as_str())
}

/// The most findings one check reports; the line for people says how many there were.
pub const FINDINGS_MAX: usize = 200;

/// A tree of files to look at. Whoever has it decides how it is read; looking changes nothing.
pub trait Files {
    /// All paths, sorted, relative, with `/`.
    fn paths(&self) -> Vec<&str>;

    /// A file's bytes; `None` if it is not there or larger than may be read.
    fn read(&self, path: &str) -> Option<Vec<u8>>;
}

/// A program the engine ran, and what it left where it was told to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    pub end: crate::RunEnd,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// The report file, where the check names one and the program wrote it.
    pub report: Option<Vec<u8>>,
}
