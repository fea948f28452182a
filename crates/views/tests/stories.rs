//! Whole runs, told: a hand-built history for each way a run can end, and every view of it as a snapshot.

#![allow(clippy::unwrap_used, reason = "test builders may panic")]

use std::collections::BTreeMap;
use std::sync::Arc;

use onus_model::*;
use onus_views::*;

const ARTIFACT: &str = ".ai-factory/evolution/courses-api/artifact.md";

fn level(name: &str) -> LevelName {
    LevelName::new(name).unwrap()
}

fn points(points: u16) -> Score {
    Score::from_basis_points(points)
}

fn criterion(id: &str, severity: Severity, weight: u32) -> Criterion {
    Criterion {
        id: CriterionId::new(id).unwrap(),
        description: format!("about {id}"),
        severity,
        weight: Weight::whole(weight),
        level: level(if id.starts_with("a.") { "A" } else { "B" }),
        check: "look at it".to_owned(),
        ..Criterion::new(CriterionId::new(id).unwrap(), level("A"))
    }
}

fn spec() -> Arc<LoopSpec> {
    let stage = |steps: &[Step]| Stage(steps.to_vec());
    let levels = [("A", 8000, &["A"][..]), ("B", 9000, &["A", "B"])].map(|(name, threshold, active)| Level {
        name: level(name),
        threshold: points(threshold),
        active_levels: active.iter().copied().map(level).collect(),
    });
    Arc::new(LoopSpec {
        preset: "reflex".to_owned(),
        name: "loop_default_v1".to_owned(),
        version: 1,
        task: Task {
            prompt: "OpenAPI 3.1 spec + DDD notes".to_owned(),
            ideal_result: "A spec that validates".to_owned(),
            task_type: TaskType::ApiSpec,
        },
        cycle: Cycle {
            first: vec![
                stage(&[Step::Plan]),
                stage(&[Step::Produce, Step::Prepare]),
                stage(&[Step::Evaluate]),
            ],
            later: vec![stage(&[Step::Plan]), stage(&[Step::Prepare]), stage(&[Step::Evaluate])],
            level_up: vec![stage(&[Step::Prepare]), stage(&[Step::Evaluate])],
            on_fail: vec![stage(&[Step::Critique]), stage(&[Step::Refine])],
        },
        levels: levels.to_vec(),
        criteria: vec![
            criterion("a.correctness.endpoints", Severity::Fail, 2),
            criterion("a.completeness.errors", Severity::Warn, 1),
            criterion("b.completeness.auth", Severity::Fail, 2),
        ],
        stop: Vec::new(),
        stagnation: Stagnation {
            delta_min: points(200),
            count_max: 2,
            same_failures_max: None,
        },
        limits: Limits {
            max_iterations: 2,
            max_completed_step_seconds: Some(60),
            step_attempts_max: 2,
            plan_steps_min: 3,
            plan_steps_max: 5,
            critique_issues_max: 5,
            agent_timeout_seconds: 600,
            check_timeout_seconds: 60,
            output_bytes_max: 1 << 20,
            artifact_bytes_max: 1 << 20,
        },
        roles: BTreeMap::new(),
        prompts: BTreeMap::new(),
        workspace: ".".to_owned(),
        protected: Vec::new(),
        next_step: None,
        frozen_files: BTreeMap::new(),
        artifact: ArtifactForm::default(),
        scoring: Scoring::default(),
        evaluation: Evaluation::default(),
        judging: Judging::default(),
        git: GitUse::default(),
    })
}

fn note(stage_ms: u64) -> ProgressNote {
    ProgressNote {
        stage_ms: Some(stage_ms),
        transcript: None,
    }
}

fn artifact(text: &str, changed: Changes) -> ArtifactRef {
    ArtifactRef {
        artifact_sha256: Digest::of(text.as_bytes()),
        bytes: text.len() as u64,
        changed,
    }
}

/// A history under construction, and the facts it adds up to.
struct Story {
    records: Vec<Record>,
    facts: RunFacts,
}

