//! The scheduler has it in no dispatch queue.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::IdleWaitFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};
use wastenot_schemas::ext_place;

/// See the module.
pub const RULE: Rule<IdleWaitFacts> = Rule {
    about: RuleText {
        name: "ext-held",
        kernels: Kernels::since(6, 12),
        description: "The sched_ext scheduler kept the thread in a structure of its own (a BPF map, or its program in user \
              space) and had dispatched it to no queue: no CPU can take it, whether it asks or not.",
        functions: "kernel/sched/ext.c: do_enqueue_task (SCX_OPSS_QUEUED), finish_dispatch (6.12)",
        proof: "proved: the kernel asked for a queue and got none.",
        refuted_by: "a dispatch of the thread.",
        limits: "whether the scheduler's program in user space was slow, did not run, or did not want to. That \
              program's own waits are in `wastenot top`.",
        repairs: &[
            Repair::new(
                RepairKind::Check,
                "see whether the scheduler's own program runs: wastenot latency, and its waits in wastenot top",
                "wastenot latency --help",
            ),
            Repair::new(
                RepairKind::Report,
                "report it to the scheduler's authors: the thread waited in its structures beside an idle CPU",
                "Documentation/scheduler/sched-ext.rst",
            ),
            Repair::WITHOUT_SCHED_EXT,
        ],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &IdleWaitFacts) -> Option<Finding> {
    let wait = c.ext_wait.filter(|wait| wait.place.place == ext_place::HELD)?;
    Finding::new(
        NotMovedBecause::ExtHeld,
        Proof::Proved,
        [Some(wait.place.event), wait.searched.map(|(event, _)| event)],
    )
}
