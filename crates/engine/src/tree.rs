//! Trees of files: taken as they lie, stored by content, and laid out again for checks to run in.
//!
//! Taken from a directory or, as the base to compare with, from a git commit. Git is asked for objects only; nothing in the
//! repository's own configuration is run.
#![allow(
    clippy::disallowed_methods,
    reason = "an edge: it reads the project and asks git for objects"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use onus_checks::Files;
use onus_ledger::{Durability, Places, objects};
use onus_model::{FileEntry, Globs, LeftOut, Snapshot, TreePath};

use crate::EngineError;

/// A bound on everything a tree may hold. Beyond them a tree is refused, not cut.
pub const FILES_MAX: usize = 20_000;
pub const FILE_BYTES_MAX: u64 = 64 << 20;
pub const TREE_BYTES_MAX: u64 = 512 << 20;
pub const DEPTH_MAX: usize = 64;

/// So many things that are not files are named; the rest is counted.
const LEFT_OUT_NAMED_MAX: usize = 100;

/// Never part of a tree: the engine's own files and git's.
const NOT_OURS: [&str; 2] = [".git", ".onus"];

/// Takes a directory, or a single file, as it lies now. What git ignores is left out, unless the base has it: an ignore file
/// must not make work invisible. What is not a regular file is named.
pub fn take(places: &Places, path: &Path, runs: &str, base: Option<&Snapshot>) -> Result<Snapshot, EngineError> {
    let mut snapshot = Snapshot::default();
    if path.is_file() {
        let name = path
            .file_name()
            .and_then(|n| n.to_str())
            .and_then(|n| TreePath::new(n).ok());
        let unusable = || EngineError::Configuration(format!("`{}` has a name that cannot be used", path.display()));
        snapshot.files.insert(name.ok_or_else(unusable)?, store(places, path)?);
        return Ok(snapshot);
    }
    let (mut files, left_out) = walk(path, runs)?;
    let known = base.into_iter().flat_map(|base| base.files.keys());
    let hidden = known.filter(|name| files.binary_search(name).is_err() && is_plain(path, name));
    let hidden: Vec<TreePath> = hidden.cloned().collect();
    files.extend(hidden);
    snapshot.left_out = left_out;
    let mut bytes = 0;
    for name in files {
        let file = store(places, &path.join(name.as_str()))?;
        bytes += file.bytes;
        if bytes > TREE_BYTES_MAX {
            return Err(EngineError::Configuration(format!(
                "`{}` holds more than {TREE_BYTES_MAX} bytes that git does not ignore",
                path.display()
            )));
        }
        snapshot.files.insert(name, file);
    }
    Ok(snapshot)
}

/// Whether a name is a regular file that no link on the way leads out of the directory to.
fn is_plain(dir: &Path, name: &TreePath) -> bool {
    let full = dir.join(name.as_str());
    let parents = full.ancestors().skip(1).take_while(|parent| *parent != dir);
    let is_dir = |parent: &Path| parent.symlink_metadata().is_ok_and(|meta| meta.is_dir());
    full.symlink_metadata().is_ok_and(|meta| meta.is_file()) && parents.into_iter().all(is_dir)
}

/// The paths of a directory that would be taken.
pub fn list(path: &Path, runs: &str) -> Result<Vec<TreePath>, EngineError> {
    walk(path, runs).map(|(files, _)| files)
}

