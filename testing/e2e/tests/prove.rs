//! `onus check --prove`: checks that are checked, with real programs.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

use std::process::Command;

use onus_testkit::{Said, Sandbox, said};
use serde_json::Value;

const CALC: &str =
    "def add(a, b):\n    return a + b\n\n\ndef largest(a, b):\n    if a > b:\n        return a\n    return b\n";
const TESTS: &str = "import unittest\nfrom calc import add, largest\n\n\nclass Calc(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(2, 3), 5)\n\n    def test_largest(self):\n        self.assertEqual(largest(4, 3), 4)\n        self.assertEqual(largest(3, 4), 4)\n";
const UNITTEST: &str = r#"verify = { type = "command", command = ["python3", "-m", "unittest", "-q"] }"#;

fn contract(criteria: &[(&str, &str)]) -> String {
    let mut text = String::from(
        "criteria_from = \"none\"\n\n[[levels]]\nname = \"A\"\nthreshold = 1.0\nactive_levels = [\"A\"]\n",
    );
    for (id, verify) in criteria {
        text.push_str(&format!(
            "\n[[criteria]]\nid = \"{id}\"\ndescription = \"It holds.\"\nseverity = \"fail\"\n{verify}\n"
        ));
    }
    text
}

/// A small Python project with tests, and a contract of these criteria.
fn project(criteria: &[(&str, &str)]) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("calc.py", CALC);
    sandbox.write("test_calc.py", TESTS);
    sandbox.write("README.md", "# Calc\n\nAdds two numbers.\n");
    sandbox.write("onus.toml", contract(criteria));
    sandbox
}

fn prove(sandbox: &Sandbox, args: &[&str]) -> Said {
    sandbox.onus(["check", "--prove"].iter().chain(args))
}

fn criterion<'a>(proof: &'a Value, id: &str) -> &'a Value {
    let all = proof["criteria"].as_array().unwrap();
    all.iter().find(|one| one["id"] == id).unwrap()
}

#[test]
fn honest_checks_are_proven() {
    let sandbox = project(&[
        ("a.tests", UNITTEST),
        (
            "a.title",
            r#"verify = { type = "pattern", search = "^# Calc$", files = "README.md" }"#,
        ),
    ]);
    let told = prove(&sandbox, &[]).expect(0);
    assert!(
        told.stdout.contains("PROVEN") && !told.stdout.contains("NEVER"),
        "{}",
        told.stdout
    );
    assert!(
        told.stdout
            .contains("── Proof PASS | Phase A | 2 proven, 0 never fails"),
        "{}",
        told.stdout
    );
    let proof = prove(&sandbox, &["--json"]).expect(0).json();
    let tests = criterion(&proof, "a.tests");
    assert_eq!(tests["result"], "proven");
    assert_eq!(tests["on_empty"], "fails");
    assert_eq!(tests["on_base"], Value::Null);
    let mutants = &tests["mutants"];
    assert!(mutants["noticed"].as_u64() > Some(3), "{proof:#}");
    assert!(mutants["tried"].as_u64() <= Some(20), "{proof:#}");
    // The tests, the contract and the copies of nobody are changed.
    let places: Vec<&str> = proof["mutants"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m["path"].as_str().unwrap())
        .collect();
    assert!(
        places.contains(&"calc.py") && places.contains(&"README.md"),
        "{places:?}"
    );
    assert!(
        places.iter().all(|path| ["calc.py", "README.md"].contains(path)),
        "{places:?}"
    );
    assert_eq!(sandbox.read("calc.py"), CALC);
}

