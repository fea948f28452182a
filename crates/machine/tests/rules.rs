//! The loop's rules, one story each.

#![allow(clippy::unwrap_used, clippy::wildcard_enum_match_arm, reason = "tests")]

mod support;

use onus_machine::replay::{fold, replay};
use onus_machine::{apply, pending, well_formed};
use onus_model::*;
use support::*;

fn names(bench: &Bench) -> Vec<&'static str> {
    bench.ledger.iter().map(|s| s.event.name()).collect()
}

#[test]
fn a_pass_at_a_is_evaluated_again_at_b_without_using_an_iteration() {
    let mut bench = Bench::started(spec(1));
    bench.evaluate(&[]);
    assert_eq!(bench.outcome(), "running iteration 1 level B PREPARE");
    bench.evaluate(&[]);
    assert_eq!(bench.outcome(), "threshold_reached completed passed=true");
    assert_eq!(
        names(&bench),
        [
            "run_started",
            "plan_created",
            "artifact_created",
            "checks_prepared",
            "evaluation_done",
            "phase_switched",
            "checks_prepared",
            "evaluation_done",
            "stopped"
        ]
    );
}

#[test]
fn a_pass_on_the_last_iteration_is_a_pass() {
    let mut bench = Bench::started(spec(2));
    bench.evaluate(&["a.must"]);
    bench.evaluate(&[]);
    bench.evaluate(&[]);
    assert_eq!(bench.outcome(), "threshold_reached completed passed=true");
    assert_eq!(bench.run().iteration, 2);
}

#[test]
fn the_last_iteration_stops_before_critique_so_the_final_artifact_is_the_evaluated_one() {
    let mut bench = Bench::started(spec(1));
    bench.evaluate(&["a.must"]);
    assert_eq!(bench.outcome(), "iteration_limit stopped passed=false");
    assert_eq!(*names(&bench).last().unwrap(), "stopped");
    assert!(!names(&bench).contains(&"critique_done"));
}

#[test]
fn only_soft_criteria_failing_ends_the_run_at_the_last_level_but_not_before() {
    let mut bench = Bench::started(spec(3));
    bench.evaluate(&["a.should"]);
    assert_eq!(
        bench.outcome(),
        "running iteration 1 level A CRITIQUE",
        "0.6667 at A, nothing blocks: go on"
    );
    bench.evaluate(&[]);
    bench.evaluate(&["b.should"]);
    assert_eq!(bench.outcome(), "no_major_issues completed passed=false");
}

#[test]
fn stagnation_counts_small_gains_without_blockers_and_resets_on_gain_and_at_a_level_switch() {
    let mut bench = Bench::started(spec(9));
    bench.evaluate(&["a.should"]);
    assert_eq!(bench.run().progress.stagnation_count, 0, "0 to 0.6667 is a gain");
    bench.evaluate(&["a.should"]);
    assert_eq!(bench.run().progress.stagnation_count, 1);
    bench.evaluate(&["a.must"]);
    assert_eq!(
        bench.run().progress.stagnation_count,
        1,
        "a loss with a blocker is no stagnation, and no reset"
    );
    bench.evaluate(&["a.should"]);
    assert_eq!(bench.run().progress.stagnation_count, 0, "0.3333 to 0.6667 is a gain");
    bench.evaluate(&["a.should"]);
    bench.evaluate(&["a.should"]);
    assert_eq!(bench.outcome(), "stagnation stopped passed=false");

    let mut bench = Bench::started(spec(9));
    bench.evaluate(&["a.should"]);
    bench.evaluate(&["a.should"]);
    bench.evaluate(&[]);
    assert_eq!(
        (bench.run().progress.stagnation_count, bench.run().progress.base),
        (0, Score::ZERO)
    );
}

