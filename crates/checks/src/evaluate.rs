//! Verdicts: one for each criterion, from checks, from a judge whose evidence holds, or closed as a failure.

use std::collections::HashMap;

use onus_model::{
    Criterion, CriterionId, EvaluateAnswer, Evidence, PreparedCheck, RuleResult, Verdict, VerdictKind, VerdictSource,
};

use crate::answer::{AnswerError, not_asked};
use crate::quote::Folded;
use crate::text::{DETAILS_CHARS_MAX, clip, is_blank};
use crate::{CheckResult, FINDINGS_MAX, Outcome};

/// The criteria that only a judge can decide: no check in the contract, and none prepared that counts.
pub fn asked<'a>(active: impl IntoIterator<Item = &'a Criterion>, prepared: &[PreparedCheck]) -> Vec<&'a Criterion> {
    let proven = |id: &CriterionId| prepared.iter().any(|p| p.rule_id == *id && p.control.counts());
    active
        .into_iter()
        .filter(|c| c.verify.is_empty() && !proven(&c.id))
        .collect()
}

/// Reads a judge's answer: one verdict for each criterion asked about. Ids beyond those, and ids named twice, refuse the
/// whole answer. A pass needs a quote that stands in the artifact.
pub fn judge(answer: EvaluateAnswer, asked: &[&Criterion], artifact: &str) -> Result<Vec<Verdict>, AnswerError> {
    let mut given: HashMap<CriterionId, RuleResult> = HashMap::new();
    for (at, result) in answer.rule_results.into_iter().enumerate() {
        let refuse = |problem| Err(AnswerError::refused(format!("rule_results[{at}].id"), problem));
        if !asked.iter().any(|c| c.id == result.id) {
            return refuse(not_asked(&result.id));
        }
        if given.contains_key(&result.id) {
            return refuse(format!("`{}` has a verdict already", result.id));
        }
        given.insert(result.id.clone(), result);
    }
    let artifact = Folded::new(artifact);
    let verdict = |criterion: &&Criterion| match given.remove(&criterion.id) {
        Some(result) => weigh(result, &artifact),
        None => closed(criterion, "the evaluator gave no verdict"),
    };
    Ok(asked.iter().map(verdict).collect())
}

fn weigh(result: RuleResult, artifact: &Folded) -> Verdict {
    let quote = result.quote.filter(|quote| !is_blank(quote));
    let line = quote.as_deref().and_then(|quote| artifact.find(quote));
    let (verdict, doubt) = match (result.verdict, &quote, line) {
        (VerdictKind::Pass, _, Some(_)) => (VerdictKind::Pass, None),
        (VerdictKind::Pass, None, None) => (VerdictKind::Unverified, Some("passed without a quote")),
        (VerdictKind::Pass, Some(_), None) => (
            VerdictKind::Unverified,
            Some("passed on a quote that does not stand in the artifact, or is too short"),
        ),
        (VerdictKind::Na, _, _) => (
            VerdictKind::Fail,
            Some("`na` is for the contract to declare, not for the evaluator"),
        ),
        // What a `warn` means for a criterion depends on its severity; the scorecard settles that.
        (kind @ (VerdictKind::Fail | VerdictKind::Warn | VerdictKind::Unverified), _, _) => (kind, None),
    };
    let said = clip(result.details.trim(), DETAILS_CHARS_MAX);
    let evidence = match (quote, line) {
        (Some(quote), Some(line)) => vec![Evidence::Quote {
            quote: clip(quote.trim(), DETAILS_CHARS_MAX),
            line,
        }],
        _ => Vec::new(),
    };
    Verdict {
        id: result.id,
        verdict,
        details: match doubt {
            None => said,
            Some(doubt) if said.is_empty() => doubt.to_owned(),
            Some(doubt) => format!("{doubt}: {said}"),
        },
        source: VerdictSource::Evaluator,
        evidence,
        findings: Vec::new(),
    }
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
    Verdict {
        id: criterion.id.clone(),
        verdict,
        details: clip(&why.join("; "), DETAILS_CHARS_MAX),
        source,
        findings: results
            .iter()
            .flat_map(|r| r.findings.iter().cloned())
            .take(FINDINGS_MAX)
            .collect(),
        evidence: results.into_iter().map(|r| r.evidence).collect(),
    }
}

