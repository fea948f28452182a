//! A run that ends without a pass leaves its best artifact behind.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests touch the world and fail loudly"
)]

mod stage;

use serde_json::json;
use stage::{DONE, Loop, Sandbox, run_args};

/// The refiner destroys the title instead of adding the last line.
fn spoiled_by_its_refiner() -> Sandbox {
    let criteria = format!(
        r#"{DONE}
[[criteria]]
id = "a.title"
description = "The note has a title."
severity = "warn"
verify = {{ type = "content", search = "^# Cedar$" }}
"#
    );
    Loop {
        criteria: &criteria,
        cast: &[("refiner", r#"echo worse > "$ONUS_ARTIFACT""#)],
        ..Loop::default()
    }
    .sandbox()
}

#[test]
fn the_artifact_that_stays_is_the_best_one() {
    let sandbox = spoiled_by_its_refiner();
    let told = sandbox.onus(run_args("2", &[])).expect(1);
    let artifact = sandbox.read(".ai-factory/evolution/note/artifact.md");
    assert!(artifact.starts_with("# Cedar"), "{artifact}");

    let history = sandbox.history("note");
    let [.., restored, stopped] = history.as_slice() else {
        panic!("{history:?}")
    };
    assert_eq!(restored["event"], json!("artifact_restored"));
    assert_eq!(stopped["payload"]["rule"], json!("iteration_limit"));
    let last = history.iter().rfind(|r| r["event"] == "evaluation_done").unwrap();
    assert_eq!(last["payload"]["regressed"], json!(["a.title"]));

    let status = sandbox.onus(["status", "note", "--json"]).expect(0).json();
    assert_eq!(
        status["evaluation"]["artifact_sha256"],
        restored["payload"]["artifact_sha256"]
    );
    assert!(!told.stdout.contains("not evaluated"), "{}", told.stdout);
    sandbox.onus(["verify", "note"]).expect(0);
    sandbox.onus(["replay", "note"]).expect(0);
}
