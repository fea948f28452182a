//! Short phrases that several views share.

use onus_model::{Changes, CriterionId, FailedCriterion, StopCondition};

use crate::escape::one_line;

/// The longest name or phrase inside a line.
pub(crate) const PHRASE_CHARS_MAX: usize = 100;

/// `a.x, a.y`, or `none`.
pub(crate) fn ids<'a>(ids: impl IntoIterator<Item = &'a CriterionId>) -> String {
    let ids: Vec<&str> = ids.into_iter().map(CriterionId::as_str).collect();
    if ids.is_empty() {
        "none".to_owned()
    } else {
        ids.join(", ")
    }
}

pub(crate) fn failed_ids(failed: &[FailedCriterion]) -> String {
    ids(failed.iter().map(|f| &f.id))
}

/// `added A, B; modified C`.
pub(crate) fn changes(changes: &Changes) -> String {
    if changes.initial {
        return "initial generation".to_owned();
    }
    let lists = [
        ("added", &changes.added),
        ("modified", &changes.modified),
        ("removed", &changes.removed),
    ];
    let parts: Vec<String> = lists
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(what, names)| {
            let names: Vec<String> = names.iter().map(|name| one_line(name, PHRASE_CHARS_MAX)).collect();
            format!("{what} {}", names.join(", "))
        })
        .collect();
    if parts.is_empty() {
        "no section".to_owned()
    } else {
        parts.join("; ")
    }
}

/// The plan's focus in one line: its first step, and how many follow.
pub(crate) fn plan(steps: &[String]) -> String {
    match steps {
        [] => "none".to_owned(),
        [only] => one_line(only, PHRASE_CHARS_MAX),
        [first, rest @ ..] => format!("{} (+{} more)", one_line(first, PHRASE_CHARS_MAX), rest.len()),
    }
}

/// Why a run stopped, for people.
pub(crate) const fn stop(rule: StopCondition) -> &'static str {
    match rule {
        StopCondition::ThresholdReached => "the last level passed",
        StopCondition::NoMajorIssues => {
            "no criterion of severity `fail` is failing, but the score is below the threshold: completed, not passed"
        }
        StopCondition::UserStop => "stopped by a person",
        StopCondition::Stagnation => "the score has stopped moving",
        StopCondition::SameFailures => "the same criteria failed again and again",
        StopCondition::BudgetExceeded => "the time for completed steps is used up",
        StopCondition::IterationLimit => "the last allowed iteration did not pass",
    }
}

/// `850 ms`, `12.3 s`, `4 min 5 s`.
pub(crate) fn duration(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
        _ => format!("{} min {} s", ms / 60_000, ms % 60_000 / 1_000),
    }
}

pub(crate) fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
