//! The thread in which a recording runs, and the requests of its owner.

use crate::error::CaptureError;
use crate::meta::Meta;
use crate::stats::Stats;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::Duration;

/// A started recording. It stays in the thread that started it: links and maps of BPF cannot be sent to another one.
pub(crate) trait Recording: Sized {
    /// `meta.json` as written at the start.
    fn meta(&self) -> &Meta;

    /// Record until a reason to stop arrives; returns the completed description.
    fn run(self, control: &Control) -> Meta;
}

/// The owner's side as the recording's thread sees it.
pub(crate) struct Control {
    stop: Receiver<String>,
    stats: Arc<Mutex<Stats>>,
}

impl Control {
    /// Wait for `time`; the reason to stop, if one arrived. An owner that is gone counts as an interrupt.
    pub fn wait(&self, time: Duration) -> Option<String> {
        match self.stop.recv_timeout(time) {
            Ok(reason) => Some(reason),
            Err(RecvTimeoutError::Disconnected) => Some("interrupt".into()),
            Err(RecvTimeoutError::Timeout) => None,
        }
    }

    /// Let the owner see these figures.
    pub fn publish(&self, stats: Stats) {
        if let Ok(mut shared) = self.stats.lock() {
            *shared = stats;
        }
    }
}

/// Runs a recording in a thread of its own. Dropping it ends the recording with the reason `interrupt`.
#[derive(Default)]
pub(crate) struct RecorderThread(Option<RunningRecorder>);

struct RunningRecorder {
    stop: Sender<String>,
    stats: Arc<Mutex<Stats>>,
    thread: JoinHandle<Option<Meta>>,
}

impl RecorderThread {
    /// Start the recording that `start` makes. Returns its description.
    pub fn start<R: Recording>(
        &mut self,
        start: impl FnOnce() -> Result<R, CaptureError> + Send + 'static,
    ) -> Result<Meta, CaptureError> {
        if self.0.is_some() {
            return Err(CaptureError::State("the recorder runs already"));
        }
        let (stop, stopped) = channel();
        let (report, started) = channel();
        let stats = Arc::new(Mutex::new(Stats::default()));
        let control = Control { stop: stopped, stats: Arc::clone(&stats) };
        let thread = std::thread::Builder::new()
            .name("wastenot-record".into())
            .spawn(move || match start() {
                Ok(recording) => {
                    let _ = report.send(Ok(recording.meta().clone()));
                    Some(recording.run(&control))
                }
                Err(error) => {
                    let _ = report.send(Err(error));
                    None
                }
            })
            .map_err(CaptureError::io("a thread for the recorder"))?;
        match started.recv() {
            Ok(Ok(meta)) => {
                self.0 = Some(RunningRecorder { stop, stats, thread });
                Ok(meta)
            }
            Ok(Err(error)) => {
                let _ = thread.join();
                Err(error)
            }
            Err(_) => Err(CaptureError::State("the recorder's thread failed at the start")),
        }
    }

    /// Figures so far; `ended` names the reason where recording has ended by itself.
    pub fn stats(&self) -> Result<Stats, CaptureError> {
        let running = self.0.as_ref().ok_or(CaptureError::State("the recorder does not run"))?;
        let stats = running.stats.lock();
        stats
            .map(|stats: MutexGuard<'_, Stats>| stats.clone())
            .map_err(|_| CaptureError::State("the recorder's thread failed"))
    }

    /// Stop with this reason, unless recording ended before with another one. Returns the completed description.
    pub fn stop(&mut self, reason: &str) -> Result<Meta, CaptureError> {
        let running = self.0.take().ok_or(CaptureError::State("the recorder does not run"))?;
        let _ = running.stop.send(reason.to_owned());
        running.thread.join().ok().flatten().ok_or(CaptureError::State("the recorder's thread failed"))
    }
}

impl Drop for RecorderThread {
    fn drop(&mut self) {
        if self.0.is_some() {
            let _ = self.stop("interrupt");
        }
    }
}
