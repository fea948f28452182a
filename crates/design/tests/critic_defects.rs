//! One defect at a time: each lowers its own dimension and no other, and mending it never costs anything.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::wildcard_enum_match_arm,
    clippy::print_stdout,
    reason = "tests"
)]

mod graded;

use std::sync::LazyLock;

use onus_design::critic::{Critique, Dimension, RULES, critique};
use onus_design::{Action, Cardinality, ComponentKind, Intent, Relationship, ValueKind};
use proptest::prelude::*;

use Dimension::{Clarity, Coherence, Completeness, DataModelIntegrity, FrameworkAgnosticism};

struct Defect {
    rule: &'static str,
    dimension: Dimension,
    inject: fn(&mut Intent),
}

macro_rules! defects {
    ($($dimension:ident $rule:literal $inject:expr;)*) => {
        const DEFECTS: &[Defect] = &[$(Defect { rule: $rule, dimension: $dimension, inject: $inject }),*];
    };
}

fn position(intent: &Intent, id: &str) -> usize {
    intent.components.iter().position(|one| one.id == id).unwrap()
}

fn set_description(intent: &mut Intent, id: &str, text: &str) {
    let index = position(intent, id);
    intent.components[index].description = text.to_string();
}

/// Adds a component that is used, inside the first view, and answers; only what is wrong with it is then wrong.
fn add_used(intent: &mut Intent, id: &str, kind: ComponentKind, parent: Option<&str>) -> usize {
    let mut new = intent.components[position(intent, "courier-messenger")].clone();
    new.id = id.to_string();
    new.name = format!("Part {id}");
    new.description = format!("A part of the page with the name {id}");
    new.kind = kind;
    new.parent = parent.map(String::from);
    intent.components.push(new);
    intent.user_flows[0].steps[3].components.push(id.to_string());
    let mut answer = intent.interactions[0].clone();
    answer.id = format!("on-{id}");
    answer.component = id.to_string();
    intent.interactions.push(answer);
    intent.components.len() - 1
}

