//! Laws that hold for every sequence of news, good or bad. The reference model below is written from the loop's rules alone
//! and shares no code with the machine.

#![allow(clippy::unwrap_used, clippy::wildcard_enum_match_arm, reason = "tests")]

mod support;

use std::collections::BTreeSet;

use onus_machine::Run;
use onus_machine::replay::{fold, replay};
use onus_model::*;
use proptest::prelude::*;
use proptest_state_machine::{ReferenceStateMachine, StateMachineTest, prop_state_machine};
use support::*;

/// News, in words that do not depend on the machine's state.
#[derive(Debug, Clone)]
enum News {
    /// A result of this step; `failing` is a mask over the four criteria.
    Result {
        step: Step,
        failing: u8,
        /// An evaluation kept all its verdicts.
        kept: bool,
        /// Which text an artifact has; from 3 on one that was never there before.
        text: u8,
        /// A frozen file with this number was found changed.
        edit: Option<u8>,
        ms: u64,
        stop: bool,
    },
    Error {
        step: Step,
        stop: bool,
    },
    /// A result that names a task of an earlier stage.
    Late {
        step: Step,
    },
    Stop,
    Resume,
}

const IDS: [&str; 4] = ["a.must", "a.should", "b.must", "b.should"];
const WEIGHTS: [u64; 4] = [2, 1, 2, 1];
const BUDGET_MS: u64 = 40_000;
const MAX: u32 = 4;

/// The loop by its rules: a position in plain words and the counters.
#[derive(Debug, Clone)]
struct Model {
    at: At,
    iteration: u32,
    level_b: bool,
    produce_done: bool,
    prepare_done: bool,
    failures: [u32; 6],
    base: (u64, u64),
    stagnation: u32,
    /// A mask of the criteria that passed some evaluation.
    passed_once: u8,
    spent_ms: u64,
    end: Option<&'static str>,
    rollback: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    Plan,
    ProducePrepare,
    Prepare,
    Evaluate,
    /// Everything passed, with verdicts that were kept.
    Confirm,
    Critique,
    Refine,
}

impl Model {
    fn awaits(&self, step: Step) -> bool {
        self.end.is_none()
            && match self.at {
                At::Plan => step == Step::Plan,
                At::ProducePrepare => {
                    (step == Step::Produce && !self.produce_done) || (step == Step::Prepare && !self.prepare_done)
                }
                At::Prepare => step == Step::Prepare,
                At::Evaluate | At::Confirm => step == Step::Evaluate,
                At::Critique => step == Step::Critique,
                At::Refine => step == Step::Refine,
            }
    }

    fn go(&mut self, at: At) {
        self.at = at;
        (self.produce_done, self.prepare_done, self.failures) = (false, false, [0; 6]);
    }

    fn stage_done(&mut self, ms: u64, stop: bool) -> bool {
        self.spent_ms += ms;
        if stop {
            self.end = Some("user_stop");
        } else if self.spent_ms >= BUDGET_MS {
            self.end = Some("budget_exceeded");
        }
        self.end.is_some()
    }

    fn result(&mut self, step: Step, failing: u8, kept: bool, ms: u64, stop: bool) {
        match step {
            Step::Plan => {
                if !self.stage_done(ms, stop) {
                    self.go(At::ProducePrepare);
                }
            }
            Step::Produce | Step::Prepare if self.at == At::ProducePrepare => {
                if step == Step::Produce {
                    self.produce_done = true;
                } else {
                    self.prepare_done = true;
                }
                if self.produce_done && self.prepare_done && !self.stage_done(ms, stop) {
                    self.go(At::Evaluate);
                }
            }
            Step::Prepare | Step::Produce => {
                if !self.stage_done(ms, stop) {
                    self.go(At::Evaluate);
                }
            }
            Step::Critique => {
                if !self.stage_done(ms, stop) {
                    self.go(At::Refine);
                }
            }
            Step::Refine => {
                if !self.stage_done(ms, stop) {
                    self.iteration += 1;
                    self.go(At::Plan);
                }
            }
            Step::Evaluate if self.at == At::Confirm && kept => self.evaluated(0b1111, false, ms, stop),
            Step::Evaluate => self.evaluated(failing, kept, ms, stop),
        }
    }

