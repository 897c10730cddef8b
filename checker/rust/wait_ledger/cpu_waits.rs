//! Threads that wait for their CPU, counted by cgroup: behind what does the CPU's work change.

use wastenot_schemas::wait_reason;

use super::cgroups::{CgroupIx, NO_CGROUP};
use super::sums::Sums;

/// What a CPU does, as far as it matters to the threads on its queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CpuWork {
    /// It is not known.
    #[default]
    Unknown,
    Swapper,
    Interrupts,
    /// It runs a thread; `is_realtime`: of the real-time, deadline or stop class.
    Thread {
        cgroup: CgroupIx,
        is_realtime: bool,
        is_kernel: bool,
    },
}

impl CpuWork {
    /// Why a thread of this cgroup waits, a code of `wait_reason`, and for which cgroup where that is part of the reason.
    fn reason(self, waiter: CgroupIx) -> (u8, CgroupIx) {
        match self {
            Self::Unknown => (wait_reason::UNKNOWN, NO_CGROUP),
            Self::Swapper => (wait_reason::WAKEUP_LATENCY, NO_CGROUP),
            Self::Interrupts => (wait_reason::INTERRUPTS, NO_CGROUP),
            Self::Thread { cgroup, is_realtime: true, .. } if waiter == NO_CGROUP || waiter != cgroup => {
                (wait_reason::RT_DL, cgroup)
            }
            Self::Thread { is_kernel: true, .. } => (wait_reason::KERNEL_THREADS, NO_CGROUP),
            Self::Thread { cgroup, .. } if waiter == NO_CGROUP || cgroup == NO_CGROUP => {
                (wait_reason::UNKNOWN_CGROUP, NO_CGROUP)
            }
            Self::Thread { cgroup, .. } if waiter == cgroup => (wait_reason::OWN_THREADS, NO_CGROUP),
            Self::Thread { cgroup, .. } => (wait_reason::NEIGHBOUR, cgroup),
        }
    }
}

/// The threads of one cgroup that wait for a CPU.
#[derive(Clone, Copy, Debug, Default)]
struct Group {
    cgroup: CgroupIx,
    threads: u32,
    /// Their time since the CPU's work changed last, less `threads` times now, ns, modulo 2^64.
    less_now: i64,
}

impl Group {
    /// Count what its threads waited up to now.
    #[inline]
    fn close(&mut self, work: CpuWork, now: i64, sums: &mut Sums) {
        let not_waited = i64::from(self.threads).wrapping_mul(now).wrapping_neg();
        let ns = self.less_now.wrapping_sub(not_waited);
        self.less_now = not_waited;
        if ns != 0 {
            let (reason, culprit) = work.reason(self.cgroup);
            sums.add(self.cgroup, reason, culprit, ns);
        }
    }

    /// It holds no thread and no time.
    #[inline]
    fn is_free(&self) -> bool {
        self.threads == 0 && self.less_now == 0
    }
}

/// The threads that wait for one CPU. A queue holds threads of few cgroups, of one as a rule: they are searched in turn.
#[derive(Clone, Debug, Default)]
pub struct CpuWaits {
    work: CpuWork,
    since: i64,
    first: Group,
    others: Vec<Group>,
}

impl CpuWaits {
    /// As far as the ledger knows it runs a thread of the cgroup, or has waits of one to count.
    pub fn holds(&self, cgroup: CgroupIx) -> bool {
        let runs = matches!(self.work, CpuWork::Thread { cgroup: runs, .. } if runs == cgroup);
        runs || std::iter::once(&self.first).chain(&self.others).any(|group| group.cgroup == cgroup && !group.is_free())
    }

    /// Since when the CPU does what it does.
    pub fn since(&self) -> i64 {
        self.since
    }

    #[inline]
    pub fn set_work(&mut self, work: CpuWork, now: i64, sums: &mut Sums) {
        if work != self.work {
            self.close(now, sums);
            (self.work, self.since) = (work, now);
        }
    }

    /// Count what was waited up to now.
    #[inline]
    pub fn close(&mut self, now: i64, sums: &mut Sums) {
        self.first.close(self.work, now, sums);
        if !self.others.is_empty() {
            self.others.iter_mut().for_each(|group| group.close(self.work, now, sums));
            self.others.retain(|group| group.threads > 0);
        }
    }

    #[inline]
    fn group(&mut self, cgroup: CgroupIx) -> &mut Group {
        if self.first.cgroup == cgroup { &mut self.first } else { self.other(cgroup) }
    }

    fn other(&mut self, cgroup: CgroupIx) -> &mut Group {
        if let Some(at) = self.others.iter().position(|group| group.cgroup == cgroup) {
            return &mut self.others[at];
        }
        let group = Group { cgroup, ..Group::default() };
        if self.first.is_free() {
            self.first = group;
            return &mut self.first;
        }
        self.others.push(group);
        self.others.last_mut().expect("just pushed")
    }

    #[inline]
    pub fn enter(&mut self, cgroup: CgroupIx, now: i64) {
        let group = self.group(cgroup);
        group.threads += 1;
        group.less_now = group.less_now.wrapping_sub(now);
    }

    #[inline]
    pub fn leave(&mut self, cgroup: CgroupIx, now: i64) {
        let group = self.group(cgroup);
        group.threads -= 1;
        group.less_now = group.less_now.wrapping_add(now);
    }

    /// A thread of the cgroup did not wait for that long after all.
    pub fn take_back(&mut self, cgroup: CgroupIx, ns: i64) {
        let group = self.group(cgroup);
        group.less_now = group.less_now.wrapping_sub(ns);
    }
}
