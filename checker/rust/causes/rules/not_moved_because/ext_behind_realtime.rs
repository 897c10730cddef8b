//! A thread of a higher class has the CPU of its local queue.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::IdleWaitFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};
use wastenot_schemas::ext_place;

/// See the module.
pub const RULE: Rule<IdleWaitFacts> = Rule {
    about: RuleText {
        name: "ext-behind-realtime",
        kernels: Kernels::since(6, 12),
        description: "The thread was in the local queue of a CPU on which a real-time or deadline thread ran for most of \
              the time. No other CPU takes from a local queue; a thread that is preempted with time left stays \
              there.",
        functions: "kernel/sched/ext.c: put_prev_task_scx, switch_class (ops.cpu_release), scx_bpf_reenqueue_local \
              (6.12)",
        proof: "proved where both were recorded.",
        refuted_by: "another queue, or a CPU that ran no such thread for half of the time.",
        limits: "a real-time thread that ran since before the recording and was not switched to is not seen.",
        repairs: &[
            Repair::new(
                RepairKind::Program,
                "give the real-time thread CPUs of its own, or less priority: ps -eLo cls,rtprio,psr,comm",
                "sched(7)",
            ),
            Repair::new(
                RepairKind::Report,
                "ask the scheduler to give its threads back when a higher class takes a CPU: ops.cpu_release with \
                 scx_bpf_reenqueue_local (before 7.0), the tracepoint sched_switch after it",
                "kernel/sched/ext.c: scx_bpf_reenqueue_local (6.12)",
            ),
        ],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &IdleWaitFacts) -> Option<Finding> {
    let wait = c.ext_wait.filter(|wait| wait.place.place == ext_place::LOCAL)?;
    let realtime = wait.realtime?;
    Finding::new(NotMovedBecause::ExtBehindRealtime, Proof::Proved, [Some(realtime), Some(wait.place.event)])
}
