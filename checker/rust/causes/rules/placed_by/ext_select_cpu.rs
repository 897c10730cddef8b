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
        proof: "proved: the step was recorded, and the idle CPU was seen.",
        refuted_by: "a queue that enqueue or dispatch chose; no idle CPU that the thread may use.",
        limits: "the kernel's masks of idle CPUs (scx_bpf_get_idle_cpumask), which the scheduler sees, are not \
              recorded: a CPU that idles may have been promised to another thread.",
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
    let finding = || Finding::new(PlacedBy::ExtSelectCpu, Proof::Proved, [Some(c.arrival.event), Some(place.event)]);
    c.arrival.had_idle_alternative().then(finding)?
}
