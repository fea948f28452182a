//! Builds the no-op agent once more, statically linked: loading shared libraries costs more than everything it does, and
//! that time would make the engine's own share look small. Where that does not work, the ordinary build is used.
#![allow(
    clippy::disallowed_methods,
    reason = "a build script reads its environment and starts the compiler"
)]

use std::path::PathBuf;
use std::process::Command;

fn main() {
    const SOURCE: &str = "src/bin/noop-agent.rs";
    println!("cargo::rerun-if-changed={SOURCE}");
    let var = |name: &str| std::env::var_os(name).unwrap_or_default();
    let agent = PathBuf::from(var("OUT_DIR")).join("noop-agent");
    let built = Command::new(var("RUSTC"))
        .args(["--edition=2024", "--crate-name=noop_agent", "-Copt-level=3"])
        .args(["-Cpanic=abort", "-Cstrip=symbols", "-Ctarget-feature=+crt-static"])
        .arg("--target")
        .arg(var("TARGET"))
        .arg("-o")
        .arg(&agent)
        .arg(SOURCE)
        .status();
    if built.is_ok_and(|status| status.success()) {
        println!("cargo::rustc-env=ONUS_BENCH_AGENT={}", agent.display());
    }
}
