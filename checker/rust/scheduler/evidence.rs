//! Notes for the rules about causes: how threads were queued where they are, and what the balancer did.

use wastenot_schemas::{
    balance_attempt, balance_kick, balance_search, balance_search_result, cpu_load, cpus_scanned, ext_access,
    ext_change, ext_idle, ext_kick, ext_of_cgroup, ext_place, ext_queue, ext_scheduler, ext_scheduler_change,
    ext_search, ext_state, idle_type, irq_kind, kick_kind, newidle_entry, preferred_llc, schedstat,
};

use super::Scheduler;
use super::placement::WokenFrom;
use crate::causes::domains::KnownDomains;
use crate::causes::kernels::Release;
use crate::causes::{
    Arrival, AttemptLoads, AttemptResult, BalanceAttempt, BalanceSearch, CpuChoice, CpuMove, CpuScan, CpuUse,
    EndingEvent, ExtPlace, ExtQueueId, GROUP_TYPES, GROUPS_OF_EACH, IdleAlternative, KickOrSoftirq, MigrationPath,
    NewidleBalance, NewidleEntry, NextBalanceReading, OF_ALL, OpenAttempt, PendingWakeup, QueuedBy, SchedClass,
    SeenCpu, WaitOrigin, WaiterTraits, is_newly_idle, result_from_loads,
};
use crate::threads::{Phase, Utid};
use crate::topology::CpuIx;
use wastenot_topology::CpuBits;

/// Threads that ran in this time count as cache-hot where the machine's setting is not recorded, ns (sysctl_sched_migration_cost).
const HOT_NS: i64 = 500_000;
/// Releases in which a thread that sleeps may stay on its queue for a while.
const DELAYED_DEQUEUE: Release = (6, 12);

/// Flags of a placement (kernel/sched/sched.h): it is made at a wakeup; the waker's CPU is to be taken (from 6.6 on).
const WF_TTWU: i32 = 0x08;
const WF_CURRENT_CPU: i32 = 0x40;
/// Number of the balancer's softirq (include/linux/interrupt.h: SCHED_SOFTIRQ).
const SCHED_SOFTIRQ: i32 = 7;
/// Loads kept of one attempt.
const LOADS: usize = 4096;

impl Scheduler {
    /// Waste is under way, or what ended it is still to be seen: what happens matters.
    #[inline]
    pub(super) fn is_wasting(&self) -> bool {
        self.invariant.interval.start.is_some() || self.balancer_log.interval_deferred
    }

    pub(super) fn wait_origin(&mut self, utid: Utid) -> &mut WaitOrigin {
        self.invariant.interval.wait_origin(utid)
    }

    /// A thread waits again where it ran.
    pub(super) fn note_preempted(&mut self, utid: Utid) {
        let (event, traits) = (self.event, self.waiter_traits(utid));
        let origin = self.wait_origin(utid);
        (origin.preempted, origin.traits) = (Some(event), traits);
    }

    pub(super) fn waiter_traits(&self, utid: Utid) -> WaiterTraits {
        let thread = &self.threads[utid];
        let class = if self.is_of_sched_ext(utid) {
            SchedClass::Ext(thread.number)
        } else if self.wait_ledger.is_realtime(utid) {
            SchedClass::Realtime
        } else {
            SchedClass::Fair
        };
        let place = if let SchedClass::Ext(number) = class { self.balancer_log.ext.latest(number) } else { None };
        let ext_place = place.filter(|place| place.place == ext_place::LOCAL);
        WaiterTraits { class, ext_place, mask_known: thread.constraints.known() }
    }

    /// A thread is queued somewhere.
    pub(super) fn set_wait_origin(&mut self, utid: Utid, mut origin: WaitOrigin) {
        if self.without_causes {
            return;
        }
        origin.traits = self.waiter_traits(utid);
        let slot = self.invariant.interval.wait_origin(utid);
        if slot.widened && !origin.widened {
            self.balancer_log.requeued(self.threads[utid].number);
        }
        *slot = origin;
    }

    /// A thread is queued somewhere, and nothing of its former queue matters any more.
    fn set_arrival(&mut self, utid: Utid, arrival: &Arrival) {
        let traits = self.waiter_traits(utid);
        let slot = self.invariant.interval.wait_origin(utid);
        if slot.widened {
            self.balancer_log.requeued(self.threads[utid].number);
        }
        slot.arrive(arrival, traits);
    }

