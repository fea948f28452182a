//! Clocks and middles.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long it took.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let began = Instant::now();
    let result = work();
    (began.elapsed(), result)
}

/// The middle one; the machine's moods are at both ends.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => sorted[n / 2],
        n => f64::midpoint(sorted[n / 2 - 1], sorted[n / 2]),
    }
}

/// Two things measured by turns, so that whatever slows the machine down slows both.
#[derive(Debug, Default)]
pub(crate) struct Pair {
    measured: Vec<f64>,
    floor: Vec<f64>,
}

impl Pair {
    pub(crate) fn push(&mut self, measured: Duration, floor: Duration) {
        self.measured.push(measured.as_secs_f64());
        self.floor.push(floor.as_secs_f64());
    }

    /// The median of the rounds' ratios.
    pub(crate) fn ratio(&self) -> f64 {
        let ratios: Vec<f64> = self.measured.iter().zip(&self.floor).map(|(m, f)| m / f).collect();
        median(&ratios)
    }

    pub(crate) fn measured_ms(&self) -> f64 {
        median(&self.measured) * 1e3
    }

    pub(crate) fn floor_ms(&self) -> f64 {
        median(&self.floor) * 1e3
    }
}

/// A program as bare as it gets: nothing read, nothing written, nothing inherited.
pub(crate) fn bare(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear();
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Starts a program and waits for its end.
pub(crate) fn run(command: &mut Command) -> io::Result<Duration> {
    let (took, status) = timed(|| command.status());
    status?;
    Ok(took)
}
