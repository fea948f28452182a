//! Agents of the contract, made callable. Done before a run starts, so that a missing program costs nothing.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use onus_model::{AgentSpec, CommandLine, Digest, LoopSpec, Role, RoleBinding};
use onus_runners::{Agent, CommandAgent, Script, ScriptFormat, Surroundings, find_program};

use crate::perform::chain;
use crate::world::BoundAgent;
use crate::{EngineError, Project, frozen, load};

/// The agents of a loop.
pub(crate) struct Bound {
    pub(crate) roles: BTreeMap<Role, BoundAgent>,
    pub(crate) judges: Vec<BoundAgent>,
}

/// Binds every role of the loop, and every judge, to its agent.
pub(crate) fn bind(project: &Project, spec: &LoopSpec) -> Result<Bound, EngineError> {
    let roles = spec
        .roles
        .iter()
        .map(|(role, binding)| Ok((*role, bind_one(project, spec, binding)?)));
    let judges = spec
        .judging
        .judges
        .iter()
        .map(|binding| bind_one(project, spec, binding));
    Ok(Bound {
        roles: roles.collect::<Result<_, EngineError>>()?,
        judges: judges.collect::<Result<_, EngineError>>()?,
    })
}

fn bind_one(project: &Project, spec: &LoopSpec, binding: &RoleBinding) -> Result<BoundAgent, EngineError> {
    let default = spec.limits.agent_timeout_seconds;
    let mut files = Vec::new();
    let (agent, seconds) = match &binding.spec {
        AgentSpec::Command {
            command,
            env,
            timeout_seconds,
        } => {
            let program = command.first().map(String::as_str).unwrap_or_default();
            let workspace = project.dir.join(&spec.workspace);
            find_program(program, project.path_variable(), &workspace, &project.dir).map_err(|error| {
                EngineError::Configuration(format!("agent `{}` cannot be used: {}", binding.agent, chain(&error)))
            })?;
            // A program is looked for in the project, what it is given in the workspace.
            let line = CommandLine::Argv(command.clone());
            let places = [&project.dir, &workspace];
            let named = frozen::scripts(&line).flat_map(|name| places.map(|dir| dir.join(name)));
            files.extend(named.filter_map(|path| frozen::digest(&path).map(|sha256| (path, sha256))));
            let agent = CommandAgent {
                command: command.clone(),
                env: env.clone(),
                surroundings: Surroundings {
                    env: project.env.clone(),
                    project: project.dir.clone(),
                },
            };
            (Agent::Command(agent), timeout_seconds)
        }
        AgentSpec::Scripted {
            script,
            sha256,
            timeout_seconds,
        } => {
            let (loaded, found) = load_script(&project.dir.join(script))?;
            if found != *sha256 {
                return Err(EngineError::Integrity(format!(
                    "script `{script}` of agent `{}` is not the one this run was started with",
                    binding.agent
                )));
            }
            (Agent::Scripted(loaded), timeout_seconds)
        }
    };
    Ok(BoundAgent {
        name: binding.agent.clone(),
        agent,
        timeout: Duration::from_secs(seconds.unwrap_or(default)),
        files,
    })
}

/// A script, and the digest of [`script_bundle`].
fn load_script(path: &Path) -> Result<(Script, Digest), EngineError> {
    let (script, bundle) = read_script(path)?;
    Ok((script, Digest::of(bundle.as_bytes())))
}

/// The text a script is frozen by: the digests of the script and of every file it uses.
pub(crate) fn script_bundle(path: &Path) -> Result<String, EngineError> {
    read_script(path).map(|(_, bundle)| bundle)
}

fn read_script(path: &Path) -> Result<(Script, String), EngineError> {
    let wrong = |what: String| EngineError::Configuration(format!("script `{}`: {what}", path.display()));
    let text = load::read_text(path).map_err(|error| wrong(chain(&error)))?;
    let dir = path.parent().unwrap_or(Path::new("."));
    let script = Script::parse(&text, dir, ScriptFormat::of(path)).map_err(|error| wrong(chain(&error)))?;
    let mut bundle = format!("script {}\n", Digest::of(text.as_bytes()));
    for file in script.files() {
        bundle.push_str(&format!("file {:?} {}\n", file.name, Digest::of(&file.bytes)));
    }
    Ok((script, bundle))
}
