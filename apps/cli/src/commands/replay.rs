//! `onus replay`: decide a recorded loop once more, as it was or under other limits.

use onus_engine::shelf::{Seen, distrust, look};
use onus_machine::Run;
use onus_machine::replay::{Divergence, Replayed, fold, replay};
use onus_model::{Event, ExitCode, LoopSpec, Score, Stamped, canonical_sha256};

use crate::cli::ReplayArgs;
use crate::commands::print_json;
use crate::fault::Fault;
use crate::surroundings::Surroundings;
use crate::terminal::out;
use crate::watch::{Voice, Watcher};

pub(crate) fn run(around: &Surroundings, args: &ReplayArgs) -> Result<ExitCode, Fault> {
    let project = around.project()?;
    let alias = around.some_alias(&project, args.alias.as_ref())?;
    let Seen::Ours { history, .. } = look(&project, &alias)? else {
        return Err(Fault::usage(format!(
            "the history of `{alias}` was written by another tool and holds too little to be decided again"
        )));
    };
    if let Some(why) = distrust(&history) {
        return Err(Fault::new(
            ExitCode::Integrity,
            format!("the history of `{alias}` does not hold: {why}"),
        )
        .hint(format!("`onus verify {alias}` says more")));
    }
    if args.print {
        let mut watcher = Watcher::new(&project, &around.terminal, Voice::Words, &project.artifact_path(&alias));
        history.records.iter().for_each(|record| watcher.tell(record));
        watcher.done();
        out("\n");
    }
    let record: Vec<Stamped> = history.records.iter().map(|r| r.stamped.clone()).collect();
    let changes = args
        .what_if
        .iter()
        .map(|text| Change::parse(text))
        .collect::<Result<Vec<_>, Fault>>()?;
    let levels: Vec<String> = match history.records.first().map(|record| &record.stamped.event) {
        Some(Event::RunStarted(start)) => start.spec.levels.iter().map(|level| level.name.to_string()).collect(),
        Some(_) | None => Vec::new(),
    };
    for change in &changes {
        change.known(&levels)?;
    }
    let apply = |spec: &mut LoopSpec| changes.iter().for_each(|change| change.apply(spec));
    let what_if: Option<&dyn Fn(&mut LoopSpec)> = if changes.is_empty() { None } else { Some(&apply) };
    let again = replay(&record, what_if)
        .map_err(|rejected| Fault::configuration("the loop cannot be decided under these values").because(&rejected))?;
    let recorded = fold(record.iter().map(|s| &s.event));
    if changes.is_empty() {
        same(args, &alias, &record, recorded.as_ref(), &again)
    } else {
        other(args, &alias, recorded.as_ref(), &again)
    }
}

/// Without changes, deciding again must lead to the recorded state.
fn same(
    args: &ReplayArgs,
    alias: &onus_model::Alias,
    record: &[Stamped],
    recorded: Option<&Run>,
    again: &Replayed,
) -> Result<ExitCode, Fault> {
    let recorded_hash = recorded.and_then(|run| canonical_sha256(run).ok());
    // A decision whose tail was lost to a crash is completed on resume; that is no contradiction.
    let contradiction = again.divergence.as_ref().filter(|d| d.recorded.is_some());
    let agrees = contradiction.is_none() && (again.divergence.is_some() || recorded_hash == again.state_sha256());
    if args.json {
        print_json(&serde_json::json!({
            "alias": alias, "events": record.len(), "agrees": agrees, "state_sha256": recorded_hash,
            "diverges_at": contradiction.map(|d| d.at + 1),
        }))?;
    } else if agrees {
        let hash = recorded_hash.map(|h| h.to_string()).unwrap_or_default();
        out(&format!(
            "{alias}: {} events decide to the same state again\nstate {hash}\n",
            record.len()
        ));
    } else {
        out(&format!(
            "{alias}: the record contradicts itself{}\n",
            contradiction
                .map(|d| format!(" at event {}", d.at + 1))
                .unwrap_or_default()
        ));
    }
    Ok(if agrees { ExitCode::Passed } else { ExitCode::Integrity })
}

