//! Attempts ran and moved no thread.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::AttemptOutcome;
use crate::causes::rules::not_moved_because::IdleWaitFacts;
use crate::causes::rules::{Finding, Rule, RuleText};

/// See the module.
pub const RULE: Rule<IdleWaitFacts> = Rule {
    about: RuleText {
        name: "found-balance",
        kernels: Kernels::ALL,
        description: "Load-balance attempts over the common domain ran for the idle CPU's group while the thread waited, and moved \
              no thread. Why is not recorded.",
        functions: "kernel/sched/fair.c: load_balance, sched_balance_rq from 6.10 (4.1, 6.1, 6.12)",
        proof: "proved: the attempts and what they returned were recorded; consistent where the kernel's counters (table \
              `schedstat`) say that some ran.",
        refuted_by: "an attempt that moved a thread from that queue.",
        limits: "without loads (table `cpu_load`) the reason stays open; counters count a CPU's attempts also where it was \
              another one's turn.",
        advice: "compare lb_balanced, lb_failed and lb_imbalance of the domain in /proc/schedstat over the time.",
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &IdleWaitFacts) -> Option<Finding> {
    let attempts = c.found_balance(AttemptOutcome::Any)?;
    Finding::new(
        NotMovedBecause::FoundBalance,
        Proof::if_seen(!c.counted && !c.attempts.earlier),
        [attempts.first, attempts.last],
    )
}
