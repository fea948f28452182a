//! `pytest -v` and `pytest -rA`, their plain output. A test is its node id.
//!
//! What tests print stands between the list and the summary, and is not read.

use super::{TestStatus, Told, Totals};

/// `XPASS` was expected to fail, so the contract does not count on it; `RERUN` failed once, and the best of several tries
/// is no proof.
const WORDS: [(&str, TestStatus); 7] = [
    ("PASSED", TestStatus::Passed),
    ("FAILED", TestStatus::Failed),
    ("ERROR", TestStatus::Failed),
    ("RERUN", TestStatus::Failed),
    ("SKIPPED", TestStatus::Skipped),
    ("XFAIL", TestStatus::Skipped),
    ("XPASS", TestStatus::Skipped),
];

/// Parts of a test, since pytest 9: `file.py::test SUBPASSED[message] (i=0)`.
const SUBTEST_WORDS: [(&str, TestStatus); 3] = [
    (" SUBPASSED", TestStatus::Passed),
    (" SUBFAILED", TestStatus::Failed),
    (" SUBSKIPPED", TestStatus::Skipped),
];

/// The parts of the output, in order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    List,
    Details,
    Summary,
}

pub(super) fn read(text: &str) -> Told {
    let mut told = Told::default();
    let mut part = Part::List;
    let (mut listed, mut summed) = (Totals::default(), Totals::default());
    let mut collected = None;
    let mut says = None;
    for line in text.lines().map(str::trim_end) {
        if let Some(title) = banner(line, '!') {
            // `pytest.exit` and `--maxfail` leave early, the former with any exit code it likes.
            told.incomplete(format!("pytest says `{title}`"));
        } else if let Some(title) = banner(line, '=') {
            match totals(title) {
                Some(totals) => says = Some(totals),
                None if title == "short test summary info" => part = Part::Summary,
                None if title == "test session starts" => part = Part::List,
                None => part = Part::Details,
            }
        } else if part == Part::List {
            collected = collected.or_else(|| to_run(line));
            if let Some((name, status)) = listed_test(line) {
                listed.add(status, 1);
                told.tell(&name, status);
            }
        } else if part == Part::Summary {
            // With `-q` the totals have no `=` around them.
            says = totals(line).or(says);
            let Some(test) = summed_test(line) else { continue };
            summed.add(test.status, test.count);
            // `-rA` tells skipped tests by their place; where `-v` has named them, that is known better.
            if !(test.is_place && listed.all() > 0) {
                told.tell(test.name, test.status);
            }
        }
    }
    let Some(says) = says else {
        told.incomplete("no line such as `3 passed in 0.1s` at its end");
        return told;
    };
    if ![listed, summed].contains(&says) {
        let shows = if listed.all() > 0 { listed } else { summed };
        told.incomplete(format!(
            "pytest counts {says} and names {shows}; it names all with `-v` or `-rA`"
        ));
    }
    if let Some(collected) = collected.filter(|collected| *collected > says.all()) {
        told.incomplete(format!("pytest collected {collected} tests and ran {}", says.all()));
    }
    told
}

/// The title of a line such as `==== title ====`.
fn banner(line: &str, mark: char) -> Option<&str> {
    let title = line.trim_matches(mark);
    let framed = line.starts_with(mark) && line.ends_with(mark) && title.starts_with(' ') && title.ends_with(' ');
    framed.then(|| title.trim())
}

/// `1 failed, 2 passed, 1 skipped in 0.07s`
fn totals(line: &str) -> Option<Totals> {
    let (counts, seconds) = line.rsplit_once(" in ")?;
    if !seconds.starts_with(|c: char| c.is_ascii_digit()) || !seconds.contains('s') {
        return None;
    }
    let mut totals = Totals::default();
    for part in counts.split(", ") {
        let (count, word) = part.split_once(' ')?;
        let status = match word {
            "tests ran" if count == "no" => continue,
            "passed" | "subtests passed" => TestStatus::Passed,
            "failed" | "error" | "errors" | "rerun" => TestStatus::Failed,
            "skipped" | "xfailed" | "xpassed" | "subtests skipped" => TestStatus::Skipped,
            // Warnings, deselected tests and what plugins count.
            _ => {
                count.parse::<u64>().ok()?;
                continue;
            }
        };
        totals.add(status, count.parse().ok()?);
    }
    Some(totals)
}

