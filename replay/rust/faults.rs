//! The faults of the kernel model: one named switch each, with its fix, its source, and the counterfactual it must obey.
//!
//! A switch that is on makes the model behave as the faulty kernel; off, as the fixed one. With all of them off the model
//! conserves work: a CPU does not stay idle beside a thread that may use it. Some faults are what a kernel shipped with
//! ([`FaultSet::shipped`]); others are exaggerations of a rule that is sensible at its usual size, named as such.

use crate::release::Release;

/// A way for the balancer to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Fault {
    /// Groups are compared by their average load.
    GroupImbalance,
    /// Groups of overlapping domains are built from CPU 0's point of view.
    GroupConstruction,
    /// A wakeup looks for an idle CPU in one last-level cache only.
    OverloadOnWakeup,
    /// Domains above the node are not rebuilt after hotplug.
    MissingDomains,
    /// A CPU about to idle does not balance since it expects to be idle briefly.
    NewidleCutoff,
    /// The imbalance from which an idle CPU pulls is too high.
    ImbalancePct,
    /// A queue whose threads are all pinned ends the attempt.
    AllPinned,
    /// Threads that ran lately are refused.
    CacheHot,
    /// No idle CPU is kicked to balance for the idle ones.
    MissedNohzKick,
    /// An imbalance between nodes is allowed though threads wait.
    NumaAllowance,
    /// A new thread starts on its parent's CPU.
    MisplacedFork,
    /// The search for an idle CPU within the cache is cut to nothing.
    ScanCut,
    /// No attempt balances onto smaller CPUs.
    AsymmetricCapacity,
    /// A widened mask is not seen by the balancer.
    StaleMask,
    /// An imbalance of one thread is ignored.
    AllowedImbalance,
    /// The search for an idle CPU is shortened as the cache fills.
    ScanByUtil,
    /// An attempt gives up after so many pinned threads.
    PinnedTail,
    /// An attempt pulls to the CPU that makes it and to no other of its group.
    PinnedTarget,
    /// A CPU that goes idle waits for the interval it had while busy.
    BusyInterval,
    /// A halted virtual CPU does not count as idle for wakeups.
    HaltedVcpu,
    /// Small loads are rounded to none.
    CoarseLoad,
    /// No CPU takes itself for the one that balances for a group of several.
    LostBalancer,
    /// A thread whose mask forbids its CPU goes to the first CPU of the mask.
    FirstOfMask,
    /// A sync wakeup takes the waker's CPU without looking further.
    WakerCpu,
    /// Threads of a CPU that goes offline go to the first CPU of its node.
    FirstOfNode,
    /// An attempt that finds balance ends as if all threads were pinned.
    StickyPinned,
    /// A wakeup takes no CPU whose core is in use.
    IdleCoreOnly,
    /// A CPU counts as busy for wakeups for some time after it went idle.
    IdleMaskLate,
    /// A thread woken soon after it blocked stays where it was.
    WakeupPending,
    /// A new thread starts in its parent's node.
    ForkInNode,
    /// A CPU about to idle balances its smallest domain only.
    NewidleOneLevel,
    /// A CPU about to idle refuses what ran in the last ten milliseconds.
    NewidleHot,
    /// Half of the CPUs are not on the list of idle ones.
    UnlistedIdle,
    /// After hotplug the lock of balancing between nodes is never free.
    SerializeLeak,
    /// An attempt never gets the lock of the queue that it chose.
    ContendedLock,
    /// A CPU that came back is in no domain.
    UnattachedCpu,
    /// A deadline thread that waits is not pushed to another CPU.
    DlNoPush,
    /// A CPU whose earliest deadline becomes later pulls no deadline thread.
    DlNoPull,
}

/// The description of a fault.
pub struct FaultDescription {
    /// The switch.
    pub fault: Fault,
    /// Its name on command lines.
    pub name: &'static str,
    /// What the faulty kernel does.
    pub does: &'static str,
    /// What the fixed one does instead.
    pub fix: &'static str,
    /// Where it is described.
    pub source: &'static str,
    /// What must be seen when it is switched off, everything else being the same.
    pub counterfactual: &'static str,
}

