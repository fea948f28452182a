//! Strict reading of an intent's text: first as JSON in which nothing is lost, then against the published schema.
//!
//! The reader walks the schema itself, so what it accepts and what the schema says cannot drift apart.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::LazyLock;

use regex::Regex;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::{Intent, IntentError, schema};

/// Longer texts are refused before they are read. An intent of 200 components has about 100 KiB.
pub const BYTES_MAX: usize = 1 << 20;
/// The deepest value of an intent stands at depth 7.
const DEPTH_MAX: usize = 32;
/// More mistakes than these are counted, not listed.
pub const VIOLATIONS_MAX: usize = 50;
/// Beyond it, neighbouring integers are one number to many readers of JSON.
const INTEGER_MAX: u64 = 1 << 53;
/// How much of a wrong value a message shows.
const SHOWN_CHARS: usize = 60;

static SCHEMA: LazyLock<Value> = LazyLock::new(schema);
/// The patterns of the schema, read once.
static PATTERNS: LazyLock<BTreeMap<String, Regex>> = LazyLock::new(|| {
    let mut all = BTreeMap::new();
    collect_patterns(&SCHEMA, &mut all);
    all
});

pub(super) fn parse(text: &str) -> Result<Intent, IntentError> {
    if text.len() > BYTES_MAX {
        return Err(IntentError::TooLarge {
            bytes: text.len(),
            max: BYTES_MAX,
        });
    }
    let (value, mut violations) = read_json(text)?;
    let mut walk = Walk {
        place: Vec::new(),
        violations: Vec::new(),
    };
    walk.value(&value, &SCHEMA);
    violations.extend(walk.violations);
    if violations.is_empty() {
        return serde_json::from_value(value).map_err(|error| IntentError::Schema {
            violations: vec![(String::new(), error.to_string())],
        });
    }
    violations.sort();
    violations.dedup();
    let more = violations.len().saturating_sub(VIOLATIONS_MAX);
    violations.truncate(VIOLATIONS_MAX);
    if let Some((_, message)) = violations.last_mut().filter(|_| more > 0) {
        message.push_str(&format!(" (and {more} more mistakes)"));
    }
    Err(IntentError::Schema { violations })
}

/// The JSON pointer of a place (RFC 6901).
fn pointer(place: &[String]) -> String {
    place
        .iter()
        .map(|key| format!("/{}", key.replace('~', "~0").replace('/', "~1")))
        .collect()
}

#[derive(Default)]
struct Reading {
    place: Vec<String>,
    numbers: Vec<(String, String)>,
    twice: Option<String>,
}

type Violations = Vec<(String, String)>;

fn read_json(text: &str) -> Result<(Value, Violations), IntentError> {
    let reading = RefCell::new(Reading::default());
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let read = Strict(&reading)
        .deserialize(&mut deserializer)
        .and_then(|value| deserializer.end().map(|()| value));
    let reading = reading.into_inner();
    match read {
        Ok(value) => Ok((value, reading.numbers)),
        Err(error) => Err(match reading.twice {
            Some(pointer) => IntentError::DuplicateKey { pointer },
            None => json_error(text, &error),
        }),
    }
}

fn json_error(text: &str, error: &serde_json::Error) -> IntentError {
    let (line, column) = (error.line(), error.column());
    let place = format!(" at line {line} column {column}");
    let message = error.to_string();
    let mut message = message.strip_suffix(&place).unwrap_or(&message).to_string();
    // The reader stops at the first or second letter of the word.
    let rest = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    let near: String = rest.chars().skip(column.saturating_sub(3)).take(12).collect();
    if near.contains("NaN") || near.contains("Inf") {
        message = "NaN and Infinity are not JSON".to_string();
    }
    IntentError::Json { line, column, message }
}

/// Reads any value, and refuses what other readers would each understand in their own way.
struct Strict<'a>(&'a RefCell<Reading>);

