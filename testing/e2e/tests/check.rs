//! `onus check`: one evaluation of a contract on what is there, with real tools.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

use std::process::Command;

use onus_testkit::{Said, Sandbox, git, said, tool_homes};

const LIB: &str = "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n";
const TESTS: &str = "use calc::add;\n\n#[test]\nfn adds() {\n    assert_eq!(add(2, 2), 4);\n}\n\n#[test]\nfn is_neutral() {\n    assert_eq!(add(7, 0), 7);\n}\n";
const CONTRACT: &str = r#"
criteria_from = "none"
protected = ["onus.toml", "tests/**", "manifest.txt"]

[[levels]]
name = "A"
threshold = 1.0
active_levels = ["A"]

[[criteria]]
id = "a.tests"
description = "Every test passes."
severity = "fail"
verify = { type = "tests", command = ["cargo", "test", "--offline"], format = "cargo", manifest = "manifest.txt" }
"#;

/// A small real crate under git, with two tests that are named in a manifest.
fn crate_under_git() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write(
        "Cargo.toml",
        "[package]\nname = \"calc\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n",
    );
    sandbox.write("src/lib.rs", LIB);
    sandbox.write("tests/calc.rs", TESTS);
    sandbox.write("manifest.txt", "adds\nis_neutral\n");
    sandbox.write(".gitignore", "target\n");
    sandbox.write("onus.toml", CONTRACT);
    git(&sandbox, &["init", "-q"]);
    git(&sandbox, &["add", "-A"]);
    git(&sandbox, &["commit", "-qm", "base"]);
    sandbox
}

/// `onus check` with the tools' own homes, which the sandbox's home does not have.
fn check(sandbox: &Sandbox, args: &[&str]) -> Said {
    let mut command = sandbox.command(std::iter::once("check").chain(args.iter().copied()));
    command.envs(tool_homes());
    said(&mut command)
}

#[test]
fn a_real_crate_goes_from_red_to_green() {
    let sandbox = crate_under_git();
    check(&sandbox, &[]).expect(0);
    sandbox.write("src/lib.rs", LIB.replace("a + b", "a - b"));
    let red = check(&sandbox, &["--base", "HEAD"]).expect(1);
    assert!(
        red.stdout.contains("FAIL  a.tests") && red.stdout.contains("`adds` failed"),
        "{}",
        red.stdout
    );
    assert!(red.stdout.contains("1 broken now"), "{}", red.stdout);
    sandbox.write("src/lib.rs", LIB);
    let green = check(&sandbox, &["--base", "HEAD", "--json"]).expect(0).json();
    assert_eq!(green["passed"], true, "{green}");
}

/// Each way of making the tests look green without making them pass.
#[test]
fn cheats_that_leave_the_code_wrong_are_seen() {
    let broken = LIB.replace("a + b", "a - b");
    let cheats: [(&str, &str, &str); 4] = [
        (
            "deletes the failing test",
            "tests/calc.rs",
            "use calc::add;\n\n#[test]\nfn is_neutral() {\n    assert_eq!(add(7, 0), 7);\n}\n",
        ),
        (
            "ignores the failing test",
            "tests/calc.rs",
            &TESTS.replacen("#[test]", "#[test]\n#[ig\u{6e}ore]", 1),
        ),
        (
            "weakens the assertion",
            "tests/calc.rs",
            &TESTS.replace("add(2, 2), 4", "add(2, 2), 0"),
        ),
        ("empties the manifest", "manifest.txt", "is_neutral\n"),
    ];
    for (what, path, text) in cheats {
        let sandbox = crate_under_git();
        sandbox.write("src/lib.rs", &broken);
        sandbox.write(path, text);
        let told = check(&sandbox, &["--base", "HEAD"]);
        assert_eq!(told.code, Some(1), "{what}: {}{}", told.stdout, told.stderr);
        assert!(told.stdout.contains("`adds` failed"), "{what}: {}", told.stdout);
    }
    // Without a base nothing is put back, but a test that vanished is still missed.
    let sandbox = crate_under_git();
    sandbox.write("src/lib.rs", &broken);
    sandbox.write("tests/calc.rs", cheats[0].2);
    let told = check(&sandbox, &[]).expect(1);
    assert!(told.stdout.contains("adds"), "{}", told.stdout);
}

