//! The run that these tests cut and bend: a reflex loop of two iterations that fails level A, is refined, passes A and
//! then B. Its agents answer from a script and its checks are searches, so it starts no program.
#![allow(dead_code, reason = "every test crate uses its own part")]
#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use onus_engine::load::Loaded;
use onus_engine::{Clock, Control, Ending, EngineError, NewRun, Observer, OpenRun, Project};
use onus_machine::Run;
use onus_model::{Alias, Confirmation, Confirmations, Record, StepTask};
use onus_spec::Overrides;
use tempfile::TempDir;

const LOOP: &str = r#"
preset = "reflex"
criteria_from = "none"
name = "canonical"

[task]
prompt = "A note with a body"
type = "docs"

[agents.demo]
kind = "scripted"
script = "script.toml"

[[criteria]]
id = "a.title"
description = "It has a title"
severity = "fail"
level = "A"
verify = { type = "content", search = "^# Note$", expected = "present" }

[[criteria]]
id = "a.body"
description = "It has a body"
severity = "fail"
level = "A"
check = "Look for the body"

[[criteria]]
id = "b.plain"
description = "It reads well"
severity = "fail"
level = "B"
check = "Read it"
"#;

const SCRIPT: &str = r##"
[[answer]]
role = "planner"
json = { plan = ["Write the title", "Write the body", "Read it again"] }

[[answer]]
role = "producer"
iteration = 1
text = "# Note\n"

[[answer]]
role = "producer"
iteration = 2
fault = "repeat"

[[answer]]
role = "preparer"
json = { checks = [{ rule_id = "a.body", type = "content", search = "^Body$", expected = "present" }] }

[[answer]]
role = "evaluator"
json = { rule_results = [{ id = "b.plain", verdict = "pass", details = "plain words", quote = "Body" }] }

[[answer]]
role = "critic"
json = { issues = [{ rule_id = "a.body", problem = "no body", fix_instruction = "write one", expected_effect = "a body" }] }

[[answer]]
role = "refiner"
text = "# Note\n\nBody\n"
"##;

/// A project of its own with a state directory beside it, in memory where there is some.
pub(crate) struct Scene {
    pub(crate) project: Project,
    pub(crate) alias: Alias,
    dir: TempDir,
}

impl Scene {
    pub(crate) fn new() -> Scene {
        let memory = Path::new("/dev/shm");
        let dir = if memory.is_dir() {
            TempDir::new_in(memory)
        } else {
            TempDir::new()
        };
        let dir = dir.unwrap();
        let home = dir.path().join("project");
        fs::create_dir(&home).unwrap();
        fs::write(home.join("onus.toml"), LOOP).unwrap();
        fs::write(home.join("script.toml"), SCRIPT).unwrap();
        let state = dir.path().join("state");
        Scene {
            project: Project::new(&home, ".ai-factory/evolution", &state, BTreeMap::new(), "tester"),
            alias: Alias::new("note").unwrap(),
            dir,
        }
    }

    pub(crate) fn start(&self, clock: &dyn Clock) -> Result<OpenRun, EngineError> {
        OpenRun::start(&self.project, clock, self.new_run(clock))
    }

    pub(crate) fn resume(&self, clock: &dyn Clock) -> Result<OpenRun, EngineError> {
        OpenRun::resume(&self.project, clock, &self.alias)
    }

    pub(crate) fn history_path(&self) -> PathBuf {
        self.project.places.history(&self.alias)
    }

    pub(crate) fn history(&self) -> Vec<u8> {
        fs::read(self.history_path()).unwrap()
    }

    pub(crate) fn dir(&self) -> &Path {
        self.dir.path()
    }

    fn new_run(&self, clock: &dyn Clock) -> NewRun {
        let overrides = Overrides {
            max_iterations: Some(3),
            ..Overrides::default()
        };
        let home = &self.project.dir;
        let loaded = Loaded::read(home, Some(&home.join("onus.toml")), &overrides).unwrap();
        let draft = loaded.draft(&overrides).unwrap();
        let confirmed = Confirmation {
            by: "tester".to_owned(),
            how: "test".to_owned(),
            at: clock.stamp(),
        };
        let confirmed = Confirmations {
            criteria: confirmed.clone(),
            max_iterations: confirmed,
        };
        loaded.new_run(&draft, self.alias.clone(), confirmed).unwrap()
    }
}

/// What a drive showed.
pub(crate) struct Driven {
    pub(crate) run: Run,
    pub(crate) records: Vec<Record>,
    pub(crate) started: Vec<StepTask>,
}

/// Drives an open run to its end; `look` is called after every record.
pub(crate) fn drive(mut open: OpenRun, clock: &dyn Clock, look: &mut (dyn FnMut(&Record) + Send)) -> Driven {
    struct Watch<'a> {
        records: Vec<Record>,
        started: Vec<StepTask>,
        look: &'a mut (dyn FnMut(&Record) + Send),
    }
    impl Observer for Watch<'_> {
        fn recorded(&mut self, record: &Record, _: &Run) {
            (self.look)(record);
            self.records.push(record.clone());
        }

        fn step_started(&mut self, task: &StepTask) {
            self.started.push(task.clone());
        }
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let mut watch = Watch {
        records: Vec::new(),
        started: Vec::new(),
        look,
    };
    let ending = runtime.block_on(open.drive(clock, &Control::default(), &mut watch));
    assert_eq!(ending.unwrap(), Ending::Ended);
    Driven {
        run: open.run().clone(),
        records: watch.records,
        started: watch.started,
    }
}
