//! The matching between waiting threads and idle CPUs, each instant anew: augmenting paths, one after the other.

use crate::events::{Cpus, cpus_of};

/// Size of a maximum matching; `allowed[w]` are the idle CPUs that waiter w may use.
pub fn size(allowed: &[Cpus]) -> usize {
    let mut of_cpu = [None; 32];
    (0..allowed.len()).filter(|&w| place(allowed, w, &mut of_cpu, &mut 0)).count()
}

/// Find a CPU for a waiter, moving others aside.
fn place(allowed: &[Cpus], waiter: usize, of_cpu: &mut [Option<usize>; 32], tried: &mut Cpus) -> bool {
    for cpu in cpus_of(allowed[waiter]) {
        if *tried >> cpu & 1 == 1 {
            continue;
        }
        *tried |= 1 << cpu;
        if of_cpu[cpu].is_none_or(|other| place(allowed, other, of_cpu, tried)) {
            of_cpu[cpu] = Some(waiter);
            return true;
        }
    }
    false
}

/// The canonical matching: waiters come in the order of longest wait; each that keeps the set matchable is taken, and then
/// gets the nearest CPU (`nearest` lists them in order) that leaves the others matchable. Pairs (waiter, CPU).
pub fn canonical(allowed: &[Cpus], nearest: impl Fn(usize) -> Vec<usize>) -> Vec<(usize, usize)> {
    let mut taken: Vec<usize> = Vec::new();
    for waiter in 0..allowed.len() {
        let set: Vec<Cpus> = taken.iter().chain([&waiter]).map(|&w| allowed[w]).collect();
        if size(&set) == set.len() {
            taken.push(waiter);
        }
    }
    let (mut used, mut pairs) = (0, Vec::new());
    for (i, &waiter) in taken.iter().enumerate() {
        let leaves_others_matchable = |cpu: usize| {
            let rest: Vec<Cpus> = taken[i + 1..].iter().map(|&w| allowed[w] & !used & !(1 << cpu)).collect();
            size(&rest) == rest.len()
        };
        let free = |cpu: &usize| (allowed[waiter] & !used) >> *cpu & 1 == 1;
        let cpu = nearest(waiter).into_iter().filter(free).find(|&cpu| leaves_others_matchable(cpu));
        let cpu = cpu.expect("a matchable set leaves a CPU for each of its waiters");
        used |= 1 << cpu;
        pairs.push((waiter, cpu));
    }
    pairs
}
