//! Framework agnosticism: no technology is named, no code is written.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use super::Report;
use super::rules::{CODE, Rule, TERM_DATABASE, TERM_FRAMEWORK, TERM_INTERFACE, TERM_LANGUAGE, TERM_PLATFORM};
use super::terms::{self, TermClass};
use super::texts::{Role, Text};
use super::words::{Word, quoted, words};

/// What code looks like among words. Placeholders such as `<name>`, arithmetic and file formats that people use
/// (`.pdf`, `.csv`, `.json`) are not code.
const CODE_PATTERNS: [&str; 12] = [
    // Tags: of HTML, or with a capital as components have them, or closed in themselves.
    r"</?(?:body|br|button|canvas|div|em|fieldset|footer|form|h[1-6]|head|header|hr|html|iframe|img|input|li|nav|ol|p|pre|script|span|strong|style|svg|tbody|td|textarea|th|thead|tr|ul)(?:\s[^<>]*)?/?>|<a\s[^<>]*>",
    r"</?[A-Z][A-Za-z0-9.]*(?:\s[^<>]*)?/>",
    // Queries, in capitals as they are written.
    r"\bSELECT\b.+\bFROM\b|\bINSERT INTO\b|\bDELETE FROM\b|\bUPDATE\b.+\bSET\b|\b(?:CREATE|ALTER|DROP) TABLE\b|\b(?:INNER|LEFT|RIGHT|OUTER) JOIN\b|\bWHERE\b.+=",
    r"(?i)\bselect \* from\b",
    // Source files.
    r"(?i)(?:^|[\s\w(`'\x22/*])\.(?:jsx|tsx|js|ts|mjs|vue|svelte|css|scss|html?|php|py|rb|rs|java|kt|cs|cpp|hpp|swift|dart|sql|ya?ml|toml)\b",
    // Hooks, handlers and methods of programming interfaces.
    r"\buse(?:State|Effect|Context|Ref|Memo|Reducer|Callback|Query|Mutation|Router|Store|Form)\b|\bset(?:State|Timeout|Interval)\b|\bon(?:Click|Change|Submit|Press|Tap|Load|Blur|Focus|Key[A-Z][a-z]+|Mouse[A-Z][a-z]+)\b|\bclassName\b|\binnerHTML\b|\baddEventListener\b|\bgetElementBy[A-Z]\w+|\bquerySelector\b|\bcomponentDid[A-Z]\w+|\blocalStorage\b|\bsessionStorage\b|\bv-(?:if|for|model|bind)\b|\bng[A-Z]\w+",
    // Calls.
    r"\b[A-Za-z_][A-Za-z0-9_]*\(\)",
    r"\b[a-z][A-Za-z0-9]+\.[a-z][A-Za-z0-9]+\([^)]*\)",
    // Operators that only code has.
    r"=>|===|!==|&&|\|\||::[A-Za-z]",
    // Statements.
    r"\b(?:const|let|var) [A-Za-z_]\w* ?=|\bfunction ?\(|\bimport .+ from ['\x22]|\b(?:npm|pip|yarn|cargo) (?:install|add|run)\b|\bpublic (?:static|class|void)\b|\basync/await\b",
    // Methods and paths of HTTP.
    r"\b(?:GET|POST|PUT|PATCH|DELETE) /[A-Za-z{:]",
    // Styles.
    r"(?i)\bdisplay: ?(?:flex|grid|none|block)\b|\b(?:padding|font-size|z-index): ?\d",
];

static CODE_REGEXES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    CODE_PATTERNS
        .iter()
        .filter_map(|pattern| Regex::new(pattern).ok())
        .collect()
});

fn rule_of(class: TermClass) -> &'static Rule {
    match class {
        TermClass::Framework => &TERM_FRAMEWORK,
        TermClass::Database => &TERM_DATABASE,
        TermClass::Platform => &TERM_PLATFORM,
        TermClass::Language => &TERM_LANGUAGE,
        TermClass::Interface => &TERM_INTERFACE,
    }
}

pub(super) fn judge(texts: &[Text<'_>], report: &mut Report) {
    for text in texts {
        let mut by_class: BTreeMap<TermClass, Vec<String>> = BTreeMap::new();
        let found = match text.role {
            Role::Identifier => terms_of_identifier(text.text),
            Role::Label | Role::Prose => terms::find(&words(text.text)),
        };
        for (class, written) in found {
            by_class.entry(class).or_default().push(written);
        }
        if text.role != Role::Identifier
            && let Some(code) = code_in(text.text, &by_class)
        {
            report.add(&CODE, &text.pointer, format!("{} is code", quoted(&[code])));
        }
        for (class, written) in by_class {
            report.add(
                rule_of(class),
                &text.pointer,
                format!("{} names a technology", quoted(&written)),
            );
        }
    }
}

/// The first piece of code. The end of a name such as `Next.js` is not another mistake.
fn code_in(text: &str, terms: &BTreeMap<TermClass, Vec<String>>) -> Option<String> {
    let is_in_term = |code: &str| terms.values().flatten().any(|term| term.ends_with(code.trim()));
    let mut found = CODE_REGEXES
        .iter()
        .flat_map(|regex| regex.find_iter(text))
        .map(|found| found.as_str());
    let code = found.find(|code| !is_in_term(code))?;
    Some(code.trim().chars().take(60).collect())
}

/// Ids and names of the data model: split at dashes and capitals. Only terms that are nothing else count there.
fn terms_of_identifier(name: &str) -> Vec<(TermClass, String)> {
    let mut spaced = String::with_capacity(name.len() + 8);
    let mut last_is_small = false;
    for c in name.chars() {
        if c.is_uppercase() && last_is_small {
            spaced.push(' ');
        }
        last_is_small = c.is_lowercase() || c.is_numeric();
        spaced.push(c);
    }
    let split: Vec<Word> = words(&spaced.replace(['-', '_'], " "));
    let mut found = Vec::new();
    for index in 0..split.len() {
        if let Some((length, class)) = terms::find_plain(&split, index) {
            let written: Vec<&str> = split[index..index + length]
                .iter()
                .map(|word| word.written.as_str())
                .collect();
            found.push((class, written.join(" ")));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{CODE_PATTERNS, CODE_REGEXES};

    #[test]
    fn every_pattern_can_be_read() {
        assert_eq!(CODE_REGEXES.len(), CODE_PATTERNS.len());
    }
}
