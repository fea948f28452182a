//! Verdicts and the scorecard that gathers them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CriterionId, Digest, LevelName, Score, Severity, is_default};

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
    /// How well it holds by its rubric; absent: wholly or not at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<Score>,
    /// What each judge said, where judges decided.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub votes: Vec<Vote>,
    /// What it was decided from: the verdict may be kept while this stays the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reads_sha256: Option<Digest>,
    /// Kept from an earlier evaluation of the same content; nothing was run or asked.
    #[serde(default, skip_serializing_if = "is_default")]
    pub kept: bool,
    /// The check gave different results on the same content.
    #[serde(default, skip_serializing_if = "is_default")]
    pub flaky: bool,
    /// A judge's new complaint about words it had already passed: shown, and not held against the work.
    #[serde(default, skip_serializing_if = "is_default")]
    pub advisory: bool,
    /// Not decided at all, because a group before it failed. Counts as a failure.
    #[serde(default, skip_serializing_if = "is_default")]
    pub left_out: bool,
}

impl Verdict {
    /// A verdict with nothing beside it.
    pub fn bare(id: CriterionId, verdict: VerdictKind, details: impl Into<String>, source: VerdictSource) -> Verdict {
        Verdict {
            id,
            verdict,
            details: details.into(),
            source,
            evidence: Vec::new(),
            findings: Vec::new(),
            anchor: None,
            votes: Vec::new(),
            reads_sha256: None,
            kept: false,
            flaky: false,
            advisory: false,
            left_out: false,
        }
    }
}

/// One judge's word on one criterion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Vote {
    pub judge: String,
    /// After its evidence was looked at.
    pub verdict: VerdictKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<Score>,
    pub details: String,
    /// It gave evidence that contradicts what the engine saw.
    #[serde(default, skip_serializing_if = "is_default")]
    pub fabricated: bool,
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
    Quote {
        quote: String,
        /// The file of the tree; absent: the artifact is one file.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<String>,
        line: u32,
    },
    /// A place that a judge cited and the engine found: `path:12`, `path:3-9`, `path#name` or a commit.
    Citation { citation: String },
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
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dimensions: Vec<DimensionScore>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gates: Option<Gates>,
    /// Criteria that passed earlier in this run and do not now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub regressed: Vec<CriterionId>,
    /// Why the gate did not pass, in the order it was asked; empty when it passed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
    /// Questions to judges that an evaluation of everything would have asked and this one did not.
    #[serde(default, skip_serializing_if = "Effort::is_nothing")]
    pub effort: Effort,
    /// Why judges' words weigh less here, for example a judge of the producer's own family.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub degraded: Vec<String>,
}

/// What one part of the score came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DimensionScore {
    pub name: String,
    pub weight: crate::Weight,
    pub score: Score,
    pub threshold: Score,
    /// The criterion whose anti-pattern held the score down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capped_by: Option<CriterionId>,
}

/// The two gates and what they mean together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Gates {
    pub trust: GateResult,
    pub goal: GateResult,
    pub next: NextMove,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GateResult {
    pub result: GateOutcome,
    pub score: Score,
    pub met: u32,
    pub of: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GateOutcome {
    Pass,
    Fail,
    /// Something that only a person can say is still open.
    Blocked,
    /// The contract has no criterion of this gate.
    NoContract,
}

/// The decision matrix of the two gates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NextMove {
    Complete,
    /// It can be believed and is not what was asked: try another way.
    Pivot,
    /// It cannot be believed yet.
    Rework,
    Blocked,
}

/// One thing that kept the gate shut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum Reason {
    /// Criteria of severity `fail` that do not hold.
    Failing {
        ids: Vec<CriterionId>,
    },
    MustPass {
        ids: Vec<CriterionId>,
    },
    Threshold {
        score: Score,
        threshold: Score,
    },
    Dimension {
        name: String,
        score: Score,
        threshold: Score,
    },
    Trust {
        score: Score,
        threshold: Score,
    },
    Goal {
        met: u32,
        of: u32,
    },
    Regressed {
        ids: Vec<CriterionId>,
    },
}

/// What the evaluation asked of judges, and what it was spared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Effort {
    /// Criteria put to judges, each judge counted.
    pub asked: u32,
    /// Spared because a verdict was kept.
    pub kept: u32,
    /// Spared because a group before had failed.
    pub left_out: u32,
}

impl Effort {
    pub fn is_nothing(&self) -> bool {
        *self == Effort::default()
    }
}

impl Scorecard {
    /// Every verdict was decided in this very evaluation.
    pub fn is_fresh(&self) -> bool {
        !self.rule_results.iter().any(|verdict| verdict.kept)
    }

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