#[test]
fn a_loop_stuck_on_a_blocker_is_stopped_by_same_failures_when_asked() {
    let mut with_limit = spec(9);
    with_limit.stagnation.same_failures_max = Some(3);
    for (spec, iterations, outcome) in [
        (spec(9), 9, "iteration_limit stopped passed=false"),
        (with_limit, 3, "same_failures stopped passed=false"),
    ] {
        let mut bench = Bench::started(spec);
        while bench.run().is_running() {
            bench.evaluate(&["a.must"]);
        }
        assert_eq!((bench.outcome().as_str(), bench.run().iteration), (outcome, iterations));
    }
}

/// At one boundary several rules may match: the order of the loop decides.
#[test]
fn stop_rules_win_in_their_order() {
    let asked = || {
        Some(StopRequest {
            reason: None,
            by: "me".into(),
        })
    };
    let table: &[(&[&str], u32, u64, bool, &str)] = &[
        (&[], 1, 9000, true, "threshold_reached completed passed=true"),
        (&["b.should"], 1, 9000, true, "no_major_issues completed passed=false"),
        (&["b.must"], 1, 9000, true, "user_stop stopped passed=false"),
        (&["b.must"], 1, 9000, false, "budget_exceeded stopped passed=false"),
        (&["b.must"], 1, 0, false, "iteration_limit stopped passed=false"),
        (&["b.must"], 2, 0, false, "running iteration 1 level B CRITIQUE"),
    ];
    for (failing, max, ms, stop, expected) in table {
        let mut spec = spec(*max);
        spec.limits.max_completed_step_seconds = Some(5);
        let mut bench = Bench::started(spec);
        bench.evaluate(&[]);
        bench.finish(Step::Prepare, &[], Boundary::default()).unwrap();
        let stop_requested = if *stop { asked() } else { None };
        bench
            .finish(
                Step::Evaluate,
                failing,
                Boundary {
                    stage_ms: *ms,
                    stop_requested,
                    ..Boundary::default()
                },
            )
            .unwrap();
        assert_eq!(bench.outcome(), *expected);
    }
    // Stagnation and budget at once: stagnation.
    let mut spec = spec(9);
    spec.limits.max_completed_step_seconds = Some(5);
    let mut bench = Bench::started(spec);
    bench.evaluate(&["a.should"]);
    bench.evaluate(&["a.should"]);
    for step in [Step::Critique, Step::Refine, Step::Plan, Step::Produce, Step::Prepare] {
        bench.finish(step, &[], Boundary::default()).unwrap();
    }
    bench
        .finish(
            Step::Evaluate,
            &["a.should"],
            Boundary {
                stage_ms: 9000,
                stop_requested: None,
                ..Boundary::default()
            },
        )
        .unwrap();
    assert_eq!(bench.outcome(), "stagnation stopped passed=false");
}

#[test]
fn the_budget_of_completed_steps_stops_at_the_next_boundary_with_the_exact_overshoot() {
    let mut spec = spec(4);
    spec.limits.max_completed_step_seconds = Some(10);
    let mut bench = Bench::started(spec);
    bench
        .finish(
            Step::Plan,
            &[],
            Boundary {
                stage_ms: 4_000,
                stop_requested: None,
                ..Boundary::default()
            },
        )
        .unwrap();
    // PRODUCE and PREPARE are one segment: only the event that completes the stage carries its time.
    bench
        .finish(
            Step::Prepare,
            &[],
            Boundary {
                stage_ms: 2_000,
                stop_requested: None,
                ..Boundary::default()
            },
        )
        .unwrap();
    bench
        .finish(
            Step::Produce,
            &[],
            Boundary {
                stage_ms: 8_500,
                stop_requested: None,
                ..Boundary::default()
            },
        )
        .unwrap();
    let stop = bench.run().stop.clone().unwrap();
    assert_eq!(stop.rule, StopCondition::BudgetExceeded);
    assert_eq!(
        (
            stop.completed_phase_seconds,
            stop.max_completed_phase_seconds,
            stop.overshoot_seconds,
            stop.last_completed_step.as_str()
        ),
        (12, Some(10), Some(2), "PRODUCE_PREPARE")
    );
}

