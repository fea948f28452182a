//! How many lines a coverage report says were run. Counted from the lines themselves: sums are easily written.

use std::collections::BTreeMap;

use onus_model::{CoverageCheck, CoverageFormat, Digest, Evidence, Finding, FindingLevel};

use crate::report::could_not_run;
use crate::text::{MESSAGE_CHARS_MAX, clip};
use crate::xml::{Tag, walk};
use crate::{CheckResult, Outcome, Ran, report};

/// How far below the baseline still passes, with a warning, in hundredths of a percent.
const TOLERANCE: u64 = 200;

/// `report` is the file that the check names; `ran` the program that made it, where there is one.
pub fn coverage(check: &CoverageCheck, report: Option<&[u8]>, ran: Option<&Ran>) -> CheckResult {
    let sha256 = Digest::of(report.unwrap_or_default());
    let mut findings = Vec::new();
    let (outcome, why, lines) = match read(check, report, ran) {
        Err((outcome, why)) => {
            let why = clip(&why, MESSAGE_CHARS_MAX);
            let why = match ran {
                Some(ran) => report::with_cause(why, Some(&check.report), ran),
                None => why,
            };
            (outcome, why, Lines::default())
        }
        Ok((baseline, lines)) => {
            let reached = lines.reached(baseline);
            let why = format!(
                "{} of {} lines covered ({}%), baseline {}%",
                lines.covered,
                lines.total,
                percent(lines.hundredths()),
                percent(baseline)
            );
            if reached == Reached::Almost {
                findings.push(Finding {
                    path: None,
                    line: None,
                    level: FindingLevel::Warning,
                    message: why.clone(),
                });
            }
            let outcome = if reached == Reached::No {
                Outcome::Failed
            } else {
                Outcome::Passed
            };
            (outcome, why, lines)
        }
    };
    CheckResult {
        outcome,
        why,
        evidence: Evidence::Coverage {
            covered: lines.covered,
            total: lines.total,
            report_sha256: sha256,
        },
        findings,
    }
}

/// The baseline in hundredths of a percent, and the lines.
fn read(check: &CoverageCheck, report: Option<&[u8]>, ran: Option<&Ran>) -> Result<(u64, Lines), (Outcome, String)> {
    let failed = |why: String| (Outcome::Failed, why);
    let baseline = hundredths(check.baseline).ok_or_else(|| {
        report::unusable(format!(
            "the baseline {} is not a percentage with at most two decimals",
            check.baseline
        ))
    })?;
    match (&check.command, ran) {
        (None, _) => {}
        (Some(_), None) => {
            return Err(could_not_run(
                "the program that makes the report did not run".to_owned(),
            ));
        }
        (Some(command), Some(ran)) => match report::exit_code(command, ran)? {
            0 => {}
            code => return Err(failed(format!("exit code {code} of the program that makes the report"))),
        },
    }
    let bytes = report.ok_or_else(|| could_not_run(format!("there is no report `{}`", check.report)))?;
    let text = report::text(bytes).map_err(could_not_run)?;
    let hits = match check.format {
        CoverageFormat::Lcov => lcov(&text),
        CoverageFormat::Cobertura => cobertura(&text),
    };
    let lines = hits.map_err(failed)?.lines();
    if lines.total == 0 {
        return Err(failed("the report has no lines".to_owned()));
    }
    Ok((baseline, lines))
}

/// Exact: the shortest text of the number, read as a decimal.
fn hundredths(percent: f64) -> Option<u64> {
    let text = percent.to_string();
    let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
    let digits = |text: &str| {
        text.bytes()
            .all(|b| b.is_ascii_digit())
            .then(|| text.parse::<u64>().ok())?
    };
    let value = match decimals.len() {
        0 => digits(whole)?.checked_mul(100)?,
        1 => digits(whole)?.checked_mul(100)?.checked_add(digits(decimals)? * 10)?,
        2 => digits(whole)?.checked_mul(100)?.checked_add(digits(decimals)?)?,
        _ => return None,
    };
    (value <= 10_000).then_some(value)
}

