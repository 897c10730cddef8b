//! Answers found by trying everything, straight from the definitions.

use super::state::{State, distance};
use crate::matching::Waiter;
use std::collections::BTreeSet;
use wastenot_topology::CpuBits;

/// Most waiters that can be matched at once, by trying every CPU for every waiter.
pub(super) fn size(state: &State, allowed: &[CpuBits]) -> usize {
    fn best(waiters: &[(usize, Waiter)], idle: &BTreeSet<usize>, allowed: &[CpuBits]) -> usize {
        let Some(((class, _), rest)) = waiters.split_first() else { return 0 };
        let mut most = best(rest, idle, allowed);
        for &cpu in idle {
            if allowed[*class].contains(cpu as u32) {
                let mut others = idle.clone();
                others.remove(&cpu);
                most = most.max(1 + best(rest, &others, allowed));
            }
        }
        most
    }
    best(&state.by_priority(), &state.idle, allowed)
}

/// Whether every one of `waiters` can have a CPU of its own, by trying every choice.
fn matchable(waiters: &[(usize, Waiter)], idle: &BTreeSet<usize>, allowed: &[CpuBits]) -> bool {
    let Some(((class, _), rest)) = waiters.split_first() else { return true };
    idle.iter().any(|&cpu| {
        let mut others = idle.clone();
        others.remove(&cpu);
        allowed[*class].contains(cpu as u32) && matchable(rest, &others, allowed)
    })
}

/// The canonical set: in order of priority, each that leaves the set matchable.
pub(super) fn canonical_set(state: &State, allowed: &[CpuBits]) -> Vec<(usize, Waiter)> {
    let mut taken = Vec::new();
    for waiter in state.by_priority() {
        taken.push(waiter);
        if !matchable(&taken, &state.idle, allowed) {
            taken.pop();
        }
    }
    taken
}

/// The canonical assignment as (utid, queue CPU, idle CPU).
pub(super) fn assignment(state: &State, allowed: &[CpuBits]) -> Vec<(u32, u32, u32)> {
    let matched = canonical_set(state, allowed);
    let mut idle = state.idle.clone();
    let mut out = Vec::new();
    for (at, (class, waiter)) in matched.iter().enumerate() {
        let mut choices: Vec<usize> =
            idle.iter().copied().filter(|&cpu| allowed[*class].contains(cpu as u32)).collect();
        choices.sort_by_key(|&cpu| (distance(waiter.queue_cpu as usize, cpu), cpu));
        let cpu = choices
            .into_iter()
            .find(|cpu| {
                let mut others = idle.clone();
                others.remove(cpu);
                matchable(&matched[at + 1..], &others, allowed)
            })
            .expect("the canonical set is matchable");
        idle.remove(&cpu);
        out.push((waiter.utid, waiter.queue_cpu, cpu as u32));
    }
    out
}

/// Kuhn's algorithm over single waiters: the greedy set in order of priority and the CPU each ended up with. Shares no
/// idea with the matchers but the theorem that an augmenting path never unmatches a waiter.
pub(super) struct Kuhn<'a> {
    allowed: &'a [CpuBits],
    idle: BTreeSet<usize>,
    /// CPU → (class, utid) it serves.
    serves: std::collections::BTreeMap<usize, (usize, u32)>,
}

impl<'a> Kuhn<'a> {
    pub fn new(idle: &BTreeSet<usize>, allowed: &'a [CpuBits]) -> Self {
        Self { allowed, idle: idle.clone(), serves: Default::default() }
    }

    /// Adds a waiter if it can be matched together with those before it.
    pub fn add(&mut self, class: usize, utid: u32) -> bool {
        self.place(class, utid, &mut BTreeSet::new())
    }

    fn place(&mut self, class: usize, utid: u32, seen: &mut BTreeSet<usize>) -> bool {
        let cpus: Vec<usize> = self.idle.iter().copied().collect();
        for cpu in cpus {
            if !self.allowed[class].contains(cpu as u32) || !seen.insert(cpu) {
                continue;
            }
            let free = match self.serves.get(&cpu).copied() {
                None => true,
                Some((other, who)) => self.place(other, who, seen),
            };
            if free {
                self.serves.insert(cpu, (class, utid));
                return true;
            }
        }
        false
    }

    /// The canonical set of a state.
    pub fn canonical(state: &State, allowed: &[CpuBits]) -> Vec<(usize, Waiter)> {
        let mut kuhn = Kuhn::new(&state.idle, allowed);
        state.by_priority().into_iter().filter(|(class, waiter)| kuhn.add(*class, waiter.utid)).collect()
    }

    /// The canonical assignment of a state: for each waiter the nearest CPU without which the rest is matchable.
    pub fn assignment(state: &State, allowed: &[CpuBits]) -> Vec<(u32, u32, u32)> {
        let matched = Self::canonical(state, allowed);
        let mut idle = state.idle.clone();
        let mut out = Vec::new();
        for (at, (class, waiter)) in matched.iter().enumerate() {
            let mut choices: Vec<usize> =
                idle.iter().copied().filter(|&cpu| allowed[*class].contains(cpu as u32)).collect();
            choices.sort_by_key(|&cpu| (distance(waiter.queue_cpu as usize, cpu), cpu));
            let cpu = choices
                .into_iter()
                .find(|cpu| {
                    let mut others = idle.clone();
                    others.remove(cpu);
                    let mut rest = Kuhn::new(&others, allowed);
                    matched[at + 1..].iter().all(|(class, waiter)| rest.add(*class, waiter.utid))
                })
                .expect("the canonical set is matchable");
            idle.remove(&cpu);
            out.push((waiter.utid, waiter.queue_cpu, cpu as u32));
        }
        out
    }
}
