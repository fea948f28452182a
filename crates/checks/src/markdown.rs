//! The little of Markdown that Onus reads: fenced code and ATX headings (CommonMark rules).

/// What a line is, given the lines before it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    Text,
    /// Opens a fenced block; its first info word.
    FenceOpen(&'a str),
    FenceClose,
    Code,
    Heading(&'a str),
}

/// Reads lines one by one and remembers whether a fence is open.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    open: Option<(u8, usize)>,
}

impl Reader {
    pub(crate) fn read<'a>(&mut self, line: &'a str) -> Line<'a> {
        let fence = fence(line);
        match (self.open, fence) {
            (Some((mark, length)), Some(f)) if f.mark == mark && f.length >= length && f.info.is_empty() => {
                self.open = None;
                Line::FenceClose
            }
            (Some(_), _) => Line::Code,
            (None, Some(f)) => {
                self.open = Some((f.mark, f.length));
                Line::FenceOpen(f.info.split_whitespace().next().unwrap_or_default())
            }
            (None, None) => heading(line).map_or(Line::Text, Line::Heading),
        }
    }
}

struct Fence<'a> {
    mark: u8,
    length: usize,
    info: &'a str,
}

/// More than three spaces in front make a line indented code.
fn unindented(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(' ');
    (line.len() - rest.len() <= 3).then_some(rest)
}

fn fence(line: &str) -> Option<Fence<'_>> {
    let rest = unindented(line)?;
    let mark = *rest.as_bytes().first().filter(|b| matches!(b, b'`' | b'~'))?;
    let length = rest.bytes().take_while(|b| *b == mark).count();
    let info = rest[length..].trim();
    // A backtick in the info string makes it inline code.
    (length >= 3 && !(mark == b'`' && info.contains('`'))).then_some(Fence { mark, length, info })
}

fn heading(line: &str) -> Option<&str> {
    let rest = unindented(line)?;
    let text = rest.trim_start_matches('#');
    let level = rest.len() - text.len();
    if !(1..=6).contains(&level) || !(text.is_empty() || text.starts_with([' ', '\t', '\r'])) {
        return None;
    }
    let text = text.trim();
    let open = text.trim_end_matches('#');
    // `## Title ##` ends in decoration, `## C#` does not.
    Some(if open.is_empty() || open.ends_with([' ', '\t']) {
        open.trim_end()
    } else {
        text
    })
}

/// The content of the last fenced block whose info word is `json`. A block that is never closed runs to the end.
pub(crate) fn last_json_block(text: &str) -> Option<&str> {
    let mut reader = Reader::default();
    let mut found = None;
    let mut start = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        match reader.read(line.trim_end_matches(['\r', '\n'])) {
            Line::FenceOpen(info) if info.eq_ignore_ascii_case("json") => start = Some(at + line.len()),
            Line::FenceClose => found = start.take().map(|from| &text[from..at]).or(found),
            Line::FenceOpen(_) | Line::Code | Line::Text | Line::Heading(_) => {}
        }
        at += line.len();
    }
    start.map(|from| &text[from..]).or(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_atx_headings_outside_code() {
        for (line, expected) in [
            ("# One", Some("One")),
            ("   ###### Six ##", Some("Six")),
            ("## C#", Some("C#")),
            ("##", Some("")),
            ("## ##", Some("")),
            ("#\tTab", Some("Tab")),
            ("####### Seven", None),
            ("#hashtag", None),
            ("    # indented code", None),
            ("text # no", None),
        ] {
            assert_eq!(heading(line), expected, "{line}");
        }
    }

    #[test]
    fn the_last_json_block_is_found_by_fence_rules() {
        for (text, expected) in [
            ("```json\n1\n```\ntext\n```json\n2\n```\n", Some("2\n")),
            ("```JSON\r\n1\r\n```\r\n", Some("1\r\n")),
            ("~~~json\n```\n~~~", Some("```\n")),
            ("````markdown\n```json\n1\n```\n````\n", None),
            ("```json\n{\"cut\":", Some("{\"cut\":")),
            ("```json\n1\n```\n```\n2\n```\n", Some("1\n")),
            ("```json title=x\n1\n```", Some("1\n")),
            ("```js\n1\n```", None),
            ("no block", None),
            ("```json", Some("")),
        ] {
            assert_eq!(last_json_block(text), expected, "{text}");
        }
    }
}
