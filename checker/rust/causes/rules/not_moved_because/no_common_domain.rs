//! No domain joins the two CPUs.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::Edge;
use crate::causes::rules::not_moved_because::Told;
use crate::causes::rules::{About, Found, Rule};

/// See the module.
pub const RULE: Rule<Edge> = Rule {
    about: About {
        name: "no-common-domain",
        kernels: Kernels::ALL,
        says: "No scheduling domain of the idle CPU spans the CPU on which the thread waits: no balancer pass, and \
              no wakeup, can carry it there, although its mask allows it.",
        functions: "kernel/sched/topology.c: build_sched_domains, partition_sched_domains; kernel/cgroup/cpuset.c: \
              generate_sched_domains (4.1, 6.1, 6.12)",
        proof: "proved where the kernel told its domains and no CPU went off or on since; consistent where they are \
              derived from the topology.",
        refuted_by: "a domain of the idle CPU that spans the other, or any move between the two by a balancer.",
        blind: "domains are read once, at the start: after hotplug, which builds them anew, the rule is silent; that cpuset \
              partitions change while the recording runs is not seen.",
        next: "check cpuset.sched_load_balance (v1) and cpuset.cpus.partition (v2), isolcpus, and whether CPUs were \
              off and on (missing upper levels: rebuild with a write to any cpuset); or allow the threads on both \
              sides by hand.",
    },
    first_when_young: false,
    judge,
};

fn judge(c: &Edge) -> Option<Found> {
    let found = || Found::new(NotMovedBecause::NoCommonDomain, Proof::if_seen(c.domains == Told::Exact), []);
    (c.domains != Told::No && !c.joined).then(found)?
}
