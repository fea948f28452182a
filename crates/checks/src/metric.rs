//! A number that a program prints, held against a target without rounding.

use std::cmp::Ordering;

use onus_model::{Comparison, Digest, Evidence, MetricCheck};

use crate::text::{MESSAGE_CHARS_MAX, clip};
use crate::{CheckResult, Outcome, Ran, report};

/// The longest number: more digits than any measurement has.
const NUMBER_CHARS_MAX: usize = 64;

/// The largest power of ten in `1e…`; the range of a double.
const EXPONENT_MAX: i32 = 400;

/// The last time the program tells the metric counts, also when what it tells there is not a number.
pub fn metric(check: &MetricCheck, ran: &Ran) -> CheckResult {
    let (outcome, why, value) = match read(check, ran) {
        Ok((value, holds)) => {
            let outcome = if holds { Outcome::Passed } else { Outcome::Failed };
            let expected = format!("{} {}", sign(check.op), check.target.trim());
            (
                outcome,
                clip(
                    &format!("`{}` is {value}, expected {expected}", check.name),
                    MESSAGE_CHARS_MAX,
                ),
                value,
            )
        }
        Err((outcome, why)) => (outcome, why, String::new()),
    };
    CheckResult {
        outcome,
        why,
        evidence: Evidence::Metric {
            name: clip(&check.name, MESSAGE_CHARS_MAX),
            value,
            stdout_sha256: Digest::of(&ran.stdout),
        },
        findings: Vec::new(),
    }
}

/// What was printed, and whether it is as expected.
fn read(check: &MetricCheck, ran: &Ran) -> Result<(String, bool), report::Ended> {
    let name = check.name.trim();
    if name.is_empty() {
        return Err(report::unusable("the metric has no name".to_owned()));
    }
    let target = Decimal::parse(check.target.trim())
        .map_err(|problem| report::unusable(clip(&format!("the target {problem}"), MESSAGE_CHARS_MAX)))?;
    let (printed, value) = printed(check, name, ran)
        .map_err(|(outcome, why)| (outcome, report::with_cause(clip(&why, MESSAGE_CHARS_MAX), None, ran)))?;
    Ok((printed, holds(check.op, value.cmp(&target))))
}

/// The value as it was printed, and the number it is.
fn printed(check: &MetricCheck, name: &str, ran: &Ran) -> Result<(String, Decimal), report::Ended> {
    let failed = |why: String| (Outcome::Failed, why);
    match report::exit_code(&check.command, ran)? {
        0 => {}
        code => return Err(failed(format!("exit code {code}, expected 0"))),
    }
    let text = report::text(&ran.stdout).map_err(report::could_not_run)?;
    let printed = text.lines().filter_map(|line| value(line, name)).next_back();
    let printed = printed.ok_or_else(|| failed(format!("the program did not print `{name}`")))?;
    let value = Decimal::parse(printed).map_err(|problem| failed(format!("the value of `{name}` {problem}")))?;
    Ok((printed.to_owned(), value))
}

/// The value in `NAME value`, `NAME: value`, `NAME = value` or `[METRIC:NAME] value`; a unit may follow. A name with prose
/// behind it is no value, one with a sign behind it is.
fn value<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let line = line.trim_start();
    let tagged = line
        .strip_prefix("[METRIC:")
        .and_then(|rest| rest.strip_prefix(name)?.strip_prefix(']'));
    let rest = tagged.or_else(|| line.strip_prefix(name))?;
    let signed = rest.trim_start().strip_prefix([':', '=']);
    if tagged.is_none() && signed.is_none() && !rest.starts_with(char::is_whitespace) {
        return None;
    }
    let rest = signed.unwrap_or(rest).trim();
    let word = rest.split_whitespace().next().unwrap_or_default();
    // `85 %` is one value.
    let word = match rest[word.len()..].trim_start() {
        percent if percent.starts_with('%') => &rest[..rest.len() - percent.len() + 1],
        _ => word,
    };
    let numeric = word.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c))
        || ["nan", "inf", "infinity"]
            .iter()
            .any(|no| word.eq_ignore_ascii_case(no));
    (tagged.is_some() || signed.is_some() || numeric).then_some(word)
}

fn holds(op: Comparison, ordering: Ordering) -> bool {
    match op {
        Comparison::AtLeast => ordering.is_ge(),
        Comparison::Above => ordering.is_gt(),
        Comparison::AtMost => ordering.is_le(),
        Comparison::Below => ordering.is_lt(),
        Comparison::Equal => ordering.is_eq(),
        Comparison::NotEqual => ordering.is_ne(),
    }
}

fn sign(op: Comparison) -> &'static str {
    match op {
        Comparison::AtLeast => ">=",
        Comparison::Above => ">",
        Comparison::AtMost => "<=",
        Comparison::Below => "<",
        Comparison::Equal => "==",
        Comparison::NotEqual => "!=",
    }
}

/// A decimal number, exact: `0.digits × 10^magnitude`, with no zero at either end of `digits`. Zero has none, and magnitude
/// 0.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Decimal {
    negative: bool,
    magnitude: i32,
    digits: String,
}

impl Decimal {
    fn parse(text: &str) -> Result<Decimal, String> {
        let not = || format!("`{}` is not a decimal number", clip(text, NUMBER_CHARS_MAX));
        if text.len() > NUMBER_CHARS_MAX {
            return Err(format!("`{}` is too long for a number", clip(text, NUMBER_CHARS_MAX)));
        }
        let (number, shift) = match text.strip_suffix('%') {
            Some(number) => (number.trim_end(), -2),
            None => (text, 0),
        };
        let negative = number.starts_with('-');
        let number = number.strip_prefix(['+', '-']).unwrap_or(number);
        let (mantissa, exponent) = match number.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().map_err(|_| not())?),
            None => (number, 0),
        };
        if exponent.abs_diff(0) > EXPONENT_MAX.unsigned_abs() {
            return Err(format!("`{text}` is out of range"));
        }
        let (whole, decimals) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{decimals}");
        if all.is_empty() || !all.bytes().all(|b| b.is_ascii_digit()) {
            return Err(not());
        }
        let digits = all.trim_start_matches('0');
        let zeros = all.len() - digits.len();
        let digits = digits.trim_end_matches('0').to_owned();
        if digits.is_empty() {
            return Ok(Decimal {
                negative: false,
                magnitude: 0,
                digits,
            });
        }
        let places = |count: usize| i32::try_from(count).map_err(|_| not());
        Ok(Decimal {
            negative,
            magnitude: places(whole.len())? - places(zeros)? + exponent + shift,
            digits,
        })
    }

    fn signum(&self) -> i8 {
        match (self.digits.is_empty(), self.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        }
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Decimal) -> Ordering {
        // Without zeros at the ends, digits compare as text does.
        let size = (self.magnitude, &self.digits).cmp(&(other.magnitude, &other.digits));
        let size = if self.negative { size.reverse() } else { size };
        self.signum().cmp(&other.signum()).then(size)
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Decimal) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests;
