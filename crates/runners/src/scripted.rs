//! Answers from a file: deterministic agents for tests and demonstrations, which can also misbehave on purpose.
//!
//! A script remembers nothing between calls; each answer follows from the request alone, so a run that is resumed in
//! another process gets the same ones.

use std::{
    collections::BTreeMap,
    io,
    num::NonZeroU32,
    path::{Component, Path},
    time::Duration,
};

use onus_model::{CriterionId, EvaluateAnswer, LevelName, Role, RuleResult, TreePath, VerdictKind};
use serde::Deserialize;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::{
    AgentFailure, AgentReply, AgentRequest, Captured, FailureCause,
    files::{self, ReadError},
};

/// Scripts are written by hand; what is larger was named by mistake.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// What an agent says that did nothing.
const CLAIM: &str = "Done. All checks pass.";

/// Stands in no UTF-8 text.
const NOT_UTF8: [u8; 2] = [0xff, 0xfe];

/// The answers of one or more roles.
#[derive(Debug, Clone)]
pub struct Script {
    answers: Vec<Answer>,
    files: Vec<ScriptFile>,
}

/// A file that a script names, as it was when the script was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptFile {
    /// Relative to the script's directory.
    pub name: String,
    pub bytes: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScriptFormat {
    Toml,
    Json,
}

impl ScriptFormat {
    /// JSON if the name says so, else TOML.
    pub fn of(path: &Path) -> ScriptFormat {
        let is_json = path
            .extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
        if is_json {
            ScriptFormat::Json
        } else {
            ScriptFormat::Toml
        }
    }
}

/// What is wrong with a script.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    #[error("{line}:{column}: {message}")]
    Text {
        line: usize,
        column: usize,
        message: String,
    },
    #[error("answer {answer}: `{name}` must be a file inside the script's directory")]
    Outside { answer: usize, name: String },
    #[error("answer {answer}: file `{name}` is larger than {FILE_BYTES_MAX} bytes")]
    TooLarge { answer: usize, name: String },
    #[error("answer {answer}: cannot read file `{name}`")]
    Io {
        answer: usize,
        name: String,
        source: io::Error,
    },
}

/// One answer: whom it is for, and what it is.
#[derive(Debug, Clone)]
struct Answer {
    role: Role,
    iteration: Option<NonZeroU32>,
    level: Option<LevelName>,
    attempt: Option<NonZeroU32>,
    /// The criterion asked about, if it is the only one.
    about: Option<CriterionId>,
    /// Words of the prompt.
    contains: Option<String>,
    delay: Duration,
    act: Act,
}

#[derive(Debug, Clone)]
enum Act {
    Say(Body),
    /// Half of it, then bytes that are no text.
    Garble(Body),
    Fail(String),
    Hang,
    /// Claims success and does nothing.
    Lie,
    /// The artifact as it was, or the answer before this one.
    Repeat,
}

#[derive(Debug, Clone)]
enum Body {
    Text(Vec<u8>),
    Json(Vec<u8>),
    /// Files of the workspace.
    Tree(Edit),
}

/// What is done to the files of the workspace.
#[derive(Debug, Clone)]
struct Edit {
    write: BTreeMap<TreePath, String>,
    remove: Vec<TreePath>,
}

