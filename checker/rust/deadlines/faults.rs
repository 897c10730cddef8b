//! Whose fault a missed deadline is.

use super::fault::Fault;
use super::task::{Job, TimeUse};
use crate::topology::CpuIx;

/// The ways in which a job lost time, for a fault.
pub fn uses_of(fault: Fault) -> &'static [TimeUse] {
    match fault {
        Fault::OwnOverrun => &[TimeUse::Throttled],
        Fault::Scheduler => &[TimeUse::PassedOver],
        Fault::Interference => &[TimeUse::Interference, TimeUse::LateWake, TimeUse::Blocked],
        Fault::Contention => &[TimeUse::Contention],
        Fault::Overload | Fault::NotGuaranteed => &[TimeUse::EarlierDeadlines, TimeUse::Confined],
        Fault::NotVisible => &[TimeUse::Unknown],
    }
}

/// Time that a job lost to a fault, ns.
pub fn lost_to(job: &Job, fault: Fault) -> i64 {
    let more = match fault {
        Fault::OwnOverrun => job.overrun_ns(),
        Fault::Overload => job.contention_of_tasks_ns,
        _ => 0,
    };
    more + uses_of(fault).iter().map(|&time_use| job.spent(time_use)).sum::<i64>()
}

/// What the tasks that are bound to a job's CPUs need of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Demand {
    /// The CPUs that the job may use.
    pub cpus: Vec<CpuIx>,
    /// Utilisation of the tasks that may use no others.
    pub needed: f64,
    /// What may be admitted there.
    pub admissible: f64,
}

impl Demand {
    pub fn is_exceeded(&self) -> bool {
        self.needed > self.admissible + 1e-9
    }
}

/// Whose fault it is that a job ended `tardiness_ns` late, and whether that alone made it late. `overloaded`: the threads that are
/// bound to the job's CPUs need more than may be admitted there.
pub fn fault_of(job: &Job, tardiness_ns: i64, overloaded: bool) -> (Fault, bool) {
    let earlier = if overloaded { Fault::Overload } else { Fault::NotGuaranteed };
    let order =
        [Fault::OwnOverrun, Fault::Scheduler, Fault::Interference, earlier, Fault::Contention, Fault::NotVisible];
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
        assert_eq!(of(&[(Run, 40), (Contention, 20), (Unknown, 70)], 10), (Fault::Contention, true));
    }

    /// The CPUs' tasks need more than these have: that counts for what the tasks took, not for other threads.
    #[test]
    fn contention_of_tasks_is_overload_where_they_need_too_much() {
        let of = |tasks_ns| Job { contention_of_tasks_ns: tasks_ns, ..job(&[(TimeUse::Contention, 20)]) };
        assert_eq!(fault_of(&of(15), 10, true), (Fault::Overload, true));
        assert_eq!(fault_of(&of(15), 10, false), (Fault::Contention, true));
        assert_eq!(fault_of(&of(5), 10, true), (Fault::Contention, true));
    }

    #[test]
    fn where_none_did_alone_the_largest_counts() {
        use TimeUse::*;
        let of = |spent: &[(TimeUse, i64)], tardiness| fault_of(&job(spent), tardiness, true);
        assert_eq!(of(&[(Run, 50), (PassedOver, 12), (Interference, 13)], 30), (Fault::Interference, false));
        assert_eq!(of(&[(Run, 50), (PassedOver, 10)], 30), (Fault::OwnOverrun, false), "the first of equal ones");
    }
}
