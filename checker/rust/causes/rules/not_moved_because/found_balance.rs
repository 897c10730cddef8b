//! Attempts ran and moved no thread.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::AttemptOutcome;
use crate::causes::rules::not_moved_because::IdleWaitFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};

/// See the module.
pub const RULE: Rule<IdleWaitFacts> = Rule {
    about: RuleText {
        name: "found-balance",
        kernels: Kernels::ALL,
        description: "Load-balance attempts over the common domain ran for the idle CPU's group while the thread waited, and moved \
              no thread. Why is not recorded.",
        functions: "kernel/sched/fair.c: load_balance, sched_balance_rq from 6.10 (4.1, 6.1, 6.12)",
        proof: "proved: the attempts, what they returned, and what they found (table `balance_search`), or the loads or the queue that they \
              saw, were recorded, and they were not overdue for more than a tenth of the time (docs/semantics.md: causes); else \
              consistent: an attempt may return without having looked.",
        refuted_by: "an attempt that moved a thread from that queue.",
        limits: "without loads (table `cpu_load`) the reason stays open; counters count a CPU's attempts also where it was \
              another one's turn. Attempts of a busy CPU are not counted while a CPU of its group idles: that one is to balance \
              for the group (should_we_balance).",
        repairs: &[
            Repair::new(
                RepairKind::Check,
                "compare lb_balanced, lb_failed and lb_imbalance of the domain in /proc/schedstat over the time (`wastenot counters`)",
                "Documentation/scheduler/sched-stats.rst",
            ),
            Repair::new(
                RepairKind::Check,
                "record with load-balance attempts and loads (`wastenot doctor` says what that needs): then the reason is one of allowed imbalance, averages, allowance between nodes, pinned or cache-hot threads",
                "docs/semantics.md: causes",
            ),
        ],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &IdleWaitFacts) -> Option<Finding> {
    let attempts = c.found_balance(AttemptOutcome::Any)?;
    Finding::new(
        NotMovedBecause::FoundBalance,
        Proof::if_seen(attempts.seen && !c.counted && !c.attempts.earlier),
        [attempts.first, attempts.last],
    )
}
