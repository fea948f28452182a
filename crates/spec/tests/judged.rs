//! Loop files about trees, scoring, evaluation and judging: what they resolve to, and what is said about wrong ones.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use onus_model::{
    Anchor, ArtifactForm, Criterion, Digest, Gate, GitUse, Globs, JudgeControl, LoopSpec, OnWorse, Repeat, Role,
    SameFamily, Score, Scoring, Weight,
};
use onus_spec::{LoopFile, Need, Overrides, Sources, degraded, resolve};

/// A file that says everything this page is about.
const FULL: &str = r#"
artifact = "tree"
git = "worktree"
criteria_from = "none"

[task]
prompt = "Make the tests pass"
type = "code"

[scoring]
strict = true
ratchet = false
trust_threshold = 0.8
on_worse = "rollback"

[[scoring.dimensions]]
name = "works"
weight = 0.7
threshold = 0.9
must_pass = true

[[scoring.dimensions]]
name = "reads well"
weight = 0.3

[evaluation]
groups = ["checks", "judges"]
stop_early = true
keep_verdicts = true
flaky_runs = 3

[judging]
judges = ["strict", "second"]
one_by_one = true
same_family = "refuse"
controls = ["empty", "hollow", { twin = "bad/example.md" }]

[agents.worker]
kind = "command"
command = ["worker"]
family = "Alpha"

[agents.strict]
kind = "command"
command = ["strict"]
family = "beta"

[agents.second]
kind = "scripted"
script = "second.toml"

[roles]
default = "worker"

[[levels]]
name = "A"
threshold = 0.9
active_levels = ["A"]

[[criteria]]
id = "a.tests"
description = "Every test passes."
severity = "fail"
dimension = "works"
group = "checks"
gate = "goal"
must_pass = true
hidden = true

[[criteria.verify]]
type = "tests"
command = "cargo test"
format = "cargo"
repeat = { runs = 3, need = 2 }

[[criteria.verify]]
type = "executable"
command = "true"
repeat = { runs = 2 }

[[criteria]]
id = "a.clear"
description = "The code reads well."
severity = "warn"
check = "Read it."
dimension = "reads well"
group = "judges"
gate = "trust"
cap = 0.5
rubric = [{ score = 1, text = "Nothing to add." }, { score = 0.25, text = "A riddle." }, { score = 0.75, text = "Plain." }]
pass_at = 0.75
reads = ["src/**", "docs/*.md"]
"#;

fn sources() -> Sources {
    let texts = [("second.toml", ""), ("bad/example.md", "# Bad"), ("judge.toml", "")];
    Sources {
        texts: texts.map(|(path, text)| (path.to_owned(), text.to_owned())).into(),
    }
}

fn contract(text: &str, overrides: &Overrides) -> Result<LoopSpec, String> {
    let said = |problems: Vec<onus_spec::Problem>| {
        let said: Vec<String> = problems.iter().map(|problem| problem.describe(text)).collect();
        said.join("\n")
    };
    let draft = resolve(&LoopFile::parse(text), overrides, &sources()).map_err(said)?;
    draft.freeze(&sources()).map_err(said)
}

fn good(text: &str) -> LoopSpec {
    contract(text, &Overrides::default()).unwrap_or_else(|said| panic!("{said}"))
}

fn points(points: u16) -> Score {
    Score::from_basis_points(points)
}

