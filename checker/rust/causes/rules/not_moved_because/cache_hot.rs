//! The attempt left threads that had just run.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::AttemptOutcome;
use crate::causes::rules::not_moved_because::IdleWaitFacts;
use crate::causes::rules::{Finding, Rule, RuleText};

/// See the module.
pub const RULE: Rule<IdleWaitFacts> = Rule {
    about: RuleText {
        name: "cache-hot",
        kernels: Kernels::ALL,
        description: "Load-balance attempts over the common domain chose the queue, found threads that may use the idle CPU, and took \
              no thread: all of those had run so lately that they count as cache-hot (sysctl_sched_migration_cost: as recorded, else the \
              usual 500 us; at -1 every thread does).",
        functions: "kernel/sched/fair.c: load_balance, sched_balance_rq from 6.10: can_migrate_task, task_hot, \
              detach_tasks (4.1, 6.1, 6.12)",
        proof: "consistent: what task_hot returned is not recorded.",
        refuted_by: "nr_failed_migrations_hot of the threads unchanged over the time.",
        limits: "threads refused for other reasons: too much load for the imbalance, a contended lock. Where a higher cost is not \
              recorded, threads that ran longer ago are hot too, and no more is said than that the attempt moved no thread.",
        advice: "lower sched_migration_cost_ns (debugfs sched/migration_cost_ns); -1 there makes everything hot.",
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &IdleWaitFacts) -> Option<Finding> {
    let attempts = c.found_balance(AttemptOutcome::Refused).filter(|attempts| 2 * attempts.hot >= attempts.count)?;
    Finding::new(NotMovedBecause::CacheHot, Proof::Consistent, [attempts.first, attempts.last])
}
