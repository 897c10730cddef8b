//! The kernel bypasses the scheduler.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::IdleWaitFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};

/// See the module.
pub const RULE: Rule<IdleWaitFacts> = Rule {
    about: RuleText {
        name: "ext-bypass",
        kernels: Kernels::since(6, 12),
        description: "The kernel bypassed the sched_ext scheduler when the wait began: threads were queued in the order of their \
              coming, and none of the scheduler's functions was asked. So it does as it removes a scheduler, until the last \
              thread has left.",
        functions: "kernel/sched/ext.c: scx_ops_bypass (6.12), scx_bypass; kernel/sched/ext/ext.c (7.2)",
        proof: "proved: the call of that function was recorded, or the thread was in the queue that the kernel has for \
              this (SCX_DSQ_BYPASS).",
        refuted_by: "an end of the bypass before the wait began, where the thread was in another queue.",
        limits: "a bypass that began before the recording, of threads in other queues; it does not say what the scheduler \
              would have done. From 7.1 the kernel balances bypassed threads itself, each half second.",
        repairs: &[
            Repair::new(
                RepairKind::Check,
                "see why: dmesg names it where a scheduler is loaded or leaves, fails, or the machine suspends",
                "kernel/sched/ext.c: scx_ops_bypass (6.12)",
            ),
            Repair::new(
                RepairKind::Check,
                "from 6.15 on, count the event SCX_EV_BYPASS_ACTIVATE: root/events below /sys/kernel/sched_ext",
                "kernel/sched/ext.c: SCX_EV_BYPASS_ACTIVATE (6.15)",
            ),
        ],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &IdleWaitFacts) -> Option<Finding> {
    let wait = c.ext_wait?;
    let bypassed = wait.bypassed?;
    Finding::new(NotMovedBecause::ExtBypass, Proof::Proved, [Some(bypassed), Some(wait.place.event)])
}
