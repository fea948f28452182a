//! An agent's answer: found, read, and held against what was asked. An answer that breaks a rule is refused whole; nothing
//! is repaired or guessed, because the agent gets the message and one more try.

use std::collections::HashSet;
use std::fmt;

use onus_model::{
    CheckKind, CommandLine, Control, CriterionId, CritiqueAnswer, Issue, Limits, PlanAnswer, PrepareAnswer,
    PreparedCheck, Search,
};
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use crate::markdown::last_json_block;
use crate::pattern::{self, COUNT_MAX};
use crate::text::{MESSAGE_CHARS_MAX, clip, is_blank};

/// Checks one PREPARE may make: many for each criterion, but not a thousand programs to run each iteration.
const PREPARED_CHECKS_MAX: usize = 200;

/// Where an answer was looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The file that `ONUS_RESPONSE` names.
    Response,
    /// Standard output as a whole.
    Stdout,
    /// The last fenced `json` block of standard output.
    StdoutBlock,
    Artifact,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Place::Response => "the `ONUS_RESPONSE` file",
            Place::Stdout => "standard output",
            Place::StdoutBlock => "the last `json` block of standard output",
            Place::Artifact => "the artifact",
        })
    }
}

/// Why an answer cannot be used. The message goes to people, and back to the agent with its second try.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    #[error("no answer: the `ONUS_RESPONSE` file is absent or blank, and so is standard output")]
    Missing,
    #[error("{place} is not UTF-8: the first bad byte is at offset {offset}")]
    NotUtf8 { place: Place, offset: usize },
    #[error("{place} is not the JSON asked for: {path}: {problem}")]
    Json {
        place: Place,
        path: String,
        problem: String,
    },
    /// Well-formed, but not within what was asked.
    #[error("the answer is refused: {path}: {problem}")]
    Refused { path: String, problem: String },
    #[error("the artifact is empty")]
    EmptyArtifact,
    #[error("the artifact is not text: a NUL byte is at offset {offset}")]
    Nul { offset: usize },
}

impl AnswerError {
    /// The stable word for a step error.
    pub const fn kind(&self) -> &'static str {
        match self {
            AnswerError::EmptyArtifact => "empty_artifact",
            AnswerError::Missing
            | AnswerError::NotUtf8 { .. }
            | AnswerError::Json { .. }
            | AnswerError::Refused { .. }
            | AnswerError::Nul { .. } => "invalid_answer",
        }
    }

    pub(crate) fn refused(path: impl Into<String>, problem: impl Into<String>) -> AnswerError {
        AnswerError::Refused {
            path: path.into(),
            problem: problem.into(),
        }
    }
}

/// Reads a JSON answer: the response file if something was written there, else standard output as a whole, else its last
/// fenced `json` block. A response that is there but wrong is an error; it is never papered over with standard output.
pub fn read_json_answer<T: DeserializeOwned>(response: Option<&[u8]>, stdout: &[u8]) -> Result<T, AnswerError> {
    if let Some(text) = response.map(|bytes| utf8(Place::Response, bytes)).transpose()?
        && !is_blank(text)
    {
        return parse(Place::Response, text);
    }
    let text = utf8(Place::Stdout, stdout)?;
    if is_blank(text) {
        return Err(AnswerError::Missing);
    }
    parse(Place::Stdout, text).or_else(|whole| match last_json_block(text) {
        Some(block) => parse(Place::StdoutBlock, block),
        None => Err(whole),
    })
}

fn utf8(place: Place, bytes: &[u8]) -> Result<&str, AnswerError> {
    let text = std::str::from_utf8(bytes).map_err(|error| AnswerError::NotUtf8 {
        place,
        offset: error.valid_up_to(),
    })?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

fn parse<T: DeserializeOwned>(place: Place, text: &str) -> Result<T, AnswerError> {
    // Two readers may disagree about which of two equal keys counts, so the shape is tested before the content.
    at_path::<Unique>(place, text)?;
    at_path(place, text)
}

fn at_path<T: DeserializeOwned>(place: Place, text: &str) -> Result<T, AnswerError> {
    let error = |path: String, problem: &serde_json::Error| AnswerError::Json {
        place,
        path: if matches!(path.as_str(), "." | "?") {
            "top level".to_owned()
        } else {
            clip(&path, MESSAGE_CHARS_MAX)
        },
        problem: clip(&problem.to_string(), MESSAGE_CHARS_MAX),
    };
    let mut json = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut json).map_err(|e| error(e.path().to_string(), e.inner()))?;
    json.end().map_err(|e| error(".".to_owned(), &e))?;
    Ok(value)
}

