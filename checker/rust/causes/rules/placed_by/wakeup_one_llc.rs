//! The wakeup looked for an idle CPU in one cache only.

use crate::causes::answers::{PlacedBy, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::placed_by::PlacementFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};
use crate::causes::wait_origin::{CpuScan, IdleAlternative, QueuedBy};

/// See the module.
pub const RULE: Rule<PlacementFacts> = Rule {
    about: RuleText {
        name: "wakeup-one-llc",
        kernels: Kernels::ALL,
        description: "Woken onto a busy CPU although an idle one that it may use existed, but only outside the last-level \
              cache of the CPU it got: the search for an idle sibling does not leave that cache (overload on \
              wakeup).",
        functions: "kernel/sched/fair.c: select_task_rq_fair, select_idle_sibling, select_idle_cpu (4.1, 6.1, 6.12)",
        proof: "proved where the CPUs scanned were recorded (table `cpus_scanned`): none was outside that cache, \
              and there was a search (as in `wakeup-scan-cut`). Proved as well where the choice was recorded, and each CPU of that cache (the widest domain \
              with SD_SHARE_LLC) that the thread may use ran threads throughout it: from sched_waking, or else the last switch of the CPU that chose, on; but not where capacities differ or \
              the waker's CPU may be taken without a search. Else consistent.",
        refuted_by: "a CPU outside that cache among those scanned; an idle CPU inside it.",
        limits: "what was idle is taken at the wakeup event, some microseconds after the decision; where the trace \
                does not show which CPUs share a cache, the rule is silent.",
        repairs: &[
            Repair::new(
                RepairKind::Program,
                "spread the wakers: one process, or one pool of threads, per last-level cache",
                "kernel/sched/fair.c: select_idle_sibling (6.1, 6.12)",
            ),
            Repair::new(
                RepairKind::Cpuset,
                "give each part of the application a cpuset of whole caches, so that threads are not woken where they wait",
                "Documentation/admin-guide/cgroup-v2.rst: cpuset.cpus",
            ),
            Repair::new(
                RepairKind::Report,
                "no release searches further; the repair that was proposed wakes on the CPU that has been idle for longest, where the previous one is busy",
                "Lozi et al., The Linux Scheduler: a Decade of Wasted Cores, EuroSys 2016, section 3.3",
            ),
        ],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &PlacementFacts) -> Option<Finding> {
    let far = c.arrival.idle_alternative == IdleAlternative::Far;
    if c.is_realtime() || c.arrival.queued_by != QueuedBy::Woken || !far {
        return None;
    }
    let left_it = |l: CpuScan| !l.one_llc;
    let finding = || {
        let events = [Some(c.arrival.event), c.arrival.scan.map(|l| l.event).or(c.arrival.chosen)];
        let proof = c.arrival.search_proof().max(Proof::if_seen(c.arrival.cache_was_busy));
        c.of_arrival(PlacedBy::WakeupOneLlc, proof, events)
    };
    (!c.arrival.scan.is_some_and(left_it)).then(finding)?
}