    fn evaluated(&mut self, failing: u8, kept: bool, ms: u64, stop: bool) {
        let active = if self.level_b { 4 } else { 2 };
        let holds = |i: usize| failing & (1 << i) == 0;
        let total: u64 = WEIGHTS[..active].iter().sum();
        let got: u64 = (0..active).filter(|i| holds(*i)).map(|i| WEIGHTS[i]).sum();
        let blocked = !holds(0) || (self.level_b && !holds(2));
        let percent = if self.level_b { 90 } else { 80 };
        let active_mask = if self.level_b { 0b1111 } else { 0b0011 };
        let regressed = failing & active_mask & self.passed_once != 0;
        self.passed_once |= !failing & active_mask;
        let passed = got * 100 >= percent * total && !blocked && !regressed;
        // Gains are compared in hundredths of a percent, rounded down, as scores are.
        let points = |(n, d): (u64, u64)| i64::try_from(n * 10_000 / d).unwrap();
        let gain = points((got, total)) - points(self.base);
        if gain >= 200 {
            self.stagnation = 0;
        } else if !blocked {
            self.stagnation += 1;
        }
        self.base = (got, total);
        self.spent_ms += ms;
        self.end = match () {
            () if passed && self.level_b && !kept => Some("threshold_reached"),
            () if self.level_b && !passed && !blocked && !regressed => Some("no_major_issues"),
            () if stop => Some("user_stop"),
            () if !passed && self.stagnation >= 2 => Some("stagnation"),
            () if self.spent_ms >= BUDGET_MS => Some("budget_exceeded"),
            () if !passed && self.iteration >= MAX => Some("iteration_limit"),
            () => None,
        };
        if self.end.is_some() {
            return;
        }
        if passed && self.level_b {
            self.go(At::Confirm);
        } else if passed {
            self.level_b = true;
            (self.base, self.stagnation) = ((0, 1), 0);
            self.go(At::Prepare);
        } else {
            self.go(At::Critique);
        }
    }
}

impl ReferenceStateMachine for Model {
    type State = Model;
    type Transition = News;

    fn init_state() -> BoxedStrategy<Model> {
        any::<bool>()
            .prop_map(|rollback| Model {
                at: At::Plan,
                iteration: 1,
                level_b: false,
                produce_done: false,
                prepare_done: false,
                failures: [0; 6],
                base: (0, 1),
                stagnation: 0,
                passed_once: 0,
                spent_ms: 0,
                end: None,
                rollback,
            })
            .boxed()
    }

    fn transitions(state: &Model) -> BoxedStrategy<News> {
        let any_step = proptest::sample::select(Step::ALL.to_vec());
        let open: Vec<Step> = Step::ALL.into_iter().filter(|step| state.awaits(*step)).collect();
        let likely = if open.is_empty() {
            any_step.clone().boxed()
        } else {
            proptest::sample::select(open).boxed()
        };
        let ms = prop_oneof![8 => 0..3_000_u64, 1 => 0..30_000_u64];
        let kept = proptest::bool::weighted(0.3);
        let texts = 0..6_u8;
        let edits = proptest::option::weighted(0.1, 0..3_u8);
        let result = |(step, failing, kept, text, edit, ms, stop)| News::Result {
            step,
            failing,
            kept,
            text,
            edit,
            ms,
            stop,
        };
        let failing = prop_oneof![2 => Just(0_u8), 3 => 0..16_u8, 2 => Just(0b1010_u8)];
        prop_oneof![
            40 => (likely.clone(), failing.clone(), kept, texts.clone(), edits.clone(), ms.clone(), proptest::bool::weighted(0.02))
                .prop_map(result),
            2 => (any_step.clone(), failing, kept, texts, edits, ms, any::<bool>()).prop_map(result),
            3 => (likely, proptest::bool::weighted(0.1)).prop_map(|(step, stop)| News::Error { step, stop }),
            2 => any_step.prop_map(|step| News::Late { step }),
            3 => Just(News::Resume),
            1 => Just(News::Stop),
        ]
        .boxed()
    }

