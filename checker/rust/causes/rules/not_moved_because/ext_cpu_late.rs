//! The idle CPU was kicked, and did not ask for longer than the thread had waited before.

use crate::causes::ExtWait;
use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::IdleWaitFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};

/// See the module.
pub const RULE: Rule<IdleWaitFacts> = Rule {
    about: RuleText {
        name: "ext-cpu-late",
        kernels: Kernels::since(6, 12),
        description: "The thread was in a dispatch queue, and the sched_ext scheduler kicked the idle CPU since; that \
              CPU did not ask for a thread for longer than the thread had waited before the kick.",
        functions: "kernel/sched/ext.c: scx_bpf_kick_cpu, kick_cpus_irq_workfn (6.12)",
        proof: "proved where all of what the scheduler decides was recorded, and the idle CPU had not asked in vain for threads of the same queue \
              shortly before; else consistent.",
        refuted_by: "a question of the idle CPU after the kick.",
        limits: "the kick itself is sent by an interrupt of the CPU that kicks (kick_cpus_irq_workfn), which may be what was late. From 7.3 a kick may be dropped: while the scheduler is bypassed, and by a scheduler of a cgroup without the right to it.",
        repairs: &[Repair::new(
            RepairKind::Check,
            "see what kept the CPU: deep idle states (cpupower idle-info), a virtual machine's stolen time \
                 (vmstat, column st)",
            "cpupower-idle-info(1)",
        )],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &IdleWaitFacts) -> Option<Finding> {
    let wait = c.ext_wait.filter(ExtWait::is_in_a_queue_for_all)?;
    let kick = wait.kicked.filter(|kick| !kick.is_late)?;
    let proof = Proof::if_seen(wait.recorded && kick.counts && wait.searched_before.is_none());
    Finding::new(NotMovedBecause::ExtCpuLate, proof, [Some(wait.place.event), Some(kick.event)])
}
