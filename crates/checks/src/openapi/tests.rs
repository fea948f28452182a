use serde_json::json;

use super::*;
use crate::globs::testing::{Tree, globs, shown};

const PETS: &str = include_str!("../../tests/fixtures/openapi/pets.yaml");
const ORDERS: &str = include_str!("../../tests/fixtures/openapi/orders.json");
const BROKEN: &str = include_str!("../../tests/fixtures/openapi/broken.yaml");
const BROKEN_FINDINGS: &str = include_str!("../../tests/fixtures/openapi/broken.findings");

fn check(examples: bool, files: &[(&str, &str)]) -> String {
    let check = OpenapiCheck {
        files: globs(&["api/*"]),
        examples,
    };
    shown(&openapi(&check, &Tree::new(files)))
}

#[test]
fn whole_descriptions_are_read() {
    assert_eq!(
        check(
            true,
            &[
                ("api/pets.yaml", PETS),
                ("api/orders.json", ORDERS),
                ("common/errors.yaml", "")
            ]
        ),
        "Passed: 5 operations in 2 files, no problem"
    );
    assert_eq!(check(true, &[("api/broken.yaml", BROKEN)]), BROKEN_FINDINGS.trim_end());
}

/// A description that holds, with one operation.
fn smallest() -> Value {
    json!({
        "openapi": "3.0.3",
        "info": {"title": "T", "version": "1"},
        "paths": {"/a/{id}": {"get": {
            "parameters": [{"name": "id", "in": "path", "required": true, "schema": {}}],
            "responses": {"200": {"description": "d", "content": {"a/b": {"example": 1}}}}
        }}}
    })
}

/// Puts `value` at `pointer` into the description that holds.
fn check_with(pointer: &str, value: Value, expected: &str) {
    let mut root = smallest();
    *root.pointer_mut(pointer).unwrap() = value;
    let shown = check(true, &[("api/a.json", &root.to_string())]);
    assert!(shown.starts_with("Failed") && shown.contains(expected), "{shown}");
}

#[test]
fn the_frame_is_whole() {
    assert!(check(true, &[("api/a.json", &smallest().to_string())]).starts_with("Passed"));
    for (pointer, value, expected) in [
        ("/openapi", json!("2.0"), "/openapi: is not the text `3.0.x` or `3.1.x`"),
        ("/openapi", json!(3.0), "/openapi: is not the text"),
        ("/info", json!([]), "/info/title: is not there"),
        ("/info/title", json!(" "), "/info/title: is not there, is blank"),
        (
            "/info/version",
            json!(1.0),
            "/info/version: is not there, is blank or is not a text",
        ),
        ("/paths", json!([]), "/paths: is not an object"),
        ("/paths", json!({}), "/paths: has no operation"),
        ("/paths/~1a~1{id}", json!(3), "/paths/~1a~1{id}: is not an object"),
        (
            "/paths/~1a~1{id}/get",
            json!(3),
            "/paths/~1a~1{id}/get: is not an object",
        ),
    ] {
        check_with(pointer, value, expected);
    }
}

#[test]
fn each_operation_is_whole() {
    let get = "/paths/~1a~1{id}/get";
    let circle = format!("#{get}/parameters/0");
    for (pointer, value, expected) in [
        ("responses", json!({}), "get: has no responses"),
        ("responses", json!({"x-a": {}}), "get: has no responses"),
        (
            "responses",
            json!({"ok": {"description": ""}}),
            "is neither a status code",
        ),
        (
            "responses",
            json!({"2é": {"description": ""}}),
            "is neither a status code",
        ),
        ("responses/200", json!({}), "responses/200: has no description"),
        (
            "responses/200",
            json!({"$ref": "#/components/x"}),
            "`#/components/x` leads nowhere",
        ),
        (
            "responses/200",
            json!({"$ref": "other.yaml#/x"}),
            "`other.yaml#/x` leads nowhere",
        ),
        (
            "responses/200/content/a~1b",
            json!({}),
            "200/content/a~1b: has no example",
        ),
        ("responses/200/content/a~1b", json!({"examples": {}}), "has no example"),
        ("responses/200/content/a~1b", json!({"example": null}), "has no example"),
        ("parameters", json!({}), "has parameters that are not a list"),
        ("parameters", json!([]), "does not declare the path parameter `id`"),
        ("parameters/0/required", json!(false), "`id`, which must be required"),
        ("parameters/0/name", json!("no"), "`no`, which the path does not have"),
        ("parameters/0/in", json!("body"), "with an `in` that is no place"),
        ("parameters/0", json!({"$ref": circle}), "leads nowhere"),
    ] {
        check_with(&format!("{get}/{pointer}"), value, expected);
    }
}

#[test]
fn bad_input_does_not_pass() {
    for (path, text, expected) in [
        ("api/a.json", "{", "api/a.json:1: is not JSON"),
        ("api/a.yaml", "a: [", "is not YAML"),
        ("api/a.yaml", "just prose", "top level: is not an object"),
        ("api/a.txt", "openapi: 3.0.0", "has none of the extensions"),
        ("api/a.json", "[]", "top level: is not an object"),
        ("b.json", "{}", "Failed: no file matches `api/*`"),
    ] {
        let shown = check(true, &[(path, text)]);
        assert!(shown.contains(expected) && !shown.starts_with("Passed"), "{shown}");
    }
    let big = OpenapiCheck {
        files: globs(&["*"]),
        examples: false,
    };
    let shown = shown(&openapi(&big, &Tree::new(&[]).with("big.json", None)));
    assert_eq!(shown, "CouldNotRun: `big.json` cannot be read");
}
