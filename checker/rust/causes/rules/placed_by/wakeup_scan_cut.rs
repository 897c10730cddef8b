//! The wakeup missed an idle CPU of its cache.

use crate::causes::answers::PlacedBy;
use crate::causes::kernels::Kernels;
use crate::causes::rules::placed_by::PlacementFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};
use crate::causes::wait_origin::{IdleAlternative, QueuedBy};

/// See the module.
pub const RULE: Rule<PlacementFacts> = Rule {
    about: RuleText {
        name: "wakeup-scan-cut",
        kernels: Kernels::ALL,
        description: "Woken onto a busy CPU although an idle one that it may use existed in the same last-level cache: the \
              search was cut short (SIS_PROP, SIS_UTIL), or asked for an idle core or a CPU that fits.",
        functions: "kernel/sched/fair.c: select_idle_cpu, update_idle_cpu_scan, select_idle_capacity (4.1, 6.1, 6.12)",
        proof: "proved where the CPUs scanned were recorded (table `cpus_scanned`): an idle one of that cache is not among \
              them, and there was a search (it scanned two more than the waker's CPU and the one before, or ended elsewhere \
              than at the waker's); else consistent.",
        refuted_by: "all idle CPUs of that cache among those scanned; they had been claimed by another wakeup, or went idle after \
              the decision; the thread's previous CPU, idle and in that cache: even a search of no CPU takes it.",
        limits: "a CPU that went idle between decision and wakeup; hints by energy-aware scheduling; where the trace does not \
                say which CPUs share a cache, the rule is silent.",
        repairs: &[
            Repair::new(
                RepairKind::SchedulerFeature,
                "compare with the scheduler feature NO_SIS_UTIL, with which a wakeup searches its whole cache: write it to \
                 debugfs sched/features",
                "kernel/sched/fair.c: select_idle_cpu; kernel/sched/features.h (6.1, 6.12); before 5.13 the file is \
                 sched_features of debugfs",
            ).on(Kernels::since(6, 0)),
            Repair::new(
                RepairKind::SchedulerFeature,
                "compare with the scheduler feature NO_SIS_PROP, with which a wakeup searches its whole cache: write it to \
                 debugfs sched/features",
                "kernel/sched/fair.c: select_idle_cpu (5.10); kernel/sched/features.h (6.1, 6.12); before 5.13 the file is \
                 sched_features of debugfs",
            ).on(Kernels::until(5, 19)),
            Repair::new(
                RepairKind::Check,
                "the search is cut by design from about 85 % use of the cache on: there it seldom finds a CPU",
                "kernel/sched/fair.c: update_idle_cpu_scan (6.1, 6.12)",
            ),
        ],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &PlacementFacts) -> Option<Finding> {
    let near = c.arrival.idle_alternative == IdleAlternative::Near;
    if c.is_realtime() || c.arrival.queued_by != QueuedBy::Woken || !near {
        return None;
    }
    if c.arrival.previous_cpu_idle || c.arrival.scan.is_some_and(|l| l.all_idle) {
        return None;
    }
    let events = [Some(c.arrival.event), c.arrival.scan.map(|l| l.event)];
    c.of_arrival(PlacedBy::WakeupScanCut, c.arrival.search_proof(), events)
}
