//! An expression over the other verdicts, in CEL: `results["a.tests"] == "pass" && counts.fail == 0`.
//!
//! The parser recurses by the text's nesting and aborts the whole process where the stack ends, and its own limit comes too
//! late for a thread of 2 MiB. So the text is measured before it is parsed, and loops are kept from multiplying. There is
//! no `matches`: it compiles its pattern anew at every step of a loop. `startsWith` and its like do for ids.

use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Write};

use cel::{Context, ExecutionError, Program, Value};
use onus_model::{CriterionId, Evidence, ExprCheck, VerdictKind};

use crate::report::{Ended, could_not_run, unusable};
use crate::text::{MESSAGE_CHARS_MAX, clip};
use crate::{CheckResult, Outcome};

const EXPR_BYTES_MAX: usize = 4_096;

/// Stack that an expression may take, in units of 40 KiB: about 1.3 MiB. Measured with cel 0.15 in a debug build, where 2
/// MiB end after 10 brackets in each other or 52 operators in a row.
const STACK_UNITS_MAX: usize = 32;
const BRACKET_UNITS: usize = 5;

/// Loops in each other multiply: two over a thousand criteria are a million steps.
const LOOPS_MAX: usize = 2;
const LOOPS: [&str; 6] = ["all", "exists", "exists_one", "existsOne", "map", "filter"];

/// Whether the expression is true of the verdicts so far. `results` maps a criterion to its verdict's word, `counts` a
/// verdict's word to how many there are, and `counts.total` is their number.
pub fn expr(check: &ExprCheck, results: &BTreeMap<CriterionId, VerdictKind>) -> CheckResult {
    let shown = clip(&check.expr, MESSAGE_CHARS_MAX);
    let (outcome, why) = match evaluate(&check.expr, results) {
        Ok(true) => (Outcome::Passed, format!("`{shown}` is true")),
        Ok(false) => (Outcome::Failed, format!("`{shown}` is false")),
        Err((outcome, problem)) => (outcome, format!("the expression `{shown}` {problem}")),
    };
    CheckResult {
        outcome,
        why,
        evidence: Evidence::Expression { expr: shown },
        findings: Vec::new(),
    }
}

fn evaluate(text: &str, results: &BTreeMap<CriterionId, VerdictKind>) -> Result<bool, Ended> {
    measure(text).map_err(unusable)?;
    if results.is_empty() {
        return Err(could_not_run("looked at nothing: there is no other verdict".to_owned()));
    }
    let program = Program::compile(text).map_err(|problems| {
        let first = problems.errors.first().map_or("", |problem| problem.msg.as_str());
        unusable(format!("is not CEL: {}", clip(first, MESSAGE_CHARS_MAX)))
    })?;
    let references = program.references();
    if !references.has_variable("results") && !references.has_variable("counts") {
        return Err(unusable("says nothing about `results` or `counts`".to_owned()));
    }
    match program.execute(&context(results).map_err(could_not_run)?) {
        Ok(Value::Bool(truth)) => Ok(truth),
        Ok(other) => Err(unusable(format!("is of type {}, not true or false", other.type_of()))),
        Err(error @ ExecutionError::UndeclaredReference(_)) => Err(unusable(format!("fails: {}", told(&error)))),
        // Which verdicts there are, and what they are, differs from one evaluation to the next.
        Err(error) => Err(could_not_run(format!("fails: {}", told(&error)))),
    }
}

fn context(results: &BTreeMap<CriterionId, VerdictKind>) -> Result<Context<'static, 'static>, String> {
    let kinds = [
        VerdictKind::Pass,
        VerdictKind::Fail,
        VerdictKind::Warn,
        VerdictKind::Na,
        VerdictKind::Unverified,
    ];
    let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let of = |kind: VerdictKind| number(results.values().filter(|verdict| **verdict == kind).count());
    let mut counts: HashMap<&str, i64> = kinds.map(|kind| (word(kind), of(kind))).into();
    counts.insert("total", number(results.len()));
    let results: HashMap<&str, &str> = results.iter().map(|(id, kind)| (id.as_str(), word(*kind))).collect();

    let mut context = Context::default();
    let added = context
        .add_variable("results", results)
        .and_then(|()| context.add_variable("counts", counts));
    added.map_err(|error| format!("cannot be given the verdicts: {error}"))?;
    Ok(context)
}

