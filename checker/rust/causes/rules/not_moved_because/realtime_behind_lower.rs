//! A real-time thread waited while its CPU ran a thread that it goes before.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::realtime_runs::MostlyRan;
use crate::causes::rules::not_moved_because::IdleWaitFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};

/// See the module.
pub const RULE: Rule<IdleWaitFacts> = Rule {
    about: RuleText {
        name: "realtime-behind-lower",
        kernels: Kernels::ALL,
        description: "The waiting thread is of the real-time or deadline class, and for most of the time its CPU ran no \
              thread of these classes: it was late to preempt what it ran or to leave idle, or the thread was throttled. \
              The load balancer leaves such threads alone.",
        functions: "kernel/sched/core.c: check_preempt_curr, wakeup_preempt from 6.8, resched_curr; kernel/sched/rt.c: \
              sched_rt_runtime_exceeded (6.1, 6.12)",
        proof: "proved: the priorities or policies of the threads were recorded, for more than half of the time. Which of the reasons it was is not said.",
        refuted_by: "a thread of the real-time or deadline class on that CPU for most of the time.",
        limits: "the throttling of real-time runqueues is not recorded; in a guest, the CPU itself may not have run.",
        repairs: &[
            Repair::new(
                RepairKind::Check,
                "what kept the CPU from preempting: see how long it runs with interrupts or preemption off, with the \
                 tracers irqsoff and preemptoff, or osnoise and timerlat",
                "Documentation/trace/ftrace.rst; Documentation/trace/timerlat-tracer.rst",
            ),
            Repair::new(
                RepairKind::Setting,
                "compare with sysctl kernel.sched_rt_runtime_us, by default 950000 of 1000000, which leaves other classes the rest",
                "Documentation/scheduler/sched-rt-group.rst",
            ),
            Repair::new(
                RepairKind::BootParameter,
                "preempt=full, or a kernel with PREEMPT_RT, shortens the time until a CPU preempts",
                "Documentation/admin-guide/kernel-parameters.txt",
            )
            .on(Kernels::since(5, 12)),
        ],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &IdleWaitFacts) -> Option<Finding> {
    let finding = || Finding::new(NotMovedBecause::RealtimeBehindLower, Proof::Proved, []);
    (c.realtime == Some(MostlyRan::Lower)).then(finding)?
}
