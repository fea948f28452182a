//! The numbers printed for the reflex loop's templates, as data: `vectors/reflex.toml`.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use onus_machine::{apply, decide, scorecard};
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
    let card = scorecard(&spec, hash, &vector.level, Digest::of(b"artifact"), &given);
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
