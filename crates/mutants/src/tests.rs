use proptest::prelude::*;

use super::*;

/// What is changed where, with the line as it became.
fn told(path: &str, text: &str) -> Vec<String> {
    mutants(path, text, 1_000)
        .into_iter()
        .map(|m| format!("{}: {}", m.line, m.what))
        .collect()
}

#[track_caller]
fn expect(path: &str, text: &str, wanted: &[&str]) {
    let told = told(path, text);
    for want in wanted {
        assert!(
            told.iter().any(|line| line == want),
            "{path}: no `{want}` in\n{}",
            told.join("\n")
        );
    }
}

#[track_caller]
fn refuse(path: &str, text: &str, unwanted: &[&str]) {
    let told = told(path, text);
    for part in unwanted {
        assert!(
            !told.iter().any(|line| line.contains(part)),
            "{path}: `{part}` in\n{}",
            told.join("\n")
        );
    }
}

#[test]
fn rust_is_changed_where_it_means_something() {
    let text = "//! 1 + 1\nuse std::fmt;\n\npub fn limit(a: u32, on: bool) -> u32 {\n    if on && a < 10 {\n        log(a);\n        return a + 1;\n    }\n    a * 2\n}\n\nfn name() -> Result<String, Error> {\n    Ok(\"x\".to_owned())\n}\n\nfn holds(list: &[u8]) -> bool {\n    if list.is_empty() {\n        return !true;\n    }\n    list.len() >= 3\n}\n\nfn go(&mut self) {\n    self.total += 1;\n}\n";
    expect(
        "src/a.rs",
        text,
        &[
            "4: replaced the body of `limit` with `{ 0 }`",
            "5: replaced `&&` with `||`",
            "5: replaced `<` with `<=`",
            "5: replaced `<` with `>=`",
            "5: replaced `10` with `11`",
            "5: replaced `10` with `9`",
            "6: removed the statement `log(a);`",
            "7: replaced `+` with `-`",
            "9: replaced `*` with `/`",
            "12: replaced the body of `name` with `{ Ok(String::new()) }`",
            "13: emptied the string `\"x\"`",
            "16: replaced the body of `holds` with `{ false }`",
            "16: replaced the body of `holds` with `{ true }`",
            "17: negated the condition `list.is_empty()`",
            "18: removed the negation of `true`",
            "18: replaced `true` with `false`",
            "20: replaced `>=` with `>`",
            "23: replaced the body of `go` with `{}`",
            "24: replaced `+=` with `-=`",
        ],
    );
}

#[test]
fn rust_leaves_tests_attributes_macros_and_types_alone() {
    let text = "#![allow(dead_code = 1)]\n#[derive(Debug)]\nstruct A([u8; 77]);\n// 78 + 1\nfn f(a: (u8, u8)) -> Opaque {\n    println!(\"{}\", 79 + 80);\n    a.0 + a.1\n}\n#[cfg(test)]\nmod checks {\n    fn g() -> u8 { 81 }\n}\n#[test]\n/// words\nfn t() { assert_eq!(82, f(83)); h(84); }\nmod tests { fn i() -> u8 { 85 } }\n#[cfg(not(test))]\nfn real() -> u8 { 96 }\n#[tokio::test(flavor = \"x\")]\nasync fn u() { h(87); }\n";
    refuse(
        "a.rs",
        text,
        &[
            "77",
            "78",
            "79",
            "80",
            "81",
            "82",
            "83",
            "84",
            "85",
            "87",
            "dead_code",
            "`0`",
            "Opaque",
        ],
    );
    expect(
        "a.rs",
        text,
        &["7: replaced `+` with `-`", "18: replaced `96` with `97`"],
    );
    assert!(told("src/tests.rs", text).is_empty() && told("tests/a.rs", text).is_empty());
    assert!(told("a.rs", "#![cfg(test)]\nfn f() -> u8 { 1 }\n").is_empty());
}

