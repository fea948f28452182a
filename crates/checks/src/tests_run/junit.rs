//! JUnit's XML, as pytest, nextest, surefire, node and others write it; they agree on little more than the names of the
//! elements. A test is `classname::name`.

use super::{TestStatus, Told};
use crate::xml::{Element, Tag, walk};

pub(super) fn read(text: &str) -> Told {
    let mut reader = Junit::default();
    if let Err(problem) = walk(text, |tag| reader.see(tag)) {
        reader.told.incomplete(problem);
    } else if !reader.is_junit {
        reader.told.incomplete("not JUnit: no `testsuite`");
    }
    reader.told
}

#[derive(Default)]
struct Junit {
    told: Told,
    is_junit: bool,
    suites: Vec<Suite>,
    case: Option<Case>,
    /// What each open element is.
    open: Vec<Kind>,
}

#[derive(Clone, Copy)]
enum Kind {
    Suite,
    Case,
    Other,
}

/// What a suite says of itself and what was seen in it.
#[derive(Default)]
struct Suite {
    name: String,
    tests: Option<u64>,
    broken: u64,
    cases: u64,
    /// Cases and suites directly below.
    children: u64,
    /// Cases at any depth.
    all: u64,
    all_broken: u64,
}

struct Case {
    name: String,
    broken: bool,
    skipped: bool,
    /// Expected not to work yet, so that a failure says nothing.
    todo: bool,
}

impl Junit {
    fn see(&mut self, tag: Tag<'_>) -> Result<(), String> {
        match tag {
            Tag::Open(element) => {
                let kind = self.open(&element)?;
                self.open.push(kind);
            }
            Tag::Close => match self.open.pop() {
                Some(Kind::Suite) => self.close_suite(),
                Some(Kind::Case) => self.close_case(),
                Some(Kind::Other) | None => {}
            },
        }
        Ok(())
    }

    fn open(&mut self, element: &Element<'_>) -> Result<Kind, String> {
        match element.name().as_str() {
            "testsuites" | "testsuite" => {
                self.is_junit = true;
                self.suites.push(Suite {
                    name: element.attribute("name")?.unwrap_or_default(),
                    tests: element.number("tests")?,
                    broken: element
                        .number("failures")?
                        .unwrap_or(0)
                        .saturating_add(element.number("errors")?.unwrap_or(0)),
                    ..Suite::default()
                });
                return Ok(Kind::Suite);
            }
            "testcase" => {
                self.case = Some(Case::open(element)?);
                return Ok(Kind::Case);
            }
            // Surefire writes the last four for tests that were tried again; the best of several tries is no proof.
            "failure" | "error" | "rerunFailure" | "rerunError" | "flakyFailure" | "flakyError" => match &mut self.case
            {
                Some(case) => case.broken = true,
                None => self.told.incomplete("a failure outside of any test"),
            },
            "skipped" => {
                if let Some(case) = &mut self.case {
                    case.skipped = true;
                    case.todo |= element.attribute("type")?.as_deref() == Some("todo");
                }
            }
            _ => {}
        }
        Ok(Kind::Other)
    }

    fn close_case(&mut self) {
        let Some(case) = self.case.take() else { return };
        let status = match case {
            Case { todo: true, .. } => TestStatus::Skipped,
            Case { broken: true, .. } => TestStatus::Failed,
            Case { skipped: true, .. } => TestStatus::Skipped,
            Case { .. } => TestStatus::Passed,
        };
        self.told.tell_each(&case.name, status);
        if let Some(suite) = self.suites.last_mut() {
            suite.cases += 1;
            suite.children += 1;
            suite.all += 1;
            suite.all_broken += u64::from(case.broken);
        }
    }

    fn close_suite(&mut self) {
        let Some(suite) = self.suites.pop() else { return };
        // Some count a suite's own tests, some all below it, node its children.
        let agrees = |tests| [suite.cases, suite.all, suite.children].contains(&tests);
        if let Some(tests) = suite.tests.filter(|tests| !agrees(*tests)) {
            let told = format!(
                "the suite `{}` counts {tests} tests and shows {}",
                suite.name, suite.all
            );
            self.told.incomplete(told);
        }
        if suite.broken > 0 && suite.all_broken == 0 {
            let told = format!(
                "the suite `{}` counts {} failures and shows none",
                suite.name, suite.broken
            );
            self.told.incomplete(told);
        }
        if let Some(parent) = self.suites.last_mut() {
            parent.children += 1;
            parent.all += suite.all;
            parent.all_broken += suite.all_broken;
        }
    }
}

impl Case {
    fn open(element: &Element<'_>) -> Result<Case, String> {
        let name = element.attribute("name")?.unwrap_or_default();
        let class = element.attribute("classname")?.unwrap_or_default();
        // GoogleTest tells tests that it did not run by attributes.
        let not_run = |attribute: &str, words: &[&str]| {
            let value = element.attribute(attribute)?;
            Ok::<bool, String>(value.is_some_and(|value| words.contains(&value.as_str())))
        };
        Ok(Case {
            name: if class.is_empty() {
                name
            } else {
                format!("{class}::{name}")
            },
            broken: false,
            skipped: not_run("status", &["notrun", "skipped", "disabled"])?
                || not_run("result", &["skipped", "suppressed"])?,
            todo: false,
        })
    }
}
