//! The wakeup drew it to the CPU of its waker.

use crate::causes::answers::{PlacedBy, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::placed_by::PlacementFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};
use crate::causes::wait_origin::{IdleAlternative, QueuedBy};

/// See the module.
pub const RULE: Rule<PlacementFacts> = Rule {
    about: RuleText {
        name: "wake-affine",
        kernels: Kernels::ALL,
        description: "Woken onto the CPU of the thread that woke it rather than the one it had before (wake-affine), and \
              that CPU was busy.",
        functions: "kernel/sched/fair.c: wake_affine, wake_wide, wake_affine_idle, wake_affine_weight (4.1, 6.1, 6.12)",
        proof: "consistent: that the CPU that placed it chose itself may be recorded (table `cpus_scanned`), but not that the \
              cache of the CPU that it had before would have had an idle one for it.",
        refuted_by: "a waker on another CPU, or the same CPU as before.",
        limits: "wakeups through interrupts or timers run on a CPU that has nothing to do with the waker.",
        repairs: &[
            Repair::new(
                RepairKind::SchedulerFeature,
                "compare with the scheduler features NO_WA_WEIGHT, then NO_WA_IDLE: write them to debugfs sched/features",
                "kernel/sched/fair.c: wake_affine (6.1, 6.12); kernel/sched/features.h (6.1, 6.12); before 5.13 the file is sched_features of debugfs",
            ),
            Repair::new(RepairKind::Program, "bind waker and woken to CPUs apart", "sched_setaffinity(2)"),
        ],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &PlacementFacts) -> Option<Finding> {
    if c.is_realtime()
        || c.arrival.queued_by != QueuedBy::Woken
        || c.arrival.idle_alternative == IdleAlternative::Unknown
        || !c.arrival.to_waker
        || c.arrival.kept_cpu
    {
        return None;
    }

    c.of_arrival(PlacedBy::WakeAffine, Proof::Consistent, [Some(c.arrival.event), c.arrival.chosen])
}
