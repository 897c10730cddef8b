//! The idle CPU asked, and dispatch gave no thread.

use crate::causes::ExtWait;
use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::IdleWaitFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};

/// See the module.
pub const RULE: Rule<IdleWaitFacts> = Rule {
    about: RuleText {
        name: "ext-not-dispatched",
        kernels: Kernels::since(6, 12),
        description: "The thread was in a dispatch queue, and the idle CPU asked the sched_ext scheduler for a thread \
              since, or shortly before while others waited in the same queue: its dispatch moved none to that CPU. It does \
              not look into that queue for this CPU, or not at all.",
        functions: "kernel/sched/ext.c: balance_one, consume_dispatch_q (6.12); kernel/sched/ext/ext.c: \
              do_pick_task_scx, scx_dispatch_sched (7.2)",
        proof: "proved where the CPU asked while the thread was certainly in the queue: the CPU that took it later did something else \
                between, or more threads waited there than there are other CPUs. Else consistent: a CPU may have taken it already and \
                wait for the lock of the CPU where it was; and where the idle CPU had asked before.",
        refuted_by: "that the CPU has not asked since the thread was there, and no thread of the queue was left when it did.",
        limits: "which queue its dispatch looked into is not recorded. A CPU of another cgroup's scheduler (7.1) may \
              not be meant to take the thread.",
        repairs: &[
            Repair::new(
                RepairKind::Report,
                "report it to the scheduler's authors: ops.dispatch of the idle CPU left a thread in a queue that it \
                 may run",
                "kernel/sched/ext.c: scx_bpf_dsq_move_to_local (6.13)",
            ),
            Repair::WITHOUT_SCHED_EXT,
        ],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &IdleWaitFacts) -> Option<Finding> {
    let wait = c.ext_wait.filter(ExtWait::is_in_a_queue_for_all)?;
    let (searched, proof) = match (wait.searched, wait.searched_before) {
        (Some((searched, certainly_there)), _) => (searched, Proof::if_seen(certainly_there)),
        (None, Some(before)) if wait.kicked.is_none() => (before, Proof::Consistent),
        _ => return None,
    };
    Finding::new(NotMovedBecause::ExtNotDispatched, proof, [Some(wait.place.event), Some(searched)])
}
