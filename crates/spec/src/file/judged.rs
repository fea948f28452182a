//! The parts of a loop file about judging: scoring, the order of an evaluation, judges, rubrics and repeated checks.

use onus_model::{Anchor, Dimension, Gate, Globs, OnWorse, Repeat, SameFamily, Score, Weight};

use super::read::{SCORE, WEIGHT, inside, missing};
use super::{ControlPart, EvaluationPart, JudgingPart, ScoringPart};
use crate::problems::Problem;
use crate::reader::{At, Node, Problems, Section};

/// More runs of one check cost more than they tell.
const RUNS_MAX: u32 = 20;

pub(super) fn read_scoring(section: &mut Section<'_>, problems: &mut Problems) -> ScoringPart {
    let words = [("keep", OnWorse::Keep), ("rollback", OnWorse::Rollback)];
    ScoringPart {
        dimensions: section.read("dimensions", problems, |node, p| {
            let dimensions = node.list(p, read_dimension)?;
            note_twice(&dimensions, "dimension", |dimension| &dimension.name, p);
            Some(dimensions)
        }),
        strict: section.read("strict", problems, Node::flag),
        ratchet: section.read("ratchet", problems, Node::flag),
        trust_threshold: section.read("trust_threshold", problems, |node, p| node.quantity(SCORE, p)),
        on_worse: section.read("on_worse", problems, |node, p| node.word(&words, p)),
    }
}

fn read_dimension(node: &Node<'_>, problems: &mut Problems) -> Option<At<Dimension>> {
    let before = problems.len();
    let mut section = node.section("[[scoring.dimensions]]", problems)?;
    let name = section.read("name", problems, Node::filled);
    let weight = section.read("weight", problems, |node, p| node.quantity(WEIGHT, p));
    let threshold = section.read("threshold", problems, |node, p| node.quantity(SCORE, p));
    let must_pass = section.read("must_pass", problems, Node::flag);
    section.finish(problems);
    if name.is_none() || weight.is_none() {
        missing::<()>(node, before, "a dimension needs `name` and `weight`", problems);
    }
    // With a name it is known to the criteria, whatever else is wrong with it.
    let name = name?;
    let dimension = Dimension {
        name: name.value,
        weight: weight.map_or(Weight::ZERO, |at| at.value),
        threshold: threshold.map(|at| at.value),
        must_pass: must_pass.is_some_and(|at| at.value),
    };
    Some(At::new(dimension, name.span))
}

pub(super) fn read_evaluation(section: &mut Section<'_>, problems: &mut Problems) -> EvaluationPart {
    EvaluationPart {
        groups: section.read("groups", problems, |node, p| read_names(node, "group", p)),
        stop_early: section.read("stop_early", problems, Node::flag),
        keep_verdicts: section.read("keep_verdicts", problems, Node::flag),
        flaky_runs: section.read("flaky_runs", problems, |node, p| node.count(0..=RUNS_MAX, p)),
    }
}

pub(super) fn read_judging(section: &mut Section<'_>, problems: &mut Problems) -> JudgingPart {
    let words = [("label", SameFamily::Label), ("refuse", SameFamily::Refuse)];
    JudgingPart {
        judges: section.read("judges", problems, |node, p| read_names(node, "judge", p)),
        one_by_one: section.read("one_by_one", problems, Node::flag),
        same_family: section.read("same_family", problems, |node, p| node.word(&words, p)),
        controls: section.read("controls", problems, |node, p| node.list(p, read_control)),
    }
}

fn read_control(node: &Node<'_>, problems: &mut Problems) -> Option<ControlPart> {
    #[derive(Clone, Copy)]
    enum Word {
        Empty,
        Hollow,
    }
    if !node.is_table() {
        let word = node.word(&[("empty", Word::Empty), ("hollow", Word::Hollow)], problems)?;
        return Some(match word {
            Word::Empty => ControlPart::Empty,
            Word::Hollow => ControlPart::Hollow,
        });
    }
    let before = problems.len();
    let mut section = node.section("judging.controls", problems)?;
    let twin = section.read("twin", problems, inside);
    section.finish(problems);
    match twin {
        Some(twin) if problems.len() == before => Some(ControlPart::Twin(twin)),
        Some(_) => None,
        None => missing(
            node,
            before,
            "a control is `\"empty\"`, `\"hollow\"` or `{ twin = \"PATH\" }`",
            problems,
        ),
    }
}

