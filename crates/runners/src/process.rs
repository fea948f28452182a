//! One program, from start to end: bounded in time and output, and gone with all its children afterwards.
//!
//! This is the only place in Onus that starts programs. It does not look programs up ([`crate::find_program`] does) and
//! does not choose an environment (its callers do).
#![allow(clippy::disallowed_methods, reason = "programs are started here and nowhere else")]

use std::{
    collections::BTreeMap,
    convert::Infallible,
    future::pending,
    io,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    process::{Child, ChildStdin, Command},
    select,
    time::{Instant, sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use crate::tree::Tree;

/// How long the pipes may stay open after the program has ended. What it wrote itself is in them already; only children
/// it left behind hold them open.
const PIPE_GRACE: Duration = Duration::from_millis(200);

/// How long a killed program may take to disappear. It only does so in an uninterruptible system call; then it is left
/// to the kernel.
const KILL_GRACE: Duration = Duration::from_secs(5);

/// What a Linux pipe holds: one read empties it.
const CHUNK_BYTES: usize = 16 * 1024;

/// A program to run.
#[derive(Debug, Clone)]
pub struct Spawn {
    /// An absolute path.
    pub program: PathBuf,
    pub args: Vec<String>,
    pub cwd: PathBuf,
    /// Complete: nothing is inherited.
    pub env: BTreeMap<String, String>,
    /// The variable of `env` whose value no other spawn has. Children that left the process group are found by it.
    pub marker: Option<&'static str>,
    pub stdin: Vec<u8>,
    pub timeout: Duration,
    /// From SIGTERM to SIGKILL.
    pub grace: Duration,
    /// For each of stdout and stderr.
    pub output_bytes_max: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    pub end: End,
    /// The first bytes.
    pub stdout: Captured,
    /// The last bytes.
    pub stderr: Captured,
    pub elapsed: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Exited(i32),
    Signaled(i32),
    TimedOut,
    Cancelled,
    /// It wrote more to stdout than allowed.
    OutputLimit,
}

/// What a program wrote to one of its streams.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Captured {
    pub bytes: Vec<u8>,
    /// How many bytes were read, kept or not.
    pub total: u64,
}

impl Captured {
    pub fn is_truncated(&self) -> bool {
        self.total > self.bytes.len() as u64
    }

    /// The last `bytes_max` bytes as text, beginning at a whole character.
    pub fn tail(&self, bytes_max: usize) -> String {
        let is_continuation = |byte: &&u8| **byte & 0b1100_0000 == 0b1000_0000;
        let from = self.bytes.len().saturating_sub(bytes_max);
        let torn = match from {
            0 => 0,
            _ => self.bytes[from..].iter().take(3).take_while(is_continuation).count(),
        };
        String::from_utf8_lossy(&self.bytes[from + torn..]).into_owned()
    }
}

impl From<Vec<u8>> for Captured {
    fn from(bytes: Vec<u8>) -> Captured {
        let total = bytes.len() as u64;
        Captured { bytes, total }
    }
}

/// Why a program did not run.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    #[error("the command is empty")]
    EmptyCommand,
    #[error("program `{0}` was not found")]
    ProgramNotFound(String),
    #[error("program `{0}` cannot be executed")]
    NotExecutable(String),
    #[error("directory `{}` does not exist", .0.display())]
    CwdMissing(PathBuf),
    #[error("cannot {attempt} `{}`", path.display())]
    Io {
        attempt: &'static str,
        path: PathBuf,
        source: io::Error,
    },
}

impl SpawnError {
    pub(crate) fn io(attempt: &'static str, path: &Path) -> impl FnOnce(io::Error) -> SpawnError {
        move |source| SpawnError::Io {
            attempt,
            path: path.to_owned(),
            source,
        }
    }
}

/// Runs a program to its end. However it ends, and also when the future is dropped, its whole process tree is killed.
pub async fn run(spawn: Spawn, cancel: &CancellationToken) -> Result<Finished, SpawnError> {
    let started = Instant::now();
    let mut child = command(&spawn).spawn().map_err(|error| not_started(&spawn, error))?;
    let tree = Tree::new(child.id(), marker(&spawn));

    let (eof, flood) = (CancellationToken::new(), CancellationToken::new());
    let mut stdout = Keep::first(spawn.output_bytes_max);
    let mut stderr = Keep::last(spawn.output_bytes_max);
    let (stdin_pipe, stdout_pipe, stderr_pipe) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    // Never ends, so that no stream waits for another: a program may close its outputs and go on reading.
    let streams = async {
        let outputs = async {
            tokio::join!(
                drain(stdout_pipe, &mut stdout, &flood),
                drain(stderr_pipe, &mut stderr, &flood)
            );
            eof.cancel();
        };
        tokio::join!(feed(stdin_pipe, &spawn.stdin), outputs);
        pending::<Infallible>().await
    };
    let end = select! {
        never = streams => match never {},
        end = supervise(&mut child, &tree, &spawn, Signs { eof: &eof, flood: &flood, cancel }) => end,
    };
    tree.end().await;

    let end = end.map_err(SpawnError::io("wait for", &spawn.program))?;
    // The end and the flood may come together; what is reported must not depend on which was seen first.
    let is_flooded = matches!(end, End::Exited(_) | End::Signaled(_)) && flood.is_cancelled();
    let end = if is_flooded { End::OutputLimit } else { end };
    Ok(Finished {
        end,
        stdout: stdout.captured(),
        stderr: stderr.captured(),
        elapsed: started.elapsed(),
    })
}

