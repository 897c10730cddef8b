//! No load-balance attempt was made over the common domain.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::{DomainSource, IdleWaitFacts};
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};

/// See the module.
pub const RULE: Rule<IdleWaitFacts> = Rule {
    about: RuleText {
        name: "periodic-did-not-run",
        kernels: Kernels::ALL,
        description: "Load-balance attempts are recorded, or counted by the kernel, and none over the common domain was made for the idle \
              CPU's group while the thread waited; or fewer than a quarter of those that were due, which moved other threads, met a queue where nothing waited, or refused threads as cache-hot (after some failures the balancer takes those).",
        functions: "kernel/sched/fair.c: rebalance_domains (sched_balance_domains from 6.10), should_we_balance (4.1, \
              6.1, 6.12)",
        proof: "proved where the kernel reported its domains and the wait was longer than two balance intervals; consistent where they are derived or the attempt was not yet \
              due, or where busy CPUs of the group began some and left them to an idle one of it, or where attempts over the domain left threads that waited, the last ones before or most of those so far, or where some moved threads meanwhile, or the domain's groups hide the queue. By counters (table `schedstat`) the same, where they did not change for two balance intervals.",
        refuted_by: "an attempt over the domain in that time that left waiting threads, or a quarter of those that were due.",
        limits: "losses; attempts that end before the function that is traced is entered.",
        repairs: &[
            Repair::new(
                RepairKind::Setting,
                "look at min_interval, max_interval and busy_factor of the domain (debugfs sched/domains); the kernel gives one and two ms per CPU, and 16",
                "kernel/sched/topology.c: sd_init (6.1, 6.12); kernel/sched/debug.c: register_sd (6.1, 6.12); before 5.13 sysctl kernel.sched_domain",
            ),
            Repair::new(
                RepairKind::Check,
                "see whether flags of the domain has SD_SERIALIZE: of these levels one CPU of the machine balances at a time",
                "include/linux/sched/sd_flags.h; kernel/sched/fair.c: sched_balance_domains (6.12)",
            ),
            Repair::new(
                RepairKind::Report,
                "where intervals are as usual, report the trace: an attempt was due and none was made",
                "MAINTAINERS: SCHEDULER",
            ),
        ],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &IdleWaitFacts) -> Option<Finding> {
    let finding = || {
        Finding::new(
            NotMovedBecause::PeriodicDidNotRun,
            Proof::if_seen(
                c.is_old
                    && c.domains == DomainSource::Exact
                    && !c.attempts.few
                    && !c.attempts.left_to_another
                    && !c.balance_was_found(),
            ),
            c.readings,
        )
    };
    let none = c.attempts.over == 0 || c.attempts.few;
    (c.reports_attempts && c.has_common_domain && none && !c.attempts.without_domain).then(finding)?
}
