//! Who decides a criterion, and on what evidence: the contract's checks, prepared checks that can fail, a judge who can
//! quote, and otherwise nobody, which is a failure.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::too_many_lines,
    reason = "tests touch the world, fail loudly and read as one table"
)]

mod stage;

use std::collections::BTreeMap;

use serde_json::{Value, json};
use stage::{Loop, Sandbox, payloads, run, run_args, verdict};

/// One criterion that the contract itself does not decide.
const OPEN: &str = r#"
[[criteria]]
id = "a.open"
description = "The note is good."
severity = "fail"
check = "Read it."
"#;

const NOTE: &str = "printf '# Cedar\\n\\nThe cedar is an evergreen tree.\\n'";

/// One evaluation of [`OPEN`] on [`NOTE`] with what preparer and evaluator answer.
fn decided(checks: &Value, results: &Value) -> (Sandbox, Value) {
    let prepares = format!(
        "echo prepared > prepared; cat <<'END'\n{}\nEND",
        json!({ "checks": checks })
    );
    let judges = format!(
        "cat \"$ONUS_REQUEST\" > judged; cat <<'END'\n{}\nEND",
        json!({ "rule_results": results })
    );
    let sandbox = Loop {
        criteria: OPEN,
        cast: &[("producer", NOTE), ("preparer", &prepares), ("evaluator", &judges)],
        ..Loop::default()
    }
    .sandbox();
    sandbox.onus(run_args("1", &["--quiet"]));
    let card = payloads(&sandbox, "evaluation_done")
        .into_iter()
        .next()
        .unwrap_or_default();
    (sandbox, card)
}

fn search(pattern: &str) -> Value {
    json!([{ "rule_id": "a.open", "type": "content", "search": pattern }])
}

fn absent(pattern: &str, counterexample: Option<&str>) -> Value {
    json!([{ "rule_id": "a.open", "type": "content", "search": pattern, "expected": "absent", "counterexample": counterexample }])
}

fn shell(command: &str) -> Value {
    json!([{ "rule_id": "a.open", "type": "executable", "command": command }])
}

fn judged(verdict: &str, quote: Option<&str>) -> Value {
    json!([{ "id": "a.open", "verdict": verdict, "details": "so I say", "quote": quote }])
}

