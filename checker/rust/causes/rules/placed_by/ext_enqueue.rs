//! enqueue put it into a local queue.

use crate::causes::answers::{PlacedBy, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::placed_by::PlacementFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};
use wastenot_schemas::ext_step;

/// See the module.
pub const RULE: Rule<PlacementFacts> = Rule {
    about: RuleText {
        name: "ext-enqueue",
        kernels: Kernels::since(6, 12),
        description: "The enqueue of a sched_ext scheduler put the thread into the local queue of the CPU on which it \
              waits: by a wakeup, or after its slice.",
        functions: "kernel/sched/ext.c: do_enqueue_task, direct_dispatch (6.12)",
        proof: "proved: the step was recorded.",
        refuted_by: "a queue that select_cpu or dispatch chose.",
        limits: "whether enqueue saw that the CPU was busy.",
        repairs: &[
            Repair::new(
                RepairKind::Report,
                "report it to the scheduler's authors: enqueue takes a local queue (SCX_DSQ_LOCAL, SCX_DSQ_LOCAL_ON) \
                 though its CPU is busy",
                "Documentation/scheduler/sched-ext.rst",
            ),
            Repair::WITHOUT_SCHED_EXT,
        ],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &PlacementFacts) -> Option<Finding> {
    let place = c.ext_place.filter(|place| place.step == ext_step::ENQUEUE)?;
    Finding::new(PlacedBy::ExtEnqueue, Proof::Proved, [Some(c.arrival.event), Some(place.event)])
}
