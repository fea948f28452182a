//! The languages whose grammar is known, and the words of each grammar.

use tree_sitter::Language as Grammar;

use crate::paths::extension;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    Rust,
    Python,
    JavaScript,
    TypeScript,
    Tsx,
    Go,
}

pub(crate) fn language(path: &str) -> Option<Language> {
    Some(match extension(path).as_str() {
        "rs" => Language::Rust,
        "py" | "pyi" => Language::Python,
        "js" | "mjs" | "cjs" | "jsx" => Language::JavaScript,
        "ts" | "mts" | "cts" => Language::TypeScript,
        "tsx" => Language::Tsx,
        "go" => Language::Go,
        _ => return None,
    })
}

impl Language {
    pub(crate) fn grammar(self) -> Grammar {
        match self {
            Language::Rust => tree_sitter_rust::LANGUAGE.into(),
            Language::Python => tree_sitter_python::LANGUAGE.into(),
            Language::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
            Language::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
            Language::Tsx => tree_sitter_typescript::LANGUAGE_TSX.into(),
            Language::Go => tree_sitter_go::LANGUAGE.into(),
        }
    }

    /// `!` or its word.
    pub(crate) const fn not(self) -> &'static str {
        match self {
            Language::Python => "not ",
            Language::Rust | Language::JavaScript | Language::TypeScript | Language::Tsx | Language::Go => "!",
        }
    }

    pub(crate) const fn is_script(self) -> bool {
        match self {
            Language::JavaScript | Language::TypeScript | Language::Tsx => true,
            Language::Rust | Language::Python | Language::Go => false,
        }
    }
}

/// Nodes in which nothing is changed: words for people, for the compiler and for other files, and types.
pub(crate) fn is_left_alone(kind: &str) -> bool {
    matches!(
        kind,
        "comment" | "line_comment" | "block_comment" | "html_comment" | "hash_bang_line" | "ERROR"
            // Attributes and decorators.
            | "attribute_item" | "inner_attribute_item" | "decorator"
            // Imports.
            | "use_declaration" | "extern_crate_declaration" | "import_statement" | "import_from_statement"
            | "future_import_statement" | "import_declaration" | "package_clause" | "import_alias"
            // Tokens that a macro gives a meaning of its own.
            | "token_tree" | "macro_definition"
            // Types, and what stands beside them.
            | "type" | "type_annotation" | "type_arguments" | "type_parameters" | "type_alias_declaration"
            | "interface_declaration" | "ambient_declaration" | "array_type" | "field_declaration" | "where_clause"
    )
}

/// Nodes whose anonymous children are operators.
pub(crate) fn has_operator(kind: &str) -> bool {
    matches!(
        kind,
        "binary_expression"
            | "binary_operator"
            | "comparison_operator"
            | "boolean_operator"
            | "compound_assignment_expr"
            | "augmented_assignment"
            | "augmented_assignment_expression"
            | "assignment_statement"
    )
}

/// What an operator becomes: for comparisons first the neighbour at the boundary, then the opposite.
pub(crate) fn operators(language: Language, operator: &str) -> &'static [&'static str] {
    match (language, operator) {
        (Language::Python, "//") => &["*"],
        (Language::Python | Language::JavaScript | Language::TypeScript | Language::Tsx, "**") => &["*"],
        (Language::Python, "in") => &["not in"],
        (Language::Python, "not in") => &["in"],
        (Language::Python, "is") => &["is not"],
        (Language::Python, "is not") => &["is"],
        (Language::Python, "and") => &["or"],
        (Language::Python, "or") => &["and"],
        (_, "+") => &["-"],
        (_, "-") => &["+"],
        (_, "*") => &["/"],
        (_, "/" | "%") => &["*"],
        (_, "<") => &["<=", ">="],
        (_, "<=") => &["<", ">"],
        (_, ">") => &[">=", "<="],
        (_, ">=") => &[">", "<"],
        (_, "==") => &["!="],
        (_, "!=") => &["=="],
        (_, "===") => &["!=="],
        (_, "!==") => &["==="],
        (_, "&&") => &["||"],
        (_, "||") => &["&&"],
        (_, "&" | "^") => &["|"],
        (_, "|") => &["&"],
        (_, "<<") => &[">>"],
        (_, ">>") => &["<<"],
        (_, "+=") => &["-="],
        (_, "-=") => &["+="],
        (_, "*=") => &["/="],
        (_, "/=" | "%=") => &["*="],
        (_, "&=" | "^=") => &["|="],
        (_, "|=") => &["&="],
        (_, "<<=") => &[">>="],
        (_, ">>=") => &["<<="],
        _ => &[],
    }
}

/// An operator whose opposite is made by changing the operator itself.
pub(crate) fn is_comparison(operator: &str) -> bool {
    matches!(
        operator,
        "<" | "<=" | ">" | ">=" | "==" | "!=" | "===" | "!==" | "in" | "not in" | "is" | "is not"
    )
}

pub(crate) fn is_string(kind: &str) -> bool {
    matches!(
        kind,
        "string"
            | "string_literal"
            | "raw_string_literal"
            | "interpreted_string_literal"
            | "template_string"
            | "concatenated_string"
    )
}

pub(crate) fn is_number(kind: &str) -> bool {
    matches!(
        kind,
        "integer_literal" | "float_literal" | "integer" | "float" | "number" | "int_literal"
    )
}

pub(crate) fn is_function(kind: &str) -> bool {
    matches!(
        kind,
        "function_item"
            | "function_definition"
            | "function_declaration"
            | "function_expression"
            | "generator_function_declaration"
            | "method_definition"
            | "method_declaration"
            | "arrow_function"
    )
}
