//! Selects long pair intervals: a record is scanned part by part, soon after it was made, and of the pair intervals found
//! only those are kept that can matter to episodes that list their pairs. Of all others the first grade's steps are left.
//!
//! On a machine with many idle CPUs beside many queues, nearly all pair intervals are of the first grade, and there are
//! as many as CPUs times queues. Whether one is of that grade is known as soon as it is longer than that grade's τ.

use super::Chunk;
use super::pair_finder::{OpenPairs, PairFinder};
use super::pair_flow::{matching_over_time, step};
use crate::idle_wait_pair::IdleWaitPair;
use crate::waste_interval::Step;
use wastenot_topology::CpuBits;

/// Goes through the record of one interval. Between intervals it only keeps buffers.
#[derive(Default)]
pub struct PairFilter {
    finder: PairFinder,
    open: OpenPairs,
    /// The record has been gone through to here.
    reached: Option<i64>,
    /// Waste of the first grade over time, up to there.
    steps: Vec<Step>,
    /// Long pair intervals that ended before or there, and those that did not, as far as they are known.
    ended: Vec<IdleWaitPair>,
    ongoing: Vec<IdleWaitPair>,
}

impl PairFilter {
    /// Go through the chunk's record, where that has not been done, to its end or as far as all intervals longer than
    /// `shortest` are known; keep what `is_long`.
    pub fn advance<'a>(
        &mut self,
        chunk: &Chunk,
        shortest: i64,
        is_long: impl Fn(&IdleWaitPair) -> bool,
        allowed: &impl Fn(u32) -> &'a CpuBits,
    ) {
        let start = self.reached.unwrap_or(chunk.start);
        // What happens at the present instant may not be recorded yet.
        let cut = if chunk.ended { chunk.known } else { chunk.known - shortest.max(1) };
        if cut <= start {
            return;
        }
        let first = self.reached.map_or(0, |reached| chunk.ops.partition_point(|op| op.t <= reached));
        let part = Chunk { start, cut, ops: &chunk.ops[first..], pairs: &[], excused: &[], ..*chunk };
        self.finder.find(&part, shortest, &self.open, allowed);
        let steps = matching_over_time(&part, &self.finder, self.finder.pairs(), allowed);
        if steps.first().is_none_or(|s| s.from > start) {
            step(&mut self.steps, start, 0);
        }
        steps.iter().for_each(|s| step(&mut self.steps, s.from, s.value));
        self.open.clear();
        self.ongoing.clear();
        for p in self.finder.pairs().iter().filter(|p| p.from < cut) {
            let goes_on = p.to > cut;
            if goes_on {
                self.open.insert(p);
            }
            if is_long(p) {
                if goes_on { &mut self.ongoing } else { &mut self.ended }.push(*p);
            }
        }
        self.reached = Some(cut);
    }

    /// The long pair intervals that reach into the chunk and start before its cut. All of its record has been gone
    /// through.
    pub fn long(&self, chunk: &Chunk) -> impl Iterator<Item = &IdleWaitPair> {
        self.ended.iter().chain(&self.ongoing).filter(|p| p.from < chunk.cut)
    }

    /// Waste of the first grade up to the chunk's cut.
    pub fn steps(&self, chunk: &Chunk) -> &[Step] {
        &self.steps[..self.steps.partition_point(|s| s.from < chunk.cut)]
    }

    /// A finder that knows the changes of the chunk's queues.
    pub fn finder(&mut self, chunk: &Chunk) -> &PairFinder {
        self.finder.sort_ops(chunk);
        &self.finder
    }

    /// The chunk is graded; the interval goes on.
    pub fn cut_before(&mut self, cut: i64) {
        self.ended.retain(|p| p.to > cut);
        let later = self.steps.partition_point(|s| s.from <= cut);
        // The state at the cut is the state from there on.
        self.steps.drain(..later.saturating_sub(1));
        if let Some(first) = self.steps.first_mut() {
            first.from = first.from.max(cut);
        }
    }

    /// The interval has ended.
    pub fn clear(&mut self) {
        self.open.clear();
        self.reached = None;
        self.steps.clear();
        self.ended.clear();
        self.ongoing.clear();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::input_change::InputChange;
    use crate::topology::CpuIx;
    use crate::waste_interval::WasteInterval;

    const CPUS: usize = 70;
    const SHORTEST: i64 = 5;

    /// A change: how long after the one before, and which CPU or queue is added or removed.
    type RandomChange = (i64, bool, CpuIx);

    /// A long pair interval: idle CPU, queue, start, end.
    type LongPair = (CpuIx, CpuIx, i64, i64);

    /// What is left of a record when it is gone through at those places, as far as the end is far enough away.
    fn filtered(changes: &[RandomChange], cuts: &[usize]) -> (Vec<LongPair>, Vec<Step>) {
        let everything = CpuBits::all(CPUS);
        let (mut interval, mut filter, mut idle) =
            (WasteInterval::default(), PairFilter::default(), CpuBits::new(CPUS));
        let mut waiting = [false; CPUS];
        interval.last_for(0, 1, 1, 1, &[]);
        let mut now = 1;
        let go_through = |filter: &mut PairFilter, interval: &WasteInterval, idle: &CpuBits, now: i64, ended: bool| {
            let (cut, known) = (now, now);
            let (ops, pairs, excused) = (&interval.ops[..], &[][..], &[][..]);
            let (waiting, idle_now) = (&interval.waiting, idle);
            let start_event = None;
            let n_cpus = CPUS;
            let chunk =
                Chunk { start: 0, start_event, cut, known, ended, ops, pairs, excused, n_cpus, idle_now, waiting };
            filter.advance(&chunk, SHORTEST, |p| p.length() > 3 * SHORTEST, &|_| &everything);
            let long: Vec<_> = filter.long(&chunk).map(|p| (p.idle, p.queue, p.from, p.to)).collect();
            (long, filter.steps(&chunk).to_vec())
        };
        for (at, &(later, is_cpu, which)) in changes.iter().enumerate() {
            now += later;
            if cuts.contains(&at) {
                go_through(&mut filter, &interval, &idle, now, false);
            }
            if is_cpu {
                let arrival = idle.insert(u32::from(which)) || !idle.remove(u32::from(which));
                interval.log(InputChange::cpu(arrival, now, 0, which));
            } else {
                waiting[which as usize] = !waiting[which as usize];
                interval.log(InputChange::waiter(waiting[which as usize], now, 0, 0, which));
            }
        }
        let (mut long, mut steps) = go_through(&mut filter, &interval, &idle, now + 1, true);
        long.sort_unstable();
        // A first step of 0 changes nothing: left out.
        steps.retain(|s| s.value > 0 || s.from > 0);
        (long, steps)
    }

    proptest! {
        #[test]
        fn steps_leave_what_one_pass_over_the_whole_record_leaves(
            changes in prop::collection::vec((0i64..4, any::<bool>(), 60u16..70), 1..200),
            cuts in prop::collection::vec(0usize..200, 0..8),
        ) {
            prop_assert_eq!(filtered(&changes, &cuts), filtered(&changes, &[]));
        }
    }
}