defects! {
    Completeness "title-empty" |i| i.title = "Untitled".to_string();
    Completeness "goals-few" |i| i.goals.truncate(1);
    Completeness "goal-thin" |i| i.goals.push("Fewer angry calls".to_string());
    Completeness "flow-short" |i| { let mut flow = i.user_flows[0].clone(); flow.id = "peek".to_string(); flow.name = "Peek".to_string(); flow.steps.drain(..3); i.user_flows.push(flow); };
    Completeness "flow-actor" |i| { i.user_flows[0].actor = "anyone".to_string(); i.user_flows[1].actor = "anyone".to_string(); };
    Completeness "flow-outcome" |i| i.user_flows[0].outcome = "Parcel located".to_string();
    Completeness "view-thin" |i| set_description(i, "tracking-view", "Finds one parcel quickly");
    Completeness "view-empty" |i| { let at = add_used(i, "help-view", ComponentKind::View, None); i.components[at].data.clear(); };
    Completeness "control-silent" |i| i.interactions.retain(|one| one.component != "search-button");
    Completeness "control-error" |i| i.interactions[3].response = "The redirection is confirmed with its number".to_string();
    Completeness "entity-thin" |i| i.data_model.entities[1].attributes.truncate(1);

    Coherence "step-component" |i| i.user_flows[0].steps[3].components.push("ghost".to_string());
    Coherence "interaction-component" |i| { let mut one = i.interactions[0].clone(); one.id = "on-ghost".to_string(); one.component = "ghost".to_string(); i.interactions.push(one); };
    Coherence "parent-unknown" |i| { let at = position(i, "neighbour-field"); i.components[at].parent = Some("ghost".to_string()); };
    Coherence "parent-circle" |i| { let one = add_used(i, "one", ComponentKind::Container, Some("two")); add_used(i, "two", ComponentKind::Container, Some("one")); assert!(one > 0); };
    Coherence "view-nested" |i| { let at = position(i, "redirect-view"); i.components[at].parent = Some("tracking-view".to_string()); };
    Coherence "part-outside" |i| { let at = position(i, "search-button"); i.components[at].parent = None; };
    Coherence "part-outside" |i| { let at = position(i, "code-field"); i.components[at].parent = Some("search-button".to_string()); };
    Coherence "orphan" |i| { add_used(i, "spare", ComponentKind::Utility, None); i.user_flows[0].steps[3].components.pop(); };
    Coherence "step-control" |i| { let at = add_used(i, "frame", ComponentKind::Container, Some("tracking-view")); assert!(at > 0); i.user_flows[0].steps[1].components = vec!["frame".to_string()]; i.user_flows[0].steps[2].components.push("code-field".to_string()); };
    Coherence "change-data" |i| { i.user_flows[1].steps[4].action = Action::Update; };
    Coherence "entry-lost" |i| i.user_flows[0].steps[2].action = Action::Select;
    Coherence "flow-twice" |i| { let mut flow = i.user_flows[0].clone(); flow.id = "again".to_string(); flow.name = "Track again".to_string(); i.user_flows.push(flow); };
    Coherence "view-island" |i| { i.user_flows[1].steps.remove(0); };

    Clarity "id-twice" |i| i.interactions[1].id = i.interactions[0].id.clone();
    Clarity "id-twice" |i| i.user_flows[0].steps[1].id = i.user_flows[0].steps[0].id.clone();
    Clarity "name-twice" |i| { let at = position(i, "search-button"); i.components[at].name = "parcel CODE".to_string(); };
    Clarity "placeholder" |i| i.goals[1].push_str(" (TBD)");
    Clarity "placeholder" |i| i.user_flows[1].outcome = "The neighbour knows ??? about it".to_string();
    Clarity "vague" |i| i.goals[0].push_str(", etc.");
    Clarity "vague" |i| set_description(i, "status-list", "Shows some kind of way so far");
    Clarity "vague" |i| i.interactions[0].response = "A user-friendly error is shown".to_string();
    Clarity "description-name" |i| set_description(i, "parcel-card", "PARCEL");
    Clarity "description-short" |i| set_description(i, "courier-messenger", "Tells couriers");
    Clarity "description-short" |i| i.user_flows[0].steps[1].description = "Types code".to_string();
    Clarity "description-empty" |i| set_description(i, "redirect-button", "Shows the data of all items");
    Clarity "description-twice" |i| set_description(i, "search-button", "A field for the twelve characters of the code");
    Clarity "sentence-long" |i| i.interactions[2].response = vec!["refused"; 41].join(" ");
    Clarity "choice-unsaid" |i| i.data_model.entities[2].attributes[2].description.clear();
    Clarity "character-hidden" |i| i.title.push('\u{200B}');
    Clarity "character-hidden" |i| i.goals[0].insert(3, '\u{202E}');

    FrameworkAgnosticism "term-framework" |i| i.goals[0].push_str(" on a React component");
    FrameworkAgnosticism "term-database" |i| set_description(i, "neighbour-field", "A field that is kept in PostgreSQL");
    FrameworkAgnosticism "term-platform" |i| i.user_flows[0].steps[0].description.push_str(" on Kubernetes");
    FrameworkAgnosticism "term-language" |i| i.interactions[0].trigger = "The TypeScript code loads".to_string();
    FrameworkAgnosticism "term-interface" |i| i.interactions[0].response.push_str(", by a REST endpoint");
    FrameworkAgnosticism "code" |i| set_description(i, "code-field", "An <input type=\"text\"> for the code");
    FrameworkAgnosticism "code" |i| i.user_flows[1].steps[2].description.push_str(" with useState");
    FrameworkAgnosticism "term-database" |i| i.data_model.entities[0].attributes[2].name = "mongodbAddress".to_string();
    FrameworkAgnosticism "term-framework" |i| i.user_flows[0].name.push_str(" in Vue");

    DataModelIntegrity "data-unknown" |i| { let at = position(i, "parcel-card"); i.components[at].data.push("Ghost".to_string()); };
    DataModelIntegrity "data-none" |i| { let at = add_used(i, "history", ComponentKind::Data, Some("tracking-view")); i.components[at].data.clear(); };
    DataModelIntegrity "change-entity" |i| { i.data_model.entities.retain(|one| one.name != "Redirection"); };
    DataModelIntegrity "entity-twice" |i| { let one = i.data_model.entities[1].clone(); i.data_model.entities.push(one); let last = i.data_model.entities.len() - 1; i.data_model.entities[last].description = "Another place on the way".to_string(); };
    DataModelIntegrity "entity-key" |i| { i.data_model.entities[1].attributes[0].unique = false; };
    DataModelIntegrity "entity-required" |i| i.data_model.entities[1].attributes.iter_mut().for_each(|one| one.required = false);
    DataModelIntegrity "entity-unused" |i| { let mut one = i.data_model.entities[1].clone(); one.name = "Van".to_string(); one.description = "A car of the courier".to_string(); let mut two = one.clone(); two.name = "Driver".to_string(); two.description = "A person who drives a van".to_string(); one.relationships = vec![Relationship { name: "is driven by".to_string(), target: "Driver".to_string(), cardinality: Cardinality::ManyToOne }]; i.data_model.entities.extend([one, two]); };
    DataModelIntegrity "entity-isolated" |i| i.data_model.entities[2].relationships.clear();
    DataModelIntegrity "attribute-twice" |i| i.data_model.entities[1].attributes[1].name = "number".to_string();
    DataModelIntegrity "attribute-kind" |i| i.data_model.entities[0].attributes[1].kind = ValueKind::Text;
    DataModelIntegrity "name-form" |i| i.data_model.entities[1].attributes[2].name = "thing".to_string();
    DataModelIntegrity "name-form" |i| i.data_model.entities[2].attributes[1].name = "Next_door".to_string();
    DataModelIntegrity "relation-unknown" |i| { let mut one = i.data_model.entities[0].relationships[0].clone(); one.target = "Ghost".to_string(); i.data_model.entities[0].relationships.push(one); };
    DataModelIntegrity "relation-mismatch" |i| i.data_model.entities[1].relationships.push(Relationship { name: "is passed by".to_string(), target: "Parcel".to_string(), cardinality: Cardinality::OneToOne });
    DataModelIntegrity "relation-twice" |i| { let one = i.data_model.entities[0].relationships[0].clone(); i.data_model.entities[0].relationships.push(one); };
}

