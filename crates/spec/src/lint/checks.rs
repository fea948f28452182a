//! Checks that are weaker than they look, told by their own words.

use onus_model::{CheckKind, ExpectedContent, PatternRule, Search};

use super::commands::{reads_output, swallows};
use super::exprs::{always_false, always_true};

const NO_FILE: Option<&str> = Some("it looks at no file");

/// Whether a document is enough for it; the other kinds look at a tree of files.
pub(super) fn needs_a_tree(kind: &CheckKind) -> bool {
    match kind {
        CheckKind::Executable { .. }
        | CheckKind::Content { .. }
        | CheckKind::Pattern(_)
        | CheckKind::Marker(_)
        | CheckKind::Artifact(_)
        | CheckKind::Links(_)
        | CheckKind::Intent(_) => false,
        CheckKind::Schema(_)
        | CheckKind::Openapi(_)
        | CheckKind::Tests(_)
        | CheckKind::Lint(_)
        | CheckKind::Coverage(_)
        | CheckKind::Metric(_)
        | CheckKind::Diff(_)
        | CheckKind::Expr(_)
        | CheckKind::Human(_) => true,
    }
}

/// Whether a program decides it, which may say one thing today and another tomorrow.
pub(super) fn runs_a_program(kind: &CheckKind) -> bool {
    match kind {
        CheckKind::Executable { .. } | CheckKind::Tests(_) | CheckKind::Lint(_) | CheckKind::Metric(_) => true,
        CheckKind::Coverage(check) => check.command.is_some(),
        CheckKind::Content { .. }
        | CheckKind::Pattern(_)
        | CheckKind::Marker(_)
        | CheckKind::Artifact(_)
        | CheckKind::Links(_)
        | CheckKind::Intent(_)
        | CheckKind::Schema(_)
        | CheckKind::Openapi(_)
        | CheckKind::Diff(_)
        | CheckKind::Expr(_)
        | CheckKind::Human(_) => false,
    }
}

#[allow(
    clippy::wildcard_enum_match_arm,
    reason = "a list of what is known to be weak; everything else is fine"
)]
pub(super) fn cannot_fail(kind: &CheckKind) -> Option<&'static str> {
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
        CheckKind::Pattern(check) if check.rule == PatternRule::Forbidden && check.files.0.is_empty() => NO_FILE,
        CheckKind::Artifact(check) if check.files.0.is_empty() => NO_FILE,
        CheckKind::Links(check) if check.files.0.is_empty() => NO_FILE,
        CheckKind::Intent(check) if check.min == 0 => Some("no point is asked for"),
        CheckKind::Marker(check) if check.min == 0 => Some("no marker is asked for"),
        CheckKind::Coverage(check) if check.baseline <= 0.0 => Some("no covered line is asked for"),
        CheckKind::Expr(check) if check.expr.trim() == "true" => Some("its expression is `true`"),
        CheckKind::Expr(check) if always_true(&check.expr) => {
            Some("a part of its expression is `true`, whatever the rest")
        }
        CheckKind::Tests(check) if check.min == 0 && check.manifest.is_none() => Some("no test is asked for"),
        CheckKind::Executable { command, expected }
            if expected.exit == 0 && !reads_output(expected) && swallows(&command.to_string()) =>
        {
            Some("its command always succeeds")
        }
        _ => None,
    }
}

#[allow(
    clippy::wildcard_enum_match_arm,
    reason = "a list of what is known to be impossible; everything else is fine"
)]
pub(super) fn cannot_pass(kind: &CheckKind) -> Option<&'static str> {
    match kind {
        CheckKind::Pattern(check) if matches_all(&check.search) => {
            Some("its pattern matches every text, which proves nothing")
        }
        CheckKind::Expr(check) if check.expr.trim() == "false" => Some("its expression is `false`"),
        CheckKind::Expr(check) if always_false(&check.expr) => Some("a part of its expression is `false`"),
        CheckKind::Diff(check) if check.not_empty && check.max_files == Some(0) => {
            Some("it asks for a change and allows none")
        }
        _ => None,
    }
}

fn matches_all(search: &Search) -> bool {
    matches!(search, Search::Regex(pattern) if ["", ".*", "^", "$", "(?s).*", "^.*$"].contains(&pattern.as_str()))
}