/// Regular files of a directory, sorted, and everything that is there and is none.
fn walk(dir: &Path, runs: &str) -> Result<(Vec<TreePath>, Vec<LeftOut>), EngineError> {
    let refuse = |why: String| EngineError::Configuration(format!("`{}` cannot be taken: {why}", dir.display()));
    let runs = dir.join(runs);
    let entries = ignore::WalkBuilder::new(dir)
        .hidden(false)
        .follow_links(false)
        .max_depth(Some(DEPTH_MAX + 1))
        .git_global(false)
        .git_exclude(false)
        .ignore(false)
        .require_git(false)
        .parents(false)
        .filter_entry(|entry| !NOT_OURS.iter().any(|name| entry.file_name() == *name))
        .build();
    let (mut files, mut left_out, mut unnamed) = (Vec::new(), Vec::new(), 0usize);
    for entry in entries {
        let entry = entry.map_err(|error| refuse(error.to_string()))?;
        let Some(kind) = entry.file_type() else { continue };
        if entry.depth() > DEPTH_MAX {
            return Err(refuse(format!("it is more than {DEPTH_MAX} levels deep")));
        }
        if kind.is_dir() || entry.path().starts_with(&runs) {
            continue;
        }
        let relative = entry.path().strip_prefix(dir).unwrap_or(entry.path());
        let named = relative.to_str().and_then(|text| TreePath::new(text).ok());
        match named {
            Some(named) if kind.is_file() => files.push(named),
            _ if left_out.len() >= LEFT_OUT_NAMED_MAX => unnamed += 1,
            named => left_out.push(LeftOut {
                path: relative.to_string_lossy().escape_debug().to_string(),
                why: if named.is_some() {
                    not_a_file(kind)
                } else {
                    "its name cannot be used"
                }
                .to_owned(),
            }),
        }
        if files.len() > FILES_MAX {
            return Err(refuse(format!(
                "it holds more than {FILES_MAX} files that git does not ignore"
            )));
        }
    }
    if unnamed > 0 {
        left_out.push(LeftOut {
            path: format!("and {unnamed} more"),
            why: "they are no regular files".to_owned(),
        });
    }
    files.sort();
    Ok((files, left_out))
}

fn not_a_file(kind: std::fs::FileType) -> &'static str {
    if kind.is_symlink() {
        "it is a symbolic link"
    } else if kind.is_fifo() {
        "it is a pipe"
    } else if kind.is_socket() {
        "it is a socket"
    } else {
        "it is a device"
    }
}

fn store(places: &Places, path: &Path) -> Result<FileEntry, EngineError> {
    let unreadable =
        |error: std::io::Error| EngineError::Configuration(format!("cannot read `{}`: {error}", path.display()));
    // What was a file a moment ago may be something else by now: never follow, never block.
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let flags = i32::try_from(flags.bits()).unwrap_or_default();
    let file = std::fs::OpenOptions::new()
        .read(true)
        .custom_flags(flags)
        .open(path)
        .map_err(unreadable)?;
    let meta = file.metadata().map_err(unreadable)?;
    if !meta.is_file() {
        return Err(EngineError::Configuration(format!(
            "`{}` is no longer a regular file",
            path.display()
        )));
    }
    let mut bytes = Vec::new();
    file.take(FILE_BYTES_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return Err(EngineError::Configuration(format!(
            "`{}` has more than {FILE_BYTES_MAX} bytes",
            path.display()
        )));
    }
    Ok(FileEntry {
        sha256: objects::put(places, &bytes, Durability::Relaxed)?,
        bytes: bytes.len() as u64,
        executable: meta.permissions().mode() & 0o111 != 0,
    })
}

