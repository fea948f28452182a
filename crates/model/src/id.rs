//! Names that are also paths or keys: validated once, at the door.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a text is not an id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    #[error("alias `{0}` must be 3 to 64 characters of `a-z`, `0-9` and `-`, and start with a letter or digit")]
    Alias(String),
    #[error("run id `{0}` must be `<alias>-<yyyyMMdd-HHmmss>`")]
    RunId(String),
    #[error("criterion id `{0}` must be 1 to 128 characters of letters, digits, `.`, `_` and `-`")]
    Criterion(String),
    #[error("level `{0}` must be 1 to 16 letters or digits")]
    Level(String),
}

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident, $error:ident, $valid:path) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            pub fn new(text: impl Into<String>) -> Result<Self, IdError> {
                let text = text.into();
                if $valid(&text) { Ok(Self(text)) } else { Err(IdError::$error(text)) }
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = IdError;
            fn try_from(text: String) -> Result<Self, IdError> {
                Self::new(text)
            }
        }

        impl std::str::FromStr for $name {
            type Err = IdError;
            fn from_str(text: &str) -> Result<Self, IdError> {
                Self::new(text)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

text_id!(
    /// The name a person gives a run. It becomes a directory name, so nothing but a slug is let in.
    Alias, Alias, is_alias
);
text_id!(
    /// `<alias>-<yyyyMMdd-HHmmss>`: one execution.
    RunId, RunId, is_run_id
);
text_id!(
    /// One thing that must be true, for example `a.correctness.endpoints`.
    CriterionId, Criterion, is_criterion
);
text_id!(
    /// `A`, `B` …: which criteria are active.
    LevelName, Level, is_level
);

fn is_alias(text: &str) -> bool {
    let bytes = text.as_bytes();
    (3..=64).contains(&bytes.len())
        && bytes[0] != b'-'
        && bytes
            .iter()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'-')
}

fn is_run_id(text: &str) -> bool {
    // `-yyyyMMdd-HHmmss` is 16 bytes.
    let Some(at) = text.len().checked_sub(16) else {
        return false;
    };
    let Some((alias, stamp)) = text.split_at_checked(at) else {
        return false;
    };
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    is_alias(alias)
        && stamp.as_bytes()[0] == b'-'
        && stamp.as_bytes()[9] == b'-'
        && digits(&stamp[1..9])
        && digits(&stamp[10..])
}

fn is_criterion(text: &str) -> bool {
    (1..=128).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
}

fn is_level(text: &str) -> bool {
    (1..=16).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric())
}

impl Alias {
    /// A slug made from a task's first words, for runs that were given no alias.
    pub fn from_prompt(prompt: &str) -> Alias {
        let mut slug = String::new();
        for word in prompt
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|w| !w.is_empty())
            .take(6)
        {
            if slug.len() + word.len() + 1 > 48 {
                break;
            }
            if !slug.is_empty() {
                slug.push('-');
            }
            slug.push_str(&word.to_ascii_lowercase());
        }
        if is_alias(&slug) {
            Alias(slug)
        } else {
            Alias(format!("run-{slug}").trim_end_matches('-').to_owned())
        }
    }
}

impl RunId {
    /// `stamp` is `yyyyMMdd-HHmmss`.
    pub fn compose(alias: &Alias, stamp: &str) -> Result<Self, IdError> {
        Self::new(format!("{alias}-{stamp}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_are_slugs_and_never_paths() {
        for good in ["abc", "courses-api", "a1-", &"x".repeat(64)] {
            assert!(Alias::new(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "ab",
            "-abc",
            "../x",
            "a/b",
            "Abc",
            "a b c",
            "a.b",
            "äöü",
            "a\0b",
            &"x".repeat(65),
        ] {
            assert!(Alias::new(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_prompt_always_gives_an_alias() {
        for (prompt, alias) in [
            ("OpenAPI 3.1 spec + DDD notes", "openapi-3-1-spec-ddd-notes"),
            ("x", "run-x"),
            ("", "run"),
            ("日本語", "run"),
        ] {
            assert_eq!(Alias::from_prompt(prompt).as_str(), alias);
        }
        assert!(Alias::new(Alias::from_prompt(&"verylongword".repeat(50)).as_str()).is_ok());
    }

    #[test]
    fn run_ids_carry_alias_and_stamp() {
        assert!(RunId::new("courses-api-ddd-20260218-120000").is_ok());
        for bad in [
            "courses-20260218",
            "a-20260218-120000",
            "../../x-20260218-120000",
            "abc-2026021-8120000",
            "é-20260218-120000",
        ] {
            assert!(RunId::new(bad).is_err(), "{bad}");
        }
    }
}
