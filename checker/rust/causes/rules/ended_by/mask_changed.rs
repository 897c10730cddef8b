//! The mask of the waiting thread changed.

use crate::causes::answers::{EndedBy, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::ended_by::Ended;
use crate::causes::rules::{About, Found, Rule};
use crate::causes::witness::Ending;

/// See the module.
pub const RULE: Rule<Ended> = Rule {
    about: About {
        name: "mask-changed",
        kernels: Kernels::ALL,
        says: "The allowed CPUs of the waiting thread changed, so that the idle CPU is no longer one of them.",
        functions: "kernel/sched/core.c: __set_cpus_allowed_ptr (4.1, 6.1, 6.12)",
        proof: "proved: masks are recorded.",
        refuted_by: "a mask that still holds the idle CPU.",
        blind: "the change is dated to the next switch or wakeup of the thread.",
        next: "see who changed the mask.",
    },
    first_when_young: false,
    judge,
};

fn judge(c: &Ended) -> Option<Found> {
    let found = || Found::new(EndedBy::AffinityChange, Proof::Proved, [c.event]);
    (c.ending == Some(Ending::Mask)).then(found)?
}
