//! `cargo test`, its plain output: for each binary `running N tests`, a line for each test, and `test result: …`.
//!
//! The names of the binaries are on standard error, so equal names in two binaries are told apart by number only.

use super::{TestStatus, Told, Totals};

pub(super) fn read(text: &str) -> Told {
    let mut told = Told::default();
    let mut binary: Option<Binary> = None;
    let mut ended = false;
    for line in text.lines() {
        if let Some(count) = running(line) {
            if binary.replace(Binary::new(count)).is_some() {
                told.incomplete(CUT_OFF);
            }
        } else if let Some(result) = line.strip_prefix("test result: ") {
            ended = true;
            match binary.take() {
                Some(binary) => binary.hold_against(result, &mut told),
                None => told.incomplete("a `test result:` without tests before it"),
            }
        } else if let Some(binary) = &mut binary {
            // What tests printed comes after the list.
            binary.listing &= !matches!(line, "failures:" | "successes:");
            if binary.listing {
                binary.test(line, &mut told);
            }
        }
    }
    if binary.is_some() {
        told.incomplete(CUT_OFF);
    } else if !ended {
        told.incomplete("no `test result:` line");
    }
    told
}

const CUT_OFF: &str = "a test binary ended without a `test result:` line";

/// The number in `running 3 tests`.
fn running(line: &str) -> Option<u64> {
    let count = line.strip_prefix("running ")?;
    count
        .strip_suffix(" tests")
        .or_else(|| count.strip_suffix(" test"))?
        .parse()
        .ok()
}

struct Binary {
    count: u64,
    seen: Totals,
    measured: u64,
    listing: bool,
}

impl Binary {
    fn new(count: u64) -> Binary {
        Binary {
            count,
            seen: Totals::default(),
            measured: 0,
            listing: true,
        }
    }

    /// `test path::name ... ok`
    fn test(&mut self, line: &str, told: &mut Told) {
        let Some((name, end)) = line.strip_prefix("test ").and_then(|rest| rest.split_once(" ... ")) else {
            return;
        };
        let status = match end.split([' ', ',']).next().unwrap_or_default() {
            "ok" => TestStatus::Passed,
            "FAILED" => TestStatus::Failed,
            "ignored" => TestStatus::Skipped,
            "bench:" => {
                self.measured += 1;
                return;
            }
            // With `--nocapture` other text may stand here; the totals will not fit then.
            _ => return,
        };
        self.seen.add(status, 1);
        told.tell_each(&without_line(name), status);
    }

    /// `ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.22s`
    fn hold_against(&self, result: &str, told: &mut Told) {
        let count = |word: &str| {
            let mut parts = result.split(['.', ';']);
            parts.find_map(|part| part.trim().strip_suffix(word)?.trim().parse::<u64>().ok())
        };
        let says = (
            count(" passed"),
            count(" failed"),
            count(" ignored"),
            count(" measured"),
        );
        let Totals {
            passed,
            failed,
            skipped,
        } = self.seen;
        let shows = (Some(passed), Some(failed), Some(skipped), Some(self.measured));
        let verdict = if failed == 0 { "ok" } else { "FAILED" };
        if says != shows || self.count != self.seen.all() + self.measured || !result.starts_with(verdict) {
            told.incomplete(format!(
                "{} tests were announced, {} are named, and the result is `{result}`",
                self.count, self.seen
            ));
        }
    }
}

/// A documentation test's name without ` (line 3)`, which changes with every edit above it.
fn without_line(name: &str) -> String {
    let cut = name.split_once(" (line ").and_then(|(before, rest)| {
        let (line, after) = rest.split_once(')')?;
        line.bytes()
            .all(|b| b.is_ascii_digit())
            .then(|| format!("{before}{after}"))
    });
    cut.unwrap_or_else(|| name.to_owned())
}
