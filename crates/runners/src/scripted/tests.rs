use onus_model::Step;
use serde_json::json;

use super::*;
use crate::agent::fixture;

fn parse(text: &str) -> Result<Script, ScriptError> {
    Script::parse(text, Path::new("/nowhere"), ScriptFormat::Toml)
}

/// A call of `role` at an iteration, a level and an attempt.
async fn ask(script: &Script, role: Role, moment: (u32, &str, u32)) -> Result<AgentReply, AgentFailure> {
    ask_about(script, role, moment, Some("base")).await
}

async fn ask_about(
    script: &Script,
    role: Role,
    (iteration, level, attempt): (u32, &str, u32),
    artifact: Option<&str>,
) -> Result<AgentReply, AgentFailure> {
    let dir = tempfile::tempdir().unwrap();
    let step = Step::ALL.into_iter().find(|step| step.role() == role).unwrap();
    let request = AgentRequest {
        role,
        step,
        iteration: Some(iteration),
        level: LevelName::new(level).unwrap(),
        attempt,
        input: json!({"rules": [{"id": "a.one"}, {"id": "a.two"}]}),
        base_artifact: artifact.map(|text| text.as_bytes().to_vec()),
        ..fixture::request(dir.path())
    };
    script.call(&request, &CancellationToken::new()).await
}

#[tokio::test]
async fn the_most_specific_answer_wins_and_then_the_last() {
    let script = parse(
        r#"
        answer = [
            { role = "producer", text = "any" },
            { role = "producer", iteration = 2, level = "B", text = "second at B" },
            { role = "producer", iteration = 2, text = "second" },
            { role = "producer", attempt = 2, text = "retried" },
            { role = "refiner", text = "refined" },
        ]"#,
    )
    .unwrap();
    for (moment, text) in [
        ((1, "A", 1), "any"),
        ((2, "A", 1), "second"),
        ((2, "B", 1), "second at B"),
        ((2, "A", 2), "retried"),
        ((9, "A", 2), "retried"),
    ] {
        let reply = ask(&script, Role::Producer, moment).await.unwrap();
        assert_eq!(reply.artifact.as_deref(), Some(text.as_bytes()), "{moment:?}");
    }
    let failure = ask(&script, Role::Critic, (3, "B", 1)).await.unwrap_err();
    assert_eq!(failure.kind(), "exit");
    let message = "agent `scripted`: script has no answer for critic, iteration 3, level B, attempt 1";
    assert_eq!(failure.to_string(), message);
}

#[tokio::test]
async fn an_answer_stands_where_a_program_would_put_it() {
    let script = parse(
        r#"
        [[answer]]
        role = "planner"
        json = { plan = ["one", "two"] }

        [[answer]]
        role = "critic"
        text = "prose"
        "#,
    )
    .unwrap();
    let plan = ask(&script, Role::Planner, (1, "A", 1)).await.unwrap();
    assert_eq!(plan.response.unwrap(), br#"{"plan":["one","two"]}"#);
    let critique = ask(&script, Role::Critic, (1, "A", 1)).await.unwrap();
    assert_eq!(
        (critique.stdout.bytes.as_slice(), critique.response),
        (b"prose".as_slice(), None)
    );
}

#[tokio::test]
async fn files_are_read_with_the_script() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("drafts")).unwrap();
    let draft = dir.path().join("drafts/1.md");
    files::create(&draft, b"draft", files::Access::Writable).unwrap();
    let text =
        r#"{"answer": [{"role": "producer", "file": "drafts/1.md"}, {"role": "refiner", "file": "drafts/1.md"}]}"#;
    let script = Script::parse(text, dir.path(), ScriptFormat::Json).unwrap();
    std::fs::File::create(&draft).unwrap();

    assert_eq!(
        script.files(),
        [ScriptFile {
            name: "drafts/1.md".to_owned(),
            bytes: b"draft".to_vec()
        }]
    );
    assert_eq!(
        ask(&script, Role::Refiner, (1, "A", 1))
            .await
            .unwrap()
            .artifact
            .unwrap(),
        b"draft"
    );
}

