//! `onus schema`: the JSON schemas of what Onus writes and what it expects of agents.

use onus_design::Intent;
use onus_model::{CritiqueAnswer, EvaluateAnswer, ExitCode, LoopSpec, PlanAnswer, PrepareAnswer, Record};
use schemars::{Schema, schema_for};

use crate::cli::SchemaArgs;
use crate::commands::print_json;
use crate::fault::Fault;
use crate::terminal::out;

/// Name, what it describes, and the schema.
pub(crate) fn schemas() -> Vec<(&'static str, &'static str, Schema)> {
    vec![
        ("record", "one line of history.jsonl", schema_for!(Record)),
        ("loop-spec", "the frozen contract of a run", schema_for!(LoopSpec)),
        ("plan", "what a planner answers", schema_for!(PlanAnswer)),
        ("prepare", "what a preparer answers", schema_for!(PrepareAnswer)),
        ("evaluate", "what an evaluator answers", schema_for!(EvaluateAnswer)),
        ("critique", "what a critic answers", schema_for!(CritiqueAnswer)),
        ("intent", "a design intent", schema_for!(Intent)),
    ]
}

pub(crate) fn run(args: &SchemaArgs) -> Result<ExitCode, Fault> {
    let all = schemas();
    let Some(name) = &args.name else {
        all.iter()
            .for_each(|(name, what, _)| out(&format!("{name:<10} {what}\n")));
        return Ok(ExitCode::Passed);
    };
    match all.iter().find(|(known, _, _)| known == name) {
        Some((_, _, schema)) => {
            print_json(schema)?;
            Ok(ExitCode::Passed)
        }
        None => {
            let names: Vec<_> = all.iter().map(|(name, _, _)| format!("`{name}`")).collect();
            Err(Fault::usage(format!("there is no schema `{name}`")).hint(format!("there is {}", names.join(", "))))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `ONUS_UPDATE=1 cargo test -p onus-cli schemas` writes them anew.
    #[test]
    #[allow(clippy::disallowed_methods, reason = "a test that keeps generated files up to date")]
    fn the_published_schemas_are_up_to_date() {
        for (name, _, schema) in schemas() {
            let path = format!(
                "{}/../../docs/reference/schemas/{name}.json",
                env!("CARGO_MANIFEST_DIR")
            );
            let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
            if std::env::var_os("ONUS_UPDATE").is_some() {
                std::fs::create_dir_all(std::path::Path::new(&path).parent().unwrap()).unwrap();
                std::fs::write(&path, &text).unwrap();
            }
            let found = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(
                found == text,
                "docs/reference/schemas/{name}.json is out of date: run with ONUS_UPDATE=1"
            );
        }
    }
}
