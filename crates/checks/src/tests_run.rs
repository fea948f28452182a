//! What a test program's report says, test by test. An exit code alone proves nothing: a program can leave early, skip,
//! or run fewer tests than it did before, and still end with 0.

mod cargo;
mod go;
mod junit;
mod pytest;
mod tap;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use onus_model::{Digest, Evidence, Finding, FindingLevel, TestFormat, TestsCheck};

use crate::text::{MESSAGE_CHARS_MAX, clip};
use crate::{CheckResult, FINDINGS_MAX, Outcome, Ran, report};

/// The most tests of one report. Large projects have tens of thousands.
const TESTS_MAX: usize = 200_000;

/// So many names stand in the line for people; the findings have them all.
const NAMES_SHOWN_MAX: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestStatus {
    Passed,
    Failed,
    /// Skipped, ignored, expected to fail, to do: whatever it is called, nothing was shown.
    Skipped,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TestReport {
    pub tests: BTreeMap<String, TestStatus>,
    /// Why this cannot be the whole of what ran.
    pub incomplete: Option<String>,
}

impl TestReport {
    pub fn read(format: TestFormat, bytes: &[u8]) -> TestReport {
        let told = match report::text(bytes) {
            Err(problem) => Told::unreadable(problem),
            Ok(text) => match format {
                TestFormat::Junit => junit::read(&text),
                TestFormat::Cargo => cargo::read(&text),
                TestFormat::Pytest => pytest::read(&text),
                TestFormat::Go => go::read(&text),
                TestFormat::Tap => tap::read(&text),
            },
        };
        told.report
    }

    /// The tests that passed, one a line: a baseline for a check's `manifest`.
    pub fn manifest(&self) -> String {
        self.named(TestStatus::Passed).map(|name| format!("{name}\n")).collect()
    }

    fn named(&self, status: TestStatus) -> impl Iterator<Item = &str> {
        let matching = self.tests.iter().filter(move |(_, had)| **had == status);
        matching.map(|(name, _)| name.as_str())
    }

    fn count(&self, status: TestStatus) -> u32 {
        number(self.named(status).count())
    }
}

/// Gathers a report while it is read.
#[derive(Default)]
struct Told {
    report: TestReport,
    repeats: HashMap<String, u32>,
}

impl Told {
    fn unreadable(problem: String) -> Told {
        let mut told = Told::default();
        told.incomplete(problem);
        told
    }

    /// For formats that name a test more than once. One that ends in different ways counts as failed: the best of several
    /// tries is no proof, and neither is a namesake.
    fn tell(&mut self, name: &str, status: TestStatus) {
        let name = identity(name);
        if self.report.tests.len() >= TESTS_MAX && !self.report.tests.contains_key(&name) {
            return self.incomplete(format!("more than {TESTS_MAX} tests"));
        }
        self.report
            .tests
            .entry(name)
            .and_modify(|had| {
                if *had != status {
                    *had = TestStatus::Failed;
                }
            })
            .or_insert(status);
    }

    /// For formats that name each test once: the second of a name is `name (2)`, so that a manifest misses it when it goes.
    fn tell_each(&mut self, name: &str, status: TestStatus) {
        let name = identity(name);
        if self.report.tests.get(&name) != Some(&status) {
            return self.tell(&name, status);
        }
        let times = self.repeats.entry(name.clone()).or_insert(1);
        *times = times.saturating_add(1);
        let numbered = format!("{name} ({times})");
        self.tell(&numbered, status);
    }

    /// The first reason stands.
    fn incomplete(&mut self, why: impl Into<String>) {
        self.report.incomplete.get_or_insert_with(|| why.into());
    }
}

/// A name that fits on one line of a manifest.
fn identity(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// How many tests ended how; to hold a program's own totals against the tests that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Totals {
    passed: u64,
    failed: u64,
    skipped: u64,
}

impl Totals {
    fn add(&mut self, status: TestStatus, count: u64) {
        let total = match status {
            TestStatus::Passed => &mut self.passed,
            TestStatus::Failed => &mut self.failed,
            TestStatus::Skipped => &mut self.skipped,
        };
        *total = total.saturating_add(count);
    }

    fn all(self) -> u64 {
        self.passed.saturating_add(self.failed).saturating_add(self.skipped)
    }
}

impl std::fmt::Display for Totals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} passed, {} failed, {} skipped",
            self.passed, self.failed, self.skipped
        )
    }
}

