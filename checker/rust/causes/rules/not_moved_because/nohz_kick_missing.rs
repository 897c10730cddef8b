//! No idle CPU was woken to balance.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::{IdleWaitFacts, NextBalance};
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};

/// See the module.
pub const RULE: Rule<IdleWaitFacts> = Rule {
    about: RuleText {
        name: "nohz-kick-missing",
        kernels: Kernels::ALL,
        description: "For longer than two balance intervals of the common domain no attempt was made for the idle CPU beside a CPU with \
              waiting threads, and no idle CPU was kicked to balance.",
        functions: "kernel/sched/fair.c: nohz_balancer_kick, kick_ilb, nohz_idle_balance (4.1, 6.1, 6.12); \
              kernel/smp.c: __smp_call_single_queue (6.12)",
        proof: "proved where kicks are recorded (table `balance_kick`), none was lost, and the kernel held attempts of the idle CPU due for most of the wait (column next_balance_ns of \
              `newidle_entry` and `balance_kick`; traces of simulations do without), in waits of more than 100 ms, since a tick may be late, unless most attempts over the domain so far left threads that waited, or its groups hide \
              the queue. Else consistent: attempts are recorded (or counted, table `schedstat`) and there was none, but a kick that came to nothing is not seen.",
        refuted_by: "an attempt for the idle CPU in that time, a kick to balance sent to any, or the balancer's softirq on the idle CPU; without recorded kicks an attempt by any idle CPU, or the softirq \
              on any; attempts that the kernel held not due for most of the wait.",
        limits: "losses; kicks of kernels before 5.8; in other tools' traces softirqs of less than 20 us; a busy CPU that does not tick (nohz_full, a virtual one that its host does not run), and an idle one of \
              nohz_full, which is not kicked.",
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
    let is_due = matches!(c.next_balance, NextBalance::NotRecorded | NextBalance::Due);
    let finding = || {
        Finding::new(
            NotMovedBecause::NohzKickMissing,
            Proof::if_seen(c.reports_kicks && is_due && c.pair_lasted_long && !c.balance_was_found()),
            c.readings,
        )
    };
    let by_idle = if c.reports_kicks && !c.counted { c.attempted_for_idle } else { c.attempts.by_idle };
    let is_later = matches!(c.next_balance, NextBalance::Later | NextBalance::FarOff | NextBalance::BeyondAll);
    let none = c.attempts.over == 0 && !c.attempts.without_domain && !by_idle && !is_later;
    (c.reports_attempts && c.is_old && none && !c.kicked).then(finding)?
}
