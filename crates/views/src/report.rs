//! How a run ended: one structure, told as text or as JSON.

use onus_model::{
    Alias, CriterionId, Digest, DimensionScore, Gates, LevelName, RunId, Score, Status, StepError, VerdictKind,
};
use serde::Serialize;

use crate::escape::{for_terminal, one_line};
use crate::facts::{ArtifactStatus, RunFacts, artifact_status};
use crate::status::labelled;
use crate::style::Style;
use crate::words::{self, PHRASE_CHARS_MAX};

/// Serialises to the JSON report; [`FinalReport::text`] is the same for people.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FinalReport {
    pub run_id: RunId,
    pub task_alias: Alias,
    pub status: Status,
    pub passed: bool,
    pub iteration: u32,
    pub max_iterations: u32,
    pub phase: LevelName,
    pub threshold: Option<Score>,
    /// Only if the last evaluation speaks of the artifact as it is.
    pub final_score: Option<Score>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub final_score_unavailable: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_evaluated_score: Option<Score>,
    pub stop_reason: String,
    pub explanation: String,
    pub distance_to_success: Option<Distance>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dimensions: Vec<DimensionScore>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gates: Option<Gates>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub regressed: Vec<CriterionId>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub degraded: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oscillation: Option<String>,
    /// The lines about the five above and about spared questions.
    #[serde(skip)]
    particulars: Vec<(&'static str, String)>,
    pub completed_phase_seconds: u64,
    pub max_completed_phase_seconds: Option<u64>,
    pub overshoot_seconds: Option<u64>,
    pub artifact_status: ArtifactStatus,
    pub artifact: Option<String>,
    pub artifact_sha256: Option<Digest>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase_error: Option<StepError>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// What was missing when the iterations ran out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Distance {
    pub threshold: Score,
    pub score: Score,
    /// `threshold - score`, never below 0.
    pub gap: Score,
    pub failing_fail_rules: usize,
    pub blocking: Vec<CriterionId>,
    pub passed_rules: usize,
    pub total_rules: usize,
}

/// `next` is a hint of the face's: what to do now.
pub fn final_report(facts: &RunFacts, artifact_path: &str, next: Option<&str>) -> FinalReport {
    let status = artifact_status(facts);
    let card = facts.current_evaluation();
    let stale = facts.evaluation.as_ref().filter(|_| status == ArtifactStatus::Stale);
    let budget = facts.spec.limits.max_completed_step_seconds;
    FinalReport {
        run_id: facts.run_id.clone(),
        task_alias: facts.alias.clone(),
        status: facts.status,
        passed: facts.passed(),
        iteration: facts.iteration,
        max_iterations: facts.max_iterations,
        phase: facts.level.clone(),
        threshold: facts.spec.level(&facts.level).map(|level| level.threshold),
        final_score: card.map(|card| card.score),
        final_score_unavailable: status.reason(),
        last_evaluated_score: stale.map(|card| card.score),
        stop_reason: facts.stop_reason().to_owned(),
        explanation: explain(facts),
        distance_to_success: distance(facts),
        dimensions: card.map(|card| card.dimensions.clone()).unwrap_or_default(),
        gates: card.and_then(|card| card.gates.clone()),
        regressed: card.map(|card| card.regressed.clone()).unwrap_or_default(),
        degraded: card.map(|card| card.degraded.clone()).unwrap_or_default(),
        oscillation: facts.oscillation.clone(),
        particulars: particulars(facts),
        completed_phase_seconds: facts.completed_step_ms / 1000,
        max_completed_phase_seconds: budget,
        overshoot_seconds: facts
            .stop
            .as_ref()
            .and_then(|stop| stop.overshoot_seconds)
            .filter(|s| *s > 0),
        artifact_status: status,
        artifact: facts.artifact.as_ref().map(|_| artifact_path.to_owned()),
        artifact_sha256: facts.artifact.as_ref().map(|a| a.artifact_sha256),
        phase_error: facts.failure.as_ref().and(facts.last_phase_error.clone()),
        next: next.map(str::to_owned),
    }
}

fn particulars(facts: &RunFacts) -> Vec<(&'static str, String)> {
    let mut rows = facts.current_evaluation().map(words::particulars).unwrap_or_default();
    if let Some(oscillation) = &facts.oscillation {
        rows.push(("oscillation", one_line(oscillation, 2 * PHRASE_CHARS_MAX)));
    }
    rows
}

fn explain(facts: &RunFacts) -> String {
    match (&facts.stop, &facts.failure) {
        (Some(stop), _) => match &stop.by {
            Some(by) => format!("{} ({by})", words::stop(stop.rule)),
            None => words::stop(stop.rule).to_owned(),
        },
        (None, Some(message)) => message.clone(),
        (None, None) => "the run has not ended".to_owned(),
    }
}

