//! A wakeup was on its way to the CPU that went idle.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::IdleWaitFacts;
use crate::causes::rules::not_moved_because::newidle_stop::{NewidleStop, newidle_stop};
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};

/// See the module.
pub const RULE: Rule<IdleWaitFacts> = Rule {
    about: RuleText {
        name: "newidle-wakeup-pending",
        kernels: Kernels::since(5, 8),
        description: "The CPU went idle while the thread waited, and did not search for work: a wakeup was already queued to it, which \
              it was to run at once.",
        functions: "kernel/sched/fair.c: newidle_balance, sched_balance_newidle from 6.10: rq->ttwu_pending (6.1, 6.12)",
        proof: "proved where what the CPU decided by was recorded (table `newidle_entry`), unless attempts over the domain left \
              threads that waited, meanwhile, shortly before, or most of those so far, or its groups hide the queue; else this rule \
              is silent.",
        refuted_by: "rq->ttwu_pending unset when the function was entered.",
        limits: "the wakeup may be of a thread that sleeps again at once: the CPU is idle then, without a search.",
        repairs: &[Repair::new(
            RepairKind::Check,
            "look at what was woken on that CPU and how long it ran: short wakeups that come one after the other keep \
                 the CPU from searching",
            "kernel/sched/fair.c: sched_balance_newidle (6.12)",
        )],
    },
    first_when_young: true,
    conclude,
};

fn conclude(c: &IdleWaitFacts) -> Option<Finding> {
    let stop = newidle_stop(c).filter(|stop| stop.why == NewidleStop::WakeupPending)?;
    Finding::new(NotMovedBecause::NewidleWakeupPending, Proof::if_seen(stop.proved), stop.events)
}
