//! The attempt left threads in the cache that their process prefers.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::AttemptOutcome;
use crate::causes::rules::not_moved_because::IdleWaitFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};

/// See the module.
pub const RULE: Rule<IdleWaitFacts> = Rule {
    about: RuleText {
        name: "cache-aware",
        kernels: Kernels::since(7, 2),
        description: "Load-balance attempts over the common domain chose the queue, found threads that may use the idle CPU, and left \
              them where they are: cache-aware scheduling keeps the threads of a process in the last-level cache where it ran most, \
              while that cache's CPUs are used to less than overaggr_pct (50, half as much again without SMT), or the idle CPU's cache is, and that \
              one is not used by imb_pct (20) more. Such a refusal does not count as a failed attempt, so that it can go on for ever.",
        functions: "kernel/sched/fair.c: can_migrate_task, migrate_degrades_llc, can_migrate_llc, LBF_LLC_PINNED (7.2)",
        proof: "proved where the recorder saw that the attempts left every thread that may be moved for that (tables `preferred_llc` and \
              `balance_search`), and these were for the idle CPU or chose this very queue; consistent where it was some of them. Never \
              without.",
        refuted_by: "0 in debugfs sched/llc_balancing/enabled.",
        limits: "once an attempt has left a thread for that, others that prefer the same cache count as left for it too. A thread that may not \
              move towards its cache, since that is fuller, counts as well. Active balancing that is not \
              begun for the same reason (alb_break_llc), and groups that count as less busy for it, leave no record.",
        repairs: &[
            Repair::new(
                RepairKind::Setting,
                "compare without it: write 0 to debugfs sched/llc_balancing/enabled (1 by default)",
                "kernel/sched/debug.c: sched_cache_enable_write (7.2)",
            ),
            Repair::new(
                RepairKind::Setting,
                "lower the use from which on a cache counts as busy: debugfs sched/llc_balancing/overaggr_pct (50 by default)",
                "kernel/sched/fair.c: fits_llc_capacity, can_migrate_llc (7.2); kernel/sched/debug.c",
            ),
            Repair::new(
                RepairKind::Program,
                "a process that runs more threads than four fifths of the cache's cores is not kept together; nor is one thread alone",
                "kernel/sched/fair.c: invalid_llc_nr (7.2)",
            ),
        ],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &IdleWaitFacts) -> Option<Finding> {
    let attempts = c.found_balance(AttemptOutcome::PreferredLlc)?;
    let all = c.attempts.of_outcome(AttemptOutcome::Any).count;
    Finding::new(
        NotMovedBecause::CacheAware,
        Proof::if_seen(attempts.seen && attempts.of_all == all),
        [attempts.first, attempts.last],
    )
}