/// Every test must have passed or be skipped; those of the manifest must have passed. `manifest` is the text of the file
/// that the check names.
pub fn tests(check: &TestsCheck, ran: &Ran, manifest: Option<&str>) -> CheckResult {
    let bytes = report::bytes(check.report.as_deref(), ran);
    let sha256 = Digest::of(bytes.as_ref().map_or(&[], |bytes| *bytes));
    let ready = report::exit_code(&check.command, ran)
        .and_then(|code| Ok((code, bytes?)))
        .and_then(|(code, bytes)| Ok((code, bytes, wanted(check, manifest)?)));
    match ready {
        Ok((code, bytes, wanted)) => {
            let report = TestReport::read(check.format, bytes);
            weigh(&report, &wanted, code, check.min, sha256)
        }
        Err((outcome, why)) => CheckResult {
            outcome,
            why: clip(&why, MESSAGE_CHARS_MAX),
            evidence: evidence(&TestReport::default(), 0, sha256),
            findings: Vec::new(),
        },
    }
}

/// Names that the manifest wants. A check that names a manifest and has none, or an empty one, proves nothing.
fn wanted(check: &TestsCheck, manifest: Option<&str>) -> Result<BTreeSet<String>, report::Ended> {
    let names: BTreeSet<String> = manifest.map_or_else(BTreeSet::new, |text| {
        text.lines().map(identity).filter(|name| !name.is_empty()).collect()
    });
    match &check.manifest {
        Some(path) if manifest.is_none() => Err(report::unusable(format!("the manifest `{path}` cannot be read"))),
        Some(path) if names.is_empty() => Err(report::unusable(format!("the manifest `{path}` names no test"))),
        _ => Ok(names),
    }
}

fn weigh(report: &TestReport, wanted: &BTreeSet<String>, code: i32, min: u32, sha256: Digest) -> CheckResult {
    let failed: Vec<&str> = report.named(TestStatus::Failed).collect();
    let (forbidden, skipped): (Vec<&str>, Vec<&str>) = report
        .named(TestStatus::Skipped)
        .partition(|name| wanted.contains(*name));
    let missing: Vec<&str> = wanted
        .iter()
        .map(String::as_str)
        .filter(|name| !report.tests.contains_key(*name))
        .collect();
    let passed = report.count(TestStatus::Passed);

    let mut problems = Vec::new();
    if let Some(why) = &report.incomplete {
        problems.push(format!("incomplete report: {}", clip(why, MESSAGE_CHARS_MAX)));
    } else if report.tests.is_empty() {
        problems.push("no test ran".to_owned());
    }
    let mut name = |names: &[&str], what: &str| {
        if !names.is_empty() {
            problems.push(format!("{} {what}: {}", names.len(), shown(names)));
        }
    };
    name(&failed, "failed");
    name(&missing, "of the manifest did not run");
    name(&forbidden, "of the manifest skipped");
    match code {
        0 if !failed.is_empty() => problems.push("exit code 0 although tests failed".to_owned()),
        0 => {}
        _ if failed.is_empty() => problems.push(format!("exit code {code} although no test failed")),
        _ => {}
    }
    if passed < min {
        problems.push(format!("{passed} passed, at least {min} expected"));
    }

    let findings = [
        (failed, FindingLevel::Error, "failed"),
        (
            missing.clone(),
            FindingLevel::Error,
            "is in the manifest and did not run",
        ),
        (forbidden, FindingLevel::Error, "is in the manifest and was skipped"),
        (skipped, FindingLevel::Note, "was skipped"),
    ];
    let findings = findings.into_iter().flat_map(|(names, level, what)| {
        names.into_iter().map(move |name| Finding {
            path: None,
            line: None,
            level,
            message: format!("`{}` {what}", clip(name, MESSAGE_CHARS_MAX)),
        })
    });
    CheckResult {
        outcome: if problems.is_empty() {
            Outcome::Passed
        } else {
            Outcome::Failed
        },
        why: if problems.is_empty() {
            format!("{passed} passed, {} skipped", report.count(TestStatus::Skipped))
        } else {
            problems.join("; ")
        },
        evidence: evidence(report, missing.len(), sha256),
        findings: findings.take(FINDINGS_MAX).collect(),
    }
}

fn evidence(report: &TestReport, missing: usize, report_sha256: Digest) -> Evidence {
    Evidence::Tests {
        passed: report.count(TestStatus::Passed),
        failed: report.count(TestStatus::Failed),
        skipped: report.count(TestStatus::Skipped),
        missing: number(missing),
        report_sha256,
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn shown(names: &[&str]) -> String {
    let first = names.iter().take(NAMES_SHOWN_MAX);
    let mut shown = first
        .map(|name| format!("`{}`", clip(name, MESSAGE_CHARS_MAX)))
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > NAMES_SHOWN_MAX {
        shown.push_str(", …");
    }
    shown
}

#[cfg(test)]
mod tests;
