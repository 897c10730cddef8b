//! No idle CPU was woken to balance.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::Edge;
use crate::causes::rules::{About, Found, Rule};

/// See the module.
pub const RULE: Rule<Edge> = Rule {
    about: About {
        name: "nohz-kick-missing",
        kernels: Kernels::ALL,
        says: "For longer than two balance intervals of the common domain no idle CPU made a pass at all, while a \
              CPU with waiting threads ticked: nobody kicked one.",
        functions: "kernel/sched/fair.c: nohz_balancer_kick, kick_ilb, nohz_idle_balance (4.1, 6.1, 6.12); \
              kernel/smp.c: __smp_call_single_queue (6.12)",
        proof: "proved where kicks are recorded (table `balance_kick`) and there was none in that time; else consistent: passes \
              are recorded (or counted, table `schedstat`) and there was none, but a kick that came to nothing is not seen.",
        refuted_by: "a pass by any idle CPU in that time, a kick sent to one, or the balancer's softirq on one.",
        blind: "losses; kicks before 6.5; in other tools' traces softirqs of less than 20 us; a busy CPU whose tick is stopped (nohz_full).",
        next: "look at nohz_full, at the tick of the busy CPU, and whether /proc/softirqs SCHED grows on idle CPUs.",
    },
    first_when_young: false,
    judge,
};

fn judge(c: &Edge) -> Option<Found> {
    let found = || Found::new(NotMovedBecause::NohzKickMissing, Proof::if_seen(c.tells_kicks), c.readings);
    let none = c.looks.over == 0 && !c.looks.untold && !c.looks.by_idle;
    (c.tells_passes && c.is_old && none && !c.kicked).then(found)?
}
