//! Wakeups and moves: which queue a thread waits on, and whether a move was any use.

use wastenot_schemas::{distance, migration};

use super::{Applied, Scheduler};
use crate::threads::{Phase, Utid};
use crate::topology::CpuIx;
use crate::trust::Contradiction;

impl Scheduler {
    pub fn sched_wakeup(&mut self, tid: i32, target: i16, is_new: bool) -> Applied {
        if tid == 0 {
            self.trust.reject("wakeup_of_swapper");
            return Ok(());
        }
        self.tells_wakeups |= !is_new;
        let Some(target) = self.cpu(target) else { return Ok(()) };
        let mut utid = self.threads.of(tid);
        if is_new && !matches!(self.threads[utid].phase, Phase::Off(_) | Phase::Unknown) {
            // The tid was given to a new thread whose fork was not seen.
            self.forget(utid, false);
            utid = self.threads.start(tid, Some(self.now));
        }
        match self.threads[utid].phase {
            Phase::Running(_) => return Ok(()),
            Phase::Queued { cpu, .. } | Phase::Throttled { cpu, .. } if cpu == target => return Ok(()),
            Phase::Queued { .. } | Phase::Throttled { .. } => {
                self.trust.placements_inferred += 1;
                self.move_waiting(utid, target);
                return Ok(());
            }
            _ => {}
        }
        match self.threads[utid].last_cpu {
            Some(last) if last != target && !is_new => {
                self.trust.placements_inferred += 1;
                self.judge_migration(utid, last, target, None);
            }
            _ => self.trust.placements_exact += 1,
        }
        let t = &mut self.threads[utid];
        t.wait_start = self.now;
        t.totals.wakeups += 1;
        self.enqueue(utid, target, false);
        self.note_queue(target);
        Ok(())
    }

    pub fn sched_migrate_task(&mut self, tid: i32, orig: Option<i16>, dest: i16, stack: Option<i32>) -> Applied {
        let Some(dest) = self.cpu(dest) else { return Ok(()) };
        if self.is_swapper(tid) {
            return Ok(());
        }
        let utid = self.threads.of(tid);
        let ours = self.threads[utid].last_cpu;
        let orig = orig.and_then(|c| self.topology.index(c));
        if let (Some(orig), Some(ours)) = (orig, ours)
            && orig != ours
        {
            let (a, b) = (self.topology.number(orig), self.topology.number(ours));
            self.contradict(Contradiction::MigrateMismatch, || format!("tid {tid} leaves cpu {a}, it was on cpu {b}"))?;
        }
        if let Phase::Running(_) = self.threads[utid].phase {
            return self.contradict(Contradiction::MigrateRunning, || format!("tid {tid} runs and is moved"));
        }
        if let Some(from) = orig.or(ours).filter(|&from| from != dest) {
            self.judge_migration(utid, from, dest, stack);
        }
        if self.threads[utid].phase.waits_on().is_some() {
            self.move_waiting(utid, dest);
        } else {
            self.threads[utid].last_cpu = Some(dest);
        }
        Ok(())
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

    /// Write a move and say whether it made anything better (semantics: needless migration).
    pub(super) fn judge_migration(&mut self, utid: Utid, from: CpuIx, to: CpuIx, stack_id: Option<i32>) {
        let waits = self.threads[utid].phase.waits_on();
        let itself = i32::from(waits == Some(from) && self.cpus[from as usize].queue.contains(&utid));
        let orig_runnable = self.cpus[from as usize].runnable() - itself;
        let dest_runnable = self.cpus[to as usize].runnable();
        let level = self.topology.distance(from, to);
        let within_llc = level <= distance::LLC;
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
            utid: utid as i32,
            orig_cpu: self.topology.number(from),
            dest_cpu: self.topology.number(to),
            distance: level,
            queued: waits.is_some(),
            orig_runnable,
            dest_runnable,
            needless,
            stack_id,
        });
    }
}
