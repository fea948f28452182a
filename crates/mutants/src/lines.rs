//! Changes to lines, for texts whose grammar is not known: documents, settings, data, other languages.

use std::ops::Range;

use crate::edit::{Edit, Rank, shown};
use crate::paths::extension;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Markdown,
    Json,
    Yaml,
    Toml,
    /// Words for people.
    Prose,
    /// Some language.
    Code,
}

impl Form {
    fn of(path: &str) -> Form {
        match extension(path).as_str() {
            "md" | "markdown" => Form::Markdown,
            "json" => Form::Json,
            "yaml" | "yml" => Form::Yaml,
            "toml" => Form::Toml,
            "txt" | "rst" | "adoc" => Form::Prose,
            _ => Form::Code,
        }
    }
}

/// Whether a file holds words for people, by its name.
pub fn is_prose(path: &str) -> bool {
    matches!(Form::of(path), Form::Markdown | Form::Prose)
}

struct Line<'a> {
    /// With its line break.
    range: Range<usize>,
    text: &'a str,
    /// Blank, brackets only, or a comment.
    trivial: bool,
}

impl Line<'_> {
    fn indent(&self) -> usize {
        self.text.len() - self.text.trim_start().len()
    }

    fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }
}

pub(crate) fn edits(path: &str, text: &str) -> Vec<Edit> {
    let form = Form::of(path);
    let lines = split(text, form);
    let mut edits = Vec::new();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| !line.trivial) {
        edits.extend(section(form, &lines, at));
        edits.extend(removal(form, text, &lines, at));
        edits.extend(number(text, line));
        edits.extend(swap(form, &lines, at));
        if !matches!(form, Form::Json | Form::Toml | Form::Yaml) {
            edits.push(Edit {
                at: line.range.start,
                range: line.range.end..line.range.end,
                new: with_break(line.text),
                what: format!("repeated the line `{}`", shown(line.text)),
                rank: Rank::Again,
            });
        }
    }
    // The last line may lack its break; a repetition needs one before it.
    for edit in &mut edits {
        if edit.range == (text.len()..text.len()) && !text.ends_with('\n') {
            edit.new.insert(0, '\n');
        }
    }
    edits
}

fn split(text: &str, form: Form) -> Vec<Line<'_>> {
    let mut start = 0;
    let mut lines = Vec::new();
    for whole in text.split_inclusive('\n') {
        let text = whole.trim_end_matches(['\n', '\r']);
        let says_something = text.chars().any(char::is_alphanumeric);
        lines.push(Line {
            range: start..start + whole.len(),
            text,
            trivial: !says_something || is_comment(form, text.trim_start()),
        });
        start += whole.len();
    }
    lines
}

fn is_comment(form: Form, line: &str) -> bool {
    match form {
        // A fence is a bracket: without it the rest of the page is something else.
        Form::Markdown => ["<!--", "```", "~~~"].iter().any(|mark| line.starts_with(mark)),
        Form::Yaml | Form::Toml => line.starts_with('#'),
        Form::Code => ["#", "//", "/*", "* ", "--", ";;", "<!--"]
            .iter()
            .any(|mark| line.starts_with(mark)),
        Form::Json | Form::Prose => false,
    }
}

fn with_break(line: &str) -> String {
    format!("{line}\n")
}

