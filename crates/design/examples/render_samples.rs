//! Renders sample intents into a directory, for tests in a real browser: `render_samples OUT_DIR`.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "an example writes its pages where it is told"
)]

use std::error::Error;
use std::path::Path;

use onus_design::preview::{Scores, render};
use onus_design::{Component, ComponentKind, Entity, Flow, Intent, Step, parse};

fn main() -> Result<(), Box<dyn Error>> {
    let out = std::env::args().nth(1).ok_or("usage: render_samples OUT_DIR")?;
    std::fs::create_dir_all(&out)?;
    let shop = parse(include_str!("intents/shop-checkout.json"))?;
    let clinic = parse(include_str!("intents/clinic-booking.json"))?;
    let pages = [
        ("shop-checkout", render(&shop, Some(&shop_scores()))),
        ("clinic-booking", render(&clinic, Some(&clinic_scores()))),
        ("unscored", render(&clinic, None)),
        ("hostile", render(&hostile(&shop), Some(&hostile_scores()))),
        ("large", render(&large(&shop), Some(&shop_scores()))),
    ];
    for (name, page) in pages {
        let path = Path::new(&out).join(format!("{name}.html"));
        std::fs::write(&path, &page)?;
        println!("{} {} bytes", path.display(), page.len());
    }
    Ok(())
}

fn scores(overall: u16, dimensions: [u16; 5], findings: &[(&str, &str)]) -> Scores {
    let names = [
        "Completeness",
        "Coherence",
        "Clarity",
        "Framework agnosticism",
        "Data-model integrity",
    ];
    Scores {
        overall,
        threshold: 8000,
        dimensions: names
            .iter()
            .zip(dimensions)
            .map(|(name, score)| ((*name).to_owned(), score))
            .collect(),
        findings: findings
            .iter()
            .map(|(at, message)| ((*at).to_owned(), (*message).to_owned()))
            .collect(),
    }
}

fn shop_scores() -> Scores {
    scores(
        9350,
        [9600, 9400, 8750, 10_000, 9200],
        &[
            (
                "/userFlows/0/steps/4/description",
                "“How fast” is vague: say which choices there are, for example in days.",
            ),
            (
                "/components/17",
                "No interaction says how the payment notice goes away again.",
            ),
            (
                "/dataModel/entities/2/attributes",
                "An order line has nothing that tells one from another: add an identifier.",
            ),
            (
                "/interactions",
                "The keep-address toggle is described, but nothing says what it does.",
            ),
        ],
    )
}

fn clinic_scores() -> Scores {
    scores(
        6125,
        [4500, 7000, 5500, 10_000, 5000],
        &[
            (
                "/goals/0",
                "The goal cannot be measured: say how many patients, or how fast.",
            ),
            ("/userFlows/0/steps/2/description", "What is confirmed? Name it."),
            (
                "/dataModel/entities/1",
                "Nothing says whose visit it is: relate it to a patient.",
            ),
        ],
    )
}

fn hostile_scores() -> Scores {
    scores(
        u16::MAX,
        [0, u16::MAX, 1, 9999, 5000],
        &[
            (
                "/userFlows/99999999999999999999/steps",
                "</style><script>alert(1)</script>",
            ),
            ("javascript:alert(1)", "\" onmouseover=\"alert(1)"),
            ("", ""),
            ("/components/0/\u{202e}", "\u{202e}desrever\u{2069}\u{0}"),
        ],
    )
}

/// What nobody should write, in every place that holds text.
fn hostile(base: &Intent) -> Intent {
    let markup = "</title></style><script>alert(1)</script><img src=x onerror=alert(1)>\"'&amp;";
    let long = "W".repeat(10_000);
    let mut intent = base.clone();
    intent.title = format!("{markup} {}", "Überlänge".repeat(20));
    intent.feature_id = "\"><b>id".to_owned();
    intent.version = "\u{202e}0.0.1\u{0}".to_owned();
    intent.goals = vec![
        long.clone(),
        markup.to_owned(),
        "שלום \u{202e}abc".to_owned(),
        String::new(),
    ];
    intent.user_flows.truncate(2);
    intent.components.truncate(12);
    intent.data_model.entities.truncate(4);
    for (i, flow) in intent.user_flows.iter_mut().enumerate() {
        flow.actor = if i == 0 {
            long.clone()
        } else {
            "مستخدم".to_owned()
        };
        flow.name = markup.to_owned();
        flow.outcome = long.clone();
        for step in &mut flow.steps {
            step.description = format!("{markup} {long}");
            step.components = vec![long.clone(), "missing".to_owned()];
        }
    }
    for (i, component) in intent.components.iter_mut().enumerate() {
        component.name = if i % 2 == 0 { long.clone() } else { markup.to_owned() };
        component.description = format!("{long}\u{1b}[31m");
        component.data = vec![markup.to_owned(), "Order".to_owned()];
        if i % 7 == 3 {
            component.parent = Some(component.id.clone());
        }
    }
    for entity in &mut intent.data_model.entities {
        entity.description = long.clone();
        for attribute in &mut entity.attributes {
            attribute.name = long.clone();
            attribute.description = markup.to_owned();
        }
        for relationship in &mut entity.relationships {
            relationship.name = markup.to_owned();
        }
    }
    for interaction in &mut intent.interactions {
        interaction.component = markup.to_owned();
        interaction.trigger = long.clone();
        interaction.response = "\u{2067}\u{7}".to_owned();
    }
    intent
}

/// As many things as an intent may have.
fn large(base: &Intent) -> Intent {
    let mut intent = base.clone();
    let step = |i: usize| Step {
        id: format!("step-{i}"),
        ..base.user_flows[0].steps[i % 7].clone()
    };
    intent.user_flows = (0..50)
        .map(|i| Flow {
            id: format!("flow-{i}"),
            steps: (0..10).map(step).collect(),
            ..base.user_flows[0].clone()
        })
        .collect();
    intent.components = (0..200)
        .map(|i| Component {
            id: format!("part-{i}"),
            kind: ComponentKind::ALL[if i % 10 == 0 { 0 } else { 1 + i % 4 }],
            parent: (i % 10 != 0).then(|| format!("part-{}", if i % 3 == 0 { i - 1 } else { i / 10 * 10 })),
            ..base.components[i % base.components.len()].clone()
        })
        .collect();
    let sample = &base.data_model.entities;
    intent.data_model.entities = (0..30)
        .map(|i| {
            let mut entity = Entity {
                name: format!("Entity{i}"),
                ..sample[i % sample.len()].clone()
            };
            for (r, relationship) in entity.relationships.iter_mut().enumerate() {
                relationship.target = format!("Entity{}", (i * 7 + r * 5 + 1) % 30);
            }
            entity
        })
        .collect();
    intent
}
