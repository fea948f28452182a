//! Loops around trees of files: what an agent may leave behind, what a killed process leaves behind, and what stays whole.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests touch the world and fail loudly"
)]

mod stage;

use std::collections::BTreeMap;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use onus_testkit::git;
use serde_json::{Value, json};
use stage::{Background, Said, Sandbox, files_below, said, verdict, wait_until};

const ALIAS: &str = "tree";

/// The criterion of most stories: a line that the producer does not write and the refiner does.
const DONE: &str = r#"
[[criteria]]
id = "a.done"
description = "The work is done."
severity = "fail"
verify = { type = "pattern", search = "^done$", files = "work.txt" }
"#;

/// A loop around a tree. `@OUT@` stands for a directory outside the project, where the agent is and where it takes notes.
struct Tree<'a> {
    /// Keys at the top of the loop file.
    top: &'a str,
    protected: &'a str,
    criteria: &'a str,
    /// Tables at its end.
    rest: &'a str,
    /// What each role does instead of the usual, in `sh`.
    cast: &'a [(&'a str, &'a str)],
}

impl Default for Tree<'_> {
    fn default() -> Self {
        Tree {
            top: "",
            protected: r#"["onus.toml", "tests/**"]"#,
            criteria: DONE,
            rest: "",
            cast: &[],
        }
    }
}

impl Tree<'_> {
    /// The loop in a project of its own, without git.
    fn plain(&self) -> Sandbox {
        let sandbox = Sandbox::in_memory();
        let out = out(&sandbox).display().to_string();
        let Tree {
            top,
            protected,
            criteria,
            rest,
            ..
        } = self;
        let text = format!(
            r#"preset = "build"
protected = {protected}
{top}

[task]
prompt = "Finish the work"

[agents.shell]
kind = "command"
command = ["sh", "-c", '. "$HOME/../agent.sh"']

{rest}
{criteria}
"#
        );
        sandbox.write("onus.toml", text.replace("@OUT@", &out));
        sandbox.write("work.txt", "begun\n");
        sandbox.write("src/lib.txt", "library\n");
        sandbox.write("tests/given.txt", "given\n");
        std::fs::write(out_file(&sandbox, "agent.sh"), self.agent().replace("@OUT@", &out)).unwrap();
        sandbox
    }

    /// The same in a repository with one commit.
    fn committed(&self) -> Sandbox {
        let sandbox = self.plain();
        commit_all(&sandbox);
        sandbox
    }

    fn agent(&self) -> String {
        let usual = [
            ("all", ":"),
            ("producer", "echo produced >> work.txt"),
            ("refiner", "echo done >> work.txt"),
            ("evaluator", r#"echo '{"rule_results": []}'"#),
        ];
        let part = |role: &str| {
            let own = self.cast.iter().find(|(name, _)| *name == role);
            own.or(usual.iter().find(|(name, _)| *name == role))
                .map_or("", |part| part.1)
        };
        let roles = ["producer", "refiner", "evaluator", "planner", "critic", "preparer"];
        let roles: String = roles.map(|role| format!("{role})\n{}\n;;\n", part(role))).concat();
        format!(
            r#"echo "$ONUS_STEP ${{ONUS_ITERATION:-blind}}" >> @OUT@/calls
hold=@OUT@/hold-$ONUS_STEP
{}
case "$ONUS_ROLE" in
{roles}esac
if [ -e $hold ]; then : > $hold.reached; while [ -e $hold ]; do sleep 0.02; done; fi
exit 0
"#,
            part("all")
        )
    }
}

fn commit_all(sandbox: &Sandbox) {
    git(sandbox, &["init", "-q"]);
    git(sandbox, &["add", "-A"]);
    git(sandbox, &["commit", "-qm", "base"]);
}

/// Outside the project.
fn out(sandbox: &Sandbox) -> PathBuf {
    sandbox.project().parent().unwrap().to_owned()
}

fn out_file(sandbox: &Sandbox, name: &str) -> PathBuf {
    out(sandbox).join(name)
}

fn run_args(iterations: &str) -> [String; 6] {
    [
        "run",
        "--accept-criteria",
        "--max-iterations",
        iterations,
        "--alias",
        ALIAS,
    ]
    .map(str::to_owned)
}

fn run(sandbox: &Sandbox, iterations: &str) -> Said {
    sandbox.onus(run_args(iterations))
}

