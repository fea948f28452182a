//! What a terminal shows as a run goes on. A fold over records, so a stored history told again reads as it did live.

use std::collections::BTreeSet;
use std::sync::Arc;

use onus_model::{ArtifactForm, ArtifactRef, Changes, Digest, Event, Issue, LoopSpec, Record, Scorecard};

use crate::report::quoted;
use crate::style::Style;
use crate::summary::{IterationSummary, iteration_summary, level_switch};
use crate::timeline::record_line;

/// One thing to print, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// Progress, without a line break; a face that shows progress otherwise may leave it out.
    Line(String),
    /// Something out of the ordinary: a failed step with the end of its output, a resumed run, a repair. Ends in a line
    /// break.
    Note(String),
    /// An iteration's summary; ends in a line break.
    Summary(String),
    /// Print this artifact in full under `title`; it must be escaped like any foreign text.
    FullArtifact { sha256: Digest, title: String },
}

#[derive(Debug, Clone)]
pub struct Narrator {
    style: Style,
    artifact_path: String,
    spec: Option<Arc<LoopSpec>>,
    plan: Vec<String>,
    artifact: Option<ArtifactRef>,
    /// What moved since the last summary, by whichever step.
    changed: Changes,
    /// The last evaluation, and the iteration it was made in.
    evaluation: Option<(u32, Box<Scorecard>)>,
    /// Every artifact that was evaluated.
    evaluated: BTreeSet<Digest>,
    /// It has not been summed up yet.
    pending: bool,
    /// The artifact of the last summary.
    summed_up: Option<Digest>,
}

impl Narrator {
    pub fn new(style: Style, artifact_path: impl Into<String>) -> Narrator {
        Narrator {
            style,
            artifact_path: artifact_path.into(),
            spec: None,
            plan: Vec::new(),
            artifact: None,
            changed: Changes::default(),
            evaluation: None,
            evaluated: BTreeSet::new(),
            pending: false,
            summed_up: None,
        }
    }

    /// What to print now that this was recorded.
    pub fn tell(&mut self, record: &Record) -> Vec<Block> {
        let line = Block::Line(record_line(record));
        match &record.stamped.event {
            Event::RunStarted(start) => {
                self.spec = Some(Arc::clone(&start.spec));
                vec![line]
            }
            Event::PlanCreated { plan, .. } => {
                self.plan.clone_from(plan);
                vec![line]
            }
            Event::ArtifactCreated { artifact, .. } => {
                self.take(artifact);
                vec![line]
            }
            Event::ChecksPrepared { .. } => vec![line],
            Event::EvaluationDone { scorecard, .. } => {
                self.evaluated.insert(scorecard.artifact_sha256);
                self.evaluation = Some((record.stamped.iteration, scorecard.clone()));
                self.pending = true;
                vec![line]
            }
            Event::CritiqueDone { issues, .. } => [line].into_iter().chain(self.sum_up(issues)).collect(),
            Event::RefinementDone { artifact, .. } => {
                let summary = self.sum_up(&[]);
                self.take(artifact);
                summary.into_iter().chain([line]).collect()
            }
            Event::IterationAdvanced { .. } => self.sum_up(&[]).into_iter().chain([line]).collect(),
            Event::PhaseSwitched { from, to } => {
                let title = level_switch(from, to, self.evaluation.as_ref().map(|(_, card)| card.as_ref()));
                let artifact = self.full_artifact(title);
                self.sum_up(&[]).into_iter().chain([line]).chain(artifact).collect()
            }
            Event::Stopped(_) | Event::Failed { .. } => {
                let artifact = self.full_artifact(self.final_title());
                self.sum_up(&[]).into_iter().chain([line]).chain(artifact).collect()
            }
            Event::PhaseError { error, .. } => {
                vec![Block::Note(format!("{}\n{}", record_line(record), quoted(&error.tail)))]
            }
            Event::ArtifactRestored { artifact, .. } => {
                let summary = self.sum_up(&[]);
                self.take(artifact);
                summary.into_iter().chain([line]).collect()
            }
            Event::Resumed { .. }
            | Event::EditRefused(_)
            | Event::TailRepaired { .. }
            | Event::Adopted { .. }
            | Event::Repaired { .. } => {
                vec![Block::Note(record_line(record) + "\n")]
            }
        }
    }

