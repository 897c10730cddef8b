//! The kernel model: its traces contradict nothing, and it keeps what a scheduler must keep.

mod common;
#[path = "common/workloads.rs"]
mod workloads;

use common::{machine, simulate, verdict};
use wastenot_replay::{FaultSet, Kernel, Release, Settings};
use workloads::*;

const RELEASES: [Release; 2] = [Release::Averages, Release::Eevdf];

#[test]
fn a_trace_contradicts_nothing() {
    for release in RELEASES {
        for faults in [FaultSet::none(), FaultSet::shipped(release)] {
            for m in [machine(1, 1, 2, 1), machine(2, 1, 2, 2), machine(2, 2, 4, 1)] {
                let (trace, outcome) = simulate(&m, &mixed(12), Kernel::new(release, faults), &Settings::default());
                let v = verdict(&trace);
                assert!(outcome.finished, "{release:?} {faults:?}: {outcome:?}");
                let odd = ["contradiction", "rejected", "repaired", "placements_inferred", "migrate_mismatch"];
                assert!(odd.iter().all(|w| v.trusted(w) == 0), "{release:?} {faults:?} {:?}", v.trust);
            }
        }
    }
}
