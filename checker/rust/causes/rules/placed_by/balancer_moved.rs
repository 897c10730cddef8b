//! Somebody moved it there while it was runnable.

use crate::causes::answers::{PlacedBy, Proof};
use crate::causes::arrivals::How;
use crate::causes::kernels::Kernels;
use crate::causes::paths::Path;
use crate::causes::rules::placed_by::Placed;
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
        next: "see who else was on that queue, and why the balancer left CPUs idle (not_moved_because).",
    },
    first_when_young: false,
    judge,
};

fn judge(c: &Placed) -> Option<Found> {
    let How::Moved(Some(path)) = c.came.how else { return None };
    let answer = match path {
        Path::Wakeup => PlacedBy::Wakeup,
        Path::Periodic => PlacedBy::Periodic,
        Path::Newidle => PlacedBy::Newidle,
        Path::Nohz => PlacedBy::Nohz,
        Path::Active => PlacedBy::Active,
        Path::Numa => PlacedBy::Numa,
        Path::RtPush | Path::DlPush => PlacedBy::RtDlPush,
        Path::RtPull | Path::DlPull => PlacedBy::RtDlPull,
        Path::Affinity => PlacedBy::AffinityChange,
        Path::Cgroup => PlacedBy::CgroupMove,
        Path::Hotplug => PlacedBy::HotplugPush,
        Path::SchedExt => PlacedBy::SchedExt,
        Path::Fork | Path::Exec => PlacedBy::ForkExec,
        Path::CoreSched | Path::Unknown => return None,
    };
    let most = if path == Path::Active { Proof::Consistent } else { Proof::Proved };
    Found::new(answer, c.came.move_proof().min(most), [c.came.moved.map(|m| m.0)])
}
