//! What happens to jobs as time passes between events: what they do, and when servers get their runtime again.

use super::{DeadlineTracker, Interrupt};
use crate::deadlines::culprit::Culprit;
use crate::deadlines::edf::{self, Occupant};
use crate::deadlines::passed_over::{OpenWait, PassedOver};
use crate::deadlines::task::{Job, TimeUse};
use crate::scheduler::{MAX_RT_PRIO, Scheduler};
use crate::threads::{Phase, SWAPPER, Utid};
use crate::topology::CpuIx;

impl DeadlineTracker {
    pub(super) fn advance(&mut self, s: &Scheduler, to: i64) {
        if !self.awake {
            self.now = to;
            return;
        }
        self.replenish_due();
        while self.now < to {
            let next = self.next_change(to);
            self.attribute(s, next);
            self.now = next;
            self.replenish_due();
            for irq in &mut self.interrupts {
                if irq.is_some_and(|irq| irq.until_ns <= next) {
                    (*irq, self.stale) = (None, true);
                }
            }
        }
    }

    /// The next instant up to `to` at which something changes without an event.
    fn next_change(&self, to: i64) -> i64 {
        let replenished = self.tasks.iter().filter_map(|task| task.server.replenish_ns);
        let interrupts = self.interrupts.iter().flatten().map(|irq| irq.until_ns);
        replenished.chain(interrupts).chain([self.blind_until]).filter(|&at| at > self.now).fold(to, i64::min)
    }

    /// Give the time up to `next`, in which nothing changes, to what the jobs do in it.
    fn attribute(&mut self, s: &Scheduler, next: i64) {
        if self.stale {
            self.stale = false;
            let occupants: Vec<Occupant> = (0..s.cpus.len() as CpuIx).map(|cpu| self.occupant(s, cpu)).collect();
            let mut waits = edf::waits(s, &self.tasks, &self.roots, &occupants);
            for wait in waits.iter_mut().filter(|wait| wait.on == TimeUse::Contention) {
                if let Some(Culprit::Thread(by) | Culprit::FairServer(by)) = wait.by
                    && self.is_of_higher_class(s, by, self.tasks[wait.task].utid)
                {
                    wait.on = TimeUse::Interference;
                }
            }
            self.waits = waits;
        }
        let (now, dt) = (self.now, next - self.now);
        let is_blind = now < self.blind_until;
        for at in 0..self.tasks.len() {
            let task = &self.tasks[at];
            let wait = self.waits.iter().find(|wait| wait.task == at).copied();
            let of_deadline = wait.filter(|_| task.is_deadline);
            let passed = of_deadline.filter(|wait| wait.instead.is_some() && !is_blind);
            let is_unknown =
                of_deadline.is_some_and(|wait| is_blind || wait.on == TimeUse::Unknown && task.key().is_some());
            if passed.is_none() {
                self.end_passed_over(at);
            }
            if passed.is_none() && !is_unknown {
                self.end_open_wait(at);
            }
            let task = &mut self.tasks[at];
            if passed.is_some() || is_unknown {
                let open = OpenWait { since_ns: now, is_unknown: false, is_violation: false };
                task.open_wait.get_or_insert(open).is_unknown |= is_unknown;
                self.passed_over.unknown_ns += if is_unknown { i128::from(dt) } else { 0 };
            }
            if let (Some(wait), None) = (passed, task.passed_over) {
                let (instead, cpu) = wait.instead.expect("filtered");
                let by = wait.by.expect("who is named where a thread is passed over");
                task.passed_over = Some(PassedOver { since_ns: now, instead, cpu, by, queue: wait.queue });
            }
            let is_modelled = task.is_deadline && !task.recorded;
            let phase = s.threads[task.utid].phase;
            let interrupt = match phase {
                Phase::Running(cpu) => self.interrupts[cpu as usize]
                    .filter(|interrupt| interrupt.until_ns > now)
                    .map(|Interrupt { kind, vector, .. }| Culprit::Interrupt { cpu, kind, vector }),
                _ => None,
            };
            // Also of a job that is not seen whole.
            if let (Phase::Running(_), false) = (phase, task.server.throttled) {
                match interrupt {
                    Some(by) => task.budget.interrupt(by, dt),
                    None => task.budget.run(dt),
                }
            }
            let Some(job) = &mut task.job else { continue };
            let (on, by) = match (phase, wait) {
                _ if task.server.throttled && job.woken_late => (TimeUse::Blocked, None),
                _ if task.server.throttled => {
                    if let Some(by) = task.throttled_by {
                        job.charge(by, dt);
                    }
                    (TimeUse::Throttled, None)
                }
                (Phase::Running(_), _) if interrupt.is_some() => (TimeUse::Interference, interrupt),
                (Phase::Running(_), _) => (TimeUse::Run, None),
                (Phase::Throttled { .. }, _) => (TimeUse::Interference, Some(Culprit::Quota)),
                (Phase::Off(_), _) => (TimeUse::Blocked, None),
                (_, Some(wait)) => (wait.on, wait.by),
                _ => (TimeUse::Unknown, None),
            };
            if on == TimeUse::Run && is_modelled {
                task.server.left_ns -= dt;
            }
            job.woken_late &= task.server.throttled;
            job.spend(on, by, dt);
            if on == TimeUse::Contention
                && let Some(Culprit::Thread(by)) = by
                && self.by_utid.get(&by).is_some_and(|&other| self.tasks[other].counts())
                && let Some(job) = &mut self.tasks[at].job
            {
                job.contention_of_tasks_ns += dt;
            }
        }
    }

