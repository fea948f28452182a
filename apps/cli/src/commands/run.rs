//! `onus run`: start a loop for a task and drive it to its end.

use std::path::{Path, PathBuf};

use onus_engine::load::{Loaded, read_text};
use onus_engine::{OpenRun, preflight};
use onus_model::{Alias, ExitCode};
use onus_spec::Overrides;

use tokio_util::sync::CancellationToken;

use crate::cli::RunArgs;
use crate::commands::driving::drive;
use crate::fault::Fault;
use crate::problems::load_fault;
use crate::setup::confirm;
use crate::surroundings::{Surroundings, loop_file_of};

/// The longest task. More than this is material, and belongs into the workspace.
const PROMPT_BYTES_MAX: usize = 1 << 20;

pub(crate) fn run(around: &Surroundings, args: &RunArgs) -> Result<ExitCode, Fault> {
    let (dir, loop_file) = place(around, args.file.as_deref())?;
    let mut overrides = overrides(around, args)?;
    let style = around.terminal.style;
    let loaded = Loaded::read(&dir, loop_file.as_deref(), &overrides).map_err(|error| load_fault(error, style))?;
    let confirmed = confirm(around, &loaded, &mut overrides, args)?;
    let project = around.project_at(&dir, &confirmed.draft.root)?;
    let alias = args
        .alias
        .clone()
        .unwrap_or_else(|| free_alias(&project, &confirmed.draft.prompt));
    let mut new = loaded
        .new_run(&confirmed.draft, alias, confirmed.confirmations)
        .map_err(|error| load_fault(error, style))?;
    let open = async |left: CancellationToken| {
        preflight(&project, &mut new, &left).await?;
        Ok(OpenRun::start(&project, &around.clock, new)?)
    };
    drive(around, &project, open, args.output, args.save_as.as_deref())
}

/// The project's directory and its loop file. A loop file that is named marks its project.
fn place(around: &Surroundings, file: Option<&Path>) -> Result<(PathBuf, Option<PathBuf>), Fault> {
    let Some(file) = file else {
        let dir = around.project_dir();
        let loop_file = loop_file_of(&dir);
        return Ok((dir, loop_file));
    };
    let full = around.resolve(file);
    let found = full
        .canonicalize()
        .map_err(|error| Fault::configuration(format!("cannot read loop file `{}`", file.display())).because(&error))?;
    let dir = found.parent().map(Path::to_owned).unwrap_or_default();
    Ok((dir, Some(found)))
}

fn overrides(around: &Surroundings, args: &RunArgs) -> Result<Overrides, Fault> {
    let prompt = match &args.task_file {
        Some(path) => Some(read_text(&around.resolve(path)).map_err(|error| {
            load_fault(error, around.terminal.style)
                .hint("a task has at most 1 MiB; put longer material into the workspace and name it in the task")
        })?),
        None if args.task.is_empty() => None,
        None => Some(args.task.join(" ")),
    };
    if prompt.as_ref().is_some_and(|text| text.len() > PROMPT_BYTES_MAX) {
        return Err(Fault::usage(format!("the task has more than {PROMPT_BYTES_MAX} bytes"))
            .hint("put the material into a file in the workspace and name it in the task"));
    }
    let agent = match &args.agent {
        None => None,
        Some(line) => Some(
            shell_words::split(line)
                .ok()
                .filter(|words| !words.is_empty())
                .ok_or_else(|| Fault::usage(format!("`--agent {line}` is not a command line")))?,
        ),
    };
    Ok(Overrides {
        prompt,
        ideal_result: args.ideal.clone(),
        task_type: args.task_type,
        max_iterations: args.max_iterations,
        max_completed_step_seconds: args.max_completed_step_seconds,
        thresholds: args.threshold.iter().cloned().collect(),
        agent,
        ..Overrides::default()
    })
}

/// An alias made from the task; with a number behind it where the plain one is taken.
fn free_alias(project: &onus_engine::Project, prompt: &str) -> Alias {
    let base = Alias::from_prompt(prompt);
    let taken = |alias: &Alias| project.places.history(alias).exists();
    if !taken(&base) {
        return base;
    }
    let numbered = (2..10_000).filter_map(|n| Alias::new(format!("{base}-{n}")).ok());
    numbered.into_iter().find(|alias| !taken(alias)).unwrap_or(base)
}
