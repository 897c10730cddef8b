//! The CPU that went idle did not look for work there.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::newidle_stop::{COST_RAISED_IN_6_1, COST_RAISED_IN_6_12};
use crate::causes::rules::not_moved_because::{DomainSource, IdleWaitFacts};
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};

/// See the module.
pub const RULE: Rule<IdleWaitFacts> = Rule {
    about: RuleText {
        name: "newidle-cut-off",
        kernels: Kernels::ALL,
        description: "The CPU went idle while the thread waited, and did not look for work in the domain that joins the \
              two: it expected to be idle too briefly (avg_idle below the cost of an attempt), the root domain did \
              not count as overloaded, or it lost the dice that some releases throw (NI_RANDOM). Which of these is not \
              recorded: where it is (table `newidle_entry`), a rule of its own names it.",
        functions: "kernel/sched/fair.c: newidle_balance (idle_balance before 5.3, sched_balance_newidle from 6.10): \
              avg_idle, max_newidle_lb_cost, rd->overload(ed) (4.1, 6.1, 6.12)",
        proof: "proved: attempts of CPUs about to idle are recorded, and this one made none over that domain; or the CPU \
              counted none (table `schedstat`) over that domain, or a wider one, between the readings around. Consistent \
              where the domains are derived from the topology or not known, and where attempts over the domain left \
              threads that waited (meanwhile, shortly before, or most of those so far) or its groups hide the queue.",
        refuted_by: "an attempt over that domain between the last switch to a thread and the switch to idle.",
        limits: "an attempt that another wakeup interrupted. Silent where no domain joins the two CPUs: then it had nowhere to look.",
        repairs: &[
            COST_RAISED_IN_6_1,
            COST_RAISED_IN_6_12,
            Repair::new(
                RepairKind::SchedulerFeature,
                "where the release throws dice before it looks (6.1.160, 6.12.65 and later), compare with the scheduler \
                 feature NO_NI_RANDOM: write it to debugfs sched/features",
                "kernel/sched/features.h: NI_RANDOM; kernel/sched/fair.c: sched_balance_newidle (6.1.192, 6.12.117)",
            ).on(Kernels::since(6, 1)),
            Repair::new(
                RepairKind::Setting,
                "write 0 to max_newidle_lb_cost of the domain (debugfs sched/domains): one slow attempt is remembered for \
                 long, and falls by about 1 % a second only",
                "kernel/sched/fair.c: update_newidle_cost (6.1, 6.12); kernel/sched/debug.c: register_sd (6.1, 6.12); before \
                 5.13 sysctl kernel.sched_domain",
            ),
            Repair::new(
                RepairKind::Setting,
                "lower the migration cost (sysctl kernel.sched_migration_cost_ns, from 5.13 on debugfs \
                 sched/migration_cost_ns): a CPU that expects to idle for less does not look",
                "kernel/sched/fair.c: idle_balance (4.1)",
            ).on(Kernels::until(5, 15)),
        ],
    },
    first_when_young: true,
    conclude,
};

fn conclude(c: &IdleWaitFacts) -> Option<Finding> {
    if let Some(events) = c.no_newidle_counted {
        let proof = Proof::if_seen(c.domains == DomainSource::Exact && !c.balance_was_found());
        return Finding::new(NotMovedBecause::NewidleCutOff, proof, events.map(Some));
    }
    let entry = c.entry.filter(|_| c.newidle_matters())?;
    let level = c.level;
    let reached = entry.newidle.and_then(|n| n.level).is_some_and(|l| level.is_none_or(|level| l >= level));
    // A CPU without domains looks nowhere either.
    let seen = c.domains == DomainSource::Exact;
    let events = [Some(entry.event), entry.newidle.map(|n| n.event)];
    let finding =
        || Finding::new(NotMovedBecause::NewidleCutOff, Proof::if_seen(seen && !c.balance_was_found()), events);
    (!reached).then(finding)?
}
