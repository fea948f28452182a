//! Prompt templates: what each role is asked with.
//!
//! Templates are data (`presets/prompts/`); a loop file may name its own. Rendering is strict: a name the context does
//! not hold is an error, so an evaluator's template cannot even mention what the evaluator must not know.
//!
//! # Contexts
//!
//! Every role gets `run_id` and `phase_level`, and `previous_error` (a text) when an earlier answer could not be used;
//! every role but the evaluator gets `iteration`. Names marked `?` may be absent or null.
//!
//! | role | names |
//! |---|---|
//! | planner | `task{prompt, ideal_result}`, `max_iterations`, `plan_steps_min`, `plan_steps_max`, `rules[{id, description, severity, check}]`, `failures[{id, message}]`, `recent_events[text]`, `context[{path, text}]` |
//! | producer | `task`, `plan[text]`, `context`, `artifact?`, `tree`, `rules` (those that are not hidden), `baseline[{id, verdict, details}]` (checks that fail before the work) |
//! | preparer | `task`, `plan`, `rules` (only those without checks in the contract), `rejected?[{rule_id, reason}]` |
//! | evaluator | `task`, `rules` (also with `rubric?[{score, text}]` and `pass_at?`), `artifact?`, `files?[{path, text}]`, `fence` (random, one line) |
//! | critic | `task`, `artifact?`, `failed[{id, severity, message}]`, `warnings[{id, severity, message}]`, `hidden_failing` (a number), `issues_max` |
//! | refiner | `task`, `artifact?`, `issues[{rule_id, problem, fix_instruction, expected_effect}]`, `context`, `tree`, `rules` (those that are not hidden), `failed[{id, severity, message, findings[{path?, line?, level, message}]}]`, `warnings` (the same), `hidden_failing`, `restored` (the work was taken back to its best state) |
//!
//! In a loop over a tree `tree` is true and `artifact` is null everywhere: agents work in their current directory, and
//! the evaluator is shown `files`, which is null in a loop around one file.
//!
//! [`sample_context`] and [`sample_tree_context`] hold one of each, and a user's own template is tried on the one of its
//! loop before a run starts.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior};
use onus_model::{ArtifactForm, Digest, Role, TemplateRef};
use serde_json::{Value, json};

/// How the path of a built-in template begins.
pub const BUILT_IN: &str = "preset:";

/// Far more than any prompt needs (a rule costs about twenty); a template that loops for ever ends here.
const FUEL: u64 = 1_000_000;

/// Why a template gave no prompt.
#[derive(Debug, thiserror::Error)]
pub enum PromptError {
    #[error("the template does not parse")]
    Parse(#[source] minijinja::Error),
    #[error("the template does not fit its context")]
    Render(#[source] minijinja::Error),
}

macro_rules! built_ins {
    ($($name:literal),* $(,)?) => {
        &[$((concat!("preset:", $name), include_str!(concat!("../../../presets/prompts/", $name, ".md.j2")))),*]
    };
}

/// Path and text of every template that comes with Onus.
const BUILT_INS: &[(&str, &str)] = built_ins![
    "reflex/planner",
    "reflex/producer",
    "reflex/preparer",
    "reflex/evaluator",
    "reflex/critic",
    "reflex/refiner",
    "build/producer",
    "build/evaluator",
    "build/refiner",
];

/// The text of a built-in template, by its path `preset:NAME`.
pub fn built_in(path: &str) -> Option<&'static str> {
    BUILT_INS.iter().find(|(name, _)| *name == path).map(|(_, text)| *text)
}

pub fn built_in_paths() -> impl Iterator<Item = &'static str> {
    BUILT_INS.iter().map(|(path, _)| *path)
}

/// One prompt. No file system, no clock, no network: the context is all a template sees.
pub fn render(template: &str, context: &Value) -> Result<String, PromptError> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_fuel(Some(FUEL));
    // Blocks on lines of their own leave no trace, so templates can be laid out for reading.
    if let Ok(syntax) = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build() {
        environment.set_syntax(syntax);
    }
    let template = environment
        .template_from_named_str("prompt", template)
        .map_err(PromptError::Parse)?;
    template.render(Serde(context)).map_err(PromptError::Render)
}