#[test]
fn every_word_reaches_the_contract() {
    let spec = good(FULL);
    assert_eq!((spec.artifact, spec.git), (ArtifactForm::Tree, GitUse::Worktree));
    assert_eq!(spec.scoring.on_worse, OnWorse::Rollback);
    assert!(spec.scoring.strict && !spec.scoring.ratchet);
    assert_eq!(spec.scoring.trust_threshold, Some(points(8000)));
    let [works, reads] = spec.scoring.dimensions.as_slice() else {
        panic!("two dimensions")
    };
    assert_eq!(
        (works.name.as_str(), works.threshold, works.must_pass),
        ("works", Some(points(9000)), true)
    );
    assert_eq!(
        (reads.name.as_str(), reads.threshold, reads.must_pass),
        ("reads well", None, false)
    );
    assert_eq!(reads.weight, Weight::try_from(0.3).unwrap());
    assert_eq!(spec.evaluation.groups, ["checks", "judges"]);
    assert!(spec.evaluation.stop_early && spec.evaluation.keep_verdicts);
    assert_eq!(spec.evaluation.flaky_runs, 3);
    let judges: Vec<_> = spec
        .judging
        .judges
        .iter()
        .map(|j| (j.agent.as_str(), j.family.as_deref()))
        .collect();
    assert_eq!(judges, [("strict", Some("beta")), ("second", None)]);
    assert!(spec.judging.one_by_one);
    assert_eq!(spec.judging.same_family, SameFamily::Refuse);
    let twin = JudgeControl::Twin {
        path: "bad/example.md".into(),
        sha256: Digest::of(b"# Bad"),
    };
    assert_eq!(spec.judging.controls, [JudgeControl::Empty, JudgeControl::Hollow, twin]);
    assert_eq!(spec.roles[&Role::Producer].family.as_deref(), Some("Alpha"));
    let [tests, clear] = spec.criteria.as_slice() else {
        panic!("two criteria")
    };
    let named = |c: &Criterion| (c.dimension.clone().unwrap(), c.group.clone().unwrap(), c.gate.unwrap());
    assert_eq!(named(tests), ("works".into(), "checks".into(), Gate::Goal));
    assert!(tests.must_pass && tests.hidden);
    let repeats: Vec<_> = tests.verify.iter().map(|check| check.repeat).collect();
    let repeat = |runs, need| Some(Repeat { runs, need });
    assert_eq!(repeats, [repeat(3, Some(2)), repeat(2, None)]);
    assert_eq!(named(clear), ("reads well".into(), "judges".into(), Gate::Trust));
    assert_eq!((clear.cap, clear.pass_at), (Some(points(5000)), Some(points(7500))));
    assert_eq!(clear.reads, Some(Globs(vec!["src/**".into(), "docs/*.md".into()])));
    let anchors: Vec<_> = clear.rubric.iter().map(|anchor: &Anchor| anchor.score).collect();
    assert_eq!(anchors, [points(2500), points(7500), points(10_000)], "worst first");
    assert_eq!(degraded(&spec), [""; 0]);
    let json = serde_json::to_string(&spec).unwrap();
    assert_eq!(serde_json::from_str::<LoopSpec>(&json).unwrap(), spec);
}

#[test]
fn what_is_left_out_changes_nothing() {
    let plain = good("[task]\nprompt = \"README\"\n[agents.x]\nkind = \"command\"\ncommand = [\"x\"]\n");
    assert_eq!(plain.scoring, Scoring::default());
    let json = serde_json::to_value(&plain).unwrap();
    for key in ["artifact", "git", "scoring", "evaluation", "judging"] {
        assert!(json.get(key).is_none(), "{key}");
    }
}

#[test]
fn the_files_of_judges_are_needed() {
    let needs = LoopFile::parse(FULL).needs(&Overrides::default());
    let needs: Vec<_> = needs.into_iter().map(|need| (need.path, need.why)).collect();
    let script = Need::Script { agent: "second".into() };
    assert_eq!(
        needs,
        [("second.toml".into(), script), ("bad/example.md".into(), Need::Twin)]
    );
    let file = LoopFile::parse(FULL);
    let draft = resolve(&file, &Overrides::default(), &sources()).unwrap();
    let unread: Vec<_> = draft.freeze(&Sources::default()).unwrap_err();
    let unread: Vec<_> = unread.iter().map(|problem| problem.describe(FULL)).collect();
    assert_eq!(
        unread,
        [
            "50:10: script `second.toml` of agent `second` was not read",
            "36:41: bad example `bad/example.md` was not read",
        ]
    );
}

/// What is said about the full file with one change.
#[track_caller]
fn said_after(from: &str, to: &str) -> String {
    assert!(FULL.contains(from), "{from}");
    let changed = FULL.replacen(from, to, 1);
    contract(&changed, &Overrides::default()).err().unwrap_or_default()
}

