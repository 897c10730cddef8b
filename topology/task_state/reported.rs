//! The states that tracepoints report since 4.14 (include/linux/sched.h: `__task_state_index`): one of nine, as the bit `index - 1`.

use super::StateBits;
use wastenot_schemas::task_state as code;

/// TASK_REPORT_MAX, the number of "preempted" since 4.14.
pub(super) const REPORT_MAX: u64 = 0x100;

/// States in the order of `task_state_index`.
pub(super) const INDEX: [u8; 9] =
    [code::R, code::S, code::D, code::T, code::T_TRACED, code::X, code::Z, code::P, code::I];

/// What the print format names since 4.14.
pub(super) fn reported_bits() -> StateBits {
    let names = "SDTtXZPI".chars().enumerate().map(|(n, letter)| (1 << n, letter)).collect();
    StateBits { names, preempted: Some(REPORT_MAX) }
}

/// `prev_state` as kernels since 4.14 write it; None where they have no number for it.
pub fn reported(state: u8) -> Option<i64> {
    if state == code::R_PREEMPTED {
        return Some(REPORT_MAX as i64);
    }
    let index = INDEX.iter().position(|&known| known == state)?;
    Some(1 << index >> 1)
}

/// The code that [`reported`] gives this number for; unknown for any other number.
pub fn of_reported(raw: i64) -> u8 {
    (0..code::UNKNOWN).find(|&state| reported(state) == Some(raw)).unwrap_or(code::UNKNOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reported_numbers_are_those_of_the_print_format() {
        let bits = reported_bits();
        for raw in -1..0x300 {
            let expected = u64::try_from(raw).ok().filter(|raw| raw.count_ones() < 2).and_then(|raw| bits.code(raw));
            assert_eq!(of_reported(raw), expected.unwrap_or(code::UNKNOWN), "{raw}");
        }
        assert_eq!([code::K, code::W, code::N, code::UNKNOWN, 200].map(reported), [None; 5]);
        assert_eq!([code::R, code::S, code::I, code::R_PREEMPTED].map(reported), [0, 1, 0x80, 0x100].map(Some));
    }
}
