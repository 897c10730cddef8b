//! Pair intervals: while an idle CPU and a queue with a waiter that may use it stood beside each other without break.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::Chunk;
use crate::matching::CpuBits;
use crate::spells::{Change, Op};
use crate::topology::CpuIx;

/// An interval in which CPU `idle` was idle and `queue` held a waiter that may use it.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    pub idle: CpuIx,
    pub queue: CpuIx,
    pub from: i64,
    pub to: i64,
}

impl Pair {
    pub fn length(&self) -> i64 {
        self.to - self.from
    }
}

/// A chunk's state at its begin, undone from the state at its end.
pub struct Replay {
    /// Comings and goings of idle CPUs, without spells of idleness too short to matter.
    long_idleness: Vec<(i64, CpuIx, bool)>,
    /// Waiters by queue and class, none of them zero; empty when no idleness matters.
    pub waiters_at_start: Vec<(CpuIx, u32, i32)>,
}

impl Replay {
    pub fn of(chunk: &Chunk, shortest: i64, carried: &HashMap<(CpuIx, CpuIx), i64>) -> Self {
        let mut idle: BTreeSet<CpuIx> = chunk.idle_now.iter().copied().collect();
        for op in chunk.ops.iter().rev() {
            match op.what {
                Change::Cpu(cpu) if op.came => drop(idle.remove(&cpu)),
                Change::Cpu(cpu) => drop(idle.insert(cpu)),
                Change::Waiter { .. } => {}
            }
        }
        let long_idleness = long_idleness(chunk, &idle, shortest, carried);
        let mut waiters: Vec<(CpuIx, u32, i32)> = Vec::new();
        if !long_idleness.is_empty() {
            waiters.extend(chunk.waiters_now.iter().map(|&(queue, class)| (queue, class, 1)));
            waiters.extend(chunk.ops.iter().filter_map(|op| match op.what {
                Change::Waiter { class, queue } => Some((queue, class, if op.came { -1 } else { 1 })),
                Change::Cpu(_) => None,
            }));
            waiters.sort_unstable();
            waiters.dedup_by(|next, first| {
                let same = (next.0, next.1) == (first.0, first.1);
                first.2 += if same { next.2 } else { 0 };
                same
            });
            waiters.retain(|(_, _, n)| *n != 0);
        }
        Self { long_idleness, waiters_at_start: waiters }
    }

    /// All pair intervals longer than `shortest`; those alive at the start begin where the chunk before says.
    pub fn pairs<'a>(
        &self,
        chunk: &Chunk,
        n_cpus: usize,
        shortest: i64,
        carried: &HashMap<(CpuIx, CpuIx), i64>,
        allowed: &impl Fn(u32) -> &'a CpuBits,
    ) -> Vec<Pair> {
        if self.long_idleness.is_empty() {
            return Vec::new();
        }
        let mut sweep = Sweep::new(n_cpus, shortest);
        for &(queue, class, n) in &self.waiters_at_start {
            sweep.count(queue, class, n);
        }
        let mut changes = self.long_idleness.iter().copied().peekable();
        let mut ops = chunk.ops.iter().filter(|op| matches!(op.what, Change::Waiter { .. })).peekable();
        let mut t = chunk.start;
        loop {
            while let Some(&(_, cpu, came)) = changes.peek().filter(|c| c.0 == t) {
                sweep.cpu(cpu, came);
                changes.next();
            }
            while let Some(op) = ops.peek().filter(|op| op.t == t) {
                if let Change::Waiter { class, queue } = op.what {
                    sweep.count(queue, class, if op.came { 1 } else { -1 });
                }
                ops.next();
            }
            sweep.settle(
                t,
                |idle, queue| {
                    let before = carried.get(&(idle, queue)).filter(|_| t == chunk.start);
                    before.copied().unwrap_or(t)
                },
                allowed,
            );
            let next = [changes.peek().map(|c| c.0), ops.peek().map(|op| op.t)].into_iter().flatten().min();
            match next {
                Some(next) => t = next,
                None => break,
            }
        }
        sweep.finish(chunk.known)
    }
}

/// Comings and goings of idle CPUs, in order, without spells of idleness too short to matter.
fn long_idleness(
    chunk: &Chunk,
    at_start: &BTreeSet<CpuIx>,
    shortest: i64,
    carried: &HashMap<(CpuIx, CpuIx), i64>,
) -> Vec<(i64, CpuIx, bool)> {
    let mut since: BTreeMap<CpuIx, i64> = at_start.iter().map(|&c| (c, chunk.start)).collect();
    let carried: BTreeSet<CpuIx> = carried.keys().map(|(idle, _)| *idle).collect();
    let mut out = Vec::new();
    let mut keep = |cpu: CpuIx, from: i64, to: i64| {
        if to - from > shortest || (from == chunk.start && carried.contains(&cpu)) {
            out.push((from, cpu, true));
            out.push((to, cpu, false));
        }
    };
    // A CPU that is busy for no time at all stays idle: its spells are joined.
    let mut ended: BTreeMap<CpuIx, (i64, i64)> = BTreeMap::new();
    for &Op { t, what, came, .. } in chunk.ops {
        let Change::Cpu(cpu) = what else { continue };
        if came {
            let joined = ended.remove(&cpu).and_then(|(from, to)| {
                if to == t {
                    Some(from)
                } else {
                    keep(cpu, from, to);
                    None
                }
            });
            since.insert(cpu, joined.unwrap_or(t));
        } else if let Some(from) = since.remove(&cpu) {
            ended.insert(cpu, (from, t));
        }
    }
    ended.into_iter().for_each(|(cpu, (from, to))| keep(cpu, from, to));
    since.into_iter().for_each(|(cpu, from)| keep(cpu, from, chunk.known));
    out.sort_unstable();
    out
}