    fn apply(mut state: Model, news: &News) -> Model {
        if state.end.is_some() {
            return state;
        }
        match news {
            News::Result {
                step,
                failing,
                kept,
                ms,
                stop,
                ..
            } if state.awaits(*step) => state.result(*step, *failing, *kept, *ms, *stop),
            News::Error { step, stop } if state.awaits(*step) => {
                let at = Step::ALL.iter().position(|s| s == step).unwrap();
                state.failures[at] += 1;
                if *stop {
                    state.end = Some("user_stop");
                } else if state.failures[at] >= 2 {
                    state.end = Some("failed");
                }
            }
            News::Stop => state.end = Some("user_stop"),
            News::Resume => (state.produce_done, state.prepare_done) = (false, false),
            News::Result { .. } | News::Error { .. } | News::Late { .. } => {}
        }
        state
    }
}

struct Machine;

impl StateMachineTest for Machine {
    type SystemUnderTest = Bench;
    type Reference = Model;

    fn init_test(model: &Model) -> Bench {
        let mut spec = spec(MAX);
        if model.rollback {
            spec.scoring.on_worse = OnWorse::Rollback;
        }
        spec.limits.max_completed_step_seconds = Some(BUDGET_MS / 1000);
        Bench::started(spec)
    }

    fn apply(mut bench: Bench, _: &Model, news: News) -> Bench {
        let before = bench.clone();
        let run = bench.run();
        let request = |stop: bool| {
            stop.then(|| StopRequest {
                reason: None,
                by: "me".into(),
            })
        };
        let input = match news {
            News::Result {
                step,
                failing,
                kept,
                text,
                edit,
                ms,
                stop,
            } => {
                let failing: Vec<&str> = (0..4).filter(|i| failing & (1 << i) != 0).map(|i| IDS[i]).collect();
                if step == Step::Evaluate && run.artifact.is_none() {
                    return bench;
                }
                let mut output = output(run, step, &failing);
                match &mut output {
                    StepOutput::Verdicts { verdicts, .. } => {
                        verdicts.iter_mut().for_each(|verdict| verdict.kept = kept);
                    }
                    StepOutput::Artifact(made) if text < 3 => *made = artifact(&text.to_string()),
                    _ => {}
                }
                Input::Finished {
                    task: run.task(step),
                    output,
                    transcript: None,
                    boundary: Boundary {
                        stage_ms: ms,
                        stop_requested: request(stop),
                        edits: edit.map(frozen_file).into_iter().collect(),
                    },
                }
            }
            News::Error { step, stop } => Input::Failed {
                task: run.task(step),
                error: error(step),
                boundary: Boundary {
                    stage_ms: 0,
                    stop_requested: request(stop),
                    ..Boundary::default()
                },
            },
            News::Late { step } => {
                let stage = run.stages_done.wrapping_sub(1);
                let error = error(step);
                Input::Failed {
                    task: StepTask {
                        stage,
                        ..run.task(step)
                    },
                    error,
                    boundary: Boundary::default(),
                }
            }
            News::Stop => Input::Stop {
                reason: None,
                by: "me".into(),
            },
            News::Resume => resume(),
        };
        if bench.feed(input).is_err() {
            assert_eq!(
                (&bench.run, bench.ledger.len()),
                (&before.run, before.ledger.len()),
                "a rejection changes nothing"
            );
        }
        bench
    }

