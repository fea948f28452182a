//! How many terminal columns a text takes: enough of the Unicode tables to align names and numbers.

fn char_width(c: char) -> usize {
    match u32::from(c) {
        // Combining marks, joiners and variation selectors.
        0x300..=0x36f | 0x200c..=0x200d | 0x20d0..=0x20ff | 0xfe00..=0xfe0f => 0,
        // Hangul, CJK, kana, full-width forms and most emoji.
        0x1100..=0x115f
        | 0x2e80..=0x303e
        | 0x3041..=0xa4cf
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff00..=0xff60
        | 0xffe0..=0xffe6
        | 0x1f300..=0x1f64f
        | 0x1f680..=0x1faff
        | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

pub(crate) fn width(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

/// At most so many columns, with an ellipsis if something is missing.
pub(crate) fn clip(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut used = 0;
    let fits = |c: &char| {
        used += char_width(*c);
        used < columns
    };
    text.chars().take_while(fits).chain(std::iter::once('…')).collect()
}

/// Lines of at most so many columns, broken at spaces; a longer word is clipped. All but the first are indented.
pub(crate) fn wrap(text: &str, columns: usize, indent: usize) -> String {
    let (mut lines, mut line) = (Vec::new(), String::new());
    for word in text.split(' ') {
        let word = clip(word, columns.saturating_sub(indent));
        if !line.trim().is_empty() && width(&line) + 1 + width(&word) > columns {
            lines.push(std::mem::replace(&mut line, " ".repeat(indent)));
        } else if !line.trim().is_empty() {
            line.push(' ');
        }
        line.push_str(&word);
    }
    lines.push(line);
    lines.join("\n")
}

/// Rows in columns, two spaces apart, without spaces at the end of a line.
pub(crate) fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widest = |column: usize| {
        rows.iter()
            .filter_map(|row| row.get(column))
            .map(|cell| width(cell))
            .max()
    };
    let widths: Vec<usize> = (0..columns).map(|column| widest(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row
            .iter()
            .zip(&widths)
            .map(|(cell, max)| format!("{cell}{}", " ".repeat(max - width(cell))));
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{clip, width, wrap};

    #[test]
    fn clipping_counts_what_a_terminal_shows() {
        for (text, columns, clipped) in [
            ("abc", 3, "abc"),
            ("abcd", 3, "ab…"),
            ("日本語", 5, "日本…"),
            ("日本語", 4, "日…"),
        ] {
            assert_eq!(clip(text, columns), clipped);
        }
    }

    #[test]
    fn wrapped_lines_fit_and_lose_nothing_but_the_ends_of_long_words() {
        assert_eq!(wrap("one two three", 9, 2), "one two\n  three");
        assert_eq!(wrap("", 9, 2), "");
        let text = "a bb ccc dddd eeeee ffffff ".repeat(9);
        let wrapped = wrap(text.trim(), 20, 4);
        assert!(wrapped.lines().all(|line| width(line) <= 20), "{wrapped}");
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(&wrapped), words(&text));
    }

    #[test]
    fn columns_line_up_by_what_a_terminal_shows() {
        let row = |a: &str, b: &str| vec![a.to_owned(), b.to_owned()];
        let rows = [row("日本", "1"), row("abc", "2"), row("e\u{301}", "")];
        assert_eq!(super::table(&rows), "日本  1\nabc   2\ne\u{301}\n");
    }
}
