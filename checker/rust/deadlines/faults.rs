//! Whose fault a missed deadline is.

use serde::Serialize;

use super::task::{Job, TimeUse};

/// Whose fault a miss is: what alone made up for the time by which the job was late, the first of these that did; where none did
/// alone, the largest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// It ran beyond its runtime, or its server had throttled it because of that.
    OwnOverrun,
    /// It was passed over.
    Scheduler,
    /// Interrupts, threads of a higher class, a CPU that was slow to leave idle, or being blocked.
    Interference,
    /// Threads with earlier deadlines had its CPUs, and the threads bound to these need more than may be admitted.
    Overload,
    /// Threads with earlier deadlines had its CPUs, within what may be admitted: global EDF does not guarantee every such set.
    NotGuaranteed,
    /// What its CPUs did is not known.
    NotVisible,
}

impl Fault {
    pub const COUNT: usize = 6;
    pub const ALL: [Self; Self::COUNT] =
        [Self::OwnOverrun, Self::Scheduler, Self::Interference, Self::Overload, Self::NotGuaranteed, Self::NotVisible];

    pub fn name(self) -> &'static str {
        match self {
            Self::OwnOverrun => "own_overrun",
            Self::Scheduler => "scheduler",
            Self::Interference => "interference",
            Self::Overload => "overload",
            Self::NotGuaranteed => "not_guaranteed",
            Self::NotVisible => "not_visible",
        }
    }
}

/// The ways in which a job lost time, for a fault.
pub fn uses_of(fault: Fault) -> &'static [TimeUse] {
    match fault {
        Fault::OwnOverrun => &[TimeUse::Throttled],
        Fault::Scheduler => &[TimeUse::PassedOver],
        Fault::Interference => &[TimeUse::Interference, TimeUse::LateWake, TimeUse::Blocked],
        Fault::Overload | Fault::NotGuaranteed => &[TimeUse::EarlierDeadlines, TimeUse::Confined],
        Fault::NotVisible => &[TimeUse::Unknown],
    }
}

/// Time that a job lost to a fault, ns.
pub fn lost_to(job: &Job, fault: Fault) -> i64 {
    let own = if fault == Fault::OwnOverrun { job.overrun_ns() } else { 0 };
    own + uses_of(fault).iter().map(|&time_use| job.spent(time_use)).sum::<i64>()
}

/// Whose fault it is that a job ended `tardiness_ns` late, and whether that alone made it late. `overloaded`: the threads that are
/// bound to the job's CPUs need more than may be admitted there.
pub fn fault_of(job: &Job, tardiness_ns: i64, overloaded: bool) -> (Fault, bool) {
    let earlier = if overloaded { Fault::Overload } else { Fault::NotGuaranteed };
    let order = [Fault::OwnOverrun, Fault::Scheduler, Fault::Interference, earlier, Fault::NotVisible];
    if let Some(alone) = order.into_iter().find(|&fault| lost_to(job, fault) >= tardiness_ns) {
        return (alone, true);
    }
    // Of equal ones the first counts.
    let largest = order.into_iter().rev().max_by_key(|&fault| lost_to(job, fault)).expect("there are faults");
    (largest, false)
}

#[cfg(test)]
mod tests {
    use super::super::task::Reservation;
    use super::*;

    fn job(spent: &[(TimeUse, i64)]) -> Job {
        let mut job = Job::new(0, 100, Reservation { runtime_ns: 40, deadline_ns: 100, period_ns: 100 }, false);
        spent.iter().for_each(|&(on, ns)| job.spend(on, None, ns));
        job
    }

    #[test]
    fn the_first_that_alone_made_it_late_counts() {
        use TimeUse::*;
        let of = |spent: &[(TimeUse, i64)], tardiness| fault_of(&job(spent), tardiness, true);
        assert_eq!(of(&[(Run, 55)], 15), (Fault::OwnOverrun, true));
        assert_eq!(of(&[(Run, 45), (Throttled, 10)], 15), (Fault::OwnOverrun, true));
        assert_eq!(of(&[(Run, 40), (PassedOver, 15), (Interference, 90)], 15), (Fault::Scheduler, true));
        assert_eq!(
            of(&[(Run, 40), (LateWake, 5), (Blocked, 10), (EarlierDeadlines, 70)], 15),
            (Fault::Interference, true)
        );
        assert_eq!(of(&[(Run, 40), (Confined, 20), (EarlierDeadlines, 50)], 10), (Fault::Overload, true));
        assert_eq!(fault_of(&job(&[(Run, 40), (EarlierDeadlines, 70)]), 10, false), (Fault::NotGuaranteed, true));
        assert_eq!(of(&[(Run, 40), (Unknown, 70)], 10), (Fault::NotVisible, true));
    }

    #[test]
    fn where_none_did_alone_the_largest_counts() {
        use TimeUse::*;
        let of = |spent: &[(TimeUse, i64)], tardiness| fault_of(&job(spent), tardiness, true);
        assert_eq!(of(&[(Run, 50), (PassedOver, 12), (Interference, 13)], 30), (Fault::Interference, false));
        assert_eq!(of(&[(Run, 50), (PassedOver, 10)], 30), (Fault::OwnOverrun, false), "the first of equal ones");
    }
}
