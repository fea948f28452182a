//! Documents against a JSON Schema.
//!
//! Which keyword means what is not decided here: the validator comes in as an argument, because the crate that knows
//! draws random numbers for its hash maps, and nothing pure may reach those.

use onus_model::{Finding, SchemaCheck, SchemaSource};
use serde_json::Value;

use crate::globs::{finding, plural, read_files, select};
use crate::{CheckResult, FINDINGS_MAX, Files, Outcome, document};

/// Where a document breaks its schema: a JSON pointer, empty for the whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    pub pointer: String,
    pub message: String,
}

/// Holds documents against one schema; the first `FINDINGS_MAX` violations are enough.
pub type Validator = Box<dyn Fn(&Value) -> Vec<Violation>>;

/// Reads every file that the globs name by its extension (JSON, YAML, TOML) and validates it. `compile` makes a validator
/// of a schema or says what is wrong with it; it must not fetch anything.
pub fn schema_files(
    check: &SchemaCheck,
    files: &dyn Files,
    compile: impl FnOnce(&Value) -> Result<Validator, String>,
) -> CheckResult {
    let ended = |outcome, why: String| read_files(outcome, why, 0, Vec::new());
    let validator = match schema(&check.schema, files).and_then(|schema| compile(&schema)) {
        Ok(validator) => validator,
        Err(problem) => return ended(Outcome::Unusable, format!("the schema cannot be used: {problem}")),
    };
    let mut paths = match select(&check.files, files) {
        Ok(paths) => paths,
        Err(nothing) => return nothing.result(),
    };
    // `schemas/*.json` names the schema too, which need not describe itself.
    paths.retain(|path| !matches!(&check.schema, SchemaSource::Path(schema) if schema == path));
    if paths.is_empty() {
        return read_files(Outcome::Failed, "no file matches but the schema itself", 0, Vec::new());
    }
    let mut findings = Vec::new();
    let mut bad = 0;
    for path in &paths {
        let Some(bytes) = files.read(path) else {
            return ended(Outcome::CouldNotRun, format!("`{path}` cannot be read"));
        };
        let found = violations(path, &bytes, &validator);
        bad += usize::from(!found.is_empty());
        let room = FINDINGS_MAX.saturating_sub(findings.len());
        findings.extend(found.into_iter().take(room));
    }
    let all = plural(paths.len(), "file");
    let (outcome, why) = match bad {
        0 => (Outcome::Passed, format!("the schema holds for {all}")),
        _ => (Outcome::Failed, format!("the schema does not hold for {bad} of {all}")),
    };
    read_files(outcome, why, paths.len(), findings)
}

fn schema(source: &SchemaSource, files: &dyn Files) -> Result<Value, String> {
    let schema = match source {
        SchemaSource::Inline(map) => Value::Object(map.clone()),
        SchemaSource::Path(path) => {
            let bytes = files.read(path).ok_or_else(|| format!("`{path}` is not there"))?;
            document::read(path, &bytes).map_err(|problem| format!("`{path}` {}", problem.message))?
        }
    };
    // `true` is a schema too, but one that everything satisfies.
    if schema.is_object() {
        Ok(schema)
    } else {
        Err("it is not an object".to_owned())
    }
}

fn violations(path: &str, bytes: &[u8], validator: &Validator) -> Vec<Finding> {
    match document::read(path, bytes) {
        Err(problem) => vec![finding(path, problem.line, problem.message)],
        Ok(value) => {
            let told = |violation: &Violation| {
                let place = match violation.pointer.as_str() {
                    "" => "top level",
                    pointer => pointer,
                };
                finding(path, None, format!("{place}: {}", violation.message))
            };
            validator(&value).iter().map(told).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::globs::testing::{Tree, globs, shown};

    fn compile(schema: &Value) -> Result<Validator, String> {
        let validator = jsonschema::validator_for(schema).map_err(|error| error.to_string())?;
        Ok(Box::new(move |value| {
            let violation = |error: jsonschema::ValidationError<'_>| Violation {
                pointer: error.instance_path().to_string(),
                message: error.to_string(),
            };
            validator.iter_errors(value).take(FINDINGS_MAX).map(violation).collect()
        }))
    }

    fn check(list: &[&str], schema: Value, tree: &Tree) -> String {
        let check = SchemaCheck {
            files: globs(list),
            schema: serde_json::from_value(schema).unwrap(),
        };
        shown(&schema_files(&check, tree, compile))
    }

    #[test]
    fn documents_are_held_against_their_schema() {
        let tree = Tree::new(&[
            ("a.json", r#"{"port": 80}"#),
            ("b.yaml", "port: x\n"),
            ("c.toml", "port = 1\nmore = 2\n"),
            (
                "s/one.json",
                r#"{"type": "object", "required": ["port"], "properties": {"port": {"type": "integer"}}}"#,
            ),
        ]);
        let strict = json!({"properties": {"port": {"type": "integer"}}, "additionalProperties": false});
        for (list, schema, expected) in [
            (&["a.json"][..], strict.clone(), "Passed: the schema holds for 1 file"),
            (
                &["*.json", "c.toml"],
                json!("s/one.json"),
                "Passed: the schema holds for 2 files",
            ),
            (
                &["*.{json,yaml,toml}"],
                strict.clone(),
                "Failed: the schema does not hold for 2 of 3 files\n\
                 b.yaml: /port: \"x\" is not of type \"integer\"\n\
                 c.toml: top level: Additional properties are not allowed ('more' was unexpected)",
            ),
            (
                &["s/*.json"],
                json!("s/one.json"),
                "Failed: no file matches but the schema itself",
            ),
            (&["*.xml"], strict, "Failed: no file matches `*.xml`"),
        ] {
            assert_eq!(check(list, schema, &tree), expected);
        }
    }

    #[test]
    fn bad_schemas_and_bad_documents_do_not_pass() {
        let tree = Tree::new(&[
            ("dup.json", "{\"a\":1,\n\"a\":2}"),
            ("bad.yaml", "a: [\n"),
            ("s.json", "true"),
            ("x.txt", "{}"),
        ])
        .with("big.json", None);
        for (file, schema, expected) in [
            ("dup.json", json!({}), "dup.json:2: is not JSON: duplicate field `a`"),
            ("bad.yaml", json!({}), "bad.yaml:"),
            ("x.txt", json!({}), "x.txt: has none of the extensions"),
            ("big.json", json!({}), "CouldNotRun: `big.json` cannot be read"),
            (
                "dup.json",
                json!("none.json"),
                "Unusable: the schema cannot be used: `none.json` is not there",
            ),
            (
                "dup.json",
                json!("s.json"),
                "Unusable: the schema cannot be used: it is not an object",
            ),
            ("dup.json", json!({"type": 3}), "Unusable: the schema cannot be used"),
            (
                "dup.json",
                json!({"$ref": "https://example.org/s.json"}),
                "Unusable: the schema cannot be used",
            ),
            (
                "dup.json",
                json!({"$ref": "file:///etc/passwd"}),
                "Unusable: the schema cannot be used",
            ),
        ] {
            let shown = check(&[file], schema, &tree);
            assert!(shown.contains(expected) && !shown.starts_with("Passed"), "{shown}");
        }
    }
}
