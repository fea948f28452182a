//! A small reflex-shaped loop for tests of the machine, and results to feed it.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "each test binary uses its own part"
)]

use std::collections::BTreeMap;
use std::sync::Arc;

use onus_machine::{Run, apply, decide};
use onus_model::*;

pub fn score(text: f64) -> Score {
    Score::try_from(text).unwrap()
}

pub fn level(name: &str) -> LevelName {
    LevelName::new(name).unwrap()
}

pub fn criterion(id: &str, severity: Severity, weight: u32) -> Criterion {
    Criterion {
        id: CriterionId::new(id).unwrap(),
        description: format!("{id} holds"),
        severity,
        weight: Weight::whole(weight),
        level: level(if id.starts_with("a.") { "A" } else { "B" }),
        check: "look at it".to_owned(),
        ..Criterion::new(CriterionId::new(id).unwrap(), level("A"))
    }
}

/// Two blocking and two soft criteria: A has one of each, B adds one of each.
pub fn spec(max_iterations: u32) -> LoopSpec {
    use Step::*;
    let stages = |list: &[&[Step]]| list.iter().map(|s| Stage(s.to_vec())).collect::<Vec<_>>();
    let stop = |when, status| StopRule { when, status };
    LoopSpec {
        preset: "reflex".into(),
        name: "loop_default_v1".into(),
        version: 1,
        task: Task {
            prompt: "write it".into(),
            ideal_result: String::new(),
            task_type: TaskType::Docs,
        },
        cycle: Cycle {
            first: stages(&[&[Plan], &[Produce, Prepare], &[Evaluate]]),
            later: stages(&[&[Plan], &[Produce, Prepare], &[Evaluate]]),
            level_up: stages(&[&[Prepare], &[Evaluate]]),
            on_fail: stages(&[&[Critique], &[Refine]]),
        },
        levels: vec![
            Level {
                name: level("A"),
                threshold: score(0.8),
                active_levels: vec![level("A")],
            },
            Level {
                name: level("B"),
                threshold: score(0.9),
                active_levels: vec![level("A"), level("B")],
            },
        ],
        criteria: vec![
            criterion("a.must", Severity::Fail, 2),
            criterion("a.should", Severity::Warn, 1),
            criterion("b.must", Severity::Fail, 2),
            criterion("b.should", Severity::Warn, 1),
        ],
        stop: vec![
            stop(StopCondition::ThresholdReached, Status::Completed),
            stop(StopCondition::NoMajorIssues, Status::Completed),
            stop(StopCondition::UserStop, Status::Stopped),
            stop(StopCondition::Stagnation, Status::Stopped),
            stop(StopCondition::SameFailures, Status::Stopped),
            stop(StopCondition::BudgetExceeded, Status::Stopped),
            stop(StopCondition::IterationLimit, Status::Stopped),
        ],
        stagnation: Stagnation {
            delta_min: score(0.02),
            count_max: 2,
            same_failures_max: None,
        },
        limits: Limits {
            max_iterations,
            max_completed_step_seconds: None,
            step_attempts_max: 2,
            plan_steps_min: 3,
            plan_steps_max: 5,
            critique_issues_max: 5,
            agent_timeout_seconds: 60,
            check_timeout_seconds: 60,
            output_bytes_max: 1 << 20,
            artifact_bytes_max: 1 << 20,
        },
        roles: BTreeMap::new(),
        prompts: BTreeMap::new(),
        workspace: ".".into(),
        protected: Vec::new(),
        next_step: None,
        frozen_files: BTreeMap::new(),
        artifact: ArtifactForm::default(),
        scoring: Scoring::default(),
        evaluation: Evaluation::default(),
        judging: Judging::default(),
        git: GitUse::default(),
    }
}

pub fn start(spec: LoopSpec) -> Input {
    let said = Confirmation {
        by: "tester".into(),
        how: "test".into(),
        at: "2026-02-18T12:00:00Z".into(),
    };
    Input::Start(Box::new(RunStarted {
        contract_sha256: canonical_sha256(&spec).unwrap(),
        spec: Arc::new(spec),
        confirmed: Confirmations {
            criteria: said.clone(),
            max_iterations: said,
        },
        context: Vec::new(),
        sources: Vec::new(),
        baseline: None,
        engine: "test".into(),
    }))
}

/// A verdict for each of these ids; the ones in `failing` fail.
pub fn verdicts(spec: &LoopSpec, level: &LevelName, failing: &[&str]) -> Vec<Verdict> {
    let one = |c: &Criterion| {
        let kind = if failing.contains(&c.id.as_str()) {
            VerdictKind::Fail
        } else {
            VerdictKind::Pass
        };
        Verdict::bare(c.id.clone(), kind, "", VerdictSource::Prepared)
    };
    spec.active(level).map(one).collect()
}

