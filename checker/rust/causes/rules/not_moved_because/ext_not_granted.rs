//! The scheduler of the thread's cgroup has no leave to use the idle CPU.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::IdleWaitFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};

/// See the module.
pub const RULE: Rule<IdleWaitFacts> = Rule {
    about: RuleText {
        name: "ext-not-granted",
        kernels: Kernels::since(7, 3),
        description: "The thread belongs to the sched_ext scheduler of a cgroup, and the scheduler above has not granted that \
              one the idle CPU: the kernel refuses what it would put there, and does not ask it for a thread for that CPU.",
        functions: "kernel/sched/ext/sub.c: scx_bpf_sub_grant, scx_bpf_sub_revoke, scx_process_sync_ecaps, \
              scx_bpf_sub_dispatch (7.3)",
        proof: "proved where what the scheduler may do with the CPU was read before the wait, and no later reading meanwhile says \
              otherwise: it is read whenever the CPU finds no thread, and takes effect only where the CPU looks for one.",
        refuted_by: "a reading that says that the scheduler may use the CPU.",
        limits: "whether the division is meant: a cgroup may be kept to some CPUs as by a cpuset. What counts is what is in effect on the \
              CPU: one that was granted and has not looked for a thread since is not granted yet. Not proved while another cgroup's \
              scheduler is bypassed, which may be one above.",
        repairs: &[
            Repair::new(
                RepairKind::Check,
                "see whether the division is meant: which CPUs the scheduler above grants the cgroup (weights, or what it reads)",
                "Documentation/scheduler/sched-ext.rst",
            ),
            Repair::new(
                RepairKind::Report,
                "report it to the authors of the scheduler above: a CPU of its own idles beside threads of a cgroup that wait",
                "kernel/sched/ext/sub.c: scx_bpf_sub_grant (7.3)",
            ),
        ],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &IdleWaitFacts) -> Option<Finding> {
    let wait = c.ext_wait?;
    let (event, certain) = wait.not_granted?;
    Finding::new(NotMovedBecause::ExtNotGranted, Proof::if_seen(certain), [Some(wait.place.event), Some(event)])
}
