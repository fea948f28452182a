//! Changes that a grammar gives a meaning: operators, conditions, literals, bodies, statements.

use std::ops::Range;

use tree_sitter::{InputEdit, Node, Parser, Point, Tree};

use crate::Mutant;
use crate::edit::{Edit, Rank, choose, shown};
use crate::kinds::{self, Language};

/// Absent if the text cannot be read as this language at all.
pub(crate) fn mutants(language: Language, text: &str, max: usize) -> Option<Vec<Mutant>> {
    let mut parser = Parser::new();
    parser.set_language(&language.grammar()).ok()?;
    let tree = parser.parse(text, None)?;
    if tree.root_node().is_error() {
        return None;
    }
    let errors = error_count(&tree);
    let edits = edits(language, text, &tree);
    let still_parses = |edit: &Edit, changed: &str| {
        let mut old = tree.clone();
        old.edit(&input_edit(text, changed, edit));
        let new = parser.parse(changed, Some(&old));
        new.is_some_and(|new| error_count(&new) <= errors)
    };
    let chosen = choose(text, edits, max, still_parses);
    // Where little parsed, that nothing was found says nothing.
    (errors == 0 || !chosen.is_empty()).then_some(chosen)
}

fn input_edit(text: &str, changed: &str, edit: &Edit) -> InputEdit {
    let (start, old_end, new_end) = (edit.range.start, edit.range.end, edit.range.start + edit.new.len());
    InputEdit {
        start_byte: start,
        old_end_byte: old_end,
        new_end_byte: new_end,
        start_position: point(text, start),
        old_end_position: point(text, old_end),
        new_end_position: point(changed, new_end),
    }
}

fn point(text: &str, at: usize) -> Point {
    let before = &text.as_bytes()[..at];
    let row = before.iter().filter(|byte| **byte == b'\n').count();
    let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    Point::new(row, at - line_start)
}

/// Places that do not parse. Only branches that hold one are looked into.
fn error_count(tree: &Tree) -> usize {
    let mut found = 0;
    walk(tree.root_node(), |node| {
        found += usize::from(node.is_error() || node.is_missing());
        node.has_error()
    });
    found
}