#[test]
fn python_is_changed_where_it_means_something() {
    let text = "\"\"\"Adds 1.\"\"\"\nimport os\nfrom a import b\n\n@decorated(5)\ndef limit(a: int, on=True):\n    \"\"\"Text.\"\"\"\n    if on and not a in b:\n        os.remove(a)\n    elif ready(a):\n        return f\"{a}x\"\n    return a // 2\n\nif __name__ == \"__main__\":\n    limit(3)\n";
    expect(
        "a.py",
        text,
        &[
            "6: replaced the body of `limit` with `return None`",
            "6: replaced `True` with `False`",
            "8: replaced `and` with `or`",
            "8: replaced `in` with `not in`",
            "9: removed the statement `os.remove(a)`",
            "10: negated the condition `ready(a)`",
            "11: replaced `f\"{a}x\"` with `None`",
            "12: replaced `//` with `*`",
            "12: replaced `a // 2` with `None`",
        ],
    );
    refuse("a.py", text, &["Adds", "Text.", "`5`", "__name__", "__main__", "`os`"]);
    assert!(told("test_a.py", text).is_empty() && told("a_test.py", text).is_empty());
}

#[test]
fn javascript_and_typescript_are_changed_where_they_mean_something() {
    let text = "\"use strict\";\nconst fs = require(\"fs\");\nimport { a } from \"b\";\nexport { c } from \"d\";\nfunction f(x) {\n  if (x === 1 || g(x)) {\n    fs.write(x);\n  }\n  return x ?? 2;\n}\nconst h = (y) => y > 3 ? `t${y}` : '';\nclass K { constructor() { super(); this.n = 4; } m() { return false; } }\n";
    for path in ["a.js", "a.mjs", "a.jsx"] {
        expect(
            path,
            text,
            &[
                "5: replaced the body of `f` with `{ return undefined; }`",
                "6: replaced `===` with `!==`",
                "6: replaced `||` with `&&`",
                "6: negated the condition `x === 1 || g(x)`",
                "7: removed the statement `fs.write(x);`",
                "9: replaced `x ?? 2` with `undefined`",
                "11: replaced the body of a function with `undefined`",
                "11: replaced `>` with `>=`",
                "11: emptied the string `` `t${y}` ``"
                    .replace("`` `", "``")
                    .replace("` ``", "``")
                    .as_str(),
                "12: replaced `false` with `true`",
            ],
        );
        refuse(
            path,
            text,
            &["use strict", "\"fs\"", "\"b\"", "\"d\"", "super", "`constructor`"],
        );
    }
    let typed = "type T = 'one' | 'two';\ninterface I { n: 7 }\nexport function f(x: number): T {\n  return x < 8 ? 'one' : 'two';\n}\n";
    for path in ["a.ts", "a.tsx"] {
        expect(
            path,
            typed,
            &[
                "3: replaced the body of `f` with `{ return undefined as any; }`",
                "4: replaced `<` with `<=`",
                "4: emptied the string `'one'`",
            ],
        );
        refuse(path, typed, &["1:", "2:"]);
    }
    assert!(told("a.test.ts", typed).is_empty());
}

#[test]
fn go_is_changed_where_it_means_something() {
    let text = "package a\n\nimport \"fmt\"\n\ntype S struct {\n\tN int `json:\"n\"`\n}\n\nfunc F(a int) (string, error) {\n\tif a != 1 && ok(a) {\n\t\tfmt.Println(\"x\")\n\t}\n\treturn \"y\", nil\n}\n\nfunc (s *S) Sum() int {\n\ts.N += 2\n\treturn s.N - 1\n}\n\nfunc G() Opaque { return make() }\n\nfunc H() (n Opaque) { n = make(); return }\n";
    expect(
        "a.go",
        text,
        &[
            "9: replaced the body of `F` with `{ return \"\", nil }`",
            "10: replaced `!=` with `==`",
            "10: replaced `&&` with `||`",
            "11: removed the statement `fmt.Println(\"x\")`",
            "13: emptied the string `\"y\"`",
            "16: replaced the body of `Sum` with `{ return 0 }`",
            "17: replaced `+=` with `-=`",
            "18: replaced `-` with `+`",
            "23: replaced the body of `H` with `{ return }`",
        ],
    );
    refuse("a.go", text, &["json", "\"fmt\"`", "`G`"]);
    assert!(told("a_test.go", text).is_empty());
}