impl Story {
    fn begin() -> Story {
        let spec = spec();
        let at = |n: u32| format!("2026-02-18T12:00:{n:02}Z");
        let confirmation = Confirmation {
            by: "ada".to_owned(),
            how: "prompt".to_owned(),
            at: at(0),
        };
        let contract_sha256 = canonical_sha256(&*spec).unwrap();
        let facts = RunFacts {
            run_id: RunId::new("courses-api-20260218-120000").unwrap(),
            alias: Alias::new("courses-api").unwrap(),
            status: Status::Running,
            iteration: 1,
            max_iterations: 2,
            level: level("A"),
            current_step: "PLAN".to_owned(),
            task: spec.task.clone(),
            spec: Arc::clone(&spec),
            contract_sha256,
            plan: Vec::new(),
            prepared_checks: None,
            artifact: None,
            evaluation: None,
            critique: None,
            stop: None,
            failure: None,
            last_phase_error: None,
            last_score: Score::ZERO,
            stagnation_count: 0,
            oscillation: None,
            completed_step_ms: 0,
            step_started_at: Some(at(0)),
            created_at: at(0),
            updated_at: at(0),
        };
        let mut story = Story {
            records: Vec::new(),
            facts,
        };
        story.add(
            "PLAN",
            Event::RunStarted(Box::new(RunStarted {
                contract_sha256,
                spec,
                confirmed: Confirmations {
                    criteria: confirmation.clone(),
                    max_iterations: confirmation,
                },
                context: Vec::new(),
                sources: Vec::new(),
                baseline: None,
                engine: "onus 0.1.0".to_owned(),
            })),
        );
        story
    }

    fn add(&mut self, step: &str, event: Event) {
        let seq = self.records.len() as u64 + 1;
        let facts = &mut self.facts;
        facts.updated_at = format!("2026-02-18T12:00:{seq:02}Z");
        facts.current_step = step.to_owned();
        match &event {
            Event::PlanCreated { plan, .. } => facts.plan.clone_from(plan),
            Event::ArtifactCreated { artifact, .. }
            | Event::RefinementDone { artifact, .. }
            | Event::ArtifactRestored { artifact, .. } => {
                facts.artifact = Some(artifact.clone());
            }
            Event::ChecksPrepared { checks, .. } => facts.prepared_checks = Some(checks.clone()),
            Event::EvaluationDone { scorecard, .. } => {
                facts.last_score = scorecard.score;
                facts.evaluation = Some((**scorecard).clone());
            }
            Event::CritiqueDone { issues, .. } => facts.critique = Some(issues.clone()),
            Event::PhaseSwitched { to, .. } => facts.level = to.clone(),
            Event::IterationAdvanced { iteration } => facts.iteration = *iteration,
            Event::PhaseError { error, .. } => facts.last_phase_error = Some(error.clone()),
            Event::Stopped(details) => {
                facts.status = details.outcome;
                facts.completed_step_ms = details.completed_phase_seconds * 1000;
                facts.stop = Some(details.clone());
                facts.step_started_at = None;
            }
            Event::Failed { message, .. } => {
                facts.status = Status::Failed;
                facts.failure = Some(message.clone());
                facts.step_started_at = None;
            }
            Event::RunStarted(_)
            | Event::EditRefused(_)
            | Event::Resumed { .. }
            | Event::TailRepaired { .. }
            | Event::Adopted { .. }
            | Event::Repaired { .. } => {}
        }
        let digest = Digest::of(b"");
        self.records.push(Record {
            seq,
            ts: facts.updated_at.clone(),
            run_id: facts.run_id.clone(),
            stamped: Stamped {
                iteration: facts.iteration,
                phase: facts.level.clone(),
                step: step.to_owned(),
                status: event.status().to_owned(),
                event,
            },
            prev: digest,
            hash: digest,
            mac: digest,
        });
    }

    fn plan(&mut self) {
        let plan = [
            "Describe the endpoints\nwith examples",
            "Add error responses",
            "Check \x1b[2Jnames",
        ];
        let plan = plan.map(str::to_owned).to_vec();
        self.add("PLAN", Event::PlanCreated { plan, note: note(850) });
    }

    fn produce(&mut self) {
        let changed = Changes {
            initial: true,
            ..Changes::default()
        };
        let artifact = artifact("first", changed);
        let note_produce = ProgressNote::default();
        self.add(
            "PRODUCE_PREPARE",
            Event::ArtifactCreated {
                artifact,
                note: note_produce,
            },
        );
        self.prepare("PRODUCE_PREPARE");
    }

