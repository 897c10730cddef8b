//! The fair balancer has no say over the thread.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::IdleWaitFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};

/// See the module.
pub const RULE: Rule<IdleWaitFacts> = Rule {
    about: RuleText {
        name: "sched-ext",
        kernels: Kernels::since(6, 12),
        description: "The waiting thread is run by a sched_ext scheduler: the balancer of the fair class does not concern \
              itself with it.",
        functions: "kernel/sched/ext.c: balance_one, scx_bypass (6.12)",
        proof: "proved: its policy was recorded; consistent where all that the scheduler decides was, and it put the thread \
              nowhere since it last ran: it may have left, which is noted late.",
        refuted_by: "a policy other than ext while it waited.",
        limits: "a scheduler in partial mode, and a scheduler that falls back to bypass. Where schedulers of cgroups are loaded (7.1) it is \
              the only answer: which of them decides of a thread is not known.",
        repairs: &[
            Repair::new(
                RepairKind::Check,
                "see which scheduler is loaded: /sys/kernel/sched_ext/state and root/ops, its own counters and the events SCX_EV_*",
                "Documentation/scheduler/sched-ext.rst",
            ),
            Repair::WITHOUT_SCHED_EXT,
            Repair::new(
                RepairKind::Report,
                "report the trace to the scheduler's authors",
                "Documentation/scheduler/sched-ext.rst",
            ),
        ],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &IdleWaitFacts) -> Option<Finding> {
    let proof = Proof::if_seen(!c.ext_nowhere);
    let finding = || Finding::new(NotMovedBecause::SchedExt, proof, []);
    c.ext.then(finding)?
}
