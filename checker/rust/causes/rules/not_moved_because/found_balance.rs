//! Passes ran and moved nobody.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::Edge;
use crate::causes::rules::not_moved_because::Kind;
use crate::causes::rules::{About, Found, Rule};

/// See the module.
pub const RULE: Rule<Edge> = Rule {
    about: About {
        name: "found-balance",
        kernels: Kernels::ALL,
        says: "Passes over the common domain ran for the idle CPU's group while the thread waited, and moved \
              nobody. Why is not told.",
        functions: "kernel/sched/fair.c: load_balance, sched_balance_rq from 6.10 (4.1, 6.1, 6.12)",
        proof: "proved: the passes and what they returned were recorded; consistent where the kernel's counters (table \
              `schedstat`) tell that some ran.",
        refuted_by: "a pass that moved a thread from that queue.",
        blind: "without loads (table `cpu_load`) the reason stays open; counters count a CPU's passes also where it was \
              another one's turn.",
        next: "compare lb_balanced, lb_failed and lb_imbalance of the domain in /proc/schedstat over the time.",
    },
    first_when_young: false,
    judge,
};

fn judge(c: &Edge) -> Option<Found> {
    let looks = c.found_balance(Kind::Any)?;
    Found::new(NotMovedBecause::FoundBalance, Proof::if_seen(!c.counted), [looks.first, looks.last])
}
