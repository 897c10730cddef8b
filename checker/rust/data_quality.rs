//! How far results can be relied on: everything odd in the events, counted by kind and reason.

use std::collections::BTreeMap;

use wastenot_schemas::data_quality;

/// Losses that are listed one by one.
const LOSSES: usize = 1 << 16;

/// A way in which events contradict the reconstructed state. In strict mode the first one ends the check; otherwise those that
/// can be repaired ([`Repair`]) are counted as that instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Contradiction {
    /// A switch's prev is not the thread that ran there.
    PrevNotCurrent,
    /// A switch's next runs on another CPU.
    OnTwoCpus,
    /// A migrate event names a thread that runs.
    MigrateRunning,
    /// A migrate event's orig is not where the thread was.
    MigrateMismatch,
    /// A thread ran that was asleep, without a wakeup.
    RanWithoutWakeup,
    /// The clock went back; the event was applied at the time reached.
    TimeBackwards,
}

impl Contradiction {
    /// Name in the data quality.
    pub fn name(self) -> &'static str {
        match self {
            Self::PrevNotCurrent => "prev_not_current",
            Self::OnTwoCpus => "on_two_cpus",
            Self::MigrateRunning => "migrate_running",
            Self::MigrateMismatch => "migrate_mismatch",
            Self::RanWithoutWakeup => "ran_without_wakeup",
            Self::TimeBackwards => "time_backwards",
        }
    }
}

/// A contradiction from which the missing event could be inferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Repair {
    /// A switch's prev was queued on the queue of a CPU that ran swapper: the switch to it was not reported.
    MissingIdleExit,
    /// A CPU whose stopper thread took over for good ran swapper next: it was offline in between.
    OfflineUnreported,
    /// A CPU that does not report its exits from idle went idle while a thread was queued on its queue: the thread had left.
    LeftUnseen,
}

impl Repair {
    /// Name in the data quality.
    pub fn name(self) -> &'static str {
        match self {
            Self::MissingIdleExit => "missing_idle_exit",
            Self::OfflineUnreported => "offline_unreported",
            Self::LeftUnseen => "left_unseen",
        }
    }
}

/// One row of the data_quality table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    pub what: &'static str,
    pub detail: Option<String>,
    pub cpu: Option<i16>,
    pub range: Option<(i64, i64)>,
    pub value: i64,
}

/// The data quality under construction.
#[derive(Default)]
pub struct DataQuality {
    pub events_read: i64,
    pub placements_exact: i64,
    pub placements_inferred: i64,
    pub late_wakes: i64,
    /// Moves of blocked threads from a CPU on which they were not seen: donors of proxy execution.
    pub donor_moves: i64,
    pub nr_running_compared: i64,
    /// The kernel counts more than the reconstruction: a delayed dequeue, a donor of proxy execution.
    pub nr_running_ghost: i64,
    /// The kernel counts less.
    pub nr_running_short: i64,
    rejected: BTreeMap<&'static str, i64>,
    contradictions: BTreeMap<Contradiction, i64>,
    repaired: BTreeMap<(Repair, i16), i64>,
    pub remarks: Vec<Remark>,
    /// Events that the source reports as lost, as far as it counted them.
    pub lost: i64,
    /// How many of the remarks are of losses.
    losses: usize,
}

impl DataQuality {
    /// The event cannot be applied.
    pub fn reject(&mut self, reason: &'static str) {
        *self.rejected.entry(reason).or_default() += 1;
    }

    /// The event contradicts what was known.
    pub fn contradict(&mut self, what: Contradiction) {
        *self.contradictions.entry(what).or_default() += 1;
    }

    /// The event contradicts the reconstructed state of a CPU (kernel number), and the missing event was inferred.
    pub fn repair(&mut self, queued_by: Repair, cpu: i16) {
        *self.repaired.entry((queued_by, cpu)).or_default() += 1;
    }

    /// Events were lost. Of more than [`LOSSES`] losses those of one CPU and kind are one remark.
    pub fn lose(&mut self, loss: Remark) {
        self.lost = self.lost.saturating_add(loss.value);
        if self.losses == LOSSES {
            let same = |r: &&mut Remark| (r.what, r.cpu, &r.detail) == (loss.what, loss.cpu, &loss.detail);
            if let Some(latest) = self.remarks.iter_mut().rev().find(same) {
                latest.value = latest.value.saturating_add(loss.value);
                latest.range = latest.range.zip(loss.range).map(|(a, b)| (a.0.min(b.0), a.1.max(b.1)));
                return;
            }
        }
        self.losses = LOSSES.min(self.losses + 1);
        self.remarks.push(loss);
    }

    /// Events that were not applied.
    pub fn rejected(&self) -> i64 {
        self.rejected.values().sum()
    }

    /// Times `what` was seen.
    pub fn contradictions(&self, what: Contradiction) -> i64 {
        self.contradictions.get(&what).copied().unwrap_or(0)
    }

    /// Events that contradict the events before them, other than sleep without a wakeup (a check of its own).
    pub fn contradictory(&self) -> i64 {
        let others = self.contradictions.iter().filter(|(what, _)| **what != Contradiction::RanWithoutWakeup);
        others.map(|(_, n)| n).sum()
    }

    /// Write the block.
    pub fn write(&self, out: &mut data_quality::Builder) {
        let mut row = |what: &str, detail: Option<&str>, cpu, range: Option<(i64, i64)>, value| {
            let (start_ns, end_ns) = range.map_or((None, None), |(a, b)| (Some(a), Some(b)));
            out.push(&data_quality::Row { what, detail, cpu, start_ns, end_ns, value });
        };
        for (what, value) in [
            ("events_read", self.events_read),
            ("events_applied", self.events_read - self.rejected()),
            ("placements_exact", self.placements_exact),
            ("placements_inferred", self.placements_inferred),
            ("migrate_mismatch", self.contradictions(Contradiction::MigrateMismatch)),
            ("donor_moves", self.donor_moves),
            ("clock_steps", self.contradictions(Contradiction::TimeBackwards)),
            ("late_wakes", self.late_wakes),
            ("nr_running_compared", self.nr_running_compared),
            ("nr_running_differs", self.nr_running_ghost + self.nr_running_short),
            ("nr_running_ghost", self.nr_running_ghost),
            ("nr_running_short", self.nr_running_short),
        ] {
            row(what, None, None, None, value);
        }
        for (reason, n) in &self.rejected {
            row("rejected", Some(reason), None, None, *n);
        }
        for (what, n) in &self.contradictions {
            row("contradiction", Some(what.name()), None, None, *n);
        }
        for ((queued_by, cpu), n) in &self.repaired {
            row("repaired", Some(queued_by.name()), Some(*cpu), None, *n);
        }
        for r in &self.remarks {
            row(r.what, r.detail.as_deref(), r.cpu, r.range, r.value);
        }
    }
}
