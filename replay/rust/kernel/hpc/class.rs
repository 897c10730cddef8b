//! The class: which of a CPU's threads of policy SCHED_HPC runs, where a new one starts, and balancing by number. Source: section
//! 4.3.1 of the thesis.

use super::super::runqueue::Place;
use super::super::*;
use crate::masks::CpuMask;
use crate::record::Path;
use crate::scheduler::{Enqueue, Placement};
use crate::span::MS;

/// A turn. The thesis has none; with a thread per CPU it does not matter.
const SLICE_NS: Ns = 100 * MS;

impl Kernel {
    /// Threads of the class on a CPU, the current one included.
    fn count_hpc(&self, cpu: CpuIx) -> usize {
        let current = self.rq(cpu).current.is_some_and(|t| self.entity(t).hpc);
        self.rq(cpu).hpc.len() + usize::from(current)
    }

    fn count_hpc_in(&self, cpus: &CpuMask) -> usize {
        cpus.iter().map(|c| self.count_hpc(c)).sum()
    }

    /// A woken thread stays where it was; a new one goes to where fewest are, level by level.
    pub(in super::super) fn place_hpc(&self, e: &Engine<'_>, t: ThreadIx, why: Placement) -> CpuIx {
        let last = e.last_usable(t, why);
        if matches!(why, Placement::Wakeup { .. } | Placement::Exec) {
            return last;
        }
        let components = e.topology.components();
        let mut at = 0;
        while !components[at].children.is_empty() {
            let usable = |&&child: &&usize| components[child].span.iter().any(|c| self.sees_allowed(e, t, c));
            let fewest = |&&child: &&usize| (self.count_hpc_in(&components[child].span), child);
            let Some(&child) = components[at].children.iter().filter(usable).min_by_key(fewest) else { return last };
            at = child;
        }
        components[at].span.first().unwrap_or(last)
    }

    pub(in super::super) fn pick_hpc(&mut self, cpu: CpuIx) -> Option<ThreadIx> {
        let queue = &mut self.rq_mut(cpu).hpc;
        if queue.is_empty() { None } else { Some(queue.remove(0)) }
    }

    /// A thread that was preempted goes on first, one whose turn is over last.
    pub(in super::super) fn requeue_hpc(&mut self, cpu: CpuIx, t: ThreadIx, ran: Ns) {
        self.entity_mut(t).place = Place::Queued;
        let queue = &mut self.rq_mut(cpu).hpc;
        if ran >= SLICE_NS { queue.push(t) } else { queue.insert(0, t) }
    }

    pub(in super::super) fn hpc_slice_over(&self, e: &Engine<'_>, cpu: CpuIx, t: ThreadIx) -> bool {
        let entity = self.entity(t);
        entity.hpc && e.thread(t).run_ns - entity.picked_at >= SLICE_NS && !self.rq(cpu).hpc.is_empty()
    }

    /// A thread yields: its turn is over.
    pub(in super::super) fn end_hpc_turn(&mut self, e: &Engine<'_>, t: ThreadIx) {
        self.entity_mut(t).picked_at = e.thread(t).run_ns.saturating_sub(SLICE_NS);
    }

    /// A CPU pulls a waiting thread when its part of a domain has at least two fewer than another part, from a core with three
    /// to one with one: to itself, or to the CPU of its part with the fewest.
    pub(in super::super) fn balance_hpc(&mut self, e: &mut Engine<'_>, cpu: CpuIx) {
        if self.hpc.threads.is_empty() {
            return;
        }
        let mut own = e.topology.leaf(cpu);
        while let Some(parent) = e.topology.components()[own].parent {
            let components = e.topology.components();
            let count = |part: usize| self.count_hpc_in(&components[part].span);
            let others = components[parent].children.iter().copied().filter(|&part| part != own);
            let busiest = others.max_by_key(|&part| (count(part), std::cmp::Reverse(part)));
            if let Some(busiest) = busiest.filter(|&busiest| count(busiest) >= count(own) + 2)
                && let Some((t, from)) = self.movable_hpc(e, &components[busiest].span, cpu)
            {
                let usable = components[own].span.iter().filter(|&c| self.sees_allowed(e, t, c));
                let to = usable.min_by_key(|&c| (self.count_hpc(c), c != cpu, c)).unwrap_or(cpu);
                return self.move_waiting(e, t, from, to, Path::Newidle);
            }
            own = parent;
        }
    }

    /// A thread that waits on the CPU with the most of them and may go to another.
    fn movable_hpc(&self, e: &Engine<'_>, cpus: &CpuMask, to: CpuIx) -> Option<(ThreadIx, CpuIx)> {
        let movable = |from: CpuIx| self.rq(from).hpc.iter().copied().rev().find(|&t| self.sees_allowed(e, t, to));
        let candidates = cpus.iter().filter_map(|from| movable(from).map(|t| (t, from)));
        candidates.max_by_key(|&(_, from)| (self.count_hpc(from), std::cmp::Reverse(from)))
    }

    /// A thread of the class comes onto a queue: one that woke starts an iteration.
    pub(in super::super) fn hpc_wakes(&mut self, e: &mut Engine<'_>, t: ThreadIx, why: Enqueue) {
        match why {
            Enqueue::New | Enqueue::Changed => self.join_hpc(e, t),
            Enqueue::Wakeup => {
                self.join_hpc(e, t);
                self.end_iteration(e, t);
            }
            Enqueue::Moved => {}
        }
    }
}