/// A script as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptForm {
    answer: Vec<CheckedForm>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerForm {
    role: Role,
    iteration: Option<NonZeroU32>,
    level: Option<LevelName>,
    attempt: Option<NonZeroU32>,
    text: Option<String>,
    file: Option<String>,
    json: Option<serde_json::Value>,
    write: Option<BTreeMap<TreePath, String>>,
    #[serde(default)]
    remove: Vec<TreePath>,
    about: Option<CriterionId>,
    contains: Option<String>,
    fault: Option<Fault>,
    message: Option<String>,
    #[serde(default)]
    delay_ms: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Fault {
    Fail,
    Hang,
    Lie,
    Garble,
    Repeat,
}

/// An answer whose keys go together. Checked while it is read, because the reader knows the line.
#[derive(Deserialize)]
#[serde(try_from = "AnswerForm")]
struct CheckedForm(AnswerForm);

impl TryFrom<AnswerForm> for CheckedForm {
    type Error = &'static str;

    fn try_from(form: AnswerForm) -> Result<CheckedForm, &'static str> {
        let edits = form.write.is_some() || !form.remove.is_empty();
        let given = [form.text.is_some(), form.file.is_some(), form.json.is_some(), edits];
        let bodies = given.into_iter().filter(|given| *given).count();
        if edits && !produces(form.role) {
            return Err("`write` and `remove` are for a producer or a refiner");
        }
        match (form.fault, bodies) {
            _ if form.message.is_some() && form.fault != Some(Fault::Fail) => {
                Err("`message` goes with `fault = \"fail\"` only")
            }
            (None | Some(Fault::Garble), 1) => Ok(CheckedForm(form)),
            (None | Some(Fault::Garble), 0) => Err("an answer needs `text`, `file`, `json` or `write`"),
            (None | Some(Fault::Garble), _) => Err("an answer has only one of `text`, `file`, `json` and `write`"),
            (Some(Fault::Fail | Fault::Hang | Fault::Lie | Fault::Repeat), 0) => Ok(CheckedForm(form)),
            (Some(Fault::Fail | Fault::Hang | Fault::Lie | Fault::Repeat), _) => {
                Err("`text`, `file`, `json` and `write` go with no fault but `garble`")
            }
        }
    }
}

impl Script {
    /// Reads a script and the files it names, which must be inside `dir`.
    pub fn parse(text: &str, dir: &Path, format: ScriptFormat) -> Result<Script, ScriptError> {
        let form: ScriptForm = match format {
            ScriptFormat::Toml => toml::from_str(text).map_err(|error| toml_error(text, &error))?,
            ScriptFormat::Json => serde_json::from_str(text).map_err(|error| json_error(&error))?,
        };
        let mut script = Script {
            answers: Vec::new(),
            files: Vec::new(),
        };
        for (index, CheckedForm(form)) in form.answer.into_iter().enumerate() {
            let answer = script.answer(form, index + 1, dir)?;
            script.answers.push(answer);
        }
        Ok(script)
    }

    /// The files the script names, each once, in order of mention.
    pub fn files(&self) -> &[ScriptFile] {
        &self.files
    }

    fn answer(&mut self, form: AnswerForm, number: usize, dir: &Path) -> Result<Answer, ScriptError> {
        let AnswerForm {
            role,
            iteration,
            level,
            attempt,
            text,
            file,
            json,
            write,
            remove,
            about,
            contains,
            fault,
            message,
            delay_ms,
        } = form;
        let body = match (text, file, json) {
            (_, Some(name), _) => Body::Text(self.file(name, number, dir)?),
            (_, _, Some(json)) => Body::Json(json.to_string().into_bytes()),
            (None, None, None) if write.is_some() || !remove.is_empty() => Body::Tree(Edit {
                write: write.unwrap_or_default(),
                remove,
            }),
            (text, None, None) => Body::Text(text.unwrap_or_default().into_bytes()),
        };
        let act = match fault {
            None => Act::Say(body),
            Some(Fault::Garble) => Act::Garble(body),
            Some(Fault::Fail) => Act::Fail(message.unwrap_or_else(|| "failed as its script says".to_owned())),
            Some(Fault::Hang) => Act::Hang,
            Some(Fault::Lie) => Act::Lie,
            Some(Fault::Repeat) => Act::Repeat,
        };
        Ok(Answer {
            role,
            iteration,
            level,
            attempt,
            about,
            contains,
            delay: Duration::from_millis(delay_ms),
            act,
        })
    }

    fn file(&mut self, name: String, answer: usize, dir: &Path) -> Result<Vec<u8>, ScriptError> {
        if let Some(known) = self.files.iter().find(|file| file.name == name) {
            return Ok(known.bytes.clone());
        }
        let bytes = read_inside(&name, answer, dir)?;
        self.files.push(ScriptFile {
            name,
            bytes: bytes.clone(),
        });
        Ok(bytes)
    }

