//! The run that is killed: two iterations, level A fails, is refined and passes, level B passes. Every role is played by
//! one shell script that notes each call.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use onus_testkit::{Said, Sandbox, said};
use serde_json::Value;

pub(crate) const ALIAS: &str = "note";

/// Only a test that is about to fail waits this long.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

const LOOP: &str = r#"
preset = "reflex"
criteria_from = "none"

[task]
prompt = "A note with a body"
type = "docs"

[agents.shell]
kind = "command"
command = ["sh", "agent.sh"]
env = ["LIFE"]

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

/// Says which process asked (`LIFE`), holds where a file says so, and answers.
const AGENT: &str = r##"
echo "$LIFE $ONUS_STEP ${ONUS_ITERATION:-blind} $ONUS_LEVEL" >> calls
hold="hold-$LIFE-$ONUS_STEP"
if [ -e "$hold" ]; then echo $$ > "$hold.reached"; while [ -e "$hold" ]; do sleep 0.02; done; fi
case "$ONUS_STEP" in
plan) echo '{"plan": ["Write the title", "Write the body", "Read it again"]}' ;;
produce) PRODUCE ;;
prepare) echo '{"checks": [{"rule_id": "a.body", "type": "content", "search": "^Body$", "expected": "present"}]}' ;;
evaluate) echo '{"rule_results": [{"id": "b.plain", "verdict": "pass", "details": "plain words", "quote": "Body"}]}' ;;
critique) echo '{"issues": [{"rule_id": "a.body", "problem": "no body", "fix_instruction": "write one"}]}' ;;
refine) printf '# Note\n\nBody\n' > "$ONUS_ARTIFACT" ;;
esac
"##;

const PRODUCE: &str = r#"[ "$ONUS_ITERATION" != 1 ] || printf '# Note\n' > "$ONUS_ARTIFACT""#;

/// A project with this loop, in memory.
pub(crate) struct Story {
    pub(crate) sandbox: Sandbox,
}

impl Story {
    pub(crate) fn new() -> Story {
        Story::with_producer(PRODUCE)
    }

    pub(crate) fn with_producer(produce: &str) -> Story {
        let sandbox = Sandbox::in_memory();
        sandbox.write("onus.toml", LOOP);
        sandbox.script("agent.sh", &AGENT.replace("PRODUCE", produce));
        Story { sandbox }
    }

    /// `onus run`; `life` tells its agents' calls from those of other processes.
    pub(crate) fn run(&self, life: &str) -> Command {
        let args = "run --accept-criteria --max-iterations 3 --json --alias";
        let mut command = self.sandbox.command(args.split(' ').chain([ALIAS]));
        command.env("LIFE", life);
        command
    }

    pub(crate) fn resume(&self, life: &str) -> Command {
        let mut command = self.sandbox.command(["resume", "--json", ALIAS]);
        command.env("LIFE", life);
        command
    }

    /// Resumes after a kill. Threads of the killed process may hold the lock for a moment longer than the one that was
    /// waited for.
    pub(crate) fn resume_after_kill(&self, life: &str) -> Said {
        let began = Instant::now();
        loop {
            let resumed = said(&mut self.resume(life));
            if !(resumed.code == Some(2) && resumed.stderr.contains("is held by")) || began.elapsed() > PATIENCE {
                return resumed;
            }
        }
    }

    /// Makes the script of one life wait in a step.
    pub(crate) fn hold(&self, life: &str, step: &str) {
        self.sandbox.write(&format!("hold-{life}-{step}"), "");
    }

    pub(crate) fn release(&self, life: &str, step: &str) {
        std::fs::remove_file(self.sandbox.project().join(format!("hold-{life}-{step}"))).unwrap();
    }

    /// Waits until a step is held; the process id of its agent.
    pub(crate) fn held(&self, life: &str, step: &str) -> String {
        let reached = format!("hold-{life}-{step}.reached");
        wait_until(&format!("{life} comes to {step}"), || {
            self.sandbox.exists(&reached) && self.sandbox.read(&reached).ends_with('\n')
        });
        self.sandbox.read(&reached).trim().to_owned()
    }

    pub(crate) fn run_dir(&self) -> PathBuf {
        self.sandbox.project().join(".ai-factory/evolution").join(ALIAS)
    }

    /// The history's bytes, if there is one.
    pub(crate) fn history(&self) -> Option<Vec<u8>> {
        std::fs::read(self.run_dir().join("history.jsonl")).ok()
    }