    fn take(&mut self, artifact: &ArtifactRef) {
        add(&mut self.changed, &artifact.changed);
        self.artifact = Some(artifact.clone());
    }

    /// The summary of the last evaluation, once.
    fn sum_up(&mut self, issues: &[Issue]) -> Option<Block> {
        let (iteration, scorecard) = self.evaluation.as_ref().filter(|_| self.pending)?;
        self.pending = false;
        let evaluated = scorecard.artifact_sha256;
        let repeated = self.summed_up.replace(evaluated) == Some(evaluated);
        let changed = std::mem::take(&mut self.changed);
        let summary = IterationSummary {
            iteration: *iteration,
            max_iterations: self.spec.as_ref().map_or(*iteration, |spec| spec.limits.max_iterations),
            plan: &self.plan,
            scorecard,
            changed: Some(&changed).filter(|_| !repeated),
            issues,
            artifact_path: &self.artifact_path,
        };
        Some(Block::Summary(iteration_summary(&summary, self.style)))
    }

    /// A tree has no text to print: its files are where they belong.
    fn full_artifact(&self, title: String) -> Option<Block> {
        if self
            .spec
            .as_ref()
            .is_some_and(|spec| spec.artifact == ArtifactForm::Tree)
        {
            return None;
        }
        let sha256 = self.artifact.as_ref()?.artifact_sha256;
        Some(Block::FullArtifact { sha256, title })
    }

    fn final_title(&self) -> String {
        let hash = self.artifact.as_ref().map(|a| a.artifact_sha256);
        let evaluated = hash.is_some_and(|hash| self.evaluated.contains(&hash));
        let name = hash.map(|hash| hash.short()).unwrap_or_default();
        if evaluated {
            format!("Final artifact {name}")
        } else {
            format!("Final artifact {name}, not evaluated")
        }
    }
}

/// What two changes, one after the other, come to.
fn add(changed: &mut Changes, later: &Changes) {
    changed.initial |= later.initial;
    for name in &later.added {
        // Away and back again is a change in place.
        let list = if remove(&mut changed.removed, name) {
            &mut changed.modified
        } else {
            &mut changed.added
        };
        insert(list, name);
    }
    for name in later
        .modified
        .iter()
        .filter(|name| !changed.added.contains(name))
        .cloned()
        .collect::<Vec<_>>()
    {
        insert(&mut changed.modified, &name);
    }
    for name in &later.removed {
        remove(&mut changed.modified, name);
        if !remove(&mut changed.added, name) {
            insert(&mut changed.removed, name);
        }
    }
}

fn insert(list: &mut Vec<String>, name: &str) {
    if !list.iter().any(|known| known == name) {
        list.push(name.to_owned());
    }
}

fn remove(list: &mut Vec<String>, name: &str) -> bool {
    let before = list.len();
    list.retain(|known| known != name);
    list.len() < before
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `+added ~modified -removed`
    fn changes(text: &str) -> Changes {
        let of = |sign: char| {
            text.split(' ')
                .filter_map(|word| word.strip_prefix(sign))
                .map(str::to_owned)
                .collect()
        };
        Changes {
            initial: false,
            added: of('+'),
            modified: of('~'),
            removed: of('-'),
        }
    }

    #[test]
    fn two_changes_come_to_one() {
        for (first, second, sum) in [
            ("", "~a", "~a"),
            ("+a", "~a", "+a"),
            ("~a", "~a", "~a"),
            ("+a", "-a", ""),
            ("~a", "-a", "-a"),
            ("-a", "+a", "~a"),
            ("+a ~b", "+c", "+a +c ~b"),
        ] {
            let mut changed = changes(first);
            add(&mut changed, &changes(second));
            assert_eq!(changed, changes(sum), "{first} then {second}");
        }
    }
}
