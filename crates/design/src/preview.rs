//! A design as a page: one file, no script, nothing fetched, the same bytes for the same intent and scores.

mod entities;
mod flows;
mod forest;
mod icons;
mod layout;
mod parts;
mod place;
mod text;
mod wireframes;

use crate::intent::{ComponentKind, Intent};
use place::{FINDINGS_MAX, Notes};
use text::{count, name, points, prose, put, visible};

/// How good the critic found the design. Scores are hundredths of a point: 9150 is 91.5 of 100.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scores {
    pub overall: u16,
    /// What the design needs.
    pub threshold: u16,
    /// Names and scores.
    pub dimensions: Vec<(String, u16)>,
    /// What cost points: a JSON pointer into the intent, and a message.
    pub findings: Vec<(String, String)>,
}

const STYLE: &str = include_str!("preview/style.css");
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
/// Full marks.
const FULL: u16 = 10_000;
/// Actors that the first line names; more are counted.
const ACTORS_MAX: usize = 3;

/// The whole page.
pub fn render(intent: &Intent, scores: Option<&Scores>) -> String {
    let forest = forest::plant(intent);
    let notes = Notes::new(intent, scores);
    let mut out = String::new();
    head(&mut out, intent);
    out.push_str("<body>\n<a class=\"skip\" href=\"#main\">Skip to the design</a>\n");
    icons::definitions(&mut out);
    header(&mut out, intent, scores, &notes);
    contents(&mut out, scores);
    out.push_str("<main id=\"main\">\n");
    goals(&mut out, intent, &notes);
    flows::section(&mut out, intent, &notes);
    wireframes::section(&mut out, intent, &forest, &notes);
    parts::section(&mut out, intent, &forest, &notes);
    entities::section(&mut out, intent, &notes);
    parts::interactions(&mut out, intent, &notes);
    if let Some(scores) = scores {
        score(&mut out, intent, scores);
    }
    out.push_str("</main>\n<footer>\n<p>Drawn from the design intent; nothing here was written by hand. <a href=\"#top\">Back to the top</a></p>\n</footer>\n</body>\n</html>\n");
    out
}

fn head(out: &mut String, intent: &Intent) {
    put!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\"/>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>{} – design</title>\n<style>\n{STYLE}</style>\n</head>\n",
        name(&intent.title)
    );
}

fn header(out: &mut String, intent: &Intent, scores: Option<&Scores>, notes: &Notes) {
    out.push_str("<header id=\"top\">\n<div class=\"title\">\n");
    put!(
        out,
        "<p class=\"eyebrow\">Design <span class=\"dot\">·</span> <code>{}</code> <span class=\"dot\">·</span> version {}</p>\n<h1 dir=\"auto\">{}</h1>{}\n<p class=\"summary\">{}</p>\n</div>\n",
        name(&intent.feature_id),
        name(&intent.version),
        name(&intent.title),
        notes.at("top"),
        summary(intent)
    );
    if let Some(scores) = scores {
        let met = scores.overall >= scores.threshold;
        put!(out, "<div class=\"score {}\">\n", if met { "met" } else { "unmet" });
        put!(
            out,
            "<p><span class=\"figure\">{}</span> <span class=\"of\">of 100</span></p>\n",
            points(scores.overall)
        );
        meter(out, scores.overall, Some(scores.threshold));
        put!(
            out,
            "<p class=\"verdict\"><strong>{}</strong> {} needed.</p>\n<p class=\"verdict\"><a href=\"#score\">{}</a></p>\n</div>\n",
            if met { "Good enough." } else { "Not there yet." },
            points(scores.threshold),
            match scores.findings.len() {
                0 => "See the scores".to_owned(),
                number => format!("See {}", count(number, "finding", "findings")),
            }
        );
    }
    out.push_str("</header>\n");
}

/// Who it is for and how big it is, in a line.
fn summary(intent: &Intent) -> String {
    let mut actors: Vec<String> = Vec::new();
    for flow in &intent.user_flows {
        let actor = visible(&flow.actor, 80);
        if !actors.contains(&actor) {
            actors.push(actor);
        }
    }
    let more = actors.len().saturating_sub(ACTORS_MAX);
    let mut named: Vec<String> = actors
        .iter()
        .take(ACTORS_MAX)
        .map(|actor| format!("<bdi>{}</bdi>", name(actor)))
        .collect();
    if more > 0 {
        named.push(format!("{more} more"));
    }
    let views = intent
        .components
        .iter()
        .filter(|component| component.kind == ComponentKind::View)
        .count();
    let sizes = format!(
        "{}, {}, {}",
        count(intent.user_flows.len(), "flow", "flows"),
        count(views, "screen", "screens"),
        count(intent.data_model.entities.len(), "entity", "entities")
    );
    if named.is_empty() {
        sizes
    } else {
        format!("For {} <span class=\"dot\">·</span> {sizes}", listed(&named))
    }
}

