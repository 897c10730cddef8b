//! Sets of the kernel's CPU numbers.

use crate::set_bits;
use std::fmt;

/// A set of CPU numbers of any size, holes included. Serialised as a CPU list ("0-3,8").
///
/// Equal sets are equal values: no trailing empty word is ever kept.
#[derive(Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CpuSet {
    words: Vec<u64>,
}

impl CpuSet {
    /// Largest CPU number a set takes: the tables store CPUs as `i16`. Linux itself stops at 8,191 (`NR_CPUS`).
    pub const MAX_CPU: u32 = i16::MAX as u32;

    /// The empty set.
    pub const fn new() -> Self {
        Self { words: Vec::new() }
    }

    /// Adds a CPU; false when it was there, or when it is beyond [`CpuSet::MAX_CPU`].
    pub fn insert(&mut self, cpu: u32) -> bool {
        if cpu > Self::MAX_CPU || self.contains(cpu) {
            return false;
        }
        let word = cpu as usize / 64;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (cpu % 64);
        true
    }

    /// Adds the CPUs from the first to the last number, a word at a time; those beyond [`CpuSet::MAX_CPU`] are left out.
    pub(crate) fn insert_range(&mut self, first: u32, last: u32) {
        let last = last.min(Self::MAX_CPU);
        if first > last {
            return;
        }
        let (low, high) = (first as usize / 64, last as usize / 64);
        if high >= self.words.len() {
            self.words.resize(high + 1, 0);
        }
        for (at, word) in self.words.iter_mut().enumerate().take(high + 1).skip(low) {
            let from = if at == low { u64::MAX << (first % 64) } else { u64::MAX };
            let to = if at == high { u64::MAX >> (63 - last % 64) } else { u64::MAX };
            *word |= from & to;
        }
    }

    /// Takes a CPU out; false when it was not there.
    pub fn remove(&mut self, cpu: u32) -> bool {
        let there = self.contains(cpu);
        if there {
            self.words[cpu as usize / 64] &= !(1 << (cpu % 64));
            self.trim();
        }
        there
    }

    /// True when the CPU is in the set.
    pub fn contains(&self, cpu: u32) -> bool {
        self.words.get(cpu as usize / 64).is_some_and(|word| word >> (cpu % 64) & 1 == 1)
    }

    /// How many CPUs are in the set.
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// True when no CPU is in the set.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Lowest CPU.
    pub fn first(&self) -> Option<u32> {
        self.iter().next()
    }

    /// Highest CPU.
    pub fn last(&self) -> Option<u32> {
        let word = self.words.last()?;
        Some((self.words.len() as u32 - 1) * 64 + 63 - word.leading_zeros())
    }

    /// CPUs in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        set_bits(self.words.iter().copied())
    }

    /// CPUs in ascending order as the tables store them.
    pub fn to_i16s(&self) -> Vec<i16> {
        self.iter().map(|cpu| cpu as i16).collect()
    }

    /// 64-bit words, CPU 0 in the lowest bit of the first; no trailing zero word.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The set whose bits are `words`; bits beyond [`CpuSet::MAX_CPU`] are dropped.
    pub fn from_words(words: impl IntoIterator<Item = u64>) -> Self {
        let mut set = Self { words: words.into_iter().take(Self::MAX_CPU as usize / 64 + 1).collect() };
        set.trim();
        set
    }

    /// CPUs of either set.
    pub fn union(&self, other: &Self) -> Self {
        let len = self.words.len().max(other.words.len());
        Self::from_words((0..len).map(|i| self.word(i) | other.word(i)))
    }

    /// CPUs of both sets.
    pub fn intersection(&self, other: &Self) -> Self {
        Self::from_words(self.words.iter().zip(&other.words).map(|(a, b)| a & b))
    }

    /// CPUs of this set that are not in the other.
    pub fn difference(&self, other: &Self) -> Self {
        Self::from_words(self.words.iter().enumerate().map(|(i, a)| a & !other.word(i)))
    }

    /// True when the other set has every CPU of this one.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.words.iter().enumerate().all(|(i, a)| a & !other.word(i) == 0)
    }

    /// True when the sets share a CPU.
    pub fn intersects(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).any(|(a, b)| a & b != 0)
    }

    fn word(&self, i: usize) -> u64 {
        self.words.get(i).copied().unwrap_or(0)
    }

    fn trim(&mut self) {
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
    }
}

impl fmt::Debug for CpuSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{self}}}")
    }
}

impl FromIterator<u32> for CpuSet {
    fn from_iter<I: IntoIterator<Item = u32>>(cpus: I) -> Self {
        let mut set = Self::new();
        set.extend(cpus);
        set
    }
}

impl Extend<u32> for CpuSet {
    fn extend<I: IntoIterator<Item = u32>>(&mut self, cpus: I) {
        cpus.into_iter().for_each(|cpu| {
            self.insert(cpu);
        });
    }
}