/// What is changed in the full file, to what, and what is said then.
const MISTAKES: &[(&str, &str, &str)] = &[
    (
        "\"tree\"",
        "\"tre\"",
        "2:12: unknown word `tre` for `artifact`\n  help: did you mean `tree`?\n3:7: `git = \"worktree\"` is for a loop over a tree of files, and this one makes a file\n  help: set `artifact = \"tree\"`, or leave `git` out",
    ),
    (
        "artifact = \"tree\"\n",
        "",
        "2:7: `git = \"worktree\"` is for a loop over a tree of files, and this one makes a file\n  help: set `artifact = \"tree\"`, or leave `git` out",
    ),
    (
        "strict = true",
        "strict = 1",
        "11:10: `scoring.strict` must be `true` or `false`, not 1",
    ),
    (
        "ratchet = false",
        "rachet = false",
        "12:1: unknown key `rachet` in `[scoring]`\n  help: did you mean `ratchet`?",
    ),
    (
        "trust_threshold = 0.8",
        "trust_threshold = nan",
        "13:19: `scoring.trust_threshold` must be a number between 0 and 1 with at most four decimals, not nan",
    ),
    (
        "on_worse = \"rollback\"",
        "on_worse = \"roll\"",
        "14:12: unknown word `roll` for `scoring.on_worse`\n  help: known: `keep`, `rollback`",
    ),
    ("weight = 0.7\n", "", "16:1: a dimension needs `name` and `weight`"),
    (
        "name = \"reads well\"",
        "name = \"works\"",
        "23:8: dimension `works` stands here twice\n86:13: criterion `a.clear` is of dimension `reads well`, which does not exist\n  help: known: `works`, `works`",
    ),
    (
        "flaky_runs = 3",
        "flaky_runs = 21",
        "30:14: `evaluation.flaky_runs` must be an integer between 0 and 20, not 21",
    ),
    (
        "[\"checks\", \"judges\"]",
        "[\"checks\", \"judges\", \"checks\"]",
        "27:31: group `checks` stands here twice",
    ),
    (
        "[\"checks\", \"judges\"]",
        "[\"checks\", \"judge\"]",
        "87:9: criterion `a.clear` is of group `judges`, which does not exist\n  help: did you mean `judge`?",
    ),
    (
        "dimension = \"works\"",
        "dimension = \"work\"",
        "64:13: criterion `a.tests` is of dimension `work`, which does not exist\n  help: did you mean `works`?",
    ),
    (
        "[\"strict\", \"second\"]",
        "[\"strikt\", \"second\"]",
        "33:11: unknown agent `strikt`\n  help: did you mean `strict`?",
    ),
    (
        "[\"strict\", \"second\"]",
        "[\"second\", \"second\"]",
        "33:21: judge `second` stands here twice",
    ),
    (
        "\"hollow\"",
        "\"holow\"",
        "36:22: unknown word `holow` for `judging.controls`\n  help: did you mean `hollow`?",
    ),
    (
        "{ twin = \"bad/example.md\" }",
        "{}",
        "36:32: a control is `\"empty\"`, `\"hollow\"` or `{ twin = \"PATH\" }`",
    ),
    (
        "\"bad/example.md\"",
        "\"../bad.md\"",
        "36:41: `judging.controls.twin` must be a relative path without `..`, not \"../bad.md\"\n  help: paths are relative to the project",
    ),
    (
        "family = \"beta\"",
        "familly = \"beta\"",
        "46:1: unknown key `familly` in `[agents.strict]`\n  help: did you mean `family`?",
    ),
    (
        "gate = \"goal\"",
        "gate = \"gaol\"",
        "66:8: unknown word `gaol` for `criteria.gate`\n  help: did you mean `goal`?",
    ),
    (
        "hidden = true",
        "hidden = \"yes\"",
        "68:10: `criteria.hidden` must be `true` or `false`, not \"yes\"",
    ),
    (
        "need = 2",
        "need = 4",
        "74:29: `criteria.verify.repeat.need` must be an integer between 1 and 3, not 4",
    ),
    (
        "need = 2",
        "need = 0",
        "74:29: `criteria.verify.repeat.need` must be an integer between 1 and 3, not 0",
    ),
    (
        "{ runs = 2 }",
        "{ runs = 21 }",
        "79:19: `criteria.verify.repeat.runs` must be an integer between 1 and 20, not 21",
    ),
    (
        "{ runs = 2 }",
        "{ runz = 2 }",
        "79:12: unknown key `runz` in `repeat`\n  help: did you mean `runs`?",
    ),
    ("{ runs = 2 }", "{}", "79:10: `repeat` needs `runs`"),
    (
        "cap = 0.5",
        "cap = 1.5",
        "89:7: `criteria.cap` must be a number between 0 and 1 with at most four decimals, not 1.5",
    ),
    (
        "score = 0.25",
        "score = 0.75",
        "90:100: `criteria.rubric` has two anchors at 0.75",
    ),
    (
        "{ score = 0.25, text = \"A riddle.\" }",
        "{ score = 0.25 }",
        "90:52: an anchor needs `score` and `text`",
    ),
    (
        "pass_at = 0.75",
        "pass_at = 0.5",
        "91:11: criterion `a.clear` passes at 0.50, where its rubric has no anchor\n  help: its anchors: 0.25, 0.75, 1.00",
    ),
    (
        "[\"src/**\", \"docs/*.md\"]",
        "[]",
        "92:9: `criteria.reads` names no file\n  help: leave it out, or give a glob such as `src/**`",
    ),
    (
        "[\"src/**\", \"docs/*.md\"]",
        "\"/etc/*\"",
        "92:9: `criteria.reads` must be a relative path without `..`, not \"/etc/*\"\n  help: paths are relative to the project",
    ),
];

