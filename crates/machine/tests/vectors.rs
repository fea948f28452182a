//! Numbers as data: those printed for the reflex loop's templates (`vectors/reflex.toml`), and how verdicts become a score
//! and a gate (`vectors/scoring.toml`).
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use std::collections::BTreeSet;

use onus_machine::{apply, decide, scorecard, well_formed};
use onus_model::*;
use onus_spec::{LoopFile, Overrides, Sources, resolve};
use serde::Deserialize;
use support::{Bench, start, verdicts};

#[derive(Deserialize)]
struct Vectors {
    vector: Vec<Vector>,
}

#[derive(Deserialize)]
struct Vector {
    name: String,
    #[serde(rename = "type")]
    task_type: TaskType,
    level: LevelName,
    failing: Vec<String>,
    part: u32,
    total: u32,
    score: Score,
    passed: bool,
    next: String,
}

fn template(task_type: TaskType) -> LoopSpec {
    let overrides = Overrides {
        prompt: Some("make it".into()),
        task_type: Some(task_type),
        agent: Some(vec!["true".into()]),
        ..Overrides::default()
    };
    resolve(&LoopFile::parse(""), &overrides, &Sources::default())
        .unwrap()
        .freeze(&Sources::default())
        .unwrap()
}

#[test]
fn the_printed_numbers_hold() {
    let vectors: Vectors = toml::from_str(include_str!("vectors/reflex.toml")).unwrap();
    for vector in &vectors.vector {
        check(vector);
    }
}

fn check(vector: &Vector) {
    let name = &vector.name;
    let spec = template(vector.task_type);
    let failing: Vec<&str> = vector.failing.iter().map(String::as_str).collect();
    for id in &failing {
        assert!(
            spec.criteria.iter().any(|c| c.id.as_str() == *id),
            "{name}: there is no `{id}`"
        );
    }
    let hash = canonical_sha256(&spec).unwrap();
    let given = verdicts(&spec, &vector.level, &failing);
    let card = scorecard(
        &spec,
        hash,
        &vector.level,
        Digest::of(b"artifact"),
        &given,
        &BTreeSet::new(),
    );
    assert_eq!((card.score, card.passed), (vector.score, vector.passed), "{name}");
    assert_eq!(
        card.score,
        Score::of_weights(Weight::whole(vector.part), Weight::whole(vector.total)),
        "{name}"
    );
    let total = spec
        .active(&vector.level)
        .fold(Weight::ZERO, |sum, c| sum.plus(c.weight));
    assert_eq!(total, Weight::whole(vector.total), "{name}");
    assert_eq!(next(spec, &vector.level, &failing), vector.next, "{name}");
}

/// Runs the loop to this level and evaluates there.
fn next(spec: LoopSpec, level: &LevelName, failing: &[&str]) -> String {
    let mut bench = Bench::started(spec);
    if bench.run().level != *level {
        bench.evaluate(&[]);
    }
    bench.evaluate(failing);
    let run = bench.run();
    match &run.stop {
        Some(stop) => stop.rule.name().to_owned(),
        None if run.level != *level => "switch".to_owned(),
        None => run.current_step().to_lowercase(),
    }
}

#[test]
fn every_template_has_its_thresholds_and_its_eight_criteria() {
    for (task_type, a, b) in [
        (TaskType::ApiSpec, 0.8, 0.9),
        (TaskType::Code, 0.8, 0.9),
        (TaskType::Docs, 0.75, 0.85),
        (TaskType::Config, 0.8, 0.9),
    ] {
        let spec = template(task_type);
        let thresholds: Vec<f64> = spec.levels.iter().map(|l| l.threshold.into()).collect();
        assert_eq!(thresholds, [a, b], "{task_type:?}");
        assert_eq!(spec.criteria.len(), 8);
        let decision = decide(None, start(spec)).unwrap();
        assert!(apply(None, &decision.events[0].event).is_some());
    }
}