#[test]
fn a_bad_result_is_retried_once_and_then_the_run_fails() {
    let mut bench = Bench::started(spec(4));
    for attempt in 1..=2 {
        let task = bench.run().task(Step::Plan);
        assert_eq!(task.attempt, attempt);
        let error = error(Step::Plan);
        let decision = bench
            .feed(Input::Failed {
                task,
                error,
                boundary: Boundary::default(),
            })
            .unwrap();
        assert_eq!(
            decision.effects.len(),
            usize::from(attempt == 1),
            "one retry, then none"
        );
    }
    assert_eq!(bench.outcome(), "failed plan failed: exit code 1");
    assert_eq!(names(&bench), ["run_started", "phase_error", "phase_error", "failed"]);
}

#[test]
fn a_retry_leaves_the_parallel_step_alone() {
    let mut bench = Bench::started(spec(4));
    bench.finish(Step::Plan, &[], Boundary::default()).unwrap();
    let (produce, prepare) = (bench.run().task(Step::Produce), bench.run().task(Step::Prepare));
    let failed = Input::Failed {
        task: prepare.clone(),
        error: error(Step::Prepare),
        boundary: Boundary::default(),
    };
    let decision = bench.feed(failed.clone()).unwrap();
    assert_eq!(decision.effects, [Effect::Run(StepTask { attempt: 2, ..prepare })]);
    assert!(
        matches!(bench.feed(failed), Err(Rejected::NotOpen(_))),
        "the first try's late answer changes nothing"
    );
    let output = output(bench.run(), Step::Produce, &[]);
    assert!(
        bench
            .feed(Input::Finished {
                task: produce,
                output,
                transcript: None,
                boundary: Boundary::default()
            })
            .is_ok()
    );
}

#[test]
fn a_stop_waits_for_the_whole_stage_and_keeps_its_result() {
    let mut bench = Bench::started(spec(4));
    bench.finish(Step::Plan, &[], Boundary::default()).unwrap();
    let stop = || Boundary {
        stage_ms: 1,
        stop_requested: Some(StopRequest {
            reason: Some("lunch".into()),
            by: "me".into(),
        }),
        ..Boundary::default()
    };
    bench.finish(Step::Produce, &[], stop()).unwrap();
    assert!(bench.run().is_running());
    bench.finish(Step::Prepare, &[], stop()).unwrap();
    let details = bench.run().stop.clone().unwrap();
    assert_eq!(
        (details.reason.as_str(), details.rule, details.by.as_deref()),
        ("lunch", StopCondition::UserStop, Some("me"))
    );
    assert!(bench.run().artifact.is_some());
}

#[test]
fn resuming_runs_both_parallel_steps_again_and_nothing_that_was_finished() {
    let mut bench = Bench::started(spec(4));
    bench.finish(Step::Plan, &[], Boundary::default()).unwrap();
    bench.finish(Step::Produce, &[], Boundary::default()).unwrap();
    assert_eq!(pending(bench.run.as_ref()).len(), 1);
    let decision = bench.feed(resume()).unwrap();
    let steps: Vec<_> = decision.effects.iter().map(|Effect::Run(task)| task.step).collect();
    assert_eq!(steps, [Step::Produce, Step::Prepare]);
}

/// A batch may be torn between its events. What the rest would have been is decided again.
#[test]
fn a_decision_cut_in_the_middle_is_completed_on_resume() {
    let mut finished = Bench::started(spec(2));
    while finished.run().is_running() {
        finished.evaluate(&["a.must"]);
    }
    for cut in 1..finished.ledger.len() {
        let mut bench = Bench {
            run: fold(finished.ledger[..cut].iter().map(|s| &s.event)),
            ledger: finished.ledger[..cut].to_vec(),
        };
        if bench.feed(resume()).is_ok() {
            while bench.run().is_running() {
                bench.evaluate(&["a.must"]);
            }
        }
        assert_eq!(bench.outcome(), finished.outcome(), "cut after event {cut}");
        assert_eq!(bench.run().iteration, finished.run().iteration, "cut after event {cut}");
    }
}