    pub async fn call(&self, request: &AgentRequest, cancel: &CancellationToken) -> Result<AgentReply, AgentFailure> {
        let started = Instant::now();
        let failure = |cause| AgentFailure {
            agent: "scripted".to_owned(),
            cause,
            stdout: Captured::default(),
            stderr: Captured::default(),
            elapsed: started.elapsed(),
        };
        let answer = self.find(request).map_err(failure)?;
        let pause = match answer.act {
            Act::Hang => Duration::MAX,
            Act::Say(_) | Act::Garble(_) | Act::Fail(_) | Act::Lie | Act::Repeat => answer.delay,
        };
        wait(pause, request.timeout, cancel).await.map_err(failure)?;
        let reply = answer.act(request).map_err(failure)?;
        Ok(AgentReply {
            elapsed: started.elapsed(),
            ..reply
        })
    }

    /// The answer to a request. A repeat of something that is not an artifact is the answer it repeats.
    fn find(&self, request: &AgentRequest) -> Result<&Answer, FailureCause> {
        let mut moment = Moment::of(request);
        loop {
            let answer = self.best(moment, request)?;
            match answer.act {
                Act::Repeat if !produces(moment.role) => moment = moment.before()?,
                Act::Say(_) | Act::Garble(_) | Act::Fail(_) | Act::Hang | Act::Lie | Act::Repeat => return Ok(answer),
            }
        }
    }

    /// Of the answers that match, the one with the most matchers; of several, the last.
    fn best(&self, moment: Moment<'_>, request: &AgentRequest) -> Result<&Answer, FailureCause> {
        let matching = self
            .answers
            .iter()
            .filter(|answer| answer.matches(moment) && answer.fits(request));
        matching.max_by_key(|answer| answer.matchers()).ok_or_else(|| {
            let Moment {
                role,
                iteration,
                level,
                attempt,
            } = moment;
            let iteration = iteration.map_or_else(|| "unknown".to_owned(), |iteration| iteration.to_string());
            scripted(format!(
                "script has no answer for {role}, iteration {iteration}, level {level}, attempt {attempt}"
            ))
        })
    }
}

/// What an answer can be matched with.
#[derive(Clone, Copy)]
struct Moment<'a> {
    role: Role,
    iteration: Option<u32>,
    level: &'a LevelName,
    attempt: u32,
}

impl<'a> Moment<'a> {
    const fn of(request: &'a AgentRequest) -> Moment<'a> {
        Moment {
            role: request.role,
            iteration: request.iteration,
            level: &request.level,
            attempt: request.attempt,
        }
    }

    /// The first try, one iteration earlier.
    fn before(self) -> Result<Moment<'a>, FailureCause> {
        match self.iteration {
            Some(iteration @ 2..) => Ok(Moment {
                iteration: Some(iteration - 1),
                attempt: 1,
                ..self
            }),
            Some(_) | None => Err(scripted("there is no earlier answer to repeat".to_owned())),
        }
    }
}

impl Answer {
    fn matches(&self, moment: Moment<'_>) -> bool {
        self.role == moment.role
            && self
                .iteration
                .is_none_or(|iteration| Some(iteration.get()) == moment.iteration)
            && self.level.as_ref().is_none_or(|level| level == moment.level)
            && self.attempt.is_none_or(|attempt| attempt.get() == moment.attempt)
    }

    /// Whether the words of the request are the ones it waits for.
    fn fits(&self, request: &AgentRequest) -> bool {
        let asked = request.input["rules"].as_array().map_or(&[][..], Vec::as_slice);
        let about = |id: &CriterionId| matches!(asked, [only] if only["id"].as_str() == Some(id.as_str()));
        self.about.as_ref().is_none_or(about)
            && self
                .contains
                .as_ref()
                .is_none_or(|words| request.prompt.contains(words))
    }

    fn matchers(&self) -> usize {
        let given = [
            self.iteration.is_some(),
            self.level.is_some(),
            self.attempt.is_some(),
            self.about.is_some(),
            self.contains.is_some(),
        ];
        given.into_iter().filter(|given| *given).count()
    }

