//! Runs an executable check on a copy of the artifact. What its exit and output mean is read by `checks`.

use std::{
    collections::BTreeMap,
    env::join_paths,
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use onus_model::CommandLine;
use tokio_util::sync::CancellationToken;

use crate::{
    Finished, Spawn, SpawnError,
    files::{self, Access},
    find_program, process,
    program::absolute_dirs,
};

/// A check is asked to end only because its time is up: it has nothing to save.
const TERM_GRACE: Duration = Duration::from_millis(500);

/// One run of one check.
#[derive(Debug, Clone, Copy)]
pub struct CheckRequest<'a> {
    pub command: &'a CommandLine,
    pub subject: Subject<'a>,
    /// An existing directory of this run, empty but for a tree that was laid out; an absolute path.
    pub scratch: &'a Path,
    /// An absolute path; programs with a slash are relative to it.
    pub workspace: &'a Path,
    /// The `PATH` programs are looked up in.
    pub path: &'a str,
    /// Variables beyond the standard ones: the homes of tools.
    pub env: &'a BTreeMap<String, String>,
    pub timeout: Duration,
    pub output_bytes_max: u64,
}

/// What a check is run on. It has it for itself.
#[derive(Debug, Clone, Copy)]
pub enum Subject<'a> {
    /// One file, to be written into `work/`.
    File { name: &'a str, bytes: &'a [u8] },
    /// A tree that already lies in `work/`.
    Tree,
}

pub async fn run_check(request: CheckRequest<'_>, cancel: &CancellationToken) -> Result<Finished, SpawnError> {
    process::run(prepare(request)?, cancel).await
}

/// Lays the scratch directory out: `work/` with the artifact, which is where the check runs, and `home/`, which is also
/// its temporary directory.
fn prepare(request: CheckRequest<'_>) -> Result<Spawn, SpawnError> {
    let make = |name: &str| -> Result<PathBuf, SpawnError> {
        let dir = request.scratch.join(name);
        fs::create_dir(&dir).map_err(SpawnError::io("create", &dir))?;
        Ok(dir)
    };
    let home = make("home")?;
    let (work, artifact) = match request.subject {
        Subject::File { name, bytes } => {
            let work = make("work")?;
            let artifact = work.join(name);
            files::create(&artifact, bytes, Access::Writable).map_err(SpawnError::io("write", &artifact))?;
            (work, artifact)
        }
        Subject::Tree => (request.scratch.join("work"), request.scratch.join("work")),
    };

    let text = |path: &Path| path.display().to_string();
    let path = join_paths(absolute_dirs(request.path))
        .map_err(|error| SpawnError::io("use", Path::new(request.path))(io::Error::other(error)))?
        .to_string_lossy()
        .into_owned();
    let (program, args) = match request.command {
        CommandLine::Shell(line) => (PathBuf::from("/bin/sh"), vec!["-c".to_owned(), line.clone()]),
        CommandLine::Argv(argv) => {
            let (program, args) = argv.split_first().ok_or(SpawnError::EmptyCommand)?;
            (
                find_program(program, &path, request.workspace, request.workspace)?,
                args.to_vec(),
            )
        }
    };
    let mut env = request.env.clone();
    env.extend([
        ("PATH".to_owned(), path),
        ("HOME".to_owned(), text(&home)),
        ("TMPDIR".to_owned(), text(&home)),
        ("LANG".to_owned(), "C.UTF-8".to_owned()),
        ("ONUS_ARTIFACT".to_owned(), text(&artifact)),
        ("ONUS_WORKSPACE".to_owned(), text(request.workspace)),
    ]);
    Ok(Spawn {
        program,
        args,
        cwd: work,
        env,
        // The copy is this run's own, so its path is too.
        marker: Some("ONUS_ARTIFACT"),
        stdin: Vec::new(),
        timeout: request.timeout,
        grace: TERM_GRACE,
        output_bytes_max: request.output_bytes_max,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{End, Scratch};

    async fn check(command: CommandLine) -> (End, String) {
        let parent = tempfile::tempdir().unwrap();
        let (scratch, workspace) = (
            Scratch::create(parent.path()).unwrap(),
            Scratch::create(parent.path()).unwrap(),
        );
        let request = CheckRequest {
            command: &command,
            subject: Subject::File {
                name: "artifact.md",
                bytes: b"# title\n",
            },
            env: &BTreeMap::new(),
            scratch: scratch.path(),
            workspace: workspace.path(),
            path: "relative:/usr/bin::/bin",
            timeout: Duration::from_secs(5),
            output_bytes_max: 10_000,
        };
        let finished = run_check(request, &CancellationToken::new()).await.unwrap();
        let stdout = String::from_utf8(finished.stdout.bytes).unwrap();
        let shown = stdout
            .replace(scratch.path().to_str().unwrap(), "SCRATCH")
            .replace(workspace.path().to_str().unwrap(), "WORKSPACE");
        (finished.end, shown)
    }

    #[tokio::test]
    async fn a_check_runs_beside_its_own_copy_of_the_artifact() {
        let (end, said) = check(CommandLine::Shell(
            "pwd; cat artifact.md; grep -c absent artifact.md".to_owned(),
        ))
        .await;
        assert_eq!((end, said.as_str()), (End::Exited(1), "SCRATCH/work\n# title\n0\n"));
    }

    #[tokio::test]
    async fn a_list_is_run_as_it_is() {
        let (end, said) = check(CommandLine::Argv(vec!["echo".to_owned(), "$HOME; *".to_owned()])).await;
        assert_eq!((end, said.as_str()), (End::Exited(0), "$HOME; *\n"));
    }

    #[tokio::test]
    async fn a_check_sees_six_variables() {
        let (_, said) = check(CommandLine::Argv(vec!["env".to_owned()])).await;
        let mut lines: Vec<&str> = said.lines().collect();
        lines.sort_unstable();
        let expected = [
            "HOME=SCRATCH/home",
            "LANG=C.UTF-8",
            "ONUS_ARTIFACT=SCRATCH/work/artifact.md",
            "ONUS_WORKSPACE=WORKSPACE",
            "PATH=/usr/bin:/bin",
            "TMPDIR=SCRATCH/home",
        ];
        assert_eq!(lines, expected);
    }
}
