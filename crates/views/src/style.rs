//! Colour, used sparingly: every text reads the same without it.

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Style {
    #[default]
    Plain,
    Ansi,
}

impl Style {
    /// Green.
    pub fn good(self, text: &str) -> String {
        self.paint("32", text)
    }

    /// Red.
    pub fn bad(self, text: &str) -> String {
        self.paint("31", text)
    }

    pub fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }

    /// `PASS` or `FAIL`.
    pub(crate) fn verdict(self, passed: bool) -> String {
        if passed { self.good("PASS") } else { self.bad("FAIL") }
    }

    fn paint(self, code: &str, text: &str) -> String {
        match self {
            Style::Plain => text.to_owned(),
            Style::Ansi => format!("\x1b[{code}m{text}\x1b[0m"),
        }
    }
}
