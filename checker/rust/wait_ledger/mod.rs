//! The wait ledger: each nanosecond in which a thread is runnable and does not run, by cgroup and reason.
//!
//! A thread whose reason is a state of its own (no quota left, matched, confined) is counted in a row of that reason; every
//! other waits for its CPU and is counted in a group of its cgroup there. What a CPU does closes the groups of its queue when it
//! changes, and no thread is touched. Waits are sums of times: a start is subtracted, an end is added, so that nothing is kept
//! per wait but where it is counted. Changes are applied when time passes, once per thread and CPU.
//!
//! The state is plain data: its size follows the threads, CPUs and cgroups, not the length of the trace.

mod confined;
mod cpu_waits;
mod rows;

use wastenot_schemas::wait_reason;
use wastenot_topology::CpuBits;

use crate::threads::Utid;
use crate::topology::CpuIx;
use confined::ConfinedOrder;
use cpu_waits::CpuWaits;
pub use cpu_waits::{CpuWork, RunningThread};
use rows::{Rows, StandingKey};
pub use rows::LedgerRow;

/// A cgroup, by its id; None: not recorded.
pub type Cgroup = Option<i64>;

/// How a thread waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitKind {
    /// Its cgroup has no quota left.
    Throttled,
    /// It is in the canonical matching.
    Matched,
    /// It has quota and is not matched. `since`: when the wait began, where it counts as waiting (it is not about to run).
    Queued { since: Option<i64> },
}

/// A wait under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    pub kind: WaitKind,
    /// CPU on whose queue it is.
    pub cpu: CpuIx,
    pub cgroup: Cgroup,
}

/// Where a thread's wait is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counted {
    Nowhere,
    /// In this row; `excuse` where it is confined.
    Row { row: u32, reason: u8, excuse: Option<u8> },
    /// In the group of its cgroup on its CPU.
    OnCpu,
}

/// One thread's wait as it is counted.
#[derive(Clone, Copy, Debug)]
struct CountedWait {
    counted: Counted,
    cpu: CpuIx,
    cgroup: Cgroup,
    /// Since when it is counted there.
    since: i64,
    /// Its place in the order of those that can be confined: when its wait began.
    place: Option<i64>,
}

const NOT_WAITING: CountedWait =
    CountedWait { counted: Counted::Nowhere, cpu: 0, cgroup: None, since: 0, place: None };

/// The ledger up to an instant.
pub struct WaitLedger {
    /// By utid.
    waits: Vec<CountedWait>,
    cpus: Vec<CpuWaits>,
    rows: Rows,
    order: ConfinedOrder,
    /// Idle CPUs that confined threads may not use, as they were when excuses were asked for last.
    pub barred: CpuBits,
    /// CPUs whose work may have changed since time passed last.
    pub changed_cpus: Vec<CpuIx>,
    /// Time counted of threads that did not wait then, by later events, and left in its row, ns.
    pub refuted_ns: i64,
}

impl WaitLedger {
    pub fn new(cpus: usize) -> Self {
        Self {
            waits: Vec::new(),
            cpus: (0..cpus).map(|_| CpuWaits::default()).collect(),
            rows: Rows::default(),
            order: ConfinedOrder::default(),
            barred: CpuBits::new(0),
            changed_cpus: Vec::new(),
            refuted_ns: 0,
        }
    }

    /// The CPU does this from `now` on.
    pub fn set_work(&mut self, cpu: CpuIx, work: CpuWork, now: i64) {
        self.cpus[cpu as usize].set_work(work, now, &mut self.rows);
    }

