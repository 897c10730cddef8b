//! A wakeup took the idle CPU.

use crate::causes::answers::{EndedBy, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::ended_by::Ended;
use crate::causes::rules::{About, Found, Rule};
use crate::causes::witness::Ending;

/// See the module.
pub const RULE: Rule<Ended> = Rule {
    about: About {
        name: "taken-by-wakeup",
        kernels: Kernels::ALL,
        says: "The idle CPU was taken by a thread that was woken there, while the other one went on waiting.",
        functions: "kernel/sched/core.c: try_to_wake_up (4.1, 6.1, 6.12)",
        proof: "consistent: it follows from wakeups and switches.",
        refuted_by: "a move onto the CPU at that instant.",
        blind: "a thread woken onto a CPU that another is on the way to.",
        next: "see who was woken there.",
    },
    first_when_young: false,
    judge,
};

fn judge(c: &Ended) -> Option<Found> {
    let found = || Found::new(EndedBy::WakeupElsewhere, Proof::Consistent, [c.event]);
    (c.cpu_taken && c.ending == Some(Ending::Woken)).then(found)?
}
