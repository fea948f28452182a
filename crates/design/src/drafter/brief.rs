//! Reads a brief: Markdown in, statements with their lines out. What cannot become a design is an error that says so.

use serde::{Deserialize, Serialize};

use super::contradiction;
use super::english;
use super::meaning;
use super::technology;
use super::text::{Token, clip, joined, tokens};

/// More than any brief a person reads; a larger text is something else.
pub const BRIEF_BYTES_MAX: usize = 256 * 1024;
/// More statements than one feature has; every two of them are compared.
pub const STATEMENTS_MAX: usize = 1000;
/// Below this many words a share of English words says nothing.
const WORDS_TO_JUDGE_LANGUAGE: usize = 12;

/// What somebody wants, as they wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Brief {
    pub title: String,
    pub statements: Vec<Statement>,
    /// What was read but left out on purpose.
    pub notes: Vec<Note>,
}

/// One thing the brief says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    /// Where it begins, counted from 1.
    pub line: usize,
    /// The nearest heading above; empty if there is none.
    pub heading: String,
    pub part: Part,
    pub form: Form,
    /// Without Markdown marks and without names of technologies.
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    Goals,
    Data,
    /// Said to be no part of this: read for contradictions, never drafted.
    OutOfScope,
    /// The first paragraph: how things are today.
    Background,
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// `As a … I want … so that …`
    Story {
        actor: String,
        want: String,
        so_that: Option<String>,
    },
    Bullet,
    Sentence,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    pub line: usize,
    pub message: String,
}

/// Why a text is no brief to draft from.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BriefError {
    #[error(
        "the brief is empty; write a title and at least one line such as `As a customer I want to track my order so that I know when it comes`"
    )]
    Empty,
    #[error("the brief has {bytes} bytes, at most {max} are read; keep what people want to do, link the rest")]
    TooLarge { bytes: usize, max: usize },
    #[error("the brief has {statements} statements, at most {max} are read; split it into several features")]
    TooMany { statements: usize, max: usize },
    #[error("line {line}: the brief holds the control character U+{code:04X}; save it as plain text")]
    NotText { line: usize, code: u32 },
    #[error(
        "line {line}: only {known} of {words} words are English that is known here; the drafter reads English briefs only, translate it or choose a model agent"
    )]
    NotEnglish { line: usize, known: usize, words: usize },
    #[error(
        "the brief says nothing that somebody does: no user story, no bullet or sentence with a verb such as `search`, `book` or `approve`; add one per thing that people must be able to do"
    )]
    NothingToDo,
    #[error(
        "lines {first_line} and {second_line} contradict each other about {about}: `{first}` and `{second}`; decide for one and change the other"
    )]
    Contradiction {
        about: String,
        first_line: usize,
        first: String,
        second_line: usize,
        second: String,
    },
}

/// Reads a brief. The same text gives the same brief everywhere.
pub fn read_brief(text: &str) -> Result<Brief, BriefError> {
    if text.len() > BRIEF_BYTES_MAX {
        return Err(BriefError::TooLarge {
            bytes: text.len(),
            max: BRIEF_BYTES_MAX,
        });
    }
    let text = text
        .trim_start_matches('\u{feff}')
        .replace("\r\n", "\n")
        .replace('\r', "\n");
    for (at, line) in text.lines().enumerate() {
        if let Some(control) = line.chars().find(|c| c.is_control() && *c != '\t' && *c != '\u{c}') {
            return Err(BriefError::NotText {
                line: at + 1,
                code: u32::from(control),
            });
        }
    }
    if !text.chars().any(char::is_alphanumeric) {
        return Err(BriefError::Empty);
    }
    let blocks = blocks(&text);
    judge_language(&blocks)?;
    let (title, statements) = statements(&blocks);
    if statements.is_empty() && title.is_empty() {
        return Err(BriefError::Empty);
    }
    if statements.len() > STATEMENTS_MAX {
        return Err(BriefError::TooMany {
            statements: statements.len(),
            max: STATEMENTS_MAX,
        });
    }
    if let Some(found) = contradiction::find(&statements) {
        return Err(found);
    }
    let mut brief = Brief {
        title,
        statements,
        notes: Vec::new(),
    };
    technology::leave_out(&mut brief);
    for statement in brief
        .statements
        .iter()
        .filter(|statement| statement.part == Part::OutOfScope)
    {
        brief.notes.push(Note {
            line: statement.line,
            message: format!("`{}` is out of scope and not drafted", clip(&statement.text, 80)),
        });
    }
    brief.notes.sort_by_key(|note| note.line);
    if meaning::of(&brief).features.is_empty() {
        return Err(BriefError::NothingToDo);
    }
    Ok(brief)
}

