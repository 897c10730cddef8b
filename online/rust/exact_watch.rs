//! This machine, recorded and checked at once.

use crate::error::WatchError;
use crate::json::{counters_to_json, episode_to_json};
use crate::options::WatchOptions;
use crate::recording_walk::RecordingWalk;
use crate::thread_time::thread_cpu_ns;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;
use wastenot_checker::{Counters, FinishedEpisode};
use wastenot_ebpf::{Arrived, EbpfRecorder, LiveFrames, Meta, Stats};

/// Episodes that wait to be taken; of more the oldest are dropped, and counted.
const MOST_EPISODES: usize = 1 << 14;
/// The walk looks this often whether it shall end.
const LOOK: Duration = Duration::from_millis(100);

/// Figures of a watch.
#[derive(Clone, Debug, Default)]
pub struct WatchFigures {
    pub counters: Counters,
    /// Episodes that ended since the figures were last asked for, and how many others were dropped.
    pub finished: VecDeque<FinishedEpisode>,
    pub dropped_episodes: u64,
    /// CPU time of the thread that decodes and checks, ns. (That of the consumer is in `recorder`.)
    pub walk_cpu_ns: u64,
    /// Bytes of records that wait to be decoded.
    pub waiting_bytes: usize,
    /// What the recorder counts.
    pub recorder: Stats,
    /// Why the walk ended before the watch was stopped.
    pub failed: Option<String>,
}

impl WatchFigures {
    fn add(&mut self, counters: Counters, finished: Vec<FinishedEpisode>, waiting_bytes: usize) {
        self.counters = counters;
        self.finished.extend(finished);
        while self.finished.len() > MOST_EPISODES {
            self.finished.pop_front();
            self.dropped_episodes += 1;
        }
        (self.waiting_bytes, self.walk_cpu_ns) = (waiting_bytes, thread_cpu_ns());
    }

    /// The counters with `finished`, and the watch's own figures beside them.
    pub fn to_json(&self) -> Value {
        let mut all = counters_to_json(&self.counters);
        all["finished"] = self.finished.iter().map(episode_to_json).collect();
        all["dropped_episodes"] = self.dropped_episodes.into();
        all["watch"] = json!({
            "walk_cpu_ns": self.walk_cpu_ns, "consumer_cpu_ns": self.recorder.consumer_cpu_ns,
            "waiting_bytes": self.waiting_bytes, "waits": self.recorder.waits, "polls": self.recorder.polls,
            "lost": self.recorder.lost, "record_bytes": self.recorder.record_bytes,
            "fullest_percent": self.recorder.fullest_percent, "failed": self.failed,
        });
        all
    }
}

/// Watches this machine. Dropping it ends the watch.
pub struct ExactWatch {
    options: WatchOptions,
    running: Option<RunningWatch>,
}

struct RunningWatch {
    recorder: EbpfRecorder,
    shared: Arc<Mutex<WatchFigures>>,
    end: Sender<Option<i64>>,
    thread: JoinHandle<()>,
}

impl ExactWatch {
    /// Nothing happens before [`Self::start`].
    pub fn new(options: WatchOptions) -> Self {
        Self { options, running: None }
    }

    /// Start to record and to check. Returns the description of the recording.
    pub fn start(&mut self) -> Result<Meta, WatchError> {
        if self.running.is_some() {
            return Err(WatchError::State("the watch runs already".into()));
        }
        let check = self.options.check()?;
        let WatchOptions { recorder, also_part, most_waiting_bytes, .. } = &self.options;
        let (mut recorder, frames) = EbpfRecorder::live(also_part.as_deref(), *most_waiting_bytes, recorder.clone());
        let meta = recorder.start()?;
        let machine = frames.machine().ok_or_else(|| WatchError::State("the recorder did not start".into()))?;
        let shared = Arc::new(Mutex::new(WatchFigures::default()));
        let (end, ended) = channel();
        let (of_thread, described) = (Arc::clone(&shared), meta.clone());
        let thread = std::thread::Builder::new()
            .name("wastenot-walk".into())
            .spawn(move || {
                let walk = RecordingWalk::new(described, machine, check);
                if let Err(why) = walk_along(walk, frames, &ended, &of_thread) {
                    lock(&of_thread).failed = Some(why.to_string());
                }
            })
            .map_err(|why| WatchError::State(format!("a thread for the walk: {why}")))?;
        self.running = Some(RunningWatch { recorder, shared, end, thread });
        Ok(meta)
    }

    /// The figures now, some tenths of a second behind. Episodes are handed out once.
    pub fn figures(&mut self) -> Result<WatchFigures, WatchError> {
        let running = self.running.as_ref().ok_or_else(not_running)?;
        let recorder = running.recorder.stats()?;
        Ok(take(&running.shared, recorder))
    }

    /// Stop recording, walk over what is left, and return the figures of the whole watch.
    pub fn stop(&mut self) -> Result<WatchFigures, WatchError> {
        let RunningWatch { mut recorder, shared, end, thread } = self.running.take().ok_or_else(not_running)?;
        let meta = recorder.stop("command")?;
        let _ = end.send(meta.end_ns.map(|end_ns| end_ns as i64));
        thread.join().map_err(|_| WatchError::State("the thread of the walk failed".into()))?;
        Ok(take(&shared, meta.stats.unwrap_or_default()))
    }
}

impl Drop for ExactWatch {
    fn drop(&mut self) {
        if self.running.is_some() {
            let _ = self.stop();
        }
    }
}

fn not_running() -> WatchError {
    WatchError::State("the watch does not run".into())
}

fn lock(shared: &Mutex<WatchFigures>) -> std::sync::MutexGuard<'_, WatchFigures> {
    shared.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn take(shared: &Mutex<WatchFigures>, recorder: Stats) -> WatchFigures {
    let mut figures = lock(shared);
    let finished = std::mem::take(&mut figures.finished);
    WatchFigures { finished, recorder, ..figures.clone() }
}

/// Walk over the frames as they arrive. At their end wait for when the recording ended.
fn walk_along(
    mut walk: RecordingWalk,
    frames: LiveFrames,
    ended: &Receiver<Option<i64>>,
    shared: &Mutex<WatchFigures>,
) -> Result<(), WatchError> {
    loop {
        match frames.next(LOOK) {
            Arrived::Frame(frame) => {
                if walk.push(frame)? {
                    publish(&mut walk, &frames, shared);
                }
            }
            Arrived::Nothing => {}
            Arrived::End => break,
        }
    }
    walk.end(ended.recv().ok().flatten())?;
    publish(&mut walk, &frames, shared);
    Ok(())
}

fn publish(walk: &mut RecordingWalk, frames: &LiveFrames, shared: &Mutex<WatchFigures>) {
    if let Some(check) = walk.check() {
        let (counters, finished) = (check.counters(), check.take_finished());
        lock(shared).add(counters, finished, frames.waiting_bytes());
    }
}
