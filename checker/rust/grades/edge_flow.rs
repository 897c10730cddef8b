//! wasted_τ over time: the maximum matching over edges that lasted, kept up as edges and waiters come and go.

use std::collections::{BTreeMap, BTreeSet};

use super::{Chunk, Pair, Replay};
use crate::matching::CpuBits;
use crate::spells::{Change, Step};
use crate::topology::CpuIx;

enum Event {
    Edge { idle: CpuIx, queue: usize, on: bool },
    Count { queue: usize, class: u32, n: i32 },
}

/// wasted_τ over the chunk as a step function, given the pair intervals longer than τ.
pub fn matching_over_time<'a>(
    n_cpus: usize,
    chunk: &Chunk,
    replay: &Replay,
    edges: &[Pair],
    allowed: &impl Fn(u32) -> &'a CpuBits,
) -> Vec<Step> {
    if edges.is_empty() {
        return Vec::new();
    }
    let mut concerned: Vec<CpuIx> = edges.iter().map(|p| p.queue).collect();
    concerned.sort_unstable();
    concerned.dedup();
    let mut flow = EdgeFlow::new(n_cpus, concerned.len());
    let mut steps: Vec<Step> = Vec::new();
    let events = events(chunk, replay, edges, &concerned);
    let mut at = 0;
    while at < events.len() {
        let t = events[at].0;
        while at < events.len() && events[at].0 == t {
            match events[at].1 {
                Event::Edge { idle, queue, on } => flow.edge(idle, queue, on),
                Event::Count { queue, class, n } => flow.count(queue, class, n, allowed),
            }
            at += 1;
        }
        let value = flow.settle();
        if steps.last().is_none_or(|s| s.value != value) {
            steps.push(Step { from: t, value });
        }
    }
    steps
}

/// Edges and the waiters of their queues, in the order of time; queues by their place in `concerned`.
fn events(chunk: &Chunk, replay: &Replay, edges: &[Pair], concerned: &[CpuIx]) -> Vec<(i64, Event)> {
    let place = |queue: CpuIx| concerned.binary_search(&queue).ok();
    let mut events = Vec::with_capacity(2 * edges.len() + chunk.ops.len());
    for &Pair { idle, queue, from, to } in edges {
        let Some(queue) = place(queue) else { continue };
        events.push((from.max(chunk.start), Event::Edge { idle, queue, on: true }));
        if to < chunk.cut {
            events.push((to, Event::Edge { idle, queue, on: false }));
        }
    }
    for &(queue, class, n) in &replay.waiters_at_start {
        if let Some(queue) = place(queue) {
            events.push((chunk.start, Event::Count { queue, class, n }));
        }
    }
    for op in chunk.ops.iter().filter(|op| op.t < chunk.cut) {
        if let Change::Waiter { class, queue } = op.what
            && let Some(queue) = place(queue)
        {
            events.push((op.t, Event::Count { queue, class, n: if op.came { 1 } else { -1 } }));
        }
    }
    events.sort_by_key(|(t, _)| *t);
    events
}

/// Waiters of one class on one queue.
struct Group {
    queue: usize,
    allowed: CpuBits,
    waiting: i32,
    matched: i32,
    /// In the search under way: the CPU that led here, if the group has nobody unmatched itself.
    through: u32,
    /// Number of the last search that met the group.
    met: u64,
}

const NOBODY: u32 = u32::MAX;

/// A maximum matching between idle CPUs and groups of waiters. A group may use the CPUs that its mask allows and that have a
/// lasting pair with its queue. Changes are collected, then `settle` repairs the matching by augmenting paths.
struct EdgeFlow {
    /// Per queue: CPUs with a lasting pair.
    edges: Vec<CpuBits>,
    groups: Vec<Group>,
    by_key: BTreeMap<(usize, u32), u32>,
    /// Group each CPU serves.
    serves: Vec<u32>,
    size: u32,
    /// Groups with an unmatched waiter.
    wanting: BTreeSet<u32>,
    /// Groups that may have more waiters matched than there are.
    shrunk: Vec<u32>,
    /// Edges each CPU has, and how many CPUs with edges serve nobody: without one, no path can end.
    edge_count: Vec<u32>,
    open_cpus: u32,
    /// Something came that could let the matching grow.
    grew: bool,
    // Buffers of the search.
    search: u64,
    reached_from: Vec<u32>,
    seen: Vec<u64>,
    frontier: Vec<u32>,
}

