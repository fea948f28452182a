//! How an evaluation goes and how its verdicts become a score: all of it frozen with the contract.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Digest, RoleBinding, Score, Weight};

/// Serde's question about a field that need not be written.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// From verdicts to a score and a gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Scoring {
    /// Empty: the score is the weight that passed over the weight that is active.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dimensions: Vec<Dimension>,
    /// Every dimension must reach the level's threshold on its own.
    #[serde(default, skip_serializing_if = "is_default")]
    pub strict: bool,
    /// A criterion that once passed must still pass at the end.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub ratchet: bool,
    /// What the criteria of gate `trust` must reach together. Those of gate `goal` must all hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust_threshold: Option<Score>,
    /// What to do when a revision scores lower than an earlier one.
    #[serde(default, skip_serializing_if = "is_default")]
    pub on_worse: OnWorse,
}

impl Default for Scoring {
    fn default() -> Scoring {
        Scoring {
            dimensions: Vec::new(),
            strict: false,
            ratchet: true,
            trust_threshold: None,
            on_worse: OnWorse::Keep,
        }
    }
}

const fn yes() -> bool {
    true
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
const fn is_yes(value: &bool) -> bool {
    *value
}

/// A weighted part of the score.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Dimension {
    pub name: String,
    pub weight: Weight,
    /// Absent: the level's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<Score>,
    /// It must reach its threshold whether the loop is strict or not.
    #[serde(default, skip_serializing_if = "is_default")]
    pub must_pass: bool,
}

/// Where the next revision starts when the last one was worse. The final artifact is never worse than an earlier one,
/// whatever is chosen here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnWorse {
    /// From the last one.
    #[default]
    Keep,
    /// From the best one so far.
    Rollback,
}

/// In which order criteria are decided, and what may be left out on the way.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Evaluation {
    /// Groups in their order. Criteria without a group come first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
    /// A failure of severity `fail` ends the evaluation after its group.
    #[serde(default, skip_serializing_if = "is_default")]
    pub stop_early: bool,
    /// A verdict is kept while the files that its criterion reads stay the same. A run is only completed by an evaluation
    /// in which nothing was kept.
    #[serde(default, skip_serializing_if = "is_default")]
    pub keep_verdicts: bool,
    /// How often a check is run again when it gave two results on one tree; it passes if all of these pass.
    #[serde(default, skip_serializing_if = "is_default")]
    pub flaky_runs: u32,
}

/// Who judges what no check decides, and what is asked of a judge.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Judging {
    /// Absent: the agent of role `evaluator` alone. Each is asked apart from the others; one that does not pass a
    /// criterion fails it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub judges: Vec<RoleBinding>,
    /// One call for each criterion instead of one for all.
    #[serde(default, skip_serializing_if = "is_default")]
    pub one_by_one: bool,
    /// The judge is also asked about work that must not pass. If it passes any of it, none of its passes counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub controls: Vec<JudgeControl>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub same_family: SameFamily,
}

/// Work that no honest judge passes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JudgeControl {
    /// Nothing at all.
    Empty,
    /// The artifact with everything taken out but its headings and what it says to its reader about judging.
    Hollow,
    /// A bad example from a file of the project.
    Twin { path: String, sha256: Digest },
}

/// What a judge of the producer's own model family means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SameFamily {
    /// Its verdicts count, and the run says `degraded`.
    #[default]
    Label,
    /// The loop does not start.
    Refuse,
}
