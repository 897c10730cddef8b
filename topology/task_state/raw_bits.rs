//! The bits of `task_struct.state` by kernel release, and which releases write them into `prev_state` as they are.
//!
//! Sources: include/linux/sched.h (TASK_*, EXIT_*, TASK_STATE_MAX, TASK_STATE_TO_CHAR_STR) and include/trace/events/sched.h
//! (`__trace_sched_switch_state`) of 3.13, 6.1, 6.12 and of trees up to 7.0's development. LTTng-modules 2.9
//! (instrumentation/events/lttng-module/sched.h) and 2.13.9 (include/instrumentation/events/sched.h) have the kernel's function as it
//! was in 2.6.35, 3.2, 3.13, 3.19, 4.4, 4.14, 4.15 and 5.18, and name the releases that brought TASK_PARKED (3.9), TASK_NOLOAD (4.2)
//! and TASK_NEW (4.8).

use super::of_letter;
use crate::KernelRelease;
use wastenot_schemas::task_state as code;

/// Names of the bits of a raw state, and the bit that says "preempted".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateBits {
    /// StateBits and the letters they are printed as, ascending.
    pub names: Vec<(u64, char)>,
    /// TASK_STATE_MAX, written for a preempted thread; None: such a thread is written as running (0).
    pub preempted: Option<u64>,
}

/// Releases whose bits are the same, from the first of them on.
struct Era {
    from: (u32, u32, u32),
    /// The letter of each bit from bit 0 on; TASK_STATE_MAX is the bit behind the last.
    letters: &'static str,
    /// `__trace_sched_switch_state` marks preempted threads with TASK_STATE_MAX.
    marks_preempted: bool,
}

/// Raw states, newest first. 3.15 swapped EXIT_ZOMBIE and EXIT_DEAD; 4.14 moved TASK_PARKED below the bits that are not reported.
const ERAS: &[Era] = &[
    Era { from: (4, 14, 0), letters: "SDTtXZPxKWNn", marks_preempted: true },
    Era { from: (4, 8, 0), letters: "SDTtXZxKWPNn", marks_preempted: true },
    Era { from: (4, 2, 0), letters: "SDTtXZxKWPN", marks_preempted: true },
    Era { from: (3, 15, 0), letters: "SDTtXZxKWP", marks_preempted: true },
    Era { from: (3, 9, 0), letters: "SDTtZXxKWP", marks_preempted: true },
    Era { from: (3, 2, 0), letters: "SDTtZXxKW", marks_preempted: true },
    Era { from: OLDEST, letters: "SDTtZXxKW", marks_preempted: false },
];

/// The oldest release with a table; before it TASK_WAKING is missing.
pub(crate) const OLDEST: (u32, u32, u32) = (2, 6, 32);
/// The newest mainline release whose headers the tables were held against.
pub(crate) const NEWEST: (u32, u32) = (6, 19);
/// From here on the tracepoint writes what `task_state_index` reports instead of the raw state.
pub(crate) const REPORTED: (u32, u32, u32) = (4, 14, 0);
/// TASK_IDLE: uninterruptible, and no load. Both bits are the same wherever TASK_NOLOAD exists.
pub(crate) const TASK_IDLE: u64 = 0x402;

/// The bits of raw states in this release; None: there is no table for it.
pub(crate) fn raw_bits(release: &KernelRelease) -> Option<StateBits> {
    let era = ERAS.iter().find(|era| release.version >= era.from)?;
    let names: Vec<(u64, char)> = era.letters.chars().enumerate().map(|(n, letter)| (1 << n, letter)).collect();
    Some(StateBits { preempted: era.marks_preempted.then_some(1 << names.len()), names })
}

impl StateBits {
    /// The code of a raw state; None: it is not one that can be made of these bits.
    pub fn code(&self, raw: u64) -> Option<u8> {
        if raw == 0 {
            return Some(code::R);
        }
        if Some(raw) == self.preempted {
            return Some(code::R_PREEMPTED);
        }
        let named = self.names.iter().fold(0, |all, (bit, _)| all | bit);
        if raw & !named != 0 {
            return None;
        }
        let of = |letter| self.names.iter().any(|&(bit, known)| known == letter && raw & bit != 0);
        if of('D') && of('N') {
            return Some(code::I);
        }
        let (_, letter) = self.names.iter().find(|(bit, _)| raw & bit != 0)?;
        of_letter(*letter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(release: &str) -> StateBits {
        raw_bits(&KernelRelease::parse(release).unwrap()).unwrap()
    }

    #[test]
    fn preempted_is_task_state_max_of_the_release() {
        let releases =
            ["2.6.32", "3.1", "3.2", "3.8", "3.9", "3.10", "3.19", "4.1", "4.2", "4.7", "4.8", "4.13", "4.14"];
        let preempted = releases.map(|release| bits(release).preempted.unwrap_or(0));
        assert_eq!(preempted, [0, 0, 512, 512, 1024, 1024, 1024, 1024, 2048, 2048, 4096, 4096, 4096]);
    }

    #[test]
    fn parked_dead_and_zombie_moved() {
        assert_eq!(bits("3.10").code(512), Some(code::P));
        assert_eq!([bits("4.13").code(64), bits("4.14").code(64)], [Some(code::X), Some(code::P)]);
        assert_eq!([16, 32].map(|raw| bits("3.14").code(raw)), [Some(code::Z), Some(code::X)]);
        assert_eq!([16, 32].map(|raw| bits("3.15").code(raw)), [Some(code::X), Some(code::Z)]);
        assert_eq!(bits("4.14").code(128), Some(code::X), "TASK_DEAD");
    }

    #[test]
    fn no_release_before_the_oldest_has_a_table() {
        assert_eq!(raw_bits(&KernelRelease::parse("2.6.31").unwrap()), None);
    }
}
