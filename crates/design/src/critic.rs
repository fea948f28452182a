//! The critic: how good a design is, as exact numbers, and why each point was lost.
//!
//! It is a function of the intent alone. Every dimension starts at 100 points; every finding takes its rule's cost, at most
//! the rule's limit over all its findings and at most what is left. `docs/reference/design-critic.md` has the rules.

mod agnosticism;
mod clarity;
mod coherence;
mod completeness;
mod data_model;
mod graph;
mod rules;
mod terms;
mod texts;
mod vague;
mod words;

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Intent;

pub use rules::{RULES, Rule};
pub use terms::{TermClass, ordinary_terms, plain_terms};
pub use vague::vague_phrases;

/// The version of the rules. It changes whenever some intent's score may change.
pub const VERSION: &str = "1.0.0";

/// Points of 100, in hundredths: `Points` of 7245 is 72.45. In JSON it is the number 72.45.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "f64", into = "f64")]
#[schemars(with = "f64")]
pub struct Points(u16);

impl Points {
    pub const ZERO: Points = Points(0);
    pub const ALL: Points = Points(10_000);

    /// From hundredths of a point; above 100 points is 100 points.
    pub fn from_hundredths(hundredths: u16) -> Points {
        Points(hundredths.min(10_000))
    }

    pub fn hundredths(self) -> u16 {
        self.0
    }
}

impl fmt::Display for Points {
    /// Always two decimals: `72.45`, `80.00`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:02}", self.0 / 100, self.0 % 100)
    }
}

impl From<Points> for f64 {
    fn from(points: Points) -> f64 {
        f64::from(points.0) / 100.0
    }
}

impl TryFrom<f64> for Points {
    type Error = String;
    fn try_from(value: f64) -> Result<Points, String> {
        // The nearest hundredth, and only if the number is one: no float decides anything after this.
        let found = (0..=10_000_u16).find(|points| (f64::from(*points) / 100.0 - value).abs() < 1e-9);
        found
            .map(Points)
            .ok_or_else(|| format!("{value} is not a number of points from 0 to 100 with at most two decimals"))
    }
}

/// The same number as a share of 1: both count ten thousand steps.
impl From<Points> for onus_model::Score {
    fn from(points: Points) -> onus_model::Score {
        onus_model::Score::from_basis_points(points.0)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Dimension {
    /// Every part that a design needs is there and says something.
    Completeness,
    /// Flows, components and views fit together.
    Coherence,
    /// Words are specific and mean one thing.
    Clarity,
    /// No technology is named.
    FrameworkAgnosticism,
    /// What is kept carries what people do.
    DataModelIntegrity,
}

impl Dimension {
    pub const ALL: [Dimension; 5] = [
        Dimension::Completeness,
        Dimension::Coherence,
        Dimension::Clarity,
        Dimension::FrameworkAgnosticism,
        Dimension::DataModelIntegrity,
    ];

    /// Percent of the overall score.
    pub fn weight(self) -> u16 {
        match self {
            Dimension::Completeness | Dimension::Coherence => 25,
            Dimension::Clarity => 20,
            Dimension::FrameworkAgnosticism | Dimension::DataModelIntegrity => 15,
        }
    }

    /// As it stands in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Dimension::Completeness => "completeness",
            Dimension::Coherence => "coherence",
            Dimension::Clarity => "clarity",
            Dimension::FrameworkAgnosticism => "framework_agnosticism",
            Dimension::DataModelIntegrity => "data_model_integrity",
        }
    }
}

/// What the critic says about one intent. `critique.json` is exactly this.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Critique {
    /// The weighted sum of the dimensions, rounded down to a hundredth.
    pub overall: Points,
    pub dimensions: [DimensionCritique; 5],
    /// By dimension, then by place.
    pub findings: Vec<Finding>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DimensionCritique {
    pub dimension: Dimension,
    /// Percent of the overall score.
    pub weight: u16,
    /// 100 less the costs of the dimension's findings.
    pub score: Points,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Finding {
    /// Where, as a JSON pointer into the intent.
    pub pointer: String,
    pub rule_id: String,
    pub dimension: Dimension,
    /// Points of the dimension that it costs; 0 when the rule's limit or the dimension is used up.
    pub cost: Points,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub fix: String,
}

impl Critique {
    pub fn dimension(&self, dimension: Dimension) -> Points {
        let found = self.dimensions.iter().find(|one| one.dimension == dimension);
        found.map_or(Points::ZERO, |one| one.score)
    }
}

/// What the rules report into; one finding a rule and place.
#[derive(Default)]
struct Report {
    found: BTreeMap<(Dimension, Place, &'static str), (&'static Rule, String)>,
}

/// A JSON pointer that sorts numbers as numbers, so that findings stand in the order of the document's lists.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Place(Vec<(usize, String)>);

impl Place {
    fn of(pointer: &str) -> Place {
        let parts = pointer.split('/').skip(1);
        Place(
            parts
                .map(|part| (part.parse().unwrap_or(0), part.to_string()))
                .collect(),
        )
    }

    fn pointer(&self) -> String {
        self.0.iter().map(|(_, part)| format!("/{part}")).collect()
    }
}

impl Report {
    /// The first message of a rule for a place stays.
    fn add(&mut self, rule: &'static Rule, pointer: &str, message: impl Into<String>) {
        let key = (rule.dimension, Place::of(pointer), rule.id);
        self.found.entry(key).or_insert_with(|| (rule, message.into()));
    }

    fn weigh(self) -> Critique {
        let mut left: BTreeMap<Dimension, u16> = Dimension::ALL.into_iter().map(|d| (d, Points::ALL.0)).collect();
        let mut taken: BTreeMap<&str, u16> = BTreeMap::new();
        let mut findings = Vec::with_capacity(self.found.len());
        for ((dimension, place, rule_id), (rule, message)) in self.found {
            let rule_taken = taken.entry(rule_id).or_default();
            let remains = left.entry(dimension).or_default();
            let cost = rule.cost.min(rule.limit - *rule_taken).min(*remains);
            *rule_taken += cost;
            *remains -= cost;
            findings.push(Finding {
                pointer: place.pointer(),
                rule_id: rule_id.to_string(),
                dimension,
                cost: Points(cost),
                message,
                fix: rule.fix.to_string(),
            });
        }
        let dimensions = Dimension::ALL.map(|dimension| DimensionCritique {
            dimension,
            weight: dimension.weight(),
            score: Points(left.get(&dimension).copied().unwrap_or_default()),
        });
        let sum: u32 = dimensions
            .iter()
            .map(|one| u32::from(one.weight) * u32::from(one.score.0))
            .sum();
        Critique {
            overall: Points(u16::try_from(sum / 100).unwrap_or(Points::ALL.0)),
            dimensions,
            findings,
        }
    }
}

/// Judges an intent. Total: an intent that no reader would accept has a critique too.
pub fn critique(intent: &Intent) -> Critique {
    let mut report = Report::default();
    let texts = texts::of(intent);
    completeness::judge(intent, &mut report);
    coherence::judge(intent, &mut report);
    clarity::judge(intent, &texts, &mut report);
    agnosticism::judge(&texts, &mut report);
    data_model::judge(intent, &mut report);
    report.weigh()
}
