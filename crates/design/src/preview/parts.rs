//! The component tree, and how parts behave.

use super::forest::Forest;
use super::place::{Notes, entity_link, part_link};
use super::text::{name, prose, put};
use crate::intent::{ComponentKind, Intent};

pub(super) fn section(out: &mut String, intent: &Intent, forest: &Forest, notes: &Notes) {
    out.push_str("<section id=\"parts\" aria-labelledby=\"parts-h\">\n<h2 id=\"parts-h\">Parts</h2>\n");
    out.push_str("<p class=\"lede\">Every component, inside the one that holds it.</p>\n<div class=\"card\">\n");
    if intent.components.is_empty() {
        out.push_str("<p>There are no components.</p>\n");
    }
    branch(out, intent, forest, notes, &forest.roots);
    if !forest.strays.is_empty() {
        out.push_str(
            "<h3>Without a place</h3>\n<p class=\"meta\">They name a parent that is not there, or each other.</p>\n",
        );
        branch(out, intent, forest, notes, &forest.strays);
    }
    out.push_str("</div>\n</section>\n");
}

fn branch(out: &mut String, intent: &Intent, forest: &Forest, notes: &Notes, nodes: &[usize]) {
    if nodes.is_empty() {
        return;
    }
    out.push_str("<ul class=\"tree\">\n");
    for &i in nodes {
        let component = &intent.components[i];
        let kind = word(component.kind);
        put!(
            out,
            "<li><div class=\"leaf\" id=\"c{i}\"><p><span class=\"kind {kind}\">{kind}</span> <strong><bdi>{}</bdi></strong> <code>{}</code>{}</p><p class=\"meta\" dir=\"auto\">{}</p>",
            name(&component.name),
            name(&component.id),
            notes.at(&format!("c{i}")),
            prose(&component.description)
        );
        if !component.data.is_empty() {
            let links: Vec<String> = component
                .data
                .iter()
                .map(|entity| entity_link(intent, entity))
                .collect();
            put!(out, "<p class=\"meta\">Shows or changes {}</p>", links.join(", "));
        }
        out.push_str("</div>");
        branch(out, intent, forest, notes, &forest.children[i]);
        out.push_str("</li>\n");
    }
    out.push_str("</ul>\n");
}

fn word(kind: ComponentKind) -> &'static str {
    match kind {
        ComponentKind::View => "view",
        ComponentKind::Container => "container",
        ComponentKind::Control => "control",
        ComponentKind::Data => "data",
        ComponentKind::Utility => "utility",
    }
}

pub(super) fn interactions(out: &mut String, intent: &Intent, notes: &Notes) {
    out.push_str("<section id=\"behaviour\" aria-labelledby=\"behaviour-h\">\n<h2 id=\"behaviour-h\">Behaviour</h2>\n");
    out.push_str("<p class=\"lede\">How parts answer when something is done to them.</p>\n");
    if intent.interactions.is_empty() {
        out.push_str("<div class=\"card\"><p>No interactions are described.</p></div>\n</section>\n");
        return;
    }
    out.push_str("<div class=\"card scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Table of interactions\">\n");
    out.push_str("<table class=\"stack\">\n<thead><tr><th scope=\"col\">Where</th><th scope=\"col\">When</th><th scope=\"col\">Then</th></tr></thead>\n<tbody>\n");
    for (i, interaction) in intent.interactions.iter().enumerate() {
        put!(
            out,
            "<tr id=\"i{i}\"><th scope=\"row\">{}{}</th><td dir=\"auto\">{}</td><td dir=\"auto\">{}</td></tr>\n",
            part_link(intent, &interaction.component),
            notes.at(&format!("i{i}")),
            prose(&interaction.trigger),
            prose(&interaction.response)
        );
    }
    out.push_str("</tbody>\n</table>\n</div>\n</section>\n");
}
