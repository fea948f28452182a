//! What is wrong with a contract although it can be read: criteria that cannot fail, cannot matter or cannot be reached.

mod checks;
mod commands;
mod exprs;

use std::collections::BTreeSet;

use globset::GlobBuilder;
use onus_model::{ArtifactForm, CheckKind, Criterion, CriterionId, Gate, Level, LoopSpec, Score, Severity, Weight};

use self::checks::{cannot_fail, cannot_pass, needs_a_tree, runs_a_program};
use self::commands::{hides_its_exit, reads_output, scripts};

/// More sums of weights than this are not looked through; the criterion then counts as one that matters.
const SUMS_MAX: usize = 10_000;

/// One thing to think about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    pub criterion: Option<CriterionId>,
    pub message: String,
}

/// Everything that makes the contract weaker than it looks.
pub fn lint(spec: &LoopSpec) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (at, criterion) in spec.criteria.iter().enumerate() {
        let mut said = about_checks(spec, criterion);
        said.extend(about_place(spec, at, criterion));
        said.extend(about_weight(spec, criterion));
        said.extend(about_judges(spec, criterion));
        complaints.extend(said.into_iter().map(|message| Complaint {
            criterion: Some(criterion.id.clone()),
            message,
        }));
    }
    let mut said = about_levels(spec);
    said.extend(about_names(spec));
    complaints.extend(said.into_iter().map(|message| Complaint {
        criterion: None,
        message,
    }));
    complaints
}

/// What nobody can decide where the contract's file names no agents and no task: it is there for `onus check` alone.
pub fn lint_without_agents(spec: &LoopSpec) -> Vec<Complaint> {
    let words_only = spec.criteria.iter().filter(|criterion| judged(criterion));
    words_only
        .map(|criterion| Complaint {
            criterion: Some(criterion.id.clone()),
            message: "it is in words only, and nobody can decide it in `onus check`: give it `verify`".to_owned(),
        })
        .collect()
}

/// What a failure of it stops, whatever the score.
fn blocks(criterion: &Criterion) -> bool {
    criterion.severity == Severity::Fail || criterion.must_pass || criterion.gate == Some(Gate::Goal)
}

fn judged(criterion: &Criterion) -> bool {
    criterion.verify.is_empty()
}

fn active_levels<'a>(spec: &'a LoopSpec, criterion: &'a Criterion) -> impl Iterator<Item = &'a Level> {
    spec.levels
        .iter()
        .filter(|level| level.active_levels.contains(&criterion.level))
}

fn about_checks(spec: &LoopSpec, criterion: &Criterion) -> Vec<String> {
    let mut said = Vec::new();
    // A contract without roles is for `onus check`, which always looks at a tree.
    let document = spec.artifact == ArtifactForm::File && !spec.roles.is_empty();
    for (at, check) in criterion.verify.iter().enumerate() {
        let number = at + 1;
        match (cannot_fail(&check.kind), cannot_pass(&check.kind)) {
            (Some(why), _) => said.push(format!("check {number} cannot fail: {why}")),
            (None, Some(why)) => said.push(format!("check {number} cannot pass: {why}")),
            (None, None) => said.extend(
                (about_trust(spec, criterion, &check.kind).into_iter()).map(|why| format!("check {number}: {why}")),
            ),
        }
        if document && needs_a_tree(&check.kind) {
            let kind = check.kind.name();
            said.push(format!(
                "check {number} (`{kind}`) needs a tree of files, and this loop makes one document"
            ));
        }
        if check.repeat.is_some() && !runs_a_program(&check.kind) {
            said.push(format!(
                "check {number} runs no program, so repeating it changes nothing"
            ));
        }
    }
    said
}

/// What a check that can fail believes without need.
fn about_trust(spec: &LoopSpec, criterion: &Criterion, kind: &CheckKind) -> Vec<String> {
    let mut said: Vec<String> = hides_its_exit(kind).into_iter().map(str::to_owned).collect();
    match kind {
        CheckKind::Tests(check) if check.manifest.is_none() && !protects_tests(spec) => said.push(
            "it has no `manifest`, and `protected` names no tests, so one that fails now and is deleted is not missed: give either"
                .to_owned(),
        ),
        CheckKind::Coverage(check) if check.command.is_none() && !is_protected(spec, &check.report) => {
            said.push(format!(
                "the report `{}` is whatever lies in the tree: give the `command` that makes it, or protect it",
                check.report
            ));
        }
        CheckKind::Expr(check) => {
            for id in exprs::named(&check.expr) {
                match spec.criteria.iter().find(|other| other.id.as_str() == id) {
                    None => said.push(format!("there is no criterion `{id}`")),
                    Some(other)
                        if other
                            .verify
                            .iter()
                            .any(|check| matches!(check.kind, CheckKind::Expr(_))) =>
                    {
                        said.push(format!(
                            "`{id}` is decided by an expression too, and expressions do not see each other"
                        ))
                    }
                    Some(_) => {}
                }
            }
        }
        CheckKind::Human(_) if blocks(criterion) => said.push(
            "only a person can say it and nobody is asked, so it fails always: give it severity `info`".to_owned(),
        ),
        CheckKind::Tests(_)
        | CheckKind::Coverage(_)
        | CheckKind::Human(_)
        | CheckKind::Executable { .. }
        | CheckKind::Content { .. }
        | CheckKind::Pattern(_)
        | CheckKind::Schema(_)
        | CheckKind::Lint(_)
        | CheckKind::Metric(_)
        | CheckKind::Marker(_)
        | CheckKind::Artifact(_)
        | CheckKind::Diff(_)
        | CheckKind::Openapi(_)
        | CheckKind::Links(_)
        | CheckKind::Intent(_) => {}
    }
    // Whose output is looked at may be the work itself.
    let is_the_work = matches!(kind, CheckKind::Executable { expected, .. } if reads_output(expected));
    if spec.artifact == ArtifactForm::Tree && !is_the_work {
        let run = kind.command().map(scripts).unwrap_or_default();
        for script in run.into_iter().filter(|script| !is_protected(spec, script)) {
            said.push(format!(
                "it runs `{script}`, which the agent may change: put it in `protected`"
            ));
        }
    }
    said
}

