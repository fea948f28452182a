//! An agent that does nothing: it gives every role the shortest answer that is accepted, without reading its prompt. Without
//! a role it is a check that passes.
#![allow(clippy::disallowed_methods, reason = "an agent is told its role by its environment")]

use std::io::Write as _;

fn main() {
    let Some(role) = std::env::var_os("ONUS_ROLE") else {
        return;
    };
    let answer = match role.to_str().unwrap_or_default() {
        "planner" => r#"{"plan":["one","two","three"]}"#.to_owned(),
        // No check at all, so that the evaluator is asked about the criterion that has none.
        "preparer" => r#"{"checks":[]}"#.to_owned(),
        "evaluator" => r#"{"rule_results":[{"id":"a.judged.never","verdict":"fail","details":"no"}]}"#.to_owned(),
        "critic" => r#"{"issues":[{"rule_id":"a.judged.never","problem":"p","fix_instruction":"f"}]}"#.to_owned(),
        // A new artifact each time, as real agents give.
        role => {
            let iteration = std::env::var("ONUS_ITERATION").unwrap_or_default();
            format!("# Artifact\n\n## Section\n\nWritten by the {role} in iteration {iteration}.\n")
        }
    };
    // Nobody may be listening.
    let _ = std::io::stdout().write_all(answer.as_bytes());
}
