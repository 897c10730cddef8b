//! wasted_τ over time: the maximum matching over pairs that lasted, updated as pairs and waiters are added and removed.

use super::Chunk;
use super::pair_finder::PairFinder;
use crate::idle_wait_pair::IdleWaitPair;
use crate::input_change::ChangedInput;
use crate::topology::CpuIx;
use crate::waste_interval::Step;
use wastenot_topology::CpuBits;

/// A pair is added or removed.
#[derive(Clone, Copy)]
struct PairChange {
    t: i64,
    idle: CpuIx,
    queue: CpuIx,
    on: bool,
}

/// wasted_τ over the chunk as a step function, given the pair intervals longer than τ; `finder` knows the changes of its
/// queues.
pub fn matching_over_time<'a>(
    chunk: &Chunk,
    finder: &PairFinder,
    pairs: &[IdleWaitPair],
    allowed: &impl Fn(u32) -> &'a CpuBits,
) -> Vec<Step> {
    if pairs.is_empty() {
        return Vec::new();
    }
    let mut changes = Vec::with_capacity(2 * pairs.len());
    for &IdleWaitPair { idle, queue, from, to } in pairs.iter().filter(|p| p.from < chunk.cut) {
        changes.push(PairChange { t: from.max(chunk.start), idle, queue, on: true });
        if to < chunk.cut {
            changes.push(PairChange { t: to, idle, queue, on: false });
        }
    }
    sort_by_time(&mut changes);
    by_degrees(&changes, chunk.n_cpus).unwrap_or_else(|| by_flow(&changes, chunk, finder, allowed))
}

/// Sort changes by their time. Many, as on machines with many CPUs, are sorted by radix: the time that a record spans
/// has few digits, and the outcome of a comparison cannot be predicted.
fn sort_by_time(changes: &mut Vec<PairChange>) {
    const DIGIT: u32 = 11;
    const MANY: usize = 1 << 10;
    if changes.len() < MANY {
        changes.sort_unstable_by_key(|c| c.t);
        return;
    }
    let first = changes.iter().map(|c| c.t).min().unwrap_or(0);
    let after = |c: &PairChange| c.t.wrapping_sub(first) as u64;
    let span = changes.iter().map(after).max().unwrap_or(0);
    let mut sorted = changes.clone();
    let mut places = vec![0u32; 1 << DIGIT];
    for shift in (0..u64::BITS - span.leading_zeros()).step_by(DIGIT as usize) {
        let digit = |c: &PairChange| (after(c) >> shift) as usize & ((1 << DIGIT) - 1);
        places.fill(0);
        changes.iter().for_each(|c| places[digit(c)] += 1);
        let mut sum = 0;
        for place in &mut places {
            sum += std::mem::replace(place, sum);
        }
        for c in changes.iter() {
            let place = &mut places[digit(c)];
            sorted[*place as usize] = *c;
            *place += 1;
        }
        std::mem::swap(changes, &mut sorted);
    }
}

/// Add a step where the value changes.
pub fn step(steps: &mut Vec<Step>, from: i64, value: u32) {
    if steps.last().is_none_or(|s| s.value != value) {
        steps.push(Step { from, value });
    }
}

/// The steps where counting is enough: while each of n CPUs with pairs has pairs to n queues or more, all can be matched, for
/// every queue with a pair holds a waiter that may use it. None when that does not hold throughout.
fn by_degrees(changes: &[PairChange], n_cpus: usize) -> Option<Vec<Step>> {
    let mut degree = vec![0u32; n_cpus];
    let mut with_pairs: Vec<CpuIx> = Vec::new();
    let mut steps = Vec::new();
    for at_once in changes.chunk_by(|a, b| a.t == b.t) {
        for &PairChange { idle, on, .. } in at_once {
            let degree = &mut degree[idle as usize];
            if *degree == 0 {
                with_pairs.push(idle);
            }
            *degree = if on { *degree + 1 } else { *degree - 1 };
            if *degree == 0 {
                with_pairs.retain(|c| *c != idle);
            }
        }
        let n = with_pairs.len() as u32;
        if with_pairs.iter().any(|&cpu| degree[cpu as usize] < n) {
            return None;
        }
        step(&mut steps, at_once[0].t, n);
    }
    Some(steps)
}

