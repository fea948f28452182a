//! Doing one step: ask the agent, read its answer, verify what can be verified. What the result means is decided elsewhere.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use onus_checks as checks;
use onus_ledger::{Durability, LedgerError, objects};
use onus_machine::Run;
use onus_model::{
    ArtifactForm, ArtifactRef, Criterion, CriterionId, Digest, FileEdit, PrepareAnswer, Role, Step, StepError,
    StepOutput, StepTask,
};
use onus_runners::{AgentFailure, AgentReply, AgentRequest, FailureCause, Scratch};
use onus_spec::prompts;
use serde::de::DeserializeOwned;
use tokio_util::sync::CancellationToken;

use crate::ask::{Shown, Telling, context};
use crate::world::{BoundAgent, World};
use crate::{EngineError, area, checking, frozen};

/// How much of an agent's last words a record keeps; the transcript has all of it.
const TAIL_BYTES_MAX: usize = 2000;

/// Why a step has no result: the agent gave none, or the engine's own files failed, which is nobody's fault and ends
/// nothing but this process.
#[derive(Debug)]
pub(crate) enum Trouble {
    Step(StepError),
    Engine(EngineError),
}

impl From<StepError> for Trouble {
    fn from(error: StepError) -> Trouble {
        Trouble::Step(error)
    }
}

impl From<EngineError> for Trouble {
    fn from(error: EngineError) -> Trouble {
        Trouble::Engine(error)
    }
}

impl From<LedgerError> for Trouble {
    fn from(error: LedgerError) -> Trouble {
        Trouble::Engine(error.into())
    }
}

/// One step to do, with what the machine knew when it asked.
pub(crate) struct Job {
    pub(crate) world: Arc<World>,
    pub(crate) run: Arc<Run>,
    pub(crate) task: StepTask,
    /// The last events in words, for the planner.
    pub(crate) recent: Vec<String>,
    /// Why the try before this one was not usable.
    pub(crate) previous_error: Option<String>,
    pub(crate) cancel: CancellationToken,
}

/// A usable result, and the agent's own words if they were kept.
pub(crate) struct Performed {
    pub(crate) output: StepOutput,
    pub(crate) transcript: Option<Digest>,
    /// What was not allowed to stay as the agent left it.
    pub(crate) edits: Vec<FileEdit>,
}

/// One call of one agent: who plays which role, and what it is told beside what everybody is.
pub(crate) struct Call<'a> {
    pub(crate) role: Role,
    pub(crate) bound: &'a BoundAgent,
    pub(crate) rules: &'a [&'a Criterion],
    pub(crate) shown: Option<&'a Shown>,
}

impl Job {
    pub(crate) async fn perform(self) -> Result<Performed, Trouble> {
        let job = Arc::new(self);
        job.step().await
    }

    async fn step(self: &Arc<Self>) -> Result<Performed, Trouble> {
        match self.task.step {
            Step::Plan => self.plan().await,
            Step::Produce | Step::Refine if self.world.form == ArtifactForm::Tree => self.write_tree().await,
            Step::Produce | Step::Refine => self.write().await,
            Step::Prepare => self.prepare().await,
            Step::Evaluate => self.evaluate().await,
            Step::Critique => self.critique().await,
        }
    }

    async fn plan(&self) -> Result<Performed, Trouble> {
        let active: Vec<&Criterion> = self.run.spec.active(&self.run.level).collect();
        let reply = self.ask_own(&active, None).await?;
        let plan = self.read(&reply, |answer| checks::plan(answer, &self.run.spec.limits))?;
        Ok(self.performed(StepOutput::Plan(plan), &reply))
    }

