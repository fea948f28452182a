//! Structured text as JSON values: JSON, YAML and TOML, each within a bound and without a second meaning.

use serde_json::Value;
use toml::Value as Toml;

use crate::answer::Unique;
use crate::globs::{count, line_at};

/// Larger than descriptions of large interfaces, small enough to hold as values.
const JSON_BYTES_MAX: usize = 16 << 20;

/// YAML is read far more slowly, and its aliases multiply.
const YAML_BYTES_MAX: usize = 4 << 20;

/// People share a few blocks by alias; bombs need many.
const YAML_ALIASES_MAX: usize = 1_000;

/// Why a text is not the document it should be, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) line: Option<u32>,
    pub(crate) message: String,
}

fn problem(line: Option<u32>, message: impl Into<String>) -> Problem {
    Problem {
        line,
        message: message.into(),
    }
}

/// One document, in the language that the file's extension names.
pub(crate) fn read(path: &str, bytes: &[u8]) -> Result<Value, Problem> {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name
        .rsplit_once('.')
        .map(|(_, extension)| extension.to_ascii_lowercase())
        .as_deref()
    {
        Some("json") => json(bytes),
        Some("yaml" | "yml") => match <[Value; 1]>::try_from(yaml(bytes)?) {
            Ok([value]) => Ok(value),
            Err(all) => Err(problem(
                None,
                format!("has {} YAML documents, one is expected", all.len()),
            )),
        },
        Some("toml") => toml(bytes),
        _ => Err(problem(
            None,
            "has none of the extensions `.json`, `.yaml`, `.yml`, `.toml`",
        )),
    }
}

pub(crate) fn text(bytes: &[u8]) -> Result<&str, Problem> {
    std::str::from_utf8(bytes).map_err(|error| {
        let message = format!("is not UTF-8: the first bad byte is at offset {}", error.valid_up_to());
        problem(None, message)
    })
}

fn bounded(bytes: &[u8], bytes_max: usize) -> Result<&str, Problem> {
    if bytes.len() > bytes_max {
        return Err(problem(None, format!("is larger than {bytes_max} bytes")));
    }
    text(bytes)
}

/// Depth is bounded by `serde_json` (128).
pub(crate) fn json(bytes: &[u8]) -> Result<Value, Problem> {
    let text = bounded(bytes, JSON_BYTES_MAX)?;
    let error = |error: serde_json::Error| problem(Some(count(error.line())), format!("is not JSON: {error}"));
    // Two readers may disagree about which of two equal keys counts.
    serde_json::from_str::<Unique>(text).map_err(error)?;
    serde_json::from_str(text).map_err(error)
}

/// All documents of a stream.
pub(crate) fn yaml(bytes: &[u8]) -> Result<Vec<Value>, Problem> {
    let text = bounded(bytes, YAML_BYTES_MAX)?;
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_aliases: YAML_ALIASES_MAX,
            max_total_scalar_bytes: YAML_BYTES_MAX,
            max_recorded_anchor_bytes: YAML_BYTES_MAX,
        },
        strict_booleans: true,
        with_snippet: false,
    };
    serde_saphyr::from_multiple_with_options(text, options).map_err(|error| {
        let line = error.location().and_then(|place| u32::try_from(place.line()).ok());
        problem(line, format!("is not YAML: {error}"))
    })
}

/// Depth is bounded by `toml` (80).
pub(crate) fn toml(bytes: &[u8]) -> Result<Value, Problem> {
    let text = bounded(bytes, JSON_BYTES_MAX)?;
    let table: toml::Table = toml::from_str(text).map_err(|error| {
        let line = error.span().map(|span| line_at(text, span.start));
        problem(line, format!("is not TOML: {}", error.message()))
    })?;
    plain(Toml::Table(table)).ok_or_else(|| problem(None, "holds `nan` or `inf`, which no other format has"))
}

