//! A CPU's runqueue and what the model knows of a thread.

use super::deadline_server::DeadlineEntity;
use super::pelt::Average;
use super::weights::NICE_0;
use crate::engine::ThreadIx;
use crate::masks::MaskId;
use crate::program::Policy;
use crate::span::{MS, Ns};
use crate::topology::CpuIx;

/// State of a thread in the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Place {
    /// On no queue.
    #[default]
    Off,
    /// Queued.
    Queued,
    /// Current on its CPU.
    Current,
    /// Asleep, but still on the queue (delayed dequeue).
    Delayed,
    /// Runnable, but its group has no quota left on its CPU, or its deadline server no runtime.
    Throttled,
}

/// A thread.
#[derive(Clone, Debug, Default)]
pub(super) struct TaskEntity {
    pub place: Place,
    /// CPU of its queue.
    pub cpu: CpuIx,
    pub group: u32,
    /// Own weight.
    pub weight: u64,
    /// Weight on its queue: what its group leaves it.
    pub effective: u64,
    pub rt_prio: Option<u8>,
    pub round_robin: bool,
    /// Of the deadline class.
    pub dl: Option<DeadlineEntity>,
    /// Of the class `hpc`.
    pub hpc: bool,
    pub idle_policy: bool,
    pub batch: bool,
    /// Virtual runtime.
    pub vruntime: i64,
    /// CPU of the queue it left (CFS).
    pub left: CpuIx,
    pub deadline: i64,
    /// Virtual time by which it was behind (positive) as it left the queue (EEVDF).
    pub lag: i64,
    /// It may not be preempted before its virtual runtime reaches its deadline or its lag is used up (RUN_TO_PARITY).
    pub protected: bool,
    /// Run time up to which it is accounted for, and as it was picked.
    pub accounted: Ns,
    pub picked_at: Ns,
    /// Share of time it was runnable, and ran, in 1/1024.
    pub runnable: Average,
    pub util: Average,
    /// It counted as runnable, and as running, since the last update.
    pub was: (bool, bool),
    /// How often it wakes other threads than the one before (kernel: wakee_flips).
    pub wakee_flips: u32,
    pub last_wakee: Option<ThreadIx>,
    pub flips_decayed: Ns,
    /// Mask that the balancer sees although it was widened.
    pub stale_mask: Option<MaskId>,
    /// Its first mask.
    pub first_mask: MaskId,
    /// Order in which it was queued: breaks ties.
    pub order: u64,
}

/// A runqueue.
#[derive(Clone, Debug)]
pub(super) struct Runqueue {
    /// Queued fair threads, the current one not among them; delayed ones are.
    pub fair: Vec<ThreadIx>,
    /// Queued real-time threads in order of arrival, the current one not among them.
    pub rt: Vec<ThreadIx>,
    /// Queued deadline threads in the order of their deadlines, the current one not among them.
    pub dl: Vec<ThreadIx>,
    /// Queued threads of the class `hpc`, in the order of their turns, the current one not among them.
    pub hpc: Vec<ThreadIx>,
    /// Threads without quota.
    pub throttled: Vec<ThreadIx>,
    pub current: Option<ThreadIx>,
    /// Runnable threads as the kernel counts them: delayed ones too.
    pub nr_running: u32,
    /// Of them, fair ones of policy SCHED_IDLE, and delayed ones.
    pub nr_idle_policy: u32,
    pub nr_delayed: u32,
    /// Virtual time that never goes back.
    pub min_vruntime: i64,
    pub orders: u64,
    /// Share of time a fair, and a real-time, thread ran.
    pub util: Average,
    pub rt_util: Average,
    /// What runs, for the two above: a fair thread, a real-time thread.
    pub running: (bool, bool),
    /// Length of recent idle times (kernel: avg_idle).
    pub avg_idle: i64,
    pub idle_stamp: Option<Ns>,
    pub next_balance: Ns,
    /// The balancer's stopper is asked to push the current thread there.
    pub push_to: Option<CpuIx>,
}

impl Runqueue {
    pub fn new(now: Ns) -> Self {
        Self {
            fair: Vec::new(),
            rt: Vec::new(),
            dl: Vec::new(),
            hpc: Vec::new(),
            throttled: Vec::new(),
            current: None,
            nr_running: 0,
            nr_idle_policy: 0,
            nr_delayed: 0,
            min_vruntime: 0,
            orders: 0,
            util: Average::default(),
            rt_util: Average::default(),
            running: (false, false),
            avg_idle: 2 * 500_000,
            idle_stamp: Some(now),
            next_balance: now + MS,
            push_to: None,
        }
    }

    /// Threads to run: without delayed ones.
    pub fn count(&self) -> u32 {
        self.nr_running - self.nr_delayed
    }

    /// Threads that wait: queued, not current, not delayed.
    pub fn waiting(&self) -> u32 {
        (self.fair.len() + self.rt.len() + self.dl.len() + self.hpc.len()) as u32 - self.nr_delayed
    }

    pub fn only_idle_policy(&self) -> bool {
        self.count() > 0 && self.nr_idle_policy == self.count()
    }
}

impl TaskEntity {
    pub fn new(cpu: CpuIx, group: u32, now: Ns) -> Self {
        Self {
            cpu,
            group,
            weight: NICE_0,
            effective: NICE_0,
            // A new thread counts as heavy until it is known (kernel: init_entity_runnable_average).
            runnable: Average::new(1024, now),
            util: Average::new(512, now),
            ..Self::default()
        }
    }

    pub fn take_policy(&mut self, policy: Policy, nice: i8) {
        self.weight = super::weights::of(policy, nice);
        self.rt_prio = match policy {
            Policy::Fifo(p) | Policy::Rr(p) => Some(p),
            _ => None,
        };
        self.round_robin = matches!(policy, Policy::Rr(_));
        self.dl = match policy {
            Policy::Deadline(parameters) => Some(DeadlineEntity::new(&parameters, self.dl.as_ref())),
            _ => None,
        };
        self.hpc = policy == Policy::Hpc;
        self.idle_policy = policy == Policy::Idle;
        self.batch = matches!(policy, Policy::Batch | Policy::Idle);
    }

    /// Brings its averages up to now.
    pub fn update(&mut self, now: Ns, capacity: u64) {
        let (runnable, ran) = self.was;
        self.runnable.update(now, if runnable { 1024 } else { 0 });
        self.util.update(now, if ran { capacity } else { 0 });
    }

    pub fn is_rt(&self) -> bool {
        self.rt_prio.is_some()
    }

    pub fn is_deadline(&self) -> bool {
        self.dl.is_some()
    }

    /// True for the fair class: neither deadline, real time nor `hpc`.
    pub fn is_fair(&self) -> bool {
        !self.is_rt() && !self.hpc && !self.is_deadline()
    }
}
