//! Attempts over the domain are made too rarely.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::{AttemptOutcome, DomainSource, IdleWaitFacts, NextBalance};
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};

/// See the module.
pub const RULE: Rule<IdleWaitFacts> = Rule {
    about: RuleText {
        name: "interval-too-long",
        kernels: Kernels::ALL,
        description: "The common domain has a balance interval of more than four times the longest that a kernel gives by itself (2 ms \
              per CPU of the machine), and meanwhile no CPU made attempts over it more often than that: the thread waited \
              because attempts were rare, not because of what one of them concluded. Or the kernel itself held the idle CPU's attempts not due for most of the wait, by an \
              interval that is longer than it gives a busy CPU by the usual settings (32 ms per CPU of the machine, 64 before 5.10), and none was made over the domain.",
        functions: "kernel/sched/topology.c: sd_init (min_interval, max_interval); kernel/sched/fair.c: get_sd_balance_interval, \
              update_max_interval, rebalance_domains (sched_balance_domains from 6.10), update_next_balance (4.1, 6.1, 6.12)",
        proof: "proved where the kernel reported its domains and attempts are recorded; consistent where no attempts are, or only counted. Of what the kernel \
              held due (column next_balance_ns of `newidle_entry` and `balance_kick`): proved where it is longer than attempts that met pinned threads put off the next (1,024 ms), \
              and attempts are recorded; else consistent.",
        refuted_by: "attempts of one CPU over that domain at the usual pace.",
        limits: "waits shorter than four usual intervals; a busy_factor that is too large, since it slows busy CPUs only; \
              intervals that were changed during the recording; no interval counts beyond 100 ms per CPU, the kernel's cap.",
        repairs: &[
            Repair::new(
                RepairKind::Setting,
                "take a CPU off and on (/sys/devices/system/cpu/cpuN/online): the kernel builds all domains anew, with intervals of \
                 one and two ms per CPU of the domain",
                "kernel/sched/topology.c: sd_init (6.1, 6.12); kernel/cgroup/cpuset.c: cpuset_update_active_cpus",
            ),
            Repair::new(
                RepairKind::Setting,
                "or set min_interval and max_interval of the domain back (debugfs sched/domains, every CPU): the interval that a CPU \
                 has reached stays until it has pulled a thread",
                "kernel/sched/fair.c: load_balance, sched_balance_rq from 6.10: balance_interval (6.1, 6.12); kernel/sched/debug.c: \
                 register_sd; before 5.13 sysctl kernel.sched_domain",
            ),
        ],
    },
    first_when_young: true,
    conclude,
};

fn conclude(c: &IdleWaitFacts) -> Option<Finding> {
    let attempts = c.attempts.of_outcome(AttemptOutcome::Any);
    let seen = c.domains == DomainSource::Exact && c.reports_attempts && !c.counted;
    let finding =
        || Finding::new(NotMovedBecause::IntervalTooLong, Proof::if_seen(seen), [attempts.first, attempts.last]);
    if c.interval_is_long {
        return finding();
    }
    let none = c.attempts.over == 0 && !c.attempts.earlier && !c.attempts.without_domain;
    let is_far_off = matches!(c.next_balance, NextBalance::FarOff | NextBalance::BeyondAll);
    let finding = || {
        let is_beyond_all = c.next_balance == NextBalance::BeyondAll;
        let seen = is_beyond_all && c.reports_attempts && !c.counted && !c.attempts.left_to_another;
        Finding::new(NotMovedBecause::IntervalTooLong, Proof::if_seen(seen), [c.next_balance_read])
    };
    (is_far_off && c.has_common_domain && c.is_old && none).then(finding)?
}
