//! The recording ended first.

use crate::causes::answers::{EndedBy, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::ended_by::Ended;
use crate::causes::rules::{About, Found, Rule};

/// See the module.
pub const RULE: Rule<Ended> = Rule {
    about: About {
        name: "end-of-trace",
        kernels: Kernels::ALL,
        says: "It went on until the recording ended.",
        functions: "none",
        proof: "proved: the recording says where it ends.",
        refuted_by: "an event that ended it at that instant.",
        blind: "nothing.",
        next: "record for longer to see what ends it.",
    },
    first_when_young: false,
    judge,
};

fn judge(c: &Ended) -> Option<Found> {
    let found = || Found::new(EndedBy::EndOfTrace, Proof::Proved, []);
    c.at_end.then(found)?
}
