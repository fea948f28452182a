//! One evaluation, told: what `onus check` prints, and the files other tools read. Nothing here decides; the scorecard
//! says what holds. Each form has its own file and its own way of making foreign text harmless.

mod github;
mod junit;
pub mod prove;
mod sarif;
mod table;

use std::collections::BTreeMap;

use onus_model::{
    Criterion, CriterionId, Digest, Finding, FindingLevel, LevelName, Scorecard, Severity, Verdict, VerdictKind,
    VerdictSource,
};
use serde_json::{Value, json};

use crate::escape::{for_terminal, one_line};
use crate::words;

pub use github::{github_annotations, step_summary};
pub use junit::junit;
pub use sarif::sarif;
pub use table::text;

/// Everything there is to say about one evaluation.
#[derive(Debug, Clone)]
pub struct CheckReport {
    pub contract_sha256: Digest,
    pub artifact_sha256: Digest,
    pub level: LevelName,
    pub scorecard: Scorecard,
    /// The active ones, in order.
    pub criteria: Vec<Criterion>,
    /// What held before the work; absent: nobody looked.
    pub baseline: Option<BTreeMap<CriterionId, VerdictKind>>,
    pub notes: Vec<String>,
    pub elapsed_ms: u64,
    pub tool_version: String,
}

/// The longest message in files for other tools; the ledger has it whole.
const MESSAGE_CHARS_MAX: usize = 1_000;

/// The same facts for programs. Text is as it was written: JSON needs no other escaping.
pub fn json(report: &CheckReport) -> Value {
    let card = &report.scorecard;
    let rows = report.rows();
    let counts = Counts::of(&rows);
    json!({
        "schema_version": 1,
        "tool": { "name": "onus", "version": report.tool_version },
        "contract_sha256": report.contract_sha256,
        "artifact_sha256": report.artifact_sha256,
        "phase": report.level,
        "passed": card.passed,
        "score": card.score,
        "threshold": card.threshold,
        "counts": {
            "total": rows.len(),
            "passed": counts.passed,
            "failed": counts.failed,
            "warnings": counts.warnings,
            "left_out": counts.left_out,
        },
        "criteria": rows.iter().map(Row::json).collect::<Vec<_>>(),
        "notes": report.notes,
        "elapsed_ms": report.elapsed_ms,
    })
}

impl CheckReport {
    fn rows(&self) -> Vec<Row<'_>> {
        let verdicts: BTreeMap<&CriterionId, &Verdict> =
            self.scorecard.rule_results.iter().map(|v| (&v.id, v)).collect();
        let row = |criterion| Row::new(criterion, verdicts.get(&criterion.id).copied(), self.baseline.as_ref());
        self.criteria.iter().map(row).collect()
    }

    /// `score 0.75 of 0.80, 3 passed, 1 failed, 0 warnings`.
    fn tally(&self, rows: &[Row<'_>]) -> String {
        let card = &self.scorecard;
        format!(
            "score {} of {}, {}",
            card.score,
            card.threshold,
            Counts::of(rows).text()
        )
    }
}

/// A criterion and what became of it.
#[derive(Clone, Copy)]
struct Row<'a> {
    criterion: &'a Criterion,
    verdict: Option<&'a Verdict>,
    change: Option<Change>,
}

/// What the work did to a criterion.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    Broken,
    FailedBefore,
    Fixed,
}

impl Change {
    const ALL: [Change; 3] = [Change::Broken, Change::FailedBefore, Change::Fixed];

    const fn words(self) -> &'static str {
        match self {
            Change::Broken => "broken now",
            Change::FailedBefore => "failed before",
            Change::Fixed => "fixed",
        }
    }
}