/// Tries a template on a full context of its role, so that a misspelled name is found before a run and not in it.
pub fn try_out(role: Role, form: ArtifactForm, template: &str) -> Result<(), PromptError> {
    let context = match form {
        ArtifactForm::File => sample_context(role),
        ArtifactForm::Tree => sample_tree_context(role),
    };
    render(template, &context).map(|_| ())
}

/// The frozen reference to a template: its version stands in its first line.
pub fn template_ref(path: &str, text: &str) -> TemplateRef {
    TemplateRef {
        path: path.to_owned(),
        version: version(text).unwrap_or("unversioned").to_owned(),
        sha256: Digest::of(text.as_bytes()),
    }
}

/// `1` in `{# onus-template reflex/planner 1 #}`.
fn version(text: &str) -> Option<&str> {
    let first = text.lines().next()?.trim();
    let inner = first.strip_prefix("{#")?.strip_suffix("#}")?;
    let mut words = inner.split_whitespace();
    match (words.next(), words.next(), words.next(), words.next()) {
        (Some("onus-template"), Some(_name), Some(version), None) => Some(version),
        _ => None,
    }
}

/// One context of every role of a loop around one file, with every name filled in.
pub fn sample_context(role: Role) -> Value {
    let rules = json!([
        sample_rule("a.correctness.endpoints", "fail"),
        sample_rule("a.completeness.errors", "warn")
    ]);
    let context = json!([{"path": ".ai-factory/DESCRIPTION.md", "text": "A course catalogue for schools."}]);
    let plan = json!(["List the operations", "Write their schemas", "Add examples"]);
    let artifact = "# Courses API\n\n## GET /courses\n\nLists courses.";
    let failed = json!([sample_failure("a.completeness.examples", "fail")]);
    let warnings = json!([sample_failure("a.completeness.errors", "warn")]);
    let own = match role {
        Role::Planner => json!({
            "max_iterations": 4, "plan_steps_min": 3, "plan_steps_max": 5, "rules": rules, "context": context,
            "failures": [{"id": "a.completeness.errors", "message": "no error responses"}],
            "recent_events": ["evaluation_done: 0.71, not passed", "critique_done: 1 issue", "refinement_done"],
        }),
        Role::Producer => json!({
            "plan": plan, "context": context, "artifact": artifact, "tree": false, "rules": rules,
            "baseline": [{"id": "a.correctness.endpoints", "verdict": "fail", "details": "2 of 5 tests failed"}],
        }),
        Role::Preparer => json!({
            "plan": plan, "rules": rules,
            "rejected": [{"rule_id": "a.completeness.errors", "reason": "it passes on an empty artifact"}],
        }),
        Role::Evaluator => {
            let mut judged = sample_rule("a.quality.clarity", "warn");
            judged["rubric"] = json!([
                {"score": 0.25, "text": "A reader has to guess."},
                {"score": 0.75, "text": "Plain, with a gap or two."},
                {"score": 1.0, "text": "Nothing to ask."},
            ]);
            judged["pass_at"] = 0.75.into();
            json!({
                "rules": [sample_rule("a.correctness.endpoints", "fail"), judged], "artifact": artifact, "files": null,
                "fence": "5f0c2a9e71d84b36a1c0e9d2b7f45a68",
            })
        }
        Role::Critic => json!({
            "artifact": artifact, "issues_max": 5, "failed": failed, "warnings": warnings, "hidden_failing": 1,
        }),
        Role::Refiner => json!({
            "artifact": artifact, "context": context, "tree": false, "rules": rules,
            "failed": failed, "warnings": warnings, "hidden_failing": 1, "restored": true,
            "issues": [{
                "rule_id": "a.completeness.examples", "problem": "`GET /courses` has no example",
                "fix_instruction": "add a response example", "expected_effect": "every operation has an example",
            }],
        }),
    };
    let mut all = json!({
        "run_id": "courses-api-20260218-120000",
        "phase_level": "A",
        "task": {"prompt": "OpenAPI 3.1 spec for a course catalogue", "ideal_result": "All operations with examples."},
        "previous_error": "the answer was not JSON",
    });
    if role != Role::Evaluator {
        all["iteration"] = 2.into();
    }
    if let (Value::Object(all), Value::Object(own)) = (&mut all, own) {
        all.extend(own);
    }
    all
}

