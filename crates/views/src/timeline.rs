//! The history, one line for each event: stored, live or written by another program.

use onus_model::{ArtifactRef, Event, FileEdit, LoopSpec, ProgressNote, Record, RunStarted, Scorecard, StepError};
use serde_json::Value;

use crate::escape::one_line;
use crate::words::{self, PHRASE_CHARS_MAX};

/// All records, oldest first.
pub fn timeline(records: &[Record]) -> String {
    records.iter().map(|record| record_line(record) + "\n").collect()
}

/// One record: number, time, iteration/level, step, event, and what matters about it.
pub fn record_line(record: &Record) -> String {
    let stamped = &record.stamped;
    line(&Columns {
        seq: &record.seq.to_string(),
        ts: &record.ts,
        place: &format!("{}/{}", stamped.iteration, stamped.phase),
        step: &stamped.step,
        event: stamped.event.name(),
        detail: &detail(&stamped.event),
    })
}

/// The same for a history that Onus did not write: lines with the documented keys, or whatever is there of them.
pub fn foreign_timeline(lines: &[Value]) -> String {
    let text = |value: &Value, key: &str| match value.get(key) {
        Some(Value::String(text)) => one_line(text, PHRASE_CHARS_MAX),
        Some(Value::Null) | None => "-".to_owned(),
        Some(other) => one_line(&other.to_string(), PHRASE_CHARS_MAX),
    };
    let told = |(number, value): (usize, &Value)| {
        line(&Columns {
            seq: &number.to_string(),
            ts: &text(value, "ts"),
            place: &format!("{}/{}", text(value, "iteration"), text(value, "phase")),
            step: &text(value, "step"),
            event: &text(value, "event"),
            detail: &if value.is_object() {
                value.get("payload").map(scalars).unwrap_or_default()
            } else {
                scalars(value)
            },
        }) + "\n"
    };
    (1..).zip(lines).map(told).collect()
}

struct Columns<'a> {
    seq: &'a str,
    ts: &'a str,
    place: &'a str,
    step: &'a str,
    event: &'a str,
    detail: &'a str,
}

/// Widths are those of the longest documented words, so a line looks the same alone and in a list.
fn line(columns: &Columns<'_>) -> String {
    let Columns {
        seq,
        ts,
        place,
        step,
        event,
        detail,
    } = columns;
    let (ts, step) = (one_line(ts, 40), one_line(step, 40));
    let line = format!("{seq:>4}  {ts:<20}  {place:<5}  {step:<15}  {event:<18}  {detail}");
    line.trim_end().to_owned()
}

/// `score=0.72 passed=false failed=[2]`: plain values in full, nested ones by size.
fn scalars(payload: &Value) -> String {
    let form = |(key, value): (&String, &Value)| match value {
        Value::Array(items) => format!("{key}=[{}]", items.len()),
        Value::Object(map) => format!("{key}={{{}}}", map.len()),
        Value::String(text) => format!("{key}={text}"),
        Value::Null | Value::Bool(_) | Value::Number(_) => format!("{key}={value}"),
    };
    match payload {
        Value::Object(map) => one_line(&map.iter().map(form).collect::<Vec<_>>().join(" "), PHRASE_CHARS_MAX),
        Value::Null => String::new(),
        Value::Array(_) | Value::String(_) | Value::Bool(_) | Value::Number(_) => {
            one_line(&payload.to_string(), PHRASE_CHARS_MAX)
        }
    }
}

