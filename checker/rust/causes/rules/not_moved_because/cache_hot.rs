//! The attempt left threads that had just run.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::AttemptOutcome;
use crate::causes::rules::not_moved_because::IdleWaitFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};

/// See the module.
pub const RULE: Rule<IdleWaitFacts> = Rule {
    about: RuleText {
        name: "cache-hot",
        kernels: Kernels::ALL,
        description: "Load-balance attempts over the common domain chose the queue, found threads that may use the idle CPU, and took \
              no thread: all of those had run so lately that they count as cache-hot (sysctl_sched_migration_cost: as recorded, else the \
              usual 500 us; at -1 every thread does); and at least a quarter of the attempts that were due were made.",
        functions: "kernel/sched/fair.c: load_balance, sched_balance_rq from 6.10: can_migrate_task, task_hot, \
              detach_tasks (4.1, 6.1, 6.12)",
        proof: "proved where what the attempt left on the queue was recorded (table `balance_search`): each attempt left every thread that \
              may be moved as cache-hot, and was for the idle CPU or chose this very queue, and none of the last for its group shortly \
              before left threads for another reason; and none was overdue for long (docs/semantics.md: causes); else consistent.",
        refuted_by: "nr_failed_migrations_hot of the threads unchanged over the time.",
        limits: "threads refused for other reasons: too much load for the imbalance, a contended lock. Where a higher cost is not \
              recorded, threads that ran longer ago are hot too, and no more is said than that the attempt moved no thread.",
        repairs: &[
            Repair::new(
                RepairKind::Setting,
                "lower the time for which a thread counts as hot: write to debugfs sched/migration_cost_ns (500,000 by \
                 default; at -1 every thread is hot, at 0 none)",
                "kernel/sched/fair.c: task_hot (6.1, 6.12); kernel/sched/debug.c",
            ).on(Kernels::since(5, 13)),
            Repair::new(
                RepairKind::Setting,
                "lower the time for which a thread counts as hot: sysctl kernel.sched_migration_cost_ns (500,000 by default; \
                 at -1 every thread is hot, at 0 none)",
                "kernel/sched/fair.c: task_hot (4.1); kernel/sysctl.c",
            ).on(Kernels::until(5, 12)),
            Repair::new(
                RepairKind::Setting,
                "lower cache_nice_tries of the domain (debugfs sched/domains): after more failures than that the balancer \
                 takes hot threads too",
                "kernel/sched/fair.c: can_migrate_task (6.1, 6.12); kernel/sched/debug.c: register_sd (6.1, 6.12); before \
                 5.13 sysctl kernel.sched_domain",
            ),
            Repair::new(
                RepairKind::Check,
                "nr_failed_migrations_hot in /proc/PID/sched of the waiting threads counts the refusals",
                "kernel/sched/fair.c: can_migrate_task; kernel/sched/debug.c: proc_sched_show_task (6.1)",
            ),
        ],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &IdleWaitFacts) -> Option<Finding> {
    let attempts = c.found_balance(AttemptOutcome::Refused).filter(|attempts| 2 * attempts.of_all >= attempts.count)?;
    let all = c.attempts.of_outcome(AttemptOutcome::Any).count;
    Finding::new(
        NotMovedBecause::CacheHot,
        Proof::if_seen(attempts.seen && attempts.of_all == all && !c.attempts.other_reason_before),
        [attempts.first, attempts.last],
    )
}
