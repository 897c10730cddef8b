//! Lines of a kernel stack below the event they belong to.
//!
//! ftrace: ` => schedule`, ` => schedule+0x12/0x80`, ` => schedule <ffffffff81a0>`; trace-cmd: `=> schedule (ffffffff81a0)`;
//! perf script: `\tffffffff81a0 schedule+0x23 ([kernel.kallsyms])`.

use crate::head::{skip_blanks, trim_end};
use memchr::memchr;

/// A frame, with its address where that is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    pub symbol: &'a [u8],
    pub address: Option<u64>,
}

/// The frame in this line; `None`: there is none.
pub fn frame(line: &[u8]) -> Option<Frame<'_>> {
    let text = skip_blanks(line);
    if let Some(rest) = text.strip_prefix(b"=>") {
        return Some(arrow(trim_end(skip_blanks(rest))));
    }
    if text.len() == line.len() {
        return None;
    }
    let blank = memchr(b' ', text)?;
    let address = hex(&text[..blank])?;
    let rest = skip_blanks(&text[blank..]);
    let end = memchr::memmem::rfind(rest, b" (").filter(|_| rest.ends_with(b")"))?;
    Some(Frame { symbol: &rest[..end], address: Some(address) })
}

fn arrow(text: &[u8]) -> Frame<'_> {
    let (word, rest) = text.split_at(memchr(b' ', text).unwrap_or(text.len()));
    let inner = match skip_blanks(rest) {
        [b'(', inner @ .., b')'] | [b'<', inner @ .., b'>'] => hex(inner),
        _ => None,
    };
    // `+0x12/0x80`: offset and length; the length is not part of a symbol's name here.
    let symbol = &word[..memchr::memrchr(b'/', word).filter(|_| memchr(b'+', word).is_some()).unwrap_or(word.len())];
    Frame { symbol, address: inner }
}

fn hex(digits: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(digits).ok()?;
    u64::from_str_radix(text, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_all_tools_are_read() {
        let expect = |line: &str, symbol: &str, address| {
            assert_eq!(frame(line.as_bytes()), Some(Frame { symbol: symbol.as_bytes(), address }), "{line}");
        };
        expect(" => schedule", "schedule", None);
        expect(" => schedule+0x12/0x80", "schedule+0x12", None);
        expect(" => schedule <ff1a>", "schedule", Some(0xff1a));
        expect("=> schedule (ff1a)", "schedule", Some(0xff1a));
        expect("\t          ff1a schedule+0x23 ([kernel.kallsyms])", "schedule+0x23", Some(0xff1a));
        for line in ["", " a-1 [000] 5.0: e: x", "ff1a x (y)", "\tnothing here", "\t12 x"] {
            assert_eq!(frame(line.as_bytes()), None, "{line}");
        }
    }
}
