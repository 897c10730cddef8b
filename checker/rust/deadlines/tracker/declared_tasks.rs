//! Which threads are tasks that the options declare, by their names.

use super::{DeadlineTracker, Reservation, Task, glob};
use crate::scheduler::Scheduler;
use crate::threads::Utid;

impl DeadlineTracker {
    /// Place of the thread's task, made where it has none.
    pub(super) fn task_of(&mut self, utid: Utid) -> usize {
        *self.by_utid.entry(utid).or_insert_with(|| {
            self.tasks.push(Task::new(utid));
            self.tasks.len() - 1
        })
    }

    /// Which declared tasks the thread's name matches, whatever else is known of it.
    pub(super) fn look_at_name(&mut self, s: &Scheduler, utid: Utid) {
        if self.options.tasks.is_empty() || !self.looked_at.insert(utid) {
            return;
        }
        let name = s.threads[utid].name.as_deref().unwrap_or("");
        let mut any = false;
        for (task, has_thread) in self.options.tasks.iter().zip(&mut self.has_thread) {
            let matches = glob::matches(&task.name, name);
            *has_thread |= matches;
            any |= matches;
        }
        if any && self.by_utid.get(&utid).is_some_and(|&at| self.tasks[at].recorded) {
            self.declared_in_vain.insert(utid);
        }
    }

    /// Names of declared tasks that no thread has.
    pub fn tasks_without_threads(&self) -> Vec<String> {
        let declared = self.options.tasks.iter().zip(&self.has_thread);
        declared.filter(|(_, has_thread)| !**has_thread).map(|(task, _)| task.name.clone()).collect()
    }

    /// The thread's task where it has one, recorded or declared.
    pub(super) fn declared_task(&mut self, s: &Scheduler, utid: Utid) -> Option<usize> {
        self.look_at_name(s, utid);
        if let Some(&at) = self.by_utid.get(&utid)
            && self.tasks[at].reservation.is_some()
        {
            return Some(at);
        }
        if self.options.tasks.is_empty() || self.unmatched.contains(&utid) {
            return self.by_utid.get(&utid).copied();
        }
        let name = s.threads[utid].name.as_deref().unwrap_or("");
        let Some(declared) = self.options.tasks.iter().rev().find(|task| glob::matches(&task.name, name)) else {
            self.unmatched.insert(utid);
            return self.by_utid.get(&utid).copied();
        };
        let reservation = Reservation {
            runtime_ns: declared.runtime_ns,
            deadline_ns: declared.deadline_ns,
            period_ns: declared.period_ns,
        };
        let at = self.task_of(utid);
        self.tasks[at].set_reservation(Some(reservation));
        self.tasks[at].declared = true;
        self.undescribed.remove(&utid);
        self.note_set(s);
        Some(at)
    }

    /// The thread has another name: it may be another declared task, or none.
    pub(super) fn rename(&mut self, s: &Scheduler, utid: Utid) {
        self.unmatched.remove(&utid);
        self.looked_at.remove(&utid);
        if let Some(&at) = self.by_utid.get(&utid)
            && self.tasks[at].declared
        {
            let task = &mut self.tasks[at];
            (task.reservation, task.declared) = (None, false);
            let job = task.job.take();
            self.declared_task(s, utid);
            let task = &mut self.tasks[at];
            let goes_on = task.reservation.is_some();
            task.job = job;
            if !goes_on {
                task.drop_job();
            }
        } else {
            self.declared_task(s, utid);
        }
    }
}