/// The steps by a flow from the waiters of the queues concerned to the idle CPUs.
fn by_flow<'a>(
    changes: &[PairChange],
    chunk: &Chunk,
    finder: &PairFinder,
    allowed: &impl Fn(u32) -> &'a CpuBits,
) -> Vec<Step> {
    let mut concerned: Vec<CpuIx> = changes.iter().map(|c| c.queue).collect();
    concerned.sort_unstable();
    concerned.dedup();
    let mut place = vec![None; chunk.n_cpus];
    let mut flow = PairFlow::new(chunk.n_cpus, concerned.len());
    let mut classes = Vec::new();
    for (at, &queue) in concerned.iter().enumerate() {
        place[queue as usize] = Some(at);
        finder.waiting_at_start(queue, chunk, &mut classes);
        classes.iter().for_each(|&(class, n)| flow.count(at, class, n, allowed));
    }
    let mut ops = chunk.ops.iter().filter(|op| op.t < chunk.cut).peekable();
    let mut changes = changes.iter().peekable();
    let mut steps = Vec::new();
    loop {
        let next = [changes.peek().map(|c| c.t), ops.peek().map(|op| op.t)].into_iter().flatten().min();
        let Some(t) = next else { return steps };
        while let Some(c) = changes.next_if(|c| c.t == t) {
            flow.set_pair(c.idle, place[c.queue as usize].expect("queues of pairs are concerned"), c.on);
        }
        while let Some(op) = ops.next_if(|op| op.t == t) {
            if let ChangedInput::Waiter { class, queue } = op.what
                && let Some(at) = place[queue as usize]
            {
                flow.count(at, class, if op.added { 1 } else { -1 }, allowed);
            }
        }
        step(&mut steps, t, flow.settle());
    }
}

/// Waiters of one class on one queue.
struct WaiterGroup {
    queue: usize,
    allowed: CpuBits,
    waiting: i32,
    matched: i32,
    /// In the search under way: the CPU that led here, if the group has no unmatched waiter itself.
    through: u32,
    /// Number of the last search that visited the group.
    met: u64,
}

const NO_GROUP: u32 = u32::MAX;

/// A maximum matching between idle CPUs and groups of waiters. A group may use the CPUs that its mask allows and that have a
/// lasting pair with its queue. Changes are collected, then `settle` repairs the matching by augmenting paths.
struct PairFlow {
    /// Per queue: CPUs with a lasting pair.
    pairs: Vec<CpuBits>,
    groups: Vec<WaiterGroup>,
    /// Per queue: its groups by class.
    by_class: Vec<Vec<(u32, u32)>>,
    /// Group each CPU serves.
    serves: Vec<u32>,
    size: u32,
    /// Groups with an unmatched waiter: flags, and how many.
    wants: Vec<bool>,
    wanting: usize,
    /// Groups that may have more waiters matched than there are.
    shrunk: Vec<u32>,
    /// Pairs each CPU has, and how many CPUs with pairs serve no waiter: without one, no path can end.
    pair_count: Vec<u32>,
    open_cpus: u32,
    /// A pair or waiter was added, so that the matching may grow.
    grew: bool,
    // Buffers of the search.
    search: u64,
    reached_from: Vec<u32>,
    seen: Vec<u64>,
    frontier: Vec<u32>,
}

impl PairFlow {
    fn new(n_cpus: usize, queues: usize) -> Self {
        Self {
            pairs: vec![CpuBits::new(n_cpus); queues],
            groups: Vec::new(),
            by_class: vec![Vec::new(); queues],
            serves: vec![NO_GROUP; n_cpus],
            size: 0,
            wants: Vec::new(),
            wanting: 0,
            shrunk: Vec::new(),
            pair_count: vec![0; n_cpus],
            open_cpus: 0,
            grew: false,
            search: 0,
            reached_from: vec![NO_GROUP; n_cpus],
            seen: vec![0; n_cpus.div_ceil(64)],
            frontier: Vec::new(),
        }
    }

    fn set_pair(&mut self, idle: CpuIx, queue: usize, on: bool) {
        let (bits, cpu) = (&mut self.pairs[queue], idle as usize);
        if on {
            bits.insert(u32::from(idle));
            self.pair_count[cpu] += 1;
            self.open_cpus += u32::from(self.pair_count[cpu] == 1);
            self.grew = true;
            return;
        }
        bits.remove(u32::from(idle));
        let group = self.serves[cpu];
        if group != NO_GROUP && self.groups[group as usize].queue == queue {
            self.release(cpu);
        }
        self.pair_count[cpu] -= 1;
        self.open_cpus -= u32::from(self.pair_count[cpu] == 0);
    }

