//! What is noted for the rules that say why: how threads came to stand where they stand, and what the balancer did.

use wastenot_schemas::{balance_attempt, balance_kick, cpu_load, cpus_scanned, irq_kind, kick_kind, schedstat};

use super::Scheduler;
use crate::causes::kernels::Release;
use crate::causes::{
    Arrival, Came, Choice, Choosing, Ending, GROUPS_OF_EACH, Hop, How, Loads, Looked, Newidle, Open, Pass, Path,
    Pending, Verdict, is_newly_idle, of_loads,
};
use crate::matching::CpuBits;
use crate::threads::{Phase, Utid};
use crate::topology::CpuIx;

/// Threads that ran in this time count as cache-hot, ns (sysctl_sched_migration_cost).
const HOT_NS: i64 = 500_000;
/// Releases in which a thread that sleeps may stay on its queue for a while.
const DELAYED_DEQUEUE: Release = (6, 12);
/// Number of the balancer's softirq (include/linux/interrupt.h: SCHED_SOFTIRQ).
const SCHED_SOFTIRQ: i32 = 7;
/// Loads kept of one pass.
const LOADS: usize = 4096;

impl Scheduler {
    /// Waste is under way, or what ended it is still to be seen: what happens matters.
    #[inline]
    pub(super) fn is_wasting(&self) -> bool {
        self.invariant.spell.start.is_some() || self.witness.holds
    }

    pub(super) fn arrival(&mut self, utid: Utid) -> &mut Arrival {
        self.invariant.spell.arrival(utid)
    }

    /// A thread comes to stand somewhere.
    pub(super) fn set_arrival(&mut self, utid: Utid, mut arrival: Arrival) {
        if self.notes_nothing {
            return;
        }
        arrival.ext = self.threads[utid].ext;
        let slot = self.invariant.spell.arrival(utid);
        if slot.widened && !arrival.widened {
            self.witness.moved_on(utid);
        }
        *slot = arrival;
    }

    /// A thread is about to be queued on `target` by its wakeup, which `from` (where it was before) does not know yet.
    pub(super) fn note_wakeup(&mut self, utid: Utid, target: CpuIx, from: Option<CpuIx>, is_new: bool) {
        if self.notes_nothing {
            return;
        }
        let pending = &mut self.witness.pending;
        let Pending { moved, from: left, chose } =
            if pending.is_empty() { Pending::default() } else { pending.remove(&utid).unwrap_or_default() };
        if chose.is_none() && from == Some(target) && moved.is_none() && !is_new && self.finds_it_queued(utid) {
            // Whoever came while it had the CPU to itself makes it wait from now on.
            let event = self.event;
            self.arrival(utid).preempted = Some(event);
            if self.is_wasting() {
                self.witness.ending(event, Ending::Woken);
            }
            return;
        }
        let waker = self.threads[utid].waker.take();
        let how = if is_new { How::Born } else { How::Woken };
        let mut came = Came { how, event: self.event, moved, ..Came::default() };
        came.kept = moved.is_none() && from == Some(target) && !is_new;
        came.to_waker = waker == Some(target);
        // Where the thread may not use what was chosen, another choice follows that is not told.
        let chose = chose.filter(|c| c.chosen.is_none_or(|chosen| chosen == target));
        came.chose = chose.map(|c| c.event);
        let state = &self.cpus[target as usize];
        if !(state.runs_swapper() && state.queue.is_empty()) {
            self.know(utid);
            let idle = self.invariant.nearest_idle(utid, target).filter(|&c| !self.topology.cpus[c as usize].isolated);
            came.choice = match idle {
                None => Choice::None,
                Some(c) if !self.topology.knows_llc(c) || !self.topology.knows_llc(target) => Choice::Somewhere,
                Some(c) if self.topology.llc(c) == self.topology.llc(target) => Choice::Near,
                Some(_) => Choice::Far,
            };
            let prev = left.or(from);
            let llc = self.topology.llc(target);
            let is_near = |c: CpuIx| self.topology.llc(c) == llc;
            came.left_idle = prev.is_some_and(|c| is_near(c) && self.may_have(utid, c));
            came.looked = chose.and_then(|c| Some((c, c.mask?))).map(|(Choosing { event, by, .. }, mask)| {
                let at = || self.invariant.mask_cpus(mask);
                // The search begins near the CPU that it had before or near the waker.
                let one_llc = at().all(|c| is_near(c) || Some(c) == prev || c == by);
                // One more may be the CPU that the thread used before that (recent_used_cpu).
                let others = at().filter(|&c| c != target && Some(c) != prev).count();
                let searched = by != target || others > 1;
                Looked { event, all_idle: self.looked_at_all(utid, target, mask), one_llc, searched }
            });
        }
        self.set_arrival(utid, Arrival::of(came));
        if self.is_wasting() {
            self.witness.ending(self.event, Ending::Woken);
        }
    }

