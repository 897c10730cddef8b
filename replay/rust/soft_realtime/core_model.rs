//! How fast two jobs are on one core: by themselves (the fetch policy icount decides), and when the most critical of them is
//! given a share of the core. The thesis measured this with a simulator of processors; here it is a model.

use super::task_set::{PROGRAMS, fraction};
use crate::random::Random;

/// Symbiosis factors of the 55 pairs in the thesis: least, greatest and mean (section 6.2.1).
pub const SYMBIOSIS: [f64; 3] = [0.94, 1.70, 1.40];

/// Pairs whose relative speeds the thesis prints (tables 6.3 and 6.4).
const PRINTED: [(&str, f64, &str, f64); 2] = [("adpcm_c", 0.306, "epic_d", 0.812), ("epic_d", 0.479, "epic_c", 0.602)];

/// Instructions per cycle of a program alone that the thesis prints (the same tables).
const PRINTED_IPC: [(&str, f64); 3] = [("adpcm_c", 4.181), ("epic_d", 1.642), ("epic_c", 3.175)];

/// How speeds follow from a share of the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// RA^e and (1 − RA)^e, where e is such that two halves give the pair's symbiosis factor; e is at most 1, so that the
    /// critical job is never slower than its share.
    Symbiosis,
    /// RA^0.7 and 1 − RA^0.7: what the schedulers assume of the other job, and hence no gain of two threads over one.
    Assumed,
}

/// What is free in the model.
#[derive(Clone, Copy, Debug)]
pub struct CoreSettings {
    /// Seed of the pairs that the thesis does not print.
    pub seed: u64,
    /// Least share of a pair's speed that one of the two gets without control.
    pub least_share: f64,
    /// Speeds under control.
    pub control: Control,
}

/// The core.
#[derive(Clone, Debug)]
pub struct CoreModel {
    control: Control,
    /// Relative speed of a program (row) beside another (column), without control.
    beside: Vec<[f64; PROGRAMS.len()]>,
    /// Instructions per cycle alone.
    ipc: [f64; PROGRAMS.len()],
}

fn program(name: &str) -> usize {
    PROGRAMS.iter().position(|p| p.name == name).unwrap_or(0)
}

impl CoreModel {
    /// A core whose pairs have the range and the mean of the thesis.
    pub fn new(settings: CoreSettings) -> Self {
        let mut random = Random::new(settings.seed);
        let n = PROGRAMS.len();
        let pairs: Vec<(usize, usize)> = (0..n).flat_map(|a| (a..n).map(move |b| (a, b))).collect();
        let mut drawn: Vec<f64> = pairs.iter().map(|_| fraction(&mut random)).collect();
        fit(&mut drawn);
        let mut beside = vec![[0.0; PROGRAMS.len()]; n];
        for (&(a, b), symbiosis) in pairs.iter().zip(drawn) {
            let free = 1.0 - 2.0 * settings.least_share;
            // A program is as fast as itself; none is faster beside another than alone.
            let share = if a == b { 0.5 } else { settings.least_share + free * fraction(&mut random) };
            let share = share.clamp(1.0 - 1.0 / symbiosis.max(1.0), (1.0 / symbiosis).min(1.0));
            (beside[a][b], beside[b][a]) = (symbiosis * share, symbiosis * (1.0 - share));
        }
        for (a, speed_a, b, speed_b) in PRINTED {
            (beside[program(a)][program(b)], beside[program(b)][program(a)]) = (speed_a, speed_b);
        }
        let mut ipc = [0.0; PROGRAMS.len()];
        ipc.iter_mut().for_each(|ipc| *ipc = 1.5 + 2.7 * fraction(&mut random));
        PRINTED_IPC.iter().for_each(|&(name, printed)| ipc[program(name)] = printed);
        Self { control: settings.control, beside, ipc }
    }

    /// Speeds of two programs without control.
    pub fn uncontrolled(&self, a: usize, b: usize) -> (f64, f64) {
        (self.beside[a][b], self.beside[b][a])
    }

    /// The sum of both: above 1, two together do more than one after the other (formula 6.1).
    pub fn symbiosis(&self, a: usize, b: usize) -> f64 {
        self.beside[a][b] + self.beside[b][a]
    }

    /// Speeds of the critical program and the other one, when the critical one gets a share of the core.
    pub fn controlled(&self, critical: usize, other: usize, share: f64) -> (f64, f64) {
        match self.control {
            Control::Symbiosis => {
                let exponent = (self.symbiosis(critical, other) / 2.0).log(0.5).clamp(0.05, 1.0);
                (share.powf(exponent), (1.0 - share).powf(exponent))
            }
            Control::Assumed => {
                let speed = share.powf(super::allocation::EXPONENT);
                (speed, 1.0 - speed)
            }
        }
    }

    /// Instructions per cycle of two programs at these speeds.
    pub fn throughput(&self, a: usize, b: usize, speeds: (f64, f64)) -> f64 {
        self.ipc[a] * speeds.0 + self.ipc[b] * speeds.1
    }
}

/// Turns numbers from 0 to 1 into ones of the thesis's least, greatest and mean: to a power that gives the mean.
fn fit(values: &mut [f64]) {
    let [least, greatest, mean] = SYMBIOSIS;
    let (from, to) = values.iter().fold((f64::MAX, f64::MIN), |(a, b), &v| (a.min(v), b.max(v)));
    let at = |v: f64, power: f64| least + (greatest - least) * ((v - from) / (to - from)).powf(power);
    let (mut low, mut high) = (0.01, 10.0);
    for _ in 0..60 {
        let power = (low + high) / 2.0;
        let found = values.iter().map(|&v| at(v, power)).sum::<f64>() / values.len() as f64;
        if found > mean { low = power } else { high = power }
    }
    values.iter_mut().for_each(|v| *v = at(*v, low));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(control: Control) -> CoreModel {
        CoreModel::new(CoreSettings { seed: 1, least_share: 0.3, control })
    }

    #[test]
    fn pairs_have_the_range_and_mean_of_the_thesis_and_two_are_the_printed_ones() {
        let model = model(Control::Symbiosis);
        let n = PROGRAMS.len();
        let all: Vec<f64> =
            (0..n).flat_map(|a| (a..n).map(move |b| (a, b))).map(|(a, b)| model.symbiosis(a, b)).collect();
        assert_eq!(all.len(), 55);
        assert!(all.iter().all(|s| (0.93..1.71).contains(s)));
        assert!((all.iter().sum::<f64>() / 55.0 - 1.40).abs() < 0.02);
        assert_eq!(model.uncontrolled(program("adpcm_c"), program("epic_d")), (0.306, 0.812));
        assert_eq!(model.uncontrolled(program("epic_d"), program("epic_c")), (0.479, 0.602));
    }

    #[test]
    fn a_critical_job_is_never_slower_than_its_share_and_alone_with_all_of_it() {
        for control in [Control::Symbiosis, Control::Assumed] {
            let model = model(control);
            for (a, b) in [(0, 3), (2, 9), (5, 5)] {
                for share in [0.4, 0.5, 0.7, 0.9, 1.0] {
                    assert!(model.controlled(a, b, share).0 >= share - 1e-12);
                }
                assert_eq!(model.controlled(a, b, 1.0), (1.0, 0.0));
            }
        }
    }
}
