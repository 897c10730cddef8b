//! The child process in which a workload runs, and the end of it.

use crate::work::{Shared, fork, retry_on_eintr};
use crate::{Error, Settings, Workload};
use std::time::{Duration, Instant};

/// Interval of checks for the end.
const TICK: Duration = Duration::from_millis(20);
/// How long a workload may take to finish started work before it is killed.
const GRACE: Duration = Duration::from_secs(2);

/// The result of a run.
#[derive(Clone, Copy, Debug)]
pub struct RunResult {
    /// Units of work done, in the workload's `unit`.
    pub work: u64,
    /// Threads, or processes at once.
    pub threads: usize,
    /// From the first to the last instant of the leader.
    pub took: Duration,
    /// `keep_going` returned false before the time was over.
    pub interrupted: bool,
}

/// Run a workload for `settings.length`, or until `keep_going`, called every 20 ms, returns false.
///
/// # Errors
/// `System` when the leader cannot be started, `Leader` when it failed.
pub fn run(workload: &Workload, settings: &Settings, mut keep_going: impl FnMut() -> bool) -> Result<RunResult, Error> {
    let shared = Shared::new().map_err(Error::System)?;
    let threads = settings.threads.unwrap_or_else(|| (workload.threads)(settings.cpus.len()));
    let started = Instant::now();
    let leader = fork(workload.name, || i32::from((workload.run)(&shared, settings, threads).is_err()));
    let leader = leader.map_err(Error::System)?;
    let mut interrupted = false;
    let mut stopped = None;
    loop {
        if let Some(status) = ended(leader).map_err(Error::System)? {
            let took = started.elapsed();
            return match status {
                0 => Ok(RunResult { work: shared.work(), threads, took, interrupted }),
                _ => Err(Error::Leader(status)),
            };
        }
        match stopped {
            None => {
                interrupted = !keep_going();
                if interrupted || started.elapsed() >= settings.length {
                    shared.stop();
                    stopped = Some(Instant::now());
                }
            }
            // The leader waits for its children; if one hangs, both are killed, which is reported.
            Some(since) if since.elapsed() >= GRACE => unsafe {
                libc::kill(leader, libc::SIGKILL);
            },
            Some(_) => {}
        }
        std::thread::sleep(TICK);
    }
}

/// Exit status of a child, minus the signal that killed it, or None while it lives.
fn ended(pid: libc::pid_t) -> std::io::Result<Option<i32>> {
    let mut status = 0;
    match retry_on_eintr(|| unsafe { libc::waitpid(pid, &raw mut status, libc::WNOHANG) })? {
        0 => Ok(None),
        _ if libc::WIFEXITED(status) => Ok(Some(libc::WEXITSTATUS(status))),
        _ => Ok(Some(-libc::WTERMSIG(status))),
    }
}
