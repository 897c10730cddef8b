//! Wakeups and moves: which queue a thread waits on, and whether a move was any use.

use wastenot_schemas::{migration, proof, task_state};
use wastenot_topology::Distance;

use super::{ApplyResult, Scheduler};
use crate::causes::kernels::Release;
use crate::causes::{MigrationPath, MoveContext, StackPath, migration_paths};
use crate::data_quality::Contradiction;
use crate::threads::{FirstWakeup, Phase, SWAPPER, Utid};
use crate::topology::CpuIx;

/// The releases on which donors of proxy execution change CPU; read in 7.2 and 7.3, earlier ones were not looked at.
const PROXY_MIGRATION: Release = (7, 2);

/// Where a thread that is woken was, and its waker.
pub(super) struct WokenFrom {
    /// CPU of the waker, where known.
    pub waker: Option<CpuIx>,
    /// CPU that the thread ran on last.
    pub last: Option<CpuIx>,
}

/// A move as its event reports it.
pub struct MigrateEvent {
    /// CPU that did it.
    pub by: i16,
    pub tid: i32,
    pub orig: Option<i16>,
    pub dest: i16,
    pub stack: Option<i32>,
}

/// Which path moved a thread, and how sure that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MovePath {
    path: Option<MigrationPath>,
    /// A code of `proof`.
    proof: u8,
    stack: Option<i32>,
}

impl Scheduler {
    /// `cpu` is where the event was written.
    pub fn sched_wakeup(
        &mut self,
        cpu: i16,
        (tid, prio): (i32, Option<i16>),
        target: i16,
        is_new: bool,
    ) -> ApplyResult {
        if tid == 0 {
            self.data_quality.reject("wakeup_of_swapper");
            return Ok(());
        }
        self.reports_wakeups |= !is_new;
        let Some(target) = self.cpu(target) else { return Ok(()) };
        let mut utid = self.threads.of(tid);
        if is_new && self.threads[utid].first_wakeup == FirstWakeup::Past {
            // The tid was given to a new thread whose fork was not seen.
            self.forget(utid, false);
            utid = self.threads.start(tid, Some(self.now));
        }
        if let Some(prio) = prio {
            self.set_priority(utid, prio);
        }
        if is_new {
            self.note_birth(utid);
        } else {
            self.note_life_after_death(utid);
        }
        self.threads[utid].first_wakeup = FirstWakeup::Past;
        let waker = self.waker(utid, cpu).filter(|_| !is_new);
        match self.threads[utid].phase {
            Phase::Running(_) => return Ok(()),
            Phase::Queued { cpu, .. } | Phase::Throttled { cpu, .. } if cpu == target => {
                self.checks.woken_while_queued += i64::from(!self.may_have_changed(utid));
                return Ok(());
            }
            Phase::Queued { cpu, .. } | Phase::Throttled { cpu, .. } => {
                self.checks.woken_while_queued += i64::from(!self.may_have_changed(utid));
                self.data_quality.placements_inferred += 1;
                self.note_move(utid, cpu, target, None, proof::UNKNOWN);
                self.move_waiting(utid, target);
                return Ok(());
            }
            _ => {}
        }
        let from = self.threads[utid].last_cpu;
        self.note_wakeup(utid, target, WokenFrom { waker, last: from }, is_new);
        match from {
            Some(last) if last != target && !is_new => {
                self.data_quality.placements_inferred += 1;
                let by = MovePath { path: Some(MigrationPath::Wakeup), proof: proof::CONSISTENT, stack: None };
                self.record_migration(utid, last, target, by);
            }
            _ => self.data_quality.placements_exact += 1,
        }
        let t = &mut self.threads[utid];
        t.wait_start = self.now;
        t.totals.wakeups += 1;
        self.enqueue(utid, target, false);
        self.note_queue(target);
        Ok(())
    }

    pub fn sched_migrate_task(&mut self, m: &MigrateEvent) -> ApplyResult {
        let &MigrateEvent { tid, orig, dest, .. } = m;
        let Some(dest) = self.cpu(dest) else { return Ok(()) };
        if self.is_swapper(tid) {
            return Ok(());
        }
        let utid = self.threads.of(tid);
        let ours = self.threads[utid].last_cpu;
        let mut orig = orig.and_then(|c| self.topology.index(c));
        if ours.is_some() && orig.is_some() && orig != ours && self.may_be_donor(utid) {
            self.data_quality.donor_moves += 1;
            orig = ours; // it ran nowhere else
        }
        if let (Some(orig), Some(ours)) = (orig, ours)
            && orig != ours
        {
            let (a, b) = (self.topology.number(orig), self.topology.number(ours));
            self.checks.mismatches_after_losses += i64::from(self.may_have_changed(utid));
            self.contradict(Contradiction::MigrateMismatch, || format!("tid {tid} leaves cpu {a}, it was on cpu {b}"))?;
        }
        if let Phase::Running(_) = self.threads[utid].phase {
            return self.contradict(Contradiction::MigrateRunning, || format!("tid {tid} runs and is moved"));
        }
        let waits = self.threads[utid].phase.waits_on();
        if let Some(from) = orig.or(ours).filter(|&from| from != dest) {
            let by = self.path_of(utid, from, dest, m);
            self.record_migration(utid, from, dest, by);
            match waits {
                Some(queue) => self.note_move(utid, queue, dest, by.path, by.proof),
                None => self.note_sleeping_move(utid, from, by.path, by.proof),
            }
        }
        if waits.is_some() {
            self.move_waiting(utid, dest);
        } else {
            self.threads[utid].last_cpu = Some(dest);
        }
        Ok(())
    }

