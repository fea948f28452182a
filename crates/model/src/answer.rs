//! What each role must answer. The JSON schemas of these types are published under `docs/reference/schemas/`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CriterionId, PreparedCheck, VerdictKind};

/// PLAN: three to five short steps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanAnswer {
    pub plan: Vec<String>,
}

/// PREPARE: at least one check for each criterion that was asked about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PrepareAnswer {
    pub checks: Vec<PreparedCheck>,
}

/// EVALUATE: one result for each criterion that was asked about. Scores an evaluator may add are ignored: the engine
/// computes every number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EvaluateAnswer {
    pub rule_results: Vec<RuleResult>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RuleResult {
    pub id: CriterionId,
    pub verdict: VerdictKind,
    #[serde(default)]
    pub details: String,
    /// Words copied from the artifact that show why. A pass without a quote that stands there is unverified.
    #[serde(default)]
    pub quote: Option<String>,
}

/// CRITIQUE: what to fix, at most five issues, one failing criterion each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CritiqueAnswer {
    pub issues: Vec<Issue>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Issue {
    pub rule_id: CriterionId,
    pub problem: String,
    pub fix_instruction: String,
    #[serde(default)]
    pub expected_effect: String,
}
