//! Why an evaluation came to its score, and what would have been enough.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CriterionId, DimensionScore, Gates, LevelName, Reason, Score, Severity, Weight};

/// One scorecard taken apart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Explanation {
    pub phase: LevelName,
    pub score: Score,
    pub threshold: Score,
    pub passed: bool,
    /// The score as it was computed, line by line, with its numbers.
    pub formula: Vec<String>,
    pub criteria: Vec<CriterionShare>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dimensions: Vec<DimensionScore>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gates: Option<Gates>,
    /// Why the gate did not pass, in the order it was asked.
    pub reasons: Vec<Reason>,
    /// Absent: the gate passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needed: Option<Needed>,
}

/// What one criterion gave, and what it cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CriterionShare {
    pub id: CriterionId,
    pub severity: Severity,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dimension: Option<String>,
    pub holds: bool,
    /// Nobody decided it, because something before it failed; so it is not known what it cost.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub left_out: bool,
    pub weight: Weight,
    /// How much of its weight it earned.
    pub share: Score,
    /// How much higher the score would be if it alone held wholly.
    pub cost: Score,
    /// What it keeps shut or holds down.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<Blocks>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Blocks {
    /// It is of severity `fail`.
    Failing,
    MustPass,
    /// The gate of its name is shut.
    Trust,
    Goal,
    /// It passed before.
    Regressed,
    /// An anti-pattern that holds a score down.
    Cap,
}

impl Blocks {
    pub const fn name(self) -> &'static str {
        match self {
            Blocks::Failing => "failing",
            Blocks::MustPass => "must_pass",
            Blocks::Trust => "trust",
            Blocks::Goal => "goal",
            Blocks::Regressed => "regressed",
            Blocks::Cap => "cap",
        }
    }
}

/// Criteria that, had they held wholly, would have made the gate pass; none of them can be left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Needed {
    pub ids: Vec<CriterionId>,
    /// What the score would have been.
    pub score: Score,
}
