//! Designs of graded quality, in a short form that is easy to write and to change line by line.

#![allow(dead_code, reason = "each test file uses its own part of this")]

use onus_design::{
    Attribute, Cardinality, Component, DataModel, Entity, Flow, Intent, Interaction, Relationship, Step, ValueKind,
};
use serde::de::DeserializeOwned;

/// A grade from 1 (useless) to 5 (ready to build from), given by reading the design, before it was scored.
pub(crate) struct Graded {
    pub(crate) name: String,
    pub(crate) grade: u8,
    pub(crate) intent: Intent,
}

const FILES: [(&str, &str); 8] = [
    ("parcel", include_str!("parcel.txt")),
    ("clinic", include_str!("clinic.txt")),
    ("library", include_str!("library.txt")),
    ("sensors", include_str!("sensors.txt")),
    ("kitchen", include_str!("kitchen.txt")),
    ("issues", include_str!("issues.txt")),
    // Written after the costs were settled, so that the ranking is also tried on designs they were not set by.
    ("choir", include_str!("choir.txt")),
    ("refunds", include_str!("refunds.txt")),
];

pub(crate) fn all() -> Vec<Graded> {
    let mut all = Vec::new();
    for (name, file) in FILES {
        for section in file.split("=== grade ").skip(1) {
            let (grade, body) = section.split_once('\n').unwrap();
            let grade: u8 = grade.trim().parse().unwrap();
            let text = if body.starts_with("edit\n") {
                edited(&section_text(file, 5), body)
            } else {
                body.to_string()
            };
            all.push(Graded {
                name: format!("{name}-{grade}"),
                grade,
                intent: read(&text),
            });
        }
    }
    all
}

/// The best design of a file: nothing to find fault with.
pub(crate) fn best(name: &str) -> Intent {
    let (_, file) = FILES.iter().find(|(one, _)| *one == name).unwrap();
    read(&section_text(file, 5))
}

fn section_text(file: &str, grade: u8) -> String {
    let (_, rest) = file.split_once(&format!("=== grade {grade}\n")).unwrap();
    rest.split("=== grade ").next().unwrap().to_string()
}

/// Edits are pairs of lines: `<` what stands there, `>` what stands there instead; an empty one deletes the line.
fn edited(text: &str, edits: &str) -> String {
    let mut text = text.to_string();
    let lines: Vec<&str> = edits.lines().skip(1).filter(|line| !line.is_empty()).collect();
    for pair in lines.chunks(2) {
        let [from, to] = pair else {
            panic!("half an edit: {pair:?}")
        };
        let from = from.strip_prefix("< ").unwrap_or_else(|| panic!("{from}"));
        let to = to.strip_prefix('>').unwrap_or_else(|| panic!("{to}")).trim_start();
        let found = text
            .lines()
            .find(|line| line.contains(from))
            .unwrap_or_else(|| panic!("no `{from}`"))
            .to_string();
        let changed = if to.is_empty() {
            String::new()
        } else {
            found.replace(from, to)
        };
        text = text.replacen(&found, &changed, 1);
    }
    text
}

fn word<T: DeserializeOwned>(word: &str) -> T {
    serde_json::from_value(word.into()).unwrap_or_else(|_| panic!("`{word}`"))
}

fn list(text: &str) -> Vec<String> {
    text.split(',')
        .map(str::trim)
        .filter(|one| !one.is_empty())
        .map(String::from)
        .collect()
}

pub(crate) fn read(text: &str) -> Intent {
    let mut intent = Intent {
        feature_id: String::new(),
        version: "1.0.0".to_string(),
        title: String::new(),
        goals: vec![],
        user_flows: vec![],
        components: vec![],
        data_model: DataModel::default(),
        interactions: vec![],
    };
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let (mark, rest) = line.split_at(1);
        let cells: Vec<String> = rest.split('|').map(|cell| cell.trim().to_string()).collect();
        let cell = |index: usize| cells.get(index).cloned().unwrap_or_default();
        match mark {
            "#" => (intent.feature_id, intent.title) = (cell(0), cell(1)),
            "*" => intent.goals.push(cell(0)),
            ">" => intent.user_flows.push(Flow {
                id: cell(0),
                name: cell(1),
                actor: cell(2),
                outcome: cell(3),
                steps: vec![],
            }),
            "-" => {
                let steps = &mut intent.user_flows.last_mut().unwrap().steps;
                steps.push(Step {
                    id: format!("step-{}", steps.len() + 1),
                    action: word(&cell(0)),
                    components: list(&cell(1)),
                    description: cell(2),
                });
            }
            "@" => intent.components.push(component(&cells)),
            "$" => intent.data_model.entities.push(Entity {
                name: cell(0),
                description: cell(1),
                attributes: vec![],
                relationships: vec![],
            }),
            "." => {
                let attribute = attribute(&cells);
                intent
                    .data_model
                    .entities
                    .last_mut()
                    .unwrap()
                    .attributes
                    .push(attribute);
            }
            "~" => {
                let relationship = Relationship {
                    name: cell(0),
                    target: cell(1),
                    cardinality: word::<Cardinality>(&cell(2)),
                };
                intent
                    .data_model
                    .entities
                    .last_mut()
                    .unwrap()
                    .relationships
                    .push(relationship);
            }
            "!" => intent.interactions.push(Interaction {
                id: format!("on-{}", intent.interactions.len() + 1),
                component: cell(0),
                trigger: cell(1),
                response: cell(2),
            }),
            other => panic!("`{other}` begins no line: {line}"),
        }
    }
    intent
}

/// `id kind parent | name | description | entities`, with `.` for no parent.
fn component(cells: &[String]) -> Component {
    let head: Vec<&str> = cells[0].split_whitespace().collect();
    Component {
        id: head[0].to_string(),
        kind: word(head[1]),
        parent: (head[2] != ".").then(|| head[2].to_string()),
        name: cells[1].clone(),
        description: cells[2].clone(),
        data: list(cells.get(3).map_or("", String::as_str)),
    }
}

/// `name type required unique | description`.
fn attribute(cells: &[String]) -> Attribute {
    let head: Vec<&str> = cells[0].split_whitespace().collect();
    Attribute {
        name: head[0].to_string(),
        kind: word::<ValueKind>(head[1]),
        required: head.contains(&"required"),
        unique: head.contains(&"unique"),
        description: cells.get(1).cloned().unwrap_or_default(),
    }
}
