//! Guessing from a task's words: its type, and the number of iterations it asks for.
//!
//! A guess only fills in a draft. It is never a confirmation.

use onus_model::TaskType;

use crate::file::{InferencePart, MAX_ITERATIONS_MAX};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inference {
    One(TaskType),
    /// Several types are named about equally; best first.
    Ambiguous(Vec<TaskType>),
    Unknown,
}

impl Inference {
    pub fn one(&self) -> Option<TaskType> {
        match self {
            Inference::One(task_type) => Some(*task_type),
            Inference::Ambiguous(_) | Inference::Unknown => None,
        }
    }
}

/// What the words of one type add up to in one prompt.
struct Tally {
    task_type: TaskType,
    points: u32,
    strong: bool,
}

/// The type of a task, told by whole words from the preset.
///
/// Two types with strong words are a mixed task, and equal points are a tie: both are ambiguous, because asking costs
/// one question and a wrong template costs the run.
pub fn infer_task_type(prompt: &str, data: &InferencePart) -> Inference {
    let text = spaced(prompt);
    let points = |words: &[String], each: Option<u32>| {
        let hits = words.iter().filter(|word| occurs(&text, word)).count();
        u32::try_from(hits)
            .unwrap_or(u32::MAX)
            .saturating_mul(each.unwrap_or_default())
    };
    let mut tallies: Vec<Tally> = Vec::new();
    for (task_type, words) in &data.words {
        let strong = points(&words.strong, data.strong_points);
        let points = strong.saturating_add(points(&words.weak, data.weak_points));
        if points >= data.points_min.unwrap_or(1).max(1) {
            tallies.push(Tally {
                task_type: *task_type,
                points,
                strong: strong > 0,
            });
        }
    }
    // Any strong word beats all weak ones: `a README for the parser` is about a README.
    tallies.sort_by_key(|tally| std::cmp::Reverse((tally.strong, tally.points)));
    match tallies.as_slice() {
        [] => Inference::Unknown,
        [only] => Inference::One(only.task_type),
        [best, second, ..] if best.strong && !second.strong => Inference::One(best.task_type),
        [best, second, ..] if !best.strong && best.points > second.points => Inference::One(best.task_type),
        [best, ..] => {
            let rivals = tallies.iter().filter(|tally| tally.strong == best.strong);
            Inference::Ambiguous(rivals.map(|tally| tally.task_type).collect())
        }
    }
}

/// Lower-case words with one space around each.
fn spaced(text: &str) -> String {
    let lower = text.to_lowercase();
    let words = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.fold(" ".to_owned(), |text, word| text + word + " ")
}

/// The keyword stands there as whole words, in singular or plural.
fn occurs(text: &str, keyword: &str) -> bool {
    let keyword = spaced(keyword);
    let singular = keyword.trim_end();
    text.contains(&keyword) || text.contains(&format!("{singular}s "))
}

/// The iteration count a prompt states (`max 6 iterations`, `up to 3 rounds`), to fill in the draft with.
pub fn stated_max_iterations(prompt: &str) -> Option<u32> {
    const UNITS: [&str; 6] = ["iteration", "iterations", "round", "rounds", "cycle", "cycles"];
    const BOUNDS: [&str; 10] = [
        "max", "maximum", "most", "to", "than", "limit", "within", "exceed", "of", "in",
    ];
    let text = spaced(prompt);
    let words: Vec<&str> = text.split_whitespace().collect();
    let stated = |at: usize| {
        let unit = words.get(at + 1).is_some_and(|word| UNITS.contains(word));
        let bound = at.checked_sub(1).is_some_and(|before| BOUNDS.contains(&words[before]));
        // `max iterations: 6`, `iterations = 6`, `max_iterations 6`
        let named = at >= 2 && UNITS.contains(&words[at - 1]) && BOUNDS.contains(&words[at - 2]);
        let trailing = words.get(at + 2).is_some_and(|word| matches!(*word, "max" | "maximum"));
        (unit && (bound || trailing)) || named
    };
    let number = (0..words.len())
        .filter(|at| stated(*at))
        .find_map(|at| number(words[at]))?;
    (1..=MAX_ITERATIONS_MAX).contains(&number).then_some(number)
}

fn number(word: &str) -> Option<u32> {
    const WORDS: [&str; 13] = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    ];
    let spelled = WORDS
        .iter()
        .position(|name| *name == word)
        .and_then(|at| u32::try_from(at).ok());
    spelled.or_else(|| word.parse().ok())
}
