//! The preview as a page: the same bytes every time, well formed, harmless whatever the intent says, and of bounded size.
#![allow(clippy::unwrap_used, clippy::wildcard_enum_match_arm, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};

use onus_design::preview::{Scores, render};
use onus_design::{Component, ComponentKind, Entity, Flow, Intent, Step, parse};
use proptest::prelude::*;
use quick_xml::events::Event;

fn shop() -> Intent {
    parse(include_str!("../examples/intents/shop-checkout.json")).unwrap()
}

fn scores(findings: &[(&str, &str)]) -> Scores {
    Scores {
        overall: 9125,
        threshold: 8000,
        dimensions: vec![("Completeness".to_owned(), 9600), ("Clarity".to_owned(), 8750)],
        findings: findings
            .iter()
            .map(|(at, message)| ((*at).to_owned(), (*message).to_owned()))
            .collect(),
    }
}

/// Every element with its attributes, in order, and all text outside of the style sheet.
struct Page {
    elements: Vec<(String, BTreeMap<String, String>)>,
    text: String,
}

/// Reads the page as XML, which is stricter than HTML: every element is closed, every attribute is quoted and stands once.
fn read(page: &str) -> Page {
    let mut reader = quick_xml::Reader::from_str(page);
    reader.config_mut().check_end_names = true;
    let mut found = Page {
        elements: Vec::new(),
        text: String::new(),
    };
    let mut open = Vec::new();
    loop {
        match reader.read_event().unwrap() {
            event @ (Event::Start(_) | Event::Empty(_)) => {
                let (Event::Start(ref element) | Event::Empty(ref element)) = event else {
                    unreachable!()
                };
                let name = element.name().as_ref().to_owned();
                let attributes = element.attributes().map(|attribute| {
                    let attribute = attribute.unwrap();
                    let key = attribute.key.as_ref().to_owned();
                    (key, attribute.value.to_string())
                });
                found.elements.push((name.clone(), attributes.collect()));
                if matches!(event, Event::Start(_)) {
                    open.push(name);
                }
            }
            Event::End(_) => {
                open.pop().unwrap();
            }
            Event::Text(text) if open.last().is_some_and(|name| name != "style") => {
                found.text.push_str(&text);
            }
            Event::GeneralRef(reference) => {
                let name = reference.to_string();
                assert!(["amp", "lt", "gt", "quot", "#39"].contains(&name.as_str()), "{name}");
                found.text.push_str(&format!("&{name};"));
            }
            Event::Eof => break,
            _ => {}
        }
    }
    assert!(open.is_empty(), "{open:?} stay open");
    found
}

const ELEMENTS: [&str; 45] = [
    "html", "head", "meta", "title", "style", "body", "header", "nav", "main", "footer", "section", "article", "h1",
    "h2", "h3", "p", "a", "ul", "ol", "li", "div", "span", "strong", "em", "b", "i", "u", "code", "bdi", "details",
    "summary", "table", "thead", "tbody", "tr", "th", "td", "svg", "symbol", "path", "rect", "circle", "g", "text",
    "use",
];
const ATTRIBUTES: [&str; 28] = [
    "lang",
    "charset",
    "http-equiv",
    "content",
    "name",
    "id",
    "class",
    "href",
    "dir",
    "role",
    "tabindex",
    "scope",
    "colspan",
    "style",
    "viewBox",
    "preserveAspectRatio",
    "width",
    "height",
    "x",
    "y",
    "rx",
    "cx",
    "cy",
    "r",
    "d",
    "aria-label",
    "aria-labelledby",
    "aria-hidden",
];

