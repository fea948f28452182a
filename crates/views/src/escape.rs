//! Text written by others, made safe to show: nothing in it can move the cursor, change colours, reorder or hide words.

/// Every character that would act on a terminal, or that a reader would not see, in a visible `\u{..}` form. Line breaks
/// and tabs stay; `\r\n` is a line break.
pub fn for_terminal(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' | '\t' => safe.push(c),
            '\r' if chars.peek() == Some(&'\n') => {}
            _ if acts_or_hides(c) => safe.extend(c.escape_unicode()),
            _ => safe.push(c),
        }
    }
    safe
}

/// The first line that says something, safe to show, at most `chars_max` characters long.
pub fn one_line(text: &str, chars_max: usize) -> String {
    let mut lines = text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    let kept: String = first.chars().take(chars_max).collect();
    let cut = kept.len() < first.len() || lines.next().is_some();
    let safe = for_terminal(&kept.replace('\t', " "));
    if cut { safe + "…" } else { safe }
}

fn acts_or_hides(c: char) -> bool {
    matches!(c,
        // C0 with escape, delete, C1.
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        // Marks, embeddings, overrides and isolates of the bidirectional algorithm; line and paragraph separators.
        | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        // Zero width, where no script needs it, and the invisible tag characters.
        | '\u{200b}' | '\u{2060}'..='\u{2065}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_on_a_terminal_becomes_visible() {
        for (text, safe) in [
            ("plain é 日本 👩‍💻\n\tx", "plain é 日本 👩‍💻\n\tx"),
            ("\x1b[31mred\x1b[0m", "\\u{1b}[31mred\\u{1b}[0m"),
            ("\x1b]0;title\x07", "\\u{1b}]0;title\\u{7}"),
            ("a\r\nb\rc", "a\nb\\u{d}c"),
            ("a\u{9b}2Jb\u{7f}\0", "a\\u{9b}2Jb\\u{7f}\\u{0}"),
            (
                "\u{202e}drow\u{2066}x\u{2069}\u{200f}",
                "\\u{202e}drow\\u{2066}x\\u{2069}\\u{200f}",
            ),
            (
                "pass\u{200b}word\u{feff}\u{e0041}",
                "pass\\u{200b}word\\u{feff}\\u{e0041}",
            ),
        ] {
            assert_eq!(for_terminal(text), safe);
        }
    }

    #[test]
    fn one_line_is_one_short_line() {
        for (text, line) in [
            ("\n  first\tline \nsecond", "first line…"),
            ("one", "one"),
            ("0123456789abc", "0123456789…"),
            ("a\x1b[2J", "a\\u{1b}[2J"),
            ("a\rb", "a…"),
            ("", ""),
        ] {
            assert_eq!(one_line(text, 10), line);
        }
    }
}
