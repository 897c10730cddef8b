//! Processes: those of a build, short-lived ones, and busy ones, alone or in sessions of their own.

use crate::Settings;
use crate::work::{Random, Shared, burn, fork, reap, sleep_unless_stopped, wait_any};
use std::io;
use std::time::Duration;

/// Jobs between two link jobs.
const JOBS_PER_LINK: u64 = 24;
/// A slice of busy work.
const SLICE: Duration = Duration::from_millis(1);

/// At most `threads` jobs at once; a job computes and waits for its disk. The link job waits for all before it.
pub fn make(shared: &Shared, settings: &Settings, threads: usize) -> io::Result<()> {
    let mut random = Random::new(settings.seed, 0);
    let mut running = Running::default();
    let mut jobs = 0u64;
    while !shared.stopped() {
        if jobs % JOBS_PER_LINK == JOBS_PER_LINK - 1 {
            running.wait_until(0)?;
            let time = random.micros(10_000, 30_000);
            running.start("link", shared, || burn(time))?;
            running.wait_until(0)?;
        } else {
            running.wait_until(threads - 1)?;
            let (compute, disk) = (random.micros(1_000, 15_000), random.micros(0, 2_000));
            running.start("compile", shared, || {
                burn(compute / 2);
                std::thread::sleep(disk);
                burn(compute / 2);
            })?;
        }
        jobs += 1;
    }
    running.wait_until(0)
}

/// Processes as fast as they can be forked, at most `threads` at once.
pub fn fork_storm(shared: &Shared, settings: &Settings, threads: usize) -> io::Result<()> {
    let mut random = Random::new(settings.seed, 0);
    let mut running = Running::default();
    while !shared.stopped() {
        running.wait_until(threads - 1)?;
        let time = random.micros(0, 1_000);
        running.start("storm", shared, || burn(time))?;
    }
    running.wait_until(0)
}

/// The first process alone in a session, the others together in another. With autogroups a session's share is one
/// thread's, however many it has: the lone one is as heavy as all the others together.
pub fn autogroup(shared: &Shared, _settings: &Settings, threads: usize) -> io::Result<()> {
    let session = |name: &'static str, processes: usize| {
        fork(name, move || {
            unsafe { libc::setsid() };
            let Ok(children) = start_busy(name, shared, processes) else { return 1 };
            wait_for_stop(shared);
            reap(&children);
            0
        })
    };
    let mut sessions = vec![session("lone", 1)?];
    if threads > 1 {
        sessions.push(session("many", threads - 1)?);
    }
    for _ in &sessions {
        wait_any()?;
    }
    Ok(())
}

pub fn busy(shared: &Shared, _settings: &Settings, threads: usize) -> io::Result<()> {
    let children = start_busy("busy", shared, threads)?;
    wait_for_stop(shared);
    reap(&children);
    Ok(())
}

/// Fork `processes` children that compute until the run is over. If one cannot be forked, the others are killed.
pub fn start_busy(name: &str, shared: &Shared, processes: usize) -> io::Result<Vec<libc::pid_t>> {
    let mut children = Vec::with_capacity(processes);
    for number in 0..processes {
        let child = fork(&format!("{name}-{number}"), || {
            while !shared.stopped() {
                burn(SLICE);
                shared.count_unit();
            }
            0
        });
        match child {
            Ok(pid) => children.push(pid),
            Err(error) => {
                reap(&children);
                return Err(error);
            }
        }
    }
    Ok(children)
}

/// Sleep until the run is over.
pub fn wait_for_stop(shared: &Shared) {
    while !shared.stopped() {
        sleep_unless_stopped(shared, Duration::from_secs(1));
    }
}

/// Number of children of this process that have not been waited for.
#[derive(Default)]
struct Running(usize);

impl Running {
    fn start(&mut self, name: &str, shared: &Shared, work: impl FnOnce()) -> io::Result<()> {
        fork(name, || {
            work();
            shared.count_unit();
            0
        })?;
        self.0 += 1;
        Ok(())
    }

    /// Wait for children until at most `processes` are left.
    fn wait_until(&mut self, processes: usize) -> io::Result<()> {
        while self.0 > processes {
            wait_any()?;
            self.0 -= 1;
        }
        Ok(())
    }
}
