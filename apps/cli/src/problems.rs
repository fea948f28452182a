//! Problems of a loop file, shown where they are.

use std::fmt::Write as _;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use onus_engine::load::LoadError;
use onus_model::ExitCode;
use onus_spec::{Problem, line_column};
use onus_views::{Style, for_terminal};

use crate::fault::Fault;

/// A loop that cannot be loaded, with every problem and its place.
pub(crate) fn load_fault(error: LoadError, style: Style) -> Fault {
    match error {
        LoadError::Engine(error) => error.into(),
        LoadError::Problems { path, text, problems } => {
            let path = path.map_or_else(|| "(no loop file)".to_owned(), |path| path.display().to_string());
            let listing: String = problems
                .iter()
                .map(|problem| snippet(&path, &text, problem, style))
                .collect();
            let count = problems.len();
            let plural = if count == 1 { "" } else { "s" };
            Fault::configuration(format!("the loop cannot be used: {count} problem{plural}")).with_listing(listing)
        }
        error @ (LoadError::Read { .. } | LoadError::NotUtf8 { .. } | LoadError::TooLarge { .. }) => {
            let fault = Fault::new(ExitCode::Configuration, error.to_string());
            match std::error::Error::source(&error) {
                Some(source) => fault.because(source),
                None => fault,
            }
        }
    }
}

/// One problem with its line, as a compiler would show it. Control characters would garble the picture, so a text that
/// has any is shown without one.
fn snippet(path: &str, text: &str, problem: &Problem, style: Style) -> String {
    let message = for_terminal(&problem.message);
    let help = problem.help.as_deref().map(for_terminal);
    let Some(span) = &problem.span else {
        return plain(&message, help.as_deref());
    };
    let span = span.start.min(text.len())..span.end.min(text.len());
    if for_terminal(text) != text || !text.is_char_boundary(span.start) || !text.is_char_boundary(span.end) {
        let (line, column) = line_column(text, span.start);
        return plain(
            &format!("{message}\n --> {}:{line}:{column}", for_terminal(path)),
            help.as_deref(),
        );
    }
    let shown = Snippet::source(text)
        .path(path)
        .annotation(AnnotationKind::Primary.span(span));
    let mut report = vec![Level::ERROR.primary_title(message.as_str()).element(shown)];
    if let Some(help) = &help {
        report.push(annotate_snippets::Group::with_title(
            Level::HELP.secondary_title(help.as_str()),
        ));
    }
    let renderer = match style {
        Style::Ansi => Renderer::styled(),
        Style::Plain => Renderer::plain(),
    };
    renderer.render(&report).clone() + "\n\n"
}

fn plain(message: &str, help: Option<&str>) -> String {
    let mut text = format!("error: {message}\n");
    if let Some(help) = help {
        let _ = writeln!(text, "help: {help}");
    }
    text + "\n"
}
