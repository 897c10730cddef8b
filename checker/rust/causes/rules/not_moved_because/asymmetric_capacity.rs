//! The idle CPU is smaller than the one where threads wait.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::{AttemptOutcome, IdleWaitFacts};
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};

/// See the module.
pub const RULE: Rule<IdleWaitFacts> = Rule {
    about: RuleText {
        name: "asymmetric-capacity",
        kernels: Kernels::since(5, 0),
        description: "Load-balance attempts over the common domain ran and found balance against their loads, and the idle CPU has less capacity \
              than the one where threads wait. With an energy model nothing is balanced until some CPU counts as \
              overutilized, and a smaller CPU takes no thread from a group of larger ones that is not overloaded.",
        functions: "kernel/sched/fair.c: find_busiest_group (sched_balance_find_src_group from 6.10): sched_energy_enabled and \
              rd->overutilized; update_sd_pick_busiest: capacity_greater (5.0, 6.1, 6.12)",
        proof: "consistent: neither rd->overutilized nor the capacity that interrupts and real-time threads leave is recorded.",
        refuted_by: "an attempt that took a thread from a larger CPU to a smaller one at a like imbalance.",
        limits: "machines whose CPUs are alike by cpu_capacity; pressure that makes a CPU smaller for a while; an idle CPU that \
              is as large as the other.",
        repairs: &[
            Repair::new(
                RepairKind::Setting,
                "compare with energy-aware scheduling off: sysctl kernel.sched_energy_aware=0",
                "Documentation/admin-guide/sysctl/kernel.rst: sched_energy_aware",
            ),
            Repair::new(
                RepairKind::Check,
                "look at uclamp, which can hide that a CPU is full: sysctl kernel.sched_util_clamp_max, cpu.uclamp.max of the cgroup",
                "Documentation/scheduler/sched-util-clamp.rst",
            ),
        ],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &IdleWaitFacts) -> Option<Finding> {
    let attempts = c.found_balance(AttemptOutcome::Unexplained)?;
    let finding =
        || Finding::new(NotMovedBecause::AsymmetricCapacity, Proof::Consistent, [attempts.first, attempts.last]);
    c.smaller.then(finding)?
}
