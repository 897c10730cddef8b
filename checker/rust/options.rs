//! Options of a check.

/// Grades that have a threshold, in rising order of τ. Noise is everything below the first.
pub use wastenot_schemas::grade::TIMED as TIMED_GRADES;

/// Options of one check.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// Fail on the first contradiction instead of counting it.
    pub strict: bool,
    /// τ of the grades in ns, in the order of [`TIMED_GRADES`]; None takes the definition of the semantics
    /// (50 µs; one tick; the pair's balance interval; min(100 ms, three balance intervals)).
    pub thresholds_ns: [Option<i64>; TIMED_GRADES.len()],
    /// Determine no causes: all of them are unknown. For measuring their cost.
    pub without_causes: bool,
    /// Events between two checkpoints of [`crate::check`]; None: half a million, and more where their states are large.
    pub checkpoint_events: Option<i64>,
    /// Which tables are made besides those that a verdict needs.
    pub tables: TableSet,
}

/// Which tables a check makes; each set holds the former.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum TableSet {
    /// What a verdict needs.
    Verdict,
    /// What the trace is drawn from as a whole: levels of detail, wasted cores, moves.
    Overview,
    /// The tables that grow with the trace too (`cpu_slice`, `thread_state`, …).
    #[default]
    All,
}

impl TableSet {
    /// The set of that name.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "verdict" => Some(Self::Verdict),
            "overview" => Some(Self::Overview),
            "all" => Some(Self::All),
            _ => None,
        }
    }
}

impl Options {
    /// Check that the thresholds which were set rise from grade to grade.
    pub fn validate(&self) -> Result<(), BadOption> {
        let mut last: Option<(usize, i64)> = None;
        for (i, tau) in self.thresholds_ns.iter().enumerate() {
            let Some(tau) = *tau else { continue };
            if tau <= 0 {
                return Err(BadOption(format!("threshold {}: {tau} ns; it must be above zero", TIMED_GRADES[i])));
            }
            if let Some((j, before)) = last
                && tau < before
            {
                return Err(BadOption(format!(
                    "threshold {}: {tau} ns is below that of {} ({before} ns); thresholds rise from grade to grade",
                    TIMED_GRADES[i], TIMED_GRADES[j]
                )));
            }
            last = Some((i, tau));
        }
        Ok(())
    }
}

/// An option with an impossible value; the text names it and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadOption(pub String);

impl std::fmt::Display for BadOption {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadOption {}
