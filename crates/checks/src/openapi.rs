//! Descriptions of HTTP interfaces: OpenAPI 3.0 and 3.1, in JSON or YAML.
//!
//! What is looked at is the skeleton that tools stumble over (names, references, parameters, responses, examples), not
//! every keyword. References to other files must name a file of the tree; what they name inside it is not followed.

use std::collections::{BTreeMap, BTreeSet};

use onus_model::{Finding, OpenapiCheck};
use serde_json::{Map, Value};

use crate::document::{self, escaped};
use crate::globs::{finding, plural, read_files, select};
use crate::links::resolve;
use crate::text::is_blank;
use crate::{CheckResult, Files, Outcome};

const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// References that lead to references; people need two or three, a circle never ends.
const HOPS_MAX: usize = 16;

/// Problems kept of one file; aliases and references can repeat one a million times.
const PROBLEMS_MAX: usize = 1_000;

/// Every file that the globs name is a description with at least one operation and without a problem.
pub fn openapi(check: &OpenapiCheck, files: &dyn Files) -> CheckResult {
    let paths = match select(&check.files, files) {
        Ok(paths) => paths,
        Err(nothing) => return nothing.result(),
    };
    let tree: BTreeSet<&str> = files.paths().into_iter().collect();
    let (mut findings, mut operations) = (Vec::<Finding>::new(), 0);
    for path in &paths {
        let Some(bytes) = files.read(path) else {
            return read_files(Outcome::CouldNotRun, format!("`{path}` cannot be read"), 0, findings);
        };
        match document::read(path, &bytes) {
            Err(problem) => findings.push(finding(path, problem.line, problem.message)),
            Ok(root) => {
                let mut reader = Reader::new(&root, path, &tree, check);
                reader.read();
                reader.problems.sort();
                operations += reader.operations;
                findings.extend(reader.problems.iter().map(|problem| finding(path, None, problem)));
            }
        }
    }
    let seen = format!("{} in {}", plural(operations, "operation"), plural(paths.len(), "file"));
    let (outcome, why) = match findings.len() {
        0 => (Outcome::Passed, format!("{seen}, no problem")),
        problems => (Outcome::Failed, format!("{} with {seen}", plural(problems, "problem"))),
    };
    read_files(outcome, why, paths.len(), findings)
}

struct Reader<'a> {
    root: &'a Value,
    path: &'a str,
    tree: &'a BTreeSet<&'a str>,
    check: &'a OpenapiCheck,
    operations: usize,
    /// Where each operation id was seen first.
    ids: BTreeMap<&'a str, String>,
    problems: Vec<String>,
}