fn history(sandbox: &Sandbox) -> Vec<Value> {
    let text = sandbox.read(&format!(".onus/runs/{ALIAS}/history.jsonl"));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn payloads(sandbox: &Sandbox, event: &str) -> Vec<Value> {
    let named = history(sandbox).into_iter().filter(|record| record["event"] == event);
    named.map(|mut record| record["payload"].take()).collect()
}

/// What `edit_refused` named, in order.
fn refused(sandbox: &Sandbox) -> Vec<String> {
    let all = payloads(sandbox, "edit_refused");
    let named = all.iter().flat_map(|payload| match payload["edits"].as_array() {
        Some(edits) => edits.clone(),
        None => vec![payload.clone()],
    });
    named.map(|edit| edit["path"].as_str().unwrap().to_owned()).collect()
}

fn calls(sandbox: &Sandbox) -> Vec<String> {
    let text = std::fs::read_to_string(out_file(sandbox, "calls")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// The artifact the run ended with.
fn final_artifact(sandbox: &Sandbox) -> String {
    let status = sandbox.onus(["status", ALIAS, "--json"]).expect(0).json();
    let named = &status["onus"]["artifact_sha256"];
    named.as_str().unwrap_or_else(|| panic!("{status}")).to_owned()
}

/// Files by path: what they hold, and whether they can be executed.
type Contents = BTreeMap<String, (Vec<u8>, bool)>;

/// The files of a stored tree.
fn stored(sandbox: &Sandbox, sha256: &str) -> Contents {
    let object = |sha256: &str| {
        let objects = sandbox.project().join(".onus");
        let found = files_below(&objects)
            .into_iter()
            .find(|path| path.replace('/', "").ends_with(sha256));
        std::fs::read(objects.join(found.unwrap_or_else(|| panic!("no object {sha256}")))).unwrap()
    };
    let files: BTreeMap<String, Value> = serde_json::from_slice(&object(sha256)).unwrap();
    let one = |(path, file): (String, Value)| {
        let bytes = object(file["sha256"].as_str().unwrap());
        (path, (bytes, file["executable"] == true))
    };
    files.into_iter().map(one).collect()
}

/// The files of a directory that are part of the work, in the same form.
fn lying(dir: &Path) -> Contents {
    let own = files_below(dir).into_iter().filter(|path| {
        !path.starts_with(".git/")
            && path != ".git"
            && !path.starts_with(".onus/")
            && dir.join(path).symlink_metadata().unwrap().is_file()
    });
    own.map(|path| {
        let full = dir.join(&path);
        let executable = full.metadata().unwrap().permissions().mode() & 0o111 != 0;
        (path, (std::fs::read(&full).unwrap(), executable))
    })
    .collect()
}

/// The files of a commit, in the same form, and every other entry: mode and path.
fn committed(sandbox: &Sandbox, revision: &str) -> (Contents, Vec<String>) {
    let listed = git(sandbox, &["ls-tree", "-r", "-z", revision]).stdout;
    let (mut files, mut others) = (BTreeMap::new(), Vec::new());
    for entry in listed.split('\0').filter(|entry| !entry.is_empty()) {
        let (facts, path) = entry.split_once('\t').unwrap();
        let facts: Vec<&str> = facts.split(' ').collect();
        if facts[0].starts_with("100") {
            let blob = git(sandbox, &["cat-file", "blob", facts[2]]).stdout.into_bytes();
            files.insert(path.to_owned(), (blob, facts[0] == "100755"));
        } else {
            others.push(format!("{} {path}", facts[0]));
        }
    }
    (files, others)
}

fn subjects(sandbox: &Sandbox) -> Vec<String> {
    let log = git(
        sandbox,
        &["log", "--format=%s", "--first-parent", &format!("onus/{ALIAS}")],
    )
    .stdout;
    log.lines().map(str::to_owned).collect()
}

/// Starts a run, kills it where a step holds, and lets the agent that is left end.
fn kill_in(sandbox: &Sandbox, step: &str, iterations: &str) {
    let hold = out_file(sandbox, &format!("hold-{step}"));
    std::fs::write(&hold, "").unwrap();
    let run = Background::start(&mut sandbox.command(run_args(iterations)));
    let reached = hold.with_extension("reached");
    wait_until(&format!("{step} holds"), || reached.exists());
    run.kill();
    std::fs::remove_file(&hold).unwrap();
    // The agent that is left behind notices within one of its naps.
    std::thread::sleep(std::time::Duration::from_millis(100));
}

/// Resumes after a kill: threads of the killed process may hold the lock for a moment longer.
fn resume(sandbox: &Sandbox) -> Said {
    loop {
        let resumed = sandbox.onus(["resume", ALIAS]);
        if !(resumed.code == Some(2) && resumed.stderr.contains("is held by")) {
            return resumed;
        }
    }
}

/// Every command that looks at a run still works.
#[track_caller]
fn assert_sound(sandbox: &Sandbox) {
    for command in ["verify", "replay", "status", "history", "explain"] {
        let told = sandbox.onus([command, ALIAS]);
        assert_eq!(told.code, Some(0), "{command}: {}{}", told.stdout, told.stderr);
    }
    let listed = sandbox.onus(["list"]).expect(0);
    assert!(listed.stdout.contains(ALIAS), "{}", listed.stdout);
}

const WORKTREE: Tree<'_> = Tree {
    top: "git = \"worktree\"",
    protected: r#"["onus.toml", "tests/**"]"#,
    criteria: DONE,
    rest: "",
    cast: &[],
};

fn worktree_of(sandbox: &Sandbox) -> PathBuf {
    sandbox.project().join(".onus/trees").join(ALIAS)
}

#[test]
fn a_worktree_run_leaves_the_users_files_alone_and_commits_every_artifact() {
    let sandbox = WORKTREE.committed();
    sandbox.write("src/lib.txt", "uncommitted\n");
    sandbox.write("notes.txt", "untracked\n");
    let before = lying(&sandbox.project());
    let index = git(&sandbox, &["ls-files", "-s"]).stdout;
    run(&sandbox, "3").expect(0);
    assert_eq!(lying(&sandbox.project()), before);
    assert_eq!(git(&sandbox, &["ls-files", "-s"]).stdout, index);
    assert_eq!(
        git(&sandbox, &["symbolic-ref", "HEAD"]).stdout.trim(),
        "refs/heads/main"
    );
    assert_eq!(
        subjects(&sandbox),
        ["onus tree: iteration 2", "onus tree: iteration 1", "base"]
    );
    let artifact = stored(&sandbox, &final_artifact(&sandbox));
    assert_eq!(committed(&sandbox, "onus/tree").0, artifact);
    assert_eq!(lying(&worktree_of(&sandbox)), artifact);
    // Whoever looks there with git sees a clean worktree.
    let status = said(
        Command::new("git")
            .args(["status", "--porcelain"])
            .current_dir(worktree_of(&sandbox)),
    )
    .expect(0);
    assert_eq!(status.stdout, "");
    assert_sound(&sandbox);
}

#[test]
fn nothing_that_the_repository_configures_is_run() {
    let sandbox = WORKTREE.plain();
    sandbox.write(".gitattributes", "*.txt filter=trap diff=trap merge=trap\n");
    commit_all(&sandbox);
    let canary = out_file(&sandbox, "sprung");
    let trap = out_file(&sandbox, "trap.sh");
    std::fs::write(
        &trap,
        format!("#!/bin/sh\necho \"$0 $*\" >> {}\ncat\n", canary.display()),
    )
    .unwrap();
    std::fs::set_permissions(&trap, std::fs::Permissions::from_mode(0o755)).unwrap();
    let hooks = out_file(&sandbox, "hooks");
    std::fs::create_dir(&hooks).unwrap();
    let names = [
        "post-checkout",
        "pre-commit",
        "commit-msg",
        "prepare-commit-msg",
        "post-commit",
        "reference-transaction",
        "post-index-change",
        "post-rewrite",
        "pre-auto-gc",
        "fsmonitor-watchman",
    ];
    for name in names {
        for dir in [&hooks, &sandbox.project().join(".git/hooks")] {
            std::fs::create_dir_all(dir).unwrap();
            std::fs::copy(&trap, dir.join(name)).unwrap();
        }
    }
    let trap = trap.display().to_string();
    for (key, value) in [
        ("core.hooksPath", hooks.to_str().unwrap()),
        ("core.fsmonitor", &trap),
        ("filter.trap.clean", &trap),
        ("filter.trap.smudge", &trap),
        ("filter.trap.process", &trap),
        ("filter.trap.required", "true"),
        ("diff.trap.textconv", &trap),
        ("diff.external", &trap),
        ("core.pager", &trap),
        ("core.editor", &trap),
        ("core.sshCommand", &trap),
        ("gpg.program", &trap),
        ("commit.gpgSign", "true"),
    ] {
        std::fs::write(&canary, "").unwrap();
        git(&sandbox, &["config", key, value]);
    }
    std::fs::write(&canary, "").unwrap();
    run(&sandbox, "3").expect(0);
    assert_eq!(std::fs::read_to_string(&canary).unwrap(), "");
    assert_eq!(subjects(&sandbox).len(), 3);
}

/// A hook or an alias of git that starts Onus hands its own repository and index down.
#[test]
fn variables_of_another_repository_lead_nowhere() {
    let sandbox = WORKTREE.committed();
    let index = out_file(&sandbox, "other-index");
    let mut command = sandbox.command(run_args("3"));
    command
        .env("GIT_INDEX_FILE", &index)
        .env("GIT_DIR", out_file(&sandbox, "nowhere.git"));
    command
        .env("GIT_WORK_TREE", out(&sandbox))
        .env("GIT_OBJECT_DIRECTORY", out_file(&sandbox, "objects"));
    said(&mut command).expect(0);
    assert!(!index.exists() && !out_file(&sandbox, "objects").exists());
    assert_eq!(subjects(&sandbox).len(), 3);
}

#[test]
fn entries_that_are_no_plain_files_stay_in_the_commits() {
    let sandbox = WORKTREE.plain();
    symlink("work.txt", sandbox.project().join("link")).unwrap();
    sandbox.write("odd\nname.txt", "odd\n");
    sandbox.write("back\\slash.txt", "odd too\n");
    git(&sandbox, &["init", "-q"]);
    git(&sandbox, &["add", "-A"]);
    let module = format!("160000,{},module", "1234567890".repeat(4));
    git(&sandbox, &["update-index", "--add", "--cacheinfo", &module]);
    git(&sandbox, &["commit", "-qm", "base"]);
    run(&sandbox, "3").expect(0);
    let (files, others) = committed(&sandbox, "onus/tree");
    assert_eq!(others, ["120000 link", "160000 module"]);
    for odd in ["odd\nname.txt", "back\\slash.txt"] {
        assert!(files.contains_key(odd), "{odd:?}: {:?}", files.keys());
    }
    let changed = git(&sandbox, &["diff", "--name-status", "main", "onus/tree"]).stdout;
    assert_eq!(changed, "M\twork.txt\n");
}

#[test]
fn names_that_git_would_unquote_are_committed_as_they_are() {
    let sandbox = Tree {
        cast: &[("producer", r#"mkdir 'ü'; echo a > '"../quoted"'; echo b > '"half'; echo c > 'ü/ö ä'; echo d > -n; printf 'done\n' > work.txt"#)],
        ..WORKTREE
    }
    .committed();
    // `"../quoted"` has a slash: a directory of the name `"..`.
    let sandbox = {
        let agent = out_file(&sandbox, "agent.sh");
        let text = std::fs::read_to_string(&agent)
            .unwrap()
            .replace("mkdir 'ü'", "mkdir 'ü' '\"..'");
        std::fs::write(agent, text).unwrap();
        sandbox
    };
    run(&sandbox, "1").expect(0);
    let artifact = stored(&sandbox, &final_artifact(&sandbox));
    assert_eq!(committed(&sandbox, "onus/tree").0, artifact);
    assert!(
        artifact.contains_key("\"../quoted\"") && artifact.contains_key("ü/ö ä"),
        "{:?}",
        artifact.keys()
    );
}

/// Coding agents use git as they like.
#[test]
fn whatever_the_agent_does_with_git_the_branch_is_the_runs() {
    let commits =
        "git -c user.name=a -c user.email=a@b add -A && git -c user.name=a -c user.email=a@b commit -qm agent";
    let deeds = [
        ("commits", format!("echo done >> work.txt; {commits}")),
        (
            "commits on another branch",
            format!("git checkout -q -b feature 2>/dev/null; echo done >> work.txt; {commits}"),
        ),
        (
            "detaches its head",
            "git checkout -q --detach; echo done >> work.txt".to_owned(),
        ),
        (
            "leaves a lock",
            "echo done >> work.txt; : > $(git rev-parse --git-dir)/index.lock".to_owned(),
        ),
        (
            "makes a repository of its own",
            "rm .git; git init -q .; echo done >> work.txt".to_owned(),
        ),
        ("removes the link", "rm .git; echo done >> work.txt".to_owned()),
    ];
    for (what, deed) in deeds {
        let sandbox = Tree {
            cast: &[("producer", &deed)],
            ..WORKTREE
        }
        .committed();
        let told = run(&sandbox, "1");
        assert_eq!(told.code, Some(0), "{what}: {}", told.stderr);
        let artifact = stored(&sandbox, &final_artifact(&sandbox));
        assert_eq!(committed(&sandbox, "onus/tree").0, artifact, "{what}");
        assert_eq!(
            git(&sandbox, &["rev-parse", "main"]).stdout,
            git(&sandbox, &["rev-parse", "onus/tree~1"]).stdout,
            "{what}"
        );
        assert_eq!(sandbox.read("work.txt"), "begun\n", "{what}");
    }
}

#[test]
fn a_worktree_that_cannot_be_made_is_refused_and_leaves_nothing_behind() {
    type Prepare = fn() -> Sandbox;
    let cases: [(&str, Prepare, &str); 7] = [
        ("no repository", || WORKTREE.plain(), "repository"),
        (
            "no commit",
            || {
                let sandbox = WORKTREE.plain();
                git(&sandbox, &["init", "-q"]);
                sandbox
            },
            "commit",
        ),
        (
            "below the root",
            || {
                let sandbox = WORKTREE.plain();
                said(Command::new("git").args(["init", "-q"]).current_dir(out(&sandbox))).expect(0);
                git(&sandbox, &["add", "-A"]);
                git(&sandbox, &["commit", "-qm", "base"]);
                sandbox
            },
            "root of its repository",
        ),
        (
            "workspace below",
            || {
                let sandbox = Tree {
                    rest: "[files]\nworkspace = \"src\"\n",
                    ..WORKTREE
                }
                .plain();
                commit_all(&sandbox);
                sandbox
            },
            "root of its repository",
        ),
        (
            "the branch is taken",
            || {
                let sandbox = WORKTREE.committed();
                git(&sandbox, &["branch", "onus/tree"]);
                sandbox
            },
            "`onus/tree` is there already",
        ),
        (
            "a branch in its way",
            || {
                let sandbox = WORKTREE.committed();
                git(&sandbox, &["branch", "onus"]);
                sandbox
            },
            "`onus` is there already",
        ),
        (
            "a branch below it",
            || {
                let sandbox = WORKTREE.committed();
                git(&sandbox, &["branch", "onus/tree/more"]);
                sandbox
            },
            "`onus/tree/more` is there already",
        ),
    ];
    for (what, prepare, says) in cases {
        let sandbox = prepare();
        let told = run(&sandbox, "3");
        assert_eq!(told.code, Some(3), "{what}: {}{}", told.stdout, told.stderr);
        assert!(told.stderr.contains(says), "{what}: {}", told.stderr);
        assert_nothing_left(&sandbox, what);
    }
}

/// No run, no worktree, no agent asked.
#[track_caller]
fn assert_nothing_left(sandbox: &Sandbox, what: &str) {
    assert_eq!(calls(sandbox), [""; 0], "{what}");
    let runs = sandbox.project().join(".onus/runs").join(ALIAS);
    assert!(!runs.exists(), "{what}: {runs:?}");
    assert!(!worktree_of(sandbox).exists(), "{what}");
    let work = files_below(&sandbox.project().join(".onus/work"));
    assert!(work.is_empty(), "{what}: {work:?}");
}

#[test]
fn a_killed_worktree_run_ends_as_if_nothing_had_happened() {
    let undisturbed = WORKTREE.committed();
    run(&undisturbed, "3").expect(0);
    for step in ["produce", "refine"] {
        let sandbox = WORKTREE.committed();
        kill_in(&sandbox, step, "3");
        resume(&sandbox).expect(0);
        assert_eq!(final_artifact(&sandbox), final_artifact(&undisturbed), "{step}");
        assert_eq!(subjects(&sandbox), subjects(&undisturbed), "{step}");
        assert_eq!(sandbox.read("work.txt"), "begun\n", "{step}");
        assert_sound(&sandbox);
    }
}

/// Each deed of a producer in place, and whether the honest rest of its work passes.
#[test]
fn protected_files_are_put_back_and_the_honest_rest_is_judged() {
    let deeds = [
        ("edits", "echo weaker > tests/given.txt", vec!["tests/given.txt"]),
        ("deletes", "rm tests/given.txt", vec!["tests/given.txt"]),
        ("deletes the directory", "rm -r tests", vec!["tests/given.txt"]),
        ("adds", "echo more > tests/more.txt", vec!["tests/more.txt"]),
        ("edits the contract", "echo > onus.toml", vec!["onus.toml"]),
        (
            "makes it a program",
            "chmod +x tests/given.txt",
            vec!["tests/given.txt"],
        ),
        (
            "puts a link there",
            "ln -sf ../work.txt tests/given.txt",
            vec!["tests/given.txt"],
        ),
        (
            "puts a pipe there",
            "rm tests/given.txt; mkfifo tests/given.txt",
            vec!["tests/given.txt"],
        ),
        (
            "puts a directory there",
            "rm tests/given.txt; mkdir tests/given.txt; echo x > tests/given.txt/x",
            vec!["tests/given.txt", "tests/given.txt/x"],
        ),
        (
            "puts a file in the directory's place",
            "rm -r tests; echo file > tests",
            vec!["tests/given.txt"],
        ),
        (
            "puts a link in the directory's place",
            "mv tests @OUT@/moved; ln -s @OUT@/moved tests",
            vec!["tests/given.txt"],
        ),
        (
            "puts a pipe in the contract's place",
            "rm onus.toml; mkfifo onus.toml",
            vec!["onus.toml"],
        ),
    ];
    for (what, deed, named) in deeds {
        let producer = format!("echo done >> work.txt; {deed}");
        let sandbox = Tree {
            cast: &[("producer", &producer)],
            ..Tree::default()
        }
        .plain();
        let contract = sandbox.read("onus.toml");
        let told = Background::start(&mut sandbox.command(run_args("2"))).end();
        assert_eq!(told.code, Some(0), "{what}: {}{}", told.stdout, told.stderr);
        let mut refused = refused(&sandbox);
        refused.dedup();
        assert!(
            named.iter().all(|path| refused.contains(&(*path).to_owned())),
            "{what}: {refused:?}"
        );
        assert_eq!(sandbox.read("tests/given.txt"), "given\n", "{what}");
        assert_eq!(sandbox.read("onus.toml"), contract, "{what}");
        let artifact = stored(&sandbox, &final_artifact(&sandbox));
        let names: Vec<&str> = artifact.keys().map(String::as_str).collect();
        assert_eq!(
            names,
            ["onus.toml", "src/lib.txt", "tests/given.txt", "work.txt"],
            "{what}"
        );
        assert_eq!(lying(&sandbox.project()), artifact, "{what}");
        assert_sound(&sandbox);
    }
}

/// What is protected only in part may be in the way of what is not.
#[test]
fn a_directory_in_the_place_of_a_protected_file_goes_with_all_that_is_in_it() {
    let sandbox = Tree {
        protected: r#"["onus.toml", "tests/given.txt", "src/lib.txt"]"#,
        cast: &[("producer", "echo done >> work.txt; rm -r tests/given.txt src; mkdir tests/given.txt; echo x > tests/given.txt/x; echo file > src")],
        ..Tree::default()
    }
    .plain();
    run(&sandbox, "2").expect(0);
    assert_eq!(sandbox.read("tests/given.txt"), "given\n");
    assert_eq!(sandbox.read("src/lib.txt"), "library\n");
    assert_eq!(lying(&sandbox.project()), stored(&sandbox, &final_artifact(&sandbox)));
}

#[test]
fn a_directory_that_became_a_link_leads_nobody_out_of_the_workspace() {
    let sandbox = Tree {
        cast: &[
            ("producer", "rm -r src; ln -s @OUT@/outside src"),
            ("refiner", "echo done >> work.txt; echo new > src/new.txt 2>/dev/null"),
        ],
        ..Tree::default()
    }
    .plain();
    let outside = out_file(&sandbox, "outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("lib.txt"), "library\n").unwrap();
    std::fs::write(outside.join("secret.txt"), "secret\n").unwrap();
    run(&sandbox, "3").expect(0);
    // Nothing behind the link is part of the work, not even what is the same as before.
    let artifact = stored(&sandbox, &final_artifact(&sandbox));
    assert!(!artifact.contains_key("src/lib.txt"), "{:?}", artifact.keys());
    assert_eq!(std::fs::read_to_string(outside.join("lib.txt")).unwrap(), "library\n");
    assert_eq!(std::fs::read_to_string(outside.join("secret.txt")).unwrap(), "secret\n");

    // Taken back: the link goes, and not what it leads to.
    let sandbox = Tree {
        cast: &[
            ("producer", ":"),
            (
                "refiner",
                "rm -r src work.txt; ln -s @OUT@/outside src; ln -s @OUT@/outside/lib.txt work.txt",
            ),
        ],
        criteria: r#"
[[criteria]]
id = "a.never"
description = "Never."
severity = "fail"
verify = { type = "pattern", search = "^never$", files = "work.txt" }
[[criteria]]
id = "a.library"
description = "The library is there."
severity = "warn"
verify = { type = "pattern", search = "library", files = "src/**" }
"#,
        ..Tree::default()
    }
    .plain();
    let outside = out_file(&sandbox, "outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("lib.txt"), "outside\n").unwrap();
    run(&sandbox, "3").expect(1);
    assert_eq!(std::fs::read_to_string(outside.join("lib.txt")).unwrap(), "outside\n");
    assert_eq!(files_below(&outside), ["lib.txt"]);
    assert_eq!(sandbox.read("src/lib.txt"), "library\n");
    assert!(!sandbox.project().join("src").is_symlink() && !sandbox.project().join("work.txt").is_symlink());
}

#[test]
fn odd_things_that_an_agent_leaves_are_left_out_and_hold_nothing_up() {
    let deeds = [
        ("a pipe", "mkfifo pipe"),
        (
            "a socket",
            "python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"s\")'",
        ),
        ("a link to itself", "ln -s self self"),
        ("a link to /", "ln -s / root"),
        (
            "a name with a newline",
            "printf x > 'a\nb'; touch \"$(printf 'c\\nd')\"",
        ),
        ("a name that is not UTF-8", "touch \"$(printf 'c\\377d')\""),
        ("a name of 255 bytes", "touch $(printf 'n%.0s' $(seq 255))"),
        ("a file that nobody may read", "touch shut; chmod 0 shut"),
        (
            "a directory that nobody may write",
            "mkdir shut; echo x > shut/x; chmod 0500 shut",
        ),
        ("a nested repository", "git init -q inner; echo x > inner/x"),
        (
            "a file that became a directory",
            "rm src/lib.txt; mkdir src/lib.txt; echo x > src/lib.txt/x",
        ),
        ("a directory that became a file", "rm -r src; echo x > src"),
    ];
    for (what, deed) in deeds {
        let producer = format!("{deed}; exit 0");
        let sandbox = Tree {
            cast: &[("producer", &producer)],
            ..Tree::default()
        }
        .plain();
        let told = Background::start(&mut sandbox.command(run_args("3"))).end();
        assert_eq!(told.code, Some(0), "{what}: {}{}", told.stdout, told.stderr);
        assert_sound(&sandbox);
        let told = format!("{}{}", told.stdout, told.stderr);
        assert!(!told.contains("panicked"), "{what}: {told}");
    }
}

/// Beyond a bound nothing is kept, so nothing is judged and nothing is taken away either.
#[test]
fn a_tree_beyond_its_bounds_is_a_step_error_that_names_the_bound() {
    let deeds = [
        (
            "many files",
            "mkdir many; python3 -c 'for i in range(20100): open(\"many/%d\" % i, \"w\")'",
            "20000 files",
            "many",
        ),
        ("a sparse file", "truncate -s 1T sparse", "67108864 bytes", "sparse"),
        (
            "deep nesting",
            "python3 -c 'import os\nfor i in range(90): os.mkdir(\"d\"); os.chdir(\"d\")\nopen(\"x\", \"w\")'",
            "64 levels",
            "d",
        ),
    ];
    for (what, deed, bound, left) in deeds {
        let producer = format!("[ -e @OUT@/once ] || {{ : > @OUT@/once\n{deed}\n}}\necho done >> work.txt");
        let sandbox = Tree {
            cast: &[("producer", &producer)],
            ..Tree::default()
        }
        .plain();
        let told = Background::start(&mut sandbox.command(run_args("3"))).end();
        assert_eq!(told.code, Some(3), "{what}: {}{}", told.stdout, told.stderr);
        assert!(
            told.stderr.contains(bound) && told.stderr.contains("onus resume"),
            "{what}: {}",
            told.stderr
        );
        let errors = payloads(&sandbox, "phase_error");
        assert!(errors[0].to_string().contains(bound), "{what}: {errors:?}");
        let left = sandbox.project().join(left);
        assert!(left.exists(), "{what}");
        // Once it is cleared up the run goes on.
        said(Command::new("rm").arg("-rf").arg(&left)).expect(0);
        resume(&sandbox).expect(0);
        assert_eq!(calls(&sandbox), ["produce 1", "produce 1"], "{what}");
        assert_sound(&sandbox);
    }
}

#[test]
fn what_git_ignores_stays_and_what_an_ignore_file_hides_comes_back_to_light() {
    // The agent that is retried hid a file; hidden or not, it is gone before the second try.
    let sandbox = Tree {
        cast: &[("producer", "if [ ! -e @OUT@/once ]; then : > @OUT@/once; echo junk > junk.txt; echo junk.txt >> .gitignore; exit 1; fi; echo done >> work.txt")],
        ..Tree::default()
    }
    .plain();
    sandbox.write(".gitignore", "cache/\n");
    sandbox.write("cache/kept", "mine\n");
    run(&sandbox, "2").expect(0);
    assert_eq!(sandbox.read("cache/kept"), "mine\n");
    assert_eq!(sandbox.read(".gitignore"), "cache/\n");
    assert!(!sandbox.exists("junk.txt"));

    // A protected ignore file hides nothing, however it was edited.
    let sandbox = Tree {
        protected: r#"["onus.toml", "tests/**", ".gitignore"]"#,
        cast: &[(
            "producer",
            "echo done >> work.txt; echo '*' > .gitignore; echo evil > src/evil.txt",
        )],
        criteria: r#"
[[criteria]]
id = "a.evil"
description = "No evil."
severity = "fail"
verify = { type = "pattern", search = "evil", files = "src/**", rule = "forbidden" }
"#,
        ..Tree::default()
    }
    .plain();
    sandbox.write(".gitignore", "cache/\n");
    run(&sandbox, "1").expect(1);
    assert_eq!(refused(&sandbox), [".gitignore"]);
}

#[test]
fn a_refiner_that_changes_nothing_has_not_answered() {
    for (what, deed) in [
        ("says so", "echo 'Everything is fine now.'"),
        ("touches a file", "touch work.txt"),
        ("changes what is protected", "echo more >> tests/given.txt"),
        ("leaves what is no file", "mkdir -p empty; ln -sf work.txt link"),
    ] {
        let sandbox = Tree {
            cast: &[("refiner", deed)],
            ..Tree::default()
        }
        .plain();
        let told = run(&sandbox, "3");
        assert_eq!(told.code, Some(6), "{what}: {}{}", told.stdout, told.stderr);
        let errors = payloads(&sandbox, "phase_error");
        assert_eq!(errors.len(), 2, "{what}: {errors:?}");
        assert!(errors[0].to_string().contains("changed no file"), "{what}: {errors:?}");
        assert_eq!(sandbox.read("tests/given.txt"), "given\n", "{what}");
    }
}

#[test]
fn a_daemon_that_writes_after_the_step_changes_nothing_that_counts() {
    // It leaves the group and clears its environment, and waits until the check runs.
    let sandbox = Tree {
        cast: &[(
            "producer",
            "echo done >> work.txt; env -i PATH=\"$PATH\" setsid sh -c ': > @OUT@/up; while [ ! -e @OUT@/checking ]; do sleep 0.02; done; echo spoiled > work.txt; echo more > more.txt; : > @OUT@/written' >/dev/null 2>&1 & while [ ! -e @OUT@/up ]; do sleep 0.02; done",
        )],
        criteria: r#"
[[criteria]]
id = "a.done"
description = "The work is done."
severity = "fail"
verify = { type = "executable", command = "[ -e @OUT@/calls ] && { : > @OUT@/checking; while [ ! -e @OUT@/written ]; do sleep 0.02; done; }; grep -q '^done$' work.txt" }
"#,
        ..Tree::default()
    }
    .plain();
    Background::start(&mut sandbox.command(run_args("2"))).end().expect(0);
    assert_eq!(sandbox.read("work.txt"), "begun\ndone\n");
    assert!(!sandbox.exists("more.txt"));
    assert_eq!(refused(&sandbox), ["."]);
    assert_sound(&sandbox);
}

/// What a judge says about one criterion.
fn says(id: &str, verdict: &str, more: &str) -> String {
    format!(r#"echo '{{"rule_results": [{{"id": "{id}", "verdict": "{verdict}", "details": "seen"{more}}}]}}'"#)
}

const JUDGED: &str = r#"
[[criteria]]
id = "a.done"
description = "The work is done."
severity = "warn"
verify = { type = "pattern", search = "^done$", files = "work.txt" }

[[criteria]]
id = "a.judged"
description = "The library is one."
severity = "fail"
check = "It says so."
reads = "src/**"
"#;

const QUOTE: &str = r#", "quote": "library""#;

#[test]
fn a_run_killed_in_any_step_ends_as_if_nothing_had_happened() {
    let passes = says("a.judged", "pass", QUOTE);
    let checked = JUDGED.replace(
        r#"verify = { type = "pattern", search = "^done$", files = "work.txt" }"#,
        r#"verify = { type = "executable", command = "if [ -e @OUT@/calls ] && [ -e @OUT@/hold-check ]; then : > @OUT@/hold-check.reached; while [ -e @OUT@/hold-check ]; do sleep 0.02; done; fi; grep -q '^done$' work.txt" }"#,
    );
    let cast = [
        ("evaluator", passes.as_str()),
        (
            "refiner",
            "echo done >> work.txt; rm src/old.txt; mkdir -p new; echo new > new/file",
        ),
    ];
    let tree = Tree {
        criteria: &checked,
        cast: &cast,
        ..Tree::default()
    };
    let make = || {
        let sandbox = tree.plain();
        sandbox.write("src/old.txt", "old\n");
        sandbox
    };
    let work = |sandbox: &Sandbox| {
        let mut files = stored(sandbox, &final_artifact(sandbox));
        assert_eq!(lying(&sandbox.project()), files);
        // It names a directory of its own.
        files.remove("onus.toml").unwrap();
        files
    };
    let undisturbed = make();
    run(&undisturbed, "3").expect(0);
    for step in ["produce", "check", "evaluate", "refine"] {
        let sandbox = make();
        kill_in(&sandbox, step, "3");
        // Whatever lies there now was not recorded.
        sandbox.write("src/lib.txt", "spoiled\n");
        sandbox.write("src/stray.txt", "stray\n");
        let told = resume(&sandbox);
        assert_eq!(told.code, Some(0), "{step}: {}{}", told.stdout, told.stderr);
        assert_eq!(work(&sandbox), work(&undisturbed), "{step}");
        assert!(refused(&sandbox).contains(&".".to_owned()), "{step}");
        assert_sound(&sandbox);
    }
}

const PARTS: &str = r#"
[[criteria]]
id = "a.first"
description = "The first part."
severity = "warn"
verify = { type = "pattern", search = "^first$", files = "work.txt" }

[[criteria]]
id = "a.second"
description = "The second part."
severity = "warn"
verify = { type = "pattern", search = "^second$", files = "work.txt" }

[[criteria]]
id = "a.third"
description = "The third part."
severity = "warn"
verify = { type = "pattern", search = "^third$", files = "work.txt" }
"#;

#[test]
fn the_best_tree_is_what_stays_in_the_workspace_and_on_the_branch() {
    let tree = Tree {
        criteria: PARTS,
        cast: &[
            ("producer", "printf 'first\nsecond\n' > work.txt; echo kept > kept.txt"),
            (
                "refiner",
                "cp work.txt @OUT@/seen-$ONUS_ITERATION; echo worse-$ONUS_ITERATION > work.txt; rm kept.txt; echo more > more.txt",
            ),
        ],
        ..WORKTREE
    };
    for (iterations, place) in [
        ("2", "worktree"),
        ("3", "worktree"),
        ("2", "in place"),
        ("3", "in place"),
    ] {
        let (sandbox, dir) = if place == "worktree" {
            let sandbox = tree.committed();
            let dir = worktree_of(&sandbox);
            (sandbox, dir)
        } else {
            let sandbox = Tree { top: "", ..tree }.plain();
            let dir = sandbox.project();
            (sandbox, dir)
        };
        let told = run(&sandbox, iterations).expect(1);
        assert!(
            told.stdout.contains("iteration_limit") || told.stderr.contains("iteration_limit"),
            "{}",
            told.stdout
        );
        let best = payloads(&sandbox, "artifact_created")[0]["artifact_sha256"]
            .as_str()
            .unwrap()
            .to_owned();
        assert_eq!(final_artifact(&sandbox), best, "{iterations} {place}");
        assert_eq!(lying(&dir), stored(&sandbox, &best), "{iterations} {place}");
        if place == "worktree" {
            assert_eq!(
                committed(&sandbox, "onus/tree").0,
                stored(&sandbox, &best),
                "{iterations} {place}"
            );
        }
        // The next refiner begins from the best, not from what was worse.
        if iterations == "3" {
            let seen = std::fs::read_to_string(out_file(&sandbox, "seen-2")).unwrap();
            assert_eq!(seen, "first\nsecond\n", "{place}");
        }
        assert_sound(&sandbox);
    }
}

#[test]
fn a_judge_is_not_asked_again_about_what_stayed_the_same_until_the_end() {
    let passes = says("a.judged", "pass", QUOTE);
    let sandbox = Tree {
        criteria: JUDGED,
        cast: &[
            ("evaluator", &passes),
            (
                "refiner",
                "echo more >> work.txt; [ $ONUS_ITERATION != 2 ] || echo done >> work.txt",
            ),
        ],
        ..Tree::default()
    }
    .plain();
    run(&sandbox, "4").expect(0);
    // Three evaluations, and the one that confirms the last.
    let done = payloads(&sandbox, "evaluation_done");
    let kept: Vec<bool> = done
        .iter()
        .map(|card| verdict(card, "a.judged")["kept"] == true)
        .collect();
    assert_eq!(kept, [false, true, true, false]);
    assert_eq!(
        calls(&sandbox)
            .iter()
            .filter(|call| call.starts_with("evaluate"))
            .count(),
        2
    );

    // What it reads has changed: it is asked again.
    let sandbox = Tree {
        criteria: JUDGED,
        cast: &[
            ("evaluator", &passes),
            ("refiner", "echo done >> work.txt; echo more >> src/lib.txt"),
        ],
        ..Tree::default()
    }
    .plain();
    run(&sandbox, "4").expect(0);
    let kept: Vec<bool> = payloads(&sandbox, "evaluation_done")
        .iter()
        .map(|card| verdict(card, "a.judged")["kept"] == true)
        .collect();
    assert_eq!(kept, [false, false]);
}

#[test]
fn a_judge_that_says_no_at_the_end_keeps_the_gate_shut() {
    let (passes, fails) = (says("a.judged", "pass", QUOTE), says("a.judged", "fail", ""));
    let evaluator = format!("if [ -e @OUT@/asked ]; then {fails}; else : > @OUT@/asked; {passes}; fi");
    let sandbox = Tree {
        criteria: JUDGED,
        cast: &[("evaluator", &evaluator), ("refiner", "echo done >> work.txt")],
        ..Tree::default()
    }
    .plain();
    run(&sandbox, "2").expect(1);
    let done = payloads(&sandbox, "evaluation_done");
    assert_eq!(done.last().unwrap()["passed"], json!(false), "{done:?}");
    assert_sound(&sandbox);
}

#[test]
fn a_judge_that_takes_back_its_word_on_old_lines_only_advises_and_twice_is_a_dispute() {
    let complaint = r#", "evidence": [{"kind": "citation", "citation": "src/lib.txt:1"}]"#;
    let (passes, fails) = (says("a.judged", "pass", QUOTE), says("a.judged", "fail", complaint));
    let evaluator = format!("if [ -e @OUT@/asked ]; then {fails}; else : > @OUT@/asked; {passes}; fi");
    let converges = Tree {
        criteria: JUDGED,
        cast: &[("evaluator", &evaluator), ("refiner", "echo done >> work.txt")],
        ..Tree::default()
    }
    .plain();
    run(&converges, "2").expect(0);
    let done = payloads(&converges, "evaluation_done");
    assert_eq!(
        verdict(done.last().unwrap(), "a.judged")["advisory"],
        json!(true),
        "{done:?}"
    );

    let disputed = Tree {
        criteria: JUDGED,
        cast: &[
            ("evaluator", &evaluator),
            (
                "refiner",
                "echo $ONUS_ITERATION >> work.txt; echo $ONUS_ITERATION >> src/lib.txt",
            ),
        ],
        ..Tree::default()
    }
    .plain();
    let told = run(&disputed, "6");
    assert_eq!(told.code, Some(4), "{}{}", told.stdout, told.stderr);
    assert_eq!(payloads(&disputed, "stopped")[0]["rule"], json!("dispute"));
    assert_sound(&disputed);
}

#[test]
fn a_check_that_changes_its_mind_is_flaky_and_must_pass_every_time() {
    let counting = |passes: &str| {
        format!(
            r#"
[[criteria]]
id = "a.flaky"
description = "It holds."
severity = "warn"
reads = "src/**"
verify = {{ type = "executable", command = "echo run >> @OUT@/runs; n=$(wc -l < @OUT@/runs); {passes}" }}

[[criteria]]
id = "a.done"
description = "The work is done."
severity = "warn"
verify = {{ type = "pattern", search = "^done$", files = "work.txt" }}
"#
        )
    };
    let runs = |sandbox: &Sandbox| {
        std::fs::read_to_string(out_file(sandbox, "runs"))
            .unwrap()
            .lines()
            .count()
    };
    let last = |sandbox: &Sandbox| payloads(sandbox, "evaluation_done").pop().unwrap();

    // Kept from the baseline, then contradicted when the run would complete: three more runs, and one of them fails.
    let alternating = counting("[ $((n % 2)) = 1 ]");
    let sandbox = Tree {
        criteria: &alternating,
        cast: &[("producer", "echo done >> work.txt")],
        ..Tree::default()
    }
    .plain();
    run(&sandbox, "1").expect(1);
    let card = last(&sandbox);
    let flaky = verdict(&card, "a.flaky");
    assert_eq!(flaky["flaky"], json!(true), "{flaky}");
    assert!(flaky["details"].as_str().unwrap().contains("flaky"), "{flaky}");
    assert_eq!(flaky["verdict"], json!("warn"), "{flaky}");
    assert_eq!(runs(&sandbox), 5);

    // Failed once and then always passes: the further runs decide.
    let mended = counting("[ $n -ge 2 ]");
    let sandbox = Tree {
        criteria: &mended,
        rest: "[evaluation]\nflaky_runs = 2\nkeep_verdicts = false\n",
        cast: &[("producer", "echo done >> work.txt")],
        ..Tree::default()
    }
    .plain();
    run(&sandbox, "1").expect(0);
    assert_eq!(runs(&sandbox), 4);

    // A check that says how often it may fail.
    for (need, code) in [("2", 0), ("3", 1)] {
        let often = format!("\", repeat = {{ runs = 3, need = {need} }} }}");
        let repeated = counting("[ $((n % 3)) != 0 ]").replacen("\" }", &often, 1);
        let sandbox = Tree {
            criteria: &repeated,
            cast: &[("producer", "echo done >> work.txt")],
            ..Tree::default()
        }
        .plain();
        run(&sandbox, "1").expect(code);
        let card = last(&sandbox);
        assert!(
            verdict(&card, "a.flaky")["details"]
                .as_str()
                .unwrap()
                .contains("2 of 3 runs passed"),
            "{card}"
        );
    }
}

#[test]
fn work_that_goes_in_circles_is_stopped() {
    let sandbox = Tree {
        criteria: PARTS,
        rest: "[scoring]\non_worse = \"keep\"\n",
        cast: &[
            ("producer", "echo first > work.txt"),
            (
                "refiner",
                "if grep -q first work.txt; then echo second > work.txt; else echo first > work.txt; fi",
            ),
        ],
        ..Tree::default()
    }
    .plain();
    let told = run(&sandbox, "6").expect(1);
    assert_eq!(
        payloads(&sandbox, "stopped")[0]["rule"],
        json!("oscillation"),
        "{}",
        told.stdout
    );
    assert_sound(&sandbox);
}

#[test]
fn edits_of_what_the_contract_was_read_from_are_named_and_change_nothing() {
    const TEMPLATE: &str = "Finish it. {{ task.prompt }}\n";
    let rest = "[prompts]\nrefiner = \"refiner.md\"\n";
    let tree = Tree {
        // Nothing of this is protected, so that the files themselves stay as the agent leaves them.
        protected: r#"["tests/**"]"#,
        rest,
        cast: &[
            ("producer", "sed -i s/done/begun/ onus.toml; echo Changed > refiner.md"),
            ("refiner", "cat > @OUT@/prompt; echo done >> work.txt"),
        ],
        ..Tree::default()
    };
    let sandbox = tree.plain();
    sandbox.write("refiner.md", TEMPLATE);
    run(&sandbox, "3").expect(0);
    let named = refused(&sandbox);
    for path in ["onus.toml", "refiner.md"] {
        assert!(named.contains(&path.to_owned()), "{path}: {named:?}");
    }
    let prompt = std::fs::read_to_string(out_file(&sandbox, "prompt")).unwrap();
    assert!(prompt.starts_with("Finish it."), "{prompt}");
    assert_eq!(calls(&sandbox), ["produce 1", "refine 1"]);
    assert_sound(&sandbox);

    // The same between a kill and the resume.
    let sandbox = Tree {
        cast: &[("refiner", "cat > @OUT@/prompt; echo done >> work.txt")],
        ..tree
    }
    .plain();
    sandbox.write("refiner.md", TEMPLATE);
    kill_in(&sandbox, "produce", "3");
    sandbox.write("onus.toml", sandbox.read("onus.toml").replace("^done$", "^begun$"));
    sandbox.write("refiner.md", "Changed\n");
    resume(&sandbox).expect(0);
    let named = refused(&sandbox);
    for path in ["onus.toml", "refiner.md"] {
        assert!(named.contains(&path.to_owned()), "{path}: {named:?}");
    }
    let prompt = std::fs::read_to_string(out_file(&sandbox, "prompt")).unwrap();
    assert!(prompt.starts_with("Finish it."), "{prompt}");
    assert_sound(&sandbox);
}

#[test]
fn a_script_that_is_another_one_at_resume_ends_the_run_there() {
    let sandbox = Tree {
        rest: "[agents.judge]\nkind = \"scripted\"\nscript = \"judge.toml\"\n\n[roles]\ndefault = \"shell\"\nevaluator = \"judge\"\n",
        ..Tree::default()
    }
    .plain();
    sandbox.write("judge.toml", "answer = []\n");
    kill_in(&sandbox, "produce", "3");
    let before = sandbox.read("judge.toml");
    sandbox.write("judge.toml", "# easier\nanswer = []\n");
    let told = resume(&sandbox);
    assert_eq!(told.code, Some(7), "{}{}", told.stdout, told.stderr);
    assert!(told.stderr.contains("judge.toml"), "{}", told.stderr);
    sandbox.write("judge.toml", before);
    resume(&sandbox).expect(0);
}

#[test]
fn nothing_of_a_hidden_criterion_is_shown_to_those_who_work() {
    let sandbox = Tree {
        criteria: r#"
[[criteria]]
id = "a.done"
description = "The work is done."
severity = "fail"
verify = { type = "pattern", search = "^done$", files = "work.txt" }

[[criteria]]
id = "a.veiled"
description = "The sesame word is said."
severity = "fail"
hidden = true
verify = { type = "executable", command = "echo cardamom found missing; grep -q sesame work.txt" }
"#,
        rest: r#"
[cycle]
first = [["plan"], ["produce"], ["evaluate"]]
later = [["plan"], ["evaluate"]]
on_fail = [["critique"], ["refine"]]

[evaluation]
stop_early = false

[prompts]
planner = "preset:reflex/planner"
critic = "preset:reflex/critic"
"#,
        cast: &[
            (
                "all",
                "cat >> @OUT@/shown; cat \"$ONUS_REQUEST\" >> @OUT@/shown; env >> @OUT@/shown",
            ),
            ("planner", r#"echo '{"plan": ["Read it", "Write it", "Check it"]}'"#),
            (
                "critic",
                r#"echo '{"issues": [{"rule_id": "a.done", "problem": "not done", "fix_instruction": "do it"}]}'"#,
            ),
            ("refiner", "echo $ONUS_ITERATION >> work.txt"),
        ],
        ..Tree::default()
    }
    .plain();
    let told = run(&sandbox, "3");
    assert_eq!(told.code, Some(1), "{}{}", told.stdout, told.stderr);
    let called = calls(&sandbox);
    for step in ["plan", "produce", "critique", "refine"] {
        assert!(called.iter().any(|call| call.starts_with(step)), "{called:?}");
    }
    let shown = std::fs::read_to_string(out_file(&sandbox, "shown")).unwrap();
    for secret in ["veiled", "sesame", "cardamom"] {
        assert!(!shown.contains(secret), "{secret} in: {shown}");
    }
    assert!(shown.contains("hidden_failing"), "{shown}");
}

#[test]
fn cleaning_up_another_run_keeps_every_object_of_a_tree() {
    let sandbox = Tree::default().plain();
    run(&sandbox, "3").expect(0);
    let artifact = stored(&sandbox, &final_artifact(&sandbox));
    sandbox.write("work.txt", "begun again\n");
    sandbox
        .onus(["run", "--accept-criteria", "--max-iterations", "3", "--alias", "other"])
        .expect(0);
    // Old enough to be collected.
    let objects = files_below(&sandbox.project().join(".onus"));
    for object in objects.iter().filter(|path| path.starts_with("objects/")) {
        said(
            Command::new("touch")
                .args(["-d", "2 years ago"])
                .arg(sandbox.project().join(".onus").join(object)),
        )
        .expect(0);
    }
    sandbox.onus(["clean", "other", "--yes"]).expect(0);
    let left = files_below(&sandbox.project().join(".onus"));
    assert!(left.len() < objects.len(), "nothing was collected");
    assert_eq!(stored(&sandbox, &final_artifact(&sandbox)), artifact);
    assert_sound(&sandbox);
    sandbox.onus(["repair", ALIAS, "--dry-run"]).expect(0);
    let told = sandbox.onus(["repair", ALIAS]);
    assert_eq!(told.code, Some(0), "{}{}", told.stdout, told.stderr);
    assert_sound(&sandbox);
}

#[test]
fn a_damaged_or_missing_file_of_a_tree_is_noticed() {
    for missing in [false, true] {
        let sandbox = Tree::default().plain();
        run(&sandbox, "3").expect(0);
        let content = sandbox.read("src/lib.txt");
        let objects = sandbox.project().join(".onus");
        let own = files_below(&objects).into_iter().map(|path| objects.join(path));
        let object = own.into_iter().find(|path| {
            path.components().any(|part| part.as_os_str() == "objects")
                && std::fs::read(path).unwrap() == content.as_bytes()
        });
        let object = object.unwrap();
        if missing {
            std::fs::remove_file(&object).unwrap();
        } else {
            std::fs::set_permissions(&object, std::fs::Permissions::from_mode(0o644)).unwrap();
            std::fs::write(&object, "library?\n").unwrap();
        }
        let told = sandbox.onus(["verify", ALIAS]);
        assert_eq!(told.code, Some(7), "missing: {missing}: {}{}", told.stdout, told.stderr);
    }
}

#[test]
fn an_unusable_check_costs_no_agent_and_leaves_nothing_behind() {
    for verify in [
        r#"{ type = "executable", command = ["no-such-program-here"] }"#,
        r#"{ type = "executable", command = "exit 127" }"#,
        r#"{ type = "content", search = "x" }"#,
        r#"{ type = "tests", command = ["no-such-program-here"], format = "cargo" }"#,
    ] {
        for top in ["", "git = \"worktree\""] {
            let criteria = format!(
                "[[criteria]]\nid = \"a.bad\"\ndescription = \"Bad.\"\nseverity = \"fail\"\nverify = {verify}\n"
            );
            let sandbox = Tree {
                top,
                criteria: &criteria,
                ..Tree::default()
            }
            .committed();
            let told = run(&sandbox, "3");
            assert_eq!(told.code, Some(3), "{verify} {top}: {}{}", told.stdout, told.stderr);
            assert!(told.stderr.contains("a.bad"), "{verify}: {}", told.stderr);
            assert_nothing_left(&sandbox, verify);
            assert_eq!(git(&sandbox, &["branch", "--list", "onus/*"]).stdout, "", "{verify}");
            assert_eq!(
                git(&sandbox, &["worktree", "list"]).stdout.lines().count(),
                1,
                "{verify}"
            );
        }
    }
}

/// A program that the work is to bring is no mistake in the contract.
#[test]
fn a_program_of_the_tree_may_come_with_the_work() {
    let sandbox = Tree {
        criteria: r#"
[[criteria]]
id = "a.runs"
description = "It runs."
severity = "fail"
verify = { type = "executable", command = ["./run.sh"] }
"#,
        cast: &[("producer", "printf '#!/bin/sh\n' > run.sh; chmod +x run.sh")],
        ..Tree::default()
    }
    .plain();
    run(&sandbox, "1").expect(0);
}

#[test]
fn a_question_for_a_person_never_passes_in_a_loop() {
    let criteria = format!(
        "{DONE}\n[[criteria]]\nid = \"a.person\"\ndescription = \"Somebody likes it.\"\nseverity = \"fail\"\nverify = {{ type = \"human\", question = \"Do you?\" }}\n"
    );
    let sandbox = Tree {
        criteria: &criteria,
        ..Tree::default()
    }
    .plain();
    let told = run(&sandbox, "2").expect(3);
    assert!(told.stderr.contains("waits for a person"), "{}", told.stderr);
}