#[test]
fn mistakes_have_their_place_and_their_message() {
    let mut wrong = Vec::new();
    for (from, to, expected) in MISTAKES {
        wrong.extend((said_after(from, to) != *expected).then(|| format!("{to}\n{}", said_after(from, to))));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn a_pass_needs_a_rubric_to_be_at() {
    let text = FULL
        .lines()
        .filter(|line| !line.starts_with("rubric"))
        .collect::<Vec<_>>()
        .join("\n");
    let said = contract(&text, &Overrides::default()).unwrap_err();
    assert!(
        said.ends_with("where its rubric has no anchor\n  help: give it a `rubric`"),
        "{said}"
    );
}

/// Numbers that another reader of the contract would take for others.
#[test]
fn only_exact_numbers_enter_the_contract() {
    let check = |value: &str| {
        let text = format!(
            "[[criteria]]\nid = \"a.x\"\ndescription = \"d\"\nseverity = \"fail\"\n[criteria.verify]\ntype = \"schema\"\nfiles = \"a.json\"\nschema = {{ maximum = [{value}] }}\n"
        );
        let file = LoopFile::parse(&text);
        let said: Vec<String> = file.problems().iter().map(|problem| problem.describe(&text)).collect();
        said.join("\n")
    };
    for exact in [
        "9007199254740991",
        "-9007199254740991",
        "0x1fffffffffffff",
        "1.5",
        "1e300",
    ] {
        assert_eq!(check(exact), "", "{exact}");
    }
    let must_be = "8:23: `criteria.verify.schema.maximum` must be";
    for large in [
        "9007199254740992",
        "-9007199254740992",
        "9223372036854775807",
        "99999999999999999999",
    ] {
        assert_eq!(
            check(large),
            format!(
                "{must_be} an integer between -9007199254740991 and 9007199254740991, not {large}\n  help: write a larger number as a string"
            )
        );
    }
    for (endless, shown) in [("nan", "nan"), ("inf", "inf"), ("-inf", "-inf"), ("1e999", "1e999")] {
        assert_eq!(check(endless), format!("{must_be} a finite number, not {shown}"));
    }
    let exit = "[[criteria]]\nid = \"a.x\"\nverify = { type = \"executable\", command = \"x\", expected = { exit = 9007199254740992 } }\n";
    let file = LoopFile::parse(exit);
    assert!(
        file.problems()[0]
            .message
            .starts_with("`criteria.verify.expected.exit` must be an integer between")
    );
    for twice in [
        "[scoring]\nstrict = true\nstrict = false\n",
        "artifact = \"tree\"\nartifact = \"file\"\n",
    ] {
        assert!(
            LoopFile::parse(twice).problems()[0].message.contains("duplicate key"),
            "{twice}"
        );
    }
}

#[test]
fn criteria_change_the_templates_key_by_key() {
    let text = r#"
[task]
prompt = "x"
type = "docs"
[agents.x]
kind = "command"
command = ["x"]
[evaluation]
groups = ["first", "later"]
[[templates.docs.criteria]]
id = "a.x"
description = "d"
severity = "fail"
check = "c"
group = "first"
hidden = true
cap = 0.4
rubric = [{ score = 0.5, text = "half" }, { score = 1, text = "whole" }]
pass_at = 0.5
reads = "a/**"
[[templates.docs.criteria]]
id = "b.x"
description = "d"
severity = "fail"
check = "c"
[[criteria]]
id = "a.x"
group = "later"
hidden = false
"#;
    let changed = &good(text).criteria[0];
    assert_eq!(
        (changed.group.as_deref(), changed.hidden, changed.cap),
        (Some("later"), false, Some(points(4000)))
    );
    assert_eq!((changed.rubric.len(), changed.pass_at), (2, Some(points(5000))));
    assert_eq!(changed.reads, Some(Globs(vec!["a/**".into()])));
    let own_rubric = format!("{text}rubric = [{{ score = 1, text = \"all\" }}]\n");
    let changed = &good(&own_rubric).criteria[0];
    assert_eq!(
        (changed.rubric.len(), changed.pass_at),
        (1, None),
        "a new rubric has its own passing anchor"
    );
    let said = contract(
        &text
            .replace("group = \"first\"", "group = \"frist\"")
            .replace("group = \"later\"\n", ""),
        &Overrides::default(),
    );
    assert_eq!(
        said.unwrap_err(),
        "27:6: criterion `a.x` is of group `frist`, which does not exist\n  help: did you mean `first`?"
    );
}

#[test]
fn a_contract_alone_needs_no_judges() {
    let alone = Overrides {
        contract_only: true,
        ..Overrides::default()
    };
    let text: String =
        FULL.split("[agents.worker]").next().unwrap().to_owned() + FULL.split("default = \"worker\"").nth(1).unwrap();
    let spec = contract(&text, &alone).unwrap();
    assert_eq!((spec.judging.judges.len(), spec.roles.len()), (0, 0));
    assert_eq!(spec.judging.controls.len(), 3);
    assert!(
        contract(&text, &Overrides::default())
            .unwrap_err()
            .contains("unknown agent `strict`")
    );
}

#[test]
fn one_command_for_all_is_its_own_judge() {
    let flag = Overrides {
        agent: Some(vec!["one".into()]),
        ..Overrides::default()
    };
    assert_eq!(
        contract(FULL, &flag).unwrap_err(),
        "35:15: judge `command-line` is the producer's agent too, and `judging.same_family` is `refuse`\n  help: let an agent of another family judge, or set it to `label`"
    );
    let label = FULL.replace("\"refuse\"", "\"label\"");
    let spec = contract(&label, &flag).unwrap();
    assert_eq!(spec.judging.judges, []);
    assert_eq!(degraded(&spec), ["judge `command-line` is the producer's agent too"]);
}

#[test]
fn the_first_judge_is_the_evaluator_that_nobody_names() {
    assert_eq!(good(FULL).roles[&Role::Evaluator].agent, "strict");
    let named = FULL.replace("default = \"worker\"", "default = \"worker\"\nevaluator = \"second\"");
    assert_eq!(good(&named).roles[&Role::Evaluator].agent, "second");
}

/// A judge that is the worker, or another judge, by name, family or program is refused, or labelled.
#[test]
fn judges_of_one_family_are_named() {
    const ROLES: &str = "default = \"worker\"\nrefiner = \"second\"";
    let two = FULL.replace("default = \"worker\"", ROLES);
    let cases = [
        (
            FULL.replace("[\"strict\", \"second\"]", "[\"worker\", \"second\"]"),
            vec!["judge `worker` is the producer's agent too"],
        ),
        (
            FULL.replace("\"beta\"", "\"ALPHA\""),
            vec!["judge `strict` is of the family `ALPHA`, as is the producer `worker`"],
        ),
        (
            FULL.replace("[\"strict\"]\n", "[\"worker\"]\ntimeout_seconds = 9\n"),
            vec!["judge `strict` runs the same program as the producer `worker`"],
        ),
        (two, vec!["judge `second` is the refiner's agent too"]),
        (
            FULL.replace(
                "script = \"second.toml\"",
                "script = \"second.toml\"\nfamily = \"Beta\"",
            ),
            vec!["judge `second` is of the family `Beta`, as is the judge `strict`"],
        ),
        (
            FULL.replace(
                "kind = \"scripted\"\nscript = \"second.toml\"",
                "kind = \"command\"\ncommand = [\"strict\"]",
            ),
            vec!["judge `second` runs the same program as the judge `strict`"],
        ),
        (
            FULL.replace("judges = [\"strict\", \"second\"]\n", ""),
            vec!["judge `worker` is the producer's agent too"],
        ),
        (
            FULL.replace("judges = [\"strict\", \"second\"]\n", "")
                .replace("default = \"worker\"", "default = \"worker\"\nevaluator = \"strict\""),
            vec![],
        ),
        (
            FULL.replace("[\"strict\", \"second\"]", "[\"worker\", \"second\"]")
                .replace("check = \"Read it.\"", "verify = { type = \"links\" }"),
            vec![],
        ),
    ];
    for (text, expected) in cases {
        assert_ne!(text, FULL);
        let label = good(&text.replace("\"refuse\"", "\"label\""));
        assert_eq!(degraded(&label), expected);
        let refused = contract(&text, &Overrides::default()).err();
        assert_eq!(refused.is_some(), !expected.is_empty(), "{refused:?}");
        for sentence in expected {
            assert!(refused.as_ref().unwrap().contains(sentence), "{refused:?}");
        }
    }
}
