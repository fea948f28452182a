//! Deterministic checks: what they look at and what they expect. Running them is `runners`' job, reading them `checks`'.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check_kind::{
    ArtifactCheck, CoverageCheck, DiffCheck, ExprCheck, HumanCheck, IntentCheck, LinksCheck, LintCheck, MarkerCheck,
    MetricCheck, OpenapiCheck, PatternCheck, SchemaCheck, TestsCheck,
};
use crate::{CriterionId, Digest};

/// How a criterion is decided by code.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    #[serde(flatten)]
    pub kind: CheckKind,
    /// A short bad example on which the check must fail. Needed where an empty artifact passes by nature ("no secrets").
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counterexample: Option<String>,
    /// Run more than once; different results on one tree make it flaky, and it passes only if enough runs do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<Repeat>,
}

impl Check {
    /// A check that says nothing but what it looks at.
    pub fn new(kind: CheckKind) -> Check {
        Check {
            kind,
            counterexample: None,
            repeat: None,
        }
    }
}

/// A fixed number of runs, all of them recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Repeat {
    pub runs: u32,
    /// So many must pass; absent: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub need: Option<u32>,
}

/// The kinds of checks. `executable` and `content` look at one artifact and may be prepared by an agent; the others belong to
/// contracts and look at a whole tree of files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum CheckKind {
    /// A program that the engine runs; decided by exit code and output.
    #[serde(alias = "command")]
    Executable {
        command: CommandLine,
        #[serde(default)]
        expected: ExpectedRun,
    },
    /// A search in the artifact's text.
    Content {
        search: Search,
        #[serde(default)]
        expected: ExpectedContent,
    },
    /// A search in files, line by line.
    Pattern(PatternCheck),
    /// JSON, YAML or TOML files against a JSON Schema.
    Schema(SchemaCheck),
    /// A test runner, read test by test.
    Tests(TestsCheck),
    /// A linter, read finding by finding.
    Lint(LintCheck),
    /// A coverage report.
    Coverage(CoverageCheck),
    /// A number that a program the engine ran printed.
    Metric(MetricCheck),
    /// `[NAME]` or `[NAME:subject]` at the beginning of lines.
    Marker(MarkerCheck),
    /// Files that must be there and hold something.
    Artifact(ArtifactCheck),
    /// How much was changed, and where.
    Diff(DiffCheck),
    /// OpenAPI documents.
    Openapi(OpenapiCheck),
    /// Links inside Markdown files.
    Links(LinksCheck),
    /// Design intents, scored by code.
    Intent(IntentCheck),
    /// A CEL expression over the results of other criteria.
    Expr(ExprCheck),
    /// Something only a person can say.
    Human(HumanCheck),
}

impl CheckKind {
    /// The word in files.
    pub const fn name(&self) -> &'static str {
        match self {
            CheckKind::Executable { .. } => "executable",
            CheckKind::Content { .. } => "content",
            CheckKind::Pattern(_) => "pattern",
            CheckKind::Schema(_) => "schema",
            CheckKind::Tests(_) => "tests",
            CheckKind::Lint(_) => "lint",
            CheckKind::Coverage(_) => "coverage",
            CheckKind::Metric(_) => "metric",
            CheckKind::Marker(_) => "marker",
            CheckKind::Artifact(_) => "artifact",
            CheckKind::Diff(_) => "diff",
            CheckKind::Openapi(_) => "openapi",
            CheckKind::Links(_) => "links",
            CheckKind::Intent(_) => "intent",
            CheckKind::Expr(_) => "expr",
            CheckKind::Human(_) => "human",
        }
    }
}