    /// A thread is about to be queued on `target` by its wakeup, and still counts as a thread of `from` (where it was before).
    pub(super) fn note_wakeup(&mut self, utid: Utid, target: CpuIx, woken: WokenFrom, is_new: bool) {
        let WokenFrom { waker, last: from } = woken;
        if self.without_causes {
            return;
        }
        let pending = &mut self.balancer_log.pending;
        let PendingWakeup { moved, from: left, chosen } =
            if pending.is_empty() { PendingWakeup::default() } else { pending.remove(&utid).unwrap_or_default() };
        if chosen.is_none() && from == Some(target) && moved.is_none() && !is_new && self.is_still_queued(utid) {
            // A thread that arrived while it had the CPU to itself makes it wait from now on.
            self.note_preempted(utid);
            if self.is_wasting() {
                self.balancer_log.ending_event(self.event, EndingEvent::Woken);
            }
            return;
        }
        let queued_by = if is_new { QueuedBy::Created } else { QueuedBy::Woken };
        let mut arrival = Arrival { queued_by, event: self.event, moved, ..Arrival::default() };
        arrival.kept_cpu = moved.is_none() && from == Some(target) && !is_new;
        arrival.to_waker = waker == Some(target);
        arrival.realtime = self.wait_ledger.is_realtime(utid);
        // Where the thread may not use what was chosen, another choice follows that is not recorded.
        let chosen = chosen.filter(|c| c.chosen.is_none_or(|chosen| chosen == target));
        arrival.chosen = chosen.map(|c| c.event);
        let state = &self.cpus[target as usize];
        if !(state.runs_swapper() && state.queue.is_empty()) {
            self.know(utid);
            let idle = self.invariant.nearest_idle(utid, target).filter(|&c| !self.topology.isolated[c as usize]);
            arrival.idle_alternative = match idle {
                None => IdleAlternative::None,
                Some(c) if !self.topology.knows_llc(c) || !self.topology.knows_llc(target) => {
                    IdleAlternative::Somewhere
                }
                Some(c) if self.topology.llc(c) == self.topology.llc(target) => IdleAlternative::Near,
                Some(_) => IdleAlternative::Far,
            };
            let prev = left.or(from);
            let llc = self.topology.llc(target);
            let is_near = |c: CpuIx| self.topology.llc(c) == llc;
            arrival.cache_was_busy = chosen.is_some_and(|c| c.cache_was_busy);
            arrival.previous_cpu_idle = prev.is_some_and(|c| is_near(c) && self.may_have(utid, c));
            arrival.scan = chosen.and_then(|c| Some((c, c.mask?))).map(|(CpuChoice { event, by, .. }, mask)| {
                let at = || self.invariant.mask_cpus(mask);
                // The search starts near the CPU that it had before or near the waker.
                let one_llc = at().all(|c| is_near(c) || Some(c) == prev || c == by);
                // One more may be the CPU that the thread used before that (recent_used_cpu).
                let others = at().filter(|&c| c != target && Some(c) != prev).count();
                let searched = by != target || others > 1;
                CpuScan { event, all_idle: self.all_idle_scanned(utid, target, mask), one_llc, searched }
            });
        }
        self.set_arrival(utid, &arrival);
        if self.is_wasting() {
            self.balancer_log.ending_event(self.event, EndingEvent::Woken);
        }
    }

    /// A CPU idles that the thread may use.
    fn may_have(&self, utid: Utid, cpu: CpuIx) -> bool {
        self.invariant.is_usable(cpu) && self.invariant.may_use(utid, cpu)
    }

    /// The choice of CPU `chosen` with these flags goes by an idle CPU of the cache that it starts from: not so where the waker's CPU is
    /// taken without a search (WF_CURRENT_CPU; by a kernel thread that is bound to it), and for a thread of SCHED_IDLE.
    fn searches_for_idle(&self, utid: Utid, by: CpuIx, chosen: CpuIx, wake_flags: Option<i32>) -> bool {
        let of_waker = self.cpus[by as usize].current;
        wake_flags.is_some_and(|flags| flags & (WF_TTWU | WF_CURRENT_CPU) == WF_TTWU)
            && (chosen != by || of_waker.is_some_and(|waker| self.threads[waker].is_kernel == Some(false)))
            && !self.threads[utid].is_idle_policy
    }

    /// No CPU of the cache of `near` that the thread may use can have been idle since then. The cache is the widest domain that joins CPUs
    /// of one (sd_llc), as the kernel reported it; where capacities differ, others than idle CPUs may be chosen.
    fn cache_was_busy(&mut self, utid: Utid, near: CpuIx, since: i64) -> bool {
        let KnownDomains::Exact(tree) = self.balancer_log.domains(self.now) else { return false };
        let levels = tree.of(near);
        if levels.iter().any(|domain| domain.has_asymmetric_capacities() != Some(false)) {
            return false;
        }
        let Some(span) = levels.iter().rfind(|domain| domain.shares_cache()).map(|domain| domain.span.clone()) else {
            return false;
        };
        self.know(utid);
        let may_idle = |cpu: CpuIx| {
            let state = &self.cpus[cpu as usize];
            state.idle_until >= since || state.runs_swapper() || state.current.is_none()
        };
        let usable = span.iter().map(|cpu| cpu as CpuIx).filter(|&cpu| self.invariant.may_use(utid, cpu));
        let mut usable = usable.peekable();
        usable.peek().is_some() && !usable.any(may_idle)
    }