/// The tree of a commit, by objects alone: of the part of the repository that `repository` is.
pub fn take_commit(places: &Places, repository: &Path, revision: &str) -> Result<Snapshot, EngineError> {
    let listed = git(
        repository,
        &["ls-tree", "-r", "-z", "-l", "--end-of-options", revision],
        None,
    )?;
    let mut snapshot = Snapshot::default();
    let mut wanted: Vec<(TreePath, String, bool)> = Vec::new();
    let mut bytes = 0;
    for line in listed.split(|b| *b == 0).filter(|line| !line.is_empty()) {
        let text = String::from_utf8_lossy(line);
        let Some((facts, path)) = text.split_once('\t') else {
            continue;
        };
        let facts: Vec<&str> = facts.split_ascii_whitespace().collect();
        let (mode, kind, id, size) = match facts.as_slice() {
            [mode, kind, id, size] => (*mode, *kind, *id, size.parse::<u64>().unwrap_or(0)),
            _ => continue,
        };
        bytes += size;
        if size > FILE_BYTES_MAX || bytes > TREE_BYTES_MAX {
            return Err(EngineError::Configuration(format!(
                "commit `{revision}` holds more than can be taken: a file has at most {FILE_BYTES_MAX} bytes, a tree {TREE_BYTES_MAX}"
            )));
        }
        match TreePath::new(path) {
            Ok(path) if kind == "blob" && mode.starts_with("100") => {
                wanted.push((path, id.to_owned(), mode == "100755"));
            }
            Ok(_) | Err(_) => snapshot.left_out.push(LeftOut {
                path: path.escape_debug().to_string(),
                why: "it is not a plain file of the commit".to_owned(),
            }),
        }
    }
    if wanted.len() > FILES_MAX {
        return Err(EngineError::Configuration(format!(
            "commit `{revision}` holds more than {FILES_MAX} files"
        )));
    }
    let ids: String = wanted.iter().map(|(_, id, _)| format!("{id}\n")).collect();
    let output = git(repository, &["cat-file", "--batch"], Some(ids.into_bytes()))?;
    let mut rest = output.as_slice();
    for (path, id, executable) in wanted {
        let broken = || EngineError::Configuration(format!("git gave no content for `{path}` of `{revision}`"));
        let end = rest.iter().position(|b| *b == b'\n').ok_or_else(broken)?;
        let header = String::from_utf8_lossy(&rest[..end]).into_owned();
        let size: usize = header
            .strip_prefix(&format!("{id} blob "))
            .and_then(|s| s.parse().ok())
            .ok_or_else(broken)?;
        let content = rest.get(end + 1..end + 1 + size).ok_or_else(broken)?;
        let sha256 = objects::put(places, content, Durability::Relaxed)?;
        rest = rest.get(end + 2 + size..).ok_or_else(broken)?;
        snapshot.files.insert(
            path,
            FileEntry {
                sha256,
                bytes: size as u64,
                executable,
            },
        );
    }
    Ok(snapshot)
}

/// Runs git with no configuration but the repository's, and with everything off that could run a program.
pub(crate) fn git(repository: &Path, args: &[&str], input: Option<Vec<u8>>) -> Result<Vec<u8>, EngineError> {
    git_with(repository, args, input, &[])
}

/// [`git`] with variables of its own.
pub(crate) fn git_with(
    repository: &Path,
    args: &[&str],
    input: Option<Vec<u8>>,
    env: &[(&str, &str)],
) -> Result<Vec<u8>, EngineError> {
    let failed =
        |what: String| EngineError::Configuration(format!("git {} in `{}`: {what}", args[0], repository.display()));
    let mut command = Command::new("git");
    command
        .args([
            "--no-optional-locks",
            "-c",
            "core.fsmonitor=",
            "-c",
            "core.hooksPath=/dev/null",
            "-c",
            "protocol.allow=never",
        ])
        .args(args)
        .current_dir(repository);
    // Whoever runs inside a hook or an alias of git has variables that name another repository or index.
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.as_encoded_bytes().starts_with(b"GIT_")) {
        command.env_remove(name);
    }
    let mut child = command
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        .envs(env.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| failed(error.to_string()))?;
    // Written beside the reading, so that neither waits for the other.
    let writer = child.stdin.take().map(|mut stdin| {
        std::thread::spawn(move || {
            // A git that stops reading says why on its own.
            let _ = stdin.write_all(&input.unwrap_or_default());
        })
    });
    let output = child.wait_with_output().map_err(|error| failed(error.to_string()))?;
    if let Some(writer) = writer {
        let _ = writer.join();
    }
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    Ok(output.stdout)
}

/// Whether the repository has this commit.
pub(crate) fn commit_exists(repository: &Path, commit: &str) -> bool {
    let named = format!("{commit}^{{commit}}");
    git(repository, &["cat-file", "-e", &named], None).is_ok()
}

/// Lays a tree out in an empty directory.
pub(crate) fn lay_out(places: &Places, snapshot: &Snapshot, dir: &Path) -> Result<(), EngineError> {
    for (path, file) in &snapshot.files {
        let full = dir.join(path.as_str());
        let unwritable =
            |error: std::io::Error| EngineError::Configuration(format!("cannot write `{}`: {error}", full.display()));
        if let Some(parent) = full.parent() {
            std::fs::create_dir_all(parent).map_err(unwritable)?;
        }
        let bytes = objects::get(places, &file.sha256, FILE_BYTES_MAX)?;
        let mode = if file.executable { 0o755 } else { 0o644 };
        let mut out = std::fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(mode)
            .open(&full)
            .map_err(unwritable)?;
        out.write_all(&bytes).map_err(unwritable)?;
    }
    Ok(())
}