    /// A thread that is blocked may wait for a mutex: the kernel then puts it on the queue of the CPU where the owner is, without an
    /// event, and takes it back as it wakes (kernel/sched/core.c: proxy_set_task_cpu, proxy_needs_return).
    fn may_be_donor(&self, utid: Utid) -> bool {
        self.threads[utid].phase == Phase::Off(task_state::D)
            && self.release.is_some_and(|release| release >= PROXY_MIGRATION)
    }

    /// A waiting thread changes queue; its wait goes on.
    pub(super) fn move_waiting(&mut self, utid: Utid, dest: CpuIx) {
        let phase = self.threads[utid].phase;
        let Some(from) = phase.waits_on().filter(|&from| from != dest) else { return };
        let preempted =
            matches!(phase, Phase::Queued { preempted: true, .. } | Phase::Throttled { preempted: true, .. });
        self.dequeue(utid);
        self.enqueue(utid, dest, preempted);
        self.note_queue(from);
        self.note_queue(dest);
    }

    /// The path of a move: that of its stack, else the only one that the events around it allow.
    fn path_of(&mut self, utid: Utid, orig: CpuIx, dest: CpuIx, m: &MigrateEvent) -> MovePath {
        self.know(utid);
        let reported = m.stack.and_then(|id| self.stacks.get(&id)).copied().unwrap_or(StackPath::Unknown);
        let stack = m.stack;
        if let StackPath::Known(path) = reported {
            return MovePath { path: Some(path), proof: proof::PROVED, stack };
        }
        let by = self.topology.index(m.by);
        let current = by.and_then(|by| self.cpus[by as usize].current);
        let around = MoveContext {
            queued: self.threads[utid].phase.waits_on().is_some(),
            orig,
            dest,
            by,
            orig_online: self.cpus[orig as usize].online,
            forbidden: !self.invariant.may_use(utid, orig),
            by_idle: current == Some(SWAPPER),
            by_stopper: current.is_some_and(|c| self.is_stopper(c)) && reported == StackPath::Unknown,
            of_ext: self.is_of_sched_ext(utid),
        };
        let path = migration_paths::path_from_events(&around);
        // The stopper ran, and the mask shows the reason.
        let seen = reported == StackPath::Stopper && path == Some(MigrationPath::Affinity);
        let sure = if path.is_none() { proof::UNKNOWN } else { proof::CONSISTENT };
        MovePath { path, proof: if seen { proof::PROVED } else { sure }, stack }
    }

    /// Write a move, and whether it made anything better (semantics: needless migration).
    pub(super) fn record_migration(&mut self, utid: Utid, from: CpuIx, to: CpuIx, by: MovePath) {
        let waits = self.threads[utid].phase.waits_on();
        let itself = i32::from(waits == Some(from) && self.cpus[from as usize].queue.contains(&utid));
        let orig_runnable = self.cpus[from as usize].runnable() - itself;
        let dest_runnable = self.cpus[to as usize].runnable();
        let level = self.topology.distance(from, to);
        let within_llc = level <= Distance::Llc;
        self.know(utid);
        let forced = !self.invariant.may_use(utid, from) || !self.cpus[from as usize].online;
        let no_better = dest_runnable >= orig_runnable && !(within_llc && dest_runnable == 0);
        let is_nearer = |idle: CpuIx| self.topology.rank(from, idle) < self.topology.rank(from, to);
        let farther = || !within_llc && self.invariant.nearest_idle(utid, from).is_some_and(is_nearer);
        let needless = (no_better && !forced) || farther();
        let t = &mut self.threads[utid];
        t.totals.migrations += 1;
        t.totals.needless_migrations += i64::from(needless);
        self.out.migration(&migration::Row {
            event_id: self.event,
            ts_ns: self.now,
            utid: t.number as i32,
            orig_cpu: self.topology.number(from),
            dest_cpu: self.topology.number(to),
            distance: level.code(),
            queued: waits.is_some(),
            orig_runnable,
            dest_runnable,
            needless,
            stack_id: by.stack,
            path: by.path.unwrap_or(MigrationPath::Unknown).code(),
            path_proof: by.proof,
        });
    }
}