    /// No idle CPU in the last-level cache of `near` that the thread may use is missing from this mask.
    fn all_idle_scanned(&self, utid: Utid, near: CpuIx, mask: i32) -> bool {
        let llc = self.topology.llc(near);
        let is_missed = |c: CpuIx| {
            self.topology.llc(c) == llc && !self.invariant.mask_has(mask, c) && self.invariant.may_use(utid, c)
        };
        !self.invariant.usable_idle().iter().any(|c| is_missed(c as CpuIx))
    }

    /// A wakeup for which no choice was recorded, where choices of the fair class are, found the thread on its queue still
    /// (delayed dequeue, 6.12 on: ttwu_runnable) and placed nothing: its arrival there stays as noted.
    fn is_still_queued(&self, utid: Utid) -> bool {
        self.balancer_log.reports_scans
            && !self.threads[utid].ext
            && !self.wait_ledger.is_realtime(utid)
            && self.release.is_some_and(|release| release >= DELAYED_DEQUEUE)
    }

    /// A thread that waits is moved.
    pub(super) fn note_move(&mut self, utid: Utid, from: CpuIx, to: CpuIx, path: Option<MigrationPath>, proof: u8) {
        if self.without_causes {
            return;
        }
        let moved = path.map(|path| (self.event, path, proof));
        let arrival = Arrival { queued_by: QueuedBy::Moved(path), event: self.event, moved, ..Arrival::default() };
        let origin = self.wait_origin(utid).moved(arrival);
        self.set_wait_origin(utid, origin);
        if self.is_wasting() {
            self.balancer_log
                .ending_event(self.event, EndingEvent::Moved(path, proof, CpuMove { from, to, t: self.now }));
        }
        let by_balancer = !matches!(
            path,
            Some(MigrationPath::Affinity | MigrationPath::Cgroup | MigrationPath::Hotplug | MigrationPath::Wakeup)
        );
        if by_balancer {
            self.llc_moves.record(from, to, self.event, self.now);
        }
    }

    /// A thread that sleeps will be woken elsewhere.
    pub(super) fn note_sleeping_move(&mut self, utid: Utid, from: CpuIx, path: Option<MigrationPath>, proof: u8) {
        if self.without_causes {
            return;
        }
        if let Some(path) = path {
            let pending = self.balancer_log.pending.entry(utid).or_default();
            (pending.moved, pending.from) = (Some((self.event, path, proof)), Some(from));
        }
    }

    /// The masks of a thread change, from these.
    pub(super) fn note_mask(&mut self, utid: Utid) {
        if self.without_causes {
            return;
        }
        let phase = self.threads[utid].phase;
        if phase.cpu().is_none() {
            return;
        }
        let Some(before) = self.invariant.allowed(utid).cloned() else { return };
        let event = self.event;
        let origin = self.invariant.interval.wait_origin(utid);
        self.balancer_log.widen(self.threads[utid].number, origin, event, before);
        if phase.waits_on().is_some() && self.is_wasting() {
            self.balancer_log.ending_event(event, EndingEvent::Mask);
        }
    }

    /// The balancer's softirq ran on a CPU that runs swapper: it was raised there.
    pub(super) fn note_softirq(&mut self, cpu: CpuIx, kind: u8, vector: Option<i32>) {
        if self.without_causes {
            return;
        }
        let is_balancers = kind == irq_kind::SOFTIRQ && vector == Some(SCHED_SOFTIRQ);
        // Where kicks are recorded, so is each such softirq (`balance_kick`).
        if is_balancers && !self.balancer_log.kicks.reports && self.cpus[cpu as usize].runs_swapper() {
            let call = KickOrSoftirq { t: self.now, event: self.event, cpu, sent: false };
            self.balancer_log.kicks.kick_or_softirq(call, self.is_wasting());
        }
    }

    /// A CPU that runs swapper is called to balance.
    pub fn balance_kick(&mut self, r: &balance_kick::Row) {
        if self.without_causes {
            return;
        }
        let sent = r.kind != kick_kind::SOFTIRQ;
        self.balancer_log.kicks.reports |= sent;
        let Some(cpu) = self.topology.index(r.target_cpu) else { return };
        if r.kind == kick_kind::SENT_FOR_LOADS {
            self.balancer_log.kicks.kicked_for_loads(cpu, r.ts_ns);
        } else {
            let call = KickOrSoftirq { t: r.ts_ns, event: r.id, cpu, sent };
            self.balancer_log.kicks.kick_or_softirq(call, self.is_wasting());
        }
        if !sent {
            self.note_next_balance(cpu, r.ts_ns, r.id, r.next_balance_ns);
        }
    }

