//! JUnit XML: the form every CI system shows. One test case for each criterion, and one for the gate.

use onus_model::VerdictKind;

use super::{CheckReport, Row, message, place};
use crate::escape::{for_terminal, one_line};
use crate::words::PHRASE_CHARS_MAX;

/// What stops the gate is a failure; anything else that does not hold is a passed test with something to say.
pub fn junit(report: &CheckReport) -> String {
    let rows = report.rows();
    let passed = report.scorecard.passed;
    let failures = rows.iter().filter(|row| row.blocks()).count() + usize::from(!passed);
    let skipped = rows.iter().filter(|row| is_skipped(row)).count();
    let totals = format!(
        "name=\"onus\" tests=\"{}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\" time=\"{}.{:03}\"",
        rows.len() + 1,
        report.elapsed_ms / 1_000,
        report.elapsed_ms % 1_000,
    );
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {totals}>\n  <testsuite {totals}>\n    <properties>\n"
    );
    for (name, value) in [
        ("version", report.tool_version.clone()),
        ("contract_sha256", report.contract_sha256.to_string()),
        ("artifact_sha256", report.artifact_sha256.to_string()),
        ("phase", report.level.to_string()),
    ] {
        xml.push_str(&format!(
            "      <property name=\"{name}\" value=\"{}\"/>\n",
            escaped(&value)
        ));
    }
    xml.push_str("    </properties>\n");
    rows.iter().for_each(|row| xml.push_str(&criterion(row)));
    let tally = report.tally(&rows);
    let body = if passed {
        element("system-out", "", &tally)
    } else {
        failure("gate", &tally, &notes(report))
    };
    xml.push_str(&testcase("onus", "gate", &body));
    xml.push_str("  </testsuite>\n</testsuites>\n");
    xml
}

/// A JUnit reader counts it neither way; only what cannot stop the gate may be told so.
fn is_skipped(row: &Row<'_>) -> bool {
    (row.kind() == VerdictKind::Na || row.left_out()) && !row.blocks()
}

fn criterion(row: &Row<'_>) -> String {
    let class = row.dimension().unwrap_or(row.criterion.level.as_str());
    let body = if row.blocks() {
        failure(row.mark(), &row.why(2 * PHRASE_CHARS_MAX), &told(row))
    } else if is_skipped(row) {
        format!(
            "      <skipped message=\"{}\"/>\n",
            escaped(&row.why(2 * PHRASE_CHARS_MAX))
        )
    } else if row.holds() && row.findings().is_empty() {
        String::new()
    } else {
        element("system-out", "", &format!("{}: {}", row.mark(), told(row)))
    };
    testcase(class, row.criterion.id.as_str(), &body)
}

/// The details and each finding on a line.
fn told(row: &Row<'_>) -> String {
    let mut text = message(&[row.details()]);
    for finding in row.findings() {
        let place = place(finding).map(|place| place + " ").unwrap_or_default();
        text.push_str(&format!(
            "\n{place}{}",
            one_line(&finding.message, super::MESSAGE_CHARS_MAX)
        ));
    }
    text
}

fn notes(report: &CheckReport) -> String {
    let notes: Vec<String> = report.notes.iter().map(|note| message(&[note])).collect();
    notes.join("\n")
}

/// How long one criterion took is not known, so the time is 0.
fn testcase(class: &str, name: &str, body: &str) -> String {
    let attributes = format!("classname=\"{}\" name=\"{}\" time=\"0\"", escaped(class), escaped(name));
    match body {
        "" => format!("    <testcase {attributes}/>\n"),
        body => format!("    <testcase {attributes}>\n{body}    </testcase>\n"),
    }
}

fn failure(kind: &str, message: &str, text: &str) -> String {
    let attributes = format!(" message=\"{}\" type=\"{}\"", escaped(message), escaped(kind));
    element("failure", &attributes, text)
}

fn element(name: &str, attributes: &str, text: &str) -> String {
    format!("      <{name}{attributes}>{}</{name}>\n", escaped(text))
}

/// For content and for attributes in double quotes. XML 1.0 has no form at all for most control characters, so they are
/// made visible first; `>` is escaped because of `]]>`.
fn escaped(text: &str) -> String {
    let mut xml = String::with_capacity(text.len());
    for c in for_terminal(text).chars() {
        match c {
            '&' => xml.push_str("&amp;"),
            '<' => xml.push_str("&lt;"),
            '>' => xml.push_str("&gt;"),
            '"' => xml.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => xml.extend(c.escape_unicode()),
            _ => xml.push(c),
        }
    }
    xml
}