#[test]
fn a_weakened_contract_and_an_ignore_file_hide_nothing() {
    let sandbox = crate_under_git();
    sandbox.write("src/lib.rs", LIB.replace("a + b", "a - b"));
    sandbox.write(
        "onus.toml",
        CONTRACT.replace("severity = \"fail\"", "severity = \"warn\""),
    );
    let told = check(&sandbox, &["--base", "HEAD"]).expect(7);
    assert!(told.stderr.contains("is not the one of the base"), "{}", told.stderr);

    let stubs = r#"verify = { type = "pattern", search = "unfinished", files = "src/**", rule = "forbidden" }"#;
    let contract = CONTRACT.replace(
        "[[criteria]]",
        &format!(
            "[[criteria]]\nid = \"a.done\"\ndescription = \"Done.\"\nseverity = \"fail\"\n{stubs}\n\n[[criteria]]"
        ),
    );
    for ignore in [".ignore", ".gitignore", "src/.gitignore"] {
        let sandbox = crate_under_git();
        sandbox.write("onus.toml", &contract);
        git(&sandbox, &["add", "-A"]);
        git(&sandbox, &["commit", "-qm", "contract"]);
        sandbox.write("src/lib.rs", format!("{LIB}// unfinished\n"));
        sandbox.write(ignore, "lib.rs\ntarget\n");
        let told = check(&sandbox, &["--base", "HEAD"]).expect(1);
        assert!(told.stdout.contains("FAIL  a.done"), "{ignore}: {}", told.stdout);
    }
}

#[test]
fn a_project_below_the_top_of_its_repository_has_a_base_too() {
    let sandbox = crate_under_git();
    let told = check(&sandbox, &["--base", "HEAD", "-C", "."]);
    told.expect(0);
    sandbox.write("sub/onus.toml", "criteria_from = \"none\"\nprotected = [\"notes.md\"]\n[[levels]]\nname = \"A\"\nthreshold = 1.0\nactive_levels = [\"A\"]\n[[criteria]]\nid = \"a.notes\"\ndescription = \"Notes.\"\nseverity = \"fail\"\nverify = { type = \"pattern\", search = \"kept\", files = \"notes.md\" }\n");
    sandbox.write("sub/notes.md", "kept\n");
    git(&sandbox, &["add", "-A"]);
    git(&sandbox, &["commit", "-qm", "sub"]);
    sandbox.write("sub/notes.md", "gone\n");
    check(&sandbox, &["sub", "--contract", "sub/onus.toml"]).expect(1);
    check(&sandbox, &["sub", "--contract", "sub/onus.toml", "--base", "HEAD"]).expect(0);
}

#[test]
fn a_report_that_came_with_the_tree_is_no_evidence() {
    let sandbox = Sandbox::new();
    sandbox.write("report.xml", "<testsuites tests=\"1\"><testsuite tests=\"1\"><testcase classname=\"a\" name=\"b\"/></testsuite></testsuites>");
    sandbox.write(
        "onus.toml",
        CONTRACT.replace(
            r#"verify = { type = "tests", command = ["cargo", "test", "--offline"], format = "cargo", manifest = "manifest.txt" }"#,
            r#"verify = { type = "tests", command = ["true"], format = "junit", report = "report.xml" }"#,
        ),
    );
    check(&sandbox, &[]).expect(1);
}

#[test]
fn git_is_asked_for_objects_and_runs_nothing_of_the_repository() {
    let sandbox = crate_under_git();
    sandbox.script("trap.sh", "touch \"$(dirname \"$0\")/sprung\"");
    let trap = sandbox.project().join("trap.sh").display().to_string();
    for key in ["core.fsmonitor", "core.pager", "diff.external", "core.sshCommand"] {
        git(&sandbox, &["config", key, &trap]);
    }
    check(&sandbox, &["--base", "HEAD"]).expect(0);
    assert!(!sandbox.exists("sprung"));
}

#[test]
fn what_is_no_plain_file_is_named_and_never_followed() {
    let sandbox = crate_under_git();
    std::os::unix::fs::symlink("/etc/passwd", sandbox.project().join("link")).unwrap();
    said(Command::new("mkfifo").arg(sandbox.project().join("pipe"))).expect(0);
    let told = check(&sandbox, &[]).expect(0);
    for (name, why) in [("link", "symbolic link"), ("pipe", "a pipe")] {
        assert!(
            told.stdout.contains(name) && told.stdout.contains(why),
            "{name}: {}",
            told.stdout
        );
    }
}

