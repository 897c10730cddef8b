//! The thread in which watching runs: links and maps of BPF cannot be sent to another one.

use super::black_box::BlackBox;
use super::figures::{BoxFigures, SavedBox, WatchStarted};
use super::options::WatchOptions;
use super::run_time::RunTime;
use super::saved_box::{SaveRequest, save};
use super::sentinel::Sentinel;
use super::sentinel_view::SentinelView;
use crate::clock::{clock_ns, now_ns};
use crate::error::CaptureError;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use wastenot_machine::Machine;

/// A request of the owner.
pub(crate) enum Command {
    Save(SaveRequest, SyncSender<Result<SavedBox, CaptureError>>),
    Stop,
}

/// What the owner reads without asking the thread.
pub(crate) struct Shared {
    pub view: Option<Arc<SentinelView>>,
    pub run_time: Option<RunTime>,
    pub black_box: Mutex<Option<BoxFigures>>,
    pub user_cpu_ns: AtomicU64,
    pub ended: Mutex<Option<String>>,
}

/// A started sentinel and black box, at least one of them.
pub(crate) struct Watcher {
    sentinel: Option<Sentinel>,
    black_box: Option<BlackBox>,
    online: String,
    pub shared: Arc<Shared>,
}

/// File with the CPUs that are online.
const ONLINE: &str = "/sys/devices/system/cpu/online";
/// Without a black box there is this much to do: see whether CPUs have come online.
const SENTINEL_TICK: Duration = Duration::from_secs(1);

impl Watcher {
    /// Start what the options want and the kernel permits. An error only where that is nothing, or no black box although one is
    /// wanted and the reason is one that a user can change.
    pub fn start(options: &WatchOptions) -> Result<(Self, WatchStarted), CaptureError> {
        let machine = Machine::read(Path::new("/"))
            .map_err(|e| CaptureError::Option { why: format!("the machine cannot be described: {e}") })?;
        let sentinel = Sentinel::start(options, &machine);
        let black_box = match options.sentinel_only {
            true => Err(CaptureError::State("not asked for")),
            false => BlackBox::start(options, &machine),
        };
        let (sentinel, no_sentinel) = match sentinel {
            Ok(sentinel) => (Some(sentinel), None),
            Err(why) => (None, Some(why)),
        };
        let (black_box, no_black_box) = match black_box {
            Ok(black_box) => (Some(black_box), None),
            Err(error @ (CaptureError::NotPermitted { .. } | CaptureError::NoBtf | CaptureError::Option { .. })) => {
                return Err(error);
            }
            Err(error) => (None, Some(error.to_string())),
        };
        if let (Some(why), None) = (&no_sentinel, &black_box) {
            return Err(CaptureError::Refused { program: "sentinel", why: why.clone() });
        }
        let meta = black_box.as_ref().map(|black_box| &black_box.meta);
        let started = WatchStarted {
            sentinel: sentinel.as_ref().map(|sentinel| sentinel.started(options, &machine)),
            no_sentinel,
            ring_bytes: black_box.as_ref().map(|black_box| black_box.rings.size()),
            no_black_box,
            attach: meta.map_or_else(String::new, |meta| meta.attach.clone()),
            cpus: machine.possible.iter().max().map_or(1, |last| last + 1),
            kinds: meta.map_or_else(Vec::new, |meta| meta.kinds.clone()),
            not_recorded: meta.map_or_else(Vec::new, |meta| meta.not_recorded()),
            start_ns: meta.map_or_else(now_ns, |meta| meta.start_ns),
        };
        let shared = Arc::new(Shared {
            view: sentinel.as_ref().map(|sentinel| Arc::clone(&sentinel.view)),
            run_time: black_box.as_ref().and_then(|black_box| black_box.run_time().ok()),
            black_box: Mutex::new(None),
            user_cpu_ns: AtomicU64::new(0),
            ended: Mutex::new(None),
        });
        let watcher = Self { sentinel, black_box, online: online(), shared };
        watcher.publish(false);
        release_memory();
        Ok((watcher, started))
    }

    /// Watch until the owner stops it or is gone.
    pub fn run(mut self, commands: &Receiver<Command>) {
        loop {
            let wait = self.black_box.as_ref().map_or(SENTINEL_TICK, BlackBox::wait);
            match commands.recv_timeout(wait) {
                Ok(Command::Save(request, reply)) => {
                    let (saved, stopped) = self.save(&request, commands);
                    release_memory();
                    self.publish(false);
                    let _ = reply.send(saved);
                    if stopped {
                        return;
                    }
                }
                Ok(Command::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => self.tick(),
            }
        }
    }

    fn tick(&mut self) {
        if let Some(Err(why)) = self.black_box.as_mut().map(BlackBox::tick) {
            self.black_box = None;
            if let Ok(mut ended) = self.shared.ended.lock() {
                *ended = Some(format!("the black box ended: the threads cannot be read: {why}"));
            }
        }
        if let Some(sentinel) = &self.sentinel {
            let now_online = online();
            if now_online != self.online && sentinel.find_runqueues().is_ok() {
                self.online = now_online;
            }
        }
        self.publish(false);
    }

    /// The box, and whether the owner wants to stop as well.
    fn save(&mut self, request: &SaveRequest, commands: &Receiver<Command>) -> (Result<SavedBox, CaptureError>, bool) {
        self.publish(true);
        let Some(black_box) = &mut self.black_box else {
            return (Err(CaptureError::State("there is no black box to save")), false);
        };
        let mut stopped = false;
        let saved = save(black_box, request, |wait| {
            match commands.recv_timeout(wait) {
                Ok(Command::Save(_, reply)) => {
                    let _ = reply.send(Err(CaptureError::State(BUSY)));
                }
                Ok(Command::Stop) | Err(RecvTimeoutError::Disconnected) => stopped = true,
                Err(RecvTimeoutError::Timeout) => {}
            }
            stopped
        });
        (saved, stopped)
    }

    fn publish(&self, saving: bool) {
        let figures = self.black_box.as_ref().map(|black_box| {
            let now = now_ns();
            let oldest_ns = black_box.oldest_ns(now).unwrap_or(now);
            let (snapshots, snapshot_cpu_ns) = black_box.epochs();
            BoxFigures {
                kept_ns: now - oldest_ns,
                oldest_ns,
                bytes_written: black_box.bytes_written(),
                ring_bytes: black_box.rings.size() * black_box.rings.cpus() as u64,
                snapshots,
                snapshot_cpu_ns,
                lost: black_box.lost,
                saving,
            }
        });
        if let Ok(mut shared) = self.shared.black_box.lock() {
            *shared = figures;
        }
        self.shared.user_cpu_ns.store(clock_ns(libc::CLOCK_THREAD_CPUTIME_ID), Ordering::Relaxed);
    }
}

/// Why a second box is refused.
pub(crate) const BUSY: &str = "a box is being saved: wait until it is written";

/// Give back what starting and saving needed for a moment, above all the kernel's symbols.
fn release_memory() {
    #[cfg(target_env = "gnu")]
    // SAFETY: the allocator releases memory that nothing uses.
    unsafe {
        libc::malloc_trim(0);
    }
}

fn online() -> String {
    std::fs::read_to_string(ONLINE).unwrap_or_default()
}
