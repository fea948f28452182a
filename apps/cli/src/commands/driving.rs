//! Driving an open run to its end: signals, words while it works, the report, and saving the result.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use onus_engine::{Control, Ending, OpenRun, Project};
use onus_ledger::objects;
use onus_model::{ArtifactForm, ExitCode, Status, StopCondition, StopRequest};
use onus_views::{RunFacts, final_report};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::cli::OutputArgs;
use crate::commands::runtime;
use crate::fault::Fault;
use crate::surroundings::Surroundings;
use crate::terminal::{out, say};
use crate::watch::{Voice, Watcher, json_line};

impl OutputArgs {
    pub(crate) fn voice(self) -> Voice {
        match (self.json, self.quiet) {
            (true, _) => Voice::Json,
            (false, true) => Voice::Quiet,
            (false, false) => Voice::Words,
        }
    }
}

/// Drives the run and tells how it ended.
pub(super) fn drive(
    around: &Surroundings,
    project: &Project,
    open: impl AsyncFnOnce(CancellationToken) -> Result<OpenRun, Fault>,
    output: OutputArgs,
    save_as: Option<&Path>,
) -> Result<ExitCode, Fault> {
    if let Some(path) = save_as {
        let parent = around.resolve(path).parent().map(Path::to_owned).unwrap_or_default();
        if !parent.is_dir() {
            return Err(Fault::usage(format!(
                "`--save-as`: `{}` is not a directory",
                parent.display()
            )));
        }
    }
    let control = Arc::new(Control::default());
    let over = Arc::new(OnceLock::new());
    // Before the run is opened: from its first event on, a signal must find somebody home.
    listen(&control, &over, &around.user)?;
    runtime()?.block_on(async {
        let mut run = open(control.left()).await?;
        for note in run.notes() {
            say(&format!("note: {note}\n"));
        }
        let alias = run.facts().alias;
        let artifact_path = project.artifact_path(&alias);
        let mut watcher = Watcher::new(project, &around.terminal, output.voice(), &artifact_path);
        watcher.catch_up(&run.take_past());
        let ending = run.drive(&around.clock, &control, &mut watcher).await;
        watcher.done();
        match ending? {
            Ending::Interrupted => {
                say(&format!(
                    "interrupted; nothing recorded is lost\n\nhint: `onus resume {alias}` goes on from here\n"
                ));
                Ok(ExitCode::StoppedByUser)
            }
            Ending::Ended => {
                let facts = run.facts();
                drop(run);
                let _ = over.set(exit_code(&facts));
                report(&facts, &artifact_path, around, output)?;
                save(around, project, &facts, save_as, output)?;
                Ok(exit_code(&facts))
            }
        }
    })
}

/// Ctrl-C once stops after the step in flight, twice at once; a terminated or hung-up session leaves at once. When the run
/// is over there is only a question open, and a terminal that is gone will never answer it.
#[allow(
    clippy::disallowed_methods,
    reason = "the process ends while its main thread waits for a terminal"
)]
fn listen(control: &Arc<Control>, over: &Arc<OnceLock<ExitCode>>, user: &str) -> Result<(), Fault> {
    let cannot = |error: std::io::Error| Fault::internal("cannot listen for signals").because(&error);
    let runtime = runtime()?;
    let inside = runtime.enter();
    // Whoever started this process may have said that these are to be ignored: `nohup`, a shell's background job.
    let ignored = ignored_signals();
    let listener = |kind: SignalKind| {
        let bit = u64::from(kind.as_raw_value().unsigned_abs()).saturating_sub(1);
        if ignored >> bit & 1 == 1 {
            Ok(None)
        } else {
            signal(kind).map(Some).map_err(cannot)
        }
    };
    let mut interrupt = listener(SignalKind::interrupt())?;
    let mut terminate = listener(SignalKind::terminate())?;
    let mut hang_up = listener(SignalKind::hangup())?;
    let (control, over, by) = (Arc::clone(control), Arc::clone(over), user.to_owned());
    drop(inside);
    let listening = async move {
        let mut presses = 0;
        loop {
            tokio::select! {
                () = heard(&mut interrupt) => presses += 1,
                () = heard(&mut terminate) => presses = 2,
                () = heard(&mut hang_up) => presses = 2,
            }
            if presses >= 2 {
                if let Some(code) = over.get() {
                    std::process::exit(i32::from(code.code()));
                }
                control.interrupt();
                presses = 1;
                continue;
            }
            control.stop(StopRequest {
                reason: None,
                by: by.clone(),
            });
            say("stopping when the step in flight is recorded; press Ctrl-C again to leave at once\n");
        }
    };
    // On a thread of its own, so that signals are heard also while a person is being asked something.
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || runtime.block_on(listening))
        .map(|_| ())
        .map_err(cannot)
}

