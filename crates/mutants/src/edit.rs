//! One change to a text, and which of many changes are kept.

use std::ops::Range;

use crate::Mutant;

/// A part of a message longer than this is cut.
const SHOWN_CHARS_MAX: usize = 48;

/// Changes that do not fit (they no longer parse, or say nothing new) are passed over, but not for ever.
const TRIES_FOR_EACH: usize = 4;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edit {
    /// Where a person looks for it.
    pub(crate) at: usize,
    pub(crate) range: Range<usize>,
    pub(crate) new: String,
    pub(crate) what: String,
    /// Of changes on one line, the lower one is tried first.
    pub(crate) rank: Rank,
}

/// From the changes that say most about a check to those that say least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    Operator,
    Condition,
    Number,
    Body,
    Removal,
    Text,
    /// A second change of the same place.
    Again,
}

impl Edit {
    pub(crate) fn replace(text: &str, range: Range<usize>, new: impl Into<String>, rank: Rank) -> Edit {
        let new = new.into();
        let what = format!("replaced `{}` with `{}`", shown(&text[range.clone()]), shown(&new));
        Edit {
            at: range.start,
            range,
            new,
            what,
            rank,
        }
    }

    pub(crate) fn apply(&self, text: &str) -> String {
        let mut changed = String::with_capacity(text.len() + self.new.len());
        changed.push_str(&text[..self.range.start]);
        changed.push_str(&self.new);
        changed.push_str(&text[self.range.end..]);
        changed
    }

    fn changes(&self, text: &str) -> bool {
        text[self.range.clone()] != self.new
    }
}

/// A piece of the text for a message: one line, not too long.
pub(crate) fn shown(text: &str) -> String {
    let mut lines = text.trim().lines();
    let first = lines.next().unwrap_or_default().trim_end();
    let kept: String = first.chars().take(SHOWN_CHARS_MAX).collect();
    let cut = kept.len() < first.len() || lines.next().is_some();
    if cut { kept + "…" } else { kept }
}

/// At most `max` mutants, in the order of their places. Every line gets one before any gets two; where `max` cuts, what is
/// kept lies evenly over the text. `fits` says no to a change that must not be made.
pub(crate) fn choose(
    text: &str,
    edits: Vec<Edit>,
    max: usize,
    mut fits: impl FnMut(&Edit, &str) -> bool,
) -> Vec<Mutant> {
    let starts = line_starts(text);
    let mut placed: Vec<(usize, Edit)> = edits
        .into_iter()
        .filter(|edit| edit.changes(text))
        .map(|edit| (line_of(&starts, edit.at), edit))
        .collect();
    placed.sort_by(|(line, a), (other, b)| (line, a.rank, a.range.start).cmp(&(other, b.rank, b.range.start)));
    let mut rounds: Vec<Vec<(usize, Edit)>> = Vec::new();
    let (mut line_before, mut nth) = (usize::MAX, 0);
    for (line, edit) in placed {
        nth = if line == line_before { nth + 1 } else { 0 };
        line_before = line;
        if rounds.len() == nth {
            rounds.push(Vec::new());
        }
        rounds[nth].push((line, edit));
    }
    let mut chosen: Vec<(usize, usize, Mutant)> = Vec::new();
    let mut tries = max.saturating_mul(TRIES_FOR_EACH);
    for round in rounds {
        for at in spread(round.len(), max - chosen.len()) {
            if chosen.len() == max || tries == 0 {
                break;
            }
            tries -= 1;
            let (line, edit) = &round[at];
            let changed = edit.apply(text);
            let known = chosen.iter().any(|(_, _, mutant)| mutant.text == changed);
            if !known && fits(edit, &changed) {
                chosen.push((
                    *line,
                    edit.range.start,
                    Mutant {
                        line: u32::try_from(line + 1).unwrap_or(u32::MAX),
                        what: edit.what.clone(),
                        text: changed,
                    },
                ));
            }
        }
    }
    chosen.sort_by_key(|(line, start, _)| (*line, *start));
    chosen.into_iter().map(|(_, _, mutant)| mutant).collect()
}

/// All of `0..of`: first `wanted` that lie evenly, then the others in their order.
fn spread(of: usize, wanted: usize) -> Vec<usize> {
    if wanted == 0 || wanted >= of {
        return (0..of).collect();
    }
    // In the middle of equal parts, so that neither end is favoured.
    let even: Vec<usize> = (0..wanted).map(|nth| (2 * nth + 1) * of / (2 * wanted)).collect();
    let rest = (0..of).filter(|at| even.binary_search(at).is_err());
    even.iter().copied().chain(rest).collect()
}

fn line_starts(text: &str) -> Vec<usize> {
    let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
    std::iter::once(0).chain(breaks.map(|(at, _)| at + 1)).collect()
}

/// The line a byte is on, from 0.
fn line_of(starts: &[usize], at: usize) -> usize {
    starts.partition_point(|start| *start <= at).saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn what_is_kept_lies_evenly() {
        assert_eq!(spread(3, 5), [0, 1, 2]);
        assert_eq!(spread(10, 2)[..2], [2, 7]);
        let all = spread(10, 3);
        assert_eq!(all[..3], [1, 5, 8]);
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 10);
    }

    #[test]
    fn every_line_gets_one_before_any_gets_two() {
        let text = "a b\nc d\n";
        let edit = |range: Range<usize>| Edit::replace(text, range, "x", Rank::Operator);
        let edits = || vec![edit(0..1), edit(2..3), edit(4..5)];
        let lines = |max| -> Vec<u32> { choose(text, edits(), max, |_, _| true).iter().map(|m| m.line).collect() };
        assert_eq!(lines(2), [1, 2]);
        assert_eq!(lines(9), [1, 1, 2]);
        let refused = choose(text, edits(), 9, |edit, _| edit.range.start != 0);
        assert_eq!(refused.len(), 2);
    }

    #[test]
    fn a_message_shows_one_short_line() {
        assert_eq!(shown("  a\nb"), "a…");
        assert_eq!(shown(&"é".repeat(60)), format!("{}…", "é".repeat(48)));
        assert_eq!(shown("\"x\""), "\"x\"");
    }
}
