//! What things cost: the constants of the simulation, each with where its size comes from. A scenario is run under one set;
//! [`Costs::scaled`] gives the same set with one constant changed, for sweeps.

use crate::span::{Ns, US};
use wastenot_topology::Distance;

/// The constants. Times are nanoseconds, shares are thousandths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Costs {
    /// One thread after another on a CPU: registers, address space, the scheduler's own work. 1 to 2 µs are usual
    /// (`perf bench sched pipe` on one CPU takes 2 to 4 µs for two switches and two system calls).
    pub switch_ns: Ns,
    /// A system call that enters the scheduler or a futex.
    pub syscall_ns: Ns,
    /// Waking a thread, for the waker.
    pub wake_ns: Ns,
    /// Interrupt to another CPU until it reschedules.
    pub ipi_ns: Ns,
    /// Leaving idle, beyond the interrupt: shallow idle state.
    pub idle_exit_ns: Ns,
    /// A spinning waiter sees that its condition is true: a cache line between cores.
    pub handoff_ns: Ns,
    /// Extra time after a move, by distance: the private caches, the last-level cache, the node's memory.
    pub refill_smt_ns: Ns,
    /// Within the last-level cache: the private caches are filled anew.
    pub refill_llc_ns: Ns,
    /// Other cache of the node.
    pub refill_node_ns: Ns,
    /// Other node.
    pub refill_remote_ns: Ns,
    /// Extra time when another thread ran on the CPU meanwhile (private caches were used by it).
    pub refill_same_cpu_ns: Ns,
    /// Speed of a hardware thread while a sibling of another process is busy, in thousandths. Two threads of a core do
    /// 1.2 to 1.3 times the work of one.
    pub smt_share: u32,
    /// The same while the sibling runs a thread of the same process (shared working set).
    pub smt_share_corun: u32,
    /// Time of memory-bound work one hop from its memory, in thousandths of the local time. Latency ratios of 1.3 to 2
    /// are what firmware tables and measurements of two- to eight-node machines give.
    pub numa_one_hop: u32,
    /// The same farther away.
    pub numa_far: u32,
    /// fork, for the parent.
    pub fork_ns: Ns,
    /// exec, for the thread.
    pub exec_ns: Ns,
    /// Exit, for the thread.
    pub exit_ns: Ns,
    /// The stop-machine thread moves a running thread.
    pub stop_ns: Ns,
    /// Examining one CPU in a load-balance attempt.
    pub balance_cpu_ns: Ns,
    /// Time of accesses to a cache line that a co-thread on another core of the last-level cache has written, in thousandths
    /// of that of the own cache: 60 cycles beside 4 on Sandy Bridge (Intel's optimisation manual, dirty lines of other cores).
    pub shared_llc: u32,
    /// The same when the co-thread is behind another last-level cache: some 180 cycles.
    pub shared_far: u32,
    /// Bubble schedulers: taking an entity from a runqueue or putting one there, its lock held, when this CPU did so last.
    /// Marcel's search of the lists costs 64 ns more with bubbles than without (COSET 2005, table 1).
    pub list_ns: Ns,
    /// The same when a CPU of the same last-level cache did so last: lock, head and entity come from its cache.
    pub list_llc_ns: Ns,
    /// The same from another cache; on another node times the factor of its distance.
    pub list_far_ns: Ns,
    /// Making and destroying a bubble: 3.7 µs instead of 3.3 µs for a thread with and without one (the same paper).
    pub bubble_ns: Ns,
}

impl Default for Costs {
    fn default() -> Self {
        Self {
            switch_ns: 1_200,
            syscall_ns: 300,
            wake_ns: 800,
            ipi_ns: 1_000,
            idle_exit_ns: 2_000,
            handoff_ns: 150,
            refill_smt_ns: US,
            refill_llc_ns: 10 * US,
            refill_node_ns: 40 * US,
            refill_remote_ns: 100 * US,
            refill_same_cpu_ns: 2 * US,
            smt_share: 620,
            smt_share_corun: 650,
            numa_one_hop: 1_400,
            numa_far: 1_800,
            fork_ns: 60 * US,
            exec_ns: 300 * US,
            exit_ns: 30 * US,
            stop_ns: 4 * US,
            balance_cpu_ns: 60,
            shared_llc: 15_000,
            shared_far: 45_000,
            list_ns: 60,
            list_llc_ns: 150,
            list_far_ns: 450,
            bubble_ns: 400,
        }
    }
}

/// Everything about one constant: its name and access to it. Sweeps walk this list.
pub type Constant = (&'static str, fn(&mut Costs) -> Slot<'_>);

