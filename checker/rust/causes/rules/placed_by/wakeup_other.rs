//! A wakeup placed it; how it chose is not told.

use crate::causes::answers::{PlacedBy, Proof};
use crate::causes::arrivals::How;
use crate::causes::kernels::Kernels;
use crate::causes::rules::placed_by::Placed;
use crate::causes::rules::{About, Found, Rule};

/// See the module.
pub const RULE: Rule<Placed> = Rule {
    about: About {
        name: "wakeup-other",
        kernels: Kernels::ALL,
        says: "Woken onto a CPU that is neither the one it had before nor that of its waker, or of which that is \
              not known; or onto a busy CPU beside an idle one where the trace does not tell which CPUs share a cache.",
        functions: "kernel/sched/core.c: try_to_wake_up (4.1, 6.1, 6.12)",
        proof: "proved where the kernel stack of the move was recorded or the choice was; else consistent.",
        refuted_by: "a move between its wakeup and the wait.",
        blind: "it says that a wakeup placed the thread, not how the wakeup chose.",
        next: "record with the CPUs scanned (`wastenot doctor` says what that needs).",
    },
    first_when_young: false,
    judge,
};

fn judge(c: &Placed) -> Option<Found> {
    if c.came.how != How::Woken {
        return None;
    }
    let moved = c.came.moved;
    let seen = c.came.chose.is_some() || c.came.move_proof() == Proof::Proved;
    Found::new(PlacedBy::Wakeup, Proof::if_seen(seen), [Some(c.came.event), moved.map(|m| m.0)])
}
