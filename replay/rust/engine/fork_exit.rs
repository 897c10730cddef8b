//! Creation and end of threads.

use super::*;
use crate::program::Policy;
use crate::scheduler::{Enqueue, Placement};
use crate::smt::DEFAULT_PRIORITY;
use crate::workload::ThreadSpec;

/// Row number of threads that belong to no row of the workload.
const NO_START: u32 = u32::MAX;

impl<S: Scheduler> Simulation<'_, S> {
    /// Places and queues a child (kernel: wake_up_new_task).
    pub(super) fn start_child(&mut self, cpu: CpuIx, parent: ThreadIx, child: ThreadIx) {
        let e = &mut self.engine;
        e.settle(cpu);
        let (ptid, c) = (e.threads[parent as usize].tid, &e.threads[child as usize]);
        let (tid, tgid, prio, named) = (c.tid, c.tgid, c.prio(), c.name != e.threads[parent as usize].name);
        e.recorder.fork(e.now, cpu, ptid, tid, tgid);
        if named {
            let name = e.threads[child as usize].name.clone();
            e.recorder.name(e.now, tid, tgid, &name);
        }
        e.record_mask_if_different(cpu, parent, child);
        e.join_bubble(child);
        self.admit(child);
        let e = &mut self.engine;
        let to = self.scheduler.place(e, child, Placement::Fork { parent_cpu: cpu });
        let thread = &mut e.threads[child as usize];
        (thread.cpu, thread.last_cpu, thread.state, thread.queued_since) = (to, to, State::Queued, e.now);
        self.scheduler.activate(e, child, to, Enqueue::New);
        self.record_server(cpu, child, false);
        let e = &mut self.engine;
        e.recorder.wakeup(e.now, cpu, tid, to, prio, true);
        self.scheduler.enqueue(e, child, to, Enqueue::New);
    }

    /// The scheduler gets to know a thread, and may refuse it.
    pub(super) fn admit(&mut self, t: ThreadIx) {
        let e = &mut self.engine;
        self.scheduler.admit(e, t);
        if let Policy::Deadline(wants) = e.threads[t as usize].policy
            && let Err(why) = self.scheduler.admit_deadline(e, t, &wants)
        {
            e.refuse(t, why);
        }
    }

    /// Writes the state of a deadline thread's server; nothing for other threads.
    pub(super) fn record_server(&mut self, cpu: CpuIx, t: ThreadIx, is_start: bool) {
        let e = &mut self.engine;
        if matches!(e.threads[t as usize].policy, Policy::Deadline(_))
            && let Some(server) = self.scheduler.server(t)
        {
            let (now, tid) = (e.now, e.threads[t as usize].tid);
            e.recorder.dl_parameters(now, cpu, tid, &server, is_start);
        }
    }
}