    fn release(&mut self, cpu: usize) {
        let group = std::mem::replace(&mut self.serves[cpu], NO_GROUP);
        self.groups[group as usize].matched -= 1;
        self.size -= 1;
        self.open_cpus += 1;
        self.grew = true;
        self.note_want(group);
    }

    fn note_want(&mut self, group: u32) {
        let g = &self.groups[group as usize];
        let wants = g.waiting > g.matched;
        let wanted = std::mem::replace(&mut self.wants[group as usize], wants);
        self.wanting = self.wanting + usize::from(wants) - usize::from(wanted);
    }

    fn count<'a>(&mut self, queue: usize, class: u32, n: i32, allowed: &impl Fn(u32) -> &'a CpuBits) {
        let known = self.by_class[queue].iter().find(|(c, _)| *c == class);
        let group = known.map_or(self.groups.len() as u32, |(_, group)| *group);
        if known.is_none() {
            let allowed = allowed(class).clone();
            self.groups.push(WaiterGroup { queue, allowed, waiting: 0, matched: 0, through: NO_GROUP, met: 0 });
            self.wants.push(false);
            self.by_class[queue].push((class, group));
        }
        self.groups[group as usize].waiting += n;
        self.note_want(group);
        if n < 0 {
            self.shrunk.push(group);
        } else {
            self.grew = true;
        }
    }

    /// Make the matching maximum again. Returns its size.
    fn settle(&mut self) -> u32 {
        while let Some(group) = self.shrunk.pop() {
            while self.groups[group as usize].matched > self.groups[group as usize].waiting {
                let cpu = self.serves.iter().position(|&s| s == group).expect("a matched waiter has a CPU");
                self.release(cpu);
            }
        }
        if std::mem::take(&mut self.grew) {
            while self.open_cpus > 0 && self.wanting > 0 && self.augment() {}
        }
        self.size
    }

    /// Search from every group with an unmatched waiter for a CPU that serve no waiter; shift along the path found.
    fn augment(&mut self) -> bool {
        self.search += 1;
        self.seen.fill(0);
        self.frontier.clear();
        for (group, _) in self.wants.iter().enumerate().filter(|(_, wants)| **wants) {
            let g = &mut self.groups[group];
            (g.through, g.met) = (NO_GROUP, self.search);
            self.frontier.push(group as u32);
        }
        let mut at = 0;
        while at < self.frontier.len() {
            let group = self.frontier[at];
            at += 1;
            for word in 0..self.seen.len() {
                let g = &self.groups[group as usize];
                let mut new = g.allowed.words()[word] & self.pairs[g.queue].words()[word] & !self.seen[word];
                self.seen[word] |= new;
                while new != 0 {
                    let cpu = word * 64 + new.trailing_zeros() as usize;
                    new &= new - 1;
                    self.reached_from[cpu] = group;
                    let served = self.serves[cpu];
                    if served == NO_GROUP {
                        self.open_cpus -= 1;
                        self.shift_to(cpu);
                        return true;
                    }
                    let g = &mut self.groups[served as usize];
                    if g.met != self.search {
                        (g.through, g.met) = (cpu as u32, self.search);
                        self.frontier.push(served);
                    }
                }
            }
        }
        false
    }

    /// Let each CPU on the path serve the group it was reached from, back to a group with an unmatched waiter.
    fn shift_to(&mut self, free: usize) {
        let mut cpu = free;
        loop {
            let group = self.reached_from[cpu];
            self.serves[cpu] = group;
            let g = &mut self.groups[group as usize];
            if g.through == NO_GROUP {
                g.matched += 1;
                self.size += 1;
                self.note_want(group);
                return;
            }
            cpu = g.through as usize;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn changes_are_sorted_by_time_however_many_there_are(
            times in prop::collection::vec(prop_oneof![-9i64..9, -(1i64 << 62)..=1 << 62], 0..3000),
        ) {
            let change = |(&t, idle): (&i64, CpuIx)| PairChange { t, idle, queue: 0, on: true };
            let mut changes: Vec<PairChange> = times.iter().zip(0..).map(change).collect();
            sort_by_time(&mut changes);
            prop_assert!(changes.is_sorted_by_key(|c| c.t));
            prop_assert!(changes.iter().all(|c| times[c.idle as usize] == c.t));
            let mut places: Vec<CpuIx> = changes.iter().map(|c| c.idle).collect();
            places.sort_unstable();
            prop_assert!(places.into_iter().eq(0..times.len() as CpuIx));
        }
    }
}
