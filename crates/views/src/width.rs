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
    #[test]
    fn columns_line_up_by_what_a_terminal_shows() {
        let row = |a: &str, b: &str| vec![a.to_owned(), b.to_owned()];
        let rows = [row("日本", "1"), row("abc", "2"), row("e\u{301}", "")];
        assert_eq!(super::table(&rows), "日本  1\nabc   2\ne\u{301}\n");
    }
}
