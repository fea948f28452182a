//! Loops around real repositories, with their real tools: from red to green by a scripted agent, and only when it is green.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

use onus_testkit::{Said, Sandbox, git, python_with, said, tool_homes};

/// `onus` with the homes of the tools, which the sandbox's own home does not have.
fn onus(sandbox: &Sandbox, args: &[&str]) -> Said {
    let mut command = sandbox.command(args);
    command.envs(tool_homes());
    said(&mut command)
}

fn run(sandbox: &Sandbox, alias: &str) -> Said {
    onus(
        sandbox,
        &[
            "run",
            "--accept-criteria",
            "--max-iterations",
            "5",
            "--alias",
            alias,
            "make the tests pass",
        ],
    )
}

fn with_git(sandbox: &Sandbox) {
    git(sandbox, &["init", "-q"]);
    git(sandbox, &["add", "-A"]);
    git(sandbox, &["commit", "-qm", "base"]);
}

/// The agent first claims, then half fixes, then fixes.
fn script(half: (&str, &str), whole: (&str, &str)) -> String {
    format!(
        r#"
[[answer]]
role = "producer"
text = "Done. All tests pass now."

[[answer]]
role = "refiner"
iteration = 1
write = {{ "{}" = '''{}''' }}

[[answer]]
role = "refiner"
write = {{ "{}" = '''{}''' }}
"#,
        half.0, half.1, whole.0, whole.1
    )
}

/// The verdicts of each evaluation, in order: which criteria failed.
fn failing(sandbox: &Sandbox, alias: &str) -> Vec<Vec<String>> {
    let history = onus(sandbox, &["history", alias, "--json"]).expect(0);
    let events: Vec<serde_json::Value> = history
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let done = events.iter().filter(|e| e["event"] == "evaluation_done");
    done.map(|e| {
        let failed = e["payload"]["failed"].as_array().unwrap();
        failed.iter().map(|f| f["id"].as_str().unwrap().to_owned()).collect()
    })
    .collect()
}

fn assert_red_to_green(sandbox: &Sandbox, alias: &str, base: &[&str]) {
    let green = run(sandbox, alias).expect(0);
    assert!(green.stdout.contains("passed"), "{}", green.stdout);
    let failing = failing(sandbox, alias);
    assert_eq!(failing.len(), 3, "{failing:?}");
    assert!(
        !failing[0].is_empty() && !failing[1].is_empty() && failing[2].is_empty(),
        "{failing:?}"
    );
    onus(sandbox, &["verify", alias]).expect(0);
    onus(sandbox, &[&["check"], base].concat()).expect(0);
}

#[test]
fn a_rust_crate_is_driven_from_red_to_green() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "Cargo.toml",
        "[package]\nname = \"calc\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n",
    );
    sandbox.write(
        "src/lib.rs",
        "pub fn add(a: i32, b: i32) -> i32 {\n    a - b\n}\n\npub fn twice(a: i32) -> i32 {\n    a\n}\n",
    );
    sandbox.write(
        "tests/calc.rs",
        "use calc::{add, twice};\n\n#[test]\nfn adds() {\n    assert_eq!(add(2, 2), 4);\n}\n\n#[test]\nfn doubles() {\n    assert_eq!(twice(4), 8);\n}\n",
    );
    sandbox.write(".gitignore", "target\nCargo.lock\n");
    sandbox.write(
        "onus.toml",
        r#"
preset = "build"
protected = ["onus.toml", "agent.toml", "tests/**"]

[agents.coder]
kind = "scripted"
script = "agent.toml"

[roles]
default = "coder"

[[criteria]]
id = "a.tests"
description = "Every test passes."
severity = "fail"
verify = { type = "tests", command = ["cargo", "test", "--offline", "--no-fail-fast"], format = "cargo", min = 2 }

[[criteria]]
id = "a.scope"
description = "Only the library is changed."
severity = "fail"
verify = { type = "diff", allowed = "src/**" }
"#,
    );
    let half = "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n\npub fn twice(a: i32) -> i32 {\n    a\n}\n";
    let whole = "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n\npub fn twice(a: i32) -> i32 {\n    2 * a\n}\n";
    sandbox.write("agent.toml", script(("src/lib.rs", half), ("src/lib.rs", whole)));
    with_git(&sandbox);
    assert_red_to_green(&sandbox, "rust-crate", &["--base", "HEAD"]);
}

