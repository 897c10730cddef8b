//! Pair intervals: while an idle CPU and a queue with a waiter that may use it were beside each other without break.
//!
//! Stretches of idleness that last are few, so they are found first; then each queue is gone through by itself, with one bit
//! per CPU that has such stretches.

use super::Chunk;
use crate::fast_hash::FastMap;
use crate::idle_wait_pair::IdleWaitPair;
use crate::input_change::{ChangedInput, InputChange};
use crate::topology::CpuIx;
use crate::waste_interval::count;
use wastenot_topology::CpuBits;

/// Start of the pairs (idle CPU, queue) that were open when the chunk before was cut.
#[derive(Default)]
pub struct OpenPairs {
    starts: FastMap<(CpuIx, CpuIx), i64>,
    /// By CPU: it is in one of them.
    idlers: Vec<bool>,
}

impl OpenPairs {
    /// A pair is open at the cut.
    pub fn insert(&mut self, p: &IdleWaitPair) {
        let idle = p.idle as usize;
        if idle >= self.idlers.len() {
            self.idlers.resize(idle + 1, false);
        }
        self.idlers[idle] = true;
        self.starts.insert((p.idle, p.queue), p.from);
    }

    pub fn clear(&mut self) {
        self.starts.clear();
        self.idlers.fill(false);
    }

    fn begin(&self, idle: CpuIx, queue: CpuIx) -> Option<i64> {
        self.starts.get(&(idle, queue)).copied()
    }

    fn has(&self, idle: CpuIx) -> bool {
        self.idlers.get(idle as usize) == Some(&true)
    }
}

/// A time in which a CPU was idle and usable without break.
#[derive(Clone, Copy, Debug)]
struct IdleStretch {
    cpu: CpuIx,
    from: i64,
    to: i64,
}

/// A stretch starts or ends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct IdleChange {
    t: i64,
    /// Which of the block's CPUs.
    bit: u32,
    starts: bool,
}

/// CPUs handled at once: the bits of a mask.
const BLOCK: usize = u64::BITS as usize;
/// No further op in a queue's list.
const END: u32 = u32::MAX;

/// Finds the pair intervals of chunks. Between calls it only keeps buffers.
#[derive(Default)]
pub struct PairFinder {
    stretches: Vec<IdleStretch>,
    /// Per CPU: its latest stretch in the chunk, without an end while it is idle.
    latest: Vec<Option<(i64, Option<i64>)>>,
    /// Per queue: its changes in the chunk, a list through `next`.
    first: Vec<u32>,
    last: Vec<u32>,
    next: Vec<u32>,
    touched: Vec<CpuIx>,
    /// Queues with waiters at the chunk's end or changes in it.
    queues: Vec<CpuIx>,
    /// CPUs with stretches, ascending.
    idlers: Vec<CpuIx>,
    /// Comings and goings of the CPUs of a block, in order; which of them are idle from each instant on.
    changes: Vec<IdleChange>,
    idle_from: Vec<(i64, u64)>,
    /// Per class: the number of the block for which that is known, and which CPUs of the block its waiters may use.
    masks: Vec<(u64, u64)>,
    block: u64,
    classes: Vec<(u32, i32)>,
    pairs: Vec<IdleWaitPair>,
}

