//! Checks that were checked, told: which of them can fail, and which change to the work nobody noticed.

use onus_model::{Check, CheckKind, Criterion, CriterionId, Digest, LevelName, Severity};
use serde_json::{Value, json};

use super::log_line;
use super::table::{INDENT, LINE_CHARS_MAX};
use crate::style::Style;
use crate::width::{clip, table};
use crate::words;

/// More places than this are counted, not shown; the JSON has them all.
const PLACES_SHOWN_MAX: usize = 20;

/// What a contract's checks said about trees that are not the work.
#[derive(Debug, Clone, PartialEq)]
pub struct Proof {
    pub contract_sha256: Digest,
    pub artifact_sha256: Digest,
    pub level: LevelName,
    /// The active ones, in order.
    pub criteria: Vec<CriterionProof>,
    /// In the order they were tried.
    pub mutants: Vec<TriedMutant>,
    pub notes: Vec<String>,
}

/// One criterion, and what its checks said where.
#[derive(Debug, Clone, PartialEq)]
pub struct CriterionProof {
    pub criterion: Criterion,
    pub standing: Standing,
    /// Absent: not tried there.
    pub on_empty: Option<Answer>,
    pub on_base: Option<Answer>,
    /// Its own bad example.
    pub on_counterexample: Option<Answer>,
    /// Of the mutants of files that its checks read.
    pub tried: u32,
    pub noticed: u32,
    /// The first of those that it did not notice.
    pub slipped: Option<usize>,
    /// Why it does not hold as it is, or why it was not tried.
    pub why: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    Passes,
    Fails,
}

impl Answer {
    const fn name(self) -> &'static str {
        match self {
            Answer::Passes => "passes",
            Answer::Fails => "fails",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It passes on the work, and failed on something else.
    Proven,
    /// It passes on everything.
    NeverFails,
    /// It does not pass on the work, so there is nothing to prove.
    Failing,
    /// No check decides it.
    NotTried,
}

impl Standing {
    const ALL: [Standing; 4] = [
        Standing::Proven,
        Standing::NeverFails,
        Standing::Failing,
        Standing::NotTried,
    ];

    const fn words(self) -> &'static str {
        match self {
            Standing::Proven => "proven",
            Standing::NeverFails => "never fails",
            Standing::Failing => "failing",
            Standing::NotTried => "not tried",
        }
    }

    fn name(self) -> String {
        self.words().replace(' ', "_")
    }
}

/// The work with one change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TriedMutant {
    pub path: String,
    pub line: u32,
    pub what: String,
    pub noticed_by: Vec<CriterionId>,
}

impl TriedMutant {
    /// ``src/a.rs:3 replaced `+` with `-` `` in one harmless line.
    pub fn told(&self) -> String {
        let path = log_line(&self.path, words::PHRASE_CHARS_MAX * 2);
        format!("{path}:{} {}", self.line, log_line(&self.what, LINE_CHARS_MAX))
    }

    fn place(&self) -> Value {
        json!({ "path": self.path, "line": self.line, "what": self.what })
    }
}

impl Proof {
    /// Every check that matters can fail, and passes on the work. Tests that notice no change to the work at all prove nothing by
    /// failing where there is no work.
    pub fn holds(&self) -> bool {
        let tests = |check: &Check| matches!(check.kind, CheckKind::Tests(_) | CheckKind::Coverage(_));
        let is_tested = |proof: &CriterionProof| proof.criterion.verify.iter().any(tests);
        let unnoticed = !self.mutants.is_empty() && self.mutants.iter().all(|mutant| mutant.noticed_by.is_empty());
        let blind = unnoticed && self.criteria.iter().any(is_tested);
        let matters = |proof: &&CriterionProof| proof.criterion.severity != Severity::Info;
        self.criteria
            .iter()
            .filter(matters)
            .all(|proof| matches!(proof.standing, Standing::Proven | Standing::NotTried))
            && !blind
    }

    fn count(&self, standing: Standing) -> usize {
        self.criteria.iter().filter(|proof| proof.standing == standing).count()
    }

    fn slipped(&self) -> impl Iterator<Item = &TriedMutant> {
        self.mutants.iter().filter(|mutant| mutant.noticed_by.is_empty())
    }
}

