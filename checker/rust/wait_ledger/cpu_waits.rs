//! Threads that wait for their CPU, counted by cgroup: behind what does the CPU's work change.

use wastenot_schemas::wait_reason;

use super::Cgroup;
use super::rows::{BehindKey, Rows};

/// What a CPU does, as far as it matters to the threads on its queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CpuWork {
    /// It is not known.
    #[default]
    Unknown,
    Swapper,
    Interrupts,
    Thread(RunningThread),
}

/// A thread that runs, as far as it matters to those behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunningThread {
    pub cgroup: Cgroup,
    /// Of the real-time, deadline or stop class.
    pub is_realtime: bool,
    pub is_kernel: bool,
}

impl CpuWork {
    /// Why a thread of this cgroup waits, a code of `wait_reason`, and for which cgroup.
    fn reason(self, waiter: Cgroup) -> (u8, Cgroup) {
        let running = match self {
            Self::Unknown => return (wait_reason::UNKNOWN, None),
            Self::Swapper => return (wait_reason::WAKEUP_LATENCY, None),
            Self::Interrupts => return (wait_reason::INTERRUPTS, None),
            Self::Thread(running) => running,
        };
        let same = waiter.zip(running.cgroup).map(|(waiter, running)| waiter == running);
        match same {
            _ if running.is_realtime && same != Some(true) => (wait_reason::RT_DL, running.cgroup),
            _ if running.is_kernel => (wait_reason::KERNEL_THREADS, None),
            Some(true) => (wait_reason::OWN_THREADS, None),
            Some(false) => (wait_reason::NEIGHBOUR, running.cgroup),
            None => (wait_reason::UNKNOWN_CGROUP, None),
        }
    }
}

/// The threads of one cgroup that wait for a CPU.
#[derive(Clone, Copy, Debug)]
struct Group {
    cgroup: Cgroup,
    threads: i64,
    /// Their time since the CPU's work changed last, less `threads` times now, ns, modulo 2^64.
    less_now: i64,
}

impl Group {
    fn time_up_to(&self, now: i64) -> i64 {
        self.less_now.wrapping_add(self.threads.wrapping_mul(now))
    }
}

/// The threads that wait for one CPU. A queue holds threads of few cgroups: they are searched in turn.
#[derive(Clone, Debug, Default)]
pub struct CpuWaits {
    work: CpuWork,
    since: i64,
    groups: Vec<Group>,
}

impl CpuWaits {
    /// Since when the CPU does what it does.
    pub fn since(&self) -> i64 {
        self.since
    }

    pub fn set_work(&mut self, work: CpuWork, now: i64, rows: &mut Rows) {
        if work != self.work {
            self.close(now, rows);
            (self.work, self.since) = (work, now);
        }
    }

    /// Count what was waited up to now.
    pub fn close(&mut self, now: i64, rows: &mut Rows) {
        let work = self.work;
        self.groups.retain_mut(|group| {
            let ns = group.time_up_to(now);
            if ns != 0 {
                let (reason, culprit) = work.reason(group.cgroup);
                rows.add(BehindKey { cgroup: group.cgroup, reason, culprit }, ns);
                group.less_now = group.less_now.wrapping_sub(ns);
            }
            group.threads > 0
        });
    }

    fn group(&mut self, cgroup: Cgroup) -> &mut Group {
        let at = self.groups.iter().position(|group| group.cgroup == cgroup).unwrap_or_else(|| {
            self.groups.push(Group { cgroup, threads: 0, less_now: 0 });
            self.groups.len() - 1
        });
        &mut self.groups[at]
    }

    pub fn enter(&mut self, cgroup: Cgroup, now: i64) {
        let group = self.group(cgroup);
        group.threads += 1;
        group.less_now = group.less_now.wrapping_sub(now);
    }

    pub fn leave(&mut self, cgroup: Cgroup, now: i64) {
        let group = self.group(cgroup);
        group.threads -= 1;
        group.less_now = group.less_now.wrapping_add(now);
    }

    /// A thread of the cgroup did not wait for that long after all.
    pub fn take_back(&mut self, cgroup: Cgroup, ns: i64) {
        let group = self.group(cgroup);
        group.less_now = group.less_now.wrapping_sub(ns);
    }
}
