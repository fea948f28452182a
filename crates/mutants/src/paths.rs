//! What the name of a file tells: whether it is a test, whether a tool wrote it, whether its language is known.

use crate::kinds;

const TEST_DIRS: [&str; 3] = ["tests", "test", "__tests__"];

const TEST_STEMS: [&str; 3] = ["test", "tests", "conftest"];

/// What tools write, and what has nothing to do with how the work behaves.
const MADE: [&str; 9] = [
    "Cargo.lock",
    "package-lock.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "poetry.lock",
    "uv.lock",
    "go.sum",
    ".gitignore",
    ".gitattributes",
];

/// Code of tests by its place or its name: what checks run, and not what they check.
pub fn is_test(path: &str) -> bool {
    let (dirs, name) = path.rsplit_once('/').unwrap_or(("", path));
    if dirs.split('/').any(|dir| TEST_DIRS.contains(&dir)) {
        return true;
    }
    let stem = name.split('.').next().unwrap_or(name);
    let inner = name.split('.').skip(1);
    TEST_STEMS.contains(&stem)
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_tests")
        // `name.test.js`: between the name and the extension, so a file called `x.test` is none.
        || (name.matches('.').count() > 1 && inner.clone().any(|part| matches!(part, "test" | "tests" | "spec")))
}

/// Whether a grammar of the file's language is known.
pub fn is_code(path: &str) -> bool {
    kinds::language(path).is_some()
}

pub(crate) fn is_made(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    MADE.contains(&name) || name.starts_with("LICENSE") || name.contains(".min.")
}

/// The extension in lower case, or nothing.
pub(crate) fn extension(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let found = name.rsplit_once('.').map(|(_, extension)| extension);
    found.unwrap_or_default().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_known_by_place_and_name() {
        for path in [
            "tests/a.rs",
            "crates/x/tests/a.rs",
            "src/__tests__/a.js",
            "test_calc.py",
            "pkg/calc_test.go",
            "calc_tests.py",
            "src/calc.test.ts",
            "src/calc.spec.js",
            "src/tests.rs",
            "conftest.py",
        ] {
            assert!(is_test(path), "{path}");
        }
        for path in [
            "src/calc.rs",
            "src/latest.py",
            "contest.js",
            "src/attest_key.go",
            "protest/a.rs",
            "testing.md",
            "spec/openapi.yaml",
            "x.test",
        ] {
            assert!(!is_test(path), "{path}");
        }
    }

    #[test]
    fn what_tools_write_is_left_alone() {
        for path in ["Cargo.lock", "web/package-lock.json", "dist/a.min.js", "LICENSE-MIT"] {
            assert!(is_made(path), "{path}");
            assert!(crate::mutants(path, "one: 1\ntwo: 2\n", 9).is_empty(), "{path}");
        }
        assert!(!is_made("src/lock.rs") && !is_made("Cargo.toml"));
    }
}