/// Whether a path is protected by these globs.
pub(crate) fn protected(globs: &[String]) -> Result<impl Fn(&str) -> bool + use<>, EngineError> {
    let compiled = match globs {
        [] => None,
        globs => Some(
            onus_checks::compile_globs(&Globs(globs.to_vec()))
                .map_err(|problem| EngineError::Configuration(format!("`protected`: {problem}")))?,
        ),
    };
    Ok(move |path: &str| compiled.as_ref().is_some_and(|globs| globs.is_match(path)))
}

/// The directories above a path, inside its tree.
fn parents(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at])
}

/// The tree that checks see: the snapshot, with protected paths as they were in the base.
pub(crate) fn with_protected(
    snapshot: &Snapshot,
    base: Option<&Snapshot>,
    protected: impl Fn(&str) -> bool,
) -> Snapshot {
    let Some(base) = base else { return snapshot.clone() };
    let own = |(path, file): (&TreePath, &FileEntry)| (path.clone(), *file);
    let kept = base.files.iter().filter(|(path, _)| protected(path.as_str()));
    let kept: BTreeMap<TreePath, FileEntry> = kept.map(own).collect();
    // A directory in the place of a protected file, and a file in the place of its directory, cannot be there beside it.
    let above: BTreeSet<&str> = kept.keys().flat_map(|path| parents(path.as_str())).collect();
    let names: BTreeSet<&str> = kept.keys().map(TreePath::as_str).collect();
    let in_the_way = |path: &str| above.contains(path) || parents(path).any(|dir| names.contains(dir));
    let open = snapshot.files.iter();
    let open = open.filter(|(path, _)| !protected(path.as_str()) && !in_the_way(path.as_str()));
    let mut files: BTreeMap<TreePath, FileEntry> = open.map(own).collect();
    files.extend(kept);
    Snapshot {
        files,
        left_out: snapshot.left_out.clone(),
    }
}

/// A stored tree, for checks that only look.
pub(crate) struct Stored<'a> {
    pub(crate) places: &'a Places,
    pub(crate) snapshot: &'a Snapshot,
}

impl Files for Stored<'_> {
    fn paths(&self) -> Vec<&str> {
        self.snapshot.files.keys().map(TreePath::as_str).collect()
    }

    fn read(&self, path: &str) -> Option<Vec<u8>> {
        let file = self.snapshot.files.get(&TreePath::new(path).ok()?)?;
        objects::get(self.places, &file.sha256, FILE_BYTES_MAX).ok()
    }
}

/// Where a check's programs find the tools' own homes, which a fresh home would hide.
pub(crate) fn tool_homes(env: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    const HOMES: [(&str, &str); 4] = [
        ("CARGO_HOME", ".cargo"),
        ("RUSTUP_HOME", ".rustup"),
        ("GOMODCACHE", "go/pkg/mod"),
        ("PYENV_ROOT", ".pyenv"),
    ];
    let home = env.get("HOME").map(PathBuf::from);
    let found = |(name, below): (&str, &str)| {
        let path = env
            .get(name)
            .map(PathBuf::from)
            .or_else(|| home.as_ref().map(|home| home.join(below)))?;
        path.is_dir().then(|| (name.to_owned(), path.display().to_string()))
    };
    HOMES.into_iter().filter_map(found).collect()
}

/// Removes one file.
pub(crate) fn remove(path: &Path) -> std::io::Result<()> {
    std::fs::remove_file(path)
}

/// A report that a program wrote into its tree: a regular file inside it, bounded, never followed out of it.
pub(crate) fn read_report(work: &Path, report: &str, bytes_max: u64) -> Option<Vec<u8>> {
    let full = work.join(report).canonicalize().ok()?;
    let inside = work.canonicalize().ok().is_some_and(|work| full.starts_with(work));
    // Looked at before it is opened: opening a pipe that nobody writes to would wait for ever.
    let meta = full.symlink_metadata().ok().filter(|_| inside)?;
    if !meta.is_file() || meta.len() > bytes_max {
        return None;
    }
    let file = std::fs::File::open(&full).ok()?;
    let mut bytes = Vec::new();
    file.take(bytes_max).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
