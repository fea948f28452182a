//! Foreign text made safe and short enough to show, and measured well enough to be broken into lines.

/// Names and labels are cut after this many characters.
pub(super) const NAME_MAX: usize = 160;
/// Sentences are cut after this many characters.
pub(super) const PROSE_MAX: usize = 600;
/// Marks that may stand on one letter; more of them paint over the lines above.
const MARKS_MAX: usize = 4;

/// Appends formatted text to a string.
macro_rules! put {
    ($out:expr, $($arg:tt)*) => {{
        use std::fmt::Write as _;
        // Writing to a string cannot fail.
        let _ = write!($out, $($arg)*);
    }};
}
pub(super) use put;

/// One line, every character visible, at most `max` characters. Not yet escaped.
pub(super) fn visible(text: &str, max: usize) -> String {
    let mut line = String::new();
    let mut length = 0;
    let mut marks = 0;
    let mut words = text.split_whitespace().peekable();
    while let Some(word) = words.next() {
        for character in word.chars() {
            if length >= max {
                line.push('…');
                return line;
            }
            marks = if is_mark(character) { marks + 1 } else { 0 };
            if is_hidden(character) || marks > MARKS_MAX {
                let shown = shown(character);
                length += shown.chars().count();
                line.push_str(&shown);
            } else {
                length += 1;
                line.push(character);
            }
        }
        if words.peek().is_some() {
            length += 1;
            line.push(' ');
        }
    }
    if line.is_empty() { "(empty)".to_owned() } else { line }
}

/// What stands for a character that cannot be seen.
fn shown(character: char) -> String {
    match u32::from(character) {
        code @ 0..0x20 => char::from_u32(0x2400 + code).map(String::from).unwrap_or_default(),
        0x7f => "␡".to_owned(),
        code => format!("⟨U+{code:04X}⟩"),
    }
}

/// Characters that turn, hide or break what stands around them.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(u32::from(character),
            0xad | 0x61c | 0x180e | 0x200b | 0x200e | 0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0xfeff
            | 0xfff0..=0xfffb | 0xe000..=0xf8ff | 0xe0000..=0x0010_ffff)
        || u32::from(character) & 0xfffe == 0xfffe
}

fn is_mark(character: char) -> bool {
    matches!(u32::from(character),
        0x300..=0x36f | 0x483..=0x489 | 0x1ab0..=0x1aff | 0x1dc0..=0x1dff | 0x20d0..=0x20ff | 0xfe20..=0xfe2f)
}

/// Safe between tags and inside a quoted attribute.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}

/// A name, ready for the page.
pub(super) fn name(text: &str) -> String {
    escaped(&visible(text, NAME_MAX))
}

/// A sentence or two, ready for the page.
pub(super) fn prose(text: &str) -> String {
    escaped(&visible(text, PROSE_MAX))
}

/// `1 step`, `2 steps`.
pub(super) fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// Hundredths of a point as people write them: `91.25`, `91.5`, `80`.
pub(super) fn points(hundredths: u16) -> String {
    let (whole, rest) = (hundredths / 100, hundredths % 100);
    match (rest, rest % 10) {
        (0, _) => whole.to_string(),
        (_, 0) => format!("{whole}.{}", rest / 10),
        _ => format!("{whole}.{rest:02}"),
    }
}