    /// PRODUCE and REFINE: the answer is the artifact itself.
    async fn write(&self) -> Result<Performed, Trouble> {
        let before = self.artifact()?;
        let reply = self.ask_own(&[], before.clone()).await?;
        let bytes = match (&reply.artifact, &before) {
            (Some(bytes), _) => bytes.clone(),
            (None, _) if !reply.stdout.bytes.trim_ascii().is_empty() => reply.stdout.bytes.clone(),
            // A producer that starts from the refined artifact may find nothing left to do; a first producer or a
            // refiner that gives nothing has not answered.
            (None, Some(before)) if self.task.step == Step::Produce => before.as_bytes().to_vec(),
            (None, _) => {
                let message = "the agent wrote no artifact: its file is untouched and its output is empty";
                return Err(self.bad_reply("empty_artifact", message.to_owned(), &reply).into());
            }
        };
        let (size, max) = (bytes.len() as u64, self.run.spec.limits.artifact_bytes_max);
        if size > max {
            return Err(self
                .bad_reply(
                    "output_limit",
                    format!("the artifact has {size} bytes, the limit is {max}"),
                    &reply,
                )
                .into());
        }
        let text = checks::artifact_text(&bytes).map_err(|error| self.unreadable(&error, &reply))?;
        let artifact = ArtifactRef {
            artifact_sha256: objects::put(self.world.places(), &bytes, Durability::Synced)?,
            bytes: size,
            changed: checks::changes(before.as_deref(), &text),
        };
        Ok(self.performed(StepOutput::Artifact(artifact), &reply))
    }

    /// PRODUCE and REFINE of a tree: the answer is what the files of the area are afterwards.
    async fn write_tree(&self) -> Result<Performed, Trouble> {
        let (world, places) = (&self.world, self.world.places());
        let before = match &self.run.artifact {
            Some(artifact) => area::load(places, &artifact.artifact_sha256)?,
            None => world.base.clone(),
        };
        // Whatever an interrupted step or anybody else left there is not what this step begins from.
        let found = world.area.settle(places, &before)?;
        let mut edits: Vec<FileEdit> = found.into_iter().filter(|_| self.task.attempt == 1).collect();
        let reply = self.ask_own(&[], None).await?;
        let taken = match world.area.take(places, &world.base) {
            Ok(taken) => taken,
            // Too much, too deep, unreadable: no fault of the contract.
            Err(EngineError::Configuration(why)) => return Err(self.bad_reply("invalid_answer", why, &reply).into()),
            Err(error) => return Err(error.into()),
        };
        edits.extend(taken.refused);
        if self.task.step == Step::Refine && taken.snapshot.files == before.files {
            let message = "the agent changed no file that counts; what it says about its work is not looked at";
            return Err(self.bad_reply("empty_artifact", message.to_owned(), &reply).into());
        }
        let artifact = area::record(places, &taken.snapshot, &before)?;
        Ok(Performed {
            edits,
            ..self.performed(StepOutput::Artifact(artifact), &reply)
        })
    }

    async fn prepare(&self) -> Result<Performed, Trouble> {
        // What the contract already decides needs no check from an agent.
        let open: Vec<&Criterion> = self
            .run
            .spec
            .active(&self.run.level)
            .filter(|c| c.verify.is_empty())
            .collect();
        if open.is_empty() || !self.world.agents.contains_key(&self.task.step.role()) {
            return Ok(Performed {
                output: StepOutput::Checks(Vec::new()),
                transcript: None,
                edits: Vec::new(),
            });
        }
        let reply = self.ask_own(&open, None).await?;
        let ids: Vec<CriterionId> = open.iter().map(|c| c.id.clone()).collect();
        let prepared = self.read(&reply, |answer: PrepareAnswer| checks::prepared(answer, &ids))?;
        let proven = checking::prove(&self.desk(), prepared).await;
        self.not_cancelled()?;
        Ok(self.performed(StepOutput::Checks(proven), &reply))
    }

    async fn critique(&self) -> Result<Performed, Trouble> {
        let reply = self.ask_own(&[], self.artifact()?).await?;
        let failing: Vec<CriterionId> = self
            .run
            .evaluation
            .iter()
            .flat_map(|card| card.failing_ids())
            .cloned()
            .collect();
        let max = self.run.spec.limits.critique_issues_max;
        let issues = self.read(&reply, |answer| checks::critique(answer, &failing, max))?;
        Ok(self.performed(StepOutput::Critique(issues), &reply))
    }