impl CheckKind {
    /// The program it runs, if it runs one.
    pub const fn command(&self) -> Option<&CommandLine> {
        match self {
            CheckKind::Executable { command, .. } => Some(command),
            CheckKind::Tests(check) => Some(&check.command),
            CheckKind::Lint(check) => Some(&check.command),
            CheckKind::Metric(check) => Some(&check.command),
            CheckKind::Coverage(check) => check.command.as_ref(),
            CheckKind::Content { .. }
            | CheckKind::Pattern(_)
            | CheckKind::Schema(_)
            | CheckKind::Marker(_)
            | CheckKind::Artifact(_)
            | CheckKind::Diff(_)
            | CheckKind::Openapi(_)
            | CheckKind::Links(_)
            | CheckKind::Intent(_)
            | CheckKind::Expr(_)
            | CheckKind::Human(_) => None,
        }
    }
}

/// A list is run as it is; a string by `sh -c`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum CommandLine {
    Argv(Vec<String>),
    Shell(String),
}

impl std::fmt::Display for CommandLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CommandLine::Argv(argv) => f.write_str(&argv.join(" ")),
            CommandLine::Shell(line) => f.write_str(line),
        }
    }
}

/// A bare string is a regular expression (multi-line mode).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Search {
    Regex(String),
    Literal { literal: String },
}