    /// Interrupt work starts on a CPU: where it idles while threads wait, that may end.
    pub(super) fn note_interrupt(&mut self, cpu: CpuIx, until: i64) {
        if self.without_causes {
            return;
        }
        if self.is_wasting() && self.cpus[cpu as usize].runs_swapper() {
            self.balancer_log.ending_event(self.event, EndingEvent::Interrupt(until));
        }
    }

    /// Something ends waits that is neither a switch nor a move.
    pub(super) fn note_other(&mut self) {
        if self.without_causes {
            return;
        }
        if self.is_wasting() {
            self.balancer_log.ending_event(self.event, EndingEvent::Other);
        }
    }

    /// The CPU that wakes the thread of a wakeup event that `writer` wrote. A lost event may have been the waking.
    pub(super) fn waker(&mut self, utid: Utid, writer: i16) -> Option<CpuIx> {
        let waking = self.threads[utid].waker.take();
        if waking.is_some() || !self.queued_wakings_only || self.may_have_changed(utid) {
            return waking;
        }
        self.topology.index(writer)
    }

    /// `waking`: from which CPU a thread is woken.
    #[inline]
    pub fn sched_waking(&mut self, ts_ns: i64, cpu: i16, tid: i32) {
        if let Some(utid) = self.threads.find(tid) {
            self.threads[utid].waker = self.topology.index(cpu);
            // Of a wakeup that is queued to another CPU: when it was, after the choice.
            self.threads[utid].waking_ns = (!self.queued_wakings_only).then_some(ts_ns);
        }
    }

    /// An attempt to balance: of a CPU about to idle as a whole, or an attempt over one domain.
    pub fn balance_attempt(&mut self, r: &balance_attempt::Row<'_>) {
        if self.without_causes {
            return;
        }
        let (Some(by), Some(dst)) = (self.topology.index(r.cpu), self.topology.index(r.dst_cpu)) else { return };
        let pulled = r.pulled.is_some_and(|threads| threads > 0);
        if r.function.contains("newidle") || r.function.starts_with("idle_balance") {
            self.balancer_log.newidle(dst, NewidleBalance { event: r.id, level: None, pulled, entry: None });
            return;
        }
        self.balancer_log.reports_attempts = true;
        let level = r.domain_level.map(|reported| self.balancer_log.level(dst, reported, self.now));
        if is_newly_idle(r.idle_type) {
            let level = Some(level.unwrap_or(i16::MAX));
            self.balancer_log.newidle(dst, NewidleBalance { event: r.id, level, pulled, entry: None });
        }
        self.settle_attempt(by);
        // What it makes for itself while it idles, the end of its softirq shows.
        if by != dst {
            self.balancer_log.kicks.due_may_change(dst, r.ts_ns);
        }
        if !self.is_wasting() {
            return;
        }
        let (t, until, event) = (r.ts_ns, r.ts_ns.saturating_add(r.dur_ns), r.id);
        let open = OpenAttempt { t, until, event, dst, level, idle: r.idle_type, pulled: r.pulled };
        self.balancer_log.open[by as usize] = Some((open, AttemptLoads { attempt: event, ..AttemptLoads::default() }));
        self.balancer_log.cpus_with_attempt.push(by);
    }

    /// An attempt saw the load of a CPU.
    pub fn cpu_load(&mut self, r: &cpu_load::Row) {
        let (Some(by), Some(of)) = (self.topology.index(r.cpu), self.topology.index(r.of_cpu)) else { return };
        if let Some((_, loads)) = &mut self.balancer_log.open[by as usize]
            && r.attempt_id == Some(loads.attempt)
            && loads.rows.len() < LOADS
        {
            let used = r.util.zip(r.capacity);
            // What the kernel reads ends at what the CPU has (cpu_util).
            let whole = i64::from(self.topology.cpu(of).capacity);
            let used = used.map(|(util, capacity)| CpuUse { util: util.min(whole), runnable: r.runnable, capacity });
            loads.rows.push(SeenCpu { cpu: of, load: r.load, running: r.nr_running.unwrap_or(0), used });
        }
    }

    /// What a CPU about to idle decided by.
    pub fn newidle_entry(&mut self, r: &newidle_entry::Row) {
        if self.without_causes {
            return;
        }
        let Some(cpu) = self.topology.index(r.cpu) else { return };
        let too_short_level = r.too_short_level.map(|reported| self.balancer_log.level(cpu, reported, self.now));
        let (overloaded, wakeup_pending, dice) = (r.overloaded, r.wakeup_pending, r.dice);
        self.balancer_log
            .newidle_entry(cpu, NewidleEntry { event: r.id, overloaded, wakeup_pending, too_short_level, dice });
        self.note_next_balance(cpu, r.ts_ns, r.id, r.next_balance_ns);
    }