#[derive(Debug)]
enum Shape {
    Heading(u8),
    Bullet,
    Paragraph,
}

#[derive(Debug)]
struct Block {
    shape: Shape,
    /// Lines of the block with their numbers; marks are gone.
    lines: Vec<(usize, String)>,
}

impl Block {
    fn text(&self) -> String {
        self.lines
            .iter()
            .map(|(_, line)| line.as_str())
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn line(&self) -> usize {
        self.lines.first().map_or(1, |(line, _)| *line)
    }
}

/// Headings, list items and paragraphs. Code, comments, front matter and pictures are no part of what is said.
fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut goes_on = false;
    let mut fence: Option<&str> = None;
    let mut in_comment = false;
    let mut in_front_matter = text.starts_with("---\n") && text[4..].lines().any(|line| line.trim_end() == "---");
    for (at, raw) in text.lines().enumerate() {
        let number = at + 1;
        let trimmed = raw.trim();
        if in_front_matter {
            in_front_matter = number == 1 || trimmed != "---";
            continue;
        }
        if let Some(mark) = fence {
            if trimmed.starts_with(mark) {
                fence = None;
            }
            continue;
        }
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            fence = Some(if trimmed.starts_with("```") { "```" } else { "~~~" });
            goes_on = false;
            continue;
        }
        if in_comment || trimmed.starts_with("<!--") {
            in_comment = !trimmed.contains("-->");
            continue;
        }
        let (shape, line) = shape_of(trimmed);
        let underline = !trimmed.is_empty()
            && (trimmed.chars().all(|c| c == '=') || trimmed.chars().all(|c| c == '-') && trimmed.len() > 2);
        if underline {
            if let Some(last) = blocks
                .last_mut()
                .filter(|last| goes_on && matches!(last.shape, Shape::Paragraph) && last.lines.len() == 1)
            {
                last.shape = Shape::Heading(if trimmed.starts_with('=') { 1 } else { 2 });
            }
            goes_on = false;
            continue;
        }
        if line.is_empty() {
            // The row above the rule of a table is its header.
            if trimmed.starts_with('|') && goes_on {
                blocks.pop();
            }
            goes_on = false;
            continue;
        }
        let plain = (number, without_marks(&line));
        match (shape, blocks.last_mut()) {
            // Stories often stand line by line, without a blank line between them.
            (Shape::Paragraph, Some(last)) if goes_on && !(opens_story(&plain.1) && is_story(&last.text())) => {
                last.lines.push(plain)
            }
            (shape, _) => {
                goes_on = !matches!(shape, Shape::Heading(_));
                blocks.push(Block {
                    shape,
                    lines: vec![plain],
                });
            }
        }
    }
    blocks
}

fn shape_of(trimmed: &str) -> (Shape, String) {
    let line = trimmed.trim_start_matches("> ").trim_start_matches('>').trim();
    // A short line in bold is a heading to everyone who reads it.
    let bold = line
        .strip_prefix("**")
        .and_then(|rest| rest.strip_suffix("**"))
        .filter(|inner| !inner.contains("**") && inner.len() < 60);
    if let Some(inner) = bold {
        return (Shape::Heading(3), inner.trim_end_matches(':').trim().to_owned());
    }
    let hashes = line.chars().take_while(|c| *c == '#').count();
    if (1..=6).contains(&hashes) && line[hashes..].starts_with(' ') {
        let level = u8::try_from(hashes).unwrap_or(6);
        return (
            Shape::Heading(level),
            line[hashes..].trim().trim_end_matches('#').trim().to_owned(),
        );
    }
    for mark in ["- ", "* ", "+ ", "• ", "– "] {
        if let Some(rest) = line.strip_prefix(mark) {
            let rest = rest.trim();
            let unticked = rest
                .strip_prefix("[ ]")
                .or_else(|| rest.strip_prefix("[x]"))
                .or_else(|| rest.strip_prefix("[X]"));
            return (Shape::Bullet, unticked.unwrap_or(rest).trim().to_owned());
        }
    }
    let digits = line.chars().take_while(char::is_ascii_digit).count();
    if (1..=3).contains(&digits) {
        let rest = &line[digits..];
        if let Some(rest) = rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")) {
            return (Shape::Bullet, rest.trim().to_owned());
        }
    }
    if line.starts_with('|') {
        let cells: Vec<&str> = line
            .trim_matches('|')
            .split('|')
            .map(str::trim)
            .filter(|cell| !cell.is_empty())
            .collect();
        let rule = cells
            .iter()
            .all(|cell| cell.chars().all(|c| matches!(c, '-' | ':' | ' ')));
        return (Shape::Bullet, if rule { String::new() } else { cells.join(": ") });
    }
    (Shape::Paragraph, line.to_owned())
}