#[test]
fn verdicts_about_another_artifact_are_refused() {
    let mut bench = Bench::started(spec(4));
    for step in [Step::Plan, Step::Produce, Step::Prepare] {
        bench.finish(step, &[], Boundary::default()).unwrap();
    }
    let output = StepOutput::Verdicts {
        artifact: Digest::of(b"swapped"),
        verdicts: verdicts(&spec(4), &level("A"), &[]),
        effort: Effort::default(),
        degraded: Vec::new(),
    };
    let task = bench.run().task(Step::Evaluate);
    let input = Input::Finished {
        task,
        output,
        transcript: None,
        boundary: Boundary::default(),
    };
    assert!(matches!(bench.feed(input), Err(Rejected::WrongArtifact { .. })));
    assert_eq!(bench.outcome(), "running iteration 1 level A EVALUATE");
}

#[test]
fn a_contract_that_does_not_have_its_hash_is_refused() {
    let Input::Start(mut started) = start(spec(4)) else {
        unreachable!()
    };
    started.contract_sha256 = Digest::of(b"other");
    assert!(matches!(
        Bench::default().feed(Input::Start(started)),
        Err(Rejected::BadSpec(_))
    ));
}

#[test]
fn nothing_applies_before_the_start_or_after_the_end() {
    assert!(apply(None, &Event::IterationAdvanced { iteration: 2 }).is_none());
    let mut bench = Bench::started(spec(1));
    bench.evaluate(&["a.must"]);
    let ended = bench.run.clone();
    assert_eq!(
        apply(bench.run.clone(), &Event::IterationAdvanced { iteration: 2 }),
        ended
    );
    assert!(matches!(bench.feed(resume()), Err(Rejected::Ended(_))));
}

#[test]
fn loops_that_could_skip_their_gate_are_refused() {
    let mut no_rule = spec(4);
    no_rule.stop.retain(|rule| rule.when != StopCondition::IterationLimit);
    let mut no_gate = spec(4);
    no_gate.cycle.later.pop();
    let mut empty_level = spec(4);
    empty_level.criteria.retain(|c| c.level == level("B"));
    let mut twice = spec(4);
    twice.criteria.push(criterion("a.must", Severity::Warn, 1));
    let mut no_levels = spec(4);
    no_levels.levels.clear();
    let mut zero = spec(0);
    zero.limits.max_iterations = 0;
    for bad in [no_rule, no_gate, empty_level, twice, no_levels, zero] {
        assert!(well_formed(&bad).is_err());
    }
    assert!(well_formed(&spec(4)).is_ok());
}

fn dimension(name: &str, weight: u32) -> Dimension {
    Dimension {
        name: name.into(),
        weight: Weight::whole(weight),
        threshold: None,
        must_pass: false,
    }
}

#[test]
fn loops_whose_scoring_names_what_is_not_there_are_refused() {
    type Change = fn(&mut LoopSpec);
    let anchor = |points| Anchor {
        score: score(points),
        text: "so".into(),
    };
    let table: [(Change, &str); 8] = [
        (|s| s.criteria[0].dimension = Some("depth".into()), "dimension `depth`"),
        (|s| s.criteria[0].group = Some("late".into()), "group `late`"),
        (
            |s| s.scoring.dimensions = vec![dimension("x", 1), dimension("x", 2)],
            "two dimensions",
        ),
        (|s| s.scoring.dimensions = vec![dimension("x", 0)], "weigh nothing"),
        (|s| s.criteria[0].pass_at = Some(score(0.75)), "holds at 0.75"),
        (
            |s| s.scoring.dimensions = vec![dimension("x", 1)],
            "level `A` has no active criterion in a dimension",
        ),
        (
            |s| {
                s.criteria[2].dimension = Some("x".into());
                s.scoring.dimensions = vec![dimension("x", 1)];
            },
            "level `A` has no active criterion in a dimension",
        ),
        (|s| s.criteria[0].rubric.clear(), ""),
    ];
    for (change, words) in table {
        let mut bad = spec(4);
        bad.criteria[0].rubric = vec![anchor(0.5), anchor(1.0)];
        change(&mut bad);
        match well_formed(&bad) {
            Ok(()) => assert_eq!(words, ""),
            Err(error) => assert!(!words.is_empty() && error.to_string().contains(words), "{error}"),
        }
    }
    let mut twice = spec(4);
    twice.criteria[0].rubric = vec![anchor(0.5), anchor(0.5)];
    assert!(well_formed(&twice).unwrap_err().to_string().contains("two anchors"));
}

