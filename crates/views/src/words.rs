//! Short phrases that several views share.

use onus_model::{
    Changes, CriterionId, DimensionScore, Effort, FailedCriterion, GateOutcome, GateResult, Gates, NextMove, Reason,
    Scorecard, StopCondition,
};

use crate::escape::one_line;

/// The longest name or phrase inside a line.
pub(crate) const PHRASE_CHARS_MAX: usize = 100;

/// So many sections or files of one kind of change are named.
const CHANGES_SHOWN_MAX: usize = 20;

/// `a.x, a.y`, or `none`.
pub(crate) fn ids<'a>(ids: impl IntoIterator<Item = &'a CriterionId>) -> String {
    let ids: Vec<&str> = ids.into_iter().map(CriterionId::as_str).collect();
    if ids.is_empty() {
        "none".to_owned()
    } else {
        ids.join(", ")
    }
}

/// Those of severity `fail`, and the others.
pub(crate) fn failed_ids(card: &Scorecard) -> (String, String) {
    let named = |failed| ids(decided(card, failed).map(|f| &f.id));
    (named(&card.failed), named(&card.warnings))
}

/// Those that were looked at: what was left out is not known to fail.
pub(crate) fn decided<'a>(
    card: &'a Scorecard,
    failed: &'a [FailedCriterion],
) -> impl Iterator<Item = &'a FailedCriterion> {
    let left_out = |id: &CriterionId| card.rule_results.iter().any(|v| v.id == *id && v.left_out);
    failed.iter().filter(move |failed| !left_out(&failed.id))
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
            let shown = names.iter().take(CHANGES_SHOWN_MAX);
            let shown: Vec<String> = shown.map(|name| one_line(name, PHRASE_CHARS_MAX)).collect();
            let more = match names.len() - shown.len() {
                0 => String::new(),
                more => format!(" (+{more} more)"),
            };
            format!("{what} {}{more}", shown.join(", "))
        })
        .collect();
    if parts.is_empty() {
        "nothing".to_owned()
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
        StopCondition::Oscillation => "the work went back to where it had been before",
        StopCondition::Dispute => "a judge took the same verdict back twice: a person must decide",
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

/// What an evaluation says beyond its score, by label; nothing of it in a plain loop.
pub(crate) fn particulars(card: &Scorecard) -> Vec<(&'static str, String)> {
    let mut rows = Vec::new();
    let left_out: Vec<&CriterionId> = card.rule_results.iter().filter(|v| v.left_out).map(|v| &v.id).collect();
    if !left_out.is_empty() {
        rows.push(("left_out", ids(left_out)));
    }
    if !card.dimensions.is_empty() {
        let told: Vec<String> = card.dimensions.iter().map(dimension).collect();
        rows.push(("dimensions", told.join(", ")));
    }
    if let Some(told) = card.gates.as_ref().map(gates) {
        rows.push(("gates", told));
    }
    if !card.regressed.is_empty() {
        rows.push(("regressed", ids(&card.regressed)));
    }
    if let Some(told) = spared(card.effort) {
        rows.push(("spared", told));
    }
    if !card.degraded.is_empty() {
        let told: Vec<String> = card
            .degraded
            .iter()
            .map(|why| one_line(why, PHRASE_CHARS_MAX))
            .collect();
        rows.push(("degraded", told.join("; ")));
    }
    rows
}

/// `depth 0.25 (held down by a.x)`.
pub(crate) fn dimension(dimension: &DimensionScore) -> String {
    let DimensionScore { name, score, .. } = dimension;
    let name = one_line(name, PHRASE_CHARS_MAX);
    match &dimension.capped_by {
        Some(id) => format!("{name} {score} (held down by {id})"),
        None => format!("{name} {score}"),
    }
}

/// `trust pass 0.83 (4/5), goal fail 0.50 (1/2): pivot`.
pub(crate) fn gates(gates: &Gates) -> String {
    let gate = |name: &str, gate: &GateResult| match gate.result {
        GateOutcome::NoContract => format!("{name} no contract"),
        GateOutcome::Pass => format!("{name} pass {} ({}/{})", gate.score, gate.met, gate.of),
        GateOutcome::Fail => format!("{name} fail {} ({}/{})", gate.score, gate.met, gate.of),
        GateOutcome::Blocked => format!("{name} blocked {} ({}/{})", gate.score, gate.met, gate.of),
    };
    let next = match gates.next {
        NextMove::Complete => "complete",
        NextMove::Pivot => "pivot",
        NextMove::Rework => "rework",
        NextMove::Blocked => "blocked",
    };
    format!("{}, {}: {next}", gate("trust", &gates.trust), gate("goal", &gates.goal))
}

/// Questions to judges that were not asked; none: everything was.
fn spared(effort: Effort) -> Option<String> {
    let Effort { asked, kept, left_out } = effort;
    (kept + left_out > 0).then(|| {
        let questions = count(asked as usize, "question", "questions");
        format!("{questions} asked, {kept} spared by kept verdicts, {left_out} left out after a failure")
    })
}

/// One thing that kept the gate shut, as a clause.
pub(crate) fn reason(reason: &Reason) -> String {
    match reason {
        Reason::Failing { ids: named } => format!("failing: {}", ids(named)),
        Reason::MustPass { ids: named } => format!("must pass: {}", ids(named)),
        Reason::Threshold { score, threshold } => format!("score {score} is below {threshold}"),
        Reason::Dimension { name, score, threshold } => {
            format!(
                "dimension {} is {score}, below {threshold}",
                one_line(name, PHRASE_CHARS_MAX)
            )
        }
        Reason::Trust { score, threshold } => format!("trust is {score}, below {threshold}"),
        Reason::Goal { met, of } => format!("goal: {met} of {of} criteria hold"),
        Reason::Regressed { ids: named } => format!("passed before: {}", ids(named)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_named_up_to_a_bound() {
        let names = |count: usize| (0..count).map(|n| format!("src/{n}.rs")).collect::<Vec<_>>();
        let of = |added, modified| Changes {
            initial: false,
            added: names(added),
            modified: names(modified),
            removed: Vec::new(),
        };
        assert_eq!(changes(&of(0, 0)), "nothing");
        assert_eq!(changes(&of(1, 2)), "added src/0.rs; modified src/0.rs, src/1.rs");
        let many = changes(&of(23, 0));
        assert!(many.ends_with("src/19.rs (+3 more)"), "{many}");
    }
}
