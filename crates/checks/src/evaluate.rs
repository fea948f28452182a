//! Verdicts from checks, and who decides what. What judges say is read in `judge`.

use onus_model::{Criterion, CriterionId, PreparedCheck, Verdict, VerdictKind, VerdictSource};

use crate::text::{DETAILS_CHARS_MAX, clip};
use crate::{CheckResult, FINDINGS_MAX, Outcome};

/// The criteria that only a judge can decide: no check in the contract, and none prepared that counts.
pub fn asked<'a>(active: impl IntoIterator<Item = &'a Criterion>, prepared: &[PreparedCheck]) -> Vec<&'a Criterion> {
    let proven = |id: &CriterionId| prepared.iter().any(|p| p.rule_id == *id && p.control.counts());
    active
        .into_iter()
        .filter(|c| c.verify.is_empty() && !proven(&c.id))
        .collect()
}

/// A criterion decided by its checks: all must pass, and there must be one.
pub fn from_checks(criterion: &Criterion, source: VerdictSource, results: Vec<CheckResult>) -> Verdict {
    if results.is_empty() {
        return closed(criterion, "none of its checks ran");
    }
    let failing: Vec<&str> = results
        .iter()
        .filter(|r| r.outcome != Outcome::Passed)
        .map(|r| r.why.as_str())
        .collect();
    let (verdict, why) = match failing.as_slice() {
        [] => (
            VerdictKind::Pass,
            results.iter().map(|r| r.why.as_str()).collect::<Vec<_>>(),
        ),
        _ => (VerdictKind::Fail, failing),
    };
    let details = clip(&why.join("; "), DETAILS_CHARS_MAX);
    Verdict {
        findings: results
            .iter()
            .flat_map(|r| r.findings.iter().cloned())
            .take(FINDINGS_MAX)
            .collect(),
        evidence: results.into_iter().map(|r| r.evidence).collect(),
        ..Verdict::bare(criterion.id.clone(), verdict, details, source)
    }
}

/// A criterion that nothing and nobody can decide.
pub fn unchecked(criterion: &Criterion) -> Verdict {
    closed(criterion, "no check could be made and no evaluator is bound")
}

pub(crate) fn closed(criterion: &Criterion, why: &str) -> Verdict {
    Verdict::bare(criterion.id.clone(), VerdictKind::Fail, why, VerdictSource::Engine)
}

#[cfg(test)]
mod tests {
    use onus_model::{Check, CheckKind, Control, ExpectedContent, LevelName, Search, Severity};

    use super::*;
    use crate::search;

    fn criterion(id: &str, severity: Severity) -> Criterion {
        Criterion {
            severity,
            ..Criterion::new(CriterionId::new(id).unwrap(), LevelName::new("A").unwrap())
        }
    }

    fn content_check(pattern: &str) -> Check {
        Check::new(CheckKind::Content {
            search: Search::Regex(pattern.to_owned()),
            expected: ExpectedContent::PRESENT,
        })
    }

    #[test]
    fn a_judge_is_asked_only_what_no_counting_check_decides() {
        let verified = Criterion {
            verify: vec![content_check("x")],
            ..criterion("a.verified", Severity::Fail)
        };
        let criteria = [
            verified,
            criterion("a.proven", Severity::Fail),
            criterion("a.vacuous", Severity::Fail),
            criterion("a.bare", Severity::Warn),
        ];
        let prepared = |id: &str, control| PreparedCheck {
            rule_id: CriterionId::new(id).unwrap(),
            check: content_check("x"),
            control,
        };
        let prepared = [
            prepared("a.proven", Control::Untried),
            prepared("a.proven", Control::FailsOnEmpty),
            prepared("a.vacuous", Control::Vacuous { reason: String::new() }),
        ];
        let ids: Vec<&str> = asked(&criteria, &prepared).iter().map(|c| c.id.as_str()).collect();
        assert_eq!(ids, ["a.vacuous", "a.bare"]);
    }

    #[test]
    fn checks_pass_a_criterion_only_together() {
        let criterion = criterion("a.x", Severity::Fail);
        let run = |patterns: &[&str]| {
            let results = patterns
                .iter()
                .map(|p| search("one two", &Search::Regex((*p).to_owned()), ExpectedContent::PRESENT));
            from_checks(&criterion, VerdictSource::Prepared, results.collect())
        };
        for (patterns, verdict, source, evidence) in [
            (&["one", "two"][..], VerdictKind::Pass, VerdictSource::Prepared, 2),
            (&["one", "three"], VerdictKind::Fail, VerdictSource::Prepared, 2),
            (&["one", "("], VerdictKind::Fail, VerdictSource::Prepared, 2),
            (&[], VerdictKind::Fail, VerdictSource::Engine, 0),
        ] {
            let found = run(patterns);
            assert_eq!(
                (found.verdict, found.source, found.evidence.len()),
                (verdict, source, evidence),
                "{patterns:?}"
            );
        }
        assert_eq!(
            run(&["one", "three"]).details,
            "`three` does not match; expected at least 1"
        );
        assert_eq!(unchecked(&criterion).verdict, VerdictKind::Fail);
    }
}
