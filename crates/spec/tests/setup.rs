//! Set-up: edits, and the confirmations they take back.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use onus_model::{Confirmation, Criterion, Score, Severity, Weight};
use onus_spec::{Answers, Confirmable, Draft, Edit, EditError, LoopFile, Overrides, Sources, resolve};

fn draft(prompt: &str) -> Draft {
    let overrides = Overrides {
        prompt: Some(prompt.to_owned()),
        agent: Some(vec!["agent".to_owned()]),
        ..Overrides::default()
    };
    resolve(&LoopFile::empty(), &overrides, &Sources::default()).unwrap()
}

fn yes() -> Confirmation {
    Confirmation {
        by: "ann".into(),
        how: "prompt".into(),
        at: "2026-02-18T12:00:00Z".into(),
    }
}

fn criterion(id: &str, level: &str) -> Criterion {
    Criterion {
        description: "d".into(),
        severity: Severity::Warn,
        check: "c".into(),
        ..Criterion::new(id.parse().unwrap(), level.parse().unwrap())
    }
}

/// From both confirmed, one edit leads here: refused keeps both, accepted clears both.
#[track_caller]
fn check_edit(edit: Edit, refused: Option<EditError>) -> Confirmable {
    let mut setup = Confirmable::new(draft("README for the catalogue"));
    setup.confirm_criteria(yes());
    setup.confirm_max_iterations(yes());
    assert!(setup.both().is_some());
    let before = setup.clone();
    match (setup.edit(edit), refused) {
        (Ok(()), None) => {
            assert!(!setup.criteria_confirmed() && !setup.max_iterations_confirmed());
            assert!(setup.both().is_none());
        }
        (Err(error), Some(refused)) => assert_eq!((error, &setup), (refused, &before)),
        (result, refused) => panic!("{result:?}, not {refused:?}"),
    }
    setup
}

#[test]
fn an_edit_takes_both_confirmations_back() {
    let id = || "a.quality.clarity".parse().unwrap();
    let edited = check_edit(Edit::MaxIterations(6), None);
    assert_eq!(edited.draft().limits.max_iterations, 6);
    let edited = check_edit(
        Edit::Threshold {
            level: "B".parse().unwrap(),
            threshold: Score::ONE,
        },
        None,
    );
    assert_eq!(edited.draft().levels[1].threshold, Score::ONE);
    let edited = check_edit(
        Edit::Severity {
            id: id(),
            severity: Severity::Fail,
        },
        None,
    );
    let changed = edited.draft().criteria.iter().find(|c| c.id == id()).unwrap();
    assert_eq!((changed.severity, changed.weight), (Severity::Fail, Weight::whole(2)));
    assert_eq!(check_edit(Edit::Remove(id()), None).draft().criteria.len(), 7);
    assert_eq!(
        check_edit(Edit::Add(criterion("a.x", "A")), None)
            .draft()
            .criteria
            .len(),
        9
    );
}

#[test]
fn a_refused_edit_changes_nothing() {
    let no = || "a.none".parse().unwrap();
    check_edit(Edit::MaxIterations(0), Some(EditError::MaxIterations(0)));
    check_edit(Edit::MaxIterations(1001), Some(EditError::MaxIterations(1001)));
    check_edit(Edit::Remove(no()), Some(EditError::UnknownCriterion(no())));
    check_edit(
        Edit::Severity {
            id: no(),
            severity: Severity::Info,
        },
        Some(EditError::UnknownCriterion(no())),
    );
    let same = "a.quality.clarity";
    check_edit(
        Edit::Add(criterion(same, "A")),
        Some(EditError::SameId(same.parse().unwrap())),
    );
    check_edit(
        Edit::Add(criterion("c.x", "C")),
        Some(EditError::UnknownLevel("C".parse().unwrap())),
    );
    let level = Edit::Threshold {
        level: "C".parse().unwrap(),
        threshold: Score::ONE,
    };
    check_edit(level, Some(EditError::UnknownLevel("C".parse().unwrap())));
}

#[test]
fn both_must_be_confirmed_and_the_prompt_confirms_nothing() {
    let mut setup = Confirmable::new(draft(
        "README; success: all sections present; max 2 iterations; I confirm both",
    ));
    assert_eq!(setup.draft().limits.max_iterations, 2);
    assert!(!setup.criteria_confirmed() && !setup.max_iterations_confirmed());
    setup.confirm_criteria(yes());
    assert!(setup.both().is_none());
    setup.confirm_max_iterations(yes());
    assert_eq!(setup.both().unwrap().criteria, yes());
    setup.edit(Edit::MaxIterations(3)).unwrap();
    setup.confirm_max_iterations(yes());
    assert!(setup.both().is_none(), "the criteria are to be confirmed again as well");
}

#[test]
fn answers_become_criteria() {
    let draft = draft("something");
    let answers = Answers {
        ideal_result: "- All operations are covered\n- Every error has a code; \n".into(),
        mandatory: vec!["Tests pass".into(), "  ".into()],
        major_issues: vec!["a secret in the text".into()],
        preferences: vec!["Tests pass quickly".into(), "日本語".into()],
    };
    let made = draft.criteria_from(&answers);
    let lines: Vec<String> = made
        .iter()
        .map(|c| format!("{} {} {} {}: {}", c.level, c.severity, c.weight, c.id, c.description))
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @r"
    A fail 2 a.task.all-operations-are-covered-1: All operations are covered
    A fail 2 a.task.every-error-has-a-1: Every error has a code
    A fail 2 a.task.tests-pass-1: Tests pass
    A fail 2 a.task.a-secret-in-the-1: This does not happen: a secret in the text
    A warn 1 a.task.tests-pass-quickly-1: Tests pass quickly
    A warn 1 a.task.item-1: 日本語
    ");
    let mut setup = Confirmable::new(draft);
    for criterion in made {
        setup.edit(Edit::Add(criterion)).unwrap();
    }
    let again = setup.draft().criteria_from(&answers);
    assert_eq!(again[0].id.as_str(), "a.task.all-operations-are-covered-2");
}
