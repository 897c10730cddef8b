//! The imbalance is too small for the balancer.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::AttemptOutcome;
use crate::causes::rules::not_moved_because::IdleWaitFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};

/// See the module.
pub const RULE: Rule<IdleWaitFacts> = Rule {
    about: RuleText {
        name: "allowed-imbalance",
        kernels: Kernels::ALL,
        description: "Load-balance attempts over the common domain ran and found balance: the difference is below what the domain acts \
              on, by imbalance_pct or since half of it is less than a thread.",
        functions: "kernel/sched/fair.c: load_balance, sched_balance_rq from 6.10: find_busiest_group, \
              calculate_imbalance (4.1, 6.1, 6.12)",
        proof: "proved where the loads that the attempt saw were recorded (simulated and imported traces); consistent where they were read as \
              the attempt ended, as wastenot's recorder does, and from reconstructed queue lengths.",
        refuted_by: "loads above the threshold at the attempt.",
        limits: "loads of cgroups are weighted; the queue length says less than the load does. From 5.5 on the types of the groups decide where \
              what the CPUs were used for is recorded (table `cpu_load`); else, and where by these the attempt had to act, more threads than \
              CPUs are taken for overloaded.",
        repairs: &[
            Repair::new(
                RepairKind::Setting,
                "lower imbalance_pct of the domain (117 on most levels, 125 before 5.10): write to imbalance_pct below debugfs sched/domains for each CPU",
                "kernel/sched/debug.c: register_sd (6.1, 6.12); before 5.13 sysctl kernel.sched_domain",
            ),
            Repair::new(
                RepairKind::Check,
                "one thread that waits beside one idle CPU of another cache is left alone by design: half a thread cannot be moved",
                "kernel/sched/fair.c: calculate_imbalance (6.1, 6.12)",
            ),
            Repair::new(
                RepairKind::Program,
                "pin or split the waiting threads by hand where the last core matters",
                "sched_setaffinity(2)",
            ),
        ],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &IdleWaitFacts) -> Option<Finding> {
    let attempts = c.found_balance(AttemptOutcome::Allowed)?;
    Finding::new(NotMovedBecause::AllowedImbalance, Proof::if_seen(attempts.seen), [attempts.first, attempts.last])
}
