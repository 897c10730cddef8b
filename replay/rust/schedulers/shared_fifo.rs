//! The smallest scheduler: first come first served from queues attached to one level of the machine. With [`Level::Machine`]
//! it is a global queue and conserves work; with [`Level::Cpu`] it never balances.

use crate::engine::{Engine, ThreadIx};
use crate::scheduler::{Dequeue, Enqueue, Placement, Scheduler};
use crate::topology::{CpuIx, Level};
use std::collections::VecDeque;

/// First come first served, a queue per component of a level.
pub struct SharedFifo {
    level: Level,
    /// By component; only those of the level are used.
    queues: Vec<VecDeque<ThreadIx>>,
}

impl SharedFifo {
    /// Queues at this level, or at the lowest one above it that the machine has.
    pub fn at(level: Level) -> Self {
        Self { level, queues: Vec::new() }
    }

    /// The queue of a CPU: the component of the level, or the lowest above it.
    fn queue_of(&self, e: &Engine<'_>, cpu: CpuIx) -> usize {
        let components = e.topology.components();
        let mut at = e.topology.leaf(cpu);
        while components[at].level > self.level {
            at = components[at].parent.unwrap_or(0);
        }
        at
    }
}

impl Scheduler for SharedFifo {
    fn release(&self) -> &str {
        "0.0"
    }

    fn start(&mut self, e: &mut Engine<'_>) {
        self.queues = vec![VecDeque::new(); e.topology.components().len()];
    }

    /// An idle CPU of the own queue, else of another, else where it was.
    fn place(&mut self, e: &mut Engine<'_>, t: ThreadIx, _why: Placement) -> CpuIx {
        let last = e.thread(t).cpu;
        let free = |c: &CpuIx| e.may_use(t, *c) && !e.resched_pending(*c);
        let own = self.queue_of(e, last);
        let span = &e.topology.components()[own].span;
        let idle = e.idle().iter_from(last).filter(|c| span.contains(*c)).find(free);
        let usable = |c: &CpuIx| e.may_use(t, *c);
        idle.or_else(|| e.idle().iter().find(free))
            .or_else(|| Some(last).filter(usable))
            .or_else(|| e.online().iter().find(usable))
            .unwrap_or_else(|| e.online().first().unwrap_or(0))
    }

    fn enqueue(&mut self, e: &mut Engine<'_>, t: ThreadIx, cpu: CpuIx, _why: Enqueue) {
        let queue = self.queue_of(e, cpu);
        self.queues[queue].push_back(t);
        if e.runs_idle(cpu) {
            e.resched(cpu);
        }
    }

    fn dequeue(&mut self, e: &mut Engine<'_>, t: ThreadIx, cpu: CpuIx, _why: Dequeue) {
        let queue = self.queue_of(e, cpu);
        self.queues[queue].retain(|&q| q != t);
    }

    fn put_prev(&mut self, e: &mut Engine<'_>, cpu: CpuIx, t: ThreadIx) {
        let queue = self.queue_of(e, cpu);
        self.queues[queue].push_back(t);
    }

    fn pick_next(&mut self, e: &mut Engine<'_>, cpu: CpuIx) -> Option<ThreadIx> {
        let queue = self.queue_of(e, cpu);
        let at = self.queues[queue].iter().position(|&t| e.may_use(t, cpu))?;
        self.queues[queue].remove(at)
    }

    /// Takes turns at the tick.
    fn tick(&mut self, e: &mut Engine<'_>, cpu: CpuIx) {
        if !self.queues[self.queue_of(e, cpu)].is_empty() && !e.runs_idle(cpu) {
            e.resched(cpu);
        }
    }
}
