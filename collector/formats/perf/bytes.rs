//! Numbers and texts in the byte order of the machine that wrote the file.

use wastenot_import::Endian;

/// A stretch of the file. Whatever lies beyond its end is None.
#[derive(Clone, Copy)]
pub struct Bytes<'a> {
    pub data: &'a [u8],
    pub endian: Endian,
}

macro_rules! number {
    ($name:ident, $type:ty) => {
        #[inline]
        pub fn $name(&self, at: usize) -> Option<$type> {
            let bytes = self.data.get(at..at.checked_add(size_of::<$type>())?)?.try_into().ok()?;
            Some(match self.endian {
                Endian::Little => <$type>::from_le_bytes(bytes),
                Endian::Big => <$type>::from_be_bytes(bytes),
            })
        }
    };
}

impl<'a> Bytes<'a> {
    pub fn new(data: &'a [u8], endian: Endian) -> Self {
        Self { data, endian }
    }

    number!(u16, u16);
    number!(u32, u32);
    number!(u64, u64);
    number!(i32, i32);

    /// From `at` on.
    #[inline]
    pub fn from(&self, at: usize) -> Option<Self> {
        Some(Self { data: self.data.get(at..)?, ..*self })
    }
}

/// Reads one thing after the other.
pub struct Cursor<'a> {
    rest: Bytes<'a>,
}

impl<'a> Cursor<'a> {
    pub fn new(bytes: Bytes<'a>) -> Self {
        Self { rest: bytes }
    }

    /// What has not been read.
    pub fn rest(&self) -> Bytes<'a> {
        self.rest
    }

    pub fn u8(&mut self) -> Option<u8> {
        Some(self.take(1)?[0])
    }

    pub fn u32(&mut self) -> Option<u32> {
        let number = self.rest.u32(0)?;
        self.take(4)?;
        Some(number)
    }

    pub fn u64(&mut self) -> Option<u64> {
        let number = self.rest.u64(0)?;
        self.take(8)?;
        Some(number)
    }

    pub fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.data.split_at_checked(count)?;
        self.rest.data = rest;
        Some(taken)
    }

    /// A length in 64 bits and as many bytes.
    pub fn long_block(&mut self) -> Option<&'a [u8]> {
        let length = self.u64()?;
        self.take(usize::try_from(length).ok()?)
    }

    /// A length in 32 bits and as many bytes, of which those before the first NUL are the text.
    pub fn text(&mut self) -> Option<String> {
        let length = self.u32()?;
        let bytes = self.take(usize::try_from(length).ok()?)?;
        Some(text(bytes))
    }

    /// Up to a NUL, which is passed over.
    pub fn c_text(&mut self) -> Option<&'a [u8]> {
        let end = self.rest.data.iter().position(|&b| b == 0)?;
        let text = self.take(end)?;
        self.take(1)?;
        Some(text)
    }
}

/// The text before the first NUL.
pub fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}
