//! Sets of CPUs by dense index, and the table in which each distinct set is kept once.

use crate::CpuIx;
use std::collections::BTreeMap;

/// A set of CPUs of one machine, by dense index.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CpuMask {
    words: Vec<u64>,
}

impl CpuMask {
    /// The empty set, with capacity for `cpus` CPUs.
    pub fn empty(cpus: usize) -> Self {
        Self { words: vec![0; cpus.div_ceil(64).max(1)] }
    }

    /// All of `cpus` CPUs.
    pub fn all(cpus: usize) -> Self {
        let mut mask = Self::empty(cpus);
        (0..cpus).for_each(|c| mask.insert(c as CpuIx));
        mask
    }

    /// The set of these CPUs of a machine with `cpus` CPUs.
    pub fn of(cpus: usize, list: impl IntoIterator<Item = CpuIx>) -> Self {
        let mut mask = Self::empty(cpus);
        list.into_iter().for_each(|c| mask.insert(c));
        mask
    }

    /// Adds a CPU.
    #[inline]
    pub fn insert(&mut self, cpu: CpuIx) {
        self.words[cpu as usize / 64] |= 1 << (cpu % 64);
    }

    /// Takes a CPU out.
    #[inline]
    pub fn remove(&mut self, cpu: CpuIx) {
        self.words[cpu as usize / 64] &= !(1 << (cpu % 64));
    }

    /// True when the CPU is in the set.
    #[inline]
    pub fn has(&self, cpu: CpuIx) -> bool {
        self.words[cpu as usize / 64] >> (cpu % 64) & 1 == 1
    }

    /// How many CPUs are in it.
    pub fn len(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// True when it has none.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&w| w == 0)
    }

    /// The lowest CPU.
    pub fn first(&self) -> Option<CpuIx> {
        self.iter().next()
    }

    /// CPUs in ascending order.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = CpuIx> + '_ {
        self.words.iter().enumerate().flat_map(|(i, &word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                if left == 0 {
                    return None;
                }
                let bit = left.trailing_zeros();
                left &= left - 1;
                Some((i as u32 * 64 + bit) as CpuIx)
            })
        })
    }

    /// CPUs in ascending order from `start` on, then those before it (kernel: for_each_cpu_wrap).
    pub fn iter_from(&self, start: CpuIx) -> impl Iterator<Item = CpuIx> + '_ {
        self.iter().filter(move |&c| c >= start).chain(self.iter().take_while(move |&c| c < start))
    }

    /// CPUs of both sets.
    pub fn and(&self, other: &Self) -> Self {
        Self { words: self.words.iter().zip(&other.words).map(|(a, b)| a & b).collect() }
    }

    /// CPUs of either set.
    pub fn or(&self, other: &Self) -> Self {
        Self { words: self.words.iter().zip(&other.words).map(|(a, b)| a | b).collect() }
    }

    /// CPUs of this set that are not in the other.
    pub fn without(&self, other: &Self) -> Self {
        Self { words: self.words.iter().zip(&other.words).map(|(a, b)| a & !b).collect() }
    }

    /// True when the sets share a CPU.
    #[inline]
    pub fn meets(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).any(|(a, b)| a & b != 0)
    }

    /// True when the other set has every CPU of this one.
    pub fn within(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).all(|(a, b)| a & !b == 0)
    }
}

/// A row of the table `mask`.
pub type MaskId = u32;

/// Every distinct set of CPUs of a simulation, by number.
#[derive(Clone, Debug, Default)]
pub struct Masks {
    sets: Vec<CpuMask>,
    by_set: BTreeMap<CpuMask, MaskId>,
}

impl Masks {
    /// The number of a set; a new one where it is new.
    pub fn intern(&mut self, mask: &CpuMask) -> MaskId {
        if let Some(&id) = self.by_set.get(mask) {
            return id;
        }
        let id = self.sets.len() as MaskId;
        self.sets.push(mask.clone());
        self.by_set.insert(mask.clone(), id);
        id
    }

    /// The set of a number.
    #[inline]
    pub fn get(&self, id: MaskId) -> &CpuMask {
        &self.sets[id as usize]
    }

    /// All sets, in the order of their numbers.
    pub fn sets(&self) -> &[CpuMask] {
        &self.sets
    }
}