#[test]
fn a_criterion_passes_by_a_check_that_can_fail_or_by_a_judge_who_can_quote_and_by_nothing_else() {
    let quote = Some("The cedar is an evergreen tree.");
    let nobody = json!([]);
    // What was prepared, what the judge said; then who decided and how, and whether the judge was asked at all.
    let cases: Vec<(&str, Value, Value, &str, &str, bool)> = vec![
        (
            "a search that can fail",
            search("cedar"),
            nobody.clone(),
            "pass",
            "prepared",
            false,
        ),
        (
            "a search that fails",
            search("oak"),
            judged("pass", quote),
            "fail",
            "prepared",
            false,
        ),
        (
            "a program that can fail",
            shell("grep -q cedar \"$ONUS_ARTIFACT\""),
            nobody.clone(),
            "pass",
            "prepared",
            false,
        ),
        (
            "two checks, one of which fails",
            json!([search("cedar")[0], search("oak")[0]]),
            nobody.clone(),
            "fail",
            "prepared",
            false,
        ),
        (
            "a prohibition with a bad example",
            absent("oak", Some("an oak")),
            nobody.clone(),
            "pass",
            "prepared",
            false,
        ),
        (
            "a prohibition that is broken",
            absent("cedar", Some("a cedar")),
            judged("pass", quote),
            "fail",
            "prepared",
            false,
        ),
        // From here on the prepared check is worth nothing, and the judge is asked.
        (
            "passes on nothing",
            search("(?s).*"),
            judged("pass", quote),
            "pass",
            "evaluator",
            true,
        ),
        (
            "passes on nothing, and the judge is silent",
            search("(?s).*"),
            judged("fail", None),
            "fail",
            "evaluator",
            true,
        ),
        ("`true`", shell("true"), judged("fail", None), "fail", "evaluator", true),
        (
            "`exit 0` for a file",
            shell("test -e artifact.md"),
            judged("fail", None),
            "fail",
            "evaluator",
            true,
        ),
        (
            "a prohibition without a bad example",
            absent("oak", None),
            judged("fail", None),
            "fail",
            "evaluator",
            true,
        ),
        (
            "a bad example that is fine",
            absent("oak", Some("an ash")),
            judged("fail", None),
            "fail",
            "evaluator",
            true,
        ),
        (
            "a program that is not there",
            shell("no-such-program-at-all"),
            judged("fail", None),
            "fail",
            "evaluator",
            true,
        ),
        (
            "beside one that counts",
            json!([search("(?s).*")[0], search("cedar")[0]]),
            nobody.clone(),
            "pass",
            "prepared",
            false,
        ),
        (
            "claims to be proven",
            json!([{"rule_id": "a.open", "type": "content", "search": "(?s).*", "control": {"result": "fails_on_empty"}}]),
            judged("fail", None),
            "fail",
            "evaluator",
            true,
        ),
        // Nothing was prepared.
        (
            "no check, no verdict",
            nobody.clone(),
            judged("fail", None),
            "fail",
            "evaluator",
            true,
        ),
        (
            "a quote over a line end",
            nobody.clone(),
            judged("pass", Some("# Cedar The cedar")),
            "pass",
            "evaluator",
            true,
        ),
        (
            "no quote",
            nobody.clone(),
            judged("pass", None),
            "unverified",
            "evaluator",
            true,
        ),
        (
            "a quote that is not there",
            nobody.clone(),
            judged("pass", Some("The oak is an evergreen tree.")),
            "unverified",
            "evaluator",
            true,
        ),
        (
            "a quote that says nothing",
            nobody.clone(),
            judged("pass", Some("is an")),
            "unverified",
            "evaluator",
            true,
        ),
        (
            "a blank quote",
            nobody.clone(),
            judged("pass", Some(" \n ")),
            "unverified",
            "evaluator",
            true,
        ),
        (
            "not applicable",
            nobody.clone(),
            judged("na", quote),
            "fail",
            "evaluator",
            true,
        ),
    ];
    for (name, checks, results, kind, source, asked) in cases {
        let (sandbox, card) = decided(&checks, &results);
        let found = verdict(&card, "a.open");
        assert_eq!(found["verdict"], kind, "{name}: {found}");
        assert_eq!(found["source"], source, "{name}: {found}");
        assert_eq!(card["passed"], kind == "pass", "{name}");
        assert_eq!(
            card["failed"].as_array().unwrap().len(),
            usize::from(kind != "pass"),
            "{name}"
        );
        assert_eq!(sandbox.exists("judged"), asked, "{name}");
        if asked {
            assert!(sandbox.read("judged").contains("a.open"), "{name}");
        }
    }
}

