//! Sets of CPUs as records carry them, and task states as the tables name them.

use wastenot_topology::set_bits;

/// 64-bit little-endian words inside a frame: addresses of a stack, counters, the words of a mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words<'a>(&'a [u8]);

impl<'a> Words<'a> {
    /// Over bytes whose length is a multiple of 8 (a rest is ignored).
    pub fn from_bytes(bytes: &'a [u8]) -> Self {
        Self(&bytes[..bytes.len() / 8 * 8])
    }

    /// The bytes behind the words.
    pub fn as_bytes(self) -> &'a [u8] {
        self.0
    }

    /// The words in order.
    pub fn iter(self) -> impl Iterator<Item = u64> + 'a {
        self.0.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().expect("chunks of 8")))
    }
}

/// A CPU mask inside a frame; CPU 0 is the lowest bit of the first word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mask<'a>(Words<'a>);

impl<'a> Mask<'a> {
    /// Over bytes whose length is a multiple of 8 (a rest is ignored).
    pub fn from_bytes(bytes: &'a [u8]) -> Self {
        Self(Words::from_bytes(bytes))
    }

    /// The bytes behind the words.
    pub fn as_bytes(self) -> &'a [u8] {
        self.0.as_bytes()
    }

    /// The 64-bit words.
    pub fn words(self) -> impl Iterator<Item = u64> + 'a {
        self.0.iter()
    }

    /// The CPUs in the mask, ascending.
    pub fn cpus(self) -> impl Iterator<Item = u16> + 'a {
        set_bits(self.words()).map(|cpu| cpu as u16)
    }
}

/// Bit of [`crate::record::Switch::prev_state`] that says: preempted, still runnable.
pub const PREEMPTED: u32 = 1 << 31;

/// Code of enum `task_state` (schemas/enums.toml) for a state word as recorded. The low bits are the same in all kernels
/// since 4.14 (include/linux/sched.h: TASK_REPORT); the rules are those of `__task_state_index`.
pub fn task_state(raw: u32) -> u8 {
    const NOLOAD_UNINTERRUPTIBLE: u32 = 0x402;
    const RTLOCK_WAIT: u32 = 0x1000;
    const NEW: u32 = 0x800;
    const FROZEN: u32 = 0x8000;
    const DEAD: u32 = 0x80;
    if raw & PREEMPTED != 0 {
        return 1; // R+
    }
    if raw & 0x7f == 0 {
        return match raw {
            0 | NEW => 0,                                // R
            _ if raw & DEAD != 0 => 6,                   // X
            _ if raw & (RTLOCK_WAIT | FROZEN) != 0 => 3, // D, as the kernel reports both
            _ => 13,                                     // ?
        };
    }
    if raw & NOLOAD_UNINTERRUPTIBLE == NOLOAD_UNINTERRUPTIBLE {
        return 9; // I
    }
    match 31 - (raw & 0x7f).leading_zeros() {
        0 => 2, // S
        1 => 3, // D
        2 => 4, // T
        3 => 5, // t
        4 => 6, // X
        5 => 7, // Z
        _ => 8, // P
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpus_of_a_mask_cross_word_borders_in_order() {
        let bytes: Vec<u8> = [1u64 << 63 | 1, 0, 0b10].iter().flat_map(|w| w.to_le_bytes()).collect();
        assert_eq!(Mask::from_bytes(&bytes).cpus().collect::<Vec<_>>(), [0, 63, 129]);
    }

    #[test]
    fn states_read_as_the_kernel_reports_them() {
        let letters = ["R", "R+", "S", "D", "T", "t", "X", "Z", "P", "I", "K", "W", "N", "?"];
        let cases = [
            (0, "R"),
            (PREEMPTED, "R+"),
            (PREEMPTED | 1, "R+"),
            (1, "S"),
            (0x2001, "S"), // TASK_FREEZABLE
            (2, "D"),
            (0x102, "D"), // TASK_KILLABLE
            (0x402, "I"),
            (0x80, "X"),
            (0x80 | 0x20, "Z"),
            (0x80 | 0x10, "X"),
            (0x40, "P"),
            (0x1000, "D"),
            (0x8000, "D"),
            (0x104, "T"),
            (8, "t"),
            (0x10_0000, "?"),
        ];
        for (raw, letter) in cases {
            assert_eq!(letters[usize::from(task_state(raw))], letter, "{raw:#x}");
        }
    }
}
