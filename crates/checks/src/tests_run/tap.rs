//! TAP 13 and 14, with subtests indented by four spaces. A test is its name, below another one `parent > name`.

use super::{TESTS_MAX, TestStatus, Told};

/// How deep subtests may go.
const DEPTH_MAX: usize = 32;

/// The longest name, with those of its parents: each of many subtests carries them all.
const NAME_BYTES_MAX: usize = 1_000;

pub(super) fn read(text: &str) -> Told {
    let mut told = Told::default();
    let mut levels = vec![Level::default()];
    // The indentation of an open block of details, whose content is the test's own.
    let mut details: Option<usize> = None;
    for line in text.lines() {
        let content = line.trim_start_matches(' ');
        let indent = line.len() - content.len();
        if let Some(opened) = details {
            if indent == opened && content.trim_end() == "..." {
                details = None;
            }
            continue;
        }
        match content.trim_end() {
            "---" if indent % 4 == 2 => details = Some(indent),
            content if indent % 4 == 0 => {
                let depth = indent / 4;
                if let Some(line) = Line::read(content) {
                    take(line, depth, &mut levels, &mut told);
                }
            }
            _ => {}
        }
    }
    // The last line could be cut in front of its `# SKIP`.
    if details.is_some() || !text.ends_with('\n') {
        told.incomplete("the output is cut off");
    }
    if levels.len() > 1 {
        told.incomplete("subtests without the test that they belong to");
    }
    for level in &levels {
        level.hold_against_plan(&mut told);
    }
    for (name, status) in levels.into_iter().flat_map(|level| level.tests) {
        told.tell_each(&name, status);
    }
    told
}

/// The tests of one level of indentation, up to the test they belong to.
#[derive(Default)]
struct Level {
    plan: Option<u64>,
    /// Tests of this level itself.
    own: u64,
    /// These and all below.
    tests: Vec<(String, TestStatus)>,
}

impl Level {
    fn add(&mut self, name: [&str; 3], status: TestStatus, told: &mut Told) {
        if self.tests.len() >= TESTS_MAX || name.iter().map(|part| part.len()).sum::<usize>() > NAME_BYTES_MAX {
            return told.incomplete("more tests or longer names than can be read");
        }
        self.tests.push((name.concat(), status));
    }

    fn hold_against_plan(&self, told: &mut Told) {
        match self.plan {
            None => told.incomplete("no plan such as `1..3`"),
            Some(plan) if plan != self.own => {
                told.incomplete(format!("the plan has {plan} tests, {} are there", self.own));
            }
            Some(_) => {}
        }
    }
}

fn take(line: Line, depth: usize, levels: &mut Vec<Level>, told: &mut Told) {
    if depth > levels.len() || depth > DEPTH_MAX {
        return told.incomplete("subtests are nested in a way that cannot be read");
    }
    if depth + 2 < levels.len() {
        told.incomplete("subtests without the test that they belong to");
    }
    let below = if depth + 1 < levels.len() { levels.pop() } else { None };
    if depth == levels.len() {
        levels.push(Level::default());
    }
    let Some(level) = levels.last_mut() else { return };
    match line {
        Line::Plan(_) if level.plan.is_some() => told.incomplete("two plans"),
        Line::Plan(plan) => level.plan = Some(plan),
        Line::BailOut => told.incomplete("the tests bailed out"),
        Line::Test { name, .. } if name.ends_with('{') => told.incomplete("subtests in braces cannot be read"),
        Line::Test { name, status } => {
            level.own += 1;
            let name = if name.is_empty() { level.own.to_string() } else { name };
            if let Some(below) = &below {
                below.hold_against_plan(told);
                for (sub, status) in &below.tests {
                    level.add([name.as_str(), " > ", sub], *status, told);
                }
            }
            level.add([name.as_str(), "", ""], status, told);
            return;
        }
    }
    if below.is_some() {
        told.incomplete("subtests without the test that they belong to");
    }
}

enum Line {
    Plan(u64),
    BailOut,
    Test { name: String, status: TestStatus },
}

impl Line {
    fn read(content: &str) -> Option<Line> {
        if let Some(plan) = content.strip_prefix("1..") {
            let digits = plan.split([' ', '#']).next().unwrap_or_default();
            return digits.parse().ok().map(Line::Plan);
        }
        if content.starts_with("Bail out!") {
            return Some(Line::BailOut);
        }
        let (ok, rest) = match content.strip_prefix("not ok") {
            Some(rest) => (false, rest),
            None => (true, content.strip_prefix("ok")?),
        };
        if !rest.is_empty() && !rest.starts_with(' ') {
            return None;
        }
        let (text, directive) = directive(rest);
        let text = text
            .trim_start()
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .trim();
        let name = text.strip_prefix("- ").unwrap_or(text).replace("\\#", "#");
        let status = match (ok, directive) {
            (_, Some(Directive::Todo)) | (true, Some(Directive::Skip)) => TestStatus::Skipped,
            (true, None) => TestStatus::Passed,
            (false, None | Some(Directive::Skip)) => TestStatus::Failed,
        };
        Some(Line::Test { name, status })
    }
}

enum Directive {
    Skip,
    Todo,
}

/// Splits off `# SKIP …` or `# TODO …`; a `\#` belongs to the name.
fn directive(text: &str) -> (&str, Option<Directive>) {
    for (at, _) in text.match_indices(" #") {
        let word = text[at + 2..].trim_start();
        let says = |wanted: &str| {
            word.get(..wanted.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(wanted))
        };
        if says("skip") {
            return (&text[..at], Some(Directive::Skip));
        }
        if says("todo") {
            return (&text[..at], Some(Directive::Todo));
        }
    }
    (text, None)
}
