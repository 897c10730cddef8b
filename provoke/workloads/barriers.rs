//! Threads that meet at a barrier after uneven work: busy-waiting, or asleep.

use crate::Settings;
use crate::work::{Random, Shared, burn, spin_a_little};
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};
use std::thread::{Builder, scope};
use std::time::Duration;

/// Work between two barriers, µs of CPU time.
const BURST_US: (u64, u64) = (200, 2_000);
/// How long a sleeper waits before it checks whether the run is over.
const STOP_CHECK: Duration = Duration::from_millis(100);

pub fn spinning(shared: &Shared, settings: &Settings, threads: usize) -> io::Result<()> {
    let barrier = SpinBarrier { arrived: AtomicUsize::new(0), round: AtomicUsize::new(0), threads };
    run_threads("spin", shared, settings, threads, |stopped| barrier.wait(stopped))
}

pub fn sleeping(shared: &Shared, settings: &Settings, threads: usize) -> io::Result<()> {
    let barrier = SleepBarrier { state: Mutex::new((0, 0)), all_here: Condvar::new(), threads };
    run_threads("sleep", shared, settings, threads, |stopped| barrier.wait(stopped))
}

/// Run `threads` threads that compute and call `meet`, which returns true to the last one.
fn run_threads(
    name: &str,
    shared: &Shared,
    settings: &Settings,
    threads: usize,
    meet: impl Fn(&dyn Fn() -> bool) -> bool + Sync,
) -> io::Result<()> {
    let meet = &meet;
    scope(|scope| {
        for number in 0..threads {
            let mut random = Random::new(settings.seed, number);
            let body = move || {
                while !shared.stopped() {
                    burn(random.micros(BURST_US.0, BURST_US.1));
                    if meet(&|| shared.stopped()) {
                        shared.count_unit();
                    }
                }
            };
            Builder::new().name(format!("{name}-{number}")).spawn_scoped(scope, body).inspect_err(|_| shared.stop())?;
        }
        Ok(())
    })
}

struct SpinBarrier {
    arrived: AtomicUsize,
    round: AtomicUsize,
    threads: usize,
}

impl SpinBarrier {
    fn wait(&self, stopped: &dyn Fn() -> bool) -> bool {
        let round = self.round.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            self.arrived.store(0, Ordering::Release);
            self.round.fetch_add(1, Ordering::AcqRel);
            return true;
        }
        while self.round.load(Ordering::Acquire) == round && !stopped() {
            spin_a_little();
        }
        false
    }
}

struct SleepBarrier {
    /// Arrived in this round, rounds so far.
    state: Mutex<(usize, u64)>,
    all_here: Condvar,
    threads: usize,
}

impl SleepBarrier {
    fn wait(&self, stopped: &dyn Fn() -> bool) -> bool {
        let Ok(mut state) = self.state.lock() else { return false };
        let round = state.1;
        state.0 += 1;
        if state.0 == self.threads {
            *state = (0, round + 1);
            self.all_here.notify_all();
            return true;
        }
        while state.1 == round && !stopped() {
            match self.all_here.wait_timeout(state, STOP_CHECK) {
                Ok((again, _)) => state = again,
                Err(_) => return false,
            }
        }
        false
    }
}