pub fn artifact(text: &str) -> ArtifactRef {
    ArtifactRef {
        artifact_sha256: Digest::of(text.as_bytes()),
        bytes: text.len() as u64,
        changed: Changes::default(),
    }
}

/// A usable result for a step.
pub fn output(run: &Run, step: Step, failing: &[&str]) -> StepOutput {
    match step {
        Step::Plan => StepOutput::Plan(vec!["one".into(), "two".into(), "three".into()]),
        Step::Produce | Step::Refine => StepOutput::Artifact(artifact(&format!("{}-{step}", run.stages_done))),
        Step::Prepare => StepOutput::Checks(Vec::new()),
        Step::Evaluate => StepOutput::Verdicts {
            artifact: run.artifact.as_ref().unwrap().artifact_sha256,
            verdicts: verdicts(&run.spec, &run.level, failing),
            effort: Effort::default(),
            degraded: Vec::new(),
        },
        Step::Critique => StepOutput::Critique(Vec::new()),
    }
}

/// A person's return to the run.
pub fn resume() -> Input {
    Input::Resume {
        by: "me".into(),
        engine: "1".into(),
        edits: Vec::new(),
    }
}

pub fn error(step: Step) -> StepError {
    StepError {
        failed_step: step,
        kind: "exit".into(),
        message: "exit code 1".into(),
        tail: String::new(),
        transcript: None,
    }
}

/// A machine with its ledger in memory.
#[derive(Debug, Clone, Default)]
pub struct Bench {
    pub run: Option<Run>,
    pub ledger: Vec<Stamped>,
}

impl Bench {
    pub fn started(spec: LoopSpec) -> Bench {
        let mut bench = Bench::default();
        bench.feed(start(spec)).unwrap();
        bench
    }

    pub fn feed(&mut self, input: Input) -> Result<Decision, Rejected> {
        let decision = decide(self.run.as_ref(), input)?;
        for stamped in &decision.events {
            self.run = apply(self.run.take(), &stamped.event);
            self.ledger.push(stamped.clone());
        }
        Ok(decision)
    }

    pub fn run(&self) -> &Run {
        self.run.as_ref().unwrap()
    }

    pub fn finish(&mut self, step: Step, failing: &[&str], boundary: Boundary) -> Result<Decision, Rejected> {
        let run = self.run();
        let (task, output) = (run.task(step), output(run, step, failing));
        self.feed(Input::Finished {
            task,
            output,
            transcript: None,
            boundary,
        })
    }

    /// Works through the open steps until one evaluation is done; each evaluation fails the given ids.
    pub fn evaluate(&mut self, failing: &[&str]) {
        loop {
            let Some(task) = self.run().open_tasks().into_iter().next() else {
                return;
            };
            self.finish(task.step, failing, Boundary::default()).unwrap();
            if task.step == Step::Evaluate {
                return;
            }
        }
    }

    /// Works through the open steps up to the evaluation and makes artifacts with this text.
    pub fn evaluate_text(&mut self, text: &str, failing: &[&str]) {
        self.evaluate_with(text, |verdict| Verdict {
            verdict: if failing.contains(&verdict.id.as_str()) {
                VerdictKind::Fail
            } else {
                VerdictKind::Pass
            },
            ..verdict
        });
    }

    /// The same, with a word on each verdict, all of which pass.
    pub fn evaluate_with(&mut self, text: &str, change: impl Fn(Verdict) -> Verdict) {
        while let Some(task) = self.run().open_tasks().into_iter().next() {
            let output = match output(self.run(), task.step, &[]) {
                StepOutput::Artifact(_) => StepOutput::Artifact(artifact(text)),
                StepOutput::Verdicts {
                    artifact,
                    verdicts,
                    effort,
                    degraded,
                } => StepOutput::Verdicts {
                    artifact,
                    verdicts: verdicts.into_iter().map(&change).collect(),
                    effort,
                    degraded,
                },
                other @ (StepOutput::Plan(_) | StepOutput::Checks(_) | StepOutput::Critique(_)) => other,
            };
            let step = task.step;
            self.feed(Input::Finished {
                task,
                output,
                transcript: None,
                boundary: Boundary::default(),
            })
            .unwrap();
            if step == Step::Evaluate {
                return;
            }
        }
    }

    pub fn outcome(&self) -> String {
        let run = self.run();
        match (&run.stop, &run.failure) {
            (Some(stop), _) => format!("{} {} passed={}", stop.rule.name(), run.status, stop.passed),
            (None, Some(failure)) => format!("{} {failure}", run.status),
            (None, None) => format!(
                "{} iteration {} level {} {}",
                run.status,
                run.iteration,
                run.level,
                run.current_step()
            ),
        }
    }
}
