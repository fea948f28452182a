//! Standard output and standard error. A closed pipe ends the talk quietly, never the run.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this is the door through which words go out"
)]

use std::io::{IsTerminal as _, Write as _};

use onus_views::Style;

use crate::cli::ColorChoice;

/// What the terminal can do.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terminal {
    pub(crate) style: Style,
    /// A person can be asked: input and messages are both on a terminal.
    pub(crate) interactive: bool,
    /// Progress may move on standard error.
    pub(crate) lively: bool,
}

impl Terminal {
    /// `--color` wins; then `NO_COLOR`, `CLICOLOR_FORCE` and `TERM=dumb`, by their conventions.
    pub(crate) fn new(choice: ColorChoice, env: impl Fn(&str) -> Option<String>) -> Terminal {
        let set = |name: &str| env(name).is_some_and(|value| !value.is_empty());
        let dumb = env("TERM").is_some_and(|term| term == "dumb");
        let forced = env("CLICOLOR_FORCE").is_some_and(|value| !value.is_empty() && value != "0");
        let color = match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto if set("NO_COLOR") => false,
            ColorChoice::Auto => forced || (std::io::stdout().is_terminal() && !dumb),
        };
        let ci = set("CI");
        Terminal {
            style: if color { Style::Ansi } else { Style::Plain },
            interactive: std::io::stdin().is_terminal() && std::io::stderr().is_terminal() && !ci,
            lively: std::io::stderr().is_terminal() && !dumb && !ci,
        }
    }
}

/// Data and results.
pub(crate) fn out(text: &str) {
    let mut stdout = std::io::stdout().lock();
    // Nobody is left to be told that nobody listens.
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}

/// Talk: progress, hints, errors.
pub(crate) fn say(text: &str) {
    let mut stderr = std::io::stderr().lock();
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}
