//! It was preempted where it ran alone.

use crate::causes::answers::{PlacedBy, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::placed_by::PlacementFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};

/// See the module.
pub const RULE: Rule<PlacementFacts> = Rule {
    about: RuleText {
        name: "preempted-in-place",
        kernels: Kernels::ALL,
        description: "The thread had its CPU to itself and was preempted there: another one came, or was there when it \
              came back from running alone.",
        functions: "kernel/sched/fair.c: wakeup_preempt (check_preempt_curr before 6.8), entity_tick (4.1, 6.1, 6.12)",
        proof: "consistent: it follows from switches alone, which prove nothing.",
        refuted_by: "a time without the CPU to itself between its arrival and the preemption.",
        limits: "who came is not known, or had no idle CPU to go to: why the two share a CPU is another question.",
        repairs: &[Repair::new(
            RepairKind::Check,
            "look at who preempted it (`wastenot top`, antagonists), and how that thread was placed",
            "docs/causes/README.md: placed_by",
        )],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &PlacementFacts) -> Option<Finding> {
    Finding::new(PlacedBy::PreemptedInPlace, Proof::Consistent, [Some(c.in_place?), Some(c.arrival.event)])
}
