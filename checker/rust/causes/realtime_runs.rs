//! When each CPU ran threads of the real-time or deadline class. As `balancer_log`, kept while waste is under way.

use std::collections::VecDeque;

use crate::topology::CpuIx;

/// Runs kept per CPU; of more, the first are taken for not known.
const KEPT: usize = 256;

/// A thread of the real-time or deadline class ran, or it is not known which did.
#[derive(Clone, Copy, Debug)]
struct Run {
    from: i64,
    until: i64,
    event: i64,
    known: bool,
}

/// What a CPU ran for most of a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MostlyRan {
    /// Threads of the real-time or deadline class; the event at which the first began.
    Realtime(i64),
    /// Threads of other classes, or none.
    Lower,
    Unknown,
}

/// The runs of a CPU; what is in none was of another class.
#[derive(Clone, Debug)]
struct CpuRuns {
    runs: VecDeque<Run>,
    /// When the latest began, or ended.
    changed: i64,
}

/// See the module.
#[derive(Debug, Default)]
pub struct RealtimeRuns(Vec<CpuRuns>);

impl RealtimeRuns {
    /// Of so many CPUs, of which nothing is known yet.
    pub fn new(n: usize) -> Self {
        let unknown = Run { from: i64::MIN, until: i64::MAX, event: 0, known: false };
        Self(vec![CpuRuns { runs: VecDeque::from([unknown]), changed: i64::MIN }; n])
    }

    /// A CPU runs a thread of such a class from now on, or another one; None: which is not known.
    #[inline]
    pub fn switched(&mut self, cpu: CpuIx, to_realtime: Option<bool>, t: i64, event: i64, wasting: bool) {
        let of = &mut self.0[cpu as usize];
        if let Some(last) = of.runs.back_mut().filter(|last| last.until == i64::MAX) {
            last.until = t;
        }
        of.changed = t;
        if to_realtime != Some(false) {
            of.push(Run { from: t, until: i64::MAX, event, known: to_realtime.is_some() }, wasting);
        }
    }

    /// What the CPU has run since the latest change is not what was taken to run there.
    pub fn doubt(&mut self, cpu: CpuIx, t: i64, event: i64) {
        let of = &mut self.0[cpu as usize];
        if let Some(last) = of.runs.back_mut().filter(|last| last.until == i64::MAX) {
            last.known = false;
        } else {
            of.push(Run { from: of.changed, until: t, event, known: false }, true);
        }
    }

    /// What the CPU ran for more than half of the time.
    pub fn mostly(&self, cpu: CpuIx, from: i64, to: i64) -> MostlyRan {
        let runs = &self.0[cpu as usize].runs;
        let overlap = |run: &Run| (run.until.min(to) - run.from.max(from)).max(0);
        let sum = |known: bool| runs.iter().filter(|run| run.known == known).map(overlap).sum::<i64>();
        let (realtime, unknown) = (sum(true), sum(false));
        let first = runs.iter().find(|run| run.known && overlap(run) > 0).map(|run| run.event);
        match first.filter(|_| 2 * realtime > to - from) {
            Some(event) => MostlyRan::Realtime(event),
            None if 2 * (to - from - realtime - unknown) > to - from => MostlyRan::Lower,
            None => MostlyRan::Unknown,
        }
    }

    /// What ended before `cut` matters no longer.
    pub fn forget_before(&mut self, cut: i64) {
        for of in &mut self.0 {
            while of.runs.front().is_some_and(|run| run.until < cut) {
                of.runs.pop_front();
            }
        }
    }
}

impl CpuRuns {
    fn push(&mut self, run: Run, wasting: bool) {
        if !wasting {
            self.runs.clear();
        } else if self.runs.len() == KEPT
            && let Some(dropped) = self.runs.pop_front()
            && let Some(first) = self.runs.front_mut()
        {
            (first.from, first.known) = (dropped.from, false);
        }
        self.runs.push_back(run);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_more_runs_than_are_kept_the_first_are_not_known() {
        let mut runs = RealtimeRuns::new(1);
        runs.switched(0, Some(false), 0, 0, true);
        for t in 0..400 {
            runs.switched(0, Some(t % 2 == 0), 10 * t, t, true);
        }
        assert_eq!(runs.mostly(0, 3000, 3010), MostlyRan::Realtime(300));
        assert_eq!(runs.mostly(0, 3010, 3020), MostlyRan::Lower);
        runs = RealtimeRuns::new(1);
        for t in 0..2000 {
            runs.switched(0, Some(t % 2 == 0), 10 * t, t, true);
        }
        assert_eq!(runs.mostly(0, 10, 20), MostlyRan::Unknown);
        assert_eq!(runs.mostly(0, 19_990, 20_000), MostlyRan::Lower);
    }

    #[test]
    fn what_was_taken_to_run_and_did_not_is_not_known() {
        let mut runs = RealtimeRuns::new(1);
        runs.switched(0, Some(false), 0, 0, true);
        runs.doubt(0, 100, 7);
        assert_eq!(runs.mostly(0, 20, 80), MostlyRan::Unknown);
        runs.switched(0, Some(true), 100, 7, true);
        assert_eq!(runs.mostly(0, 90, 120), MostlyRan::Realtime(7));
        runs.doubt(0, 130, 8);
        assert_eq!(runs.mostly(0, 90, 120), MostlyRan::Unknown);
    }
}