    fn act(&self, request: &AgentRequest) -> Result<AgentReply, FailureCause> {
        match &self.act {
            Act::Say(body) => deliver(body.clone(), request),
            Act::Garble(Body::Text(bytes)) => deliver(Body::Text(garbled(bytes)), request),
            Act::Garble(Body::Json(bytes)) => deliver(Body::Json(garbled(bytes)), request),
            // Every file half written.
            Act::Garble(Body::Tree(edit)) => {
                let half = |text: &String| text[..text.floor_char_boundary(text.len() / 2)].to_owned();
                let write = edit.write.iter().map(|(path, text)| (path.clone(), half(text)));
                let edit = Edit {
                    write: write.collect(),
                    remove: edit.remove.clone(),
                };
                deliver(Body::Tree(edit), request)
            }
            Act::Fail(message) => Err(scripted(message.clone())),
            // Its time was up before this.
            Act::Hang => Err(FailureCause::Timeout { limit: request.timeout }),
            Act::Lie => lie(request),
            Act::Repeat if request.tree => Ok(AgentReply::default()),
            Act::Repeat => match &request.base_artifact {
                Some(base) => deliver(Body::Text(base.clone()), request),
                None => Err(scripted("there is no artifact to repeat".to_owned())),
            },
        }
    }
}

/// Waits as long as the answer takes, but not past the request's timeout.
async fn wait(pause: Duration, limit: Duration, cancel: &CancellationToken) -> Result<(), FailureCause> {
    if cancel.is_cancelled() {
        return Err(FailureCause::Cancelled);
    }
    // Even an empty sleep costs a tick of the timer.
    if !pause.is_zero() {
        tokio::select! {
            () = cancel.cancelled() => return Err(FailureCause::Cancelled),
            () = sleep(pause.min(limit)) => {}
        }
    }
    if pause < limit {
        Ok(())
    } else {
        Err(FailureCause::Timeout { limit })
    }
}

const fn produces(role: Role) -> bool {
    match role {
        Role::Producer | Role::Refiner => true,
        Role::Planner | Role::Preparer | Role::Evaluator | Role::Critic => false,
    }
}

/// Puts an answer where a program of this role would: the artifact, `ONUS_RESPONSE` or stdout.
fn deliver(body: Body, request: &AgentRequest) -> Result<AgentReply, FailureCause> {
    let bounded = |bytes: Vec<u8>, name: &str, bytes_max: u64| {
        if bytes.len() as u64 > bytes_max {
            return Err(FailureCause::TooLarge {
                name: name.to_owned(),
                bytes_max,
            });
        }
        Ok(bytes)
    };
    Ok(match body {
        Body::Tree(edit) if request.tree => {
            edit.apply(&request.workspace)?;
            AgentReply::default()
        }
        Body::Tree(_) => {
            return Err(scripted(
                "its script writes files, but the artifact is one document".to_owned(),
            ));
        }
        // What it says beside the files it left is only talk.
        Body::Text(bytes) | Body::Json(bytes) if request.tree && produces(request.role) => AgentReply {
            stdout: bounded(bytes, "stdout", request.output_bytes_max)?.into(),
            ..AgentReply::default()
        },
        Body::Text(bytes) | Body::Json(bytes) if produces(request.role) => {
            let artifact = bounded(bytes, &request.artifact_name, request.artifact_bytes_max)?;
            AgentReply {
                artifact: Some(artifact),
                ..AgentReply::default()
            }
        }
        Body::Json(bytes) => {
            let response = bounded(bytes, "response.json", request.output_bytes_max)?;
            AgentReply {
                response: Some(response),
                ..AgentReply::default()
            }
        }
        Body::Text(bytes) => {
            let stdout = bounded(bytes, "stdout", request.output_bytes_max)?;
            AgentReply {
                stdout: stdout.into(),
                ..AgentReply::default()
            }
        }
    })
}

impl Edit {
    #[allow(
        clippy::disallowed_methods,
        reason = "it plays an agent, and agents write where they work"
    )]
    fn apply(&self, workspace: &Path) -> Result<(), FailureCause> {
        for (path, text) in &self.write {
            let full = workspace.join(path.as_str());
            let failed = |source| FailureCause::Io {
                attempt: "write",
                path: full.clone(),
                source,
            };
            if let Some(parent) = full.parent() {
                std::fs::create_dir_all(parent).map_err(failed)?;
            }
            std::fs::write(&full, text).map_err(failed)?;
        }
        for path in &self.remove {
            let full = workspace.join(path.as_str());
            match std::fs::remove_file(&full) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(source) => {
                    return Err(FailureCause::Io {
                        attempt: "remove",
                        path: full,
                        source,
                    });
                }
            }
        }
        Ok(())
    }
}

