//! The load balancer of DLRB: threads are split over the sub-domains of each domain, from the whole machine down, (a) equally by
//! number, (b) as equally as possible by the sum of their utilisations. Source: section 5.2.2 of the thesis.

use super::Utilisation;
use crate::topology::{Component, CpuIx};

/// Most ways of splitting threads over two sub-domains that are all tried; above that the split is the greedy one, improved by
/// swaps.
const MOST_WAYS: u64 = 200_000;

/// A domain: a CPU, or the domains below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Domain {
    /// A CPU.
    Cpu(CpuIx),
    /// The sub-domains.
    Of(Vec<Domain>),
}

impl Domain {
    /// The domains of a machine: a domain for each of its components.
    pub fn of(components: &[Component]) -> Self {
        Self::at(components, 0)
    }

    fn at(components: &[Component], at: usize) -> Self {
        let component = &components[at];
        match component.children.as_slice() {
            [] => Self::Cpu(component.span.first().unwrap_or(0)),
            below => Self::Of(below.iter().map(|&child| Self::at(components, child)).collect()),
        }
    }

    /// Its CPUs, sub-domain by sub-domain.
    pub fn cpus(&self) -> Vec<CpuIx> {
        match self {
            Self::Cpu(cpu) => vec![*cpu],
            Self::Of(below) => below.iter().flat_map(Self::cpus).collect(),
        }
    }

    /// The lowest domains with more than one CPU: the cores of a machine with several hardware threads per core.
    pub fn cores(&self) -> Vec<Vec<CpuIx>> {
        match self {
            Self::Cpu(_) => Vec::new(),
            Self::Of(below) if below.iter().all(|d| matches!(d, Self::Cpu(_))) => vec![self.cpus()],
            Self::Of(below) => below.iter().flat_map(Self::cores).collect(),
        }
    }

    /// CPUs for threads whose loads are not known: dealt out breadth-first, so that no sub-domain has two more than another.
    pub fn deal(&self, threads: usize) -> Vec<CpuIx> {
        let order = self.breadth_first();
        (0..threads).map(|t| order[t % order.len()]).collect()
    }

    fn breadth_first(&self) -> Vec<CpuIx> {
        match self {
            Self::Cpu(cpu) => vec![*cpu],
            Self::Of(below) => {
                let lists: Vec<_> = below.iter().map(Self::breadth_first).collect();
                let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
                (0..longest).flat_map(|i| lists.iter().filter_map(move |l| l.get(i).copied())).collect()
            }
        }
    }

    /// CPUs for threads with these utilisations.
    pub fn split(&self, utilisation: &[Utilisation]) -> Vec<CpuIx> {
        let mut cpus = vec![0; utilisation.len()];
        let mut threads: Vec<usize> = (0..utilisation.len()).collect();
        // The heaviest first; of equal ones the last.
        threads.sort_by_key(|&t| std::cmp::Reverse((utilisation[t], t)));
        self.assign(&threads, utilisation, &mut cpus);
        cpus
    }

    fn assign(&self, threads: &[usize], utilisation: &[Utilisation], cpus: &mut [CpuIx]) {
        match self {
            Self::Cpu(cpu) => threads.iter().for_each(|&t| cpus[t] = *cpu),
            Self::Of(below) => {
                let parts = parts(threads, utilisation, below.len());
                below.iter().zip(&parts).for_each(|(domain, part)| domain.assign(part, utilisation, cpus));
            }
        }
    }
}

fn sum(threads: &[usize], utilisation: &[Utilisation]) -> u64 {
    threads.iter().map(|&t| u64::from(utilisation[t])).sum()
}

/// Greatest less least sum of the parts.
fn spread(parts: &[Vec<usize>], utilisation: &[Utilisation]) -> u64 {
    let sums = || parts.iter().map(|p| sum(p, utilisation));
    sums().max().unwrap_or(0) - sums().min().unwrap_or(0)
}

/// Threads, heaviest first, in `n` parts: sizes that differ by one at most, sums as equal as possible. Of equal splits it is
/// the one that gives each thread in turn to the part with the least sum.
fn parts(threads: &[usize], utilisation: &[Utilisation], n: usize) -> Vec<Vec<usize>> {
    let greedy = greedy(threads, utilisation, n);
    if n == 2 && ways(threads.len()) <= MOST_WAYS {
        return best_of_two(threads, utilisation, greedy);
    }
    swapped(greedy, utilisation)
}

fn greedy(threads: &[usize], utilisation: &[Utilisation], n: usize) -> Vec<Vec<usize>> {
    let (least, larger) = (threads.len() / n, threads.len() % n);
    let mut parts = vec![Vec::new(); n];
    for &t in threads {
        let full = parts.iter().filter(|p| p.len() > least).count();
        let has_place = |p: &Vec<usize>| p.len() < least || (p.len() == least && full < larger);
        let open = (0..n).filter(|&i| has_place(&parts[i]));
        if let Some(at) = open.min_by_key(|&i| (sum(&parts[i], utilisation), i)) {
            parts[at].push(t);
        }
    }
    parts
}

/// Ways to choose half of so many threads, or more than [`MOST_WAYS`].
fn ways(threads: usize) -> u64 {
    let half = threads as u64 / 2;
    (0..half).fold(1, |ways: u64, i| if ways > MOST_WAYS { ways } else { ways * (threads as u64 - i) / (i + 1) })
}

