//! The attempt met a queue of pinned threads.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::AttemptOutcome;
use crate::causes::rules::not_moved_because::IdleWaitFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};

/// See the module.
pub const RULE: Rule<IdleWaitFacts> = Rule {
    about: RuleText {
        name: "all-pinned",
        kernels: Kernels::ALL,
        description: "A load-balance attempt over the common domain chose a queue and took no thread: none of the threads that waited on it \
              may use the idle CPU (as the balancer sees their masks), and the attempt went no further.",
        functions: "kernel/sched/fair.c: load_balance, sched_balance_rq from 6.10: can_migrate_task, LBF_ALL_PINNED, \
              LBF_SOME_PINNED, sg_imbalanced (4.1, 6.1, 6.12)",
        proof: "proved where what the attempt left on the queue was recorded (table `balance_search`; no more than one \
              of these threads ran), or the queue that it chose (table `cpus_scanned`) and the masks were, and the attempt was for the idle CPU or chose this \
              very queue; else consistent.",
        refuted_by: "a thread on the chosen queue that may use the idle CPU.",
        limits: "a mask that was widened shortly before: the kernel reads its own copy.",
        repairs: &[
            Repair::new(
                RepairKind::Program,
                "spread the pinned threads, or pin fewer of them to one CPU: a queue full of pinned threads hides the others from the balancer",
                "kernel/sched/fair.c: can_migrate_task, LBF_ALL_PINNED (6.1, 6.12)",
            ),
            Repair::new(
                RepairKind::Cpuset,
                "give the pinned threads a cpuset of several CPUs instead of a mask of one",
                "Documentation/admin-guide/cgroup-v2.rst: cpuset.cpus",
            ),
        ],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &IdleWaitFacts) -> Option<Finding> {
    let attempts = c.found_balance(AttemptOutcome::Pinned)?;
    Finding::new(NotMovedBecause::AllPinned, Proof::if_seen(attempts.seen), [attempts.first, attempts.last])
}