fn garbled(bytes: &[u8]) -> Vec<u8> {
    [&bytes[..bytes.len() / 2], &NOT_UTF8].concat()
}

fn lie(request: &AgentRequest) -> Result<AgentReply, FailureCause> {
    match request.role {
        // On stdout the claim would be taken for the artifact.
        Role::Producer | Role::Refiner => Ok(AgentReply {
            stderr: CLAIM.as_bytes().to_vec().into(),
            ..AgentReply::default()
        }),
        Role::Planner | Role::Preparer | Role::Critic => deliver(Body::Text(CLAIM.as_bytes().to_vec()), request),
        Role::Evaluator => {
            let answer = serde_json::to_vec(&pass_everything(request))
                .map_err(|error| scripted(format!("cannot write its answer: {error}")))?;
            deliver(Body::Json(answer), request)
        }
    }
}

/// Passes every criterion that was asked about, quoting words that the artifact does not hold.
fn pass_everything(request: &AgentRequest) -> EvaluateAnswer {
    let artifact = String::from_utf8_lossy(request.base_artifact.as_deref().unwrap_or_default());
    let mut quote = CLAIM.to_owned();
    // Ends: a quote longer than the artifact cannot stand in it.
    while artifact.contains(&quote) {
        quote.push('!');
    }
    let rules = request.input["rules"].as_array().map_or(&[][..], Vec::as_slice);
    let ids = rules
        .iter()
        .filter_map(|rule| CriterionId::new(rule["id"].as_str()?).ok());
    let pass = |id| RuleResult {
        id,
        verdict: VerdictKind::Pass,
        details: CLAIM.to_owned(),
        quote: Some(quote.clone()),
        anchor: None,
        evidence: Vec::new(),
    };
    EvaluateAnswer {
        rule_results: ids.map(pass).collect(),
    }
}

const fn scripted(message: String) -> FailureCause {
    FailureCause::Scripted { message }
}

fn read_inside(name: &str, answer: usize, dir: &Path) -> Result<Vec<u8>, ScriptError> {
    let outside = || ScriptError::Outside {
        answer,
        name: name.to_owned(),
    };
    let failed = |source| ScriptError::Io {
        answer,
        name: name.to_owned(),
        source,
    };
    let is_plain = Path::new(name)
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    if name.is_empty() || !is_plain {
        return Err(outside());
    }
    let real = dir.join(name).canonicalize().map_err(failed)?;
    let root = dir.canonicalize().map_err(failed)?;
    let inner = real
        .strip_prefix(&root)
        .ok()
        .and_then(Path::to_str)
        .ok_or_else(outside)?;
    let read = || -> Result<Vec<u8>, ReadError> {
        let dir = files::open_dir(&root).map_err(ReadError::Io)?;
        let file = files::read_regular(dir, inner, FILE_BYTES_MAX)?;
        file.map(|file| file.bytes)
            .ok_or_else(|| ReadError::Io(io::ErrorKind::NotFound.into()))
    };
    read().map_err(|error| match error {
        ReadError::NotAFile => outside(),
        ReadError::TooLarge => ScriptError::TooLarge {
            answer,
            name: name.to_owned(),
        },
        ReadError::Io(source) => failed(source),
    })
}

fn toml_error(text: &str, error: &toml::de::Error) -> ScriptError {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    ScriptError::Text {
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
        message: error.message().to_owned(),
    }
}

fn json_error(error: &serde_json::Error) -> ScriptError {
    let (line, column) = (error.line(), error.column());
    let message = error.to_string();
    let place = format!(" at line {line} column {column}");
    ScriptError::Text {
        line,
        column,
        message: message.strip_suffix(&place).unwrap_or(&message).to_owned(),
    }
}

#[cfg(test)]
mod tests;
