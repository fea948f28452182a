//! User flows: a drawing for the eye, and the same as a list.

use super::icons;
use super::place::{Notes, part_link};
use super::text::{count, escaped, fitted, int, name, prose, put, wrapped};
use crate::intent::{Flow, Intent, Step};

const SIZE: i32 = 14;
const LINE: i32 = 20;
const SMALL: i32 = 12;
const PAD: i32 = 16;
/// Between two boxes beside each other, and one below the other.
const GAP: i32 = 40;
const ROW_GAP: i32 = 36;
/// The strip that names the actor.
const LANE: i32 = 48;
/// Round the boxes, inside the lane.
const EDGE: i32 = 20;
const LINES_MAX: usize = 8;

/// How a drawing is laid out.
#[derive(Debug, Clone, Copy)]
struct Sheet {
    columns: usize,
    box_width: i32,
    class: &'static str,
}

/// One box: a step, or what is reached at the end.
struct Node {
    icon: &'static str,
    head: String,
    lines: Vec<String>,
    foot: Vec<String>,
    class: &'static str,
}

impl Node {
    fn height(&self) -> i32 {
        let foot = if self.foot.is_empty() {
            0
        } else {
            12 + int(self.foot.len()) * 17
        };
        PAD + 28 + 8 + int(self.lines.len()) * LINE + foot + PAD - 4
    }
}

pub(super) fn section(out: &mut String, intent: &Intent, notes: &Notes) {
    out.push_str("<section id=\"flows\" aria-labelledby=\"flows-h\">\n<h2 id=\"flows-h\">Flows</h2>\n");
    out.push_str("<p class=\"lede\">What people do with it, step by step, and what they have at the end.</p>\n");
    for (i, flow) in intent.user_flows.iter().enumerate() {
        let title = name(&flow.name);
        put!(
            out,
            "<article id=\"f{i}\" class=\"card flow\" aria-labelledby=\"f{i}-h\">\n"
        );
        put!(
            out,
            "<h3 id=\"f{i}-h\" dir=\"auto\">{title}</h3>{}\n",
            notes.at(&format!("f{i}"))
        );
        drawing(out, intent, flow, wide(flow.steps.len() + 1));
        drawing(
            out,
            intent,
            flow,
            Sheet {
                columns: 1,
                box_width: 320,
                class: "tall",
            },
        );
        list(out, intent, notes, i, flow);
        out.push_str("</article>\n");
    }
    out.push_str("</section>\n");
}

/// Three or four boxes beside each other, whichever leaves fewer holes.
fn wide(boxes: usize) -> Sheet {
    if boxes == 4 || boxes > 6 && !boxes.is_multiple_of(3) {
        Sheet {
            columns: 4,
            box_width: 210,
            class: "wide",
        }
    } else {
        Sheet {
            columns: 3,
            box_width: 293,
            class: "wide",
        }
    }
}

fn nodes(intent: &Intent, flow: &Flow, room: i32) -> Vec<Node> {
    let step = |(i, step): (usize, &Step)| {
        let (icon, word) = icons::of(step.action);
        let by_system = icons::is_of_system(step.action);
        let names: Vec<&str> = step
            .components
            .iter()
            .map(|id| {
                intent
                    .component(id)
                    .map_or(id.as_str(), |component| component.name.as_str())
            })
            .collect();
        Node {
            icon,
            head: format!("{} · {word}", i + 1),
            lines: wrapped(&step.description, room, SIZE, LINES_MAX),
            foot: match (by_system, names.is_empty()) {
                (false, true) => Vec::new(),
                (false, false) => wrapped(&names.join(", "), room - 22, SMALL, 2),
                (true, true) => vec!["System".to_owned()],
                (true, false) => wrapped(&format!("System: {}", names.join(", ")), room - 22, SMALL, 2),
            },
            class: if by_system { "node system" } else { "node" },
        }
    };
    let mut all: Vec<Node> = flow.steps.iter().enumerate().map(step).collect();
    all.push(Node {
        icon: "outcome",
        head: "Outcome".to_owned(),
        lines: wrapped(&flow.outcome, room, SIZE, LINES_MAX),
        foot: Vec::new(),
        class: "node end",
    });
    all
}

