//! Regular expressions written by others: bounded before they are compiled and while they count.

use regex::{Regex, RegexBuilder};

use crate::text::{MESSAGE_CHARS_MAX, clip};

/// The longest pattern. People write far shorter ones; parsing is linear in it.
const PATTERN_BYTES_MAX: usize = 4_096;

/// The compiled size, in bytes. Matching costs at most (compiled size × text), so this bounds the time of one search. It
/// lets `\w{1,40}` and `[\s\S]{0,300}` through, which people write; the worst text found for a pattern of this size costs
/// half a minute per megabyte, ordinary ones milliseconds.
const COMPILED_BYTES_MAX: usize = 2 << 20;

/// The most matches that are counted. Finding all matches can cost time quadratic in the text.
pub const COUNT_MAX: u32 = 1_000;

/// Compiles in multi-line mode: `^` and `$` are the ends of a line.
pub(crate) fn compile(pattern: &str) -> Result<Regex, String> {
    if pattern.len() > PATTERN_BYTES_MAX {
        return Err(format!("is longer than {PATTERN_BYTES_MAX} bytes"));
    }
    let built = RegexBuilder::new(pattern)
        .multi_line(true)
        .size_limit(COMPILED_BYTES_MAX)
        .build();
    built.map_err(|error| {
        if let regex::Error::CompiledTooBig(limit) = error {
            return format!("compiles to more than {limit} bytes");
        }
        // The parser's message is a drawing over several lines; its last line says what is wrong.
        let drawing = error.to_string();
        let line = drawing.lines().last().unwrap_or_default();
        let problem = clip(line.trim_start_matches("error: "), MESSAGE_CHARS_MAX);
        format!("is not a regular expression: {problem}")
    })
}

#[cfg(test)]
mod tests {
    use super::compile;

    #[test]
    fn patterns_people_write_compile() {
        for pattern in [
            r"^#{1,3} \w{1,40}$",
            r"## Errors[\s\S]{0,500}4\d\d",
            r"(?i)\b(get|post)\b\s+/[\w/{}-]{1,20}",
        ] {
            assert!(compile(pattern).is_ok(), "{pattern}");
        }
    }
}