    fn check_invariants(bench: &Bench, model: &Model) {
        let run = bench.run();
        agrees_with_the_model(run, model);
        one_terminal_event(bench);
        no_budget_is_exceeded(bench);
        completed_means_every_blocking_criterion_passed(run);
        the_final_artifact_is_never_worse_than_an_earlier_one(bench);
        oscillation_is_what_the_record_shows(bench);
        an_edit_is_recorded_once(bench);
        assert_eq!(
            fold(bench.ledger.iter().map(|s| &s.event)).as_ref(),
            Some(run),
            "the fold is the state"
        );
        let again = replay(&bench.ledger, None).unwrap();
        assert_eq!(
            (again.divergence, again.run.as_ref()),
            (None, Some(run)),
            "decided again, the same"
        );
    }
}

fn agrees_with_the_model(run: &Run, model: &Model) {
    let end = match (&run.stop, &run.failure) {
        (Some(stop), _) => Some(stop.rule.name()),
        (None, Some(_)) => Some("failed"),
        (None, None) => None,
    };
    assert_eq!(end, model.end);
    assert_eq!(run.completed_step_ms, model.spent_ms);
    assert_eq!(run.iteration, model.iteration);
    if end.is_none() {
        assert_eq!(run.level.as_str() == "B", model.level_b);
        for step in Step::ALL {
            assert_eq!(
                run.open_tasks().iter().any(|task| task.step == step),
                model.awaits(step),
                "{step}"
            );
        }
    }
}

fn one_terminal_event(bench: &Bench) {
    let terminal = |s: &&Stamped| matches!(s.event, Event::Stopped(_) | Event::Failed { .. });
    let count = bench.ledger.iter().filter(terminal).count();
    assert_eq!(count, usize::from(!bench.run().is_running()));
    if count == 1 {
        assert!(
            bench.ledger.last().as_ref().is_some_and(terminal),
            "nothing is recorded after the end"
        );
        assert!(bench.run().open_tasks().is_empty(), "nothing is owed after the end");
    }
}

fn no_budget_is_exceeded(bench: &Bench) {
    let run = bench.run();
    assert!(run.iteration <= MAX);
    // Per iteration and level at most one evaluation and its confirmation, and at most two tries of a step.
    let mut seen = BTreeSet::new();
    for stamped in &bench.ledger {
        if let Event::EvaluationDone { scorecard, .. } = &stamped.event {
            let place = (stamped.iteration, stamped.phase.clone());
            let confirms = seen.contains(&(place.clone(), true));
            assert!(
                seen.insert((place, !scorecard.is_fresh() && scorecard.passed)) || confirms,
                "evaluated twice"
            );
        }
    }
    assert!(
        run.failures
            .values()
            .all(|count| *count <= run.spec.limits.step_attempts_max)
    );
    // While running, the budget is not used up: the boundary that used it up ended the run.
    assert!(!run.is_running() || run.completed_step_ms < BUDGET_MS);
}

fn completed_means_every_blocking_criterion_passed(run: &Run) {
    if run.status != Status::Completed {
        return;
    }
    let card = run.evaluation.as_ref().unwrap();
    assert_eq!(card.artifact_sha256, run.artifact.as_ref().unwrap().artifact_sha256);
    assert_eq!(card.contract_sha256, canonical_sha256(&*run.spec).unwrap());
    assert_eq!(card.phase, run.spec.levels.last().unwrap().name);
    for criterion in run.spec.active(&card.phase).filter(|c| c.severity == Severity::Fail) {
        let verdicts: Vec<_> = card.rule_results.iter().filter(|v| v.id == criterion.id).collect();
        assert!(
            matches!(verdicts.as_slice(), [v] if v.verdict == VerdictKind::Pass),
            "{}",
            criterion.id
        );
    }
}

