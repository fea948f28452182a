//! Checking the checks: one that cannot fail proves nothing.

use onus_model::{Control, Digest};

use crate::text::{MESSAGE_CHARS_MAX, clip};
use crate::{CheckResult, Outcome};

/// What a prepared check is worth, from what it said about an empty artifact and, where it brought one, about its own
/// counterexample. It counts if it fails on nothing, or if it passes on nothing by nature and fails on its bad example.
/// A check that could not run has shown neither.
pub fn control(on_empty: &CheckResult, on_counterexample: Option<(&str, &CheckResult)>) -> Control {
    let broken = |on: &str, result: &CheckResult| {
        vacuous(format!(
            "it could not run on {on}: {}",
            clip(&result.why, MESSAGE_CHARS_MAX)
        ))
    };
    match (on_empty.outcome, on_counterexample) {
        (Outcome::Failed, _) => Control::FailsOnEmpty,
        (Outcome::CouldNotRun | Outcome::Unusable, _) => broken("an empty artifact", on_empty),
        (Outcome::Passed, None) => vacuous("it passes on an empty artifact and brings no counterexample".to_owned()),
        (Outcome::Passed, Some((text, result))) => match result.outcome {
            Outcome::Failed => Control::FailsOnCounterexample {
                counterexample: Digest::of(text.as_bytes()),
            },
            Outcome::CouldNotRun | Outcome::Unusable => broken("its counterexample", result),
            Outcome::Passed => vacuous("it passes on an empty artifact and on its own counterexample".to_owned()),
        },
    }
}

fn vacuous(reason: String) -> Control {
    Control::Vacuous { reason }
}

#[cfg(test)]
mod tests {
    use onus_model::{ExpectedContent, Search};

    use super::*;
    use crate::search;

    #[test]
    fn only_a_check_that_can_fail_counts() {
        let (present, absent) = (ExpectedContent::PRESENT, ExpectedContent::ABSENT);
        for (pattern, expected, counterexample, counts) in [
            ("^# ", present, None, true),
            ("(?s).*", present, None, false),
            ("x*", present, Some("y"), false),
            ("password", absent, None, false),
            ("password", absent, Some("password: hunter2"), true),
            ("password", absent, Some("nothing bad"), false),
            ("(", present, None, false),
        ] {
            let try_on = |text: &str| search(text, &Search::Regex(pattern.to_owned()), expected);
            let bad_twin = counterexample.map(|text| (text, try_on(text)));
            let control = control(&try_on(""), bad_twin.as_ref().map(|(text, result)| (*text, result)));
            assert_eq!(control.counts(), counts, "{pattern} {control:?}");
        }
    }
}
