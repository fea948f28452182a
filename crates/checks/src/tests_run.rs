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

/// Every test must have passed or be skipped; those of the manifest and those that passed before must have passed.
/// `manifest` is the text of the file that the check names, `before` what `passed_tests` said of the base.
pub fn tests(check: &TestsCheck, ran: &Ran, manifest: Option<&str>, before: Option<&BTreeSet<String>>) -> CheckResult {
    let bytes = report::bytes(check.report.as_deref(), ran);
    let sha256 = Digest::of(bytes.as_ref().map_or(&[], |bytes| *bytes));
    let with_cause = |why: String| report::with_cause(why, check.report.as_deref(), ran);
    let ready = report::exit_code(&check.command, ran)
        .and_then(|code| Ok((code, bytes?)))
        .map_err(|(outcome, why)| (outcome, with_cause(clip(&why, MESSAGE_CHARS_MAX))))
        .and_then(|(code, bytes)| Ok((code, bytes, Wanted::new(check, manifest, before)?)));
    match ready {
        Ok((code, bytes, wanted)) => {
            let report = TestReport::read(check.format, bytes);
            let mut result = weigh(&report, &wanted, code, sha256);
            let unexplained = code != 0 && report.count(TestStatus::Failed) == 0;
            if unexplained || report.incomplete.is_some() || report.tests.is_empty() {
                result.why = with_cause(result.why);
            }
            result
        }
        Err((outcome, why)) => CheckResult {
            outcome,
            why,
            evidence: evidence(&TestReport::default(), 0, sha256),
            findings: Vec::new(),
        },
    }
}

/// The tests that this run of the check shows as passed; none if it left no report.
pub fn passed_tests(check: &TestsCheck, ran: &Ran) -> BTreeSet<String> {
    let report = report::bytes(check.report.as_deref(), ran).map(|bytes| TestReport::read(check.format, bytes));
    report.map_or_else(
        |_| BTreeSet::new(),
        |report| report.named(TestStatus::Passed).map(str::to_owned).collect(),
    )
}

/// The tests that must be there and pass, by who asks for them; none is in both.
struct Wanted {
    manifest: BTreeSet<String>,
    before: BTreeSet<String>,
    min: u32,
}

impl Wanted {
    /// A check that names a manifest and has none, or an empty one, proves nothing.
    fn new(
        check: &TestsCheck,
        manifest: Option<&str>,
        before: Option<&BTreeSet<String>>,
    ) -> Result<Wanted, report::Ended> {
        let names: BTreeSet<String> = manifest.map_or_else(BTreeSet::new, |text| {
            text.lines().map(identity).filter(|name| !name.is_empty()).collect()
        });
        let unusable = |path: &str, what: &str| {
            let path = clip(path, MESSAGE_CHARS_MAX);
            Err(report::unusable(format!("the manifest `{path}` {what}")))
        };
        match &check.manifest {
            Some(path) if manifest.is_none() => return unusable(path, "cannot be read"),
            Some(path) if names.is_empty() => return unusable(path, "names no test"),
            Some(_) | None => {}
        }
        let before = before.filter(|_| check.baseline);
        Ok(Wanted {
            before: before.map_or_else(BTreeSet::new, |before| before.difference(&names).cloned().collect()),
            manifest: names,
            min: check.min,
        })
    }
}

fn weigh(report: &TestReport, wanted: &Wanted, code: i32, sha256: Digest) -> CheckResult {
    let failed: Vec<&str> = report.named(TestStatus::Failed).collect();
    let skipped = |name: &&str| report.tests.get(*name) == Some(&TestStatus::Skipped);
    let absent = |name: &&str| !report.tests.contains_key(*name);
    let of_manifest = || wanted.manifest.iter().map(String::as_str);
    let of_before = || wanted.before.iter().map(String::as_str);
    let missing: Vec<&str> = of_manifest().filter(absent).collect();
    let forbidden: Vec<&str> = of_manifest().filter(skipped).collect();
    let vanished: Vec<&str> = of_before().filter(absent).collect();
    let silenced: Vec<&str> = of_before().filter(skipped).collect();
    let allowed = |name: &&str| !wanted.manifest.contains(*name) && !wanted.before.contains(*name);
    let tolerated: Vec<&str> = report.named(TestStatus::Skipped).filter(allowed).collect();
    let passed = report.count(TestStatus::Passed);

    let mut problems = Vec::new();
    if let Some(why) = &report.incomplete {
        problems.push(format!("incomplete report: {}", clip(why, MESSAGE_CHARS_MAX)));
    } else if report.tests.is_empty() {
        problems.push("no test ran".to_owned());
    }
    for (names, what) in [
        (&failed, "failed"),
        (&missing, "of the manifest did not run"),
        (&forbidden, "of the manifest skipped"),
        (&vanished, "passed before and did not run"),
        (&silenced, "passed before and skipped now"),
    ] {
        if !names.is_empty() {
            problems.push(format!("{} {what}: {}", names.len(), shown(names)));
        }
    }
    match code {
        0 if !failed.is_empty() => problems.push("exit code 0 although tests failed".to_owned()),
        0 => {}
        _ if failed.is_empty() => problems.push(format!("exit code {code} although no test failed")),
        _ => {}
    }
    if passed < wanted.min {
        problems.push(format!("{passed} passed, at least {} expected", wanted.min));
    }

    let missing_count = missing.len().saturating_add(vanished.len());
    let findings = [
        (failed, FindingLevel::Error, "failed"),
        (missing, FindingLevel::Error, "is in the manifest and did not run"),
        (forbidden, FindingLevel::Error, "is in the manifest and was skipped"),
        (vanished, FindingLevel::Error, "passed before and did not run"),
        (silenced, FindingLevel::Error, "passed before and was skipped"),
        (tolerated, FindingLevel::Note, "was skipped"),
    ];
    let findings = findings.into_iter().flat_map(|(names, level, what)| {
        names.into_iter().map(move |name| Finding {
            path: None,
            line: None,
            level,
            message: format!("`{}` {what}", clip(name, MESSAGE_CHARS_MAX)),
        })
    });
    let (outcome, why) = if problems.is_empty() {
        let skipped = report.count(TestStatus::Skipped);
        (Outcome::Passed, format!("{passed} passed, {skipped} skipped"))
    } else {
        (Outcome::Failed, problems.join("; "))
    };
    CheckResult {
        outcome,
        why,
        evidence: evidence(report, missing_count, sha256),
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
