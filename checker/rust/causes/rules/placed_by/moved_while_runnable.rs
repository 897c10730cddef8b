//! It was moved there while it was runnable.

use crate::causes::MigrationPath;
use crate::causes::answers::{PlacedBy, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::placed_by::PlacementFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};
use crate::causes::wait_origin::QueuedBy;

/// See the module.
pub const RULE: Rule<PlacementFacts> = Rule {
    about: RuleText {
        name: "moved-while-runnable",
        kernels: Kernels::ALL,
        description: "It was moved there while it was runnable: by a balancer, by real-time or deadline push and pull, by \
              a change of its mask or cgroup, or since its CPU went offline.",
        functions: "kernel/sched/core.c: set_task_cpu and its callers, see the table of functions in \
              checker/rust/causes/migration_paths.rs (4.1, 6.1, 6.12)",
        proof: "proved where the kernel stack of the move was recorded; consistent where only one path does what the \
              events show, and for active balance: it is decided before it is carried out, and who came to the CPU in \
              between is not its doing.",
        refuted_by: "a stack of the move that names another path.",
        limits: "without stacks, moves by a CPU that runs a thread (newidle or the tick of a busy CPU) are not recorded \
              apart.",
        repairs: &[Repair::new(
            RepairKind::Check,
            "see who else was on that queue, and why the balancer left CPUs idle",
            "docs/causes/README.md: not_moved_because",
        )],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &PlacementFacts) -> Option<Finding> {
    let QueuedBy::Moved(Some(path)) = c.arrival.queued_by else { return None };
    let answer = match path {
        MigrationPath::Wakeup => PlacedBy::Wakeup,
        MigrationPath::Periodic => PlacedBy::Periodic,
        MigrationPath::Newidle => PlacedBy::Newidle,
        MigrationPath::Nohz => PlacedBy::Nohz,
        MigrationPath::Active => PlacedBy::Active,
        MigrationPath::Numa => PlacedBy::Numa,
        MigrationPath::RtPush | MigrationPath::DlPush => PlacedBy::RtDlPush,
        MigrationPath::RtPull | MigrationPath::DlPull => PlacedBy::RtDlPull,
        MigrationPath::Affinity => PlacedBy::AffinityChange,
        MigrationPath::Cgroup => PlacedBy::CgroupMove,
        MigrationPath::Hotplug => PlacedBy::HotplugPush,
        MigrationPath::SchedExt => PlacedBy::SchedExt,
        MigrationPath::Fork | MigrationPath::Exec => PlacedBy::ForkExec,
        MigrationPath::CoreSched | MigrationPath::Unknown => return None,
    };
    let most = if path == MigrationPath::Active { Proof::Consistent } else { Proof::Proved };
    Finding::new(answer, c.arrival.move_proof().min(most), [c.arrival.moved.map(|m| m.0)])
}