    fn note_next_balance(&mut self, cpu: CpuIx, t: i64, event: i64, after: Option<i64>) {
        let Some(after) = after else { return self.balancer_log.kicks.due_may_change(cpu, t) };
        let wasting = self.is_wasting();
        let read = NextBalanceReading::new(t, event, t.saturating_add(after));
        self.balancer_log.kicks.next_balance_read(cpu, read, self.topology.tick_ns, wasting);
    }

    /// What an attempt that moved no thread found.
    pub fn balance_search(&mut self, r: &balance_search::Row) {
        let Some(by) = self.topology.index(r.cpu) else { return };
        let src = r.src_cpu.and_then(|cpu| self.topology.index(cpu));
        if let Some((_, loads)) = &mut self.balancer_log.open[by as usize]
            && r.attempt_id == Some(loads.attempt)
        {
            loads.search = Some(BalanceSearch {
                result: r.result,
                src,
                examined: r.examined.unwrap_or(0),
                not_allowed: r.not_allowed.unwrap_or(0),
                running: r.running.unwrap_or(0),
                hot: r.hot.unwrap_or(0),
            });
            self.settle_attempt(by);
        }
    }

    /// It left threads in the cache that they prefer; what else it found comes after this.
    pub fn preferred_llc(&mut self, r: &preferred_llc::Row) {
        let Some(by) = self.topology.index(r.cpu) else { return };
        if let Some((_, loads)) = &mut self.balancer_log.open[by as usize]
            && r.attempt_id == Some(loads.attempt)
        {
            loads.preferred_llc = r.threads;
        }
    }

    /// A sched_ext scheduler put a thread somewhere: it runs the thread from then on.
    pub fn ext_queue(&mut self, r: &ext_queue::Row) {
        let utid = self.threads.of(r.tid);
        self.threads[utid].ext = true;
        if self.without_causes {
            return;
        }
        let queue = r.queue_cpu.and_then(|cpu| self.topology.index(cpu));
        let scheduler = self.balancer_log.ext.scheduler_of(r.tid, r.ts_ns);
        let shown_idle = self.balancer_log.ext.was_shown_idle(r.tid, r.step);
        let place = ExtPlace {
            t: r.ts_ns,
            until: i64::MAX,
            event: r.id,
            place: r.place,
            dsq: r.dsq.unwrap_or(0),
            queue,
            step: r.step,
            scheduler,
            shown_idle,
            waits_from: if matches!(self.threads[utid].phase, Phase::Running(_)) { i64::MAX } else { r.ts_ns },
            taken_after: i64::MIN,
        };
        let (number, wasting) = (self.threads[utid].number, self.is_wasting());
        self.balancer_log.ext.placed(utid, number, place, self.topology.index(r.cpu), wasting);
    }

    /// Which CPUs the kernel showed as idle as select_cpu placed a thread; the next row of `ext_queue` about it says where.
    pub fn ext_idle(&mut self, r: &ext_idle::Row) {
        let Some(mask) = r.mask_id.filter(|_| !self.without_causes) else { return };
        let utid = self.threads.of(r.tid);
        self.know(utid);
        let mut shown = self.invariant.mask_cpus(mask);
        let idle = shown.any(|cpu| self.invariant.is_idle(cpu) && self.invariant.may_use(utid, cpu));
        self.balancer_log.ext.showed(r.tid, idle);
    }

    /// A CPU asked a sched_ext scheduler for a thread in vain.
    pub fn ext_search(&mut self, r: &ext_search::Row) {
        if let Some(cpu) = self.topology.index(r.for_cpu).filter(|_| !self.without_causes) {
            let wasting = self.is_wasting();
            let left = if wasting { self.left_in_shared_queues(cpu) } else { Vec::new() };
            self.balancer_log.ext.searched(cpu, [r.ts_ns, r.ts_ns + r.dur_ns], r.id, left, wasting);
        }
    }

    /// Dispatch queues from which more CPUs than one can take, with how many threads that wait there and may use this one.
    fn left_in_shared_queues(&self, cpu: CpuIx) -> Vec<(ExtQueueId, u32)> {
        let mut left: Vec<(ExtQueueId, u32)> = Vec::new();
        for (number, utid, queue) in self.balancer_log.ext.in_queues_for_all() {
            if self.threads[utid].number != number
                || !self.invariant.is_waiting(utid)
                || !self.invariant.may_use(utid, cpu)
            {
                continue;
            }
            match left.iter_mut().find(|(of, _)| *of == queue) {
                Some((_, threads)) => *threads += 1,
                None => left.push((queue, 1)),
            }
        }
        left
    }

