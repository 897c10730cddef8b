//! A page of the kernel's trace buffer as `trace_pipe_raw` gives it.
//!
//! Source: include/linux/ring_buffer.h, kernel/trace/ring_buffer.c; `events/header_page` and `events/header_event`.

/// Events were overwritten before this page was read.
const MISSED: u64 = 1 << 31;
/// Their number follows the page's data.
const MISSED_STORED: u64 = 1 << 30;
const LENGTH: u64 = (1 << 27) - 1;

/// What a page says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page<'a> {
    /// Time of its first event (ns).
    pub ts_ns: u64,
    /// Events lost between the page before and this one: how many, 0 where unknown; `None` nothing lost.
    pub missed: Option<u64>,
    data: &'a [u8],
}

/// A page cannot be read on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MalformedPage {
    /// Byte of the page.
    pub offset: usize,
}

const DATA: usize = 16;

impl<'a> Page<'a> {
    /// Read the head of a page.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, MalformedPage> {
        let malformed = MalformedPage { offset: 0 };
        let word = |at: usize| {
            bytes.get(at..at + 8).map(|b| u64::from_ne_bytes(b.try_into().expect("8 bytes"))).ok_or(malformed)
        };
        let (ts_ns, commit) = (word(0)?, word(8)?);
        let length = (commit & LENGTH) as usize;
        let data = bytes.get(DATA..DATA + length).ok_or(malformed)?;
        let missed = (commit & MISSED != 0)
            .then(|| if commit & MISSED_STORED != 0 { word(DATA + length).unwrap_or(0) } else { 0 });
        Ok(Self { ts_ns, missed, data })
    }

    /// Visit its events: time and record.
    #[inline]
    pub fn events(&self, mut visit: impl FnMut(u64, &'a [u8])) -> Result<(), MalformedPage> {
        let (mut at, mut ts_ns) = (0, self.ts_ns);
        let word = |at: usize| {
            let bytes = self.data.get(at..at + 4).ok_or(MalformedPage { offset: DATA + at })?;
            Ok(u32::from_ne_bytes(bytes.try_into().expect("4 bytes")))
        };
        while at < self.data.len() {
            let head = word(at)?;
            let (kind, delta) = (head & 31, u64::from(head >> 5));
            match kind {
                29 if delta == 0 => return Ok(()), // the rest of the page is empty
                29 => {
                    ts_ns = ts_ns.wrapping_add(delta);
                    at += 4 + word(at + 4)? as usize;
                }
                30 => {
                    ts_ns = ts_ns.wrapping_add((u64::from(word(at + 4)?) << 27) + delta);
                    at += 8;
                }
                31 => {
                    let low = (u64::from(word(at + 4)?) << 27) + delta;
                    ts_ns = ts_ns & !((1 << 59) - 1) | low;
                    at += 8;
                }
                _ => {
                    ts_ns = ts_ns.wrapping_add(delta);
                    // Short records have their length in words in the head, long ones (with the word itself) behind it.
                    let (from, length) = if kind == 0 {
                        (at + 8, (word(at + 4)? as usize).wrapping_sub(4))
                    } else {
                        (at + 4, kind as usize * 4)
                    };
                    let end = from.checked_add(length).ok_or(MalformedPage { offset: DATA + at })?;
                    let record = self.data.get(from..end).ok_or(MalformedPage { offset: DATA + at })?;
                    visit(ts_ns, record);
                    at = end.next_multiple_of(4);
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn page(ts_ns: u64, commit_flags: u64, words: &[u32]) -> Vec<u8> {
        let mut bytes = ts_ns.to_ne_bytes().to_vec();
        bytes.extend(((words.len() as u64 * 4) | commit_flags).to_ne_bytes());
        bytes.extend(words.iter().flat_map(|word| word.to_ne_bytes()));
        bytes
    }

    fn events(bytes: &[u8]) -> Vec<(u64, Vec<u8>)> {
        let mut found = Vec::new();
        Page::parse(bytes).unwrap().events(|ts, record| found.push((ts, record.to_vec()))).unwrap();
        found
    }

    #[test]
    fn short_and_long_records_and_times_are_read() {
        let words = [
            10 << 5 | 2,
            0x1111_1111,
            0x2222_2222, // 8 bytes, 10 ns later
            3 << 5 | 30,
            1, // 2^27 + 3 ns later
            5 << 5,
            8,
            0x3333_3333, // the length 8 counts its own word
            9 << 5 | 31,
            2, // absolute: 2 * 2^27 + 9
            1 << 5 | 1,
            0x4444_4444,
            29, // nothing more
            0xffff_ffff,
        ];
        let long = 1u64 << 27;
        let expected = [
            (110, vec![0x11, 0x11, 0x11, 0x11, 0x22, 0x22, 0x22, 0x22]),
            (110 + long + 3 + 5, vec![0x33; 4]),
            (2 * long + 9 + 1, vec![0x44; 4]),
        ];
        assert_eq!(events(&page(100, 0, &words)), expected);
    }

    #[test]
    fn losses_are_reported_with_their_number_where_it_is_known() {
        let mut bytes = page(1, MISSED | MISSED_STORED, &[1 << 5 | 1, 7]);
        bytes.extend(42u64.to_ne_bytes());
        assert_eq!(Page::parse(&bytes).unwrap().missed, Some(42));
        assert_eq!(Page::parse(&page(1, MISSED, &[])).unwrap().missed, Some(0));
        assert_eq!(Page::parse(&page(1, 0, &[])).unwrap().missed, None);
        assert_eq!(Page::parse(&[0; 8]), Err(MalformedPage { offset: 0 }));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic_or_run_forever(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(page) = Page::parse(&bytes) {
                let _ = page.events(|_, _| {});
            }
        }

        #[test]
        fn no_words_do_either(words in prop::collection::vec(any::<u32>(), 0..40)) {
            let bytes = page(0, 0, &words);
            let _ = Page::parse(&bytes).unwrap().events(|_, _| {});
        }
    }
}
