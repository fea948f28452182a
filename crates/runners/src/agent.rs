//! What an agent is asked, what it gives back, and which kinds there are.
//!
//! Nothing here reads an answer: whether it is a plan, an artifact or nonsense is for the engine to find out.

use std::{error::Error, fmt, io, path::PathBuf, time::Duration};

use onus_model::{Alias, LevelName, Role, RunId, Step};
use tokio_util::sync::CancellationToken;

use crate::{Captured, CommandAgent, Script, SpawnError};

/// One call of one agent.
#[derive(Debug, Clone)]
pub struct AgentRequest {
    pub role: Role,
    pub step: Step,
    pub run_id: RunId,
    pub alias: Alias,
    /// Which iteration, if the agent is told. A program that plays the evaluator never is: it is blind.
    pub iteration: Option<u32>,
    pub level: LevelName,
    /// 1 for the first try.
    pub attempt: u32,
    pub prompt: String,
    /// Everything in the prompt, structured.
    pub input: serde_json::Value,
    /// Where the agent works; an absolute path.
    pub workspace: PathBuf,
    /// An existing, empty directory of this call; an absolute path.
    pub scratch: PathBuf,
    /// `artifact.md`.
    pub artifact_name: String,
    /// The artifact is the files of the workspace; there is no file to lay out or to take back.
    pub tree: bool,
    /// What the artifact is before the call.
    pub base_artifact: Option<Vec<u8>>,
    /// Whether the artifact is this agent's to write. If not, it is not read back either.
    pub artifact_writable: bool,
    pub timeout: Duration,
    pub output_bytes_max: u64,
    pub artifact_bytes_max: u64,
}

/// What an agent that ended well left behind. Whether it is an answer is another question.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AgentReply {
    pub stdout: Captured,
    pub stderr: Captured,
    /// What it wrote to `ONUS_RESPONSE`, if anything.
    pub response: Option<Vec<u8>>,
    /// The artifact, if the agent wrote it, with other bytes or the same.
    pub artifact: Option<Vec<u8>>,
    pub elapsed: Duration,
}

/// An agent that did not answer.
#[derive(Debug)]
pub struct AgentFailure {
    /// The program, or `scripted`.
    pub agent: String,
    pub cause: FailureCause,
    pub stdout: Captured,
    pub stderr: Captured,
    pub elapsed: Duration,
}

#[derive(Debug)]
pub enum FailureCause {
    Spawn(SpawnError),
    Exit {
        code: i32,
    },
    Signal {
        signal: i32,
    },
    Timeout {
        limit: Duration,
    },
    Cancelled,
    OutputLimit {
        bytes_max: u64,
    },
    /// A link, a pipe, a directory: something that must not be read, under a name where the agent may write.
    NotAFile {
        name: String,
    },
    TooLarge {
        name: String,
        bytes_max: u64,
    },
    Io {
        attempt: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    /// A script says that the agent fails here, or says nothing.
    Scripted {
        message: String,
    },
}

impl AgentFailure {
    /// The stable word of `StepError::kind`.
    pub fn kind(&self) -> &'static str {
        match &self.cause {
            FailureCause::Spawn(_) => "spawn",
            FailureCause::Exit { .. } | FailureCause::Scripted { .. } => "exit",
            FailureCause::Signal { .. } => "signal",
            FailureCause::Timeout { .. } => "timeout",
            FailureCause::Cancelled => "cancelled",
            FailureCause::OutputLimit { .. } | FailureCause::TooLarge { .. } => "output_limit",
            FailureCause::NotAFile { .. } => "invalid_answer",
            FailureCause::Io { .. } => "io",
        }
    }

    /// The end of what the agent said: its complaints, else its output.
    pub fn tail(&self, bytes_max: usize) -> String {
        let said = if self.stderr.bytes.is_empty() {
            &self.stdout
        } else {
            &self.stderr
        };
        said.tail(bytes_max)
    }
}

impl fmt::Display for AgentFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let agent = &self.agent;
        match &self.cause {
            FailureCause::Spawn(error) => write!(f, "cannot start agent `{agent}`: {error}"),
            FailureCause::Exit { code } => write!(f, "agent `{agent}` exited with code {code}"),
            FailureCause::Signal { signal } => write!(f, "agent `{agent}` was killed by signal {signal}"),
            FailureCause::Timeout { limit } => write!(f, "agent `{agent}` did not end within {limit:?}"),
            FailureCause::Cancelled => write!(f, "agent `{agent}` was cancelled"),
            FailureCause::OutputLimit { bytes_max } => {
                write!(f, "agent `{agent}` wrote more than {bytes_max} bytes to stdout")
            }
            FailureCause::NotAFile { name } => write!(f, "agent `{agent}` left no regular file at `{name}`"),
            FailureCause::TooLarge { name, bytes_max } => {
                write!(f, "agent `{agent}` wrote more than {bytes_max} bytes to `{name}`")
            }
            FailureCause::Io { attempt, path, .. } => {
                write!(f, "cannot {attempt} `{}` for agent `{agent}`", path.display())
            }
            FailureCause::Scripted { message } => write!(f, "agent `{agent}`: {message}"),
        }
    }
}

impl Error for AgentFailure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.cause {
            // Its own words are part of the message, so that the reason stands in the ledger.
            FailureCause::Spawn(error) => error.source(),
            FailureCause::Io { source, .. } => Some(source),
            FailureCause::Exit { .. }
            | FailureCause::Signal { .. }
            | FailureCause::Timeout { .. }
            | FailureCause::Cancelled
            | FailureCause::OutputLimit { .. }
            | FailureCause::NotAFile { .. }
            | FailureCause::TooLarge { .. }
            | FailureCause::Scripted { .. } => None,
        }
    }
}

/// Somebody who plays a role.
#[derive(Debug, Clone)]
pub enum Agent {
    Command(CommandAgent),
    Scripted(Script),
}

impl Agent {
    pub async fn call(&self, request: &AgentRequest, cancel: &CancellationToken) -> Result<AgentReply, AgentFailure> {
        match self {
            Agent::Command(agent) => agent.call(request, cancel).await,
            Agent::Scripted(script) => script.call(request, cancel).await,
        }
    }
}

#[cfg(test)]
pub(crate) mod fixture {
    use std::path::Path;

    use super::*;

    /// The first call of the producer, working in `dir`, with a scratch directory beside it.
    pub(crate) fn request(dir: &Path) -> AgentRequest {
        let (workspace, scratch) = (dir.join("workspace"), dir.join("scratch"));
        for dir in [&workspace, &scratch] {
            std::fs::create_dir_all(dir).unwrap();
        }
        AgentRequest {
            role: Role::Producer,
            step: Step::Produce,
            run_id: RunId::new("courses-20260218-120000").unwrap(),
            alias: Alias::new("courses").unwrap(),
            iteration: Some(1),
            level: LevelName::new("A").unwrap(),
            attempt: 1,
            prompt: "write it".to_owned(),
            input: serde_json::json!({"task": "write it"}),
            workspace,
            scratch,
            artifact_name: "artifact.md".to_owned(),
            tree: false,
            base_artifact: None,
            artifact_writable: true,
            timeout: Duration::from_secs(5),
            output_bytes_max: 1 << 20,
            artifact_bytes_max: 1 << 20,
        }
    }
}
