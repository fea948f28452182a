//! Starting a run and taking one up again.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use onus_ledger::{Durability, files, objects};
use onus_machine::{Run, decide};
use onus_model::{
    Alias, CheckKind, Confirmations, ContextFile, Digest, Effect, Event, Input, LoopSpec, Record, Role, RunId,
    RunStarted, canonical_sha256,
};
use onus_runners::Scratch;
use onus_views::RunFacts;
use tokio::sync::Semaphore;

use crate::book::Book;
use crate::world::{ContextText, World};
use crate::{Clock, ENGINE, EngineError, Project, agents};

/// The largest background document or template that is kept.
const TEXT_BYTES_MAX: u64 = 1 << 20;

/// A run to start: a frozen contract that a person confirmed, and the texts it refers to by hash.
#[derive(Debug, Clone)]
pub struct NewRun {
    pub alias: Alias,
    pub spec: LoopSpec,
    pub confirmed: Confirmations,
    /// Template texts by role, as hashed in the contract.
    pub templates: BTreeMap<Role, String>,
    /// Background documents: path and text.
    pub context: Vec<(String, String)>,
}

/// A run that this process holds and can drive.
pub struct OpenRun {
    pub(crate) book: Book,
    pub(crate) world: Arc<World>,
    /// Effects that were decided and not yet done.
    pub(crate) owed: Vec<Effect>,
    /// Records that no observer has seen yet.
    pub(crate) unseen: Vec<Record>,
    notes: Vec<String>,
    past: Vec<Record>,
}

impl OpenRun {
    /// Starts a run. Programs and scripts are looked for first: a loop that cannot run leaves nothing behind.
    pub fn start(project: &Project, clock: &dyn Clock, new: NewRun) -> Result<OpenRun, EngineError> {
        let bound = agents::bind(project, &new.spec)?;
        workspace(project, &new.spec)?;
        for criterion in &new.spec.criteria {
            for check in &criterion.verify {
                usable(&check.kind).map_err(|(field, problem)| {
                    EngineError::Configuration(format!("criterion `{}`: `verify.{field}` {problem}", criterion.id))
                })?;
            }
        }
        let contract_sha256 = canonical_sha256(&new.spec)
            .map_err(|e| EngineError::Configuration(format!("the loop has no canonical form: {e}")))?;
        let spec = Arc::new(new.spec);
        let started = |context| {
            Input::Start(Box::new(RunStarted {
                contract_sha256,
                spec: Arc::clone(&spec),
                confirmed: new.confirmed.clone(),
                context,
                engine: ENGINE.to_owned(),
            }))
        };
        // Refused loops must not leave objects behind either.
        decide(None, started(Vec::new())).map_err(EngineError::BadLoop)?;
        for text in new.templates.values() {
            objects::put(&project.places, text.as_bytes(), Durability::Synced)?;
        }
        let mut context = Vec::new();
        for (path, text) in &new.context {
            let sha256 = objects::put(&project.places, text.as_bytes(), Durability::Synced)?;
            context.push(ContextFile {
                path: path.clone(),
                sha256,
            });
        }
        let decision = decide(None, started(context)).map_err(EngineError::BadLoop)?;
        let (book, unseen) = Book::begin(project, clock, &new.alias, &decision.events)?;
        let background = new
            .context
            .into_iter()
            .map(|(path, text)| ContextText { path, text })
            .collect();
        let world = world(project, &book, bound, new.templates, background)?;
        Ok(OpenRun {
            book,
            world: Arc::new(world),
            owed: decision.effects,
            unseen,
            notes: Vec::new(),
            past: Vec::new(),
        })
    }

    /// Takes up a run that was interrupted: what was recorded stays, what was in flight runs again.
    pub fn resume(project: &Project, clock: &dyn Clock, alias: &Alias) -> Result<OpenRun, EngineError> {
        let (mut book, past, mut unseen) = Book::open(project, clock, alias)?;
        if !book.run.is_running() {
            // A process that died at the very end may have left views that say otherwise.
            book.restore_artifact(&past)?;
            book.leave()?;
            return Err(ended(&book));
        }
        // Whoever asked for a stop asked the process that held the run before.
        files::clear_stop_request(&project.places, alias)?;
        let bound = agents::bind(project, &book.run.spec)?;
        let get = |sha256| -> Result<String, EngineError> {
            let bytes = objects::get(&project.places, sha256, TEXT_BYTES_MAX)?;
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        };
        let templates = book
            .run
            .spec
            .prompts
            .iter()
            .map(|(role, t)| Ok((*role, get(&t.sha256)?)));
        let templates = templates.collect::<Result<BTreeMap<_, _>, EngineError>>()?;
        let context = context_files(&past);
        let context = context.iter().map(|c| {
            Ok(ContextText {
                path: c.path.clone(),
                text: get(&c.sha256)?,
            })
        });
        let context = context.collect::<Result<Vec<_>, EngineError>>()?;
        let mut notes = Vec::new();
        if let Some(kept) = book.restore_artifact(&past)? {
            let path = project.artifact_path(alias);
            notes.push(format!(
                "`{path}` was changed outside the run; it is put back, and what lay there is kept as object {kept}"
            ));
        }
        let by = project.user.clone();
        let settled = book.settle(
            clock,
            Input::Resume {
                by,
                engine: ENGINE.to_owned(),
            },
        )?;
        unseen.extend(settled.records);
        let world = world(project, &book, bound, templates, context)?;
        Ok(OpenRun {
            book,
            world: Arc::new(world),
            owed: settled.effects,
            unseen,
            notes,
            past,
        })
    }

