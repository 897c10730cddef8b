//! Another was placed on its CPU although that one had an idle CPU to go to.

use crate::causes::kernels::Kernels;
use crate::causes::rules::placed_by::PlacementFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};
use crate::causes::wait_origin::Arrival;

/// See the module.
pub const RULE: Rule<PlacementFacts> = Rule {
    about: RuleText {
        name: "crowded-by-another",
        kernels: Kernels::ALL,
        description: "The thread had its CPU to itself and was preempted there, since another was woken or created on that CPU \
              although an idle one that it may use existed. The answer is how that other one was placed.",
        functions: "kernel/sched/fair.c: select_task_rq_fair, select_idle_sibling, sched_balance_find_dst_cpu \
              (find_idlest_cpu before 6.10), wakeup_preempt (check_preempt_curr before 6.8) (4.1, 6.1, 6.12)",
        proof: "consistent: that the one waits since the other came follows from switches.",
        refuted_by: "a time without the CPU to itself between its arrival and that of the other; no idle CPU for the other \
              when it came.",
        limits: "several that came at once: the latest is taken.",
        repairs: &[Repair::new(
            RepairKind::Check,
            "look at the placement of the thread that ran here meanwhile (`wastenot top`, antagonists)",
            "docs/causes/README.md: placed_by",
        )],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &PlacementFacts) -> Option<Finding> {
    let at = c.in_place?;
    let other = c.made_wait_by.filter(Arrival::had_idle_alternative)?;
    let finding = PlacementFacts::of_another(other)?;
    let crowded = Finding::new(finding.answer, finding.proof, [Some(other.event), Some(at), Some(c.arrival.event)])?;
    Some(crowded.with_decisive(finding.decisive))
}