    /// Asks the agent bound to this step.
    async fn ask_own(&self, rules: &[&Criterion], artifact: Option<String>) -> Result<AgentReply, Trouble> {
        let role = self.task.step.role();
        let Some(bound) = self.world.agents.get(&role) else {
            return Err(self
                .error("spawn", format!("no agent is bound to role `{role}`"))
                .into());
        };
        let shown = artifact.map(Shown::Document);
        let call = Call {
            role,
            bound,
            rules,
            shown: shown.as_ref(),
        };
        self.ask(call).await
    }

    pub(crate) async fn ask(&self, call: Call<'_>) -> Result<AgentReply, Trouble> {
        let (world, run, step) = (&self.world, &self.run, self.task.step);
        self.not_replaced(call.bound)?;
        let Some(template) = world.templates.get(&call.role) else {
            return Err(self
                .error("spawn", format!("role `{}` has no prompt", call.role))
                .into());
        };
        let fence = fence().map_err(|message| self.error("io", message))?;
        let input = context(
            run,
            world,
            &Telling {
                step,
                rules: call.rules,
                shown: call.shown,
                recent: &self.recent,
                fence: &fence,
                previous_error: self.previous_error.as_deref(),
            },
        );
        let prompt = prompts::render(template, &input).map_err(|error| self.error("io", chain(&error)))?;
        let unusable = |source| storage("make a directory in", world.tools.scratch.clone(), source);
        let scratch = Scratch::create(&world.tools.scratch).map_err(unusable)?;
        let tree = world.form == ArtifactForm::Tree;
        // A judge of a tree sees what it is shown and nothing else.
        let workspace = if tree && step == Step::Evaluate {
            let empty = scratch.path().join("work");
            std::fs::create_dir(&empty).map_err(unusable)?;
            empty
        } else {
            world.area.dir.clone()
        };
        let request = AgentRequest {
            role: call.role,
            step,
            run_id: world.run_id.clone(),
            alias: world.alias.clone(),
            iteration: Some(run.iteration),
            level: run.level.clone(),
            attempt: self.task.attempt,
            prompt,
            input,
            workspace,
            scratch: scratch.path().to_owned(),
            artifact_name: onus_ledger::ARTIFACT_FILE.to_owned(),
            tree,
            base_artifact: match call.shown {
                Some(Shown::Document(text)) => Some(text.as_bytes().to_vec()),
                Some(Shown::Files(_)) | None => None,
            },
            artifact_writable: matches!(step, Step::Produce | Step::Refine),
            timeout: call.bound.timeout,
            output_bytes_max: world.tools.output_bytes_max,
            artifact_bytes_max: run.spec.limits.artifact_bytes_max,
        };
        call.bound
            .agent
            .call(&request, &self.cancel)
            .await
            .map_err(|failure| self.failed(failure))
    }

    /// An agent that may write the workspace must not be able to put another one in a judge's place.
    fn not_replaced(&self, bound: &BoundAgent) -> Result<(), Trouble> {
        let mut files = bound.files.iter();
        let Some((path, _)) = files.find(|(path, then)| frozen::digest(path) != Some(*then)) else {
            return Ok(());
        };
        let path = path.strip_prefix(&self.world.project).unwrap_or(path).display();
        let message = format!(
            "`{path}`, which agent `{}` runs, was changed during the run; put it back, or name it in `protected`",
            bound.name
        );
        Err(self.error("spawn", message).into())
    }

