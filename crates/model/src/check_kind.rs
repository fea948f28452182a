//! What each kind of check over a tree of files is told. `Globs` are relative to the tree, with `**`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CommandLine, Search};

/// Paths with `*`, `?`, `[...]` and `**`; one text or a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "OneOrMany", into = "Vec<String>")]
pub struct Globs(pub Vec<String>);

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl From<OneOrMany> for Globs {
    fn from(form: OneOrMany) -> Globs {
        match form {
            OneOrMany::One(glob) => Globs(vec![glob]),
            OneOrMany::Many(globs) => Globs(globs),
        }
    }
}

impl From<Globs> for Vec<String> {
    fn from(globs: Globs) -> Vec<String> {
        globs.0
    }
}

impl Globs {
    pub fn everything() -> Globs {
        Globs(vec!["**".to_owned()])
    }

    fn markdown() -> Globs {
        Globs(vec!["**/*.md".to_owned()])
    }
}

/// `required`: every file matches at least once (or, with `anywhere`, one of them). `forbidden`: none does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PatternCheck {
    pub search: Search,
    #[serde(default = "Globs::everything")]
    pub files: Globs,
    #[serde(default)]
    pub rule: PatternRule,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PatternRule {
    /// In every file that the globs name, and there is one.
    RequiredEverywhere,
    /// In at least one file.
    #[default]
    Required,
    Forbidden,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SchemaCheck {
    pub files: Globs,
    /// The schema itself, or the path of one in the tree (which should then be protected).
    pub schema: SchemaSource,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum SchemaSource {
    Path(String),
    Inline(serde_json::Map<String, serde_json::Value>),
}

/// Every test by its own name: one that vanished, was renamed or skipped fails, whatever the exit code says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TestsCheck {
    pub command: CommandLine,
    pub format: TestFormat,
    /// Where the program writes its report; absent: standard output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
    /// Names of tests that must be there and pass, one a line; a file in the tree (which should be protected).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest: Option<String>,
    /// So many tests must have run and passed.
    #[serde(default = "one")]
    pub min: u32,
    /// Tests that passed in the base must be there and pass. `false`: they may go or be renamed.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub baseline: bool,
}

const fn one() -> u32 {
    1
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TestFormat {
    Junit,
    /// `cargo test`, its plain output.
    Cargo,
    /// `pytest -v` or `pytest -rA`, its plain output.
    Pytest,
    /// `go test -json`.
    Go,
    /// TAP, as `node --test --test-reporter=tap` writes it.
    Tap,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LintCheck {
    pub command: CommandLine,
    pub format: LintFormat,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
    #[serde(default)]
    pub max_errors: u32,
    /// Absent: any number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_warnings: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LintFormat {
    Sarif,
    /// `path:line[:column]: error|warning|note: message` lines, and the exit code.
    Lines,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CoverageCheck {
    /// Makes the report; absent: the report is in the tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<CommandLine>,
    pub report: String,
    pub format: CoverageFormat,
    /// Percent of lines to reach, for example `82.5`. At or above passes, up to two points below warns, more fails.
    pub baseline: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CoverageFormat {
    Lcov,
    Cobertura,
}

/// The last `NAME value`, `NAME: value`, `NAME = value` or `[METRIC:NAME] value` that the program prints counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MetricCheck {
    pub command: CommandLine,
    pub name: String,
    pub op: Comparison,
    /// A decimal number; `%` is read as hundredths.
    pub target: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Comparison {
    #[serde(rename = ">=")]
    AtLeast,
    #[serde(rename = ">")]
    Above,
    #[serde(rename = "<=")]
    AtMost,
    #[serde(rename = "<")]
    Below,
    #[serde(rename = "==")]
    Equal,
    #[serde(rename = "!=")]
    NotEqual,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MarkerCheck {
    /// `FINDING`, or `METRIC:accuracy` with a subject.
    pub marker: String,
    #[serde(default = "Globs::everything")]
    pub files: Globs,
    #[serde(default = "one")]
    pub min: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArtifactCheck {
    /// Each glob must name at least one file that is not empty.
    pub files: Globs,
    /// What the files must be by their first bytes or their syntax.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<ContentType>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContentType {
    Text,
    Json,
    Yaml,
    Toml,
    Png,
    Jpeg,
    Pdf,
    Zip,
}

/// Against the base: only files that the globs name may differ, and not too many.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiffCheck {
    #[serde(default = "Globs::everything")]
    pub allowed: Globs,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_files: Option<u32>,
    /// Added and removed lines together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_lines: Option<u32>,
    /// Nothing may stay as it was: an empty diff is no work.
    #[serde(default)]
    pub not_empty: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenapiCheck {
    pub files: Globs,
    /// Every operation with a body or a response body has an example of it.
    #[serde(default = "yes")]
    pub examples: bool,
}

const fn yes() -> bool {
    true
}

const fn is_yes(value: &bool) -> bool {
    *value
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinksCheck {
    #[serde(default = "Globs::markdown")]
    pub files: Globs,
}

/// Design intents (`onus schema intent`): each must be well-formed and score enough.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IntentCheck {
    pub files: Globs,
    /// Points to reach, of 100.
    #[serde(default = "eighty")]
    pub min: u8,
    /// Only this dimension's points, for example `clarity`; absent: all five by their weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dimension: Option<String>,
}

const fn eighty() -> u8 {
    80
}

/// For example `results["a.tests"] == "pass" && counts.fail == 0`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExprCheck {
    pub expr: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HumanCheck {
    pub question: String,
}
