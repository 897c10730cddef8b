//! wasted_τ over time: the maximum matching over edges that lasted, kept up as edges and waiters come and go.

use super::pairs::PairFinder;
use super::{Chunk, Pair};
use crate::matching::CpuBits;
use crate::spells::{Change, Step};
use crate::topology::CpuIx;

/// An edge comes or goes.
struct EdgeChange {
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
    edges: &[Pair],
    allowed: &impl Fn(u32) -> &'a CpuBits,
) -> Vec<Step> {
    if edges.is_empty() {
        return Vec::new();
    }
    let mut changes = Vec::with_capacity(2 * edges.len());
    for &Pair { idle, queue, from, to } in edges.iter().filter(|p| p.from < chunk.cut) {
        changes.push(EdgeChange { t: from.max(chunk.start), idle, queue, on: true });
        if to < chunk.cut {
            changes.push(EdgeChange { t: to, idle, queue, on: false });
        }
    }
    changes.sort_unstable_by_key(|c| c.t);
    by_degrees(&changes, chunk.n_cpus).unwrap_or_else(|| by_flow(&changes, chunk, finder, allowed))
}

/// Add a step where the value changes.
pub fn step(steps: &mut Vec<Step>, from: i64, value: u32) {
    if steps.last().is_none_or(|s| s.value != value) {
        steps.push(Step { from, value });
    }
}

/// The steps where counting is enough: while each of n CPUs with edges has edges to n queues or more, all can be matched, for
/// every queue with an edge holds a waiter that may use it. None when that does not hold throughout.
fn by_degrees(changes: &[EdgeChange], n_cpus: usize) -> Option<Vec<Step>> {
    let mut degree = vec![0u32; n_cpus];
    let mut with_edges: Vec<CpuIx> = Vec::new();
    let mut steps = Vec::new();
    for at_once in changes.chunk_by(|a, b| a.t == b.t) {
        for &EdgeChange { idle, on, .. } in at_once {
            let degree = &mut degree[idle as usize];
            if *degree == 0 {
                with_edges.push(idle);
            }
            *degree = if on { *degree + 1 } else { *degree - 1 };
            if *degree == 0 {
                with_edges.retain(|c| *c != idle);
            }
        }
        let n = with_edges.len() as u32;
        if with_edges.iter().any(|&cpu| degree[cpu as usize] < n) {
            return None;
        }
        step(&mut steps, at_once[0].t, n);
    }
    Some(steps)
}

/// The steps by a flow from the waiters of the queues concerned to the idle CPUs.
fn by_flow<'a>(
    changes: &[EdgeChange],
    chunk: &Chunk,
    finder: &PairFinder,
    allowed: &impl Fn(u32) -> &'a CpuBits,
) -> Vec<Step> {
    let mut concerned: Vec<CpuIx> = changes.iter().map(|c| c.queue).collect();
    concerned.sort_unstable();
    concerned.dedup();
    let mut place = vec![None; chunk.n_cpus];
    let mut flow = EdgeFlow::new(chunk.n_cpus, concerned.len());
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
            flow.edge(c.idle, place[c.queue as usize].expect("queues of edges are concerned"), c.on);
        }
        while let Some(op) = ops.next_if(|op| op.t == t) {
            if let Change::Waiter { class, queue } = op.what
                && let Some(at) = place[queue as usize]
            {
                flow.count(at, class, if op.came { 1 } else { -1 }, allowed);
            }
        }
        step(&mut steps, t, flow.settle());
    }
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
            by_class: vec![Vec::new(); queues],
            serves: vec![NOBODY; n_cpus],
            size: 0,
            wants: Vec::new(),
            wanting: 0,
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
        let wants = g.waiting > g.matched;
        let wanted = std::mem::replace(&mut self.wants[group as usize], wants);
        self.wanting = self.wanting + usize::from(wants) - usize::from(wanted);
    }

    fn count<'a>(&mut self, queue: usize, class: u32, n: i32, allowed: &impl Fn(u32) -> &'a CpuBits) {
        let known = self.by_class[queue].iter().find(|(c, _)| *c == class);
        let group = known.map_or(self.groups.len() as u32, |(_, group)| *group);
        if known.is_none() {
            let allowed = allowed(class).clone();
            self.groups.push(Group { queue, allowed, waiting: 0, matched: 0, through: NOBODY, met: 0 });
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

    /// Make the matching maximum again and tell its size.
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

    /// Search from every group with an unmatched waiter for a CPU that serves nobody; shift along the path found.
    fn augment(&mut self) -> bool {
        self.search += 1;
        self.seen.fill(0);
        self.frontier.clear();
        for (group, _) in self.wants.iter().enumerate().filter(|(_, wants)| **wants) {
            let g = &mut self.groups[group];
            (g.through, g.met) = (NOBODY, self.search);
            self.frontier.push(group as u32);
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