/// The same facts for programs. Text is as it was written: JSON needs no other escaping.
pub fn json(proof: &Proof, tool_version: &str, elapsed_ms: u64) -> Value {
    let slipped = proof.slipped().count();
    let counted = |standing| proof.count(standing);
    let criterion = |one: &CriterionProof| {
        json!({
            "id": one.criterion.id,
            "description": one.criterion.description,
            "severity": one.criterion.severity,
            "phase": one.criterion.level,
            "decided_by": by(&one.criterion),
            "result": one.standing.name(),
            "on_empty": one.on_empty.map(Answer::name),
            "on_base": one.on_base.map(Answer::name),
            "on_counterexample": one.on_counterexample.map(Answer::name),
            "mutants": { "tried": one.tried, "noticed": one.noticed },
            "slipped": one.slipped.and_then(|at| proof.mutants.get(at)).map(TriedMutant::place),
            "details": one.why,
        })
    };
    let mutant = |one: &TriedMutant| {
        let mut value = one.place();
        value["noticed_by"] = json!(one.noticed_by);
        value
    };
    json!({
        "schema_version": 1,
        "tool": { "name": "onus", "version": tool_version },
        "contract_sha256": proof.contract_sha256,
        "artifact_sha256": proof.artifact_sha256,
        "phase": proof.level,
        "proven": proof.holds(),
        "counts": {
            "criteria": proof.criteria.len(),
            "proven": counted(Standing::Proven),
            "never_fails": counted(Standing::NeverFails),
            "failing": counted(Standing::Failing),
            "not_tried": counted(Standing::NotTried),
            "mutants": proof.mutants.len(),
            "noticed": proof.mutants.len() - slipped,
            "slipped": slipped,
        },
        "criteria": proof.criteria.iter().map(criterion).collect::<Vec<_>>(),
        "mutants": proof.mutants.iter().map(mutant).collect::<Vec<_>>(),
        "notes": proof.notes,
        "elapsed_ms": elapsed_ms,
    })
}

/// A row for each criterion, what slipped through it if it never fails, and what slipped through all of them. Ends in a
/// line break.
pub fn text(proof: &Proof, style: Style, columns: usize, elapsed_ms: u64) -> String {
    let header = [
        "",
        "criterion",
        "severity",
        "on empty",
        "on base",
        "on example",
        "noticed",
        "by",
    ];
    let header = header.map(str::to_owned).to_vec();
    let cells: Vec<Vec<String>> = std::iter::once(header)
        .chain(proof.criteria.iter().map(cells))
        .collect();
    let plain = table(&cells);
    let mut lines = plain.lines();
    let mut text = format!("{}\n", style.dim(lines.next().unwrap_or_default()));
    let room = columns.saturating_sub(INDENT.len());
    for (one, line) in proof.criteria.iter().zip(lines) {
        text.push_str(&painted(one.standing, line, style));
        if let Some(below) = below(proof, one) {
            text.push_str(&format!("{INDENT}{}\n", clip(&below, room)));
        }
    }
    let slipped: Vec<&TriedMutant> = proof.slipped().collect();
    if !slipped.is_empty() {
        text.push_str("changes that no check noticed:\n");
    }
    for mutant in slipped.iter().take(PLACES_SHOWN_MAX) {
        text.push_str(&format!("{INDENT}{}\n", clip(&format!("- {}", mutant.told()), room)));
    }
    if let Some(more) = slipped.len().checked_sub(PLACES_SHOWN_MAX).filter(|more| *more > 0) {
        text.push_str(&format!("{INDENT}… {more} more\n"));
    }
    for note in &proof.notes {
        text.push_str(&format!("note: {}\n", log_line(note, LINE_CHARS_MAX)));
    }
    let counts = Standing::ALL.map(|standing| format!("{} {}", proof.count(standing), standing.words()));
    text.push_str(&format!(
        "── Proof {} | Phase {} | {} | {} of {} noticed | {} | contract {} | artifact {} ──\n",
        style.verdict(proof.holds()),
        proof.level,
        counts.join(", "),
        proof.mutants.len() - slipped.len(),
        words::count(proof.mutants.len(), "mutant", "mutants"),
        words::duration(elapsed_ms),
        proof.contract_sha256.short(),
        proof.artifact_sha256.short(),
    ));
    text
}

fn cells(one: &CriterionProof) -> Vec<String> {
    let answer = |answer: Option<Answer>| answer.map_or("-", Answer::name).to_owned();
    vec![
        one.standing.words().to_uppercase(),
        one.criterion.id.to_string(),
        one.criterion.severity.to_string(),
        answer(one.on_empty),
        answer(one.on_base),
        answer(one.on_counterexample),
        match one.tried {
            0 => "-".to_owned(),
            tried => format!("{}/{tried}", one.noticed),
        },
        by(&one.criterion),
    ]
}

/// `tests`, `lint+coverage`; nothing if no check decides it.
fn by(criterion: &Criterion) -> String {
    let mut kinds: Vec<&str> = criterion.verify.iter().map(|check| check.kind.name()).collect();
    kinds.dedup();
    if kinds.is_empty() {
        "-".to_owned()
    } else {
        kinds.join("+")
    }
}

fn below(proof: &Proof, one: &CriterionProof) -> Option<String> {
    let why = || log_line(&one.why, LINE_CHARS_MAX);
    match one.standing {
        Standing::Proven => None,
        Standing::NeverFails => Some(match one.slipped.and_then(|at| proof.mutants.get(at)) {
            Some(mutant) => format!("- slipped through: {}", mutant.told()),
            None => "- no change was made to a file that it reads".to_owned(),
        }),
        Standing::Failing | Standing::NotTried => Some(format!("- {}", why())),
    }
}

