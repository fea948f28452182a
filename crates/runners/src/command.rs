//! The command protocol: any program that reads a prompt and leaves bytes can be an agent.
//!
//! The protocol is stable and documented for the people who write such programs; a change here breaks them.

use std::{
    collections::BTreeMap,
    fs::Metadata,
    io,
    os::{fd::OwnedFd, unix::fs::MetadataExt},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use onus_model::Role;
use tokio_util::sync::CancellationToken;

use crate::{
    AgentFailure, AgentReply, AgentRequest, Captured, End, FailureCause, Finished, Spawn, SpawnError,
    files::{self, Access, ReadError, ReadFile},
    find_program, process,
};

const REQUEST: &str = "request.json";
const RESPONSE: &str = "response.json";

/// What an agent may see of the engine's environment: where things are and how to speak, nothing that opens a door.
const ENV_ALLOWED: [&str; 9] = [
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TERM", "TMPDIR", "TZ",
];
const ENV_ALLOWED_PREFIXES: [&str; 2] = ["LC_", "XDG_"];

/// Set by the engine alone, whatever its own environment holds.
const ENV_RESERVED_PREFIX: &str = "ONUS_";

/// Enough for an agent to save what it has; those that do not end within it ignore the signal anyway.
const TERM_GRACE: Duration = Duration::from_secs(2);

/// The age of an artifact that the engine laid out, 2000-01-01. File times tick in milliseconds, so a quick agent could
/// rewrite a new file within the tick in which it was made; an old one shows every write.
const LAID_OUT_AT: Duration = Duration::from_secs(946_684_800);

/// A program that follows the command protocol.
#[derive(Debug, Clone)]
pub struct CommandAgent {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Names of variables it may see beyond the standard ones.
    pub env: Vec<String>,
    pub surroundings: Surroundings,
}

/// Where the engine was started.
#[derive(Debug, Clone)]
pub struct Surroundings {
    pub env: BTreeMap<String, String>,
    /// An absolute path; relative programs are looked up here.
    pub project: PathBuf,
}

impl CommandAgent {
    pub async fn call(&self, request: &AgentRequest, cancel: &CancellationToken) -> Result<AgentReply, AgentFailure> {
        let desk = Desk::lay_out(request).map_err(|cause| self.failure(cause, None))?;
        let spawn = self
            .spawn(request)
            .map_err(|error| self.failure(FailureCause::Spawn(error), None))?;
        let finished = process::run(spawn, cancel)
            .await
            .map_err(|error| self.failure(FailureCause::Spawn(error), None))?;
        match ended(finished.end, request).map_or_else(|| desk.collect(request), Err) {
            Ok((response, artifact)) => {
                let Finished {
                    stdout,
                    stderr,
                    elapsed,
                    ..
                } = finished;
                Ok(AgentReply {
                    stdout,
                    stderr,
                    response,
                    artifact,
                    elapsed,
                })
            }
            Err(cause) => Err(self.failure(cause, Some(finished))),
        }
    }

    fn spawn(&self, request: &AgentRequest) -> Result<Spawn, SpawnError> {
        let (program, args) = self.command.split_first().ok_or(SpawnError::EmptyCommand)?;
        let env = self.environment(request);
        let path = env.get("PATH").map_or("", String::as_str);
        Ok(Spawn {
            program: find_program(program, path, &request.workspace, &self.surroundings.project)?,
            args: args.to_vec(),
            cwd: request.workspace.clone(),
            env,
            // The scratch directory is this call's own, so the path is too.
            marker: Some("ONUS_REQUEST"),
            stdin: request.prompt.clone().into_bytes(),
            timeout: request.timeout,
            grace: TERM_GRACE,
            output_bytes_max: request.output_bytes_max,
        })
    }

    fn environment(&self, request: &AgentRequest) -> BTreeMap<String, String> {
        let is_seen = |name: &str| {
            !name.starts_with(ENV_RESERVED_PREFIX)
                && (ENV_ALLOWED.contains(&name)
                    || ENV_ALLOWED_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
                    || self.env.iter().any(|allowed| allowed == name))
        };
        let inherited = self.surroundings.env.iter().filter(|(name, _)| is_seen(name));
        let mut env: BTreeMap<String, String> = inherited.map(|(name, value)| (name.clone(), value.clone())).collect();

        let file = |name: &str| request.scratch.join(name).display().to_string();
        let told = [
            ("ONUS_ROLE", Some(request.role.to_string())),
            ("ONUS_RUN_ID", Some(request.run_id.to_string())),
            ("ONUS_ALIAS", Some(request.alias.to_string())),
            // An evaluator that knows how long the loop has run grows lenient.
            (
                "ONUS_ITERATION",
                request
                    .iteration
                    .filter(|_| request.role != Role::Evaluator)
                    .map(|i| i.to_string()),
            ),
            ("ONUS_LEVEL", Some(request.level.to_string())),
            ("ONUS_STEP", Some(request.step.to_string())),
            (
                "ONUS_ARTIFACT",
                Some(if request.tree {
                    request.workspace.display().to_string()
                } else {
                    file(&request.artifact_name)
                }),
            ),
            ("ONUS_REQUEST", Some(file(REQUEST))),
            ("ONUS_RESPONSE", Some(file(RESPONSE))),
        ];
        env.extend(
            told.into_iter()
                .filter_map(|(name, value)| Some((name.to_owned(), value?))),
        );
        env
    }

    fn failure(&self, cause: FailureCause, finished: Option<Finished>) -> AgentFailure {
        let (stdout, stderr, elapsed) = match finished {
            Some(finished) => (finished.stdout, finished.stderr, finished.elapsed),
            None => (Captured::default(), Captured::default(), Duration::ZERO),
        };
        let agent = self.command.first().cloned().unwrap_or_default();
        AgentFailure {
            agent,
            cause,
            stdout,
            stderr,
            elapsed,
        }
    }
}

/// Why an end is a failure; `None` if it is not. Files count only after exit 0.
fn ended(end: End, request: &AgentRequest) -> Option<FailureCause> {
    match end {
        End::Exited(0) => None,
        End::Exited(code) => Some(FailureCause::Exit { code }),
        End::Signaled(signal) => Some(FailureCause::Signal { signal }),
        End::TimedOut => Some(FailureCause::Timeout { limit: request.timeout }),
        End::Cancelled => Some(FailureCause::Cancelled),
        End::OutputLimit => Some(FailureCause::OutputLimit {
            bytes_max: request.output_bytes_max,
        }),
    }
}

/// The files of one call.
struct Desk {
    dir: OwnedFd,
    /// Of the artifact as it was laid out.
    base: Option<Stamp>,
}

/// Changes when a file is written or replaced.
#[derive(PartialEq, Eq)]
struct Stamp {
    inode: u64,
    modified: (i64, i64),
}

impl Stamp {
    fn of(metadata: &Metadata) -> Stamp {
        Stamp {
            inode: metadata.ino(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
        }
    }
}

/// The response and the artifact, each if written.
type Collected = (Option<Vec<u8>>, Option<Vec<u8>>);

impl Desk {
    fn lay_out(request: &AgentRequest) -> Result<Desk, FailureCause> {
        let dir = files::open_dir(&request.scratch).map_err(io_failure("open", &request.scratch))?;
        let path = request.scratch.join(REQUEST);
        files::create(&path, request.input.to_string().as_bytes(), Access::ReadOnly)
            .map_err(io_failure("write", &path))?;

        let path = request.scratch.join(&request.artifact_name);
        let access = if request.artifact_writable {
            Access::Writable
        } else {
            Access::ReadOnly
        };
        let lay_artifact = |bytes: &Vec<u8>| -> io::Result<Stamp> {
            let file = files::create(&path, bytes, access)?;
            file.set_modified(SystemTime::UNIX_EPOCH + LAID_OUT_AT)?;
            Ok(Stamp::of(&file.metadata()?))
        };
        let base = request
            .base_artifact
            .as_ref()
            .map(lay_artifact)
            .transpose()
            .map_err(io_failure("write", &path))?;
        Ok(Desk { dir, base })
    }

    /// Takes back what the agent left. Only to be called when no process of its is left to change it.
    fn collect(&self, request: &AgentRequest) -> Result<Collected, FailureCause> {
        let response = self
            .read(RESPONSE, request.output_bytes_max, request)?
            .map(|file| file.bytes);
        let artifact = if request.artifact_writable && !request.tree {
            self.artifact(request)?
        } else {
            None
        };
        Ok((response.filter(|bytes| !bytes.is_empty()), artifact))
    }

    fn artifact(&self, request: &AgentRequest) -> Result<Option<Vec<u8>>, FailureCause> {
        let Some(file) = self.read(&request.artifact_name, request.artifact_bytes_max, request)? else {
            return Ok(None);
        };
        let was_written = match (&request.base_artifact, &self.base) {
            // The stamp alone could be put back by the agent; the bytes tell the truth then.
            (Some(base), Some(stamp)) => *stamp != Stamp::of(&file.metadata) || *base != file.bytes,
            (None, _) | (_, None) => !file.bytes.is_empty(),
        };
        Ok(was_written.then_some(file.bytes))
    }

    fn read(&self, name: &str, bytes_max: u64, request: &AgentRequest) -> Result<Option<ReadFile>, FailureCause> {
        files::read_regular(&self.dir, name, bytes_max).map_err(|error| match error {
            ReadError::NotAFile => FailureCause::NotAFile { name: name.to_owned() },
            ReadError::TooLarge => FailureCause::TooLarge {
                name: name.to_owned(),
                bytes_max,
            },
            ReadError::Io(source) => io_failure("read", &request.scratch.join(name))(source),
        })
    }
}

fn io_failure(attempt: &'static str, path: &Path) -> impl FnOnce(io::Error) -> FailureCause {
    move |source| FailureCause::Io {
        attempt,
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests;
