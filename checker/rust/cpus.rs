//! What each CPU is doing and who waits on it.

use crate::self_checks::IdleBesideQueue;
use crate::threads::{SWAPPER, Utid};

/// One CPU as reconstructed.
#[derive(Clone, Debug)]
pub struct CpuState {
    pub online: bool,
    /// What runs is known; None before the first event that shows it, after losses, and while offline.
    pub current: Option<Utid>,
    /// Start of the slice under way (of whatever kind).
    pub since: i64,
    /// The latest time at which swapper may have run.
    pub idle_until: i64,
    /// Time for which it had counted as idle when that slice started, ns.
    pub idled_before: i64,
    /// Time since swapper began to run, in which more than one thread was queued, ns; and since when that is so.
    pub crowded_ns: i64,
    pub crowded_since: Option<i64>,
    /// Runnable threads queued here that have quota, in the order of arrival.
    pub queue: Vec<Utid>,
    /// While swapper runs: the thread that is about to run, which does not count as waiting.
    pub about: Option<Utid>,
    pub about_since: i64,
    /// Swapper runs while threads are queued here that the kernel would run.
    pub idles_beside: Option<IdleBesideQueue>,
    /// When the kernel asked it to reschedule, where the switch to come leaves idle late (table `idle_exit_late`).
    pub resched_requested: Option<i64>,
    /// It was once found running a thread that was not known to be there: while swapper runs, it is not known to be idle.
    pub doubted: bool,
    /// Its latest exit from idle was not reported.
    pub hides_exits: bool,
    /// After losses: no state is derived before the first switch at or after this time.
    pub blind_until: i64,
    /// A hotplug event took the CPU away. It still switches on its way down and up, but is of no use to the scheduler.
    pub taken_away: bool,
    /// End of the interrupt work under way, if any.
    pub irq_until: Option<i64>,
    /// Latest count of the kernel's own, `nr_running`, not yet compared.
    pub nr_running: Option<i32>,
    /// Row of `runqueue` under way: since, queued, running.
    pub row: (i64, i32, bool),
}

impl CpuState {
    pub fn new(online: bool) -> Self {
        Self {
            online,
            current: None,
            since: 0,
            idle_until: i64::MAX,
            idled_before: 0,
            crowded_ns: 0,
            crowded_since: None,
            queue: Vec::new(),
            about: None,
            about_since: 0,
            idles_beside: None,
            resched_requested: None,
            doubted: false,
            hides_exits: false,
            blind_until: i64::MIN,
            taken_away: false,
            irq_until: None,
            nr_running: None,
            row: (i64::MIN, 0, false),
        }
    }

    /// The CPU's state cannot be trusted now: events are being lost, or it was taken offline.
    pub fn is_blind(&self, now: i64) -> bool {
        self.taken_away || now < self.blind_until
    }

    /// Note whether swapper runs beside more than one queued thread: then the first is taken to be about to run.
    pub fn note_crowd(&mut self, now: i64) {
        let is_crowded = self.runs_swapper() && self.queue.len() > 1;
        if !is_crowded && let Some(since) = self.crowded_since.take() {
            self.crowded_ns += now - since;
        } else if is_crowded && self.crowded_since.is_none() {
            self.crowded_since = Some(now);
        }
    }

    /// The time noted, which starts anew.
    pub fn take_crowded_ns(&mut self, now: i64) -> i64 {
        let under_way = self.crowded_since.take().map_or(0, |since| now - since);
        std::mem::take(&mut self.crowded_ns) + under_way
    }

    /// Swapper is known to run.
    pub fn runs_swapper(&self) -> bool {
        self.current == Some(SWAPPER)
    }

    /// Idle in the sense of the invariant: online, observed, swapper runs, queue empty, nothing against believing it.
    pub fn is_idle(&self) -> bool {
        self.online && self.runs_swapper() && self.queue.is_empty() && !self.doubted
    }

    /// A thread other than swapper is known to run.
    pub fn is_running(&self) -> bool {
        self.current.is_some_and(|u| u != SWAPPER)
    }

    /// Runnable threads, the running one included.
    pub fn runnable(&self) -> i32 {
        self.queue.len() as i32 + i32::from(self.is_running())
    }
}
