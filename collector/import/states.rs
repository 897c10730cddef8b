//! `prev_state` of a switch, as kernels and tools have written it.

use wastenot_schemas::task_state as code;

/// Bits and letters of `prev_state` in one trace.
///
/// "Preempted" is the bit above those of TASK_REPORT and moved with it: 256 (0x100) since 4.14, and 1024, 2048 or 4096
/// (TASK_STATE_MAX) before; LTTng writes the same numbers. Whatever lies above the named bits is therefore read as preempted.
/// Sources: include/linux/sched.h (TASK_REPORT, TASK_REPORT_MAX), include/trace/events/sched.h (print format).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct States(Vec<(u64, char)>);

impl Default for States {
    /// The bits of kernels since 4.14.
    fn default() -> Self {
        Self::of_letters("SDTtXZPI")
    }
}

impl States {
    fn of_letters(letters: &str) -> Self {
        Self(letters.chars().enumerate().map(|(n, letter)| (1 << n, letter)).collect())
    }

    /// The bits that a kernel of this release uses, where the trace does not name them itself.
    pub fn of_release(release: &str) -> Self {
        let mut parts = release.split(|c: char| !c.is_ascii_digit()).map(|part| part.parse::<u32>().unwrap_or(0));
        match (parts.next().unwrap_or(0), parts.next().unwrap_or(0)) {
            (0, _) => Self::default(),
            version if version < (4, 14) => Self::of_letters("SDTtZXxKWPNn"),
            _ => Self::default(),
        }
    }

    /// The bits that the print text of the event's format names (`{ 0x01, "S" }, { 2, "D" }`); none: as since 4.14.
    pub fn of_print_format(print: &str) -> Self {
        let pairs = print.split('{').skip(1).filter_map(|part| {
            let (bit, letter) = part.split('}').next()?.split_once(',')?;
            let letter = letter.trim().trim_matches('"');
            let bit = number(bit.trim())?;
            (letter.len() == 1 && bit > 0).then(|| letter.chars().next().map(|letter| (bit, letter)))?
        });
        let pairs: Vec<_> = pairs.collect();
        if pairs.is_empty() { Self::default() } else { Self(pairs) }
    }

    /// The code of `task_state` for a number.
    pub fn code(&self, raw: i64) -> u8 {
        let raw = raw as u64;
        if raw == 0 {
            return code::R;
        }
        let named = self.0.iter().fold(0, |all, (bit, _)| all | bit);
        if raw > named {
            return code::R_PREEMPTED;
        }
        let lowest = self.0.iter().filter(|(bit, _)| raw & bit != 0).min_by_key(|(bit, _)| *bit);
        lowest.map_or(code::UNKNOWN, |&(_, letter)| of_letter(letter))
    }

    /// The code for what a text trace has: `R+`, `S`, `D|T`, `R|K`, `x`, `0x1`, `64`.
    pub fn code_of_text(&self, text: &str) -> u8 {
        let text = text.trim();
        if let Some(raw) = number(text) {
            return self.code(raw as i64);
        }
        if text.contains('+') {
            return code::R_PREEMPTED; // whatever else: it was taken off the CPU while it could run
        }
        let mut parts = text.split('|');
        let first = parts.next().unwrap_or("");
        match (first.chars().next(), parts.next().and_then(|part| part.chars().next())) {
            // A bare R says runnable; beside another state (R|D) the kernel means that one.
            (Some('R'), Some(other)) => of_letter(other),
            (Some(letter), _) => of_letter(letter),
            (None, _) => code::UNKNOWN,
        }
    }
}

/// Decimal or 0x-hexadecimal.
fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

fn of_letter(letter: char) -> u8 {
    match letter {
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
        _ => code::UNKNOWN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preempted_is_told_whatever_its_number() {
        let (new, old) = (States::default(), States::of_release("3.10.0-1160"));
        assert_eq!([256, 1024, 2048, 4096].map(|raw| new.code(raw)), [code::R_PREEMPTED; 4]);
        assert_eq!([4096, 4097].map(|raw| old.code(raw)), [code::R_PREEMPTED; 2]);
        assert_eq!(
            [0, 1, 2, 16, 32, 128].map(|raw| new.code(raw)),
            [code::R, code::S, code::D, code::X, code::Z, code::I]
        );
        assert_eq!([16, 32].map(|raw| old.code(raw)), [code::Z, code::X]);
    }

    #[test]
    fn the_format_names_its_bits() {
        let print = r#""prev_state=%s%s", (REC->prev_state & 0xff) ? __print_flags(REC->prev_state & 0xff, "|", { 0x00000001, "S" }, { 0x00000002, "D" }, { 0x00000010, "X" }) : "R""#;
        let states = States::of_print_format(print);
        assert_eq!([1, 2, 16, 32].map(|raw| states.code(raw)), [code::S, code::D, code::X, code::R_PREEMPTED]);
        assert_eq!(States::of_print_format("no braces"), States::default());
    }

    #[test]
    fn texts_are_read_as_tools_write_them() {
        let states = States::default();
        for (text, expected) in [
            ("R", code::R),
            ("R+", code::R_PREEMPTED),
            ("S", code::S),
            ("D|T", code::D),
            ("0x1", code::S),
            ("64", code::P),
            ("256", code::R_PREEMPTED),
            ("x", code::X),
            ("R|D", code::D),
            ("I", code::I),
            ("", code::UNKNOWN),
            ("?", code::UNKNOWN),
            ("S+", code::R_PREEMPTED),
            ("0x", code::UNKNOWN),
        ] {
            assert_eq!(states.code_of_text(text), expected, "{text:?}");
        }
    }
}
