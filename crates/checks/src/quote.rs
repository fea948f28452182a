//! Quotes: words that must stand in the artifact, byte for byte, white space folded.

/// The fewest characters, white space aside, that make a quote more than a common word. A shorter one counts only as a
/// whole line.
const QUOTE_CHARS_MIN: usize = 8;

/// An artifact with every run of white space folded to one space. Made once, searched for every quote.
#[derive(Debug, Clone)]
pub struct Folded {
    text: String,
    /// Where each line that has words begins in `text`, and its number.
    lines: Vec<(usize, u32)>,
}

impl Folded {
    pub fn new(artifact: &str) -> Folded {
        let mut text = String::with_capacity(artifact.len());
        let mut lines = Vec::new();
        for (number, line) in (1u32..).zip(artifact.split('\n')) {
            for (at, word) in line.split_whitespace().enumerate() {
                if !text.is_empty() {
                    text.push(' ');
                }
                if at == 0 {
                    lines.push((text.len(), number));
                }
                text.push_str(word);
            }
        }
        Folded { text, lines }
    }

    /// The line on which `quote` begins, if it stands in the artifact and is long enough to prove something.
    pub fn find(&self, quote: &str) -> Option<u32> {
        let quote = Folded::new(quote).text;
        if !quote.contains(char::is_alphanumeric) {
            return None;
        }
        if quote.chars().filter(|c| *c != ' ').count() < QUOTE_CHARS_MIN {
            let mut lines = (0..self.lines.len()).filter(|at| self.line(*at) == quote);
            return lines.next().map(|at| self.lines[at].1);
        }
        let at = self.text.find(&quote)?;
        let line = self.lines.partition_point(|(start, _)| *start <= at).checked_sub(1)?;
        Some(self.lines[line].1)
    }

    /// `line`, if a `quote` that is long enough to prove something begins there.
    pub fn find_at(&self, quote: &str, line: u32) -> Option<u32> {
        self.last_line(quote, line).map(|_| line)
    }

    /// The line on which the `quote` that begins at `line` ends.
    pub(crate) fn last_line(&self, quote: &str, line: u32) -> Option<u32> {
        let quote = Folded::new(quote).text;
        let at = self.lines.binary_search_by_key(&line, |(_, number)| *number).ok()?;
        if !quote.contains(char::is_alphanumeric) {
            return None;
        }
        if quote.chars().filter(|c| *c != ' ').count() < QUOTE_CHARS_MIN {
            return (self.line(at) == quote).then_some(line);
        }
        let start = self.lines[at].0;
        let within = self.lines.get(at + 1).map_or(self.text.len(), |(next, _)| *next);
        let begin = start
            + self
                .text
                .get(start..(within + quote.len()).min(self.text.len()))
                .or_else(|| self.text.get(start..))?
                .find(&quote)?;
        if begin >= within {
            return None;
        }
        let end = begin + quote.len() - 1;
        let last = self.lines.partition_point(|(start, _)| *start <= end).checked_sub(1)?;
        Some(self.lines[last].1)
    }

    /// Whether these words stand in the artifact at all, however few they are.
    pub fn contains(&self, quote: &str) -> bool {
        let quote = Folded::new(quote).text;
        !quote.is_empty() && self.text.contains(&quote)
    }

    fn line(&self, at: usize) -> &str {
        let end = self.lines.get(at + 1).map_or(self.text.len(), |(next, _)| next - 1);
        &self.text[self.lines[at].0..end]
    }
}

/// [`Folded::find`] for a single quote.
pub fn find_quote(artifact: &str, quote: &str) -> Option<u32> {
    Folded::new(artifact).find(quote)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_must_stand_there_and_say_something() {
        let artifact =
            "# API\n\nGET /courses\n  returns\ta list\r\n   of courses.\n---------\nDone\nGET /courses again\n";
        for (quote, line) in [
            ("GET /courses", Some(3)),
            ("GET   /courses\nreturns a\n\nlist", Some(3)),
            ("returns a list of courses.", Some(4)),
            ("courses again", Some(8)),
            ("  # API ", Some(1)),
            ("Done", Some(7)),
            ("API", None),
            ("the", None),
            ("list", None),
            ("---------", None),
            ("", None),
            (" \n ", None),
            ("get /courses", None),
            ("POST /courses", None),
            ("GET /courses — returns", None),
        ] {
            assert_eq!(find_quote(artifact, quote), line, "{quote:?}");
        }
        assert_eq!(find_quote("", "anything at all"), None);
    }

    #[test]
    fn a_quote_can_be_held_to_its_line() {
        let folded = Folded::new("one two three\nDone\n\none two three four\n  five six\nDone\n");
        for (quote, line, last) in [
            ("one two three", 1, Some(1)),
            ("one two three", 4, Some(4)),
            ("one two three", 2, None),
            ("one two three", 3, None),
            ("one two three", 0, None),
            ("one two three", 99, None),
            ("two three four five", 4, Some(5)),
            ("four five six Done", 4, Some(6)),
            ("two three Done one", 1, Some(4)),
            ("Done", 2, Some(2)),
            ("Done", 6, Some(6)),
            ("Done", 1, None),
            ("", 1, None),
            ("--------", 1, None),
        ] {
            assert_eq!(folded.last_line(quote, line), last, "{quote} {line}");
            assert_eq!(folded.find_at(quote, line), last.map(|_| line), "{quote} {line}");
        }
        assert!(folded.contains("on") && !folded.contains("") && !folded.contains("seven"));
    }

    #[test]
    fn ten_megabytes_are_searched_quickly() {
        let artifact = "lorem ipsum dolor sit amet\n".repeat(400_000) + "the last words stand here";
        let folded = Folded::new(&artifact);
        for _ in 0..20 {
            assert_eq!(folded.find("last words  stand"), Some(400_001));
            assert_eq!(folded.find("ipsum dolor sit amen"), None);
        }
    }
}
