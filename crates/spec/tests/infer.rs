//! What a task's words tell about its type and its number of iterations.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use onus_model::TaskType;
use onus_spec::{infer_task_type, preset, stated_max_iterations};

/// The types a prompt may be of: one, several, or none.
fn inferred(prompt: &str) -> String {
    use onus_spec::Inference::{Ambiguous, One, Unknown};
    match infer_task_type(prompt, &preset("reflex").unwrap().file.inference) {
        One(task_type) => task_type.name().to_owned(),
        Ambiguous(types) => types.iter().map(|t| t.name()).collect::<Vec<_>>().join("|"),
        Unknown => "?".to_owned(),
    }
}

#[test]
fn a_prompt_tells_its_type() {
    let table = [
        ("OpenAPI 3.1 spec + DDD notes + JSON examples", "api_spec"),
        ("Swagger definition for the billing service", "api_spec"),
        ("Design a REST API for a library", "api_spec"),
        ("API specification of the order endpoints", "api_spec"),
        ("REST endpoints for users and courses, with pagination", "api_spec"),
        ("GraphQL schema for a blog", "api_spec"),
        ("AsyncAPI document for our events", "api_spec"),
        ("Write the gRPC service definition of a chat", "api_spec"),
        ("api contract between frontend and backend", "api_spec"),
        ("Implement a rate limiter in Rust", "code"),
        ("Write a function that parses ISO dates", "code"),
        ("Python script to rename photos", "code"),
        ("a JSON parser in C without dependencies", "code"),
        ("Refactor this class into smaller ones", "code"),
        ("Write unit tests for the cart", "code"),
        ("Build a CLI tool that counts lines", "code"),
        ("SQL query for monthly revenue", "code"),
        ("React component with a search box", "code"),
        ("A regex that matches IPv6 addresses", "code"),
        ("TypeScript program with async code", "code"),
        ("README for the course catalogue", "docs"),
        ("A README for the python tool", "docs"),
        ("User guide for administrators", "docs"),
        ("Tutorial: your first plugin", "docs"),
        ("Write the documentation of our release process", "docs"),
        ("Runbook for database failover", "docs"),
        ("Release notes of version 2", "docs"),
        ("ADR about choosing Postgres", "docs"),
        ("FAQ for new customers", "docs"),
        ("Explain our architecture in a markdown document", "docs"),
        ("Dockerfile for a Node server", "config"),
        ("nginx with TLS and gzip", "config"),
        ("Kubernetes deployment with three replicas", "config"),
        ("k8s manifests for redis", "config"),
        ("Terraform for an S3 bucket", "config"),
        ("GitHub Actions workflow that runs tests", "config"),
        ("docker-compose with postgres and redis", "config"),
        ("a systemd unit for the worker", "config"),
        ("YAML settings for the linter", "config"),
        ("Helm chart of the gateway", "config"),
        // A strong word wins over hints of another type.
        ("Document the REST API for developers", "docs"),
        ("A function that loads YAML config", "code"),
        // Mixed: two types are named outright.
        ("Implement the endpoints of this OpenAPI spec", "api_spec|code"),
        ("Write a tutorial about nginx", "docs|config"),
        ("A Terraform module with a README", "code|docs|config"),
        ("Swagger file and user guide", "docs|api_spec"),
        // A tie of hints.
        ("python code with yaml config", "code|config"),
        // Nothing to go by, or words inside other words.
        ("Make it better", "?"),
        ("", "?"),
        ("A haiku about spring", "?"),
        ("Improve the rest", "?"),
        ("Deploy without manual steps", "?"),
        ("python", "?"),
        ("restaurant menu with capital letters", "?"),
        ("日本語の詩", "?"),
    ];
    let wrong: Vec<String> = table
        .iter()
        .filter(|(prompt, expected)| inferred(prompt) != *expected)
        .map(|(prompt, expected)| format!("{prompt:?}: {}, not {expected}", inferred(prompt)))
        .collect();
    assert!(table.len() >= 40 && wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_stated_number_of_iterations_is_read_and_nothing_else_is() {
    for (prompt, expected) in [
        ("max 6 iterations", Some(6)),
        ("Up to 3 rounds, please", Some(3)),
        ("no more than five iterations", Some(5)),
        ("at most 2 cycles", Some(2)),
        ("max_iterations: 8", Some(8)),
        ("maximum iterations = 7", Some(7)),
        ("maximum of 9 iterations", Some(9)),
        ("10 iterations max", Some(10)),
        ("limit 12 rounds", Some(12)),
        ("max 0 iterations", None),
        ("max 100000 iterations", None),
        ("explain what 3 iterations of Newton's method do", None),
        ("write 5 functions", None),
        ("max 5 retries", None),
        ("-3 iterations", None),
        ("", None),
    ] {
        assert_eq!(stated_max_iterations(prompt), expected, "{prompt}");
    }
}

#[test]
fn only_types_with_words_can_be_told() {
    assert!(
        !preset("reflex")
            .unwrap()
            .file
            .inference
            .words
            .contains_key(&TaskType::Other)
    );
}