/// Any JSON in which no object names a key twice. Depth is bounded by `serde_json` (128).
pub(crate) struct Unique;

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Unique, D::Error> {
        deserializer.deserialize_any(Unique)
    }
}

impl<'de> Visitor<'de> for Unique {
    type Value = Unique;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Unique, A::Error> {
        let mut seen = HashSet::new();
        while let Some(key) = map.next_key::<String>()? {
            map.next_value::<Unique>()?;
            if let Some(twice) = seen.replace(key) {
                return Err(A::Error::custom(format_args!("duplicate field `{twice}`")));
            }
        }
        Ok(Unique)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Unique, A::Error> {
        while seq.next_element::<Unique>()?.is_some() {}
        Ok(Unique)
    }

    fn visit_str<E>(self, _: &str) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_unit<E>(self) -> Result<Unique, E> {
        Ok(Unique)
    }
}

/// PLAN's steps, trimmed: as many as the limits say, none blank.
pub fn plan(answer: PlanAnswer, limits: &Limits) -> Result<Vec<String>, AnswerError> {
    let (min, max) = (limits.plan_steps_min, limits.plan_steps_max);
    let count = answer.plan.len();
    if u32::try_from(count).is_ok_and(|count| (min..=max).contains(&count)) {
        let steps = answer.plan.into_iter().enumerate();
        steps
            .map(|(at, step)| stated(format_args!("plan[{at}]"), &step).map(str::to_owned))
            .collect()
    } else {
        Err(AnswerError::refused(
            "plan",
            format!("has {count} steps, asked were {min} to {max}"),
        ))
    }
}

/// PREPARE's checks. What an agent says about its own controls is dropped: every check starts untried.
pub fn prepared(answer: PrepareAnswer, asked: &[CriterionId]) -> Result<Vec<PreparedCheck>, AnswerError> {
    let count = answer.checks.len();
    if count > PREPARED_CHECKS_MAX {
        let problem = format!("has {count} checks, at most {PREPARED_CHECKS_MAX} are allowed");
        return Err(AnswerError::refused("checks", problem));
    }
    let read = |(at, check): (usize, PreparedCheck)| {
        let path = |field: &str| format!("checks[{at}].{field}");
        if !asked.contains(&check.rule_id) {
            return Err(AnswerError::refused(path("rule_id"), not_asked(&check.rule_id)));
        }
        match runnable(&check.check.kind) {
            Ok(()) => Ok(PreparedCheck {
                control: Control::Untried,
                ..check
            }),
            Err((field, problem)) => Err(AnswerError::refused(path(field), problem)),
        }
    };
    answer.checks.into_iter().enumerate().map(read).collect()
}

/// Whether a check could ever be run; else the field that prevents it, and why.
pub fn runnable(kind: &CheckKind) -> Result<(), (&'static str, String)> {
    match kind {
        CheckKind::Executable { command, expected } => {
            let program = match command {
                CommandLine::Argv(argv) => argv.first().map_or("", String::as_str),
                CommandLine::Shell(line) => line,
            };
            if is_blank(program) {
                return Err(("command", "is empty".to_owned()));
            }
            match &expected.stdout_matches {
                Some(pattern) => pattern::compile(pattern)
                    .map(drop)
                    .map_err(|e| ("expected.stdout_matches", e)),
                None => Ok(()),
            }
        }
        CheckKind::Content { search, expected } => {
            if expected.min.max(expected.max.unwrap_or(0)) > COUNT_MAX {
                return Err(("expected", format!("asks for more than {COUNT_MAX} matches")));
            }
            match search {
                Search::Literal { literal: text } | Search::Regex(text) if text.is_empty() => {
                    Err(("search", "is empty".to_owned()))
                }
                Search::Literal { .. } => Ok(()),
                Search::Regex(pattern) => pattern::compile(pattern).map(drop).map_err(|e| ("search", e)),
            }
        }
        CheckKind::Pattern(_)
        | CheckKind::Schema(_)
        | CheckKind::Tests(_)
        | CheckKind::Lint(_)
        | CheckKind::Coverage(_)
        | CheckKind::Metric(_)
        | CheckKind::Marker(_)
        | CheckKind::Artifact(_)
        | CheckKind::Diff(_)
        | CheckKind::Openapi(_)
        | CheckKind::Links(_)
        | CheckKind::Intent(_)
        | CheckKind::Expr(_)
        | CheckKind::Human(_) => Err((
            "type",
            "may be `executable` or `content`; other kinds belong to contracts".to_owned(),
        )),
    }
}

/// CRITIQUE's issues: one to `issues_max`, each about another failing criterion, each saying what to do.
pub fn critique(answer: CritiqueAnswer, failing: &[CriterionId], issues_max: u32) -> Result<Vec<Issue>, AnswerError> {
    let count = answer.issues.len();
    if !u32::try_from(count).is_ok_and(|count| (1..=issues_max).contains(&count)) {
        let problem = format!("has {count} issues, asked were 1 to {issues_max}");
        return Err(AnswerError::refused("issues", problem));
    }
    let mut seen = HashSet::new();
    for (at, issue) in answer.issues.iter().enumerate() {
        let refuse = |problem: String| Err(AnswerError::refused(format!("issues[{at}].rule_id"), problem));
        if !failing.contains(&issue.rule_id) {
            return refuse(format!("`{}` is not a failing criterion", issue.rule_id));
        }
        if !seen.insert(&issue.rule_id) {
            return refuse(format!("`{}` has an issue already", issue.rule_id));
        }
        stated(format_args!("issues[{at}].problem"), &issue.problem)?;
        stated(format_args!("issues[{at}].fix_instruction"), &issue.fix_instruction)?;
    }
    Ok(answer.issues)
}

pub(crate) fn not_asked(id: &CriterionId) -> String {
    format!("`{id}` is not a criterion that was asked about")
}

fn stated<'a>(path: fmt::Arguments<'_>, text: &'a str) -> Result<&'a str, AnswerError> {
    if is_blank(text) {
        Err(AnswerError::refused(path.to_string(), "is blank"))
    } else {
        Ok(text.trim())
    }
}

#[cfg(test)]
mod tests {
    use onus_model::EvaluateAnswer;

