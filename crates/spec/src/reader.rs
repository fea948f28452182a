//! A small reader over spanned TOML: it hands out typed values and notes every problem on the way.
//!
//! It knows TOML and nothing of loops; `file` gives it the shape. Nothing here stops at the first mistake: what cannot
//! be read is noted and left out.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use serde::de::DeserializeOwned;
use toml::de::{DeTable, DeValue};

use crate::problems::{Problem, Span, suggest};

pub(crate) type Problems = Vec<Problem>;

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct At<T> {
    pub value: T,
    pub span: Span,
}

impl<T> At<T> {
    pub(crate) fn new(value: T, span: Span) -> At<T> {
        At { value, span }
    }

    /// A problem with this value.
    pub(crate) fn problem(&self, message: impl Into<String>) -> Problem {
        Problem::new(self.span.clone(), message)
    }
}

/// A value in the file, with its dotted name for messages.
#[derive(Clone)]
pub(crate) struct Node<'a> {
    pub(crate) name: String,
    pub(crate) span: Span,
    value: &'a DeValue<'a>,
}

impl<'a> Node<'a> {
    pub(crate) fn at<T>(&self, value: T) -> At<T> {
        At::new(value, self.span.clone())
    }

    /// Notes that this value must be something else, and gives nothing.
    pub(crate) fn refuse<T>(&self, must_be: &str, help: Option<&str>, problems: &mut Problems) -> Option<T> {
        let message = format!("`{}` must be {must_be}, not {}", self.name, self.shown());
        problems.push(Problem::new(self.span.clone(), message).with_help(help.map(str::to_owned)));
        None
    }

    pub(crate) fn text(&self, problems: &mut Problems) -> Option<String> {
        match self.value.as_str() {
            Some(text) => Some(text.to_owned()),
            None => self.refuse("a string", None, problems),
        }
    }

    /// A string with something in it.
    pub(crate) fn filled(&self, problems: &mut Problems) -> Option<String> {
        let text = self.text(problems)?;
        if text.trim().is_empty() {
            problems.push(Problem::new(self.span.clone(), format!("`{}` is empty", self.name)));
            return None;
        }
        Some(text)
    }

    pub(crate) fn flag(&self, problems: &mut Problems) -> Option<bool> {
        match self.value.as_bool() {
            Some(flag) => Some(flag),
            None => self.refuse("`true` or `false`", None, problems),
        }
    }

    /// An integer in this range; nothing is coerced.
    pub(crate) fn integer(&self, range: RangeInclusive<u64>, problems: &mut Problems) -> Option<u64> {
        let number = self.value.as_integer();
        let number = number.and_then(|number| u64::from_str_radix(number.as_str(), number.radix()).ok());
        match number {
            Some(number) if range.contains(&number) => Some(number),
            Some(_) | None => {
                let must_be = format!("an integer between {} and {}", range.start(), range.end());
                self.refuse(&must_be, None, problems)
            }
        }
    }

    pub(crate) fn count(&self, range: RangeInclusive<u32>, problems: &mut Problems) -> Option<u32> {
        let wide = u64::from(*range.start())..=u64::from(*range.end());
        self.integer(wide, problems)
            .and_then(|number| u32::try_from(number).ok())
    }

    /// A quantity of the model: any number that it accepts.
    pub(crate) fn quantity<T: TryFrom<f64>>(&self, must_be: &str, problems: &mut Problems) -> Option<T> {
        let whole = self
            .value
            .as_integer()
            .filter(|number| number.radix() == 10)
            .map(|number| number.as_str());
        let digits = whole.or_else(|| self.value.as_float().map(|number| number.as_str()));
        let number: Option<f64> = digits.and_then(|digits| digits.parse().ok());
        match number.and_then(|number| T::try_from(number).ok()) {
            Some(quantity) => Some(quantity),
            None => self.refuse(must_be, None, problems),
        }
    }

    /// One of these words.
    pub(crate) fn word<T: Copy>(&self, words: &[(&str, T)], problems: &mut Problems) -> Option<T> {
        let given = self.text(problems)?;
        if let Some((_, meaning)) = words.iter().find(|(word, _)| *word == given) {
            return Some(*meaning);
        }
        let message = format!("unknown word `{given}` for `{}`", self.name);
        let help = suggest(&given, words.iter().map(|(word, _)| *word));
        problems.push(Problem::new(self.span.clone(), message).with_help(help));
        None
    }