    /// A CPU idles that the thread may use.
    fn may_have(&self, utid: Utid, cpu: CpuIx) -> bool {
        self.invariant.is_usable(cpu) && self.invariant.may_use(utid, cpu)
    }

    /// No idle CPU in the last-level cache of `near` that the thread may use is missing from this mask.
    fn looked_at_all(&self, utid: Utid, near: CpuIx, mask: i32) -> bool {
        let llc = self.topology.llc(near);
        let is_missed = |c: CpuIx| {
            self.topology.llc(c) == llc && !self.invariant.mask_has(mask, c) && self.invariant.may_use(utid, c)
        };
        !self.invariant.usable_idle().iter().any(|c| is_missed(c as CpuIx))
    }

    /// A wakeup for which no choice was recorded, where choices of the fair class are, found the thread on its queue still
    /// (delayed dequeue, 6.12 on: ttwu_runnable) and placed nothing: it stands there as it came.
    fn finds_it_queued(&self, utid: Utid) -> bool {
        self.witness.tells_choices
            && !self.threads[utid].ext
            && self.release.is_some_and(|release| release >= DELAYED_DEQUEUE)
    }

    /// A thread that waits is moved.
    pub(super) fn note_move(&mut self, utid: Utid, from: CpuIx, to: CpuIx, path: Option<Path>, proof: u8) {
        if self.notes_nothing {
            return;
        }
        let moved = path.map(|path| (self.event, path, proof));
        let came = Came { how: How::Moved(path), event: self.event, moved, ..Came::default() };
        let arrival = self.arrival(utid).moved(came);
        self.set_arrival(utid, arrival);
        if self.is_wasting() {
            self.witness.ending(self.event, Ending::Moved(path, proof, Hop { from, to, t: self.now }));
        }
        let by_balancer = !matches!(path, Some(Path::Affinity | Path::Cgroup | Path::Hotplug | Path::Wakeup));
        if by_balancer {
            self.crossings.moved(from, to, self.event, self.now);
        }
    }

    /// A thread that sleeps will be woken elsewhere.
    pub(super) fn note_sleeping_move(&mut self, utid: Utid, from: CpuIx, path: Option<Path>, proof: u8) {
        if self.notes_nothing {
            return;
        }
        if let Some(path) = path {
            let pending = self.witness.pending.entry(utid).or_default();
            (pending.moved, pending.from) = (Some((self.event, path, proof)), Some(from));
        }
    }

    /// The masks of a thread change, from these.
    pub(super) fn note_mask(&mut self, utid: Utid) {
        if self.notes_nothing {
            return;
        }
        let phase = self.threads[utid].phase;
        if phase.cpu().is_none() {
            return;
        }
        let Some(before) = self.invariant.allowed(utid).cloned() else { return };
        let event = self.event;
        let arrival = self.invariant.spell.arrival(utid);
        self.witness.widen(utid, arrival, event, before);
        if phase.waits_on().is_some() && self.is_wasting() {
            self.witness.ending(event, Ending::Mask);
        }
    }

    /// The balancer's softirq ran on a CPU that runs swapper: somebody raised it there.
    pub(super) fn note_softirq(&mut self, cpu: CpuIx, kind: u8, vector: Option<i32>) {
        if self.notes_nothing {
            return;
        }
        let is_balancers = kind == irq_kind::SOFTIRQ && vector == Some(SCHED_SOFTIRQ);
        if is_balancers && self.is_wasting() && self.cpus[cpu as usize].runs_swapper() {
            self.witness.balanced_in_idle(self.now);
        }
    }