    /// The thread waits like this from `now` on, or does not wait. `excuse` tells what keeps a confined thread from idle CPUs.
    pub fn set_wait(&mut self, utid: Utid, wait: Option<Wait>, now: i64, excuse: impl Fn(Utid) -> u8) {
        if utid as usize >= self.waits.len() {
            if wait.is_none() {
                return;
            }
            self.waits.resize(utid as usize + 1, NOT_WAITING);
        }
        let place = match wait {
            Some(Wait { kind: WaitKind::Queued { since }, .. }) if self.order.is_kept() => since,
            _ => None,
        };
        let was = self.waits[utid as usize];
        if was.place != place {
            self.order.replace(utid, was.place, place);
            self.waits[utid as usize].place = place;
        }
        let Some(wait) = wait else { return self.count(utid, Counted::Nowhere, was.cpu, was.cgroup, now) };
        let counted = match wait.kind {
            WaitKind::Throttled => self.standing(wait.cgroup, wait_reason::OWN_QUOTA, None),
            WaitKind::Matched => self.standing(wait.cgroup, wait_reason::AVOIDABLE, None),
            WaitKind::Queued { .. } => match place.filter(|&since| self.order.is_confined(since, utid)) {
                Some(_) => self.standing(wait.cgroup, wait_reason::CONFINED, Some(excuse(utid))),
                None => Counted::OnCpu,
            },
        };
        self.count(utid, counted, wait.cpu, wait.cgroup, now);
    }

    /// `most` threads are confined from `now` on: those that can be and wait longest. `all`: the threads that can be, with the start of
    /// their wait, asked for where no order of them is kept. `changed`: excuses may have changed.
    pub fn set_confined<I: Iterator<Item = (i64, Utid)>>(
        &mut self,
        most: usize,
        changed: bool,
        now: i64,
        all: impl FnOnce() -> I,
        excuse: impl Fn(Utid) -> u8,
    ) {
        if most > 0 && !self.order.is_kept() {
            self.order.begin(all());
            for &(since, utid) in self.order.iter() {
                self.waits[utid as usize].place = Some(since);
            }
        }
        while self.order.confined() > most {
            let utid = self.order.release();
            let wait = self.waits[utid as usize];
            self.count(utid, Counted::OnCpu, wait.cpu, wait.cgroup, now);
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
            for (_, utid) in self.order.end() {
                self.waits[utid as usize].place = None;
            }
        }
    }

    fn confine(&mut self, utid: Utid, now: i64, excuse: impl Fn(Utid) -> u8) {
        let wait = self.waits[utid as usize];
        let counted = self.standing(wait.cgroup, wait_reason::CONFINED, Some(excuse(utid)));
        self.count(utid, counted, wait.cpu, wait.cgroup, now);
    }

    fn standing(&mut self, cgroup: Cgroup, reason: u8, excuse: Option<u8>) -> Counted {
        Counted::Row { row: self.rows.standing(StandingKey { cgroup, reason, excuse }), reason, excuse }
    }

    /// Count the thread's wait there from `now` on.
    fn count(&mut self, utid: Utid, counted: Counted, cpu: CpuIx, cgroup: Cgroup, now: i64) {
        let was = self.waits[utid as usize];
        let stays = was.counted == counted && (counted != Counted::OnCpu || (was.cpu, was.cgroup) == (cpu, cgroup));
        if stays {
            self.waits[utid as usize].cpu = cpu;
            return;
        }
        match was.counted {
            Counted::Nowhere => {}
            Counted::Row { row, .. } => self.rows.end(row, now),
            Counted::OnCpu => self.cpus[was.cpu as usize].leave(was.cgroup, now),
        }
        match counted {
            Counted::Nowhere => {}
            Counted::Row { row, .. } => self.rows.start(row, now),
            Counted::OnCpu => self.cpus[cpu as usize].enter(cgroup, now),
        }
        let wait = &mut self.waits[utid as usize];
        (wait.counted, wait.cpu, wait.cgroup, wait.since) = (counted, cpu, cgroup, now);
    }

    /// The thread did not wait from `from` up to `now`, although it seemed to. What it has waited for its CPU since the CPU's work
    /// changed last is taken back; the rest stays where it was counted.
    pub fn refute(&mut self, utid: Utid, from: i64, now: i64) {
        let Some(wait) = self.waits.get(utid as usize) else { return };
        let mut taken_back = 0;
        if wait.counted == Counted::OnCpu {
            let cpu = &mut self.cpus[wait.cpu as usize];
            taken_back = (now - from.max(wait.since).max(cpu.since())).max(0);
            cpu.take_back(wait.cgroup, taken_back);
        }
        self.refuted_ns += now - from - taken_back;
    }

    /// The ledger's rows up to `now`, in order.
    pub fn rows(&self, now: i64) -> Vec<LedgerRow> {
        let mut rows = self.rows.clone();
        for cpu in &self.cpus {
            cpu.clone().close(now, &mut rows);
        }
        rows.finish(now)
    }
}