    fn prepare(&mut self, step: &str) {
        let check = |pattern: &str, control| PreparedCheck {
            rule_id: CriterionId::new("a.correctness.endpoints").unwrap(),
            check: Check {
                kind: CheckKind::Content {
                    search: Search::Regex(pattern.to_owned()),
                    expected: ExpectedContent::PRESENT,
                },
                counterexample: None,
                repeat: None,
            },
            control,
        };
        let vacuous = Control::Vacuous {
            reason: "it passes on an empty artifact and brings no counterexample".to_owned(),
        };
        let checks = vec![check("^paths:", Control::FailsOnEmpty), check(".*", vacuous)];
        self.add(
            step,
            Event::ChecksPrepared {
                checks,
                note: note(12_340),
            },
        );
    }

    /// Evaluates the artifact as it is: these criteria fail.
    fn evaluate(&mut self, failing: &[&str]) {
        let facts = &self.facts;
        let artifact_sha256 = facts.artifact.as_ref().unwrap().artifact_sha256;
        let (mut failed, mut warnings, mut rule_results) = (Vec::new(), Vec::new(), Vec::new());
        let (mut part, mut whole) = (Weight::ZERO, Weight::ZERO);
        for criterion in facts.spec.active(&facts.level) {
            let holds = !failing.contains(&criterion.id.as_str());
            whole = whole.plus(criterion.weight);
            if holds {
                part = part.plus(criterion.weight);
            } else {
                let list = if criterion.severity == Severity::Fail {
                    &mut failed
                } else {
                    &mut warnings
                };
                list.push(FailedCriterion {
                    id: criterion.id.clone(),
                    severity: criterion.severity,
                    message: "missing".to_owned(),
                });
            }
            let kind = if holds { VerdictKind::Pass } else { VerdictKind::Fail };
            rule_results.push(Verdict::bare(
                criterion.id.clone(),
                kind,
                "seen",
                VerdictSource::Prepared,
            ));
        }
        let (score, threshold) = (
            Score::of_weights(part, whole),
            facts.spec.level(&facts.level).unwrap().threshold,
        );
        let scorecard = Scorecard {
            artifact_hash: artifact_sha256.short(),
            artifact_sha256,
            contract_sha256: facts.contract_sha256,
            phase: facts.level.clone(),
            score,
            threshold,
            passed: score >= threshold && failed.is_empty(),
            failed,
            warnings,
            rule_results,
            dimensions: Vec::new(),
            gates: None,
            regressed: Vec::new(),
            reasons: Vec::new(),
            effort: Effort::default(),
            degraded: Vec::new(),
        };
        let scorecard = Box::new(scorecard);
        self.add(
            "EVALUATE",
            Event::EvaluationDone {
                scorecard,
                note: note(2_000),
            },
        );
    }

    fn critique(&mut self, failing: &[&str]) {
        let issues = failing.iter().map(|id| Issue {
            rule_id: CriterionId::new(*id).unwrap(),
            problem: "not there".to_owned(),
            fix_instruction: format!("Add a section about {id}\nand an example"),
            expected_effect: String::new(),
        });
        let issues = issues.collect();
        self.add(
            "CRITIQUE",
            Event::CritiqueDone {
                issues,
                note: note(900),
            },
        );
    }

    fn refine(&mut self, text: &str) {
        let previous_artifact_hash = self.facts.artifact.as_ref().unwrap().artifact_sha256;
        let changed = Changes {
            added: vec!["Errors".to_owned()],
            modified: vec!["Endpoints".to_owned(), "Auth \u{202e}x".to_owned()],
            ..Changes::default()
        };
        self.add(
            "REFINE",
            Event::RefinementDone {
                artifact: artifact(text, changed),
                previous_artifact_hash,
                note: note(61_000),
            },
        );
        let iteration = self.facts.iteration + 1;
        self.add("REFINE", Event::IterationAdvanced { iteration });
    }

    fn level_up(&mut self) {
        let (from, to) = (level("A"), level("B"));
        self.add("EVALUATE", Event::PhaseSwitched { from, to });
        self.prepare("PREPARE");
    }

    fn stop(&mut self, rule: StopCondition, outcome: Status) {
        let card = self.facts.evaluation.as_ref();
        let blocking = card.map_or(Vec::new(), |card| card.failed.iter().map(|f| f.id.clone()).collect());
        self.stop_with(StopDetails {
            reason: rule.name().to_owned(),
            rule,
            outcome,
            passed: rule == StopCondition::ThresholdReached,
            blocking,
            completed_phase_seconds: 42,
            max_completed_phase_seconds: Some(60),
            overshoot_seconds: Some(0),
            last_completed_step: "EVALUATE".to_owned(),
            by: None,
        });
    }

    fn stop_with(&mut self, details: StopDetails) {
        self.add("EVALUATE", Event::Stopped(details));
    }