    pub fn run(&self) -> &Run {
        &self.book.run
    }

    pub fn run_id(&self) -> &RunId {
        &self.book.run_id
    }

    pub fn facts(&self) -> RunFacts {
        self.book.facts()
    }

    /// What was recorded before this process took the run up; given once.
    pub fn take_past(&mut self) -> Vec<Record> {
        std::mem::take(&mut self.past)
    }

    /// What was put right while opening, for a person to read.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

/// Stops a run that no process is working on.
pub fn stop_idle(
    project: &Project,
    clock: &dyn Clock,
    alias: &Alias,
    reason: Option<String>,
) -> Result<RunFacts, EngineError> {
    let (mut book, ..) = Book::open(project, clock, alias)?;
    if !book.run.is_running() {
        return Err(ended(&book));
    }
    let by = project.user.clone();
    book.settle(clock, Input::Stop { reason, by })?;
    book.leave()?;
    Ok(book.facts())
}

/// A run whose views were written anew.
#[derive(Debug)]
pub struct Rebuilt {
    pub facts: RunFacts,
    /// An artifact that lay there and was not the recorded one, kept as this object.
    pub edited: Option<Digest>,
}

/// Rebuilds the views of a run from its ledger, and records `event` if there is one to record.
pub fn rebuild(
    project: &Project,
    clock: &dyn Clock,
    alias: &Alias,
    event: Option<Event>,
) -> Result<Rebuilt, EngineError> {
    let (mut book, past, _) = Book::open(project, clock, alias)?;
    if let Some(event) = event {
        book.note(clock, event)?;
    }
    let edited = book.restore_artifact(&past)?;
    book.rewrite()?;
    Ok(Rebuilt {
        facts: book.facts(),
        edited,
    })
}

fn ended(book: &Book) -> EngineError {
    EngineError::Ended {
        alias: book.alias.clone(),
        status: book.run.status,
        last_error: book
            .run
            .failure
            .as_ref()
            .and(book.run.last_error.as_ref())
            .map(ToString::to_string),
    }
}

/// The background documents a run was started with.
fn context_files(past: &[Record]) -> Vec<ContextFile> {
    match past.first().map(|record| &record.stamped.event) {
        Some(Event::RunStarted(start)) => start.context.clone(),
        Some(_) | None => Vec::new(),
    }
}

/// Whether a check of the contract can decide anything about a single document.
fn usable(kind: &CheckKind) -> Result<(), (&'static str, String)> {
    match kind {
        CheckKind::Executable { .. } | CheckKind::Content { .. } => onus_checks::runnable(kind),
        CheckKind::Pattern(_) | CheckKind::Marker(_) | CheckKind::Artifact(_) | CheckKind::Links(_) => Ok(()),
        CheckKind::Schema(_)
        | CheckKind::Openapi(_)
        | CheckKind::Tests(_)
        | CheckKind::Lint(_)
        | CheckKind::Coverage(_)
        | CheckKind::Metric(_)
        | CheckKind::Diff(_)
        | CheckKind::Expr(_)
        | CheckKind::Human(_) => Err((
            "type",
            format!(
                "`{}` needs a tree of files: `onus check` has one, a loop around one document has not",
                kind.name()
            ),
        )),
    }
}

/// Where the agents work, as it really is called.
fn workspace(project: &Project, spec: &LoopSpec) -> Result<PathBuf, EngineError> {
    let path = project.dir.join(&spec.workspace);
    let unusable =
        |error| EngineError::Configuration(format!("workspace `{}` cannot be used: {error}", path.display()));
    let found = path.canonicalize().map_err(unusable)?;
    if !found.is_dir() {
        return Err(unusable(std::io::ErrorKind::NotADirectory.into()));
    }
    Ok(found)
}

fn world(
    project: &Project,
    book: &Book,
    bound: BTreeMap<Role, crate::world::BoundAgent>,
    templates: BTreeMap<Role, String>,
    context: Vec<ContextText>,
) -> Result<World, EngineError> {
    let spec = &book.run.spec;
    let scratch = project.places.onus().join("work").join(book.alias.as_str());
    let unusable = |source| EngineError::Storage {
        attempt: "make the directory",
        path: scratch.clone(),
        source,
    };
    // The run is held, so whatever lies here was left behind by a process that died.
    Scratch::sweep(&scratch).map_err(unusable)?;
    std::fs::create_dir_all(&scratch).map_err(unusable)?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Ok(World {
        run_id: book.run_id.clone(),
        alias: book.alias.clone(),
        places: project.places.clone(),
        workspace: workspace(project, spec)?,
        scratch,
        path: project.path_variable().to_owned(),
        agents: bound,
        templates,
        context,
        check_timeout: Duration::from_secs(spec.limits.check_timeout_seconds),
        output_bytes_max: spec.limits.output_bytes_max,
        frozen_files: spec.frozen_files.clone(),
        check_turns: Semaphore::new(cores),
    })
}
