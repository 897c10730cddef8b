//! Iterations of a thread: a computing phase, in which it is runnable, and a waiting phase. They end where it wakes. Source: section
//! 4.3.2 of the thesis.

use crate::span::Ns;

/// Hundredths of a percent.
pub(super) type Utilisation = u64;

/// Computing time, and the time of whole iterations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Times {
    pub run_ns: Ns,
    pub total_ns: Ns,
}

impl Times {
    /// U = Σ tR / Σ ti; None before the first iteration.
    pub fn utilisation(self) -> Option<Utilisation> {
        (self.total_ns > 0).then(|| (u128::from(self.run_ns) * 10_000 / u128::from(self.total_ns)) as Utilisation)
    }

    fn plus(self, other: Self) -> Self {
        Self { run_ns: self.run_ns + other.run_ns, total_ns: self.total_ns + other.total_ns }
    }
}

/// The iterations of a thread.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Iterations {
    /// When the iteration started that is under way, and the thread's run time then.
    start_ns: Ns,
    start_run_ns: Ns,
    /// The iteration that ended last.
    pub last: Times,
    /// All before the last one.
    pub before: Times,
    /// All since the last stable state, the last one included.
    pub since_stable: Times,
}

impl Iterations {
    /// The first iteration starts.
    pub fn new(now: Ns, run_ns: Ns) -> Self {
        Self { start_ns: now, start_run_ns: run_ns, ..Self::default() }
    }

    /// The iteration under way ends, and the next starts.
    pub fn end(&mut self, now: Ns, run_ns: Ns) {
        *self = Self { start_ns: now, start_run_ns: run_ns, ..self.as_if_ended(now, run_ns) };
    }

    /// What would be known if the iteration under way ended now.
    pub fn as_if_ended(&self, now: Ns, run_ns: Ns) -> Self {
        let last = Times { run_ns: run_ns - self.start_run_ns, total_ns: now - self.start_ns };
        let (before, since_stable) = (self.before.plus(self.last), self.since_stable.plus(last));
        Self { last, before, since_stable, ..*self }
    }

    /// All iterations.
    pub fn all(&self) -> Times {
        self.before.plus(self.last)
    }

    /// The application is balanced: what came before does not count for the next change.
    pub fn is_stable(&mut self) {
        self.since_stable = Times::default();
    }
}
