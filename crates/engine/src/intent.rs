//! Design intents as a check: read strictly, scored by the critic, every lost point with its place.

use onus_checks::{CheckResult, FINDINGS_MAX, Files, Outcome, compile_globs, matching};
use onus_design::critic::{Critique, Dimension, critique};
use onus_model::{Evidence, Finding, FindingLevel, IntentCheck};

/// Every file that the globs name must be an intent that reaches `min`.
pub(crate) fn check(check: &IntentCheck, files: &dyn Files) -> CheckResult {
    let result = |outcome, why: String, seen: usize, findings| CheckResult {
        outcome,
        why,
        evidence: Evidence::Files {
            files: u32::try_from(seen).unwrap_or(u32::MAX),
        },
        findings,
    };
    let unusable = |why: String| result(Outcome::Unusable, why, 0, Vec::new());
    let dimension = match &check.dimension {
        None => None,
        Some(name) => match Dimension::ALL.into_iter().find(|d| d.name() == name.as_str()) {
            Some(dimension) => Some(dimension),
            None => {
                let known: Vec<String> = Dimension::ALL.iter().map(|d| format!("`{}`", d.name())).collect();
                return unusable(format!("there is no dimension `{name}`; there is {}", known.join(", ")));
            }
        },
    };
    if check.min > 100 {
        return unusable(format!("`min` is {}, and there are 100 points", check.min));
    }
    let globs = match compile_globs(&check.files) {
        Ok(globs) => globs,
        Err(why) => return unusable(why),
    };
    let found = matching(&globs, files);
    if found.is_empty() {
        let why = format!("no file matches `{}`", check.files.0.join("`, `"));
        return result(Outcome::Failed, why, 0, Vec::new());
    }
    let (mut said, mut findings, mut passes) = (Vec::new(), Vec::new(), true);
    for path in &found {
        let bytes = files.read(path).unwrap_or_default();
        let read = std::str::from_utf8(&bytes)
            .map_err(|_| "it is not UTF-8 text".to_owned())
            .and_then(|text| onus_design::parse(text).map_err(|error| error.to_string()));
        let intent = match read {
            Ok(intent) => intent,
            Err(why) => {
                passes = false;
                said.push(format!("`{path}` is no intent: {why}"));
                findings.push(finding(path, FindingLevel::Error, why));
                continue;
            }
        };
        let critique = critique(&intent);
        let points = dimension.map_or(critique.overall, |d| critique.dimension(d));
        let enough = points.hundredths() >= u16::from(check.min) * 100;
        passes &= enough;
        said.push(format!("`{path}` scores {points} of {}.00", check.min));
        findings.extend(lost(path, &critique, dimension, enough));
    }
    findings.truncate(FINDINGS_MAX);
    let outcome = if passes { Outcome::Passed } else { Outcome::Failed };
    result(outcome, said.join("; "), found.len(), findings)
}

/// The points that were lost, the dearest first.
fn lost(path: &str, critique: &Critique, only: Option<Dimension>, enough: bool) -> Vec<Finding> {
    let level = if enough {
        FindingLevel::Note
    } else {
        FindingLevel::Error
    };
    let mut costs: Vec<_> = critique
        .findings
        .iter()
        .filter(|f| only.is_none_or(|only| f.dimension == only))
        .collect();
    costs.sort_by_key(|f| std::cmp::Reverse(f.cost));
    let told = |f: &onus_design::critic::Finding| {
        let name = f.dimension.name();
        format!(
            "{} ({}, {} points of {name}): {} {}",
            f.pointer, f.rule_id, f.cost, f.message, f.fix
        )
    };
    costs.into_iter().map(|f| finding(path, level, told(f))).collect()
}

fn finding(path: &str, level: FindingLevel, message: String) -> Finding {
    Finding {
        path: Some(path.to_owned()),
        line: None,
        level,
        message,
    }
}

#[cfg(test)]
mod tests {
    use onus_design::drafter::{Hint, draft, read_brief, revise};

    use super::*;

    struct One(&'static str, String);

    impl Files for One {
        fn paths(&self) -> Vec<&str> {
            vec![self.0]
        }
        fn read(&self, path: &str) -> Option<Vec<u8>> {
            (path == self.0).then(|| self.1.clone().into_bytes())
        }
    }

    /// An intent that the drafter made of a brief and revised by the critic's findings.
    fn drafted() -> String {
        let brief = read_brief(include_str!("../../../examples/briefs/shop-checkout.md")).unwrap();
        let mut intent = draft(&brief, "shop-checkout").unwrap();
        for _ in 0..10 {
            let found = critique(&intent);
            if found.overall.hundredths() >= 8_000 {
                break;
            }
            let hint = |f: &onus_design::critic::Finding| Hint {
                pointer: f.pointer.clone(),
                rule_id: f.rule_id.clone(),
                message: f.message.clone(),
                fix: f.fix.clone(),
            };
            let hints: Vec<Hint> = found.findings.iter().map(hint).collect();
            intent = revise(&brief, &intent, &hints, None).unwrap().intent;
        }
        serde_json::to_string(&intent).unwrap()
    }

    fn said(text: String, check_json: serde_json::Value) -> String {
        let wanted: IntentCheck = serde_json::from_value(check_json).unwrap();
        let found = check(&wanted, &One("intent.json", text));
        format!("{:?}: {}", found.outcome, found.why)
    }

    #[test]
    fn an_intent_passes_by_its_points() {
        let good = drafted();
        let at = |min: u8| serde_json::json!({ "files": "*.json", "min": min });
        assert!(said(good.clone(), at(80)).starts_with("Passed: `intent.json` scores "));
        let vague = good.replace(
            "\"description\":\"",
            "\"description\":\"Some kind of thing etc. using React: ",
        );
        let poor = said(vague.clone(), at(95));
        assert!(poor.starts_with("Failed: `intent.json` scores "), "{poor}");
        let wanted: IntentCheck = serde_json::from_value(at(95)).unwrap();
        let findings = check(&wanted, &One("intent.json", vague)).findings;
        assert!(findings.iter().any(|f| f.message.contains("React")), "{findings:?}");
        assert!(findings.iter().all(|f| f.path.as_deref() == Some("intent.json")));
    }

    #[test]
    fn what_cannot_be_used_is_told_apart_from_what_fails() {
        for (text, wanted, words) in [
            (
                "{}",
                serde_json::json!({ "files": "*.json" }),
                "Failed: `intent.json` is no intent: ",
            ),
            (
                "{}",
                serde_json::json!({ "files": "*.yaml" }),
                "Failed: no file matches `*.yaml`",
            ),
            (
                "{}",
                serde_json::json!({ "files": "[" }),
                "Unusable: the glob `[` is wrong",
            ),
            (
                "{}",
                serde_json::json!({ "files": "*", "min": 101 }),
                "Unusable: `min` is 101",
            ),
            (
                "{}",
                serde_json::json!({ "files": "*", "dimension": "beauty" }),
                "Unusable: there is no dimension `beauty`",
            ),
        ] {
            let found = said(text.to_owned(), wanted);
            assert!(found.starts_with(words), "{words}: {found}");
        }
    }
}
