//! What is kept: a diagram of the entities, and the same as tables.

use super::icons;
use super::layout::{self, ATTRIBUTES_MAX, Area, End, Line};
use super::place::{Notes, entity_link};
use super::text::{count, escaped, fitted, int, name, prose, put};
use crate::intent::{Cardinality, Entity, Intent, ValueKind};

/// More boxes than this make no picture that anyone reads.
const DRAWN_MAX: usize = 30;

pub(super) fn section(out: &mut String, intent: &Intent, notes: &Notes) {
    let entities = &intent.data_model.entities;
    out.push_str("<section id=\"data\" aria-labelledby=\"data-h\">\n<h2 id=\"data-h\">Data</h2>\n");
    out.push_str("<p class=\"lede\">What is kept, and how it hangs together.</p>\n");
    if entities.is_empty() {
        out.push_str("<div class=\"card\"><p>Nothing is kept.</p></div>\n</section>\n");
        return;
    }
    if entities.len() <= DRAWN_MAX {
        drawing(out, entities);
    } else {
        put!(
            out,
            "<p class=\"meta\">{} entities are too many for a readable diagram.</p>\n",
            entities.len()
        );
    }
    attributes(out, entities, notes);
    relationships(out, intent, notes);
    out.push_str("</section>\n");
}

fn drawing(out: &mut String, entities: &[Entity]) {
    let layout = layout::of(entities);
    out.push_str(
        "<div class=\"card\">\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Entity diagram\">\n",
    );
    put!(
        out,
        "<svg class=\"diagram entities\" role=\"img\" viewBox=\"0 0 {} {}\" style=\"max-width:{}px\" aria-label=\"Diagram of {} and {} between them. The tables below say the same.\">",
        layout.width,
        layout.height,
        layout.width,
        count(entities.len(), "entity", "entities"),
        count(layout.lines.len(), "relationship", "relationships")
    );
    for line in &layout.lines {
        draw_line(out, line);
    }
    for (area, entity) in layout.areas.iter().zip(entities) {
        draw_box(out, area, entity);
    }
    // Labels come last, so that no line runs through them.
    for line in &layout.lines {
        for (i, text) in line.label.iter().enumerate() {
            let (x, y) = (line.label_at.0, line.label_at.1 + int(i) * 22);
            put!(
                out,
                "<text class=\"label\" x=\"{x}\" y=\"{y}\">{}</text>",
                escaped(text)
            );
        }
    }
    out.push_str("</svg>\n</div>\n");
    out.push_str("<p class=\"meta legend\"><svg class=\"key\" aria-hidden=\"true\" viewBox=\"0 0 36 16\"><path class=\"line\" d=\"M0 8H36M28 2V14\"/></svg>one <svg class=\"key\" aria-hidden=\"true\" viewBox=\"0 0 36 16\"><path class=\"line\" d=\"M0 8H36M24 8L36 2M24 8L36 14\"/></svg>many ");
    put!(out, "{}tells one from another</p>\n</div>\n", icons::inline("key"));
}

fn draw_line(out: &mut String, line: &Line) {
    let mut path = String::new();
    for (i, (x, y)) in line.points.iter().enumerate() {
        put!(path, "{}{x} {y}", if i == 0 { 'M' } else { 'L' });
    }
    for end in &line.ends {
        foot(&mut path, end);
    }
    put!(out, "<path class=\"line\" d=\"{path}\"/>");
}

/// A bar for one, a crow's foot for many.
fn foot(path: &mut String, end: &End) {
    let ((x, y), (dx, dy)) = (end.at, end.out);
    if end.many {
        let (tip_x, tip_y) = (x + dx * 12, y + dy * 12);
        put!(
            path,
            "M{tip_x} {tip_y}L{} {}M{tip_x} {tip_y}L{} {}",
            x + dy * 6,
            y + dx * 6,
            x - dy * 6,
            y - dx * 6
        );
    } else {
        let (bar_x, bar_y) = (x + dx * 8, y + dy * 8);
        put!(
            path,
            "M{} {}L{} {}",
            bar_x + dy * 6,
            bar_y + dx * 6,
            bar_x - dy * 6,
            bar_y - dx * 6
        );
    }
}

