//! What happens besides the programs: stoppers, hotplug, interrupts, changed masks.

use super::*;
use crate::masks::MaskId;
use crate::scheduler::{Dequeue, Placement};
use crate::workload::Happening;
use wastenot_topology::CpuSet;

/// Interrupt work shorter than this is not recorded (as by the recorder).
const IRQ_RECORDED_NS: Ns = 20_000;
/// Interrupts of a happening do not come more often than this.
const SHORTEST_EVERY: Ns = 1_000;

impl<S: Scheduler> Simulation<'_, S> {
    /// A CPU's stopper has run for its time: it does its work items one after the other.
    pub(super) fn run_stopper(&mut self, cpu: CpuIx, stopper: ThreadIx) {
        while let Some(stop) = self.engine.cpus[cpu as usize].stops.pop_front() {
            match stop {
                Stop::Nothing => {}
                Stop::Scheduler(token) => self.scheduler.run_stopper(&mut self.engine, cpu, token),
                Stop::Displace(t, life) => {
                    let thread = &self.engine.threads[t as usize];
                    if (thread.life, thread.state, thread.cpu) == (life, State::Queued, cpu)
                        && !self.engine.may_use(t, cpu)
                    {
                        self.displace(t, None, Path::AffinityStop);
                    }
                }
                Stop::Exec(t, life, to) => {
                    let thread = &self.engine.threads[t as usize];
                    if (thread.life, thread.state, thread.cpu) == (life, State::Queued, cpu) {
                        self.displace(t, Some(to), Path::Exec);
                    }
                }
            }
        }
        let e = &mut self.engine;
        e.threads[stopper as usize].state = State::Sleeping;
        e.count(cpu, e.cpus[cpu as usize].count, -1);
        self.schedule(cpu);
    }

    pub(super) fn happening(&mut self, ix: u32) {
        let at = self.engine.workload.happenings[ix as usize].clone();
        let topology = &self.engine.topology;
        match at.what {
            Happening::Offline(set) => {
                for cpu in cpus(topology, &set) {
                    self.offline(cpu);
                }
            }
            Happening::Online(set) => {
                for cpu in cpus(topology, &set) {
                    self.online(cpu);
                }
            }
            Happening::Irq { cpu, length, every } => {
                if let Some(cpu) = topology.index(cpu) {
                    self.irq(cpu, length.0);
                }
                if let Some(every) = every {
                    let next = self.engine.now + every.0.max(SHORTEST_EVERY);
                    self.engine.queue.push(next, Event::Happening { ix });
                }
            }
            Happening::Affinity { name, cpus } => {
                let mask = topology.bits(&cpus);
                let mask = self.engine.masks.intern(&mask);
                for t in self.live_threads(|e, t| *e.threads[t as usize].name == *name) {
                    self.set_user_mask(t, mask);
                }
            }
            Happening::Cpuset { cgroup, cpus } => {
                let mask = topology.bits(&cpus);
                let mask = self.engine.masks.intern(&mask);
                let group = self.engine.groups.iter().position(|g| !g.is_session && *g.name == *cgroup);
                let Some(group) = group else { return };
                self.engine.groups[group].cpuset = Some(mask);
                for t in self.live_threads(|e, t| e.threads[t as usize].group == group as u32) {
                    self.mask_changed(t);
                }
            }
        }
    }

    fn live_threads(&self, fits: impl Fn(&Engine<'_>, ThreadIx) -> bool) -> Vec<ThreadIx> {
        let e = &self.engine;
        let alive = |t: &ThreadIx| e.threads[*t as usize].state != State::Dead && !e.free.contains(t);
        (0..e.threads.len() as ThreadIx).filter(alive).filter(|&t| fits(e, t)).collect()
    }

    /// A thread is given other allowed CPUs (sched_setaffinity).
    pub(super) fn set_user_mask(&mut self, t: ThreadIx, mask: MaskId) {
        self.engine.threads[t as usize].user_mask = Some(mask);
        self.mask_changed(t);
    }

    fn mask_changed(&mut self, t: ThreadIx) {
        let e = &mut self.engine;
        let thread = &e.threads[t as usize];
        let mask = e.effective(thread.user_mask, thread.group);
        let thread = &mut e.threads[t as usize];
        thread.mask = mask;
        let (tid, cpu, state, life) = (thread.tid, thread.cpu, thread.state, thread.life);
        let masks = e.mask_row(t);
        e.recorder.affinity(e.now, e.context, tid, masks);
        self.scheduler.mask_changed(e, t);
        if e.may_use(t, cpu) {
            return;
        }
        match state {
            State::Running => e.stop_for(cpu, Stop::Displace(t, life)),
            State::Queued => self.displace(t, None, Path::Affinity),
            State::Sleeping | State::Blocked | State::Dead => {}
        }
    }

    fn offline(&mut self, cpu: CpuIx) {
        let e = &mut self.engine;
        // The last CPU stays.
        if !e.cpus[cpu as usize].online || e.online.len() == 1 {
            return;
        }
        e.cpus[cpu as usize].online = false;
        e.online.remove(cpu);
        self.scheduler.hotplug(e, cpu, false);
        self.schedule(cpu);
        let here = self.live_threads(|e, t| {
            let thread = &e.threads[t as usize];
            thread.cpu == cpu && thread.state == State::Queued && !thread.per_cpu
        });
        for t in here {
            self.engine.context = cpu;
            let to = self.scheduler.place(&mut self.engine, t, Placement::Displaced);
            self.scheduler.dequeue(&mut self.engine, t, cpu, Dequeue::Moved);
            self.engine.move_thread(t, to, Path::Hotplug);
            self.scheduler.enqueue(&mut self.engine, t, to, crate::scheduler::Enqueue::Moved);
        }
        let e = &mut self.engine;
        e.cpus[cpu as usize].stops.clear();
        let stopper = e.cpus[cpu as usize].stopper;
        if e.current(cpu) == Some(stopper) {
            e.threads[stopper as usize].state = State::Sleeping;
            self.schedule(cpu);
        }
        let e = &mut self.engine;
        e.idle.remove(cpu);
        e.recorder.hotplug(e.now, cpu, false);
    }

    fn online(&mut self, cpu: CpuIx) {
        let e = &mut self.engine;
        if e.cpus[cpu as usize].online {
            return;
        }
        let c = &mut e.cpus[cpu as usize];
        (c.online, c.idle_since, c.resched_at) = (true, e.now, None);
        e.online.insert(cpu);
        e.idle.insert(cpu);
        e.recorder.hotplug(e.now, cpu, true);
        self.scheduler.hotplug(e, cpu, true);
        e.context = cpu;
        e.stop_for(cpu, Stop::Nothing);
    }

    /// A CPU works on interrupts for a while: the thread that runs there is delayed.
    fn irq(&mut self, cpu: CpuIx, length: Ns) {
        let e = &mut self.engine;
        if !e.cpus[cpu as usize].online {
            return;
        }
        let until = e.now + length;
        e.cpus[cpu as usize].irq_until = e.cpus[cpu as usize].irq_until.max(until);
        if e.current(cpu).is_some() {
            e.charge(cpu, length);
        } else if length > IRQ_RECORDED_NS {
            e.recorder.irq(e.now, cpu, length);
        }
        if e.cpus[cpu as usize].resched_at.is_some_and(|at| at < until) {
            e.cpus[cpu as usize].resched_at = Some(until);
            e.queue.push(until, Event::Resched { cpu });
        }
        e.queue.push(until, Event::IrqEnd { cpu });
    }
}

fn cpus(topology: &SimulatedTopology, set: &CpuSet) -> Vec<CpuIx> {
    set.iter().filter_map(|n| topology.index(n)).collect()
}
