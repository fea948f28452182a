//! Commands whose exit code says less than it seems, and the files that they run.

use onus_model::{CheckKind, CommandLine, ExpectedRun};

use crate::file::stays_inside;

/// Programs that run the file they are given.
const INTERPRETERS: [&str; 14] = [
    "sh", "bash", "dash", "zsh", "python", "python3", "node", "deno", "bun", "ruby", "perl", "php", "lua", "Rscript",
];

const SHELLS: [&str; 4] = ["sh", "bash", "dash", "zsh"];

/// At the end of a pipe these decide by what they read, which is what they are put there for.
const DECIDING: [&str; 7] = ["grep", "egrep", "fgrep", "rg", "diff", "cmp", "jq"];

/// Where programs lie that are made from the work or fetched; nobody can protect them.
const MADE: [&str; 6] = ["target", "build", "dist", "out", "node_modules", ".venv"];

/// Options after which an interpreter takes a module or code instead of a file.
const NO_FILE_FOLLOWS: [&str; 5] = ["-m", "-c", "-e", "--eval", "--test"];

/// How the exit code of a check's command is lost.
pub(super) fn hides_its_exit(kind: &CheckKind) -> Option<&'static str> {
    let line = shell_line(kind.command()?)?;
    if swallows(line) {
        return Some(
            "it ends with a part that always succeeds, so a failure before it is not seen: leave that part out",
        );
    }
    // What is decided by the output does not hang on the exit code of what wrote it.
    let by_output = match kind {
        CheckKind::Executable { expected, .. } => reads_output(expected),
        CheckKind::Metric(_) => true,
        CheckKind::Tests(_)
        | CheckKind::Lint(_)
        | CheckKind::Coverage(_)
        | CheckKind::Content { .. }
        | CheckKind::Pattern(_)
        | CheckKind::Schema(_)
        | CheckKind::Marker(_)
        | CheckKind::Artifact(_)
        | CheckKind::Diff(_)
        | CheckKind::Openapi(_)
        | CheckKind::Links(_)
        | CheckKind::Intent(_)
        | CheckKind::Expr(_)
        | CheckKind::Human(_) => false,
    };
    let safe = by_output
        || kind
            .command()
            .is_some_and(|command| command.to_string().contains("pipefail"));
    (!safe && pipes_into_anything(line)).then_some(
        "the exit code of a pipe is that of its last program, so a failure before it is not seen: run one program as a \
         list, or `[\"bash\", \"-o\", \"pipefail\", \"-c\", \"…\"]`",
    )
}

pub(super) fn reads_output(expected: &ExpectedRun) -> bool {
    expected.stdout_contains.is_some() || expected.stdout_matches.is_some()
}

/// What a shell is given to run, if it is a shell.
fn shell_line(command: &CommandLine) -> Option<&str> {
    match command {
        CommandLine::Shell(line) => Some(line),
        CommandLine::Argv(argv) => {
            let program = argv.first()?.rsplit('/').next()?;
            let at = argv
                .iter()
                .position(|word| word.starts_with('-') && word.ends_with('c'))?;
            SHELLS.contains(&program).then(|| argv.get(at + 1))?.map(String::as_str)
        }
    }
}

/// `make || true`, `make; exit 0` and the like: the line always ends with 0.
pub(super) fn swallows(line: &str) -> bool {
    let line = line.trim().trim_end_matches([')', '}', ';', ' ', '\n']);
    let always = |end: &str| matches!(end.trim(), "true" | ":" | "exit 0" | "/bin/true" | "/usr/bin/true");
    let after = |sign: &str| line.rsplit_once(sign).is_some_and(|(_, end)| always(end));
    always(line) || after("||") || after(";") || after("\n")
}

/// There is a pipe outside of quotes, and what stands behind the last one does not decide by what it reads.
fn pipes_into_anything(line: &str) -> bool {
    let Some(last) = outside_quotes(line)
        .filter(|&at| is_pipe(line, at))
        .last()
        .and_then(|at| line.get(at + 1..))
    else {
        return false;
    };
    let program = last
        .trim_start_matches('&')
        .split_whitespace()
        .next()
        .unwrap_or_default();
    !DECIDING.contains(&program)
}

/// One `|` and not one of `||`, nor the one of `>|`.
fn is_pipe(line: &str, at: usize) -> bool {
    let bytes = line.as_bytes();
    let before = at.checked_sub(1).and_then(|at| bytes.get(at));
    bytes.get(at) == Some(&b'|') && !matches!(before, Some(b'|' | b'>')) && bytes.get(at + 1) != Some(&b'|')
}

/// Places of bytes that neither quotes nor a backslash hide.
fn outside_quotes(line: &str) -> impl Iterator<Item = usize> {
    let mut quote = None;
    let mut escaped = false;
    line.bytes().enumerate().filter_map(move |(at, byte)| {
        if escaped {
            escaped = false;
            return None;
        }
        match (quote, byte) {
            (None | Some(b'"'), b'\\') => escaped = true,
            (None, b'\'' | b'"') => quote = Some(byte),
            (None, _) => return Some(at),
            (Some(open), _) if open == byte => quote = None,
            (Some(_), _) => {}
        }
        None
    })
}

/// Files of the tree that a command runs, told by its words alone: programs named with a slash, and what an interpreter is
/// given.
pub(super) fn scripts(command: &CommandLine) -> Vec<&str> {
    let line = shell_line(command);
    let words: Vec<&str> = match (line, command) {
        (Some(line), _) => line
            .split(|c: char| c.is_whitespace() || "\"'`;|&()<>${}".contains(c))
            .filter(|word| !word.is_empty())
            .collect(),
        (None, CommandLine::Argv(argv)) => argv.iter().map(String::as_str).collect(),
        (None, CommandLine::Shell(_)) => Vec::new(),
    };
    let mut found = Vec::new();
    let mut interpreted = false;
    for (at, word) in words.into_iter().enumerate() {
        let runs = (at == 0 && word.contains('/')) || (line.is_some() && word.starts_with("./"));
        let given = interpreted && !word.starts_with('-');
        if runs || given {
            found.push(word.strip_prefix("./").unwrap_or(word));
        }
        let name = word.rsplit('/').next().unwrap_or(word);
        interpreted = match interpreted {
            true => !given && !NO_FILE_FOLLOWS.contains(&word),
            false => (at == 0 || line.is_some()) && INTERPRETERS.contains(&name),
        };
    }
    let made = |word: &str| word.split('/').next().is_some_and(|top| MADE.contains(&top));
    found.retain(|word| stays_inside(word) && word.contains(['/', '.']) && !made(word));
    found
}
