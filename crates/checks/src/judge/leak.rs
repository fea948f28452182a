//! Judges are blind: what earlier evaluations said must not reach them, neither in what the engine shows them nor in the
//! artifact.

use std::fmt;

use onus_model::Score;

use super::plain::{plain, words};
use crate::quote::Folded;
use crate::text::clip;

/// Fewer characters may be said twice by chance.
const WORDS_CHARS_MIN: usize = 24;

/// The start of what leaked that a message shows.
const SHOWN_CHARS_MAX: usize = 60;

/// How many words away a number of an iteration still belongs to a verdict.
const NEAR_WORDS: usize = 6;

/// What a number must stand beside to be a score.
const SCORING: [&str; 14] = [
    "score",
    "scores",
    "scored",
    "scoring",
    "grade",
    "grades",
    "graded",
    "rating",
    "ratings",
    "rated",
    "evaluation",
    "evaluations",
    "passed",
    "threshold",
];

/// What an iteration must stand beside to be one of this loop.
const JUDGED: [&str; 14] = [
    "score",
    "scores",
    "scored",
    "grade",
    "graded",
    "rating",
    "verdict",
    "verdicts",
    "evaluation",
    "evaluator",
    "judge",
    "judged",
    "judges",
    "threshold",
];

/// Keys of `run.json` and `history.jsonl` that no other file has by chance.
const KEYS: [&str; 5] = [
    "last_score",
    "rule_results",
    "artifact_sha256",
    "stagnation",
    "distance_to_success",
];

/// What is known of this run and must not be shown.
#[derive(Debug, Clone, Copy)]
pub struct Prior<'a> {
    pub scores: &'a [Score],
    /// Details of earlier verdicts.
    pub details: &'a [&'a str],
    /// The number of the iteration that is judged now; only this and earlier ones give anything away.
    pub iteration: u32,
    /// What producing agents said about their own work.
    pub self_words: &'a [&'a str],
}

/// Something that a judge must not see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leak {
    pub place: LeakPlace,
    /// From 1.
    pub line: u32,
    pub what: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeakPlace {
    Packet,
    Artifact,
}

impl fmt::Display for Leak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = match self.place {
            LeakPlace::Packet => "what the judge would be shown",
            LeakPlace::Artifact => "the artifact",
        };
        write!(f, "line {} of {place} holds {}", self.line, self.what)
    }
}

/// The first thing in the artifact or in the packet around it that tells a judge how the work was judged before. The packet
/// is taken without the contract's own words, which a judge is meant to see and an earlier verdict may have repeated.
pub fn leak(packet: &str, artifact_text: &str, prior: &Prior<'_>) -> Option<Leak> {
    let find = |place, text: &str| {
        let text = plain(text);
        let found = repeated_words(&text, prior).or_else(|| told_in_a_line(&text, prior));
        found.map(|(line, what)| Leak { place, line, what })
    };
    find(LeakPlace::Artifact, artifact_text).or_else(|| find(LeakPlace::Packet, packet))
}

fn repeated_words(text: &str, prior: &Prior<'_>) -> Option<(u32, String)> {
    let folded = Folded::new(text);
    let details = prior.details.iter().map(|words| (words, "words of an earlier verdict"));
    let own = prior
        .self_words
        .iter()
        .map(|words| (words, "words of the producer about its own work"));
    details.chain(own).find_map(|(words, whose)| {
        let searched = plain(words);
        let long = searched
            .split_whitespace()
            .map(|word| word.chars().count() + 1)
            .sum::<usize>()
            > WORDS_CHARS_MIN;
        let line = folded.find(&searched).filter(|_| long)?;
        Some((line, format!("{whose}: `{}`", clip(words.trim(), SHOWN_CHARS_MAX))))
    })
}

