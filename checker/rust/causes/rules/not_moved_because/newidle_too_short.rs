//! The CPU that went idle expected to idle too shortly.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::IdleWaitFacts;
use crate::causes::rules::not_moved_because::newidle_stop::{
    COST_RAISED_IN_6_1, COST_RAISED_IN_6_12, NewidleStop, newidle_stop,
};
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};

/// See the module.
pub const RULE: Rule<IdleWaitFacts> = Rule {
    about: RuleText {
        name: "newidle-too-short",
        kernels: Kernels::ALL,
        description: "The CPU went idle while the thread waited, and did not search in the domain that joins the two: the time that it \
              expected to idle (avg_idle) was below what an attempt over that domain, or a smaller one, costs by the kernel's \
              measure (max_newidle_lb_cost).",
        functions: "kernel/sched/fair.c: newidle_balance (idle_balance before 5.3, sched_balance_newidle from 6.10): avg_idle, \
              max_newidle_lb_cost, update_newidle_cost (4.1, 6.1, 6.12)",
        proof: "proved where what the CPU decided by was recorded (table `newidle_entry`), unless attempts over the domain left \
              threads that waited, meanwhile, shortly before, or most of those so far, or its groups hide the queue; else this rule \
              is silent.",
        refuted_by: "avg_idle above max_newidle_lb_cost of every domain up to that one when the function was entered.",
        limits: "what the attempts over smaller domains took before is not added.",
        repairs: &[
            COST_RAISED_IN_6_1,
            COST_RAISED_IN_6_12,
            Repair::new(
                RepairKind::Check,
                "compare max_newidle_lb_cost of the domains (debugfs sched/domains) with how long the CPU idles",
                "kernel/sched/debug.c: register_sd (6.1, 6.12)",
            )
            .on(Kernels::since(5, 13)),
        ],
    },
    first_when_young: true,
    conclude,
};

fn conclude(c: &IdleWaitFacts) -> Option<Finding> {
    let stop = newidle_stop(c).filter(|stop| stop.why == NewidleStop::TooShort)?;
    Finding::new(NotMovedBecause::NewidleTooShort, Proof::if_seen(stop.proved), stop.events)
}