const fn word(kind: VerdictKind) -> &'static str {
    match kind {
        VerdictKind::Pass => "pass",
        VerdictKind::Fail => "fail",
        VerdictKind::Warn => "warn",
        VerdictKind::Na => "na",
        VerdictKind::Unverified => "unverified",
    }
}

/// The start of the message. It may hold a whole value, so it is not written to its end.
fn told(error: &ExecutionError) -> String {
    struct Short(String);
    impl Write for Short {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            if self.0.len() > MESSAGE_CHARS_MAX {
                return Err(fmt::Error);
            }
            self.0.push_str(text);
            Ok(())
        }
    }
    let mut short = Short(String::new());
    // An error here is the end of the room.
    let _ = write!(short, "{error}");
    clip(&short.0, MESSAGE_CHARS_MAX)
}

/// Refuses what is too long, too deep or loops too much. Brackets in texts do not count; so that the parser cannot see a
/// bracket where this sees a text, every unusual way to write one is refused.
fn measure(text: &str) -> Result<(), String> {
    if text.len() > EXPR_BYTES_MAX {
        return Err(format!("is longer than {EXPR_BYTES_MAX} bytes"));
    }
    let mut depth = Depth::default();
    let (mut loops, mut sums) = (0, false);
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word_end = rest
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(rest.len());
        if word_end > 0 {
            let (word, after) = rest.split_at(word_end);
            if after.starts_with(['"', '\'']) && !matches!(word, "r" | "R") {
                return Err(format!("has a text with `{}` before it", clip(word, MESSAGE_CHARS_MAX)));
            }
            loops += usize::from(LOOPS.contains(&word));
            // `1in x` is read as `1 in x`.
            if word == "in" || word.starts_with(|c: char| c.is_ascii_digit()) && word.ends_with("in") {
                depth.operator()?;
            }
            rest = match after.strip_prefix(['"', '\'']) {
                Some(inside) => quoted(inside, &after[..1], true)?,
                None => after,
            };
            continue;
        }
        let after = &rest[first.len_utf8()..];
        rest = match first {
            '"' | '\'' => quoted(after, &rest[..1], false)?,
            '/' if after.starts_with('/') => return Err("has a comment".to_owned()),
            _ => after,
        };
        match first {
            '(' | '[' | '{' => depth.open()?,
            ')' | ']' | '}' => depth.close()?,
            ',' => depth.next(),
            '?' => depth.choice()?,
            '&' | '|' => depth.chain_ends(),
            // The second half of `==`, `<=` and `>=` is no operator of its own, but counting it twice does no harm.
            '+' | '-' | '*' | '/' | '%' | '<' | '>' | '=' | '.' => depth.operator()?,
            _ => {}
        }
        sums |= first == '+';
    }
    if loops > LOOPS_MAX {
        return Err(format!(
            "has more than {LOOPS_MAX} loops (`all`, `exists`, `map`, `filter`)"
        ));
    }
    if loops > 0 && sums {
        return Err("has a loop and a `+`, which can grow without bound; write two criteria".to_owned());
    }
    Ok(())
}

