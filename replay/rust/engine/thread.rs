//! A thread as the engine knows it.

use super::bubbles::BubbleIx;
use crate::masks::MaskId;
use crate::program::{Ix, Policy};
use crate::random::Random;
use crate::span::Ns;
use crate::topology::CpuIx;
use std::rc::Rc;

/// A thread by its slot; the slot of a dead one is used again.
pub type ThreadIx = u32;

/// State of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Runs on its CPU.
    Running,
    /// Runnable, on a queue.
    Queued,
    /// Sleeps interruptibly.
    Sleeping,
    /// Waits for a device.
    Blocked,
    /// Has ended.
    Dead,
}

/// What a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WaitFor {
    /// An object of the workload.
    Object(Ix),
    /// At most so many children left.
    Children(u32),
}

/// A thread.
#[derive(Clone, Debug)]
pub struct Thread {
    /// Kernel tid, never used twice.
    pub tid: i32,
    /// Its process.
    pub tgid: i32,
    /// Process of its parent.
    pub ppid: i32,
    /// comm.
    pub name: Rc<str>,
    /// Its state.
    pub state: State,
    /// CPU it runs on, is queued on, or was last on.
    pub cpu: CpuIx,
    /// CPU it last ran on.
    pub last_cpu: CpuIx,
    /// When it last stopped running.
    pub last_ran: Ns,
    /// Allowed CPUs: what was asked for, cut by its cgroup's cpuset.
    pub mask: MaskId,
    /// Allowed CPUs as asked for.
    pub user_mask: Option<MaskId>,
    /// Policy.
    pub policy: Policy,
    /// Nice value.
    pub nice: i8,
    /// Scheduling group: cgroup, or session (autogroup).
    pub group: u32,
    /// Thousandths of its time that depend on memory.
    pub memory: u32,
    /// Thousandths of its time on data that its process's threads write.
    pub sharing: u32,
    /// Bubble that it belongs to.
    pub bubble: Option<BubbleIx>,
    /// Priority on the runqueues of bubble schedulers, higher first.
    pub priority: i32,
    /// Priority of the hardware thread while it runs ([`crate::smt`]).
    pub smt_priority: u8,
    /// What of the workload's `loads` it computes: its speed by the priorities of its core. None: the constants' shares.
    pub(crate) load: Option<Ix>,
    /// Node of its memory: where it first ran.
    pub home: Option<u16>,
    /// Time on CPUs so far.
    pub run_ns: Ns,
    /// Time for which it was runnable and did not run so far.
    pub waited_ns: Ns,
    /// Since when it is queued.
    pub(crate) queued_since: Ns,
    /// Bound to one CPU by the kernel (stoppers).
    pub per_cpu: bool,
    /// Counts the threads that have used the slot.
    pub(crate) life: u32,
    /// Row of the workload's `threads` it descends from.
    pub(crate) start: u32,
    pub(crate) program: Ix,
    pub(crate) pc: u32,
    pub(crate) loops: Vec<u64>,
    /// Work left in 1/1024 ns at capacity 1024, and time to burn before it.
    pub(crate) work: u64,
    pub(crate) overhead: Ns,
    pub(crate) wait: Option<WaitFor>,
    pub(crate) created: Ns,
    /// The release that its periodic timer counts from.
    pub(crate) release: Option<Ns>,
    /// Spins for what it waits for.
    pub(crate) spinning: bool,
    /// Time after which it stops spinning.
    pub(crate) spin_left: Option<Ns>,
    pub(crate) parent: Option<(ThreadIx, u32)>,
    pub(crate) children: u32,
    pub(crate) forks_left: u32,
    /// Bubble of the child it is making.
    pub(crate) filling: Option<BubbleIx>,
    pub(crate) exiting: bool,
    pub(crate) yielding: bool,
    pub(crate) random: Random,
}

impl Thread {
    /// Kernel priority: -1 deadline, 0 to 98 real time (highest first), 100 to 139 fair.
    pub fn prio(&self) -> i16 {
        match self.policy {
            Policy::Fifo(p) | Policy::Rr(p) => 99 - i16::from(p.clamp(1, 99)),
            Policy::Deadline(_) => -1,
            Policy::Normal | Policy::Batch | Policy::Idle | Policy::Hpc => 120 + i16::from(self.nice),
        }
    }

    /// True for the shell that forks the threads of a row of the workload.
    pub fn is_launcher(&self) -> bool {
        self.start == u32::MAX && !self.per_cpu
    }

    /// True for the real-time policies.
    pub fn is_rt(&self) -> bool {
        matches!(self.policy, Policy::Fifo(_) | Policy::Rr(_))
    }

    /// True when it runs or could.
    pub fn is_runnable(&self) -> bool {
        matches!(self.state, State::Running | State::Queued)
    }
}
