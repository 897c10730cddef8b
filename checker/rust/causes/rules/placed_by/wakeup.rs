//! A wakeup placed it; how it chose is not recorded.

use crate::causes::answers::{PlacedBy, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::placed_by::PlacementFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};
use crate::causes::wait_origin::QueuedBy;

/// See the module.
pub const RULE: Rule<PlacementFacts> = Rule {
    about: RuleText {
        name: "wakeup",
        kernels: Kernels::ALL,
        description: "Woken onto a CPU that is neither the one it had before nor that of its waker, or of which that is \
              not known; or onto a busy CPU beside an idle one where the trace does not show which CPUs share a cache, or where \
              the rules of the search and of the previous CPU do not apply: the search may have looked at the idle one and left it. Of a \
              real-time or deadline thread it is the only answer about a wakeup: its class chooses in another way.",
        functions: "kernel/sched/core.c: try_to_wake_up (4.1, 6.1, 6.12); kernel/sched/rt.c: select_task_rq_rt; \
              kernel/sched/deadline.c: select_task_rq_dl (6.1, 6.12)",
        proof: "proved where the kernel stack of the move was recorded or the choice was; else consistent.",
        refuted_by: "a move between its wakeup and the wait.",
        limits: "it says that a wakeup placed the thread, not how the wakeup chose.",
        repairs: &[
            Repair::new(
                RepairKind::Check,
                "record with the CPUs scanned (`wastenot doctor` says what that needs)",
                "docs/causes/README.md: placed_by",
            ),
            Repair::new(
                RepairKind::Check,
                "where the CPUs scanned are recorded and an idle one is among them: another wakeup had claimed it, its core was not idle as a \
             whole, or the kernel took it for busy (a virtual CPU whose host ran others)",
                "kernel/sched/fair.c: select_idle_cpu, select_idle_core; kernel/sched/core.c: available_idle_cpu (6.1, 6.12)",
            ),
        ],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &PlacementFacts) -> Option<Finding> {
    if c.arrival.queued_by != QueuedBy::Woken {
        return None;
    }
    let moved = c.arrival.moved;
    let seen = c.arrival.chosen.is_some() || c.arrival.move_proof() == Proof::Proved;
    c.of_arrival(PlacedBy::Wakeup, Proof::if_seen(seen), [Some(c.arrival.event), moved.map(|m| m.0)])
}
