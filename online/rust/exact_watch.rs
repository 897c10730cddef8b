//! This machine, recorded and checked at once.

use crate::error::WatchError;
use crate::json::{episode_to_json, waits_to_json, without_waits};
use crate::options::WatchOptions;
use crate::recording_walk::RecordingWalk;
use crate::thread_time::thread_cpu_ns;
use serde_json::{Value, json};
use std::collections::{HashSet, VecDeque};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use wastenot_checker::{Counters, FinishedEpisode, LedgerRow};
use wastenot_ebpf::{Arrived, EbpfRecorder, LiveFrames, Meta, Stats};

/// Episodes that wait to be taken; of more the oldest are dropped, and counted.
const MOST_EPISODES: usize = 1 << 14;
/// The figures are taken from the walk after so many times what taking them cost.
const REST: u32 = 49;
/// The walk looks this often whether it shall end.
const LOOK: Duration = Duration::from_millis(100);

/// Figures of a watch.
#[derive(Clone, Debug, Default)]
pub struct WatchFigures {
    pub counters: Counters,
    /// Episodes that ended since the figures were last asked for, and how many others were dropped.
    pub finished: VecDeque<FinishedEpisode>,
    pub dropped_episodes: u64,
    /// Cgroups that were forgotten since the figures were last asked for: their waits are no longer among the counters.
    pub forgotten_cgroups: Vec<i64>,
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
    fn add(&mut self, counters: Counters, finished: Vec<FinishedEpisode>, forgotten: Vec<i64>, waiting_bytes: usize) {
        self.counters = counters;
        self.forgotten_cgroups.extend(forgotten);
        self.finished.extend(finished);
        while self.finished.len() > MOST_EPISODES {
            self.finished.pop_front();
            self.dropped_episodes += 1;
        }
        (self.waiting_bytes, self.walk_cpu_ns) = (waiting_bytes, thread_cpu_ns());
    }

    /// The counters with `finished`, and the watch's own figures beside them.
    pub fn to_json(&self) -> Value {
        let mut all = self.without_waits();
        all["waits"] = waits_to_json(&self.counters.waits);
        all
    }

    /// As [`Self::to_json`], with what the rows of the wait ledger have more than `before` in place of the rows.
    fn to_json_since(&self, before: &[LedgerRow]) -> Value {
        let mut all = self.without_waits();
        all["new_waits"] = waits_to_json(&grown(before, &self.counters.waits));
        all
    }

    fn without_waits(&self) -> Value {
        let mut all = without_waits(&self.counters);
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

/// What the rows of `now` have more than the same rows of `before`, both in order. Less than nothing where a wait was taken back.
fn grown(before: &[LedgerRow], now: &[LedgerRow]) -> Vec<LedgerRow> {
    let key = |row: &LedgerRow| LedgerRow { ns: 0, ..*row };
    let mut before = before.iter().peekable();
    let mut rows = Vec::new();
    for row in now {
        while let Some(gone) = before.next_if(|was| key(was) < key(row)) {
            rows.push(LedgerRow { ns: -gone.ns, ..*gone });
        }
        let was = before.next_if(|was| key(was) == key(row)).map_or(0, |was| was.ns);
        if row.ns != was {
            rows.push(LedgerRow { ns: row.ns - was, ..*row });
        }
    }
    rows.extend(before.map(|gone| LedgerRow { ns: -gone.ns, ..*gone }));
    rows
}

/// Watches this machine. Dropping it ends the watch.
pub struct ExactWatch {
    options: WatchOptions,
    running: Option<RunningWatch>,
    /// Rows of the wait ledger as [`Self::figures_since`] reported them last.
    reported: Vec<LedgerRow>,
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
        Self { options, running: None, reported: Vec::new() }
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
        self.reported.clear();
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

    /// [`Self::figures`] as JSON, with what the wait ledger has more than when this was called last: of ten thousand cgroups few
    /// have waited since.
    pub fn figures_since(&mut self) -> Result<Value, WatchError> {
        let mut figures = self.figures()?;
        let forgotten: HashSet<i64> = figures.forgotten_cgroups.iter().copied().collect();
        self.reported.retain(|row| row.cgroup.is_none_or(|id| !forgotten.contains(&id)));
        let all = figures.to_json_since(&self.reported);
        self.reported = std::mem::take(&mut figures.counters.waits);
        Ok(all)
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
    let forgotten_cgroups = std::mem::take(&mut figures.forgotten_cgroups);
    WatchFigures { finished, forgotten_cgroups, recorder, ..figures.clone() }
}

/// Walk over the frames as they arrive. At their end wait for when the recording ended.
fn walk_along(
    mut walk: RecordingWalk,
    frames: LiveFrames,
    ended: &Receiver<Option<i64>>,
    shared: &Mutex<WatchFigures>,
) -> Result<(), WatchError> {
    let mut due = Instant::now();
    loop {
        match frames.next(LOOK) {
            Arrived::Frame(frame) => {
                let has_moved = walk.push(frame)?;
                let now = Instant::now();
                if has_moved && now >= due {
                    publish(&mut walk, &frames, shared);
                    due = Instant::now() + now.elapsed() * REST;
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
        let (counters, finished, forgotten) = (check.counters(), check.take_finished(), check.take_forgotten_cgroups());
        lock(shared).add(counters, finished, forgotten, frames.waiting_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(cgroup: i64, reason: u8, ns: i64) -> LedgerRow {
        LedgerRow { cgroup: Some(cgroup), reason, excuse: None, culprit: None, ns }
    }

    #[test]
    fn rows_that_changed_are_reported_with_what_they_have_more() {
        let before = [row(1, 0, 10), row(1, 2, 5), row(3, 0, 7)];
        let now = [row(1, 0, 10), row(1, 2, 9), row(2, 0, 4), row(4, 1, 1)];
        assert_eq!(grown(&before, &now), [row(1, 2, 4), row(2, 0, 4), row(3, 0, -7), row(4, 1, 1)]);
        assert_eq!(grown(&now, &now), []);
        assert_eq!(grown(&[], &before), before);
        assert_eq!(grown(&before, &[]), [row(1, 0, -10), row(1, 2, -5), row(3, 0, -7)]);
    }
}
