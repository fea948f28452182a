use std::{fs, os::unix::fs::PermissionsExt};

use onus_model::Step;

use super::*;
use crate::agent::fixture;

/// Lets a shell script play the agent; `change` adapts the request.
async fn ask(script: &str, change: impl FnOnce(&mut AgentRequest)) -> Result<AgentReply, AgentFailure> {
    let dir = tempfile::tempdir().unwrap();
    let mut request = fixture::request(dir.path());
    change(&mut request);
    agent(script, dir.path())
        .call(&request, &CancellationToken::new())
        .await
}

fn agent(script: &str, project: &Path) -> CommandAgent {
    let env = [
        ("PATH", "/usr/bin:/bin"),
        ("LC_ALL", "C"),
        ("XDG_X", "x"),
        ("TOKEN", "secret"),
        ("ONUS_ITERATION", "9"),
    ];
    CommandAgent {
        command: ["sh", "-c", script].map(str::to_owned).to_vec(),
        env: Vec::new(),
        surroundings: Surroundings {
            env: env.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
            project: project.to_owned(),
        },
    }
}

fn stdout(reply: &AgentReply) -> &str {
    std::str::from_utf8(&reply.stdout.bytes).unwrap()
}

/// The names and values an agent sees, but for those its shell makes up.
async fn environment(agent: CommandAgent, request: &AgentRequest) -> BTreeMap<String, String> {
    let reply = agent.call(request, &CancellationToken::new()).await.unwrap();
    let pairs = stdout(&reply).lines().filter_map(|line| line.split_once('='));
    let made_up = ["PWD", "OLDPWD", "SHLVL", "_"];
    pairs
        .filter(|(name, _)| !made_up.contains(name))
        .map(|(n, v)| (n.to_owned(), v.to_owned()))
        .collect()
}

#[tokio::test]
async fn the_environment_is_an_allow_list() {
    let dir = tempfile::tempdir().unwrap();
    let request = fixture::request(dir.path());
    let seen = environment(agent("env", dir.path()), &request).await;
    let names: Vec<&str> = seen.keys().map(String::as_str).collect();
    let expected = [
        "LC_ALL",
        "ONUS_ALIAS",
        "ONUS_ARTIFACT",
        "ONUS_ITERATION",
        "ONUS_LEVEL",
        "ONUS_REQUEST",
        "ONUS_RESPONSE",
        "ONUS_ROLE",
        "ONUS_RUN_ID",
        "ONUS_STEP",
        "PATH",
        "XDG_X",
    ];
    assert_eq!(names, expected);
    assert_eq!(seen["ONUS_ITERATION"], "1");
    assert_eq!(
        seen["ONUS_ARTIFACT"],
        request.scratch.join("artifact.md").to_str().unwrap()
    );
}

#[tokio::test]
async fn a_named_variable_is_let_through_but_never_one_of_ours() {
    let dir = tempfile::tempdir().unwrap();
    let mut request = fixture::request(dir.path());
    (request.role, request.step) = (Role::Evaluator, Step::Evaluate);
    let env = ["TOKEN", "ONUS_ITERATION"].map(str::to_owned).to_vec();
    let seen = environment(
        CommandAgent {
            env,
            ..agent("env", dir.path())
        },
        &request,
    )
    .await;
    assert_eq!(seen["TOKEN"], "secret");
    assert_eq!(seen["ONUS_ROLE"], "evaluator");
    assert!(!seen.contains_key("ONUS_ITERATION"), "the evaluator is blind");
}

#[tokio::test]
async fn an_agent_works_in_the_workspace_with_prompt_and_request() {
    let dir = tempfile::tempdir().unwrap();
    let request = fixture::request(dir.path());
    let script = r#"pwd; cat; echo; cat "$ONUS_REQUEST"; echo; stat -c %a "$ONUS_REQUEST""#;
    let reply = agent(script, dir.path())
        .call(&request, &CancellationToken::new())
        .await
        .unwrap();
    let workspace = request.workspace.display();
    assert_eq!(
        stdout(&reply),
        format!("{workspace}\nwrite it\n{{\"task\":\"write it\"}}\n444\n")
    );
    assert_eq!((reply.response, reply.artifact), (None, None));
}

#[tokio::test]
async fn written_files_come_back() {
    let script = r#"echo draft > "$ONUS_ARTIFACT"; echo '{"plan":[]}' > "$ONUS_RESPONSE""#;
    let reply = ask(script, |_| {}).await.unwrap();
    assert_eq!(reply.artifact.unwrap(), b"draft\n");
    assert_eq!(reply.response.unwrap(), b"{\"plan\":[]}\n");
}

