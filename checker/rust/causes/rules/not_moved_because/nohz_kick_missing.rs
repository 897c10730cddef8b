//! No idle CPU was woken to balance.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::IdleWaitFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};

/// See the module.
pub const RULE: Rule<IdleWaitFacts> = Rule {
    about: RuleText {
        name: "nohz-kick-missing",
        kernels: Kernels::ALL,
        description: "For longer than two balance intervals of the common domain no idle CPU made an attempt at all, while a \
              CPU with waiting threads ticked: none was kicked.",
        functions: "kernel/sched/fair.c: nohz_balancer_kick, kick_ilb, nohz_idle_balance (4.1, 6.1, 6.12); \
              kernel/smp.c: __smp_call_single_queue (6.12)",
        proof: "proved where kicks are recorded (table `balance_kick`) and there was none in that time, unless most attempts over the domain so far left threads that \
              waited, or its groups hide the queue; else consistent: attempts \
              are recorded (or counted, table `schedstat`) and there was none, but a kick that came to nothing is not seen.",
        refuted_by: "an attempt by any idle CPU in that time, a kick sent to one, or the balancer's softirq on one.",
        limits: "losses; kicks before 6.5; in other tools' traces softirqs of less than 20 us; a busy CPU whose tick is stopped (nohz_full).",
        repairs: &[
            Repair::new(
                RepairKind::KernelRelease,
                "boot 6.1.120 or later: before that an idle CPU that was kicked could take the kick itself for work, and not \
                 balance",
                "ChangeLog-6.1.120: Check idle_cpu() before need_resched() to detect ilb CPU turning busy",
            ).before((6, 1), 120),
            Repair::new(
                RepairKind::KernelRelease,
                "boot 6.12.5 or later: before that an idle CPU that was kicked could take the kick itself for work, and not \
                 balance",
                "ChangeLog-6.12.5: Check idle_cpu() before need_resched() to detect ilb CPU turning busy",
            ).before((6, 12), 5),
            Repair::new(
                RepairKind::Check,
                "see whether SCHED grows on idle CPUs in /proc/softirqs, and whether the busy CPU ticks (LOC in \
                 /proc/interrupts)",
                "kernel/sched/fair.c: nohz_balancer_kick, kick_ilb (6.1, 6.12)",
            ),
            Repair::new(
                RepairKind::BootParameter,
                "compare without nohz_full= for the busy CPU, or with nohz=off, with which each CPU balances for itself",
                "Documentation/admin-guide/kernel-parameters.txt: nohz, nohz_full",
            ),
        ],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &IdleWaitFacts) -> Option<Finding> {
    let finding = || {
        Finding::new(
            NotMovedBecause::NohzKickMissing,
            Proof::if_seen(c.reports_kicks && !c.balance_was_found()),
            c.readings,
        )
    };
    let none = c.attempts.over == 0 && !c.attempts.without_domain && !c.attempts.by_idle;
    (c.reports_attempts && c.is_old && none && !c.kicked).then(finding)?
}
