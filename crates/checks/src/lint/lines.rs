//! `path:line[:column]: level: message`, as gcc, mypy and `cargo clippy --message-format short` write it; with the level
//! at the end, as eslint's `unix` format does; with a rule's code for a level, as flake8, pylint and ruff do; and rustc's
//! long form, with the place on the next line.

use onus_model::FindingLevel;

use super::Found;

pub(super) fn read(text: &str) -> Found {
    let mut found = Found::default();
    // rustc's `error[E0308]: mismatched types`, which waits for its place.
    let mut waiting: Option<(FindingLevel, &str)> = None;
    for line in text.lines() {
        if let Some((level, message)) = waiting.take() {
            let place = line.trim_start().strip_prefix("--> ").and_then(place);
            found.add(level, place.map(|(path, line, _)| (path, Some(line))), message);
            if place.is_some() {
                continue;
            }
        }
        if let Some((level, message)) = leading_level(line) {
            waiting = (level != FindingLevel::Note && !is_sum(message)).then_some((level, message));
        } else if let Some((path, line, rest)) = place(line)
            && let Some((level, message)) = leading_level(rest)
                .or_else(|| code(rest))
                .or_else(|| trailing_level(rest))
        {
            found.add(level, Some((path, Some(line))), message);
        }
    }
    if let Some((level, message)) = waiting {
        found.add(level, None, message);
    }
    found
}

/// Splits `path:12:5: rest` or `path:12: rest`; rustc's `--> path:12:5` has no rest.
fn place(text: &str) -> Option<(&str, u32, &str)> {
    // A path may hold colons itself, so the first one with a number behind it counts.
    for (at, _) in text.match_indices(':').skip_while(|(at, _)| *at == 0) {
        let Some((line, rest)) = number(&text[at + 1..]) else {
            continue;
        };
        let rest = rest.strip_prefix(':').and_then(number).map_or(rest, |(_, rest)| rest);
        if rest.is_empty() || rest.starts_with(':') {
            return Some((&text[..at], line, rest.trim_start_matches(':').trim_start()));
        }
    }
    None
}

fn number(text: &str) -> Option<(u32, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..end].parse().ok()?, &text[end..]))
}

/// `error: message`, `error[E0308]: message`, `fatal error: message`.
fn leading_level(text: &str) -> Option<(FindingLevel, &str)> {
    let (head, message) = text.split_once(':')?;
    let word = head.split_once('[').map_or(head, |(word, _)| word).trim();
    Some((level(word)?, message.trim()))
}

fn level(word: &str) -> Option<FindingLevel> {
    let is = |words: &[&str]| words.iter().any(|known| word.eq_ignore_ascii_case(known));
    if is(&["error", "fatal error", "fatal"]) {
        Some(FindingLevel::Error)
    } else if is(&["warning"]) {
        Some(FindingLevel::Warning)
    } else if is(&["note", "help", "info"]) {
        Some(FindingLevel::Note)
    } else {
        None
    }
}

/// `F401 message` or `C0114: message`. Errors are those of pycodestyle, pyflakes and pylint's two worst kinds.
fn code(text: &str) -> Option<(FindingLevel, &str)> {
    let word = text.split([' ', ':']).next()?;
    let digits = word.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let letters = &word[..word.len() - digits.len()];
    let is_code =
        matches!(letters.len(), 1..=4) && matches!(digits.len(), 2..=5) && digits.bytes().all(|b| b.is_ascii_digit());
    let level = if matches!(letters, "E" | "F") {
        FindingLevel::Error
    } else {
        FindingLevel::Warning
    };
    is_code.then_some((level, text))
}

/// `message [Error/no-undef]`
fn trailing_level(text: &str) -> Option<(FindingLevel, &str)> {
    let (_, tail) = text.strip_suffix(']')?.rsplit_once('[')?;
    let word = tail.split_once('/').map_or(tail, |(word, _)| word);
    Some((level(word)?, text))
}

/// What rustc and cargo say at the end, of errors and warnings that have been told before.
fn is_sum(message: &str) -> bool {
    message.starts_with("could not compile ")
        || message.starts_with("aborting due to ")
        || (message.starts_with('`') && message.contains(" generated ") && message.contains(" warning"))
}
