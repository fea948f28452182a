//! What `onus contract lint` says, one weakness at a time, and that sound contracts are left alone.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use onus_model::LoopSpec;
use onus_spec::{LoopFile, Overrides, Sources, lint, lint_without_agents, resolve};

const ONE_LEVEL: &str = "[[levels]]\nname = \"A\"\nthreshold = 0.8\nactive_levels = [\"A\"]\n";
const SOUND: &str = "[[criteria]]\nid = \"a.sound\"\ndescription = \"d\"\nseverity = \"fail\"\nweight = 4\nverify = { type = \"links\" }\n";

fn contract(text: &str, contract_only: bool) -> LoopSpec {
    let overrides = Overrides {
        contract_only,
        prompt: Some("x".into()),
        task_type: Some(onus_model::TaskType::Other),
        agent: (!contract_only).then(|| vec!["agent".into()]),
        ..Overrides::default()
    };
    let said = |problems: Vec<onus_spec::Problem>| -> String {
        problems.iter().map(|problem| problem.describe(text) + "\n").collect()
    };
    let draft = resolve(&LoopFile::parse(text), &overrides, &Sources::default()).map_err(said);
    let draft = draft.unwrap_or_else(|problems| panic!("{problems}"));
    draft
        .freeze(&Sources::default())
        .map_err(said)
        .unwrap_or_else(|problems| panic!("{problems}"))
}

fn complaints(spec: &LoopSpec) -> Vec<String> {
    let said = lint(spec).into_iter();
    said.map(|c| match c.criterion {
        Some(id) => format!("{id}: {}", c.message),
        None => c.message,
    })
    .collect()
}

/// A criterion with these keys beside a sound one.
fn beside(keys: &str) -> String {
    let given = |key: &str| keys.lines().any(|line| line.starts_with(key));
    let mut text = format!("{ONE_LEVEL}{SOUND}[[criteria]]\nid = \"a.x\"\ndescription = \"d\"\n{keys}\n");
    if !given("severity") {
        text += "severity = \"fail\"\n";
    }
    if !given("verify") && !given("check") {
        text += "verify = { type = \"links\" }\n";
    }
    text
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(complaints(&contract(text, true)), expected, "{text}");
}

#[test]
fn sound_contracts_are_left_alone() {
    check(&format!("{ONE_LEVEL}{SOUND}"), &[]);
    check(&beside(""), &[]);
    for template in ["api_spec", "code", "docs", "config"] {
        check(&format!("criteria_from = \"{template}\""), &[]);
    }
}

#[test]
fn checks_that_cannot_fail_or_pass() {
    for (verify, expected) in [
        (
            "{ type = \"content\", search = \".*\" }",
            "check 1 cannot fail: its pattern matches every text",
        ),
        (
            "{ type = \"content\", search = \"x\", expected = { min = 0 } }",
            "check 1 cannot fail: any number of matches is expected",
        ),
        (
            "{ type = \"executable\", command = \"make || true\" }",
            "check 1 cannot fail: its command always succeeds",
        ),
        ("{ type = \"diff\" }", "check 1 cannot fail: it allows every change"),
        (
            "{ type = \"expr\", expr = \"true\" }",
            "check 1 cannot fail: its expression is `true`",
        ),
        (
            "{ type = \"tests\", command = \"t\", format = \"tap\", min = 0 }",
            "check 1 cannot fail: no test is asked for",
        ),
        (
            "{ type = \"links\", files = [] }",
            "check 1 cannot fail: it looks at no file",
        ),
        (
            "{ type = \"artifact\", files = [] }",
            "check 1 cannot fail: it looks at no file",
        ),
        (
            "{ type = \"pattern\", search = \"x\", files = [], rule = \"forbidden\" }",
            "check 1 cannot fail: it looks at no file",
        ),
        (
            "{ type = \"marker\", marker = \"X\", min = 0 }",
            "check 1 cannot fail: no marker is asked for",
        ),
        (
            "{ type = \"coverage\", report = \"r\", format = \"lcov\", baseline = 0.0 }",
            "check 1 cannot fail: no covered line is asked for",
        ),
        (
            "{ type = \"expr\", expr = \"false\" }",
            "check 1 cannot pass: its expression is `false`",
        ),
        (
            "{ type = \"diff\", not_empty = true, max_files = 0 }",
            "check 1 cannot pass: it asks for a change and allows none",
        ),
        (
            "[{ type = \"links\" }, { type = \"links\", repeat = { runs = 2 } }]",
            "check 2 runs no program, so repeating it changes nothing",
        ),
    ] {
        check(&beside(&format!("verify = {verify}")), &[&format!("a.x: {expected}")]);
    }
    check(
        &beside("verify = { type = \"executable\", command = \"make\", repeat = { runs = 2 } }"),
        &[],
    );
}