/// With changes, the first difference is the answer.
fn other(
    args: &ReplayArgs,
    alias: &onus_model::Alias,
    recorded: Option<&Run>,
    again: &Replayed,
) -> Result<ExitCode, Fault> {
    let name = |stamped: &Option<Stamped>| stamped.as_ref().map(|s| s.event.name());
    if args.json {
        let divergence = again.divergence.as_ref();
        print_json(&serde_json::json!({
            "alias": alias,
            "what_if": args.what_if,
            "same": divergence.is_none(),
            "diverges_at": divergence.map(|d| d.at + 1),
            "recorded": divergence.and_then(|d| name(&d.recorded)),
            "instead": divergence.and_then(|d| name(&d.decided)),
            "outcome": again.run.as_ref().map(outcome),
        }))?;
        return Ok(ExitCode::Passed);
    }
    out(&match &again.divergence {
        None => format!(
            "{alias}: with {} nothing changes: {}\n",
            args.what_if.join(", "),
            recorded.map(outcome).unwrap_or_default()
        ),
        Some(Divergence {
            at,
            recorded: was,
            decided,
        }) => format!(
            "{alias}: with {} the run goes another way at event {}\n  recorded: {}\n  instead:  {}\n  then:     {}\n",
            args.what_if.join(", "),
            at + 1,
            name(was).unwrap_or("(the end)"),
            name(decided).unwrap_or("(nothing)"),
            again.run.as_ref().map(outcome).unwrap_or_default(),
        ),
    });
    Ok(ExitCode::Passed)
}

fn outcome(run: &Run) -> String {
    match &run.stop {
        Some(stop) => format!(
            "{} in iteration {}, {}",
            stop.reason,
            run.iteration,
            if stop.passed { "passed" } else { "not passed" }
        ),
        None if run.is_running() => format!(
            "goes on with {} in iteration {}, level {}; no result of it is recorded",
            run.current_step(),
            run.iteration,
            run.level
        ),
        None => format!("{} in iteration {}", run.status, run.iteration),
    }
}

/// One value to decide under instead of the recorded one.
enum Change {
    /// For one level, or for all.
    Threshold(Option<String>, Score),
    MaxIterations(u32),
    DeltaMin(Score),
    CountMax(u32),
}

impl Change {
    fn parse(text: &str) -> Result<Change, Fault> {
        let keys = "`threshold`, `threshold.LEVEL`, `max_iterations`, `delta_min` or `count_max`";
        let (key, value) = text
            .split_once('=')
            .ok_or_else(|| Fault::usage(format!("`{text}` is not KEY=VALUE")))?;
        let score = || value.parse().ok().and_then(|v: f64| Score::try_from(v).ok());
        let count = || value.parse::<u32>().ok().filter(|n| *n > 0);
        let change = match key {
            "threshold" => score().map(|s| Change::Threshold(None, s)),
            "max_iterations" => count().map(Change::MaxIterations),
            "delta_min" => score().map(Change::DeltaMin),
            "count_max" => count().map(Change::CountMax),
            _ => match key.strip_prefix("threshold.") {
                Some(level) => score().map(|s| Change::Threshold(Some(level.to_owned()), s)),
                None => return Err(Fault::usage(format!("unknown key `{key}`")).hint(format!("the keys are {keys}"))),
            },
        };
        change.ok_or_else(|| Fault::usage(format!("`{value}` is no value for `{key}`")))
    }

    /// A level that the run does not have would change nothing, silently.
    fn known(&self, levels: &[String]) -> Result<(), Fault> {
        match self {
            Change::Threshold(Some(level), _) if !levels.contains(level) => {
                Err(Fault::usage(format!("the run has no level `{level}`"))
                    .hint(format!("its levels are {}", levels.join(", "))))
            }
            Change::Threshold(..) | Change::MaxIterations(_) | Change::DeltaMin(_) | Change::CountMax(_) => Ok(()),
        }
    }

    fn apply(&self, spec: &mut LoopSpec) {
        match self {
            Change::Threshold(level, score) => {
                let wanted = |name: &str| level.as_deref().is_none_or(|l| l == name);
                spec.levels
                    .iter_mut()
                    .filter(|l| wanted(l.name.as_str()))
                    .for_each(|l| l.threshold = *score);
            }
            Change::MaxIterations(n) => spec.limits.max_iterations = *n,
            Change::DeltaMin(score) => spec.stagnation.delta_min = *score,
            Change::CountMax(n) => spec.stagnation.count_max = *n,
        }
    }
}