fn scores(critique: &Critique) -> [u16; 5] {
    critique.dimensions.map(|one| one.score.hundredths())
}

#[test]
fn each_defect_lowers_its_own_dimension_and_no_other() {
    assert!(DEFECTS.len() >= 40);
    for (index, defect) in DEFECTS.iter().enumerate() {
        let mut intent = graded::best("parcel");
        (defect.inject)(&mut intent);
        let critique = critique(&intent);
        let told = format!("defect {index} `{}`: {:#?}", defect.rule, critique.findings);
        assert!(critique.findings.iter().any(|one| one.rule_id == defect.rule), "{told}");
        for one in critique.dimensions {
            let is_whole = one.score.hundredths() == 10_000;
            assert_eq!(
                is_whole,
                one.dimension != defect.dimension,
                "{} in {told}",
                one.dimension.name()
            );
        }
    }
}

/// Rules that speak of what a whole design lacks; `graded` shows them at work.
const OF_THE_WHOLE: [&str; 7] = [
    "view-none",
    "control-none",
    "interaction-none",
    "entity-none",
    "flow-none",
    "prose-none",
    "model-unused",
];

#[test]
fn every_rule_has_a_defect() {
    let graded: Vec<Critique> = graded::all().iter().map(|one| critique(&one.intent)).collect();
    for rule in RULES {
        let has_defect = DEFECTS.iter().any(|defect| defect.rule == rule.id);
        assert!(has_defect || OF_THE_WHOLE.contains(&rule.id), "{}", rule.id);
    }
    for id in [
        "interaction-none",
        "control-none",
        "flow-none",
        "prose-none",
        "model-unused",
    ] {
        assert!(
            graded
                .iter()
                .any(|one| one.findings.iter().any(|finding| finding.rule_id == id)),
            "{id}"
        );
    }
}

