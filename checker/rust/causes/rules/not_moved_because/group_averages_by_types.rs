//! The average load of a group explains the attempt, though the release compares groups by their types.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::AttemptOutcome;
use crate::causes::rules::not_moved_because::IdleWaitFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};

/// See the module.
pub const RULE: Rule<IdleWaitFacts> = Rule {
    about: RuleText {
        name: "group-averages-by-types",
        kernels: Kernels::since(5, 5),
        description: "Load-balance attempts over the common domain ran and found balance, and the average load of the idle CPU's group, read as \
              the attempts ended, was not below that of the other, which has more threads than CPUs. These releases compare groups by types, \
              and averages only where both are overloaded or busy: where what the CPUs were used for is recorded as well, and says that the \
              idle CPU's group has spare capacity, no rule of the release explains the attempt, and one that compares averages as releases \
              before 5.5 do would.",
        functions: "kernel/sched/fair.c: load_balance, sched_balance_rq from 6.10: find_busiest_group, update_sd_pick_busiest (6.1, 6.12)",
        proof: "consistent: what such a kernel compares is not known.",
        refuted_by: "the same attempts where the heavy thread is gone.",
        limits: "only where loads were recorded (table `cpu_load`). Where what the CPUs were used for is not (recordings of earlier versions), \
              a group with more threads than CPUs is taken for overloaded.",
        repairs: &[
            Repair::new(
                RepairKind::Check,
                "see whether the kernel is the release that it says it is, without changes to find_busiest_group",
                "kernel/sched/fair.c: find_busiest_group (6.1, 6.12)",
            ),
            Repair::new(
                RepairKind::Cpuset,
                "give the heavy thread's cgroup a smaller weight (cpu.weight, cpu.shares in v1), or the thread a higher nice value, and compare",
                "Documentation/admin-guide/cgroup-v2.rst: cpu.weight",
            ),
            Repair::new(
                RepairKind::Report,
                "report the trace: an idle CPU's group took nothing from an overloaded one",
                "MAINTAINERS: SCHEDULER",
            ),
        ],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &IdleWaitFacts) -> Option<Finding> {
    let attempts = c.found_balance(AttemptOutcome::Averages)?;
    Finding::new(NotMovedBecause::GroupAverages, Proof::Consistent, [attempts.first, attempts.last])
}