/// Names, each with its place and none of them twice.
fn read_names(node: &Node<'_>, kind: &str, problems: &mut Problems) -> Option<Vec<At<String>>> {
    let names = node.list(problems, |item, p| item.filled(p).map(|name| item.at(name)))?;
    note_twice(&names, kind, |name| name, problems);
    Some(names)
}

fn note_twice<T>(items: &[At<T>], kind: &str, name: impl Fn(&T) -> &String, problems: &mut Problems) {
    for (at, item) in items.iter().enumerate() {
        let own = name(&item.value);
        if items[..at].iter().any(|other| name(&other.value) == own) {
            problems.push(item.problem(format!("{kind} `{own}` stands here twice")));
        }
    }
}

pub(super) fn read_gate(node: &Node<'_>, problems: &mut Problems) -> Option<Gate> {
    node.word(&[("trust", Gate::Trust), ("goal", Gate::Goal)], problems)
}

/// From the worst to the best, in whatever order the file has them.
pub(super) fn read_rubric(node: &Node<'_>, problems: &mut Problems) -> Option<Vec<Anchor>> {
    let anchors = node.list(problems, read_anchor)?;
    let before = problems.len();
    for (at, anchor) in anchors.iter().enumerate() {
        let score = anchor.value.score;
        if anchors[..at].iter().any(|other| other.value.score == score) {
            problems.push(anchor.problem(format!("`{}` has two anchors at {score}", node.name)));
        }
    }
    if problems.len() > before {
        return None;
    }
    let mut anchors: Vec<Anchor> = anchors.into_iter().map(|at| at.value).collect();
    anchors.sort_by_key(|anchor| anchor.score);
    Some(anchors)
}

fn read_anchor(node: &Node<'_>, problems: &mut Problems) -> Option<At<Anchor>> {
    let before = problems.len();
    let mut section = node.section("rubric", problems)?;
    let score: Option<At<Score>> = section.read("score", problems, |node, p| node.quantity(SCORE, p));
    let text = section.read("text", problems, Node::filled);
    section.finish(problems);
    match (score, text) {
        (Some(score), Some(text)) => Some(At::new(
            Anchor {
                score: score.value,
                text: text.value,
            },
            score.span,
        )),
        _ => missing(node, before, "an anchor needs `score` and `text`", problems),
    }
}

/// One glob or a list of them, all inside the tree.
pub(super) fn read_globs(node: &Node<'_>, problems: &mut Problems) -> Option<Globs> {
    if !node.is_list() {
        return inside(node, problems).map(|glob| Globs(vec![glob]));
    }
    let globs = node.list(problems, inside)?;
    if globs.is_empty() {
        let problem = Problem::new(node.span.clone(), format!("`{}` names no file", node.name));
        problems.push(problem.with_help("leave it out, or give a glob such as `src/**`".to_owned()));
        return None;
    }
    Some(Globs(globs))
}

pub(super) fn read_repeat(node: &Node<'_>, problems: &mut Problems) -> Option<Repeat> {
    let before = problems.len();
    let mut section = node.section("repeat", problems)?;
    let runs = section.read("runs", problems, |node, p| node.count(1..=RUNS_MAX, p));
    let most = runs.as_ref().map_or(RUNS_MAX, |runs| runs.value);
    let need = section.read("need", problems, |node, p| node.count(1..=most, p));
    section.finish(problems);
    match runs {
        Some(runs) if problems.len() == before => Some(Repeat {
            runs: runs.value,
            need: need.map(|at| at.value),
        }),
        Some(_) => None,
        None => missing(node, before, "`repeat` needs `runs`", problems),
    }
}