    /// The one is a real-time thread and the other a fair one; or the one is run by a deadline server, and the other a real-time thread.
    fn is_of_higher_class(&self, s: &Scheduler, one: Utid, other: Utid) -> bool {
        let is_realtime = |utid: Utid| self.priority(s, utid).map(|prio| prio < MAX_RT_PRIO);
        match (is_realtime(one), is_realtime(other)) {
            (Some(true), Some(false)) => true,
            (Some(false), Some(true)) => {
                s.threads[one].phase.cpu().is_some_and(|cpu| self.runs_server[usize::from(cpu)])
            }
            _ => false,
        }
    }

    fn occupant(&self, s: &Scheduler, cpu: CpuIx) -> Occupant {
        let state = &s.cpus[cpu as usize];
        if !state.online {
            return Occupant::Offline;
        }
        if let Some(irq) = self.interrupts[cpu as usize].filter(|irq| irq.until_ns > self.now) {
            return Occupant::Interrupt { kind: irq.kind, vector: irq.vector };
        }
        let Some(utid) = state.current.filter(|_| !state.is_blind(self.now)) else { return Occupant::Unknown };
        if utid == SWAPPER {
            return if state.doubted { Occupant::Unknown } else { Occupant::Idle };
        }
        let task = self.by_utid.get(&utid).map(|&at| &self.tasks[at]);
        if let Some(task) = task.filter(|task| task.is_deadline) {
            return if task.is_special { Occupant::Higher(utid) } else { Occupant::Deadline(utid, task.key()) };
        }
        match self.priority(s, utid) {
            Some(prio) if prio < 0 => Occupant::Deadline(utid, None),
            Some(0) if s.threads[utid].is_stopper() => Occupant::Higher(utid),
            Some(_) if self.runs_server[cpu as usize] => Occupant::FairServer(utid),
            Some(_) => Occupant::Lower(utid),
            None => Occupant::Unknown,
        }
    }

    /// Servers get their runtime again.
    fn replenish_due(&mut self) {
        for task in &mut self.tasks {
            if task.server.replenish_ns.is_none_or(|at| at > self.now) {
                continue;
            }
            self.stale = true;
            let (server, now) = (&mut task.server, self.now);
            let was_yielded = server.yielded && task.job.is_none();
            task.throttled_by = None;
            (server.throttled, server.yielded, server.replenish_ns) = (false, false, None);
            let Some(reservation) = task.reservation else { continue };
            let old_until = server.until_ns.unwrap_or(now);
            let mut until = old_until;
            // replenish_dl_entity(): one period at least, and as many as the overrun takes.
            if was_yielded {
                server.left_ns = server.left_ns.min(0);
            }
            loop {
                until += reservation.period_ns;
                server.left_ns += reservation.runtime_ns;
                if server.left_ns > 0 {
                    break;
                }
            }
            if until < now {
                (until, server.left_ns) = (now + reservation.deadline_ns, reservation.runtime_ns);
            }
            server.until_ns = Some(until);
            if let Some(key) = &mut server.key {
                key.later_by(until - old_until);
            }
            if was_yielded && now >= self.blind_until {
                task.job = Some(Job::new(now, now + reservation.deadline_ns, reservation, true));
                task.in_sight = true;
            }
        }
    }
}
