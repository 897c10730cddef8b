//! Its own CPU took it.

use crate::causes::answers::{EndedBy, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::ended_by::EndFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};

/// See the module.
pub const RULE: Rule<EndFacts> = Rule {
    about: RuleText {
        name: "started-in-place",
        kernels: Kernels::ALL,
        description: "The CPU on which the thread waited took it: the thread that ran there stopped.",
        functions: "kernel/sched/core.c: __schedule (4.1, 6.1, 6.12)",
        proof: "consistent: switches alone prove nothing.",
        refuted_by: "a move of the thread.",
        limits: "nothing is said about why the other one stopped.",
        repairs: &[Repair::new(
            RepairKind::Check,
            "nothing corrected the waste: it ended by itself",
            "docs/semantics.md: causes",
        )],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &EndFacts) -> Option<Finding> {
    let finding = || Finding::new(EndedBy::StartedInPlace, Proof::Consistent, [c.event]);
    (c.waiter_gone && c.ending.is_none() && c.event.is_some()).then(finding)?
}
