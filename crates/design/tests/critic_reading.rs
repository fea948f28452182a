//! Reading an intent: what is accepted keeps every rule of the schema; everything else is refused with its place.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::wildcard_enum_match_arm,
    clippy::print_stdout,
    reason = "tests"
)]

mod graded;

use onus_design::intent::{BYTES_MAX, KEYWORDS, VIOLATIONS_MAX};
use onus_design::{IntentError, parse, schema};
use proptest::prelude::*;
use serde_json::{Value, json};

fn sound() -> Value {
    serde_json::to_value(graded::best("parcel")).unwrap()
}

fn violations(text: &str) -> Vec<(String, String)> {
    match parse(text) {
        Err(IntentError::Schema { violations }) => violations,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_graded_design_is_read_back_as_it_was() {
    for one in graded::all() {
        let text = serde_json::to_string(&one.intent).unwrap();
        assert_eq!(parse(&text).as_ref(), Ok(&one.intent), "{}", one.name);
    }
}

#[test]
fn each_violation_is_named_with_its_place() {
    let changes: [(&str, Value, &str); 22] = [
        ("/featureId", json!("Has Spaces"), "`Has Spaces` does not match"),
        (
            "/featureId",
            json!("p\u{0430}rcel"),
            "contains U+0430, which looks like a",
        ),
        (
            "/featureId",
            json!("parcel\u{2013}tracking"),
            "contains U+2013, which looks like -",
        ),
        (
            "/featureId",
            json!("parcel\u{FF41}"),
            "contains U+FF41, which looks like a",
        ),
        (
            "/featureId",
            json!("parcel\u{4E2D}"),
            "contains U+4E2D, which does not match",
        ),
        ("/featureId", json!("a"), "does not match"),
        ("/featureId", json!("a\n"), "does not match"),
        ("/version", json!("1.0"), "`1.0` does not match"),
        ("/version", json!(1), "is a number, must be text"),
        ("/title", json!(""), "is empty"),
        ("/title", json!("x".repeat(121)), "has 121 characters, at most 120"),
        ("/goals", json!([]), "has 0 entries, at least 1"),
        ("/goals", json!("one"), "is text, must be a list"),
        ("/goals/0", json!(null), "is null, must be text"),
        (
            "/userFlows/0/steps/0/action",
            json!("click"),
            "`click` is none of view, navigate",
        ),
        (
            "/userFlows/0/steps/0/components/0",
            json!("tr\u{0430}cking"),
            "looks like a",
        ),
        ("/components/0/type", json!("page"), "`page` is none of view, container"),
        ("/components/1/parent", json!(7), "is a number, must be text or null"),
        ("/components/3/data/0", json!("parcel"), "`parcel` does not match"),
        ("/dataModel/entities/0/name", json!("parcel box"), "does not match"),
        (
            "/dataModel/entities/0/attributes/0/required",
            json!("yes"),
            "is text, must be true or false",
        ),
        (
            "/dataModel/entities/0/relationships/0/cardinality",
            json!("many"),
            "`many` is none of",
        ),
    ];
    for (pointer, value, message) in changes {
        let mut intent = sound();
        *intent.pointer_mut(pointer).unwrap() = value;
        let found = violations(&intent.to_string());
        assert_eq!(found.len(), 1, "{pointer}: {found:?}");
        assert_eq!(found[0].0, pointer);
        assert!(found[0].1.contains(message), "{pointer}: {}", found[0].1);
    }
}

#[test]
fn unknown_and_missing_keys_are_named() {
    let mut intent = sound();
    intent["userFlows"][0]["colour/~"] = json!(1);
    intent.as_object_mut().unwrap().remove("goals");
    intent["dataModel"]["entities"][1]
        .as_object_mut()
        .unwrap()
        .remove("attributes");
    let found = violations(&intent.to_string());
    let places: Vec<&str> = found.iter().map(|(pointer, _)| pointer.as_str()).collect();
    assert_eq!(
        places,
        ["/dataModel/entities/1/attributes", "/goals", "/userFlows/0/colour~1~0"]
    );
    assert!(found[1].1.contains("is missing"));
    assert!(found[2].1.contains("is not a key here"));
}

#[test]
fn a_key_that_stands_there_twice_is_refused_at_its_place() {
    let text = sound().to_string();
    let cases = [
        (
            text.replacen("\"title\":", "\"title\":\"Another\",\"title\":", 1),
            "/title",
        ),
        (
            text.replacen("\"actor\":", "\"actor\":\"nobody\",\"actor\":", 1),
            "/userFlows/0/actor",
        ),
        // Written with an escape, it is the same key.
        (
            text.replacen("\"title\":", "\"t\\u0069tle\":\"Another\",\"title\":", 1),
            "/title",
        ),
        (r#"{"a": [1, {"x/y": 1, "x/y": 2}]}"#.to_string(), "/a/1/x~1y"),
    ];
    for (text, pointer) in cases {
        let expected = IntentError::DuplicateKey {
            pointer: pointer.to_string(),
        };
        assert_eq!(parse(&text), Err(expected));
    }
}

#[test]
fn numbers_that_are_not_kept_exactly_are_refused() {
    for number in [
        "9007199254740993",
        "-9007199254740993",
        "18446744073709551616",
        "1e300",
        "123456789012345678901",
    ] {
        let found = violations(&format!(r#"{{"title": {number}}}"#));
        let about = found
            .iter()
            .find(|(pointer, message)| pointer == "/title" && message.contains("2^53"));
        assert!(about.is_some(), "{number}: {found:?}");
    }
    for word in ["NaN", "Infinity", "-Infinity", "1e999"] {
        let Err(IntentError::Json { line, message, .. }) = parse(&format!("{{\n\"title\": {word}}}")) else {
            panic!("{word}")
        };
        assert_eq!(line, 2, "{word}");
        assert!(
            word == "1e999" || message.contains("NaN and Infinity are not JSON"),
            "{word}: {message}"
        );
    }
}

#[test]
fn large_and_deep_texts_are_refused_before_they_cost_anything() {
    let large = "x".repeat(10 << 20);
    let expected = IntentError::TooLarge {
        bytes: 10 << 20,
        max: BYTES_MAX,
    };
    assert_eq!(parse(&large), Err(expected));
    for deep in ["[".repeat(500_000), "{\"a\":".repeat(100_000)] {
        let Err(IntentError::Json { line: 1, message, .. }) = parse(&deep) else {
            panic!()
        };
        assert!(message.contains("nested deeper than 32"), "{message}");
    }
}

#[test]
fn many_mistakes_are_listed_in_order_up_to_a_bound() {
    let mut intent = sound();
    intent["goals"] = json!([1, 2, 3]);
    for flow in intent["userFlows"].as_array_mut().unwrap() {
        let step = flow["steps"][0].clone();
        flow["steps"] = Value::Array(vec![step; 40]);
        flow["steps"]
            .as_array_mut()
            .unwrap()
            .iter_mut()
            .for_each(|step| step["id"] = json!("Not A Slug"));
    }
    let found = violations(&intent.to_string());
    assert_eq!(found.len(), VIOLATIONS_MAX);
    assert!(found.is_sorted());
    assert!(
        found.last().unwrap().1.ends_with("(and 33 more mistakes)"),
        "{:?}",
        found.last()
    );
}

/// The reader understands every keyword the schema uses; a new one would go unchecked.
#[test]
fn the_schema_uses_only_keywords_that_the_reader_understands() {
    fn check(schema: &Value) {
        for (keyword, value) in schema.as_object().unwrap() {
            assert!(KEYWORDS.contains(&keyword.as_str()), "{keyword}");
            match keyword.as_str() {
                "properties" | "$defs" => value.as_object().unwrap().values().for_each(check),
                "items" => check(value),
                "oneOf" => value.as_array().unwrap().iter().for_each(check),
                "additionalProperties" => assert_eq!(value, false),
                _ => {}
            }
        }
    }
    let schema = schema();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    check(&schema);
}

/// The rules of the schema once more, written down by hand.
fn keeps_the_rules(text: &str) -> bool {
    let intent: onus_design::Intent = serde_json::from_str(text).unwrap();
    let is_slug = |id: &String| {
        let all = id
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        all && (2..=64).contains(&id.len()) && !id.starts_with('-')
    };
    let is_name = |name: &String| name.bytes().all(|b| b.is_ascii_alphanumeric()) && (1..=64).contains(&name.len());
    let is_text = |text: &String, max: usize| (1..=max).contains(&text.chars().count());
    let flows = intent.user_flows.iter().all(|flow| {
        let steps = flow.steps.iter().all(|step| {
            let parts = step.components.iter().all(is_slug) && (1..=20).contains(&step.components.len());
            is_slug(&step.id) && is_text(&step.description, 300) && parts
        });
        is_slug(&flow.id)
            && is_text(&flow.name, 120)
            && is_text(&flow.actor, 80)
            && is_text(&flow.outcome, 300)
            && steps
    });
    let components = intent.components.iter().all(|one| {
        let places = one.parent.iter().all(is_slug) && one.data.iter().all(is_name);
        is_slug(&one.id) && is_text(&one.name, 120) && is_text(&one.description, 500) && places
    });
    let entities = intent.data_model.entities.iter().all(|one| {
        let attributes =
            one.attributes.iter().all(|one| is_name(&one.name)) && (1..=100).contains(&one.attributes.len());
        let related = one
            .relationships
            .iter()
            .all(|one| is_text(&one.name, 80) && is_name(&one.target));
        is_name(&one.name) && is_text(&one.description, 500) && attributes && related
    });
    let interactions = intent.interactions.iter().all(|one| {
        let ids = is_slug(&one.id) && is_slug(&one.component);
        ids && is_text(&one.trigger, 200) && is_text(&one.response, 300)
    });
    let counts = (1..=20).contains(&intent.goals.len())
        && (1..=50).contains(&intent.user_flows.len())
        && (1..=200).contains(&intent.components.len());
    let goals = intent.goals.iter().all(|goal| is_text(goal, 500));
    is_slug(&intent.feature_id)
        && is_text(&intent.title, 120)
        && counts
        && goals
        && flows
        && components
        && entities
        && interactions
}

/// All places of a value.
fn places(value: &Value, here: &str, all: &mut Vec<String>) {
    all.push(here.to_string());
    match value {
        Value::Object(object) => object
            .iter()
            .for_each(|(key, value)| places(value, &format!("{here}/{key}"), all)),
        Value::Array(list) => {
            list.iter()
                .enumerate()
                .for_each(|(index, value)| places(value, &format!("{here}/{index}"), all));
        }
        _ => {}
    }
}

fn junk() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
        "[a-z][a-z-]{1,9}".prop_map(Value::from),
        Just(json!([])),
        Just(json!({})),
        Just(json!([[[1]]])),
        Just(json!({"surprise": true})),
        Just(json!("x".repeat(600))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// One value replaced by another of any kind: read only if the rules still hold, else refused with a place.
    #[test]
    fn what_is_accepted_keeps_the_rules(which in any::<prop::sample::Index>(), value in junk()) {
        let mut intent = sound();
        let mut all = Vec::new();
        places(&intent, "", &mut all);
        *intent.pointer_mut(&all[which.index(all.len())]).unwrap() = value;
        let text = intent.to_string();
        match parse(&text) {
            Ok(_) => prop_assert!(keeps_the_rules(&text), "{text}"),
            Err(IntentError::Schema { violations }) => prop_assert!(!violations.is_empty()),
            Err(other) => prop_assert!(false, "{other}"),
        }
    }

    /// 300 malformed texts here and 300 below: none is read, none makes the reader panic, each has its line.
    #[test]
    fn broken_texts_are_refused_with_a_line(cut in any::<prop::sample::Index>()) {
        let text = serde_json::to_string_pretty(&sound()).unwrap();
        let cut = cut.index(text.len());
        if let Some(half) = text.get(..cut) {
            match parse(half) {
                Err(IntentError::Json { line, message, .. }) => prop_assert!(line <= half.matches('\n').count() + 1 && !message.is_empty()),
                other => prop_assert!(false, "{other:?}"),
            }
        }
    }

    #[test]
    fn garbled_texts_never_panic(place in any::<prop::sample::Index>(), noise in "[{}\\[\\],:\"\\\\0-9eE.+a-z\\x00-\\x1f]{1,6}") {
        let mut text = sound().to_string();
        let at = place.index(text.len());
        if text.is_char_boundary(at) {
            text.insert_str(at, &noise);
        }
        match parse(&text) {
            Ok(_) => prop_assert!(keeps_the_rules(&text)),
            Err(IntentError::Json { line, .. }) => prop_assert!(line >= 1),
            Err(IntentError::Schema { violations }) => prop_assert!(!violations.is_empty()),
            Err(IntentError::DuplicateKey { pointer }) => prop_assert!(pointer.starts_with('/')),
            Err(IntentError::TooLarge { .. }) => prop_assert!(false),
        }
    }
}
