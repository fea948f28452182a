//! `go test -json`: one event a line. A test is `package::Test/sub`.

use std::collections::BTreeSet;

use serde::Deserialize;

use super::{TestStatus, Told};

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event {
    action: String,
    #[serde(default)]
    package: String,
    test: Option<String>,
}

pub(super) fn read(text: &str) -> Told {
    let mut told = Told::default();
    // What began and has not ended; a package stands there without a test.
    let mut open: BTreeSet<(String, Option<String>)> = BTreeSet::new();
    let mut broken: BTreeSet<String> = BTreeSet::new();
    let mut events = 0_u64;
    // Messages of the compiler may stand between the events.
    for line in text.lines().filter(|line| line.starts_with('{')) {
        let Ok(Event { action, package, test }) = serde_json::from_str(line) else {
            told.incomplete("a line is not an event of `go test -json`");
            continue;
        };
        events += 1;
        let status = match action.as_str() {
            "start" | "run" => {
                open.insert((package.clone(), None));
                open.insert((package, test));
                continue;
            }
            "pass" | "bench" => TestStatus::Passed,
            "fail" => TestStatus::Failed,
            "skip" => TestStatus::Skipped,
            // Output, pauses, builds: nothing ends by them.
            _ => continue,
        };
        match &test {
            Some(test) => {
                told.tell(&format!("{package}::{test}"), status);
                if status == TestStatus::Failed {
                    broken.insert(package.clone());
                }
            }
            // A package can fail without a test: it does not build, or ends before its tests do.
            None if status == TestStatus::Failed && !broken.contains(&package) => told.tell(&package, status),
            None => {}
        }
        open.remove(&(package, test));
    }
    if events == 0 {
        told.incomplete("no event of `go test -json`");
    }
    if let Some((package, test)) = open.first() {
        let name = test
            .as_ref()
            .map_or(package.clone(), |test| format!("{package}::{test}"));
        told.incomplete(format!("`{name}` began and did not end"));
    }
    told
}
