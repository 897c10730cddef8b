//! The encoding of a checkpoint: numbers as in LEB128, small ones in a byte.
//!
//! One function names the fields of a value in their order; whether they are written or read depends on the coder it is given,
//! so that the two cannot differ.

/// A state cannot be read: it was cut, changed, or written by another version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damaged;

/// Result of coding a field.
pub type Coded = Result<(), Damaged>;

/// Writes or reads fields.
pub trait Coder {
    /// A number of 64 bits, without a sign.
    fn number(&mut self, value: &mut u64) -> Coded;

    /// A text.
    fn text(&mut self, value: &mut Box<str>) -> Coded;

    /// A number of 64 bits, small where it is near 0.
    fn signed(&mut self, value: &mut i64) -> Coded {
        let mut folded = ((*value << 1) ^ (*value >> 63)) as u64;
        self.number(&mut folded)?;
        *value = (folded >> 1) as i64 ^ -((folded & 1) as i64);
        Ok(())
    }

    /// A number that is near another.
    fn near(&mut self, value: &mut i64, other: i64) -> Coded {
        let mut apart = value.wrapping_sub(other);
        self.signed(&mut apart)?;
        *value = other.wrapping_add(apart);
        Ok(())
    }

    /// A number of a narrower type.
    fn narrow<T: TryFrom<i64> + Copy>(&mut self, value: &mut T) -> Coded
    where
        i64: From<T>,
    {
        let mut wide = i64::from(*value);
        self.signed(&mut wide)?;
        *value = T::try_from(wide).map_err(|_| Damaged)?;
        Ok(())
    }

    /// Truth values, a bit each.
    fn flags<const N: usize>(&mut self, flags: [&mut bool; N]) -> Coded {
        let mut bits = flags.iter().rev().fold(0, |bits, flag| bits << 1 | u64::from(**flag));
        self.number(&mut bits)?;
        if N < 64 && bits >> N != 0 {
            return Err(Damaged);
        }
        for (at, flag) in flags.into_iter().enumerate() {
            *flag = bits >> at & 1 != 0;
        }
        Ok(())
    }

    /// A value that may be absent.
    fn option<T: Default>(&mut self, value: &mut Option<T>, code: impl FnOnce(&mut Self, &mut T) -> Coded) -> Coded {
        let mut there = value.is_some();
        self.flags([&mut there])?;
        if !there {
            *value = None;
            return Ok(());
        }
        code(self, value.get_or_insert_default())
    }

    /// A list.
    fn list<T: Default>(&mut self, list: &mut Vec<T>, mut code: impl FnMut(&mut Self, &mut T) -> Coded) -> Coded {
        let mut len = list.len() as u64;
        self.number(&mut len)?;
        let len = usize::try_from(len).map_err(|_| Damaged)?;
        for at in 0..len {
            if at == list.len() {
                list.push(T::default());
            }
            code(self, &mut list[at])?;
        }
        Ok(())
    }
}

/// Writes.
#[derive(Default)]
pub struct Writer(pub Vec<u8>);

impl Coder for Writer {
    fn number(&mut self, value: &mut u64) -> Coded {
        let mut rest = *value;
        while rest >= 0x80 {
            self.0.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        self.0.push(rest as u8);
        Ok(())
    }

    fn text(&mut self, value: &mut Box<str>) -> Coded {
        self.number(&mut (value.len() as u64))?;
        self.0.extend_from_slice(value.as_bytes());
        Ok(())
    }
}

/// Reads what is left of a text of bytes.
pub struct Reader<'a>(pub &'a [u8]);

impl Coder for Reader<'_> {
    fn number(&mut self, value: &mut u64) -> Coded {
        *value = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.0.split_first().ok_or(Damaged)?;
            self.0 = rest;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return Err(Damaged);
            }
            *value |= bits << shift;
            if byte < 0x80 {
                return Ok(());
            }
        }
        Err(Damaged)
    }

    fn text(&mut self, value: &mut Box<str>) -> Coded {
        let mut len = 0;
        self.number(&mut len)?;
        let len = usize::try_from(len).map_err(|_| Damaged)?;
        let (text, rest) = self.0.split_at_checked(len).ok_or(Damaged)?;
        *value = std::str::from_utf8(text).map_err(|_| Damaged)?.into();
        self.0 = rest;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_size_are_read_as_written() {
        let all = [0, 1, -1, 63, 64, -64, -65, 8191, 8192, i64::MAX, i64::MIN, i64::MAX - 1, i64::MIN + 1];
        let mut writer = Writer::default();
        for mut value in all {
            writer.signed(&mut value).unwrap();
            writer.near(&mut value, 1_700_000_000_000_000_000).unwrap();
        }
        let mut reader = Reader(&writer.0);
        for expected in all {
            let (mut value, mut near) = (7, 7);
            reader.signed(&mut value).unwrap();
            reader.near(&mut near, 1_700_000_000_000_000_000).unwrap();
            assert_eq!((value, near), (expected, expected));
        }
        assert!(reader.0.is_empty());
    }

    #[test]
    fn what_is_cut_or_does_not_fit_is_damaged() {
        let mut wide = 0u64;
        assert_eq!(Reader(&[0x80]).number(&mut wide), Err(Damaged));
        assert_eq!(Reader(&[0xff; 10]).number(&mut wide), Err(Damaged));
        let mut narrow = 0i16;
        let mut writer = Writer::default();
        writer.signed(&mut 40_000).unwrap();
        assert_eq!(Reader(&writer.0).narrow(&mut narrow), Err(Damaged));
        let mut list: Vec<u64> = Vec::new();
        assert_eq!(Reader(&[0xff, 0x7f]).list(&mut list, |coder, item| coder.number(item)), Err(Damaged));
        assert_eq!(Reader(&[2]).flags([&mut false]), Err(Damaged));
        assert_eq!(Reader(&[1, 0xff]).text(&mut "".into()), Err(Damaged));
    }
}
