//! Numbers and texts out of bytes whose order the file chooses.

use wastenot_import::Endian;

/// Reads forward; `None` at the end.
#[derive(Clone, Copy)]
pub struct Bytes<'a> {
    rest: &'a [u8],
    endian: Endian,
}

impl<'a> Bytes<'a> {
    pub fn new(bytes: &'a [u8], endian: Endian) -> Self {
        Self { rest: bytes, endian }
    }

    pub fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    /// The next `count` bytes, whose number a file says.
    pub fn take_sized(&mut self, count: u64) -> Option<&'a [u8]> {
        self.take(usize::try_from(count).ok()?)
    }

    pub fn u16(&mut self) -> Option<u16> {
        let bytes = self.take(2)?.try_into().ok()?;
        Some(if self.endian == Endian::Little { u16::from_le_bytes(bytes) } else { u16::from_be_bytes(bytes) })
    }

    pub fn u32(&mut self) -> Option<u32> {
        self.take(4).map(|bytes| word(bytes, self.endian))
    }

    pub fn u64(&mut self) -> Option<u64> {
        self.take(8).map(|bytes| long(bytes, self.endian))
    }

    /// A text and the NUL that ends it.
    pub fn text(&mut self) -> Option<&'a [u8]> {
        let end = self.rest.iter().position(|&b| b == 0)?;
        let text = self.take(end);
        self.take(1);
        text
    }
}

/// The number in 4 bytes; panics when there are others.
#[inline]
pub fn word(bytes: &[u8], endian: Endian) -> u32 {
    let bytes = bytes.try_into().expect("4 bytes");
    if endian == Endian::Little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) }
}

/// The number in 8 bytes; panics when there are others.
#[inline]
pub fn long(bytes: &[u8], endian: Endian) -> u64 {
    let bytes = bytes.try_into().expect("8 bytes");
    if endian == Endian::Little { u64::from_le_bytes(bytes) } else { u64::from_be_bytes(bytes) }
}
