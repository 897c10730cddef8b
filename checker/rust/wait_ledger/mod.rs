//! The wait ledger: each nanosecond in which a thread is runnable and does not run, by cgroup and reason.
//!
//! A thread whose reason is a state of its own (no quota left, matched, confined) is counted in a sum of that reason; every
//! other waits for its CPU and is counted in a group of its cgroup there. What a CPU does closes the groups of its queue when it
//! changes, and no thread is touched. Waits are sums of times: a start is subtracted, an end is added, so that nothing is kept
//! per wait but where it is counted. Changes are applied when time passes, once per thread and CPU.
//!
//! The state is plain data: its size follows the threads, CPUs and cgroups, not the length of the trace.

mod cgroups;
mod confined;
mod cpu_waits;
mod of_window;
mod sums;

use wastenot_topology::CpuBits;

use crate::threads::Utid;
use crate::topology::CpuIx;
pub use cgroups::CgroupId;
use cgroups::{CgroupIx, Cgroups, NO_CGROUP};
use confined::ConfinedOrder;
pub use confined::WaitKey;
use cpu_waits::CpuWaits;
pub use cpu_waits::CpuWork;
pub use of_window::CountedWaits;
use of_window::LedgerWindow;
pub use sums::LedgerRow;
use sums::{AVOIDABLE, OWN_QUOTA, Sums, confined_by};

/// How a thread waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// It does not wait.
    No,
    /// Its cgroup has no quota left.
    Throttled,
    /// It is in the canonical matching.
    Matched,
    /// It has quota and is not matched. `since`: when the wait began, where it counts as waiting (it is not about to run).
    Queued { since: Option<i64> },
}

/// Where a thread's wait is counted: nowhere, in the group of its cgroup on its CPU, else in a sum of [`sums`], plus two.
type Place = u8;
const NOWHERE: Place = 0;
const ON_CPU: Place = 1;
const FIRST_SUM: Place = 2;

/// Not in the order of those that can be confined.
const NO_ORDER: i64 = i64::MAX;

/// One thread: what the ledger reads of it, and how its wait is counted.
#[derive(Clone, Copy, Debug)]
struct LedgerThread {
    /// Since when its wait is counted there.
    since: i64,
    /// Start of its wait, where it is in the order of those that can be confined.
    ordered: i64,
    cgroup: CgroupIx,
    /// The cgroup for which its wait is counted.
    counted_for: CgroupIx,
    cpu: CpuIx,
    place: Place,
    is_realtime: bool,
    /// Its priority or policy was recorded.
    class_known: bool,
    is_kernel: bool,
    /// Its wait, or one on that CPU, is not asked for.
    is_left_out: bool,
}

const NEW_THREAD: LedgerThread = LedgerThread {
    since: 0,
    ordered: NO_ORDER,
    cgroup: NO_CGROUP,
    counted_for: NO_CGROUP,
    cpu: 0,
    place: NOWHERE,
    is_realtime: false,
    class_known: false,
    is_kernel: false,
    is_left_out: false,
};

/// The threads of a cgroup.
#[derive(Clone, Copy, Debug, Default)]
struct Members {
    threads: u32,
    is_unused: bool,
}

/// The ledger up to an instant.
#[derive(Clone)]
pub struct WaitLedger {
    /// False in a walk that needs no verdict: then it holds nothing.
    pub is_kept: bool,
    /// By utid.
    threads: Vec<LedgerThread>,
    cgroups: Cgroups,
    /// By cgroup, from "not recorded" on: how many threads are in it, and whether none was since [`Self::forget_cgroups`] was called last.
    members: Vec<Members>,
    /// Cgroups that were forgotten, until they are taken.
    pub forgotten_cgroups: Vec<i64>,
    cpus: Vec<CpuWaits>,
    sums: Sums,
    order: ConfinedOrder,
    /// Idle CPUs that confined threads may not use, as they were when excuses were asked for last.
    pub barred: CpuBits,
    /// CPUs whose work may have changed since time passed last.
    pub changed_cpus: Vec<CpuIx>,
    /// Time counted of threads that did not wait then, by later events, and left in its sum, ns.
    pub refuted_ns: i64,
    /// What it counts of a window alone.
    window: Option<Box<LedgerWindow>>,
}

impl WaitLedger {
    pub fn new(cpus: usize) -> Self {
        Self {
            is_kept: true,
            threads: Vec::new(),
            cgroups: Cgroups::default(),
            members: Vec::new(),
            forgotten_cgroups: Vec::new(),
            cpus: (0..cpus).map(|_| CpuWaits::default()).collect(),
            sums: Sums::default(),
            order: ConfinedOrder::default(),
            barred: CpuBits::new(0),
            changed_cpus: Vec::new(),
            refuted_ns: 0,
            window: None,
        }
    }

