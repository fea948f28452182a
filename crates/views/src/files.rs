//! `run.json` and `current.json` as their readers know them: documented keys in documented order, and everything that is
//! Onus's own under one key.

use onus_model::{
    Alias, Criterion, CriterionId, Digest, Issue, Level, LevelName, PreparedCheck, RunId, Scorecard, Severity, Status,
    Step,
};
use serde::{Serialize, Serializer};

use crate::facts::{ArtifactStatus, RunFacts, artifact_status};

#[derive(Debug, Serialize)]
pub struct RunJson<'a> {
    run_id: &'a RunId,
    task_alias: &'a Alias,
    status: Status,
    iteration: u32,
    max_iterations: u32,
    phase: &'a LevelName,
    current_step: &'a str,
    task: TaskJson<'a>,
    criteria: CriteriaJson<'a>,
    plan: &'a [String],
    prepared_checks: Option<&'a [PreparedCheck]>,
    evaluation: Option<&'a Scorecard>,
    critique: Option<&'a [Issue]>,
    stop: StopJson<'a>,
    #[serde(serialize_with = "number")]
    last_score: f64,
    stagnation_count: u32,
    max_completed_phase_seconds: Option<u64>,
    completed_phase_seconds: u64,
    phase_started_epoch_seconds: Option<i64>,
    created_at: &'a str,
    updated_at: &'a str,
    onus: Additions<'a>,
}

#[derive(Debug, Serialize)]
struct TaskJson<'a> {
    prompt: &'a str,
    ideal_result: &'a str,
}

#[derive(Debug, Serialize)]
struct CriteriaJson<'a> {
    name: &'a str,
    version: u32,
    #[serde(serialize_with = "levels")]
    phase: &'a [Level],
    rules: Vec<RuleJson<'a>>,
}

#[derive(Debug, Serialize)]
struct LevelJson<'a> {
    #[serde(serialize_with = "number")]
    threshold: f64,
    active_levels: &'a [LevelName],
}

#[derive(Debug, Serialize)]
struct RuleJson<'a> {
    id: &'a CriterionId,
    description: &'a str,
    severity: Severity,
    #[serde(serialize_with = "number")]
    weight: f64,
    phase: &'a LevelName,
    check: &'a str,
}

#[derive(Debug, Serialize)]
struct StopJson<'a> {
    passed: bool,
    reason: &'a str,
}

/// What the documented file has no place for.
#[derive(Debug, Serialize)]
struct Additions<'a> {
    preset: &'a str,
    task_type: &'static str,
    contract_sha256: Digest,
    artifact_sha256: Option<Digest>,
    artifact_status: ArtifactStatus,
    failure: Option<&'a str>,
    failed_step: Option<Step>,
}

pub fn run_json(facts: &RunFacts) -> RunJson<'_> {
    let spec = &facts.spec;
    RunJson {
        run_id: &facts.run_id,
        task_alias: &facts.alias,
        status: facts.status,
        iteration: facts.iteration,
        max_iterations: facts.max_iterations,
        phase: &facts.level,
        current_step: &facts.current_step,
        task: TaskJson {
            prompt: &facts.task.prompt,
            ideal_result: &facts.task.ideal_result,
        },
        criteria: CriteriaJson {
            name: &spec.name,
            version: spec.version,
            phase: &spec.levels,
            rules: spec.criteria.iter().map(rule).collect(),
        },
        plan: &facts.plan,
        prepared_checks: facts.prepared_checks.as_deref(),
        evaluation: facts.evaluation.as_ref(),
        critique: facts.critique.as_deref(),
        stop: StopJson {
            passed: facts.passed(),
            reason: facts.stop_reason(),
        },
        last_score: facts.last_score.into(),
        stagnation_count: facts.stagnation_count,
        max_completed_phase_seconds: spec.limits.max_completed_step_seconds,
        completed_phase_seconds: facts.completed_step_ms / 1000,
        phase_started_epoch_seconds: facts.step_started_at.as_deref().and_then(epoch_seconds),
        created_at: &facts.created_at,
        updated_at: &facts.updated_at,
        onus: Additions {
            preset: &spec.preset,
            task_type: facts.task.task_type.name(),
            contract_sha256: facts.contract_sha256,
            artifact_sha256: facts.artifact.as_ref().map(|a| a.artifact_sha256),
            artifact_status: artifact_status(facts),
            failure: facts.failure.as_deref(),
            failed_step: facts
                .failure
                .as_ref()
                .and(facts.last_phase_error.as_ref())
                .map(|e| e.failed_step),
        },
    }
}

/// The file's text, pretty-printed.
pub fn run_json_text(facts: &RunFacts) -> Result<String, serde_json::Error> {
    text(&run_json(facts))
}

/// The pointer to the active run.
#[derive(Debug, Serialize)]
pub struct CurrentJson<'a> {
    active_run_id: &'a RunId,
    task_alias: &'a Alias,
    status: Status,
    updated_at: &'a str,
}

pub fn current_json(facts: &RunFacts) -> CurrentJson<'_> {
    CurrentJson {
        active_run_id: &facts.run_id,
        task_alias: &facts.alias,
        status: facts.status,
        updated_at: &facts.updated_at,
    }
}

/// The file's text, pretty-printed.
pub fn current_json_text(facts: &RunFacts) -> Result<String, serde_json::Error> {
    text(&current_json(facts))
}

fn text(value: &impl Serialize) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(value).map(|json| json + "\n")
}

/// The six documented fields; the contract's own checks stay in the ledger.
fn rule(criterion: &Criterion) -> RuleJson<'_> {
    RuleJson {
        id: &criterion.id,
        description: &criterion.description,
        severity: criterion.severity,
        weight: criterion.weight.into(),
        phase: &criterion.level,
        check: &criterion.check,
    }
}

fn epoch_seconds(timestamp: &str) -> Option<i64> {
    timestamp
        .parse::<jiff::Timestamp>()
        .ok()
        .map(jiff::Timestamp::as_second)
}

fn levels<S: Serializer>(levels: &[Level], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(levels.iter().map(|level| (&level.name, level_json(level))))
}

fn level_json(level: &Level) -> LevelJson<'_> {
    LevelJson {
        threshold: level.threshold.into(),
        active_levels: &level.active_levels,
    }
}

/// Whole numbers without a point, as the documents write them: `2`, not `2.0`.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "the form serde asks for")]
fn number<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    // Scores and weights are at most 1e6, so a whole one fits.
    #[allow(clippy::cast_possible_truncation)]
    let whole = *value as i64;
    if value.fract() == 0.0 {
        serializer.serialize_i64(whole)
    } else {
        serializer.serialize_f64(*value)
    }
}
