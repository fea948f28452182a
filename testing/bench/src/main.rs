//! Onus's measurements, as ratios within one run: what is measured and what it is held against take turns, so that a noisy
//! machine disturbs both alike.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a measurement touches the world and prints"
)]
#![allow(
    clippy::wildcard_enum_match_arm,
    clippy::cast_precision_loss,
    reason = "counts are small; only a few events matter here"
)]

mod floor;
mod loops;
mod measure;
mod memory;
mod project;
mod story;
mod table;
mod thrift;
mod work;

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::Parser;

use crate::project::Tools;
use crate::table::Row;

/// Measures Onus and prints one table of ratios.
#[derive(Debug, Parser)]
struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// How often each pair is measured
    #[arg(long, default_value_t = 9)]
    rounds: u32,
    /// Iterations of the loop in each round
    #[arg(long, default_value_t = 30)]
    iterations: u32,
    /// Megabytes of the ledger to verify
    #[arg(long, default_value_t = 100)]
    ledger_mb: u64,
    /// Runs to list
    #[arg(long, default_value_t = 1000)]
    runs: u32,
    /// Measure only what begins with one of these: loop, start, verify, append, replay, list, judges
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// The binary to measure [default: built now]
    #[arg(long)]
    onus: Option<PathBuf>,
    /// A folder on the disk to measure [default: beside this program]
    #[arg(long)]
    dir: Option<PathBuf>,
}

fn main() -> io::Result<ExitCode> {
    let args = Args::parse();
    let tools = tools(&args)?;
    let parts: [(&str, Part); 7] = [
        ("loop", loops::iteration),
        ("start", loops::start),
        ("verify", memory::verify),
        ("append", memory::append),
        ("replay", memory::replay),
        ("list", memory::list),
        ("judges", thrift::judge_calls),
    ];
    let mut rows = Vec::new();
    for (name, part) in parts {
        if args.only.is_empty() || args.only.iter().any(|only| name.starts_with(only.as_str())) {
            eprintln!("measuring: {name}");
            let found = part(&tools, &args)?;
            eprint!("{}", table::text(&found));
            rows.extend(found);
        }
    }
    if args.json {
        println!("{}", serde_json::to_string_pretty(&rows)?);
    } else {
        print!("{}", table::text(&rows));
    }
    Ok(if rows.iter().any(Row::broken) {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

type Part = fn(&Tools, &Args) -> io::Result<Vec<Row>>;

fn tools(args: &Args) -> io::Result<Tools> {
    let here = std::env::current_exe()?;
    let profile = here.parent().unwrap_or(Path::new("."));
    let onus = match &args.onus {
        Some(path) => path.canonicalize()?,
        None => build(profile)?,
    };
    let agent = option_env!("ONUS_BENCH_AGENT")
        .map(PathBuf::from)
        .filter(|path| path.is_file())
        .unwrap_or_else(|| profile.join("noop-agent"));
    let dir = args.dir.clone().unwrap_or_else(|| profile.to_owned());
    Ok(Tools { onus, agent, dir })
}

/// The binary of the same profile and target folder as this program.
fn build(profile: &Path) -> io::Result<PathBuf> {
    let mut build = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    build.args(["build", "--quiet", "--package", "onus-cli", "--bin", "onus"]);
    build
        .arg("--manifest-path")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml"));
    build.arg("--target-dir").arg(profile.parent().unwrap_or(profile));
    if profile.ends_with("release") {
        build.arg("--release");
    } else {
        eprintln!("note: this is not a release build; the figures mean little");
    }
    if build.status()?.success() {
        Ok(profile.join("onus"))
    } else {
        Err(io::Error::other("the onus binary does not build"))
    }
}
