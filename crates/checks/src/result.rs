//! What one deterministic check showed.

use onus_model::Evidence;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckResult {
    pub outcome: Outcome,
    /// One line for people: what was seen against what was expected.
    pub why: String,
    pub evidence: Evidence,
}

/// Only `Passed` passes anything. The two ways of not passing differ when a check is itself checked: one that cannot run
/// has not shown that it can fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Passed,
    Failed,
    CouldNotRun,
}

impl CheckResult {
    pub fn passed(&self) -> bool {
        self.outcome == Outcome::Passed
    }
}
