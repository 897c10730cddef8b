//! It is in the local queue of a busy CPU.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::IdleWaitFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};
use wastenot_schemas::ext_place;

/// See the module.
pub const RULE: Rule<IdleWaitFacts> = Rule {
    about: RuleText {
        name: "ext-local-queue",
        kernels: Kernels::since(6, 12),
        description: "A sched_ext scheduler put the thread into the local queue of the CPU on which it waits. Only that \
              CPU takes from there, whichever idles.",
        functions: "kernel/sched/ext.c: dispatch_enqueue, first_local_task (6.12); kernel/sched/ext/ext.c (7.2)",
        proof: "proved: the queue was recorded.",
        refuted_by: "another queue.",
        limits: "which of the scheduler's policies that is: *placed by* says whether select_cpu or enqueue chose the \
              queue. Threads that exit or must not move are put there by the kernel itself, unless the scheduler asks \
              for them (SCX_OPS_ENQ_EXITING, SCX_OPS_ENQ_MIGRATION_DISABLED).",
        repairs: &[
            Repair::new(
                RepairKind::Report,
                "report it to the scheduler's authors: a thread belongs into a shared queue (SCX_DSQ_GLOBAL or one of \
                 its own) unless the CPU of the local queue idles",
                "kernel/sched/ext.c: scx_bpf_dsq_insert (6.13)",
            ),
            Repair::WITHOUT_SCHED_EXT,
        ],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &IdleWaitFacts) -> Option<Finding> {
    let wait = c.ext_wait.filter(|wait| wait.place.place == ext_place::LOCAL)?;
    Finding::new(NotMovedBecause::ExtLocalQueue, Proof::Proved, [Some(wait.place.event)])
}
