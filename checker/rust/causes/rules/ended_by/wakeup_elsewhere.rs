//! A wakeup took the idle CPU.

use crate::causes::answers::{EndedBy, Proof};
use crate::causes::balancer_log::EndingEvent;
use crate::causes::kernels::Kernels;
use crate::causes::rules::ended_by::EndFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};

/// See the module.
pub const RULE: Rule<EndFacts> = Rule {
    about: RuleText {
        name: "wakeup-elsewhere",
        kernels: Kernels::ALL,
        description: "The idle CPU was taken by a thread that was woken there, while the other one went on waiting.",
        functions: "kernel/sched/core.c: try_to_wake_up (4.1, 6.1, 6.12)",
        proof: "consistent: it follows from wakeups and switches.",
        refuted_by: "a move onto the CPU at that instant.",
        limits: "a thread woken onto a CPU that another is on the way to.",
        repairs: &[Repair::new(
            RepairKind::Check,
            "see who was woken there",
            "include/trace/events/sched.h: sched_wakeup",
        )],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &EndFacts) -> Option<Finding> {
    let finding = || Finding::new(EndedBy::WakeupElsewhere, Proof::Consistent, [c.event]);
    (c.cpu_taken && c.ending == Some(EndingEvent::Woken)).then(finding)?
}
