//! Threads that are woken, and those that move to another CPU.

use super::cpus::CpuTracker;
use super::threads::ThreadTracker;
use super::{Context, Output};
use crate::priorities::Priorities;
use crate::{EventKind, Migrate, Wake};
use wastenot_assemble::{Event, SchedMigrateTask, SchedWakeup, SchedWaking};

/// The row of a wakeup. False: the thread was runnable already.
#[inline]
pub(crate) fn wake(
    kind: EventKind,
    at: &Context,
    event: &Wake<'_>,
    priorities: Priorities,
    cpus: &mut CpuTracker,
    threads: &mut ThreadTracker,
    out: &mut Output<'_>,
) -> bool {
    if event.success == Some(0) {
        return false;
    }
    let Context { ts_ns, cpu, .. } = *at;
    let Wake { tid, target_cpu, .. } = *event;
    let prio = event.prio.and_then(|number| priorities.kernels(kind, number));
    cpus.add(target_cpu);
    threads.name(ts_ns, tid, event.comm, out);
    let row = match kind {
        EventKind::Waking => {
            Event::from(SchedWaking { cpu, tid, target_cpu: Some(target_cpu), prio, ..Default::default() })
        }
        _ => Event::from(SchedWakeup {
            cpu,
            tid,
            target_cpu,
            prio,
            is_new: kind == EventKind::WakeupNew,
            ..Default::default()
        }),
    };
    out.row(ts_ns, row);
    true
}

/// The row of a migration.
#[inline]
pub(crate) fn migrate(
    at: &Context,
    event: &Migrate<'_>,
    cpus: &mut CpuTracker,
    threads: &mut ThreadTracker,
    out: &mut Output<'_>,
) {
    let Migrate { tid, orig_cpu, dest_cpu, .. } = *event;
    cpus.add(dest_cpu);
    threads.name(at.ts_ns, tid, event.comm, out);
    out.row(
        at.ts_ns,
        Event::from(SchedMigrateTask {
            cpu: at.cpu,
            tid,
            orig_cpu,
            dest_cpu,
            stack_id: at.stack,
            ..Default::default()
        }),
    );
}
