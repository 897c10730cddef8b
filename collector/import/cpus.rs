//! The CPUs of a machine that the trace does not describe.
//!
//! Every CPU that an event names is one, and so are those between them: a CPU can be silent. A number that lies far beyond all others
//! and occurs in one event only is damage: one flipped bit must not make a machine of thousands of CPUs.

/// A number so far above the next lower one that was named is not filled up to ...
const FAR: u32 = 256;
/// ... unless it is less than so many times as high.
const TIMES: u32 = 8;

/// CPUs by the events that name them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cpus {
    /// Ascending.
    pub exist: Vec<u32>,
    /// Each named by one event, far above all others: ascending.
    pub strays: Vec<u32>,
}

impl Cpus {
    /// `seen`: the CPUs that events name, ascending, and whether more than one event does.
    pub fn of(seen: impl Iterator<Item = (u32, bool)>) -> Self {
        let mut cpus = Self::default();
        for (cpu, again) in seen {
            let next = cpus.exist.last().map_or(0, |last| last + 1);
            let is_far = cpu - next >= FAR && cpu / TIMES >= next;
            match is_far {
                true if !again && next > 0 => cpus.strays.push(cpu),
                true if next > 0 => cpus.exist.push(cpu),
                _ => cpus.exist.extend(next..=cpu),
            }
        }
        cpus
    }

    /// At least so many: the trace has their number.
    pub fn at_least(&mut self, cpus: u32) {
        let beyond: Vec<u32> = self.exist.iter().copied().filter(|&cpu| cpu >= cpus).collect();
        self.exist = (0..cpus).chain(beyond).collect();
        self.strays.retain(|&cpu| cpu >= cpus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(seen: &[(u32, bool)]) -> (Vec<u32>, Vec<u32>) {
        let cpus = Cpus::of(seen.iter().copied());
        (cpus.exist, cpus.strays)
    }

    #[test]
    fn gaps_are_silent_cpus_and_one_number_far_away_is_damage() {
        assert_eq!(of(&[(0, true), (3, false)]), (vec![0, 1, 2, 3], vec![]));
        assert_eq!(of(&[(0, true), (1, true), (8191, false)]), (vec![0, 1], vec![8191]));
        assert_eq!(of(&[(0, true), (300, false), (8191, false)]), (vec![0], vec![300, 8191]));
        assert_eq!(of(&[(0, true), (8191, true)]), (vec![0, 8191], vec![]), "named twice: no damage");
        assert_eq!(of(&[(0, true), (255, false)]).0.len(), 256);
        assert_eq!(of(&[(127, true), (500, false)]).0.len(), 501);
        assert_eq!(of(&[(8191, false)]).0.len(), 8192, "it is the only CPU that is named");
        assert_eq!(of(&[]), (vec![], vec![]));
    }

    #[test]
    fn the_number_of_cpus_in_a_trace_counts() {
        let mut cpus = Cpus::of([(0, true), (1023, false), (8191, true)].into_iter());
        cpus.at_least(1024);
        assert_eq!((cpus.exist.len(), cpus.exist.last(), cpus.strays.len()), (1025, Some(&8191), 0));
    }
}