/// How many tests are to run, from `collecting ... collected 5 items / 2 deselected / 3 selected`, or with several workers
/// `2 workers [3 items]`.
fn to_run(line: &str) -> Option<u64> {
    if let Some((_, items)) = line.split_once(" workers [") {
        return items.split_once(" item")?.0.parse().ok();
    }
    let (before, counts) = line.split_once("collected ")?;
    if !matches!(before, "" | "collecting ... ") {
        return None;
    }
    let mut counts = counts.split(" / ");
    let items = counts.next()?.split_once(" item")?.0.parse::<u64>().ok()?;
    let deselected = counts.find_map(|part| part.strip_suffix(" deselected")?.parse::<u64>().ok());
    Some(items.saturating_sub(deselected.unwrap_or(0)))
}

/// `file.py::test PASSED   [ 20%]`, or with several workers `[gw0] [ 20%] PASSED file.py::test`.
fn listed_test(line: &str) -> Option<(String, TestStatus)> {
    if let Some(rest) = line.strip_prefix("[gw") {
        let rest = rest.split_once("] ")?.1;
        let rest = rest
            .strip_prefix('[')
            .and_then(|rest| rest.split_once("] "))
            .map_or(rest, |(_, rest)| rest);
        let (word, name) = rest.split_once(' ')?;
        return Some((name.to_owned(), status(word)?));
    }
    let line = without_progress(line);
    let test = bare_word(line).or_else(|| word_with_reason(line));
    let (name, status) = test
        .map(|(name, status)| (name.trim_end().to_owned(), status))
        .or_else(|| subtest(line))?;
    name.contains("::").then_some((name, status))
}

fn bare_word(line: &str) -> Option<(&str, TestStatus)> {
    let (name, word) = line.rsplit_once(' ')?;
    Some((name, status(word)?))
}

/// `file.py::test SKIPPED (reason)`. The reason may say anything, so this never finds a test that passed.
fn word_with_reason(line: &str) -> Option<(&str, TestStatus)> {
    let skipped = WORDS
        .iter()
        .filter(|(_, status)| *status == TestStatus::Skipped && line.ends_with(')'));
    let places = skipped.filter_map(|(word, status)| Some((line.find(&format!(" {word} ("))?, *status)));
    let (at, status) = places.min_by_key(|(at, _)| *at)?;
    Some((&line[..at], status))
}

fn subtest(line: &str) -> Option<(String, TestStatus)> {
    SUBTEST_WORDS.iter().find_map(|(word, status)| {
        let (name, part) = line.split_once(word)?;
        part.starts_with(['[', '(', ' '])
            .then(|| (format!("{name}{part}"), *status))
    })
}

/// Without `[ 20%]` or `[1/5]` at the end.
fn without_progress(line: &str) -> &str {
    match line.strip_suffix(']').and_then(|rest| rest.rsplit_once(" [")) {
        Some((before, progress)) if progress.chars().all(|c| c.is_ascii_digit() || " %/".contains(c)) => {
            before.trim_end()
        }
        _ => line,
    }
}

fn status(word: &str) -> Option<TestStatus> {
    WORDS.iter().find(|(w, _)| *w == word).map(|(_, status)| *status)
}

struct Summed<'a> {
    name: &'a str,
    status: TestStatus,
    count: u64,
    is_place: bool,
}

/// `FAILED file.py::test - message`, `SKIPPED [2] file.py:3: reason`, `ERROR file.py`.
fn summed_test(line: &str) -> Option<Summed<'_>> {
    let (word, rest) = line.split_once(' ')?;
    if word.starts_with("SUBFAILED") {
        return Some(Summed {
            name: rest,
            status: TestStatus::Failed,
            count: 1,
            is_place: false,
        });
    }
    let status = status(word)?;
    if let Some((count, place)) = rest.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
        return Some(Summed {
            name: place.split_once(": ").map_or(place, |(place, _)| place),
            status,
            count: count.parse().ok()?,
            is_place: true,
        });
    }
    Some(Summed {
        // Only a test that passed has no message; a name of the others that holds ` - ` is cut, which costs nothing.
        name: if status == TestStatus::Passed {
            rest
        } else {
            rest.split_once(" - ").map_or(rest, |(name, _)| name)
        },
        status,
        count: 1,
        is_place: false,
    })
}
