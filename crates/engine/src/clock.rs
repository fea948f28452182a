//! Time, the engine's only source of it.
#![allow(clippy::disallowed_methods, reason = "this is the door through which time comes in")]

use std::time::{Duration, Instant};

/// Wall time for people, monotonic time for durations.
pub trait Clock: Send + Sync {
    fn now(&self) -> jiff::Timestamp;

    /// Time since an arbitrary fixed moment; never goes back.
    fn elapsed(&self) -> Duration;

    /// RFC 3339 in UTC with whole seconds, as the documented files have it.
    fn stamp(&self) -> String {
        self.now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    }

    /// `yyyyMMdd-HHmmss`, the end of a run id.
    fn run_stamp(&self) -> String {
        self.now().strftime("%Y%m%d-%H%M%S").to_string()
    }
}

#[derive(Debug)]
pub struct SystemClock {
    started: Instant,
}

impl Default for SystemClock {
    fn default() -> Self {
        SystemClock {
            started: Instant::now(),
        }
    }
}

impl Clock for SystemClock {
    fn now(&self) -> jiff::Timestamp {
        jiff::Timestamp::now()
    }

    fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}
