//! A sched_ext scheduler placed it.

use crate::causes::MigrationPath;
use crate::causes::answers::{PlacedBy, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::placed_by::PlacementFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};
use crate::causes::wait_origin::SchedClass;

/// See the module.
pub const RULE: Rule<PlacementFacts> = Rule {
    about: RuleText {
        name: "sched-ext",
        kernels: Kernels::since(6, 12),
        description: "The thread is run by a sched_ext scheduler: that scheduler placed it, and the rules of the fair \
              class do not apply.",
        functions: "kernel/sched/ext.c: select_task_rq_scx, dispatch_to_local_dsq (6.12)",
        proof: "proved where its policy was recorded, or a stack of the move names a function of sched_ext; never \
              from other events.",
        refuted_by: "a policy other than ext at the time of the placement.",
        limits: "a scheduler in partial mode; threads that changed policy during the trace.",
        repairs: &[
            Repair::new(
                RepairKind::Check,
                "see which scheduler is loaded: /sys/kernel/sched_ext/state and root/ops, and its own counters",
                "Documentation/scheduler/sched-ext.rst",
            ),
            Repair::WITHOUT_SCHED_EXT,
        ],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &PlacementFacts) -> Option<Finding> {
    let by_stack = c.arrival.moved.filter(|(_, path, _)| *path == MigrationPath::SchedExt);
    let finding = || Finding::new(PlacedBy::SchedExt, Proof::Proved, [by_stack.map(|m| m.0), Some(c.arrival.event)]);
    (matches!(c.class, SchedClass::Ext(_)) || by_stack.is_some()).then(finding)?
}