#[test]
fn ids_and_severities() {
    let mut spec = contract(&beside(""), true);
    spec.criteria[1].id = spec.criteria[0].id.clone();
    assert_eq!(
        complaints(&spec),
        ["a.sound: its id is there twice, so its verdicts count for neither"]
    );
    check(
        &beside("severity = \"info\"\nmust_pass = true"),
        &["a.x: it must pass, but its severity is `info`"],
    );
    check(&beside("hidden = true"), &[]);
    check(
        &beside("hidden = true\ncheck = \"c\""),
        &["a.x: it is hidden and has no check of its own, so only a judge ever knows of it"],
    );
    spec = contract(&beside(""), true);
    spec.levels[0].active_levels.clear();
    assert!(complaints(&spec).contains(&"a.x: no level activates `A`, so it is never looked at".to_owned()));
}

#[test]
fn weights_that_decide_nothing() {
    const SMALL: &str = "a.x: its weight is so small that no threshold is ever reached or missed because of it";
    const NONE: &str = "a.x: it has no weight and does not block, so nothing depends on it";
    for (keys, expected) in [
        ("severity = \"info\"", &[NONE][..]),
        ("severity = \"info\"\nweight = 0\ngate = \"goal\"", &[]),
        ("severity = \"warn\"\nweight = 0", &[NONE]),
        ("severity = \"warn\"\nweight = 0\ngate = \"trust\"", &[NONE]),
        ("severity = \"warn\"\nweight = 0.9\ngate = \"trust\"", &[]),
        ("weight = 0", &[]),
        // 4 of 4.9 is 0.8163, 4 of 5.1 is 0.7843.
        ("severity = \"warn\"\nweight = 0.9", &[SMALL]),
        ("severity = \"warn\"\nweight = 1.1", &[]),
        ("severity = \"warn\"\nweight = 0.9\nmust_pass = true", &[]),
    ] {
        check(&beside(keys), expected);
    }
    // Three that matter together: any two of weight 1 are needed, and the one of weight 0.1 never tips the scale.
    let soft = |id: &str, weight: &str| {
        format!(
            "[[criteria]]\nid = \"a.{id}\"\ndescription = \"d\"\nseverity = \"warn\"\nweight = {weight}\nverify = {{ type = \"links\" }}\n"
        )
    };
    let level = ONE_LEVEL.replace("0.8", "0.6");
    let three = format!("{level}{}{}{}", soft("p", "1"), soft("q", "1"), soft("r", "1"));
    check(&three, &[]);
    check(&format!("{three}{}", soft("x", "0.1")), &[SMALL]);
    // Too many different weights to look through: nothing is claimed.
    let many: String = (0..40)
        .map(|n| soft(&format!("w{n}"), &format!("{}.{:03}", 1 + n, (n * 37) % 1000)))
        .collect();
    check(&format!("{level}{many}"), &[]);
}

#[test]
fn levels_that_ask_nothing_or_are_never_reached() {
    let level = |name: &str, threshold: &str, active: &str| {
        format!("[[levels]]\nname = \"{name}\"\nthreshold = {threshold}\nactive_levels = {active}\n")
    };
    let [a, ab, all] = ["[\"A\"]", "[\"A\", \"B\"]", "[\"A\", \"B\", \"C\"]"];
    check(
        &format!(
            "{}{}{}{SOUND}",
            level("A", "0.8", a),
            level("B", "0.7", a),
            level("C", "1", all)
        ),
        &["level `B` asks for nothing that a level before it does not"],
    );
    let open = SOUND.replace("\"fail\"", "\"warn\"");
    check(
        &format!("{}{open}", ONE_LEVEL.replace("0.8", "0")),
        &[
            "a.sound: its weight is so small that no threshold is ever reached or missed because of it",
            "level `A` always passes",
        ],
    );
    let wall = "[[criteria]]\nid = \"a.wall\"\ndescription = \"d\"\nseverity = \"fail\"\nverify = { type = \"expr\", expr = \"false\" }\n";
    check(
        &format!("{}{}{SOUND}{wall}", level("A", "0.8", a), level("B", "0.9", ab)),
        &[
            "a.wall: check 1 cannot pass: its expression is `false`",
            "level `B` is never reached: `a.wall` cannot pass at level `A`",
        ],
    );
}

