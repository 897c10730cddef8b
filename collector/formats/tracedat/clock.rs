//! From stamps of the ring buffer to ns.

use crate::told::Told;

/// How the stamps of a file become ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    cycles: Option<(u32, u32)>,
    offset_ns: i64,
}

impl Clock {
    /// Of the buffers' clock of this name; an error where its stamps cannot be turned into time.
    pub fn new(name: &str, told: &Told) -> Result<Self, String> {
        let counts_ns = !matches!(name, "counter" | "x86-tsc" | "ppc-tb");
        if !counts_ns && told.cycles.is_none() {
            return Err(format!(
                "its clock {name} does not count ns and the file does not say how to convert it; record with trace-cmd record -C mono"
            ));
        }
        let cycles = told.cycles.filter(|_| name != "counter");
        Ok(Self { cycles, offset_ns: told.offset_ns })
    }

    /// The time (ns) of a stamp.
    #[inline]
    pub fn ns(&self, stamp: u64) -> i64 {
        let ns = match self.cycles {
            None => stamp,
            Some((multiplier, shift)) => {
                u64::try_from((u128::from(stamp) * u128::from(multiplier)) >> shift).unwrap_or(u64::MAX)
            }
        };
        i64::try_from(ns).unwrap_or(i64::MAX).saturating_add(self.offset_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_become_ns_and_are_refused_where_nobody_says_how() {
        let told = Told { cycles: Some((3, 1)), offset_ns: -5, ..Told::default() };
        assert_eq!(Clock::new("x86-tsc", &told).unwrap().ns(10), 10);
        assert_eq!(Clock::new("mono", &Told::default()).unwrap().ns(u64::MAX), i64::MAX);
        assert!(Clock::new("x86-tsc", &Told::default()).unwrap_err().contains("-C mono"));
    }
}