/// Links become their words; emphasis, code marks and tags go.
fn without_marks(line: &str) -> String {
    let mut plain = String::new();
    let mut rest = line;
    while let Some(open) = rest.find('[') {
        let (before, from) = rest.split_at(open);
        plain.push_str(before.strip_suffix('!').unwrap_or(before));
        let link = from
            .find("](")
            .and_then(|middle| from[middle..].find(')').map(|end| (middle, middle + end)));
        match link {
            Some((middle, end)) => {
                plain.push_str(&from[1..middle]);
                rest = &from[end + 1..];
            }
            None => {
                plain.push('[');
                rest = &from[1..];
            }
        }
    }
    plain.push_str(rest);
    let mut text = String::new();
    let mut in_tag = false;
    for (at, letter) in plain.char_indices() {
        let begins_tag = letter == '<'
            && plain[at + 1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/')
            && plain[at..].contains('>');
        in_tag = in_tag || begins_tag;
        if !in_tag && !matches!(letter, '*' | '`' | '~') {
            text.push(if letter == '_' { ' ' } else { letter });
        }
        in_tag = in_tag && letter != '>';
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn judge_language(blocks: &[Block]) -> Result<(), BriefError> {
    let (mut words, mut known, mut foreign_line) = (0, 0, None);
    for block in blocks {
        for (line, text) in &block.lines {
            let mut known_here = 0;
            for token in tokens(text)
                .iter()
                .filter(|token| token.lower.chars().any(char::is_alphabetic))
            {
                words += 1;
                known_here +=
                    usize::from(english::is_function_word(&token.lower) || english::verb_base(&token.lower).is_some());
            }
            if known_here == 0 && foreign_line.is_none() && text.chars().any(char::is_alphabetic) {
                foreign_line = Some(*line);
            }
            known += known_here;
        }
    }
    // In English about half of all words are such words; bullets without any sentence still have one in five.
    if words >= WORDS_TO_JUDGE_LANGUAGE && known * 100 < words * 18 {
        return Err(BriefError::NotEnglish {
            line: foreign_line.unwrap_or(1),
            known,
            words,
        });
    }
    Ok(())
}

fn part_of(heading: &str) -> Part {
    let lower = heading.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if says(&[
        "out of scope",
        "non-goal",
        "non goal",
        "not in scope",
        "not included",
        "won't",
        "not now",
        "not part",
    ]) {
        Part::OutOfScope
    } else if says(&["goal", "objective", "why", "outcome", "benefit", "purpose", "success"]) {
        Part::Goals
    } else if says(&[
        "data",
        "entit",
        "fields",
        "what we keep",
        "what is kept",
        "records",
        "information model",
        "things we",
    ]) {
        Part::Data
    } else {
        Part::Other
    }
}

fn statements(blocks: &[Block]) -> (String, Vec<Statement>) {
    let mut title = String::new();
    let mut heading = String::new();
    let mut background_read = false;
    let mut lead: Option<Statement> = None;
    let mut listed: Vec<String> = Vec::new();
    let mut found: Vec<Statement> = Vec::new();
    for (at, block) in blocks.iter().enumerate() {
        let text = block.text();
        if !matches!(block.shape, Shape::Bullet) {
            close_lead(&mut found, lead.take(), &mut listed);
        }
        let here = |form: Form, text: String, line: usize| Statement {
            line,
            heading: heading.clone(),
            part: part_of(&heading),
            form,
            text,
        };
        match block.shape {
            Shape::Heading(level) => {
                if title.is_empty() && (level == 1 || (at == 0 && level < 3)) {
                    title = clip(&text, 120);
                } else {
                    heading = text;
                }
            }
            Shape::Bullet => match &lead {
                Some(open) if is_data_lead(&open.text) => {
                    listed.push(text.trim_end_matches(['.', ',', ';']).to_owned())
                }
                Some(open) if is_modal_lead(&open.text) => {
                    let joined = format!("{} {}", open.text.trim_end_matches(':'), super::text::small(&text));
                    found.extend(
                        split(block, &Form::Bullet)
                            .into_iter()
                            .take(1)
                            .map(|(_, _, line)| here(Form::Sentence, joined.clone(), line)),
                    );
                }
                Some(_) | None => found.extend(
                    split(block, &Form::Bullet)
                        .into_iter()
                        .map(|(form, text, line)| here(form, text, line)),
                ),
            },
            Shape::Paragraph
                if title.is_empty()
                    && at == 0
                    && block.lines.len() == 1
                    && !text.ends_with(['.', ':', '!', '?'])
                    && !is_story(&text) =>
            {
                title = clip(text.trim_start_matches("Title:").trim(), 120);
            }
            Shape::Paragraph => {
                let mut all: Vec<Statement> = split(block, &Form::Sentence)
                    .into_iter()
                    .map(|(form, text, line)| here(form, text, line))
                    .collect();
                if !background_read && blocks.len() > at + 1 && heading.is_empty() {
                    all.iter_mut()
                        .filter(|one| one.form == Form::Sentence)
                        .for_each(|one| one.part = Part::Background);
                }
                background_read = true;
                if text.ends_with(':') {
                    lead = all.pop();
                }
                found.extend(all);
            }
        }
    }
    close_lead(&mut found, lead.take(), &mut listed);
    if title.is_empty() {
        title = found.first().map_or_else(String::new, |first| title_of(&first.text));
    }
    (title, found)
}

/// `Build a customer portal.` is about a customer portal.
fn title_of(text: &str) -> String {
    let all = tokens(text.trim_end_matches(['.', '!', '?']));
    let orders = [
        "build", "create", "develop", "design", "make", "write", "a", "an", "the", "please", "us",
    ];
    let skip = if all.first().is_some_and(|first| first.is_one_of(&orders[..6])) {
        all.iter().take_while(|token| token.is_one_of(&orders)).count()
    } else {
        0
    };
    clip(&super::text::capital(&joined(&all[skip..])), 60)
}

/// A lead such as `Every recipe has:` and its list are one statement; another lead is one of its own.
fn close_lead(found: &mut Vec<Statement>, lead: Option<Statement>, listed: &mut Vec<String>) {
    let Some(mut lead) = lead else { return };
    lead.text = lead.text.trim_end_matches(':').trim().to_owned();
    if !listed.is_empty() {
        lead.text = format!("{} {}.", lead.text, super::text::listing(listed));
        listed.clear();
        found.push(lead);
    } else if !is_modal_lead(&lead.text) && tokens(&lead.text).len() > 5 {
        found.push(lead);
    }
}

fn last_word(text: &str) -> String {
    tokens(text)
        .iter()
        .rev()
        .find(|token| token.is_word())
        .map_or_else(String::new, |token| token.lower.clone())
}

fn is_data_lead(text: &str) -> bool {
    [
        "has", "have", "contains", "contain", "includes", "include", "with", "records", "record", "of", "keeps",
    ]
    .contains(&last_word(text).as_str())
}

fn is_modal_lead(text: &str) -> bool {
    ["can", "may", "must", "should", "to", "will"].contains(&last_word(text).as_str())
}

/// Sentences of a block, each with the line it begins on.
fn split(block: &Block, first: &Form) -> Vec<(Form, String, usize)> {
    let text = block.text();
    if let Some(story) = story(&text) {
        return vec![(story, text, block.line())];
    }
    let mut found: Vec<(Form, String, usize)> = Vec::new();
    let mut begin = 0;
    let letters: Vec<(usize, char)> = text.char_indices().collect();
    for (at, (offset, letter)) in letters.iter().enumerate() {
        let ends = matches!(letter, '.' | '!' | '?' | ';')
            && letters.get(at + 1).is_none_or(|(_, next)| next.is_whitespace())
            && !ends_with_abbreviation(&text[begin..*offset]);
        if ends || at + 1 == letters.len() {
            let end = offset + letter.len_utf8();
            let sentence = text[begin..end].trim();
            if sentence.chars().any(char::is_alphanumeric) {
                let form = story(sentence).unwrap_or_else(|| {
                    if found.is_empty() {
                        first.clone()
                    } else {
                        Form::Sentence
                    }
                });
                let lead = text[begin..end].len() - text[begin..end].trim_start().len();
                found.push((form, sentence.to_owned(), line_at(block, begin + lead)));
            }
            begin = end;
        }
    }
    found
}

fn ends_with_abbreviation(text: &str) -> bool {
    [
        "e.g", "i.e", "etc", " vs", " no", "approx", " Dr", " Mr", " Mrs", " max", " min",
    ]
    .iter()
    .any(|short| text.ends_with(short))
}

fn line_at(block: &Block, offset: usize) -> usize {
    let mut passed = 0;
    for (line, text) in &block.lines {
        passed += text.len() + 1;
        if offset < passed {
            return *line;
        }
    }
    block.line()
}

fn opens_story(line: &str) -> bool {
    let lower = line.to_lowercase();
    lower.starts_with("as a ") || lower.starts_with("as an ") || lower.starts_with("as the ")
}

fn is_story(text: &str) -> bool {
    story(text).is_some()
}

/// `As a librarian, I want to … so that …`, also with the reason first.
fn story(text: &str) -> Option<Form> {
    let all = tokens(text);
    let position = |from: usize, wanted: &dyn Fn(usize) -> bool| (from..all.len()).find(|at| wanted(*at));
    let word = |at: usize, what: &[&str]| all.get(at).is_some_and(|token| token.is_one_of(what));
    let start = position(0, &|at| word(at, &["as"]) && word(at + 1, &["a", "an", "the", "our"]))?;
    let reason_first = word(0, &["in"]) && word(1, &["order"]) && start > 3;
    if start > 0 && !reason_first && !word(0, &["story", "(", "\"", "us"]) && start > 2 {
        return None;
    }
    let want = position(start, &|at| {
        word(at, &["i", "we"])
            && word(
                at + 1,
                &[
                    "want", "need", "would", "wish", "must", "should", "can", "expect", "like", "have",
                ],
            )
            || word(at, &["i'd"]) && word(at + 1, &["like"])
    })?;
    let mut begin = want
        + if word(want + 1, &["would"]) || word(want + 1, &["have"]) {
            3
        } else {
            2
        };
    if word(begin, &["to"]) || word(begin, &["that"]) {
        begin += 1;
    }
    if word(begin, &["be"]) && word(begin + 1, &["able"]) {
        begin += 3;
    }
    let reason = position(begin, &|at| {
        word(at, &["so"])
            && word(
                at + 1,
                &["that", "i", "we", "the", "they", "nobody", "no", "my", "our", "it"],
            )
            || word(at, &["because"])
            || word(at, &["in"]) && word(at + 1, &["order"]) && word(at + 2, &["to"])
    });
    let phrase = |from: usize, to: usize| {
        joined(all.get(from..to).unwrap_or_default())
            .trim_matches([' ', ',', '.', ';', ':'])
            .to_owned()
    };
    let so_that = match reason {
        Some(at) => {
            let skip = if word(at, &["in"]) {
                3
            } else if word(at + 1, &["that"]) {
                2
            } else {
                1
            };
            Some(phrase(at + skip, all.len()))
        }
        None if reason_first => Some(phrase(3, start)),
        None => None,
    };
    let actor = actor_name(&all[start + 2..want]);
    let want = phrase(begin, reason.unwrap_or(all.len()));
    (!actor.is_empty() && !want.is_empty()).then_some(Form::Story {
        actor,
        want,
        so_that: so_that.filter(|goal| !goal.is_empty()),
    })
}

/// `busy nurse on night shift` stays as it is; marks go.
fn actor_name(words: &[Token]) -> String {
    let until = words
        .iter()
        .position(|token| token.is_one_of(&[",", "who", "that"]))
        .unwrap_or(words.len());
    clip(&joined(&words[..until]), 60)
}
