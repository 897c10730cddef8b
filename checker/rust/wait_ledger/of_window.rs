//! The ledger of a window: of the waits on some CPUs, or of some threads, from one instant to another.

use super::{LedgerRow, WaitLedger};
use crate::threads::Utid;
use crate::topology::CpuIx;
use wastenot_topology::CpuBits;

/// Which waits are counted. None: all.
#[derive(Clone, Default)]
pub struct CountedWaits {
    /// Those on the queues of these CPUs.
    pub cpus: Option<CpuBits>,
    /// Those of the threads with these numbers (`utid` in tables), in order.
    pub threads: Option<Vec<u32>>,
}

impl CountedWaits {
    fn counts(&self, number: u32, cpu: CpuIx) -> bool {
        self.cpus.as_ref().is_none_or(|cpus| cpus.contains(u32::from(cpu)))
            && self.threads.as_ref().is_none_or(|threads| threads.binary_search(&number).is_ok())
    }
}

/// What was counted in a window.
#[derive(Clone, Debug, Default)]
pub struct WindowLedger {
    pub rows: Vec<LedgerRow>,
    /// Of them time of threads that did not wait then, by later events of the window, ns.
    pub refuted_ns: i64,
}

#[derive(Clone)]
pub(super) struct LedgerWindow {
    start_ns: i64,
    end_ns: i64,
    counted: CountedWaits,
    /// What was counted, once the window is over.
    found: Option<WindowLedger>,
}

impl WaitLedger {
    /// Count these waits from `start_ns` to `end_ns` alone.
    pub fn count_window(&mut self, start_ns: i64, end_ns: i64, counted: CountedWaits) {
        self.is_kept = false;
        self.window = Some(Box::new(LedgerWindow { start_ns, end_ns, counted, found: None }));
    }

    /// What was counted in the window; up to `now` if it is not over then.
    pub fn take_window(&mut self, now: i64) -> WindowLedger {
        let found = self.window.take().and_then(|window| window.found);
        found.unwrap_or_else(|| {
            let rows = if self.is_kept { self.rows(now) } else { Vec::new() };
            WindowLedger { rows, refuted_ns: self.refuted_ns }
        })
    }

    /// True when the window begins before `until`: the ledger is kept from then on.
    pub fn begin_window(&mut self, until: i64) -> bool {
        let begins = self.window.as_ref().is_some_and(|window| window.found.is_none() && window.start_ns < until);
        self.is_kept |= begins;
        begins
    }

    /// Take what was counted if the window ends up to `until`, before which nothing changes.
    #[inline]
    pub fn end_window(&mut self, until: i64) {
        if self.window.is_some() {
            self.end_window_by(until);
        }
    }

    #[cold]
    fn end_window_by(&mut self, until: i64) {
        let Some(window) = &self.window else { return };
        if self.is_kept && window.end_ns <= until {
            let found = WindowLedger { rows: self.rows(window.end_ns), refuted_ns: self.refuted_ns };
            self.is_kept = false;
            self.window.as_mut().expect("it was there").found = Some(found);
        }
    }

    /// Since when time is counted of what is so since `from`.
    #[inline]
    pub fn counted_since(&self, from: i64) -> i64 {
        self.window.as_ref().map_or(from, |window| from.max(window.start_ns))
    }

    /// Note whether waits of the thread, given with its number, on the queue of `cpu` are counted.
    #[inline]
    pub fn note_whether_counted(&mut self, (number, utid): (u32, Utid), cpu: CpuIx) {
        if let Some(window) = &self.window {
            let is_left_out = !window.counted.counts(number, cpu);
            self.thread(utid).is_left_out = is_left_out;
        }
    }
}