#[test]
fn a_whole_that_lacks_a_kind_of_part_is_told_so() {
    let has = |intent: &Intent, id: &str| critique(intent).findings.iter().any(|one| one.rule_id == id);
    let mut no_views = graded::best("parcel");
    no_views.components.retain(|one| one.kind != ComponentKind::View);
    assert!(has(&no_views, "view-none"));
    let mut no_entities = graded::best("parcel");
    no_entities.data_model.entities.clear();
    assert!(has(&no_entities, "entity-none") && has(&no_entities, "model-unused"));
}

#[test]
fn costs_add_up_to_what_each_dimension_lost() {
    let mut all: Vec<Intent> = graded::all().into_iter().map(|one| one.intent).collect();
    let mut everything = graded::best("parcel");
    DEFECTS
        .iter()
        .filter(|defect| !removes(defect))
        .for_each(|defect| (defect.inject)(&mut everything));
    all.push(everything);
    for intent in all {
        let critique = critique(&intent);
        for one in critique.dimensions {
            let own = critique
                .findings
                .iter()
                .filter(|finding| finding.dimension == one.dimension);
            let lost: u32 = own.map(|finding| u32::from(finding.cost.hundredths())).sum();
            assert_eq!(
                lost + u32::from(one.score.hundredths()),
                10_000,
                "{}",
                one.dimension.name()
            );
        }
        let sum: u32 = scores(&critique)
            .iter()
            .zip([25, 25, 20, 15, 15])
            .map(|(score, weight)| u32::from(*score) * weight)
            .sum();
        assert_eq!(u32::from(critique.overall.hundredths()), sum / 100);
    }
}

#[test]
fn no_rule_takes_more_than_its_limit() {
    let mut intent = graded::best("parcel");
    intent.goals = (0..20)
        .map(|index| format!("Recipient {index} gets some kind of answer"))
        .collect();
    let critique = critique(&intent);
    let vague: Vec<u16> = critique
        .findings
        .iter()
        .filter(|one| one.rule_id == "vague")
        .map(|one| one.cost.hundredths())
        .collect();
    assert_eq!(vague.len(), 20);
    assert_eq!(
        vague.iter().sum::<u16>(),
        RULES.iter().find(|rule| rule.id == "vague").unwrap().limit
    );
    assert_eq!(vague[19], 0);
}

fn parts(value: &serde_json::Value) -> usize {
    match value {
        serde_json::Value::Object(object) => object.values().map(parts).sum(),
        serde_json::Value::Array(list) => list.len() + list.iter().map(parts).sum::<usize>(),
        _ => 0,
    }
}

fn removes(defect: &Defect) -> bool {
    let whole = graded::best("parcel");
    let mut less = whole.clone();
    (defect.inject)(&mut less);
    parts(&serde_json::to_value(&less).unwrap()) < parts(&serde_json::to_value(&whole).unwrap())
}

static GRADED: LazyLock<Vec<graded::Graded>> = LazyLock::new(graded::all);
static REMOVES: LazyLock<Vec<bool>> = LazyLock::new(|| DEFECTS.iter().map(removes).collect());

