//! A check that ran more than once on the same content.

use crate::text::{DETAILS_CHARS_MAX, clip};
use crate::{CheckResult, Outcome};

/// One result of several runs, and whether they differ. It passes if `need` of them passed, all if nothing is said. What did
/// not pass comes with the first failure, its evidence and its findings.
pub fn repeated(results: Vec<CheckResult>, need: Option<u32>) -> (CheckResult, bool) {
    let runs = results.len();
    let passed = results.iter().filter(|result| result.passed()).count();
    let need = need.map_or(runs, |need| need as usize);
    let flaky = results.windows(2).any(|pair| pair[0].outcome != pair[1].outcome);
    // More than there are runs, or none at all, can never be shown.
    let holds = (1..=passed).contains(&need);
    let failure = results
        .iter()
        .find(|result| !result.passed())
        .map(|result| result.why.clone());
    let broken = results.iter().any(|result| result.outcome == Outcome::Unusable);
    let shown = results.into_iter().reduce(|first, next| {
        let better = next.passed() == holds && first.passed() != holds;
        if better { next } else { first }
    });
    let Some(shown) = shown else {
        return (did_not_run(), false);
    };
    if runs == 1 && need == 1 {
        return (shown, false);
    }
    let outcome = match (holds, shown.outcome) {
        (true, _) => Outcome::Passed,
        (false, _) if broken || need == 0 || need > runs => Outcome::Unusable,
        // Too few passed, although each of them did.
        (false, Outcome::Passed) => Outcome::Failed,
        (false, other) => other,
    };
    let ahead = if flaky { "flaky: " } else { "" };
    let asked = match need {
        need if need == runs => String::new(),
        need => format!(", {need} are needed"),
    };
    let why = match failure {
        Some(failure) => format!("{ahead}{passed} of {runs} runs passed{asked}; first failure: {failure}"),
        None => format!("{passed} of {runs} runs passed{asked}: {}", shown.why),
    };
    let result = CheckResult {
        outcome,
        why: clip(&why, DETAILS_CHARS_MAX),
        ..shown
    };
    (result, flaky)
}

fn did_not_run() -> CheckResult {
    CheckResult {
        outcome: Outcome::CouldNotRun,
        why: "0 of 0 runs passed".to_owned(),
        evidence: onus_model::Evidence::Files { files: 0 },
        findings: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use onus_model::Evidence;

    use super::*;
    use crate::unusable;

    fn result(outcome: Outcome) -> CheckResult {
        CheckResult {
            outcome,
            why: format!("{outcome:?}").to_lowercase(),
            evidence: Evidence::Files {
                files: if outcome == Outcome::Passed { 1 } else { 2 },
            },
            findings: Vec::new(),
        }
    }

    #[test]
    fn enough_runs_must_pass() {
        let (p, f, c, u) = (
            Outcome::Passed,
            Outcome::Failed,
            Outcome::CouldNotRun,
            Outcome::Unusable,
        );
        for (outcomes, need, expected, flaky) in [
            (&[p][..], None, "Passed: passed", false),
            (&[f], None, "Failed: failed", false),
            (&[p, p, p], None, "Passed: 3 of 3 runs passed: passed", false),
            (
                &[p, f, p],
                None,
                "Failed: flaky: 2 of 3 runs passed; first failure: failed",
                true,
            ),
            (
                &[p, f, p],
                Some(2),
                "Passed: flaky: 2 of 3 runs passed, 2 are needed; first failure: failed",
                true,
            ),
            (
                &[p, f, c],
                Some(2),
                "Failed: flaky: 1 of 3 runs passed, 2 are needed; first failure: failed",
                true,
            ),
            (
                &[c, c],
                None,
                "CouldNotRun: 0 of 2 runs passed; first failure: couldnotrun",
                false,
            ),
            (
                &[p, u],
                Some(2),
                "Unusable: flaky: 1 of 2 runs passed; first failure: unusable",
                true,
            ),
            (
                &[p, p],
                Some(3),
                "Unusable: 2 of 2 runs passed, 3 are needed: passed",
                false,
            ),
            (
                &[p],
                Some(2),
                "Unusable: 1 of 1 runs passed, 2 are needed: passed",
                false,
            ),
            (
                &[p, p],
                Some(0),
                "Unusable: 2 of 2 runs passed, 0 are needed: passed",
                false,
            ),
            (
                &[f],
                Some(0),
                "Unusable: 0 of 1 runs passed, 0 are needed; first failure: failed",
                false,
            ),
            (&[], None, "CouldNotRun: 0 of 0 runs passed", false),
            (&[], Some(0), "CouldNotRun: 0 of 0 runs passed", false),
        ] {
            let (found, differ) = repeated(outcomes.iter().copied().map(result).collect(), need);
            assert_eq!(
                format!("{:?}: {}", found.outcome, found.why),
                expected,
                "{outcomes:?} {need:?}"
            );
            assert_eq!(differ, flaky, "{outcomes:?}");
        }
    }

    #[test]
    fn the_first_failure_is_what_is_shown() {
        let failed = CheckResult {
            why: "later".to_owned(),
            ..result(Outcome::Failed)
        };
        let (found, _) = repeated(vec![result(Outcome::Passed), result(Outcome::Failed), failed], None);
        assert_eq!(found.evidence, Evidence::Files { files: 2 });
        assert!(found.why.ends_with("first failure: failed"), "{}", found.why);
    }

    #[test]
    fn the_first_check_that_cannot_be_used_is_named() {
        let results = [Outcome::Passed, Outcome::CouldNotRun, Outcome::Unusable].map(result);
        assert_eq!(unusable(&results), Some("unusable"));
        assert_eq!(unusable(&results[..2]), None);
        assert_eq!(unusable(&[]), None);
    }
}