/// A constant in place.
pub enum Slot<'a> {
    /// A time.
    Time(&'a mut Ns),
    /// A share in thousandths.
    Share(&'a mut u32),
}

/// Every constant by name.
pub const CONSTANTS: &[Constant] = &[
    ("switch", |c| Slot::Time(&mut c.switch_ns)),
    ("syscall", |c| Slot::Time(&mut c.syscall_ns)),
    ("wake", |c| Slot::Time(&mut c.wake_ns)),
    ("ipi", |c| Slot::Time(&mut c.ipi_ns)),
    ("idle_exit", |c| Slot::Time(&mut c.idle_exit_ns)),
    ("handoff", |c| Slot::Time(&mut c.handoff_ns)),
    ("refill_smt", |c| Slot::Time(&mut c.refill_smt_ns)),
    ("refill_llc", |c| Slot::Time(&mut c.refill_llc_ns)),
    ("refill_node", |c| Slot::Time(&mut c.refill_node_ns)),
    ("refill_remote", |c| Slot::Time(&mut c.refill_remote_ns)),
    ("refill_same_cpu", |c| Slot::Time(&mut c.refill_same_cpu_ns)),
    ("smt_share", |c| Slot::Share(&mut c.smt_share)),
    ("smt_share_corun", |c| Slot::Share(&mut c.smt_share_corun)),
    ("numa_one_hop", |c| Slot::Share(&mut c.numa_one_hop)),
    ("numa_far", |c| Slot::Share(&mut c.numa_far)),
    ("fork", |c| Slot::Time(&mut c.fork_ns)),
    ("exec", |c| Slot::Time(&mut c.exec_ns)),
    ("exit", |c| Slot::Time(&mut c.exit_ns)),
    ("stop", |c| Slot::Time(&mut c.stop_ns)),
    ("balance_cpu", |c| Slot::Time(&mut c.balance_cpu_ns)),
    ("shared_llc", |c| Slot::Share(&mut c.shared_llc)),
    ("shared_far", |c| Slot::Share(&mut c.shared_far)),
    ("list", |c| Slot::Time(&mut c.list_ns)),
    ("list_llc", |c| Slot::Time(&mut c.list_llc_ns)),
    ("list_far", |c| Slot::Time(&mut c.list_far_ns)),
    ("bubble", |c| Slot::Time(&mut c.bubble_ns)),
];

impl Costs {
    /// The same constants with one multiplied by `num / den`; None for an unknown name. Shares of SMT stay between
    /// 1 and 1000 thousandths; factors of NUMA and of shared data scale by what they add to 1000.
    pub fn scaled(&self, name: &str, num: u64, den: u64) -> Option<Self> {
        let mut costs = self.clone();
        let (name, slot) = CONSTANTS.iter().find(|(n, _)| *n == name)?;
        match slot(&mut costs) {
            Slot::Time(ns) => *ns = *ns * num / den.max(1),
            Slot::Share(share) if name.starts_with("numa") || name.starts_with("shared") => {
                *share = 1000 + (u64::from(share.saturating_sub(1000)) * num / den.max(1)) as u32;
            }
            Slot::Share(share) => *share = ((u64::from(*share) * num / den.max(1)) as u32).clamp(1, 1000),
        }
        Some(costs)
    }

    /// Extra time of a thread that starts on another CPU than where it last ran.
    pub fn refill_ns(&self, distance: Distance) -> Ns {
        match distance {
            Distance::SameCpu => self.refill_same_cpu_ns,
            Distance::Smt => self.refill_smt_ns,
            Distance::Llc => self.refill_llc_ns,
            Distance::Node => self.refill_node_ns,
            Distance::OneHop | Distance::Far | Distance::Unknown => self.refill_remote_ns,
        }
    }

    /// Time of accesses to what a co-thread at a distance wrote, in thousandths of that of the own cache.
    pub fn shared_time(&self, distance: Distance) -> u32 {
        match distance {
            Distance::SameCpu | Distance::Smt => 1000,
            Distance::Llc => self.shared_llc.max(1000),
            _ => self.shared_far.max(1000),
        }
    }

    /// Holding a runqueue's lock, by distance to the CPU that held it last.
    pub fn list_ns(&self, distance: Distance) -> Ns {
        match distance {
            Distance::SameCpu | Distance::Smt => self.list_ns,
            Distance::Llc => self.list_llc_ns,
            _ => self.list_far_ns * Ns::from(self.numa_factor(distance)) / 1000,
        }
    }

    /// Time of memory-bound work by distance from its memory, in thousandths of the local time.
    pub fn numa_factor(&self, distance: Distance) -> u32 {
        match distance {
            Distance::OneHop => self.numa_one_hop,
            Distance::Far => self.numa_far,
            _ => 1000,
        }
    }
}
