//! Sets of tasks: programs of MediaBench with their times alone (table 6.2), utilisations by UUniFast, periods from both.

use super::Ms;
use crate::random::Random;

/// A program: its name, its longest time alone on a processor of 1 GHz.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// Name.
    pub name: &'static str,
    /// WCET.
    pub wcet: Ms,
}

/// Table 6.2.
pub const PROGRAMS: [Program; 10] = [
    Program { name: "adpcm_c", wcet: 1.6772 },
    Program { name: "adpcm_d", wcet: 1.4599 },
    Program { name: "epic_c", wcet: 17.8306 },
    Program { name: "epic_d", wcet: 6.1524 },
    Program { name: "gsm_c", wcet: 55.9323 },
    Program { name: "gsm_d", wcet: 50.8701 },
    Program { name: "g721_c", wcet: 39.7142 },
    Program { name: "g721_d", wcet: 18.1077 },
    Program { name: "mpeg2_c", wcet: 34.9833 },
    Program { name: "mpeg2_d", wcet: 2.5358 },
];

/// A task, of which one job runs: it is ready at 0, and its deadline is its period.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Task {
    /// Its program, in [`PROGRAMS`].
    pub program: usize,
    /// Its longest time alone.
    pub wcet: Ms,
    /// Its deadline.
    pub deadline: Ms,
}

impl Task {
    /// WCET over period.
    pub fn utilisation(&self) -> f64 {
        self.wcet / self.deadline
    }
}

/// A number from 0 to 1.
pub(super) fn fraction(random: &mut Random) -> f64 {
    random.between(0, 1 << 53) as f64 / (1u64 << 53) as f64
}

/// How utilisations are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generator {
    /// All sets of a sum are equally likely (Bini, Buttazzo, *Measuring the performance of schedulability tests*, Real-Time
    /// Systems 30, 2005).
    UUniFast,
    /// Uniform numbers, scaled to the sum: fewer large ones.
    Scaled,
}

impl Generator {
    fn draw(self, n: usize, sum: f64, random: &mut Random) -> Vec<f64> {
        if self == Self::Scaled {
            let drawn: Vec<f64> = (0..n).map(|_| fraction(random)).collect();
            let total: f64 = drawn.iter().sum();
            return drawn.into_iter().map(|u| u * sum / total).collect();
        }
        let mut left = sum;
        let mut drawn = Vec::with_capacity(n);
        for i in 1..n {
            let next = left * fraction(random).powf(1.0 / (n - i) as f64);
            drawn.push(left - next);
            left = next;
        }
        drawn.push(left);
        drawn
    }
}

/// Utilisations that add up to a sum. Drawn anew until none is above 1.
fn utilisations(generator: Generator, n: usize, sum: f64, random: &mut Random) -> Vec<f64> {
    loop {
        let drawn = generator.draw(n, sum, random);
        if drawn.iter().all(|&u| u > 0.0 && u <= 1.0) {
            return drawn;
        }
    }
}

/// A set of so many tasks with this serial utilisation (the sum of theirs).
pub fn task_set(generator: Generator, n: usize, serial_utilisation: f64, random: &mut Random) -> Vec<Task> {
    let utilisations = utilisations(generator, n, serial_utilisation, random);
    let task = |u: f64| {
        let program = random.between(0, PROGRAMS.len() as u64 - 1) as usize;
        let wcet = PROGRAMS[program].wcet;
        Task { program, wcet, deadline: wcet / u }
    };
    utilisations.into_iter().map(task).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utilisations_of_a_set_add_up_to_its_serial_utilisation() {
        let mut random = Random::new(1);
        for (n, generator) in [(4, Generator::UUniFast), (8, Generator::Scaled), (12, Generator::UUniFast)] {
            for su in [1.0, 1.8, 2.6] {
                let set = task_set(generator, n, su, &mut random);
                assert_eq!(set.len(), n);
                assert!((set.iter().map(Task::utilisation).sum::<f64>() - su).abs() < 1e-9);
                assert!(set.iter().all(|t| t.utilisation() <= 1.0));
            }
        }
    }
}