/// What must hold for every page, whatever stands in the intent.
fn check(page: &str) -> Page {
    let found = read(page);
    let mut ids = BTreeSet::new();
    let mut links = BTreeSet::new();
    let mut level = 0;
    for (name, attributes) in &found.elements {
        assert!(ELEMENTS.contains(&name.as_str()), "<{name}>");
        for (key, value) in attributes {
            assert!(ATTRIBUTES.contains(&key.as_str()), "{name} {key}={value}");
            match key.as_str() {
                "href" => {
                    assert!(value.starts_with('#'), "{value}");
                    links.insert(value.clone());
                }
                "id" => assert!(ids.insert(format!("#{value}")), "the id {value} stands twice"),
                "style" => assert!(value.starts_with("max-width:") && value.len() < 24, "{value}"),
                _ => {}
            }
        }
        let heading = ["h1", "h2", "h3"]
            .iter()
            .position(|heading| heading == name)
            .map(|at| at + 1);
        if let Some(heading) = heading {
            assert!(heading <= level + 1, "h{heading} after h{level}");
            level = heading;
        }
        if name == "svg" {
            assert!(attributes.contains_key("aria-hidden") || attributes.contains_key("aria-label"));
        }
        if name == "th" {
            assert!(attributes.contains_key("scope"));
        }
    }
    let missing: Vec<_> = links.difference(&ids).collect();
    assert!(missing.is_empty(), "links to nowhere: {missing:?}");
    let count = |wanted: &str| found.elements.iter().filter(|(name, _)| name == wanted).count();
    assert_eq!(
        [
            count("h1"),
            count("main"),
            count("header"),
            count("footer"),
            count("style")
        ],
        [1; 5]
    );
    let hidden = |c: char| {
        c.is_control() && c != '\n' || matches!(u32::from(c), 0x200e | 0x200f | 0x202a..=0x202e | 0x2066..=0x2069)
    };
    assert!(!page.contains(hidden), "a character that cannot be seen");
    found
}

#[test]
fn the_same_intent_gives_the_same_bytes() {
    let scores = scores(&[("/goals/0", "vague")]);
    assert_eq!(render(&shop(), Some(&scores)), render(&shop(), Some(&scores)));
    assert_eq!(render(&shop(), None), render(&shop(), None));
    assert_ne!(render(&shop(), Some(&scores)), render(&shop(), None));
}

#[test]
fn the_page_shows_the_whole_intent() {
    let intent = shop();
    let found = check(&render(&intent, Some(&scores(&[]))));
    let texts = intent.goals.iter().chain(
        intent
            .user_flows
            .iter()
            .flat_map(|flow| [&flow.name, &flow.actor, &flow.outcome]),
    );
    let texts = texts.chain(
        intent
            .components
            .iter()
            .flat_map(|component| [&component.name, &component.description]),
    );
    let texts = texts.chain(
        intent
            .data_model
            .entities
            .iter()
            .flat_map(|entity| [&entity.name, &entity.description]),
    );
    let texts = texts.chain(
        intent
            .interactions
            .iter()
            .flat_map(|interaction| [&interaction.trigger, &interaction.response]),
    );
    for text in texts.chain([&intent.title, &intent.feature_id, &intent.version]) {
        assert!(found.text.contains(&text.replace('\'', "&#39;")), "{text}");
    }
    for text in ["91.25", "80 needed", "Good enough.", "Completeness", "87.5"] {
        assert!(found.text.contains(text), "{text}");
    }
}

#[test]
fn the_page_allows_itself_nothing() {
    let page = render(&shop(), None);
    let policy = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\"/>";
    assert!(page.contains(policy));
    for word in [
        "<script",
        "javascript:",
        "http:",
        "https:",
        "url(",
        "@import",
        "src=",
        "<link",
        "<iframe",
        "<object",
    ] {
        assert!(!page.contains(word), "{word}");
    }
}

#[test]
fn hostile_text_stays_text() {
    let cases = [
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("</style><b>", "&lt;/style&gt;&lt;b&gt;"),
        ("</title><svg onload=x>", "&lt;/title&gt;&lt;svg onload=x&gt;"),
        ("\" onmouseover=\"x", "&quot; onmouseover=&quot;x"),
        ("' onfocus='x", "&#39; onfocus=&#39;x"),
        ("&lt;&#x3c;", "&amp;lt;&amp;#x3c;"),
        ("]]>-->", "]]&gt;--&gt;"),
        ("a\u{202e}b\u{2066}", "a⟨U+202E⟩b⟨U+2066⟩"),
        ("a\u{0}b\u{1b}[0m", "a␀b␛[0m"),
        ("{{7*7}} ${7*7}", "{{7*7}} ${7*7}"),
    ];
    for (text, want) in cases {
        let page = render(&everywhere(text), Some(&scores(&[(text, text), ("/goals/0", text)])));
        let found = check(&page);
        assert!(found.text.contains(want), "{text:?}");
    }
}

/// An intent with this text in every place that holds text.
fn everywhere(text: &str) -> Intent {
    fn fill(value: &mut serde_json::Value, text: &str) {
        match value {
            serde_json::Value::Object(map) => {
                for (key, value) in map {
                    if !["type", "action", "cardinality"].contains(&key.as_str()) {
                        fill(value, text);
                    }
                }
            }
            serde_json::Value::Array(list) => list.iter_mut().for_each(|value| fill(value, text)),
            serde_json::Value::String(string) => text.clone_into(string),
            _ => {}
        }
    }
    let mut value = serde_json::to_value(shop()).unwrap();
    fill(&mut value, text);
    serde_json::from_value(value).unwrap()
}