#[test]
fn what_passed_once_must_still_pass_unless_the_loop_says_otherwise() {
    for (ratchet, outcome) in [
        (true, "running iteration 1 level B CRITIQUE"),
        (false, "no_major_issues completed passed=false"),
    ] {
        let mut spec = spec(4);
        spec.scoring.ratchet = ratchet;
        let mut bench = Bench::started(spec);
        bench.evaluate(&[]);
        bench.evaluate(&["a.should"]);
        assert_eq!(bench.outcome(), outcome);
        let card = bench.run().evaluation.clone().unwrap();
        assert_eq!(card.regressed, [CriterionId::new("a.should").unwrap()]);
        let regressed = |r: &Reason| matches!(r, Reason::Regressed { .. });
        assert_eq!(card.reasons.iter().any(regressed), ratchet);
    }
    // Even where the score is high enough.
    let mut low = spec(4);
    low.levels[1].threshold = score(0.5);
    let mut bench = Bench::started(low);
    bench.evaluate(&[]);
    bench.evaluate(&["a.should"]);
    assert_eq!(bench.outcome(), "running iteration 1 level B CRITIQUE");
    bench.evaluate(&["b.should"]);
    assert_eq!(
        bench.outcome(),
        "running iteration 2 level B CRITIQUE",
        "b.should had passed too"
    );
    bench.evaluate(&[]);
    assert_eq!(bench.outcome(), "threshold_reached completed passed=true");
}

#[test]
fn a_criterion_that_must_pass_is_no_minor_issue() {
    let mut strict = spec(4);
    strict.criteria[3].must_pass = true;
    let mut bench = Bench::started(strict);
    bench.evaluate(&[]);
    bench.evaluate(&["b.should"]);
    assert_eq!(bench.outcome(), "running iteration 1 level B CRITIQUE");
    let card = bench.run().evaluation.clone().unwrap();
    assert!(card.failed.is_empty());
    assert!(matches!(
        &card.reasons[..],
        [Reason::MustPass { .. }, Reason::Threshold { .. }]
    ));
}

fn keep(verdict: Verdict) -> Verdict {
    Verdict { kept: true, ..verdict }
}

#[test]
fn a_pass_with_kept_verdicts_is_confirmed_before_it_counts() {
    let mut bench = Bench::started(spec(1));
    bench.evaluate_with("one", keep);
    assert_eq!(
        bench.outcome(),
        "running iteration 1 level B PREPARE",
        "a level that is not the last needs no confirmation"
    );
    bench.evaluate_with("one", keep);
    assert_eq!(bench.outcome(), "running iteration 1 level B EVALUATE");
    assert!(bench.run().confirming());
    let mut confirmed = bench.clone();
    confirmed.evaluate(&[]);
    assert_eq!(confirmed.outcome(), "threshold_reached completed passed=true");
    assert_eq!(confirmed.run().iteration, 1);
    let again = replay(&confirmed.ledger, None).unwrap();
    assert_eq!((again.divergence, again.run), (None, confirmed.run.clone()));

    bench.evaluate_with("one", keep);
    assert_eq!(
        bench.outcome(),
        "iteration_limit stopped passed=false",
        "what was kept is not decided"
    );
}