    /// The run's artifact, from the store: what is on disk beside the ledger is only a copy.
    pub(crate) fn artifact(&self) -> Result<Option<String>, Trouble> {
        let Some(artifact) = self
            .run
            .artifact
            .as_ref()
            .filter(|_| self.world.form == ArtifactForm::File)
        else {
            return Ok(None);
        };
        let bytes = objects::get(
            self.world.places(),
            &artifact.artifact_sha256,
            self.run.spec.limits.artifact_bytes_max,
        )?;
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Reads a JSON answer and holds it against what was asked.
    pub(crate) fn read<T: DeserializeOwned, U>(
        &self,
        reply: &AgentReply,
        check: impl FnOnce(T) -> Result<U, checks::AnswerError>,
    ) -> Result<U, StepError> {
        checks::read_json_answer(reply.response.as_deref(), &reply.stdout.bytes)
            .and_then(check)
            .map_err(|error| self.unreadable(&error, reply))
    }

    fn performed(&self, output: StepOutput, reply: &AgentReply) -> Performed {
        Performed {
            output,
            transcript: self.transcript(&spoken(reply), &reply.stderr.bytes),
            edits: Vec::new(),
        }
    }

    /// Keeps what an agent said. Nothing is decided from it, so losing it to a power cut or a full disk loses no truth.
    pub(crate) fn transcript(&self, stdout: &[u8], stderr: &[u8]) -> Option<Digest> {
        let all = match (stdout, stderr) {
            ([], []) => return None,
            (stdout, []) => stdout.to_vec(),
            (stdout, stderr) => [stdout, b"\n--- stderr ---\n", stderr].concat(),
        };
        objects::put(self.world.places(), &all, Durability::Relaxed).ok()
    }

    pub(crate) fn not_cancelled(&self) -> Result<(), StepError> {
        if self.cancel.is_cancelled() {
            return Err(self.error("cancelled", "the run was interrupted".to_owned()));
        }
        Ok(())
    }

    pub(crate) fn error(&self, kind: &str, message: String) -> StepError {
        StepError {
            failed_step: self.task.step,
            kind: kind.to_owned(),
            message,
            tail: String::new(),
            transcript: None,
        }
    }

    fn unreadable(&self, error: &checks::AnswerError, reply: &AgentReply) -> StepError {
        let kind = if matches!(error, checks::AnswerError::EmptyArtifact) {
            "empty_artifact"
        } else {
            "invalid_answer"
        };
        self.bad_reply(kind, chain(error), reply)
    }

    fn bad_reply(&self, kind: &str, message: String, reply: &AgentReply) -> StepError {
        let said = if reply.stderr.bytes.is_empty() {
            &reply.stdout
        } else {
            &reply.stderr
        };
        StepError {
            tail: said.tail(TAIL_BYTES_MAX),
            transcript: self.transcript(&spoken(reply), &reply.stderr.bytes),
            ..self.error(kind, message)
        }
    }

    /// An agent that did not answer; files of the engine's own that failed are not the agent's doing.
    fn failed(&self, failure: AgentFailure) -> Trouble {
        if let FailureCause::Io { attempt, path, source } = failure.cause {
            return storage(attempt, path, source);
        }
        Trouble::Step(StepError {
            tail: failure.tail(TAIL_BYTES_MAX),
            transcript: self.transcript(&failure.stdout.bytes, &failure.stderr.bytes),
            ..self.error(failure.kind(), chain(&failure))
        })
    }
}

fn storage(attempt: &'static str, path: PathBuf, source: io::Error) -> Trouble {
    Trouble::Engine(EngineError::Storage { attempt, path, source })
}

/// Everything an agent answered: what it wrote to its response file, then what it printed.
pub(crate) fn spoken(reply: &AgentReply) -> Vec<u8> {
    match &reply.response {
        Some(response) if reply.stdout.bytes.is_empty() => response.clone(),
        Some(response) => [response.as_slice(), b"\n--- stdout ---\n", &reply.stdout.bytes].concat(),
        None => reply.stdout.bytes.clone(),
    }
}

/// An error with its causes, on one line.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

/// 128 random bits: an artifact cannot contain a marker it has never seen.
fn fence() -> Result<String, String> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| format!("cannot get random bytes: {error}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
