//! What is wrong with a contract although it can be read: criteria that cannot fail, cannot matter or cannot be reached.

use onus_model::{CheckKind, Criterion, CriterionId, ExpectedContent, LoopSpec, Score, Search, Severity, Weight};

/// One thing to think about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    pub criterion: Option<CriterionId>,
    pub message: String,
}

/// Everything that makes the contract weaker than it looks.
pub fn lint(spec: &LoopSpec) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for criterion in &spec.criteria {
        let mut complain = |message: String| {
            complaints.push(Complaint {
                criterion: Some(criterion.id.clone()),
                message,
            })
        };
        for (at, check) in criterion.verify.iter().enumerate() {
            if let Some(why) = cannot_fail(&check.kind) {
                complain(format!("check {} cannot fail: {why}", at + 1));
            }
            if let Some(why) = cannot_pass(&check.kind) {
                complain(format!("check {} cannot pass: {why}", at + 1));
            }
        }
        if criterion.weight == Weight::ZERO && criterion.severity != Severity::Fail {
            complain("it has no weight and does not block, so nothing depends on it".to_owned());
        }
        if !spec
            .levels
            .iter()
            .any(|level| level.active_levels.contains(&criterion.level))
        {
            complain(format!(
                "no level activates `{}`, so it is never looked at",
                criterion.level
            ));
        }
        if irrelevant(spec, criterion) {
            complain("its weight is so small that every threshold is reached without it".to_owned());
        }
    }
    for (at, level) in spec.levels.iter().enumerate() {
        let before: Vec<_> = spec.levels[..at].iter().collect();
        let same = before
            .iter()
            .any(|b| b.active_levels == level.active_levels && b.threshold >= level.threshold);
        if same {
            complaints.push(Complaint {
                criterion: None,
                message: format!(
                    "level `{}` asks for nothing that a level before it does not",
                    level.name
                ),
            });
        }
        if level.threshold == Score::ZERO && !spec.active(&level.name).any(|c| c.severity == Severity::Fail) {
            complaints.push(Complaint {
                criterion: None,
                message: format!("level `{}` always passes", level.name),
            });
        }
    }
    complaints
}

/// A soft criterion whose loss no threshold notices, even when it fails alone.
fn irrelevant(spec: &LoopSpec, criterion: &Criterion) -> bool {
    if criterion.severity == Severity::Fail || criterion.weight == Weight::ZERO {
        return false;
    }
    spec.levels
        .iter()
        .filter(|level| level.active_levels.contains(&criterion.level))
        .all(|level| {
            let sum = |keep: &dyn Fn(&Criterion) -> bool| {
                spec.active(&level.name)
                    .filter(|c| keep(c))
                    .fold(Weight::ZERO, |sum, c| sum.plus(c.weight))
            };
            // All soft criteria together decide nothing if the blocking ones alone reach the threshold.
            Score::of_weights(sum(&|c| c.severity == Severity::Fail), sum(&|_| true)) >= level.threshold
        })
}

#[allow(
    clippy::wildcard_enum_match_arm,
    reason = "a list of what is known to be weak; everything else is fine"
)]
fn cannot_fail(kind: &CheckKind) -> Option<&'static str> {
    match kind {
        CheckKind::Content { search, expected } if matches_all(search) && expected.max.is_none() => {
            Some("its pattern matches every text")
        }
        CheckKind::Content {
            expected: ExpectedContent { min: 0, max: None },
            ..
        } => Some("any number of matches is expected"),
        CheckKind::Diff(check)
            if check.max_files.is_none()
                && check.max_lines.is_none()
                && !check.not_empty
                && check.allowed.0.iter().any(|g| g == "**") =>
        {
            Some("it allows every change")
        }
        CheckKind::Expr(check) if check.expr.trim() == "true" => Some("its expression is `true`"),
        CheckKind::Tests(check) if check.min == 0 && check.manifest.is_none() => Some("no test is asked for"),
        CheckKind::Executable { command, expected } if expected.exit == 0 && is_true(&command.to_string()) => {
            Some("its command always succeeds")
        }
        _ => None,
    }
}

fn is_true(command: &str) -> bool {
    let command = command.trim();
    matches!(command, "true" | ":" | "exit 0" | "/bin/true" | "/usr/bin/true")
        || command.ends_with("|| true")
        || command.ends_with("; true")
        || command.ends_with("; exit 0")
}

#[allow(
    clippy::wildcard_enum_match_arm,
    reason = "a list of what is known to be impossible; everything else is fine"
)]
fn cannot_pass(kind: &CheckKind) -> Option<&'static str> {
    match kind {
        CheckKind::Pattern(check) if matches_all(&check.search) => {
            Some("its pattern matches every text, which proves nothing")
        }
        CheckKind::Expr(check) if check.expr.trim() == "false" => Some("its expression is `false`"),
        CheckKind::Diff(check) if check.not_empty && check.max_files == Some(0) => {
            Some("it asks for a change and allows none")
        }
        _ => None,
    }
}

fn matches_all(search: &Search) -> bool {
    matches!(search, Search::Regex(pattern) if ["", ".*", "^", "$", "(?s).*", "^.*$"].contains(&pattern.as_str()))
}
