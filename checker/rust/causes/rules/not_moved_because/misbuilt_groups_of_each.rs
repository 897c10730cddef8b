//! Each group that has the busy CPU has the idle one, or a CPU balances for the idle one that by the release's rule balances for another.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::{AttemptOutcome, IdleWaitFacts};
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};

/// See the module.
pub const RULE: Rule<IdleWaitFacts> = Rule {
    about: RuleText {
        name: "misbuilt-groups-of-each",
        kernels: Kernels::since(4, 13),
        description: "The lowest domain that joins the two CPUs is one between nodes that are not all at one distance, so that its \
              groups overlap. Each group that has the busy CPU has the idle one too, though these releases begin the groups with the idle \
              CPU's own node: an attempt takes threads only out of groups without the CPU that it is for. Or the groups are not recorded, and show in who \
              balances: of the CPUs that see the same nodes as the idle one the first balances for their group, if it idles. It \
              did idle, left each attempt to another CPU, and one that sees other nodes made attempts: the groups are not \
              those that these releases build.",
        functions: "kernel/sched/topology.c: build_overlap_sched_groups, build_balance_mask; kernel/sched/fair.c: \
              should_we_balance (4.13, 6.1, 6.12), update_sd_lb_stats (6.1, 6.12)",
        proof: "proved where the groups are recorded (table `domain_group`), and an attempt was made or due while the thread waited; else consistent.",
        refuted_by: "a runnable thread that a balancer moved between the two sides; without the groups an attempt over the domain by a CPU \
              that sees the same nodes as the idle one.",
        limits: "by who balances only where it is recorded which attempts searched (table `balance_search`), and not where the first CPU has hardware threads \
              beside it, of which a whole core that idles comes first.",
        repairs: &[
            Repair::new(
                RepairKind::Report,
                "report the trace with the machine's distances (`numactl --hardware`): the groups of this domain are built wrongly",
                "MAINTAINERS: SCHEDULER",
            ),
            Repair::new(
                RepairKind::Program,
                "until then bind applications to nodes one hop apart (numactl --cpunodebind)",
                "Lozi et al., The Linux Scheduler: a Decade of Wasted Cores, EuroSys 2016, section 3.2",
            ),
        ],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &IdleWaitFacts) -> Option<Finding> {
    if let Some(hidden) = c.hidden_by_groups {
        if !hidden || c.crossed {
            return None;
        }
        let attempts = c.attempts.of_outcome(AttemptOutcome::Any);
        let proof = Proof::if_seen(c.is_old || (attempts.count > 0 && !c.attempts.earlier));
        return Finding::new(NotMovedBecause::MisbuiltGroups, proof, [attempts.first, attempts.last]);
    }
    let events = c.first_left_to_others?;
    Finding::new(NotMovedBecause::MisbuiltGroups, Proof::Consistent, events.map(Some))
}