/// Dates become texts, as they are in JSON.
fn plain(value: Toml) -> Option<Value> {
    Some(match value {
        Toml::String(text) => Value::String(text),
        Toml::Integer(number) => number.into(),
        Toml::Float(number) => Value::Number(serde_json::Number::from_f64(number)?),
        Toml::Boolean(flag) => Value::Bool(flag),
        Toml::Datetime(moment) => Value::String(moment.to_string()),
        Toml::Array(items) => Value::Array(items.into_iter().map(plain).collect::<Option<_>>()?),
        Toml::Table(table) => {
            let entries = table.into_iter().map(|(key, value)| Some((key, plain(value)?)));
            Value::Object(entries.collect::<Option<_>>()?)
        }
    })
}

/// A key as a part of a JSON pointer.
pub(crate) fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_extension_names_the_language() {
        for (path, text, expected) in [
            (
                "a.json",
                r#"{"a":[1,null,18446744073709551615]}"#,
                json!({"a": [1, null, u64::MAX]}),
            ),
            (
                "d/a.yml",
                "200: x\nno: no\non: true\nd: 2024-01-01\n",
                json!({"200": "x", "no": "no", "on": true, "d": "2024-01-01"}),
            ),
            ("A.YAML", "a: &x [1]\nb: *x\n", json!({"a": [1], "b": [1]})),
            (
                "a.toml",
                "d = 2024-01-01\n[t]\nf = 1.5\n",
                json!({"d": "2024-01-01", "t": {"f": 1.5}}),
            ),
        ] {
            assert_eq!(read(path, text.as_bytes()).unwrap(), expected, "{path}");
        }
    }

    #[test]
    fn what_has_two_meanings_or_none_is_refused() {
        let laughs = "a: &a [x,x,x,x,x,x,x,x,x,x]\n".to_owned()
            + &('b'..='j')
                .map(|c| {
                    let before = char::from(c as u8 - 1);
                    format!("{c}: &{c} [{}]\n", vec![format!("*{before}"); 10].join(","))
                })
                .collect::<String>();
        let scalar = format!("a: &a {}\nb: [{}]\n", "x".repeat(100_000), vec!["*a"; 900].join(","));
        let deep = "[".repeat(100_000);
        let deep_toml = format!("a = {}1{}", "[".repeat(5_000), "]".repeat(5_000));
        let deep_yaml = (0..2_000).map(|n| " ".repeat(n) + "a:\n").collect::<String>();
        for (path, text, expected) in [
            ("a.json", "{\"a\":1,\n\"a\":2}", "duplicate field `a`"),
            ("a.json", "", "is not JSON: EOF"),
            ("a.json", "{} x", "is not JSON: trailing characters"),
            ("a.json", "{'a':1}", "is not JSON: key must be a string"),
            ("a.json", "NaN", "is not JSON"),
            ("a.json", deep.as_str(), "recursion limit"),
            ("a.yaml", "a: 1\na: 2\n", "duplicate"),
            ("a.yaml", "a: [1", "is not YAML"),
            ("a.yaml", "a: .inf", "is not YAML"),
            ("a.yaml", "a: 1\n---\na: 2\n", "has 2 YAML documents"),
            ("a.yaml", laughs.as_str(), "is not YAML"),
            ("a.yaml", scalar.as_str(), "is not YAML"),
            ("a.yaml", deep.as_str(), "is not YAML"),
            ("a.yaml", deep_yaml.as_str(), "is not YAML"),
            ("a.toml", "a = 1\na = 2\n", "is not TOML: duplicate key"),
            ("a.toml", "a = nan", "holds `nan`"),
            ("a.toml", "a", "is not TOML"),
            ("a.toml", deep_toml.as_str(), "is not TOML"),
            ("a.txt", "{}", "has none of the extensions"),
            ("json", "{}", "has none of the extensions"),
        ] {
            let problem = read(path, text.as_bytes()).unwrap_err();
            assert!(problem.message.contains(expected), "{path}: {}", problem.message);
        }
        assert!(
            read("a.json", b"\"\xff\"")
                .unwrap_err()
                .message
                .contains("is not UTF-8")
        );
        assert!(
            read("a.yaml", &vec![b'#'; YAML_BYTES_MAX + 1])
                .unwrap_err()
                .message
                .contains("larger")
        );
        assert_eq!(read("a.json", b"{\n\"a\":\n}").unwrap_err().line, Some(3));
        assert_eq!(read("a.toml", b"a = 1\nb\n").unwrap_err().line, Some(2));
    }
}