#[test]
fn files_outside_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("/etc/passwd", dir.path().join("link")).unwrap();
    std::fs::create_dir(dir.path().join("dir")).unwrap();
    let error = |name: &str| {
        let text = format!("[[answer]]\nrole = 'producer'\nfile = '{name}'");
        Script::parse(&text, dir.path(), ScriptFormat::Toml).unwrap_err()
    };
    for name in ["", "../x", "/etc/passwd", "dir/../../x", "link", "dir"] {
        let expected = format!("answer 1: `{name}` must be a file inside the script's directory");
        assert_eq!(error(name).to_string(), expected);
    }
    assert!(matches!(error("none"), ScriptError::Io { answer: 1, .. }));
}

#[tokio::test]
async fn fail_fails_with_its_message() {
    let script = parse("[[answer]]\nrole = 'producer'\nfault = 'fail'\nmessage = 'rate limit'").unwrap();
    let failure = ask(&script, Role::Producer, (1, "A", 1)).await.unwrap_err();
    assert_eq!(
        (failure.kind(), failure.to_string().as_str()),
        ("exit", "agent `scripted`: rate limit")
    );
}

#[tokio::test(start_paused = true)]
async fn hang_lasts_until_the_timeout_or_the_cancel() {
    let script = parse("[[answer]]\nrole = 'producer'\nfault = 'hang'").unwrap();
    let failure = ask(&script, Role::Producer, (1, "A", 1)).await.unwrap_err();
    assert_eq!((failure.kind(), failure.elapsed.as_secs()), ("timeout", 5));

    let dir = tempfile::tempdir().unwrap();
    let (request, cancel) = (fixture::request(dir.path()), CancellationToken::new());
    let cancelling = async {
        sleep(Duration::from_secs(1)).await;
        cancel.cancel();
    };
    let (reply, ()) = tokio::join!(script.call(&request, &cancel), cancelling);
    assert_eq!(reply.unwrap_err().kind(), "cancelled");
}

#[tokio::test(start_paused = true)]
async fn a_delay_counts_against_the_timeout() {
    let script = parse(
        r#"
        answer = [
            { role = "producer", text = "slow", delay_ms = 4999 },
            { role = "refiner", text = "too slow", delay_ms = 5000 },
        ]"#,
    )
    .unwrap();
    let reply = ask(&script, Role::Producer, (1, "A", 1)).await.unwrap();
    assert_eq!(reply.elapsed.as_millis(), 4999);
    assert_eq!(
        ask(&script, Role::Refiner, (1, "A", 1)).await.unwrap_err().kind(),
        "timeout"
    );
}

#[tokio::test]
async fn lie_claims_and_gives_nothing() {
    let roles =
        ["producer", "planner", "evaluator"].map(|role| format!("[[answer]]\nrole = '{role}'\nfault = 'lie'\n"));
    let script = parse(&roles.concat()).unwrap();

    let producer = ask(&script, Role::Producer, (1, "A", 1)).await.unwrap();
    assert_eq!((producer.artifact, producer.stdout.bytes.len()), (None, 0));
    assert_eq!(producer.stderr.bytes, CLAIM.as_bytes());

    let planner = ask(&script, Role::Planner, (1, "A", 1)).await.unwrap();
    assert_eq!(
        (planner.response, planner.stdout.bytes.as_slice()),
        (None, CLAIM.as_bytes())
    );

    let artifact = format!("{CLAIM}!");
    let evaluator = ask_about(&script, Role::Evaluator, (1, "A", 1), Some(&artifact))
        .await
        .unwrap();
    let answer: EvaluateAnswer = serde_json::from_slice(&evaluator.response.unwrap()).unwrap();
    let ids: Vec<&str> = answer.rule_results.iter().map(|result| result.id.as_str()).collect();
    assert_eq!(ids, ["a.one", "a.two"]);
    for result in &answer.rule_results {
        assert_eq!(result.verdict, VerdictKind::Pass);
        assert!(!artifact.contains(result.quote.as_ref().unwrap()));
    }
}

#[tokio::test]
async fn garble_is_half_an_answer_and_no_text() {
    let script = parse(
        r#"
        answer = [
            { role = "producer", text = "12345678", fault = "garble" },
            { role = "planner", json = { plan = [] }, fault = "garble" },
        ]"#,
    )
    .unwrap();
    let artifact = ask(&script, Role::Producer, (1, "A", 1))
        .await
        .unwrap()
        .artifact
        .unwrap();
    assert_eq!(artifact, b"1234\xff\xfe");
    let response = ask(&script, Role::Planner, (1, "A", 1))
        .await
        .unwrap()
        .response
        .unwrap();
    assert_eq!(response, b"{\"pla\xff\xfe");
}