proptest! {
    #![proptest_config(ProptestConfig { cases: 80, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any defects together; mending any one of them does not lower its dimension.
    #[test]
    fn mending_a_defect_never_costs_anything(chosen in proptest::collection::btree_set(0..DEFECTS.len(), 2..6), which in 0..6_usize) {
        // A defect that takes parts away comes last, and there is at most one: the others find their places.
        let (removing, mut chosen): (Vec<usize>, Vec<usize>) = chosen.into_iter().partition(|index| REMOVES[*index]);
        chosen.extend(removing.first());
        let mended = chosen[which % chosen.len()];
        let with = |skip: Option<usize>| {
            let mut intent = graded::best("parcel");
            for index in chosen.iter().filter(|index| Some(**index) != skip) {
                (DEFECTS[*index].inject)(&mut intent);
            }
            scores(&critique(&intent))
        };
        let (before, after) = (with(None), with(Some(mended)));
        let own = Dimension::ALL.iter().position(|one| *one == DEFECTS[mended].dimension).unwrap();
        prop_assert!(after[own] >= before[own], "{} of {chosen:?}: {before:?} {after:?}", DEFECTS[mended].rule);
    }

    #[test]
    fn the_order_of_keys_changes_nothing(seed in any::<u64>(), which in 0..40_usize) {
        let intent = &GRADED[which].intent;
        let text = serde_json::to_string(&shuffled(&serde_json::to_value(intent).unwrap(), seed)).unwrap();
        let read: Intent = serde_json::from_str(&text).unwrap();
        let (one, other) = (critique(intent), critique(&read));
        prop_assert_eq!(serde_json::to_vec(&one).unwrap(), serde_json::to_vec(&other).unwrap());
    }
}

/// The same value with its keys in another order, as a text would have it.
fn shuffled(value: &serde_json::Value, seed: u64) -> Ordered {
    match value {
        serde_json::Value::Object(object) => {
            let mut entries: Vec<(String, Ordered)> = object
                .iter()
                .map(|(key, value)| (key.clone(), shuffled(value, seed)))
                .collect();
            entries.sort_by_key(|(key, _)| {
                key.bytes().fold(seed, |hash, byte| {
                    (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
                })
            });
            Ordered::Object(entries)
        }
        serde_json::Value::Array(list) => Ordered::List(list.iter().map(|one| shuffled(one, seed)).collect()),
        other => Ordered::Plain(other.clone()),
    }
}

enum Ordered {
    Object(Vec<(String, Ordered)>),
    List(Vec<Ordered>),
    Plain(serde_json::Value),
}

impl serde::Serialize for Ordered {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Ordered::Object(entries) => serializer.collect_map(entries.iter().map(|(key, value)| (key, value))),
            Ordered::List(list) => serializer.collect_seq(list),
            Ordered::Plain(value) => value.serialize(serializer),
        }
    }
}

#[test]
fn the_same_intent_has_the_same_critique_byte_for_byte_and_is_read_back() {
    for one in graded::all() {
        let first = serde_json::to_string(&critique(&one.intent)).unwrap();
        assert_eq!(first, serde_json::to_string(&critique(&one.intent)).unwrap());
        let back: Critique = serde_json::from_str(&first).unwrap();
        assert_eq!(back, critique(&one.intent));
    }
}

/// The largest intent that is read: its critique takes no time worth speaking of.
#[test]
fn the_largest_intent_is_judged() {
    let mut intent = graded::best("parcel");
    let base = intent.components[0].clone();
    for index in 0..190 {
        let mut new = base.clone();
        new.id = format!("part-{index}");
        new.kind = ComponentKind::Container;
        // The deepest nesting there can be.
        new.parent = Some(if index == 0 {
            base.id.clone()
        } else {
            format!("part-{}", index - 1)
        });
        intent.components.push(new);
    }
    let ids: Vec<String> = intent
        .components
        .iter()
        .rev()
        .take(20)
        .map(|one| one.id.clone())
        .collect();
    let mut step = intent.user_flows[0].steps[0].clone();
    (step.action, step.components) = (Action::Update, ids);
    let mut flow = intent.user_flows[0].clone();
    flow.steps = vec![step; 50];
    intent.user_flows = vec![flow; 50];
    let critique = critique(&intent);
    assert!(critique.findings.len() > 1000);
    assert!(critique.dimension(Clarity).hundredths() < 10_000);
}
