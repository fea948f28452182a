//! `onus init`: a contract that fits the project.

use onus_engine::{LOOP_FILE, tree};
use onus_ledger::Durability;
use onus_ledger::files::write_view;
use onus_model::{ExitCode, TreePath};
use onus_spec::{ingredients, starter};

use crate::cli::InitArgs;
use crate::fault::Fault;
use crate::surroundings::Surroundings;
use crate::terminal::{out, say};

pub(crate) fn run(around: &Surroundings, args: &InitArgs) -> Result<ExitCode, Fault> {
    let project = around.project()?;
    let path = project.dir.join(LOOP_FILE);
    if path.exists() && !args.dry_run {
        return Err(Fault::usage(format!("`{}` is already there", path.display())).hint("`onus check` evaluates it"));
    }
    let seen = tree::list(&project.dir, &project.root)?;
    let found = ingredients(seen.iter().map(TreePath::as_str));
    if found.is_empty() {
        return Err(Fault::configuration(
            "nothing here is known: no Cargo.toml, package.json, pyproject.toml, go.mod, openapi.yaml or Markdown",
        )
        .hint("`onus preset eject reflex` writes a loop file to start from"));
    }
    let text = starter(&found);
    if args.dry_run {
        out(&text);
        return Ok(ExitCode::Passed);
    }
    write_view(&path, text.as_bytes(), Durability::Synced)?;
    let kinds: Vec<String> = found
        .iter()
        .map(|(kind, path)| format!("{} ({path})", format!("{kind:?}").to_lowercase()))
        .collect();
    out(&format!("wrote {LOOP_FILE} for {}\n", kinds.join(", ")));
    say("\nhint: `onus check` evaluates it, `onus contract lint` looks for weak spots\n");
    Ok(ExitCode::Passed)
}
