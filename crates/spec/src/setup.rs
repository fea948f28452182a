//! Set-up: editing a draft and confirming it.
//!
//! A person confirms the criteria and the number of iterations, each explicitly, and any edit takes both confirmations
//! back. What the task's text says about either counts for nothing here. The dialogue itself is the face's.

use onus_model::{Confirmation, Confirmations, Criterion, CriterionId, LevelName, Score, Severity};

use crate::draft::{Draft, Origin};
use crate::file::MAX_ITERATIONS_MAX;

/// A change to a draft.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "an edit is made by a person and gone at once")]
pub enum Edit {
    Threshold {
        level: LevelName,
        threshold: Score,
    },
    MaxIterations(u32),
    /// The weight follows the severity.
    Severity {
        id: CriterionId,
        severity: Severity,
    },
    Add(Criterion),
    Remove(CriterionId),
}

/// Why an edit was refused. Nothing changed, and what was confirmed still is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    #[error("there is no level `{0}`")]
    UnknownLevel(LevelName),
    #[error("there is no criterion `{0}`")]
    UnknownCriterion(CriterionId),
    #[error("criterion `{0}` is already there")]
    SameId(CriterionId),
    #[error("the number of iterations must be between 1 and {MAX_ITERATIONS_MAX}, not {0}")]
    MaxIterations(u32),
}

/// A draft and what a person has confirmed about it. The draft changes through [`Confirmable::edit`] only.
#[derive(Debug, Clone, PartialEq)]
pub struct Confirmable {
    draft: Draft,
    criteria: Option<Confirmation>,
    max_iterations: Option<Confirmation>,
}

impl Confirmable {
    pub fn new(draft: Draft) -> Confirmable {
        Confirmable {
            draft,
            criteria: None,
            max_iterations: None,
        }
    }

    pub fn draft(&self) -> &Draft {
        &self.draft
    }

    pub fn criteria_confirmed(&self) -> bool {
        self.criteria.is_some()
    }

    pub fn max_iterations_confirmed(&self) -> bool {
        self.max_iterations.is_some()
    }

    pub fn confirm_criteria(&mut self, confirmation: Confirmation) {
        self.criteria = Some(confirmation);
    }

    pub fn confirm_max_iterations(&mut self, confirmation: Confirmation) {
        self.max_iterations = Some(confirmation);
    }

    /// Changes the draft; both fields must then be confirmed again.
    pub fn edit(&mut self, edit: Edit) -> Result<(), EditError> {
        self.draft.apply(edit)?;
        self.criteria = None;
        self.max_iterations = None;
        Ok(())
    }

    /// What a run needs to start: both, or nothing.
    pub fn both(&self) -> Option<Confirmations> {
        Some(Confirmations {
            criteria: self.criteria.clone()?,
            max_iterations: self.max_iterations.clone()?,
        })
    }
}

impl Draft {
    fn apply(&mut self, edit: Edit) -> Result<(), EditError> {
        match edit {
            Edit::Threshold { level, threshold } => {
                let found = self.levels.iter_mut().find(|l| l.name == level);
                found.ok_or(EditError::UnknownLevel(level))?.threshold = threshold;
            }
            Edit::MaxIterations(count) => {
                if !(1..=MAX_ITERATIONS_MAX).contains(&count) {
                    return Err(EditError::MaxIterations(count));
                }
                self.limits.max_iterations = count;
                self.max_iterations_from = Origin::Person;
            }
            Edit::Severity { id, severity } => {
                let weight = self.weight_of(severity);
                let found = self.criteria.iter_mut().find(|c| c.id == id);
                let criterion = found.ok_or(EditError::UnknownCriterion(id))?;
                (criterion.severity, criterion.weight) = (severity, weight);
            }
            Edit::Add(criterion) => {
                if self.criteria.iter().any(|c| c.id == criterion.id) {
                    return Err(EditError::SameId(criterion.id));
                }
                if !self.levels.iter().any(|l| l.name == criterion.level) {
                    return Err(EditError::UnknownLevel(criterion.level));
                }
                self.criteria.push(criterion);
            }
            Edit::Remove(id) => {
                let at = self.criteria.iter().position(|c| c.id == id);
                self.criteria.remove(at.ok_or(EditError::UnknownCriterion(id))?);
            }
        }
        Ok(())
    }

    /// Criteria made from the answers of a full set-up, ready to be added: all of the first level, with ids
    /// `a.task.<slug>-N` that no criterion of the draft has.
    pub fn criteria_from(&self, answers: &Answers) -> Vec<Criterion> {
        let Some(level) = self.levels.first() else {
            return Vec::new();
        };
        let trimmed = |texts: &[String]| texts.iter().map(|text| text.trim().to_owned()).collect::<Vec<_>>();
        let demand = |text: String| (text.clone(), text);
        let ideal = answers.ideal_result.split(['\n', ';']).map(list_item).map(demand);
        let mandatory = trimmed(&answers.mandatory).into_iter().map(demand);
        let forbidden = trimmed(&answers.major_issues).into_iter();
        let forbidden = forbidden.map(|issue| (format!("This does not happen: {issue}"), issue));
        let preferences = trimmed(&answers.preferences).into_iter().map(demand);
        let must = ideal
            .chain(mandatory)
            .chain(forbidden)
            .map(|said| (said, Severity::Fail));
        let all = must.chain(preferences.map(|said| (said, Severity::Warn)));

        let mut taken: Vec<CriterionId> = self.criteria.iter().map(|c| c.id.clone()).collect();
        let mut criteria = Vec::new();
        for ((text, subject), severity) in all.filter(|((_, subject), _)| !subject.is_empty()) {
            let stem = format!("{}.task.{}", level.name.as_str().to_lowercase(), slug(&subject));
            let free = (1..)
                .map_while(|n| CriterionId::new(format!("{stem}-{n}")).ok())
                .find(|id| !taken.contains(id));
            let Some(id) = free else { continue };
            taken.push(id.clone());
            criteria.push(Criterion {
                check: format!("The artifact shows plainly that this holds: {text}"),
                description: text,
                severity,
                weight: self.weight_of(severity),
                ..Criterion::new(id, level.name.clone())
            });
        }
        criteria
    }
}

/// What a person says in a full set-up. Type, thresholds and iterations go into the draft directly.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answers {
    /// One criterion for each line, or part between semicolons; severity `fail`.
    pub ideal_result: String,
    /// Severity `fail`.
    pub mandatory: Vec<String>,
    /// What counts as a major issue: severity `fail`, as a prohibition.
    pub major_issues: Vec<String>,
    /// Severity `warn`.
    pub preferences: Vec<String>,
}

/// A line without its bullet.
fn list_item(line: &str) -> String {
    line.trim().trim_start_matches(['-', '*', '•']).trim().to_owned()
}

/// The first words of a text, as part of an id.
fn slug(text: &str) -> String {
    const WORDS_MAX: usize = 4;
    const CHARS_MAX: usize = 40;
    let lower = text.to_lowercase();
    let words = lower
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty());
    let joined = words.take(WORDS_MAX).collect::<Vec<_>>().join("-");
    let cut = joined.get(..CHARS_MAX).unwrap_or(&joined).trim_end_matches('-');
    if cut.is_empty() {
        "item".to_owned()
    } else {
        cut.to_owned()
    }
}
