//! The stopper ran and pushed no thread.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::AttemptOutcome;
use crate::causes::rules::not_moved_because::IdleWaitFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};

/// See the module.
pub const RULE: Rule<IdleWaitFacts> = Rule {
    about: RuleText {
        name: "active-balance-failed",
        kernels: Kernels::ALL,
        description: "The balancer asked the stopper of the busy CPU to push its thread (migration/N ran there, and was not \
              woken by that CPU itself), and no thread left.",
        functions: "kernel/sched/fair.c: active_load_balance_cpu_stop, need_active_balance (4.1, 6.1, 6.12)",
        proof: "consistent: that the stopper ran for this is inferred, from attempts that found the queue and took no thread, or \
              from what the idle CPU's domain counted (alb_failed, table `schedstat`).",
        refuted_by: "a thread moved by the stopper.",
        limits: "the stopper runs for other reasons (affinity, hotplug); where wakings are not recorded, that its own CPU woke it (the watchdog \
                 of soft lockups does so) is not seen.",
        repairs: &[
            Repair::new(
                RepairKind::Check,
                "see which masks or core-scheduling cookies hold the running thread there",
                "kernel/sched/core.c: set_cpus_allowed_common; kernel/sched/core_sched.c",
            ),
            Repair::new(
                RepairKind::Check,
                "alb_failed and alb_pushed of the domain in /proc/schedstat count how often it goes wrong",
                "Documentation/scheduler/sched-stats.rst",
            ),
            Repair::new(
                RepairKind::Report,
                "where no mask holds the thread, report the trace with the kernel's release to its maintainers",
                "MAINTAINERS: SCHEDULER",
            ),
        ],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &IdleWaitFacts) -> Option<Finding> {
    let at = c.stopped?;
    let last = match c.found_balance(AttemptOutcome::Refused) {
        Some(attempts) => attempts.last,
        None => c.readings[1].filter(|_| c.push_failed)?.into(),
    };
    Finding::new(NotMovedBecause::ActiveBalanceFailed, Proof::Consistent, [Some(at), last])
}
