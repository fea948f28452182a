//! The examples do what their first lines say.

use onus_testkit::Sandbox;

#[test]
fn the_api_spec_example_fails_once_and_then_passes_both_levels() {
    let sandbox = Sandbox::new();
    sandbox.example("api-spec");
    let said = sandbox
        .onus([
            "run",
            "--accept-criteria",
            "--max-iterations",
            "4",
            "--alias",
            "courses",
        ])
        .expect(0);
    assert!(
        said.stdout.contains("Iteration 1/4 | Phase A | Score: 0.5714 | FAIL"),
        "{}",
        said.stdout
    );
    assert!(
        said.stdout.contains("Iteration 2/4 | Phase B | Score: 1.00 | PASS"),
        "{}",
        said.stdout
    );
    assert_eq!(sandbox.events("courses").last().unwrap(), "stopped");
    sandbox.onus(["verify"]).expect(0);
}

#[test]
fn the_fix_tests_example_is_claimed_done_then_half_done_then_done() {
    let sandbox = Sandbox::new();
    sandbox.example("fix-tests");
    let run = ["run", "--accept-criteria", "--max-iterations", "4", "--alias", "cart"];
    let said = sandbox.onus(run).expect(0);
    for line in [
        "Iteration 1/4 | Phase A | Score: 0.50 | FAIL",
        "Iteration 2/4 | Phase A | Score: 0.50 | FAIL",
        "Iteration 3/4 | Phase A | Score: 1.00 | PASS",
    ] {
        assert!(said.stdout.contains(line), "{}", said.stdout);
    }
    assert!(sandbox.read("shop/cart.py").contains("(100 - percent)"));
    sandbox.onus(["verify"]).expect(0);
    sandbox.onus(["check"]).expect(1); // without a base nobody can tell what was changed
}