/// The same of a loop over a tree of files: there is no artifact to show, and the evaluator is shown files.
pub fn sample_tree_context(role: Role) -> Value {
    let mut context = sample_context(role);
    for (name, in_a_tree) in [
        ("artifact", Value::Null),
        ("tree", true.into()),
        (
            "files",
            json!([
                {"path": "src/courses.py", "text": "def courses():\n    return []"},
                {"path": "README.md", "text": "# Courses"},
            ]),
        ),
    ] {
        if let Some(value) = context.get_mut(name) {
            *value = in_a_tree;
        }
    }
    context
}

fn sample_rule(id: &str, severity: &str) -> Value {
    json!({
        "id": id, "description": "Every operation is specified.", "severity": severity,
        "check": "Each one has a path and a method.",
    })
}

fn sample_failure(id: &str, severity: &str) -> Value {
    json!({
        "id": id, "severity": severity, "message": "2 of 5 operations have no example",
        "findings": [
            {"path": "src/courses.py", "line": 2, "level": "error", "message": "an empty list is no example"},
            {"level": "note", "message": "3 operations are fine"},
        ],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_carries_version_and_hash() {
        for (text, version) in [
            ("{# onus-template reflex/planner 1 #}\nhello", "1"),
            ("{# onus-template mine 2026-10 #}", "2026-10"),
            ("{# onus-template mine #}", "unversioned"),
            ("hello", "unversioned"),
            ("", "unversioned"),
        ] {
            let reference = template_ref("prompts/mine.md.j2", text);
            assert_eq!(reference.version, version, "{text}");
            assert_eq!(reference.sha256, Digest::of(text.as_bytes()));
        }
    }

    #[test]
    fn rendering_is_strict_and_bounded() {
        let context = json!({"name": "x", "items": (0..1000).collect::<Vec<_>>()});
        let endless =
            "{% for a in items %}{% for b in items %}{% for c in items %}.{% endfor %}{% endfor %}{% endfor %}";
        for (template, expected) in [
            ("{{ name }}", Ok("x")),
            ("{% if other is defined %}y{% endif %}", Ok("")),
            ("{{ other }}", Err("Render")),
            ("{{ name", Err("Parse")),
            ("{% include 'a' %}", Err("Render")),
            (endless, Err("Render")),
        ] {
            match (render(template, &context), expected) {
                (Ok(text), Ok(expected)) => assert_eq!(text, expected),
                (Err(PromptError::Parse(_)), Err("Parse")) | (Err(PromptError::Render(_)), Err("Render")) => {}
                (got, _) => panic!("{template}: {got:?}"),
            }
        }
    }

    #[test]
    fn a_value_is_never_read_as_a_template() {
        let context = json!({"artifact": "{{ fence }}<b>&\"</b>{% raw %}"});
        assert_eq!(
            render("{{ artifact }}", &context).unwrap(),
            "{{ fence }}<b>&\"</b>{% raw %}"
        );
    }

    #[test]
    fn every_built_in_template_is_versioned_and_named_after_its_path() {
        for (path, text) in BUILT_INS {
            let name = path.strip_prefix(BUILT_IN).unwrap();
            assert!(text.starts_with(&format!("{{# onus-template {name} ")), "{path}");
            assert!(template_ref(path, text).version.parse::<u32>().is_ok(), "{path}");
        }
    }
}