#[test]
fn other_texts_are_changed_by_lines() {
    expect(
        "README.md",
        "# Tool\n\nTakes 3 seconds.\nReally.\n\n## Use\n\n1. Run it.\n",
        &[
            "1: emptied the section `# Tool`",
            "3: replaced `3` with `4`",
            "3: removed the line `Takes 3 seconds.`",
            "3: swapped the line `Takes 3 seconds.` with the one below",
            "4: repeated the line `Really.`",
            "6: emptied the section `## Use`",
        ],
    );
    refuse("a.md", "Text.\n\n```toml\nx = 1\n```\n", &["3:", "5:"]);
    let json = "{\n  \"a\": 1,\n  \"b\": {\n    \"c\": true\n  },\n  \"d\": \"x\"\n}\n";
    expect(
        "a.json",
        json,
        &[
            "2: removed the key `a`",
            "2: replaced `1` with `2`",
            "6: removed the key `d`",
        ],
    );
    let last = mutants("a.json", json, 99)
        .into_iter()
        .find(|m| m.what.contains("`d`"))
        .unwrap();
    assert_eq!(last.text, "{\n  \"a\": 1,\n  \"b\": {\n    \"c\": true\n  }\n}\n");
    let yaml = "# 9\na:\n  b: 1\n\n  c: 2\nd: 3\n";
    expect("a.yml", yaml, &["2: removed the key `a`", "3: removed the key `b`"]);
    refuse("a.yml", yaml, &["1:", "9"]);
    let whole = mutants("a.yml", yaml, 99)
        .into_iter()
        .find(|m| m.what == "removed the key `a`")
        .unwrap();
    assert_eq!(whole.text, "# 9\nd: 3\n");
    let toml = "# x\n[a]\nb = 1\nc = [\n  2,\n]\n\n[d]\ne = \"f\"\ng = 1\n";
    expect(
        "a.toml",
        toml,
        &[
            "2: emptied the section `[a]`",
            "3: removed the key `b`",
            "9: removed the key `e`",
        ],
    );
    refuse("a.toml", toml, &["key `c`"]);
    expect(
        "run.sh",
        "#!/bin/sh\n# 1\nset -e\nmake all",
        &["3: removed the line `set -e`", "4: repeated the line `make all`"],
    );
    refuse("run.sh", "#!/bin/sh\n# 1\nset -e\n", &["bin/sh", "`# 1`"]);
    let repeated = mutants("a.txt", "x\ny", 99)
        .into_iter()
        .find(|m| m.what == "repeated the line `y`")
        .unwrap();
    assert_eq!(repeated.text, "x\ny\ny\n");
}

#[test]
fn a_cut_is_spread_over_the_text() {
    let text: String = (0..100)
        .map(|n| format!("def f{n}(a):\n    return a + {n}\n"))
        .collect();
    let lines: Vec<u32> = mutants("a.py", &text, 4).iter().map(|m| m.line).collect();
    assert_eq!(lines.len(), 4);
    for (quarter, line) in lines.iter().enumerate() {
        let from = u32::try_from(quarter).unwrap() * 50;
        assert!((from..=from + 50).contains(line), "{lines:?}");
    }
    assert!(mutants("a.py", &text, 0).is_empty());
}

#[test]
fn what_cannot_be_read_does_no_harm() {
    for (path, text) in [
        ("a.py", ""),
        ("", ""),
        ("a", "\n\n\n"),
        ("a.rs", "\0\u{1}\u{2}fn f"),
        ("a.rs", "{{{{ fn 1 + + ("),
        ("a.json", "{"),
        ("a.json", "\"only\": 1"),
        ("a.toml", "[a]"),
        ("a.md", "# "),
        ("a.md", "####### 7\n#x\n"),
        ("a.go", "é = \"日本\" + 1\r\n"),
        ("../..", "1"),
    ] {
        for mutant in mutants(path, text, 50) {
            assert_ne!(mutant.text, text, "{path}");
        }
    }
    // What does not parse as its language is still a text.
    assert!(!mutants("a.rs", ") ) ) one two\n) ) ) three\n", 5).is_empty());
}

