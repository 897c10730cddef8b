//! It stopped to be runnable.

use crate::causes::answers::{EndedBy, Proof};
use crate::causes::balancer_log::EndingEvent;
use crate::causes::kernels::Kernels;
use crate::causes::rules::ended_by::EndFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};

/// See the module.
pub const RULE: Rule<EndFacts> = Rule {
    about: RuleText {
        name: "blocked-or-exited",
        kernels: Kernels::ALL,
        description: "The thread stopped to be runnable there without having run: its quota ran out, its CPU went offline, \
              or its state is unknown after lost events.",
        functions: "none",
        proof: "consistent: it follows from the events.",
        refuted_by: "a switch that shows it running.",
        limits: "lost events look the same.",
        repairs: &[Repair::new(
            RepairKind::Check,
            "look at the event that ended it: nothing of the scheduler did",
            "include/trace/events/sched.h: sched_switch",
        )],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &EndFacts) -> Option<Finding> {
    let finding = || Finding::new(EndedBy::BlockedOrExited, Proof::Consistent, [c.event]);
    (c.waiter_gone && c.ending == Some(EndingEvent::Other)).then(finding)?
}
