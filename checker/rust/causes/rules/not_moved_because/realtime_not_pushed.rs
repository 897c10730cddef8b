//! A real-time thread waited behind another one, and was neither pushed nor pulled to the idle CPU.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::realtime_runs::MostlyRan;
use crate::causes::rules::not_moved_because::IdleWaitFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};

/// See the module.
pub const RULE: Rule<IdleWaitFacts> = Rule {
    about: RuleText {
        name: "realtime-not-pushed",
        kernels: Kernels::ALL,
        description: "The waiting thread is of the real-time or deadline class, and its CPU ran another of these classes \
              for most of the time: the CPU did not push it to the idle one, nor did that pull it. The load balancer \
              leaves such threads alone.",
        functions: "kernel/sched/rt.c: push_rt_task, pull_rt_task; kernel/sched/deadline.c: push_dl_task, pull_dl_task \
              (6.1, 6.12)",
        proof: "consistent: whether a CPU tried to push or pull it is not recorded.",
        refuted_by: "a thread of another class on that CPU for most of the time.",
        limits: "CPUs of different root domains do not push or pull: isolated ones, and those of cpuset partitions. A thread that is \
                 throttled is on no queue, and priorities within the classes are not compared: the CPU may have been late to preempt.",
        repairs: &[
            Repair::new(
                RepairKind::Check,
                "whether both CPUs are in one root domain: cpuset.cpus.partition, isolcpus=",
                "Documentation/admin-guide/cgroup-v2.rst: cpuset.cpus.partition",
            ),
            Repair::new(
                RepairKind::SchedulerFeature,
                "compare with NO_RT_PUSH_IPI: write it to debugfs sched/features",
                "kernel/sched/features.h: RT_PUSH_IPI (6.1, 6.12)",
            ),
            Repair::new(RepairKind::Program, "give the threads CPUs of their own", "sched_setaffinity(2)"),
        ],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &IdleWaitFacts) -> Option<Finding> {
    let Some(MostlyRan::Realtime(event)) = c.realtime else { return None };
    Finding::new(NotMovedBecause::RealtimeNotPushed, Proof::Consistent, [Some(event)])
}
