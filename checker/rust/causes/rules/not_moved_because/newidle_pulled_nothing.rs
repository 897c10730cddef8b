//! The CPU that went idle looked and took no thread.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::{DomainSource, IdleWaitFacts};
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};

/// See the module.
pub const RULE: Rule<IdleWaitFacts> = Rule {
    about: RuleText {
        name: "newidle-pulled-nothing",
        kernels: Kernels::ALL,
        description: "The CPU went idle while the thread waited, made an attempt over the domain that joins the two, and took \
              no thread.",
        functions: "kernel/sched/fair.c: newidle_balance (idle_balance before 5.3, sched_balance_newidle from 6.10), and \
              the attempt it calls (4.1, 6.1, 6.12)",
        proof: "proved: the attempts and what they returned were recorded; consistent where the domains are derived from the \
              topology, changed meanwhile or are not known, and where attempts over the common one left threads that waited \
              (meanwhile, shortly before, or most of those so far) or its groups hide the queue: then this is not the reason.",
        refuted_by: "a thread that it took.",
        limits: "why it took no thread is the same question as for periodic attempts; see the other answers of the row.",
        repairs: &[Repair::new(
            RepairKind::Check,
            "see the alternatives of this row: allowed imbalance, averages, pinned or cache-hot threads",
            "docs/semantics.md: causes",
        )],
    },
    first_when_young: true,
    conclude,
};

fn conclude(c: &IdleWaitFacts) -> Option<Finding> {
    let entry = c.entry.filter(|_| c.newidle_matters())?;
    let newidle = entry.newidle.filter(|newidle| !newidle.pulled)?;
    let reached = newidle.level.is_some_and(|l| c.level.is_none_or(|level| l >= level));
    let finding = || {
        let proof = Proof::if_seen(c.domains == DomainSource::Exact && !c.balance_was_found());
        Finding::new(NotMovedBecause::NewidlePulledNothing, proof, [Some(newidle.event), Some(entry.event)])
    };
    reached.then(finding)?
}