/// Turns a spawn into the command that is started. A sandbox belongs here and nowhere else: it wraps the program (`bwrap
/// … -- program`), and everything else in this crate stays as it is.
fn command(spawn: &Spawn) -> Command {
    let mut command = Command::new(&spawn.program);
    command
        .args(&spawn.args)
        .current_dir(&spawn.cwd)
        .env_clear()
        .envs(&spawn.env)
        .stdin(if spawn.stdin.is_empty() {
            Stdio::null()
        } else {
            Stdio::piped()
        })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true);
    command
}

fn marker(spawn: &Spawn) -> Option<String> {
    let name = spawn.marker?;
    spawn.env.get(name).map(|value| format!("{name}={value}"))
}

/// The system says "not found" of a program, of its interpreter and of the directory alike.
fn not_started(spawn: &Spawn, error: io::Error) -> SpawnError {
    let program = || spawn.program.display().to_string();
    if !spawn.cwd.is_dir() {
        return SpawnError::CwdMissing(spawn.cwd.clone());
    }
    match rustix::io::Errno::from_io_error(&error) {
        Some(rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR) if !spawn.program.exists() => {
            SpawnError::ProgramNotFound(program())
        }
        Some(rustix::io::Errno::NOENT | rustix::io::Errno::ACCESS | rustix::io::Errno::NOEXEC) => {
            SpawnError::NotExecutable(program())
        }
        Some(_) | None => SpawnError::io("start", &spawn.program)(error),
    }
}

/// What [`supervise`] listens to besides the program itself.
struct Signs<'a> {
    /// Both outputs are closed.
    eof: &'a CancellationToken,
    /// Stdout is over its limit.
    flood: &'a CancellationToken,
    cancel: &'a CancellationToken,
}

async fn supervise(child: &mut Child, tree: &Tree, spawn: &Spawn, signs: Signs<'_>) -> io::Result<End> {
    let forced = select! {
        status = child.wait() => {
            let status = status?;
            let _ = timeout(PIPE_GRACE, signs.eof.cancelled()).await;
            return Ok(ended(status));
        }
        () = signs.cancel.cancelled() => End::Cancelled,
        () = signs.flood.cancelled() => End::OutputLimit,
        () = sleep(spawn.timeout) => End::TimedOut,
    };
    tree.terminate();
    if timeout(spawn.grace, child.wait()).await.is_err() {
        tree.kill();
        let _ = timeout(KILL_GRACE, child.wait()).await;
    }
    tree.kill();
    let _ = timeout(PIPE_GRACE, signs.eof.cancelled()).await;
    Ok(forced)
}

fn ended(status: ExitStatus) -> End {
    match (status.code(), status.signal()) {
        (Some(code), _) => End::Exited(code),
        (None, signal) => End::Signaled(signal.unwrap_or_default()),
    }
}

/// A program need not read its input: a closed pipe is no error.
async fn feed(pipe: Option<ChildStdin>, bytes: &[u8]) {
    if let Some(mut pipe) = pipe {
        let _ = pipe.write_all(bytes).await;
    }
}

/// Reads to the end. What is over the limit is read too and dropped, so that the program is never blocked by it.
async fn drain(pipe: Option<impl AsyncRead + Unpin>, keep: &mut Keep, flood: &CancellationToken) {
    let Some(mut pipe) = pipe else { return };
    let mut chunk = vec![0; CHUNK_BYTES];
    // A stream that cannot be read has ended.
    while let Ok(count @ 1..) = pipe.read(&mut chunk).await {
        keep.push(&chunk[..count]);
        if keep.is_over() {
            flood.cancel();
        }
    }
}

/// What is kept of a stream that may be longer than its limit.
struct Keep {
    end: KeptEnd,
    bytes_max: usize,
    bytes: Vec<u8>,
    total: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum KeptEnd {
    First,
    Last,
}

impl Keep {
    fn first(bytes_max: u64) -> Keep {
        let bytes_max = usize::try_from(bytes_max).unwrap_or(usize::MAX);
        Keep {
            end: KeptEnd::First,
            bytes_max,
            bytes: Vec::new(),
            total: 0,
        }
    }

    fn last(bytes_max: u64) -> Keep {
        Keep {
            end: KeptEnd::Last,
            ..Keep::first(bytes_max)
        }
    }

    /// Only the first bytes of a stream can be too few to know what it said.
    fn is_over(&self) -> bool {
        self.end == KeptEnd::First && self.total > self.bytes_max as u64
    }

    fn push(&mut self, chunk: &[u8]) {
        self.total += chunk.len() as u64;
        match self.end {
            KeptEnd::First => {
                let room = self.bytes_max - self.bytes.len();
                self.bytes.extend_from_slice(&chunk[..chunk.len().min(room)]);
            }
            KeptEnd::Last => {
                self.bytes.extend_from_slice(chunk);
                // Trimmed only now and then, so that each byte is moved about once.
                if self.bytes.len() / 2 > self.bytes_max {
                    self.trim();
                }
            }
        }
    }

    fn trim(&mut self) {
        self.bytes.drain(..self.bytes.len().saturating_sub(self.bytes_max));
    }

    fn captured(mut self) -> Captured {
        self.trim();
        Captured {
            bytes: self.bytes,
            total: self.total,
        }
    }
}

#[cfg(test)]
mod tests;