#[test]
fn groups_dimensions_and_gates_that_are_empty() {
    check(
        &format!("[evaluation]\ngroups = [\"g\", \"h\"]\n{}", beside("group = \"g\"")),
        &["no criterion is in group `h`"],
    );
    let dimensions =
        "[[scoring.dimensions]]\nname = \"p\"\nweight = 1\n[[scoring.dimensions]]\nname = \"q\"\nweight = 1\n";
    check(
        &format!("{dimensions}{}", beside("dimension = \"p\"")),
        &["no criterion counts in dimension `q` at level `A`"],
    );
    let both = SOUND.replace("weight = 4", "weight = 4\ndimension = \"q\"");
    let all = |keys: &str| beside(keys).replace(SOUND, &both);
    check(&format!("{dimensions}{}", all("dimension = \"p\"")), &[]);
    let idle = dimensions.replacen("weight = 1", "weight = 0", 1);
    check(
        &format!("{idle}{}", all("dimension = \"p\"")),
        &["dimension `p` has no weight and need not pass, so nothing depends on it"],
    );
    check(
        &format!("[scoring]\nstrict = true\n{idle}{}", all("dimension = \"p\"")),
        &[],
    );
    check(
        &format!(
            "{dimensions}{}{}",
            all("dimension = \"p\""),
            "[[criteria]]\nid = \"a.y\"\ndescription = \"d\"\nseverity = \"warn\"\nverify = { type = \"links\" }\n"
        ),
        &["a.y: the loop scores by dimensions, and it is in none and does not block"],
    );
    check(
        &format!("[scoring]\ntrust_threshold = 0.8\n{}", beside("gate = \"goal\"")),
        &["there is a trust threshold, and no criterion is of gate `trust`"],
    );
    check(
        &format!("[scoring]\ntrust_threshold = 0.8\n{}", beside("gate = \"trust\"")),
        &[],
    );
}

#[test]
fn caps_that_never_bind() {
    const IDLE: &str = "a.x: its cap never binds: without it the score is no higher anyway";
    for (keys, expected) in [
        ("cap = 1", &[IDLE][..]),
        // Without its 2 of 6 the score is 0.6666.
        ("cap = 0.7", &[IDLE]),
        ("cap = 0.6", &[]),
        (
            "cap = 0.7\nrubric = [{ score = 0.5, text = \"t\" }, { score = 1, text = \"t\" }]\ncheck = \"c\"\npass_at = 1",
            &[],
        ),
        ("severity = \"warn\"\nweight = 0\ncap = 0.5", &[]),
    ] {
        check(&beside(keys), expected);
    }
    let dimension = "[[scoring.dimensions]]\nname = \"p\"\nweight = 1\n";
    check(
        &format!("{dimension}{}", beside("dimension = \"p\"\ncap = 0.1")),
        &[IDLE],
    );
}

#[test]
fn judged_criteria() {
    let tree = |keys: &str| format!("artifact = \"tree\"\n{}", beside(keys));
    check(&tree("check = \"c\"\nreads = \"src/**\""), &[]);
    check(
        &tree("check = \"c\""),
        &["a.x: a judge decides it and it names no files to read: give `reads`"],
    );
    let rubric =
        "rubric = [{ score = 0.25, text = \"t\" }, { score = 0.75, text = \"t\" }, { score = 1, text = \"t\" }]";
    check(&beside(&format!("check = \"c\"\n{rubric}")), &[]);
    const WORST: &str = "a.x: its rubric cannot fail: even the worst anchor passes";
    check(&beside(&format!("check = \"c\"\npass_at = 0.25\n{rubric}")), &[WORST]);
    check(
        &beside("check = \"c\"\nrubric = [{ score = 1, text = \"t\" }]"),
        &[WORST],
    );
    check(
        &beside(rubric),
        &["a.x: its checks decide it, so its rubric is never used"],
    );
    let controls = "[judging]\ncontrols = [\"empty\"]\n";
    check(
        &format!("{controls}{}", beside("")),
        &["there are controls for judges, and no criterion is left to a judge"],
    );
    check(&format!("{controls}{}", beside("check = \"c\"")), &[]);
}

