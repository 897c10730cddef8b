//! States of threads: what kernels, tracers and /proc write for them, as codes of enum `task_state`.
//!
//! | written | by | read with |
//! | --- | --- | --- |
//! | `prev_state` of a switch, a number or letters | kernels and tracers, differently by release | [`PrevStateDecoder`] |
//! | one of nine states, as a bit | tracepoints since 4.14 | [`of_reported`], the reverse of [`reported`] |
//! | `task_struct.state` and `exit_state` in a word | the BPF programs | [`of_word`], the reverse of [`to_word`] |
//! | a letter | /proc, print formats | [`of_letter`] |

mod decoder;
mod print_format;
mod raw_bits;
mod reported;
mod word;

pub use decoder::{PrevState, PrevStateDecoder, Tracer};
pub use print_format::bits_of_print_format;
pub use raw_bits::StateBits;
pub use reported::{of_reported, reported};
pub use word::{PREEMPTED, of_word, to_word};

use wastenot_schemas::task_state as code;

/// The code of a letter of TASK_STATE_TO_CHAR_STR, of print formats and of /proc/<tid>/stat (fs/proc/array.c: task_state_array); None: no
/// state of a thread has it.
pub fn of_letter(letter: char) -> Option<u8> {
    Some(match letter {
        'R' => code::R,
        'S' => code::S,
        'D' => code::D,
        'T' => code::T,
        't' => code::T_TRACED,
        'X' | 'x' => code::X,
        'Z' => code::Z,
        'P' => code::P,
        'I' => code::I,
        'K' => code::K,
        'W' => code::W,
        'N' => code::N,
        _ => return None,
    })
}

/// Decimal or 0x-hexadecimal.
fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_of_the_enumeration_is_read() {
        for (at, name) in code::NAMES.iter().enumerate() {
            let letter = Some(name.chars().next().unwrap()).filter(|_| name.len() == 1 && *name != "?");
            if let Some(letter) = letter {
                assert_eq!(of_letter(letter), Some(at as u8), "{name}");
            }
        }
        assert_eq!((of_letter('x'), of_letter('?'), of_letter('+'), of_letter('q')), (Some(code::X), None, None, None));
    }
}