#[derive(Deserialize)]
struct ScoringVectors {
    vector: Vec<ScoringVector>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScoringVector {
    name: String,
    threshold: Score,
    #[serde(default)]
    strict: bool,
    trust_threshold: Option<Score>,
    #[serde(default)]
    dimensions: Vec<Dimension>,
    criteria: Vec<Marked>,
    score: Score,
    #[serde(default)]
    dimension_scores: Vec<Score>,
    capped_by: Option<CriterionId>,
    reasons: Vec<String>,
    next: Option<NextMove>,
}

/// A criterion and what was said about it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Marked {
    id: CriterionId,
    #[serde(default = "one")]
    weight: Weight,
    severity: Option<Severity>,
    dimension: Option<String>,
    gate: Option<Gate>,
    #[serde(default)]
    must_pass: bool,
    cap: Option<Score>,
    share: Option<Score>,
    #[serde(default = "yes")]
    holds: bool,
    #[serde(default)]
    unverified: bool,
    #[serde(default)]
    human: bool,
}

fn one() -> Weight {
    Weight::whole(1)
}

fn yes() -> bool {
    true
}

impl Marked {
    fn criterion(&self) -> Criterion {
        let anchor = |points| Anchor {
            score: Score::from_basis_points(points),
            text: "so".into(),
        };
        let question = HumanCheck {
            question: "is it?".into(),
        };
        Criterion {
            weight: self.weight,
            severity: self.severity.unwrap_or(Severity::Fail),
            dimension: self.dimension.clone(),
            gate: self.gate,
            must_pass: self.must_pass,
            cap: self.cap,
            rubric: match self.share {
                Some(_) => [2_500, 5_000, 7_500, 10_000].map(anchor).to_vec(),
                None => Vec::new(),
            },
            verify: if self.human {
                vec![Check::new(CheckKind::Human(question))]
            } else {
                Vec::new()
            },
            ..Criterion::new(self.id.clone(), support::level("A"))
        }
    }

    fn verdict(&self) -> Verdict {
        let kind = match (self.unverified, self.holds) {
            (true, _) => VerdictKind::Unverified,
            (false, true) => VerdictKind::Pass,
            (false, false) => VerdictKind::Fail,
        };
        Verdict {
            anchor: self.share,
            ..Verdict::bare(self.id.clone(), kind, "", VerdictSource::Evaluator)
        }
    }
}

#[test]
fn verdicts_become_scores_and_gates_as_written() {
    let vectors: ScoringVectors = toml::from_str(include_str!("vectors/scoring.toml")).unwrap();
    for vector in &vectors.vector {
        let name = &vector.name;
        let mut spec = support::spec(1);
        spec.levels.truncate(1);
        spec.levels[0].threshold = vector.threshold;
        spec.scoring.dimensions.clone_from(&vector.dimensions);
        spec.scoring.strict = vector.strict;
        spec.scoring.trust_threshold = vector.trust_threshold;
        spec.criteria = vector.criteria.iter().map(Marked::criterion).collect();
        well_formed(&spec).unwrap();
        let given: Vec<Verdict> = vector.criteria.iter().map(Marked::verdict).collect();
        let (hash, level) = (canonical_sha256(&spec).unwrap(), support::level("A"));
        let card = scorecard(&spec, hash, &level, Digest::of(b"artifact"), &given, &BTreeSet::new());
        assert_eq!(card.score, vector.score, "{name}");
        let shown: Vec<Score> = card.dimensions.iter().map(|d| d.score).collect();
        assert_eq!(shown, vector.dimension_scores, "{name}");
        let capped_by = card.dimensions.iter().find_map(|d| d.capped_by.clone());
        assert_eq!(capped_by, vector.capped_by, "{name}");
        let why = |reason: &Reason| {
            serde_json::to_value(reason).unwrap()["why"]
                .as_str()
                .unwrap()
                .to_owned()
        };
        assert_eq!(
            card.reasons.iter().map(why).collect::<Vec<_>>(),
            vector.reasons,
            "{name}"
        );
        assert_eq!(card.passed, vector.reasons.is_empty(), "{name}");
        assert_eq!(card.gates.map(|gates| gates.next), vector.next, "{name}");
    }
}
