//! Hashing of small integer keys: a rotation and a multiplication per word, as rustc's own tables do.
//!
//! Keys are numbers of the trace's CPUs and threads; they are not chosen by an adversary.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A hash table of such keys.
pub type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<FastHasher>>;

/// Odd, with its bits well spread (the golden ratio's).
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// See the module.
#[derive(Default)]
pub struct FastHasher(u64);

impl Hasher for FastHasher {
    #[inline]
    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(FACTOR);
    }

    #[inline]
    fn write_i64(&mut self, word: i64) {
        self.write_u64(word as u64);
    }

    #[inline]
    fn write_i32(&mut self, word: i32) {
        self.write_u64(word as u64);
    }

    #[inline]
    fn write_u32(&mut self, word: u32) {
        self.write_u64(u64::from(word));
    }

    #[inline]
    fn write_u16(&mut self, word: u16) {
        self.write_u64(u64::from(word));
    }

    #[inline]
    fn write_u8(&mut self, word: u8) {
        self.write_u64(u64::from(word));
    }

    #[inline]
    fn write_isize(&mut self, word: isize) {
        self.write_u64(word as u64);
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte)));
    }

    /// The table takes its place from the low bits and a mark from the high ones; the product is good in the high ones.
    #[inline]
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}
