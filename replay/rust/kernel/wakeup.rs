//! Placement of a woken thread (kernel/sched/fair.c: select_task_rq_fair, wake_affine, wake_wide, select_idle_sibling,
//! select_idle_core, select_idle_cpu).

use super::*;
use crate::masks::CpuMask;
use crate::span::S;
use wastenot_schemas::EvidenceLevel;

/// Flags of placements (kernel/sched/sched.h).
pub(super) const WF_EXEC: i32 = 2;
pub(super) const WF_FORK: i32 = 4;
const WF_TTWU: i32 = 8;
const WF_SYNC: i32 = 16;

/// Time since it blocked in which a wakeup finds a thread still on its CPU, with the fault.
const BLOCKED_LATELY: Ns = 100 * US;

impl Kernel {
    /// The CPU for a woken fair thread.
    pub(super) fn place_woken(
        &mut self,
        e: &mut Engine<'_>,
        t: ThreadIx,
        waker_cpu: CpuIx,
        waker: Option<ThreadIx>,
        sync: bool,
    ) -> CpuIx {
        let prev = e.thread(t).cpu;
        // No search, hence none to record.
        let just_blocked = e.thread(t).last_ran + BLOCKED_LATELY > e.now();
        if just_blocked && self.faults.has(Fault::WakeupPending) && self.sees_allowed(e, t, prev) {
            return prev;
        }
        if let Some(w) = waker.filter(|&w| (w as usize) < self.entities.len()) {
            self.note_wakee(e, w, t);
        }
        let mut target = prev;
        let wide = waker.is_some_and(|w| self.wakes_wide(w, t, waker_cpu));
        if waker_cpu != prev && !wide && self.sees_allowed(e, t, waker_cpu) {
            let reaches = |d: &domains::SimulatedDomain| !d.far && d.span.contains(prev);
            if self.domains.of[waker_cpu as usize].iter().any(reaches) {
                target = self.affine(e, t, waker_cpu, prev, sync);
            }
        }
        let mut scanned =
            (e.recorder.evidence().level >= EvidenceLevel::L2).then(|| CpuMask::of(e.topology.len(), [target, prev]));
        let take_waker_cpu = sync && target != prev && self.faults.has(Fault::WakerCpu);
        let chosen = if take_waker_cpu { target } else { self.idle_sibling(e, t, prev, target, &mut scanned) };
        if let Some(mask) = scanned {
            let (mask, tid) = (e.masks.intern(&mask), e.thread(t).tid);
            let flags = if sync { WF_TTWU | WF_SYNC } else { WF_TTWU };
            e.recorder.placement(e.now(), e.context(), tid, Some(mask), (prev, chosen), flags);
        }
        chosen
    }

    fn note_wakee(&mut self, e: &Engine<'_>, waker: ThreadIx, wakee: ThreadIx) {
        let now = e.now();
        let w = self.entity_mut(waker);
        if now > w.flips_decayed + S {
            w.wakee_flips /= 2;
            w.flips_decayed = now;
        }
        if w.last_wakee != Some(wakee) {
            w.last_wakee = Some(wakee);
            w.wakee_flips += 1;
        }
    }

    /// One thread wakes many: they are not pulled to its CPU.
    fn wakes_wide(&self, waker: ThreadIx, wakee: ThreadIx, cpu: CpuIx) -> bool {
        if waker as usize >= self.entities.len() {
            return false;
        }
        let (a, b) = (self.entity(waker).wakee_flips, self.entity(wakee).wakee_flips);
        let (master, slave) = (a.max(b), a.min(b));
        let factor = self.domains.llc[cpu as usize].len() as u32;
        slave >= factor && master >= slave * factor
    }

    /// The waker's CPU or the previous one.
    fn affine(&mut self, e: &Engine<'_>, t: ThreadIx, this: CpuIx, prev: CpuIx, sync: bool) -> CpuIx {
        if self.rules.group_types {
            if self.is_available(e, this) && self.domains.llc[this as usize].contains(prev) {
                return if self.is_available(e, prev) { prev } else { this };
            }
            if sync && self.rq(this).count() == 1 {
                return this;
            }
            if self.is_available(e, prev) {
                return prev;
            }
        }
        let own = self.thread_load(e.now(), t);
        let mut load = self.load(e.now(), this);
        if sync && let Some(current) = self.rq(this).current {
            load = load.saturating_sub(self.thread_load(e.now(), current));
        }
        if load == 0 && !self.rules.group_types {
            return this;
        }
        // Half the usual imbalance in favour of the waker's CPU.
        let pct = 100 + (self.rules.domains.imbalance_pct as u64 - 100) / 2;
        let (this_load, prev_load) = (100 * (load + own), pct * (self.load(e.now(), prev) + own));
        if this_load <= prev_load { this } else { prev }
    }