impl<'a> Row<'a> {
    fn new(
        criterion: &'a Criterion,
        verdict: Option<&'a Verdict>,
        baseline: Option<&BTreeMap<CriterionId, VerdictKind>>,
    ) -> Row<'a> {
        let row = Row {
            criterion,
            verdict,
            change: None,
        };
        let before = baseline.and_then(|before| before.get(&criterion.id));
        let change = before.and_then(|before| match (*before == VerdictKind::Pass, row.holds()) {
            (true, true) => None,
            (true, false) => Some(Change::Broken),
            (false, false) => Some(Change::FailedBefore),
            (false, true) => Some(Change::Fixed),
        });
        Row { change, ..row }
    }

    /// A criterion nobody decided is shown as unverified, never as passed.
    fn kind(&self) -> VerdictKind {
        self.verdict.map_or(VerdictKind::Unverified, |v| v.verdict)
    }

    fn holds(&self) -> bool {
        self.kind() == VerdictKind::Pass && !self.left_out()
    }

    /// It passed, with something found that is more than a note.
    fn warned(&self) -> bool {
        self.holds()
            && self
                .findings()
                .iter()
                .any(|finding| finding.level != FindingLevel::Note)
    }

    /// Nobody decided it, because something before it failed.
    fn left_out(&self) -> bool {
        self.verdict.is_some_and(|v| v.left_out)
    }

    /// There is more to say than that it holds.
    fn tells(&self) -> bool {
        !self.holds() || self.warned()
    }

    /// Fails the gate by itself.
    fn blocks(&self) -> bool {
        !self.holds() && self.criterion.severity == Severity::Fail
    }

    fn mark(&self) -> &'static str {
        match self.kind() {
            _ if self.left_out() => "LEFT OUT",
            VerdictKind::Pass if self.warned() => "WARN",
            VerdictKind::Pass => "PASS",
            VerdictKind::Fail => "FAIL",
            VerdictKind::Warn => "WARN",
            VerdictKind::Na => "N/A",
            VerdictKind::Unverified => "UNVERIFIED",
        }
    }

    fn details(&self) -> &'a str {
        match self.verdict {
            None => "no verdict was given",
            Some(verdict) if verdict.details.trim().is_empty() => &self.criterion.description,
            Some(verdict) => &verdict.details,
        }
    }

    /// In one harmless line: what the work did to it, and the details.
    fn why(&self, chars_max: usize) -> String {
        let details = log_line(self.details(), chars_max);
        match self.change {
            Some(change) => format!("{}: {details}", change.words()),
            None => details,
        }
    }

    fn findings(&self) -> &'a [Finding] {
        self.verdict.map_or(&[], |v| &v.findings)
    }

    /// `tests`, `lint+coverage`, `prepared`, `evaluator`, `engine`.
    fn decided_by(&self) -> String {
        let source = self.verdict.map_or(VerdictSource::Engine, |v| v.source);
        match source {
            VerdictSource::Contract => {
                let mut kinds: Vec<&str> = self.criterion.verify.iter().map(|check| check.kind.name()).collect();
                kinds.dedup();
                if kinds.is_empty() {
                    "contract".to_owned()
                } else {
                    kinds.join("+")
                }
            }
            VerdictSource::Prepared => "prepared".to_owned(),
            VerdictSource::Evaluator => "evaluator".to_owned(),
            VerdictSource::Engine => "engine".to_owned(),
        }
    }

    fn dimension(&self) -> Option<&'a str> {
        self.criterion.dimension.as_deref()
    }

    /// How loud anything about this criterion may be: what a criterion tolerates is no error.
    fn loudest(&self) -> FindingLevel {
        match (self.holds(), self.criterion.severity) {
            (false, Severity::Fail) => FindingLevel::Error,
            (true, Severity::Fail) | (_, Severity::Warn) => FindingLevel::Warning,
            (_, Severity::Info) => FindingLevel::Note,
        }
    }

    /// Its findings, and the failure itself where no finding is loud enough to tell it.
    fn problems(&self) -> Vec<Problem<'a>> {
        let loudest = self.loudest();
        let mut problems: Vec<Problem<'a>> = self
            .findings()
            .iter()
            .map(|finding| Problem::of_finding(self, finding))
            .collect();
        if !self.holds() && problems.iter().all(|problem| problem.level != loudest) {
            problems.push(Problem {
                rule: &self.criterion.id,
                level: loudest,
                path: None,
                line: None,
                message: message(&[self.details()]),
            });
        }
        problems
    }

    fn json(&self) -> Value {
        let Criterion {
            id,
            description,
            severity,
            weight,
            level,
            ..
        } = self.criterion;
        json!({
            "id": id,
            "description": description,
            "severity": severity,
            "weight": weight,
            "phase": level,
            "dimension": self.dimension(),
            "verdict": self.kind(),
            "holds": self.holds(),
            "warned": self.warned(),
            "left_out": self.left_out(),
            "blocks": self.blocks(),
            "change": self.change.map(|change| change.words().replace(' ', "_")),
            "decided_by": self.decided_by(),
            "details": self.details(),
            "evidence": self.verdict.map_or(&[][..], |v| &v.evidence),
            "findings": self.findings(),
        })
    }
}