fn draw_box(out: &mut String, area: &Area, entity: &Entity) {
    let Area {
        x, y, width, height, ..
    } = *area;
    put!(
        out,
        "<g class=\"node\"><rect class=\"body\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"8\"/>"
    );
    put!(
        out,
        "<text class=\"strong\" x=\"{}\" y=\"{}\">{}</text><path class=\"rule\" d=\"M{x} {}h{width}\"/>",
        x + 14,
        y + 25,
        escaped(&fitted(&entity.name, width - 28, 15)),
        y + 38
    );
    for (i, attribute) in entity.attributes.iter().take(ATTRIBUTES_MAX).enumerate() {
        let row = y + 40 + int(i) * 22 + 16;
        if attribute.unique {
            out.push_str(&icons::at("key", x + 11, row - 11, 13));
        }
        let class = if attribute.required { "" } else { " class=\"optional\"" };
        put!(
            out,
            "<text{class} x=\"{}\" y=\"{row}\">{}</text>",
            x + 30,
            escaped(&fitted(&attribute.name, width - 130, 13))
        );
        put!(
            out,
            "<text class=\"type\" x=\"{}\" y=\"{row}\">{}</text>",
            x + width - 14,
            kind(attribute.kind)
        );
    }
    if let Some(more) = entity
        .attributes
        .len()
        .checked_sub(ATTRIBUTES_MAX)
        .filter(|more| *more > 0)
    {
        let row = y + 40 + int(ATTRIBUTES_MAX) * 22 + 16;
        put!(
            out,
            "<text class=\"optional\" x=\"{}\" y=\"{row}\">and {more} more</text>",
            x + 30
        );
    }
    out.push_str("</g>");
}

fn attributes(out: &mut String, entities: &[Entity], notes: &Notes) {
    out.push_str("<h3>Entities and attributes</h3>\n<div class=\"card scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Table of entities and attributes\">\n<table>\n<thead><tr><th scope=\"col\">Attribute</th><th scope=\"col\">Type</th><th scope=\"col\">Rules</th><th scope=\"col\">Meaning</th></tr></thead>\n");
    for (i, entity) in entities.iter().enumerate() {
        put!(
            out,
            "<tbody id=\"e{i}\"><tr class=\"group\"><th scope=\"rowgroup\" colspan=\"4\"><bdi>{}</bdi>{} <span class=\"meta\"><bdi>{}</bdi></span></th></tr>\n",
            name(&entity.name),
            notes.at(&format!("e{i}")),
            prose(&entity.description)
        );
        for (a, attribute) in entity.attributes.iter().enumerate() {
            let rules = match (attribute.required, attribute.unique) {
                (true, true) => "required, unique",
                (true, false) => "required",
                (false, true) => "optional, unique",
                (false, false) => "optional",
            };
            let meaning = if attribute.description.is_empty() {
                "<span class=\"none\">–</span>".to_owned()
            } else {
                format!("<bdi>{}</bdi>", prose(&attribute.description))
            };
            put!(
                out,
                "<tr id=\"e{i}a{a}\"><th scope=\"row\"><code>{}</code>{}</th><td>{}</td><td>{rules}</td><td>{meaning}</td></tr>\n",
                name(&attribute.name),
                notes.at(&format!("e{i}a{a}")),
                kind(attribute.kind)
            );
        }
        out.push_str("</tbody>\n");
    }
    out.push_str("</table>\n</div>\n");
}

fn relationships(out: &mut String, intent: &Intent, notes: &Notes) {
    let entities = &intent.data_model.entities;
    if entities.iter().all(|entity| entity.relationships.is_empty()) {
        return;
    }
    out.push_str("<h3>Relationships</h3>\n<div class=\"card scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Table of relationships\">\n<table>\n<thead><tr><th scope=\"col\">From</th><th scope=\"col\">Relationship</th><th scope=\"col\">To</th><th scope=\"col\">How many</th></tr></thead>\n<tbody>\n");
    for (i, entity) in entities.iter().enumerate() {
        for (r, relationship) in entity.relationships.iter().enumerate() {
            put!(
                out,
                "<tr id=\"e{i}r{r}\"><th scope=\"row\"><bdi>{}</bdi>{}</th><td><bdi>{}</bdi></td><td>{}</td><td>{}</td></tr>\n",
                name(&entity.name),
                notes.at(&format!("e{i}r{r}")),
                name(&relationship.name),
                entity_link(intent, &relationship.target),
                cardinality(relationship.cardinality)
            );
        }
    }
    out.push_str("</tbody>\n</table>\n</div>\n");
}

fn cardinality(cardinality: Cardinality) -> &'static str {
    match cardinality {
        Cardinality::OneToOne => "one to one",
        Cardinality::OneToMany => "one to many",
        Cardinality::ManyToOne => "many to one",
        Cardinality::ManyToMany => "many to many",
    }
}

fn kind(kind: ValueKind) -> &'static str {
    match kind {
        ValueKind::Text => "text",
        ValueKind::Number => "number",
        ValueKind::Integer => "integer",
        ValueKind::Money => "money",
        ValueKind::Boolean => "yes or no",
        ValueKind::Date => "date",
        ValueKind::DateTime => "date and time",
        ValueKind::Duration => "duration",
        ValueKind::Choice => "choice",
        ValueKind::Identifier => "identifier",
        ValueKind::Email => "email",
        ValueKind::Url => "web address",
        ValueKind::File => "file",
        ValueKind::Location => "location",
    }
}
