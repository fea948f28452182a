//! Small drawings, each defined once on a page of 24 by 24 and used by name.

use super::text::put;
use crate::intent::Action;

/// Name and strokes.
const ICONS: [(&str, &str); 16] = [
    (
        "view",
        "M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12ZM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6Z",
    ),
    ("navigate", "M4 12h15M13 6l6 6-6 6"),
    ("enter", "M4 20h16M14.5 4.5l4 4L9 18l-5 1 1-5Z"),
    ("select", "M5 4l14 7.5-6 1.7-2.6 5.8ZM13.5 14l4.5 5"),
    ("submit", "M21 3L10.5 13.5M21 3l-6.5 18-4-7.5L3 9.5Z"),
    ("create", "M12 5v14M5 12h14"),
    (
        "update",
        "M20 11a8 8 0 0 0-14-4.5L4 8.5M4 4v4.5h4.5M4 13a8 8 0 0 0 14 4.5l2-2M20 20v-4.5h-4.5",
    ),
    ("delete", "M4 6.5h16M9 6.5V4h6v2.5M6 6.5L7 20h10l1-13.5M10 11v5M14 11v5"),
    ("confirm", "M4.5 12.5l5 5 10-11"),
    ("search", "M11 4.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM16 16l4.5 4.5"),
    ("notify", "M6 16.5V11a6 6 0 0 1 12 0v5.5l1.5 1.5h-15ZM10 20.5h4"),
    (
        "compute",
        "M8 8h8v8H8ZM5 5h14v14H5ZM9 2v3M15 2v3M9 19v3M15 19v3M2 9h3M2 15h3M19 9h3M19 15h3",
    ),
    (
        "person",
        "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM4.5 20.5c.8-4 3.6-6 7.5-6s6.7 2 7.5 6",
    ),
    ("outcome", "M6 21V4M6 4.5h12l-3 4 3 4H6"),
    ("place", "M4 5h16v14H4ZM4 9.5h16"),
    ("key", "M8 9a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM11 11.5L20 5M16.5 7.5l2.5 3"),
];

/// The definitions; they stand once at the start of the page.
pub(super) fn definitions(out: &mut String) {
    out.push_str("<svg class=\"defs\" aria-hidden=\"true\" width=\"0\" height=\"0\">");
    for (name, strokes) in ICONS {
        put!(
            out,
            "<symbol id=\"icon-{name}\" viewBox=\"0 0 24 24\"><path d=\"{strokes}\"/></symbol>"
        );
    }
    out.push_str("</svg>\n");
}

/// An icon inside a diagram.
pub(super) fn at(name: &str, x: i32, y: i32, size: i32) -> String {
    format!("<use class=\"icon\" href=\"#icon-{name}\" x=\"{x}\" y=\"{y}\" width=\"{size}\" height=\"{size}\"/>")
}

/// An icon in running text.
pub(super) fn inline(name: &str) -> String {
    format!(
        "<svg class=\"glyph\" aria-hidden=\"true\" viewBox=\"0 0 24 24\">{}</svg>",
        at(name, 0, 0, 24)
    )
}

/// The icon of an action, and the word for it.
pub(super) fn of(action: Action) -> (&'static str, &'static str) {
    match action {
        Action::View => ("view", "View"),
        Action::Navigate => ("navigate", "Go to"),
        Action::Enter => ("enter", "Enter"),
        Action::Select => ("select", "Select"),
        Action::Submit => ("submit", "Submit"),
        Action::Create => ("create", "Create"),
        Action::Update => ("update", "Update"),
        Action::Delete => ("delete", "Delete"),
        Action::Confirm => ("confirm", "Confirm"),
        Action::Search => ("search", "Search"),
        Action::Notify => ("notify", "Notify"),
        Action::Compute => ("compute", "Compute"),
    }
}

/// The system does it, not the person.
pub(super) fn is_of_system(action: Action) -> bool {
    matches!(action, Action::Notify | Action::Compute)
}
