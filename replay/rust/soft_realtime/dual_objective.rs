//! The double-objective resource allocator (DRA): hardware that gives the most critical job at least what it needs, and tries out
//! whether more of the core for it makes both together faster (sections 6.3.4 and 6.4 of the thesis).

use super::Ms;

/// Steps of the allocation that are tried.
const STEP: f64 = 0.1;
/// Steps that are tried at most.
const MOST_STEPS: u32 = 6;
/// Time with the best allocation, at 1 GHz: 240 000 cycles.
const APPLICATION: Ms = 0.24;
/// A step that is tried takes a thirtieth of it.
const LEARNING: Ms = APPLICATION / 30.0;
/// Both jobs are stopped for 50 cycles between two phases.
pub const STOPPED: Ms = 50e-6;

/// The allocator between two decisions of the scheduler.
#[derive(Clone, Debug)]
pub struct DualObjective {
    least: f64,
    /// Steps tried; None: it applies the best.
    step: Option<u32>,
    current: f64,
    best: (f64, f64),
    /// Σ allocation × time, and the time.
    given: (f64, Ms),
}

impl DualObjective {
    /// The scheduler asks for at least this allocation: it starts to learn.
    pub fn new(least: f64) -> Self {
        Self { least, step: Some(0), current: least, best: (f64::MIN, least), given: (0.0, 0.0) }
    }

    /// The allocation now.
    pub fn current(&self) -> f64 {
        self.current
    }

    /// The length of a phase like the present one.
    pub fn length(&self) -> Ms {
        if self.step.is_some() { LEARNING } else { APPLICATION }
    }

    /// Time passes within a phase.
    pub fn ran(&mut self, time: Ms) {
        self.given = (self.given.0 + self.current * time, self.given.1 + time);
    }

    /// A phase is over, in which the core did so many instructions per cycle.
    pub fn end_phase(&mut self, throughput: f64) {
        let Some(step) = self.step else {
            (self.step, self.current, self.best) = (Some(0), self.least, (f64::MIN, self.least));
            return;
        };
        if throughput > self.best.0 {
            self.best = (throughput, self.current);
        }
        let next = self.least + f64::from(step + 1) * STEP;
        if step + 1 < MOST_STEPS && next <= 1.0 + 1e-9 {
            (self.step, self.current) = (Some(step + 1), next.min(1.0));
        } else {
            (self.step, self.current) = (None, self.best.1);
        }
    }

    /// RAavg, which goes back to the scheduler: the mean allocation since its last decision.
    pub fn average(&self) -> f64 {
        if self.given.1 > 0.0 { self.given.0 / self.given.1 } else { self.least }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_tries_allocations_from_the_least_on_and_applies_the_one_of_most_throughput() {
        let mut dra = DualObjective::new(0.4);
        let mut tried = Vec::new();
        while dra.length() == LEARNING {
            tried.push((dra.current() * 10.0).round() as u32);
            // 0.6 is best.
            dra.end_phase(1.0 - (dra.current() - 0.6).abs());
        }
        assert_eq!(tried, [4, 5, 6, 7, 8, 9]);
        assert_eq!((dra.current() * 10.0).round(), 6.0);
        assert!((dra.length() / LEARNING - 30.0).abs() < 1e-9);
        dra.end_phase(1.0);
        assert_eq!(dra.current(), 0.4);
    }

    #[test]
    fn it_never_gives_less_than_asked_nor_more_than_everything() {
        let mut dra = DualObjective::new(0.85);
        let mut tried = Vec::new();
        while dra.length() == LEARNING {
            tried.push((dra.current() * 100.0).round() as u32);
            dra.ran(1.0);
            dra.end_phase(dra.current());
        }
        assert_eq!(tried, [85, 95]);
        assert!((dra.average() - 0.9).abs() < 1e-9);
    }
}