/// What a program must do. In files: nothing (exit 0), an exit code, a text that stdout must contain (with exit 0),
/// `"exit N"`, or an object with `exit`, `stdout_contains`, `stdout_matches`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(from = "ExpectedRunForm")]
pub struct ExpectedRun {
    pub exit: i32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdout_contains: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdout_matches: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
enum ExpectedRunForm {
    Exit(i32),
    Text(String),
    Full {
        #[serde(default)]
        exit: i32,
        stdout_contains: Option<String>,
        stdout_matches: Option<String>,
    },
}

impl From<ExpectedRunForm> for ExpectedRun {
    fn from(form: ExpectedRunForm) -> ExpectedRun {
        match form {
            ExpectedRunForm::Exit(exit) => ExpectedRun {
                exit,
                ..ExpectedRun::default()
            },
            ExpectedRunForm::Text(text) => match exit_phrase(&text) {
                Some(exit) => ExpectedRun {
                    exit,
                    ..ExpectedRun::default()
                },
                None => ExpectedRun {
                    stdout_contains: Some(text),
                    ..ExpectedRun::default()
                },
            },
            ExpectedRunForm::Full {
                exit,
                stdout_contains,
                stdout_matches,
            } => ExpectedRun {
                exit,
                stdout_contains,
                stdout_matches,
            },
        }
    }
}

/// `exit 1`, `exit code 0`, `exits with status 2`: the phrases people and models use for an exit code.
fn exit_phrase(text: &str) -> Option<i32> {
    let lower = text.trim().to_ascii_lowercase();
    let mut words = lower.split_ascii_whitespace();
    if !matches!(words.next(), Some("exit" | "exits")) {
        return None;
    }
    let rest: Vec<&str> = words
        .filter(|w| !matches!(*w, "code" | "status" | "with" | "is" | "=" | "=="))
        .collect();
    match rest.as_slice() {
        [number] => number.parse().ok(),
        _ => None,
    }
}

/// How often a search must match. In files: nothing or `"present"`, `"absent"`, or an object with `min` and `max`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "ExpectedContentForm")]
pub struct ExpectedContent {
    pub min: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<u32>,
}

impl Default for ExpectedContent {
    fn default() -> Self {
        Self::PRESENT
    }
}

impl ExpectedContent {
    pub const PRESENT: ExpectedContent = ExpectedContent { min: 1, max: None };
    pub const ABSENT: ExpectedContent = ExpectedContent { min: 0, max: Some(0) };
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
enum ExpectedContentForm {
    Word(String),
    Count { min: Option<u32>, max: Option<u32> },
}

impl TryFrom<ExpectedContentForm> for ExpectedContent {
    type Error = String;
    fn try_from(form: ExpectedContentForm) -> Result<ExpectedContent, String> {
        match form {
            ExpectedContentForm::Word(word) => match word.trim().to_ascii_lowercase().as_str() {
                "present" | "found" | "match" => Ok(ExpectedContent::PRESENT),
                "absent" | "not found" | "no match" => Ok(ExpectedContent::ABSENT),
                _ => Err(format!("expected `present`, `absent` or {{min, max}}, not `{word}`")),
            },
            ExpectedContentForm::Count { min: None, max: None } => Err("expected {min, max} names neither".to_owned()),
            ExpectedContentForm::Count { min, max } => {
                let min = min.unwrap_or(0);
                match max {
                    Some(max) if max < min => Err(format!("expected {{min: {min}, max: {max}}} can never hold")),
                    Some(_) | None => Ok(ExpectedContent { min, max }),
                }
            }
        }
    }
}

/// A check that an agent prepared for one criterion, and what the engine found when it checked the check.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PreparedCheck {
    pub rule_id: CriterionId,
    #[serde(flatten)]
    pub check: Check,
    #[serde(default)]
    pub control: Control,
}

/// Whether a prepared check can fail at all. Only a proven one counts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "result", rename_all = "snake_case")]
pub enum Control {
    /// Not tried yet, so it does not count.
    #[default]
    Untried,
    /// It failed on an empty artifact.
    FailsOnEmpty,
    /// It passes on an empty artifact by nature, and failed on its own counterexample.
    FailsOnCounterexample { counterexample: Digest },
    /// It passes on nothing: it does not count.
    Vacuous { reason: String },
}

impl Control {
    pub const fn counts(&self) -> bool {
        match self {
            Control::FailsOnEmpty | Control::FailsOnCounterexample { .. } => true,
            Control::Untried | Control::Vacuous { .. } => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: serde_json::Value) -> Result<PreparedCheck, String> {
        serde_json::from_value(json).map_err(|e| e.to_string())
    }

    #[test]
    fn the_forms_agents_write_are_read() {
        let base = |expected: serde_json::Value| serde_json::json!({"rule_id": "a.x", "type": "executable", "command": "true", "expected": expected});
        for (form, exit, text) in [
            (serde_json::json!(3), 3, None),
            (serde_json::json!("exit code 1"), 1, None),
            (serde_json::json!("exits with status 2"), 2, None),
            (serde_json::json!("all good"), 0, Some("all good")),
            (serde_json::json!({"stdout_contains": "x"}), 0, Some("x")),
        ] {
            let CheckKind::Executable { expected, .. } = check(base(form)).unwrap().check.kind else {
                panic!("kind")
            };
            assert_eq!((expected.exit, expected.stdout_contains.as_deref()), (exit, text));
        }
        let content = check(serde_json::json!({"rule_id": "a.x", "type": "content", "search": "^# "})).unwrap();
        assert_eq!(
            content.check.kind,
            CheckKind::Content {
                search: Search::Regex("^# ".into()),
                expected: ExpectedContent::PRESENT
            }
        );
        assert_eq!(content.control, Control::Untried);
    }

    #[test]
    fn a_check_reads_back_as_written() {
        for json in [
            serde_json::json!({"rule_id": "a.x", "type": "executable", "command": ["test", "-s", "artifact.md"], "expected": {"exit": 0, "stdout_matches": "ok"}}),
            serde_json::json!({"rule_id": "a.x", "type": "content", "search": {"literal": "[x]"}, "expected": "absent", "counterexample": "[x]"}),
        ] {
            let first = check(json).unwrap();
            let again: PreparedCheck = serde_json::from_str(&serde_json::to_string(&first).unwrap()).unwrap();
            assert_eq!(again, first);
        }
    }

    #[test]
    fn forms_that_cannot_hold_are_refused() {
        for expected in [
            serde_json::json!("maybe"),
            serde_json::json!({"min": 2, "max": 1}),
            serde_json::json!({}),
        ] {
            assert!(
                check(serde_json::json!({"rule_id": "a.x", "type": "content", "search": "x", "expected": expected}))
                    .is_err()
            );
        }
        assert!(check(serde_json::json!({"rule_id": "a.x", "type": "magic"})).is_err());
        let misspelled = serde_json::json!({"stdout_contain": "x"});
        assert!(
            check(
                serde_json::json!({"rule_id": "a.x", "type": "executable", "command": "true", "expected": misspelled})
            )
            .is_err()
        );
    }
}
