//! How long one thread ran on each CPU.

use crate::topology::CpuIx;

/// Times in ns. That of the CPU where it ran last is kept apart, at hand; most threads stay where they are.
#[derive(Clone, Debug, Default)]
pub struct RunByCpu {
    latest: (CpuIx, i64),
    /// Those of all CPUs, `latest` to be added.
    others: RunTimes,
}

/// Times by CPU, in order of CPUs.
#[derive(Clone, Debug)]
enum RunTimes {
    /// An entry for each CPU on which it ran.
    Few(Vec<(CpuIx, i64)>),
    /// An entry for every CPU of the machine, once it ran on a good part of them.
    Many(Vec<i64>),
}

impl Default for RunTimes {
    fn default() -> Self {
        Self::Few(Vec::new())
    }
}

impl RunByCpu {
    /// Add `ns` (above 0) on `cpu`, one of `n_cpus`.
    #[inline]
    pub fn add(&mut self, cpu: CpuIx, ns: i64, n_cpus: usize) {
        if self.latest.0 != cpu {
            let (before, ran) = std::mem::replace(&mut self.latest, (cpu, 0));
            self.others.add(before, ran, n_cpus);
        }
        self.latest.1 += ns;
    }

    /// CPUs on which it ran, in order, each with the time.
    pub fn by_cpu(&self, n_cpus: usize) -> Vec<(CpuIx, i64)> {
        let mut all = self.others.clone();
        all.add(self.latest.0, self.latest.1, n_cpus);
        match all {
            RunTimes::Few(times) => times,
            RunTimes::Many(times) => (0..).zip(times).filter(|(_, ns)| *ns > 0).collect(),
        }
    }
}

impl RunTimes {
    /// `ns` may be 0, as before the thread first runs.
    #[inline]
    fn add(&mut self, cpu: CpuIx, ns: i64, n_cpus: usize) {
        match self {
            Self::Many(times) => times[cpu as usize] += ns,
            Self::Few(times) if ns > 0 => match times.binary_search_by_key(&cpu, |entry| entry.0) {
                Ok(at) => times[at].1 += ns,
                Err(at) => {
                    times.insert(at, (cpu, ns));
                    if times.len() > n_cpus / 4 {
                        self.spread(n_cpus);
                    }
                }
            },
            Self::Few(_) => {}
        }
    }

    /// From now on each CPU has a place: no search is needed, and that takes at most twice the memory.
    #[cold]
    fn spread(&mut self, n_cpus: usize) {
        if let Self::Few(few) = self {
            let mut times = vec![0; n_cpus];
            few.iter().for_each(|&(cpu, ns)| times[cpu as usize] = ns);
            *self = Self::Many(times);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_summed_by_cpu_and_come_in_their_order() {
        for n_cpus in [4, 5, 8, 12, 100] {
            let mut ran = RunByCpu::default();
            assert_eq!(ran.by_cpu(n_cpus), []);
            for (cpu, ns) in [(3, 5), (0, 1), (3, 7), (1, 2), (0, 4), (0, 8)] {
                ran.add(cpu, ns, n_cpus);
            }
            assert_eq!(ran.by_cpu(n_cpus), [(0, 13), (1, 2), (3, 12)]);
        }
    }
}
