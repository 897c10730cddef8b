//! Its mask was widened while it stood there.

use crate::causes::answers::{PlacedBy, Proof};
use crate::causes::arrivals::How;
use crate::causes::kernels::Kernels;
use crate::causes::paths::Path;
use crate::causes::rules::placed_by::Placed;
use crate::causes::rules::{About, Found, Rule};

/// See the module.
pub const RULE: Rule<Placed> = Rule {
    about: About {
        name: "gained-by-mask",
        kernels: Kernels::ALL,
        says: "When the thread came to its queue it was not allowed on the idle CPU; its allowed CPUs (mask or \
              cpuset) were changed while it stood there, or where it waited before a balancer moved it. It was pinned, \
              and what it waits for now is that somebody moves it.",
        functions: "kernel/sched/core.c: __set_cpus_allowed_ptr, set_cpus_allowed_common (4.1, 6.1, 6.12); \
              kernel/cgroup/cpuset.c: update_tasks_cpumask",
        proof: "proved: the masks before and after were both recorded; consistent where a balancer has moved it since.",
        refuted_by: "a mask before the change that holds the idle CPU.",
        blind: "masks are compared at switches and wakeups: the change is dated to the first of these after it. In \
              imported traces masks do not change.",
        next: "nothing is wrong with the placement: see why nobody moved it after the mask was widened \
              (not_moved_because).",
    },
    first_when_young: false,
    judge,
};

fn judge(c: &Placed) -> Option<Found> {
    let event = c.gained?;
    // A balancer may have moved it after it gained the CPU.
    let by_balancer = matches!(c.came.how, How::Moved(Some(Path::Periodic | Path::Newidle | Path::Nohz)));
    Found::new(PlacedBy::AffinityChange, Proof::if_seen(!by_balancer), [Some(event), Some(c.came.event)])
}
