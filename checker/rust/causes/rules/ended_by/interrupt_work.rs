//! The idle CPU was interrupted.

use crate::causes::answers::{EndedBy, Proof};
use crate::causes::balancer_log::EndingEvent;
use crate::causes::kernels::Kernels;
use crate::causes::rules::ended_by::EndFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};

/// See the module.
pub const RULE: Rule<EndFacts> = Rule {
    about: RuleText {
        name: "interrupt-work",
        kernels: Kernels::ALL,
        description: "The idle CPU began interrupt work of more than 20 us: until that is over it cannot run a thread, and \
              counts as busy. No thread was seen to move to it meanwhile. Mostly the wait goes on after the interrupt, as \
              another one.",
        functions: "kernel/softirq.c: irq_enter, handle_softirqs (__do_softirq before 6.9)",
        proof: "consistent: the span is recorded, but not all moves during it may have been seen when it was graded.",
        refuted_by: "a thread that the CPU ran instead, or that was moved to it during the span.",
        limits: "a balancer in the span that takes a thread of the queue for a third CPU. What the interrupt was is in the table \
              irq_span, not in the answer.",
        repairs: &[Repair::new(
            RepairKind::Check,
            "see whether the wait went on after the interrupt, and which interrupts the CPU has",
            "docs/semantics.md: excuses, irq_busy; /proc/interrupts",
        )],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &EndFacts) -> Option<Finding> {
    let is_interrupted = c.cpu_taken && matches!(c.ending, Some(EndingEvent::Interrupt(_)));
    is_interrupted.then(|| Finding::new(EndedBy::InterruptWork, Proof::Consistent, [c.event]))?
}
