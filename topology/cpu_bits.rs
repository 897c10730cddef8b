//! Sets of the CPUs of one machine by dense index.

use crate::set_bits;
use std::fmt;
use std::marker::PhantomData;

/// A CPU by its place in ascending order of CPU number, offline ones included. The kernel's numbers may have holes.
pub type CpuIx = u16;

/// A type of dense index: how a set's users store the CPUs that they ask it for.
pub trait CpuIndex: Copy {
    /// Place in the set.
    fn place(self) -> usize;

    /// The index of a place, which is below the set's capacity.
    fn of_place(place: u32) -> Self;
}

impl CpuIndex for u16 {
    #[inline]
    fn place(self) -> usize {
        self.into()
    }

    #[inline]
    fn of_place(place: u32) -> Self {
        place as Self
    }
}

impl CpuIndex for u32 {
    #[inline]
    fn place(self) -> usize {
        self as usize
    }

    #[inline]
    fn of_place(place: u32) -> Self {
        place
    }
}

/// A set of CPU indices `0..capacity`. Indices at or above the capacity are never members and are ignored on insert.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct CpuBits<I = u32> {
    capacity: u32,
    words: Box<[u64]>,
    index: PhantomData<I>,
}

impl<I: CpuIndex> CpuBits<I> {
    /// The empty set over `capacity` CPUs.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        Self { capacity: capacity as u32, words: vec![0; capacity.div_ceil(64)].into(), index: PhantomData }
    }

    /// The set of all `capacity` CPUs.
    #[must_use]
    pub fn all(capacity: usize) -> Self {
        let mut set = Self::new(capacity);
        set.words.fill(u64::MAX);
        set.trim();
        set
    }

    /// The set of the given CPUs over `capacity` CPUs.
    #[must_use]
    pub fn of(capacity: usize, cpus: impl IntoIterator<Item = I>) -> Self {
        let mut set = Self::new(capacity);
        for cpu in cpus {
            set.insert(cpu);
        }
        set
    }

    /// How many CPUs the set could hold.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.capacity as usize
    }

    /// Adds `cpu`; returns whether it is new.
    #[inline]
    pub fn insert(&mut self, cpu: I) -> bool {
        let fits = cpu.place() < self.capacity() && !self.contains(cpu);
        if fits {
            self.words[cpu.place() / 64] |= 1 << (cpu.place() % 64);
        }
        fits
    }

    /// Removes `cpu`; returns whether it was there.
    #[inline]
    pub fn remove(&mut self, cpu: I) -> bool {
        let there = self.contains(cpu);
        if there {
            self.words[cpu.place() / 64] &= !(1 << (cpu.place() % 64));
        }
        there
    }

    /// Whether `cpu` is a member.
    #[inline]
    #[must_use]
    pub fn contains(&self, cpu: I) -> bool {
        cpu.place() < self.capacity() && self.words[cpu.place() / 64] & (1 << (cpu.place() % 64)) != 0
    }

    /// Number of members.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether no CPU is a member.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// The lowest member.
    #[must_use]
    pub fn first(&self) -> Option<I> {
        self.iter().next()
    }

    /// Members, lowest first.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = I> + '_ {
        set_bits(self.words.iter().copied()).map(I::of_place)
    }

    /// Members in ascending order from `start` on, then those before it (kernel: for_each_cpu_wrap).
    pub fn iter_from(&self, start: I) -> impl Iterator<Item = I> + '_ {
        let start = start.place();
        let before = self.iter().take_while(move |cpu| cpu.place() < start);
        self.iter().filter(move |cpu| cpu.place() >= start).chain(before)
    }

    /// Keeps only the CPUs that are also in `other`.
    pub fn intersect_with(&mut self, other: &Self) {
        for (at, word) in self.words.iter_mut().enumerate() {
            *word &= other.words.get(at).copied().unwrap_or(0);
        }
    }

    /// Adds the CPUs of `other` that fit the capacity.
    pub fn union_with(&mut self, other: &Self) {
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            *word |= more;
        }
        self.trim();
    }

    /// Removes the CPUs of `other`.
    pub fn subtract(&mut self, other: &Self) {
        for (word, less) in self.words.iter_mut().zip(&other.words) {
            *word &= !less;
        }
    }

    /// CPUs of both sets, with the capacity of this one.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let mut both = self.clone();
        both.intersect_with(other);
        both
    }

    /// CPUs of either set that fit the capacity of this one.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let mut either = self.clone();
        either.union_with(other);
        either
    }

    /// CPUs of this set that are not in the other.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        let mut rest = self.clone();
        rest.subtract(other);
        rest
    }

    /// Whether the sets share a CPU.
    #[inline]
    #[must_use]
    pub fn intersects(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).any(|(a, b)| a & b != 0)
    }

    /// Whether the other set has every CPU of this one.
    #[must_use]
    pub fn is_subset(&self, other: &Self) -> bool {
        self.words.iter().enumerate().all(|(at, a)| a & !other.words.get(at).copied().unwrap_or(0) == 0)
    }

    /// The set as 64-bit words: bit `i % 64` of word `i / 64` is CPU `i`.
    #[inline]
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The same set as `W` words, cut to the CPUs below `n_cpus`.
    #[must_use]
    pub fn fixed_words<const W: usize>(&self, n_cpus: usize) -> [u64; W] {
        let mut words: [u64; W] = std::array::from_fn(|at| self.words.get(at).copied().unwrap_or(0));
        for (at, word) in words.iter_mut().enumerate() {
            *word &= match n_cpus.saturating_sub(at * 64) {
                64.. => u64::MAX,
                left => (1 << left) - 1,
            };
        }
        words
    }

    /// Clears the bits of the last word that are beyond the capacity.
    fn trim(&mut self) {
        if !self.capacity.is_multiple_of(64)
            && let Some(last) = self.words.last_mut()
        {
            *last &= (1 << (self.capacity % 64)) - 1;
        }
    }
}

impl<I: CpuIndex> fmt::Debug for CpuBits<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(CpuIndex::place)).finish()
    }
}
