//! Somebody moved a thread.

use crate::causes::answers::{EndedBy, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::paths::Path;
use crate::causes::rules::ended_by::Ended;
use crate::causes::rules::{About, Found, Rule};
use crate::causes::witness::Ending;

/// See the module.
pub const RULE: Rule<Ended> = Rule {
    about: About {
        name: "moved-by",
        kernels: Kernels::ALL,
        says: "A runnable thread was moved: from the queue to the idle CPU or elsewhere. The path is that of the \
              move.",
        functions: "kernel/sched/core.c: set_task_cpu and its callers, see checker/rust/causes/paths.rs (4.1, 6.1, 6.12)",
        proof: "proved where the kernel stack of the move was recorded; consistent where only one path does what the \
              events show.",
        refuted_by: "a stack of the move that names another path.",
        blind: "without stacks, moves by a CPU that runs a thread are not told apart.",
        next: "this path works; see why it took so long (not_moved_because).",
    },
    first_when_young: false,
    judge,
};

fn judge(c: &Ended) -> Option<Found> {
    let Some(Ending::Moved(Some(path), proof, _)) = c.ending else { return None };
    let answer = match path {
        Path::Newidle => EndedBy::Newidle,
        Path::Periodic => EndedBy::Periodic,
        Path::Nohz => EndedBy::Nohz,
        Path::Active => EndedBy::Active,
        Path::Numa => EndedBy::Numa,
        Path::RtPush | Path::RtPull | Path::DlPush | Path::DlPull => EndedBy::PushPull,
        Path::Affinity | Path::Cgroup => EndedBy::AffinityChange,
        Path::Wakeup => EndedBy::WakeupElsewhere,
        Path::Fork | Path::Exec | Path::Hotplug | Path::CoreSched | Path::SchedExt | Path::Unknown => return None,
    };
    Found::new(answer, Proof::of(proof), [c.event])
}