impl<'a> Reader<'a> {
    fn new(root: &'a Value, path: &'a str, tree: &'a BTreeSet<&'a str>, check: &'a OpenapiCheck) -> Reader<'a> {
        Reader {
            root,
            path,
            tree,
            check,
            operations: 0,
            ids: BTreeMap::new(),
            problems: Vec::new(),
        }
    }

    fn problem(&mut self, pointer: &str, message: &str) {
        if self.problems.len() < PROBLEMS_MAX {
            let pointer = if pointer.is_empty() { "top level" } else { pointer };
            self.problems.push(format!("{pointer}: {message}"));
        }
    }

    fn read(&mut self) {
        let Some(root) = self.root.as_object() else {
            return self.problem("", "is not an object");
        };
        let version = root.get("openapi").and_then(Value::as_str).unwrap_or_default();
        if !["3.0.", "3.1."].iter().any(|start| version.starts_with(start)) {
            return self.problem("/openapi", "is not the text `3.0.x` or `3.1.x`");
        }
        for field in ["title", "version"] {
            let value = self.root.pointer(&format!("/info/{field}"));
            if value.and_then(Value::as_str).is_none_or(is_blank) {
                self.problem(&format!("/info/{field}"), "is not there, is blank or is not a text");
            }
        }
        match root.get("paths") {
            Some(Value::Object(paths)) => self.paths(paths),
            // 3.1 lets a description have nothing but webhooks.
            None if version.starts_with("3.1.") && root.contains_key("webhooks") => {}
            _ => self.problem("/paths", "is not an object"),
        }
        if let Some(Value::Object(webhooks)) = root.get("webhooks") {
            for (name, item) in webhooks {
                self.item(&format!("/webhooks/{}", escaped(name)), item, None);
            }
        }
        if self.operations == 0 {
            self.problem("/paths", "has no operation");
        }
        self.references(self.root, "", Keys::Words);
    }

    fn paths(&mut self, paths: &'a Map<String, Value>) {
        for (path, item) in paths.iter().filter(|(path, _)| !path.starts_with("x-")) {
            let pointer = format!("/paths/{}", escaped(path));
            if !path.starts_with('/') {
                self.problem(&pointer, "does not begin with `/`");
            }
            self.item(&pointer, item, Some(path));
        }
    }

    /// `template`: the path that the item is about, if it is about one.
    fn item(&mut self, pointer: &str, item: &'a Value, template: Option<&str>) {
        let Some(item) = self.object(pointer, item) else { return };
        for method in METHODS {
            let Some(operation) = item.get(method) else { continue };
            let pointer = format!("{pointer}/{method}");
            self.operations += 1;
            let Some(operation) = operation.as_object() else {
                self.problem(&pointer, "is not an object");
                continue;
            };
            self.operation(&pointer, operation);
            let mut declared = self.parameters(&pointer, item);
            declared.extend(self.parameters(&pointer, operation));
            if let Some(template) = template {
                self.path_parameters(&pointer, template, &declared);
            }
        }
    }

    fn operation(&mut self, pointer: &str, operation: &'a Map<String, Value>) {
        match operation.get("operationId") {
            None => {}
            Some(Value::String(id)) if !is_blank(id) => match self.ids.get(id.as_str()) {
                Some(first) => {
                    let message = format!("has the operationId `{id}` of {first}");
                    self.problem(pointer, &message);
                }
                None => {
                    self.ids.insert(id, pointer.to_owned());
                }
            },
            Some(_) => self.problem(pointer, "has an operationId that is blank or not a text"),
        }
        if let Some(body) = operation.get("requestBody") {
            let pointer = format!("{pointer}/requestBody");
            if let Some(body) = self.object(&pointer, body) {
                match body.get("content").and_then(Value::as_object) {
                    Some(content) if !content.is_empty() => self.content(&pointer, content),
                    _ => self.problem(&pointer, "has no content"),
                }
            }
        }
        match operation.get("responses").and_then(Value::as_object) {
            Some(responses) if responses.keys().any(|code| !code.starts_with("x-")) => {
                for (code, response) in responses.iter().filter(|(code, _)| !code.starts_with("x-")) {
                    self.response(&format!("{pointer}/responses/{}", escaped(code)), code, response);
                }
            }
            _ => self.problem(pointer, "has no responses"),
        }
    }

    fn response(&mut self, pointer: &str, code: &str, response: &'a Value) {
        let class_and_rest = |rest: &str| rest == "XX" || rest.len() == 2 && rest.bytes().all(|b| b.is_ascii_digit());
        let is_code = code.starts_with(['1', '2', '3', '4', '5']) && class_and_rest(&code[1..]);
        if !is_code && code != "default" {
            self.problem(pointer, "is neither a status code nor `default`");
        }
        let Some(response) = self.object(pointer, response) else {
            return;
        };
        if !response.get("description").is_some_and(Value::is_string) {
            self.problem(pointer, "has no description");
        }
        if let Some(content) = response.get("content").and_then(Value::as_object)
            && code.starts_with('2')
        {
            self.content(pointer, content);
        }
    }

    fn content(&mut self, pointer: &str, content: &'a Map<String, Value>) {
        if !self.check.examples {
            return;
        }
        for (kind, media) in content {
            let pointer = format!("{pointer}/content/{}", escaped(kind));
            let Some(media) = self.object(&pointer, media) else {
                continue;
            };
            let schema = media
                .get("schema")
                .and_then(|schema| self.follow(schema))
                .and_then(Value::as_object);
            if !has_example(media) && !schema.is_some_and(has_example) {
                self.problem(&pointer, "has no example");
            }
        }
    }

    /// Name, place and whether it is required, of each parameter that can be read.
    fn parameters(&mut self, pointer: &str, owner: &'a Map<String, Value>) -> BTreeMap<(&'a str, &'a str), bool> {
        let mut declared = BTreeMap::new();
        let list = match owner.get("parameters") {
            None => return declared,
            Some(Value::Array(list)) => list.as_slice(),
            Some(_) => {
                self.problem(pointer, "has parameters that are not a list");
                return declared;
            }
        };
        for parameter in list {
            let Some(parameter) = self.object(&format!("{pointer}/parameters"), parameter) else {
                continue;
            };
            let text = |key: &str| parameter.get(key).and_then(Value::as_str);
            let (Some(name), Some(place @ ("path" | "query" | "header" | "cookie"))) = (text("name"), text("in"))
            else {
                self.problem(
                    pointer,
                    "has a parameter without a name, or with an `in` that is no place",
                );
                continue;
            };
            if !parameter.contains_key("schema") && !parameter.contains_key("content") {
                self.problem(pointer, &format!("has the parameter `{name}` without a schema"));
            }
            let required = parameter.get("required") == Some(&Value::Bool(true));
            if declared.insert((name, place), required).is_some() {
                self.problem(pointer, &format!("has the {place} parameter `{name}` twice"));
            }
        }
        declared
    }

    fn path_parameters(&mut self, pointer: &str, template: &str, declared: &BTreeMap<(&str, &str), bool>) {
        let names = template_names(template);
        for name in &names {
            match declared.get(&(name, "path")) {
                None => self.problem(pointer, &format!("does not declare the path parameter `{name}`")),
                Some(false) => self.problem(
                    pointer,
                    &format!("has the path parameter `{name}`, which must be required"),
                ),
                Some(true) => {}
            }
        }
        for (name, place) in declared.keys() {
            if *place == "path" && !names.contains(name) {
                self.problem(
                    pointer,
                    &format!("declares the path parameter `{name}`, which the path does not have"),
                );
            }
        }
    }

    /// The object that stands here or that a reference here leads to.
    fn object(&mut self, pointer: &str, value: &'a Value) -> Option<&'a Map<String, Value>> {
        match self.follow(value) {
            Some(Value::Object(object)) => Some(object),
            // The walk over all references tells about this one.
            None => None,
            Some(_) => {
                self.problem(pointer, "is not an object");
                None
            }
        }
    }

    /// The value itself, or what its reference leads to in this file.
    fn follow(&self, value: &'a Value) -> Option<&'a Value> {
        let mut value = value;
        for _ in 0..HOPS_MAX {
            match value.get("$ref").and_then(Value::as_str) {
                None => return Some(value),
                Some(reference) => value = self.target(reference)?,
            }
        }
        None
    }

    fn target(&self, reference: &str) -> Option<&'a Value> {
        let pointer = crate::links::decoded(reference.strip_prefix('#')?);
        self.root.pointer(&pointer)
    }

    /// Every reference leads somewhere. Depth is bounded by the readers of `document`.
    fn references(&mut self, value: &'a Value, pointer: &str, keys: Keys) {
        match value {
            // In a schema `examples` is a list of data.
            Value::Array(_) if keys == Keys::ExampleNames => {}
            Value::Array(items) => {
                for (at, item) in items.iter().enumerate() {
                    self.references(item, &format!("{pointer}/{at}"), Keys::Words);
                }
            }
            Value::Object(object) => {
                if let (Keys::Words | Keys::Examples, Some(Value::String(reference))) = (keys, object.get("$ref")) {
                    self.reference(value, reference, pointer);
                }
                for (key, child) in object {
                    if let Some(below) = keys.below(key) {
                        self.references(child, &format!("{pointer}/{}", escaped(key)), below);
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn reference(&mut self, value: &'a Value, reference: &str, pointer: &str) {
        let (file, _) = reference.split_once('#').unwrap_or((reference, ""));
        let holds = if file.is_empty() {
            self.follow(value).is_some()
        } else {
            // An address somewhere else is nobody's to check here.
            file.contains("://") || resolve(self.path, file).is_some_and(|target| self.tree.contains(target.as_str()))
        };
        if !holds {
            self.problem(pointer, &format!("`{reference}` leads nowhere"));
        }
    }
}

/// What the keys of an object are. A `$ref` is a reference only where keys are words of OpenAPI: a property may be called
/// `$ref`, and an example may hold anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keys {
    Words,
    Names,
    /// Names of example objects.
    ExampleNames,
    /// Words of an example object, of which only a reference is looked at.
    Examples,
}

impl Keys {
    /// What the keys below `key` are; `None`: data, not to be read.
    fn below(self, key: &str) -> Option<Keys> {
        match (self, key) {
            (Keys::Names, _) => Some(Keys::Words),
            (Keys::ExampleNames, _) => Some(Keys::Examples),
            (Keys::Examples, _) | (Keys::Words, "example" | "default" | "enum" | "const") => None,
            (Keys::Words, "examples") => Some(Keys::ExampleNames),
            (
                Keys::Words,
                "properties" | "patternProperties" | "dependentSchemas" | "$defs" | "definitions" | "paths"
                | "webhooks" | "responses" | "schemas" | "parameters" | "requestBodies" | "headers" | "securitySchemes"
                | "links" | "callbacks" | "pathItems" | "content" | "encoding" | "variables" | "mapping",
            ) => Some(Keys::Names),
            (Keys::Words, _) => Some(Keys::Words),
        }
    }
}

/// `example`, or `examples` with one in it: a map in OpenAPI, a list in JSON Schema.
fn has_example(owner: &Map<String, Value>) -> bool {
    let many = match owner.get("examples") {
        Some(Value::Object(named)) => !named.is_empty(),
        Some(Value::Array(list)) => !list.is_empty(),
        _ => false,
    };
    many || owner.get("example").is_some_and(|example| !example.is_null())
}

/// `/a/{id}/b/{x}` has `id` and `x`.
fn template_names(template: &str) -> BTreeSet<&str> {
    template
        .split('{')
        .skip(1)
        .filter_map(|rest| Some(rest.split_once('}')?.0))
        .collect()
}

#[cfg(test)]
mod tests;