impl Strict<'_> {
    fn enter<E: serde::de::Error>(&self, key: String) -> Result<(), E> {
        let mut reading = self.0.borrow_mut();
        reading.place.push(key);
        if reading.place.len() > DEPTH_MAX {
            return Err(E::custom(format!("values are nested deeper than {DEPTH_MAX}")));
        }
        Ok(())
    }

    fn leave(&self) {
        self.0.borrow_mut().place.pop();
    }

    fn number(&self, shown: &str) {
        let mut reading = self.0.borrow_mut();
        // One number too many is enough to refuse; the bound keeps a hostile text cheap.
        if reading.numbers.len() < 2 * VIOLATIONS_MAX {
            let place = pointer(&reading.place);
            let message = format!("{shown} is beyond 2^53 and would not be kept exactly");
            reading.numbers.push((place, message));
        }
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        if value > INTEGER_MAX {
            self.number(&value.to_string());
        }
        Ok(Value::from(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        if value.unsigned_abs() > INTEGER_MAX {
            self.number(&value.to_string());
        }
        Ok(Value::from(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        // 2^53 as a float is exact, and every float beyond it is an integer.
        if value.abs() > 9_007_199_254_740_992.0 {
            self.number(&value.to_string());
        }
        Ok(Value::from(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_string()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        self.enter("0".to_string())?;
        while let Some(item) = seq.next_element_seed(Strict(self.0))? {
            list.push(item);
            if let Some(index) = self.0.borrow_mut().place.last_mut() {
                *index = list.len().to_string();
            }
        }
        self.leave();
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut seen = BTreeSet::new();
        let mut object = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            self.enter(key.clone())?;
            if !seen.insert(key.clone()) {
                let mut reading = self.0.borrow_mut();
                let place = pointer(&reading.place);
                reading.twice = Some(place);
                return Err(A::Error::custom("a key stands there twice"));
            }
            let value = map.next_value_seed(Strict(self.0))?;
            object.insert(key, value);
            self.leave();
        }
        Ok(Value::Object(object))
    }
}

/// A walk through a value beside its schema. Every keyword that the published schema uses is understood here; a test holds
/// the two together.
struct Walk {
    place: Vec<String>,
    violations: Violations,
}

/// Keywords of JSON Schema that this reader understands or that ask for nothing.
pub const KEYWORDS: [&str; 19] = [
    "$ref",
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
    "pattern",
    "enum",
    "const",
    "oneOf",
    "$schema",
    "$defs",
    "title",
    "description",
    "default",
];

impl Walk {
    fn note(&mut self, message: String) {
        self.violations.push((pointer(&self.place), message));
    }

    fn value(&mut self, value: &Value, schema: &Value) {
        if let Some(name) = schema["$ref"].as_str() {
            let target = name.strip_prefix('#').and_then(|place| SCHEMA.pointer(place));
            return match target {
                Some(target) => self.value(value, target),
                None => self.note(format!("the schema names `{name}`, which it does not have")),
            };
        }
        if let Some(words) = allowed_words(schema) {
            return match value.as_str() {
                Some(word) if words.contains(&word) => {}
                Some(word) => self.note(format!("`{}` is none of {}", shown(word), words.join(", "))),
                None => self.note(format!("is {}, must be text", kind_of(value))),
            };
        }
        let kinds: Vec<&str> = match &schema["type"] {
            Value::String(kind) => vec![kind.as_str()],
            Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => vec![],
        };
        if !kinds.iter().any(|kind| is_kind(value, kind)) {
            let wanted: Vec<&str> = kinds.iter().map(|kind| kind_word(kind)).collect();
            return self.note(format!("is {}, must be {}", kind_of(value), wanted.join(" or ")));
        }
        match value {
            Value::String(text) => self.text(text, schema),
            Value::Array(list) => self.list(list, schema),
            Value::Object(object) => self.object(object, schema),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn text(&mut self, text: &str, schema: &Value) {
        let chars = u64::try_from(text.chars().count()).unwrap_or(u64::MAX);
        if schema["minLength"].as_u64().is_some_and(|min| chars < min) {
            self.note("is empty".to_string());
        }
        if let Some(max) = schema["maxLength"].as_u64().filter(|max| chars > *max) {
            self.note(format!("has {chars} characters, at most {max} are allowed"));
        }
        if let Some(pattern) = schema["pattern"].as_str() {
            match PATTERNS.get(pattern) {
                Some(regex) if regex.is_match(text) => {}
                Some(_) => self.note(mismatch(text, pattern)),
                None => self.note(format!("the schema's pattern `{pattern}` cannot be read")),
            }
        }
    }

    fn list(&mut self, list: &[Value], schema: &Value) {
        let count = u64::try_from(list.len()).unwrap_or(u64::MAX);
        if let Some(min) = schema["minItems"].as_u64().filter(|min| count < *min) {
            self.note(format!("has {count} entries, at least {min} are needed"));
        }
        if let Some(max) = schema["maxItems"].as_u64().filter(|max| count > *max) {
            // The entries are not looked at: a list that is far too long has one mistake, not thousands.
            return self.note(format!("has {count} entries, at most {max} are allowed"));
        }
        for (index, item) in list.iter().enumerate() {
            self.place.push(index.to_string());
            self.value(item, &schema["items"]);
            self.place.pop();
        }
    }

    fn object(&mut self, object: &Map<String, Value>, schema: &Value) {
        for key in schema["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
        {
            if !object.contains_key(key) {
                self.place.push(key.to_string());
                self.note("is missing".to_string());
                self.place.pop();
            }
        }
        for (key, value) in object {
            self.place.push(key.clone());
            match schema["properties"].get(key) {
                Some(part) => self.value(value, part),
                None => {
                    let known: Vec<&str> = schema["properties"]
                        .as_object()
                        .map(|all| all.keys().map(String::as_str).collect())
                        .unwrap_or_default();
                    self.note(format!("is not a key here; the keys are {}", known.join(", ")));
                }
            }
            self.place.pop();
        }
    }
}

fn collect_patterns(schema: &Value, all: &mut BTreeMap<String, Regex>) {
    if let Some(pattern) = schema["pattern"].as_str() {
        all.extend(Regex::new(pattern).map(|regex| (pattern.to_string(), regex)));
    }
    let parts: Vec<&Value> = match schema {
        Value::Object(object) => object.values().collect(),
        Value::Array(list) => list.iter().collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => vec![],
    };
    for part in parts {
        collect_patterns(part, all);
    }
}

/// The words of an enumeration, in whichever form the schema writes it.
fn allowed_words(schema: &Value) -> Option<Vec<&str>> {
    if let Some(word) = schema["const"].as_str() {
        return Some(vec![word]);
    }
    if let Some(words) = schema["enum"].as_array() {
        return Some(words.iter().filter_map(Value::as_str).collect());
    }
    let choices = schema["oneOf"].as_array()?;
    Some(choices.iter().filter_map(allowed_words).flatten().collect())
}

fn is_kind(value: &Value, kind: &str) -> bool {
    match value {
        Value::Null => kind == "null",
        Value::Bool(_) => kind == "boolean",
        Value::Number(_) => kind == "number",
        Value::String(_) => kind == "string",
        Value::Array(_) => kind == "array",
        Value::Object(_) => kind == "object",
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn kind_word(kind: &str) -> &str {
    match kind {
        "boolean" => "true or false",
        "number" => "a number",
        "string" => "text",
        "array" => "a list",
        "object" => "an object",
        other => other,
    }
}

fn shown(text: &str) -> String {
    let mut short: String = text.chars().take(SHOWN_CHARS).flat_map(char::escape_debug).collect();
    if text.chars().count() > SHOWN_CHARS {
        short.push('…');
    }
    short
}

/// Why a name does not fit: a letter that only looks right is named, since nobody would see it.
fn mismatch(text: &str, pattern: &str) -> String {
    let Some(strange) = text.chars().find(|c| !c.is_ascii()) else {
        return format!("`{}` does not match `{pattern}`", shown(text));
    };
    let code = u32::from(strange);
    match looks_like(strange) {
        Some(ascii) => format!("`{}` contains U+{code:04X}, which looks like {ascii}", shown(text)),
        None => format!(
            "`{}` contains U+{code:04X}, which does not match `{pattern}`",
            shown(text)
        ),
    }
}

/// Letters of other scripts, by the ASCII character they are taken for.
const LOOK_ALIKES: [(&str, char); 35] = [
    ("аɑα", 'a'),
    ("Ьƅ", 'b'),
    ("сϲᴄ", 'c'),
    ("ԁɗ", 'd'),
    ("еєҽ", 'e'),
    ("ƒ", 'f'),
    ("ɡց", 'g'),
    ("һհ", 'h'),
    ("іıɩι", 'i'),
    ("јϳ", 'j'),
    ("кκ", 'k'),
    ("ӏǀⅼ", 'l'),
    ("мⅿ", 'm'),
    ("ոռ", 'n'),
    ("оοօᴏ", 'o'),
    ("рρ", 'p'),
    ("ԛզ", 'q'),
    ("гᴦ", 'r'),
    ("ѕꜱ", 's'),
    ("тτ", 't'),
    ("υսᴜ", 'u'),
    ("νѵᴠ", 'v'),
    ("ԝѡᴡ", 'w'),
    ("хχ", 'x'),
    ("уγ", 'y'),
    ("ᴢ", 'z'),
    ("АΑ", 'A'),
    ("ВΒ", 'B'),
    ("ЕΕ", 'E'),
    ("МΜ", 'M'),
    ("ОΟ", 'O'),
    ("РΡ", 'P'),
    ("СϹ", 'C'),
    ("ТΤ", 'T'),
    ("‐‑‒–—−﹣", '-'),
];

fn looks_like(strange: char) -> Option<char> {
    // The full-width forms of ASCII stand in its order.
    if ('\u{FF01}'..='\u{FF5E}').contains(&strange) {
        return char::from_u32(u32::from(strange) - 0xFEE0);
    }
    let found = LOOK_ALIKES.iter().find(|(letters, _)| letters.contains(strange));
    found.map(|(_, ascii)| *ascii)
}