/// Waits for a signal; for ever, if it is ignored.
async fn heard(signal: &mut Option<Signal>) {
    match signal {
        Some(signal) => {
            signal.recv().await;
        }
        None => std::future::pending().await,
    }
}

/// The signals that were set to be ignored before this process began, as a mask; none where that cannot be told.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}

fn report(facts: &RunFacts, artifact_path: &str, around: &Surroundings, output: OutputArgs) -> Result<(), Fault> {
    // What to do with an artifact makes sense only where the gate let one through.
    let next = facts.spec.next_step.as_deref().filter(|_| facts.passed());
    let report = final_report(facts, artifact_path, next);
    match output.voice() {
        Voice::Json => json_line("report", "report", &report),
        Voice::Words | Voice::Quiet => out(&format!("\n{}", report.text(around.terminal.style))),
    }
    Ok(())
}

/// Copies the artifact where it is wanted; asks where, if there is somebody to ask.
fn save(
    around: &Surroundings,
    project: &Project,
    facts: &RunFacts,
    save_as: Option<&Path>,
    output: OutputArgs,
) -> Result<(), Fault> {
    let Some(artifact) = &facts.artifact else { return Ok(()) };
    if facts.spec.artifact == ArtifactForm::Tree {
        if let Some(path) = save_as {
            return Err(Fault::usage(format!(
                "`--save-as {}`: the artifact is a tree of files, and they are in the workspace",
                path.display()
            )));
        }
        return Ok(());
    }
    let target: PathBuf = match save_as {
        Some(path) => path.to_owned(),
        None if around.terminal.interactive && output.voice() == Voice::Words => {
            let question = format!(
                "Save a copy of the artifact as (empty keeps it in {} only):",
                project.artifact_path(&facts.alias)
            );
            // Breaking the question off is an answer too: the run has ended, and keeps its exit code.
            let answer = match inquire::Text::new(&question).prompt_skippable() {
                Err(error) if crate::setup::broken_off(&error) => None,
                answer => answer.map_err(|error| crate::setup::dialogue_fault(&error))?,
            };
            match answer
                .map(|text| text.trim().to_owned())
                .filter(|text| !text.is_empty())
            {
                Some(path) => PathBuf::from(path),
                None => return Ok(()),
            }
        }
        None => return Ok(()),
    };
    let target = around.resolve(&target);
    let bytes = objects::get(&project.places, &artifact.artifact_sha256, u64::MAX)?;
    onus_ledger::files::write_view(&target, &bytes, onus_ledger::Durability::Synced)?;
    say(&format!("saved as {}\n", target.display()));
    Ok(())
}

/// The gate decides, not the status word.
pub(super) fn exit_code(facts: &RunFacts) -> ExitCode {
    let stopped_by = |rule| facts.stop.as_ref().is_some_and(|stop| stop.rule == rule);
    match facts.status {
        _ if facts.passed() => ExitCode::Passed,
        Status::Failed => ExitCode::Failed,
        _ if stopped_by(StopCondition::UserStop) => ExitCode::StoppedByUser,
        _ if stopped_by(StopCondition::Dispute) => ExitCode::Waiting,
        Status::Completed | Status::Stopped | Status::Running => ExitCode::NotPassed,
    }
}
