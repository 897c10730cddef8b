//! The wakeup kept the CPU it had before.

use crate::causes::answers::{PlacedBy, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::placed_by::PlacementFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};
use crate::causes::wait_origin::{IdleAlternative, QueuedBy};

/// See the module.
pub const RULE: Rule<PlacementFacts> = Rule {
    about: RuleText {
        name: "wakeup-prev-cpu",
        kernels: Kernels::ALL,
        description: "Woken onto the CPU it had before, which was busy; no idle CPU that it may use was there at that \
              time.",
        functions: "kernel/sched/fair.c: select_task_rq_fair, select_idle_sibling (4.1, 6.1, 6.12)",
        proof: "consistent: the choice may be recorded (table `cpus_scanned`), but not that nothing else was idle.",
        refuted_by: "an idle CPU at the time of the wakeup (then a rule of the search applies, or `wakeup`).",
        limits: "where the CPU it had before is not known (its first event in the trace), or not which CPUs share a cache, the \
                rule is silent.",
        repairs: &[Repair::new(
            RepairKind::Check,
            "the placement was not a mistake; what is to be mended is why no CPU moved it when one went idle",
            "kernel/sched/fair.c: select_idle_sibling (6.1, 6.12)",
        )],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &PlacementFacts) -> Option<Finding> {
    let nothing_idle = c.arrival.idle_alternative == IdleAlternative::None;
    if c.is_realtime() || c.arrival.queued_by != QueuedBy::Woken || !nothing_idle || !c.arrival.kept_cpu {
        return None;
    }

    c.of_arrival(PlacedBy::WakeupPrevCpu, Proof::Consistent, [Some(c.arrival.event), c.arrival.chosen])
}
