//! Nothing ever moves between the two sides.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::DomainSource;
use crate::causes::rules::not_moved_because::IdleWaitFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};

/// See the module.
pub const RULE: Rule<IdleWaitFacts> = Rule {
    about: RuleText {
        name: "nothing-crosses",
        kernels: Kernels::since(5, 5),
        description: "No runnable thread was moved between the two sides in the whole time, though cores were wasted for long \
              across nodes or caches and balancing went on within the side of either CPU. It is as if no domain \
              joined them. Asked where the kernel's own domains are not known.",
        functions: "kernel/sched/topology.c: partition_sched_domains; kernel/sched/fair.c: sched_balance_rq, \
              load_balance before 6.10 (6.1, 6.12)",
        proof: "consistent at most: that something does not happen is not a decision observed.",
        refuted_by: "a domain that spans both; a runnable thread moved between the two sides at another time.",
        limits: "on releases before 5.5 group averages and misbuilt groups look the same, so it is silent there; a \
              short trace without moves; an imbalance between nodes that the kernel allows while few threads wait.",
        repairs: &[
            Repair::new(
                RepairKind::Check,
                "record the domains (`wastenot record` does; for an import give --machine): then it is known whether any joins the two",
                "docs/formats.md",
            ),
            Repair::new(
                RepairKind::Cpuset,
                "check cpuset.sched_load_balance (v1) and cpuset.cpus.partition (v2)",
                "Documentation/admin-guide/cgroup-v1/cpusets.rst; Documentation/admin-guide/cgroup-v2.rst",
            ),
        ],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &IdleWaitFacts) -> Option<Finding> {
    let finding = || Finding::new(NotMovedBecause::NoCommonDomain, Proof::Consistent, [c.moves_within]);
    (c.domains != DomainSource::Exact && c.lasted_long && c.far && c.moves_within.is_some() && !c.crossed)
        .then(finding)?
}
