//! A thread was moved.

use crate::causes::MigrationPath;
use crate::causes::answers::{EndedBy, Proof};
use crate::causes::balancer_log::EndingEvent;
use crate::causes::kernels::Kernels;
use crate::causes::rules::ended_by::EndFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};

/// See the module.
pub const RULE: Rule<EndFacts> = Rule {
    about: RuleText {
        name: "moved-by",
        kernels: Kernels::ALL,
        description: "A runnable thread was moved: from the queue to the idle CPU or elsewhere. The path is that of the \
              move.",
        functions: "kernel/sched/core.c: set_task_cpu and its callers, see checker/rust/causes/migration_paths.rs (4.1, 6.1, 6.12)",
        proof: "proved where the kernel stack of the move was recorded; consistent where only one path does what the \
              events show.",
        refuted_by: "a stack of the move that names another path.",
        limits: "without stacks, moves by a CPU that runs a thread are not distinguished.",
        repairs: &[Repair::new(
            RepairKind::Check,
            "this path works; see why it took so long",
            "checker/rust/causes/migration_paths.rs: the functions of each path",
        )],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &EndFacts) -> Option<Finding> {
    let Some(EndingEvent::Moved(Some(path), proof, _)) = c.ending else { return None };
    let answer = match path {
        MigrationPath::Newidle => EndedBy::Newidle,
        MigrationPath::Periodic => EndedBy::Periodic,
        MigrationPath::Nohz => EndedBy::Nohz,
        MigrationPath::Active => EndedBy::Active,
        MigrationPath::Numa => EndedBy::Numa,
        MigrationPath::RtPush | MigrationPath::RtPull | MigrationPath::DlPush | MigrationPath::DlPull => {
            EndedBy::PushPull
        }
        MigrationPath::Affinity | MigrationPath::Cgroup => EndedBy::AffinityChange,
        MigrationPath::Wakeup => EndedBy::WakeupElsewhere,
        MigrationPath::SchedExt => EndedBy::SchedExt,
        MigrationPath::Fork
        | MigrationPath::Exec
        | MigrationPath::Hotplug
        | MigrationPath::CoreSched
        | MigrationPath::Unknown => return None,
    };
    Finding::new(answer, Proof::of(proof), [c.event])
}
