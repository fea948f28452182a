use std::collections::BTreeMap;

use onus_model::Globs;

use super::*;

struct Tree(BTreeMap<&'static str, &'static str>);

impl Files for Tree {
    fn paths(&self) -> Vec<&str> {
        self.0.keys().copied().collect()
    }

    fn read(&self, path: &str) -> Option<Vec<u8>> {
        self.0
            .get(path)
            .filter(|text| **text != "too large")
            .map(|text| text.as_bytes().to_vec())
    }
}

fn run(marker_text: &str, files: &[(&'static str, &'static str)], globs: &str, min: u32) -> String {
    let check = MarkerCheck {
        marker: marker_text.to_owned(),
        files: Globs(vec![globs.to_owned()]),
        min,
    };
    let result = marker(&check, &Tree(files.iter().copied().collect()));
    format!("{:?}: {}", result.outcome, result.why)
}

#[test]
fn a_marker_stands_at_the_start_of_a_line() {
    for (marker, line, expected) in [
        ("FINDING", "[FINDING] it leaks", true),
        ("FINDING", "[FINDING]", true),
        ("FINDING", "[FINDING]: it leaks", true),
        ("FINDING", "[FINDING:memory] it leaks", true),
        ("FINDING", "  - [FINDING] it leaks", true),
        ("FINDING", "> ## [FINDING] it leaks", true),
        ("FINDING", "// [FINDING] it leaks", true),
        ("FINDING", "see [FINDING]", false),
        ("FINDING", "`[FINDING]`", false),
        ("FINDING", "[FINDINGS]", false),
        ("FINDING", "[finding]", false),
        ("FINDING", "[FINDING:]", false),
        ("FINDING", "[FINDING:memory", false),
        ("FINDING", "[FINDING", false),
        ("METRIC:accuracy", "[METRIC:accuracy] 0.9", true),
        ("METRIC:accuracy", "[METRIC:accuracy:top5] 0.9", false),
        ("METRIC:accuracy", "[METRIC:recall] 0.9", false),
        ("METRIC:accuracy", "[METRIC] 0.9", false),
    ] {
        assert_eq!(stands_on(line, marker), expected, "{marker} {line}");
    }
}

#[test]
fn markers_are_counted_over_files() {
    let files = [
        ("a.md", "# One\n[X] one\n```\n[X] shown\n```\n- [X:y] two\n"),
        ("b.txt", "```\n[X] three\n```\n"),
        ("c.md", "~~~\n[X] never closed\n"),
        ("d.md", "too large"),
    ];
    for (globs, min, expected) in [
        ("**", 3, "Passed: `[X]` stands 3 times in 3 files; expected at least 3"),
        ("**", 4, "Failed: `[X]` stands 3 times in 3 files; expected at least 4"),
        (
            "**/*.txt",
            1,
            "Passed: `[X]` stands 1 times in 1 files; expected at least 1",
        ),
        ("**/*.rs", 1, "Failed: no file matches `**/*.rs`"),
    ] {
        assert_eq!(run("X", &files, globs, min), expected);
    }
    for bad in ["", " ", "[X]", "X:", "a\nb"] {
        assert!(run(bad, &files, "**", 0).starts_with("Unusable: "), "{bad:?}");
    }
}