    /// A sched_ext scheduler kicked a CPU.
    pub fn ext_kick(&mut self, r: &ext_kick::Row) {
        if let Some(cpu) = self.topology.index(r.target_cpu).filter(|_| !self.without_causes) {
            let wasting = self.is_wasting();
            self.balancer_log.ext.kicked(cpu, r.ts_ns, r.id, wasting);
        }
    }

    /// Something happened to a sched_ext scheduler.
    pub fn ext_scheduler(&mut self, r: &ext_scheduler::Row<'_>) {
        let ext = &mut self.balancer_log.ext;
        let scheduler = r.cgroup_id.unwrap_or(OF_ALL);
        if scheduler != OF_ALL {
            ext.scheduler_of_cgroup(r.threads_recorded == Some(true));
        }
        match r.change {
            ext_scheduler_change::BYPASS_BEGIN => ext.bypass(scheduler, true, r.ts_ns, r.id),
            ext_scheduler_change::BYPASS_END => ext.bypass(scheduler, false, r.ts_ns, r.id),
            ext_scheduler_change::GONE => ext.gone(scheduler, r.ts_ns),
            ext_scheduler_change::LOADED => {}
            _ => ext.ends(scheduler),
        }
    }

    /// The sched_ext scheduler of a cgroup has a thread, as the next row of `ext_queue` says.
    pub fn ext_of_cgroup(&mut self, r: &ext_of_cgroup::Row) {
        if !self.without_causes {
            self.balancer_log.ext.announced(r.tid, r.ts_ns, r.cgroup_id);
        }
    }

    /// Whether the sched_ext scheduler of a cgroup may use a CPU.
    pub fn ext_access(&mut self, r: &ext_access::Row) {
        if let Some(cpu) = self.topology.index(r.for_cpu).filter(|_| !self.without_causes) {
            let wasting = self.is_wasting();
            self.balancer_log.ext.access(r.cgroup_id, cpu, r.ts_ns, r.id, r.may_use, wasting);
        }
    }

    /// Another sched_ext scheduler, or none, is in charge; or the kernel bypasses it.
    pub fn ext_state(&mut self, r: &ext_state::Row<'_>) {
        match r.change {
            ext_change::BYPASS_BEGIN | ext_change::BYPASS_END => {
                self.balancer_log.ext.bypass(OF_ALL, r.change == ext_change::BYPASS_BEGIN, r.ts_ns, r.id);
            }
            change => {
                self.balancer_log.ext.recorded = r.recorded;
                self.balancer_log.ext.changed(r.ts_ns, change == ext_change::ENABLED);
                match change {
                    ext_change::DISABLED => self.threads.leave_sched_ext(),
                    ext_change::ENABLED if !r.partial => self.threads.join_sched_ext(),
                    _ => self.threads.join_sched_ext_by_policy(),
                }
            }
        }
    }

    /// The balancer's counters were read, or what a domain counted up to that.
    pub fn schedstat(&mut self, r: &schedstat::Row) {
        if self.without_causes {
            return;
        }
        let cpu = r.cpu.and_then(|cpu| self.topology.index(cpu));
        self.balancer_log.readings.row(r, cpu);
    }

    /// A placement or an attempt scanned CPUs and chose one.
    pub fn cpus_scanned(&mut self, r: &cpus_scanned::Row) {
        if self.without_causes {
            return;
        }
        let Some(by) = self.topology.index(r.cpu) else { return };
        if let Some(tid) = r.tid.filter(|&tid| tid != 0) {
            self.balancer_log.reports_scans = true;
            let utid = self.threads.of(tid);
            // One that runs is about to exec: it stays or is moved, and no wakeup follows.
            if !matches!(self.threads[utid].phase, Phase::Running(_)) {
                let chosen = r.chosen_cpu.and_then(|c| self.topology.index(c));
                let begun = self.threads[utid].waking_ns.unwrap_or(i64::MIN).max(self.cpus[by as usize].since);
                let cache_was_busy = chosen.is_some_and(|cpu| {
                    self.searches_for_idle(utid, by, cpu, r.wake_flags) && self.cache_was_busy(utid, cpu, begun)
                });
                let chosen = CpuChoice { event: r.id, by, chosen, mask: r.mask_id, cache_was_busy };
                self.balancer_log.pending.entry(utid).or_default().chosen = Some(chosen);
            }
            return;
        }
        let src = r.chosen_cpu.and_then(|c| self.topology.index(c));
        if let Some((_, loads)) = &mut self.balancer_log.open[by as usize]
            && r.attempt_id == Some(loads.attempt)
        {
            (loads.src, loads.chosen) = (src, true);
            self.settle_attempt(by);
        }
    }

