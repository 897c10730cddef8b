//! Threads that wait for each other's work: clients and workers, a chain of stages, a lock.

use crate::Settings;
use crate::work::{Random, Shared, burn, sleep_unless_stopped};
use std::collections::VecDeque;
use std::io;
use std::sync::mpsc::{Sender, channel, sync_channel};
use std::sync::{Condvar, Mutex};
use std::thread::{Builder, Scope, scope};
use std::time::Duration;

/// How long a waiting thread sleeps before it checks whether the run is over.
const STOP_CHECK: Duration = Duration::from_millis(100);

fn spawn<'s>(
    scope: &'s Scope<'s, '_>,
    shared: &Shared,
    name: String,
    body: impl FnOnce() + Send + 's,
) -> io::Result<()> {
    Builder::new().name(name).spawn_scoped(scope, body).inspect_err(|_| shared.stop()).map(drop)
}

/// A transaction: its work, and the channel for its reply.
type Request = (Duration, Sender<()>);

/// Half of the threads are clients. A client sleeps, sends, waits; a worker takes the oldest request, computes, and
/// writes the log under a lock.
pub fn database(shared: &Shared, settings: &Settings, threads: usize) -> io::Result<()> {
    let queue: (Mutex<VecDeque<Request>>, Condvar) = Default::default();
    let (queue, log) = (&queue, &Mutex::new(()));
    let workers = threads.div_ceil(2);
    scope(|scope| {
        for number in 0..workers {
            let mut random = Random::new(settings.seed, number);
            spawn(scope, shared, format!("db-worker-{number}"), move || {
                while let Some((work, done)) = take(queue, shared) {
                    burn(work);
                    if let Ok(_log) = log.lock() {
                        burn(random.micros(5, 50));
                    }
                    shared.count_unit();
                    let _ = done.send(()); // the client may have left at the end
                }
            })?;
        }
        for number in 0..threads.saturating_sub(workers).max(1) {
            let mut random = Random::new(settings.seed, workers + number);
            spawn(scope, shared, format!("db-client-{number}"), move || {
                let (done, is_done) = channel();
                while !shared.stopped() {
                    let request = (random.micros(50, 800), done.clone());
                    if let Ok(mut requests) = queue.0.lock() {
                        requests.push_back(request);
                    }
                    queue.1.notify_one();
                    while !shared.stopped() && is_done.recv_timeout(STOP_CHECK).is_err() {}
                    sleep_unless_stopped(shared, random.micros(0, 400));
                }
            })?;
        }
        Ok(())
    })
}

/// The oldest request; None when the run is over.
fn take(queue: &(Mutex<VecDeque<Request>>, Condvar), shared: &Shared) -> Option<Request> {
    let mut requests = queue.0.lock().ok()?;
    while !shared.stopped() {
        if let Some(request) = requests.pop_front() {
            return Some(request);
        }
        requests = queue.1.wait_timeout(requests, STOP_CHECK).ok()?.0;
    }
    None
}

/// A chain: the cost of a stage per item is drawn around the stage's own mean, which differs by up to eight.
pub fn pipeline(shared: &Shared, settings: &Settings, threads: usize) -> io::Result<()> {
    scope(|scope| {
        let mut from = None;
        for number in 0..threads {
            let mut random = Random::new(settings.seed, number);
            let mean = random.between(50, 400);
            let last = number + 1 == threads;
            let (to, next) = if last { (None, None) } else { Some(sync_channel::<()>(4)).unzip() };
            spawn(scope, shared, format!("stage-{number}"), move || {
                // The first stage makes items until the run is over; the others end when their queue is closed.
                while from
                    .as_ref()
                    .map_or(!shared.stopped(), |items: &std::sync::mpsc::Receiver<()>| items.recv().is_ok())
                {
                    burn(random.micros(mean / 2, mean * 3 / 2));
                    match &to {
                        Some(to) if to.send(()).is_err() => break,
                        Some(_) => {}
                        None => shared.count_unit(),
                    }
                    if shared.stopped() {
                        break;
                    }
                }
            })?;
            from = next;
        }
        Ok(())
    })
}

/// A lock in order of arrival: each thread takes a number and sleeps until its turn.
pub fn convoy(shared: &Shared, settings: &Settings, threads: usize) -> io::Result<()> {
    let (turns, called) = (&Mutex::new((0u64, 0u64)), &Condvar::new());
    scope(|scope| {
        for number in 0..threads {
            let mut random = Random::new(settings.seed, number);
            spawn(scope, shared, format!("convoy-{number}"), move || {
                while !shared.stopped() {
                    let Ok(mut turn) = turns.lock() else { return };
                    let mine = turn.1;
                    turn.1 += 1;
                    while turn.0 != mine {
                        if shared.stopped() {
                            return;
                        }
                        let Ok((again, _)) = called.wait_timeout(turn, STOP_CHECK) else { return };
                        turn = again;
                    }
                    drop(turn);
                    burn(random.micros(200, 1_000));
                    shared.count_unit();
                    let Ok(mut turn) = turns.lock() else { return };
                    turn.0 += 1;
                    called.notify_all();
                    drop(turn);
                    burn(random.micros(5, 50));
                }
            })?;
        }
        Ok(())
    })
}
