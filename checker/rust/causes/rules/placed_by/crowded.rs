//! Another was placed on its CPU although that one had an idle CPU to go to.

use crate::causes::arrivals::Choice;
use crate::causes::kernels::Kernels;
use crate::causes::rules::placed_by::Placed;
use crate::causes::rules::{About, Found, Rule};

/// See the module.
pub const RULE: Rule<Placed> = Rule {
    about: About {
        name: "crowded-by-another",
        kernels: Kernels::ALL,
        says: "The thread had its CPU to itself and was preempted there, since another was woken or created on that CPU \
              although an idle one that it may use existed. The answer is how that other one was placed.",
        functions: "kernel/sched/fair.c: select_task_rq_fair, select_idle_sibling, sched_balance_find_dst_cpu \
              (find_idlest_cpu before 6.10), wakeup_preempt (check_preempt_curr before 6.8) (4.1, 6.1, 6.12)",
        proof: "consistent: that the one waits since the other came follows from switches.",
        refuted_by: "a time without the CPU to itself between its arrival and that of the other; no idle CPU for the other \
              when it came.",
        blind: "several that came at once: the latest is taken.",
        next: "look at the placement of the thread that ran here meanwhile (`wastenot top`, antagonists).",
    },
    first_when_young: false,
    judge,
};

fn judge(c: &Placed) -> Option<Found> {
    let at = c.in_place?;
    let other = c.began.filter(|other| matches!(other.choice, Choice::Near | Choice::Far | Choice::Somewhere))?;
    let found = Placed::of_another(other)?;
    Found::new(found.answer, found.proof, [Some(other.event), Some(at), Some(c.came.event)])
}
