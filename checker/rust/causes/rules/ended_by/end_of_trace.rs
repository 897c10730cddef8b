//! The recording ended first.

use crate::causes::answers::{EndedBy, Proof};
use crate::causes::kernels::Kernels;
use crate::causes::rules::ended_by::EndFacts;
use crate::causes::rules::{Finding, Repair, RepairKind, Rule, RuleText};

/// See the module.
pub const RULE: Rule<EndFacts> = Rule {
    about: RuleText {
        name: "end-of-trace",
        kernels: Kernels::ALL,
        description: "It went on until the recording ended.",
        functions: "none",
        proof: "proved: the recording says where it ends.",
        refuted_by: "an event that ended it at that instant.",
        limits: "nothing.",
        repairs: &[Repair::new(
            RepairKind::Check,
            "record for longer to see what ends it",
            "`wastenot record --help`: --duration",
        )],
    },
    first_when_young: false,
    conclude,
};

fn conclude(c: &EndFacts) -> Option<Finding> {
    let finding = || Finding::new(EndedBy::EndOfTrace, Proof::Proved, []);
    c.at_end.then(finding)?
}
