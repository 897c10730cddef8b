//! CPUs that go online and offline.

use super::Output;
use super::cpus::CpuTracker;
use crate::{Hotplug, HotplugStep, Switch};
use std::collections::BTreeSet;
use wastenot_assemble::{CpuHotplug, Event};

/// CPUs on their way offline.
#[derive(Default)]
pub(crate) struct HotplugTracker {
    /// Requested to go offline; they do so when their stopper thread takes over for good.
    leaving: BTreeSet<i16>,
}

impl HotplugTracker {
    /// `sched_cpu_hotplug`: a CPU has gone online or offline.
    pub fn hotplug(&self, ts_ns: i64, event: &Hotplug, cpus: &mut CpuTracker, out: &mut Output<'_>) -> Option<()> {
        cpus.add(event.affected_cpu);
        out.row(
            ts_ns,
            Event::from(CpuHotplug { cpu: event.affected_cpu, online: event.status? != 0, ..Default::default() }),
        );
        Some(())
    }

    /// `cpuhp_enter`: a step towards a state.
    pub fn step(&mut self, ts_ns: i64, event: &HotplugStep, cpus: &mut CpuTracker, out: &mut Output<'_>) {
        cpus.add(event.of_cpu);
        let goes_offline = event.target == 0;
        let was_leaving = match goes_offline {
            true => !self.leaving.insert(event.of_cpu),
            false => self.leaving.remove(&event.of_cpu),
        };
        // A CPU that was leaving and gets another target stays: its request was called off.
        if !goes_offline && !was_leaving {
            out.row(ts_ns, Event::from(CpuHotplug { cpu: event.of_cpu, online: true, ..Default::default() }));
        }
    }

    /// A CPU that leaves is offline when it has switched to its stopper thread.
    #[inline]
    pub fn switch(&mut self, ts_ns: i64, cpu: i16, event: &Switch<'_>, out: &mut Output<'_>) {
        if !self.leaving.is_empty()
            && event.next_comm.is_some_and(|name| name.starts_with(b"migration/"))
            && self.leaving.remove(&cpu)
        {
            out.row(ts_ns, Event::from(CpuHotplug { cpu, online: false, ..Default::default() }));
        }
    }
}
