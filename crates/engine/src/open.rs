//! Starting a run and taking one up again.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use onus_ledger::{Durability, files, objects};
use onus_machine::{Run, decide};
use onus_model::{
    Alias, ArtifactForm, Baseline, CheckKind, Confirmations, ContextFile, Digest, Effect, Event, GitUse, Input,
    JudgeControl, LoopSpec, Record, Role, RunId, RunStarted, Snapshot, Stamped, canonical_sha256,
};
use onus_runners::Scratch;
use onus_views::RunFacts;
use tokio::sync::Semaphore;

use crate::area::{self, Area};
use crate::book::Book;
use crate::branch::Branch;
use crate::inspect::PassedTests;
use crate::world::{ContextText, Tools, World};
use crate::{Clock, ENGINE, EngineError, Project, agents, preflight, sources};

/// More calls at once run into the rate limits of those who answer them.
const JUDGES_AT_ONCE: usize = 4;

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
    /// Bad examples for judges, as hashed in the contract.
    pub twins: BTreeMap<String, String>,
    /// Files that the contract was read from.
    pub sources: Vec<ContextFile>,
    /// How things stood before; a loop around a tree needs it.
    pub baseline: Option<Baseline>,
}

/// A run that this process holds and can drive.
pub struct OpenRun {
    pub(crate) book: Book,
    pub(crate) world: Arc<World>,
    pub(crate) branch: Option<Branch>,
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
        let (bound, _) = ready(project, &new.spec)?;
        let contract_sha256 = canonical_sha256(&new.spec)
            .map_err(|e| EngineError::Configuration(format!("the loop has no canonical form: {e}")))?;
        let spec = Arc::new(new.spec);
        let started = |context| {
            Input::Start(Box::new(RunStarted {
                contract_sha256,
                spec: Arc::clone(&spec),
                confirmed: new.confirmed.clone(),
                context,
                sources: new.sources.clone(),
                baseline: new.baseline.clone().map(Box::new),
                engine: ENGINE.to_owned(),
            }))
        };
        // Refused loops must not leave objects behind either.
        decide(None, started(Vec::new())).map_err(EngineError::BadLoop)?;
        if spec.artifact == ArtifactForm::Tree && new.baseline.is_none() {
            return Err(EngineError::Internal(
                "a loop around a tree starts without its baseline".to_owned(),
            ));
        }
        for text in new.templates.values().chain(new.twins.values()) {
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
        let given = Given {
            templates: new.templates,
            context: background,
            twins: new.twins,
            sources: new.sources,
            baseline: new.baseline,
        };
        let branch = open_branch(project, &book)?;
        let world = world(project, &book, bound, given, branch.as_ref())?;
        Ok(OpenRun {
            book,
            world: Arc::new(world),
            branch,
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
        let Some(Event::RunStarted(start)) = past.first().map(|record| &record.stamped.event) else {
            return Err(EngineError::Integrity(format!(
                "the history of run `{alias}` does not begin with a start"
            )));
        };
        let twins = book
            .run
            .spec
            .judging
            .controls
            .iter()
            .filter_map(|control| match control {
                JudgeControl::Twin { path, sha256 } => Some((path, sha256)),
                JudgeControl::Empty | JudgeControl::Hollow => None,
            });
        let twins = twins.map(|(path, sha256)| Ok((path.clone(), get(sha256)?)));
        let twins = twins.collect::<Result<BTreeMap<_, _>, EngineError>>()?;
        let context = start.context.iter().map(|c| {
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
        let given = Given {
            templates,
            context,
            twins,
            sources: start.sources.clone(),
            baseline: start.baseline.as_deref().cloned(),
        };
        let by = project.user.clone();
        let settled = book.settle(
            clock,
            Input::Resume {
                by,
                engine: ENGINE.to_owned(),
                edits: sources::changed(&project.dir, &given.sources),
            },
        )?;
        unseen.extend(settled.records);
        let branch = open_branch(project, &book)?;
        let world = world(project, &book, bound, given, branch.as_ref())?;
        let open = OpenRun {
            book,
            world: Arc::new(world),
            branch,
            owed: settled.effects,
            unseen,
            notes,
            past,
        };
        open.commit()?;
        Ok(open)
    }

    /// What recorded events mean for the files: an artifact that was taken up again lies in the area, and every artifact is on
    /// the run's branch, where it has one.
    pub(crate) fn lay_down(&self, events: &[Stamped]) -> Result<(), EngineError> {
        let restored = events.iter().any(|s| matches!(s.event, Event::ArtifactRestored { .. }));
        let written = |s: &Stamped| matches!(s.event, Event::ArtifactCreated { .. } | Event::RefinementDone { .. });
        let artifact = self
            .book
            .run
            .artifact
            .as_ref()
            .filter(|_| self.world.form == ArtifactForm::Tree);
        let Some(artifact) = artifact.filter(|_| restored || events.iter().any(written)) else {
            return Ok(());
        };
        if restored {
            let snapshot = area::load(self.world.places(), &artifact.artifact_sha256)?;
            self.world.area.settle(self.world.places(), &snapshot)?;
        }
        self.commit()
    }

    /// The artifact is what the run's branch ends in. A process that died may not have come to it.
    fn commit(&self) -> Result<(), EngineError> {
        let (Some(branch), Some(artifact)) = (&self.branch, &self.book.run.artifact) else {
            return Ok(());
        };
        let snapshot = area::load(self.world.places(), &artifact.artifact_sha256)?;
        let (alias, iteration) = (&self.book.alias, self.book.run.iteration);
        branch.commit(
            self.world.places(),
            &snapshot,
            &format!("onus {alias}: iteration {iteration}"),
        )
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

/// The run's own branch, where the loop has one.
fn open_branch(project: &Project, book: &Book) -> Result<Option<Branch>, EngineError> {
    let spec = &book.run.spec;
    match spec.git {
        GitUse::Off => Ok(None),
        GitUse::Worktree => {
            let branch = Branch::of(&workspace(project, spec)?, &project.places, &book.alias);
            branch.open()?;
            Ok(Some(branch))
        }
    }
}

/// The agents and the workspace of a loop, if all it names is there and its checks fit what it makes.
pub(crate) fn ready(project: &Project, spec: &LoopSpec) -> Result<(agents::Bound, PathBuf), EngineError> {
    let bound = agents::bind(project, spec)?;
    let workspace = workspace(project, spec)?;
    for criterion in &spec.criteria {
        for check in &criterion.verify {
            usable(&check.kind, spec.artifact).map_err(|(field, problem)| {
                EngineError::Configuration(format!("criterion `{}`: `verify.{field}` {problem}", criterion.id))
            })?;
        }
    }
    Ok((bound, workspace))
}

/// Whether a check of the contract can decide anything about what the loop makes.
fn usable(kind: &CheckKind, form: ArtifactForm) -> Result<(), (&'static str, String)> {
    match (kind, form) {
        (CheckKind::Executable { .. }, _) => onus_checks::runnable(kind),
        (CheckKind::Content { .. }, ArtifactForm::File) => onus_checks::runnable(kind),
        (CheckKind::Content { .. }, ArtifactForm::Tree) => Err((
            "type",
            "`content` looks at one document; use `pattern` for a tree".to_owned(),
        )),
        (CheckKind::Human(_), _) => Err((
            "type",
            "`human` waits for a person, and a loop cannot ask one yet; leave it to `onus check`".to_owned(),
        )),
        (
            CheckKind::Pattern(_)
            | CheckKind::Marker(_)
            | CheckKind::Artifact(_)
            | CheckKind::Links(_)
            | CheckKind::Intent(_),
            _,
        ) => Ok(()),
        (_, ArtifactForm::Tree) => Ok(()),
        (
            CheckKind::Schema(_)
            | CheckKind::Openapi(_)
            | CheckKind::Tests(_)
            | CheckKind::Lint(_)
            | CheckKind::Coverage(_)
            | CheckKind::Metric(_)
            | CheckKind::Diff(_)
            | CheckKind::Expr(_),
            ArtifactForm::File,
        ) => Err((
            "type",
            format!(
                "`{}` needs a tree of files: `artifact = \"tree\"` makes the loop work on one",
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

/// What a run was given beside its contract.
struct Given {
    templates: BTreeMap<Role, String>,
    context: Vec<ContextText>,
    twins: BTreeMap<String, String>,
    sources: Vec<ContextFile>,
    baseline: Option<Baseline>,
}

fn world(
    project: &Project,
    book: &Book,
    bound: agents::Bound,
    given: Given,
    branch: Option<&Branch>,
) -> Result<World, EngineError> {
    let spec = &book.run.spec;
    let scratch = project.work().join(book.alias.as_str());
    let unusable = |source| EngineError::Storage {
        attempt: "make the directory",
        path: scratch.clone(),
        source,
    };
    // The run is held, so whatever lies here was left behind by a process that died.
    Scratch::sweep(&scratch).map_err(unusable)?;
    Project::make_private(&scratch).map_err(unusable)?;
    let (base_sha256, tests_sha256) = given.baseline.map_or((None, None), |b| (b.base_sha256, b.tests_sha256));
    let base = match &base_sha256 {
        Some(sha256) => area::load(&project.places, sha256)?,
        None => Snapshot::default(),
    };
    let before = match &tests_sha256 {
        Some(sha256) => preflight::load_tests(&project.places, sha256)?,
        None => PassedTests::new(),
    };
    let area = Area {
        dir: match branch {
            Some(branch) => branch.dir.clone(),
            None => workspace(project, spec)?,
        },
        runs: preflight::runs_below(project, spec),
        protected: spec.protected.clone(),
    };
    Ok(World {
        run_id: book.run_id.clone(),
        alias: book.alias.clone(),
        tools: Arc::new(Tools::new(project, scratch, &spec.limits)),
        form: spec.artifact,
        area,
        base,
        before,
        agents: bound.roles,
        judges: bound.judges,
        judge_turns: Semaphore::new(JUDGES_AT_ONCE),
        answered: Mutex::default(),
        twins: given.twins,
        templates: given.templates,
        context: given.context,
        frozen_files: spec.frozen_files.clone(),
        sources: given.sources,
        project: project.dir.clone(),
        degraded: onus_spec::degraded(spec),
    })
}
