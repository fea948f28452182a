//! `onus doctor`: is this machine, and this project, ready? Starts no agent and costs nothing.

use std::path::Path;

use onus_engine::Project;
use onus_engine::load::{LoadError, Loaded};
use onus_model::ExitCode;
use onus_runners::find_program;
use onus_spec::file::AgentPart;
use onus_spec::{Draft, Overrides};
use serde::Serialize;

use crate::cli::JsonArgs;
use crate::commands::print_json;
use crate::fault::Fault;
use crate::surroundings::{Surroundings, loop_file_of};
use crate::terminal::out;

#[derive(Serialize)]
struct Finding {
    what: String,
    ok: bool,
    detail: String,
}

pub(crate) fn run(around: &Surroundings, args: &JsonArgs) -> Result<ExitCode, Fault> {
    let dir = around.project_dir();
    let mut findings = vec![finding("onus", Ok(format!("version {}", env!("CARGO_PKG_VERSION"))))];
    findings.push(finding("project", Ok(dir.display().to_string())));
    match around.project() {
        Ok(project) => {
            findings.push(finding("runs", writable(project.places.root())));
            findings.push(finding("state", writable(project.places.state())));
            findings.extend(loop_findings(&project, &dir));
        }
        Err(fault) => findings.push(finding("settings", Err(fault.text().trim().to_owned()))),
    }
    let healthy = findings.iter().all(|f| f.ok);
    if args.json {
        print_json(&findings)?;
    } else {
        let style = around.terminal.style;
        for f in &findings {
            let mark = if f.ok { style.good("ok  ") } else { style.bad("FAIL") };
            out(&format!(
                "{mark} {:<10} {}\n",
                f.what,
                onus_views::for_terminal(&f.detail)
            ));
        }
    }
    Ok(if healthy {
        ExitCode::Passed
    } else {
        ExitCode::Configuration
    })
}

fn finding(what: &str, result: Result<String, String>) -> Finding {
    let ok = result.is_ok();
    Finding {
        what: what.to_owned(),
        ok,
        detail: result.unwrap_or_else(|problem| problem),
    }
}

/// Whether files can be made in a directory, or in the nearest one upwards that exists.
fn writable(dir: &Path) -> Result<String, String> {
    let existing = dir
        .ancestors()
        .find(|d| d.is_dir())
        .ok_or_else(|| format!("{} has no parent", dir.display()))?;
    rustix::fs::access(existing, rustix::fs::Access::WRITE_OK)
        .map(|()| dir.display().to_string())
        .map_err(|error| format!("{} cannot be written to: {error}", existing.display()))
}

/// The loop file and the agents it names.
fn loop_findings(project: &Project, dir: &Path) -> Vec<Finding> {
    let Some(path) = loop_file_of(dir) else {
        return vec![finding(
            "loop file",
            Ok("none; `onus preset eject reflex` writes one".to_owned()),
        )];
    };
    let overrides = Overrides::default();
    let draft = Loaded::read(dir, Some(&path), &overrides).and_then(|loaded| loaded.draft(&overrides));
    match draft {
        Err(LoadError::Problems { text, problems, .. }) => problems
            .iter()
            .map(|p| finding("loop file", Err(p.describe(&text))))
            .collect(),
        Err(error) => vec![finding("loop file", Err(error.to_string()))],
        Ok(draft) => {
            let mut findings = vec![finding("loop file", Ok(path.display().to_string()))];
            findings.extend(agents(project, &draft));
            findings
        }
    }
}

fn agents(project: &Project, draft: &Draft) -> Vec<Finding> {
    let path = project.env.get("PATH").map(String::as_str).unwrap_or_default();
    let workspace = project.dir.join(&draft.workspace);
    let look = |(role, bound): (&onus_model::Role, &onus_spec::BoundAgent)| {
        let result = match &bound.spec {
            AgentPart::Command { command, .. } => {
                let program = command.first().map(String::as_str).unwrap_or_default();
                find_program(program, path, &workspace, &project.dir)
                    .map(|found| format!("`{}`: {}", bound.agent, found.display()))
                    .map_err(|error| format!("`{}`: {error}", bound.agent))
            }
            AgentPart::Scripted { script, .. } => Ok(format!("`{}`: script {}", bound.agent, script.value)),
            AgentPart::Unreadable => Err(format!("`{}` could not be read", bound.agent)),
        };
        finding(role.name(), result)
    };
    draft.roles.iter().map(look).collect()
}
