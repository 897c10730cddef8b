//! The balancer moved it from one queue to another.

use crate::causes::MigrationPath;
use crate::causes::kernels::Kernels;
use crate::causes::rules::placed_by::PlacementFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};
use crate::causes::wait_origin::QueuedBy;

/// See the module.
pub const RULE: Rule<PlacementFacts> = Rule {
    about: RuleText {
        name: "moved-as-it-waited",
        kernels: Kernels::ALL,
        description: "It waited already when a balancer moved it here, from one queue to another: what made it wait is what had \
              brought it to the first. The answer is that; the move stays an alternative.",
        functions: "kernel/sched/fair.c: detach_tasks, attach_tasks (4.1, 6.1, 6.12)",
        proof: "consistent: the move is recorded, that the wait is older than it follows from switches.",
        refuted_by: "a time without any wait between its first arrival and the move.",
        limits: "it may have run in turns with others on the first queue or on this one.",
        repairs: &[Repair::new(
            RepairKind::Check,
            "see how it was placed at first, and why the balancer left CPUs idle",
            "docs/causes/README.md: not_moved_because",
        )],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &PlacementFacts) -> Option<Finding> {
    let QueuedBy::Moved(Some(MigrationPath::Periodic | MigrationPath::Newidle | MigrationPath::Nohz)) =
        c.arrival.queued_by
    else {
        return None;
    };
    let first = c.made_wait_by?;
    let finding = PlacementFacts::of_another(first)?;
    let moved = Finding::new(finding.answer, finding.proof, [Some(first.event), Some(c.arrival.event)])?;
    Some(moved.with_decisive(finding.decisive))
}