#[test]
fn a_judge_that_leaves_a_criterion_out_has_not_answered() {
    let sandbox = Loop {
        criteria: OPEN,
        cast: &[("evaluator", r#"echo x >> asked; echo '{"rule_results": []}'"#)],
        ..Loop::default()
    }
    .sandbox();
    let told = sandbox.onus(run_args("1", &[])).expect(6);
    assert!(told.stderr.contains("`a.open`"), "{}", told.stderr);
    assert_eq!(sandbox.read("asked"), "x\nx\n", "it is asked once more, and told why");
    assert!(payloads(&sandbox, "evaluation_done").is_empty());
}

#[test]
fn a_check_that_cannot_be_used_costs_no_agent() {
    for (check, words) in [
        (
            r#"{ type = "executable", command = ["no-such-program"] }"#,
            "`no-such-program` was not found",
        ),
        (
            r#"{ type = "executable", command = "no-such-program-at-all" }"#,
            "exit code 127",
        ),
    ] {
        let sandbox = Loop {
            criteria: &contract(&[check]),
            cast: &[("all", "echo x >> asked")],
            ..Loop::default()
        }
        .sandbox();
        let told = sandbox.onus(run_args("1", &[])).expect(3);
        assert!(
            told.stderr.contains(words) && told.stderr.contains("a.c1"),
            "{}",
            told.stderr
        );
        assert!(
            !sandbox.exists("asked") && !sandbox.exists(".ai-factory"),
            "an agent was asked"
        );
    }
}

#[test]
fn what_fails_before_the_work_is_recorded_with_the_start() {
    let sandbox = Loop {
        cast: &[("producer", NOTE)],
        criteria: &contract(&[r#"{ type = "content", search = "cedar" }"#]),
        ..Loop::default()
    }
    .sandbox();
    sandbox.onus(run_args("1", &[])).expect(0);
    let baseline = &payloads(&sandbox, "run_started")[0]["baseline"]["verdicts"][0];
    assert_eq!(
        (&baseline["id"], &baseline["verdict"]),
        (&json!("a.c1"), &json!("fail")),
        "{baseline}"
    );
}

#[test]
fn why_a_prepared_check_does_not_count_is_recorded() {
    let (sandbox, card) = decided(&search("(?s).*"), &judged("fail", None));
    let control = &payloads(&sandbox, "checks_prepared")[0]["checks"][0]["control"];
    assert_eq!(control["result"], "vacuous");
    assert!(
        control["reason"]
            .as_str()
            .unwrap()
            .contains("passes on an empty artifact"),
        "{control}"
    );
    assert_eq!(verdict(&card, "a.open")["details"], "so I say");

    let (sandbox, _) = decided(&absent("oak", Some("an oak")), &json!([]));
    let control = &payloads(&sandbox, "checks_prepared")[0]["checks"][0]["control"];
    assert_eq!(control["result"], "fails_on_counterexample");
}

#[test]
fn evidence_is_what_the_engine_itself_saw() {
    let (_, card) = decided(&json!([]), &judged("pass", Some("The cedar  is an\nevergreen tree.")));
    assert_eq!(verdict(&card, "a.open")["evidence"][0]["kind"], "quote");
    assert_eq!(verdict(&card, "a.open")["evidence"][0]["line"], 3);
    let (_, card) = decided(&search("(?i)cedar"), &json!([]));
    let evidence = &verdict(&card, "a.open")["evidence"][0];
    assert_eq!((&evidence["kind"], &evidence["line"]), (&json!("search"), &json!(1)));
    let (_, card) = decided(&shell("grep -c cedar artifact.md"), &json!([]));
    let evidence = &verdict(&card, "a.open")["evidence"][0];
    assert_eq!((&evidence["kind"], &evidence["exit"]), (&json!("command"), &json!(0)));
}

#[test]
fn verdicts_and_checks_for_what_was_not_asked_are_refused() {
    let verified = format!("{OPEN}{}", stage::DONE);
    let refused = |role: &str, answer: Value, words: &str| {
        let says = format!("echo x >> asked; cat <<'END'\n{answer}\nEND");
        let sandbox = Loop {
            criteria: &verified,
            cast: &[("producer", NOTE), (role, &says)],
            ..Loop::default()
        }
        .sandbox();
        run(&sandbox).expect(6);
        let error = payloads(&sandbox, "phase_error").remove(0);
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(words), "{answer}: {message}");
        assert_eq!(sandbox.read("asked").lines().count(), 2, "{answer}");
        assert!(payloads(&sandbox, "evaluation_done").is_empty(), "{answer}");
    };
    let pass = |id: &str| json!({ "rule_results": [{ "id": id, "verdict": "pass", "quote": "The cedar is an evergreen tree." }] });
    refused(
        "evaluator",
        pass("a.unheard-of"),
        "`a.unheard-of` is not a criterion that was asked about",
    );
    // The contract decides this one; nobody is asked.
    refused(
        "evaluator",
        pass("a.done"),
        "`a.done` is not a criterion that was asked about",
    );
    let twice = json!({ "rule_results": [pass("a.open")["rule_results"][0], pass("a.open")["rule_results"][0]] });
    refused("evaluator", twice, "has a verdict already");
    let unknown = json!({ "rule_results": [{ "id": "a.open", "verdict": "excellent" }] });
    refused("evaluator", unknown, "excellent");
    let check = |id: &str| json!({ "checks": [{ "rule_id": id, "type": "content", "search": "x" }] });
    refused("preparer", check("a.unheard-of"), "a.unheard-of");
    refused("preparer", check("a.done"), "a.done");
    refused(
        "preparer",
        json!({ "checks": [{ "rule_id": "a.open", "type": "content", "search": "(" }] }),
        "search",
    );
}

#[test]
fn the_contracts_own_check_is_asked_of_nobody() {
    // The evaluator would pass everything; it is not even called.
    let sandbox = Loop {
        cast: &[
            ("evaluator", "echo x > judged"),
            ("preparer", "echo x > prepared"),
            ("refiner", "echo more >> \"$ONUS_ARTIFACT\""),
        ],
        ..Loop::default()
    }
    .sandbox();
    sandbox.onus(run_args("2", &[])).expect(1);
    assert!(!sandbox.exists("judged") && !sandbox.exists("prepared"));
    let card = payloads(&sandbox, "evaluation_done").remove(0);
    assert_eq!(verdict(&card, "a.done")["source"], "contract");
}

/// Criteria `a.c1`, `a.c2` … with these checks of the contract.
fn contract(checks: &[&str]) -> String {
    let one = |(n, check): (usize, &&str)| {
        format!("[[criteria]]\nid = \"a.c{n}\"\ndescription = \"d\"\nseverity = \"fail\"\nverify = {check}\n")
    };
    (1..).zip(checks).map(one).collect()
}

/// Every criterion's verdict and its details after one evaluation.
fn verdicts(sandbox: &Sandbox) -> BTreeMap<String, (String, String)> {
    let card = payloads(sandbox, "evaluation_done").remove(0);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let results = card["rule_results"].as_array().unwrap().clone();
    results
        .iter()
        .map(|r| (text(&r["id"]), (text(&r["verdict"]), text(&r["details"]))))
        .collect()
}

#[test]
fn what_is_expected_of_a_check_is_what_decides() {
    let cases = [
        (r#"{ type = "executable", command = "true" }"#, "pass"),
        (r#"{ type = "executable", command = "false" }"#, "fail"),
        (r#"{ type = "executable", command = "exit 3", expected = 3 }"#, "pass"),
        (
            r#"{ type = "executable", command = "exit 3", expected = "exit 3" }"#,
            "pass",
        ),
        (
            r#"{ type = "executable", command = "exit 3", expected = "exits with code 4" }"#,
            "fail",
        ),
        (
            r#"{ type = "executable", command = "echo 12 passed", expected = "12 passed" }"#,
            "pass",
        ),
        (
            r#"{ type = "executable", command = "echo 12 passed; exit 1", expected = "12 passed" }"#,
            "fail",
        ),
        (
            r#"{ type = "executable", command = "echo 2 passed", expected = { stdout_contains = "12 passed" } }"#,
            "fail",
        ),
        (
            r#"{ type = "executable", command = "echo 12 passed >&2", expected = { stdout_contains = "12 passed" } }"#,
            "fail",
        ),
        (
            r#"{ type = "executable", command = "echo 12 passed; exit 5", expected = { exit = 5, stdout_matches = "^[0-9]+ passed$" } }"#,
            "pass",
        ),
        (
            r#"{ type = "executable", command = ["grep", "-q", "evergreen tree", "artifact.md"] }"#,
            "pass",
        ),
        (
            r#"{ type = "executable", command = ["echo", "$HOME; rm -rf x"], expected = "$HOME; rm -rf x" }"#,
            "pass",
        ),
        (r#"{ type = "executable", command = "kill -9 $$" }"#, "fail"),
        (r#"{ type = "executable", command = "yes" }"#, "fail"),
        (r#"{ type = "content", search = "evergreen" }"#, "pass"),
        (r#"{ type = "content", search = "^evergreen" }"#, "fail"),
        (r#"{ type = "content", search = "oak", expected = "absent" }"#, "pass"),
        (
            r#"{ type = "content", search = "[Cc]edar", expected = { min = 2, max = 2 } }"#,
            "pass",
        ),
        (
            r#"{ type = "content", search = "[Cc]edar", expected = { max = 1 } }"#,
            "fail",
        ),
        (r#"{ type = "content", search = { literal = "tree." } }"#, "pass"),
        (r#"{ type = "content", search = { literal = "tree?" } }"#, "fail"),
        (
            r#"[{ type = "content", search = "cedar" }, { type = "content", search = "oak" }]"#,
            "fail",
        ),
    ];
    let checks: Vec<&str> = cases.iter().map(|(check, _)| *check).collect();
    let sandbox = Loop {
        criteria: &contract(&checks),
        rest: "[limits]\noutput_bytes_max = 100000",
        cast: &[("producer", NOTE)],
        ..Loop::default()
    }
    .sandbox();
    sandbox.onus(run_args("1", &[])).expect(1);
    let found = verdicts(&sandbox);
    for (n, (check, expected)) in (1..).zip(cases) {
        let (verdict, details) = &found[&format!("a.c{n}")];
        assert_eq!(verdict, expected, "{check}: {details}");
    }
}

#[test]
fn a_check_that_writes_without_end_is_told_so() {
    let sandbox = Loop {
        criteria: &contract(&[r#"{ type = "executable", command = "yes" }"#]),
        rest: "[limits]\noutput_bytes_max = 100000",
        cast: &[("producer", NOTE)],
        ..Loop::default()
    }
    .sandbox();
    sandbox.onus(run_args("1", &[])).expect(1);
    let details = &verdicts(&sandbox)["a.c1"].1;
    assert!(
        details.contains("more than 100000 bytes") && !details.contains("could not be started"),
        "{details}"
    );
}

#[test]
fn a_check_that_takes_too_long_fails_and_is_gone() {
    let sandbox = Loop {
        criteria: &contract(&[
            r#"{ type = "executable", command = "echo $$ > \"$ONUS_WORKSPACE/pid\"; (sleep 30 & wait)" }"#,
            r#"{ type = "executable", command = "true" }"#,
        ]),
        rest: "[limits]\ncheck_timeout_seconds = 1",
        cast: &[("producer", NOTE)],
        ..Loop::default()
    }
    .sandbox();
    sandbox.onus(run_args("1", &[])).expect(1);
    let found = verdicts(&sandbox);
    assert_eq!(
        found["a.c1"],
        ("fail".to_owned(), "the program was ended after 1 seconds".to_owned())
    );
    assert_eq!(found["a.c2"].0, "pass");
    assert!(!stage::is_alive(&sandbox.read("pid")));
}

#[test]
fn a_check_runs_in_a_clean_place_on_a_copy_that_it_may_spoil() {
    let probe = r#"
env | grep -v -e '^PWD=' -e '^OLDPWD=' -e '^SHLVL=' -e '^_=' | sort > "$ONUS_WORKSPACE/check.env"
pwd > "$ONUS_WORKSPACE/check.pwd"
ls -A "$HOME" "$TMPDIR" > "$ONUS_WORKSPACE/check.ls"
cat > "$ONUS_WORKSPACE/check.stdin"
ls -A . >> "$ONUS_WORKSPACE/check.ls"
echo spoiled > artifact.md; echo x > "$HOME/x"; echo x > "$TMPDIR/x"; rm -f "$ONUS_ARTIFACT"
"#;
    let sandbox = Loop {
        criteria: &contract(&[
            r#"{ type = "executable", command = ["./probe.sh"] }"#,
            r#"{ type = "executable", command = "sleep 0.2; grep -q evergreen artifact.md" }"#,
        ]),
        cast: &[("producer", NOTE)],
        ..Loop::default()
    }
    .sandbox();
    sandbox.script("probe.sh", probe);
    let mut command = sandbox.command(run_args("1", &[]));
    command.env("SECRET_TOKEN", "xyzzy").env("LC_ALL", "C.UTF-8");
    stage::said(&mut command).expect(0);

    let env = sandbox.read("check.env");
    let names: Vec<&str> = env.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    assert_eq!(
        names,
        ["HOME", "LANG", "ONUS_ARTIFACT", "ONUS_WORKSPACE", "PATH", "TMPDIR"]
    );
    let home = env.lines().find_map(|line| line.strip_prefix("HOME=")).unwrap();
    assert!(
        home.starts_with(sandbox.home().join(".cache/onus/work").to_str().unwrap()),
        "{home}"
    );
    let listed = sandbox.read("check.ls");
    let files: Vec<&str> = listed
        .lines()
        .filter(|line| !line.is_empty() && !line.ends_with(':'))
        .collect();
    assert_eq!(
        files,
        ["artifact.md"],
        "home and temporary directory are empty, the artifact is alone"
    );
    assert_eq!(sandbox.read("check.stdin"), "");
    assert!(
        !std::path::Path::new(sandbox.read("check.pwd").trim()).exists(),
        "the scratch directory is gone"
    );

    // Neither the record nor the other check saw what this one did to its copy.
    assert!(
        sandbox
            .read(".ai-factory/evolution/note/artifact.md")
            .contains("evergreen")
    );
    assert_eq!(verdicts(&sandbox)["a.c2"].0, "pass");
    sandbox.onus(["verify"]).expect(0);
}

#[test]
fn what_a_check_leaves_running_is_gone_before_its_result_counts() {
    let sandbox = Loop {
        criteria: &contract(&[
            r#"{ type = "executable", command = "setsid sh -c 'echo $$ > \"$ONUS_WORKSPACE/pid\"; while :; do sleep 0.02; done' >/dev/null 2>&1 & while [ ! -s \"$ONUS_WORKSPACE/pid\" ]; do sleep 0.01; done" }"#,
        ]),
        cast: &[("producer", NOTE)],
        ..Loop::default()
    }
    .sandbox();
    sandbox.onus(run_args("1", &[])).expect(0);
    assert!(!stage::is_alive(&sandbox.read("pid")));
}

#[test]
fn independent_checks_run_at_the_same_time() {
    // As many at once as there are cores; with one core there is nothing to see.
    if std::thread::available_parallelism().map_or(1, usize::from) < 2 {
        return;
    }
    let meet = |me: &str, other: &str| {
        format!(
            r#"{{ type = "executable", command = "cd \"$ONUS_WORKSPACE\"; : > {me}; i=0; while [ ! -e {other} ]; do i=$((i+1)); [ $i -gt 500 ] && exit 9; sleep 0.02; done" }}"#
        )
    };
    let sandbox = Loop {
        criteria: &contract(&[&meet("one", "two"), &meet("two", "one")]),
        cast: &[("producer", NOTE)],
        ..Loop::default()
    }
    .sandbox();
    sandbox.onus(run_args("1", &[])).expect(0);
}

#[test]
fn a_judge_and_the_checks_work_at_the_same_time() {
    let waits = "i=0; while [ ! -e \"$ONUS_WORKSPACE/judging\" ]; do i=$((i+1)); [ $i -gt 500 ] && exit 9; sleep 0.02; done; : > \"$ONUS_WORKSPACE/checking\"";
    let check = format!("{{ type = \"executable\", command = {} }}", json!(waits));
    let judge = r#": > judging; i=0; while [ ! -e checking ]; do i=$((i+1)); [ $i -gt 500 ] && exit 9; sleep 0.02; done
echo '{"rule_results": [{"id": "a.open", "verdict": "pass", "quote": "The cedar is an evergreen tree."}]}'"#;
    let sandbox = Loop {
        criteria: &format!("{OPEN}{}", contract(&[&check])),
        cast: &[("producer", NOTE), ("evaluator", judge)],
        ..Loop::default()
    }
    .sandbox();
    sandbox.onus(run_args("1", &[])).expect(0);
}

#[test]
fn an_evaluator_that_lies_passes_nothing() {
    let sandbox = Sandbox::in_memory();
    sandbox.write(
        "onus.toml",
        Loop {
            criteria: OPEN,
            ..Loop::default()
        }
        .toml()
        .replace(r#"kind = "command""#, r#"kind = "scripted""#)
        .replace(r#"command = ["sh", "agent.sh"]"#, r#"script = "script.toml""#),
    );
    sandbox.write(
        "script.toml",
        r#"
answer = [
  { role = "planner", json = { plan = ["a", "b", "c"] } },
  { role = "producer", text = "Some text." },
  { role = "preparer", json = { checks = [] } },
  { role = "evaluator", fault = "lie" },
]
"#,
    );
    sandbox.onus(run_args("1", &[])).expect(1);
    let card = payloads(&sandbox, "evaluation_done").remove(0);
    assert_eq!(verdict(&card, "a.open")["verdict"], "unverified");
}

#[test]
fn a_warning_lowers_the_score_and_blocks_nothing() {
    let criteria = r#"
[[criteria]]
id = "a.must"
description = "d"
severity = "fail"
verify = { type = "content", search = "cedar" }

[[criteria]]
id = "a.should"
description = "d"
severity = "warn"
verify = { type = "content", search = "oak" }

[[criteria]]
id = "a.may"
description = "d"
severity = "info"
verify = { type = "content", search = "elm" }
"#;
    let sandbox = Loop {
        criteria,
        cast: &[("producer", NOTE)],
        ..Loop::default()
    }
    .sandbox();
    sandbox
        .onus(run_args("1", &["--threshold", "A=0.66", "--threshold", "B=0.6667"]))
        .expect(1);
    let cards = payloads(&sandbox, "evaluation_done");
    // Two of three, rounded nowhere in the artifact's favour: 0.6666 is not 0.6667.
    assert_eq!(
        (&cards[0]["passed"], &cards[1]["passed"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(cards[1]["score"], json!(0.6666));
    let ids = |list: &Value| {
        list.as_array()
            .unwrap()
            .iter()
            .map(|f| f["id"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(ids(&cards[1]["warnings"]), ["a.should", "a.may"]);
    assert!(ids(&cards[1]["failed"]).is_empty());
}

/// The commonest cheat of all: the agent rewrites the script that judges it.
#[test]
fn a_check_script_that_was_changed_during_the_run_decides_nothing() {
    for (what, producer, code) in [
        ("honest", NOTE.to_owned(), 0),
        (
            "rewrites the check",
            String::from("printf '#!/bin/sh\\nexit 0\\n' > verdict.sh; echo nothing of use"),
            1,
        ),
        (
            "replaces it by a link",
            String::from("ln -sf /bin/true verdict.sh; echo nothing of use"),
            1,
        ),
        ("removes it", String::from("rm verdict.sh; echo nothing of use"), 1),
    ] {
        let sandbox = Loop {
            criteria: &contract(&[r#"{ type = "executable", command = ["./verdict.sh"] }"#]),
            cast: &[("producer", &producer)],
            ..Loop::default()
        }
        .sandbox();
        sandbox.script("verdict.sh", "grep -q evergreen artifact.md");
        let told = sandbox.onus(run_args("1", &[]));
        assert_eq!(told.code, Some(code), "{what}: {}{}", told.stdout, told.stderr);
    }
}
