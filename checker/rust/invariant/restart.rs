//! The invariant at a cut between two events: what of it cannot be made anew from threads and CPUs.

use wastenot_schemas::wasted;

use super::Invariant;
use crate::threads::Utid;
use crate::topology::CpuIx;

impl Invariant {
    /// A cookie was seen: core scheduling is in use.
    pub fn uses_cookies(&self) -> bool {
        self.siblings.is_some()
    }

    /// A thread's cpuset was seen to leave CPUs out.
    pub fn has_restricting_cpusets(&self) -> bool {
        self.cpusets_restrict
    }

    /// Threads that wait, in the order in which they are held.
    pub fn waiting_in_order(&self) -> &[Utid] {
        &self.waiters
    }

    /// Cookie of what runs on a CPU.
    pub fn cookie_on(&self, cpu: CpuIx) -> Option<i64> {
        self.running[cpu as usize]
    }

    /// The row under way of the table `wasted`.
    pub fn row_under_way(&self) -> Option<wasted::Row> {
        self.row
    }

    /// Start at `now`, before any thread or CPU is made known, with what runs on each CPU by its cookie.
    pub fn restart(&mut self, now: i64, (cookies, cpusets_restrict): (bool, bool), row: Option<wasted::Row>) {
        (self.now, self.cpusets_restrict, self.row) = (now, cpusets_restrict, row);
        if cookies {
            self.start_cookies();
        }
    }

    /// A CPU runs a thread with this cookie, before any thread waits.
    pub fn restart_cookie(&mut self, cpu: CpuIx, cookie: Option<i64>) {
        self.running[cpu as usize] = cookie;
    }
}