fn percent(hundredths: u64) -> String {
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

#[derive(Debug, Clone, Copy, Default)]
struct Lines {
    covered: u64,
    total: u64,
}

#[derive(PartialEq, Eq)]
enum Reached {
    Yes,
    Almost,
    No,
}

impl Lines {
    fn reached(self, baseline: u64) -> Reached {
        let at_least = |bar: u64| u128::from(self.covered) * 10_000 >= u128::from(bar) * u128::from(self.total);
        match baseline {
            bar if at_least(bar) => Reached::Yes,
            bar if at_least(bar.saturating_sub(TOLERANCE)) => Reached::Almost,
            _ => Reached::No,
        }
    }

    /// Rounded down, so that what is shown never looks like more than it is.
    fn hundredths(self) -> u64 {
        let share = u128::from(self.covered) * 10_000 / u128::from(self.total.max(1));
        u64::try_from(share).unwrap_or(u64::MAX)
    }
}

/// What is known of each file. A line that several records name was run if one of them says so.
#[derive(Default)]
struct Hits(BTreeMap<String, File>);

#[derive(Default)]
struct File {
    lines: BTreeMap<u64, bool>,
    /// The record's own sums; used only where it names no lines.
    sums: Lines,
}

impl Hits {
    fn merge(&mut self, path: &str, record: File) {
        let file = self.0.entry(path.to_owned()).or_default();
        for (line, hit) in record.lines {
            *file.lines.entry(line).or_default() |= hit;
        }
        file.sums.covered = file.sums.covered.max(record.sums.covered);
        file.sums.total = file.sums.total.max(record.sums.total);
    }

    fn lines(&self) -> Lines {
        let of = |file: &File| match file.lines.len() {
            0 => file.sums,
            total => Lines {
                covered: file.lines.values().filter(|hit| **hit).count() as u64,
                total: total as u64,
            },
        };
        self.0.values().map(of).fold(Lines::default(), |all, file| Lines {
            covered: all.covered.saturating_add(file.covered),
            total: all.total.saturating_add(file.total),
        })
    }
}

impl File {
    fn hit(&mut self, line: u64, hits: u64) {
        *self.lines.entry(line).or_default() |= hits > 0;
    }
}

/// `SF:path`, `DA:line,hits`, `LF:lines`, `LH:lines hit`, `end_of_record`.
fn lcov(text: &str) -> Result<Hits, String> {
    let mut hits = Hits::default();
    let mut open: Option<(&str, File)> = None;
    for (at, line) in text.lines().enumerate() {
        let bad = |what: &str| format!("line {} of the report {what}", at + 1);
        let number = |text: &str| {
            text.trim()
                .parse::<u64>()
                .map_err(|_| bad("has no number where one belongs"))
        };
        let (key, value) = line.trim_end().split_once(':').unwrap_or((line.trim_end(), ""));
        match (key, &mut open) {
            ("SF", None) => open = Some((value, File::default())),
            ("SF", Some(_)) => return Err(bad("begins a record before the last one ended")),
            ("DA" | "LF" | "LH" | "end_of_record", None) => return Err(bad("is outside of a record")),
            ("DA", Some((_, file))) => {
                let (line, count) = value.split_once(',').ok_or_else(|| bad("is not `DA:line,hits`"))?;
                let count = count.split_once(',').map_or(count, |(count, _checksum)| count);
                file.hit(number(line)?, number(count)?);
            }
            ("LF", Some((_, file))) => file.sums.total = number(value)?,
            ("LH", Some((_, file))) => file.sums.covered = number(value)?,
            ("end_of_record", Some((_, file))) if file.sums.covered > file.sums.total => {
                return Err(bad("ends a record with more lines hit than there are"));
            }
            ("end_of_record", Some(_)) => {
                if let Some((path, file)) = open.take() {
                    hits.merge(path, file);
                }
            }
            _ => {}
        }
    }
    match open {
        None => Ok(hits),
        Some(_) => Err("incomplete report: the last record has no end".to_owned()),
    }
}

/// `<class filename="…">` with `<line number="…" hits="…"/>` below it, in methods again.
fn cobertura(text: &str) -> Result<Hits, String> {
    let mut hits = Hits::default();
    let mut classes: Vec<bool> = Vec::new();
    let mut open: Option<(String, File)> = None;
    let mut is_cobertura = false;
    walk(text, |tag| {
        let Tag::Open(element) = tag else {
            if classes.pop() == Some(true)
                && let Some((path, file)) = open.take()
            {
                hits.merge(&path, file);
            }
            return Ok(());
        };
        let name = element.name();
        classes.push(name == "class");
        match name.as_str() {
            "coverage" => is_cobertura = true,
            "class" if open.is_some() => return Err("a `class` is inside of another".to_owned()),
            "class" => {
                let path = element.attribute("filename")?.ok_or("a `class` has no `filename`")?;
                open = Some((path, File::default()));
            }
            "line" => {
                let (_, file) = open.as_mut().ok_or("a `line` is outside of a `class`")?;
                let number = element.number("number")?.ok_or("a `line` has no `number`")?;
                file.hit(number, element.number("hits")?.ok_or("a `line` has no `hits`")?);
            }
            _ => {}
        }
        Ok(())
    })
    .map_err(|problem| format!("incomplete report: {problem}"))?;
    if !is_cobertura {
        return Err("the report is not Cobertura: no `coverage`".to_owned());
    }
    Ok(hits)
}

#[cfg(test)]
mod tests;
