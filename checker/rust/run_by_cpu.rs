//! How long one thread ran on each CPU.

use crate::topology::CpuIx;

/// Times in ns. That of the CPU where it ran last is kept apart, at hand; most threads stay where they are.
#[derive(Clone, Debug, Default)]
pub struct RunByCpu {
    latest: (CpuIx, i64),
    /// In order of CPUs; those of all CPUs, `latest` to be added.
    others: Vec<(CpuIx, i64)>,
}

impl RunByCpu {
    /// It ran `ns` more on `cpu`; `ns` is above 0.
    #[inline]
    pub fn add(&mut self, cpu: CpuIx, ns: i64) {
        if self.latest.0 != cpu {
            let (before, ran) = std::mem::replace(&mut self.latest, (cpu, 0));
            self.note(before, ran);
        }
        self.latest.1 += ns;
    }

    fn note(&mut self, cpu: CpuIx, ns: i64) {
        if ns == 0 {
            return;
        }
        match self.others.binary_search_by_key(&cpu, |entry| entry.0) {
            Ok(at) => self.others[at].1 += ns,
            Err(at) => self.others.insert(at, (cpu, ns)),
        }
    }

    /// CPUs on which it ran, in order, each with the time.
    pub fn by_cpu(&self) -> Vec<(CpuIx, i64)> {
        let mut all = self.clone();
        all.note(self.latest.0, self.latest.1);
        all.others
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_summed_by_cpu_and_come_in_their_order() {
        let mut ran = RunByCpu::default();
        assert_eq!(ran.by_cpu(), []);
        for (cpu, ns) in [(3, 5), (0, 1), (3, 7), (1, 2), (0, 4), (0, 8)] {
            ran.add(cpu, ns);
        }
        assert_eq!(ran.by_cpu(), [(0, 13), (1, 2), (3, 12)]);
    }
}
