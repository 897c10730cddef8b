//! A model of Linux's scheduler, of two releases ([`Release`]), with the [`crate::faults`] as switches.
//!
//! `release` holds what differs between the releases; `fair`, `rt`, `deadline`, `hpc` and `bandwidth` are what runs next on a CPU; `wakeup` and
//! `slow_path` choose a CPU; `domains` and `balance` move threads. Simplifications are listed in the crate's README.

mod balance;
mod bandwidth;
mod deadline;
mod deadline_server;
mod domains;
mod fair;
mod hooks;
pub mod hpc;
mod pelt;
mod rt;
mod runqueue;
mod slow_path;
mod wakeup;
mod weights;

use crate::engine::{Engine, ThreadIx};
use crate::faults::{Fault, FaultSet};
use crate::masks::CpuMask;
use crate::record::DomainRow;
use crate::release::{Release, Rules};
use crate::span::{Ns, US};
use crate::topology::CpuIx;
use bandwidth::Quota;
use domains::SimulatedDomains;
use runqueue::{Runqueue, TaskEntity};
use std::rc::Rc;
use weights::GroupWeight;

/// Idle time after which a host has given the real CPU to another guest.
const HALTED: Ns = 200 * US;

/// Time for which a CPU that went idle counts as busy, with the fault.
const UNSEEN: Ns = 200 * US;

/// The scheduler of a Linux kernel.
pub struct Kernel {
    release: Release,
    rules: Rules,
    faults: FaultSet,
    rqs: Vec<Runqueue>,
    entities: Vec<TaskEntity>,
    groups: Vec<GroupWeight>,
    quotas: Vec<Option<Quota>>,
    domains: SimulatedDomains,
    /// CPUs were off or on since the start.
    rebuilt: bool,
    /// Earliest instant at which an idle CPU balances for the idle ones.
    nohz_next: u64,
    /// Real-time threads that wait.
    rt_waiting: u32,
    /// Deadline threads that wait and have runtime.
    dl_waiting: u32,
    /// CPU that a deadline thread was sent to last.
    dl_chosen: CpuIx,
    /// The root domain of each CPU.
    roots: Vec<Rc<CpuMask>>,
    /// The class `hpc`: iterations of its threads, and what sets their priorities.
    hpc: hpc::HpcClass,
}

impl Kernel {
    /// A kernel of a release with these faults.
    pub fn new(release: Release, faults: FaultSet) -> Self {
        Self {
            release,
            rules: release.rules(1),
            faults,
            rqs: Vec::new(),
            entities: Vec::new(),
            groups: Vec::new(),
            quotas: Vec::new(),
            domains: SimulatedDomains::default(),
            rebuilt: false,
            nohz_next: 0,
            rt_waiting: 0,
            dl_waiting: 0,
            dl_chosen: 0,
            roots: Vec::new(),
            hpc: hpc::HpcClass::default(),
        }
    }

    /// The same with a heuristic for the priorities of threads of the class `hpc`.
    pub fn with_hpc(self, settings: hpc::HpcSettings) -> Self {
        Self { hpc: hpc::HpcClass::new(settings), ..self }
    }

    /// The faults that are on.
    pub fn faults(&self) -> FaultSet {
        self.faults
    }

    fn rq(&self, cpu: CpuIx) -> &Runqueue {
        &self.rqs[cpu as usize]
    }

    fn rq_mut(&mut self, cpu: CpuIx) -> &mut Runqueue {
        &mut self.rqs[cpu as usize]
    }

    fn entity(&self, t: ThreadIx) -> &TaskEntity {
        &self.entities[t as usize]
    }

    fn entity_mut(&mut self, t: ThreadIx) -> &mut TaskEntity {
        &mut self.entities[t as usize]
    }

    /// True for a CPU that runs swapper and has no thread queued (kernel: idle_cpu).
    fn is_idle(&self, e: &Engine<'_>, cpu: CpuIx) -> bool {
        e.runs_idle(cpu) && self.rq(cpu).count() == 0 && e.online().contains(cpu)
    }

    /// The same, or a CPU that runs only SCHED_IDLE threads where the release takes that for idle.
    fn is_available(&self, e: &Engine<'_>, cpu: CpuIx) -> bool {
        let halted = self.faults.has(Fault::HaltedVcpu) && e.idle_since(cpu) + HALTED < e.now();
        let unseen = self.faults.has(Fault::IdleMaskLate) && e.idle_since(cpu) + UNSEEN > e.now();
        (self.is_idle(e, cpu) && !halted && !unseen) || (self.rules.sched_idle_cpus && self.rq(cpu).only_idle_policy())
    }

    /// The CPUs a thread may use, as this kernel sees it.
    fn sees_allowed(&self, e: &Engine<'_>, t: ThreadIx, cpu: CpuIx) -> bool {
        if !e.may_use(t, cpu) {
            return false;
        }
        match self.entity(t).stale_mask {
            Some(mask) => e.masks.get(mask).contains(cpu),
            None => true,
        }
    }

    fn build_domains(&mut self, e: &mut Engine<'_>) {
        self.domains = domains::build(&e.topology, e.online(), &self.rules, self.faults, self.rebuilt, e.now());
        self.roots = domains::root_domains(&e.topology, e.online());
        let rows = self.domains.of.iter().enumerate().flat_map(|(cpu, list)| {
            list.iter().enumerate().map(move |(level, d)| DomainRow {
                cpu: cpu as CpuIx,
                level: level as i16,
                name: d.name,
                span: d.span.iter().collect(),
                groups: d.groups.iter().map(|group| group.cpus.to_vec()).collect(),
                interval_ns: (d.min_interval, d.max_interval),
                busy_factor: d.busy_factor as i32,
                imbalance_pct: d.imbalance_pct as i32,
            })
        });
        let now = e.now();
        e.recorder.domains(now, rows);
    }
}