/// Colour goes in after the columns were measured.
fn painted(standing: Standing, line: &str, style: Style) -> String {
    let mark = standing.words().to_uppercase();
    let rest = line.strip_prefix(mark.as_str()).unwrap_or_default();
    let mark = match standing {
        Standing::Proven => style.good(&mark),
        Standing::NeverFails | Standing::Failing => style.bad(&mark),
        Standing::NotTried => mark,
    };
    format!("{mark}{rest}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(id: &str, standing: Standing) -> CriterionProof {
        CriterionProof {
            criterion: Criterion::new(CriterionId::new(id).unwrap(), LevelName::new("A").unwrap()),
            standing,
            on_empty: Some(Answer::Passes),
            on_base: None,
            on_counterexample: None,
            tried: 2,
            noticed: 0,
            slipped: None,
            why: String::new(),
        }
    }

    fn proof() -> Proof {
        let mutant = |line, noticed_by: &[&str]| TriedMutant {
            path: "src/a.py".to_owned(),
            line,
            what: "replaced `\u{1b}[2J` with `-`\n##[error]".to_owned(),
            noticed_by: noticed_by.iter().map(|id| CriterionId::new(*id).unwrap()).collect(),
        };
        Proof {
            contract_sha256: Digest::of(b"c"),
            artifact_sha256: Digest::of(b"a"),
            level: LevelName::new("A").unwrap(),
            criteria: vec![
                CriterionProof {
                    on_empty: Some(Answer::Fails),
                    on_base: Some(Answer::Passes),
                    noticed: 1,
                    ..one("a.proven", Standing::Proven)
                },
                CriterionProof {
                    slipped: Some(1),
                    ..one("a.vacuous", Standing::NeverFails)
                },
                CriterionProof {
                    why: "nobody can say".to_owned(),
                    tried: 0,
                    ..one("a.human", Standing::NotTried)
                },
            ],
            mutants: vec![mutant(3, &["a.proven"]), mutant(7, &[])],
            notes: vec!["a note".to_owned()],
        }
    }

    #[test]
    fn a_check_that_never_fails_is_named_with_what_slipped_through() {
        let told = text(&proof(), Style::Plain, 100, 1_200);
        let lines: Vec<&str> = told.lines().collect();
        assert_eq!(
            lines[..4],
            [
                "             criterion  severity  on empty  on base  on example  noticed  by",
                "PROVEN       a.proven   fail      fails     passes   -           1/2      -",
                "NEVER FAILS  a.vacuous  fail      passes    -        -           0/2      -",
                "      - slipped through: src/a.py:7 replaced `\\u{1b}[2J` with `-`…",
            ]
        );
        assert!(
            told.contains("changes that no check noticed:\n      - src/a.py:7 "),
            "{told}"
        );
        assert!(
            told.contains("NOT TRIED") && told.contains("- nobody can say"),
            "{told}"
        );
        assert!(
            told.contains("── Proof FAIL | Phase A | 1 proven, 1 never fails, 0 failing, 1 not tried | 1 of 2 mutants noticed | 1.2 s |"),
            "{told}"
        );
        assert!(!told.contains('\u{1b}') && !told.contains("##["), "{told}");
        assert!(text(&proof(), Style::Ansi, 100, 0).contains("\u{1b}[31mNEVER FAILS\u{1b}[0m"));
        assert!(text(&proof(), Style::Plain, 0, 0).contains("a.vacuous"));
    }

    #[test]
    fn only_what_matters_decides() {
        for (standing, severity, holds) in [
            (Standing::Proven, Severity::Fail, true),
            (Standing::NeverFails, Severity::Fail, false),
            (Standing::NeverFails, Severity::Warn, false),
            (Standing::NeverFails, Severity::Info, true),
            (Standing::Failing, Severity::Fail, false),
            (Standing::NotTried, Severity::Fail, true),
        ] {
            let mut proof = proof();
            proof.criteria = vec![one("a.x", standing)];
            proof.criteria[0].criterion.severity = severity;
            assert_eq!(proof.holds(), holds, "{standing:?} {severity}");
        }
    }

    #[test]
    fn programs_get_the_same_facts() {
        let value = json(&proof(), "1.2.3", 5);
        assert_eq!(value["proven"], false);
        assert_eq!(value["counts"]["slipped"], 1);
        assert_eq!(value["criteria"][0]["result"], "proven");
        assert_eq!(value["criteria"][0]["slipped"], Value::Null);
        assert_eq!(value["criteria"][1]["result"], "never_fails");
        assert_eq!(value["criteria"][1]["slipped"]["line"], 7);
        assert_eq!(value["mutants"][0]["noticed_by"][0], "a.proven");
    }
}