/// One thing to tell a code host about, at a place it can show.
struct Problem<'a> {
    rule: &'a CriterionId,
    level: FindingLevel,
    /// Inside the tree.
    path: Option<&'a str>,
    line: Option<u32>,
    message: String,
}

impl<'a> Problem<'a> {
    fn of_finding(row: &Row<'a>, finding: &'a Finding) -> Problem<'a> {
        let text = match finding.message.trim() {
            "" => row.details(),
            text => text,
        };
        let path = finding.path.as_deref();
        let inside = path.filter(|path| is_inside(path));
        Problem {
            rule: &row.criterion.id,
            // The order of levels is from loud to quiet.
            level: finding.level.max(row.loudest()),
            path: inside,
            line: finding.line.filter(|line| *line > 0 && inside.is_some()),
            // A place that a code host cannot show is still told.
            message: match path.filter(|_| inside.is_none()) {
                Some(outside) => message(&[outside, ": ", text]),
                None => message(&[text]),
            },
        }
    }
}

/// Every problem, the loudest first and the criteria by turns, so that a limit cuts the quiet ones and hides no criterion
/// behind the many findings of another.
fn problems<'a>(rows: &[Row<'a>]) -> Vec<Problem<'a>> {
    let ranked = |row: &Row<'a>| row.problems().into_iter().enumerate();
    let mut problems: Vec<(usize, Problem<'a>)> = rows.iter().flat_map(ranked).collect();
    problems.sort_by_key(|(nth, problem)| (problem.level, *nth));
    problems.into_iter().map(|(_, problem)| problem).collect()
}

/// Each criterion is counted once.
struct Counts {
    passed: usize,
    failed: usize,
    warnings: usize,
    left_out: usize,
}

impl Counts {
    fn of(rows: &[Row<'_>]) -> Counts {
        let count = |which: fn(&Row<'_>) -> bool| rows.iter().filter(|row| which(row)).count();
        let passed = count(|row| row.holds() && !row.warned());
        let failed = count(|row| row.blocks() && !row.left_out());
        let left_out = count(|row| row.left_out());
        Counts {
            passed,
            failed,
            warnings: rows.len() - passed - failed - left_out,
            left_out,
        }
    }

    fn text(&self) -> String {
        let warnings = words::count(self.warnings, "warning", "warnings");
        let left_out = match self.left_out {
            0 => String::new(),
            left_out => format!(", {left_out} left out"),
        };
        format!("{} passed, {} failed, {warnings}{left_out}", self.passed, self.failed)
    }
}

/// Relative, and never above where it starts.
fn is_inside(path: &str) -> bool {
    !path.is_empty() && !path.starts_with('/') && path.split('/').all(|part| part != "..")
}

/// Text of others in one line of a log. A runner of GitHub's takes `##[` anywhere in a line for a command to it.
fn log_line(text: &str, chars_max: usize) -> String {
    one_line(text, chars_max).replace("##[", "## [")
}

/// Text of others for a file: everything that acts or hides made visible, not too long, line breaks kept.
fn message(parts: &[&str]) -> String {
    let mut chars = parts.iter().flat_map(|part| part.chars());
    let kept: String = chars.by_ref().take(MESSAGE_CHARS_MAX).collect();
    let safe = for_terminal(&kept);
    if chars.next().is_some() { safe + "…" } else { safe }
}

/// `src/a.rs:3`, `src/a.rs`, or nothing.
fn place(finding: &Finding) -> Option<String> {
    let path = finding.path.as_deref().filter(|path| !path.is_empty())?;
    let path = log_line(path, words::PHRASE_CHARS_MAX * 2);
    Some(match finding.line.filter(|line| *line > 0) {
        Some(line) => format!("{path}:{line}"),
        None => path,
    })
}
