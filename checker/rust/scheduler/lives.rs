//! Creation and exit of threads, and their snapshots.

use wastenot_schemas::{cpu_of_kernel_thread, policy, queue_state, task_state, thread_snapshot};

use super::{ApplyResult, Scheduler};
use crate::causes::{Arrival, QueuedBy, WaitOrigin};
use crate::threads::{FirstWakeup, ParentThread, Phase, SWAPPER};

impl Scheduler {
    pub fn process_fork(&mut self, parent_tid: i32, child_tid: i32, child_tgid: Option<i32>) {
        if self.is_swapper(child_tid) {
            return;
        }
        let parent = self.threads.of(parent_tid);
        if let Some(old) = self.threads.find(child_tid) {
            // The tid is used again: the exit of the thread that had it was not recorded.
            self.forget(old, false);
            self.threads.release(old);
        }
        let child = self.threads.start(child_tid, Some(self.now));
        let p = self.threads[parent].clone();
        self.threads[parent].mark_lived();
        let t = &mut self.threads[child];
        t.parent = Some(ParentThread { utid: parent, number: p.number });
        t.tgid = child_tgid;
        t.name = p.name;
        t.cgroup = p.cgroup;
        t.is_kernel = p.is_kernel;
        t.ext = p.ext;
        t.is_idle_policy = p.is_idle_policy;
        t.constraints = p.constraints;
        t.constraints.per_cpu = false;
        t.constraints.migration_disabled = false;
        t.constraints.throttled = false;
        t.phase = Phase::Off(task_state::W);
        t.first_wakeup = FirstWakeup::Expected;
        if let Some(is_realtime) = self.wait_ledger.realtime(parent) {
            self.wait_ledger.set_realtime(child, is_realtime);
        }
        self.note_facts(child);
        self.note_birth(child);
    }

    /// The thread starts to exit. It still runs, until its last switch.
    pub fn process_exit(&mut self, tid: i32) {
        self.reports_exits = true;
        if let Some(utid) = self.threads.find(tid) {
            self.threads[utid].exiting = true;
        }
    }

    pub fn process_exec(&mut self, tid: i32, old_tid: Option<i32>) {
        let Some(old_tid) = old_tid.filter(|&old| old != tid) else { return };
        if self.is_swapper(tid) || self.is_swapper(old_tid) {
            return;
        }
        let utid = self.threads.of(old_tid);
        if let Some(leader) = self.threads.find(tid) {
            // The leader has ended, with or without a recorded exit.
            self.forget(leader, false);
        }
        self.threads.rename(utid, tid);
        self.threads[utid].mark_lived();
    }

    /// The event names swapper where only a thread can be named; it is rejected.
    pub fn is_swapper(&mut self, tid: i32) -> bool {
        if tid == 0 {
            self.data_quality.reject("event_of_swapper");
        }
        tid == 0
    }

    pub fn thread_name(&mut self, tid: i32, tgid: Option<i32>, name: &str) {
        let utid = self.threads.of(tid);
        if utid == SWAPPER {
            return;
        }
        let t = &mut self.threads[utid];
        t.name = Some(name.into());
        t.tgid = tgid.or(t.tgid);
        t.named_bound = cpu_of_kernel_thread(name).is_some();
        self.note_facts(utid);
        self.change(utid, |_| {});
    }

    pub fn cpu_snapshot(&mut self, cpu: i16, online: bool, current_tid: Option<i32>) -> ApplyResult {
        let Some(cpu) = self.cpu(cpu) else { return Ok(()) };
        if !online {
            self.go_offline(cpu);
        } else if let (None, Some(tid)) = (self.cpus[cpu as usize].current, current_tid)
            && !self.cpus[cpu as usize].is_blind(self.now)
        {
            let utid = if tid == 0 { SWAPPER } else { self.threads.of(tid) };
            // Events of the thread take precedence over a snapshot. A thread that they leave on this CPU's queue agrees with it:
            // no event of the CPU was recorded yet, so its switch to the thread is missing too.
            let agrees = match self.threads[utid].phase {
                Phase::Unknown => true,
                Phase::Queued { cpu: place, .. } => place == cpu,
                _ => false,
            };
            if utid == SWAPPER || agrees {
                self.gain_sight(cpu, utid);
                self.threads[utid].mark_lived();
                self.note_queue(cpu);
            }
        }
        Ok(())
    }

    pub fn thread_snapshot(&mut self, r: &thread_snapshot::Row) -> ApplyResult {
        if r.tid == 0 {
            return Ok(());
        }
        let utid = self.threads.of(r.tid);
        let ext = self.threads.is_of_ext(r.policy == policy::EXT);
        let t = &mut self.threads[utid];
        t.cgroup = r.cgroup_id.or(t.cgroup);
        t.tgid = Some(r.tgid);
        t.name = Some(r.name.into());
        t.is_kernel = Some(r.is_kernel);
        t.is_bound |= r.per_cpu_thread;
        t.named_bound = cpu_of_kernel_thread(r.name).is_some();
        t.ext = ext;
        self.set_policy(utid, r.policy, r.prio);
        self.note_facts(utid);
        // A source that does not report where the thread is queued does not report these either: absence then means nothing.
        let cpuset = self.cpuset_after(utid, r.mask_id, r.cpuset_mask_id);
        let silent = r.queue == queue_state::UNKNOWN;
        self.change(utid, |c| {
            c.mask = r.mask_id.unwrap_or(c.mask);
            c.cpuset = cpuset;
            if !silent || r.cookie != 0 {
                c.cookie = r.cookie;
            }
            c.migration_disabled = r.migration_disabled || silent && c.migration_disabled;
            c.throttled = r.throttled || silent && c.throttled;
        });
        if self.threads[utid].phase != Phase::Unknown {
            return Ok(());
        }
        // A thread that a fork has just made is off every queue, in state N (TASK_NEW), which /proc shows as R.
        let may_be_new = r.queue == queue_state::OFF && matches!(r.state, task_state::R | task_state::N);
        if !silent && !may_be_new {
            self.threads[utid].mark_lived();
        }
        let Some(cpu) = self.topology.index(r.cpu) else { return Ok(()) };
        self.threads[utid].since = self.now;
        match r.queue {
            queue_state::RUNNING
                if self.cpus[cpu as usize].current.is_none() && !self.cpus[cpu as usize].is_blind(self.now) =>
            {
                self.gain_sight(cpu, utid);
                self.note_queue(cpu);
            }
            queue_state::QUEUED => {
                self.threads[utid].wait_start = self.now;
                let arrival = Arrival { queued_by: QueuedBy::Snapshot, event: self.event, ..Arrival::default() };
                self.set_wait_origin(utid, WaitOrigin::of(arrival));
                self.enqueue(utid, cpu, false);
                self.note_queue(cpu);
            }
            queue_state::OFF => {
                self.set_phase(utid, Phase::Off(r.state));
                self.threads[utid].last_cpu = Some(cpu);
            }
            _ => {}
        }
        Ok(())
    }
}