impl PairFinder {
    /// Find all pair intervals longer than `shortest`; those open at the start started in an earlier chunk.
    pub fn find<'a>(&mut self, chunk: &Chunk, shortest: i64, open: &OpenPairs, allowed: &impl Fn(u32) -> &'a CpuBits) {
        self.pairs.clear();
        self.find_stretches(chunk, shortest, open);
        if !self.stretches.is_empty() {
            self.sort_ops(chunk);
            self.sort_idlers();
            let (idlers, queues) = (std::mem::take(&mut self.idlers), std::mem::take(&mut self.queues));
            for block in idlers.chunks(BLOCK) {
                self.begin_block(block);
                for &queue in &queues {
                    self.go_through(queue, block, chunk, shortest, open, allowed);
                }
            }
            (self.idlers, self.queues) = (idlers, queues);
        }
    }

    /// What the last chunk had.
    pub fn pairs(&self) -> &[IdleWaitPair] {
        &self.pairs
    }

    /// Waiters of a queue at the chunk's start, by class. The chunk's changes have been sorted.
    pub fn waiting_at_start(&self, queue: CpuIx, chunk: &Chunk, out: &mut Vec<(u32, i32)>) {
        out.clear();
        out.extend_from_slice(chunk.waiting.on(queue));
        for (_, class, n) in self.changes(queue, chunk) {
            count(out, class, -n);
        }
    }

    /// Changes of a queue's waiters in the chunk: time, class, how many more.
    fn changes<'a>(&'a self, queue: CpuIx, chunk: &'a Chunk) -> impl Iterator<Item = (i64, u32, i32)> + 'a {
        let mut at = self.first[queue as usize];
        std::iter::from_fn(move || {
            let op = chunk.ops.get(at as usize)?;
            at = self.next[at as usize];
            let ChangedInput::Waiter { class, .. } = op.what else { return None };
            Some((op.t, class, if op.added { 1 } else { -1 }))
        })
    }

    /// The stretches of idleness that are long enough to matter.
    fn find_stretches(&mut self, chunk: &Chunk, shortest: i64, open: &OpenPairs) {
        self.stretches.clear();
        self.touched.clear();
        self.latest.resize(chunk.n_cpus, None);
        let stretches = &mut self.stretches;
        let mut keep = |cpu: CpuIx, from: i64, to: i64| {
            let was_alive = || from == chunk.start && open.has(cpu);
            if to - from > shortest || was_alive() {
                stretches.push(IdleStretch { cpu, from, to });
            }
        };
        for &InputChange { t, what, added, .. } in chunk.ops {
            let ChangedInput::Cpu(cpu) = what else { continue };
            let latest = &mut self.latest[cpu as usize];
            if latest.is_none() {
                self.touched.push(cpu);
            }
            *latest = Some(match *latest {
                // A CPU that is busy for no time at all stays idle.
                Some((from, Some(to))) if added && to == t => (from, None),
                Some((from, Some(to))) => {
                    keep(cpu, from, to);
                    (t, None)
                }
                Some((from, None)) => (from, Some(t)),
                None if added => (t, None),
                None => (chunk.start, Some(t)),
            });
        }
        for cpu in chunk.idle_now.iter().map(|cpu| cpu as CpuIx) {
            if self.latest[cpu as usize].is_none() {
                keep(cpu, chunk.start, chunk.known);
            }
        }
        for cpu in self.touched.drain(..) {
            if let Some((from, to)) = self.latest[cpu as usize].take() {
                keep(cpu, from, to.unwrap_or(chunk.known));
            }
        }
    }

    /// Sort the changes of waiters by queue.
    pub fn sort_ops(&mut self, chunk: &Chunk) {
        self.first.clear();
        self.first.resize(chunk.n_cpus, END);
        self.last.resize(chunk.n_cpus, END);
        self.next.clear();
        self.next.resize(chunk.ops.len(), END);
        self.queues.clear();
        self.queues.extend(chunk.waiting.occupied());
        for (at, op) in chunk.ops.iter().enumerate() {
            let ChangedInput::Waiter { queue, .. } = op.what else { continue };
            let at = at as u32;
            match self.first[queue as usize] {
                END => {
                    self.first[queue as usize] = at;
                    if chunk.waiting.on(queue).is_empty() {
                        self.queues.push(queue);
                    }
                }
                _ => self.next[self.last[queue as usize] as usize] = at,
            }
            self.last[queue as usize] = at;
        }
    }

    /// The CPUs with stretches, in order.
    fn sort_idlers(&mut self) {
        self.idlers.clear();
        self.idlers.extend(self.stretches.iter().map(|s| s.cpu));
        self.idlers.sort_unstable();
        self.idlers.dedup();
    }

    /// Collect the comings and goings of a block's CPUs.
    fn begin_block(&mut self, block: &[CpuIx]) {
        self.block += 1;
        self.changes.clear();
        for &IdleStretch { cpu, from, to } in &self.stretches {
            if let Ok(bit) = block.binary_search(&cpu) {
                let bit = bit as u32;
                self.changes.push(IdleChange { t: from, bit, starts: true });
                self.changes.push(IdleChange { t: to, bit, starts: false });
            }
        }
        self.changes.sort_unstable();
        self.idle_from.clear();
        let mut idle = 0u64;
        for at_once in self.changes.chunk_by(|a, b| a.t == b.t) {
            for change in at_once {
                idle = idle & !(1 << change.bit) | u64::from(change.starts) << change.bit;
            }
            self.idle_from.push((at_once[0].t, idle));
        }
    }

    /// The pairs of one queue with a block of CPUs.
    fn go_through<'a>(
        &mut self,
        queue: CpuIx,
        block: &[CpuIx],
        chunk: &Chunk,
        shortest: i64,
        open: &OpenPairs,
        allowed: &impl Fn(u32) -> &'a CpuBits,
    ) {
        let mut classes = std::mem::take(&mut self.classes);
        self.waiting_at_start(queue, chunk, &mut classes);
        // What the waiters may use is looked up when a CPU of the block is idle.
        let (mut useful, mut appeared) = (0, true);
        let (mut idle, mut alive, mut since) = (0u64, 0u64, [0; BLOCK]);
        let mut at = self.first[queue as usize];
        let (idle_from, mut pairs) = (std::mem::take(&mut self.idle_from), std::mem::take(&mut self.pairs));
        for &(until, idle_then) in &idle_from {
            loop {
                let next = chunk.ops.get(at as usize).map_or(until, |op| op.t.min(until));
                if next == until {
                    idle = idle_then;
                }
                while let Some(op) = chunk.ops.get(at as usize).filter(|op| op.t == next) {
                    appeared |= count_op(&mut classes, op);
                    at = self.next[at as usize];
                }
                if appeared && idle != 0 {
                    useful = self.useful(&classes, block, allowed);
                    appeared = false;
                }
                let now = idle & useful;
                if now != alive {
                    for_each_bit(alive & !now, |k| {
                        if next - since[k] > shortest {
                            pairs.push(IdleWaitPair { idle: block[k], queue, from: since[k], to: next });
                        }
                    });
                    for_each_bit(now & !alive, |k| {
                        let before = if next == chunk.start { open.begin(block[k], queue) } else { None };
                        since[k] = before.unwrap_or(next);
                    });
                    alive = now;
                }
                if next == until {
                    break;
                }
            }
        }
        (self.idle_from, self.pairs, self.classes) = (idle_from, pairs, classes);
    }

    /// The CPUs of the block that any of the classes present may use.
    fn useful<'a>(&mut self, classes: &[(u32, i32)], block: &[CpuIx], allowed: &impl Fn(u32) -> &'a CpuBits) -> u64 {
        let mut useful = 0;
        for &(class, _) in classes {
            let at = class as usize;
            if at >= self.masks.len() {
                self.masks.resize(at + 1, (0, 0));
            }
            if self.masks[at].0 != self.block {
                let allowed = allowed(class);
                let bit = |(k, cpu): (usize, &CpuIx)| u64::from(allowed.contains(u32::from(*cpu))) << k;
                self.masks[at] = (self.block, block.iter().enumerate().map(bit).sum());
            }
            useful |= self.masks[at].1;
        }
        useful
    }
}

/// Apply a change of waiters; true when a class was added or removed.
#[inline]
fn count_op(classes: &mut Vec<(u32, i32)>, op: &InputChange) -> bool {
    match op.what {
        ChangedInput::Waiter { class, .. } => count(classes, class, if op.added { 1 } else { -1 }),
        ChangedInput::Cpu(_) => false,
    }
}

fn for_each_bit(mut bits: u64, mut visit: impl FnMut(usize)) {
    while bits != 0 {
        visit(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}
