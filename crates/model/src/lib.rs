//! The words of Onus: what every other crate talks about.
//!
//! Nothing here decides or does anything. Types are plain data with serde forms; the JSON field names are the documented
//! ones of the files people read (`history.jsonl`, `run.json`), so a rename here is a format change.

pub mod answer;
pub mod check;
pub mod check_kind;
pub mod contract;
pub mod digest;
pub mod evaluation;
pub mod event;
pub mod exit;
pub mod explanation;
pub mod id;
pub mod input;
pub mod quantity;
pub mod snapshot;
pub mod step;
pub mod verdict;

pub use answer::{Claim, CritiqueAnswer, EvaluateAnswer, Issue, PlanAnswer, PrepareAnswer, RuleResult};
pub use check::{Check, CheckKind, CommandLine, Control, ExpectedContent, ExpectedRun, PreparedCheck, Repeat, Search};
pub use check_kind::{
    ArtifactCheck, Comparison, ContentType, CoverageCheck, CoverageFormat, DiffCheck, ExprCheck, Globs, HumanCheck,
    IntentCheck, LinksCheck, LintCheck, LintFormat, MarkerCheck, MetricCheck, OpenapiCheck, PatternCheck, PatternRule,
    SchemaCheck, SchemaSource, TestFormat, TestsCheck,
};
pub use contract::{
    AgentSpec, Anchor, ArtifactForm, Criterion, Cycle, Gate, GitUse, Level, Limits, LoopSpec, RoleBinding, Severity,
    Stagnation, StopCondition, StopRule, Task, TaskType, TemplateRef,
};
pub use digest::{CanonicalError, Digest, canonical_json, canonical_sha256};
pub(crate) use evaluation::is_default;
pub use evaluation::{Dimension, Evaluation, JudgeControl, Judging, OnWorse, SameFamily, Scoring};
pub use event::{
    ArtifactRef, Baseline, Changes, Confirmation, Confirmations, ContextFile, Event, FileEdit, ProgressNote, Record,
    RunStarted, Stamped, Status, StepError, StopDetails, StopReason,
};
pub use exit::ExitCode;
pub use explanation::{Blocks, CriterionShare, Explanation, Needed};
pub use id::{Alias, CriterionId, IdError, LevelName, RunId};
pub use input::{Boundary, Decision, Effect, Input, Rejected, StepOutput, StopRequest};
pub use quantity::{QuantityError, Score, Weight};
pub use snapshot::{FileEntry, LeftOut, Snapshot, TreePath, TreePathError};
pub use step::{Role, Stage, Step, StepTask};
pub use verdict::{
    DimensionScore, Effort, Evidence, FailedCriterion, Finding, FindingLevel, GateOutcome, GateResult, Gates, NextMove,
    Reason, Scorecard, Verdict, VerdictKind, VerdictSource, Vote,
};
