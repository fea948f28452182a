//! The built-in prompts, rendered: each snapshot is what an agent would read.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use onus_model::{CritiqueAnswer, EvaluateAnswer, PlanAnswer, PrepareAnswer, Role};
use onus_spec::prompts::{built_in, sample_context, sample_tree_context};
use onus_spec::render;

fn template(role: Role) -> &'static str {
    built_in(&format!("preset:reflex/{role}")).unwrap()
}

fn rendered(role: Role) -> String {
    render(template(role), &sample_context(role)).unwrap()
}

/// The roles of the preset `build`.
const BUILDERS: [Role; 3] = [Role::Producer, Role::Evaluator, Role::Refiner];

fn build_template(role: Role) -> &'static str {
    built_in(&format!("preset:build/{role}")).unwrap()
}

/// Every template with the contexts it may be given.
fn all_rendered() -> Vec<(Role, String)> {
    let reflex = Role::ALL.map(|role| (role, template(role), sample_context(role)));
    let build = BUILDERS.map(|role| (role, build_template(role), sample_tree_context(role)));
    let all = reflex.into_iter().chain(build);
    all.map(|(role, template, context)| (role, render(template, &context).unwrap()))
        .collect()
}

#[test]
fn every_prompt_renders() {
    for role in Role::ALL {
        insta::assert_snapshot!(format!("prompt_{role}"), rendered(role));
    }
    for role in BUILDERS {
        let text = render(build_template(role), &sample_tree_context(role)).unwrap();
        insta::assert_snapshot!(format!("prompt_build_{role}"), text);
    }
}

#[test]
fn the_least_context_renders_too() {
    let reflex = Role::ALL.map(|role| (role, template(role), sample_context(role)));
    let build = BUILDERS.map(|role| (role, build_template(role), sample_tree_context(role)));
    for (role, template, mut context) in reflex.into_iter().chain(build) {
        let map = context.as_object_mut().unwrap();
        // Absent and null are the same to a template.
        map["previous_error"] = serde_json::Value::Null;
        map["task"]["ideal_result"] = "".into();
        if role == Role::Producer {
            map.remove("artifact");
        }
        for list in ["context", "failures", "recent_events", "failed", "warnings", "baseline"] {
            if let Some(value) = map.get_mut(list) {
                *value = serde_json::json!([]);
            }
        }
        for (name, least) in [("hidden_failing", 0.into()), ("restored", false.into())] {
            if let Some(value) = map.get_mut(name) {
                *value = least;
            }
        }
        let text = render(template, &context).unwrap();
        for gone in [
            "ideal result",
            "could not be used",
            "Project background",
            "so far",
            "did not hold last",
            "happened last",
            "not shown",
            "taken back",
            "before you begin",
            "does not block",
            "\nnone\n",
        ] {
            assert!(!text.contains(gone), "{role}: {gone}");
        }
        assert!(!text.contains("\n\n\n"), "{role} has a hole");
    }
}

/// An engine that knows nothing of a name leaves it out; the templates of documents do without the newer ones.
#[test]
fn a_context_of_the_first_version_renders() {
    for role in Role::ALL {
        let mut context = sample_context(role);
        let map = context.as_object_mut().unwrap();
        for name in ["tree", "baseline", "hidden_failing", "restored", "files"] {
            map.remove(name);
        }
        if role == Role::Evaluator {
            for rule in map["rules"].as_array_mut().unwrap() {
                rule.as_object_mut()
                    .unwrap()
                    .retain(|key, _| key != "rubric" && key != "pass_at");
            }
        }
        assert!(render(template(role), &context).is_ok(), "{role}");
    }
}

#[test]
fn the_first_sentence_says_where_the_agent_stands() {
    for (role, text) in all_rendered() {
        let first = text.lines().next().unwrap();
        assert!(first.contains("phase of run `courses-api-20260218-120000`"), "{first}");
        assert!(first.contains("level A"), "{first}");
        assert_eq!(first.contains("iteration 2"), role != Role::Evaluator, "{first}");
    }
}

#[test]
fn the_evaluator_is_blind() {
    for template in [template(Role::Evaluator), build_template(Role::Evaluator)] {
        // The steps of a rubric are the contract's; what the work was worth before is not known here.
        let words = template.to_lowercase().replace("{{ anchor.score }}", "");
        for hidden in [
            "iteration",
            "score",
            "previous evalu",
            "threshold",
            "attempt",
            "baseline",
        ] {
            assert!(!words.contains(hidden), "{hidden}");
        }
    }
    for context in [sample_context(Role::Evaluator), sample_tree_context(Role::Evaluator)] {
        for hidden in [
            "iteration",
            "max_iterations",
            "score",
            "last_score",
            "failed",
            "plan",
            "baseline",
        ] {
            assert!(context.get(hidden).is_none(), "{hidden}");
        }
    }
}

#[test]
fn the_artifact_stands_between_two_fences() {
    let fence = sample_context(Role::Evaluator)["fence"].as_str().unwrap().to_owned();
    let text = rendered(Role::Evaluator);
    let lines: Vec<&str> = text.lines().filter(|line| *line == fence).collect();
    assert_eq!(lines.len(), 2);
    for template in [template(Role::Evaluator), build_template(Role::Evaluator)] {
        let text = render(template, &sample_tree_context(Role::Evaluator)).unwrap();
        let marks: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix(&fence)).collect();
        assert_eq!(marks, [" src/courses.py", "", " README.md", ""]);
    }
}

#[test]
fn a_rubric_is_shown_where_a_rule_has_one() {
    for template in [template(Role::Evaluator), build_template(Role::Evaluator)] {
        let text = render(template, &sample_tree_context(Role::Evaluator)).unwrap();
        assert_eq!(text.matches("it is met from 0.75 on").count(), 1);
        assert!(text.contains("\n  - `0.25`: A reader has to guess.\n"), "{text}");
    }
}

/// A template is tried on the context of its own loop.
#[test]
fn templates_of_trees_are_tried_on_trees() {
    use onus_model::ArtifactForm;
    use onus_spec::prompts::try_out;
    let over_files = "{{ files[0].path }}";
    assert!(try_out(Role::Evaluator, ArtifactForm::Tree, over_files).is_ok());
    assert!(try_out(Role::Evaluator, ArtifactForm::File, over_files).is_err());
    assert!(try_out(Role::Producer, ArtifactForm::Tree, "{{ hidden_failing }}").is_err());
}

/// A prompt shows the form of an answer and is none itself: an agent that only echoes it has said nothing.
#[test]
fn an_echoed_prompt_is_no_answer() {
    let asked = [Role::Planner, Role::Preparer, Role::Evaluator, Role::Critic];
    for (role, text) in all_rendered().into_iter().filter(|(role, _)| asked.contains(role)) {
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