    /// An idle CPU near the target.
    fn idle_sibling(
        &mut self,
        e: &Engine<'_>,
        t: ThreadIx,
        prev: CpuIx,
        target: CpuIx,
        scanned: &mut Option<CpuMask>,
    ) -> CpuIx {
        let core = |k: &Self, c: CpuIx| !k.faults.has(Fault::IdleCoreOnly) || k.idle_core(e, c);
        let usable = |k: &Self, c: CpuIx| {
            k.is_available(e, c) && k.sees_allowed(e, t, c) && k.fits(e, t, c) && k.unclaimed(e, c) && core(k, c)
        };
        if usable(self, target) {
            return target;
        }
        let llc = self.domains.llc[target as usize].clone();
        if prev != target && llc.contains(prev) && usable(self, prev) {
            return prev;
        }
        let cut = self.scan_limit(e, &llc);
        if let Some(scanned) = scanned {
            let searched = CpuMask::of(e.topology.len(), llc.iter_from(target + 1).take(cut));
            scanned.union_with(if self.domains.smt && cut > 0 { &llc } else { &searched });
        }
        if self.domains.smt
            && cut > 0
            && let Some(core) = llc.iter_from(target).find(|&c| usable(self, c) && self.idle_core(e, c))
        {
            return core;
        }
        let start = target + 1;
        if let Some(c) = llc.iter_from(start).take(cut).find(|&c| usable(self, c)) {
            return c;
        }
        // The fix of the paper: the CPU that has been idle for longest, wherever it is.
        if !self.faults.has(Fault::OverloadOnWakeup) {
            if let Some(scanned) = scanned {
                scanned.union_with(e.online());
            }
            if let Some(c) = self.longest_idle(e, t) {
                return c;
            }
        }
        if self.sees_allowed(e, t, target) { target } else { self.fallback(e, t) }
    }

    /// Number of CPUs that the search within the cache scans.
    fn scan_limit(&mut self, e: &Engine<'_>, llc: &CpuMask) -> usize {
        if self.faults.has(Fault::ScanCut) {
            return 0;
        }
        if !self.faults.has(Fault::ScanByUtil) {
            return usize::MAX;
        }
        let capacity: u64 = llc.iter().map(|c| u64::from(e.topology.cpu(c).capacity)).sum();
        let util: u64 = llc.iter().map(|c| self.util(e, c)).sum();
        let n = llc.len() as u64;
        let share = util * 1024 / capacity.max(1);
        let left = 1024u64.saturating_sub(share * share * 117 / 100 * 117 / 100 / 1024);
        (n * left / 1024) as usize
    }

    /// The idle CPU that a thread may use that has been idle for longest; the lowest number among equals.
    pub(super) fn longest_idle(&self, e: &Engine<'_>, t: ThreadIx) -> Option<CpuIx> {
        let usable =
            |&c: &CpuIx| self.is_idle(e, c) && self.sees_allowed(e, t, c) && self.in_domains(c) && self.unclaimed(e, c);
        e.idle().iter().filter(usable).min_by_key(|&c| (e.idle_since(c), c))
    }

    /// No thread is on the way to it.
    pub(super) fn unclaimed(&self, e: &Engine<'_>, c: CpuIx) -> bool {
        !(e.in_irq(c) || e.runs_idle(c) && e.resched_pending(c))
    }

    /// True for a CPU that is balanced with others.
    pub(super) fn in_domains(&self, c: CpuIx) -> bool {
        !self.domains.of[c as usize].is_empty() || self.domains.of.len() == 1
    }

    fn idle_core(&self, e: &Engine<'_>, c: CpuIx) -> bool {
        e.topology.siblings(c).iter().all(|&s| self.is_available(e, s))
    }

    /// A thread fits a CPU that its utilisation does not nearly fill (kernel: task_fits_cpu, with the fault only).
    fn fits(&self, e: &Engine<'_>, t: ThreadIx, c: CpuIx) -> bool {
        !self.domains.asymmetric
            || !self.faults.has(Fault::AsymmetricCapacity)
            || self.entity(t).util.get() * 1280 < u64::from(e.topology.cpu(c).capacity) * 1024
    }

    /// The lowest CPU that a thread may use.
    pub(super) fn first_allowed(&self, e: &Engine<'_>, t: ThreadIx) -> CpuIx {
        e.online().iter().find(|&c| self.sees_allowed(e, t, c)).unwrap_or(e.thread(t).cpu)
    }

    /// The lowest CPU of the node where a thread was that it may use, else of all.
    pub(super) fn first_of_node(&self, e: &Engine<'_>, t: ThreadIx) -> CpuIx {
        let node = |c: CpuIx| e.topology.location(c).node;
        let near = |&c: &CpuIx| node(c) == node(e.thread(t).cpu) && self.sees_allowed(e, t, c);
        e.online().iter().find(near).unwrap_or_else(|| self.first_allowed(e, t))
    }

    /// Any CPU that a thread may use: an idle one near where it was, else the least loaded, else any that is online
    /// (kernel: select_fallback_rq).
    pub(super) fn fallback(&mut self, e: &Engine<'_>, t: ThreadIx) -> CpuIx {
        let last = e.thread(t).cpu;
        let allowed = |&c: &CpuIx| e.may_use(t, c);
        let best = |k: &Self, c: CpuIx| (!k.is_idle(e, c), k.rq(c).count(), e.topology.distance(last, c), c);
        let seen = |k: &Self, c: &CpuIx| k.sees_allowed(e, t, *c);
        let strict = e.online().iter().filter(|c| seen(self, c)).min_by_key(|&c| best(self, c));
        strict
            .or_else(|| e.online().iter().filter(allowed).min_by_key(|&c| best(self, c)))
            .unwrap_or_else(|| e.online().first().unwrap_or(0))
    }
}
