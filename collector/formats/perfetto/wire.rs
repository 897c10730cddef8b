//! The wire format of protocol buffers, read in place and written by hand: only a few fields of large messages matter.
//!
//! Source: protobuf.dev/programming-guides/encoding.

/// The bytes are not a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// Integers, booleans and enumerations.
    Varint(u64),
    /// fixed64, double.
    Fixed64(u64),
    /// Texts, bytes, messages, packed lists.
    Bytes(&'a [u8]),
    /// fixed32, float.
    Fixed32(u32),
}

impl<'a> Value<'a> {
    /// The number; 0 for other values.
    #[inline]
    pub fn number(self) -> u64 {
        match self {
            Self::Varint(n) | Self::Fixed64(n) => n,
            Self::Fixed32(n) => n.into(),
            Self::Bytes(_) => 0,
        }
    }

    /// The bytes; nothing for a number.
    #[inline]
    pub fn bytes(self) -> &'a [u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            _ => &[],
        }
    }

    /// The text, damaged bytes replaced.
    pub fn text(self) -> String {
        String::from_utf8_lossy(self.bytes()).into_owned()
    }
}

/// A message: its fields one by one, in the order of the bytes.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Message<'a> {
    /// The message in these bytes.
    #[inline]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// How far it has been read.
    #[inline]
    pub fn at(&self) -> usize {
        self.at
    }

    #[inline]
    fn varint(&mut self) -> Result<u64, Malformed> {
        let (value, used) = varint(&self.bytes[self.at..])?;
        self.at += used;
        Ok(value)
    }

    #[inline]
    fn take(&mut self, len: u64) -> Result<&'a [u8], Malformed> {
        let rest = &self.bytes[self.at..];
        let len = usize::try_from(len).map_err(|_| Malformed)?;
        let taken = rest.get(..len).ok_or(Malformed)?;
        self.at += len;
        Ok(taken)
    }

    #[inline]
    fn field(&mut self) -> Result<(u32, Value<'a>), Malformed> {
        let tag = self.varint()?;
        let number = u32::try_from(tag >> 3).map_err(|_| Malformed)?;
        if number == 0 {
            return Err(Malformed);
        }
        let value = match tag & 7 {
            0 => Value::Varint(self.varint()?),
            1 => Value::Fixed64(u64::from_le_bytes(self.take(8)?.try_into().map_err(|_| Malformed)?)),
            2 => {
                let len = self.varint()?;
                Value::Bytes(self.take(len)?)
            }
            5 => Value::Fixed32(u32::from_le_bytes(self.take(4)?.try_into().map_err(|_| Malformed)?)),
            _ => return Err(Malformed), // groups are used nowhere
        };
        Ok((number, value))
    }
}

impl<'a> Iterator for Message<'a> {
    type Item = Result<(u32, Value<'a>), Malformed>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.at == self.bytes.len() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.at = self.bytes.len(); // nothing after it can be read
        }
        Some(field)
    }
}

/// A number at the start of the bytes, and how many of them it takes.
#[inline]
pub fn varint(bytes: &[u8]) -> Result<(u64, usize), Malformed> {
    let mut value = 0;
    for (n, &byte) in bytes.iter().take(10).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * n);
        if byte < 0x80 {
            return Ok((value, n + 1));
        }
    }
    Err(Malformed)
}

/// The numbers of a packed list, or the one number of a list that is not packed.
pub fn numbers(value: Value<'_>, out: &mut Vec<u64>) -> Result<(), Malformed> {
    let Value::Bytes(mut bytes) = value else {
        out.push(value.number());
        return Ok(());
    };
    while !bytes.is_empty() {
        let (number, used) = varint(bytes)?;
        out.push(number);
        bytes = &bytes[used..];
    }
    Ok(())
}

/// A signed number from its unsigned form, small ones near zero (sint64).
#[inline]
pub fn unzigzag(n: u64) -> i64 {
    (n >> 1) as i64 ^ -((n & 1) as i64)
}

/// The unsigned form of a signed number (sint64).
#[inline]
pub fn zigzag(n: i64) -> u64 {
    ((n << 1) ^ (n >> 63)) as u64
}

/// Append a number.
#[inline]
pub fn put_varint(out: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

/// Append a field with a number.
#[inline]
pub fn put_number(out: &mut Vec<u8>, field: u32, n: u64) {
    put_varint(out, u64::from(field) << 3);
    put_varint(out, n);
}

/// Append a field with a signed number (int32, int64).
#[inline]
pub fn put_signed(out: &mut Vec<u8>, field: u32, n: i64) {
    put_number(out, field, n as u64);
}

/// Append a field with bytes: a text, a message, a packed list.
#[inline]
pub fn put_bytes(out: &mut Vec<u8>, field: u32, bytes: &[u8]) {
    put_varint(out, u64::from(field) << 3 | 2);
    put_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Append a field with a text.
#[inline]
pub fn put_text(out: &mut Vec<u8>, field: u32, text: &str) {
    put_bytes(out, field, text.as_bytes());
}

/// Append a field with a message that `fill` writes.
pub fn put_message(out: &mut Vec<u8>, field: u32, fill: impl FnOnce(&mut Vec<u8>)) {
    let mut message = Vec::new();
    fill(&mut message);
    put_bytes(out, field, &message);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut bytes = Vec::new();
        put_number(&mut bytes, 1, u64::MAX);
        put_signed(&mut bytes, 5000, -3);
        put_text(&mut bytes, 2, "a b");
        put_message(&mut bytes, 3, |inner| put_number(inner, 15, 300));
        let fields: Vec<_> = Message::new(&bytes).map(Result::unwrap).collect();
        assert_eq!(
            fields[..3],
            [(1, Value::Varint(u64::MAX)), (5000, Value::Varint(-3_i64 as u64)), (2, Value::Bytes(b"a b"))]
        );
        assert_eq!(Message::new(fields[3].1.bytes()).next(), Some(Ok((15, Value::Varint(300)))));
        assert!([0, 1, -1, i64::MIN, i64::MAX].iter().all(|&n| unzigzag(zigzag(n)) == n));
    }

    #[test]
    fn hostile_bytes_end_the_message() {
        for bytes in [
            &[0x08][..],                                       // no number
            &[0xff; 11],                                       // a number without end
            &[0x0a, 0x05, 1],                                  // longer than the rest
            &[0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01], // longer than anything
            &[0x0b, 0x0c],                                     // a group
            &[0x00, 0x00],                                     // field 0
            &[0x09, 1, 2, 3],                                  // fixed64 cut short
            &[0x0d, 1],                                        // fixed32 cut short
        ] {
            let read: Vec<_> = Message::new(bytes).collect();
            assert_eq!(read, [Err(Malformed)], "{bytes:x?}");
        }
    }
}
