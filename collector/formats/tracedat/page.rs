//! A page of the kernel's ring buffer, in either byte order and for kernels of 32 and 64 bits.
//!
//! Source: include/linux/ring_buffer.h, kernel/trace/ring_buffer.c; `events/header_page` and `events/header_event`.

use crate::bytes::{long, word};
use wastenot_import::Endian;

/// Events were overwritten before this page was read.
const MISSED: u64 = 1 << 31;
/// Their number follows the page's data.
const MISSED_STORED: u64 = 1 << 30;
const LENGTH: u64 = (1 << 27) - 1;

/// How pages are laid out in one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageFormat {
    pub endian: Endian,
    /// Size of `commit` (bytes).
    pub long_size: usize,
    /// Where the events begin.
    pub data_offset: usize,
}

/// The position of the reader in a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    /// Next byte to read.
    at: usize,
    end: usize,
    /// Stamp of the last event.
    ts: u64,
}

/// An event: its stamp and where its record lies in the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    pub ts: u64,
    pub from: usize,
    pub to: usize,
}

/// The page cannot be read on from this byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageError(pub usize);

impl PageFormat {
    /// Start a page; also the number of events that were lost before it (0: unknown; `None`: nothing lost).
    pub fn begin(&self, page: &[u8]) -> Result<(Cursor, Option<u64>), PageError> {
        let head = page.get(..self.data_offset).ok_or(PageError(0))?;
        let ts = long(&head[..8], self.endian);
        let number = |bytes: &[u8]| match self.long_size {
            4 => word(bytes, self.endian).into(),
            _ => long(bytes, self.endian),
        };
        let commit = number(&head[8..8 + self.long_size]);
        let end = self.data_offset + (commit & LENGTH) as usize;
        if end > page.len() {
            return Err(PageError(8));
        }
        let missed = (commit & MISSED != 0).then(|| {
            let stored = page.get(end..end + self.long_size).filter(|_| commit & MISSED_STORED != 0);
            stored.map_or(0, number)
        });
        Ok((Cursor { at: self.data_offset, end, ts }, missed))
    }

