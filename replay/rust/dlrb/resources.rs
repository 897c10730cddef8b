//! The resource balancer of DLRB: priorities of the two hardware threads of a core. Source: section 5.2.3 of the thesis.

use super::{PERCENT, Utilisation};

/// Utilisations of the two hardware threads that differ by no more are balanced.
pub const THRESHOLD: Utilisation = 20 * PERCENT;

/// Priorities that it uses, least and greatest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PriorityRange {
    /// The least.
    pub least: u8,
    /// The greatest.
    pub greatest: u8,
}

impl Default for PriorityRange {
    /// With differences of more than two the lower one loses most of its speed.
    fn default() -> Self {
        Self { least: 4, greatest: 6 }
    }
}

/// The priorities of two hardware threads by what each was used, the sum over its threads: the one that is used more is raised
/// by a step, by two where they differ by more than twice the threshold; when it is at the maximum, the other is lowered.
pub fn priorities(used: (Utilisation, Utilisation), now: (u8, u8), range: PriorityRange) -> (u8, u8) {
    let difference = used.0.abs_diff(used.1);
    let steps = match difference {
        d if d > 2 * THRESHOLD => 2,
        d if d > THRESHOLD => 1,
        _ => 0,
    };
    let (mut high, mut low) = if used.0 >= used.1 { now } else { (now.1, now.0) };
    for _ in 0..steps {
        if high < range.greatest {
            high += 1;
        } else {
            low = low.saturating_sub(1).max(range.least);
        }
    }
    if used.0 >= used.1 { (high, low) } else { (low, high) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hardware_thread_that_is_used_more_is_raised_by_one_step_or_two() {
        let range = PriorityRange::default();
        let at = |a: u32, b: u32, now| priorities((a * PERCENT, b * PERCENT), now, range);
        assert_eq!(at(80, 100, (4, 4)), (4, 4));
        assert_eq!(at(79, 100, (4, 4)), (4, 5));
        assert_eq!(at(100, 60, (4, 4)), (5, 4));
        assert_eq!(at(100, 59, (4, 4)), (6, 4));
    }

    #[test]
    fn at_the_maximum_the_other_one_is_lowered_down_to_the_minimum() {
        let range = PriorityRange::default();
        assert_eq!(priorities((10_000, 2_000), (6, 6), range), (6, 4));
        assert_eq!(priorities((10_000, 2_000), (5, 6), range), (6, 5));
        assert_eq!(priorities((10_000, 2_000), (6, 4), range), (6, 4));
        assert_eq!(priorities((2_000, 10_000), (6, 4), range), (6, 6));
    }
}
