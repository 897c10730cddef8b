//! select_cpu put it into a busy CPU's local queue.

use crate::causes::answers::{PlacedBy, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::placed_by::PlacementFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};
use wastenot_schemas::ext_step;

/// See the module.
pub const RULE: Rule<PlacementFacts> = Rule {
    about: RuleText {
        name: "ext-select-cpu",
        kernels: Kernels::since(6, 12),
        description: "The select_cpu of a sched_ext scheduler put the thread into the local queue of a busy CPU, as it was \
              woken or created, while a CPU idled that it may use.",
        functions: "kernel/sched/ext.c: select_task_rq_scx, mark_direct_dispatch, direct_dispatch (6.12)",
        proof: "proved where the kernel's mask of idle CPUs, which the scheduler sees (scx_bpf_get_idle_cpumask), was \
              recorded and had a CPU that idled and that the thread may use; else consistent: where a CPU that idles is not \
              in it, it was promised to this thread or to another one.",
        refuted_by: "a queue that enqueue or dispatch chose; no idle CPU that the thread may use.",
        limits: "the mask is recorded from 6.15 on (tried on 7.2 and 7.3), unless there is one for each NUMA node or the \
              scheduler keeps its own. It is read as the choice has been made: a CPU that began to idle since is in it.",
        repairs: &[
            Repair::new(
                RepairKind::Report,
                "report it to the scheduler's authors: select_cpu took a busy CPU though one idled \
                 (scx_bpf_select_cpu_dfl looks for one)",
                "Documentation/scheduler/sched-ext.rst",
            ),
            Repair::WITHOUT_SCHED_EXT,
        ],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &PlacementFacts) -> Option<Finding> {
    let place = c.ext_place.filter(|place| place.step == ext_step::SELECT_CPU)?;
    let proof = Proof::if_seen(place.shown_idle == Some(true));
    let finding = || Finding::new(PlacedBy::ExtSelectCpu, proof, [Some(c.arrival.event), Some(place.event)]);
    c.arrival.had_idle_alternative().then(finding)?
}
