//! Which CPUs are near which, as sets.

use super::words::first_common;
use std::collections::HashMap;
use wastenot_topology::CpuBits;

/// Per CPU, the sets of CPUs within each distance of it, nearest first.
///
/// The set for a distance holds everything at most that far away, not only what is exactly that far: CPUs of a core,
/// LLC or node then share one set, and the nearest member of a query is in the first set that meets it. Sets keep only
/// the words between their first and last member, so a machine of 4,096 CPUs needs well under a megabyte.
pub struct Distances {
    /// Per CPU: `rings[starts[cpu]..starts[cpu + 1]]`.
    rings: Vec<Ring>,
    starts: Vec<u32>,
    /// Those of sets of several words.
    words: Vec<u64>,
}

/// Words `first..first + len` of a CPU set; all others are zero.
#[derive(Clone, Copy)]
struct Ring {
    first: u32,
    len: u32,
    /// Of one word, as most are, that word; else where in `words` they begin.
    word: u64,
}

impl Distances {
    /// Calls `distance(from, to)` once for every ordered pair of the CPU indices `0..n_cpus`, `from == to` included.
    /// The unit is arbitrary; only the order counts.
    pub fn new(n_cpus: usize, mut distance: impl FnMut(usize, usize) -> u32) -> Self {
        let mut built = Self { rings: Vec::new(), starts: vec![0], words: Vec::new() };
        let mut known: HashMap<(u32, Vec<u64>), Ring> = HashMap::new();
        let mut from_here = vec![0; n_cpus];
        let mut steps = Vec::new();
        for from in 0..n_cpus {
            steps.clear();
            for (to, far) in from_here.iter_mut().enumerate() {
                *far = distance(from, to);
                if !steps.contains(far) {
                    steps.push(*far);
                }
            }
            steps.sort_unstable();
            for &step in &steps {
                let ring = built.ring(&mut known, within(&from_here, step));
                built.rings.push(ring);
            }
            built.starts.push(built.rings.len() as u32);
        }
        built
    }

    /// The same of CPUs of which many are alike, at the cost of the pairs of groups rather than of CPUs: a machine of which only the
    /// number of CPUs is known is one group. CPUs of one number in `groups`, the numbers being `0..`, are equally far from each other
    /// and from any third; each CPU is nearer to itself than to any other.
    pub fn grouped(groups: &[u32], distance: impl Fn(usize, usize) -> u32) -> Self {
        let mut members = vec![Vec::new(); groups.iter().max().map_or(0, |&last| last as usize + 1)];
        for (cpu, &group) in groups.iter().enumerate() {
            members[group as usize].push(cpu);
        }
        let mut built = Self { rings: Vec::new(), starts: vec![0], words: Vec::new() };
        let mut known = HashMap::new();
        // The members of each group as words of a set, with their places.
        let sets: Vec<Vec<(usize, u64)>> = members
            .iter()
            .map(|own| {
                let words = own.chunk_by(|a, b| a / 64 == b / 64);
                words.map(|of| (of[0] / 64, of.iter().fold(0, |word, cpu| word | 1 << (cpu % 64)))).collect()
            })
            .collect();
        let mut set = vec![0u64; groups.len().div_ceil(64)];
        let shared: Vec<Vec<Ring>> = members
            .iter()
            .map(|own| {
                // A CPU that has no other in its group is nearest to itself, and within all that follows.
                let to =
                    |other: &Vec<usize>| distance(own[0], *other.iter().find(|&&cpu| cpu != own[0]).unwrap_or(&own[0]));
                let far: Vec<u32> = members.iter().map(to).collect();
                // Few: levels of caches, and hops between nodes.
                let mut steps = Vec::new();
                for step in &far {
                    if !steps.contains(step) {
                        steps.push(*step);
                    }
                }
                steps.sort_unstable();
                set.fill(0);
                let mut rings = Vec::new();
                for (at, &step) in steps.iter().enumerate() {
                    let members = far.iter().zip(&sets).filter(|(far, _)| **far == step).flat_map(|(_, words)| words);
                    members.for_each(|&(place, word)| set[place] |= word);
                    if at > 0 || own.len() > 1 {
                        rings.push(built.ring(&mut known, trimmed(&set)));
                    }
                }
                rings
            })
            .collect();
        for (cpu, &group) in groups.iter().enumerate() {
            built.rings.push(Ring { first: cpu as u32 / 64, len: 1, word: 1 << (cpu % 64) });
            built.rings.extend(&shared[group as usize]);
            built.starts.push(built.rings.len() as u32);
        }
        built
    }

    /// The ring of a set, stored once.
    fn ring(&mut self, known: &mut HashMap<(u32, Vec<u64>), Ring>, set: (u32, Vec<u64>)) -> Ring {
        *known.entry(set).or_insert_with_key(|(first, set)| {
            let (first, len, at) = (*first, set.len() as u32, self.words.len() as u64);
            if let [word] = set[..] {
                return Ring { first, len, word };
            }
            self.words.extend(set);
            Ring { first, len, word: at }
        })
    }

    /// The member of `set` nearest to `from`, of several the lowest. A `from` that is not a CPU of this machine is equally
    /// far from all.
    #[inline]
    pub(super) fn nearest<const W: usize>(&self, from: u32, set: &[u64; W]) -> Option<usize> {
        self.nearest_by(from, |at| set[at]).or_else(|| first_common(set, set))
    }

    /// Of the CPUs in both sets the nearest to `from`, of several the lowest. The sets hold this machine's CPUs.
    #[must_use]
    pub fn nearest_common(&self, from: u32, a: &CpuBits, b: &CpuBits) -> Option<usize> {
        self.nearest_by(from, |at| a.words()[at] & b.words()[at])
    }

    #[inline]
    fn nearest_by(&self, from: u32, set: impl Fn(usize) -> u64) -> Option<usize> {
        for ring in self.rings_of(from) {
            let first = ring.first as usize;
            if ring.len == 1 {
                let common = ring.word & set(first);
                if common != 0 {
                    return Some(first * 64 + common.trailing_zeros() as usize);
                }
                continue;
            }
            let words = &self.words[ring.word as usize..][..ring.len as usize];
            for (at, word) in words.iter().enumerate() {
                let common = word & set(first + at);
                if common != 0 {
                    return Some((first + at) * 64 + common.trailing_zeros() as usize);
                }
            }
        }
        None
    }

    fn rings_of(&self, from: u32) -> &[Ring] {
        let from = from as usize;
        match self.starts.get(from + 1) {
            Some(&end) => &self.rings[self.starts[from] as usize..end as usize],
            None => &[],
        }
    }
}

/// The CPUs at most `step` away, as the index of the first word that is not zero and the words up to the last such.
fn within(far: &[u32], step: u32) -> (u32, Vec<u64>) {
    let words: Vec<u64> = far
        .chunks(64)
        .map(|chunk| chunk.iter().enumerate().fold(0, |word, (bit, &far)| word | (u64::from(far <= step) << bit)))
        .collect();
    trimmed(&words)
}

/// A set as the index of the first word that is not zero and the words up to the last such.
fn trimmed(words: &[u64]) -> (u32, Vec<u64>) {
    let first = words.iter().position(|&word| word != 0).unwrap_or(0);
    let last = words.iter().rposition(|&word| word != 0).unwrap_or(0);
    (first as u32, words[first..=last].to_vec())
}