    fn fail_step(&mut self, attempt: u32) {
        let error = StepError {
            failed_step: Step::Critique,
            kind: "exit".to_owned(),
            message: "`critic` exited with code 1".to_owned(),
            tail: "Traceback:\n  \x1b[31mboom\x1b[0m\n".to_owned(),
            transcript: None,
        };
        self.add(
            "CRITIQUE",
            Event::PhaseError {
                error,
                attempt,
                will_retry: attempt == 1,
            },
        );
    }

    /// What a terminal shows from the first record to the report.
    fn told(&self) -> String {
        let mut narrator = Narrator::new(Style::Plain, ARTIFACT);
        let mut text = String::new();
        for block in self.records.iter().flat_map(|record| narrator.tell(record)) {
            match block {
                Block::Line(line) => text += &format!("{line}\n"),
                Block::Note(note) => text += &format!("! {}\n", note.trim_end()),
                Block::Summary(summary) => text += &format!("\n{summary}\n"),
                Block::FullArtifact { sha256, title } => text += &format!("\n{title}\n<{}>\n\n", sha256.short()),
            }
        }
        text + &final_report(&self.facts, ARTIFACT, Some("`onus run --alias courses-api-2 …`")).text(Style::Plain)
    }
}

/// Level A fails once, passes on the second try, and so does level B.
fn passing() -> Story {
    let mut story = Story::begin();
    story.plan();
    story.produce();
    story.evaluate(&["a.completeness.errors"]);
    story.critique(&["a.completeness.errors"]);
    story.refine("second");
    story.plan();
    story.evaluate(&[]);
    story.level_up();
    story.evaluate(&[]);
    story.stop(StopCondition::ThresholdReached, Status::Completed);
    story
}

fn out_of_iterations() -> Story {
    let mut story = Story::begin();
    story.plan();
    story.produce();
    story.evaluate(&["a.correctness.endpoints"]);
    story.critique(&["a.correctness.endpoints"]);
    story.refine("second");
    story.plan();
    story.evaluate(&[]);
    story.level_up();
    story.evaluate(&["b.completeness.auth", "a.completeness.errors"]);
    story.stop(StopCondition::IterationLimit, Status::Stopped);
    story
}

fn no_major_issues() -> Story {
    let mut story = Story::begin();
    story.plan();
    story.produce();
    story.evaluate(&[]);
    story.level_up();
    story.evaluate(&["a.completeness.errors"]);
    story.stop(StopCondition::NoMajorIssues, Status::Completed);
    story
}

fn failed() -> Story {
    let mut story = Story::begin();
    story.plan();
    story.produce();
    story.evaluate(&["a.correctness.endpoints"]);
    story.fail_step(1);
    story.add(
        "CRITIQUE",
        Event::TailRepaired {
            bytes_dropped: 17,
            dropped_sha256: Digest::of(b"torn"),
        },
    );
    story.add(
        "CRITIQUE",
        Event::Resumed {
            by: "ada".to_owned(),
            engine: "onus 0.1.0".to_owned(),
        },
    );
    story.fail_step(2);
    let message = "critique failed: critique: `critic` exited with code 1".to_owned();
    story.add(
        "CRITIQUE",
        Event::Failed {
            reason: "phase_error".to_owned(),
            message,
        },
    );
    story
}

fn stopped_before_an_artifact() -> Story {
    let mut story = Story::begin();
    story.plan();
    story.stop_with(StopDetails {
        reason: "wrong \x1b[5mtask".to_owned(),
        rule: StopCondition::UserStop,
        outcome: Status::Stopped,
        passed: false,
        blocking: Vec::new(),
        completed_phase_seconds: 0,
        max_completed_phase_seconds: None,
        overshoot_seconds: None,
        last_completed_step: "PLAN".to_owned(),
        by: Some("ada".to_owned()),
    });
    story
}

/// The budget ran out between a refinement and its evaluation.
fn stale() -> Story {
    let mut story = Story::begin();
    story.plan();
    story.produce();
    story.evaluate(&["a.correctness.endpoints"]);
    story.critique(&["a.correctness.endpoints"]);
    story.refine("second");
    story.stop_with(StopDetails {
        reason: "budget_exceeded".to_owned(),
        rule: StopCondition::BudgetExceeded,
        outcome: Status::Stopped,
        passed: false,
        blocking: Vec::new(),
        completed_phase_seconds: 77,
        max_completed_phase_seconds: Some(60),
        overshoot_seconds: Some(17),
        last_completed_step: "REFINE".to_owned(),
        by: None,
    });
    story
}

