//! The wakeup looked for an idle CPU in one cache only.

use crate::causes::answers::PlacedBy;
use crate::causes::arrivals::{Choice, How, Looked};
use crate::causes::kernels::Kernels;
use crate::causes::rules::placed_by::Placed;
use crate::causes::rules::{About, Found, Rule};

/// See the module.
pub const RULE: Rule<Placed> = Rule {
    about: About {
        name: "wakeup-one-llc",
        kernels: Kernels::ALL,
        says: "Woken onto a busy CPU although an idle one that it may use existed, but only outside the last-level \
              cache of the CPU it got: the search for an idle sibling does not leave that cache (overload on \
              wakeup).",
        functions: "kernel/sched/fair.c: select_task_rq_fair, select_idle_sibling, select_idle_cpu (4.1, 6.1, 6.12)",
        proof: "proved where the CPUs looked at were recorded (table `cpus_scanned`): none lay outside that cache, \
              and there was a search (as in `wakeup-cut-short`); else consistent.",
        refuted_by: "a CPU outside that cache among those looked at; an idle CPU inside it.",
        blind: "what was idle is taken at the wakeup event, some microseconds after the decision; where the trace \
                does not tell which CPUs share a cache, the rule is silent.",
        next: "spread the wakers (one process per cache), or widen what a wakeup searches; fixes of this kind wake \
              on the CPU idle for longest.",
    },
    first_when_young: false,
    judge,
};

fn judge(c: &Placed) -> Option<Found> {
    if c.came.how != How::Woken || c.came.choice != Choice::Far {
        return None;
    }
    let left_it = |l: Looked| !l.one_llc;
    let found = || {
        let events = [Some(c.came.event), c.came.looked.map(|l| l.event)];
        Found::new(PlacedBy::WakeupOneLlc, c.came.search_proof(), events)
    };
    (!c.came.looked.is_some_and(left_it)).then(found)?
}
