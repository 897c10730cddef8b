//! Somebody moved it there while it was runnable.

use crate::causes::answers::{Placement, Proof};
use crate::causes::arrivals::How;
use crate::causes::kernels::Kernels;
use crate::causes::paths::Path;
use crate::causes::rules::placement::Placed;
use crate::causes::rules::{About, Found, Rule};

/// See the module.
pub const RULE: Rule<Placed> = Rule {
    about: About {
        name: "moved-while-runnable",
        kernels: Kernels::ALL,
        says: "It was moved there while it was runnable: by a balancer, by real-time or deadline push and pull, by \
              a change of its mask or cgroup, or since its CPU went offline.",
        functions: "kernel/sched/core.c: set_task_cpu and its callers, see the table of functions in \
              checker/rust/causes/paths.rs (4.1, 6.1, 6.12)",
        proof: "proved where the kernel stack of the move was recorded; consistent where only one path does what the \
              events show, and for active balance: it is decided before it is carried out, and who came to the CPU in \
              between is not its doing.",
        refuted_by: "a stack of the move that names another path.",
        blind: "without stacks, moves by a CPU that runs a thread (newidle or the tick of a busy CPU) are not told \
              apart.",
        next: "see who else was on that queue, and why the balancer left CPUs idle (correction).",
    },
    first_when_young: false,
    judge,
};

fn judge(c: &Placed) -> Option<Found> {
    let How::Moved(Some(path)) = c.came.how else { return None };
    let answer = match path {
        Path::Wakeup => Placement::Wakeup,
        Path::Periodic => Placement::Periodic,
        Path::Newidle => Placement::Newidle,
        Path::Nohz => Placement::Nohz,
        Path::Active => Placement::Active,
        Path::Numa => Placement::Numa,
        Path::RtPush | Path::DlPush => Placement::RtPush,
        Path::RtPull | Path::DlPull => Placement::RtPull,
        Path::Affinity => Placement::Affinity,
        Path::Cgroup => Placement::Cgroup,
        Path::Hotplug => Placement::Hotplug,
        Path::SchedExt => Placement::SchedExt,
        Path::Fork | Path::Exec => Placement::ForkExec,
        Path::CoreSched | Path::Unknown => return None,
    };
    let most = if path == Path::Active { Proof::Consistent } else { Proof::Proved };
    Found::new(answer, c.came.move_proof().min(most), [c.came.moved.map(|m| m.0)])
}