/// For geometry: a count as a coordinate.
pub(super) fn int(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

/// How wide a text is at most, in pixels at a font size. Fonts differ from machine to machine, so this errs on the wide side.
pub(super) fn width(text: &str, size: i32) -> i32 {
    let hundredths: i32 = text.chars().map(character_width).fold(0, i32::saturating_add);
    hundredths.saturating_mul(size).saturating_add(99) / 100
}

/// Hundredths of the font size.
fn character_width(character: char) -> i32 {
    match character {
        'i' | 'j' | 'l' | '.' | ',' | ';' | ':' | '\'' | '|' | '!' | ' ' => 34,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '/' | '-' | 'I' => 44,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '…' => 98,
        'A'..='Z' => 74,
        '\u{0}'..='\u{2ff}' => 63,
        '\u{370}'..='\u{58f}' => 76,
        other if is_mark(other) => 0,
        _ => 105,
    }
}

/// Lines of at most `room` pixels; what does not fit in `lines_max` of them ends in an ellipsis. Not yet escaped.
pub(super) fn wrapped(text: &str, room: i32, size: i32, lines_max: usize) -> Vec<String> {
    let text = visible(text, PROSE_MAX);
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        let joined = if line.is_empty() {
            word.to_owned()
        } else {
            format!("{line} {word}")
        };
        if width(&joined, size) <= room {
            line = joined;
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        for character in word.chars() {
            if !line.is_empty() && width(&line, size) + width(&character.to_string(), size) > room {
                lines.push(std::mem::take(&mut line));
            }
            line.push(character);
        }
    }
    lines.push(line);
    if lines.len() > lines_max {
        lines.truncate(lines_max);
        if let Some(last) = lines.last_mut() {
            while !last.is_empty() && width(last, size) + width("…", size) > room {
                last.pop();
            }
            let kept = last.trim_end().len();
            last.truncate(kept);
            last.push('…');
        }
    }
    lines
}

/// One line of at most `room` pixels. Not yet escaped.
pub(super) fn fitted(text: &str, room: i32, size: i32) -> String {
    wrapped(text, room, size, 1).pop().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_shown() {
        let cases = [
            ("a\u{0}b", "a␀b"),
            ("a\u{1b}[31m", "a␛[31m"),
            ("\u{7f}", "␡"),
            ("x\u{202e}y", "x⟨U+202E⟩y"),
            ("x\u{2066}y\u{2069}", "x⟨U+2066⟩y⟨U+2069⟩"),
            ("\u{200b}", "⟨U+200B⟩"),
            ("\u{feff}", "⟨U+FEFF⟩"),
            ("\u{ffff}", "⟨U+FFFF⟩"),
            ("soft\u{ad}hyphen", "soft⟨U+00AD⟩hyphen"),
            ("\u{85}\u{9f}", "⟨U+009F⟩"),
            ("two\n\n lines\t", "two lines"),
            ("  ", "(empty)"),
            ("日本 émoji 🙂", "日本 émoji 🙂"),
            (
                "e\u{301}\u{301}\u{301}\u{301}\u{301}",
                "e\u{301}\u{301}\u{301}\u{301}⟨U+0301⟩",
            ),
        ];
        for (text, want) in cases {
            assert_eq!(visible(text, 100), want, "{text:?}");
        }
    }

    #[test]
    fn long_text_is_cut_with_a_mark() {
        assert_eq!(visible("abcdef", 3), "abc…");
        assert_eq!(visible("abc", 3), "abc");
        assert!(visible(&"\u{202e}".repeat(10_000), 100).chars().count() < 120);
    }

    #[test]
    fn lines_fit_their_room() {
        for text in [
            "a short text",
            &"W".repeat(10_000),
            &"word ".repeat(100),
            "日本語のとても長い説明文です",
        ] {
            for lines_max in [1, 2, 7] {
                let lines = wrapped(text, 120, 14, lines_max);
                assert!(lines.len() <= lines_max, "{lines:?}");
                assert!(lines.iter().all(|line| width(line, 14) <= 120), "{lines:?}");
            }
        }
        assert_eq!(wrapped("pay by card", 60, 14, 5), ["pay by", "card"]);
        assert_eq!(fitted("pay by card", 60, 14), "pay b…");
    }

    #[test]
    fn points_are_written_briefly() {
        for (hundredths, want) in [(0, "0"), (5, "0.05"), (9150, "91.5"), (9125, "91.25"), (10_000, "100")] {
            assert_eq!(points(hundredths), want);
        }
    }
}
