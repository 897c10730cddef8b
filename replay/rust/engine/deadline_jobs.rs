//! Jobs of deadline threads, as the scheduler releases them and the threads end them: the truth beside what a trace shows.

use super::*;

/// What a deadline thread did between a release and the next time that it slept or yielded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadlineJob {
    /// The thread.
    pub tid: i32,
    /// It woke, or got its runtime again after a yield; where it woke throttled, the deadline is that of its next period.
    pub released_ns: Ns,
    /// Until when it had to be done.
    pub deadline_ns: Ns,
    /// When it slept, yielded or exited. None: the run ended first.
    pub ended_ns: Option<Ns>,
    /// Time that it ran.
    pub run_ns: Ns,
}

impl DeadlineJob {
    /// By how much it ended after its deadline, or is late as the run ends.
    pub fn tardiness_ns(&self, end_ns: Ns) -> Ns {
        self.ended_ns.unwrap_or(end_ns).saturating_sub(self.deadline_ns)
    }
}

/// Jobs of the threads of one row of a workload.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobCounts {
    /// Jobs that have ended, or are late as the run ends.
    pub jobs: u64,
    /// Those of them that were late.
    pub missed: u64,
    /// By how much at most.
    pub tardiness_max_ns: Ns,
}

/// Jobs so far.
#[derive(Debug, Default)]
pub(super) struct JobLog {
    /// Keep each job, not only counts.
    keeps: bool,
    /// Under way, by thread; run time is that of the thread at the release.
    open: Vec<Option<DeadlineJob>>,
    pub ended: Vec<DeadlineJob>,
}

impl JobLog {
    pub fn new(keeps: bool) -> Self {
        Self { keeps, ..Self::default() }
    }
}

impl Engine<'_> {
    /// A job of a deadline thread is released.
    pub fn release_job(&mut self, t: ThreadIx, deadline_ns: Ns) {
        let thread = &self.threads[t as usize];
        let run_ns = thread.run_ns;
        let job = DeadlineJob { tid: thread.tid, released_ns: self.now, deadline_ns, ended_ns: None, run_ns };
        if self.jobs.open.len() <= t as usize {
            self.jobs.open.resize(t as usize + 1, None);
        }
        self.jobs.open[t as usize] = Some(job);
    }

    /// The job of a thread is done: it sleeps, yields or exits. Nothing, where it has none.
    pub fn end_job(&mut self, t: ThreadIx) {
        self.close_job(t, Some(self.now));
    }

    /// A thread of another class leaves its CPU: what it did as a deadline thread was no job that a trace can show.
    pub(super) fn drop_job(&mut self, t: ThreadIx) {
        if let Some(job) = self.jobs.open.get_mut(t as usize) {
            *job = None;
        }
    }

    fn close_job(&mut self, t: ThreadIx, ended_ns: Option<Ns>) {
        let Some(job) = self.jobs.open.get_mut(t as usize).and_then(Option::take) else { return };
        let thread = &self.threads[t as usize];
        let job = DeadlineJob { ended_ns, run_ns: thread.run_ns - job.run_ns, ..job };
        let late = job.tardiness_ns(self.now);
        if ended_ns.is_none() && late == 0 {
            return;
        }
        if let Some(progress) = self.progress.get_mut(thread.start as usize) {
            let counts = &mut progress.deadline_jobs;
            counts.jobs += 1;
            counts.missed += u64::from(late > 0);
            counts.tardiness_max_ns = counts.tardiness_max_ns.max(late);
        }
        if self.jobs.keeps {
            self.jobs.ended.push(job);
        }
    }

    /// The run ends: jobs that are late already count.
    pub(super) fn close_jobs(&mut self) {
        for t in 0..self.jobs.open.len() as ThreadIx {
            self.close_job(t, None);
        }
    }
}
