//! What each role must answer. The JSON schemas of these types are published under `docs/reference/schemas/`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CriterionId, PreparedCheck, Score, VerdictKind};

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
    /// The anchor of the rubric that fits; a criterion with a rubric is decided by it.
    #[serde(default)]
    pub anchor: Option<Score>,
    /// More than one quote, or evidence of another kind.
    #[serde(default)]
    pub evidence: Vec<Claim>,
}

/// Evidence as a judge gives it. The engine looks at each before it counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Claim {
    /// Words copied from the artifact; with a path and a line they must stand there.
    Quote {
        quote: String,
        #[serde(default)]
        path: Option<String>,
        #[serde(default)]
        line: Option<u32>,
    },
    /// A file of the tree that is there and not empty.
    File { path: String },
    /// A command that the engine ran in this evaluation, as the contract writes it.
    Command { command: String },
    /// `path:12`, `path:3-9`, `path#name`, or a commit of the repository.
    Citation { citation: String },
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
