//! Switches between threads, and the states in which they leave a CPU.

use super::threads::ThreadTracker;
use super::{Context, Output};
use crate::priorities::Priorities;
use crate::{EventKind, Switch};
use wastenot_assemble::{Event, SchedSwitch};
use wastenot_schemas::task_state;
use wastenot_topology::task_state::PrevStateDecoder;

/// How the trace's switches are read.
#[derive(Default)]
pub(crate) struct SwitchTracker {
    /// What `prev_state` means.
    pub states: PrevStateDecoder,
}

impl SwitchTracker {
    /// The row of a switch. The names of both threads are taken already.
    #[inline]
    pub fn switch(
        &mut self,
        at: &Context,
        event: &Switch<'_>,
        priorities: Priorities,
        threads: &ThreadTracker,
        out: &mut Output<'_>,
    ) {
        let prev_tid = event.prev_tid;
        // Not every form of a switch has the name of the thread that leaves.
        let comm = event.prev_comm.map(super::until_nul).or(threads.name_of(prev_tid));
        let is_exiting = threads.is_exiting(prev_tid);
        let code = |state| self.states.code(state, prev_tid, comm, is_exiting);
        let prio = |number: Option<i64>| number.and_then(|number| priorities.kernels(EventKind::Switch, number));
        out.row(
            at.ts_ns,
            Event::from(SchedSwitch {
                cpu: at.cpu,
                prev_tid,
                prev_state: event.prev_state.map_or(task_state::UNKNOWN, code),
                prev_prio: prio(event.prev_prio),
                next_tid: event.next_tid,
                next_prio: prio(event.next_prio),
                ..Default::default()
            }),
        );
    }
}
