//! Screens: boxes in boxes, where a part looks like what its kind and its name say it is.

use super::forest::Forest;
use super::icons;
use super::place::Notes;
use super::text::{escaped, name, prose, put, visible};
use crate::intent::{Component, ComponentKind, Entity, Intent, ValueKind};

/// Attributes that a drawn table or card has room for.
const COLUMNS_MAX: usize = 4;
const LABELS_MAX: usize = 5;

/// What a control is drawn as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Control {
    Button,
    Field,
    Search,
    Area,
    Choice,
    Toggle,
    Tabs,
    Link,
}

/// What shown data is drawn as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    Card,
    List,
    Table,
    Chart,
    Figure,
    Picture,
}

/// The first row with a word of the name decides.
const CONTROLS: [(Control, &[&str]); 8] = [
    (Control::Button, &["button", "btn", "submit"]),
    (Control::Tabs, &["tab", "tabs"]),
    (
        Control::Toggle,
        &["toggle", "switch", "checkbox", "consent", "agreement", "remember"],
    ),
    (Control::Search, &["search", "finder", "lookup"]),
    (
        Control::Area,
        &[
            "note", "notes", "comment", "message", "editor", "textarea", "reason", "feedback",
        ],
    ),
    (
        Control::Choice,
        &[
            "select", "selector", "dropdown", "filter", "filters", "picker", "chooser", "choice", "option", "options",
            "sort", "menu", "radio", "range", "slider",
        ],
    ),
    (Control::Link, &["link", "breadcrumb", "back"]),
    (
        Control::Field,
        &[
            "field",
            "input",
            "email",
            "password",
            "name",
            "address",
            "number",
            "quantity",
            "amount",
            "date",
            "time",
            "phone",
            "code",
            "entry",
            "title",
            "box",
            "threshold",
            "price",
        ],
    ),
];

const SHOWN: [(Shown, &[&str]); 5] = [
    (
        Shown::Chart,
        &[
            "chart",
            "graph",
            "trend",
            "gauge",
            "plot",
            "timeline",
            "statistics",
            "analytics",
        ],
    ),
    (
        Shown::Picture,
        &[
            "image", "photo", "picture", "avatar", "gallery", "map", "preview", "document",
        ],
    ),
    (
        Shown::Table,
        &["table", "grid", "ledger", "matrix", "calendar", "schedule", "board"],
    ),
    (
        Shown::List,
        &[
            "list", "items", "lines", "results", "history", "feed", "log", "queue", "inbox", "rows", "slots", "entries",
        ],
    ),
    (
        Shown::Figure,
        &["total", "count", "metric", "balance", "number", "badge", "counter"],
    ),
];

const PRIMARY: [&str; 14] = [
    "submit", "pay", "confirm", "save", "place", "create", "send", "book", "checkout", "publish", "start", "add",
    "continue", "approve",
];
const BARS: [&str; 8] = [
    "header",
    "toolbar",
    "navigation",
    "nav",
    "bar",
    "footer",
    "actions",
    "breadcrumbs",
];
const SIDES: [&str; 4] = ["sidebar", "side", "aside", "rail"];