/// The pairs alive now: per queue the classes present, the CPUs they may use, and which of those are idle.
struct Sweep {
    n_cpus: usize,
    shortest: i64,
    idle: CpuBits,
    idle_changed: bool,
    queues: BTreeMap<CpuIx, Queue>,
    dirty: Vec<CpuIx>,
    out: Vec<Pair>,
}

struct Queue {
    classes: BTreeMap<u32, i32>,
    /// Union of the CPUs that the classes present may use.
    useful: CpuBits,
    /// Alive pairs, and since when.
    alive: CpuBits,
    since: Vec<i64>,
    stale: bool,
}

impl Sweep {
    fn new(n_cpus: usize, shortest: i64) -> Self {
        let (queues, dirty, out) = (BTreeMap::new(), Vec::new(), Vec::new());
        Self { n_cpus, shortest, idle: CpuBits::new(n_cpus), idle_changed: false, queues, dirty, out }
    }

    fn cpu(&mut self, cpu: CpuIx, came: bool) {
        if came {
            self.idle.insert(u32::from(cpu));
        } else {
            self.idle.remove(u32::from(cpu));
        }
        self.idle_changed = true;
    }

    fn count(&mut self, queue: CpuIx, class: u32, n: i32) {
        let n_cpus = self.n_cpus;
        let q = self.queues.entry(queue).or_insert_with(|| Queue {
            classes: BTreeMap::new(),
            useful: CpuBits::new(n_cpus),
            alive: CpuBits::new(n_cpus),
            since: vec![0; n_cpus],
            stale: false,
        });
        let count = q.classes.entry(class).or_default();
        let before = *count;
        *count += n;
        if (before == 0) != (*count == 0) && !q.stale {
            q.stale = true;
            self.dirty.push(queue);
        }
        if q.classes[&class] == 0 {
            q.classes.remove(&class);
        }
    }

    /// The changes at `t` are all in: begin and end pairs.
    fn settle<'a>(&mut self, t: i64, since: impl Fn(CpuIx, CpuIx) -> i64, allowed: &impl Fn(u32) -> &'a CpuBits) {
        for queue in &self.dirty {
            let q = self.queues.get_mut(queue).expect("dirty queues exist");
            q.useful = CpuBits::new(self.n_cpus);
            q.classes.keys().for_each(|&class| q.useful.union_with(allowed(class)));
        }
        let all = std::mem::take(&mut self.idle_changed);
        let dirty = std::mem::take(&mut self.dirty);
        if all {
            for (&queue, q) in &mut self.queues {
                q.update(&self.idle, queue, t, self.shortest, &since, &mut self.out);
            }
        } else {
            for queue in &dirty {
                let q = self.queues.get_mut(queue).expect("dirty queues exist");
                q.update(&self.idle, *queue, t, self.shortest, &since, &mut self.out);
            }
        }
        self.dirty = dirty;
        self.dirty.clear();
    }

    fn finish(mut self, known: i64) -> Vec<Pair> {
        let nobody = CpuBits::new(self.n_cpus);
        for (&queue, q) in &mut self.queues {
            q.update(&nobody, queue, known, self.shortest, &|_, _| known, &mut self.out);
        }
        self.out
    }
}

impl Queue {
    fn update(
        &mut self,
        idle: &CpuBits,
        queue: CpuIx,
        t: i64,
        shortest: i64,
        since: &impl Fn(CpuIx, CpuIx) -> i64,
        out: &mut Vec<Pair>,
    ) {
        self.stale = false;
        for at in 0..idle.words().len() {
            let alive = self.alive.words()[at];
            let now = idle.words()[at] & self.useful.words()[at];
            let mut changed = alive ^ now;
            while changed != 0 {
                let cpu = (at * 64 + changed.trailing_zeros() as usize) as CpuIx;
                changed &= changed - 1;
                if self.alive.remove(u32::from(cpu)) {
                    let from = self.since[cpu as usize];
                    if t - from > shortest {
                        out.push(Pair { idle: cpu, queue, from, to: t });
                    }
                } else {
                    self.alive.insert(u32::from(cpu));
                    self.since[cpu as usize] = since(cpu, queue);
                }
            }
        }
    }
}
