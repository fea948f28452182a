//! Judging the judge: one that passes work which cannot be right has shown that its passes mean nothing.

use onus_model::{Criterion, CriterionId, EvaluateAnswer, JudgeControl, VerdictKind};

use super::Judged;
use crate::text::{DETAILS_CHARS_MAX, clip};

/// The criteria that a judge says hold, by its word or by its anchor, whatever evidence it gave.
pub fn passes_claimed(answer: &EvaluateAnswer, asked: &[&Criterion]) -> Vec<CriterionId> {
    let claimed = |criterion: &&&Criterion| {
        let about = answer.rule_results.iter().filter(|result| result.id == criterion.id);
        about.into_iter().any(|result| {
            let anchored = !criterion.rubric.is_empty() && result.anchor.is_some_and(|a| a >= criterion.passes_at());
            result.verdict == VerdictKind::Pass || anchored
        })
    };
    asked
        .iter()
        .filter(claimed)
        .map(|criterion| criterion.id.clone())
        .collect()
}

/// What is left of a judge's words when it passed a control: none of its passes counts, and its failures stay.
pub fn void(judged: Vec<Judged>, control: &JudgeControl) -> Vec<Judged> {
    let what = match control {
        JudgeControl::Empty => "an empty artifact",
        JudgeControl::Hollow => "a hollow copy",
        JudgeControl::Twin { .. } => "a bad twin",
    };
    let voided = |mut word: Judged| {
        if word.vote.verdict == VerdictKind::Pass {
            word.vote.verdict = VerdictKind::Unverified;
            let details = format!(
                "the judge also passed {what}, so its passes do not count: {}",
                word.vote.details
            );
            word.vote.details = clip(details.trim_end_matches([':', ' ']), DETAILS_CHARS_MAX);
        }
        word
    };
    judged.into_iter().map(voided).collect()
}

#[cfg(test)]
mod tests {
    use onus_model::Digest;
    use serde_json::json;

    use super::super::tests::{criterion, judged, rubric};
    use super::*;

    #[test]
    fn a_pass_is_claimed_by_word_or_by_anchor() {
        let criteria = [criterion("a.word"), rubric("a.rubric")];
        let asked: Vec<&Criterion> = criteria.iter().collect();
        for (results, expected) in [
            (json!([]), &[][..]),
            (json!([{"id": "a.word", "verdict": "fail"}]), &[]),
            (json!([{"id": "a.word", "verdict": "pass"}]), &["a.word"]),
            (json!([{"id": "a.word", "verdict": "fail", "anchor": 1.0}]), &[]),
            (
                json!([{"id": "a.rubric", "verdict": "fail", "anchor": 0.75}]),
                &["a.rubric"],
            ),
            (json!([{"id": "a.rubric", "verdict": "fail", "anchor": 0.5}]), &[]),
            (
                json!([{"id": "a.rubric", "verdict": "pass", "anchor": 0.25}]),
                &["a.rubric"],
            ),
            (json!([{"id": "a.other", "verdict": "pass"}]), &[]),
            (
                json!([{"id": "a.word", "verdict": "fail"}, {"id": "a.word", "verdict": "pass"}]),
                &["a.word"],
            ),
        ] {
            let answer = serde_json::from_value(json!({ "rule_results": results })).unwrap();
            let found = passes_claimed(&answer, &asked);
            let found: Vec<&str> = found.iter().map(CriterionId::as_str).collect();
            assert_eq!(found, expected, "{results}");
        }
    }

    #[test]
    fn a_judge_that_passes_what_cannot_pass_passes_nothing() {
        let twin = JudgeControl::Twin {
            path: "bad.md".to_owned(),
            sha256: Digest::of(b""),
        };
        for (control, what) in [
            (JudgeControl::Empty, "an empty artifact"),
            (JudgeControl::Hollow, "a hollow copy"),
            (twin, "a bad twin"),
        ] {
            let words = vec![
                judged("a.x", "one", VerdictKind::Pass),
                judged("a.y", "one", VerdictKind::Fail),
                judged("a.z", "one", VerdictKind::Unverified),
            ];
            let left = void(words.clone(), &control);
            assert_eq!(left[0].vote.verdict, VerdictKind::Unverified);
            assert_eq!(
                left[0].vote.details,
                format!("the judge also passed {what}, so its passes do not count: so")
            );
            assert_eq!(left[1..], words[1..]);
        }
    }
}