    /// Conclude all attempts under way, before the state that they saw changes.
    pub fn settle_attempts(&mut self) {
        while let Some(by) = self.balancer_log.cpus_with_attempt.pop() {
            self.settle_attempt(by);
        }
    }

    /// Settle the attempt that a CPU has under way, now that no more will be reported of it.
    pub fn settle_attempt(&mut self, by: CpuIx) {
        let Some((o, loads)) = self.balancer_log.open[by as usize].take() else { return };
        self.balancer_log.cpus_with_attempt.retain(|&c| c != by);
        if self.release.is_some_and(|release| release < GROUPS_OF_EACH) {
            self.note_own_group(&o, &loads);
        }
        let running = loads.search.map_or(0, |search| search.running);
        let examined_on = loads.search.filter(|search| search.examined > 0).and_then(|search| search.src);
        let (result, seen, searched) = match (o.pulled, loads.src, loads.search) {
            (None, ..) => (AttemptResult::Unknown, false, false),
            (Some(1..), ..) => (AttemptResult::Moved, true, true),
            (_, _, Some(search)) if search.examined > 0 => {
                let (result, seen) = self.examined(search, loads.preferred_llc);
                (result, seen, true)
            }
            (_, _, Some(search)) if search.result == balance_search_result::NOT_MADE => {
                (AttemptResult::LeftToAnother, true, true)
            }
            (_, _, Some(search)) if search.result == balance_search_result::FOUND => {
                (AttemptResult::Unexplained, false, true)
            }
            (_, _, Some(search)) if search.result == balance_search_result::NONE => {
                // Loads were read when the attempt ended, and the kernel's rule is not followed exactly.
                (self.balance(&o, loads).0, false, true)
            }
            (_, None, _) if self.is_left_to_another(&o, &loads) => (AttemptResult::LeftToAnother, false, false),
            (_, Some(src), _) => {
                let result = self.refusal(src, o.dst);
                // Whether threads were hot is not recorded.
                (result, !matches!(result, AttemptResult::Refused(..)), true)
            }
            _ => {
                let (result, seen) = self.balance(&o, loads);
                (result, seen, false)
            }
        };
        let OpenAttempt { t, until, event, dst, level, idle, .. } = o;
        let pinned = matches!(result, AttemptResult::Pinned(_) | AttemptResult::StaleMask(_));
        let backs_off = pinned && !is_newly_idle(idle) && running == 0;
        let pinned_for_group = backs_off && examined_on.is_some_and(|src| self.none_may_leave_for(src, &o));
        let attempt =
            BalanceAttempt { t, until, event, dst, level, idle, result, seen, searched, backs_off, pinned_for_group };
        self.balancer_log.push_attempt(attempt);
    }

    /// No thread that waits on the queue may use any CPU of the group that the attempt was for.
    fn none_may_leave_for(&self, src: CpuIx, o: &OpenAttempt) -> bool {
        let Some(tree) = self.balancer_log.domains(o.t).tree() else { return false };
        let Some(at) = o.level.and_then(|level| tree.of(o.dst).iter().position(|d| d.number == level)) else {
            return false;
        };
        let waiting = &self.cpus[src as usize].queue;
        let mut group = tree.own_group(o.dst, at).chain([o.dst]);
        group.all(|cpu| waiting.iter().all(|&utid| !self.invariant.may_use(utid, cpu)))
    }

    /// A busy CPU asked whether it is its turn to balance for its group, in which a CPU idles: that one balances, and nothing was
    /// looked at here (should_we_balance, which the functions of an attempt call first). Only where nothing that it saw is
    /// recorded.
    fn is_left_to_another(&self, o: &OpenAttempt, loads: &AttemptLoads) -> bool {
        if o.idle != idle_type::NOT_IDLE || loads.chosen || !loads.rows.is_empty() {
            return false;
        }
        let Some(tree) = self.balancer_log.domains(o.t).tree() else { return false };
        let Some(at) = o.level.and_then(|level| tree.of(o.dst).iter().position(|d| d.number == level)) else {
            return false;
        };
        let Some(below) = at.checked_sub(1) else { return false };
        // Groups may overlap: only a CPU that has the same domain below balances for this one (group_balance_mask).
        let span = |cpu: CpuIx| tree.of(cpu).get(below).map(|d| &d.span);
        let mut group = tree.own_group(o.dst, at);
        group.any(|cpu| cpu != o.dst && span(cpu) == span(o.dst) && self.invariant.is_usable(cpu))
    }

