//! The design desk: what a design intent is, how good it is, how one is drafted from a brief, and how it looks.
//!
//! Everything here is a function of its arguments. The same intent has the same score and the same preview on every machine,
//! byte for byte.

pub mod critic;
pub mod drafter;
pub mod intent;
pub mod preview;

pub use intent::{
    Action, Attribute, Cardinality, Component, ComponentKind, DataModel, Entity, Flow, Intent, IntentError,
    Interaction, Relationship, Step, ValueKind, parse, schema,
};
