//! Scripts that checks run, frozen with the contract: an agent that may write the workspace must not be able to rewrite what it
//! is judged by. Files that a check only reads are not: they may be the work itself.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;

use onus_model::{CheckKind, CommandLine, Criterion, Digest};
use onus_spec::file::stays_inside;

/// The largest file that is frozen; check scripts are far smaller.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// Every file of the workspace that a check of the contract runs, with what it holds now.
pub(crate) fn freeze(criteria: &[Criterion], workspace: &Path) -> BTreeMap<String, Digest> {
    let mut commands = Vec::new();
    for check in criteria.iter().flat_map(|criterion| &criterion.verify) {
        if let CheckKind::Executable { command, .. } = &check.kind {
            commands.push(command);
        }
    }
    let named = commands.into_iter().flat_map(scripts);
    named
        .filter_map(|name| Some((name.to_owned(), digest(&workspace.join(name))?)))
        .collect()
}

/// A file that the command runs and that is not what it was when it was frozen.
pub(crate) fn changed<'a>(
    command: &'a CommandLine,
    frozen: &BTreeMap<String, Digest>,
    workspace: &Path,
) -> Option<&'a str> {
    let was = |name: &&str| {
        frozen
            .get(*name)
            .is_some_and(|then| digest(&workspace.join(name)) != Some(*then))
    };
    scripts(command).find(was)
}

/// Programs that run the file they are given.
const INTERPRETERS: [&str; 14] = [
    "sh", "bash", "dash", "zsh", "python", "python3", "node", "deno", "bun", "ruby", "perl", "php", "lua", "Rscript",
];

/// Words of a command that are run and may be files of the workspace: programs named with a slash, and what an interpreter
/// is given.
pub(crate) fn scripts(command: &CommandLine) -> impl Iterator<Item = &str> {
    let words: Vec<&str> = match command {
        CommandLine::Argv(argv) => argv.iter().map(String::as_str).collect(),
        // Whatever the shell makes of it, a file's name stands between these.
        CommandLine::Shell(line) => line
            .split(|c: char| c.is_whitespace() || "\"'`;|&()<>${}".contains(c))
            .filter(|word| !word.is_empty())
            .collect(),
    };
    let in_shell = matches!(command, CommandLine::Shell(_));
    let mut found = Vec::new();
    let mut interpreted = false;
    for (at, word) in words.into_iter().enumerate() {
        let runs = (at == 0 && word.contains('/')) || (in_shell && word.starts_with("./"));
        if runs || (interpreted && !word.starts_with('-')) {
            found.push(word.strip_prefix("./").unwrap_or(word));
            interpreted = false;
        }
        let name = word.rsplit('/').next().unwrap_or(word);
        interpreted |= (at == 0 || in_shell) && INTERPRETERS.contains(&name);
    }
    found.into_iter().filter(|word| stays_inside(word))
}

/// What a regular file holds; `None` if there is none, or if it is a link, or too large.
pub(crate) fn digest(path: &Path) -> Option<Digest> {
    let meta = path.symlink_metadata().ok()?;
    if !meta.is_file() || meta.len() > FILE_BYTES_MAX {
        return None;
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)
        .ok()?
        .take(FILE_BYTES_MAX)
        .read_to_end(&mut bytes)
        .ok()?;
    Some(Digest::of(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_run_is_told_from_what_is_read() {
        let argv = |words: &[&str]| CommandLine::Argv(words.iter().map(|w| (*w).to_owned()).collect());
        let shell = |line: &str| CommandLine::Shell(line.to_owned());
        for (command, expected) in [
            (argv(&["./lint.sh", "-v", "README.md"]), &["lint.sh"][..]),
            (argv(&["tools/lint", "src/a.rs"]), &["tools/lint"]),
            (argv(&["python3", "-B", "checks/t.py", "src/a.py"]), &["checks/t.py"]),
            (argv(&["grep", "-q", "sh", "README.md"]), &[]),
            (argv(&["/bin/x.sh", "y.sh"]), &[]),
            (argv(&["../up.sh"]), &[]),
            (
                shell("sh lint.sh README.md && ./more.sh; cat hold"),
                &["lint.sh", "more.sh"],
            ),
            (shell("python3 -B \"t.py\" | tee out.txt"), &["t.py"]),
            (shell("grep -q x README.md"), &[]),
        ] {
            let found: Vec<&str> = scripts(&command).collect();
            assert_eq!(found, expected, "{command}");
        }
    }
}