fn told_in_a_line(text: &str, prior: &Prior<'_>) -> Option<(u32, String)> {
    let forms: Vec<String> = prior.scores.iter().flat_map(|score| printed(*score)).collect();
    (1_u32..).zip(text.lines()).find_map(|(number, line)| {
        let words = words(line);
        let score = || {
            let scored = words.iter().any(|word| SCORING.contains(word));
            let form = forms.iter().find(|form| scored && has_number(line, form))?;
            Some(format!("an earlier score, {form}"))
        };
        let key = || {
            let key = KEYS.iter().find(|key| has_key(line, key))?;
            Some(format!("the field `{key}` of this run's record"))
        };
        let what = score().or_else(|| iteration(&words, prior.iteration)).or_else(key)?;
        Some((number, what))
    })
}

/// The ways a score is written: as a share with all its digits or two, and in percent with two or none.
fn printed(score: Score) -> [String; 6] {
    let points = u32::from(score.basis_points());
    let hundredths = (points + 50) / 100;
    let share = format!("{}.{:02}", hundredths / 100, hundredths % 100);
    [
        score.to_string(),
        format!("{}.{:04}", points / 10_000, points % 10_000),
        share,
        format!("{}.{:02}", points / 100, points % 100),
        format!("{hundredths} %"),
        format!("{hundredths}%"),
    ]
}

/// Whether the number stands in the line and is not part of another.
fn has_number(line: &str, number: &str) -> bool {
    line.match_indices(number).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + number.len()..]);
        let mut next = after.chars();
        let goes_on = match next.next() {
            Some('.' | ',') => next.next().is_some_and(|c| c.is_ascii_digit()),
            Some(c) => c.is_alphanumeric(),
            None => false,
        };
        !goes_on && !before.ends_with(|c: char| c.is_alphanumeric() || c == '.' || c == ',' || c == '_')
    })
}

/// `iteration 2`, `attempt no. 2`, `round 2 of 5`, near a word for a verdict.
fn iteration(words: &[&str], now: u32) -> Option<String> {
    let number = |at: usize| words.get(at).and_then(|word| word.parse::<u32>().ok());
    (0..words.len()).find_map(|at| {
        let kind = words[at];
        let at_number = at + 1 + usize::from(matches!(words.get(at + 1), Some(&("no" | "number" | "nr"))));
        let counted = number(at_number).filter(|number| (1..=now).contains(number))?;
        let mut end = at_number + 1;
        let of = words.get(end) == Some(&"of");
        let total = number(end + usize::from(of));
        end += usize::from(of) + usize::from(total.is_some());
        let named = match kind {
            "iteration" | "attempt" => true,
            "round" => total.is_some(),
            _ => false,
        };
        // `iteration 3 of the algorithm` is another loop's.
        let foreign = of && total.is_none() && !matches!(words.get(end + 1), Some(&("run" | "loop" | "work" | "task")));
        let near = &words[at.saturating_sub(NEAR_WORDS)..(end + NEAR_WORDS).min(words.len())];
        let judged = near.iter().any(|word| JUDGED.contains(word));
        (named && !foreign && judged).then(|| format!("{kind} {counted} beside a verdict"))
    })
}