/// `a`, `a and b`, `a, b and c`.
fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// A bar; the words beside it say the same.
fn meter(out: &mut String, value: u16, mark: Option<u16>) {
    let value = value.min(FULL);
    put!(
        out,
        "<svg class=\"meter\" aria-hidden=\"true\" viewBox=\"0 0 10000 240\" preserveAspectRatio=\"none\"><rect class=\"track\" width=\"10000\" height=\"240\"/><rect class=\"value\" width=\"{value}\" height=\"240\"/>"
    );
    if let Some(mark) = mark {
        put!(
            out,
            "<rect class=\"needed\" x=\"{}\" width=\"70\" height=\"240\"/>",
            mark.min(FULL - 70)
        );
    }
    out.push_str("</svg>\n");
}

fn contents(out: &mut String, scores: Option<&Scores>) {
    out.push_str("<nav aria-label=\"Sections\">\n<ul>\n");
    let sections = [
        ("goals", "Goals"),
        ("flows", "Flows"),
        ("screens", "Screens"),
        ("parts", "Parts"),
        ("data", "Data"),
        ("behaviour", "Behaviour"),
    ];
    for (anchor, title) in sections.into_iter().chain(scores.map(|_| ("score", "Score"))) {
        put!(out, "<li><a href=\"#{anchor}\">{title}</a></li>\n");
    }
    out.push_str("</ul>\n</nav>\n");
}

fn goals(out: &mut String, intent: &Intent, notes: &Notes) {
    out.push_str("<section id=\"goals\" aria-labelledby=\"goals-h\">\n<h2 id=\"goals-h\">Goals</h2>\n");
    out.push_str("<p class=\"lede\">What is better when it is there.</p>\n");
    if intent.goals.is_empty() {
        out.push_str("<p>No goals are named.</p>\n</section>\n");
        return;
    }
    out.push_str("<ol class=\"goals\">\n");
    for (i, goal) in intent.goals.iter().enumerate() {
        put!(
            out,
            "<li id=\"g{i}\"><p dir=\"auto\">{}</p>{}</li>\n",
            prose(goal),
            notes.at(&format!("g{i}"))
        );
    }
    out.push_str("</ol>\n</section>\n");
}

fn score(out: &mut String, intent: &Intent, scores: &Scores) {
    out.push_str("<section id=\"score\" aria-labelledby=\"score-h\">\n<h2 id=\"score-h\">Score</h2>\n");
    put!(
        out,
        "<p class=\"lede\">{} of 100, {} needed. Code counted it; the same design has the same score everywhere.</p>\n",
        points(scores.overall),
        points(scores.threshold)
    );
    if !scores.dimensions.is_empty() {
        out.push_str("<ul class=\"card dimensions\">\n");
        for (title, value) in &scores.dimensions {
            put!(
                out,
                "<li><span class=\"dimension\">{}</span> <span class=\"number\">{}</span>\n",
                name(title),
                points(*value)
            );
            meter(out, *value, None);
            out.push_str("</li>\n");
        }
        out.push_str("</ul>\n");
    }
    out.push_str("<h3>What cost points</h3>\n");
    if scores.findings.is_empty() {
        out.push_str("<div class=\"card\"><p>Nothing did.</p></div>\n");
    } else {
        out.push_str("<ol class=\"card findings\">\n");
        for (i, (pointer, message)) in scores.findings.iter().take(FINDINGS_MAX).enumerate() {
            let place = place::of(intent, pointer);
            put!(
                out,
                "<li id=\"n{i}\"><p dir=\"auto\">{}</p><p class=\"meta\"><a href=\"#{}\"><bdi>{}</bdi></a> <code>{}</code></p></li>\n",
                prose(message),
                place.anchor,
                name(&place.words),
                name(pointer)
            );
        }
        out.push_str("</ol>\n");
        let more = scores.findings.len().saturating_sub(FINDINGS_MAX);
        if more > 0 {
            put!(
                out,
                "<p class=\"meta\">{} not shown.</p>\n",
                count(more, "more finding is", "more findings are")
            );
        }
    }
    out.push_str("</section>\n");
}
