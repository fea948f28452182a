//! A first contract for a project, from what lies in it: checks that run at once, for a person to sharpen.

use std::collections::BTreeSet;
use std::fmt::Write as _;

/// What a project is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ingredient {
    Rust,
    Node,
    Python,
    Go,
    Openapi,
    Docs,
}

/// Recognises a project by the paths in it.
pub fn ingredients<'a>(paths: impl IntoIterator<Item = &'a str>) -> Vec<(Ingredient, String)> {
    let mut found: Vec<(Ingredient, String)> = Vec::new();
    for path in paths {
        let name = path.rsplit('/').next().unwrap_or(path);
        let top = !path.contains('/');
        let ingredient = match name {
            "Cargo.toml" if top => Ingredient::Rust,
            "package.json" if top => Ingredient::Node,
            "pyproject.toml" | "setup.py" | "requirements.txt" if top => Ingredient::Python,
            "go.mod" if top => Ingredient::Go,
            "openapi.yaml" | "openapi.yml" | "openapi.json" => Ingredient::Openapi,
            _ if name.ends_with(".md") => Ingredient::Docs,
            _ => continue,
        };
        if !found.iter().any(|(known, _)| *known == ingredient) {
            found.push((ingredient, path.to_owned()));
        }
    }
    found.sort();
    found
}

/// The text of a loop file that `onus check` can use as it is.
pub fn starter(found: &[(Ingredient, String)]) -> String {
    let mut text = String::from(
        "# What must be true of this project. `onus check` evaluates it once; a loop can be put around it later.\n\
         # `onus contract lint` says what in it cannot fail or cannot matter.\n\n\
         criteria_from = \"none\"\n\n",
    );
    let mut protected = vec!["onus.toml", ".github/**"];
    for (ingredient, _) in found {
        protected.extend(match ingredient {
            Ingredient::Rust => &["tests/**", "clippy.toml", "rustfmt.toml"][..],
            Ingredient::Node => &["test/**", "tests/**"],
            Ingredient::Python => &["tests/**", "conftest.py", "pytest.ini"],
            Ingredient::Go => &["**/*_test.go"],
            Ingredient::Openapi | Ingredient::Docs => &[],
        });
    }
    let mut seen = BTreeSet::new();
    protected.retain(|path| seen.insert(*path));
    let list: Vec<String> = protected.iter().map(|path| format!("{path:?}")).collect();
    let _ = writeln!(
        text,
        "# With `--base REVISION`, checks see these paths as they were there, whatever was done to them since.\nprotected = [{}]\n",
        list.join(", ")
    );
    text.push_str("[[levels]]\nname = \"A\"\nthreshold = 1.0\nactive_levels = [\"A\"]\n");
    for (ingredient, path) in found {
        text.push_str(&match ingredient {
            Ingredient::Rust => RUST.to_owned(),
            Ingredient::Node => NODE.to_owned(),
            Ingredient::Python => PYTHON.to_owned(),
            Ingredient::Go => GO.to_owned(),
            Ingredient::Openapi => OPENAPI.replace("PATH", path),
            Ingredient::Docs => DOCS.to_owned(),
        });
    }
    text
}

const RUST: &str = r#"
[[criteria]]
id = "a.rust.tests"
description = "Every test passes."
severity = "fail"
verify = { type = "tests", command = ["cargo", "test", "--offline"], format = "cargo" }

[[criteria]]
id = "a.rust.finished"
description = "Nothing is left as a stub."
severity = "fail"
verify = { type = "pattern", search = '\b(todo|unimplemented)!\(', files = "src/**/*.rs", rule = "forbidden" }
"#;

const NODE: &str = r#"
[[criteria]]
id = "a.node.tests"
description = "Every test passes."
severity = "fail"
verify = { type = "tests", command = ["node", "--test", "--test-reporter=tap"], format = "tap" }
"#;

const PYTHON: &str = r#"
[[criteria]]
id = "a.python.tests"
description = "Every test passes."
severity = "fail"
verify = { type = "tests", command = ["python3", "-m", "pytest", "-v", "-p", "no:cacheprovider"], format = "pytest" }

[[criteria]]
id = "a.python.compiles"
description = "Every file is valid Python."
severity = "fail"
verify = { type = "command", command = ["python3", "-m", "compileall", "-q", "."] }
"#;

const GO: &str = r#"
[[criteria]]
id = "a.go.tests"
description = "Every test passes."
severity = "fail"
verify = { type = "tests", command = ["go", "test", "-json", "./..."], format = "go" }
"#;

const OPENAPI: &str = r#"
[[criteria]]
id = "a.openapi.valid"
description = "The API description is valid, and every operation has responses and examples."
severity = "fail"
verify = { type = "openapi", files = "PATH" }
"#;

const DOCS: &str = r#"
[[criteria]]
id = "a.docs.links"
description = "Links between documents lead somewhere."
severity = "fail"
verify = { type = "links", files = "**/*.md" }
"#;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LoopFile, Overrides, Sources, resolve};

    #[test]
    fn every_mix_of_ingredients_gives_a_contract_that_can_be_read() {
        let paths = [
            "Cargo.toml",
            "package.json",
            "pyproject.toml",
            "go.mod",
            "api/openapi.yaml",
            "docs/guide.md",
            "src/x.rs",
        ];
        let all = ingredients(paths);
        assert_eq!(all.len(), 6);
        for count in 1..=all.len() {
            let file = LoopFile::parse(&starter(&all[..count]));
            assert_eq!(file.problems(), &[], "{}", starter(&all[..count]));
            let overrides = Overrides {
                contract_only: true,
                prompt: Some("x".into()),
                task_type: Some(onus_model::TaskType::Other),
                ..Overrides::default()
            };
            let draft = resolve(&file, &overrides, &Sources::default()).unwrap();
            let spec = draft.freeze(&Sources::default()).unwrap();
            assert_eq!(crate::lint(&spec), []);
        }
    }

    #[test]
    fn files_below_the_top_are_not_the_project() {
        assert_eq!(ingredients(["vendor/Cargo.toml", "a/b/package.json"]), []);
    }
}