    #[inline]
    fn thread(&mut self, utid: Utid) -> &mut LedgerThread {
        let at = utid as usize;
        if at >= self.threads.len() {
            self.grow(at);
        }
        &mut self.threads[at]
    }

    #[cold]
    fn grow(&mut self, at: usize) {
        self.threads.resize((at + 1).next_power_of_two(), NEW_THREAD);
    }

    /// A thread that waits no more is gone, and another may have its utid.
    pub fn forget_thread(&mut self, utid: Utid) {
        if let Some(thread) = self.threads.get_mut(utid as usize) {
            debug_assert!(thread.place == NOWHERE && thread.ordered == NO_ORDER);
            let cgroup = std::mem::replace(thread, NEW_THREAD).cgroup;
            self.move_member(cgroup, NO_CGROUP);
        }
    }

    #[inline]
    fn move_member(&mut self, from: CgroupIx, to: CgroupIx) {
        if from == to {
            return;
        }
        if from != NO_CGROUP {
            self.members[from as usize].threads -= 1;
        }
        if to != NO_CGROUP {
            let at = to as usize;
            if at >= self.members.len() {
                self.members.resize(at + 1, Members::default());
            }
            self.members[at] = Members { threads: self.members[at].threads + 1, is_unused: false };
        }
    }

    /// Forget the cgroups in which no thread has been since this was called last: their waits are added up, without their names.
    pub fn forget_cgroups(&mut self) {
        let mut gone = Vec::new();
        for cgroup in self.cgroups.iter() {
            let Some(members) = self.members.get_mut(cgroup as usize) else { continue };
            let was_unused = std::mem::replace(&mut members.is_unused, members.threads == 0);
            if was_unused && members.threads == 0 && !self.sums.has_open_waits(cgroup) {
                gone.push(cgroup);
            }
        }
        gone.retain(|&cgroup| !self.cpus.iter().any(|cpu| cpu.holds(cgroup)));
        if !gone.is_empty() {
            self.sums.forget(&gone);
            self.forgotten_cgroups.extend(gone.into_iter().map(|cgroup| self.cgroups.forget(cgroup)));
        }
    }

    /// Waits of the cgroups that were forgotten, ns.
    pub fn forgotten_ns(&self) -> i64 {
        self.sums.forgotten_ns
    }

    /// Set what is known of a thread.
    pub fn set_facts(&mut self, utid: Utid, cgroup: CgroupId, is_kernel: bool) {
        let cgroup = self.cgroups.index(cgroup);
        let thread = self.thread(utid);
        let was = std::mem::replace(&mut thread.cgroup, cgroup);
        thread.is_kernel = is_kernel;
        self.move_member(was, cgroup);
    }

    /// The thread is of the real-time, deadline or stop class, or is not. True when that is new.
    #[inline]
    pub fn set_realtime(&mut self, utid: Utid, is_realtime: bool) -> bool {
        let thread = self.thread(utid);
        thread.class_known = true;
        std::mem::replace(&mut thread.is_realtime, is_realtime) != is_realtime
    }

    /// The thread is of one of those classes.
    pub fn is_realtime(&self, utid: Utid) -> bool {
        self.realtime(utid) == Some(true)
    }

    /// Whether it is; None: neither its priority nor its policy was recorded.
    pub fn realtime(&self, utid: Utid) -> Option<bool> {
        let thread = self.threads.get(utid as usize)?;
        thread.class_known.then_some(thread.is_realtime)
    }

    /// A CPU runs this thread.
    #[inline]
    pub fn work_of(&mut self, utid: Utid) -> CpuWork {
        let &mut LedgerThread { cgroup, is_realtime, is_kernel, .. } = self.thread(utid);
        CpuWork::Thread { cgroup, is_realtime, is_kernel }
    }

    /// The CPU does this from `now` on.
    #[inline]
    pub fn set_work(&mut self, cpu: CpuIx, work: CpuWork, now: i64) {
        self.cpus[cpu as usize].set_work(work, now, &mut self.sums);
    }

    /// An order is kept of the threads that can be confined: their waits are set by [`Self::set_ordered_wait`].
    #[inline]
    pub fn orders_waits(&self) -> bool {
        self.order.is_kept()
    }

    /// The thread waits like this on the queue of `cpu` from `now` on.
    #[inline]
    pub fn set_wait(&mut self, utid: Utid, wait: Wait, cpu: CpuIx, now: i64) {
        let place = match wait {
            Wait::No => NOWHERE,
            Wait::Queued { .. } => ON_CPU,
            Wait::Throttled => FIRST_SUM + OWN_QUOTA,
            Wait::Matched => FIRST_SUM + AVOIDABLE,
        };
        let cgroup = self.thread(utid).cgroup;
        self.count(utid, place, cpu, cgroup, now);
    }

