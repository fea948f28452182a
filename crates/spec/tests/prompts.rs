//! The built-in prompts, rendered: each snapshot is what an agent would read.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use onus_model::{CritiqueAnswer, EvaluateAnswer, PlanAnswer, PrepareAnswer, Role};
use onus_spec::prompts::{built_in, sample_context};
use onus_spec::render;

fn template(role: Role) -> &'static str {
    built_in(&format!("preset:reflex/{role}")).unwrap()
}

fn rendered(role: Role) -> String {
    render(template(role), &sample_context(role)).unwrap()
}

#[test]
fn every_prompt_renders() {
    for role in Role::ALL {
        insta::assert_snapshot!(format!("prompt_{role}"), rendered(role));
    }
}

#[test]
fn the_least_context_renders_too() {
    for role in Role::ALL {
        let mut context = sample_context(role);
        let map = context.as_object_mut().unwrap();
        // Absent and null are the same to a template.
        map["previous_error"] = serde_json::Value::Null;
        map["task"]["ideal_result"] = "".into();
        if role == Role::Producer {
            map.remove("artifact");
        }
        for list in ["context", "failures", "recent_events", "failed", "warnings"] {
            if let Some(value) = map.get_mut(list) {
                *value = serde_json::json!([]);
            }
        }
        let text = render(template(role), &context).unwrap();
        for gone in [
            "ideal result",
            "could not be used",
            "Project background",
            "so far",
            "did not hold last",
            "happened last",
        ] {
            assert!(!text.contains(gone), "{role}: {gone}");
        }
        assert!(!text.contains("\n\n\n"), "{role} has a hole");
    }
}

#[test]
fn the_first_sentence_says_where_the_agent_stands() {
    for role in Role::ALL {
        let text = rendered(role);
        let first = text.lines().next().unwrap();
        assert!(first.contains("phase of run `courses-api-20260218-120000`"), "{first}");
        assert!(first.contains("level A"), "{first}");
        assert_eq!(first.contains("iteration 2"), role != Role::Evaluator, "{first}");
    }
}

#[test]
fn the_evaluator_is_blind() {
    let words = template(Role::Evaluator).to_lowercase();
    for hidden in ["iteration", "score", "previous evalu", "threshold", "attempt"] {
        assert!(!words.contains(hidden), "{hidden}");
    }
    let context = sample_context(Role::Evaluator);
    for hidden in ["iteration", "max_iterations", "score", "last_score", "failed", "plan"] {
        assert!(context.get(hidden).is_none(), "{hidden}");
    }
}

#[test]
fn the_artifact_stands_between_two_fences() {
    let fence = sample_context(Role::Evaluator)["fence"].as_str().unwrap().to_owned();
    let text = rendered(Role::Evaluator);
    let lines: Vec<&str> = text.lines().filter(|line| *line == fence).collect();
    assert_eq!(lines.len(), 2);
}

/// A prompt shows the form of an answer and is none itself: an agent that only echoes it has said nothing.
#[test]
fn an_echoed_prompt_is_no_answer() {
    for role in [Role::Planner, Role::Preparer, Role::Evaluator, Role::Critic] {
        let text = rendered(role);
        let (_, rest) = text.rsplit_once("```json\n").unwrap();
        let example = rest.split_once("```").unwrap().0;
        assert!(serde_json::from_str::<serde_json::Value>(example).is_err(), "{role}");
        // But for the dots, it is the form that is asked for.
        let form = example.replace(",\n  …", "").replace(", …", "");
        let read = match role {
            Role::Planner => serde_json::from_str::<PlanAnswer>(&form).map(|a| a.plan.len()),
            Role::Preparer => serde_json::from_str::<PrepareAnswer>(&form).map(|a| a.checks.len()),
            Role::Evaluator => serde_json::from_str::<EvaluateAnswer>(&form).map(|a| a.rule_results.len()),
            Role::Critic | Role::Producer | Role::Refiner => {
                serde_json::from_str::<CritiqueAnswer>(&form).map(|a| a.issues.len())
            }
        };
        assert!(read.unwrap() > 0, "{role}");
    }
    for role in [Role::Producer, Role::Refiner] {
        assert!(rendered(role).contains("The artifact itself"), "{role}");
    }
}
