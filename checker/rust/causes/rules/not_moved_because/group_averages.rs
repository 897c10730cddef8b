//! The average load of a group hides its idle CPUs.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::AttemptOutcome;
use crate::causes::rules::not_moved_because::IdleWaitFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};

/// See the module.
pub const RULE: Rule<IdleWaitFacts> = Rule {
    about: RuleText {
        name: "group-averages",
        kernels: Kernels::until(5, 4),
        description: "Load-balance attempts over the common domain ran and found balance: the average load of the idle CPU's group was \
              not below that of the group where threads waited, since a heavy thread beside the idle CPU fills the \
              average (group imbalance).",
        functions: "kernel/sched/fair.c: load_balance, sched_balance_rq from 6.10: find_busiest_group, \
              update_sd_lb_stats, calculate_imbalance (4.1); replaced by group types in 5.5",
        proof: "proved where the loads that the attempt saw were recorded (table `cpu_load`, of simulated and imported traces); consistent \
              where they were read as the attempt ended, as wastenot's recorder does, and from reconstructed queue lengths.",
        refuted_by: "an attempt whose loads put the average of the idle CPU's group below that of the other.",
        limits: "loads are those of the attempt, not weighted again; groups are taken from the spans one level below.",
        repairs: &[
            Repair::new(
                RepairKind::KernelRelease,
                "boot 5.5 or later, where load_balance() compares groups by their types instead of their average load",
                "kernel/sched/fair.c: group_type, update_sd_pick_busiest (5.5)",
            ),
            Repair::new(
                RepairKind::Setting,
                "turn autogroups off, so that the one heavy thread of a session does not weigh as much as all threads of another: sysctl kernel.sched_autogroup_enabled=0",
                "sched(7): the autogroup feature; Lozi et al., The Linux Scheduler: a Decade of Wasted Cores, EuroSys 2016, section 3.1",
            ),
            Repair::new(
                RepairKind::Cpuset,
                "give the heavy thread's cgroup a smaller weight (cpu.weight, cpu.shares in v1)",
                "Documentation/admin-guide/cgroup-v2.rst: cpu.weight",
            ),
        ],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &IdleWaitFacts) -> Option<Finding> {
    let attempts = c.found_balance(AttemptOutcome::Averages)?;
    Finding::new(NotMovedBecause::GroupAverages, Proof::if_seen(attempts.seen), [attempts.first, attempts.last])
}