#[test]
fn a_confirmation_that_fails_is_an_ordinary_failure() {
    let mut bench = Bench::started(spec(2));
    bench.evaluate_with("one", keep);
    bench.evaluate_with("one", keep);
    bench.evaluate(&["b.must"]);
    assert_eq!(bench.outcome(), "running iteration 1 level B CRITIQUE");
    assert!(!bench.run().confirming());
    assert_eq!(
        bench.run().best().unwrap().blocking,
        1,
        "the fresh word replaces the kept one"
    );
}

fn restored(bench: &Bench) -> Vec<(String, String)> {
    let texts = ["one", "two", "three"];
    let named = |sha256: Digest| {
        let found = texts.iter().find(|text| Digest::of(text.as_bytes()) == sha256);
        (*found.unwrap_or(&"?")).to_owned()
    };
    let restored = bench.ledger.iter().filter_map(|stamped| match &stamped.event {
        Event::ArtifactRestored { artifact, replaced, .. } => Some((named(*replaced), named(artifact.artifact_sha256))),
        _ => None,
    });
    restored.collect()
}

#[test]
fn the_final_artifact_is_the_best_one() {
    let mut bench = Bench::started(spec(2));
    bench.evaluate_text("one", &["a.must"]);
    bench.evaluate_text("two", &["a.must", "a.should"]);
    assert_eq!(bench.outcome(), "iteration_limit stopped passed=false");
    assert_eq!(restored(&bench), [("two".to_owned(), "one".to_owned())]);
    assert_eq!(
        names(&bench)[names(&bench).len() - 2..],
        ["artifact_restored", "stopped"]
    );
    let run = bench.run();
    let best = Digest::of(b"one");
    assert_eq!(run.artifact.as_ref().unwrap().artifact_sha256, best);
    assert_eq!(run.evaluation.as_ref().unwrap().artifact_sha256, best);
    let again = replay(&bench.ledger, None).unwrap();
    assert_eq!((again.divergence, again.run), (None, bench.run.clone()));

    // Of equals the last one stays: nothing is gained by going back.
    let mut bench = Bench::started(spec(2));
    bench.evaluate_text("one", &["a.must"]);
    bench.evaluate_text("two", &["a.must"]);
    assert_eq!(restored(&bench), []);
}

/// The evaluation that got further is the better one, then the one with fewer failures.
#[test]
fn the_best_artifact_is_judged_by_what_was_decided() {
    let mut strict = spec(3);
    for criterion in &mut strict.criteria {
        criterion.severity = Severity::Fail;
        criterion.level = level("A");
    }
    strict.criteria[0].weight = Weight::whole(10);
    let evaluate = |bench: &mut Bench, text: &str, failing: &[&str], left_out: &[&str]| {
        bench.evaluate_with(text, |verdict| {
            let skipped = left_out.contains(&verdict.id.as_str());
            let fails = skipped || failing.contains(&verdict.id.as_str());
            Verdict {
                verdict: if fails { VerdictKind::Fail } else { VerdictKind::Pass },
                left_out: skipped,
                ..verdict
            }
        });
    };
    let early = (&["a.should"][..], &["b.must", "b.should"][..]);
    for (other, best, why) in [
        (
            (&["a.must"][..], &[][..]),
            "two",
            "it got further, though its score is lower",
        ),
        ((&["a.must"], &["b.should"]), "two", "a little further"),
        (
            (&["a.must", "b.must"], &[]),
            "two",
            "what it fails in was not even asked before",
        ),
        (
            (&["a.must", "a.should"], &["b.must", "b.should"]),
            "one",
            "as far, and it fails in more",
        ),
        (early, "one", "of equals the earliest"),
    ] {
        let mut bench = Bench::started(strict.clone());
        evaluate(&mut bench, "one", early.0, early.1);
        evaluate(&mut bench, "two", other.0, other.1);
        let found = bench.run().best().unwrap();
        assert_eq!(found.artifact.artifact_sha256, Digest::of(best.as_bytes()), "{why}");
    }
}