/// The best of all splits in two of equal size.
fn best_of_two(threads: &[usize], utilisation: &[Utilisation], greedy: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    let mut best = greedy;
    let mut least = spread(&best, utilisation);
    let sizes = [threads.len() / 2, threads.len().div_ceil(2)];
    for &size in if sizes[0] == sizes[1] { &sizes[..1] } else { &sizes } {
        let mut chosen: Vec<usize> = (0..size).collect();
        loop {
            let first: Vec<usize> = chosen.iter().map(|&i| threads[i]).collect();
            let rest = (0..threads.len()).filter(|i| !chosen.contains(i)).map(|i| threads[i]).collect();
            let parts = vec![first, rest];
            if spread(&parts, utilisation) < least {
                least = spread(&parts, utilisation);
                best = parts;
            }
            if !next_choice(&mut chosen, threads.len()) {
                break;
            }
        }
    }
    best
}

/// The next choice of as many of `of` in lexical order; false after the last one.
fn next_choice(chosen: &mut [usize], of: usize) -> bool {
    let size = chosen.len();
    let Some(at) = (0..size).rev().find(|&i| chosen[i] < of - size + i) else { return false };
    chosen[at] += 1;
    for i in at + 1..size {
        chosen[i] = chosen[i - 1] + 1;
    }
    true
}

/// Swaps two threads of two parts as long as that makes the sums more equal.
fn swapped(mut parts: Vec<Vec<usize>>, utilisation: &[Utilisation]) -> Vec<Vec<usize>> {
    let distance =
        |parts: &[Vec<usize>], a: usize, b: usize| sum(&parts[a], utilisation).abs_diff(sum(&parts[b], utilisation));
    loop {
        let mut better = false;
        for a in 0..parts.len() {
            for b in a + 1..parts.len() {
                for i in 0..parts[a].len() {
                    for j in 0..parts[b].len() {
                        let before = distance(&parts, a, b);
                        let (x, y) = (parts[a][i], parts[b][j]);
                        (parts[a][i], parts[b][j]) = (y, x);
                        if distance(&parts, a, b) < before {
                            better = true;
                        } else {
                            (parts[a][i], parts[b][j]) = (x, y);
                        }
                    }
                }
            }
        }
        if !better {
            return parts;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::PERCENT;
    use super::*;
    use crate::machines::even;
    use crate::random::Random;
    use crate::topology::SimulatedTopology;

    /// One chip of two cores with two hardware threads: CPUs 0 and 1, 2 and 3.
    fn chip() -> Domain {
        Domain::of(SimulatedTopology::new(&even(1, 1, 2, 2)).components())
    }

    fn percent(utilisation: &[u32]) -> Vec<Utilisation> {
        utilisation.iter().map(|u| u * PERCENT).collect()
    }

    #[test]
    fn four_threads_are_dealt_to_the_cores_in_turn_then_the_heaviest_is_put_beside_the_lightest() {
        // t1 core 0 thread 0, t2 core 1 thread 0, t3 core 0 thread 1, t4 core 1 thread 1.
        assert_eq!(chip().deal(4), [0, 2, 1, 3]);
        // (t1, t4) and (t2, t3).
        let cpus = chip().split(&percent(&[15, 23, 50, 99]));
        assert_eq!(cpus.iter().map(|c| c / 2).collect::<Vec<_>>(), [0, 1, 1, 0]);
    }

    #[test]
    fn a_master_shares_a_hardware_thread_with_a_light_worker() {
        // First t1, t5 | t3 | t2 | t4 ...
        assert_eq!(chip().deal(5), [0, 2, 1, 3, 0]);
        // ... then, counted from 0, t4 | t3 and the master | t2 | t1.
        assert_eq!(chip().split(&percent(&[0, 25, 99, 25, 99])), [1, 3, 2, 1, 0]);
    }

    #[test]
    fn no_split_in_two_of_equal_size_is_more_equal() {
        let two = Domain::Of(vec![Domain::Cpu(0), Domain::Cpu(1)]);
        let mut random = Random::new(1);
        for _ in 0..300 {
            let n = random.between(1, 9) as usize;
            let u: Vec<Utilisation> = (0..n).map(|_| random.between(0, 10_000) as u32).collect();
            let difference = |on_1: &dyn Fn(usize) -> bool| {
                let sum = |side: bool| (0..n).filter(|&t| on_1(t) == side).map(|t| i64::from(u[t])).sum::<i64>();
                (sum(true) - sum(false)).abs()
            };
            let equal = |mask: &u32| mask.count_ones() as usize == n / 2 || mask.count_ones() as usize == n.div_ceil(2);
            let best = (0..1u32 << n).filter(equal).map(|mask| difference(&|t| mask >> t & 1 == 1)).min();
            let split = two.split(&u);
            assert_eq!(Some(difference(&|t| split[t] == 1)), best, "{u:?}");
            assert!(split.iter().filter(|&&c| c == 1).count().abs_diff(n - n / 2) <= 1);
        }
    }

    #[test]
    fn numbers_are_equal_at_every_level_of_a_larger_machine() {
        let topology = SimulatedTopology::new(&even(3, 2, 2, 2));
        let machine = Domain::of(topology.components());
        let mut random = Random::new(2);
        for threads in [1, 7, 24, 50] {
            let u: Vec<Utilisation> = (0..threads).map(|_| random.between(0, 10_000) as u32).collect();
            for cpus in [machine.split(&u), machine.deal(threads)] {
                for component in topology.components() {
                    let counts = component.children.iter().map(|&child| {
                        let span = &topology.components()[child].span;
                        cpus.iter().filter(|&&c| span.contains(c)).count()
                    });
                    let counts: Vec<usize> = counts.collect();
                    let least = counts.iter().min().copied().unwrap_or(0);
                    assert!(counts.iter().all(|&n| n - least <= 1), "{threads}: {counts:?}");
                }
            }
        }
    }
}