/// A criterion that nothing and nobody can decide.
pub fn unchecked(criterion: &Criterion) -> Verdict {
    closed(criterion, "no check could be made and no evaluator is bound")
}

fn closed(criterion: &Criterion, why: &str) -> Verdict {
    Verdict {
        id: criterion.id.clone(),
        verdict: VerdictKind::Fail,
        details: why.to_owned(),
        source: VerdictSource::Engine,
        evidence: Vec::new(),
        findings: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use onus_model::{Check, CheckKind, Control, ExpectedContent, LevelName, Search, Severity, Weight};

    use super::*;
    use crate::search;

    fn criterion(id: &str, severity: Severity) -> Criterion {
        Criterion {
            id: CriterionId::new(id).unwrap(),
            description: String::new(),
            severity,
            weight: Weight::whole(1),
            level: LevelName::new("A").unwrap(),
            check: String::new(),
            verify: Vec::new(),
        }
    }

    fn content_check(pattern: &str) -> Check {
        Check {
            kind: CheckKind::Content {
                search: Search::Regex(pattern.to_owned()),
                expected: ExpectedContent::PRESENT,
            },
            counterexample: None,
        }
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

    /// One judged criterion: `verdict: details`.
    fn check(result: &serde_json::Value) -> String {
        let criterion = criterion("a.x", Severity::Fail);
        let answer = serde_json::from_value(serde_json::json!({ "rule_results": [result] })).unwrap();
        match judge(answer, &[&criterion], "# Title\nEvery endpoint returns JSON.\n") {
            Ok(verdicts) => format!("{:?}: {}", verdicts[0].verdict, verdicts[0].details),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn a_judge_passes_only_with_words_that_stand_there() {
        let result = |verdict: &str, quote: Option<&str>| serde_json::json!({"id": "a.x", "verdict": verdict, "details": "so", "quote": quote});
        let real = Some("endpoint returns\nJSON");
        let (absent, short) = (Some("every endpoint returns XML"), Some("the"));
        let not_there = "Unverified: passed on a quote that does not stand in the artifact, or is too short: so";
        for (verdict, quote, expected) in [
            ("pass", real, "Pass: so"),
            ("pass", None, "Unverified: passed without a quote: so"),
            ("pass", Some(" "), "Unverified: passed without a quote: so"),
            ("pass", absent, not_there),
            ("pass", short, not_there),
            ("fail", None, "Fail: so"),
            ("warn", None, "Warn: so"),
            (
                "na",
                real,
                "Fail: `na` is for the contract to declare, not for the evaluator: so",
            ),
            ("unverified", None, "Unverified: so"),
        ] {
            assert_eq!(check(&result(verdict, quote)), expected, "{verdict} {quote:?}");
        }
    }

    #[test]
    fn ids_nobody_asked_for_and_ids_named_twice_refuse_the_answer() {
        let criteria = [criterion("a.x", Severity::Fail), criterion("a.y", Severity::Fail)];
        let asked: Vec<&Criterion> = criteria.iter().collect();
        let judged = |ids: &[&str]| {
            let results: Vec<_> = ids
                .iter()
                .map(|id| serde_json::json!({"id": id, "verdict": "fail"}))
                .collect();
            judge(
                serde_json::from_value(serde_json::json!({ "rule_results": results })).unwrap(),
                &asked,
                "text",
            )
        };
        for (ids, error) in [
            (
                &["a.x", "b.z"][..],
                "rule_results[1].id: `b.z` is not a criterion that was asked about",
            ),
            (&["a.x", "a.x"], "rule_results[1].id: `a.x` has a verdict already"),
        ] {
            assert_eq!(
                judged(ids).unwrap_err().to_string(),
                format!("the answer is refused: {error}")
            );
        }
        let verdicts = judged(&["a.y"]).unwrap();
        assert_eq!(verdicts[0], closed(&criteria[0], "the evaluator gave no verdict"));
        assert_eq!(
            (verdicts[1].id.as_str(), verdicts[1].source),
            ("a.y", VerdictSource::Evaluator)
        );
        assert_eq!(judged(&[]).unwrap().len(), 2);
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
