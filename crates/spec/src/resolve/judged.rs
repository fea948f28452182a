//! Scoring, evaluation and judging: the user's keys over the preset's, and what they must agree on.

use std::collections::BTreeMap;

use onus_model::{ArtifactForm, Criterion, CriterionId, Evaluation, GitUse, OnWorse, Role, SameFamily, Scoring};

use super::{Resolver, unknown_agent};
use crate::draft::{BoundAgent, DraftJudging};
use crate::family::{Kin, WORKERS, same_families};
use crate::file::{CriterionPart, LoopFile};
use crate::problems::{Span, suggest};
use crate::reader::At;

/// The names that a criterion may refer to.
pub(super) struct Known {
    pub(super) dimensions: Vec<String>,
    pub(super) groups: Vec<String>,
}

impl Resolver<'_> {
    /// The user's value, else the preset's, else the model's own.
    fn set_or<T: Clone>(&self, part: impl Fn(&LoopFile) -> &Option<At<T>>, default: T) -> T {
        self.pick_if_set(part).map_or(default, |picked| picked.value)
    }

    /// What the loop makes, and what it does with git.
    pub(super) fn form(&mut self) -> (ArtifactForm, GitUse) {
        let artifact = self.set_or(|file| &file.artifact, ArtifactForm::default());
        let git = self.pick_if_set(|file| &file.git);
        if let Some(git) = &git
            && git.value == GitUse::Worktree
            && artifact == ArtifactForm::File
        {
            let place = git
                .span
                .clone()
                .or_else(|| self.file.artifact.as_ref().map(|at| at.span.clone()));
            let help = "set `artifact = \"tree\"`, or leave `git` out".to_owned();
            self.note(
                place,
                "`git = \"worktree\"` is for a loop over a tree of files, and this one makes a file",
                Some(help),
            );
        }
        (artifact, git.map_or(GitUse::default(), |git| git.value))
    }

    pub(super) fn scoring(&self) -> Scoring {
        let default = Scoring::default();
        let dimensions = self.pick_if_set(|file| &file.scoring.dimensions);
        Scoring {
            dimensions: dimensions.map_or(Vec::new(), |picked| {
                picked.value.into_iter().map(|at| at.value).collect()
            }),
            strict: self.set_or(|file| &file.scoring.strict, default.strict),
            ratchet: self.set_or(|file| &file.scoring.ratchet, default.ratchet),
            trust_threshold: self
                .pick_if_set(|file| &file.scoring.trust_threshold)
                .map(|picked| picked.value),
            on_worse: self.set_or(|file| &file.scoring.on_worse, OnWorse::default()),
        }
    }

    pub(super) fn evaluation(&self) -> Evaluation {
        let groups = self.pick_if_set(|file| &file.evaluation.groups);
        Evaluation {
            groups: groups.map_or(Vec::new(), |picked| {
                picked.value.into_iter().map(|at| at.value).collect()
            }),
            stop_early: self.set_or(|file| &file.evaluation.stop_early, false),
            keep_verdicts: self.set_or(|file| &file.evaluation.keep_verdicts, false),
            flaky_runs: self.set_or(|file| &file.evaluation.flaky_runs, 0),
        }
    }

    /// Judges are agents like those of roles. A command from the flags plays them too, and a contract alone has none.
    pub(super) fn judging(&mut self) -> DraftJudging {
        let named = self
            .pick_if_set(|file| &file.judging.judges)
            .map(|picked| picked.value)
            .unwrap_or_default();
        let mut judges = Vec::new();
        if !self.overrides.contract_only && self.overrides.agent.is_none() {
            for name in &named {
                match self.file.agents.get(&name.value) {
                    Some(agent) => judges.push(BoundAgent::new(&name.value, &agent.value)),
                    None => self.problems.push(unknown_agent(self.file, name)),
                }
            }
        }
        DraftJudging {
            judges,
            one_by_one: self.set_or(|file| &file.judging.one_by_one, false),
            controls: self
                .pick_if_set(|file| &file.judging.controls)
                .map(|picked| picked.value)
                .unwrap_or_default(),
            same_family: self.set_or(|file| &file.judging.same_family, SameFamily::default()),
        }
    }

    /// A loop that refuses judges of the worker's own family must not have one, and no two of one family.
    pub(super) fn refuse_same_family(
        &mut self,
        judging: &DraftJudging,
        roles: &BTreeMap<Role, BoundAgent>,
        criteria: &[Criterion],
    ) {
        let judged = criteria.iter().any(|criterion| criterion.verify.is_empty());
        if judging.same_family != SameFamily::Refuse || !judged {
            return;
        }
        let judges: Vec<Kin<'_>> = match judging.judges.as_slice() {
            [] => roles.get(&Role::Evaluator).into_iter().map(BoundAgent::kin).collect(),
            judges => judges.iter().map(BoundAgent::kin).collect(),
        };
        let workers: Vec<(Role, Kin<'_>)> = WORKERS
            .into_iter()
            .filter_map(|role| Some((role, roles.get(&role)?.kin())))
            .collect();
        let place = self.file.judging.same_family.as_ref().map(|at| at.span.clone());
        for (judge, why) in same_families(&workers, &judges) {
            self.note(
                place.clone(),
                format!("judge `{judge}` {why}, and `judging.same_family` is `refuse`"),
                Some("let an agent of another family judge, or set it to `label`".to_owned()),
            );
        }
    }

    /// Dimension, group and rubric of one criterion must fit the rest.
    pub(super) fn fits(&mut self, id: &CriterionId, part: &CriterionPart, span: &Option<Span>, known: &Known) {
        let mine = self.file.criteria.iter().find(|mine| mine.value.id.value == *id);
        let place = |key: Option<Span>| key.or_else(|| span.clone());
        let at = |own: Option<&Option<At<String>>>| place(own.and_then(|at| at.as_ref()).map(|at| at.span.clone()));
        let dimension_at = at(mine.map(|mine| &mine.value.dimension));
        let group_at = at(mine.map(|mine| &mine.value.group));
        let pass_at_at = place(
            mine.and_then(|mine| mine.value.pass_at.as_ref())
                .map(|at| at.span.clone()),
        );
        for (kind, given, names, at, define) in [
            (
                "dimension",
                &part.dimension,
                &known.dimensions,
                dimension_at,
                "[[scoring.dimensions]]",
            ),
            ("group", &part.group, &known.groups, group_at, "evaluation.groups"),
        ] {
            if let Some(given) = given.as_ref().filter(|given| !names.contains(&given.value)) {
                let help = suggest(&given.value, names.iter().map(String::as_str))
                    .unwrap_or_else(|| format!("define it in `{define}`"));
                let message = format!("criterion `{id}` is of {kind} `{}`, which does not exist", given.value);
                self.note(at, message, Some(help));
            }
        }
        let rubric = part.rubric.as_deref().unwrap_or_default();
        if let Some(pass_at) = &part.pass_at
            && !part.damaged
            && !rubric.iter().any(|anchor| anchor.score == pass_at.value)
        {
            let scores: Vec<String> = rubric.iter().map(|anchor| anchor.score.to_string()).collect();
            let help = match scores.is_empty() {
                true => "give it a `rubric`".to_owned(),
                false => format!("its anchors: {}", scores.join(", ")),
            };
            self.note(
                pass_at_at,
                format!(
                    "criterion `{id}` passes at {}, where its rubric has no anchor",
                    pass_at.value
                ),
                Some(help),
            );
        }
    }
}
