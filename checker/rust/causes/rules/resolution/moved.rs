//! Somebody moved a thread.

use crate::causes::answers::{Proof, Resolution};
use crate::causes::kernels::Kernels;
use crate::causes::paths::Path;
use crate::causes::rules::resolution::Ended;
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
        next: "this path works; see why it took so long (correction).",
    },
    first_when_young: false,
    judge,
};

fn judge(c: &Ended) -> Option<Found> {
    let Some(Ending::Moved(Some(path), proof, _)) = c.ending else { return None };
    let answer = match path {
        Path::Newidle => Resolution::Newidle,
        Path::Periodic => Resolution::Periodic,
        Path::Nohz => Resolution::Nohz,
        Path::Active => Resolution::Active,
        Path::Numa => Resolution::Numa,
        Path::RtPush | Path::RtPull | Path::DlPush | Path::DlPull => Resolution::PushPull,
        Path::Affinity | Path::Cgroup => Resolution::Affinity,
        Path::Wakeup => Resolution::WokenElsewhere,
        Path::Fork | Path::Exec | Path::Hotplug | Path::CoreSched | Path::SchedExt | Path::Unknown => return None,
    };
    Found::new(answer, Proof::of(proof), [c.event])
}
