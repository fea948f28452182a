//! Small work on text: words, ids, sentences, lengths.

/// A word or a mark of punctuation, as it stands and in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) text: String,
    pub(super) lower: String,
}

impl Token {
    pub(super) fn is_word(&self) -> bool {
        self.lower.chars().next().is_some_and(char::is_alphanumeric)
    }

    pub(super) fn is(&self, word: &str) -> bool {
        self.lower == word
    }

    pub(super) fn is_one_of(&self, words: &[&str]) -> bool {
        words.contains(&self.lower.as_str())
    }
}

/// Words keep inner apostrophes, dashes, dots between digits and slashes; all other marks stand alone.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let letters: Vec<char> = text.chars().map(|c| if c == '\u{2019}' { '\'' } else { c }).collect();
    let mut found: Vec<String> = Vec::new();
    let mut word = String::new();
    for (at, &letter) in letters.iter().enumerate() {
        let next_is_word = letters.get(at + 1).is_some_and(|next| next.is_alphanumeric());
        let joins = !word.is_empty() && next_is_word && matches!(letter, '\'' | '-' | '.' | '\u{2011}');
        if letter.is_alphanumeric() || joins {
            word.push(letter);
        } else {
            if !word.is_empty() {
                found.push(std::mem::take(&mut word));
            }
            if !letter.is_whitespace() && !letter.is_control() {
                found.push(letter.to_string());
            }
        }
    }
    if !word.is_empty() {
        found.push(word);
    }
    found
        .into_iter()
        .map(|text| Token {
            lower: text.to_lowercase(),
            text,
        })
        .collect()
}

/// Tokens as text again.
pub(super) fn joined(tokens: &[Token]) -> String {
    let mut text = String::new();
    let mut tight = true;
    for token in tokens {
        let closes = [",", ".", ";", ":", ")", "!", "?", "%", "]", "/"].contains(&token.text.as_str());
        if !tight && !closes {
            text.push(' ');
        }
        text.push_str(&token.text);
        tight = ["(", "[", "/", "€", "$", "£"].contains(&token.text.as_str());
    }
    text
}

/// At most `max` characters, cut between words.
pub(super) fn clip(text: &str, max: usize) -> String {
    let text = text.trim();
    if text.chars().count() <= max {
        return text.to_owned();
    }
    let head: String = text.chars().take(max).collect();
    let cut = head.rfind(' ').filter(|at| *at > 0).unwrap_or(head.len());
    head[..cut].trim_end_matches([',', ';', ':', ' ', '-', '(']).to_owned()
}

/// The first letter in upper case.
pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The first letter in lower case, unless the word is written in capitals.
pub(super) fn small(text: &str) -> String {
    let mut letters = text.chars();
    match (letters.next(), letters.clone().next()) {
        (Some(first), Some(second)) if first.is_uppercase() && !second.is_uppercase() => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => text.to_owned(),
    }
}

/// With one full stop at the end.
pub(super) fn sentence(text: &str) -> String {
    let text = capital(text.trim().trim_end_matches(['.', ',', ';', ':', ' ', '!', '?']));
    if text.is_empty() { text } else { format!("{text}.") }
}

/// Letters with a mark become plain ones; anything else that is not ASCII goes.
fn plain_letters(text: &str) -> String {
    let table = [
        ("àáâãäåāă", "a"),
        ("çćč", "c"),
        ("èéêëēę", "e"),
        ("ìíîïī", "i"),
        ("ñńň", "n"),
        ("òóôõöøō", "o"),
        ("ùúûüū", "u"),
        ("ýÿ", "y"),
        ("šś", "s"),
        ("žźż", "z"),
        ("ß", "ss"),
        ("æ", "ae"),
        ("œ", "oe"),
        ("ł", "l"),
    ];
    text.to_lowercase()
        .chars()
        .map(
            |letter| match table.iter().find(|(marked, _)| marked.contains(letter)) {
                Some((_, plain)) => (*plain).to_owned(),
                None if letter.is_ascii() => letter.to_string(),
                None => String::new(),
            },
        )
        .collect()
}

/// Lower-case letters, digits and dashes, 2 to 64 of them; empty if nothing is left.
pub(super) fn slug(text: &str) -> String {
    let mut id = String::new();
    for letter in plain_letters(text).chars() {
        if letter.is_ascii_alphanumeric() {
            id.push(letter);
        } else if letter != '\'' && !id.ends_with('-') && !id.is_empty() {
            id.push('-');
        }
    }
    // Room for a suffix that makes it unique.
    while id.len() > 56 {
        let cut = id.rfind('-').unwrap_or(56).min(56);
        id.truncate(cut);
    }
    let id = id.trim_matches('-').to_owned();
    if id.len() == 1 { format!("{id}-0") } else { id }
}

/// `order line` → `OrderLine`; empty if no letter is left to begin with.
pub(super) fn upper_camel(words: &[String]) -> String {
    let name: String = words
        .iter()
        .flat_map(|word| {
            plain_letters(word)
                .split(|c: char| !c.is_ascii_alphanumeric())
                .map(capital)
                .collect::<Vec<_>>()
        })
        .collect();
    let name = name.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
    name.chars().take(60).collect()
}

/// `order line` → `orderLine`.
pub(super) fn lower_camel(words: &[String]) -> String {
    let name = upper_camel(words);
    let mut letters = name.chars();
    letters
        .next()
        .map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// `OrderLine` or `orderLine` → `order line`.
pub(super) fn spaced(camel: &str) -> String {
    let mut text = String::new();
    for letter in camel.chars() {
        if letter.is_ascii_uppercase() && !text.is_empty() {
            text.push(' ');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text
}

/// `a, b and c`.
pub(super) fn listing(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}