    /// The items of a list, each named after the list.
    pub(crate) fn items(&self, problems: &mut Problems) -> Option<Vec<Node<'a>>> {
        let DeValue::Array(array) = self.value else {
            return self.refuse("a list", None, problems);
        };
        let items = array.iter().map(|item| Node {
            name: self.name.clone(),
            span: item.span(),
            value: item.get_ref(),
        });
        Some(items.collect())
    }

    /// A list that was read whole: one bad item leaves nothing, so that no later rule complains about what is missing.
    pub(crate) fn list<T>(
        &self,
        problems: &mut Problems,
        mut read: impl FnMut(&Node<'a>, &mut Problems) -> Option<T>,
    ) -> Option<Vec<T>> {
        let items = self.items(problems)?;
        let read: Vec<Option<T>> = items.iter().map(|item| read(item, problems)).collect();
        read.into_iter().collect()
    }

    pub(crate) fn section(&self, label: impl Into<String>, problems: &mut Problems) -> Option<Section<'a>> {
        match self.value.as_table() {
            Some(table) => Some(Section::new(table, &self.name, label.into())),
            None => self.refuse("a table", None, problems),
        }
    }

    /// One table, or a list of them.
    pub(crate) fn one_or_many(&self, problems: &mut Problems) -> Option<Vec<Node<'a>>> {
        if self.is_table() {
            Some(vec![self.clone()])
        } else {
            self.items(problems)
        }
    }

    pub(crate) fn is_table(&self) -> bool {
        matches!(self.value, DeValue::Table(_))
    }

    pub(crate) fn is_list(&self) -> bool {
        matches!(self.value, DeValue::Array(_))
    }

    /// Reads a form that the model itself defines.
    pub(crate) fn form<T: DeserializeOwned>(&self, must_be: &str, problems: &mut Problems) -> Option<T> {
        self.only_exact_numbers(problems)?;
        match serde_json::from_value(json(self.value)) {
            Ok(value) => Some(value),
            Err(_) => self.refuse(must_be, None, problems),
        }
    }

    /// A check in the model's own form. Its reader says what is wrong better than any fixed text.
    pub(crate) fn check_form(&self, problems: &mut Problems) -> Option<onus_model::Check> {
        self.only_exact_numbers(problems)?;
        serde_json::from_value(json(self.value))
            .map_err(|error| {
                problems.push(Problem::new(
                    self.span.clone(),
                    format!("this check cannot be read: {error}"),
                ))
            })
            .ok()
    }

    /// Notes every number that would not be the same number for each reader of the contract.
    fn only_exact_numbers(&self, problems: &mut Problems) -> Option<()> {
        let before = problems.len();
        note_inexact(self, problems);
        (problems.len() == before).then_some(())
    }

    /// The value for a message: short, on one line, and escaped, because a loop file may come from anywhere.
    fn shown(&self) -> String {
        const SHOWN_MAX: usize = 40;
        match self.value {
            DeValue::String(text) if text.chars().count() > SHOWN_MAX => {
                format!("{:?}…", text.chars().take(SHOWN_MAX).collect::<String>())
            }
            DeValue::String(text) => format!("{text:?}"),
            DeValue::Integer(number) => number.to_string(),
            DeValue::Float(number) => number.to_string(),
            DeValue::Boolean(flag) => flag.to_string(),
            DeValue::Datetime(_) => "a date".to_owned(),
            DeValue::Array(_) => "a list".to_owned(),
            DeValue::Table(_) => "a table".to_owned(),
        }
    }
}

/// Integers are exact in every JSON reader up to here.
const EXACT_MAX: i64 = (1 << 53) - 1;

fn note_inexact(node: &Node<'_>, problems: &mut Problems) {
    let inner = |name: String, span: Span, value| Node { name, span, value };
    match node.value {
        DeValue::Integer(number) => {
            let read = i64::from_str_radix(number.as_str(), number.radix());
            if !read.is_ok_and(|number| (-EXACT_MAX..=EXACT_MAX).contains(&number)) {
                let must_be = format!("an integer between -{EXACT_MAX} and {EXACT_MAX}");
                node.refuse::<()>(&must_be, Some("write a larger number as a string"), problems);
            }
        }
        DeValue::Float(number) => {
            if !number.as_str().parse::<f64>().is_ok_and(f64::is_finite) {
                node.refuse::<()>("a finite number", None, problems);
            }
        }
        DeValue::Array(items) => {
            for item in items.iter() {
                note_inexact(&inner(node.name.clone(), item.span(), item.get_ref()), problems);
            }
        }
        DeValue::Table(table) => {
            for (key, item) in table.iter() {
                let name = format!("{}.{}", node.name, key.get_ref());
                note_inexact(&inner(name, item.span(), item.get_ref()), problems);
            }
        }
        DeValue::String(_) | DeValue::Boolean(_) | DeValue::Datetime(_) => {}
    }
}

