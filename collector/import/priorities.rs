//! Priorities as tracers write them, to the kernel's (0-99 real time, 100-139 fair).
//!
//! Sources: include/trace/events/sched.h (`p->prio`); LTTng-modules' instrumentation, which subtracts MAX_RT_PRIO (100) from it: in
//! sched_switch and sched_migrate_task since 2.0, in the wakeups since 2.8 (its ChangeLog; maintenance releases may have it earlier).

use crate::EventKind;
use wastenot_topology::task_state::Tracer;

/// MAX_RT_PRIO (include/linux/sched/prio.h).
const MAX_RT_PRIO: i64 = 100;
/// Fair threads have as many priorities (MAX_PRIO - MAX_RT_PRIO).
const FAIR: i64 = 40;

/// What the numbers of one trace are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Priorities {
    /// The kernel's.
    #[default]
    Kernel,
    /// MAX_RT_PRIO less.
    Lttng,
    /// MAX_RT_PRIO less, but for wakeups of some versions.
    EarlyLttng,
    /// Not known.
    Unknown,
}

impl Priorities {
    /// What this tracer writes.
    pub fn of(tracer: &Tracer) -> Self {
        match tracer {
            Tracer::Kernel => Self::Kernel,
            Tracer::Lttng(2, ..8) => Self::EarlyLttng,
            Tracer::Lttng(2, _) => Self::Lttng,
            _ => Self::Unknown,
        }
    }

    /// The kernel's priority for a number in an event of this kind; None where it may be either of two.
    #[inline]
    pub fn kernels(self, kind: EventKind, number: i64) -> Option<i16> {
        let is_wakeup = matches!(kind, EventKind::Waking | EventKind::Wakeup | EventKind::WakeupNew);
        let prio = match self {
            Self::Kernel => number,
            Self::Lttng => number + MAX_RT_PRIO,
            Self::EarlyLttng if !is_wakeup || number < 0 => number + MAX_RT_PRIO,
            Self::EarlyLttng if number >= FAIR => number,
            Self::EarlyLttng | Self::Unknown => return None,
        };
        i16::try_from(prio).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lttng_writes_100_less() {
        let of = |minor| Priorities::of(&Tracer::Lttng(2, minor));
        assert_eq!(Priorities::of(&Tracer::Kernel).kernels(EventKind::Switch, 120), Some(120));
        assert_eq!([20, -1, -101].map(|n| of(13).kernels(EventKind::Wakeup, n)), [Some(120), Some(99), Some(-1)]);
        assert_eq!(of(5).kernels(EventKind::Switch, 20), Some(120));
        assert_eq!([120, -1, 20].map(|n| of(5).kernels(EventKind::Wakeup, n)), [Some(120), Some(99), None]);
        assert_eq!(Priorities::of(&Tracer::Other("perf".into())).kernels(EventKind::Switch, 120), None);
    }
}