#[test]
fn endless_words_are_cut() {
    let page = render(&everywhere(&"x".repeat(10_000)), None);
    check(&page);
    assert!(!page.contains(&"x".repeat(601)));
}

#[test]
fn findings_lead_to_their_places_and_back() {
    let cases = [
        ("/goals/0", "g0"),
        ("/goals/99", "goals"),
        ("/userFlows/1/name", "f1"),
        ("/userFlows/0/steps/4/description", "f0s4"),
        ("/userFlows/0/steps/99", "f0"),
        ("/components/3/description", "c3"),
        ("/components/03", "parts"),
        ("/dataModel/entities/2", "e2"),
        ("/dataModel/entities/2/attributes/1/type", "e2a1"),
        ("/dataModel/entities/0/relationships/1", "e0r1"),
        ("/dataModel", "data"),
        ("/interactions/1", "i1"),
        ("/interactions/+1", "behaviour"),
        ("/title", "top"),
        ("", "top"),
        ("nonsense", "top"),
    ];
    for (pointer, anchor) in cases {
        let page = render(&shop(), Some(&scores(&[(pointer, "a finding")])));
        check(&page);
        let line = page.lines().find(|line| line.contains("id=\"n0\"")).unwrap();
        assert!(line.contains(&format!("href=\"#{anchor}\"")), "{pointer}: {line}");
        let back = page.contains("href=\"#n0\"");
        let section = ["goals", "parts", "data", "behaviour"].contains(&anchor);
        assert!(back || section, "{pointer}: no way back from {anchor}");
    }
}

#[test]
fn a_score_below_the_threshold_is_said_in_words() {
    let mut low = scores(&[]);
    low.overall = 7999;
    assert!(render(&shop(), Some(&low)).contains("Not there yet."));
    low.overall = 8000;
    assert!(render(&shop(), Some(&low)).contains("Good enough."));
    low.overall = u16::MAX;
    low.threshold = u16::MAX;
    check(&render(&shop(), Some(&low)));
}

#[test]
fn an_empty_intent_is_a_page_too() {
    let mut intent = shop();
    intent.goals.clear();
    intent.user_flows.clear();
    intent.components.clear();
    intent.data_model.entities.clear();
    intent.interactions.clear();
    intent.title.clear();
    let found = check(&render(&intent, Some(&Scores::default())));
    for text in [
        "(empty)",
        "No goals are named.",
        "Nothing is kept.",
        "No interactions are described.",
    ] {
        assert!(found.text.contains(text), "{text}");
    }
}

#[test]
fn a_large_intent_stays_small_enough() {
    let base = shop();
    let mut intent = base.clone();
    let step = |i: usize| Step {
        id: format!("step-{i}"),
        ..base.user_flows[0].steps[i % 7].clone()
    };
    let flow = |i: usize| Flow {
        id: format!("flow-{i}"),
        steps: (0..10).map(step).collect(),
        ..base.user_flows[0].clone()
    };
    intent.user_flows = (0..50).map(flow).collect();
    let part = |i: usize| Component {
        id: format!("part-{i}"),
        kind: ComponentKind::ALL[i % 5],
        parent: (i > 0).then(|| format!("part-{}", i / 2)),
        ..base.components[i % 28].clone()
    };
    intent.components = (0..200).map(part).collect();
    let entity = |i: usize| Entity {
        name: format!("Entity{i}"),
        ..base.data_model.entities[i % 7].clone()
    };
    intent.data_model.entities = (0..60).map(entity).collect();
    let page = render(&intent, Some(&scores(&[])));
    let found = check(&page);
    assert!(page.len() < 1_500_000, "{} bytes", page.len());
    assert!(found.text.contains("60 entities are too many"));
    intent.data_model.entities.truncate(30);
    assert!(render(&intent, None).contains("Entity diagram"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn no_text_breaks_the_page(text in any::<String>(), pointer in "(/(goals|userFlows|components|dataModel|entities|steps|[0-9]{1,3}|\\PC)){0,6}") {
        check(&render(&everywhere(&text), Some(&scores(&[(&pointer, &text)]))));
    }
}
