//! The CPU that went idle looked and took nobody.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::Edge;
use crate::causes::rules::{About, Found, Rule};

/// See the module.
pub const RULE: Rule<Edge> = Rule {
    about: About {
        name: "newidle-pulled-nothing",
        kernels: Kernels::ALL,
        says: "The CPU went idle while the thread waited, made a pass over the domain that joins the two, and took \
              nobody.",
        functions: "kernel/sched/fair.c: newidle_balance (idle_balance before 5.3, sched_balance_newidle from 6.10), and \
              the pass it calls (4.1, 6.1, 6.12)",
        proof: "proved: the passes and what they returned were recorded.",
        refuted_by: "a thread that it took.",
        blind: "why it took nobody is the same question as for periodic passes; see the other answers of the row.",
        next: "see the alternatives of this row: allowed imbalance, averages, pinned or cache-hot threads.",
    },
    first_when_young: true,
    judge,
};

fn judge(c: &Edge) -> Option<Found> {
    let entry = c.entry?;
    let newidle = entry.newidle?;
    let reached = newidle.level.is_some_and(|l| c.level.is_none_or(|level| l >= level));
    let found =
        || Found::new(NotMovedBecause::NewidlePulledNothing, Proof::Proved, [Some(newidle.event), Some(entry.event)]);
    (c.chance && reached).then(found)?
}
