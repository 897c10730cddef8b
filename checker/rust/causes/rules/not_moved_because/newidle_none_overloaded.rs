//! No CPU counted as overloaded.

use crate::causes::answers::{NotMovedBecause, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::not_moved_because::IdleWaitFacts;
use crate::causes::rules::not_moved_because::newidle_stop::{NewidleStop, newidle_stop};
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};

/// See the module.
pub const RULE: Rule<IdleWaitFacts> = Rule {
    about: RuleText {
        name: "newidle-none-overloaded",
        kernels: Kernels::since(3, 19),
        description: "The CPU went idle while the thread waited, and did not search for work: no CPU of its root domain counted as \
              overloaded. (The mark is set when a second thread is queued on a CPU, and taken away by an attempt over the whole \
              root domain that meets no such CPU.)",
        functions: "kernel/sched/fair.c: newidle_balance, sched_balance_newidle from 6.10: rd->overload, overloaded from 6.10; \
              update_sd_lb_stats; kernel/sched/sched.h: add_nr_running (6.1, 6.12)",
        proof: "proved where what the CPU decided by was recorded (table `newidle_entry`), unless attempts over the domain left \
              threads that waited, meanwhile, shortly before, or most of those so far, or its groups hide the queue; else this rule \
              is silent.",
        refuted_by: "the mark of the root domain set when the function was entered.",
        limits: "a root domain of its own: the CPUs of another cpuset partition do not count.",
        repairs: &[
            Repair::new(
                RepairKind::Check,
                "see whether the two CPUs are in one root domain: a cpuset partition has one of its own",
                "kernel/sched/topology.c: partition_sched_domains; Documentation/admin-guide/cgroup-v2.rst: \
                 cpuset.cpus.partition",
            ),
            Repair::new(
                RepairKind::Report,
                "report it to the scheduler's maintainers with this recording: a CPU with two runnable threads that does not \
                 count as overloaded is a defect",
                "MAINTAINERS: SCHEDULER",
            ),
        ],
    },
    first_when_young: true,
    conclude,
};

fn conclude(c: &IdleWaitFacts) -> Option<Finding> {
    let stop = newidle_stop(c).filter(|stop| stop.why == NewidleStop::NoneOverloaded)?;
    Finding::new(NotMovedBecause::NewidleNoneOverloaded, Proof::if_seen(stop.proved), stop.events)
}