#[test]
fn every_ending_is_told() {
    for (name, story) in [
        ("passing", passing()),
        ("out_of_iterations", out_of_iterations()),
        ("no_major_issues", no_major_issues()),
        ("failed", failed()),
        ("stopped_before_an_artifact", stopped_before_an_artifact()),
        ("stale", stale()),
    ] {
        let told = story.told();
        assert!(
            !told.contains('\x1b') && !told.contains('\u{202e}'),
            "{name} lets an escape through"
        );
        insta::assert_snapshot!(name, told);
    }
}

#[test]
fn a_stored_history_reads_as_it_did_live() {
    for story in [passing(), failed()] {
        let stored: Vec<String> = story
            .records
            .iter()
            .map(|r| serde_json::to_string(r).unwrap())
            .collect();
        let records = stored.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        let replayed = Story {
            records,
            facts: story.facts.clone(),
        };
        assert_eq!(replayed.told(), story.told());
    }
}

#[test]
fn artifact_status_guards_the_final_score() {
    for (story, status, score) in [
        (
            stopped_before_an_artifact(),
            ArtifactStatus::NotCreated,
            "unavailable (no artifact was created)",
        ),
        (stale(), ArtifactStatus::Stale, "unavailable (the artifact or the level"),
        (passing(), ArtifactStatus::Evaluated, "1.00 (threshold 0.90)"),
    ] {
        assert_eq!(artifact_status(&story.facts), status);
        assert!(
            final_report(&story.facts, ARTIFACT, None)
                .text(Style::Plain)
                .contains(score)
        );
    }
    let mut story = Story::begin();
    story.produce();
    assert_eq!(artifact_status(&story.facts), ArtifactStatus::Unevaluated);
    story.evaluate(&[]);
    story.level_up();
    assert_eq!(
        artifact_status(&story.facts),
        ArtifactStatus::Stale,
        "a score of level A is none of level B"
    );
}

#[test]
fn files_have_the_documented_keys_in_order() {
    insta::assert_snapshot!("run_json_at_start", run_json_text(&Story::begin().facts).unwrap());
    insta::assert_snapshot!("run_json_at_end", run_json_text(&out_of_iterations().facts).unwrap());
    insta::assert_snapshot!("current_json", current_json_text(&Story::begin().facts).unwrap());
}

#[test]
fn reports_are_also_json() {
    let report = final_report(&out_of_iterations().facts, ARTIFACT, None);
    insta::assert_snapshot!("report_json", serde_json::to_string_pretty(&report).unwrap());
}

#[test]
fn status_and_list_say_where_runs_stand() {
    let facts = out_of_iterations().facts;
    insta::assert_snapshot!("status_line", status_line(&facts));
    insta::assert_snapshot!("status_text", status_text(&failed().facts, Style::Plain));
    let foreign = RunSummary {
        alias: "старый-цикл".to_owned(),
        status: "odd\x1b[0m".to_owned(),
        iteration: None,
        last_score: None,
        updated_at: String::new(),
    };
    insta::assert_snapshot!("list", list_table(&[RunSummary::from(&facts), foreign]));
    assert_eq!(list_table(&[]), "no runs\n");
}

#[test]
fn histories_of_other_programs_are_told_too() {
    let lines = [
        serde_json::json!({"ts":"2026-02-18T12:01:10Z","run_id":"x","iteration":1,"phase":"A","step":"EVALUATE","event":"evaluation_done","status":"ok","payload":{"score":0.72,"passed":false,"failed":[1,2],"why":"\u{1b}[2J"}}),
        serde_json::json!({"event": "stopped"}),
        serde_json::json!("not an event"),
    ];
    insta::assert_snapshot!("foreign_timeline", foreign_timeline(&lines));
}

#[test]
fn colour_changes_nothing_but_colour() {
    let strip = |text: &str| {
        ["\x1b[31m", "\x1b[32m", "\x1b[2m", "\x1b[0m"]
            .iter()
            .fold(text.to_owned(), |t, code| t.replace(code, ""))
    };
    for facts in [passing().facts, failed().facts] {
        let report = final_report(&facts, ARTIFACT, None);
        assert_ne!(report.text(Style::Ansi), report.text(Style::Plain));
        assert_eq!(strip(&report.text(Style::Ansi)), report.text(Style::Plain));
        assert_eq!(
            strip(&status_text(&facts, Style::Ansi)),
            status_text(&facts, Style::Plain)
        );
    }
}

