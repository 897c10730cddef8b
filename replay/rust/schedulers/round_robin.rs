//! SCHED_RR of Linux with its push and pull, and SCHED_RR2, which groups the threads of a process (co-threads). Source: Milić,
//! Jelenković, *Improving thread scheduling by thread grouping in heavily loaded many-core processor systems*, MIPRO 2014;
//! kernel/sched/rt.c of Linux 3.3.

use crate::engine::{Engine, ThreadIx};
use crate::masks::CpuMask;
use crate::program::Policy;
use crate::record::Path;
use crate::scheduler::{Dequeue, Enqueue, Placement, Scheduler};
use crate::span::{MS, Ns};
use crate::topology::CpuIx;

/// A turn (kernel: RR_TIMESLICE).
const SLICE_NS: Ns = 100 * MS;
/// The priority of a CPU without a runnable thread.
const NO_PRIORITY: i16 = -1;

/// A CPU's runqueue.
#[derive(Clone, Debug, Default)]
struct Queue {
    current: Option<ThreadIx>,
    /// Run time of the current thread at the start of its turn.
    turn_start: Ns,
    /// Threads that wait, in the order in which they would run among equals.
    waiting: Vec<ThreadIx>,
    /// Its priority may have fallen since its last pull.
    lowered: bool,
}

/// Strict priority over the whole machine, and turns among equals.
pub struct RoundRobin {
    group: bool,
    queues: Vec<Queue>,
}

/// SCHED_FIFO and SCHED_RR: 1 to 99, the highest first; below them all other policies.
fn priority(e: &Engine<'_>, t: ThreadIx) -> i16 {
    match e.thread(t).policy {
        Policy::Fifo(p) | Policy::Rr(p) => i16::from(p),
        Policy::Normal | Policy::Batch | Policy::Idle | Policy::Hpc | Policy::Deadline(_) => 0,
    }
}

impl RoundRobin {
    /// SCHED_RR.
    pub fn plain() -> Self {
        Self { group: false, queues: Vec::new() }
    }

    /// SCHED_RR2.
    pub fn grouping() -> Self {
        Self { group: true, queues: Vec::new() }
    }

    fn queue(&self, cpu: CpuIx) -> &Queue {
        &self.queues[usize::from(cpu)]
    }

    fn queue_mut(&mut self, cpu: CpuIx) -> &mut Queue {
        &mut self.queues[usize::from(cpu)]
    }

    /// The threads on a CPU, its current one first.
    fn on(&self, cpu: CpuIx) -> impl Iterator<Item = ThreadIx> + '_ {
        let queue = self.queue(cpu);
        queue.current.iter().chain(&queue.waiting).copied()
    }

    /// The highest priority on a CPU (kernel: cpupri).
    fn highest(&self, e: &Engine<'_>, cpu: CpuIx) -> i16 {
        self.on(cpu).map(|t| priority(e, t)).max().unwrap_or(NO_PRIORITY)
    }

    /// True when a CPU has another thread of the same process.
    fn has_co_threads(&self, e: &Engine<'_>, cpu: CpuIx, t: ThreadIx) -> bool {
        self.on(cpu).any(|o| o != t && e.thread(o).tgid == e.thread(t).tgid)
    }

    /// The first waiting thread of the highest priority that another CPU may take.
    fn pushable(&self, e: &Engine<'_>, from: CpuIx, to: Option<CpuIx>) -> Option<ThreadIx> {
        let movable = |t: &ThreadIx| match to {
            Some(to) => e.may_use(*t, to),
            None => e.allowed(*t).intersection(e.online()).len() > 1,
        };
        let waiting = self.queue(from).waiting.iter().copied().filter(movable);
        waiting.rev().max_by_key(|&t| priority(e, t))
    }

    /// Searching: a CPU among those of the lowest priority, which must be below the thread's.
    fn search(&self, e: &Engine<'_>, t: ThreadIx, from: CpuIx) -> Option<CpuIx> {
        let usable = e.allowed(t).intersection(e.online());
        let lowest = usable.iter().map(|c| self.highest(e, c)).min().filter(|&p| p < priority(e, t))?;
        let available = usable.iter().filter(|&c| self.highest(e, c) == lowest);
        let available = CpuMask::of(e.topology.len(), available);
        let nearest = |to: CpuIx| available.iter().min_by_key(|&c| (e.topology.distance(to, c) as u8, c));
        let last = e.thread(t).cpu;
        if self.group {
            let grouped = |c: &CpuIx| self.has_co_threads(e, *c, t);
            if !grouped(&from)
                && let Some(cpu) = available.iter().find(grouped)
            {
                return Some(cpu);
            }
            if available.contains(last) {
                return Some(last);
            }
            // The closest to one that has co-threads but is not available itself.
            if let Some(with) = usable.iter().filter(|c| !available.contains(*c)).find(grouped) {
                return nearest(with);
            }
        }
        nearest(last)
    }

    /// Pushing: threads that wait here go where they run at once.
    fn push(&mut self, e: &mut Engine<'_>, cpu: CpuIx) {
        while let Some(t) = self.pushable(e, cpu, None) {
            let Some(to) = self.search(e, t, cpu).filter(|&to| to != cpu) else { return };
            self.shift(e, t, cpu, to, Path::RtPush);
            e.resched(to);
        }
    }

    /// Pulling: the thread of the highest priority that waits elsewhere, if that is above what is here. SCHED_RR2 at equal
    /// priority too, when its co-threads are here and none is there.
    fn pull(&mut self, e: &mut Engine<'_>, cpu: CpuIx) {
        let here = self.highest(e, cpu);
        let mut best: Option<(i16, ThreadIx, CpuIx)> = None;
        for from in e.online().iter_from(cpu).filter(|&c| c != cpu) {
            let above = self.pushable(e, from, Some(cpu)).map(|t| (priority(e, t), t)).filter(|&(p, _)| p > here);
            let equal = || {
                let joins = |t: &ThreadIx| {
                    let fits = priority(e, *t) == here && e.may_use(*t, cpu);
                    fits && self.has_co_threads(e, cpu, *t) && !self.has_co_threads(e, from, *t)
                };
                self.queue(from).waiting.iter().copied().find(joins).map(|t| (here, t))
            };
            let found = above.or_else(|| if self.group && here > NO_PRIORITY { equal() } else { None });
            if let Some((p, t)) = found
                && best.is_none_or(|b| p > b.0)
            {
                best = Some((p, t, from));
            }
        }
        if let Some((_, t, from)) = best {
            self.shift(e, t, from, cpu, Path::RtPull);
        }
    }

    fn shift(&mut self, e: &mut Engine<'_>, t: ThreadIx, from: CpuIx, to: CpuIx, path: Path) {
        self.queue_mut(from).waiting.retain(|&o| o != t);
        e.move_thread(t, to, path);
        self.queue_mut(to).waiting.push(t);
    }
}