    /// A CPU that runs swapper is called to balance.
    pub fn balance_kick(&mut self, r: &balance_kick::Row) {
        if self.notes_nothing {
            return;
        }
        self.witness.tells_kicks |= r.kind == kick_kind::SENT;
        if self.is_wasting() {
            self.witness.balanced_in_idle(r.ts_ns);
        }
    }

    /// Interrupt work begins on a CPU that idles while threads wait.
    pub(super) fn note_interrupt(&mut self, until: i64) {
        if self.notes_nothing {
            return;
        }
        if self.is_wasting() {
            self.witness.ending(self.event, Ending::Interrupt(until));
        }
    }

    /// Something ends waits that is neither a switch nor a move.
    pub(super) fn note_other(&mut self) {
        if self.notes_nothing {
            return;
        }
        if self.is_wasting() {
            self.witness.ending(self.event, Ending::Other);
        }
    }

    /// `waking`: from which CPU a thread is woken.
    #[inline]
    pub fn sched_waking(&mut self, cpu: i16, tid: i32) {
        if let Some(utid) = self.threads.find(tid) {
            self.threads[utid].waker = self.topology.index(cpu);
        }
    }

    /// An attempt to balance: of a CPU about to idle as a whole, or a pass over one domain.
    pub fn balance_attempt(&mut self, r: &balance_attempt::Row<'_>) {
        if self.notes_nothing {
            return;
        }
        let (Some(by), Some(dst)) = (self.topology.index(r.cpu), self.topology.index(r.dst_cpu)) else { return };
        if r.function.contains("newidle") || r.function.starts_with("idle_balance") {
            self.witness.newidle(dst, Newidle { event: r.id, level: None });
            return;
        }
        self.witness.tells_passes = true;
        let level = r.domain_level.map(|told| self.witness.level(dst, told, self.now));
        if is_newly_idle(r.idle_type) {
            self.witness.newidle(dst, Newidle { event: r.id, level: Some(level.unwrap_or(i16::MAX)) });
        }
        self.settle_pass(by);
        if !self.is_wasting() {
            return;
        }
        let (t, until, event) = (r.ts_ns, r.ts_ns.saturating_add(r.dur_ns), r.id);
        let open = Open { t, until, event, dst, level, idle: r.idle_type, pulled: r.pulled };
        self.witness.open[by as usize] = Some((open, Loads { attempt: event, ..Loads::default() }));
        self.witness.opened.push(by);
    }

    /// A pass saw the load of a CPU.
    pub fn cpu_load(&mut self, r: &cpu_load::Row) {
        let (Some(by), Some(of)) = (self.topology.index(r.cpu), self.topology.index(r.of_cpu)) else { return };
        if let Some((_, loads)) = &mut self.witness.open[by as usize]
            && r.attempt_id == Some(loads.attempt)
            && loads.rows.len() < LOADS
        {
            loads.rows.push((of, r.load, r.nr_running.unwrap_or(0)));
        }
    }

    /// The balancer's counters were read, or what a domain counted up to that.
    pub fn schedstat(&mut self, r: &schedstat::Row) {
        if self.notes_nothing {
            return;
        }
        let cpu = r.cpu.and_then(|cpu| self.topology.index(cpu));
        self.witness.readings.row(r, cpu);
    }

    /// A placement or a pass looked at CPUs and chose one.
    pub fn cpus_scanned(&mut self, r: &cpus_scanned::Row) {
        if self.notes_nothing {
            return;
        }
        let Some(by) = self.topology.index(r.cpu) else { return };
        if let Some(tid) = r.tid.filter(|&tid| tid != 0) {
            self.witness.tells_choices = true;
            let utid = self.threads.of(tid);
            // One that runs is about to exec: it stays or is moved, and no wakeup follows.
            if !matches!(self.threads[utid].phase, Phase::Running(_)) {
                let chosen = r.chosen_cpu.and_then(|c| self.topology.index(c));
                let chose = Choosing { event: r.id, by, chosen, mask: r.mask_id };
                self.witness.pending.entry(utid).or_default().chose = Some(chose);
            }
            return;
        }
        let src = r.chosen_cpu.and_then(|c| self.topology.index(c));
        if let Some((_, loads)) = &mut self.witness.open[by as usize]
            && r.attempt_id == Some(loads.attempt)
        {
            (loads.src, loads.chose) = (src, true);
            self.settle_pass(by);
        }
    }