#[test]
fn an_artifact_that_was_never_evaluated_does_not_replace_one_that_was() {
    let mut bench = Bench::started(spec(3));
    bench.evaluate_text("one", &["a.must"]);
    bench.finish(Step::Critique, &[], Boundary::default()).unwrap();
    bench.finish(Step::Refine, &[], Boundary::default()).unwrap();
    let stop = Input::Stop {
        reason: Some("enough".into()),
        by: "me".into(),
    };
    let mut stopped = bench.clone();
    stopped.feed(stop).unwrap();
    assert_eq!(stopped.outcome(), "user_stop stopped passed=false");
    assert_eq!(restored(&stopped), [("?".to_owned(), "one".to_owned())]);
    let again = replay(&stopped.ledger, None).unwrap();
    assert_eq!((again.divergence, again.run), (None, stopped.run.clone()));

    for _ in 0..2 {
        let (task, error) = (bench.run().task(Step::Plan), error(Step::Plan));
        bench
            .feed(Input::Failed {
                task,
                error,
                boundary: Boundary::default(),
            })
            .unwrap();
    }
    assert_eq!(bench.outcome(), "failed plan failed: exit code 1");
    assert_eq!(
        names(&bench)[names(&bench).len() - 2..],
        ["artifact_restored", "failed"]
    );
    let again = replay(&bench.ledger, None).unwrap();
    assert_eq!((again.divergence, again.run), (None, bench.run.clone()));
}

#[test]
fn a_worse_revision_is_rolled_back_when_asked() {
    for (on_worse, expected) in [
        (OnWorse::Keep, vec![]),
        (OnWorse::Rollback, vec![("two".to_owned(), "one".to_owned())]),
    ] {
        let mut spec = spec(4);
        spec.scoring.on_worse = on_worse;
        let mut bench = Bench::started(spec);
        bench.evaluate_text("one", &["a.must"]);
        bench.evaluate_text("two", &["a.must", "a.should"]);
        assert_eq!(bench.outcome(), "running iteration 2 level A CRITIQUE");
        assert_eq!(restored(&bench), expected);
        let from = if expected.is_empty() { "two" } else { "one" };
        let current = bench.run().artifact.as_ref().unwrap().artifact_sha256;
        assert_eq!(current, Digest::of(from.as_bytes()), "critique works on this");
        bench.evaluate_text(from, &["a.must"]);
        assert_eq!(bench.run().oscillation, None, "nobody but the engine went back");
        let again = replay(&bench.ledger, None).unwrap();
        assert_eq!((again.divergence, again.run), (None, bench.run.clone()));
    }
}

fn watching(condition: StopCondition) -> LoopSpec {
    let mut spec = spec(9);
    let rule = StopRule {
        when: condition,
        status: Status::Stopped,
    };
    spec.stop.insert(3, rule);
    spec
}

#[test]
fn work_that_comes_back_to_where_it_was_oscillates() {
    const X: &[&str] = &["a.must"];
    const Y: &[&str] = &["a.must", "a.should"];
    type Steps = &'static [(&'static str, &'static [&'static str])];
    let table: [(Steps, bool); 6] = [
        (&[("one", X), ("two", Y), ("one", X)], true),
        (&[("one", X), ("one", X), ("two", Y)], false),
        (&[("1", X), ("2", Y), ("3", X)], false),
        (&[("1", X), ("2", Y), ("3", X), ("4", Y)], true),
        (&[("1", X), ("2", X), ("3", X), ("4", X)], false),
        (&[("1", X), ("2", Y), ("2", Y), ("3", X), ("4", X)], false),
    ];
    for (steps, oscillates) in table {
        let mut bench = Bench::started(watching(StopCondition::Oscillation));
        for (text, failing) in steps {
            bench.evaluate_text(text, failing);
        }
        assert_eq!(bench.run().oscillation.is_some(), oscillates, "{steps:?}");
        let stopped = bench.outcome() == "oscillation stopped passed=false";
        assert_eq!(stopped, oscillates, "{steps:?}: {}", bench.outcome());
    }
}