/// What follows a text that begins here.
fn quoted<'a>(inside: &'a str, quote: &str, raw: bool) -> Result<&'a str, String> {
    let mut characters = inside.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            '\n' | '\r' => break,
            '\\' if !raw => match characters.next() {
                Some((_, 'n' | 't' | 'r' | '\\' | '"' | '\'')) => {}
                _ => return Err("has an escape other than `\\n`, `\\t`, `\\r`, `\\\\`, `\\\"`, `\\'`".to_owned()),
            },
            _ if quote.starts_with(c) => {
                let after = &inside[at + c.len_utf8()..];
                return if at == 0 && after.starts_with(quote) {
                    Err("has a text in triple quotes".to_owned())
                } else {
                    Ok(after)
                };
            }
            _ => {}
        }
    }
    Err("has a text without an end on its line".to_owned())
}

/// How deep the parser and the evaluation would go here.
#[derive(Default)]
struct Depth {
    /// For each open bracket, the units of what stands around it.
    around: Vec<Level>,
    here: Level,
}

#[derive(Default, Clone, Copy)]
struct Level {
    /// `a ? b : c ? d : e` goes one deeper each time.
    choices: usize,
    /// `a + b + c` and `a.b.c` too.
    chain: usize,
}

impl Depth {
    fn open(&mut self) -> Result<(), String> {
        self.around.push(std::mem::take(&mut self.here));
        self.bounded()
    }

    fn close(&mut self) -> Result<(), String> {
        self.here = self.around.pop().ok_or("closes a bracket that is not open")?;
        // A call or an index.
        self.operator()
    }

    fn operator(&mut self) -> Result<(), String> {
        self.here.chain += 1;
        self.bounded()
    }

    fn choice(&mut self) -> Result<(), String> {
        self.chain_ends();
        self.here.choices += 1;
        self.bounded()
    }

    /// `&&` and `||` make a balanced tree.
    fn chain_ends(&mut self) {
        self.here.chain = 0;
    }

    fn next(&mut self) {
        self.here = Level::default();
    }

