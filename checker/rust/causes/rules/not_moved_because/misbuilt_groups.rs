//! The groups of the domain hide the imbalance.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::{AttemptOutcome, IdleWaitFacts};
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};

/// See the module.
pub const RULE: Rule<IdleWaitFacts> = Rule {
    about: RuleText {
        name: "misbuilt-groups",
        kernels: Kernels::until(4, 12),
        description: "The lowest domain that joins the two CPUs is one between nodes that are not all at one distance, so that its \
              groups overlap. Built as these releases build them, from the domain's first CPU on rather than from each CPU's \
              own node, its groups put both CPUs into the one for which the idle CPU balances: it never looks into its own \
              group, and nothing moved between the two sides in the whole time.",
        functions: "kernel/sched/core.c, from 4.11 kernel/sched/topology.c: build_overlap_sched_groups (4.1); since 4.13 it \
              starts with the CPU's own node (for_each_cpu_wrap)",
        proof: "proved where the groups are recorded (table `domain_group`) and each that has the busy CPU has the idle one, or an attempt over \
              that domain with the loads it saw (table `cpu_load`, group by group, its own first) for a CPU whose groups are those of \
              the idle CPU counted both to its own, and an attempt was made or due while the thread waited; else consistent: the groups are worked out from the \
              recorded spans and distances by the release's own rule.",
        refuted_by: "a runnable thread that a balancer moved between the two sides; a recorded group that has the busy CPU and not the idle one; an attempt for a CPU whose groups are those of \
              the idle CPU that counted the other one to another group; an idle CPU in that group that has a domain below which \
              joins it to both.",
        limits: "releases to which a distribution has brought the repair; machines with several caches per node, where moves \
              between other caches of the two nodes are not counted as a refutation.",
        repairs: &[
            Repair::new(
                RepairKind::KernelRelease,
                "boot 4.13 or later, which begin the groups with the CPU's own node",
                "kernel/sched/topology.c: build_overlap_sched_groups (4.13)",
            ),
            Repair::new(
                RepairKind::Program,
                "until then bind applications to nodes one hop apart (numactl --cpunodebind; `numactl --hardware` shows the distances)",
                "Lozi et al., The Linux Scheduler: a Decade of Wasted Cores, EuroSys 2016, section 3.2",
            ),
        ],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &IdleWaitFacts) -> Option<Finding> {
    let (attempts, groups) = (c.attempts.of_outcome(AttemptOutcome::Any), c.own_groups);
    if !c.hidden_by_groups.unwrap_or(c.grouped_together) || c.crossed || groups.seen_apart {
        return None;
    }
    let due = c.is_old || (attempts.count > 0 && !c.attempts.earlier);
    let proof = Proof::if_seen(due && (c.hidden_by_groups == Some(true) || groups.seen.is_some()));
    let events = [groups.seen.or(groups.of_some), attempts.first, attempts.last];
    let finding = || Finding::new(NotMovedBecause::MisbuiltGroups, proof, events);
    (due || attempts.count > 0 || groups.of_some.is_some()).then(finding)?
}