#[test]
fn checks_of_trees_in_a_loop_around_one_document() {
    let text = beside("verify = { type = \"tests\", command = \"t\", format = \"tap\", manifest = \"names\" }");
    assert_eq!(
        complaints(&contract(&text, false)),
        ["a.x: check 1 (`tests`) needs a tree of files, and this loop makes one document"]
    );
    check(&text, &[]);
    assert_eq!(
        complaints(&contract(&format!("artifact = \"tree\"\n{text}"), false)),
        [""; 0]
    );
}

/// One criterion with this check and, in front, these keys of the file.
fn with_check(file: &str, verify: &str) -> String {
    format!("{file}\n{}", beside(&format!("verify = {verify}")))
}

#[test]
fn commands_that_hide_their_exit_code() {
    const PIPE: &str = "a.x: check 1: the exit code of a pipe is that of its last program, so a failure before it is not seen: \
                        run one program as a list, or `[\"bash\", \"-o\", \"pipefail\", \"-c\", \"…\"]`";
    const END: &str = "a.x: check 1: it ends with a part that always succeeds, so a failure before it is not seen: leave that \
                       part out";
    const NEVER: &str = "a.x: check 1 cannot fail: its command always succeeds";
    let command = |line: &str| format!("{{ type = \"command\", command = '{line}' }}");
    let linter = |line: &str| format!("{{ type = \"lint\", format = \"lines\", command = '{line}' }}");
    for (verify, expected) in [
        (command("false | tee x"), &[PIPE][..]),
        (command("make 2>&1 |& tee x"), &[PIPE]),
        (linter("cargo clippy 2>&1 | tee x"), &[PIPE]),
        (
            "{ type = \"command\", command = [\"sh\", \"-c\", \"false | tee x\"] }".to_owned(),
            &[PIPE],
        ),
        (
            "{ type = \"command\", command = [\"bash\", \"-o\", \"pipefail\", \"-c\", \"false | tee x\"] }".to_owned(),
            &[],
        ),
        (command("set -o pipefail; make | tee x"), &[]),
        (command("make || make again"), &[]),
        (command("cat x | grep -q y"), &[]),
        (command("grep -q \"a|b\" x"), &[]),
        (command("grep -q a\\|b x"), &[]),
        (command("echo x >| y"), &[]),
        (
            "{ type = \"command\", command = [\"grep\", \"a|b\", \"x\"] }".to_owned(),
            &[],
        ),
        (
            "{ type = \"command\", command = \"make | tail -1\", expected = \"done\" }".to_owned(),
            &[],
        ),
        (
            "{ type = \"metric\", command = \"bench | tail -1\", name = \"n\", op = \">\", target = \"1\" }".to_owned(),
            &[],
        ),
        (command("make || true"), &[NEVER]),
        (command("(make || :)"), &[NEVER]),
        (command("make || exit 0"), &[NEVER]),
        (command("make; true;"), &[NEVER]),
        (linter("eslint . || true"), &[END]),
        (command("rm x || true; make"), &[]),
        (command("make && true"), &[]),
    ] {
        check(&with_check("", &verify), expected);
    }
}

#[test]
fn expressions_that_are_constant_or_look_at_nothing() {
    let expr = |expr: &str| with_check("", &format!("{{ type = \"expr\", expr = '{expr}' }}"));
    for (text, expected) in [
        ("results[\"a.sound\"] == \"pass\"", &[][..]),
        (
            "results[\"a.sond\"] == \"pass\"",
            &["a.x: check 1: there is no criterion `a.sond`"],
        ),
        (
            "results[\"a.x\"] == \"pass\"",
            &["a.x: check 1: `a.x` is decided by an expression too, and expressions do not see each other"],
        ),
        (
            "counts.fail == 0 || true",
            &["a.x: check 1 cannot fail: a part of its expression is `true`, whatever the rest"],
        ),
        (
            "(true) || counts.fail == 0",
            &["a.x: check 1 cannot fail: a part of its expression is `true`, whatever the rest"],
        ),
        (
            "counts.fail == 0 && false",
            &["a.x: check 1 cannot pass: a part of its expression is `false`"],
        ),
        ("counts.fail == 0 && (counts.warn == 0 || true)", &[]),
        ("counts.fail == 0 || counts.warn == 0 && false", &[]),
        ("counts.fail == 0 || true ? counts.warn == 0 : false", &[]),
        ("results[\"a.sound\"] == \"|| true\"", &[]),
    ] {
        check(&expr(text), expected);
    }
    // Quotes of the other kind.
    check(
        &with_check("", "{ type = \"expr\", expr = \"results[ 'b.no' ] == 'pass'\" }"),
        &["a.x: check 1: there is no criterion `b.no`"],
    );
}

