//! Bounds on text that is copied into messages and records.

/// Words of an agent that are kept in a verdict: enough for a person, too little to swell the ledger.
pub(crate) const DETAILS_CHARS_MAX: usize = 2_000;

/// The start of a text that goes into a one-line message.
pub(crate) const MESSAGE_CHARS_MAX: usize = 300;

/// The first `chars_max` characters, with an ellipsis where something was left off.
pub(crate) fn clip(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// Has nothing a reader would see: white space and the zero-width marks that editors leave behind.
pub(crate) fn is_blank(text: &str) -> bool {
    text.chars()
        .all(|c| c.is_whitespace() || matches!(c, '\u{feff}' | '\u{200b}' | '\u{2060}'))
}