/// Documented for the end of the iterations alone: elsewhere a run did not run out of tries.
fn distance(facts: &RunFacts) -> Option<Distance> {
    use onus_model::StopCondition::IterationLimit;
    let stop = facts
        .stop
        .as_ref()
        .filter(|stop| stop.rule == IterationLimit && !stop.passed)?;
    let card = facts.current_evaluation().filter(|card| !card.passed)?;
    let blocking: Vec<CriterionId> = match stop.blocking.as_slice() {
        [] => card.failed.iter().map(|f| f.id.clone()).collect(),
        named => named.to_vec(),
    };
    Some(Distance {
        threshold: card.threshold,
        score: card.score,
        gap: card.score.gap_to(card.threshold),
        failing_fail_rules: blocking.len(),
        blocking,
        passed_rules: card
            .rule_results
            .iter()
            .filter(|v| v.verdict == VerdictKind::Pass)
            .count(),
        total_rules: card.rule_results.len(),
    })
}

impl FinalReport {
    pub fn text(&self, style: Style) -> String {
        let gate = if self.passed {
            style.good("passed")
        } else {
            style.bad("not passed")
        };
        let mut text = format!("── {} | {} | {gate} ──\n", self.run_id, self.status);
        text.push_str(&labelled(&self.rows(), style));
        if let Some(distance) = &self.distance_to_success {
            text.push_str(&distance.text());
        }
        if let Some(error) = &self.phase_error {
            text.push_str(&error_text(error));
        }
        if let Some(next) = &self.next {
            text.push_str(&format!("\nnext: {}\n", for_terminal(next)));
        }
        text
    }

    fn rows(&self) -> Vec<(&'static str, String)> {
        let final_score = match (self.final_score, self.threshold, self.final_score_unavailable) {
            (Some(score), Some(threshold), _) => format!("{score} (threshold {threshold})"),
            (Some(score), None, _) => score.to_string(),
            (None, _, reason) => format!("unavailable ({})", reason.unwrap_or("no evaluation")),
        };
        let mut rows = vec![
            ("iteration", self.iteration.to_string()),
            ("max_iterations", self.max_iterations.to_string()),
            ("phase", self.phase.to_string()),
            ("final_score", final_score),
        ];
        if let Some(score) = self.last_evaluated_score {
            rows.push(("last_evaluated_score", score.to_string()));
        }
        let reason = one_line(&self.stop_reason, PHRASE_CHARS_MAX);
        rows.push((
            "stop_reason",
            format!("{reason} — {}", one_line(&self.explanation, 2 * PHRASE_CHARS_MAX)),
        ));
        let seconds = self.completed_phase_seconds;
        rows.push((
            "completed_phase_seconds",
            match (self.max_completed_phase_seconds, self.overshoot_seconds) {
                (Some(max), Some(over)) => format!("{seconds} of {max}, {over} over"),
                (Some(max), None) => format!("{seconds} of {max}"),
                (None, _) => seconds.to_string(),
            },
        ));
        rows.push(("artifact_status", self.artifact_status.name().to_owned()));
        if let (Some(path), Some(hash)) = (&self.artifact, self.artifact_sha256) {
            rows.push(("artifact", format!("{} ({})", for_terminal(path), hash.short())));
        }
        rows.extend(self.particulars.iter().cloned());
        rows
    }
}

impl Distance {
    fn text(&self) -> String {
        let Distance {
            threshold,
            score,
            gap,
            failing_fail_rules,
            passed_rules,
            total_rules,
            ..
        } = self;
        let blocking = words::ids(&self.blocking);
        format!(
            "\ndistance_to_success:\n  threshold:  {threshold}\n  score:      {score}\n  gap:        {gap}\n  \
             blocking:   {failing_fail_rules} ({blocking})\n  rules:      {passed_rules}/{total_rules} passed\n"
        )
    }
}

/// The error and the end of what the agent wrote.
fn error_text(error: &StepError) -> String {
    let kind = one_line(&error.kind, PHRASE_CHARS_MAX);
    let mut text = format!("\n{} failed ({kind}):\n{}", error.failed_step, quoted(&error.message));
    if !error.tail.trim().is_empty() {
        text.push_str("the end of its output:\n");
        text.push_str(&quoted(&error.tail));
    }
    text
}

/// The last lines of a foreign text, each marked as such.
pub(crate) fn quoted(text: &str) -> String {
    const LINES_MAX: usize = 20;
    const LINE_CHARS_MAX: usize = 200;
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let shown = &lines[lines.len().saturating_sub(LINES_MAX)..];
    let safe = |line: &&str| for_terminal(&line.chars().take(LINE_CHARS_MAX).collect::<String>());
    shown.iter().map(|line| format!("  | {}\n", safe(line))).collect()
}
