//! Idle states and frequencies of CPUs.

use crate::{EventKind, Power};
use wastenot_assemble::{CpuFrequency, CpuIdle, Event};

/// The state of a CPU that leaves idle (include/trace/events/power.h: PWR_EVENT_EXIT): a number of 32 bits, of which some readers
/// extend the sign.
const LEAVES: [i64; 2] = [u32::MAX as i64, -1];

/// The row of a `cpu_idle` or `cpu_frequency`. None: the number is neither a state nor a frequency.
///
/// A state that is reported once more is a row like any other: events of one CPU may come from several sources, which are not in
/// order here, so that which of them repeats another is not known.
pub(crate) fn power_event(kind: EventKind, &Power { state, of_cpu: cpu }: &Power) -> Option<Event> {
    Some(match kind {
        EventKind::CpuFrequency => CpuFrequency { cpu, khz: i32::try_from(state).ok().filter(|khz| *khz >= 0)? }.into(),
        _ if LEAVES.contains(&state) => CpuIdle { cpu, state: None }.into(),
        _ => CpuIdle { cpu, state: Some(u8::try_from(state).ok()?) }.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exit_is_recognised_however_it_was_read_and_impossible_numbers_are_none() {
        let idle = |state| power_event(EventKind::CpuIdle, &Power { state, of_cpu: 3 });
        assert_eq!(idle(2), Some(CpuIdle { cpu: 3, state: Some(2) }.into()));
        let leaves = Some(CpuIdle { cpu: 3, state: None }.into());
        assert_eq!([&idle(4_294_967_295), &idle(-1)], [&leaves, &leaves]);
        assert_eq!([idle(256), idle(-2), idle(1 << 32)], [None, None, None]);
        let frequency = |state| power_event(EventKind::CpuFrequency, &Power { state, of_cpu: 3 });
        assert_eq!(frequency(2_400_000), Some(CpuFrequency { cpu: 3, khz: 2_400_000 }.into()));
        assert_eq!([frequency(-1), frequency(4_294_967_295)], [None, None]);
    }
}
