//! The pass left threads that had just run.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::Edge;
use crate::causes::rules::not_moved_because::Kind;
use crate::causes::rules::{About, Found, Rule};

/// See the module.
pub const RULE: Rule<Edge> = Rule {
    about: About {
        name: "cache-hot",
        kernels: Kernels::ALL,
        says: "Passes over the common domain chose the queue, found threads that may use the idle CPU, and took \
              nobody: all of those had run in the last 500 us (sysctl_sched_migration_cost) and count as cache-hot.",
        functions: "kernel/sched/fair.c: load_balance, sched_balance_rq from 6.10: can_migrate_task, task_hot, \
              detach_tasks (4.1, 6.1, 6.12)",
        proof: "consistent: what task_hot returned is not recorded.",
        refuted_by: "nr_failed_migrations_hot of the threads unchanged over the time.",
        blind: "threads refused for other reasons: too much load for the imbalance, a contended lock. Where the cost is set \
              higher, threads that ran longer ago are hot too, and no more is said than that the pass moved nobody.",
        next: "lower sched_migration_cost_ns (debugfs sched/migration_cost_ns); -1 there makes everything hot.",
    },
    first_when_young: false,
    judge,
};

fn judge(c: &Edge) -> Option<Found> {
    let looks = c.found_balance(Kind::Refused).filter(|looks| 2 * looks.hot >= looks.count)?;
    Found::new(NotMovedBecause::CacheHot, Proof::Consistent, [looks.first, looks.last])
}