/// The same value as JSON. Depth is bounded by the TOML parser.
fn json(value: &DeValue<'_>) -> serde_json::Value {
    match value {
        DeValue::String(text) => text.as_ref().into(),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix()).ok().into(),
        DeValue::Float(number) => number.as_str().parse::<f64>().ok().into(),
        DeValue::Boolean(flag) => (*flag).into(),
        DeValue::Datetime(date) => date.to_string().into(),
        DeValue::Array(items) => items.iter().map(|item| json(item.get_ref())).collect(),
        DeValue::Table(table) => table
            .iter()
            .map(|(key, item)| (key.get_ref().to_string(), json(item.get_ref())))
            .collect(),
    }
}

/// A table whose keys are asked for one by one. What nobody asked for is unknown.
pub(crate) struct Section<'a> {
    table: &'a DeTable<'a>,
    /// Dotted name; empty for the whole file.
    name: String,
    /// As the file writes it: `[limits]`, `[[criteria]]`.
    label: String,
    known: Vec<&'static str>,
    /// The other keys are names, and were read as such.
    names_read: bool,
}

impl<'a> Section<'a> {
    pub(crate) fn root(table: &'a DeTable<'a>) -> Section<'a> {
        Section::new(table, "", String::new())
    }

    fn new(table: &'a DeTable<'a>, name: &str, label: String) -> Section<'a> {
        Section {
            table,
            name: name.to_owned(),
            label,
            known: Vec::new(),
            names_read: false,
        }
    }

    pub(crate) fn get(&mut self, key: &'static str) -> Option<Node<'a>> {
        self.known.push(key);
        let value = self.table.get(key)?;
        Some(Node {
            name: self.name_of(key),
            span: value.span(),
            value: value.get_ref(),
        })
    }

    pub(crate) fn read<T>(
        &mut self,
        key: &'static str,
        problems: &mut Problems,
        read: impl FnOnce(&Node<'a>, &mut Problems) -> Option<T>,
    ) -> Option<At<T>> {
        let node = self.get(key)?;
        read(&node, problems).map(|value| node.at(value))
    }

    /// All other keys, for tables whose keys are free names.
    pub(crate) fn names(&mut self) -> Vec<(At<String>, Node<'a>)> {
        self.names_read = true;
        self.rest()
    }

    /// All other keys, for tables whose keys are words of one kind (`role`, `severity`).
    pub(crate) fn by_word<K: Ord + Copy, T>(
        &mut self,
        kind: &str,
        words: &[(&str, K)],
        problems: &mut Problems,
        mut read: impl FnMut(&Node<'a>, &mut Problems) -> Option<T>,
    ) -> BTreeMap<K, T> {
        let mut map = BTreeMap::new();
        for (key, node) in self.names() {
            match words.iter().find(|(word, _)| *word == key.value) {
                Some((_, meaning)) => map.extend(read(&node, problems).map(|value| (*meaning, value))),
                None => {
                    let known = self.known.iter().copied().chain(words.iter().map(|(word, _)| *word));
                    let message = format!("unknown {kind} `{}` {}", key.value, self.place());
                    problems.push(key.problem(message).with_help(suggest(&key.value, known)));
                }
            }
        }
        map
    }

    /// Notes every key that nobody asked for.
    pub(crate) fn finish(&self, problems: &mut Problems) {
        let unknown = if self.names_read { Vec::new() } else { self.rest() };
        for (key, _) in unknown {
            let message = format!("unknown key `{}` {}", key.value, self.place());
            problems.push(
                key.problem(message)
                    .with_help(suggest(&key.value, self.known.iter().copied())),
            );
        }
    }

    fn rest(&self) -> Vec<(At<String>, Node<'a>)> {
        let entries = self
            .table
            .iter()
            .filter(|(key, _)| !self.known.contains(&key.get_ref().as_ref()));
        let named = entries.map(|(key, value)| {
            let node = Node {
                name: self.name_of(key.get_ref()),
                span: value.span(),
                value: value.get_ref(),
            };
            (At::new(key.get_ref().to_string(), key.span()), node)
        });
        named.collect()
    }

    fn place(&self) -> String {
        match self.label.as_str() {
            "" => "at the top level".to_owned(),
            label => format!("in `{label}`"),
        }
    }

    fn name_of(&self, key: &str) -> String {
        match self.name.as_str() {
            "" => key.to_owned(),
            name => format!("{name}.{key}"),
        }
    }
}
