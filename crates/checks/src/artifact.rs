//! The artifact as text.

use crate::{AnswerError, Place, text::is_blank};

/// Reads an artifact: UTF-8, no NUL, something in it. The text is the bytes as they are; nothing is stripped, a Markdown
/// fence around the whole included, because the artifact's hash speaks of these bytes.
pub fn artifact_text(bytes: &[u8]) -> Result<String, AnswerError> {
    let text = std::str::from_utf8(bytes).map_err(|error| AnswerError::NotUtf8 {
        place: Place::Artifact,
        offset: error.valid_up_to(),
    })?;
    if let Some(offset) = text.find('\0') {
        return Err(AnswerError::Nul { offset });
    }
    if is_blank(text) {
        return Err(AnswerError::EmptyArtifact);
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_text_with_something_in_it_is_an_artifact() {
        let check = |bytes: &[u8]| artifact_text(bytes).map_err(|e| e.to_string());
        let fenced = "```markdown\n# Title\n```\n";
        assert_eq!(check(fenced.as_bytes()), Ok(fenced.to_owned()));
        assert_eq!(check("\u{feff}# Title".as_bytes()), Ok("\u{feff}# Title".to_owned()));
        for (bytes, error) in [
            (&b""[..], "the artifact is empty"),
            (b" \n\t\r\n", "the artifact is empty"),
            ("\u{feff}\n\u{200b}".as_bytes(), "the artifact is empty"),
            (
                b"abc\xff\xfe",
                "the artifact is not UTF-8: the first bad byte is at offset 3",
            ),
            (
                b"# Title\n\xe2\x82",
                "the artifact is not UTF-8: the first bad byte is at offset 8",
            ),
            (b"\x7fELF\0\0", "the artifact is not text: a NUL byte is at offset 4"),
        ] {
            assert_eq!(check(bytes), Err(error.to_owned()), "{bytes:?}");
        }
        assert_eq!(check(&vec![b'a'; 10 << 20]).map(|t| t.len()), Ok(10 << 20));
    }
}