/// Some protected path is a test by its name.
fn protects_tests(spec: &LoopSpec) -> bool {
    let is_test =
        |glob: &String| glob == "**" || ["test", "spec"].iter().any(|word| glob.to_lowercase().contains(word));
    spec.protected.iter().any(is_test)
}

/// The same globs as those of checks; one that is wrong protects nothing.
fn is_protected(spec: &LoopSpec, path: &str) -> bool {
    let path = path.strip_prefix("./").unwrap_or(path);
    let matches = |glob: &String| {
        let built = GlobBuilder::new(glob).literal_separator(true).build();
        built.is_ok_and(|glob| glob.compile_matcher().is_match(path))
    };
    spec.protected.iter().any(matches)
}

fn about_place(spec: &LoopSpec, at: usize, criterion: &Criterion) -> Vec<String> {
    let mut said = Vec::new();
    if spec.criteria[..at].iter().any(|other| other.id == criterion.id) {
        said.push("its id is there twice, so its verdicts count for neither".to_owned());
    }
    if active_levels(spec, criterion).next().is_none() {
        said.push(format!(
            "no level activates `{}`, so it is never looked at",
            criterion.level
        ));
    }
    if criterion.must_pass && criterion.severity == Severity::Info {
        said.push("it must pass, but its severity is `info`".to_owned());
    }
    if criterion.hidden && judged(criterion) {
        said.push("it is hidden and has no check of its own, so only a judge ever knows of it".to_owned());
    }
    said
}

fn about_weight(spec: &LoopSpec, criterion: &Criterion) -> Vec<String> {
    let mut said = Vec::new();
    let trusted = criterion.gate == Some(Gate::Trust) && criterion.weight > Weight::ZERO;
    let matters = blocks(criterion) || trusted || criterion.cap.is_some_and(|cap| cap < Score::ONE);
    // A question to a person that blocks nothing is there to remind.
    let reminds = criterion
        .verify
        .iter()
        .any(|check| matches!(check.kind, CheckKind::Human(_)));
    if criterion.weight == Weight::ZERO && !matters && !reminds {
        said.push("it has no weight and does not block, so nothing depends on it".to_owned());
    }
    if criterion.weight > Weight::ZERO && !matters {
        let by_dimensions = !spec.scoring.dimensions.is_empty();
        if by_dimensions && criterion.dimension.is_none() {
            said.push("the loop scores by dimensions, and it is in none and does not block".to_owned());
        }
        if !by_dimensions && decides_nothing(spec, criterion) {
            said.push("its weight is so small that no threshold is ever reached or missed because of it".to_owned());
        }
    }
    if criterion.cap.is_some_and(|cap| never_binds(spec, criterion, cap)) {
        said.push("its cap never binds: without it the score is no higher anyway".to_owned());
    }
    said
}

fn about_judges(spec: &LoopSpec, criterion: &Criterion) -> Vec<String> {
    let mut said = Vec::new();
    if judged(criterion) && spec.artifact == ArtifactForm::Tree && criterion.reads.is_none() {
        said.push("a judge decides it and it names no files to read: give `reads`".to_owned());
    }
    let worst = criterion.rubric.iter().map(|anchor| anchor.score).min();
    if judged(criterion) && worst.is_some_and(|worst| worst >= criterion.passes_at()) {
        said.push("its rubric cannot fail: even the worst anchor passes".to_owned());
    }
    if !judged(criterion) && !criterion.rubric.is_empty() {
        said.push("its checks decide it, so its rubric is never used".to_owned());
    }
    said
}

