//! The heuristics Uniform and Adaptive: the priority of a thread's hardware thread by its utilisation. Source: section 4.3.2 of the
//! thesis, which leaves open over what the history of Uniform runs, and whether classes of utilisation are steps or priorities:
//! [`History`] and [`Mapping`] have both.

use super::iterations::{Iterations, Utilisation};
use serde::{Deserialize, Serialize};

/// A percent.
pub(super) const PERCENT: Utilisation = 100;

/// How the utilisation of a thread is taken from its iterations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Heuristic {
    /// Priorities stay as they are.
    #[default]
    None,
    /// Over the history.
    Uniform,
    /// G times that of all iterations before the last one and L times that of the last one.
    Adaptive,
}

/// The history of Uniform.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum History {
    /// All iterations of the thread, as the thesis writes it.
    #[default]
    SinceStart,
    /// Those since the application was balanced last.
    SinceStable,
}

/// What becomes of a thread of low, medium or high utilisation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mapping {
    /// Low: a priority less. Medium: the same. High: one more.
    #[default]
    Steps,
    /// Low: the least priority. Medium: the one in the middle. High: the greatest.
    Classes,
}

/// Settings of the class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HpcSettings {
    /// What decides.
    pub heuristic: Heuristic,
    /// The history of Uniform.
    pub history: History,
    /// What a class of utilisation means.
    pub mapping: Mapping,
    /// LOW_UTIL: below it a thread is of low utilisation, percent.
    pub low_util: u8,
    /// HIGH_UTIL: above it a thread is of high utilisation, percent.
    pub high_util: u8,
    /// L of Adaptive, percent; G is what is left of 100.
    pub last_weight: u8,
    /// Threads whose utilisations differ by more are imbalanced, percent. The thesis has no figure; it is that of its
    /// resource balancer (chapter 5).
    pub imbalance: u8,
    /// A thread with less utilisation over all of its iterations only synchronises the others, and does not count, percent.
    /// Assumed.
    pub ignored: u8,
    /// MIN_PRIO.
    pub least: u8,
    /// MAX_PRIO.
    pub greatest: u8,
}

impl Default for HpcSettings {
    fn default() -> Self {
        Self {
            heuristic: Heuristic::default(),
            history: History::default(),
            mapping: Mapping::default(),
            low_util: 65,
            high_util: 85,
            last_weight: 90,
            imbalance: 20,
            ignored: 1,
            least: 4,
            greatest: 6,
        }
    }
}

impl HpcSettings {
    /// Refuses what cannot be meant, in one line.
    pub(crate) fn check(&self) -> Result<(), String> {
        use crate::smt::PRIORITIES;
        let percents = [self.low_util, self.high_util, self.last_weight, self.imbalance, self.ignored];
        if percents.iter().any(|&p| p > 100) || self.low_util > self.high_util {
            return Err("hpc: percents are 0 to 100, and low_util is at most high_util".to_owned());
        }
        if !(PRIORITIES.contains(&self.least) && PRIORITIES.contains(&self.greatest) && self.least <= self.greatest) {
            return Err("hpc: `least` and `greatest` are priorities, 2 to 6, the least one first".to_owned());
        }
        Ok(())
    }

    /// The utilisation that the heuristic goes by; None before the first iteration.
    pub(super) fn utilisation(&self, of: &Iterations) -> Option<Utilisation> {
        match self.heuristic {
            Heuristic::None => None,
            Heuristic::Uniform => match self.history {
                History::SinceStart => of.all().utilisation(),
                History::SinceStable => of.since_stable.utilisation(),
            },
            Heuristic::Adaptive => {
                let last = of.last.utilisation()?;
                let before = of.before.utilisation().unwrap_or(last);
                let weight = u64::from(self.last_weight);
                Some(((100 - weight) * before + weight * last) / 100)
            }
        }
    }

    /// The priority of a thread of this utilisation in the next iteration.
    pub(super) fn priority(&self, utilisation: Utilisation, now: u8) -> u8 {
        let low = utilisation < u64::from(self.low_util) * PERCENT;
        let high = utilisation > u64::from(self.high_util) * PERCENT;
        let wanted = match self.mapping {
            Mapping::Steps if low => now.saturating_sub(1),
            Mapping::Steps if high => now + 1,
            Mapping::Steps => now,
            Mapping::Classes if low => self.least,
            Mapping::Classes if high => self.greatest,
            Mapping::Classes => self.least.midpoint(self.greatest),
        };
        wanted.clamp(self.least, self.greatest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Iterations of one second with these utilisations, percent.
    fn iterations(utilisation: &[u64]) -> Iterations {
        let mut of = Iterations::new(0, 0);
        let mut run = 0;
        for (i, u) in (1..).zip(utilisation) {
            run += u * 10_000_000;
            of.end(i * 1_000_000_000, run);
        }
        of
    }

    #[test]
    fn uniform_goes_by_all_iterations_and_adaptive_by_nine_tenths_of_the_last() {
        let of = iterations(&[100, 100, 25]);
        let with = |heuristic| HpcSettings { heuristic, ..HpcSettings::default() };
        assert_eq!(with(Heuristic::None).utilisation(&of), None);
        assert_eq!(with(Heuristic::Uniform).utilisation(&of), Some(7_500));
        assert_eq!(with(Heuristic::Adaptive).utilisation(&of), Some(1_000 + 2_250));
    }

    #[test]
    fn after_a_stable_state_uniform_may_forget_what_came_before() {
        let history =
            HpcSettings { heuristic: Heuristic::Uniform, history: History::SinceStable, ..HpcSettings::default() };
        let mut of = iterations(&[100, 100]);
        of.is_stable();
        assert_eq!(history.utilisation(&of), None);
        of.end(3_000_000_000, 2_250_000_000);
        assert_eq!(history.utilisation(&of), Some(2_500));
    }

    #[test]
    fn priorities_go_up_and_down_by_steps_within_4_and_6() {
        let steps = HpcSettings::default();
        assert_eq!([steps.priority(9_000, 4), steps.priority(9_000, 5), steps.priority(9_000, 6)], [5, 6, 6]);
        assert_eq!([steps.priority(6_499, 6), steps.priority(6_499, 4), steps.priority(7_000, 5)], [5, 4, 5]);
        assert_eq!([steps.priority(6_500, 5), steps.priority(8_500, 5)], [5, 5]);
        let classes = HpcSettings { mapping: Mapping::Classes, ..steps };
        assert_eq!([classes.priority(2_000, 6), classes.priority(7_000, 6), classes.priority(9_000, 4)], [4, 5, 6]);
    }

    #[test]
    fn settings_that_cannot_be_meant_are_refused() {
        assert!(HpcSettings { low_util: 90, ..HpcSettings::default() }.check().is_err());
        assert!(HpcSettings { greatest: 7, ..HpcSettings::default() }.check().is_err());
        assert!(HpcSettings::default().check().is_ok());
    }
}