#[test]
fn a_verdict_taken_back_twice_needs_a_person() {
    let mut bench = Bench::started(watching(StopCondition::Dispute));
    let disputed = |verdict: Verdict| match verdict.id.as_str() {
        "a.should" => Verdict {
            advisory: true,
            ..verdict
        },
        "a.must" => Verdict {
            verdict: VerdictKind::Fail,
            ..verdict
        },
        _ => verdict,
    };
    bench.evaluate_with("one", disputed);
    assert_eq!(bench.outcome(), "running iteration 1 level A CRITIQUE");
    bench.evaluate_with("two", disputed);
    assert_eq!(bench.outcome(), "dispute stopped passed=false");
}

#[test]
fn an_edit_of_a_frozen_file_is_recorded_once_and_the_run_goes_on() {
    let edit = |path: &str| FileEdit {
        path: path.into(),
        frozen_sha256: Digest::of(b"frozen"),
        found_sha256: None,
    };
    let with = |edits: &[FileEdit], stop: bool| Boundary {
        edits: edits.to_vec(),
        stop_requested: stop.then(|| StopRequest {
            reason: None,
            by: "me".into(),
        }),
        ..Boundary::default()
    };
    let (loop_file, script) = (edit("onus.toml"), edit("check.sh"));
    let mut bench = Bench::started(spec(4));
    let twice = [loop_file.clone(), loop_file.clone()];
    bench.finish(Step::Plan, &[], with(&twice, false)).unwrap();
    bench
        .feed(Input::Resume {
            by: "me".into(),
            engine: "1".into(),
            edits: vec![loop_file.clone(), script.clone()],
        })
        .unwrap();
    let both = [loop_file.clone(), script.clone()];
    bench.finish(Step::Produce, &[], with(&both, false)).unwrap();
    let late = [edit("late")];
    bench.finish(Step::Prepare, &[], with(&late, true)).unwrap();
    assert_eq!(
        names(&bench),
        [
            "run_started",
            "plan_created",
            "edit_refused",
            "resumed",
            "edit_refused",
            "artifact_created",
            "checks_prepared",
            "edit_refused",
            "stopped"
        ]
    );
    assert_eq!(bench.run().edits.len(), 3);
    let again = replay(&bench.ledger, None).unwrap();
    assert_eq!((again.divergence, again.run), (None, bench.run.clone()));
}

#[test]
fn a_record_decides_to_itself_again_and_a_changed_one_does_not() {
    let mut bench = Bench::started(spec(3));
    bench.evaluate(&["a.must"]);
    bench.feed(resume()).unwrap();
    bench.evaluate(&[]);
    bench.evaluate(&["b.should"]);
    let again = replay(&bench.ledger, None).unwrap();
    assert_eq!((again.divergence, again.run), (None, bench.run.clone()));

    let mut forged = bench.ledger.clone();
    for stamped in &mut forged {
        if let Event::EvaluationDone { scorecard, .. } = &mut stamped.event {
            scorecard.passed = true;
            scorecard.score = Score::ONE;
        }
    }
    assert!(
        replay(&forged, None).unwrap().divergence.is_some(),
        "a score that does not follow from its verdicts"
    );
}

#[test]
fn another_threshold_shows_where_the_run_would_have_gone_another_way() {
    let mut bench = Bench::started(spec(3));
    bench.evaluate(&["a.should"]);
    bench.evaluate(&[]);
    bench.evaluate(&[]);
    assert!(bench.run().passed());
    let lower = |spec: &mut LoopSpec| spec.levels[0].threshold = score(0.6);
    let what_if = replay(&bench.ledger, Some(&lower)).unwrap();
    let divergence = what_if.divergence.unwrap();
    assert_eq!(divergence.recorded.unwrap().event.name(), "critique_done");
    assert_eq!(divergence.decided.unwrap().event.name(), "phase_switched");
}
