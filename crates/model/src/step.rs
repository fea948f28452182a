//! Steps, the stages that hold them, and the roles that play them.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::LevelName;

/// One unit of work inside an iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    Plan,
    Produce,
    Prepare,
    Evaluate,
    Critique,
    Refine,
}

impl Step {
    pub const ALL: [Step; 6] = [
        Step::Plan,
        Step::Produce,
        Step::Prepare,
        Step::Evaluate,
        Step::Critique,
        Step::Refine,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Step::Plan => "plan",
            Step::Produce => "produce",
            Step::Prepare => "prepare",
            Step::Evaluate => "evaluate",
            Step::Critique => "critique",
            Step::Refine => "refine",
        }
    }

    /// Who plays this step.
    pub const fn role(self) -> Role {
        match self {
            Step::Plan => Role::Planner,
            Step::Produce => Role::Producer,
            Step::Prepare => Role::Preparer,
            Step::Evaluate => Role::Evaluator,
            Step::Critique => Role::Critic,
            Step::Refine => Role::Refiner,
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A part that an agent plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    Planner,
    Producer,
    Preparer,
    Evaluator,
    Critic,
    Refiner,
}

impl Role {
    pub const ALL: [Role; 6] = [
        Role::Planner,
        Role::Producer,
        Role::Preparer,
        Role::Evaluator,
        Role::Critic,
        Role::Refiner,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Role::Planner => "planner",
            Role::Producer => "producer",
            Role::Preparer => "preparer",
            Role::Evaluator => "evaluator",
            Role::Critic => "critic",
            Role::Refiner => "refiner",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Steps that run at the same time; the next stage starts when all are done.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Stage(pub Vec<Step>);

impl Stage {
    /// The documented `current_step` word: `PLAN`, `PRODUCE_PREPARE` …
    pub fn label(&self) -> String {
        let names: Vec<String> = self.0.iter().map(|step| step.name().to_uppercase()).collect();
        names.join("_")
    }
}

/// One step of one stage, asked once. Derived from state alone, so it is also an idempotency key: a result that names a
/// task which is not open (a duplicate, a zombie, a late answer) changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct StepTask {
    pub iteration: u32,
    pub level: LevelName,
    /// How many stages the run had finished when this one began.
    pub stage: u32,
    pub step: Step,
    /// 1 for the first try.
    pub attempt: u32,
}

impl fmt::Display for StepTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}-{}-{}-{}-{}",
            self.iteration, self.level, self.stage, self.step, self.attempt
        )
    }
}
