//! What the text says about events that are not in it.

use crate::head::skip_blanks;
use memchr::memmem::{find, rfind};

/// `CPU:3 [LOST 123 EVENTS]`, `CPU:1 [195 EVENTS DROPPED]`, `CPU:1 [EVENTS DROPPED]`: the CPU and how many (0: unknown)
/// before its next event.
pub fn lost_events(line: &[u8]) -> Option<(u16, u64)> {
    let at = rfind(line, b"CPU")?;
    let rest = match &line[at + 3..] {
        [b':' | b' ', rest @ ..] => rest,
        _ => return None,
    };
    let (cpu, rest) = digits(rest)?;
    let inner = skip_blanks(rest).strip_prefix(b"[")?.strip_suffix(b"]")?;
    let says = |word: &[u8]| find(inner, word).is_some();
    if !says(b"EVENTS") || !(says(b"LOST") || says(b"DROPPED")) {
        return None;
    }
    let from = inner.iter().position(u8::is_ascii_digit);
    let count = from.and_then(|at| digits(&inner[at..])).map_or(0, |(count, _)| count);
    Some((u16::try_from(cpu).ok()?, count))
}

/// `# entries-in-buffer/entries-written: 140080/250280   #P:4`: how many were overwritten, and the number of CPUs.
pub fn overwritten(line: &[u8]) -> Option<(u64, u64)> {
    const KEY: &[u8] = b"entries-in-buffer/entries-written:";
    let rest = skip_blanks(&line[find(line, KEY)? + KEY.len()..]);
    let (kept, rest) = digits(rest)?;
    let (written, rest) = digits(rest.strip_prefix(b"/")?)?;
    let (cpus, _) = digits(&rest[find(rest, b"#P:")? + 3..])?;
    Some((written.saturating_sub(kept), cpus))
}

/// trace-cmd report's `cpus=8`.
pub fn cpus(line: &[u8]) -> Option<u64> {
    let (cpus, rest) = digits(line.strip_prefix(b"cpus=")?)?;
    rest.is_empty().then_some(cpus)
}

fn digits(text: &[u8]) -> Option<(u64, &[u8])> {
    let end = text.iter().position(|b| !b.is_ascii_digit()).unwrap_or(text.len());
    let number = std::str::from_utf8(&text[..end]).ok()?.parse().ok()?;
    Some((number, &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_read_as_each_tool_writes_them() {
        for (line, expected) in [
            ("CPU:3 [LOST 123 EVENTS]", Some((3, 123))),
            ("CPU:3 [LOST EVENTS]", Some((3, 0))),
            ("CPU:1 [195 EVENTS DROPPED]", Some((1, 195))),
            ("CPU:1 [EVENTS DROPPED]", Some((1, 0))),
            ("CPU 12 [7 EVENTS DROPPED]", Some((12, 7))),
            ("CPU:1 [EVENTS]", None),
            ("CPU:x [LOST 1 EVENTS]", None),
            ("CPU:99999 [LOST 1 EVENTS]", None),
            ("# CPU", None),
        ] {
            assert_eq!(lost_events(line.as_bytes()), expected, "{line}");
        }
    }

    #[test]
    fn heads_show_what_was_overwritten() {
        let line = b"# entries-in-buffer/entries-written: 140080/250280   #P:4";
        assert_eq!(overwritten(line), Some((110_200, 4)));
        assert_eq!(overwritten(b"# entries-in-buffer/entries-written: 1/x"), None);
        assert_eq!((cpus(b"cpus=8"), cpus(b"cpus=8 x"), cpus(b"cpus=")), (Some(8), None, None));
    }
}
