//! Nothing called the idle CPU.

use crate::causes::ExtWait;
use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::IdleWaitFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};

/// See the module.
pub const RULE: Rule<IdleWaitFacts> = Rule {
    about: RuleText {
        name: "ext-not-kicked",
        kernels: Kernels::since(6, 12),
        description: "The thread was in a dispatch queue from which the idle CPU can take, but that CPU was idle before, \
              and the sched_ext scheduler did not kick it since: an idle CPU looks for work only when something \
              makes it reschedule.",
        functions: "kernel/sched/ext.c: scx_bpf_kick_cpu, balance_one (6.12)",
        proof: "proved where all of what the scheduler decides was recorded: queues, kicks, and CPUs that asked in \
              vain; else consistent.",
        refuted_by: "a kick, or a question of the idle CPU, while the thread was there.",
        limits: "which of the idle CPUs the scheduler would have chosen is not known",
        repairs: &[
            Repair::new(
                RepairKind::Report,
                "report it to the scheduler's authors: where enqueue puts a thread into a shared queue, it kicks an \
                 idle CPU (scx_bpf_pick_idle_cpu, scx_bpf_kick_cpu)",
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
    Finding::new(NotMovedBecause::ExtNotKicked, Proof::if_seen(wait.recorded), [Some(wait.place.event)])
}