fn words(component: &Component) -> Vec<String> {
    let text = format!("{} {}", component.name, component.id);
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// The name without the word that the drawing already says: a pay button reads `Pay`.
fn short_name(component: &Component) -> &str {
    let name = component.name.trim();
    let said: &[&str] = match component.kind {
        ComponentKind::Control => &[
            "button", "field", "input", "toggle", "switch", "checkbox", "picker", "dropdown", "selector", "link",
            "tabs",
        ],
        ComponentKind::Data => &["table", "list", "chart", "graph"],
        ComponentKind::View | ComponentKind::Container | ComponentKind::Utility => &[],
    };
    match name.rsplit_once(' ') {
        Some((rest, last)) if said.contains(&last.to_lowercase().as_str()) => rest,
        Some(_) | None => name,
    }
}

fn has(words: &[String], hints: &[&str]) -> bool {
    words.iter().any(|word| hints.contains(&word.as_str()))
}

pub(super) fn section(out: &mut String, intent: &Intent, forest: &Forest, notes: &Notes) {
    out.push_str("<section id=\"screens\" aria-labelledby=\"screens-h\">\n<h2 id=\"screens-h\">Screens</h2>\n");
    out.push_str("<p class=\"lede\">Which parts stand where. A sketch of structure, not of looks.</p>\n");
    let is = |i: &usize, kind| intent.components[*i].kind == kind;
    let views: Vec<usize> = forest
        .roots
        .iter()
        .copied()
        .filter(|i| is(i, ComponentKind::View))
        .collect();
    let loose: Vec<usize> = (forest.roots.iter().chain(&forest.strays).copied())
        .filter(|i| !views.contains(i) && !is(i, ComponentKind::Utility))
        .collect();
    out.push_str("<div class=\"screens\">\n");
    for &view in &views {
        let component = &intent.components[view];
        put!(out, "<article class=\"card\" aria-labelledby=\"v{view}\">\n");
        put!(
            out,
            "<h3 id=\"v{view}\" dir=\"auto\">{}</h3>{}\n",
            name(&component.name),
            notes.at(&format!("c{view}"))
        );
        put!(
            out,
            "<p class=\"meta\" dir=\"auto\">{}</p>\n",
            prose(&component.description)
        );
        frame(
            out,
            intent,
            forest,
            &visible(&component.name, 60),
            &forest.children[view],
        );
        out.push_str("</article>\n");
    }
    if !loose.is_empty() {
        out.push_str("<article class=\"card\" aria-labelledby=\"loose\">\n<h3 id=\"loose\">On no screen yet</h3>\n");
        out.push_str("<p class=\"meta\">Parts that stand in no view.</p>\n");
        frame(out, intent, forest, "On no screen yet", &loose);
        out.push_str("</article>\n");
    }
    if views.is_empty() && loose.is_empty() {
        out.push_str("<p>Nothing to see: this design has no view.</p>\n");
    }
    out.push_str("</div>\n</section>\n");
}

/// `title` is not yet escaped.
fn frame(out: &mut String, intent: &Intent, forest: &Forest, title: &str, parts: &[usize]) {
    let title = escaped(title);
    put!(
        out,
        "<div class=\"frame\" role=\"img\" aria-label=\"Wireframe of {title}. Its parts are listed under Parts.\"><div class=\"chrome\"><i></i><i></i><i></i><span>{title}</span></div><div class=\"canvas\">"
    );
    for &part in parts {
        draw(out, intent, forest, part);
    }
    if parts.is_empty() {
        out.push_str("<div class=\"wf-empty\">No parts yet</div>");
    }
    out.push_str("</div></div>\n");
}

fn draw(out: &mut String, intent: &Intent, forest: &Forest, index: usize) {
    let component = &intent.components[index];
    let children = &forest.children[index];
    let words = words(component);
    let label = escaped(&visible(short_name(component), 80));
    match component.kind {
        ComponentKind::View | ComponentKind::Container => {
            let shape = if has(&words, &SIDES) {
                " side"
            } else if has(&words, &BARS) {
                " bar"
            } else {
                ""
            };
            put!(
                out,
                "<div class=\"wf-box{shape}\"><div class=\"wf-name\">{label}</div><div class=\"wf-in\">"
            );
            if children.is_empty() {
                out.push_str("<div class=\"wf-lines\"><b></b><b></b></div>");
            }
        }
        ComponentKind::Control => {
            put!(
                out,
                "<div class=\"wf-part {}\">",
                if is_short(&words) { "short" } else { "long" }
            );
            control(out, &words, &label);
        }
        ComponentKind::Data => {
            out.push_str("<div class=\"wf-part full\">");
            let entity = component.data.iter().find_map(|wanted| intent.entity(wanted));
            data(out, &words, &label, entity);
        }
        ComponentKind::Utility => {
            put!(
                out,
                "<div class=\"wf-part short\"><div class=\"wf-unseen\">{}{label}</div>",
                icons::inline("compute")
            );
        }
    }
    for &child in children {
        draw(out, intent, forest, child);
    }
    let boxed = matches!(component.kind, ComponentKind::View | ComponentKind::Container);
    out.push_str(if boxed { "</div></div>" } else { "</div>" });
}

fn control_of(words: &[String]) -> Control {
    CONTROLS
        .iter()
        .find(|(_, hints)| has(words, hints))
        .map_or(Control::Button, |(control, _)| *control)
}

fn is_short(words: &[String]) -> bool {
    match control_of(words) {
        Control::Button | Control::Toggle | Control::Link => true,
        Control::Field | Control::Search | Control::Area | Control::Choice | Control::Tabs => false,
    }
}

fn control(out: &mut String, words: &[String], label: &str) {
    match control_of(words) {
        Control::Button => {
            let tone = if has(words, &PRIMARY) { " primary" } else { "" };
            put!(out, "<div class=\"wf-button{tone}\">{label}</div>");
        }
        Control::Field => put!(
            out,
            "<div class=\"wf-label\">{label}</div><div class=\"wf-field\"><b></b></div>"
        ),
        Control::Search => put!(out, "<div class=\"wf-field\">{}{label}</div>", icons::inline("search")),
        Control::Area => put!(
            out,
            "<div class=\"wf-label\">{label}</div><div class=\"wf-field area\"><b></b></div>"
        ),
        Control::Choice => {
            put!(
                out,
                "<div class=\"wf-label\">{label}</div><div class=\"wf-field choice\"><b></b><u></u></div>"
            );
        }
        Control::Toggle => put!(out, "<div class=\"wf-toggle\"><u></u><span>{label}</span></div>"),
        Control::Tabs => put!(out, "<div class=\"wf-tabs\"><span>{label}</span><b></b><b></b></div>"),
        Control::Link => put!(out, "<div class=\"wf-link\">{label}</div>"),
    }
}

fn data(out: &mut String, words: &[String], label: &str, entity: Option<&Entity>) {
    let shown = SHOWN
        .iter()
        .find(|(_, hints)| has(words, hints))
        .map_or(Shown::Card, |(shown, _)| *shown);
    put!(out, "<div class=\"wf-data\"><div class=\"wf-label\">{label}</div>");
    match shown {
        Shown::Card => card(out, entity),
        Shown::List => out.push_str(&"<div class=\"wf-item\"><u></u><span><b></b><b></b></span></div>".repeat(3)),
        Shown::Table => table(out, entity),
        Shown::Chart => out.push_str(CHART),
        Shown::Figure => out.push_str("<div class=\"wf-figure\">00</div>"),
        Shown::Picture => out.push_str(PICTURE),
    }
    out.push_str("</div>");
}

const CHART: &str = "<svg class=\"wf-chart\" aria-hidden=\"true\" viewBox=\"0 0 200 70\"><path class=\"bars\" d=\"M8 62V40h18v22zM40 62V28h18v34zM72 62V34h18v28zM104 62V20h18v42zM136 62V26h18v36zM168 62V10h18v52z\"/><path class=\"axis\" d=\"M2 63h196\"/></svg>";
const PICTURE: &str = "<svg class=\"wf-chart\" aria-hidden=\"true\" viewBox=\"0 0 200 70\"><rect class=\"axis\" x=\"1\" y=\"1\" width=\"198\" height=\"68\" rx=\"4\"/><path class=\"axis\" d=\"M1 60l60-32 40 22 30-16 68 34\"/><circle class=\"axis\" cx=\"160\" cy=\"18\" r=\"8\"/></svg>";

/// Labels and values of the entity it shows.
fn card(out: &mut String, entity: Option<&Entity>) {
    let attributes = entity.map(|entity| entity.attributes.as_slice()).unwrap_or_default();
    if attributes.is_empty() {
        out.push_str("<div class=\"wf-lines\"><b></b><b></b><b></b></div>");
    }
    for attribute in attributes.iter().take(LABELS_MAX) {
        let label = escaped(&visible(&spaced(&attribute.name), 40));
        put!(
            out,
            "<div class=\"wf-pair\"><span>{label}</span>{}</div>",
            sample(attribute.kind)
        );
    }
}

fn table(out: &mut String, entity: Option<&Entity>) {
    let attributes = entity.map(|entity| entity.attributes.as_slice()).unwrap_or_default();
    let shown = &attributes[..attributes.len().min(COLUMNS_MAX)];
    let columns = if shown.is_empty() { 3 } else { shown.len() };
    put!(out, "<div class=\"wf-table c{columns}\">");
    for attribute in shown {
        put!(out, "<span>{}</span>", escaped(&visible(&spaced(&attribute.name), 24)));
    }
    if shown.is_empty() {
        out.push_str(&"<span><b></b></span>".repeat(columns));
    }
    for _ in 0..3 {
        match shown {
            [] => out.push_str(&"<i><b></b></i>".repeat(columns)),
            _ => shown
                .iter()
                .for_each(|attribute| put!(out, "<i>{}</i>", sample(attribute.kind))),
        }
    }
    out.push_str("</div>");
}

/// `placedAt` as `placed at`.
fn spaced(name: &str) -> String {
    let mut text = String::new();
    for character in name.chars() {
        if character.is_ascii_uppercase() && !text.is_empty() {
            text.push(' ');
        }
        text.push(character.to_ascii_lowercase());
    }
    text
}

/// What a value of this kind looks like from far away.
fn sample(kind: ValueKind) -> &'static str {
    match kind {
        ValueKind::Money => "<em>0.00</em>",
        ValueKind::Number | ValueKind::Integer => "<em>00</em>",
        ValueKind::Date | ValueKind::DateTime => "<em>00-00</em>",
        ValueKind::Duration => "<em>0:00</em>",
        ValueKind::Boolean => "<em>✓</em>",
        ValueKind::Choice => "<u></u>",
        ValueKind::Text
        | ValueKind::Identifier
        | ValueKind::Email
        | ValueKind::Url
        | ValueKind::File
        | ValueKind::Location => "<b></b>",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn component(name: &str) -> Component {
        Component {
            id: "part".to_owned(),
            name: name.to_owned(),
            kind: ComponentKind::Control,
            description: String::new(),
            parent: None,
            data: Vec::new(),
        }
    }

    #[test]
    fn a_drawing_does_not_repeat_what_it_shows() {
        for (name, want) in [
            ("Pay button", "Pay"),
            ("Button", "Button"),
            ("Card number field", "Card number"),
            ("", ""),
        ] {
            assert_eq!(short_name(&component(name)), want);
        }
    }

    #[test]
    fn controls_look_like_their_names() {
        let cases = [
            ("Search button", Control::Button),
            ("Search", Control::Search),
            ("Email field", Control::Field),
            ("Status filter", Control::Choice),
            ("Keep me posted toggle", Control::Toggle),
            ("Order notes", Control::Area),
            ("Back to the cart", Control::Link),
            ("Settings tabs", Control::Tabs),
            ("Pay", Control::Button),
            ("Tablet", Control::Button),
        ];
        for (name, want) in cases {
            assert_eq!(control_of(&words(&component(name))), want, "{name}");
        }
    }
}