#[test]
fn a_python_package_is_driven_from_red_to_green() {
    let python = python_with(&["pytest", "coverage"]);
    let python = python.display();
    let sandbox = Sandbox::new();
    sandbox.write("shop/__init__.py", "");
    sandbox.write(
        "shop/cart.py",
        "def total(prices):\n    return 0\n\n\ndef discount(price, percent):\n    return price\n",
    );
    sandbox.write(
        "tests/test_cart.py",
        "from shop.cart import discount, total\n\n\ndef test_total():\n    assert total([1, 2, 3]) == 6\n\n\ndef test_empty():\n    assert total([]) == 0\n\n\ndef test_discount():\n    assert discount(200, 25) == 150\n",
    );
    sandbox.write("conftest.py", "");
    sandbox.write(
        "onus.toml",
        format!(
            r#"
preset = "build"
protected = ["onus.toml", "agent.toml", "tests/**", "conftest.py"]

[agents.coder]
kind = "scripted"
script = "agent.toml"

[roles]
default = "coder"

[[criteria]]
id = "a.tests"
description = "Every test passes, and none is gone."
severity = "fail"
verify = {{ type = "tests", command = ["{python}", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml=report.xml"], format = "junit", report = "report.xml", min = 3 }}

[[criteria]]
id = "a.coverage"
description = "At least nine lines in ten run in the tests."
severity = "fail"
verify = {{ type = "coverage", command = "{python} -m coverage run --source=shop -m pytest -q -p no:cacheprovider; {python} -m coverage xml -o coverage.xml", report = "coverage.xml", format = "cobertura", baseline = 90 }}
"#
        ),
    );
    let half = "def total(prices):\n    return sum(prices)\n\n\ndef discount(price, percent):\n    return price\n";
    let whole = "def total(prices):\n    return sum(prices)\n\n\ndef discount(price, percent):\n    return price * (100 - percent) / 100\n";
    sandbox.write("agent.toml", script(("shop/cart.py", half), ("shop/cart.py", whole)));
    assert_red_to_green(&sandbox, "python-package", &[]);
}

#[test]
fn a_node_module_is_driven_from_red_to_green() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "package.json",
        "{ \"name\": \"slug\", \"version\": \"1.0.0\", \"type\": \"module\" }\n",
    );
    sandbox.write("slug.js", "export const slug = (text) => text;\n");
    sandbox.write(
        "slug.test.js",
        "import test from 'node:test';\nimport assert from 'node:assert';\nimport { slug } from './slug.js';\n\ntest('lower case', () => assert.equal(slug('Ab'), 'ab'));\ntest('dashes', () => assert.equal(slug('a b'), 'a-b'));\n",
    );
    sandbox.write(
        "onus.toml",
        r#"
preset = "build"
protected = ["onus.toml", "agent.toml", "*.test.js", "package.json"]

[agents.coder]
kind = "scripted"
script = "agent.toml"

[roles]
default = "coder"

[[criteria]]
id = "a.tests"
description = "Every test passes."
severity = "fail"
verify = { type = "tests", command = ["node", "--test", "--test-reporter=tap"], format = "tap", min = 2 }
"#,
    );
    let half = "export const slug = (text) => text.toLowerCase();\n";
    let whole = "export const slug = (text) => text.toLowerCase().replaceAll(' ', '-');\n";
    sandbox.write("agent.toml", script(("slug.js", half), ("slug.js", whole)));
    assert_red_to_green(&sandbox, "node-module", &[]);
}

/// Work that rewrites the files while it is checked leaves nothing behind but what was checked.
#[test]
fn what_was_evaluated_is_what_is_left() {
    let sandbox = Sandbox::new();
    sandbox.write("add.py", "def add(a, b):\n    return a - b\n");
    sandbox.write(
        "onus.toml",
        r#"
preset = "build"
protected = ["*.toml"]

[agents.coder]
kind = "scripted"
script = "agent.toml"

[[criteria]]
id = "a.adds"
description = "Two numbers are added."
severity = "fail"
verify = { type = "command", command = ["python3", "-B", "-c", "from add import add; assert add(2, 3) == 5"] }
"#,
    );
    let swap = format!(
        "open('{}', 'w').write('swapped')\n\n\ndef add(a, b):\n    return a + b\n",
        sandbox.project().join("add.py").display()
    );
    sandbox.write(
        "agent.toml",
        format!("[[answer]]\nrole = \"producer\"\nwrite = {{ \"add.py\" = \"\"\"{swap}\"\"\" }}\n"),
    );
    run(&sandbox, "swap").expect(0);
    assert_eq!(sandbox.read("add.py"), swap);
    let history = onus(&sandbox, &["history", "swap", "--json"]).expect(0).stdout;
    assert!(history.contains("\"edit_refused\""), "{history}");
}