#[test]
fn a_check_that_never_fails_is_named_with_a_change_it_missed() {
    let sandbox = project(&[
        ("a.tests", UNITTEST),
        ("a.lint", r#"verify = { type = "command", command = "exit 0" }"#),
    ]);
    let told = prove(&sandbox, &[]).expect(1);
    let lines: Vec<&str> = told.stdout.lines().collect();
    let at = lines
        .iter()
        .position(|line| line.starts_with("NEVER FAILS  a.lint"))
        .unwrap();
    assert!(lines[at + 1].contains("slipped through: calc.py:"), "{}", told.stdout);
    assert!(told.stdout.contains("1 proven, 1 never fails"), "{}", told.stdout);
    let proof = prove(&sandbox, &["--json"]).expect(1).json();
    let lint = criterion(&proof, "a.lint");
    assert_eq!(
        (&lint["result"], &lint["on_empty"]),
        (&"never_fails".into(), &"passes".into())
    );
    assert_eq!(lint["mutants"]["noticed"], 0);
    assert!(
        lint["slipped"]["line"].is_u64() && lint["slipped"]["what"].is_string(),
        "{lint:#}"
    );
}

#[test]
fn vacuous_patterns_and_scripts_are_seen() {
    // The pattern stands in the contract itself, so it matches whatever the work is.
    let sandbox = project(&[
        (
            "a.word",
            r#"verify = { type = "pattern", search = "Adds", files = "**" }"#,
        ),
        (
            "a.script",
            r#"verify = { type = "command", command = ["sh", "verify.sh"] }"#,
        ),
    ]);
    sandbox.script("verify.sh", "test -e calc.py || echo none\nexit 0");
    let told = prove(&sandbox, &[]).expect(1);
    for id in ["a.word", "a.script"] {
        assert!(
            told.stdout.contains(&format!("NEVER FAILS  {id}")),
            "{id}: {}",
            told.stdout
        );
    }
    assert!(
        told.stdout.contains("`verify.sh` was not changed: a check runs it"),
        "{}",
        told.stdout
    );
}

/// No change of the work brings in what is forbidden; only an example shows that it would be seen.
#[test]
fn what_passes_by_nature_is_proven_by_its_counterexample() {
    let secret = |search: &str, example: &str| {
        format!(
            r#"verify = {{ type = "pattern", search = "{search}", files = "**/*.py", rule = "forbidden"{example} }}"#
        )
    };
    for (search, example, code, words) in [
        ("key-[0-9]{4}", "", 1, "is proven by a `counterexample`"),
        ("key-[0-9]{4}", ", counterexample = 'key-1234'", 0, "PROVEN  a.secrets"),
        (
            "kye-[0-9]{4}",
            ", counterexample = 'key-1234'",
            1,
            "NEVER FAILS  a.secrets",
        ),
    ] {
        let sandbox = project(&[("a.secrets", &secret(search, example))]);
        let told = prove(&sandbox, &["--mutants", "4"]).expect(code);
        assert!(told.stdout.contains(words), "{search}: {}", told.stdout);
    }
}

#[test]
fn a_change_that_weak_tests_miss_is_named_by_place() {
    let sandbox = project(&[("a.tests", UNITTEST)]);
    sandbox.write(
        "test_calc.py",
        TESTS.replace(
            "        self.assertEqual(add(2, 3), 5)",
            "        self.assertIsNotNone(add(2, 3))",
        ),
    );
    let told = prove(&sandbox, &[]).expect(0);
    let slipped = told.stdout.split("changes that no check noticed:").nth(1).unwrap();
    assert!(slipped.contains("- calc.py:2 replaced `+` with `-`"), "{}", told.stdout);
    let proof = prove(&sandbox, &["--json"]).expect(0).json();
    let missed = proof["mutants"].as_array().unwrap().iter();
    let missed = missed
        .filter(|mutant| mutant["noticed_by"].as_array().unwrap().is_empty())
        .count();
    assert_eq!(proof["counts"]["slipped"].as_u64(), Some(missed as u64));
    assert_eq!(criterion(&proof, "a.tests")["slipped"]["path"], "calc.py", "{proof:#}");
}

#[test]
fn the_base_proves_too_and_what_fails_is_not_proven() {
    let sandbox = project(&[
        ("a.tests", UNITTEST),
        ("a.changed", r#"verify = { type = "diff", not_empty = true }"#),
        ("a.broken", r#"verify = { type = "command", command = "exit 3" }"#),
        ("a.person", r#"verify = { type = "human", question = "Is it good?" }"#),
    ]);
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        command
            .args(["-c", "user.name=t", "-c", "user.email=t@example.invalid"])
            .args(args);
        command
            .current_dir(sandbox.project())
            .env("GIT_CONFIG_GLOBAL", "/dev/null");
        said(&mut command).expect(0);
    };
    sandbox.write("calc.py", CALC.replace("a + b", "a - b"));
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-qm", "base"]);
    sandbox.write("calc.py", CALC);
    let proof = prove(&sandbox, &["--base", "HEAD", "--mutants", "3", "--json"])
        .expect(1)
        .json();
    for (id, result, on_base) in [
        ("a.tests", "proven", Value::from("fails")),
        ("a.changed", "proven", Value::from("fails")),
        ("a.broken", "failing", Value::Null),
        ("a.person", "not_tried", Value::Null),
    ] {
        let one = criterion(&proof, id);
        assert_eq!(
            (&one["result"], &one["on_base"]),
            (&result.into(), &on_base),
            "{id}: {one:#}"
        );
    }
    // What the work changed comes first.
    let mutants = proof["mutants"].as_array().unwrap();
    assert_eq!(mutants.len(), 3);
    assert!(mutants.iter().all(|mutant| mutant["path"] == "calc.py"), "{mutants:#?}");
}

#[test]
fn the_json_has_a_stable_shape() {
    let sandbox = project(&[("a.tests", UNITTEST)]);
    let proof = prove(&sandbox, &["--mutants", "2", "--json"]).expect(0).json();
    let keys = |value: &Value| -> Vec<String> { value.as_object().unwrap().keys().cloned().collect() };
    let sorted = |words: &str| -> Vec<String> {
        let mut words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        words.sort();
        words
    };
    let same = |value: &Value, words: &str| {
        let mut found = keys(value);
        found.sort();
        assert_eq!(found, sorted(words));
    };
    same(
        &proof,
        "schema_version tool contract_sha256 artifact_sha256 phase proven counts criteria mutants notes elapsed_ms",
    );
    same(
        &proof["counts"],
        "criteria proven never_fails failing not_tried mutants noticed slipped",
    );
    same(
        &proof["criteria"][0],
        "id description severity phase decided_by result on_empty on_base on_counterexample mutants slipped details",
    );
    same(&proof["mutants"][0], "path line what noticed_by");
    assert_eq!(proof["schema_version"], 1);
    // The same work is changed in the same way.
    let mut again = prove(&sandbox, &["--mutants", "2", "--json"]).expect(0).json();
    again["elapsed_ms"] = proof["elapsed_ms"].clone();
    assert_eq!(again, proof);
}

#[test]
fn wrong_input_is_refused() {
    let sandbox = project(&[("a.tests", UNITTEST)]);
    for number in ["0", "-1", "501", "many", "1.5", ""] {
        let told = prove(&sandbox, &[&format!("--mutants={number}")]).expect(2);
        assert!(told.stderr.contains("--mutants"), "{number}: {}", told.stderr);
    }
    sandbox.onus(["check", "--mutants", "3"]).expect(2);
    sandbox.onus(["check", "--prove", "--sarif", "x.sarif"]).expect(2);
    prove(&sandbox, &["nowhere"]).expect(2);
    sandbox.write("onus.toml", contract(&[("a.words", "check = \"Somebody says so.\"")]));
    let told = prove(&sandbox, &[]).expect(3);
    assert!(told.stderr.contains("nothing can be proven"), "{}", told.stderr);
    sandbox.write("onus.toml", "criteria = 3\n");
    prove(&sandbox, &[]).expect(3);
}

/// Names and texts of the work may be hostile.
#[test]
fn foreign_text_does_not_act_on_the_terminal() {
    let sandbox = project(&[("a.lint", r#"verify = { type = "command", command = "exit 0" }"#)]);
    sandbox.write("a.cfg", "\u{1b}]0;title\u{7} ##[error]x 1\n::error::y 2\n");
    sandbox.write("bytes.cfg", b"\xff\xfe 1\n");
    let told = prove(&sandbox, &["--mutants", "40"]).expect(1);
    assert!(
        !told.stdout.contains('\u{1b}') && !told.stdout.contains("##["),
        "{}",
        told.stdout
    );
    assert!(
        told.stdout.lines().all(|line| !line.starts_with("::")),
        "{}",
        told.stdout
    );
    assert!(told.stdout.contains("a.cfg:1 "), "{}", told.stdout);
    assert!(!told.stdout.contains("bytes.cfg"), "{}", told.stdout);
}