#[test]
fn init_writes_a_contract_that_runs_at_once() {
    let sandbox = crate_under_git();
    std::fs::remove_file(sandbox.project().join("onus.toml")).unwrap();
    sandbox.write("README.md", "# Calc\n\nSee [the code](src/lib.rs).\n");
    sandbox.onus(["init"]).expect(0);
    let said = check(&sandbox, &[]).expect(0);
    assert!(
        said.stdout.contains("a.rust.tests") && said.stdout.contains("a.docs.links"),
        "{}",
        said.stdout
    );
    sandbox.onus(["contract", "lint"]).expect(0);
    sandbox.onus(["init"]).expect(2);
    let hash = sandbox.onus(["contract", "hash"]).expect(0).stdout;
    assert_eq!(hash.trim().len(), 64);
}

#[test]
fn lint_names_what_only_a_judge_could_decide_where_there_is_none() {
    let sandbox = crate_under_git();
    let words = "criteria_from = \"none\"\n[[levels]]\nname = \"A\"\nthreshold = 1.0\nactive_levels = [\"A\"]\n\
                 [[criteria]]\nid = \"a.clear\"\ndescription = \"d\"\nseverity = \"fail\"\ncheck = \"Is it clear?\"\n";
    sandbox.write("onus.toml", words);
    let said = sandbox.onus(["contract", "lint"]).expect(1);
    assert_eq!(
        said.stdout,
        "a.clear: it is in words only, and nobody can decide it in `onus check`: give it `verify`\n"
    );
    for around in [
        "[task]\nprompt = \"Write it\"\n",
        "[agents.judge]\nkind = \"command\"\ncommand = [\"judge\"]\n",
    ] {
        sandbox.write("onus.toml", format!("{words}{around}"));
        sandbox.onus(["contract", "lint"]).expect(0);
    }
}

#[test]
fn the_same_result_is_told_to_machines() {
    let sandbox = Sandbox::new();
    sandbox.write("README.md", "# A\n\n[nowhere](gone.md)\n");
    sandbox.write("onus.toml", "criteria_from = \"none\"\n[[levels]]\nname = \"A\"\nthreshold = 1.0\nactive_levels = [\"A\"]\n[[criteria]]\nid = \"a.links\"\ndescription = \"Links lead somewhere.\"\nseverity = \"fail\"\nverify = { type = \"links\" }\n");
    let summary = sandbox.write("summary.md", "");
    let mut command = sandbox.command([
        "check",
        "README.md",
        "--contract",
        "onus.toml",
        "--sarif",
        "out.sarif",
        "--junit",
        "out.xml",
        "--json",
    ]);
    command
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_STEP_SUMMARY", &summary);
    let told = said(&mut command).expect(1);
    assert_eq!(told.json()["passed"], false);
    assert!(told.stderr.contains("::error file=README.md,line=3"), "{}", told.stderr);
    let sarif: serde_json::Value = serde_json::from_str(&sandbox.read("out.sarif")).unwrap();
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "a.links");
    assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startLine"], 3);
    assert!(
        sandbox.read("out.xml").contains("<failure"),
        "{}",
        sandbox.read("out.xml")
    );
    assert!(sandbox.read("summary.md").starts_with("###"));
}

#[test]
fn a_contract_that_cannot_be_used_says_why() {
    for (verify, expected) in [
        (r#"{ type = "patern", search = "x" }"#, "pattern"),
        (r#"{ type = "pattern", serch = "x" }"#, "serch"),
        (r#"{ type = "tests", command = ["true"], format = "mocha" }"#, "mocha"),
    ] {
        let sandbox = Sandbox::new();
        sandbox.write("a.md", "# A\n");
        sandbox.write("onus.toml", format!("criteria_from = \"none\"\n[[levels]]\nname = \"A\"\nthreshold = 1.0\nactive_levels = [\"A\"]\n[[criteria]]\nid = \"a.x\"\ndescription = \"x\"\nseverity = \"fail\"\nverify = {verify}\n"));
        let told = sandbox.onus(["check"]).expect(3);
        assert!(
            told.stderr.contains(expected) && told.stderr.contains("onus.toml:"),
            "{verify}: {}",
            told.stderr
        );
    }
    let sandbox = Sandbox::new();
    let told = sandbox.onus(["check"]).expect(3);
    assert!(told.stderr.contains("onus init"), "{}", told.stderr);
}
