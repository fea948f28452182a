//! Files that checks use, frozen with the contract: an agent that may write the workspace must not be able to rewrite what it
//! is judged by.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;

use onus_model::{CheckKind, CommandLine, Criterion, Digest};
use onus_spec::file::stays_inside;

/// The largest file that is frozen; check scripts are far smaller.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// Every file of the workspace that a check of the contract names, with what it holds now.
pub(crate) fn freeze(criteria: &[Criterion], workspace: &Path) -> BTreeMap<String, Digest> {
    let mut commands = Vec::new();
    for check in criteria.iter().flat_map(|criterion| &criterion.verify) {
        if let CheckKind::Executable { command, .. } = &check.kind {
            commands.push(command);
        }
    }
    let named = commands.into_iter().flat_map(words);
    named
        .filter_map(|name| Some((name.to_owned(), digest(&workspace.join(name))?)))
        .collect()
}

/// A file that the command names and that is not what it was when it was frozen.
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
    words(command).find(was)
}

/// Words of a command that could name a file of the workspace.
fn words(command: &CommandLine) -> impl Iterator<Item = &str> {
    let words: Vec<&str> = match command {
        CommandLine::Argv(argv) => argv.iter().map(String::as_str).collect(),
        // Whatever the shell makes of it, a file's name stands between these.
        CommandLine::Shell(line) => line
            .split(|c: char| c.is_whitespace() || "\"'`;|&()<>$={}".contains(c))
            .collect(),
    };
    let plain = |word: &&str| stays_inside(word);
    words
        .into_iter()
        .map(|word| word.strip_prefix("./").unwrap_or(word))
        .filter(plain)
}

/// What a regular file holds; `None` if there is none, or if it is a link, or too large.
fn digest(path: &Path) -> Option<Digest> {
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
    fn names_of_files_are_found_in_every_form_of_a_command() {
        let check = |command: CommandLine, expected: &[&str]| {
            let found: Vec<&str> = words(&command).filter(|word| word.contains('.')).collect();
            assert_eq!(found, expected, "{command}");
        };
        check(
            CommandLine::Argv(vec!["./lint.sh".into(), "-v".into(), "rules/a.toml".into()]),
            &["lint.sh", "rules/a.toml"],
        );
        check(
            CommandLine::Shell("sh ./lint.sh --config='x.yml' && python3 \"t.py\"|cat".into()),
            &["lint.sh", "x.yml", "t.py"],
        );
        check(CommandLine::Argv(vec!["/bin/x.sh".into(), "../y.sh".into()]), &[]);
    }
}