#[test]
fn what_the_work_could_change_to_its_favour() {
    const VANISHED: &str = "a.x: check 1: it has no `manifest`, and `protected` names no tests, so one that fails now and is deleted is not missed: give either";
    const REPORT: &str = "a.x: check 1: the report `cov/lcov.info` is whatever lies in the tree: give the `command` that makes \
                          it, or protect it";
    const SCRIPT: &str = "a.x: check 1: it runs `ci/lint.sh`, which the agent may change: put it in `protected`";
    const TREE: &str = "artifact = \"tree\"";
    let tests = "{ type = \"tests\", command = [\"t\"], format = \"tap\" }";
    let listed = "{ type = \"tests\", command = [\"t\"], format = \"tap\", manifest = \"names\" }";
    let report = "{ type = \"coverage\", report = \"cov/lcov.info\", format = \"lcov\", baseline = 80.0 }";
    let made =
        "{ type = \"coverage\", command = \"t\", report = \"cov/lcov.info\", format = \"lcov\", baseline = 80.0 }";
    let runs = |words: &str| format!("{{ type = \"command\", command = {words} }}");
    let script = runs("[\"sh\", \"ci/lint.sh\"]");
    for (file, verify, expected) in [
        ("", tests, &[VANISHED][..]),
        ("protected = [\"onus.toml\"]", tests, &[VANISHED]),
        ("protected = [\"src/**/*_test.go\"]", tests, &[]),
        ("", listed, &[]),
        ("", report, &[REPORT]),
        ("protected = [\"*.info\"]", report, &[REPORT]),
        ("protected = [\"cov/*\"]", report, &[]),
        ("", made, &[]),
        ("", script.as_str(), &[]),
        (TREE, script.as_str(), &[SCRIPT]),
        (TREE, &runs("\"cd x && ./ci/lint.sh -v\""), &[SCRIPT]),
        (TREE, &runs("[\"bash\", \"-c\", \"sh ci/lint.sh\"]"), &[SCRIPT]),
        (TREE, &runs("[\"./ci/lint.sh\"]"), &[SCRIPT]),
        ("artifact = \"tree\"\nprotected = [\"ci/**\"]", script.as_str(), &[]),
        (TREE, &runs("[\"python3\", \"-m\", \"compileall\", \".\"]"), &[]),
        (TREE, &runs("[\"python3\", \"-c\", \"import a.b\"]"), &[]),
        (TREE, &runs("[\"node\", \"--test\", \"a.js\"]"), &[]),
        (TREE, &runs("[\"target/debug/tool\"]"), &[]),
        (TREE, &runs("[\"/usr/bin/env\", \"x.y\"]"), &[]),
        (TREE, &runs("[\"python3\", \"app.py\"], expected = \"42\""), &[]),
    ] {
        check(&with_check(file, verify), expected);
    }
}

#[test]
fn what_nobody_is_there_to_say() {
    let human = "{ type = \"human\", question = \"Is it good?\" }";
    check(
        &with_check("", human),
        &["a.x: check 1: only a person can say it and nobody is asked, so it fails always: give it severity `info`"],
    );
    let reminder = beside(&format!("severity = \"info\"\nweight = 0\nverify = {human}"));
    check(&reminder, &[]);
    let spec = contract(&beside("check = \"Is it clear?\""), true);
    let said = lint_without_agents(&spec);
    assert_eq!(said.len(), 1);
    assert_eq!(said[0].criterion.as_ref().map(|id| id.as_str()), Some("a.x"));
    assert_eq!(
        said[0].message,
        "it is in words only, and nobody can decide it in `onus check`: give it `verify`"
    );
    assert_eq!(lint_without_agents(&contract(&beside(""), true)), []);
}
