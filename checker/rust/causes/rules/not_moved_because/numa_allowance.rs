//! Few threads on a node may stay together.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::AttemptOutcome;
use crate::causes::rules::not_moved_because::IdleWaitFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};

/// See the module.
pub const RULE: Rule<IdleWaitFacts> = Rule {
    about: RuleText {
        name: "numa-allowance",
        kernels: Kernels::since(5, 7),
        description: "Load-balance attempts over the common NUMA domain ran and left the imbalance: the idle CPU's node runs so few \
              threads that the kernel allows another node to be fuller.",
        functions: "kernel/sched/fair.c: adjust_numa_imbalance, allow_numa_imbalance, calculate_imbalance (5.7 .. 6.12)",
        proof: "proved where the loads that the attempt saw were recorded and differ by no more than the kernel lets nodes differ: \
              a pair of threads, no node overloaded, and few threads here (less than a quarter of the node's CPUs up to 5.17, less \
              than an eighth or none from 5.18 on; up to 5.10 no more than two there); else consistent.",
        refuted_by: "threads on as many as a quarter of the idle CPU's node (one suffices on a node of up to seven CPUs).",
        limits: "imb_numa_nr (from 5.18 on) is larger on nodes of several caches, and grows with the domain: consistent there.",
        repairs: &[
            Repair::new(
                RepairKind::Program,
                "bind the threads to nodes yourself (numactl --cpunodebind), so many to each as it has cores",
                "numactl(8)",
            ),
            Repair::new(
                RepairKind::KernelRelease,
                "compare with 5.18 or later, which allow less on nodes of several caches: the allowance is worked out from \
                 the caches there",
                "kernel/sched/topology.c: imb_numa_nr (5.18, 6.12)",
            ).on(Kernels::until(5, 17)),
            Repair::new(
                RepairKind::Check,
                "it is by design while few threads run: on a node so empty two that talk to each other gain more from its \
                 cache",
                "kernel/sched/fair.c: adjust_numa_imbalance, allow_numa_imbalance (5.7 .. 6.12)",
            ),
        ],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &IdleWaitFacts) -> Option<Finding> {
    let attempts = c.found_balance(AttemptOutcome::NumaAllowed)?;
    Finding::new(NotMovedBecause::NumaAllowance, Proof::if_seen(attempts.seen), [attempts.first, attempts.last])
}