/// Every node before its children; `visit` says whether to go into it. Without recursion: nesting may be deep.
fn walk<'a>(root: Node<'a>, mut visit: impl FnMut(Node<'a>) -> bool) {
    let mut cursor = root.walk();
    loop {
        if visit(cursor.node()) && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

fn edits(language: Language, text: &str, tree: &Tree) -> Vec<Edit> {
    let mut found = Found {
        language,
        text,
        edits: Vec::new(),
    };
    let mut skipped_until = 0;
    walk(tree.root_node(), |node| {
        // A test attribute stands before its item, not around it.
        if node.start_byte() < skipped_until {
            return false;
        }
        if let Some(end) = found.end_of_test_code(node) {
            skipped_until = end;
            return false;
        }
        if kinds::is_left_alone(node.kind()) || found.is_import(node) || found.is_entry(node) {
            return false;
        }
        found.look(node)
    });
    found.edits
}

struct Found<'a> {
    language: Language,
    text: &'a str,
    edits: Vec<Edit>,
}

impl<'a> Found<'a> {
    fn source(&self, node: Node<'_>) -> &'a str {
        &self.text[node.byte_range()]
    }

    fn push(&mut self, range: Range<usize>, new: impl Into<String>, what: String, rank: Rank) {
        self.edits.push(Edit {
            at: range.start,
            range,
            new: new.into(),
            what,
            rank,
        });
    }

    fn replace(&mut self, range: Range<usize>, new: impl Into<String>, rank: Rank) {
        self.edits.push(Edit::replace(self.text, range, new, rank));
    }

    /// Notes what may be changed at a node; says whether to look inside.
    fn look(&mut self, node: Node<'_>) -> bool {
        let kind = node.kind();
        if kinds::is_string(kind) {
            self.string(node);
            // An f-string or a template holds code, but what is in it is covered by emptying it.
            return false;
        }
        if kinds::is_number(kind) {
            self.number(node);
            return false;
        }
        if kinds::has_operator(kind) {
            self.operators(node);
        }
        if kinds::is_function(kind) {
            self.body(node);
        }
        match kind {
            "boolean_literal" | "true" | "false" => self.boolean(node),
            "if_expression" | "if_statement" | "elif_clause" | "ternary_expression" => self.condition(node),
            "unary_expression" | "not_operator" => self.unary_not(node),
            "expression_statement" => return self.statement(node),
            "return_statement" => self.returned(node),
            _ => {}
        }
        true
    }

    /// Where `#[test]`, `#[cfg(test)]` or `mod tests` ends.
    fn end_of_test_code(&self, node: Node<'_>) -> Option<usize> {
        if self.language != Language::Rust {
            return None;
        }
        match node.kind() {
            "attribute_item" if is_test_attribute(self.source(node)) => {
                let mut item = node.next_named_sibling();
                while let Some(next) = item
                    && matches!(next.kind(), "attribute_item" | "line_comment" | "block_comment")
                {
                    item = next.next_named_sibling();
                }
                Some(item.unwrap_or(node).end_byte())
            }
            "inner_attribute_item" if is_test_attribute(&self.source(node).replacen("#!", "#", 1)) => {
                node.parent().map(|parent| parent.end_byte())
            }
            "mod_item" => {
                let name = node.child_by_field_name("name").map(|name| self.source(name));
                matches!(name, Some("tests" | "test")).then(|| node.end_byte())
            }
            _ => None,
        }
    }

    /// `require("x")`, and the address in `export … from "x"`.
    fn is_import(&self, node: Node<'_>) -> bool {
        if !self.language.is_script() {
            return false;
        }
        match node.kind() {
            "call_expression" => {
                let function = node
                    .child_by_field_name("function")
                    .map(|function| self.source(function));
                matches!(function, Some("require" | "import"))
            }
            "export_statement" => node.child_by_field_name("source").is_some(),
            _ => false,
        }
    }

    /// `__name__ == "__main__"`: how a file is started, which tests do not do.
    fn is_entry(&self, node: Node<'_>) -> bool {
        self.language == Language::Python
            && node.kind() == "comparison_operator"
            && self.source(node).starts_with("__name__")
    }

    fn operators(&mut self, node: Node<'_>) {
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
        let of_strings = children.iter().any(|child| kinds::is_string(child.kind()));
        for child in children.iter().filter(|child| !child.is_named()) {
            let operator = child.kind();
            // Texts can be joined and not subtracted: the change would say nothing about a check.
            if of_strings && matches!(operator, "+" | "+=" | "%" | "*") {
                continue;
            }
            for (nth, new) in kinds::operators(self.language, operator).iter().enumerate() {
                let rank = if nth == 0 { Rank::Operator } else { Rank::Again };
                self.replace(child.byte_range(), *new, rank);
            }
        }
    }

    fn string(&mut self, node: Node<'_>) {
        let source = self.source(node);
        let is_statement = node
            .parent()
            .is_some_and(|parent| parent.kind() == "expression_statement");
        let begins = source.find(['"', '\'', '`']);
        let (Some(begins), false) = (begins, is_statement) else {
            return;
        };
        let quote = &source[begins..=begins];
        // The letters before a quote: bytes stay bytes; a raw or formatted text with nothing in it needs neither.
        let bytes: String = source[..begins]
            .chars()
            .filter(|c| matches!(c, 'b' | 'B' | 'c'))
            .collect();
        let quote = if self.language == Language::Go { "\"" } else { quote };
        let empty = format!("{bytes}{quote}{quote}");
        let holds_nothing = source[begins..]
            .chars()
            .all(|c| c.to_string() == quote || c == '#' || c == '`');
        if !holds_nothing {
            let what = format!("emptied the string `{}`", shown(source));
            self.push(node.byte_range(), empty, what, Rank::Text);
        }
    }

    fn number(&mut self, node: Node<'_>) {
        // `pair.0` names a field.
        if node.parent().is_some_and(|parent| parent.kind() == "field_expression") {
            return;
        }
        let source = self.source(node);
        let digits = source.len()
            - source
                .trim_start_matches(|c: char| c.is_ascii_digit() || c == '_')
                .len();
        let (whole, rest) = source.split_at(digits);
        // Only decimals: `0x1f`, `0b1` and `017` have rules of their own.
        let plain = !rest.starts_with(['x', 'X', 'o', 'O', 'b', 'B']) && (whole == "0" || !whole.starts_with('0'));
        let Some(value) = whole.replace('_', "").parse::<u64>().ok().filter(|_| plain) else {
            return;
        };
        if let Some(more) = value.checked_add(1) {
            self.replace(node.byte_range(), format!("{more}{rest}"), Rank::Number);
        }
        if let Some(less) = value.checked_sub(1) {
            self.replace(node.byte_range(), format!("{less}{rest}"), Rank::Again);
        }
    }

    fn boolean(&mut self, node: Node<'_>) {
        let other = match self.source(node) {
            "true" => "false",
            "false" => "true",
            "True" => "False",
            "False" => "True",
            _ => return,
        };
        self.replace(node.byte_range(), other, Rank::Number);
    }

    fn condition(&mut self, node: Node<'_>) {
        let Some(condition) = node.child_by_field_name("condition") else {
            return;
        };
        let mut inner = condition;
        while inner.kind() == "parenthesized_expression"
            && let Some(child) = inner.named_child(0)
        {
            inner = child;
        }
        let source = self.source(inner);
        let mut cursor = inner.walk();
        let compares = kinds::has_operator(inner.kind())
            && inner
                .children(&mut cursor)
                .any(|child| !child.is_named() && kinds::is_comparison(child.kind()));
        let binds = matches!(inner.kind(), "let_condition" | "let_chain" | "named_expression");
        let negates = matches!(inner.kind(), "unary_expression" | "not_operator");
        let literal = matches!(inner.kind(), "boolean_literal" | "true" | "false");
        if compares || binds || negates || literal {
            return;
        }
        let negated = format!("{}({source})", self.language.not());
        let what = format!("negated the condition `{}`", shown(source));
        self.push(inner.byte_range(), negated, what, Rank::Condition);
    }

    fn unary_not(&mut self, node: Node<'_>) {
        let Some(operator) = node.child(0).filter(|child| matches!(child.kind(), "!" | "not")) else {
            return;
        };
        let operand = node.named_child(0).map(|operand| operand.start_byte());
        let end = operand.unwrap_or_else(|| operator.end_byte());
        let what = format!("removed the negation of `{}`", shown(&self.text[end..node.end_byte()]));
        self.push(operator.start_byte()..end, "", what, Rank::Condition);
    }

    /// Calls whose result nobody takes. A text as a statement of its own is documentation.
    fn statement(&mut self, node: Node<'_>) -> bool {
        let Some(expression) = node.named_child(0) else {
            return false;
        };
        let mut inner = expression;
        while matches!(inner.kind(), "await_expression" | "await" | "try_expression")
            && let Some(child) = inner.named_child(0)
        {
            inner = child;
        }
        let is_call = matches!(inner.kind(), "call_expression" | "call");
        let source = self.source(inner);
        if is_call && !source.starts_with("super") && !self.is_import(inner) {
            let nothing = match self.language {
                Language::Python => "pass",
                Language::JavaScript | Language::TypeScript | Language::Tsx => ";",
                Language::Rust | Language::Go => "",
            };
            let what = format!("removed the statement `{}`", shown(self.source(node)));
            self.push(node.byte_range(), nothing, what, Rank::Removal);
        }
        !kinds::is_string(expression.kind())
    }

    fn returned(&mut self, node: Node<'_>) {
        let nothing = match self.language {
            Language::Python => "None",
            Language::JavaScript => "undefined",
            Language::TypeScript | Language::Tsx => "undefined as any",
            // The type of the function says what may be returned: see `body`.
            Language::Rust | Language::Go => return,
        };
        let Some(value) = node.named_child(0) else {
            return;
        };
        let source = self.source(value);
        let says_nothing = matches!(source, "None" | "undefined" | "null");
        if !says_nothing && !matches!(value.kind(), "comment") {
            self.replace(value.byte_range(), nothing, Rank::Body);
        }
    }

    fn body(&mut self, node: Node<'_>) {
        let Some(body) = node.child_by_field_name("body") else {
            return;
        };
        let name = node.child_by_field_name("name").map(|name| self.source(name));
        let empties: Vec<String> = match self.language {
            Language::Rust => {
                let result = node
                    .child_by_field_name("return_type")
                    .map(|result| self.source(result));
                rust_defaults(result).into_iter().map(|value| braced(&value)).collect()
            }
            Language::Go => {
                let result = node.child_by_field_name("result").map(|result| self.source(result));
                go_zero(result).into_iter().map(|value| braced(&value)).collect()
            }
            Language::Python => vec!["return None".to_owned()],
            Language::JavaScript | Language::TypeScript | Language::Tsx => {
                let nothing = if self.language == Language::JavaScript {
                    "undefined"
                } else {
                    "undefined as any"
                };
                match (name, body.kind()) {
                    (Some("constructor"), _) => Vec::new(),
                    (_, "statement_block") => vec![format!("{{ return {nothing}; }}")],
                    _ => vec![nothing.to_owned()],
                }
            }
        };
        if is_hollow(self.source(body)) {
            return;
        }
        let of = name.map_or_else(|| "a function".to_owned(), |name| format!("`{}`", shown(name)));
        for (nth, empty) in empties.into_iter().enumerate() {
            let what = format!("replaced the body of {of} with `{}`", shown(&empty));
            let rank = if nth == 0 { Rank::Body } else { Rank::Again };
            self.edits.push(Edit {
                at: node.start_byte(),
                range: body.byte_range(),
                new: empty,
                what,
                rank,
            });
        }
    }
}

fn braced(value: &str) -> String {
    if value.is_empty() {
        "{}".to_owned()
    } else {
        format!("{{ {value} }}")
    }
}

/// A body that does nothing already.
fn is_hollow(body: &str) -> bool {
    let plain: String = body.chars().filter(|c| !c.is_whitespace()).collect();
    matches!(
        plain.as_str(),
        "" | "{}"
            | "pass"
            | "..."
            | "return"
            | "returnNone"
            | "{return}"
            | "{return;}"
            | "{returnundefined;}"
            | "undefined"
    )
}

/// `#[test]`, `#[tokio::test(…)]`, `#[cfg(test)]`, `#[cfg(all(test, unix))]`; not `#[cfg(not(test))]`.
fn is_test_attribute(source: &str) -> bool {
    let plain: String = source.chars().filter(|c| !c.is_whitespace()).collect();
    let Some(inside) = plain.strip_prefix("#[").and_then(|rest| rest.strip_suffix(']')) else {
        return false;
    };
    if let Some(condition) = inside.strip_prefix("cfg(") {
        let mut words = condition.split(|c: char| !c.is_alphanumeric() && c != '_');
        return words.any(|word| word == "test") && !condition.contains("not(");
    }
    let path = inside.split('(').next().unwrap_or(inside);
    path.split("::").last() == Some("test")
}

/// Values that a function of this type may return without knowing anything; constant ones where there are, so that they
/// stand in a `const fn` too.
fn rust_defaults(result: Option<&str>) -> Vec<String> {
    let Some(result) = result else {
        return vec![String::new()];
    };
    let plain: String = result.split_whitespace().collect::<Vec<_>>().join(" ");
    let (base, inner) = match plain.split_once('<') {
        Some((base, inner)) => (base, inner.strip_suffix('>').unwrap_or_default()),
        None => (plain.as_str(), ""),
    };
    let one = |value: &str| vec![value.to_owned()];
    match base.rsplit("::").next().unwrap_or(base) {
        "()" => vec![String::new()],
        "bool" => vec!["false".to_owned(), "true".to_owned()],
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => one("0"),
        "f32" | "f64" => one("0.0"),
        "String" => one("String::new()"),
        "&str" | "&'static str" => one("\"\""),
        "Option" => one("None"),
        "Vec" => one("Vec::new()"),
        "HashMap" | "HashSet" | "BTreeMap" | "BTreeSet" | "VecDeque" => one("Default::default()"),
        "Result" => {
            let value = first_argument(inner);
            let nothing = |value: String| if value.is_empty() { "()".to_owned() } else { value };
            rust_defaults(Some(value))
                .into_iter()
                .map(|value| format!("Ok({})", nothing(value)))
                .collect()
        }
        _ => Vec::new(),
    }
}

/// What stands before the first comma that is not inside brackets.
fn first_argument(arguments: &str) -> &str {
    let mut depth = 0_i32;
    for (at, c) in arguments.char_indices() {
        match c {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth -= 1,
            ',' if depth == 0 => return arguments[..at].trim(),
            _ => {}
        }
    }
    arguments.trim()
}

/// The statement that returns the zero value of these types; nothing if one of them is not known.
fn go_zero(result: Option<&str>) -> Option<String> {
    let Some(result) = result else {
        return Some(String::new());
    };
    let zero = |kind: &str| match kind {
        "string" => Some("\"\""),
        "bool" => Some("false"),
        "error" | "any" => Some("nil"),
        "int" | "int8" | "int16" | "int32" | "int64" | "uint" | "uint8" | "uint16" | "uint32" | "uint64" | "byte"
        | "rune" | "float32" | "float64" | "uintptr" => Some("0"),
        _ if kind.starts_with(['*', '[']) || kind.starts_with("map[") || kind.starts_with("chan ") => {
            // `[4]int` is an array and not nil.
            let array = kind.starts_with('[') && !kind.starts_with("[]");
            (!array).then_some("nil")
        }
        _ => None,
    };
    let Some(list) = result.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else {
        return zero(result.trim()).map(|value| format!("return {value}"));
    };
    let parts: Vec<&str> = list.split(',').map(str::trim).collect();
    let values: Option<Vec<&str>> = parts.iter().map(|part| zero(part)).collect();
    let named = || {
        parts
            .iter()
            .any(|part| part.split_whitespace().count() == 2 && !part.starts_with("chan "))
    };
    match values {
        Some(values) => Some(format!("return {}", values.join(", "))),
        // Named results are zero until somebody sets them.
        None => named().then(|| "return".to_owned()),
    }
}
