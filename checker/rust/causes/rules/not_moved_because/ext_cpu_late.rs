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
        proof: "proved where all of what the scheduler decides was recorded; else consistent.",
        refuted_by: "a question of the idle CPU after the kick.",
        limits: "which of the idle CPUs the scheduler would have chosen is not known",
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
    let kick = wait.kicked.filter(|kick| !kick.came_late)?;
    Finding::new(
        NotMovedBecause::ExtKickLate,
        Proof::if_seen(wait.recorded),
        [Some(wait.place.event), Some(kick.event)],
    )
}
