//! What is long enough: a record is gone through bite by bite, soon after it was made, and of the pair intervals found
//! only those are kept that can matter to episodes that list their pairs. Of all others the first grade's steps are left.
//!
//! On a machine with many idle CPUs beside many queues, nearly all pair intervals are of the first grade, and there are
//! as many as CPUs times queues. Whether one is of that grade is known as soon as it is longer than that grade's τ.

use super::Chunk;
use super::edge_flow::{matching_over_time, step};
use super::pairs::{Carried, Pair, PairFinder};
use crate::matching::CpuBits;
use crate::spells::Step;

/// Goes through the record of one spell. What it holds between spells are buffers.
#[derive(Default)]
pub struct Sieve {
    finder: PairFinder,
    carried: Carried,
    /// The record has been gone through to here.
    reached: Option<i64>,
    /// Waste of the first grade over time, up to there.
    steps: Vec<Step>,
    /// Long pair intervals that ended before or there, and those that did not, as far as they are known.
    ended: Vec<Pair>,
    standing: Vec<Pair>,
}

impl Sieve {
    /// Go through the chunk's record, where that has not been done, to its end or as far as all intervals longer than
    /// `shortest` are known; keep what `is_long`.
    pub fn bite<'a>(
        &mut self,
        chunk: &Chunk,
        shortest: i64,
        is_long: impl Fn(&Pair) -> bool,
        allowed: &impl Fn(u32) -> &'a CpuBits,
    ) {
        let start = self.reached.unwrap_or(chunk.start);
        // What happens at the present instant may not be recorded yet.
        let cut = if chunk.ended { chunk.known } else { chunk.known - shortest.max(1) };
        if cut <= start {
            return;
        }
        let first = self.reached.map_or(0, |reached| chunk.ops.partition_point(|op| op.t <= reached));
        let bite = Chunk { start, cut, ops: &chunk.ops[first..], pairs: &[], excused: &[], ..*chunk };
        self.finder.find(&bite, shortest, &self.carried, allowed);
        let steps = matching_over_time(&bite, &self.finder, self.finder.found(), allowed);
        if steps.first().is_none_or(|s| s.from > start) {
            step(&mut self.steps, start, 0);
        }
        steps.iter().for_each(|s| step(&mut self.steps, s.from, s.value));
        self.carried.clear();
        self.standing.clear();
        for p in self.finder.found().iter().filter(|p| p.from < cut) {
            let goes_on = p.to > cut;
            if goes_on {
                self.carried.insert(p);
            }
            if is_long(p) {
                if goes_on { &mut self.standing } else { &mut self.ended }.push(*p);
            }
        }
        self.reached = Some(cut);
    }

    /// The long pair intervals that reach into the chunk and begin before its cut. All of its record has been gone
    /// through.
    pub fn long(&self, chunk: &Chunk) -> impl Iterator<Item = &Pair> {
        self.ended.iter().chain(&self.standing).filter(|p| p.from < chunk.cut)
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

    /// The chunk is graded; the spell goes on.
    pub fn cut_before(&mut self, cut: i64) {
        self.ended.retain(|p| p.to > cut);
        let later = self.steps.partition_point(|s| s.from <= cut);
        // What held at the cut holds from there on.
        self.steps.drain(..later.saturating_sub(1));
        if let Some(first) = self.steps.first_mut() {
            first.from = first.from.max(cut);
        }
    }

    /// The spell has ended.
    pub fn clear(&mut self) {
        self.carried.clear();
        self.reached = None;
        self.steps.clear();
        self.ended.clear();
        self.standing.clear();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::spells::{Op, Spell};
    use crate::topology::CpuIx;

    const CPUS: usize = 70;
    const SHORTEST: i64 = 5;

    /// A change: how long after the one before, and which of the CPUs or queues goes or comes.
    type Change = (i64, bool, CpuIx);

    /// A long pair interval: idle CPU, queue, begin, end.
    type Long = (CpuIx, CpuIx, i64, i64);

    /// What is left of a record when it is gone through at those places, as far as the end is far enough away.
    fn sifted(changes: &[Change], bites: &[usize]) -> (Vec<Long>, Vec<Step>) {
        let everything = CpuBits::all(CPUS);
        let (mut spell, mut sieve, mut idle) = (Spell::default(), Sieve::default(), CpuBits::new(CPUS));
        let mut waiting = [false; CPUS];
        spell.last_for(0, 1, 1, 1, &[]);
        let mut now = 1;
        let go_through = |sieve: &mut Sieve, spell: &Spell, idle: &CpuBits, now: i64, ended: bool| {
            let (cut, known) = (now, now);
            let (ops, pairs, excused) = (&spell.ops[..], &[][..], &[][..]);
            let (waiting, idle_now) = (&spell.waiting, idle);
            let start_event = None;
            let n_cpus = CPUS;
            let chunk =
                Chunk { start: 0, start_event, cut, known, ended, ops, pairs, excused, n_cpus, idle_now, waiting };
            sieve.bite(&chunk, SHORTEST, |p| p.length() > 3 * SHORTEST, &|_| &everything);
            let long: Vec<_> = sieve.long(&chunk).map(|p| (p.idle, p.queue, p.from, p.to)).collect();
            (long, sieve.steps(&chunk).to_vec())
        };
        for (at, &(later, is_cpu, which)) in changes.iter().enumerate() {
            now += later;
            if bites.contains(&at) {
                go_through(&mut sieve, &spell, &idle, now, false);
            }
            if is_cpu {
                let came = idle.insert(u32::from(which)) || !idle.remove(u32::from(which));
                spell.log(Op::cpu(came, now, 0, which));
            } else {
                waiting[which as usize] = !waiting[which as usize];
                spell.log(Op::waiter(waiting[which as usize], now, 0, 0, which));
            }
        }
        let (mut long, mut steps) = go_through(&mut sieve, &spell, &idle, now + 1, true);
        long.sort_unstable();
        // A step that changes nothing says nothing.
        steps.retain(|s| s.value > 0 || s.from > 0);
        (long, steps)
    }

    proptest! {
        #[test]
        fn bites_leave_what_one_look_at_the_whole_leaves(
            changes in prop::collection::vec((0i64..4, any::<bool>(), 60u16..70), 1..200),
            bites in prop::collection::vec(0usize..200, 0..8),
        ) {
            prop_assert_eq!(sifted(&changes, &bites), sifted(&changes, &[]));
        }
    }
}