#[tokio::test]
async fn repeat_gives_what_was_given_before() {
    let script = parse(
        r#"
        answer = [
            { role = "producer", fault = "repeat" },
            { role = "critic", fault = "repeat" },
            { role = "critic", iteration = 2, text = "second" },
        ]"#,
    )
    .unwrap();
    let producer = ask(&script, Role::Producer, (2, "A", 1)).await.unwrap();
    assert_eq!(producer.artifact.unwrap(), b"base");
    assert!(ask_about(&script, Role::Producer, (1, "A", 1), None).await.is_err());

    for iteration in 2..5 {
        let critic = ask(&script, Role::Critic, (iteration, "A", 2)).await.unwrap();
        assert_eq!(critic.stdout.bytes, b"second", "{iteration}");
    }
    let failure = ask(&script, Role::Critic, (1, "A", 1)).await.unwrap_err();
    assert_eq!(
        failure.to_string(),
        "agent `scripted`: there is no earlier answer to repeat"
    );
}

#[tokio::test]
async fn an_answer_over_the_limit_is_a_failure() {
    let script = parse(&format!(
        "[[answer]]\nrole = 'producer'\ntext = '{}'",
        "x".repeat((1 << 20) + 1)
    ))
    .unwrap();
    assert_eq!(
        ask(&script, Role::Producer, (1, "A", 1)).await.unwrap_err().kind(),
        "output_limit"
    );
}

#[test]
fn mistakes_are_shown_with_line_and_column() {
    let check = |text: &str, format: ScriptFormat, expected: &str| {
        let error = Script::parse(text, Path::new("/nowhere"), format).unwrap_err();
        assert_eq!(error.to_string(), expected, "{text}");
    };
    let roles = "expected one of `planner`, `producer`, `preparer`, `evaluator`, `critic`, `refiner`";
    let faults = "expected one of `fail`, `hang`, `lie`, `garble`, `repeat`";
    let keys = "expected one of `role`, `iteration`, `level`, `attempt`, `text`, `file`, `json`, `write`, `remove`, `about`, `contains`, `fault`, `message`, `delay_ms`";
    let head = "[[answer]]\nrole = 'producer'\n";
    for (text, expected) in [
        (
            "[[answer]]\nrole = 'producr'".to_owned(),
            format!("2:8: unknown variant `producr`, {roles}"),
        ),
        (
            format!("{head}fault = 'explode'"),
            format!("3:9: unknown variant `explode`, {faults}"),
        ),
        (format!("{head}call = 1"), format!("3:1: unknown field `call`, {keys}")),
        (
            "[[answers]]".to_owned(),
            "1:3: unknown field `answers`, expected `answer`".to_owned(),
        ),
        (
            format!("{head}text = 'é' 'x'"),
            "3:12: unexpected key or value, expected newline, `#`".to_owned(),
        ),
        (
            format!("{head}text = 'x'\n[[answer]]\ntext = 'x'"),
            "4:1: missing field `role`".to_owned(),
        ),
        (
            head.to_owned(),
            "1:1: an answer needs `text`, `file`, `json` or `write`".to_owned(),
        ),
        (
            format!("{head}text = 'a'\nfile = 'b'"),
            "1:1: an answer has only one of `text`, `file`, `json` and `write`".to_owned(),
        ),
        (
            format!("{head}text = 'a'\nfault = 'lie'"),
            "1:1: `text`, `file`, `json` and `write` go with no fault but `garble`".to_owned(),
        ),
        (
            format!("{head}text = 'a'\nmessage = 'b'"),
            "1:1: `message` goes with `fault = \"fail\"` only".to_owned(),
        ),
    ] {
        check(&text, ScriptFormat::Toml, &expected);
    }
    let json = "{\"answer\": [\n  {\"role\": \"producr\"}]}";
    check(
        json,
        ScriptFormat::Json,
        &format!("2:20: unknown variant `producr`, {roles}"),
    );
    let json = "{\"answer\": [\n  {\"role\": \"producer\"}]}";
    check(
        json,
        ScriptFormat::Json,
        "2:23: an answer needs `text`, `file`, `json` or `write`",
    );
}
