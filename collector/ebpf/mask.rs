//! Sets of CPUs as records carry them.

use wastenot_topology::set_bits;

/// 64-bit little-endian words inside a frame: addresses of a stack, counters, the words of a mask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Words<'a>(&'a [u8]);

impl<'a> Words<'a> {
    /// Over bytes whose length is a multiple of 8 (a rest is ignored).
    pub fn from_bytes(bytes: &'a [u8]) -> Self {
        Self(&bytes[..bytes.len() / 8 * 8])
    }

    /// The bytes behind the words.
    pub fn as_bytes(self) -> &'a [u8] {
        self.0
    }

    /// The words in order.
    pub fn iter(self) -> impl Iterator<Item = u64> + 'a {
        self.0.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().expect("chunks of 8")))
    }
}

/// A CPU mask inside a frame; CPU 0 is the lowest bit of the first word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mask<'a>(Words<'a>);

impl<'a> Mask<'a> {
    /// Over bytes whose length is a multiple of 8 (a rest is ignored).
    pub fn from_bytes(bytes: &'a [u8]) -> Self {
        Self(Words::from_bytes(bytes))
    }

    /// The bytes behind the words.
    pub fn as_bytes(self) -> &'a [u8] {
        self.0.as_bytes()
    }

    /// The 64-bit words.
    pub fn words(self) -> impl Iterator<Item = u64> + 'a {
        self.0.iter()
    }

    /// The CPUs in the mask, ascending.
    pub fn cpus(self) -> impl Iterator<Item = u16> + 'a {
        set_bits(self.words()).map(|cpu| cpu as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpus_of_a_mask_cross_word_borders_in_order() {
        let bytes: Vec<u8> = [1u64 << 63 | 1, 0, 0b10].iter().flat_map(|w| w.to_le_bytes()).collect();
        assert_eq!(Mask::from_bytes(&bytes).cpus().collect::<Vec<_>>(), [0, 63, 129]);
    }
}
