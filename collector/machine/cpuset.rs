//! Sets of CPUs, and the texts the kernel writes them in.

use crate::error::{MachineError, excerpt};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

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
        self.words.iter().enumerate().flat_map(|(i, &word)| {
            std::iter::successors((word != 0).then_some(word), |w| Some(w & (w - 1)).filter(|&rest| rest != 0))
                .map(move |w| i as u32 * 64 + w.trailing_zeros())
        })
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

    /// Parses a CPU list: `0-3,8`, with strides `0-31:1/2` (kernel: `bitmap_parselist`). Blank text is the empty set.
    pub fn parse_list(text: &str) -> Result<Self, MachineError> {
        let fail = |why| MachineError::CpuSet { text: excerpt(text), why };
        let number = |t: &str| match t.trim().parse::<u32>() {
            Ok(n) if n <= Self::MAX_CPU => Ok(n),
            Ok(_) => Err(fail("CPU number above 32767")),
            Err(_) => Err(fail("not a CPU number")),
        };
        let mut set = Self::new();
        for part in text.trim().split(',').filter(|part| !part.trim().is_empty()) {
            let (range, stride) = part.split_once(':').map_or((part, None), |(r, s)| (r, Some(s)));
            let (from, to) = match range.split_once('-') {
                Some((from, to)) => (number(from)?, number(to)?),
                None => (number(range)?, number(range)?),
            };
            let (used, group) = match stride.map(|s| s.split_once('/').ok_or_else(|| fail("stride without /"))) {
                Some(split) => {
                    let (used, group) = split?;
                    (number(used)?, number(group)?)
                }
                None => (1, 1),
            };
            if from > to || used == 0 || used > group {
                return Err(fail("range runs backwards or is empty"));
            }
            (from..=to).filter(|cpu| (cpu - from) % group < used).for_each(|cpu| {
                set.insert(cpu);
            });
        }
        Ok(set)
    }

    /// Parses a hexadecimal mask: groups of 32 bits parted by commas, highest first (`ff,ffffffff`), or one number
    /// of any length. hwloc's spelling (`0x` before each group, empty groups for zero) is understood too.
    pub fn parse_mask(text: &str) -> Result<Self, MachineError> {
        let fail = |why| MachineError::CpuSet { text: excerpt(text), why };
        let text = text.trim();
        if text.is_empty() {
            return Err(fail("empty mask"));
        }
        let groups: Vec<&str> = text.split(',').map(|g| g.trim().trim_start_matches("0x")).collect();
        let mut nibbles: Vec<u8> = Vec::new();
        for (i, group) in groups.iter().rev().enumerate() {
            if groups.len() > 1 && group.len() > 8 {
                return Err(fail("more than 32 bits between commas"));
            }
            nibbles.resize(i * 8, 0);
            for digit in group.bytes().rev() {
                nibbles.push((digit as char).to_digit(16).ok_or_else(|| fail("not a hexadecimal mask"))? as u8);
            }
        }
        if nibbles.iter().skip(Self::MAX_CPU as usize / 4 + 1).any(|&n| n != 0) {
            return Err(fail("CPU number above 32767"));
        }
        Ok(Self::from_words(nibbles.chunks(16).map(|c| c.iter().rev().fold(0, |w, &n| w << 4 | u64::from(n)))))
    }

    /// Hexadecimal mask as the kernel prints it: groups of 32 bits, the highest without leading zeros (`ff,ffffffff`).
    pub fn to_mask(&self) -> String {
        let mut groups: Vec<u32> = self.words.iter().flat_map(|&w| [w as u32, (w >> 32) as u32]).collect();
        while groups.last() == Some(&0) {
            groups.pop();
        }
        let mut rest = groups.iter().rev();
        let head = rest.next().map_or("0".to_owned(), |g| format!("{g:x}"));
        rest.fold(head, |text, g| format!("{text},{g:08x}"))
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

impl fmt::Display for CpuSet {
    /// The CPU list, ranges joined: `0-3,8`; nothing for the empty set.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut cpus = self.iter().peekable();
        let mut comma = "";
        while let Some(from) = cpus.next() {
            let mut to = from;
            while cpus.next_if_eq(&(to + 1)).is_some() {
                to += 1;
            }
            match to - from {
                0 => write!(f, "{comma}{from}")?,
                _ => write!(f, "{comma}{from}-{to}")?,
            }
            comma = ",";
        }
        Ok(())
    }
}

impl fmt::Debug for CpuSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{self}}}")
    }
}

impl FromStr for CpuSet {
    type Err = MachineError;

    fn from_str(text: &str) -> Result<Self, MachineError> {
        Self::parse_list(text)
    }
}

impl FromIterator<u32> for CpuSet {
    fn from_iter<I: IntoIterator<Item = u32>>(cpus: I) -> Self {
        let mut set = Self::new();
        cpus.into_iter().for_each(|cpu| {
            set.insert(cpu);
        });
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

impl Serialize for CpuSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for CpuSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse_list(&text).map_err(serde::de::Error::custom)
    }
}
