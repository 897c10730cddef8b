//! A queue per CPU, first come first served, and idle CPUs that steal: the scheduler of the guide (docs/guide/simulating.md).

use crate::engine::{Engine, ThreadIx};
use crate::record::Path;
use crate::scheduler::{Dequeue, Enqueue, Placement, Scheduler};
use crate::topology::CpuIx;
use std::collections::VecDeque;

/// When CPUs steal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stealing {
    /// Never: threads stay where they are.
    Never,
    /// When they are about to idle.
    BeforeIdle,
    /// Then too, and an idle CPU is called when a thread has to wait.
    WhenCalled,
}

/// A queue per CPU. A thread stays on the CPU where it last ran; a new one starts on its parent's.
pub struct Queues {
    stealing: Stealing,
    queues: Vec<VecDeque<ThreadIx>>,
}

impl Queues {
    /// Queues whose CPUs steal in this way.
    pub fn new(stealing: Stealing) -> Self {
        Self { stealing, queues: Vec::new() }
    }

    fn queue(&mut self, cpu: CpuIx) -> &mut VecDeque<ThreadIx> {
        &mut self.queues[usize::from(cpu)]
    }

    /// Takes the thread that has waited longest on the longest queue that has one for this CPU.
    fn steal(&mut self, e: &mut Engine<'_>, cpu: CpuIx) {
        let fits = |q: &VecDeque<ThreadIx>| q.iter().position(|&t| e.may_use(t, cpu));
        let found = self.queues.iter().enumerate().filter_map(|(i, q)| Some((q.len(), i, fits(q)?)));
        let Some((_, from, at)) = found.max_by_key(|&(len, i, _)| (len, std::cmp::Reverse(i))) else { return };
        if let Some(t) = self.queues[from].remove(at) {
            e.move_thread(t, cpu, Path::Newidle);
            self.queue(cpu).push_back(t);
        }
    }
}

impl Scheduler for Queues {
    fn release(&self) -> &str {
        "0.0"
    }

    fn start(&mut self, e: &mut Engine<'_>) {
        self.queues = vec![VecDeque::new(); e.topology.len()];
    }

    fn place(&mut self, e: &mut Engine<'_>, t: ThreadIx, why: Placement) -> CpuIx {
        e.last_usable(t, why)
    }

    fn enqueue(&mut self, e: &mut Engine<'_>, t: ThreadIx, cpu: CpuIx, _why: Enqueue) {
        self.queue(cpu).push_back(t);
        let free = |c: &CpuIx| e.may_use(t, *c) && !e.resched_pending(*c);
        let called = match e.runs_idle(cpu) && !e.resched_pending(cpu) {
            true => Some(cpu),
            false if self.stealing == Stealing::WhenCalled => e.idle().iter().find(free),
            false => None,
        };
        if let Some(idle) = called {
            e.resched(idle);
        }
    }

    fn dequeue(&mut self, _e: &mut Engine<'_>, t: ThreadIx, cpu: CpuIx, _why: Dequeue) {
        self.queue(cpu).retain(|&q| q != t);
    }

    fn put_prev(&mut self, _e: &mut Engine<'_>, cpu: CpuIx, t: ThreadIx) {
        self.queue(cpu).push_back(t);
    }

    fn pick_next(&mut self, e: &mut Engine<'_>, cpu: CpuIx) -> Option<ThreadIx> {
        let at = self.queue(cpu).iter().position(|&t| e.may_use(t, cpu))?;
        self.queue(cpu).remove(at)
    }

    fn idle_entry(&mut self, e: &mut Engine<'_>, cpu: CpuIx) {
        if self.stealing >= Stealing::BeforeIdle {
            self.steal(e, cpu);
        }
    }

    /// Takes turns at the tick.
    fn tick(&mut self, e: &mut Engine<'_>, cpu: CpuIx) {
        if !e.runs_idle(cpu) && !self.queue(cpu).is_empty() {
            e.resched(cpu);
        }
    }
}
