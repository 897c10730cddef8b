//! From stamps of the ring buffer to ns.

use crate::options::RecordingOptions;

/// Clocks that count ns (kernel/trace/trace.c: trace_clocks, in_ns).
const NS: [&str; 7] = ["local", "global", "perf", "mono", "mono_raw", "boot", "tai"];
/// Clocks that do not: `uptime` counts jiffies in units of clock_t.
const OTHERS: [&str; 5] = ["counter", "uptime", "x86-tsc", "ppc-tb", "s390-tod"];

/// Whether the clock of this name counts ns is known.
pub fn is_known(name: &str) -> bool {
    NS.contains(&name) || OTHERS.contains(&name)
}

/// How the stamps of a file become ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    cycles: Option<(u32, u32)>,
    offset_ns: i64,
}

impl Clock {
    /// Of the buffers' clock of this name; an error where its stamps cannot be turned into time.
    pub fn new(name: &str, options: &RecordingOptions) -> Result<Self, String> {
        let converts = options.cycles.is_some() && !matches!(name, "counter" | "uptime");
        if OTHERS.contains(&name) && !converts {
            return Err(format!(
                "its clock {name} does not count ns and the file does not say how to convert it; record with trace-cmd record -C mono"
            ));
        }
        let cycles = options.cycles.filter(|_| converts);
        Ok(Self { cycles, offset_ns: options.offset_ns })
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
    fn cycles_become_ns_and_are_refused_without_a_conversion() {
        let options = RecordingOptions { cycles: Some((3, 1)), offset_ns: -5, ..RecordingOptions::default() };
        assert_eq!(Clock::new("x86-tsc", &options).unwrap().ns(10), 10);
        assert_eq!(Clock::new("mono", &RecordingOptions::default()).unwrap().ns(u64::MAX), i64::MAX);
        for clock in ["x86-tsc", "ppc-tb", "s390-tod", "uptime", "counter"] {
            assert!(Clock::new(clock, &RecordingOptions::default()).unwrap_err().contains("-C mono"), "{clock}");
        }
        assert!(Clock::new("uptime", &options).is_err(), "the rate is that of the CPU's counter");
        assert!(is_known("mono") && is_known("uptime") && !is_known("qtimer"));
    }
}