    /// Judge all passes under way, before anything changes that they saw.
    pub fn settle_passes(&mut self) {
        while let Some(by) = self.witness.opened.pop() {
            self.settle_pass(by);
        }
    }

    /// Judge the pass that a CPU has under way, now that no more will be told of it.
    pub fn settle_pass(&mut self, by: CpuIx) {
        let Some((o, loads)) = self.witness.open[by as usize].take() else { return };
        self.witness.opened.retain(|&c| c != by);
        if self.release.is_some_and(|release| release < GROUPS_OF_EACH) {
            self.note_own_group(&o, &loads);
        }
        let (verdict, seen) = match (o.pulled, loads.src) {
            (None, _) => (Verdict::Unknown, false),
            (Some(1..), _) => (Verdict::Moved, true),
            (_, Some(src)) => (self.refusal(src, o.dst), true),
            _ => self.balance(&o, loads),
        };
        let Open { t, until, event, dst, level, idle, .. } = o;
        self.witness.passes.push(Pass { t, until, event, dst, level, idle, verdict, seen });
    }

    /// A pass looks at its own group first, CPU by CPU in ascending order, then at the others: where the order begins anew, the
    /// first group has ended (update_sd_lb_stats, update_sg_lb_stats).
    fn note_own_group(&mut self, o: &Open, loads: &Loads) {
        let Some(level) = o.level else { return };
        let own = 1 + loads.rows.windows(2).take_while(|two| two[0].0 < two[1].0).count();
        if own < loads.rows.len() && loads.rows[..own].iter().any(|(cpu, ..)| *cpu == o.dst) {
            let group = CpuBits::of(self.cpus.len(), loads.rows[..own].iter().map(|(cpu, ..)| u32::from(*cpu)));
            self.witness.own_groups.entry((o.dst, level)).or_insert((o.event, group));
        }
    }

    /// A pass chose `src` and took nobody: who waits there?
    fn refusal(&self, src: CpuIx, dst: CpuIx) -> Verdict {
        let waiting = || self.cpus[src as usize].queue.iter().copied();
        if waiting().next().is_none() {
            return Verdict::NothingThere;
        }
        let mut movable = waiting().filter(|&u| self.invariant.may_use(u, dst)).peekable();
        if movable.peek().is_none() {
            return Verdict::Pinned(src);
        }
        let mut all_stale = true;
        let mut all_hot = true;
        for utid in movable {
            let t = &self.threads[utid];
            // Whom a balancer has moved since is no longer taken for pinned.
            let moved = matches!(self.invariant.spell.how(utid), How::Moved(_));
            all_stale &= !moved && self.witness.gained(utid, dst).is_some();
            let preempted = matches!(t.phase, Phase::Queued { preempted: true, .. });
            all_hot &= preempted && self.now - t.wait_start < HOT_NS;
        }
        if all_stale { Verdict::StaleMask(src) } else { Verdict::Refused(src, all_hot) }
    }

    /// A pass found balance: by the loads it saw, or else by the threads on each queue.
    fn balance(&self, o: &Open, mut loads: Loads) -> (Verdict, bool) {
        let Some(tree) = self.witness.domains(o.t).tree() else { return (Verdict::Unknown, false) };
        let Some(at) = o.level.and_then(|level| tree.of(o.dst).iter().position(|d| d.number == level)) else {
            return (Verdict::Unknown, false);
        };
        let seen = !loads.rows.is_empty();
        if !seen {
            let threads = |c: u32| (c as CpuIx, 1024 * i64::from(self.cpus[c as usize].runnable()));
            let rows = tree.of(o.dst)[at].span.iter().map(threads);
            loads.rows = rows.map(|(c, load)| (c, load, (load / 1024) as i32)).collect();
        }
        match of_loads(tree, o.dst, at, &loads.rows, self.release) {
            // Beyond the kernel's own rule: only the loads that a pass saw say so much.
            Verdict::NumaFew if !seen => (Verdict::Unexplained, false),
            verdict => (verdict, seen),
        }
    }

    /// The CPU's stopper begins to run while threads wait.
    pub(super) fn note_stopper(&mut self, cpu: CpuIx, next: Utid) {
        if !self.notes_nothing && self.threads[next].constraints.per_cpu && self.is_wasting() && self.is_stopper(next) {
            self.witness.stopped(self.now, cpu, self.event);
        }
    }
}