/// All of them.
pub const FAULTS: &[FaultDescription] = &[
    FaultDescription {
        fault: Fault::GroupImbalance,
        name: "group-imbalance",
        does: "a group with one heavy thread and idle CPUs looks as busy as one whose light threads wait",
        fix: "groups are compared by the load of their least loaded CPU",
        source: "EuroSys 2016, section 3.1; kernel/sched/fair.c: find_busiest_group of 4.1",
        counterfactual: "idle CPUs beside the heavy thread pull light threads from the other groups",
    },
    FaultDescription {
        fault: Fault::GroupConstruction,
        name: "group-construction",
        does: "two nodes two hops apart lie in the same groups of the top domain: nothing is balanced between them",
        fix: "each CPU's groups are built from its own node",
        source: "EuroSys 2016, section 3.2; kernel/sched/topology.c: build_overlap_sched_groups",
        counterfactual: "threads allowed on two nodes two hops apart come to use both",
    },
    FaultDescription {
        fault: Fault::OverloadOnWakeup,
        name: "overload-on-wakeup",
        does: "a woken thread queues on a busy CPU of its node while other nodes have idle ones",
        fix: "where its cache has no idle CPU, the one idle for longest is taken",
        source: "EuroSys 2016, section 3.3; kernel/sched/fair.c: select_idle_sibling",
        counterfactual: "a thread that sleeps at barriers leaves the crowded node at a wakeup",
    },
    FaultDescription {
        fault: Fault::MissingDomains,
        name: "missing-domains",
        does: "after a CPU was off and on again no domain spans two nodes",
        fix: "every level is rebuilt",
        source: "EuroSys 2016, section 3.4; kernel/sched/topology.c: partition_sched_domains",
        counterfactual: "threads cross nodes after hotplug as before",
    },
    FaultDescription {
        fault: Fault::NewidleCutoff,
        name: "newidle-cutoff",
        does: "a CPU whose idle times were short does not look for work when it goes idle",
        fix: "it looks",
        source: "kernel/sched/fair.c: newidle_balance (avg_idle against sysctl_sched_migration_cost, max_newidle_lb_cost)",
        counterfactual: "a CPU that goes idle pulls a waiting thread at once",
    },
    FaultDescription {
        fault: Fault::ImbalancePct,
        name: "imbalance-pct",
        does: "an idle CPU pulls only from groups four times as loaded as its own (an exaggeration of imbalance_pct)",
        fix: "it pulls whenever a thread waits",
        source: "kernel/sched/fair.c: find_busiest_group, imbalance_pct",
        counterfactual: "one waiting thread is enough for an idle CPU of another group",
    },
    FaultDescription {
        fault: Fault::AllPinned,
        name: "all-pinned",
        does: "the attempt ends at the busiest queue although its threads are pinned and another queue's are not",
        fix: "the attempt goes on without that queue",
        source: "kernel/sched/fair.c: LBF_ALL_PINNED, sg_imbalanced",
        counterfactual: "threads on the second busiest queue are pulled",
    },
    FaultDescription {
        fault: Fault::CacheHot,
        name: "cache-hot",
        does: "every thread counts as cache-hot, however often that failed (sched_migration_cost of -1)",
        fix: "an idle CPU takes hot threads too",
        source: "kernel/sched/fair.c: task_hot, can_migrate_task",
        counterfactual: "a thread that waits is pulled however lately it ran",
    },
    FaultDescription {
        fault: Fault::MissedNohzKick,
        name: "missed-nohz-kick",
        does: "a busy CPU with waiting threads wakes no idle CPU to balance",
        fix: "its tick kicks one",
        source: "kernel/sched/fair.c: nohz_balancer_kick",
        counterfactual: "CPUs in long idle pull waiting threads within a balance interval",
    },
    FaultDescription {
        fault: Fault::NumaAllowance,
        name: "numa-allowance",
        does: "a node with few threads takes none from one where threads wait",
        fix: "the allowance holds only while no thread waits",
        source: "kernel/sched/fair.c: adjust_numa_imbalance, allow_numa_imbalance (5.7 to 5.17)",
        counterfactual: "threads that wait on one node go to the other",
    },
    FaultDescription {
        fault: Fault::MisplacedFork,
        name: "misplaced-fork",
        does: "children start on their parent's CPU",
        fix: "they start on an idle CPU",
        source: "kernel/sched/fair.c: sched_balance_find_dst_group (find_idlest_group), SD_BALANCE_FORK",
        counterfactual: "a new thread does not wait behind its parent",
    },
    FaultDescription {
        fault: Fault::ScanCut,
        name: "scan-cut",
        does: "a wakeup does not look beyond the target and the previous CPU (an exaggeration of the scan's limits)",
        fix: "the whole cache is searched",
        source: "kernel/sched/fair.c: select_idle_cpu (SIS_PROP, SIS_UTIL)",
        counterfactual: "a woken thread finds the idle CPU of its cache",
    },
    FaultDescription {
        fault: Fault::AsymmetricCapacity,
        name: "asymmetric-capacity",
        does: "the machine never counts as overutilized: no CPU balances, and wakeups keep to CPUs that fit",
        fix: "threads that wait go to smaller CPUs too",
        source: "kernel/sched/fair.c: sched_energy_enabled, rd->overutilized, asym_fits_cpu",
        counterfactual: "small CPUs take threads that wait on large ones",
    },
    FaultDescription {
        fault: Fault::StaleMask,
        name: "stale-mask",
        does: "CPUs that were added to a thread's mask are not used",
        fix: "the balancer reads the mask as it is",
        source: "kernel/sched/core.c: set_cpus_allowed_common; kernel/cgroup/cpuset.c: update_tasks_cpumask",
        counterfactual: "threads spread over CPUs that a mask gained",
    },
    FaultDescription {
        fault: Fault::AllowedImbalance,
        name: "allowed-imbalance",
        does: "one thread that waits in another group is not worth a move: half of one idle CPU is none",
        fix: "an idle CPU takes one thread wherever one waits",
        source: "kernel/sched/fair.c: calculate_imbalance (env->imbalance >>= 1), find_busiest_group (idle_cpus + 1)",
        counterfactual: "one waiting thread of another cache is pulled by the only idle CPU",
    },
    FaultDescription {
        fault: Fault::ScanByUtil,
        name: "scan-by-util",
        does: "a wakeup searches fewer CPUs of its cache the more they are used, none from 85 percent on",
        fix: "the whole cache is searched",
        source: "kernel/sched/fair.c: update_idle_cpu_scan, select_idle_cpu (SIS_UTIL, 6.0)",
        counterfactual: "a woken thread finds the last idle CPU of a busy cache",
    },
    FaultDescription {
        fault: Fault::PinnedTail,
        name: "pinned-tail",
        does: "an attempt looks at 32 threads of a queue and gives up when all of these are pinned, though others are not",
        fix: "it looks on until it has met one that may be moved",
        source: "kernel/sched/fair.c: detach_tasks, loop_max, sched_nr_migrate (before 6.1)",
        counterfactual: "a few free threads among many pinned ones are pulled",
    },
    FaultDescription {
        fault: Fault::PinnedTarget,
        name: "pinned-target",
        does: "one CPU balances for its group and pulls for itself alone: threads that may use another one of the group stay",
        fix: "the attempt goes on for a CPU of the group that they may use",
        source: "kernel/sched/fair.c: can_migrate_task, load_balance (LBF_SOME_PINNED, LBF_DST_PINNED, new_dst_cpu; since 3.7)",
        counterfactual: "threads come to the CPUs of another group that they may use, whichever of them balances",
    },
    FaultDescription {
        fault: Fault::BusyInterval,
        name: "busy-interval",
        does: "the next attempt of a CPU that went idle is due when it would have been, had it stayed busy",
        fix: "going idle brings it forward to the interval of idle CPUs",
        source: "kernel/sched/fair.c: idle_balance, update_next_balance, busy_factor (before 3.16)",
        counterfactual: "a CPU that was busy for long pulls as soon after its last thread as any idle one",
    },
    FaultDescription {
        fault: Fault::HaltedVcpu,
        name: "halted-vcpu",
        does: "wakeups skip idle CPUs of a guest that the host has set aside, as if they were preempted",
        fix: "a CPU that halted by itself is idle",
        source: "kernel/sched/core.c: available_idle_cpu, vcpu_is_preempted (an exaggeration: all that idled for 200 us)",
        counterfactual: "a woken thread finds CPUs of its cache that have been idle for some time",
    },
    FaultDescription {
        fault: Fault::CoarseLoad,
        name: "coarse-load",
        does: "loads are counted in sixteenths of an ordinary thread: a group of little weight has none, wherever it waits",
        fix: "loads are counted finely enough",
        source: "kernel/sched/sched.h: SCHED_LOAD_RESOLUTION, scale_load (3.0: finer; here an exaggeration of the coarse ones)",
        counterfactual: "waiting threads of light groups are pulled as others are",
    },
    FaultDescription {
        fault: Fault::LostBalancer,
        name: "lost-balancer",
        does: "a group of several CPUs is balanced by one that never comes there; the others leave it to that one",
        fix: "one of the CPUs that come there balances for the group",
        source: "kernel/sched/core.c: build_overlap_sched_groups (before 3.5; an exaggeration: all such groups)",
        counterfactual: "idle CPUs pull threads that wait in another cache or node",
    },
    FaultDescription {
        fault: Fault::FirstOfMask,
        name: "first-of-mask",
        does: "threads whose mask no longer has their CPU all go to the first CPU that it has",
        fix: "they are distributed over the mask, idle CPUs first",
        source: "kernel/sched/core.c: __set_cpus_allowed_ptr (cpumask_any_and; 5.7: cpumask_any_and_distribute)",
        counterfactual: "threads that are bound to other CPUs run on all of these at once",
    },
    FaultDescription {
        fault: Fault::WakerCpu,
        name: "waker-cpu",
        does: "a sync wakeup takes the waker's CPU, which is to be free soon, without a search, though the waker runs on",
        fix: "from the waker's CPU on an idle one is searched",
        source: "kernel/sched/fair.c: WF_CURRENT_CPU (6.6, for some wakeups; an exaggeration: all sync ones)",
        counterfactual: "what a waker that goes on running has woken runs beside it at once",
    },
    FaultDescription {
        fault: Fault::FirstOfNode,
        name: "first-of-node",
        does: "threads of a CPU that goes offline all go to the first CPU of its node that they may use, idle or not",
        fix: "they are distributed, idle CPUs of the node first",
        source: "kernel/sched/core.c: select_fallback_rq, migrate_tasks (since 5.11 __balance_push_cpu_stop)",
        counterfactual: "threads of CPUs that go offline run on the node's idle CPUs at once",
    },
    FaultDescription {
        fault: Fault::StickyPinned,
        name: "sticky-pinned",
        does: "an attempt that finds balance counts as one that met pinned threads alone: the interval doubles up to 512 ms",
        fix: "it counts so when such threads were met; else the interval stops at twice the domain's weight in ms",
        source: "kernel/sched/fair.c: load_balance, LBF_ALL_PINNED, MAX_PINNED_INTERVAL (mended for cases in 5.1 and 5.12)",
        counterfactual: "CPUs that idled for long in a balanced domain pull within its longest interval",
    },
    FaultDescription {
        fault: Fault::IdleCoreOnly,
        name: "idle-core-only",
        does: "a wakeup looks at every CPU of its cache and takes one only where the whole core idles",
        fix: "it takes an idle hardware thread where no core idles",
        source: "kernel/sched/fair.c: select_idle_core, test_idle_cores (an exaggeration: it does not go on to select_idle_cpu)",
        counterfactual: "a woken thread finds the idle hardware thread of a core that is in use",
    },
    FaultDescription {
        fault: Fault::IdleMaskLate,
        name: "idle-mask-late",
        does: "wakeups take a CPU that has been idle for less than 200 us for a busy one",
        fix: "idle is idle from the first moment on",
        source: "kernel/sched/fair.c: available_idle_cpu reads rq->curr; masks of idle CPUs that are kept by the tick were proposed (an exaggeration of their delay)",
        counterfactual: "a woken thread finds a CPU that has just gone idle",
    },
    FaultDescription {
        fault: Fault::WakeupPending,
        name: "wakeup-pending",
        does: "a thread that is woken within 100 us of its blocking queues on its CPU without any search",
        fix: "a CPU is searched for it as for any other",
        source: "kernel/sched/core.c: try_to_wake_up, WF_ON_CPU, ttwu_queue_wakelist (since 5.8; an exaggeration: the CPU may run another thread by then)",
        counterfactual: "what is woken soon after it blocked runs on an idle CPU of its cache",
    },
    FaultDescription {
        fault: Fault::ForkInNode,
        name: "fork-in-node",
        does: "children start in their parent's node though it is full and others idle",
        fix: "the idlest node is looked for first",
        source: "kernel/sched/fair.c: sched_balance_find_dst_cpu, SD_BALANCE_FORK (an exaggeration: no NUMA domain has the flag)",
        counterfactual: "a new thread starts on an idle CPU of another node",
    },
    FaultDescription {
        fault: Fault::NewidleOneLevel,
        name: "newidle-one-level",
        does: "a CPU about to idle looks for work in its smallest domain and no further",
        fix: "it looks in every domain",
        source: "kernel/sched/topology.c: set_domain_attribute (relax_domain_level: SD_BALANCE_NEWIDLE is cleared above)",
        counterfactual: "a CPU that goes idle pulls from other caches and nodes",
    },
    FaultDescription {
        fault: Fault::NewidleHot,
        name: "newidle-hot",
        does: "an attempt of a CPU about to idle takes no thread that ran in the last 10 ms (an exaggeration of the cost of a migration)",
        fix: "it takes what waits",
        source: "kernel/sched/fair.c: task_hot, sysctl_sched_migration_cost, sched_balance_newidle",
        counterfactual: "a CPU that goes idle pulls a thread that has just waited for it",
    },
    FaultDescription {
        fault: Fault::UnlistedIdle,
        name: "unlisted-idle",
        does: "CPUs of odd number are not put on the list of idle CPUs: none is kicked, and no CPU balances for them",
        fix: "every CPU that stops its tick is on the list",
        source: "kernel/sched/fair.c: nohz_balance_enter_idle, nohz.idle_cpus_mask (an exaggeration of a lost update)",
        counterfactual: "CPUs of odd number pull within a balance interval",
    },
    FaultDescription {
        fault: Fault::SerializeLeak,
        name: "serialize-leak",
        does: "after a CPU was off and on no attempt is made between nodes: the one that may be under way at a time never ended",
        fix: "it ends",
        source: "kernel/sched/fair.c: sched_balance_running, SD_SERIALIZE in sched_balance_domains (an exaggeration: for ever)",
        counterfactual: "threads cross nodes after hotplug as before",
    },
    FaultDescription {
        fault: Fault::ContendedLock,
        name: "contended-lock",
        does: "an attempt chooses the queue and ends there, since another CPU holds the queue's lock",
        fix: "it waits for the lock",
        source: "kernel/sched/fair.c: double_lock_balance before 3.x gave up after a failed try (an exaggeration: each time)",
        counterfactual: "a queue that was chosen gives up a thread",
    },
    FaultDescription {
        fault: Fault::UnattachedCpu,
        name: "unattached-cpu",
        does: "after hotplug the CPU of highest number is in no domain of any CPU",
        fix: "every CPU that is online is in the domains",
        source: "kernel/sched/topology.c: cpu_attach_domain, build_sched_domains (an exaggeration of one that failed)",
        counterfactual: "the CPU that came back takes its share of threads",
    },
    FaultDescription {
        fault: Fault::DlNoPush,
        name: "dl-no-push",
        does: "a deadline thread that has to wait stays on its CPU's queue, whatever the other CPUs run",
        fix: "it is pushed to a CPU without a deadline thread, or to the one of the latest deadline",
        source: "kernel/sched/deadline.c: push_dl_task, task_woken_dl, deadline_queue_push_tasks (an exaggeration: never)",
        counterfactual: "of m CPUs the m earliest deadlines run",
    },
    FaultDescription {
        fault: Fault::DlNoPull,
        name: "dl-no-pull",
        does: "a CPU whose deadline thread sleeps or is throttled leaves those that wait elsewhere there",
        fix: "it pulls the one with the earliest deadline",
        source: "kernel/sched/deadline.c: pull_dl_task, balance_dl, switched_from_dl (an exaggeration: never)",
        counterfactual: "a CPU that is done with its deadline thread runs one that waited elsewhere",
    },
];

