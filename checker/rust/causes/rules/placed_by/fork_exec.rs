//! It was created, or did an exec, there.

use crate::causes::MigrationPath;
use crate::causes::answers::{PlacedBy, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::placed_by::PlacementFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};
use crate::causes::wait_origin::QueuedBy;

/// See the module.
pub const RULE: Rule<PlacementFacts> = Rule {
    about: RuleText {
        name: "fork-exec",
        kernels: Kernels::ALL,
        description: "A new thread began to wait on the CPU that its creation chose, or one that did an exec on the CPU \
              that this chose.",
        functions: "kernel/sched/core.c: wake_up_new_task, sched_exec; kernel/sched/fair.c: sched_balance_find_dst_group \
              (find_idlest_group before 6.10) (4.1, 6.1, 6.12)",
        proof: "proved where the choice was recorded (table `cpus_scanned`), or the stack of the move names the function; else \
              consistent.",
        refuted_by: "a move or a wakeup between its creation and the wait.",
        limits: "short-lived threads that their parent waits for are better off beside it.",
        repairs: &[
            Repair::new(
                RepairKind::Program,
                "place the threads yourself, or start them from several nodes",
                "sched_setaffinity(2); numactl(8)",
            ),
            Repair::new(
                RepairKind::Check,
                "see whether the flags of the domains have SD_BALANCE_FORK and SD_BALANCE_EXEC (debugfs sched/domains)",
                "include/linux/sched/sd_flags.h; kernel/sched/debug.c: register_sd (6.1, 6.12)",
            ),
            Repair::new(
                RepairKind::KernelRelease,
                "compare with 5.18 or later: up to there a node takes new threads until a quarter of its CPUs is busy",
                "kernel/sched/fair.c: find_idlest_group, allow_numa_imbalance (5.11 .. 5.18)",
            )
            .on(Kernels::between((5, 11), (5, 17))),
        ],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &PlacementFacts) -> Option<Finding> {
    let path = c.arrival.moved.filter(|(_, path, _)| matches!(path, MigrationPath::Fork | MigrationPath::Exec));
    if c.arrival.queued_by != QueuedBy::Created && path.is_none() {
        return None;
    }
    let seen = c.arrival.chosen.is_some() || path.is_some_and(|(.., proof)| Proof::of(proof) == Proof::Proved);
    let event = path.map_or(c.arrival.event, |m| m.0);
    c.of_arrival(PlacedBy::ForkExec, Proof::if_seen(seen), [Some(event), c.arrival.chosen])
}