fn detail(event: &Event) -> String {
    let short = |text: &str| one_line(text, PHRASE_CHARS_MAX);
    let long = |text: &str| one_line(text, 2 * PHRASE_CHARS_MAX);
    match event {
        Event::RunStarted(start) => opening(start),
        Event::PlanCreated { plan, note } => words::plan(plan) + &took(*note),
        Event::ArtifactCreated { artifact, note } | Event::RefinementDone { artifact, note, .. } => {
            made(artifact) + &took(*note)
        }
        Event::ChecksPrepared { checks, note } => {
            let proven = checks.iter().filter(|check| check.control.counts()).count();
            format!(
                "{}, {proven} proven{}",
                words::count(checks.len(), "check", "checks"),
                took(*note)
            )
        }
        Event::EvaluationDone { scorecard, note } => evaluation(scorecard) + &took(*note),
        Event::CritiqueDone { issues, note } => {
            let about = words::ids(issues.iter().map(|issue| &issue.rule_id));
            format!(
                "{}: {about}{}",
                words::count(issues.len(), "issue", "issues"),
                took(*note)
            )
        }
        Event::ArtifactRestored {
            artifact,
            score,
            replaced,
        } => format!(
            "{} with score {score} is better than {}",
            artifact.artifact_sha256.short(),
            replaced.short()
        ),
        Event::EditRefused(edit) => refused(edit),
        Event::PhaseSwitched { from, to } => format!("{from} -> {to}"),
        Event::IterationAdvanced { iteration } => format!("iteration {iteration}"),
        Event::PhaseError {
            error,
            attempt,
            will_retry,
        } => failure(error, *attempt, *will_retry),
        Event::Stopped(stop) => {
            let gate = if stop.passed { "passed" } else { "not passed" };
            format!("{}, {gate}: {}", stop.outcome, short(&stop.reason))
        }
        Event::Failed { reason, message } => format!("{}: {}", short(reason), long(message)),
        Event::Resumed { by, engine } => format!("by {}, {}", short(by), short(engine)),
        Event::TailRepaired {
            bytes_dropped,
            dropped_sha256,
        } => {
            format!(
                "a half-written last line of {bytes_dropped} bytes was removed ({})",
                dropped_sha256.short()
            )
        }
        Event::Adopted { by, reason } => format!("by {}: {}", short(by), short(reason)),
        Event::Repaired {
            by,
            bytes_dropped,
            dropped_sha256,
        } => {
            let hash = dropped_sha256.short();
            format!(
                "by {}: {bytes_dropped} damaged bytes at the end were removed ({hash})",
                short(by)
            )
        }
    }
}

/// `1a2b3c4d, 120 bytes, added Errors`.
fn made(artifact: &ArtifactRef) -> String {
    let ArtifactRef {
        artifact_sha256,
        bytes,
        changed,
    } = artifact;
    format!(
        "{}, {bytes} bytes, {}",
        artifact_sha256.short(),
        words::changes(changed)
    )
}

fn refused(edit: &FileEdit) -> String {
    let what = if edit.found_sha256.is_some() {
        "changed"
    } else {
        "removed"
    };
    let path = one_line(&edit.path, PHRASE_CHARS_MAX);
    format!("`{path}` was {what} during the run; what was frozen stays")
}

fn failure(error: &StepError, attempt: u32, will_retry: bool) -> String {
    let then = if will_retry { "to be tried again" } else { "given up" };
    let StepError {
        failed_step,
        kind,
        message,
        ..
    } = error;
    format!(
        "{failed_step} ({}), attempt {attempt}, {then}: {}",
        one_line(kind, PHRASE_CHARS_MAX),
        one_line(message, 2 * PHRASE_CHARS_MAX)
    )
}

fn opening(start: &RunStarted) -> String {
    let LoopSpec {
        preset,
        criteria,
        limits,
        ..
    } = &*start.spec;
    format!(
        "{}, {}, at most {}, contract {}",
        one_line(preset, PHRASE_CHARS_MAX),
        words::count(criteria.len(), "criterion", "criteria"),
        words::count(limits.max_iterations as usize, "iteration", "iterations"),
        start.contract_sha256.short()
    )
}

fn evaluation(card: &Scorecard) -> String {
    let Scorecard { score, threshold, .. } = card;
    let gate = if card.passed { "PASS" } else { "FAIL" };
    let (failed, warnings) = words::failed_ids(card);
    format!("{gate} {score} of {threshold}, failed: {failed}, warnings: {warnings}")
}

fn took(note: ProgressNote) -> String {
    note.stage_ms
        .map(|ms| format!(" ({})", words::duration(ms)))
        .unwrap_or_default()
}