#[test]
fn large_and_deep_texts_are_borne() {
    let long: String = (0..40_000).map(|n| format!("fn f{n}() -> u32 {{ {n} }}\n")).collect();
    assert!(long.len() > 1_000_000 && long.len() < TEXT_BYTES_MAX);
    assert_eq!(mutants("a.rs", &long, 5).len(), 5);
    assert_eq!(mutants("a.md", &long, 5).len(), 5);
    assert!(mutants("a.md", &"line 1\n".repeat(400_000), 5).is_empty());
    assert!(mutants("a.js", &"f(1);".repeat(4_000), 5).is_empty());
    for (path, open, close) in [
        ("a.rs", "(\n", ")\n"),
        ("a.py", "[\n", "]\n"),
        ("a.js", "{\n", "}\n"),
        ("a.json", "[\n", "]\n"),
    ] {
        let deep = format!("{}1{}", open.repeat(20_000), close.repeat(20_000));
        mutants(path, &deep, 3);
        mutants(path, &open.repeat(20_000), 3);
    }
}

/// Whether a text is free of errors in the language of its path.
fn parses(path: &str, text: &str) -> bool {
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&kinds::language(path).unwrap().grammar()).unwrap();
    !parser.parse(text, None).unwrap().root_node().has_error()
}

#[test]
fn what_parsed_still_parses() {
    for (path, text) in [
        ("grammar.rs", include_str!("grammar.rs")),
        ("edit.rs", include_str!("edit.rs")),
        (
            "a.py",
            "def f(a):\n    g(a)\n\ndef h(): return not 1 if a else 2\nclass A:\n    def m(self):\n        yield 1\n",
        ),
        (
            "a.js",
            "if (a) b(); else c();\nfor (let i = 0; i < 3; i++) d(i);\nconst f = () => ({ a: 1 });\n",
        ),
        (
            "a.go",
            "package a\nfunc F() { defer g(); if a := h(); a > 1 { i() } }\n",
        ),
    ] {
        assert!(parses(path, text), "{path}");
        let found = mutants(path, text, 300);
        assert!(!found.is_empty(), "{path}");
        for mutant in found {
            assert!(parses(path, &mutant.text), "{path}:{}: {}", mutant.line, mutant.what);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_text_has_sound_mutants(path in "[a-z_/.]{0,12}\\.(rs|py|js|ts|tsx|go|md|json|yml|toml|sh|txt)?", text in "(?s).{0,200}", max in 0_usize..30) {
        sound(&path, &text, max)?;
    }

    #[test]
    fn texts_like_code_have_sound_mutants(
        extension in "rs|py|js|ts|go|md|json|yml|toml",
        words in proptest::collection::vec("if|else|fn|def|func|return|[a-c]|[0-9]{1,3}|\\+|<|==|&&|and|not|!|\\(|\\)|\\{|\\}|\\[|:|;|,|\"[a-c]*\"|'|#|//| |\n|\n    |é", 0..60),
    ) {
        sound(&format!("a.{extension}"), &words.join(" "), 20)?;
    }
}

fn sound(path: &str, text: &str, max: usize) -> Result<(), TestCaseError> {
    let found = mutants(path, text, max);
    prop_assert!(found.len() <= max);
    prop_assert_eq!(&found, &mutants(path, text, max));
    let lines = u32::try_from(text.split('\n').count()).unwrap();
    for (at, mutant) in found.iter().enumerate() {
        prop_assert_ne!(&mutant.text, text);
        prop_assert!((1..=lines).contains(&mutant.line), "{:?}", mutant);
        prop_assert!(found[..at].iter().all(|other| other.text != mutant.text));
    }
    Ok(())
}