#[tokio::test]
async fn only_a_written_artifact_comes_back() {
    for (script, artifact) in [
        ("true", None),
        (r#"cat "$ONUS_ARTIFACT" >/dev/null"#, None),
        (r#"chmod 600 "$ONUS_ARTIFACT""#, None),
        (r#"rm "$ONUS_ARTIFACT""#, None),
        (r#"printf base > "$ONUS_ARTIFACT""#, Some("base")),
        (r#"printf base > new; mv new "$ONUS_ARTIFACT""#, Some("base")),
        (r#"printf more >> "$ONUS_ARTIFACT""#, Some("basemore")),
        (r#": > "$ONUS_ARTIFACT""#, Some("")),
        (
            r#"printf ESAB > "$ONUS_ARTIFACT"; touch -d @946684800 "$ONUS_ARTIFACT""#,
            Some("ESAB"),
        ),
    ] {
        let reply = ask(script, |request| request.base_artifact = Some(b"base".to_vec()))
            .await
            .unwrap();
        assert_eq!(
            reply.artifact,
            artifact.map(|text| text.as_bytes().to_vec()),
            "{script}"
        );
    }
    let reply = ask(r#": > "$ONUS_ARTIFACT"; : > "$ONUS_RESPONSE""#, |_| {})
        .await
        .unwrap();
    assert_eq!(
        (reply.artifact, reply.response),
        (None, None),
        "empty files say nothing"
    );
}

#[tokio::test]
async fn an_artifact_of_another_role_is_read_only_and_not_taken_back() {
    let script = r#"stat -c %a "$ONUS_ARTIFACT"; rm -f "$ONUS_ARTIFACT"; echo mine > "$ONUS_ARTIFACT""#;
    let reply = ask(script, |request| {
        request.base_artifact = Some(b"base".to_vec());
        request.artifact_writable = false;
    })
    .await
    .unwrap();
    assert_eq!((stdout(&reply), reply.artifact.as_ref()), ("444\n", None));
}

#[tokio::test]
async fn only_regular_files_are_read_and_none_waits_for_a_writer() {
    for name in ["ONUS_ARTIFACT", "ONUS_RESPONSE"] {
        for make in ["ln -s /etc/passwd", "ln -s /no/such/file", "mkfifo", "mkdir"] {
            let script = format!(r#"rm -f "${name}"; {make} "${name}""#);
            let failure = ask(&script, |_| {}).await.unwrap_err();
            assert!(
                matches!(failure.cause, FailureCause::NotAFile { .. }),
                "{script}: {failure}"
            );
            assert_eq!(failure.kind(), "invalid_answer");
        }
    }
}

#[tokio::test]
async fn a_scratch_directory_that_was_swapped_is_not_followed() {
    let script = r#"
        dir=$(dirname "$ONUS_ARTIFACT"); mv "$dir" "$dir.old"; mkdir "$dir"
        echo planted > "$dir/artifact.md"; echo own > "$dir.old/artifact.md""#;
    assert_eq!(ask(script, |_| {}).await.unwrap().artifact.unwrap(), b"own\n");
}

#[tokio::test]
async fn failures_say_what_happened() {
    let long = |request: &mut AgentRequest| request.artifact_bytes_max = 3;
    let check = async |script: &str, kind: &str, message: &str| {
        let change = |request: &mut AgentRequest| {
            long(request);
            request.timeout = Duration::from_millis(500);
            request.output_bytes_max = 8;
        };
        let failure = ask(script, change).await.unwrap_err();
        assert_eq!(
            (failure.kind(), failure.to_string().as_str()),
            (kind, message),
            "{script}"
        );
        failure
    };
    let failure = check(
        "echo out; echo why >&2; exit 3",
        "exit",
        "agent `sh` exited with code 3",
    )
    .await;
    assert_eq!(
        (failure.tail(4).as_str(), failure.stdout.bytes.as_slice()),
        ("why\n", b"out\n".as_slice())
    );
    check(
        r#"echo x > "$ONUS_ARTIFACT"; exit 1"#,
        "exit",
        "agent `sh` exited with code 1",
    )
    .await;
    check("kill -9 $$", "signal", "agent `sh` was killed by signal 9").await;
    check("sleep 30", "timeout", "agent `sh` did not end within 500ms").await;
    check(
        "echo 123456789",
        "output_limit",
        "agent `sh` wrote more than 8 bytes to stdout",
    )
    .await;
    let too_large = "agent `sh` wrote more than 3 bytes to `artifact.md`";
    check(r#"echo 1234 > "$ONUS_ARTIFACT""#, "output_limit", too_large).await;
}

#[tokio::test]
async fn a_program_that_does_not_exist_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let request = fixture::request(dir.path());
    let command = vec!["no-such-agent".to_owned()];
    let agent = CommandAgent {
        command,
        ..agent("", dir.path())
    };
    let failure = agent.call(&request, &CancellationToken::new()).await.unwrap_err();
    assert_eq!(failure.kind(), "spawn");
    assert_eq!(
        failure.to_string(),
        "cannot start agent `no-such-agent`: program `no-such-agent` was not found"
    );
}

#[tokio::test]
async fn a_cancelled_call_fails_as_cancelled() {
    let dir = tempfile::tempdir().unwrap();
    let request = fixture::request(dir.path());
    let cancel = CancellationToken::new();
    cancel.cancel();
    let failure = agent("sleep 30", dir.path()).call(&request, &cancel).await.unwrap_err();
    assert_eq!(failure.kind(), "cancelled");
}

#[tokio::test]
async fn tools_in_sessions_of_their_own_do_not_write_after_the_end() {
    let dir = tempfile::tempdir().unwrap();
    let request = fixture::request(dir.path());
    let script = r#"setsid sh -c 'while :; do echo late > "$ONUS_ARTIFACT"; done' >/dev/null 2>&1 & exit 0"#;
    agent(script, dir.path())
        .call(&request, &CancellationToken::new())
        .await
        .unwrap();
    let artifact = request.scratch.join("artifact.md");
    // The tool may have been ended before its first write; if it still lives, it undoes this one.
    fs::File::create(&artifact).unwrap();
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert_eq!(fs::read(&artifact).unwrap(), b"");
    assert_eq!(
        fs::metadata(request.scratch.join(REQUEST))
            .unwrap()
            .permissions()
            .mode()
            & 0o777,
        0o444
    );
}