impl Scheduler for RoundRobin {
    fn release(&self) -> &str {
        "3.3.0"
    }

    fn start(&mut self, e: &mut Engine<'_>) {
        self.queues = vec![Queue::default(); e.topology.len()];
    }

    /// Where it was, or where its parent is; pushing finds it something better.
    fn place(&mut self, e: &mut Engine<'_>, t: ThreadIx, why: Placement) -> CpuIx {
        e.last_usable(t, why)
    }

    fn enqueue(&mut self, e: &mut Engine<'_>, t: ThreadIx, cpu: CpuIx, why: Enqueue) {
        if why == Enqueue::Changed {
            self.queue_mut(cpu).current = Some(t);
            self.queue_mut(cpu).lowered = true;
            return e.resched(cpu);
        }
        let running = self.queue(cpu).current.map_or(NO_PRIORITY, |c| priority(e, c));
        self.queue_mut(cpu).waiting.push(t);
        if priority(e, t) > running {
            e.resched(cpu);
        } else {
            self.push(e, cpu);
        }
    }

    fn dequeue(&mut self, _e: &mut Engine<'_>, t: ThreadIx, cpu: CpuIx, why: Dequeue) {
        let queue = self.queue_mut(cpu);
        match why {
            Dequeue::Moved => queue.waiting.retain(|&o| o != t),
            Dequeue::Sleep | Dequeue::Exit | Dequeue::Changed => (queue.current, queue.lowered) = (None, true),
        }
    }

    /// Behind its equals when its turn is over or it yields, else before them.
    fn put_prev(&mut self, e: &mut Engine<'_>, cpu: CpuIx, t: ThreadIx) {
        let over = e.thread(t).run_ns - self.queue(cpu).turn_start >= SLICE_NS;
        let queue = self.queue_mut(cpu);
        queue.current = None;
        if over {
            queue.waiting.push(t);
        } else {
            queue.waiting.insert(0, t);
        }
    }

    fn pick_next(&mut self, e: &mut Engine<'_>, cpu: CpuIx) -> Option<ThreadIx> {
        if self.queue(cpu).lowered || self.queue(cpu).waiting.is_empty() {
            self.queue_mut(cpu).lowered = false;
            self.pull(e, cpu);
        }
        let highest = self.highest(e, cpu);
        let at = self.queue(cpu).waiting.iter().position(|&t| priority(e, t) == highest)?;
        let t = self.queue_mut(cpu).waiting.remove(at);
        let ran = e.thread(t).run_ns;
        let queue = self.queue_mut(cpu);
        (queue.current, queue.turn_start) = (Some(t), ran);
        // After the switch (kernel: post_schedule_rt): until then the previous thread runs and cannot be moved.
        if self.pushable(e, cpu, None).is_some_and(|waits| self.search(e, waits, cpu).is_some_and(|to| to != cpu)) {
            e.timer(e.now(), cpu, 0);
        }
        Some(t)
    }

    fn timer(&mut self, e: &mut Engine<'_>, cpu: CpuIx, _token: u64) {
        self.push(e, cpu);
    }

    fn yield_task(&mut self, e: &mut Engine<'_>, cpu: CpuIx, t: ThreadIx) {
        // Its turn is over.
        self.queue_mut(cpu).turn_start = e.thread(t).run_ns.saturating_sub(SLICE_NS);
    }

    fn tick(&mut self, e: &mut Engine<'_>, cpu: CpuIx) {
        let Some(t) = self.queue(cpu).current else { return };
        let equal = self.queue(cpu).waiting.iter().any(|&o| priority(e, o) >= priority(e, t));
        if equal && e.thread(t).run_ns - self.queue(cpu).turn_start >= SLICE_NS {
            e.resched(cpu);
        }
    }
}
