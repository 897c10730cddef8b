//! The owner's side of watching.

use super::figures::{SavedBox, WatchStarted, WatchStatus};
use super::options::WatchOptions;
use super::saved_box::SaveRequest;
use super::watcher::{BUSY, Command, Shared, Watcher};
use crate::clock::now_ns;
use crate::error::CaptureError;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;

/// Watches this machine: a sentinel, and a black box that can be saved at any time. Dropping it ends both; the kernel removes
/// programs and maps of a process that was killed.
pub struct FlightRecorder {
    options: WatchOptions,
    running: Mutex<Option<Running>>,
    saving: AtomicBool,
}

struct Running {
    commands: Sender<Command>,
    shared: Arc<Shared>,
    thread: JoinHandle<()>,
}

const NOT_RUNNING: CaptureError = CaptureError::State("the watcher does not run");
const FAILED: CaptureError = CaptureError::State("the watcher's thread failed");

impl FlightRecorder {
    /// Nothing happens before [`Self::start`].
    pub fn new(options: WatchOptions) -> Self {
        Self { options, running: Mutex::new(None), saving: AtomicBool::new(false) }
    }

    fn running(&self) -> Result<MutexGuard<'_, Option<Running>>, CaptureError> {
        self.running.lock().map_err(|_| FAILED)
    }

    /// Start; when it returns, everything is watched.
    pub fn start(&self) -> Result<WatchStarted, CaptureError> {
        let mut running = self.running()?;
        if running.is_some() {
            return Err(CaptureError::State("the watcher runs already"));
        }
        let (commands, received) = channel();
        let (report, reported) = channel();
        let options = self.options.clone();
        let thread = std::thread::Builder::new()
            .name("wastenot-watch".into())
            .spawn(move || match Watcher::start(&options) {
                Ok((watcher, started)) => {
                    let _ = report.send(Ok((started, Arc::clone(&watcher.shared))));
                    watcher.run(&received);
                }
                Err(error) => {
                    let _ = report.send(Err(error));
                }
            })
            .map_err(CaptureError::io("a thread for the watcher"))?;
        let (started, shared) = match reported.recv() {
            Ok(reported) => reported?,
            Err(_) => return Err(FAILED),
        };
        *running = Some(Running { commands, shared, thread });
        Ok(started)
    }

    /// Figures so far. Cheap, and no thread is woken for it.
    pub fn status(&self) -> Result<WatchStatus, CaptureError> {
        let shared = Arc::clone(&self.running()?.as_ref().ok_or(NOT_RUNNING)?.shared);
        let run_time = shared.run_time.as_ref().and_then(|run_time| run_time.read());
        let mut status = WatchStatus {
            now_ns: now_ns(),
            looks: 0,
            missed_looks: 0,
            looks_with_waste: 0,
            sampled_wasted_ns: 0,
            certain_wasted_ns: 0,
            longest_ns: 0,
            hits_total: 0,
            hits: Vec::new(),
            cpus: Vec::new(),
            black_box: shared.black_box.lock().map_err(|_| FAILED)?.clone(),
            sentinel_ns: 0,
            bpf_run_ns: run_time.map(|(run_ns, _)| run_ns),
            bpf_runs: run_time.map(|(_, runs)| runs),
            user_cpu_ns: shared.user_cpu_ns.load(Ordering::Relaxed),
            ended: shared.ended.lock().map_err(|_| FAILED)?.clone(),
        };
        if let Some(view) = &shared.view {
            view.read(&mut status);
        }
        if let Some(black_box) = &mut status.black_box {
            black_box.kept_ns = status.now_ns.saturating_sub(black_box.oldest_ns);
        }
        Ok(status)
    }

    /// Save the black box into `folder`, which must not exist: what it holds now, and what follows for `after_ns`. Returns when it
    /// is written; watching goes on meanwhile. One box at a time.
    pub fn save(&self, folder: &Path, after_ns: u64, reason: &str) -> Result<SavedBox, CaptureError> {
        let commands = self.running()?.as_ref().ok_or(NOT_RUNNING)?.commands.clone();
        if self.saving.swap(true, Ordering::AcqRel) {
            return Err(CaptureError::State(BUSY));
        }
        let (reply, replied) = sync_channel(1);
        let request = SaveRequest { folder: folder.to_owned(), after_ns, reason: reason.to_owned() };
        let sent = commands.send(Command::Save(request, reply));
        let saved = if sent.is_ok() { replied.recv().unwrap_or(Err(FAILED)) } else { Err(NOT_RUNNING) };
        self.saving.store(false, Ordering::Release);
        saved
    }

    /// Stop; a box that is being saved ends here. Returns the last figures.
    pub fn stop(&self) -> Result<WatchStatus, CaptureError> {
        let status = self.status()?;
        let running = self.running()?.take().ok_or(NOT_RUNNING)?;
        let _ = running.commands.send(Command::Stop);
        running.thread.join().map_err(|_| FAILED)?;
        Ok(status)
    }
}

impl Drop for FlightRecorder {
    fn drop(&mut self) {
        let _ = self.stop();
    }
}
