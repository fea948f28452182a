//! The house rules, as an ordinary test: what each crate may depend on, what pure code may not touch, what nobody commits.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Crates without a clock, a disk, a network, an environment or randomness.
const PURE: [&str; 7] = ["model", "machine", "spec", "checks", "views", "mutants", "design"];

/// Who may use whom. A face uses anything; nothing uses a face.
const INSIDE: [(&str, &[&str]); 10] = [
    ("model", &[]),
    ("machine", &["model"]),
    ("spec", &["model"]),
    ("checks", &["model"]),
    ("views", &["model"]),
    ("mutants", &[]),
    ("design", &["model"]),
    ("ledger", &["model"]),
    ("runners", &["model"]),
    (
        "engine",
        &[
            "model", "machine", "spec", "checks", "views", "mutants", "design", "ledger", "runners",
        ],
    ),
];

/// Other people's crates that pure crates may use; each of them computes and nothing else.
const PURE_MAY_USE: [&str; 25] = [
    "cel",
    "globset",
    "jiff",
    "minijinja",
    "pulldown-cmark",
    "quick-xml",
    "regex",
    "schemars",
    "serde",
    "serde-saphyr",
    "serde_json",
    "serde_json_canonicalizer",
    "serde_path_to_error",
    "sha2",
    "similar",
    "strsim",
    "thiserror",
    "toml",
    "tree-sitter",
    "tree-sitter-go",
    "tree-sitter-javascript",
    "tree-sitter-python",
    "tree-sitter-rust",
    "tree-sitter-typescript",
    "unicode-width",
];

/// Crates that open a door to the world; no pure crate may reach one, however indirectly.
const DOORS: [&str; 10] = [
    "tokio",
    "mio",
    "rand",
    "getrandom",
    "rustix",
    "reqwest",
    "hyper",
    "tempfile",
    "inquire",
    "fastrand",
];

#[test]
fn crates_depend_only_inwards() {
    for (name, allowed) in INSIDE {
        let mut ours = BTreeSet::new();
        let mut others = BTreeSet::new();
        for dependency in dependencies(name) {
            match dependency.strip_prefix("onus-") {
                Some(own) => ours.insert(own.to_owned()),
                None => others.insert(dependency),
            };
        }
        let allowed: BTreeSet<String> = allowed.iter().map(|s| (*s).to_owned()).collect();
        assert!(
            ours.is_subset(&allowed),
            "`{name}` may use {allowed:?} of ours, it uses {ours:?}"
        );
        if PURE.contains(&name) {
            let stray: Vec<_> = others.iter().filter(|d| !PURE_MAY_USE.contains(&d.as_str())).collect();
            assert!(stray.is_empty(), "pure crate `{name}` uses {stray:?}");
        }
    }
}

#[test]
fn pure_crates_reach_no_door_indirectly() {
    for name in PURE {
        let output = Command::new(env!("CARGO"))
            .args([
                "tree",
                "--offline",
                "--edges",
                "normal",
                "--prefix",
                "none",
                "--format",
                "{p}",
            ])
            .args(["--package", &format!("onus-{name}")])
            .current_dir(ROOT)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let tree = String::from_utf8(output.stdout).unwrap();
        let reached: BTreeSet<&str> = tree
            .lines()
            .filter_map(|line| line.split(' ').next())
            .filter(|name| DOORS.contains(name))
            .collect();
        assert!(reached.is_empty(), "pure crate `{name}` reaches {reached:?}");
    }
}

#[test]
fn pure_code_touches_nothing() {
    let forbidden = [
        "std::fs",
        "std::env",
        "std::net",
        "std::process",
        "std::thread",
        "std::io",
        "SystemTime",
        "Instant::",
        "tokio",
        "async fn",
        ".await",
    ];
    for name in PURE {
        for (path, text) in sources(&Path::new(ROOT).join("crates").join(name).join("src")) {
            // Unit tests stand at the end of a file and may read what they need.
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            for (number, line) in code
                .lines()
                .enumerate()
                .filter(|(_, line)| !line.trim_start().starts_with("//"))
            {
                for word in forbidden {
                    assert!(
                        !line.contains(word),
                        "{}:{}: pure code names `{word}`",
                        path.display(),
                        number + 1
                    );
                }
            }
        }
    }
}

#[test]
fn every_source_file_says_what_it_is_for() {
    for dir in ["crates", "apps", "testing"] {
        for (path, text) in sources(&Path::new(ROOT).join(dir)) {
            // A module's tests in a file beside it need no header of their own.
            let beside = path.ends_with("tests.rs");
            assert!(beside || text.starts_with("//!"), "{} has no header", path.display());
        }
    }
}

#[test]
fn nothing_unfinished_and_nothing_of_a_machine_is_committed() {
    // In two parts, so that this file does not find itself.
    let words = [
        ["todo", "!("],
        ["unimplemented", "!("],
        ["FIX", "ME"],
        ["#[ig", "nore"],
        ["assert!(tr", "ue)"],
        ["/work", "/main"],
        ["/root", "/"],
        ["crates", ".io"],
        ["github", ".com"],
    ];
    for (path, text) in tracked() {
        for word in words.map(|parts| parts.concat()) {
            assert!(!text.contains(&word), "{path} holds `{word}`");
        }
    }
}

/// Names in `[dependencies]` of one of our crates.
fn dependencies(name: &str) -> Vec<String> {
    let manifest = std::fs::read_to_string(format!("{ROOT}/crates/{name}/Cargo.toml")).unwrap();
    let section = manifest.split("[dependencies]").nth(1).unwrap_or_default();
    let lines = section.lines().take_while(|line| !line.starts_with('['));
    lines
        .filter_map(|line| line.split(['.', ' ', '=']).next())
        .filter(|n| !n.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Every Rust file below a directory.
fn sources(dir: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            found.insert(path, text);
        }
    }
    found
}

/// Text files that git knows, without the lock file.
fn tracked() -> Vec<(String, String)> {
    let output = Command::new("git")
        .args(["ls-files", "-z"])
        .current_dir(ROOT)
        .output()
        .unwrap();
    assert!(output.status.success());
    let list = String::from_utf8(output.stdout).unwrap();
    let wanted = list
        .split('\0')
        .filter(|path| !path.is_empty() && *path != "Cargo.lock");
    wanted
        .filter_map(|path| {
            Some((
                path.to_owned(),
                std::fs::read_to_string(Path::new(ROOT).join(path)).ok()?,
            ))
        })
        .collect()
}