impl Engine<'_> {
    fn slot(&mut self, thread: Thread) -> ThreadIx {
        match self.free.pop() {
            Some(slot) => {
                let life = self.threads[slot as usize].life;
                self.threads[slot as usize] = Thread { life, ..thread };
                slot
            }
            None => {
                self.threads.push(thread);
                self.threads.len() as ThreadIx - 1
            }
        }
    }

    fn tid(&mut self) -> i32 {
        self.next_tid += 1;
        self.next_tid - 1
    }

    /// A thread that sleeps, of a process of its own.
    pub(super) fn thread_of(&mut self, name: &str, cpu: CpuIx, program: Ix, group: u32) -> Thread {
        let tid = self.tid();
        Thread {
            tid,
            tgid: tid,
            ppid: 1,
            name: name.into(),
            state: State::Sleeping,
            cpu,
            last_cpu: cpu,
            last_ran: 0,
            mask: 0,
            user_mask: None,
            policy: Policy::Normal,
            nice: 0,
            group,
            memory: 0,
            sharing: 0,
            bubble: None,
            priority: 0,
            smt_priority: DEFAULT_PRIORITY,
            load: None,
            home: None,
            run_ns: 0,
            waited_ns: 0,
            queued_since: 0,
            per_cpu: false,
            life: 0,
            start: NO_START,
            program,
            pc: 0,
            loops: Vec::new(),
            work: 0,
            overhead: 0,
            wait: None,
            created: self.now,
            release: None,
            spinning: false,
            spin_left: None,
            parent: None,
            children: 0,
            forks_left: 0,
            filling: None,
            exiting: false,
            yielding: false,
            random: self.random_of(tid),
        }
    }

    fn random_of(&self, tid: i32) -> Random {
        Random::new(self.seed ^ (tid as u64).wrapping_mul(0xA076_1D64_78BD_642F))
    }

    /// Puts a thread into the machine.
    pub(super) fn add(&mut self, thread: Thread) -> ThreadIx {
        if thread.start != NO_START {
            self.progress[thread.start as usize].threads += 1;
            self.progress[thread.start as usize].alive += 1;
            self.waited_for += u32::from(!self.workload.threads[thread.start as usize].background);
        }
        self.alive += 1;
        self.slot(thread)
    }

    /// A child of a thread, on its CPU, not queued yet.
    pub(super) fn fork(&mut self, parent: ThreadIx, program: Ix, name: Option<Ix>, threads: bool) -> ThreadIx {
        let name: Option<Rc<str>> = name.map(|n| self.name_of(n).into());
        let p = &self.threads[parent as usize];
        // A child of a deadline thread is of policy normal (SCHED_FLAG_RESET_ON_FORK; without it the kernel refuses the fork).
        let policy = if matches!(p.policy, Policy::Deadline(_)) { Policy::Normal } else { p.policy };
        let p_copy = (p.cpu, p.mask, p.user_mask, policy, p.nice, p.group, p.memory, p.start, p.tgid, p.life);
        let name = name.unwrap_or_else(|| p.name.clone());
        let (cpu, mask, user_mask, policy, nice, group, memory, start, tgid, life) = p_copy;
        let thread = self.thread_of(&name, cpu, program, group);
        let p = &self.threads[parent as usize];
        let own = thread.tgid;
        let thread = Thread {
            mask,
            user_mask,
            policy,
            nice,
            memory,
            sharing: p.sharing,
            bubble: p.filling.or(p.bubble),
            priority: p.priority,
            smt_priority: p.smt_priority,
            load: p.load,
            start,
            tgid: if threads { tgid } else { own },
            ppid: tgid,
            parent: Some((parent, life)),
            ..thread
        };
        self.threads[parent as usize].children += 1;
        self.add(thread)
    }

    /// The `nth` child of a launcher.
    pub(super) fn launch(&mut self, launcher: ThreadIx, start: u32, nth: u32) -> ThreadIx {
        let thread = self.thread_of_row(start, nth, self.threads[launcher as usize].cpu);
        let l = &mut self.threads[launcher as usize];
        l.children += 1;
        let (parent, ppid) = (Some((launcher, l.life)), l.tgid);
        self.add(Thread { parent, ppid, ..thread })
    }

    /// The `nth` thread of a row of the workload.
    pub(super) fn thread_of_row(&mut self, start: u32, nth: u32, cpu: CpuIx) -> Thread {
        let row: ThreadSpec = self.workload.threads[start as usize].clone();
        let program = self.workload.programs.keys().position(|p| *p == row.program).unwrap_or(0) as Ix;
        let group = self.progress[start as usize].group;
        let name = row.name.as_deref().unwrap_or(&row.program).to_owned();
        let mut thread = self.thread_of(&name, cpu, program, group);
        if row.threads && nth > 0 {
            thread.tgid = self.progress[start as usize].tgid;
        } else {
            self.progress[start as usize].tgid = thread.tgid;
        }
        let asked = row.cpus.as_ref().map(|set| self.topology.bits(set));
        let asked = match (row.bound, asked) {
            (true, asked) => {
                let from = asked.unwrap_or_else(|| CpuMask::all(self.topology.len()));
                let one = from.iter().nth(nth as usize % from.len().max(1)).unwrap_or(0);
                Some(CpuMask::of(self.topology.len(), [one]))
            }
            (false, asked) => asked,
        };
        thread.user_mask = asked.map(|m| self.masks.intern(&m));
        thread.mask = self.effective(thread.user_mask, group);
        (thread.policy, thread.nice, thread.memory, thread.start) = (row.policy, row.nice, row.memory, start);
        (thread.sharing, thread.priority, thread.smt_priority) = (row.sharing, row.priority, row.smt_priority);
        let load = |name: &String| self.workload.loads.keys().position(|l| l == name).map(|at| at as Ix);
        thread.load = row.load.as_ref().and_then(load);
        thread.bubble = self.bubble_of_row[start as usize];
        self.progress[start as usize].started += 1;
        thread
    }

    /// A mask as asked for, cut by the cpuset of a group; the cpuset where they do not meet.
    pub(super) fn effective(&mut self, user: Option<MaskId>, group: u32) -> MaskId {
        let everything = 0;
        let cpuset = self.groups[group as usize].cpuset;
        match (user, cpuset) {
            (None, None) => everything,
            (Some(mask), None) | (None, Some(mask)) => mask,
            (Some(user), Some(cpuset)) => {
                let both = self.masks.get(user).intersection(self.masks.get(cpuset));
                if both.is_empty() { cpuset } else { self.masks.intern(&both) }
            }
        }
    }

    /// A thread's masks as the tables have them.
    pub(super) fn mask_row(&self, t: ThreadIx) -> (MaskId, Option<MaskId>, Option<MaskId>) {
        let thread = &self.threads[t as usize];
        (thread.mask, thread.user_mask, self.groups[thread.group as usize].cpuset)
    }

    fn record_mask_if_different(&mut self, cpu: CpuIx, parent: ThreadIx, child: ThreadIx) {
        if self.mask_row(parent) != self.mask_row(child) {
            let (tid, masks) = (self.threads[child as usize].tid, self.mask_row(child));
            self.recorder.affinity(self.now, cpu, tid, masks);
        }
    }

    /// Counts the end of a thread of a row of the workload.
    pub(super) fn count_end(&mut self, start: u32, run_ns: Ns, waited_ns: Ns) {
        if start == NO_START {
            return;
        }
        let now = self.now;
        let progress = &mut self.progress[start as usize];
        progress.alive -= 1;
        progress.ended_ns = now;
        progress.run_ns += run_ns;
        progress.waited_ns += waited_ns;
        self.waited_for -= u32::from(!self.workload.threads[start as usize].background);
    }

    /// Frees the slot of a thread that has ended.
    pub(super) fn free_slot(&mut self, t: ThreadIx) {
        self.alive -= 1;
        self.threads[t as usize].life += 1;
        self.free.push(t);
    }
}
