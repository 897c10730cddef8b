//! The imbalance is too small for the balancer.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::Edge;
use crate::causes::rules::not_moved_because::Kind;
use crate::causes::rules::{About, Found, Rule};

/// See the module.
pub const RULE: Rule<Edge> = Rule {
    about: About {
        name: "allowed-imbalance",
        kernels: Kernels::ALL,
        says: "Passes over the common domain ran and found balance: the difference is below what the domain acts \
              on, by imbalance_pct or since half of it is no thread.",
        functions: "kernel/sched/fair.c: load_balance, sched_balance_rq from 6.10: find_busiest_group, \
              calculate_imbalance (4.1, 6.1, 6.12)",
        proof: "proved where the loads that the pass saw were recorded; else consistent.",
        refuted_by: "loads above the threshold at the pass.",
        blind: "loads of cgroups are weighted; the queue length says less than the load does.",
        next: "lower the domain's imbalance_pct (debugfs sched/domains), or accept it: one thread that waits beside \
              one idle CPU of another cache is left alone by design.",
    },
    first_when_young: false,
    judge,
};

fn judge(c: &Edge) -> Option<Found> {
    let looks = c.found_balance(Kind::Allowed)?;
    Found::new(NotMovedBecause::AllowedImbalance, Proof::if_seen(looks.seen), [looks.first, looks.last])
}
