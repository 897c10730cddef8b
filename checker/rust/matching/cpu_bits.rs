//! A set of CPU indices of fixed capacity.

use std::fmt;

/// A set of CPU indices `0..capacity`. Indices at or above the capacity are never members and are ignored on insert.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct CpuBits {
    capacity: u32,
    words: Box<[u64]>,
}

impl CpuBits {
    /// The empty set over `capacity` CPUs.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        Self { capacity: capacity as u32, words: vec![0; capacity.div_ceil(64)].into() }
    }

    /// The set of all `capacity` CPUs.
    #[must_use]
    pub fn all(capacity: usize) -> Self {
        let mut set = Self::new(capacity);
        set.words.fill(u64::MAX);
        if !capacity.is_multiple_of(64) {
            set.words[capacity / 64] = (1 << (capacity % 64)) - 1;
        }
        set
    }

    /// The set of the given CPUs over `capacity` CPUs.
    #[must_use]
    pub fn of(capacity: usize, cpus: impl IntoIterator<Item = u32>) -> Self {
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
    pub fn insert(&mut self, cpu: u32) -> bool {
        let fits = cpu < self.capacity && !self.contains(cpu);
        if fits {
            self.words[cpu as usize / 64] |= 1 << (cpu % 64);
        }
        fits
    }

    /// Removes `cpu`; returns whether it was there.
    pub fn remove(&mut self, cpu: u32) -> bool {
        let there = self.contains(cpu);
        if there {
            self.words[cpu as usize / 64] &= !(1 << (cpu % 64));
        }
        there
    }

    /// Whether `cpu` is a member.
    #[must_use]
    pub fn contains(&self, cpu: u32) -> bool {
        cpu < self.capacity && self.words[cpu as usize / 64] & (1 << (cpu % 64)) != 0
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

    /// Members, lowest first.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        bits(&self.words)
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

    /// The set as 64-bit words: bit `i % 64` of word `i / 64` is CPU `i`.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The same set as `W` words, cut to the CPUs below `n_cpus`.
    pub(super) fn fixed<const W: usize>(&self, n_cpus: usize) -> [u64; W] {
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

/// Numbers of the bits set in a row of words, lowest first.
pub fn bits(words: &[u64]) -> impl Iterator<Item = u32> + '_ {
    words.iter().enumerate().flat_map(|(at, &word)| {
        std::iter::successors(Some(word), |rest| Some(rest & rest.wrapping_sub(1)))
            .take_while(|&rest| rest != 0)
            .map(move |rest| at as u32 * 64 + rest.trailing_zeros())
    })
}

impl fmt::Debug for CpuBits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
