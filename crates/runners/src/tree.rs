//! The processes of one spawn, and how all of them are ended.
//!
//! A process group catches what a program starts. Coding agents start their tools in sessions of their own, which no
//! group signal reaches; on Linux those are found by a variable of their environment that only this spawn has. A
//! process that leaves the group *and* clears its environment escapes: only a sandbox (a cgroup) catches that one.

use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

/// How long to wait for killed processes to be gone, in all. Enough for the kernel; short, because members that nobody
/// reaps (a container without an init) stay as zombies for ever.
const GONE_POLLS_MAX: u32 = 20;
const GONE_POLL: Duration = Duration::from_millis(5);

const DROP_LOOKS_MAX: u32 = 3;

/// Kills the whole tree when dropped.
pub(crate) struct Tree {
    /// The group's id is its leader's.
    group: Option<Pid>,
    /// `NAME=value`, as it stands in `/proc/<pid>/environ`.
    marker: Option<String>,
}

impl Tree {
    pub(crate) fn new(leader: Option<u32>, marker: Option<String>) -> Tree {
        let group = leader.and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        Tree { group, marker }
    }

    /// Asks the group to end.
    pub(crate) fn terminate(&self) {
        if let Some(group) = self.group {
            // A group that is already gone is what was asked for.
            let _ = kill_process_group(group, Signal::TERM);
        }
    }

    /// Ends the group and whatever left it; true if anything was there, or may have been.
    pub(crate) fn kill(&self) -> bool {
        let group = self
            .group
            .is_some_and(|group| kill_process_group(group, Signal::KILL).is_ok());
        let strays = self
            .marker
            .as_deref()
            .is_some_and(|marker| kill_strays(marker, self.group));
        group || strays
    }

    /// Kills what is left and waits, for a bounded time, until it is gone.
    pub(crate) async fn end(mut self) {
        for _ in 0..GONE_POLLS_MAX {
            if !self.kill() {
                break;
            }
            tokio::time::sleep(GONE_POLL).await;
        }
        // Nothing more may be sent to ids that the system is now free to reuse.
        self.group = None;
        self.marker = None;
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        // Cannot wait here; a few looks catch a tool that was just being started.
        let _ = (0..DROP_LOOKS_MAX).any(|_| !self.kill());
    }
}

/// Kills every process with `marker` in its environment; true if another look is due.
///
/// A process that is being killed loses its environment when it can do no more, so a look that finds nothing means that
/// all are gone.
#[cfg(target_os = "linux")]
fn kill_strays(marker: &str, leader: Option<Pid>) -> bool {
    use rustix::process::{PidfdFlags, pidfd_open, pidfd_send_signal};

    let Ok(processes) = std::fs::read_dir("/proc") else {
        return false;
    };
    // Whatever the leader started has a higher id, unless ids have begun again from the bottom since.
    let newest = newest();
    let descendant = |pid: Pid| match (leader, newest) {
        (Some(leader), Some(newest)) if newest >= leader.as_raw_pid() => pid.as_raw_pid() > leader.as_raw_pid(),
        _ => true,
    };
    let mut look_again = false;
    for process in processes.flatten() {
        let Some(pid) = process
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok())
            .and_then(Pid::from_raw)
        else {
            continue;
        };
        if !descendant(pid) {
            continue;
        }
        match origin(&process.path(), marker) {
            Origin::Ours => {
                // Asked again once the handle is held: until then the id could have gone to another process.
                if let Ok(handle) = pidfd_open(pid, PidfdFlags::empty())
                    && origin(&process.path(), marker) == Origin::Ours
                {
                    let _ = pidfd_send_signal(handle, Signal::KILL);
                }
                look_again = true;
            }
            Origin::Unknown => look_again = true,
            Origin::Foreign => {}
        }
    }
    look_again
}

/// The id that was given out last.
#[cfg(target_os = "linux")]
fn newest() -> Option<i32> {
    let load = std::fs::read_to_string("/proc/loadavg").ok()?;
    load.split_ascii_whitespace().next_back()?.parse().ok()
}

#[cfg(target_os = "linux")]
#[derive(PartialEq, Eq)]
enum Origin {
    Ours,
    Foreign,
    /// It runs a program but has no environment: for a moment, every process looks like this that starts one.
    Unknown,
}

#[cfg(target_os = "linux")]
fn origin(process: &std::path::Path, marker: &str) -> Origin {
    let Ok(environment) = std::fs::read(process.join("environ")) else {
        return Origin::Foreign;
    };
    if environment
        .split(|byte| *byte == 0)
        .any(|variable| variable == marker.as_bytes())
    {
        Origin::Ours
    } else if environment.is_empty() && process.join("exe").read_link().is_ok() {
        Origin::Unknown
    } else {
        Origin::Foreign
    }
}

#[cfg(not(target_os = "linux"))]
fn kill_strays(_marker: &str, _leader: Option<Pid>) -> bool {
    false
}
