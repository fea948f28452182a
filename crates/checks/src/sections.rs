//! Which sections of a Markdown artifact moved between two versions.

use std::collections::HashMap;

use onus_model::Changes;

use crate::markdown::{Line, Reader};
use crate::text::clip;

/// Section names that a list shows; the rest is counted.
const NAMES_MAX: usize = 20;
const NAME_CHARS_MAX: usize = 80;

/// Compares by ATX heading. A section is its heading and the text up to the next heading of any depth; white space at its
/// end does not matter. Without `before`, this is the initial generation.
pub fn changes(before: Option<&str>, after: &str) -> Changes {
    let Some(before) = before else {
        return Changes {
            initial: true,
            ..Changes::default()
        };
    };
    let (old, new) = (sections(before), sections(after));
    let old_text: HashMap<_, _> = old.iter().map(|s| (s.key, s.text)).collect();
    let new_text: HashMap<_, _> = new.iter().map(|s| (s.key, s.text)).collect();
    Changes {
        initial: false,
        added: names(new.iter().filter(|s| !old_text.contains_key(&s.key))),
        modified: names(
            new.iter()
                .filter(|s| old_text.get(&s.key).is_some_and(|text| *text != s.text)),
        ),
        removed: names(old.iter().filter(|s| !new_text.contains_key(&s.key))),
    }
}

struct Section<'a> {
    /// The heading, and how many before it have the same words.
    key: (&'a str, usize),
    text: &'a str,
}

fn sections(text: &str) -> Vec<Section<'_>> {
    let mut starts = vec![(None, 0)];
    let mut reader = Reader::default();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if let Line::Heading(name) = reader.read(line.trim_end_matches(['\r', '\n'])) {
            starts.push((Some(name), at));
        }
        at += line.len();
    }
    let first = if starts.len() == 1 {
        "(whole text)"
    } else {
        "(preamble)"
    };
    let ends = starts.iter().skip(1).map(|(_, start)| *start).chain([text.len()]);
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let mut found = Vec::with_capacity(starts.len());
    for ((name, start), end) in starts.iter().zip(ends) {
        let text = text[*start..end].trim_end();
        if name.is_none() && text.is_empty() {
            continue;
        }
        let name = name.unwrap_or(first);
        let nth = seen.entry(name).or_default();
        found.push(Section {
            key: (name, *nth),
            text,
        });
        *nth += 1;
    }
    found
}

fn names<'a>(sections: impl Iterator<Item = &'a Section<'a>>) -> Vec<String> {
    let mut all = sections.map(|Section { key: (name, nth), .. }| {
        let name = if name.is_empty() {
            "(no title)".to_owned()
        } else {
            clip(name, NAME_CHARS_MAX)
        };
        if *nth == 0 {
            name
        } else {
            format!("{name} ({})", nth + 1)
        }
    });
    let mut shown: Vec<String> = all.by_ref().take(NAMES_MAX).collect();
    let more = all.count();
    if more > 0 {
        shown.push(format!("… and {more} more"));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `+added ~modified -removed`, in one line.
    fn check(before: &str, after: &str) -> String {
        let found = changes(Some(before), after);
        let marked =
            |mark: &str, names: Vec<String>| names.into_iter().map(|n| format!("{mark}{n}")).collect::<Vec<_>>();
        [
            marked("+", found.added),
            marked("~", found.modified),
            marked("-", found.removed),
        ]
        .concat()
        .join(" ")
    }

    #[test]
    fn sections_are_compared_by_heading() {
        for (before, after, expected) in [
            ("# A\nx\n", "# A\nx\n\n\n", ""),
            ("# A\nx\n## B\ny\n", "# A\nx\n## B\nz\n# C\n", "+C ~B"),
            ("# A\n# B\n", "# B\n# A\n", ""),
            ("# A\nx", "## A\nx", "~A"),
            ("intro\n# A\n", "new intro\n# A\n", "~(preamble)"),
            ("# A\n", "intro\n# A\n", "+(preamble)"),
            ("plain", "plain text", "~(whole text)"),
            ("plain", "# A\nplain", "+A -(whole text)"),
            ("# A\n```\n# no heading\n```\n", "# A\n```\n# not one\n```\n", "~A"),
            ("# A\n# A\nx\n", "# A\n# A\ny\n# A\n", "+A (3) ~A (2)"),
            ("#\n", "# A\n", "+A -(no title)"),
            ("", "# A", "+A"),
            ("# A\r\nx\r\n", "# A\r\ny\r\n", "~A"),
        ] {
            assert_eq!(check(before, after), expected, "{before:?} -> {after:?}");
        }
        assert!(changes(None, "# A").initial);
    }

    #[test]
    fn lists_and_names_are_bounded() {
        let many: String = (0..100_000).map(|n| format!("# Section {n}\ntext\n")).collect();
        let added = changes(Some(""), &many).added;
        assert_eq!((added.len(), added[20].as_str()), (21, "… and 99980 more"));
        let long = changes(Some(""), &format!("# {}", "é".repeat(10 << 20))).added;
        assert_eq!(long[0].chars().count(), 81);
    }
}
