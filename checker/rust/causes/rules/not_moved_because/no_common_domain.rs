//! No domain joins the two CPUs.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::DomainSource;
use crate::causes::rules::not_moved_because::IdleWaitFacts;
use crate::causes::rules::{Finding, Rule, RuleText};

/// See the module.
pub const RULE: Rule<IdleWaitFacts> = Rule {
    about: RuleText {
        name: "no-common-domain",
        kernels: Kernels::ALL,
        description: "No scheduling domain of the idle CPU spans the CPU on which the thread waits: no balancer attempt, and \
              no wakeup, can carry it there, although its mask allows it.",
        functions: "kernel/sched/topology.c: build_sched_domains, partition_sched_domains; kernel/cgroup/cpuset.c: \
              generate_sched_domains (4.1, 6.1, 6.12)",
        proof: "proved where the kernel reported its domains and no CPU went off or on since; consistent where they are \
              derived from the topology.",
        refuted_by: "a domain of the idle CPU that spans the other, or any move between the two by a balancer.",
        limits: "domains are read once, at the start: after hotplug, which builds them anew, the rule is silent; that cpuset \
              partitions change while the recording runs is not seen.",
        advice: "check cpuset.sched_load_balance (v1) and cpuset.cpus.partition (v2), isolcpus, and whether CPUs were \
              off and on (missing upper levels: rebuild with a write to any cpuset); or allow the threads on both \
              sides by hand.",
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &IdleWaitFacts) -> Option<Finding> {
    let finding =
        || Finding::new(NotMovedBecause::NoCommonDomain, Proof::if_seen(c.domains == DomainSource::Exact), []);
    (c.domains != DomainSource::Unknown && !c.has_common_domain).then(finding)?
}
