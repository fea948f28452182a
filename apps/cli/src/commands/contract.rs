//! `onus contract`: the contract of a loop file, shown, named or examined.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use onus_engine::LOOP_FILE;
use onus_engine::load::Loaded;
use onus_model::{Digest, ExitCode, LoopSpec, TaskType, canonical_sha256};
use onus_spec::{LoopFile, Overrides, lint, lint_without_agents};

use crate::cli::{ContractCommand, ContractFileArgs};
use crate::commands::print_json;
use crate::fault::Fault;
use crate::problems::load_fault;
use crate::surroundings::Surroundings;
use crate::terminal::out;

pub(crate) fn run(around: &Surroundings, command: &ContractCommand) -> Result<ExitCode, Fault> {
    match command {
        ContractCommand::Show(args) => {
            let contract = Contract::read(around, args.file.as_deref())?;
            print_json(&*contract.spec)?;
        }
        ContractCommand::Hash(args) => {
            let contract = Contract::read(around, args.file.as_deref())?;
            match args.json {
                true => print_json(&serde_json::json!({ "contract_sha256": contract.sha256 }))?,
                false => out(&format!("{}\n", contract.sha256)),
            }
        }
        ContractCommand::Lint(args) => return examine(around, args),
    }
    Ok(ExitCode::Passed)
}

fn examine(around: &Surroundings, args: &ContractFileArgs) -> Result<ExitCode, Fault> {
    let contract = Contract::read(around, args.file.as_deref())?;
    let mut complaints = lint(&contract.spec);
    if contract.for_check_alone {
        complaints.extend(lint_without_agents(&contract.spec));
    }
    if args.json {
        let rows: Vec<_> = complaints
            .iter()
            .map(|c| serde_json::json!({ "criterion": c.criterion, "message": c.message }))
            .collect();
        print_json(&rows)?;
    } else {
        for complaint in &complaints {
            let about = complaint
                .criterion
                .as_ref()
                .map(|id| format!("{id}: "))
                .unwrap_or_default();
            out(&format!("{about}{}\n", complaint.message));
        }
        if complaints.is_empty() {
            out("nothing to complain about\n");
        }
    }
    Ok(if complaints.is_empty() {
        ExitCode::Passed
    } else {
        ExitCode::NotPassed
    })
}

/// A contract without a task around it.
pub(super) struct Contract {
    pub(super) spec: Arc<LoopSpec>,
    pub(super) sha256: Digest,
    /// Its file, the directory of that, and what it held.
    pub(super) file: PathBuf,
    pub(super) dir: PathBuf,
    pub(super) text_sha256: Digest,
    /// Where the project keeps its runs, which are no part of any tree.
    pub(super) root: String,
    /// Its file names no task and no agent: no loop is put around it.
    for_check_alone: bool,
}

impl Contract {
    pub(super) fn read(around: &Surroundings, file: Option<&Path>) -> Result<Contract, Fault> {
        let path = file.map_or_else(|| around.project_dir().join(LOOP_FILE), |file| around.resolve(file));
        if !path.is_file() {
            return Err(
                Fault::configuration(format!("there is no contract `{}`", path.display()))
                    .hint("`onus init` writes one"),
            );
        }
        let dir = path.parent().map(Path::to_owned).unwrap_or_default();
        let overrides = Overrides {
            contract_only: true,
            ..Overrides::default()
        };
        let style = around.terminal.style;
        let loaded = Loaded::read(&dir, Some(&path), &overrides).map_err(|error| load_fault(error, style))?;
        let mut draft = loaded.draft(&overrides).map_err(|error| load_fault(error, style))?;
        // A contract that is only checked has no task; a loop's stays what it is.
        let has_task = !draft.prompt.trim().is_empty();
        if !has_task {
            draft.prompt = "(checked as it is)".to_owned();
        }
        draft.task_type.get_or_insert(TaskType::Other);
        let spec = loaded.contract(&draft).map_err(|error| load_fault(error, style))?;
        let sha256 = canonical_sha256(&spec)
            .map_err(|error| Fault::configuration("the contract has no canonical form").because(&error))?;
        Ok(Contract {
            spec: Arc::new(spec),
            sha256,
            text_sha256: Digest::of(loaded.text().as_bytes()),
            file: path.clone(),
            dir,
            root: draft.root,
            for_check_alone: !has_task && LoopFile::parse(loaded.text()).agents.is_empty(),
        })
    }
}