    /// An attempt scans its own group first, CPU by CPU in ascending order, then the others: where the order starts again, the
    /// first group has ended (update_sd_lb_stats, update_sg_lb_stats).
    fn note_own_group(&mut self, o: &OpenAttempt, loads: &AttemptLoads) {
        let Some(level) = o.level else { return };
        let own = 1 + loads.rows.windows(2).take_while(|two| two[0].cpu < two[1].cpu).count();
        if own < loads.rows.len() && loads.rows[..own].iter().any(|seen| seen.cpu == o.dst) {
            let group = CpuBits::of(self.cpus.len(), loads.rows[..own].iter().map(|seen| u32::from(seen.cpu)));
            self.balancer_log.own_groups.entry((o.dst, level)).or_insert((o.event, group));
        }
    }

    /// An attempt examined threads and took none: what it left them for; true: all of it is known.
    fn examined(&self, search: BalanceSearch, preferred_llc: i32) -> (AttemptResult, bool) {
        let Some(src) = search.src else { return (AttemptResult::Unexplained, false) };
        let may_be_moved = search.examined - search.not_allowed - search.running;
        if search.not_allowed > 0 && search.not_allowed + search.running == search.examined {
            // Beyond the thread that ran there one was being switched in or out: what the balancer saw of it is not known.
            return (AttemptResult::Pinned(src), search.running <= 1);
        }
        if may_be_moved == 0 {
            return (AttemptResult::NothingThere, search.running <= 1);
        }
        if 2 * preferred_llc >= may_be_moved {
            return (AttemptResult::PreferredLlc(src, preferred_llc == may_be_moved), true);
        }
        (AttemptResult::Refused(src, search.hot == may_be_moved), true)
    }

    /// An attempt chose `src` and took no thread: find the threads that wait there.
    fn refusal(&self, src: CpuIx, dst: CpuIx) -> AttemptResult {
        let waiting = || self.cpus[src as usize].queue.iter().copied();
        if waiting().next().is_none() {
            return AttemptResult::NothingThere;
        }
        let mut movable = waiting().filter(|&u| self.invariant.may_use(u, dst)).peekable();
        if movable.peek().is_none() {
            return AttemptResult::Pinned(src);
        }
        let mut all_stale = true;
        let mut all_hot = true;
        let hot_ns = self.topology.migration_cost_ns.unwrap_or(HOT_NS);
        for utid in movable {
            let t = &self.threads[utid];
            // A thread that the balancer has moved since is no longer taken for pinned.
            let moved = matches!(self.invariant.interval.queued_by(utid), QueuedBy::Moved(_));
            all_stale &= !moved && self.balancer_log.gained(t.number, dst).is_some();
            let preempted = matches!(t.phase, Phase::Queued { preempted: true, .. });
            all_hot &= hot_ns < 0 || preempted && self.now - t.wait_start < hot_ns;
        }
        if all_stale { AttemptResult::StaleMask(src) } else { AttemptResult::Refused(src, all_hot) }
    }

    /// An attempt found balance: by the loads it saw, or else by the threads on each queue.
    fn balance(&self, o: &OpenAttempt, mut loads: AttemptLoads) -> (AttemptResult, bool) {
        let Some(tree) = self.balancer_log.domains(o.t).tree() else { return (AttemptResult::Unknown, false) };
        let Some(at) = o.level.and_then(|level| tree.of(o.dst).iter().position(|d| d.number == level)) else {
            return (AttemptResult::Unknown, false);
        };
        let seen = !loads.rows.is_empty();
        if !seen {
            let threads = |c: u32| {
                let running = self.cpus[c as usize].runnable();
                SeenCpu { cpu: c as CpuIx, load: 1024 * i64::from(running), running, used: None }
            };
            loads.rows = tree.of(o.dst)[at].span.iter().map(threads).collect();
        }
        match result_from_loads(tree, o.dst, at, is_newly_idle(o.idle), &loads.rows, self.release) {
            // Beyond the kernel's own rule: only the loads that an attempt saw show it.
            AttemptResult::NumaFew if !seen => (AttemptResult::Unexplained, false),
            AttemptResult::Averages if self.release.is_some_and(|release| release >= GROUP_TYPES) => {
                (if seen { AttemptResult::Averages } else { AttemptResult::Unexplained }, false)
            }
            result => (result, seen),
        }
    }

    /// The CPU's stopper begins to run while threads wait.
    pub(super) fn note_stopper(&mut self, cpu: CpuIx, next: Utid) {
        if self.without_causes
            || !self.threads[next].constraints.per_cpu
            || !self.is_wasting()
            || !self.is_stopper(next)
        {
            return;
        }
        // Its own CPU woke it: the watchdog of soft lockups does so, every few seconds; a balancer is another CPU. (kernel/watchdog.c)
        let queued = matches!(self.threads[next].phase, Phase::Queued { .. }) && !self.may_have_changed(next);
        if !(queued && self.wait_origin(next).arrival.to_waker) {
            self.balancer_log.stopped(self.now, cpu, self.event);
        }
    }
}
