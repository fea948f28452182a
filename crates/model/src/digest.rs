//! SHA-256 and canonical JSON (RFC 8785): how Onus names content.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::Digest as _;

/// A SHA-256, 64 lower-case hex digits in text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct Digest([u8; 32]);

/// The text is not 64 lower-case hex digits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a SHA-256 of 64 lower-case hex digits")]
pub struct DigestError(String);

impl Digest {
    pub fn of(bytes: &[u8]) -> Digest {
        Digest(sha2::Sha256::digest(bytes).into())
    }

    pub const fn from_bytes(bytes: [u8; 32]) -> Digest {
        Digest(bytes)
    }

    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The first 8 hex digits, as summaries show them.
    pub fn short(&self) -> String {
        self.to_string()[..8].to_owned()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        let mut text = [0u8; 64];
        for (pair, byte) in text.chunks_exact_mut(2).zip(self.0) {
            pair[0] = HEX[usize::from(byte >> 4)];
            pair[1] = HEX[usize::from(byte & 15)];
        }
        f.write_str(std::str::from_utf8(&text).unwrap_or_default())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl std::str::FromStr for Digest {
    type Err = DigestError;
    fn from_str(text: &str) -> Result<Digest, DigestError> {
        let nibble = |c: u8| match c {
            b'0'..=b'9' => Some(c - b'0'),
            b'a'..=b'f' => Some(c - b'a' + 10),
            _ => None,
        };
        let fail = || DigestError(text.chars().take(80).collect());
        if text.len() != 64 {
            return Err(fail());
        }
        let mut bytes = [0u8; 32];
        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            let (Some(high), Some(low)) = (nibble(pair[0]), nibble(pair[1])) else {
                return Err(fail());
            };
            *byte = high << 4 | low;
        }
        Ok(Digest(bytes))
    }
}

impl TryFrom<String> for Digest {
    type Error = DigestError;
    fn try_from(text: String) -> Result<Digest, DigestError> {
        text.parse()
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> String {
        digest.to_string()
    }
}

/// Why a value has no canonical form.
#[derive(Debug, thiserror::Error)]
pub enum CanonicalError {
    #[error("the value cannot be written as JSON")]
    Json(#[source] serde_json::Error),
    #[error("the integer {0} is beyond 2^53 - 1, where two different numbers would get one hash")]
    UnsafeInteger(String),
}

/// The RFC 8785 bytes of a value. Integers that JSON readers would merge are refused (RFC 7493).
pub fn canonical_json<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, CanonicalError> {
    let value = serde_json::to_value(value).map_err(CanonicalError::Json)?;
    refuse_unsafe_integers(&value)?;
    serde_json_canonicalizer::to_vec(&value).map_err(CanonicalError::Json)
}

pub fn canonical_sha256<T: Serialize + ?Sized>(value: &T) -> Result<Digest, CanonicalError> {
    canonical_json(value).map(|bytes| Digest::of(&bytes))
}

fn refuse_unsafe_integers(value: &serde_json::Value) -> Result<(), CanonicalError> {
    use serde_json::Value;
    const SAFE: u64 = (1 << 53) - 1;
    match value {
        Value::Number(n) => {
            let size = n.as_u64().or_else(|| n.as_i64().map(i64::unsigned_abs));
            match size {
                Some(size) if size > SAFE => Err(CanonicalError::UnsafeInteger(n.to_string())),
                Some(_) | None => Ok(()),
            }
        }
        Value::Array(items) => items.iter().try_for_each(refuse_unsafe_integers),
        Value::Object(map) => map.values().try_for_each(refuse_unsafe_integers),
        Value::Null | Value::Bool(_) | Value::String(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_read_back_and_refuse_other_text() {
        let digest = Digest::of(b"abc");
        assert_eq!(
            digest.to_string(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(digest.to_string().parse::<Digest>().unwrap(), digest);
        assert_eq!(digest.short(), "ba7816bf");
        for bad in ["", "ba78", &"g".repeat(64), &"A".repeat(64), &"é".repeat(32)] {
            assert!(bad.parse::<Digest>().is_err(), "{bad}");
        }
    }

    #[test]
    fn canonical_form_sorts_keys_and_refuses_integers_that_would_merge() {
        let value = serde_json::json!({"b": 1.0, "a": [true, null, "é"]});
        assert_eq!(
            canonical_json(&value).unwrap(),
            r#"{"a":[true,null,"é"],"b":1}"#.as_bytes()
        );
        assert!(canonical_json(&serde_json::json!({"n": 9_007_199_254_740_993_u64})).is_err());
        assert!(canonical_json(&serde_json::json!([[-9_007_199_254_740_993_i64]])).is_err());
        assert!(canonical_json(&serde_json::json!(9_007_199_254_740_991_u64)).is_ok());
    }
}
