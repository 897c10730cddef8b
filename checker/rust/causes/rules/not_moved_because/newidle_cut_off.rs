//! The CPU that went idle did not look for work there.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::{DomainSource, IdleWaitFacts};
use crate::causes::rules::{Finding, Rule, RuleText};

/// See the module.
pub const RULE: Rule<IdleWaitFacts> = Rule {
    about: RuleText {
        name: "newidle-cut-off",
        kernels: Kernels::ALL,
        description: "The CPU went idle while the thread waited, and did not look for work in the domain that joins the \
              two: it expected to be idle too briefly (avg_idle below the cost of an attempt), or the root domain did \
              not count as overloaded.",
        functions: "kernel/sched/fair.c: newidle_balance (idle_balance before 5.3, sched_balance_newidle from 6.10): \
              avg_idle, max_newidle_lb_cost, rd->overload(ed) (4.1, 6.1, 6.12)",
        proof: "proved: attempts of CPUs about to idle are recorded, and this one made none over that domain; or the CPU \
              counted none (table `schedstat`) over that domain, or a wider one, between the readings around. Consistent \
              where it made some and the domains are derived from the topology.",
        refuted_by: "an attempt over that domain between the last switch to a thread and the switch to idle.",
        limits: "an attempt that another wakeup interrupted. Silent where no domain joins the two CPUs: then it had nowhere to look.",
        advice: "lower sched_migration_cost_ns, or look at max_newidle_lb_cost of the domain (debugfs sched/domains): \
              one slow attempt is remembered for long.",
    },
    first_when_young: true,
    conclude,
};

fn conclude(c: &IdleWaitFacts) -> Option<Finding> {
    if let Some(events) = c.no_newidle_counted {
        let proof = Proof::if_seen(c.domains == DomainSource::Exact);
        return Finding::new(NotMovedBecause::NewidleCutOff, proof, events.map(Some));
    }
    let entry = c.entry.filter(|_| c.newidle_matters())?;
    let level = c.level;
    let reached = entry.newidle.and_then(|n| n.level).is_some_and(|l| level.is_none_or(|level| l >= level));
    // That it looked nowhere needs no domain; that it did not look far enough does.
    let seen = c.domains == DomainSource::Exact || entry.newidle.and_then(|n| n.level).is_none();
    let events = [Some(entry.event), entry.newidle.map(|n| n.event)];
    let finding = || Finding::new(NotMovedBecause::NewidleCutOff, Proof::if_seen(seen), events);
    (!reached).then(finding)?
}
