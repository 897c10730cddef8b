//! The real-time class: by priority, then order of arrival; pushed to and pulled by other CPUs (kernel/sched/rt.c:
//! select_task_rq_rt, push_rt_task, pull_rt_task, sched_rr_timeslice). Simplification: no real-time throttling; a scan over
//! all CPUs replaces cpupri.

use super::runqueue::Place;
use super::*;
use crate::record::Path;
use crate::span::{MS, Ns};

/// Slice of SCHED_RR.
const RR_SLICE: Ns = 100 * MS;

impl Kernel {
    /// What a CPU runs, for comparing: 0 idle, 1 fair, above that real time, then deadlines.
    fn running_prio(&self, e: &Engine<'_>, cpu: CpuIx) -> u16 {
        let queued = self.rq(cpu).rt.iter().filter_map(|&t| self.entity(t).rt_prio).max();
        let current = match self.rq(cpu).current {
            _ if e.stopping(cpu) => 200,
            _ if self.has_deadline_thread(cpu) => 150,
            Some(t) => self.entity(t).rt_prio.map_or(1, |p| u16::from(p) + 1),
            None if self.rq(cpu).count() > 0 => 1,
            None => 0,
        };
        current.max(queued.map_or(0, |p| u16::from(p) + 1))
    }

    /// The CPU with the least urgent work that a thread may use and would preempt; the nearest to `from` among equals.
    fn lowest(&self, e: &Engine<'_>, t: ThreadIx, from: CpuIx) -> Option<CpuIx> {
        let own = u16::from(self.entity(t).rt_prio.unwrap_or(0)) + 1;
        let fits = |&c: &CpuIx| self.sees_allowed(e, t, c) && self.running_prio(e, c) < own;
        e.online().iter().filter(fits).min_by_key(|&c| (self.running_prio(e, c), e.topology.distance(from, c), c))
    }

    /// A woken real-time thread stays unless its CPU runs something as urgent.
    pub(super) fn place_rt(&mut self, e: &Engine<'_>, t: ThreadIx) -> CpuIx {
        let last = e.thread(t).cpu;
        let own = u16::from(self.entity(t).rt_prio.unwrap_or(0)) + 1;
        if self.sees_allowed(e, t, last) && self.running_prio(e, last) < own {
            return last;
        }
        self.lowest(e, t, last).unwrap_or(last)
    }

    pub(super) fn pick_rt(&mut self, cpu: CpuIx) -> Option<ThreadIx> {
        let rt = &self.rq(cpu).rt;
        let best = rt.iter().filter_map(|&t| self.entity(t).rt_prio).max()?;
        let at = rt.iter().position(|&t| self.entity(t).rt_prio == Some(best))?;
        self.rt_waiting -= 1;
        Some(self.rq_mut(cpu).rt.remove(at))
    }

    /// A preempted thread goes to the front, one whose slice is over to the end.
    pub(super) fn requeue_rt(&mut self, cpu: CpuIx, t: ThreadIx, ran: Ns) {
        let over = self.entity(t).round_robin && ran >= RR_SLICE;
        self.rt_waiting += 1;
        let rt = &mut self.rq_mut(cpu).rt;
        if over { rt.push(t) } else { rt.insert(0, t) }
    }

    pub(super) fn rr_slice_over(&self, e: &Engine<'_>, cpu: CpuIx, t: ThreadIx) -> bool {
        let entity = self.entity(t);
        let peer = |&o: &ThreadIx| self.entity(o).rt_prio == entity.rt_prio;
        entity.round_robin && e.thread(t).run_ns - entity.picked_at >= RR_SLICE && self.rq(cpu).rt.iter().any(peer)
    }

    /// Real-time threads that wait on a CPU go where they can run.
    pub(super) fn push_rt(&mut self, e: &mut Engine<'_>, cpu: CpuIx) {
        if self.rq(cpu).rt.is_empty() || self.rt_waiting == 0 {
            return;
        }
        let current = self.rq(cpu).current.and_then(|t| self.entity(t).rt_prio);
        let mut waiting = self.rq(cpu).rt.clone();
        waiting.sort_by_key(|&t| std::cmp::Reverse(self.entity(t).rt_prio));
        // The most urgent of them is about to run here, unless something as urgent does.
        let stays =
            !self.has_deadline_thread(cpu) && waiting.first().is_some_and(|&t| self.entity(t).rt_prio > current);
        for t in waiting.into_iter().skip(usize::from(stays)) {
            if let Some(to) = self.lowest(e, t, cpu).filter(|&to| to != cpu) {
                self.move_waiting(e, t, cpu, to, Path::RtPush);
            }
        }
    }

    /// A CPU without real-time work takes the most urgent thread that waits elsewhere.
    pub(super) fn pull_rt(&mut self, e: &mut Engine<'_>, cpu: CpuIx) {
        let waits = |&c: &CpuIx| c != cpu && !self.rq(c).rt.is_empty();
        let mut best: Option<(u8, ThreadIx, CpuIx)> = None;
        for from in e.online().iter().filter(waits) {
            let current = self.rq(from).current.and_then(|t| self.entity(t).rt_prio);
            for &t in &self.rq(from).rt {
                let prio = self.entity(t).rt_prio.unwrap_or(0);
                let about_to_run = !self.has_deadline_thread(from) && current.is_none_or(|c| c < prio);
                if !about_to_run && self.sees_allowed(e, t, cpu) && best.is_none_or(|(p, ..)| prio > p) {
                    best = Some((prio, t, from));
                }
            }
        }
        if let Some((_, t, from)) = best {
            self.move_waiting(e, t, from, cpu, Path::RtPull);
        }
    }

    /// Moves a waiting thread to another CPU's queue.
    pub(super) fn move_waiting(&mut self, e: &mut Engine<'_>, t: ThreadIx, from: CpuIx, to: CpuIx, path: Path) {
        use crate::scheduler::Enqueue;
        debug_assert!(self.entity(t).place == Place::Queued);
        self.update_current(e, from);
        self.leave(e, from, t, false);
        e.move_thread(t, to, path);
        self.update_current(e, to);
        self.join(e, to, t, Enqueue::Moved);
        if self.entity(t).place == Place::Queued && self.preempts(to, t) && !e.stopping(to) {
            e.resched(to);
        }
    }
}
