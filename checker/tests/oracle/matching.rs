//! Matchings by Kuhn's augmenting paths, and the canonical one by trying.

use super::{Set, members};

/// Size of a maximum matching between left nodes (each with its set of CPUs) and CPUs.
pub fn size(allowed: &[Set]) -> usize {
    fn augment(w: usize, allowed: &[Set], taken: &mut [Option<usize>; 64], seen: &mut Set) -> bool {
        for cpu in members(allowed[w]) {
            if *seen >> cpu & 1 == 1 {
                continue;
            }
            *seen |= 1 << cpu;
            if taken[cpu].is_none_or(|other| augment(other, allowed, taken, seen)) {
                taken[cpu] = Some(w);
                return true;
            }
        }
        false
    }
    let mut taken = [None; 64];
    (0..allowed.len()).filter(|&w| augment(w, allowed, &mut taken, &mut 0)).count()
}

/// A waiter's part in the canonical matching.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    pub utid: usize,
    pub wait_start: i64,
    pub queue: usize,
    /// Idle CPUs that it may use.
    pub allowed: Set,
}

/// (utid, queue, idle CPU) of the canonical matching.
pub fn canonical(mut waiters: Vec<Candidate>, rank: impl Fn(usize, usize) -> u32) -> Vec<(usize, usize, usize)> {
    waiters.sort_by_key(|w| (w.wait_start, w.utid));
    let mut chosen: Vec<Candidate> = Vec::new();
    for w in waiters {
        let with: Vec<Set> = chosen.iter().map(|c| c.allowed).chain([w.allowed]).collect();
        if size(&with) == with.len() {
            chosen.push(w);
        }
    }
    let mut free = Set::MAX;
    let mut pairs = Vec::new();
    for (at, w) in chosen.iter().enumerate() {
        let others_fit = |cpu: usize| {
            let rest: Vec<Set> = chosen[at + 1..].iter().map(|c| c.allowed & free & !(1 << cpu)).collect();
            size(&rest) == rest.len()
        };
        let mut near: Vec<usize> = members(w.allowed & free).collect();
        near.sort_by_key(|&cpu| (rank(w.queue, cpu), cpu));
        let cpu = near.into_iter().find(|&cpu| others_fit(cpu)).expect("the chosen set can be matched");
        free &= !(1 << cpu);
        pairs.push((w.utid, w.queue, cpu));
    }
    pairs
}
