//! `onus check`: evaluate a contract once on what is there.

mod prove;

use std::collections::BTreeMap;
use std::path::Path;

use onus_engine::inspect::{Judged, PassedTests, inspect_tests};
use onus_engine::{Clock as _, Project, tree};
use onus_ledger::Durability;
use onus_ledger::files::write_view;
use onus_model::{CriterionId, ExitCode, LevelName, Snapshot, TreePath, VerdictKind};
use onus_views::check::{CheckReport, github_annotations, json, junit, sarif, step_summary, text};
use tokio_util::sync::CancellationToken;

use crate::cli::CheckArgs;
use crate::commands::contract::Contract;
use crate::commands::{print_json, runtime};
use crate::fault::Fault;
use crate::surroundings::Surroundings;
use crate::terminal::{out, say};

/// How wide the table is where nothing says how wide the terminal is.
const WIDTH: usize = 120;

pub(crate) fn run(around: &Surroundings, args: &CheckArgs) -> Result<ExitCode, Fault> {
    let contract = Contract::read(around, args.contract.as_deref())?;
    let project = around.project_at(&contract.dir, &contract.root)?;
    let level = level(&contract, args.level.as_ref())?;
    let path = args
        .path
        .as_ref()
        .map_or_else(|| contract.dir.clone(), |path| around.resolve(path));
    if !path.exists() {
        return Err(Fault::usage(format!("there is no `{}`", path.display())));
    }
    let began = around.clock.elapsed();
    let base = args
        .base
        .as_deref()
        .map(|base| take_base(around, &project, &path, base))
        .transpose()?;
    if let Some(base) = &base {
        contract_is_the_base_s(&contract, &path, base)?;
    }
    let snapshot = tree::take(&project.places, &path, &contract.root, base.as_ref())?;
    if snapshot.files.is_empty() {
        return Err(Fault::usage(format!("`{}` holds no file to check", path.display())));
    }
    let mut judged = Judged {
        tree: snapshot,
        base,
        before: PassedTests::new(),
    };
    if args.prove {
        return prove::run(around, args, &contract, &project, &level, &path, &judged);
    }
    let (runtime, cancel) = (runtime()?, CancellationToken::new());
    let evaluate = |judged: &Judged| {
        runtime.block_on(inspect_tests(
            &project,
            &contract.spec,
            contract.sha256,
            &level,
            judged,
            &cancel,
        ))
    };
    // What failed before the work is told apart from what the work broke.
    let baseline: Option<BTreeMap<CriterionId, VerdictKind>> = match &judged.base {
        None => None,
        Some(base) => {
            let (before, tests) = evaluate(&Judged {
                tree: base.clone(),
                base: Some(base.clone()),
                before: PassedTests::new(),
            })?;
            judged.before = tests;
            Some(before.rule_results.into_iter().map(|v| (v.id, v.verdict)).collect())
        }
    };
    let (scorecard, _) = evaluate(&judged)?;
    let notes = judged
        .tree
        .left_out
        .iter()
        .map(|l| format!("`{}` is not part of the tree: {}", l.path, l.why));
    let report = CheckReport {
        contract_sha256: contract.sha256,
        artifact_sha256: scorecard.artifact_sha256,
        criteria: contract.spec.active(&level).cloned().collect(),
        level,
        scorecard,
        baseline,
        notes: notes.collect(),
        elapsed_ms: u64::try_from(around.clock.elapsed().saturating_sub(began).as_millis()).unwrap_or(u64::MAX),
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    tell(around, args, &report)?;
    Ok(if report.scorecard.passed {
        ExitCode::Passed
    } else {
        ExitCode::NotPassed
    })
}

fn level(contract: &Contract, wanted: Option<&LevelName>) -> Result<LevelName, Fault> {
    let names: Vec<String> = contract.spec.levels.iter().map(|l| format!("`{}`", l.name)).collect();
    let found = match wanted {
        Some(name) => contract.spec.level(name),
        None => contract.spec.levels.last(),
    };
    let unknown =
        || Fault::usage("the contract has no such level").hint(format!("its levels are {}", names.join(", ")));
    found.map(|level| level.name.clone()).ok_or_else(unknown)
}

/// A contract that its own words protect must be the one of the base: whoever may change it may pass anything.
fn contract_is_the_base_s(contract: &Contract, path: &Path, base: &Snapshot) -> Result<(), Fault> {
    let named = contract_in(contract, path);
    let then = named.as_ref().and_then(|name| base.files.get(name));
    let (Some(name), Some(then)) = (named, then) else {
        return Ok(());
    };
    if contract.spec.protected.contains(&name.to_string()) && then.sha256 != contract.text_sha256 {
        return Err(Fault::new(
            ExitCode::Integrity,
            format!("contract `{name}` is protected, and is not the one of the base"),
        )
        .hint("let a person commit the change to the contract first, then check against that commit"));
    }
    Ok(())
}

/// The contract's own path in the tree, if it lies there.
fn contract_in(contract: &Contract, path: &Path) -> Option<TreePath> {
    let named = contract.file.strip_prefix(path).ok()?;
    TreePath::new(named.to_str()?).ok()
}

/// A directory if there is one of that name, else a git revision.
fn take_base(around: &Surroundings, project: &Project, path: &Path, base: &str) -> Result<Snapshot, Fault> {
    let dir = around.resolve(Path::new(base));
    if dir.is_dir() {
        return Ok(tree::take(&project.places, &dir, &project.root, None)?);
    }
    let repository = if path.is_dir() {
        path
    } else {
        path.parent().unwrap_or(path)
    };
    Ok(tree::take_commit(&project.places, repository, base)?)
}

fn tell(around: &Surroundings, args: &CheckArgs, report: &CheckReport) -> Result<(), Fault> {
    if args.json {
        print_json(&json(report))?;
    } else {
        out(&text(report, around.terminal.style, WIDTH));
    }
    let write = |path: &Path, text: &str| write_view(&around.resolve(path), text.as_bytes(), Durability::Synced);
    if let Some(path) = &args.sarif {
        let text = serde_json::to_string_pretty(&sarif(report))
            .map_err(|error| Fault::internal("cannot write SARIF").because(&error))?;
        write(path, &(text + "\n"))?;
    }
    if let Some(path) = &args.junit {
        write(path, &junit(report))?;
    }
    if around.env.get("GITHUB_ACTIONS").is_some_and(|value| value == "true") {
        // The runner reads commands from either stream; on this one they do not mix with JSON.
        github_annotations(report)
            .iter()
            .for_each(|line| say(&format!("{line}\n")));
        if let Some(file) = around.env.get("GITHUB_STEP_SUMMARY").filter(|file| !file.is_empty()) {
            append(Path::new(file), &step_summary(report))?;
        }
    }
    Ok(())
}

fn append(path: &Path, text: &str) -> Result<(), Fault> {
    use std::io::Write as _;
    let cannot = |error: std::io::Error| {
        Fault::new(ExitCode::Failed, format!("cannot append to `{}`", path.display())).because(&error)
    };
    let mut file = std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)
        .map_err(cannot)?;
    file.write_all(text.as_bytes()).map_err(cannot)
}