    /// As `set_wait`, for a thread, given with its number, that may be confined. `excuse`: what keeps it from the idle CPUs then.
    pub fn set_ordered_wait(
        &mut self,
        (number, utid): (u32, Utid),
        wait: Wait,
        cpu: CpuIx,
        now: i64,
        excuse: impl Fn(Utid) -> u8,
    ) {
        let cgroup = self.thread(utid).cgroup;
        if self.order.is_kept() && self.reorder((number, utid), wait) {
            self.count(utid, FIRST_SUM + confined_by(excuse(utid)), cpu, cgroup, now);
        } else {
            self.set_wait(utid, wait, cpu, now);
        }
    }

    /// Give the thread its place in the order. True when it is confined there.
    fn reorder(&mut self, (number, utid): (u32, Utid), wait: Wait) -> bool {
        let ordered = match wait {
            Wait::Queued { since: Some(since) } => since,
            _ => NO_ORDER,
        };
        let was = std::mem::replace(&mut self.threads[utid as usize].ordered, ordered);
        if was != ordered {
            let key = |since: i64| (since != NO_ORDER).then_some((since, number, utid));
            self.order.replace(key(was), key(ordered));
        }
        ordered != NO_ORDER && self.order.is_confined((ordered, number, utid))
    }

    /// `most` threads are confined from `now` on: those that can be and wait longest. `all`: the threads that can be, asked for where
    /// no order of them is kept. `changed`: excuses may have changed.
    pub fn set_confined<I: Iterator<Item = WaitKey>>(
        &mut self,
        most: usize,
        changed: bool,
        now: i64,
        all: impl FnOnce() -> I,
        excuse: impl Fn(Utid) -> u8,
    ) {
        if !self.order.is_kept() {
            self.order.begin(all());
            for &(since, _, utid) in self.order.iter() {
                self.threads[utid as usize].ordered = since;
            }
        }
        while self.order.confined() > most {
            let utid = self.order.release();
            let thread = self.threads[utid as usize];
            self.count(utid, ON_CPU, thread.cpu, thread.counted_for, now);
        }
        if changed {
            for at in 0..self.order.confined() {
                self.confine(self.order.utid(at), now, &excuse);
            }
        }
        while self.order.confined() < most {
            let Some(utid) = self.order.confine() else { break };
            self.confine(utid, now, &excuse);
        }
        if self.order.is_unused(most) {
            for (.., utid) in self.order.end() {
                self.threads[utid as usize].ordered = NO_ORDER;
            }
        }
    }

    fn confine(&mut self, utid: Utid, now: i64, excuse: impl Fn(Utid) -> u8) {
        let thread = self.threads[utid as usize];
        self.count(utid, FIRST_SUM + confined_by(excuse(utid)), thread.cpu, thread.counted_for, now);
    }

    /// Count the thread's wait there from `now` on.
    #[inline]
    fn count(&mut self, utid: Utid, place: Place, cpu: CpuIx, cgroup: CgroupIx, now: i64) {
        let thread = &mut self.threads[utid as usize];
        let (was, was_on, was_for) = (thread.place, thread.cpu, thread.counted_for);
        let place = if thread.is_left_out { NOWHERE } else { place };
        thread.cpu = cpu;
        if was == place && (place == NOWHERE || was_for == cgroup && (place != ON_CPU || was_on == cpu)) {
            return;
        }
        (thread.place, thread.counted_for, thread.since) = (place, cgroup, now);
        match was {
            NOWHERE => {}
            ON_CPU => self.cpus[was_on as usize].leave(was_for, now),
            sum => self.sums.end(was_for, sum - FIRST_SUM, now),
        }
        match place {
            NOWHERE => {}
            ON_CPU => self.cpus[cpu as usize].enter(cgroup, now),
            sum => self.sums.start(cgroup, sum - FIRST_SUM, now),
        }
    }

    /// The thread did not wait from `from` up to `now`, although it seemed to. What it has waited for its CPU since the CPU's work
    /// changed last is taken back; the rest stays where it was counted.
    pub fn refute(&mut self, utid: Utid, from: i64, now: i64) {
        let thread = *self.thread(utid);
        if !self.is_kept || thread.is_left_out {
            return;
        }
        let from = self.counted_since(from);
        let mut taken_back = 0;
        if thread.place == ON_CPU {
            let cpu = &mut self.cpus[thread.cpu as usize];
            taken_back = (now - from.max(thread.since).max(cpu.since())).max(0);
            cpu.take_back(thread.counted_for, taken_back);
        }
        self.refuted_ns += now - from - taken_back;
    }

    /// The ledger's rows up to `now`, in order.
    pub fn rows(&self, now: i64) -> Vec<LedgerRow> {
        let mut sums = self.sums.clone();
        for cpu in &self.cpus {
            cpu.clone().close(now, &mut sums);
        }
        sums.rows(now, &self.cgroups)
    }
}
