//! An idle CPU was kicked to balance, and for long none balanced.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::IdleWaitFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};

/// See the module.
pub const RULE: Rule<IdleWaitFacts> = Rule {
    about: RuleText {
        name: "nohz-kick-late",
        kernels: Kernels::since(5, 8),
        description: "A busy CPU kicked an idle one to balance while the thread waited, and for more than half of that time \
              the balancer's softirq ran on no idle CPU; no attempt over the common domain was made.",
        functions: "kernel/sched/fair.c: kick_ilb, nohz_idle_balance; kernel/sched/core.c: nohz_csd_func; kernel/smp.c: \
              __smp_call_single_queue (6.12)",
        proof: "consistent: a kick may be lost, and recordings of before schema 10 do not have whether it asks only that the loads of idle CPUs be updated (NOHZ_STATS_KICK).",
        refuted_by: "the balancer's softirq on an idle CPU soon after the kick, or an attempt over the domain.",
        limits: "losses. A CPU that turned busy before the kick arrived does not balance for others: the kick is lost then.",
        repairs: &[
            Repair::new(
                RepairKind::Check,
                "see what kept the kicked CPU: deep idle states (cpupower idle-info), long sections without interrupts \
                 (tracefs irqsoff), a virtual machine's stolen time (vmstat, column st)",
                "cpupower-idle-info(1); Documentation/trace/ftrace.rst: irqsoff",
            ),
            Repair::new(
                RepairKind::BootParameter,
                "compare with shallow idle states alone (processor.max_cstate=1, or cpuidle.off=1)",
                "Documentation/admin-guide/kernel-parameters.txt: processor.max_cstate, cpuidle.off",
            ),
        ],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &IdleWaitFacts) -> Option<Finding> {
    let kick = c.late_kick?;
    let none = c.attempts.over == 0 && !c.attempts.without_domain && !c.attempts.by_idle;
    let finding = || Finding::new(NotMovedBecause::NohzKickLate, Proof::Consistent, [Some(kick)]);
    (c.reports_attempts && c.has_common_domain && c.is_old && none).then(finding)?
}
