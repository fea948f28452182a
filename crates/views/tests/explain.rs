//! Explanations as text: what is told, how wide it is, and text that must not reach a terminal as it is.

#![allow(clippy::unwrap_used, reason = "test builders may panic")]

use onus_model::*;
use onus_views::{Style, explanation_text};

fn points(points: u16) -> Score {
    Score::from_basis_points(points)
}

fn id(text: &str) -> CriterionId {
    CriterionId::new(text).unwrap()
}

fn share(name: &str, holds: bool, cost: u16, blocks: &[Blocks]) -> CriterionShare {
    CriterionShare {
        id: id(name),
        severity: Severity::Fail,
        dimension: None,
        left_out: false,
        holds,
        weight: Weight::whole(2),
        share: if holds { Score::ONE } else { Score::ZERO },
        cost: points(cost),
        blocks: blocks.to_vec(),
    }
}

fn failing() -> Explanation {
    Explanation {
        phase: LevelName::new("B").unwrap(),
        score: points(5_000),
        threshold: points(9_000),
        passed: false,
        formula: vec!["score = weight × share / weight = 4 / 8 = 0.50".to_owned()],
        criteria: vec![
            share("a.correctness.endpoints", true, 0, &[]),
            share("a.style", false, 1_250, &[]),
            share(
                "b.completeness.auth",
                false,
                2_500,
                &[Blocks::Failing, Blocks::Regressed],
            ),
        ],
        dimensions: Vec::new(),
        gates: None,
        reasons: vec![
            Reason::Failing {
                ids: vec![id("b.completeness.auth")],
            },
            Reason::Threshold {
                score: points(5_000),
                threshold: points(9_000),
            },
            Reason::Regressed {
                ids: vec![id("b.completeness.auth")],
            },
        ],
        needed: Some(Needed {
            ids: vec![id("a.style"), id("b.completeness.auth")],
            score: points(10_000),
        }),
    }
}

fn crowded() -> Explanation {
    let all = [
        Blocks::Failing,
        Blocks::MustPass,
        Blocks::Trust,
        Blocks::Goal,
        Blocks::Regressed,
        Blocks::Cap,
    ];
    let criteria: Vec<CriterionShare> = (0..30)
        .map(|at| CriterionShare {
            dimension: Some("craftsmanship\u{1b}[2J and more".to_owned()),
            weight: Weight::try_from(999_999.999).unwrap(),
            ..share(&format!("b.{}.n{at}", "completeness".repeat(3)), false, 333, &all)
        })
        .collect();
    let ids: Vec<CriterionId> = criteria.iter().map(|criterion| criterion.id.clone()).collect();
    let gate = |result| GateResult {
        result,
        score: points(8_000),
        met: 4,
        of: 5,
    };
    Explanation {
        formula: vec![format!("score = ({}) / 100 = 0.50", ["20 × craft"; 40].join(" + "))],
        criteria,
        gates: Some(Gates {
            trust: gate(GateOutcome::Fail),
            goal: gate(GateOutcome::Blocked),
            next: NextMove::Blocked,
        }),
        reasons: vec![
            Reason::MustPass { ids: ids.clone() },
            Reason::Dimension {
                name: "craft\u{1b}]0;x\u{7}".to_owned(),
                score: points(1),
                threshold: points(2),
            },
            Reason::Trust {
                score: points(1),
                threshold: points(2),
            },
            Reason::Goal { met: 4, of: 5 },
        ],
        needed: Some(Needed {
            ids,
            score: points(9_000),
        }),
        ..failing()
    }
}

#[test]
fn a_failing_evaluation_is_explained() {
    insta::assert_snapshot!(
        "failing",
        explanation_text(&failing(), "note, iteration 2", Style::Plain)
    );
}

#[test]
fn no_line_is_wider_than_a_terminal_and_nothing_reaches_it_unescaped() {
    for explanation in [failing(), crowded()] {
        let text = explanation_text(&explanation, "note\u{1b}[2J, iteration 2", Style::Plain);
        for line in text.lines() {
            assert!(line.chars().count() < 100, "{line}");
        }
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text}");
    }
}

#[test]
fn colour_changes_nothing_but_colour() {
    let painted = explanation_text(&failing(), "note", Style::Ansi);
    let bare = painted
        .replace("\u{1b}[32m", "")
        .replace("\u{1b}[31m", "")
        .replace("\u{1b}[2m", "")
        .replace("\u{1b}[0m", "");
    assert_ne!(painted, bare);
    assert_eq!(bare, explanation_text(&failing(), "note", Style::Plain));
}

#[test]
fn a_pass_needs_nothing() {
    let passed = Explanation {
        passed: true,
        reasons: Vec::new(),
        needed: None,
        ..failing()
    };
    let text = explanation_text(&passed, "note", Style::Plain);
    assert!(
        text.contains("needed:   nothing: the gate passed") && !text.contains("why not"),
        "{text}"
    );
}

#[test]
fn what_was_left_out_is_called_so() {
    let mut explanation = failing();
    explanation.criteria[2] = CriterionShare {
        left_out: true,
        ..share("b.completeness.auth", false, 0, &[Blocks::Failing])
    };
    let text = explanation_text(&explanation, "note", Style::Plain);
    let row = text.lines().find(|line| line.starts_with("LEFT OUT")).unwrap();
    assert_eq!(
        row.split_whitespace().collect::<Vec<_>>(),
        ["LEFT", "OUT", "b.completeness.auth", "2", "0.00", "-", "failing"]
    );
}
