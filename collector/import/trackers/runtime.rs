//! Runs that no switch reported: the kernel's account of a thread's running time shows them.

use super::cpus::CpuTracker;
use super::interrupts::InterruptTracker;
use super::threads::ThreadTracker;
use super::{Context, Output};
use crate::StatRuntime;
use wastenot_assemble::{Event, RunSpan, SchedStatRuntime};

/// The kernel accounts for the time of a running thread at least so often (at 100 ticks per second, twice over).
const LONGEST_RUN_NS: i64 = 20_000_000;

/// Accounts of running time.
#[derive(Default)]
pub(crate) struct RuntimeTracker {
    /// The trace has accounts.
    has_accounts: bool,
}

impl RuntimeTracker {
    /// An account of a thread's running time.
    #[inline]
    pub fn account(
        &mut self,
        at: &Context,
        event: &StatRuntime<'_>,
        cpus: &mut CpuTracker,
        interrupts: &mut InterruptTracker,
        threads: &mut ThreadTracker,
        out: &mut Output<'_>,
    ) -> Option<()> {
        let (tid, runtime_ns) = (event.tid, Some(event.runtime).filter(|ns| *ns >= 0)?);
        // The first account shows that the trace has them: from then on rows are held back until no run can start before them.
        // Runtime accounted for a task other than current: a remote dequeue; no run of it is derived.
        let of_current = at.current == Some(tid) && tid != 0;
        if std::mem::replace(&mut self.has_accounts, true)
            && of_current
            && let Some(since_ns) = cpus.idle_since(at.cpu).filter(|&since_ns| since_ns < at.ts_ns)
        {
            // swapper runs as far as switches say, so the switch to this thread was not reported.
            let start_ns = at.ts_ns.saturating_sub(runtime_ns).max(since_ns);
            cpus.set_current(at.cpu, tid);
            interrupts.switch(at.cpu);
            threads.name(at.ts_ns, tid, event.comm, out);
            out.row(
                start_ns,
                Event::from(RunSpan { cpu: at.cpu, tid, dur_ns: at.ts_ns - start_ns, ..Default::default() }),
            );
        }
        if tid != 0 {
            out.row(at.ts_ns, Event::from(SchedStatRuntime { cpu: at.cpu, tid, runtime_ns, ..Default::default() }));
        }
        Some(())
    }

    /// When the earliest run can have started that an account may still show, on this CPU (None: on any).
    pub fn open_since(&self, ts_ns: i64, cpu: Option<i16>, cpus: &CpuTracker) -> Option<i64> {
        let earliest = ts_ns.saturating_sub(LONGEST_RUN_NS);
        let idle_since = match cpu {
            _ if !self.has_accounts => None,
            Some(cpu) => cpus.idle_since(cpu),
            None => cpus.all_idle_since().min(),
        };
        idle_since.map(|since_ns| since_ns.max(earliest))
    }
}
