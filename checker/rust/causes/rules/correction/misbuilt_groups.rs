//! The groups of the domain hide the imbalance.

use crate::causes::answers::{Correction, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::correction::Edge;
use crate::causes::rules::correction::Kind;
use crate::causes::rules::{About, Found, Rule};

/// See the module.
pub const RULE: Rule<Edge> = Rule {
    about: About {
        name: "misbuilt-groups",
        kernels: Kernels::until(4, 12),
        says: "Passes over the common domain ran and found balance although, by its loads, the group of the idle \
              CPU was far below that of the waiting threads; the domain's groups overlap, as between nodes two \
              hops apart. As built from CPU 0's point of view, both CPUs lie in one group.",
        functions: "kernel/sched/topology.c: build_overlap_sched_groups (core.c before 4.12) (4.1); built from each \
              CPU's own view since 4.13",
        proof: "consistent: the groups themselves are not recorded.",
        refuted_by: "a domain below that tells the two apart, or a pass that moved a thread between them.",
        blind: "other reasons for which a pass finds balance against its loads.",
        next: "boot a kernel from 4.13 on; until then bind applications to nodes one hop apart.",
    },
    first_when_young: false,
    judge,
};

fn judge(c: &Edge) -> Option<Found> {
    let looks = c.found_balance(Kind::Unexplained)?;
    let found = || Found::new(Correction::Misbuilt, Proof::Consistent, [looks.first, looks.last]);
    c.overlaps.then(found)?
}