/// `"key":`, with white space where JSON allows it.
fn has_key(line: &str, key: &str) -> bool {
    let quoted = format!("\"{key}\"");
    line.match_indices(&quoted)
        .any(|(at, _)| line[at + quoted.len()..].trim_start().starts_with(':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DETAILS: &str = "the error section names no status codes";

    fn check(text: &str) -> Option<String> {
        let prior = Prior {
            scores: &[Score::from_basis_points(8571), Score::from_basis_points(4000)],
            details: &[DETAILS, "too short"],
            iteration: 3,
            self_words: &["I have tested everything and all of it works"],
        };
        let found = leak("", text, &prior);
        let as_packet = leak(text, "", &prior);
        assert_eq!(found.as_ref().map(|l| &l.what), as_packet.as_ref().map(|l| &l.what));
        assert!(as_packet.is_none_or(|leak| leak.place == LeakPlace::Packet));
        found.map(|leak| leak.to_string())
    }

    #[test]
    fn what_was_said_before_is_found() {
        for (text, line, what) in [
            (
                "# A\nBecause the error\n  section names no  status codes.",
                2,
                "words of an earlier verdict",
            ),
            (
                "The ERROR sec\u{200b}tion names no status codes",
                1,
                "words of an earlier verdict",
            ),
            (
                "I have tested everything and all of it works!",
                1,
                "words of the producer",
            ),
            ("\n\nlast score: 0.8571", 3, "an earlier score, 0.8571"),
            ("Score 0.86.", 1, "an earlier score, 0.86"),
            ("final_score=85.71", 1, "an earlier score, 85.71"),
            ("The evaluation came to 85.71 %", 1, "an earlier score"),
            ("passed with 86 %, well done", 1, "an earlier score, 86 %"),
            ("grade (86%)", 1, "an earlier score, 86%"),
            ("ѕсоrе 𝟎.𝟖𝟔", 1, "an earlier score, 0.86"),
            ("threshold missed: 0.40", 1, "an earlier score, 0.40"),
            ("| rating | 0.4000 |", 1, "an earlier score"),
            (
                "After iteration 2 the verdict was better",
                1,
                "iteration 2 beside a verdict",
            ),
            ("Attempt no. 3, judged again", 1, "attempt 3 beside a verdict"),
            ("score of attempt #1", 1, "attempt 1 beside a verdict"),
            ("Round 2 of 5: the evaluator liked it", 1, "round 2 beside a verdict"),
            ("round 3/10, score up", 1, "round 3 beside a verdict"),
            (
                "iteration 1 of this run scored higher",
                1,
                "iteration 1 beside a verdict",
            ),
            ("{\"last_score\": 1}", 1, "the field `last_score`"),
            ("  \"rule_results\" : [", 1, "the field `rule_results`"),
            ("{\"artifact_sha256\":\"ab\"}", 1, "the field `artifact_sha256`"),
            ("\"stagnation\": {\"count\": 1}", 1, "the field `stagnation`"),
            ("\"distance_to_success\": 0", 1, "the field `distance_to_success`"),
        ] {
            let found = check(text).unwrap_or_else(|| panic!("{text}"));
            assert!(
                found.starts_with(&format!("line {line} of the artifact holds")) && found.contains(what),
                "{text}: {found}"
            );
        }
    }

    #[test]
    fn honest_texts_are_not_stopped() {
        for text in [
            "",
            "The error section names all status codes.",
            "too short",
            "In iteration 3 of the algorithm the score of each node is updated.",
            "iteration 2 of the solver, then the grade of the mesh",
            "The loop converges at iteration 3.",
            "Iteration 7 has the best score.",
            "Retry: attempt 2 failed, attempt 3 passed.",
            "Round 2 of the tournament decides the score.",
            "Rounds 1 to 3 are scored by the referee.",
            "score 0.5",
            "The default score is 0.87.",
            "a score of 10.86 points",
            "score v0.86.1 is out",
            "score 0.8612",
            "score: 186 % of the base",
            "The file has 85.71 MB.",
            "0.86 of all requests are cached.",
            "It takes 40 % of the time.",
            "\"score\": 0.5, \"type\": \"number\"",
            "GET /scores returns the `score` field of a player.",
            "The field `artifact_sha256` names the artifact.",
            "\"artifact_sha256 is a hash\": true",
            "stagnation: the market did not move",
            "All tests passed.",
            "The threshold is 0.80.",
            "underscored 0.86",
            "1,0.86 score",
            "I have tested everything.",
            "Try number 2 of the recipe.",
        ] {
            assert_eq!(check(text), None, "{text}");
        }
    }

    #[test]
    fn the_artifact_is_named_first() {
        let prior = Prior {
            scores: &[Score::ONE],
            details: &[],
            iteration: 1,
            self_words: &[],
        };
        let both = leak("score 1.00", "\nscore 100 %", &prior).unwrap();
        assert_eq!((both.place, both.line), (LeakPlace::Artifact, 2));
        let packet = leak("score 1.00", "", &prior).unwrap();
        assert_eq!(
            packet.to_string(),
            "line 1 of what the judge would be shown holds an earlier score, 1.00"
        );
    }
}
