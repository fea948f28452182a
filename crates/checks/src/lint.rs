//! What a linter found: SARIF, or lines with a place in front.

mod lines;
mod sarif;

use onus_model::{CommandLine, Digest, Evidence, Finding, FindingLevel, LintCheck, LintFormat};

use crate::text::{MESSAGE_CHARS_MAX, clip};
use crate::{CheckResult, FINDINGS_MAX, Outcome, Ran, RunEnd, report};

/// Counts what was found. An exit code that nothing found explains fails: something else went wrong. One that findings
/// explain does not, since linters end with 1 for any finding, and how many are too many is the contract's to say.
pub fn lint(check: &LintCheck, ran: &Ran) -> CheckResult {
    let ready = report::exit_code(&check.command, ran).and_then(|code| {
        let bytes = report::bytes(check.report.as_deref(), ran)?;
        Ok((code, report::text(bytes).map_err(report::could_not_run)?))
    });
    let with_cause = |why: String| report::with_cause(clip(&why, MESSAGE_CHARS_MAX), check.report.as_deref(), ran);
    let (outcome, why, findings) = match ready {
        Err((outcome, why)) => (outcome, with_cause(why), Vec::new()),
        Ok((code, text)) => {
            let found = match check.format {
                LintFormat::Sarif => sarif::read(&text),
                LintFormat::Lines => Ok(lines::read(&text)),
            };
            match found {
                Err(why) => (Outcome::Failed, with_cause(why), Vec::new()),
                Ok(found) if code != 0 && found.explains_nothing() => {
                    let (outcome, why, findings) = weigh(check, code, found);
                    (outcome, with_cause(why), findings)
                }
                Ok(found) => weigh(check, code, found),
            }
        }
    };
    CheckResult {
        outcome,
        why,
        evidence: evidence(&check.command, ran),
        findings,
    }
}

fn weigh(check: &LintCheck, code: i32, found: Found) -> (Outcome, String, Vec<Finding>) {
    let mut problems = Vec::new();
    if found.errors > check.max_errors {
        problems.push(format!("at most {} errors expected", check.max_errors));
    }
    if let Some(max) = check.max_warnings.filter(|max| found.warnings > *max) {
        problems.push(format!("at most {max} warnings expected"));
    }
    if code != 0 && found.explains_nothing() {
        problems.push(format!(
            "exit code {code} without an error or a warning that could be read"
        ));
    }
    let outcome = if problems.is_empty() {
        Outcome::Passed
    } else {
        Outcome::Failed
    };
    let counts = format!(
        "{} errors, {} warnings, {} notes",
        found.errors, found.warnings, found.notes
    );
    problems.insert(0, counts);
    (outcome, problems.join("; "), found.into_findings())
}

fn evidence(command: &CommandLine, ran: &Ran) -> Evidence {
    Evidence::Command {
        command: clip(&command.to_string(), MESSAGE_CHARS_MAX),
        exit: match ran.end {
            RunEnd::Exited(code) => Some(code),
            RunEnd::Signalled(_)
            | RunEnd::TimedOut { .. }
            | RunEnd::NotStarted { .. }
            | RunEnd::Flooded { .. }
            | RunEnd::Interrupted => None,
        },
        stdout_sha256: Digest::of(&ran.stdout),
    }
}

/// All that was found is counted; the first of each level are kept.
#[derive(Default)]
struct Found {
    errors: u32,
    warnings: u32,
    notes: u32,
    kept: Vec<Finding>,
}

impl Found {
    fn add(&mut self, level: FindingLevel, place: Option<(&str, Option<u32>)>, message: &str) {
        let count = match level {
            FindingLevel::Error => &mut self.errors,
            FindingLevel::Warning => &mut self.warnings,
            FindingLevel::Note => &mut self.notes,
        };
        *count = count.saturating_add(1);
        if *count as usize > FINDINGS_MAX {
            return;
        }
        let (path, line) = place.unzip();
        // A finding's path is in the tree; where that is on this machine, and so what is left of an absolute one, is not
        // known here.
        let outside = path.filter(|path| path.starts_with('/') || path.contains("://"));
        let message = outside.map_or_else(|| message.to_owned(), |path| format!("{path}: {message}"));
        self.kept.push(Finding {
            path: path
                .filter(|_| outside.is_none())
                .map(|path| clip(path.trim_start_matches("./"), MESSAGE_CHARS_MAX)),
            line: line.flatten(),
            level,
            message: clip(message.trim(), MESSAGE_CHARS_MAX),
        });
    }

    /// Nothing here makes a linter end with another code than 0.
    const fn explains_nothing(&self) -> bool {
        self.errors == 0 && self.warnings == 0
    }

    /// The worst first.
    fn into_findings(self) -> Vec<Finding> {
        let mut findings = self.kept;
        findings.sort_by_key(|finding| finding.level);
        findings.truncate(FINDINGS_MAX);
        findings
    }
}

#[cfg(test)]
mod tests;
