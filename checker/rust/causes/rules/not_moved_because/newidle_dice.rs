//! The CPU that went idle left the search to chance.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::IdleWaitFacts;
use crate::causes::rules::not_moved_because::newidle_stop::{NewidleStop, newidle_stop};
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};

/// See the module.
pub const RULE: Rule<IdleWaitFacts> = Rule {
    about: RuleText {
        name: "newidle-dice",
        kernels: Kernels::since(6, 1),
        description: "The CPU went idle while the thread waited, and made no attempt over the domain that joins the two, though nothing \
              else kept it from one: the release throws dice before each attempt (NI_RANDOM), weighed by how many of the \
              last ones pulled a thread (sched_domain.newidle_ratio).",
        functions: "kernel/sched/fair.c: sched_balance_newidle; kernel/sched/features.h: NI_RANDOM (6.1.160, 6.12.65, 7.2)",
        proof: "consistent: the throw itself is not recorded, nor the time that attempts over smaller domains took.",
        refuted_by: "an attempt over the domain; a pending wakeup, an unmarked root domain or too short an idle time.",
        limits: "NI_RANDOM switched off while the recording ran is not seen.",
        repairs: &[Repair::new(
            RepairKind::SchedulerFeature,
            "compare with the scheduler feature NO_NI_RANDOM: write it to debugfs sched/features",
            "kernel/sched/features.h: NI_RANDOM; kernel/sched/fair.c: sched_balance_newidle (6.1.192, 6.12.117)",
        )],
    },
    first_when_young: true,
    conclude,
};

fn conclude(c: &IdleWaitFacts) -> Option<Finding> {
    let stop = newidle_stop(c).filter(|stop| stop.why == NewidleStop::Dice)?;
    Finding::new(NotMovedBecause::NewidleDice, Proof::Consistent, stop.events)
}