/// Everything under a heading, or under a table's name.
fn section(form: Form, lines: &[Line<'_>], at: usize) -> Option<Edit> {
    let depth = heading(form, lines[at].text)?;
    let after = &lines[at + 1..];
    let ends = |line: &Line<'_>| heading(form, line.text).is_some_and(|other| other <= depth);
    let body = &after[..after.iter().position(ends).unwrap_or(after.len())];
    let (first, last) = (body.first()?, body.last()?);
    body.iter().any(|line| !line.trivial).then(|| Edit {
        at: lines[at].range.start,
        range: first.range.start..last.range.end,
        new: String::new(),
        what: format!("emptied the section `{}`", shown(lines[at].text)),
        rank: Rank::Body,
    })
}

/// How deep a heading is.
fn heading(form: Form, line: &str) -> Option<usize> {
    match form {
        Form::Markdown => {
            let marks = line.len() - line.trim_start_matches('#').len();
            (matches!(marks, 1..=6) && line[marks..].starts_with(' ')).then_some(marks)
        }
        Form::Toml => (line.starts_with('[') && line.trim_end().ends_with(']')).then_some(1),
        Form::Json | Form::Yaml | Form::Prose | Form::Code => None,
    }
}

fn removal(form: Form, text: &str, lines: &[Line<'_>], at: usize) -> Option<Edit> {
    let line = &lines[at];
    let what = |key: Option<&str>| match key {
        Some(key) => format!("removed the key `{}`", shown(key)),
        None => format!("removed the line `{}`", shown(line.text)),
    };
    let edit = |range: Range<usize>, key: Option<&str>| Edit {
        at: line.range.start,
        range,
        new: String::new(),
        what: what(key),
        rank: Rank::Removal,
    };
    let key = key(form, line.text);
    match form {
        Form::Json => {
            // Half of a bracket, or the only line, cannot go alone.
            let whole = !line.text.trim_end().ends_with(['{', '[']) && !line.text.trim_start().starts_with(['{', '[']);
            let next = lines[at + 1..].iter().find(|line| !line.is_blank())?;
            let is_last = next.text.trim_start().starts_with(['}', ']']);
            let comma = lines[..at].iter().rfind(|line| !line.is_blank()).filter(|_| is_last);
            let comma = comma.filter(|before| before.text.trim_end().ends_with(','));
            whole.then(|| match comma {
                // The line before is now the last, and takes no comma.
                Some(before) => Edit {
                    new: "\n".to_owned(),
                    ..edit(
                        before.range.start + before.text.trim_end().len() - 1..line.range.end,
                        key,
                    )
                },
                None => edit(line.range.clone(), key),
            })
        }
        // What belongs to a key stands deeper than it.
        Form::Yaml => {
            let deeper = |other: &Line<'_>| other.is_blank() || other.indent() > line.indent();
            let below = lines[at + 1..].iter().take_while(|other| deeper(other));
            let end = below
                .filter(|other| !other.is_blank())
                .last()
                .map_or(line.range.end, |last| last.range.end);
            Some(edit(line.range.start..end, key))
        }
        Form::Toml => {
            let opens = line.text.trim_end().ends_with(['[', '{', '('])
                || line.text.contains("\"\"\"")
                || line.text.contains("'''");
            (!opens).then(|| edit(line.range.clone(), key))
        }
        Form::Markdown | Form::Prose | Form::Code => {
            (line.range.len() < text.len()).then(|| edit(line.range.clone(), None))
        }
    }
}

/// The key a line sets.
fn key(form: Form, line: &str) -> Option<&str> {
    let separator = match form {
        Form::Json | Form::Yaml => ':',
        Form::Toml => '=',
        Form::Markdown | Form::Prose | Form::Code => return None,
    };
    let (key, _) = line.trim().trim_start_matches("- ").split_once(separator)?;
    let key = key.trim().trim_matches('"');
    (!key.is_empty() && !key.contains(['{', '['])).then_some(key)
}

/// The first number that stands for itself.
fn number(text: &str, line: &Line<'_>) -> Option<Edit> {
    let bytes = line.text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let digits = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 {
            at += 1;
            continue;
        }
        let before = line.text[..at].chars().next_back();
        let alone = !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '.' || c == '#');
        let list_mark = line.text[..at].trim().is_empty() && line.text[at + digits..].starts_with(". ");
        let value = line.text[at..at + digits]
            .parse::<u64>()
            .ok()
            .and_then(|value| value.checked_add(1));
        if let Some(value) = value.filter(|_| alone && !list_mark) {
            let range = line.range.start + at..line.range.start + at + digits;
            return Some(Edit::replace(text, range, value.to_string(), Rank::Number));
        }
        at += digits;
    }
    None
}

/// With the line right below, where both stand at the same depth and their order may mean something.
fn swap(form: Form, lines: &[Line<'_>], at: usize) -> Option<Edit> {
    let (line, next) = (&lines[at], lines.get(at + 1).filter(|next| !next.trivial)?);
    // The order of keys means nothing, and half of a nested value must not move.
    let ordered = matches!(form, Form::Markdown | Form::Prose | Form::Code);
    (ordered && line.indent() == next.indent()).then(|| Edit {
        at: line.range.start,
        range: line.range.start..next.range.end,
        new: with_break(next.text) + &with_break(line.text),
        what: format!("swapped the line `{}` with the one below", shown(line.text)),
        rank: Rank::Again,
    })
}
