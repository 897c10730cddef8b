//! The state word that the BPF programs record: `task_struct.state`, `exit_state`, and a bit of their own.

use wastenot_schemas::task_state as code;

/// Bit of a recorded state word that says: preempted, still runnable.
pub const PREEMPTED: u32 = 1 << 31;

const DEAD: u32 = 0x80;
const WAKING: u32 = 0x200;
const NOLOAD_UNINTERRUPTIBLE: u32 = 0x402;
const NEW: u32 = 0x800;
const RTLOCK_WAIT: u32 = 0x1000;
const FROZEN: u32 = 0x8000;
/// A bit that no kernel has given a meaning that is read here.
const NOT_READ: u32 = 0x10_0000;

/// Code of a state word. The low bits are the same in all kernels since 4.14 (include/linux/sched.h: TASK_REPORT); the rules
/// are those of `__task_state_index`.
pub fn of_word(word: u32) -> u8 {
    if word & PREEMPTED != 0 {
        return code::R_PREEMPTED;
    }
    if word & 0x7f == 0 {
        return match word {
            0 | NEW => code::R,
            _ if word & DEAD != 0 => code::X,
            // Before 5.18 the state is read at the switch, and a waker may have changed it already (try_to_wake_up).
            WAKING => code::W,
            _ if word & (RTLOCK_WAIT | FROZEN) != 0 => code::D, // as the kernel reports both
            _ => code::UNKNOWN,
        };
    }
    if word & NOLOAD_UNINTERRUPTIBLE == NOLOAD_UNINTERRUPTIBLE {
        return code::I;
    }
    match 31 - (word & 0x7f).leading_zeros() {
        0 => code::S,
        1 => code::D,
        2 => code::T,
        3 => code::T_TRACED,
        4 => code::X,
        5 => code::Z,
        _ => code::P,
    }
}

/// A state word as the BPF programs would have recorded it, for a code; one that [`of_word`] calls unknown for states that are not in
/// their words.
pub fn to_word(state: u8) -> u32 {
    match state {
        code::R => 0,
        code::R_PREEMPTED => PREEMPTED,
        code::S => 1,
        code::D => 2,
        code::T => 4,
        code::T_TRACED => 8,
        code::X => DEAD,
        code::Z => 0x20,
        code::P => 0x40,
        code::I => NOLOAD_UNINTERRUPTIBLE,
        code::W => WAKING,
        _ => NOT_READ,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_read_as_the_kernel_reports_them() {
        let cases = [
            (0, "R"),
            (PREEMPTED, "R+"),
            (PREEMPTED | 1, "R+"),
            (NEW, "R"),
            (1, "S"),
            (0x2001, "S"), // TASK_FREEZABLE
            (2, "D"),
            (0x102, "D"), // TASK_KILLABLE
            (0x402, "I"),
            (0x80, "X"),
            (0x80 | 0x20, "Z"),
            (0x80 | 0x10, "X"),
            (0x40, "P"),
            (0x200, "W"),
            (0x1000, "D"),
            (0x8000, "D"),
            (0x104, "T"),
            (8, "t"),
            (0x10_0000, "?"),
        ];
        for (word, letter) in cases {
            assert_eq!(code::NAMES[usize::from(of_word(word))], letter, "{word:#x}");
        }
    }

    #[test]
    fn every_state_survives_the_word() {
        for state in 0..=code::UNKNOWN {
            let expected = if matches!(state, code::K | code::N) { code::UNKNOWN } else { state };
            assert_eq!(of_word(to_word(state)), expected);
        }
    }
}
