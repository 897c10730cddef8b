//! A sched_ext scheduler placed it.

use crate::causes::answers::{PlacedBy, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::paths::Path;
use crate::causes::rules::placed_by::Placed;
use crate::causes::rules::{About, Found, Rule};

/// See the module.
pub const RULE: Rule<Placed> = Rule {
    about: About {
        name: "placed-by-sched-ext",
        kernels: Kernels::since(6, 12),
        says: "The thread is run by a sched_ext scheduler: that scheduler placed it, and the rules of the fair \
              class do not apply.",
        functions: "kernel/sched/ext.c: select_task_rq_scx, dispatch_to_local_dsq (6.12)",
        proof: "proved where its policy was recorded, or a stack of the move names a function of sched_ext; never \
              from other events.",
        refuted_by: "a policy other than ext at the time of the placement.",
        blind: "a scheduler in partial mode; threads that changed policy during the trace.",
        next: "look at the sched_ext scheduler that is loaded (/sys/kernel/sched_ext/root/ops) and its own \
              counters.",
    },
    first_when_young: false,
    judge,
};

fn judge(c: &Placed) -> Option<Found> {
    let by_stack = c.came.moved.filter(|(_, path, _)| *path == Path::SchedExt);
    let found = || Found::new(PlacedBy::SchedExt, Proof::Proved, [by_stack.map(|m| m.0), Some(c.came.event)]);
    (c.ext || by_stack.is_some()).then(found)?
}