    /// The next event of the page.
    #[inline]
    pub fn next(&self, page: &[u8], cursor: &mut Cursor) -> Result<Option<Record>, PageError> {
        let data = &page[..cursor.end];
        let number = |at: usize| data.get(at..at + 4).map(|bytes| word(bytes, self.endian)).ok_or(PageError(at));
        while cursor.at < cursor.end {
            let at = cursor.at;
            let head = number(at)?;
            // The two parts of the word are in reverse order on big-endian machines, as C's bit fields do.
            let (kind, delta) = match self.endian {
                Endian::Little => (head & 31, u64::from(head >> 5)),
                Endian::Big => (head >> 27, u64::from(head & ((1 << 27) - 1))),
            };
            match kind {
                29 if delta == 0 => {
                    cursor.at = cursor.end; // the rest of the page is empty
                    break;
                }
                29 => {
                    cursor.ts = cursor.ts.wrapping_add(delta);
                    cursor.at = at + 4 + number(at + 4)? as usize;
                }
                30 => {
                    cursor.ts = cursor.ts.wrapping_add((u64::from(number(at + 4)?) << 27) + delta);
                    cursor.at = at + 8;
                }
                31 => {
                    let low = (u64::from(number(at + 4)?) << 27) + delta;
                    cursor.ts = cursor.ts & !((1 << 59) - 1) | low;
                    cursor.at = at + 8;
                }
                _ => {
                    // Short records have their length in words in the head, long ones (with the word itself) behind it.
                    let (from, length) = if kind == 0 {
                        (at + 8, (number(at + 4)? as usize).checked_sub(4).ok_or(PageError(at))?)
                    } else {
                        (at + 4, kind as usize * 4)
                    };
                    let to = from.checked_add(length).filter(|&to| to <= cursor.end).ok_or(PageError(at))?;
                    cursor.ts = cursor.ts.wrapping_add(delta);
                    cursor.at = to.next_multiple_of(4);
                    return Ok(Some(Record { ts: cursor.ts, from, to }));
                }
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn page_formats() -> [PageFormat; 4] {
        let page_format = |endian, long_size| PageFormat { endian, long_size, data_offset: 8 + long_size };
        [
            page_format(Endian::Little, 8),
            page_format(Endian::Little, 4),
            page_format(Endian::Big, 8),
            page_format(Endian::Big, 4),
        ]
    }

    fn bytes_of(page_format: PageFormat, n: u64, size: usize) -> Vec<u8> {
        if page_format.endian == Endian::Little {
            n.to_le_bytes()[..size].to_vec()
        } else {
            n.to_be_bytes()[8 - size..].to_vec()
        }
    }

    fn head(page_format: PageFormat, delta: u32, kind: u32) -> u32 {
        if page_format.endian == Endian::Little { (delta << 5) | kind } else { (kind << 27) | delta }
    }

    fn page(page_format: PageFormat, ts: u64, flags: u64, words: &[u32]) -> Vec<u8> {
        let mut bytes = bytes_of(page_format, ts, 8);
        bytes.extend(bytes_of(page_format, (words.len() as u64 * 4) | flags, page_format.long_size));
        words.iter().for_each(|&word| bytes.extend(bytes_of(page_format, word.into(), 4)));
        bytes
    }

    fn events(page_format: PageFormat, page: &[u8]) -> Result<Vec<(u64, usize)>, PageError> {
        let (mut cursor, _) = page_format.begin(page)?;
        let mut seen = Vec::new();
        while let Some(record) = page_format.next(page, &mut cursor)? {
            assert!(record.to <= page.len() && seen.len() <= page.len());
            seen.push((record.ts, record.to - record.from));
        }
        Ok(seen)
    }

    #[test]
    fn short_and_long_records_and_times_are_read() {
        for page_format in page_formats() {
            let head = |delta, kind| head(page_format, delta, kind);
            let words = [
                head(10, 2),
                1,
                2, // 8 bytes, 10 ns later
                head(3, 30),
                1, // 2^27 + 3 ns later
                head(5, 0),
                8,
                3, // the length 8 counts its own word
                head(9, 31),
                2, // absolute: 2 * 2^27 + 9
                head(1, 1),
                4,
                head(0, 29),
                !0, // nothing more
            ];
            let far = 1u64 << 27;
            assert_eq!(
                events(page_format, &page(page_format, 100, 0, &words)),
                Ok(vec![(110, 8), (110 + far + 8, 4), (2 * far + 10, 4)])
            );
        }
    }

    #[test]
    fn losses_are_reported_with_their_number_where_it_is_known() {
        for page_format in page_formats() {
            let missed = |page: &[u8]| page_format.begin(page).unwrap().1;
            let mut bytes = page(page_format, 1, MISSED | MISSED_STORED, &[head(page_format, 1, 1), 7]);
            bytes.extend(bytes_of(page_format, 42, page_format.long_size));
            assert_eq!(missed(&bytes), Some(42));
            assert_eq!(missed(&page(page_format, 1, MISSED, &[])), Some(0));
            assert_eq!(missed(&page(page_format, 1, 0, &[])), None);
            assert_eq!(page_format.begin(&bytes[..10]), Err(PageError(0)));
            assert_eq!(page_format.begin(&bytes[..page_format.data_offset + 4]), Err(PageError(8)));
        }
    }

    proptest! {
        #[test]
        fn no_words_make_it_panic_or_run_forever(words in prop::collection::vec(any::<u32>(), 0..60), tail in any::<u64>()) {
            for page_format in page_formats() {
                let _ = events(page_format, &page(page_format, tail, 0, &words));
                let _ = events(page_format, &page(page_format, tail, tail & (MISSED | MISSED_STORED), &words));
                let _ = page_format.begin(&tail.to_le_bytes());
            }
        }
    }
}
