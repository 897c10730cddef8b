//! No domain joins the two CPUs.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::DomainSource;
use crate::causes::rules::not_moved_because::IdleWaitFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};

/// See the module.
pub const RULE: Rule<IdleWaitFacts> = Rule {
    about: RuleText {
        name: "no-common-domain",
        kernels: Kernels::ALL,
        description: "No scheduling domain of the idle CPU spans the CPU on which the thread waits: no balancer attempt, and \
              no wakeup, can carry it there, although its mask allows it.",
        functions: "kernel/sched/topology.c: build_sched_domains, partition_sched_domains; kernel/cgroup/cpuset.c: \
              generate_sched_domains (4.1, 6.1, 6.12)",
        proof: "proved where the kernel reported its domains, as they were then; consistent where they are derived from the topology.",
        refuted_by: "a domain of the idle CPU that spans the other, or any move between the two by a balancer.",
        limits: "where changes of domains are not recorded (`trace.notes` says so; traces of other tools), the rule is silent after \
              hotplug, which builds them anew, and does not see that cpuset partitions change. Where functions cannot be probed, a change \
              is dated to the next thread that comes to a CPU or leaves it.",
        repairs: &[
            Repair::new(
                RepairKind::Cpuset,
                "let one cpuset balance over both sides: 1 in cpuset.sched_load_balance of the cgroup that has both (v1), \
                 `member` in cpuset.cpus.partition (v2)",
                "Documentation/admin-guide/cgroup-v1/cpusets.rst; Documentation/admin-guide/cgroup-v2.rst",
            ),
            Repair::new(
                RepairKind::Check,
                "read the spans that the kernel has now: debugfs sched/domains/cpu*/domain*; where that folder is not there, \
                 write Y to debugfs sched/verbose",
                "kernel/sched/debug.c: update_sched_domain_debugfs, sched_verbose_write (6.1, 6.12)",
            ),
            Repair::new(
                RepairKind::BootParameter,
                "take the CPUs out of isolcpus=: such a CPU has no domains until the next boot",
                "Documentation/admin-guide/kernel-parameters.txt: isolcpus",
            ),
            Repair::new(
                RepairKind::KernelRelease,
                "where CPUs were off and on and the levels between nodes are gone since, boot anew: releases from 3.19 on, up \
                 to 4.1 at least, did not build these levels again, for which the paper has a patch. 5.10, 6.1, 6.12, 7.2 and \
                 7.3 do; between 4.1 and 5.10 that was not looked at",
                "Lozi et al., The Linux Scheduler: a Decade of Wasted Cores, EuroSys 2016, section 3.4",
            ).on(Kernels::between((3, 19), (5, 9))),
            Repair::new(
                RepairKind::Program,
                "or allow threads on both sides by hand: without a domain only masks move them",
                "sched_setaffinity(2)",
            ),
        ],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &IdleWaitFacts) -> Option<Finding> {
    let finding =
        || Finding::new(NotMovedBecause::NoCommonDomain, Proof::if_seen(c.domains == DomainSource::Exact), []);
    (c.domains != DomainSource::Unknown && !c.has_common_domain).then(finding)?
}