fn drawing(out: &mut String, intent: &Intent, flow: &Flow, sheet: Sheet) {
    let nodes = nodes(intent, flow, sheet.box_width - 2 * PAD);
    let columns = int(sheet.columns.min(nodes.len()));
    let width = 2 * EDGE + columns * sheet.box_width + (columns - 1) * GAP;
    let mut boxes = String::new();
    let mut lines = String::new();
    let mut y = LANE;
    let mut before: Option<(i32, i32, i32)> = None;
    for row in nodes.chunks(sheet.columns) {
        let height = row.iter().map(Node::height).max().unwrap_or(0);
        for (column, node) in row.iter().enumerate() {
            let x = EDGE + int(column) * (sheet.box_width + GAP);
            draw_node(&mut boxes, node, x, y, sheet.box_width, height);
            if let Some(before) = before {
                arrow(&mut lines, before, (x, y), sheet.box_width, height);
            }
            before = Some((x, y, height));
        }
        y += height + ROW_GAP;
    }
    let height = y - ROW_GAP + EDGE;
    put!(
        out,
        "<svg class=\"diagram {}\" role=\"img\" viewBox=\"0 0 {width} {height}\" aria-label=\"Diagram of the flow {} of {}: {}. The list below says the same.\">",
        sheet.class,
        name(&flow.name),
        name(&flow.actor),
        count(flow.steps.len(), "step", "steps")
    );
    put!(
        out,
        "<rect class=\"lane\" x=\"1\" y=\"1\" width=\"{}\" height=\"{}\" rx=\"14\"/>",
        width - 2,
        height - 2
    );
    out.push_str(&icons::at("person", EDGE, 15, 20));
    let actor = escaped(&fitted(&flow.actor, width - 2 * EDGE - 30, SIZE + 3));
    put!(
        out,
        "<text class=\"strong\" x=\"{}\" y=\"30\">{actor}</text>",
        EDGE + 28
    );
    put!(out, "{lines}{boxes}</svg>\n");
}

fn draw_node(out: &mut String, node: &Node, x: i32, y: i32, width: i32, height: i32) {
    put!(
        out,
        "<g class=\"{}\"><rect class=\"body\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"10\"/>",
        node.class
    );
    put!(
        out,
        "<circle class=\"badge\" cx=\"{}\" cy=\"{}\" r=\"14\"/>",
        x + PAD + 14,
        y + PAD + 14
    );
    out.push_str(&icons::at(node.icon, x + PAD + 6, y + PAD + 6, 16));
    put!(
        out,
        "<text class=\"head\" x=\"{}\" y=\"{}\">{}</text>",
        x + PAD + 38,
        y + PAD + 18,
        escaped(&node.head)
    );
    let mut line_y = y + PAD + 28 + 8 + 15;
    for line in &node.lines {
        put!(out, "<text x=\"{}\" y=\"{line_y}\">{}</text>", x + PAD, escaped(line));
        line_y += LINE;
    }
    if !node.foot.is_empty() {
        let foot_y = y + height - PAD - (int(node.foot.len()) - 1) * 17;
        out.push_str(&icons::at("place", x + PAD, foot_y - 12, 14));
        for (i, line) in node.foot.iter().enumerate() {
            let y = foot_y + int(i) * 17;
            put!(
                out,
                "<text class=\"small\" x=\"{}\" y=\"{y}\">{}</text>",
                x + PAD + 22,
                escaped(line)
            );
        }
    }
    out.push_str("</g>");
}

/// From the box before to the next one: to the right, or down to the start of the next row.
fn arrow(
    out: &mut String,
    (from_x, from_y, from_height): (i32, i32, i32),
    (x, y): (i32, i32),
    width: i32,
    height: i32,
) {
    if from_y == y {
        let middle = y + height / 2;
        put!(
            out,
            "<path class=\"line\" d=\"M{} {middle}H{}\"/>",
            from_x + width + 4,
            x - 9
        );
        put!(out, "<path class=\"tip\" d=\"M{} {}l8 5-8 5z\"/>", x - 12, middle - 5);
    } else {
        let (start, end) = (from_x + width / 2, x + width / 2);
        let (top, turn) = (from_y + from_height + 4, y - ROW_GAP / 2);
        put!(
            out,
            "<path class=\"line\" d=\"M{start} {top}V{turn}H{end}V{}\"/>",
            y - 9
        );
        put!(out, "<path class=\"tip\" d=\"M{} {}l5 8 5-8z\"/>", end - 5, y - 12);
    }
}

fn list(out: &mut String, intent: &Intent, notes: &Notes, index: usize, flow: &Flow) {
    put!(
        out,
        "<details>\n<summary>Step by step, and where</summary>\n<p class=\"meta\">{}<bdi>{}</bdi>, {}</p>\n<ol class=\"steps\">\n",
        icons::inline("person"),
        name(&flow.actor),
        count(flow.steps.len(), "step", "steps")
    );
    for (i, step) in flow.steps.iter().enumerate() {
        let (icon, word) = icons::of(step.action);
        let by = if icons::is_of_system(step.action) {
            " by the system"
        } else {
            ""
        };
        put!(
            out,
            "<li id=\"f{index}s{i}\"><p dir=\"auto\">{}</p>{}\n<p class=\"meta\">{}{word}{by}",
            prose(&step.description),
            notes.at(&format!("f{index}s{i}")),
            icons::inline(icon)
        );
        if !step.components.is_empty() {
            let links: Vec<String> = step.components.iter().map(|id| part_link(intent, id)).collect();
            put!(out, " <span class=\"dot\">·</span> in {}", links.join(", "));
        }
        out.push_str("</p></li>\n");
    }
    put!(
        out,
        "</ol>\n<p class=\"outcome\">{}<strong>Outcome:</strong> ",
        icons::inline("outcome")
    );
    put!(out, "<bdi>{}</bdi></p>\n</details>\n", prose(&flow.outcome));
}
