//! SARIF 2.1.0, in the subset that GitHub's code scanning accepts: it refuses a whole file for one result without a place.

use std::collections::BTreeMap;

use onus_model::{Digest, FindingLevel, Severity};
use serde_json::{Value, json};

use super::{CheckReport, Problem, Row, message, problems};

/// GitHub refuses a run with more.
const RESULTS_MAX: usize = 25_000;

/// Where a result about the whole stands: the file that asks for it.
const NO_PLACE: &str = "onus.toml";

/// Rules are the active criteria; results are their findings, and each failure that no finding tells.
pub fn sarif(report: &CheckReport) -> Value {
    let rows = report.rows();
    let card = &report.scorecard;
    let mut seen = BTreeMap::new();
    let results: Vec<Value> = problems(&rows)
        .iter()
        .take(RESULTS_MAX)
        .map(|problem| result(problem, &mut seen))
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "onus",
                "version": report.tool_version,
                "rules": rows.iter().map(rule).collect::<Vec<_>>(),
            }},
            "results": results,
            "properties": {
                "contract_sha256": report.contract_sha256,
                "artifact_sha256": report.artifact_sha256,
                "phase": report.level,
                "passed": card.passed,
                "score": card.score,
                "threshold": card.threshold,
            },
        }],
    })
}

fn rule(row: &Row<'_>) -> Value {
    let criterion = row.criterion;
    let level = match criterion.severity {
        Severity::Fail => FindingLevel::Error,
        Severity::Warn => FindingLevel::Warning,
        Severity::Info => FindingLevel::Note,
    };
    // A rule may have 20 tags; these are three at most.
    let mut tags = vec![
        format!("severity:{}", criterion.severity),
        format!("phase:{}", criterion.level),
    ];
    tags.extend(row.dimension().map(|dimension| format!("dimension:{dimension}")));
    let described = |text: &str| {
        if text.trim().is_empty() {
            criterion.id.to_string()
        } else {
            linkless(&message(&[text]))
        }
    };
    json!({
        "id": criterion.id,
        "shortDescription": { "text": described(&criterion.description) },
        "help": { "text": described(&criterion.check) },
        "defaultConfiguration": { "level": level },
        "properties": { "tags": tags },
    })
}

/// The model's words for levels are SARIF's.
fn result(problem: &Problem<'_>, seen: &mut BTreeMap<Digest, u32>) -> Value {
    let text = linkless(&problem.message);
    let path = problem.path.unwrap_or(NO_PLACE);
    json!({
        "ruleId": problem.rule,
        "level": problem.level,
        "message": { "text": if text.is_empty() { problem.rule.as_str() } else { &text } },
        "locations": [{ "physicalLocation": {
            "artifactLocation": { "uri": uri(path) },
            "region": { "startLine": problem.line.unwrap_or(1) },
        }}],
        "partialFingerprints": { "primaryLocationLineHash": fingerprint(problem, path, seen) },
    })
}

/// Without the line, so that an edit above does not make a new alert; equal ones are told apart by their order.
fn fingerprint(problem: &Problem<'_>, path: &str, seen: &mut BTreeMap<Digest, u32>) -> String {
    let digest = Digest::of(format!("{}\0{path}\0{}", problem.rule, problem.message).as_bytes());
    let nth = seen.entry(digest).and_modify(|n| *n += 1).or_insert(1);
    format!("{digest}:{nth}")
}

/// `[text](target)` in a message is a link in SARIF; foreign text makes none.
fn linkless(text: &str) -> String {
    text.replace("](", "] (")
}

/// A relative reference: with everything but plain characters and `/` encoded, no scheme, query or fragment can appear.
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}
