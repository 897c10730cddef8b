//! Nobody balanced over the common domain.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::{Edge, Told};
use crate::causes::rules::{About, Found, Rule};

/// See the module.
pub const RULE: Rule<Edge> = Rule {
    about: About {
        name: "periodic-did-not-run",
        kernels: Kernels::ALL,
        says: "Passes are recorded, or counted by the kernel, and none over the common domain was made for the idle \
              CPU's group while the thread waited.",
        functions: "kernel/sched/fair.c: rebalance_domains (sched_balance_domains from 6.10), should_we_balance (4.1, \
              6.1, 6.12)",
        proof: "proved where the kernel told its domains and the wait was longer than two balance intervals; consistent where they are derived or the pass was not yet \
              due. By counters (table `schedstat`) the same, where they stood still for two balance intervals.",
        refuted_by: "a pass over the domain in that time.",
        blind: "losses; passes that end before the function that is traced is entered.",
        next: "look at the domain's min_interval, max_interval and busy_factor (debugfs sched/domains), and at \
              SD_SERIALIZE.",
    },
    first_when_young: false,
    judge,
};

fn judge(c: &Edge) -> Option<Found> {
    let found = || {
        Found::new(NotMovedBecause::PeriodicDidNotRun, Proof::if_seen(c.is_old && c.domains == Told::Exact), c.readings)
    };
    (c.tells_passes && c.joined && c.looks.over == 0 && !c.looks.untold).then(found)?
}
