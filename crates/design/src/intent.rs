//! The design intent: what a feature is for, what people do with it, what they see, and what it keeps.
//!
//! It names no framework and no technology. Ids tie its parts together: steps name components, components name entities.

mod strict;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use strict::{BYTES_MAX, KEYWORDS, VIOLATIONS_MAX};

/// A design, ready to be judged. `intent.json` is exactly this.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Intent {
    /// A slug: lower-case letters, digits and dashes.
    #[schemars(regex(pattern = r"^[a-z0-9][a-z0-9-]{1,63}$"))]
    pub feature_id: String,
    /// The version of this design, `MAJOR.MINOR.PATCH`.
    #[schemars(regex(pattern = r"^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)$"))]
    pub version: String,
    /// For people.
    #[schemars(length(min = 1, max = 120))]
    pub title: String,
    /// What is better when the feature is there.
    #[schemars(length(min = 1, max = 20), inner(length(min = 1, max = 500)))]
    pub goals: Vec<String>,
    #[schemars(length(min = 1, max = 50))]
    pub user_flows: Vec<Flow>,
    #[schemars(length(min = 1, max = 200))]
    pub components: Vec<Component>,
    pub data_model: DataModel,
    #[schemars(length(max = 100))]
    pub interactions: Vec<Interaction>,
}

/// One way through the feature, from a reason to a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Flow {
    #[schemars(regex(pattern = r"^[a-z0-9][a-z0-9-]{1,63}$"))]
    pub id: String,
    #[schemars(length(min = 1, max = 120))]
    pub name: String,
    /// Who goes this way.
    #[schemars(length(min = 1, max = 80))]
    pub actor: String,
    /// What they have at the end.
    #[schemars(length(min = 1, max = 300))]
    pub outcome: String,
    #[schemars(length(min = 1, max = 50))]
    pub steps: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Step {
    #[schemars(regex(pattern = r"^[a-z0-9][a-z0-9-]{1,63}$"))]
    pub id: String,
    /// What is done, in a sentence.
    #[schemars(length(min = 1, max = 300))]
    pub description: String,
    pub action: Action,
    /// Where it is done: ids of components.
    #[schemars(length(min = 1, max = 20), inner(regex(pattern = r"^[a-z0-9][a-z0-9-]{1,63}$")))]
    pub components: Vec<String>,
}

/// What a person or the system does in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    View,
    Navigate,
    Enter,
    Select,
    Submit,
    Create,
    Update,
    Delete,
    Confirm,
    Search,
    /// Done by the system, not by a person.
    Notify,
    Compute,
}

/// A part of what people see, or of what works behind it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Component {
    #[schemars(regex(pattern = r"^[a-z0-9][a-z0-9-]{1,63}$"))]
    pub id: String,
    #[schemars(length(min = 1, max = 120))]
    pub name: String,
    #[serde(rename = "type")]
    pub kind: ComponentKind,
    #[schemars(length(min = 1, max = 500))]
    pub description: String,
    /// The component it is in; views are in none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = r"^[a-z0-9][a-z0-9-]{1,63}$"))]
    pub parent: Option<String>,
    /// Names of entities that it shows or changes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 50), inner(regex(pattern = r"^[A-Z][A-Za-z0-9]{0,63}$")))]
    pub data: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ComponentKind {
    /// A whole screen or page.
    View,
    /// Holds others together.
    Container,
    /// Something to act on.
    Control,
    /// Shows what is kept.
    Data,
    /// Works unseen.
    Utility,
}

impl ComponentKind {
    pub const ALL: [ComponentKind; 5] = [
        ComponentKind::View,
        ComponentKind::Container,
        ComponentKind::Control,
        ComponentKind::Data,
        ComponentKind::Utility,
    ];
}

/// What is kept.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DataModel {
    #[schemars(length(max = 100))]
    pub entities: Vec<Entity>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Entity {
    /// `UpperCamelCase`.
    #[schemars(regex(pattern = r"^[A-Z][A-Za-z0-9]{0,63}$"))]
    pub name: String,
    #[schemars(length(min = 1, max = 500))]
    pub description: String,
    #[schemars(length(min = 1, max = 100))]
    pub attributes: Vec<Attribute>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 50))]
    pub relationships: Vec<Relationship>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Attribute {
    /// `lowerCamelCase`.
    #[schemars(regex(pattern = r"^[a-z][A-Za-z0-9]{0,63}$"))]
    pub name: String,
    #[serde(rename = "type")]
    pub kind: ValueKind,
    #[serde(default)]
    pub required: bool,
    /// It tells one from another.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unique: bool,
    /// What values mean or which are allowed, where the name does not say it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 500))]
    pub description: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ValueKind {
    Text,
    Number,
    Integer,
    Money,
    Boolean,
    Date,
    DateTime,
    Duration,
    /// One of a few words.
    Choice,
    Identifier,
    Email,
    Url,
    File,
    Location,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Relationship {
    /// What it is to the target, for example `contains` or `is placed by`.
    #[schemars(length(min = 1, max = 80))]
    pub name: String,
    /// The name of an entity.
    #[schemars(regex(pattern = r"^[A-Z][A-Za-z0-9]{0,63}$"))]
    pub target: String,
    pub cardinality: Cardinality,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Cardinality {
    OneToOne,
    OneToMany,
    ManyToOne,
    ManyToMany,
}

/// How a part answers when something is done to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Interaction {
    #[schemars(regex(pattern = r"^[a-z0-9][a-z0-9-]{1,63}$"))]
    pub id: String,
    /// The component it happens in.
    #[schemars(regex(pattern = r"^[a-z0-9][a-z0-9-]{1,63}$"))]
    pub component: String,
    /// What sets it off.
    #[schemars(length(min = 1, max = 200))]
    pub trigger: String,
    /// What happens then, also when it goes wrong.
    #[schemars(length(min = 1, max = 300))]
    pub response: String,
}

/// Why a text is no intent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IntentError {
    #[error("line {line}, column {column}: {message}")]
    Json {
        line: usize,
        column: usize,
        message: String,
    },
    #[error("the intent has {bytes} bytes, at most {max} are read")]
    TooLarge { bytes: usize, max: usize },
    /// Where a key stands twice, as a JSON pointer.
    #[error("`{pointer}` stands there twice")]
    DuplicateKey { pointer: String },
    /// A value that is not what the schema asks for.
    #[error("{}", violations.iter().map(|(pointer, message)| format!("`{pointer}`: {message}")).collect::<Vec<_>>().join("; "))]
    Schema { violations: Vec<(String, String)> },
}

/// The JSON Schema of an intent (draft 2020-12).
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Intent).to_value()
}

/// Reads an intent strictly: at most 1 MiB, no key twice, no number that is not kept exactly, and nothing that the schema
/// does not allow. All mistakes against the schema are named, sorted, at most 50.
pub fn parse(text: &str) -> Result<Intent, IntentError> {
    strict::parse(text)
}

impl Intent {
    pub fn component(&self, id: &str) -> Option<&Component> {
        self.components.iter().find(|component| component.id == id)
    }

    pub fn entity(&self, name: &str) -> Option<&Entity> {
        self.data_model.entities.iter().find(|entity| entity.name == name)
    }

    /// Components by the one they are in; `None` holds the outermost.
    pub fn children(&self) -> BTreeMap<Option<&str>, Vec<&Component>> {
        let mut all: BTreeMap<Option<&str>, Vec<&Component>> = BTreeMap::new();
        for component in &self.components {
            all.entry(component.parent.as_deref()).or_default().push(component);
        }
        all
    }
}