    fn bounded(&self) -> Result<(), String> {
        let units = |level: &Level| level.choices + level.chain;
        let around: usize = self.around.iter().map(|level| BRACKET_UNITS + units(level)).sum();
        if around + units(&self.here) > STACK_UNITS_MAX {
            return Err("nests too deeply, or has too many operators in a row".to_owned());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results() -> BTreeMap<CriterionId, VerdictKind> {
        let verdicts = [
            ("a.tests", VerdictKind::Pass),
            ("a.docs", VerdictKind::Warn),
            ("b.x", VerdictKind::Fail),
        ];
        verdicts.map(|(id, kind)| (CriterionId::new(id).unwrap(), kind)).into()
    }

    fn check(text: &str) -> String {
        let check = ExprCheck { expr: text.to_owned() };
        let result = expr(&check, &results());
        format!("{:?}: {}", result.outcome, result.why)
    }

    #[test]
    fn expressions_see_verdicts_and_counts() {
        for (text, expected) in [
            (r#"results["a.tests"] == "pass""#, true),
            (r#"results["a.tests"] == "pass" && counts.fail == 0"#, false),
            (r#"results['a.docs'] in ["pass", "warn"]"#, true),
            ("counts.pass + counts.warn >= 2 && counts.total == 3", true),
            (r#"results.all(id, results[id] != "unverified")"#, true),
            (
                r#"results.exists(id, id.startsWith("b.") && results[id] == "pass")"#,
                false,
            ),
            (
                r#"results.all(id, !id.startsWith("a.") || results[id] in ["pass", "warn"])"#,
                true,
            ),
            (
                r#"results.filter(id, id.endsWith(r'.x') || id.contains("\\")).size() == 1"#,
                true,
            ),
            (r#""c.none" in results ? counts.fail == 0 : counts.fail == 1"#, true),
            (r#"double(counts.pass) / double(counts.total) >= 0.75"#, false),
            (r#"has(counts.pass) && results["b.x"] != ")]}""#, true),
        ] {
            let (outcome, word) = if expected {
                ("Passed", "true")
            } else {
                ("Failed", "false")
            };
            assert_eq!(check(text), format!("{outcome}: `{text}` is {word}"));
        }
    }

    #[test]
    fn what_says_nothing_or_cannot_be_read_does_not_pass() {
        for (text, expected) in [
            ("", "is not CEL"),
            ("true", "says nothing about `results` or `counts`"),
            ("1 == 1", "says nothing"),
            ("counts.pass", "is of type int, not true or false"),
            ("results", "is of type map, not true or false"),
            (r#"results["none"] == "pass""#, "fails: No such key: none"),
            ("counts.pass / 0 == 1", "fails: Division by zero"),
            ("counts.pass > nothing", "fails: Undeclared reference to 'nothing'"),
            ("counts.pass >", "is not CEL"),
            ("counts.pass == 1 # x", "is not CEL"),
            ("(counts.pass", "is not CEL"),
            ("counts.pass)", "closes a bracket that is not open"),
            ("counts.pass == 1 // x", "has a comment"),
            (
                "results.all(a, results.all(b, results.all(c, true)))",
                "has more than 2 loops",
            ),
            (
                r#"results.all(id, id.matches("x"))"#,
                "fails: Undeclared reference to 'matches'",
            ),
            ("results.map(a, a + a).size() == 1", "has a loop and a `+`"),
            ("counts.pass == 1 && '\n((' == ''", "has a text without an end"),
            ("counts.pass == 1 && 'x", "has a text without an end"),
            ("results['''a'''] == 'x'", "has a text in triple quotes"),
            (r"results['\q'] == 'x'", "has an escape other than"),
            ("results[b'a'] == 'x'", "has a text with `b` before it"),
        ] {
            let shown = check(text);
            let depends = expected.contains("No such key") || expected.contains("Division");
            let outcome = if depends { "CouldNotRun" } else { "Unusable" };
            assert!(
                shown.starts_with(&format!("{outcome}: the expression")) && shown.contains(expected),
                "{shown}"
            );
        }
        assert!(check(&format!("counts.pass == {}", " ".repeat(5_000))).contains("is longer than 4096 bytes"));
        let nothing = expr(
            &ExprCheck {
                expr: "results.all(k, false)".to_owned(),
            },
            &BTreeMap::new(),
        );
        assert_eq!(nothing.outcome, Outcome::CouldNotRun);
    }

    /// Each shape is tried at every size up to its refusal, on the stack that a worker thread has.
    #[test]
    fn no_shape_overflows_the_stack() {
        let shapes = [
            ("(", "counts.pass == 1", ")"),
            ("[", "counts", "]"),
            ("{1:", "counts", "}"),
            ("size(", "counts", ")"),
            ("counts[", "counts", "]"),
            ("A{b:", "counts", "}"),
            ("true?(", "counts", "):1"),
            ("x&&x||x==1+2*-(", "counts", ")"),
            ("true?1:x&&x||x==1+2*!x.f(", "counts", ")"),
            ("[1,2][", "counts", "]"),
            ("(counts.pass+counts.pass+", "1", ")"),
            ("", "counts", "[0]"),
            ("", "counts", ".size()"),
            ("", "counts", ".a"),
            ("", "counts", "+1"),
            ("", "counts", " in counts"),
            ("1in ", "counts", ""),
            ("", "counts", "==1&&true"),
            ("", "counts", "<1<1||true"),
            ("true?1:", "counts", ""),
            ("!-", "counts", ""),
        ];
        let everything = move || {
            for (open, middle, close) in shapes {
                for size in 1..600 {
                    let text = open.repeat(size) + middle + &close.repeat(size);
                    let refused = measure(&text).is_err();
                    // Long chains that are allowed are slow to parse; their depth does not grow.
                    if size < 40 || size % 100 == 0 {
                        check(&text);
                        check(&(open.repeat(size) + middle));
                    }
                    if refused {
                        break;
                    }
                }
            }
        };
        let thread = std::thread::Builder::new()
            .stack_size(2 << 20)
            .spawn(everything)
            .unwrap();
        thread.join().unwrap();
    }
}
