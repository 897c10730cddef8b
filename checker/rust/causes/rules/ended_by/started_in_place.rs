//! Its own CPU took it.

use crate::causes::answers::{EndedBy, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::ended_by::Ended;
use crate::causes::rules::{About, Found, Rule};

/// See the module.
pub const RULE: Rule<Ended> = Rule {
    about: About {
        name: "started-in-place",
        kernels: Kernels::ALL,
        says: "The CPU on which the thread waited took it: whoever ran there stopped.",
        functions: "kernel/sched/core.c: __schedule (4.1, 6.1, 6.12)",
        proof: "consistent: switches alone prove nothing.",
        refuted_by: "a move of the thread.",
        blind: "nothing is said about why the other one stopped.",
        next: "nobody corrected the waste: it ended by itself.",
    },
    first_when_young: false,
    judge,
};

fn judge(c: &Ended) -> Option<Found> {
    let found = || Found::new(EndedBy::StartedInPlace, Proof::Consistent, [c.event]);
    (c.waiter_gone && c.ending.is_none() && c.event.is_some()).then(found)?
}
