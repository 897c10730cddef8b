//! The two releases the model knows, and everything in which they differ.
//!
//! Code depends on the fields of [`Rules`], never on the release.

use crate::span::{MS, Ns, US};
use wastenot_topology::DomainRules;

/// A release of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Release {
    /// 4.1, of the time of the EuroSys paper: CFS, groups compared by average load.
    Averages,
    /// 6.12: EEVDF with delayed dequeue, groups compared by their type.
    Eevdf,
}

/// The differences between the releases.
#[derive(Clone, Debug)]
pub struct Rules {
    /// As `uname -r` prints it.
    pub release: &'static str,
    /// Picks by eligibility and deadline (EEVDF) instead of the smallest vruntime (CFS).
    pub eevdf: bool,
    /// A thread that sleeps with negative lag stays on the queue until it would be picked (6.12).
    pub delayed_dequeue: bool,
    /// Groups have types (5.5) instead of average loads alone.
    pub group_types: bool,
    /// Time a thread may run before it is compared again: base_slice, or the smallest granularity.
    pub slice_ns: Ns,
    /// Period in which every thread runs once (CFS).
    pub latency_ns: Ns,
    /// Lead a woken thread needs to preempt (CFS).
    pub wakeup_granularity_ns: Ns,
    /// A thread that ran less than this long ago is cache-hot.
    pub migration_cost_ns: Ns,
    /// Newidle balancing compares avg_idle with this constant rather than with the measured cost of an attempt.
    pub newidle_against_migration_cost: bool,
    /// CPUs running SCHED_IDLE threads only count as idle for a wakeup (5.4).
    pub sched_idle_cpus: bool,
    /// A newly forked process may stay on its node while that has few threads (5.7).
    pub numa_allowance: bool,
    /// How domains are built.
    pub domains: DomainRules,
    /// Names of the balance functions: one attempt over a domain, newidle as a whole.
    pub balance_function: &'static str,
    /// The newidle function.
    pub newidle_function: &'static str,
}

impl std::str::FromStr for Release {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "4.1" => Ok(Self::Averages),
            "6.12" => Ok(Self::Eevdf),
            _ => Err(format!("{text:?} is not a release of the model; one of 4.1 6.12")),
        }
    }
}

impl Release {
    /// Its rules on a machine with so many CPUs. Times grow with 1 + log2(CPUs), counted up to 8 (kernel:
    /// get_update_sysctl_factor).
    pub fn rules(self, cpus: usize) -> Rules {
        let factor = 1 + Ns::from(cpus.clamp(1, 8).ilog2());
        match self {
            Self::Averages => Rules {
                release: "4.1.0",
                eevdf: false,
                delayed_dequeue: false,
                group_types: false,
                slice_ns: 750 * US * factor,
                latency_ns: 6 * MS * factor,
                wakeup_granularity_ns: MS * factor,
                migration_cost_ns: 500 * US,
                newidle_against_migration_cost: true,
                sched_idle_cpus: false,
                numa_allowance: false,
                domains: DomainRules::of(Some((4, 1))),
                balance_function: "load_balance",
                newidle_function: "idle_balance",
            },
            Self::Eevdf => Rules {
                release: "6.12.0",
                eevdf: true,
                delayed_dequeue: true,
                group_types: true,
                slice_ns: 700 * US * factor,
                latency_ns: 6 * MS * factor,
                wakeup_granularity_ns: MS * factor,
                migration_cost_ns: 500 * US,
                newidle_against_migration_cost: false,
                sched_idle_cpus: true,
                numa_allowance: true,
                domains: DomainRules::of(Some((6, 12))),
                balance_function: "sched_balance_rq",
                newidle_function: "sched_balance_newidle",
            },
        }
    }
}