/// A loop that scores by dimensions, asks two gates and keeps verdicts says so, each in a line; a plain one does not.
#[test]
fn what_an_evaluation_says_beyond_its_score_is_told_everywhere() {
    let plain = out_of_iterations();
    let mut story = out_of_iterations();
    let gate = |result, met, of| GateResult {
        result,
        score: points(5_000),
        met,
        of,
    };
    let change = |card: &mut Scorecard| {
        card.dimensions = vec![DimensionScore {
            name: "depth\u{1b}[2J".to_owned(),
            weight: Weight::whole(20),
            score: points(2_500),
            threshold: points(7_000),
            capped_by: Some(CriterionId::new("a.completeness.errors").unwrap()),
        }];
        card.gates = Some(Gates {
            trust: gate(GateOutcome::Pass, 4, 5),
            goal: gate(GateOutcome::NoContract, 0, 0),
            next: NextMove::Complete,
        });
        card.regressed = vec![CriterionId::new("a.correctness.endpoints").unwrap()];
        card.effort = Effort {
            asked: 1,
            kept: 2,
            left_out: 3,
        };
        card.degraded = vec!["judge and producer are of one family".to_owned()];
    };
    for record in &mut story.records {
        if let Event::EvaluationDone { scorecard, .. } = &mut record.stamped.event {
            change(scorecard);
        }
    }
    change(story.facts.evaluation.as_mut().unwrap());
    story.facts.oscillation = Some("iteration 2 made the artifact of iteration 1 again".to_owned());
    let told = |story: &Story| {
        let report = final_report(&story.facts, ARTIFACT, None);
        [
            story.told(),
            status_text(&story.facts, Style::Plain),
            report.text(Style::Plain),
        ]
    };
    for (text, plain) in told(&story).into_iter().zip(told(&plain)) {
        for words in [
            "(held down by a.completeness.errors)",
            "trust pass 0.50 (4/5), goal no contract: complete",
            "1 question asked, 2 spared by kept verdicts, 3 left out after a failure",
            "judge and producer are of one family",
        ] {
            assert!(text.contains(words), "{words}:\n{text}");
        }
        assert!(text.to_lowercase().contains("regressed:"), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
        assert!(text.lines().count() > plain.lines().count());
        for label in [
            "dimensions:",
            "gates:",
            "regressed:",
            "spared:",
            "degraded:",
            "oscillation:",
        ] {
            assert!(!plain.to_lowercase().contains(label), "{plain}");
        }
    }
    let [_, status, report] = told(&story);
    assert!(status.contains("oscillation:") && report.contains("oscillation:"));
}

#[test]
fn a_tree_is_never_printed_whole() {
    let mut story = passing();
    for record in &mut story.records {
        if let Event::RunStarted(start) = &mut record.stamped.event {
            Arc::make_mut(&mut start.spec).artifact = ArtifactForm::Tree;
        }
    }
    let blocks = |story: &Story| {
        let mut narrator = Narrator::new(Style::Plain, ARTIFACT);
        let told = story.records.iter().flat_map(|record| narrator.tell(record));
        told.filter(|block| matches!(block, Block::FullArtifact { .. })).count()
    };
    assert_eq!((blocks(&passing()), blocks(&story)), (2, 0));
    assert!(story.told().contains("\nartifact: "), "the report says where it is");
}

#[test]
fn what_was_left_out_is_told_apart_from_what_failed() {
    let mut story = out_of_iterations();
    let change = |card: &mut Scorecard| {
        let failing: Vec<CriterionId> = card.failing_ids().cloned().collect();
        for verdict in card.rule_results.iter_mut().filter(|v| failing.contains(&v.id)) {
            verdict.left_out = true;
        }
    };
    for record in &mut story.records {
        if let Event::EvaluationDone { scorecard, .. } = &mut record.stamped.event {
            change(scorecard);
        }
    }
    change(story.facts.evaluation.as_mut().unwrap());
    let told = story.told();
    assert!(told.contains("Failed:    none\n"), "{told}");
    assert!(told.contains("Left out:  a.correctness.endpoints\n"), "{told}");
    assert!(!told.contains("Why:"), "nothing is known to fail: {told}");
    let status = status_text(&story.facts, Style::Plain);
    assert!(status.contains("left_out:") && status.contains("failed:"), "{status}");
}
