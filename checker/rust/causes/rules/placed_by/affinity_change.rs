//! Its mask was widened while it was queued there.

use crate::causes::MigrationPath;
use crate::causes::answers::{PlacedBy, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::placed_by::PlacementFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};
use crate::causes::wait_origin::QueuedBy;

/// See the module.
pub const RULE: Rule<PlacementFacts> = Rule {
    about: RuleText {
        name: "affinity-change",
        kernels: Kernels::ALL,
        description: "When the thread came to its queue it was not allowed on the idle CPU; its allowed CPUs (mask or \
              cpuset) were changed while it was queued there, or where it waited before a balancer moved it. It was pinned, \
              and what it waits for now is that it is moved.",
        functions: "kernel/sched/core.c: __set_cpus_allowed_ptr, set_cpus_allowed_common (4.1, 6.1, 6.12); \
              kernel/cgroup/cpuset.c: update_tasks_cpumask",
        proof: "proved: the masks before and after were both recorded; consistent where a balancer has moved it since.",
        refuted_by: "a mask before the change that holds the idle CPU.",
        limits: "masks are compared at switches and wakeups: the change is dated to the first of these after it. In \
              imported traces masks do not change.",
        repairs: &[Repair::new(
            RepairKind::Check,
            "nothing is wrong with the placement: what is to be mended is why no CPU moved it after the mask was widened",
            "kernel/sched/core.c: __set_cpus_allowed_ptr (6.1)",
        )],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &PlacementFacts) -> Option<Finding> {
    let event = c.gained?;
    // A balancer may have moved it after it gained the CPU.
    let by_balancer = matches!(
        c.arrival.queued_by,
        QueuedBy::Moved(Some(MigrationPath::Periodic | MigrationPath::Newidle | MigrationPath::Nohz))
    );
    Finding::new(PlacedBy::AffinityChange, Proof::if_seen(!by_balancer), [Some(event), Some(c.arrival.event)])
}
