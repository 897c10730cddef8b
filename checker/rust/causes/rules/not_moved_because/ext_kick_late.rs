//! The idle CPU was kicked, but only after most of the wait.

use crate::causes::ExtWait;
use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::IdleWaitFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};

/// See the module.
pub const RULE: Rule<IdleWaitFacts> = Rule {
    about: RuleText {
        name: "ext-kick-late",
        kernels: Kernels::since(6, 12),
        description: "The thread was in a dispatch queue, and the sched_ext scheduler kicked the idle CPU only after \
              the thread had waited for longer than it waited afterwards.",
        functions: "kernel/sched/ext.c: scx_bpf_kick_cpu, kick_cpus_irq_workfn (6.12)",
        proof: "proved where all of what the scheduler decides was recorded, and the idle CPU had not asked in vain for threads of the same queue \
              shortly before; else consistent.",
        refuted_by: "an earlier kick while the thread was there.",
        limits: "which of the idle CPUs the scheduler would have chosen is not known. From 7.3 a kick may be dropped: while the scheduler is bypassed, and by a scheduler of a cgroup without the right to it.",
        repairs: &[
            Repair::new(
                RepairKind::Report,
                "report it to the scheduler's authors: the kick belongs where enqueue puts a thread into a shared queue \
                 (scx_bpf_pick_idle_cpu, scx_bpf_kick_cpu), not where a timer or a program in user space comes to it",
                "Documentation/scheduler/sched-ext.rst",
            ),
            Repair::WITHOUT_SCHED_EXT,
        ],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &IdleWaitFacts) -> Option<Finding> {
    let wait = c.ext_wait.filter(ExtWait::is_in_a_queue_for_all)?;
    let kick = wait.kicked.filter(|kick| kick.is_late)?;
    let proof = Proof::if_seen(wait.recorded && kick.counts && wait.searched_before.is_none());
    Finding::new(NotMovedBecause::ExtKickLate, proof, [Some(wait.place.event), Some(kick.event)])
}