impl EdgeFlow {
    fn new(n_cpus: usize, queues: usize) -> Self {
        Self {
            edges: vec![CpuBits::new(n_cpus); queues],
            groups: Vec::new(),
            by_key: BTreeMap::new(),
            serves: vec![NOBODY; n_cpus],
            size: 0,
            wanting: BTreeSet::new(),
            shrunk: Vec::new(),
            edge_count: vec![0; n_cpus],
            open_cpus: 0,
            grew: false,
            search: 0,
            reached_from: vec![NOBODY; n_cpus],
            seen: vec![0; n_cpus.div_ceil(64)],
            frontier: Vec::new(),
        }
    }

    fn edge(&mut self, idle: CpuIx, queue: usize, on: bool) {
        let (bits, cpu) = (&mut self.edges[queue], idle as usize);
        if on {
            bits.insert(u32::from(idle));
            self.edge_count[cpu] += 1;
            self.open_cpus += u32::from(self.edge_count[cpu] == 1);
            self.grew = true;
            return;
        }
        bits.remove(u32::from(idle));
        let group = self.serves[cpu];
        if group != NOBODY && self.groups[group as usize].queue == queue {
            self.release(cpu);
        }
        self.edge_count[cpu] -= 1;
        self.open_cpus -= u32::from(self.edge_count[cpu] == 0);
    }

    fn release(&mut self, cpu: usize) {
        let group = std::mem::replace(&mut self.serves[cpu], NOBODY);
        self.groups[group as usize].matched -= 1;
        self.size -= 1;
        self.open_cpus += 1;
        self.grew = true;
        self.note_want(group);
    }

    fn note_want(&mut self, group: u32) {
        let g = &self.groups[group as usize];
        if g.waiting > g.matched {
            self.wanting.insert(group);
        } else {
            self.wanting.remove(&group);
        }
    }

    fn count<'a>(&mut self, queue: usize, class: u32, n: i32, allowed: &impl Fn(u32) -> &'a CpuBits) {
        let next = self.groups.len() as u32;
        let group = *self.by_key.entry((queue, class)).or_insert(next);
        if group == next {
            let allowed = allowed(class).clone();
            self.groups.push(Group { queue, allowed, waiting: 0, matched: 0, through: NOBODY, met: 0 });
        }
        self.groups[group as usize].waiting += n;
        self.note_want(group);
        if n < 0 {
            self.shrunk.push(group);
        } else {
            self.grew = true;
        }
    }

    /// Make the matching maximum again and tell its size.
    fn settle(&mut self) -> u32 {
        while let Some(group) = self.shrunk.pop() {
            while self.groups[group as usize].matched > self.groups[group as usize].waiting {
                let cpu = self.serves.iter().position(|&s| s == group).expect("a matched waiter has a CPU");
                self.release(cpu);
            }
        }
        if std::mem::take(&mut self.grew) {
            while self.open_cpus > 0 && !self.wanting.is_empty() && self.augment() {}
        }
        self.size
    }

    /// Search from every group with an unmatched waiter for a CPU that serves nobody; shift along the path found.
    fn augment(&mut self) -> bool {
        self.search += 1;
        self.seen.fill(0);
        self.frontier.clear();
        for &group in &self.wanting {
            let g = &mut self.groups[group as usize];
            (g.through, g.met) = (NOBODY, self.search);
            self.frontier.push(group);
        }
        let mut at = 0;
        while at < self.frontier.len() {
            let group = self.frontier[at];
            at += 1;
            for word in 0..self.seen.len() {
                let g = &self.groups[group as usize];
                let mut new = g.allowed.words()[word] & self.edges[g.queue].words()[word] & !self.seen[word];
                self.seen[word] |= new;
                while new != 0 {
                    let cpu = word * 64 + new.trailing_zeros() as usize;
                    new &= new - 1;
                    self.reached_from[cpu] = group;
                    let served = self.serves[cpu];
                    if served == NOBODY {
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
            if g.through == NOBODY {
                g.matched += 1;
                self.size += 1;
                self.note_want(group);
                return;
            }
            cpu = g.through as usize;
        }
    }
}
