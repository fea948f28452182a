//! Onus's doubt: small changes to a text, each of which an honest check of that text should notice.
//!
//! Pure: the same path and text always give the same mutants. Rust, Python, JavaScript, TypeScript and Go are changed where
//! their grammar says what a change means ([`grammar`]), and what comes out still parses. Everything else is changed line by
//! line ([`lines`]). Code of tests is left alone: it is what checks run, not what is checked.

mod edit;
mod grammar;
mod kinds;
mod lines;
mod paths;
#[cfg(test)]
mod tests;

pub use lines::is_prose;
pub use paths::{is_code, is_test};

/// Larger texts are data, not something a person wrote; they have no mutants.
pub const TEXT_BYTES_MAX: usize = 2 << 20;

/// A longer line was packed by a tool; it also makes grammars slow.
const LINE_BYTES_MAX: usize = 10_000;

/// A text that differs from another in one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mutant {
    /// Where the change begins, from 1.
    pub line: u32,
    /// ``replaced `+` with `-` ``. Holds words of the text, so it is no safer to show than the text.
    pub what: String,
    /// The whole text with the change.
    pub text: String,
}

/// At most `max` mutants in the order of their lines, spread over the text if there could be more.
pub fn mutants(path: &str, text: &str, max: usize) -> Vec<Mutant> {
    let is_data = text.len() > TEXT_BYTES_MAX || text.contains('\0') || text.lines().any(|l| l.len() > LINE_BYTES_MAX);
    if max == 0 || is_data || is_test(path) || paths::is_made(path) {
        return Vec::new();
    }
    let by_grammar = kinds::language(path).and_then(|language| grammar::mutants(language, text, max));
    // A file that its grammar cannot read is still lines of text.
    by_grammar.unwrap_or_else(|| edit::choose(text, lines::edits(path, text), max, |_, _| true))
}
