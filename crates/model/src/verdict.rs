//! Verdicts and the scorecard that gathers them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CriterionId, Digest, LevelName, Score, Severity};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VerdictKind {
    Pass,
    Fail,
    Warn,
    Na,
    /// Claimed to pass, but the evidence did not hold. Counts as a failure.
    Unverified,
}

/// One decision about one criterion on one artifact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    pub id: CriterionId,
    pub verdict: VerdictKind,
    pub details: String,
    pub source: VerdictSource,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
}

/// One observation with a place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// Relative to the tree; absent: it is about the whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// From 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    pub level: FindingLevel,
    pub message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FindingLevel {
    Error,
    Warning,
    Note,
}

/// Who decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VerdictSource {
    /// A check of the contract.
    Contract,
    /// A check that PREPARE made and the engine proved.
    Prepared,
    /// The evaluator agent, with evidence the engine verified.
    Evaluator,
    /// Nobody: the engine failed it closed.
    Engine,
}

/// What supports a verdict; all of it seen by the engine itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Evidence {
    /// A program the engine ran.
    Command {
        command: String,
        exit: Option<i32>,
        stdout_sha256: Digest,
    },
    /// A search the engine made: how often it matched and where first.
    Search {
        search: String,
        matches: u32,
        line: Option<u32>,
    },
    /// Words that stand in the artifact, at this line.
    Quote { quote: String, line: u32 },
    /// Files of the snapshot that the engine read.
    Files { files: u32 },
    /// Tests that the engine saw run, one by one.
    Tests {
        passed: u32,
        failed: u32,
        skipped: u32,
        missing: u32,
        report_sha256: Digest,
    },
    /// Lines that a report says were run.
    Coverage {
        covered: u64,
        total: u64,
        report_sha256: Digest,
    },
    /// A number that a program the engine ran printed last.
    Metric {
        name: String,
        value: String,
        stdout_sha256: Digest,
    },
    /// What differs from the base.
    Diff { files: u32, lines: u32 },
    /// An expression over other verdicts.
    Expression { expr: String },
}

/// All verdicts of one evaluation, and what the engine computed from them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Scorecard {
    /// First 8 hex digits of `artifact_sha256`.
    pub artifact_hash: String,
    pub artifact_sha256: Digest,
    pub contract_sha256: Digest,
    pub phase: LevelName,
    pub score: Score,
    pub threshold: Score,
    pub passed: bool,
    /// Criteria of severity `fail` that do not hold.
    pub failed: Vec<FailedCriterion>,
    /// Criteria of severity `warn` or `info` that do not hold.
    pub warnings: Vec<FailedCriterion>,
    pub rule_results: Vec<Verdict>,
}

impl Scorecard {
    /// Ids of everything that does not hold, blocking or not.
    pub fn failing_ids(&self) -> impl Iterator<Item = &CriterionId> {
        self.failed.iter().chain(&self.warnings).map(|f| &f.id)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FailedCriterion {
    pub id: CriterionId,
    pub severity: Severity,
    pub message: String,
}
