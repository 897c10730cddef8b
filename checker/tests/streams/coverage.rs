//! What the streams held: a comparison proves nothing of what never occurred.

use std::collections::BTreeMap;
use std::fmt;

use wastenot_schemas::excuse;

use crate::reference::Figures;

/// What has to occur, besides each of the excuses.
const SITUATIONS: [&str; 10] = [
    "waste",
    "waste not certain",
    "unobserved",
    "doubtful idle",
    "doubtful wait",
    "late wake",
    "contradiction",
    "missing_idle_exit",
    "offline_unreported",
    "left_unseen",
];

/// In how many streams each situation occurred.
#[derive(Default)]
pub struct Coverage {
    events: u64,
    streams: BTreeMap<&'static str, u64>,
}

impl Coverage {
    /// Count a stream.
    pub fn add(&mut self, f: &Figures, events: u64) {
        self.events += events;
        let repaired = |how: &str| f.repaired.keys().any(|(reason, _)| reason == how);
        let occurs = [
            f.wasted > 0,
            f.certain < f.wasted,
            !f.unobserved.is_empty(),
            !f.doubtful.is_empty(),
            !f.doubtful_wait.is_empty(),
            f.late_wakes > 0,
            f.contradictions > 0,
            repaired("missing_idle_exit"),
            repaired("offline_unreported"),
            repaired("left_unseen"),
        ];
        let excused = f.ledger.iter().map(|ns| *ns > 0);
        for (situation, occurs) in situations().zip(occurs.into_iter().chain(excused)) {
            *self.streams.entry(situation).or_default() += u64::from(occurs);
        }
    }

    pub fn merge(&mut self, other: &Self) {
        self.events += other.events;
        for (situation, n) in &other.streams {
            *self.streams.entry(situation).or_default() += n;
        }
    }

    /// Situations that no stream had.
    pub fn missing(&self) -> Vec<&'static str> {
        situations().filter(|s| self.streams.get(s).is_none_or(|n| *n == 0)).collect()
    }
}

fn situations() -> impl Iterator<Item = &'static str> {
    SITUATIONS.into_iter().chain(excuse::NAMES.iter().copied())
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} events; streams with", self.events)?;
        let of = |s| self.streams.get(s).copied().unwrap_or(0);
        let counts: Vec<String> = situations().map(|s| format!("{s} {}", of(s))).collect();
        write!(f, " {}", counts.join(", "))
    }
}
