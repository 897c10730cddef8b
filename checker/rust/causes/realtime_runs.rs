//! When each CPU ran threads of the real-time or deadline class. As `balancer_log`, kept while waste is under way.

use std::collections::VecDeque;

use crate::topology::CpuIx;

/// Runs kept per CPU; of more, the first are dropped.
const KEPT: usize = 256;

/// A thread of the real-time or deadline class ran.
#[derive(Clone, Copy, Debug)]
struct RealtimeRun {
    from: i64,
    until: i64,
    event: i64,
}

/// What a CPU ran for most of a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MostlyRan {
    /// Threads of the real-time or deadline class; the switch to the first.
    Realtime(i64),
    /// No such thread. `known`: the class of each that it ran is known.
    Lower { known: bool },
}

/// See the module.
#[derive(Debug)]
pub struct RealtimeRuns {
    runs: Vec<VecDeque<RealtimeRun>>,
    /// By CPU: since when the classes of what it runs are known; MAX: not now.
    known_since: Vec<i64>,
}

impl Default for RealtimeRuns {
    fn default() -> Self {
        Self::new(0)
    }
}

impl RealtimeRuns {
    /// Of so many CPUs.
    pub fn new(n: usize) -> Self {
        Self { runs: vec![VecDeque::new(); n], known_since: vec![i64::MAX; n] }
    }

    /// A CPU runs a thread of such a class from now on, or another one; None: which is not known.
    #[inline]
    pub fn switched(&mut self, cpu: CpuIx, to_realtime: Option<bool>, t: i64, event: i64, wasting: bool) {
        let at = cpu as usize;
        self.known_since[at] = to_realtime.map_or(i64::MAX, |_| self.known_since[at].min(t));
        let runs = &mut self.runs[at];
        if let Some(last) = runs.back_mut().filter(|last| last.until == i64::MAX) {
            last.until = t;
        }
        if to_realtime != Some(true) {
            return;
        }
        if !wasting {
            runs.clear();
        } else if runs.len() == KEPT {
            let dropped = runs.pop_front().map_or(t, |run| run.until);
            self.known_since[at] = self.known_since[at].max(dropped);
        }
        runs.push_back(RealtimeRun { from: t, until: i64::MAX, event });
    }

    /// What the CPU ran for more than half of the time.
    pub fn mostly(&self, cpu: CpuIx, from: i64, to: i64) -> MostlyRan {
        let at = cpu as usize;
        let overlap = |run: &RealtimeRun| run.until.min(to) - run.from.max(from);
        let ran: i64 = self.runs[at].iter().map(|run| overlap(run).max(0)).sum();
        let first = self.runs[at].iter().find(|run| overlap(run) > 0).map(|run| run.event);
        match first.filter(|_| 2 * ran > to - from) {
            Some(event) => MostlyRan::Realtime(event),
            None => MostlyRan::Lower { known: self.known_since[at] <= from },
        }
    }

    /// What ended before `cut` matters no longer.
    pub fn forget_before(&mut self, cut: i64) {
        for runs in &mut self.runs {
            while runs.front().is_some_and(|run| run.until < cut) {
                runs.pop_front();
            }
        }
    }
}
