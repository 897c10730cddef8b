//! It was created, or did an exec, there.

use crate::causes::MigrationPath;
use crate::causes::answers::{PlacedBy, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::placed_by::PlacementFacts;
use crate::causes::rules::{Finding, Rule, RuleText};
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
        advice: "look at the domain flags SD_BALANCE_FORK and SD_BALANCE_EXEC; on NUMA machines at imb_numa_nr; or \
              place the threads yourself.",
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