/// From the record alone: of all artifacts evaluated at the highest level reached, by what was said of each last, none has
/// fewer blocking failures and a higher score than the one that remains.
fn the_final_artifact_is_never_worse_than_an_earlier_one(bench: &Bench) {
    let run = bench.run();
    if run.is_running() {
        return;
    }
    let mut found: Vec<(LevelName, Digest, (i64, u16))> = Vec::new();
    for stamped in &bench.ledger {
        if let Event::EvaluationDone { scorecard, .. } = &stamped.event {
            let mut blocking: BTreeSet<_> = scorecard.failed.iter().map(|f| f.id.clone()).collect();
            blocking.extend(scorecard.regressed.iter().cloned());
            let rank = (-i64::try_from(blocking.len()).unwrap(), scorecard.score.basis_points());
            found.retain(|(level, artifact, _)| *level == scorecard.phase && *artifact != scorecard.artifact_sha256);
            found.push((scorecard.phase.clone(), scorecard.artifact_sha256, rank));
        }
    }
    let Some(best) = found.iter().map(|(_, _, rank)| *rank).max() else {
        return;
    };
    let last = run.artifact.as_ref().unwrap().artifact_sha256;
    let standing = found.iter().find(|(_, artifact, _)| *artifact == last);
    assert_eq!(standing.map(|(_, _, rank)| *rank), Some(best), "{:?}", found);
    let restored = |stamped: &Stamped| matches!(stamped.event, Event::ArtifactRestored { .. });
    if bench.ledger.iter().rev().nth(1).is_some_and(restored) {
        assert_eq!(run.evaluation.as_ref().unwrap().artifact_sha256, last);
    }
}

fn frozen_file(number: u8) -> FileEdit {
    FileEdit {
        path: format!("file-{number}"),
        frozen_sha256: Digest::of(b"frozen"),
        found_sha256: None,
    }
}

fn an_edit_is_recorded_once(bench: &Bench) {
    let mut seen = BTreeSet::new();
    for pair in bench.ledger.windows(2) {
        if let Event::EditRefused(edit) = &pair[1].event {
            assert!(seen.insert(edit.path.clone()), "{} was refused twice", edit.path);
            let follows = |name: &str| pair[0].event.name() == name;
            assert!(
                [
                    "plan_created",
                    "artifact_created",
                    "checks_prepared",
                    "evaluation_done",
                    "critique_done",
                    "refinement_done"
                ]
                .into_iter()
                .any(follows),
                "{} came first",
                pair[0].event.name()
            );
        }
    }
}

/// From the record alone: the artifacts at this level one after the other, without the same one twice in a row.
fn oscillation_is_what_the_record_shows(bench: &Bench) {
    type Step = (Option<BTreeSet<CriterionId>>, Digest);
    let mut steps: Vec<Step> = Vec::new();
    let (mut confirming, mut oscillates) = (false, false);
    for stamped in &bench.ledger {
        match &stamped.event {
            Event::PhaseSwitched { .. } => {
                steps.clear();
                oscillates = false;
            }
            Event::ArtifactRestored { artifact, .. } => steps.push((None, artifact.artifact_sha256)),
            Event::EvaluationDone { scorecard: card, .. } => {
                let repeated = steps.last().is_some_and(|(_, last)| *last == card.artifact_sha256);
                if !confirming && !repeated {
                    let back = steps.iter().any(|(_, earlier)| *earlier == card.artifact_sha256);
                    steps.push((Some(card.failing_ids().cloned().collect()), card.artifact_sha256));
                    let sets: Vec<_> = steps
                        .iter()
                        .rev()
                        .filter_map(|(failing, _)| failing.as_ref())
                        .take(4)
                        .collect();
                    let swings = sets.len() == 4 && sets[0] == sets[2] && sets[1] == sets[3] && sets[0] != sets[1];
                    oscillates = back || swings;
                }
                confirming = stamped.phase.as_str() == "B" && card.passed && !card.is_fresh();
            }
            _ => {}
        }
    }
    assert_eq!(
        bench.run().oscillation.is_some(),
        oscillates,
        "{:?}",
        bench.run().oscillation
    );
}

prop_state_machine! {
    #![proptest_config(ProptestConfig { cases: 400, max_shrink_iters: 4000, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn laws_hold_for_every_sequence_of_news(sequential 1..80 => Machine);
}