    use super::*;

    fn ids(names: &[&str]) -> Vec<CriterionId> {
        names.iter().map(|n| CriterionId::new(*n).unwrap()).collect()
    }

    fn limits() -> Limits {
        Limits {
            max_iterations: 4,
            max_completed_step_seconds: None,
            step_attempts_max: 2,
            plan_steps_min: 3,
            plan_steps_max: 5,
            critique_issues_max: 5,
            agent_timeout_seconds: 1,
            check_timeout_seconds: 1,
            output_bytes_max: 1,
            artifact_bytes_max: 1,
        }
    }

    fn read_plan(response: Option<&[u8]>, stdout: &[u8]) -> Result<Vec<String>, String> {
        read_json_answer::<PlanAnswer>(response, stdout)
            .map(|answer| answer.plan)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn an_answer_is_taken_from_the_first_place_that_has_one() {
        let good = |text: &str| Ok(vec![text.to_owned()]);
        for (response, stdout, expected) in [
            (Some(r#"{"plan":["r"]}"#), r#"{"plan":["s"]}"#, good("r")),
            (Some(" \n"), r#"{"plan":["s"]}"#, good("s")),
            (None, "\u{feff}{\"plan\":[\"s\"]}\n", good("s")),
            (
                None,
                "Here:\n```json\n{\"plan\":[\"old\"]}\n```\nor\n```json\n{\"plan\":[\"b\"]}\n```\nDone.",
                good("b"),
            ),
            (None, "```json\n{\"plan\":[\"```json\"]}\n```", good("```json")),
            (
                None,
                "",
                Err("no answer: the `ONUS_RESPONSE` file is absent or blank, and so is standard output"),
            ),
            (
                Some("{"),
                r#"{"plan":["s"]}"#,
                Err(
                    "the `ONUS_RESPONSE` file is not the JSON asked for: top level: EOF while parsing an object at line 1 column 1",
                ),
            ),
        ] {
            let expected = expected.map_err(str::to_owned);
            assert_eq!(
                read_plan(response.map(str::as_bytes), stdout.as_bytes()),
                expected,
                "{stdout}"
            );
        }
    }

    #[test]
    fn a_bad_answer_is_refused_with_its_place() {
        for (stdout, error) in [
            (
                &br#"{"plan":["a","b",3]}"#[..],
                "standard output is not the JSON asked for: plan[2]: invalid type: integer `3`, expected a string at line 1 column 18",
            ),
            (
                br#"{"plan":["a"],"plan":["b"]}"#,
                "standard output is not the JSON asked for: top level: duplicate field `plan` at line 1 column 27",
            ),
            (
                br#"{"plan":["a"],"x":{"k":1,"k":2}}"#,
                "standard output is not the JSON asked for: x: duplicate field `k` at line 1 column 31",
            ),
            (
                br#"{"plan":["a""#,
                "standard output is not the JSON asked for: plan: EOF while parsing a list at line 1 column 12",
            ),
            (
                br#"{"plan":["a"]} Done."#,
                "standard output is not the JSON asked for: top level: trailing characters at line 1 column 16",
            ),
            (
                b"ok\n```json\n{\"plan\":1}\n```",
                "the last `json` block of standard output is not the JSON asked for: plan: invalid type: integer `1`, expected a sequence at line 1 column 9",
            ),
            (
                b"\x89PNG\r\n\x1a\n\0",
                "standard output is not UTF-8: the first bad byte is at offset 0",
            ),
            (
                b"{\"plan\":[\"\xff\"]}",
                "standard output is not UTF-8: the first bad byte is at offset 10",
            ),
            (
                b"I am done.",
                "standard output is not the JSON asked for: top level: expected value at line 1 column 1",
            ),
        ] {
            assert_eq!(read_plan(None, stdout), Err(error.to_owned()));
        }
    }

    #[test]
    fn bombs_end_in_a_short_message() {
        let deep = format!("{{\"plan\":[],\"x\":{}{}}}", "[".repeat(1 << 20), "]".repeat(1 << 20));
        let error = read_plan(None, deep.as_bytes()).unwrap_err();
        assert!(
            error.contains("recursion limit exceeded") && error.chars().count() < 800,
            "{error}"
        );

        let long_word = format!("{{\"plan\":\"{}\"}}", "x".repeat(10 << 20));
        assert!(read_plan(None, long_word.as_bytes()).unwrap_err().len() < 800);

        let id = "x".repeat(10 << 20);
        let long_id = format!("{{\"rule_results\":[{{\"id\":\"{id}\",\"verdict\":\"pass\"}}]}}");
        assert!(
            read_json_answer::<EvaluateAnswer>(None, long_id.as_bytes())
                .unwrap_err()
                .to_string()
                .len()
                < 800
        );
    }

    #[test]
    fn scores_an_evaluator_adds_are_ignored() {
        let answer = br#"{"score":1.0,"passed":true,"rule_results":[{"id":"a.x","verdict":"fail"}]}"#;
        let answer: EvaluateAnswer = read_json_answer(Some(answer), b"").unwrap();
        assert_eq!(answer.rule_results.len(), 1);
    }

    #[test]
    fn plans_keep_to_their_limits() {
        let check = |steps: &[&str]| {
            let answer = PlanAnswer {
                plan: steps.iter().map(|s| (*s).to_owned()).collect(),
            };
            plan(answer, &limits()).map_err(|e| e.to_string())
        };
        assert_eq!(check(&[" a ", "b", "c"]).unwrap(), ["a", "b", "c"]);
        for (steps, error) in [
            (
                &["a", "b"][..],
                "the answer is refused: plan: has 2 steps, asked were 3 to 5",
            ),
            (&["a"; 6], "the answer is refused: plan: has 6 steps, asked were 3 to 5"),
            (&["a", " \n", "c"], "the answer is refused: plan[1]: is blank"),
        ] {
            assert_eq!(check(steps).unwrap_err(), error);
        }
    }

    #[test]
    fn prepared_checks_are_about_what_was_asked_and_can_run() {
        let check = |json: serde_json::Value| {
            let answer = serde_json::from_value(serde_json::json!({ "checks": [json] })).unwrap();
            prepared(answer, &ids(&["a.x"])).map_err(|e| e.to_string())
        };
        let good = serde_json::json!({"rule_id": "a.x", "type": "content", "search": "^# ", "control": {"result": "fails_on_empty"}});
        assert_eq!(check(good).unwrap()[0].control, Control::Untried);
        for (json, error) in [
            (
                serde_json::json!({"rule_id": "a.y", "type": "content", "search": "x"}),
                "checks[0].rule_id: `a.y` is not a criterion that was asked about",
            ),
            (
                serde_json::json!({"rule_id": "a.x", "type": "executable", "command": []}),
                "checks[0].command: is empty",
            ),
            (
                serde_json::json!({"rule_id": "a.x", "type": "executable", "command": ["", "x"]}),
                "checks[0].command: is empty",
            ),
            (
                serde_json::json!({"rule_id": "a.x", "type": "executable", "command": " \n"}),
                "checks[0].command: is empty",
            ),
            (
                serde_json::json!({"rule_id": "a.x", "type": "executable", "command": "x", "expected": {"stdout_matches": "("}}),
                "checks[0].expected.stdout_matches: is not a regular expression: unclosed group",
            ),
            (
                serde_json::json!({"rule_id": "a.x", "type": "content", "search": ""}),
                "checks[0].search: is empty",
            ),
            (
                serde_json::json!({"rule_id": "a.x", "type": "content", "search": {"literal": ""}}),
                "checks[0].search: is empty",
            ),
            (
                serde_json::json!({"rule_id": "a.x", "type": "content", "search": "(\\w{100}){100}"}),
                "checks[0].search: compiles to more than 2097152 bytes",
            ),
            (
                serde_json::json!({"rule_id": "a.x", "type": "content", "search": "a".repeat(5000)}),
                "checks[0].search: is longer than 4096 bytes",
            ),
            (
                serde_json::json!({"rule_id": "a.x", "type": "content", "search": "(".repeat(2000) + &")".repeat(2000)}),
                "checks[0].search: is not a regular expression: exceed the maximum number of nested parentheses/brackets (250)",
            ),
            (
                serde_json::json!({"rule_id": "a.x", "type": "content", "search": "x", "expected": {"min": 1001}}),
                "checks[0].expected: asks for more than 1000 matches",
            ),
        ] {
            assert_eq!(check(json).unwrap_err(), format!("the answer is refused: {error}"));
        }
        let one = serde_json::json!({"rule_id": "a.x", "type": "content", "search": "x"});
        let many = serde_json::from_value(serde_json::json!({ "checks": vec![one; 201] })).unwrap();
        assert!(prepared(many, &ids(&["a.x"])).is_err());
    }

    #[test]
    fn a_critique_names_each_failing_criterion_at_most_once() {
        let check = |issues: &[(&str, &str)]| {
            let issue = |(id, fix): &(&str, &str)| Issue {
                rule_id: CriterionId::new(*id).unwrap(),
                problem: "missing".to_owned(),
                fix_instruction: (*fix).to_owned(),
                expected_effect: String::new(),
            };
            let answer = CritiqueAnswer {
                issues: issues.iter().map(issue).collect(),
            };
            critique(answer, &ids(&["a.x", "a.y", "a.z"]), 2).map_err(|e| e.to_string())
        };
        assert_eq!(check(&[("a.x", "add it"), ("a.y", "add it")]).unwrap().len(), 2);
        for (issues, error) in [
            (&[][..], "issues: has 0 issues, asked were 1 to 2"),
            (
                &[("a.x", "f"), ("a.y", "f"), ("a.z", "f")],
                "issues: has 3 issues, asked were 1 to 2",
            ),
            (&[("b.x", "f")], "issues[0].rule_id: `b.x` is not a failing criterion"),
            (
                &[("a.x", "f"), ("a.x", "g")],
                "issues[1].rule_id: `a.x` has an issue already",
            ),
            (&[("a.x", " ")], "issues[0].fix_instruction: is blank"),
        ] {
            assert_eq!(check(issues).unwrap_err(), format!("the answer is refused: {error}"));
        }
    }
}