    /// Which steps the agents of one life were asked for, sorted.
    pub(crate) fn calls(&self, life: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.sandbox.project().join("calls")).unwrap_or_default();
        let own = text
            .lines()
            .filter_map(|line| line.strip_prefix(life)?.strip_prefix(' '));
        let mut calls: Vec<String> = own.map(str::to_owned).collect();
        calls.sort();
        calls
    }

    /// Everything the ledger says of the run but for its name and its times.
    pub(crate) fn outcome(&self) -> Value {
        let mut status = self.sandbox.onus(["status", ALIAS, "--json"]).expect(0).json();
        let fields = status.as_object_mut().unwrap();
        for decoration in ["run_id", "created_at", "updated_at", "completed_phase_seconds"] {
            assert!(fields.remove(decoration).is_some(), "{decoration}");
        }
        status
    }

    /// The run has ended as the uncut one did, and its files are what was recorded.
    #[track_caller]
    pub(crate) fn assert_ended_well(&self, context: &str) {
        assert_eq!(self.outcome(), uncut().outcome, "{context}");
        let verified = self.sandbox.onus(["verify", ALIAS]);
        assert_eq!(
            verified.code,
            Some(0),
            "{context}: {}{}",
            verified.stdout,
            verified.stderr
        );
    }
}

/// How the run goes when nobody disturbs it.
pub(crate) struct Uncut {
    pub(crate) outcome: Value,
    pub(crate) calls: Vec<String>,
    pub(crate) took: Duration,
}

pub(crate) fn uncut() -> &'static Uncut {
    static UNCUT: OnceLock<Uncut> = OnceLock::new();
    UNCUT.get_or_init(|| {
        onus_testkit::onus_binary();
        let (story, began) = (Story::new(), Instant::now());
        said(&mut story.run("first")).expect(0);
        let took = began.elapsed();
        story.sandbox.onus(["verify"]).expect(0);
        let (outcome, calls) = (story.outcome(), story.calls("first"));
        assert_eq!(outcome["status"], "completed");
        assert_eq!(outcome["iteration"], 2);
        assert_eq!(calls.len(), 10, "{calls:?}");
        Uncut { outcome, calls, took }
    })
}

/// The events that a process printed. It prints one only after it is acknowledged; a line that its death cut short is
/// none.
pub(crate) fn acknowledged(stdout: &str) -> Vec<Value> {
    let whole = stdout.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    let lines = whole.map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines
        .filter(|line| line["type"] == "event")
        .map(|mut line| line["record"].take())
        .collect()
}

/// A history's whole lines, as bytes and as records.
pub(crate) fn whole_lines(history: &[u8]) -> (&[u8], Vec<Value>) {
    let end = history.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
    let whole = &history[..end];
    let lines = whole.split_inclusive(|b| *b == b'\n');
    (whole, lines.map(|line| serde_json::from_slice(line).unwrap()).collect())
}

/// Every acknowledged event stands in the history as it was printed.
#[track_caller]
pub(crate) fn assert_holds(records: &[Value], acknowledged: &[Value], context: &str) {
    let by_seq: BTreeMap<u64, &Value> = records.iter().map(|r| (r["seq"].as_u64().unwrap(), r)).collect();
    for event in acknowledged {
        let seq = event["seq"].as_u64().unwrap();
        assert_eq!(
            by_seq.get(&seq),
            Some(&event),
            "{context}: event {seq} was acknowledged"
        );
    }
}

/// The calls that a run with these records still owes: those of stages that are not finished.
pub(crate) fn owed(records: &[Value]) -> Vec<String> {
    let mut owed = uncut().calls.clone();
    let mut settle = |call: String| owed.retain(|c| *c != call);
    let mut side_by_side = Vec::new();
    for record in records {
        let (level, iteration) = (record["phase"].as_str().unwrap(), &record["iteration"]);
        let call = |step: &str| format!("{step} {iteration} {level}");
        match record["event"].as_str().unwrap() {
            "plan_created" => settle(call("plan")),
            "artifact_created" => side_by_side.push(call("produce")),
            "checks_prepared" if record["step"] == "PRODUCE_PREPARE" => side_by_side.push(call("prepare")),
            "checks_prepared" => settle(call("prepare")),
            "evaluation_done" => settle(format!("evaluate blind {level}")),
            "critique_done" => settle(call("critique")),
            "refinement_done" => settle(call("refine")),
            "resumed" => side_by_side.clear(),
            _ => {}
        }
        // One of the two alone is done again with the other.
        if side_by_side.len() == 2 {
            side_by_side.drain(..).for_each(&mut settle);
        }
    }
    owed
}

#[track_caller]
pub(crate) fn wait_until(what: &str, mut so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !so() {
        assert!(began.elapsed() < PATIENCE, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Whether a process does anything: one that nobody has reaped does not.
pub(crate) fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit(')').next().unwrap_or_default().trim_start().chars().next();
    !matches!(state, None | Some('Z' | 'X'))
}
