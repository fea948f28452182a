//! Expressions that are constant, or look at criteria that are not there, told by their words.

/// `… || true`: whatever the other parts say.
pub(super) fn always_true(expr: &str) -> bool {
    parts(expr, "||").is_some_and(|parts| parts.iter().any(|part| bare(part) == "true"))
}

/// `… && false`, and nothing that could make up for it.
pub(super) fn always_false(expr: &str) -> bool {
    let no_other_way = parts(expr, "||").is_some_and(|parts| parts.len() == 1);
    no_other_way && parts(expr, "&&").is_some_and(|parts| parts.iter().any(|part| bare(part) == "false"))
}

/// The ids in `results["…"]`.
pub(super) fn named(expr: &str) -> Vec<&str> {
    let mut named = Vec::new();
    for (at, _) in expr.match_indices("results") {
        let rest = expr[at + "results".len()..].trim_start();
        let Some(rest) = rest.strip_prefix('[').map(str::trim_start) else {
            continue;
        };
        let Some(quote) = rest.chars().next().filter(|c| ['"', '\''].contains(c)) else {
            continue;
        };
        if let Some((id, _)) = rest[1..].split_once(quote) {
            named.push(id);
        }
    }
    named.sort_unstable();
    named.dedup();
    named
}

fn bare(part: &str) -> &str {
    part.trim_matches(|c: char| c.is_whitespace() || "()".contains(c))
}

/// The parts between a sign that stands outside of quotes and brackets; absent: a choice (`?`) decides which part counts.
fn parts<'a>(expr: &'a str, sign: &str) -> Option<Vec<&'a str>> {
    let mut parts = Vec::new();
    let (mut begin, mut depth, mut quote) = (0, 0_u32, None);
    for (at, c) in expr.char_indices() {
        match (quote, c) {
            (Some(open), _) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            (None, '?') => return None,
            (None, _) if depth == 0 && at >= begin && expr[at..].starts_with(sign) => {
                parts.push(&expr[begin..at]);
                begin = at + sign.len();
            }
            (None, _) => {}
        }
    }
    parts.push(&expr[begin..]);
    Some(parts)
}
