//! Explanations: every number is one that the scorecard gives again, and what is said to be enough is.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use std::collections::BTreeSet;

use onus_machine::{explain, scorecard};
use onus_model::*;
use support::*;

fn card(spec: &LoopSpec, failing: &[&str], passed_before: &[&str]) -> Scorecard {
    let before: BTreeSet<CriterionId> = passed_before.iter().map(|id| CriterionId::new(*id).unwrap()).collect();
    let given = verdicts(spec, &level("B"), failing);
    let hash = canonical_sha256(spec).unwrap();
    scorecard(spec, hash, &level("B"), Digest::of(b"artifact"), &given, &before)
}

fn ids(needed: &Needed) -> Vec<&str> {
    needed.ids.iter().map(CriterionId::as_str).collect()
}

#[test]
fn a_plain_score_is_taken_apart() {
    let spec = spec(4);
    let explanation = explain(&spec, &card(&spec, &["a.should", "b.must"], &["a.should"]));
    assert_eq!(explanation.formula, ["score = weight × share / weight = 3 / 6 = 0.50"]);
    let told: Vec<_> = explanation
        .criteria
        .iter()
        .map(|c| (c.id.as_str(), c.holds, c.cost.basis_points(), c.blocks.clone()))
        .collect();
    assert_eq!(
        told,
        [
            ("a.must", true, 0, vec![]),
            ("a.should", false, 1666, vec![Blocks::Regressed]),
            ("b.must", false, 3333, vec![Blocks::Failing]),
            ("b.should", true, 0, vec![]),
        ]
    );
    let needed = explanation.needed.unwrap();
    assert_eq!((ids(&needed), needed.score), (vec!["a.should", "b.must"], Score::ONE));
}

#[test]
fn only_what_is_needed_is_named() {
    let mut spec = spec(4);
    spec.levels[1].threshold = score(0.6);
    let explanation = explain(&spec, &card(&spec, &["a.should", "b.should", "b.must"], &[]));
    let needed = explanation.needed.unwrap();
    assert_eq!((ids(&needed), needed.score), (vec!["b.must"], score(0.6666)));
    assert_eq!(
        explain(&spec, &card(&spec, &["b.should"], &[])).needed,
        None,
        "it passed"
    );
}

#[test]
fn dimensions_and_caps_are_in_the_formula() {
    let mut spec = spec(4);
    let dimension = |name: &str, weight| Dimension {
        name: name.into(),
        weight: Weight::whole(weight),
        threshold: None,
        must_pass: false,
    };
    spec.scoring.dimensions = vec![dimension("depth", 20), dimension("form", 80)];
    spec.scoring.strict = true;
    for (criterion, name) in spec.criteria.iter_mut().zip(["depth", "depth", "form", "form"]) {
        criterion.dimension = Some(name.into());
    }
    spec.criteria[1].cap = Some(score(0.25));
    let explanation = explain(&spec, &card(&spec, &["a.should", "b.should"], &[]));
    assert_eq!(
        explanation.formula,
        [
            "depth = weight × share / weight = 2 / 3 = 0.25, held down by a.should",
            "form = weight × share / weight = 2 / 3 = 0.6666",
            "score = (20 × depth + 80 × form) / 100 = 0.5833",
        ]
    );
    assert_eq!(explanation.criteria[1].blocks, [Blocks::Cap]);
    assert_eq!(explanation.criteria[1].cost, score(0.15));
    assert_eq!(ids(&explanation.needed.unwrap()), ["a.should", "b.should"]);
}

#[test]
fn a_cap_on_the_whole_is_told_and_a_score_that_only_equals_it_is_not() {
    let mut spec = spec(4);
    spec.criteria[3].cap = Some(score(0.5));
    let capped = explain(&spec, &card(&spec, &["b.should"], &[]));
    assert_eq!(
        capped.formula,
        ["score = weight × share / weight = 5 / 6 = 0.50, held down by b.should"]
    );
    let equal = explain(&spec, &card(&spec, &["b.should", "b.must"], &[]));
    assert_eq!(equal.score, score(0.5));
    assert_eq!(equal.criteria[3].blocks, []);
}

/// For every set of failures: the named set passes, and without any one of it nothing does.
#[test]
fn what_is_needed_is_enough_and_no_more() {
    let mut gated = spec(4);
    gated.scoring.trust_threshold = Some(score(0.5));
    gated.criteria[1].gate = Some(Gate::Trust);
    gated.criteria[3].gate = Some(Gate::Trust);
    gated.criteria[2].gate = Some(Gate::Goal);
    let mut low = spec(4);
    low.levels[1].threshold = score(0.7);
    let all = ["a.must", "a.should", "b.must", "b.should"];
    for spec in [spec(4), gated, low] {
        for mask in 0..16_usize {
            let chosen = |mask: usize| {
                (0..4)
                    .filter(|at| mask & (1 << at) != 0)
                    .map(|at| all[at])
                    .collect::<Vec<_>>()
            };
            let failing = chosen(mask);
            let before = card(&spec, &failing, &[]);
            let Some(needed) = explain(&spec, &before).needed else {
                assert!(before.passed);
                continue;
            };
            let without = |spared: Option<&str>| {
                let still: Vec<&str> = failing
                    .iter()
                    .copied()
                    .filter(|id| !ids(&needed).contains(id) || Some(*id) == spared)
                    .collect();
                card(&spec, &still, &[])
            };
            assert!(!before.passed && without(None).passed, "{failing:?}: {needed:?}");
            assert_eq!(without(None).score, needed.score);
            for id in ids(&needed) {
                assert!(!without(Some(id)).passed, "{failing:?}: {id} was not needed");
            }
        }
    }
}

#[test]
fn what_was_left_out_costs_nothing_and_is_named_only_where_nothing_else_is_enough() {
    let left_out = |spec: &LoopSpec, failing: &[&str], left_out: &[&str]| {
        let given: Vec<Verdict> = verdicts(spec, &level("B"), &[failing, left_out].concat())
            .into_iter()
            .map(|verdict| Verdict {
                left_out: left_out.contains(&verdict.id.as_str()),
                ..verdict
            })
            .collect();
        let hash = canonical_sha256(spec).unwrap();
        let artifact = Digest::of(b"artifact");
        explain(
            spec,
            &scorecard(spec, hash, &level("B"), artifact, &given, &BTreeSet::new()),
        )
    };
    let of = |threshold: f64| {
        let mut spec = spec(4);
        spec.levels[1].threshold = score(threshold);
        spec
    };
    // `a.should` would gain as much as `b.should`, and is not known to fail.
    let explanation = left_out(&of(0.8), &["b.should"], &["a.should"]);
    let told: Vec<_> = explanation.criteria.iter().map(|c| (c.left_out, c.cost)).collect();
    assert_eq!(told[1], (true, Score::ZERO));
    assert_eq!(told[3], (false, score(0.1667)));
    assert_eq!(ids(&explanation.needed.unwrap()), ["b.should"]);
    let alone = left_out(&of(1.0), &["b.should"], &["a.should"]);
    assert_eq!(
        ids(&alone.needed.unwrap()),
        ["a.should", "b.should"],
        "nothing less is enough"
    );
    let blocking = left_out(&of(0.3), &["a.must"], &["a.should", "b.must"]);
    assert_eq!(
        ids(&blocking.needed.unwrap()),
        ["a.must", "b.must"],
        "what blocks is named"
    );
}
