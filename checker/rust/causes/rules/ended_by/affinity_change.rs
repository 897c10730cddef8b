//! The mask of the waiting thread changed.

use crate::causes::answers::{EndedBy, Proof};
use crate::causes::balancer_log::EndingEvent;
use crate::causes::kernels::Kernels;
use crate::causes::rules::ended_by::EndFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};

/// See the module.
pub const RULE: Rule<EndFacts> = Rule {
    about: RuleText {
        name: "affinity-change",
        kernels: Kernels::ALL,
        description: "The allowed CPUs of the waiting thread changed, so that the idle CPU is no longer one of them.",
        functions: "kernel/sched/core.c: __set_cpus_allowed_ptr (4.1, 6.1, 6.12)",
        proof: "proved: masks are recorded.",
        refuted_by: "a mask that still holds the idle CPU.",
        limits: "the change is dated to the next switch or wakeup of the thread.",
        repairs: &[Repair::new(
            RepairKind::Check,
            "see who changed the mask, and whether it should have been wider from the start",
            "sched_setaffinity(2); Documentation/admin-guide/cgroup-v2.rst: cpuset.cpus",
        )],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &EndFacts) -> Option<Finding> {
    let finding = || Finding::new(EndedBy::AffinityChange, Proof::Proved, [c.event]);
    (c.ending == Some(EndingEvent::Mask)).then(finding)?
}