/// Which faults are on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FaultSet(u64);

impl FaultSet {
    /// None: the fixed kernel.
    pub const fn none() -> Self {
        Self(0)
    }

    /// No fault, but a kernel's own pace: idle CPUs are kicked at ticks and balance when their intervals are due, whereas the
    /// fixed kernel of [`FaultSet::none`] lets them look at once. Any set with a fault in it has this pace; so two runs that
    /// are to differ in one fault alone both start from this.
    pub const fn paced() -> Self {
        Self(1 << 63)
    }

    /// One alone.
    pub const fn only(fault: Fault) -> Self {
        Self(1 << fault as u8)
    }

    /// With one more.
    pub const fn with(self, fault: Fault) -> Self {
        Self(self.0 | 1 << fault as u8)
    }

    /// Without one.
    pub const fn without(self, fault: Fault) -> Self {
        Self(self.0 & !(1 << fault as u8))
    }

    /// True when it is on.
    #[inline]
    pub const fn has(self, fault: Fault) -> bool {
        self.0 >> fault as u8 & 1 == 1
    }

    /// What the release shipped with.
    pub fn shipped(release: Release) -> Self {
        let both = [Fault::OverloadOnWakeup, Fault::NewidleCutoff, Fault::AllowedImbalance];
        let both = both.into_iter().fold(Self::none(), Self::with);
        match release {
            Release::Averages => {
                both.with(Fault::GroupImbalance).with(Fault::GroupConstruction).with(Fault::MissingDomains)
            }
            Release::Eevdf => both.with(Fault::ScanByUtil),
        }
    }

    /// The faults that are on, in the order of [`FAULTS`].
    pub fn iter(self) -> impl Iterator<Item = &'static FaultDescription> {
        FAULTS.iter().filter(move |a| self.has(a.fault))
    }
}

impl std::str::FromStr for Fault {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = || FAULTS.iter().map(|a| a.name).collect::<Vec<_>>().join(" ");
        FAULTS
            .iter()
            .find(|a| a.name == name)
            .map(|a| a.fault)
            .ok_or_else(|| format!("{name:?} is not a fault; one of {}", known()))
    }
}

impl Fault {
    /// Its description.
    pub fn about(self) -> &'static FaultDescription {
        &FAULTS[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_in_the_order_of_the_switches() {
        for (i, about) in FAULTS.iter().enumerate() {
            assert_eq!(about.fault as usize, i);
            assert_eq!(about.name.parse::<Fault>(), Ok(about.fault));
        }
    }
}