/// No set of other criteria makes the difference between reaching a threshold and missing it hang on this one.
fn decides_nothing(spec: &LoopSpec, criterion: &Criterion) -> bool {
    active_levels(spec, criterion).all(|level| {
        let active: Vec<&Criterion> = spec.active(&level.name).collect();
        if active.iter().any(|c| !c.rubric.is_empty() || c.cap.is_some()) {
            // Such criteria move the score by other steps than their weight.
            return false;
        }
        let whole = sum(active.iter().copied());
        let soft = active.iter().filter(|c| !blocks(c) && c.id != criterion.id);
        let firm = sum(active.iter().copied().filter(|c| blocks(c)));
        let Some(sums) = sums_with(firm, soft.map(|c| c.weight)) else {
            return false;
        };
        let reaches = |part: Weight| Score::of_weights(part, whole) >= level.threshold;
        !sums
            .into_iter()
            .any(|without| !reaches(without) && reaches(without.plus(criterion.weight)))
    })
}

fn sum<'a>(criteria: impl Iterator<Item = &'a Criterion>) -> Weight {
    criteria.fold(Weight::ZERO, |sum, c| sum.plus(c.weight))
}

/// What `base` and any of these weights can add up to; absent: too much to say.
fn sums_with(base: Weight, weights: impl Iterator<Item = Weight>) -> Option<BTreeSet<Weight>> {
    let mut sums = BTreeSet::from([base]);
    for weight in weights {
        let more: Vec<Weight> = sums.iter().map(|sum| sum.plus(weight)).collect();
        sums.extend(more);
        if sums.len() > SUMS_MAX {
            return None;
        }
    }
    Some(sums)
}

/// The loss of its own weight already leaves no more than the cap.
fn never_binds(spec: &LoopSpec, criterion: &Criterion, cap: Score) -> bool {
    if cap == Score::ONE {
        return true;
    }
    if !criterion.rubric.is_empty() {
        return false;
    }
    let mut levels = active_levels(spec, criterion).peekable();
    levels.peek().is_some()
        && levels.all(|level| {
            let part = || {
                spec.active(&level.name)
                    .filter(|c| criterion.dimension.is_none() || c.dimension == criterion.dimension)
            };
            // Without a dimension the cap is on a whole that dimensions weigh anew.
            let plain = criterion.dimension.is_some() || spec.scoring.dimensions.is_empty();
            plain && Score::of_weights(sum(part().filter(|c| c.id != criterion.id)), sum(part())) <= cap
        })
}

fn about_levels(spec: &LoopSpec) -> Vec<String> {
    let mut said = Vec::new();
    for (at, level) in spec.levels.iter().enumerate() {
        let before = &spec.levels[..at];
        if before
            .iter()
            .any(|b| b.active_levels == level.active_levels && b.threshold >= level.threshold)
        {
            said.push(format!(
                "level `{}` asks for nothing that a level before it does not",
                level.name
            ));
        }
        if level.threshold == Score::ZERO && !spec.active(&level.name).any(blocks) {
            said.push(format!("level `{}` always passes", level.name));
        }
        let wall = before.iter().find_map(|b| {
            let mut active = spec.active(&b.name);
            let wall = active.find(|c| blocks(c) && c.verify.iter().any(|check| cannot_pass(&check.kind).is_some()));
            wall.map(|c| (b, c))
        });
        if let Some((before, criterion)) = wall {
            said.push(format!(
                "level `{}` is never reached: `{}` cannot pass at level `{}`",
                level.name, criterion.id, before.name
            ));
        }
    }
    said
}

/// Groups, dimensions, gates and controls that nothing belongs to.
fn about_names(spec: &LoopSpec) -> Vec<String> {
    let mut said = Vec::new();
    for group in &spec.evaluation.groups {
        if !spec.criteria.iter().any(|c| c.group.as_ref() == Some(group)) {
            said.push(format!("no criterion is in group `{group}`"));
        }
    }
    for dimension in &spec.scoring.dimensions {
        for level in &spec.levels {
            let mut active = spec.active(&level.name);
            if !active.any(|c| c.dimension.as_ref() == Some(&dimension.name) && c.weight > Weight::ZERO) {
                said.push(format!(
                    "no criterion counts in dimension `{}` at level `{}`",
                    dimension.name, level.name
                ));
            }
        }
        if dimension.weight == Weight::ZERO && !dimension.must_pass && !spec.scoring.strict {
            said.push(format!(
                "dimension `{}` has no weight and need not pass, so nothing depends on it",
                dimension.name
            ));
        }
    }
    if spec.scoring.trust_threshold.is_some() && !spec.criteria.iter().any(|c| c.gate == Some(Gate::Trust)) {
        said.push("there is a trust threshold, and no criterion is of gate `trust`".to_owned());
    }
    if !spec.criteria.iter().any(judged) {
        for (given, what) in [
            (!spec.judging.controls.is_empty(), "controls for judges"),
            (!spec.judging.judges.is_empty(), "judges"),
        ] {
            if given {
                said.push(format!("there are {what}, and no criterion is left to a judge"));
            }
        }
    }
    said
}
