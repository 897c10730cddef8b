//! It stopped to be runnable.

use crate::causes::answers::{EndedBy, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::ended_by::Ended;
use crate::causes::rules::{About, Found, Rule};
use crate::causes::witness::Ending;

/// See the module.
pub const RULE: Rule<Ended> = Rule {
    about: About {
        name: "no-longer-runnable",
        kernels: Kernels::ALL,
        says: "The thread stopped to be runnable there without having run: its quota ran out, its CPU went offline, \
              or it is lost from sight.",
        functions: "none",
        proof: "consistent: it follows from the events.",
        refuted_by: "a switch that shows it running.",
        blind: "losses look alike.",
        next: "look at the event that ended it.",
    },
    first_when_young: false,
    judge,
};

fn judge(c: &Ended) -> Option<Found> {
    let found = || Found::new(EndedBy::BlockedOrExited, Proof::Consistent, [c.event]);
    (c.waiter_gone && c.ending == Some(Ending::Other)).then(found)?
}
