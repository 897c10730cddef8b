//! The child process in which a workload runs, and the end of it.

use crate::work::{Shared, fork, interrupted_is_fine};
use crate::{Error, Settings, Workload};
use std::time::{Duration, Instant};

/// How often the end is looked for.
const TICK: Duration = Duration::from_millis(20);
/// How long a workload may take to finish what it has begun, before it is killed.
const GRACE: Duration = Duration::from_secs(2);

/// What came of a run.
#[derive(Clone, Copy, Debug)]
pub struct Done {
    /// Units of work done, in the workload's `unit`.
    pub work: u64,
    /// Threads, or processes at once.
    pub threads: usize,
    /// From the first to the last instant of the leader.
    pub took: Duration,
    /// `keep_going` said no before the time was over.
    pub interrupted: bool,
}

/// Run a workload for `settings.length`, or until `keep_going`, asked every 20 ms, says no.
///
/// # Errors
/// `System` where the leader cannot be started, `Leader` where it ended by itself.
pub fn run(workload: &Workload, settings: &Settings, mut keep_going: impl FnMut() -> bool) -> Result<Done, Error> {
    let shared = Shared::new().map_err(Error::System)?;
    let threads = settings.threads.unwrap_or_else(|| (workload.threads)(settings.cpus.len()));
    let began = Instant::now();
    let leader = fork(workload.name, || i32::from((workload.run)(&shared, settings, threads).is_err()));
    let leader = leader.map_err(Error::System)?;
    let mut interrupted = false;
    let mut stopped = None;
    loop {
        if let Some(status) = ended(leader).map_err(Error::System)? {
            let took = began.elapsed();
            return match status {
                0 => Ok(Done { work: shared.work(), threads, took, interrupted }),
                _ => Err(Error::Leader(status)),
            };
        }
        match stopped {
            None => {
                interrupted = !keep_going();
                if interrupted || began.elapsed() >= settings.length {
                    shared.stop();
                    stopped = Some(Instant::now());
                }
            }
            // The leader waits for what it started; what hangs is killed with it, and said.
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
    match interrupted_is_fine(|| unsafe { libc::waitpid(pid, &raw mut status, libc::WNOHANG) })? {
        0 => Ok(None),
        _ if libc::WIFEXITED(status) => Ok(Some(libc::WEXITSTATUS(status))),
        _ => Ok(Some(-libc::WTERMSIG(status))),
    }
}
