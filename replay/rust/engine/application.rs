//! A parallel application under a load and resource balancer: how much of each iteration its threads computed, and what the
//! balancer wants afterwards.

use super::*;
use crate::compile::WorkloadError;
use crate::dlrb::placement::Domain;
use crate::dlrb::{Decision, Dlrb, Utilisation};

/// An iteration of a thread.
#[derive(Clone, Copy, Debug, Default)]
struct IterationStart {
    at: Ns,
    /// Run time at its start.
    run_ns: Ns,
}

/// The threads that a balancer places.
#[derive(Debug)]
pub(crate) struct Application {
    balancer: Dlrb,
    /// Each with the life of its slot.
    threads: Vec<(ThreadIx, u32)>,
    starts: Vec<IterationStart>,
    /// Utilisation in the iteration that ended last; None for a thread that has not come to its end.
    ended: Vec<Option<Utilisation>>,
}

impl Engine<'_> {
    /// Deals out the threads of the workload's balancer, if it has one. All of them must be among the `placed` ones.
    pub(super) fn start_application(&mut self, placed: &[ThreadIx]) -> Result<(), WorkloadError> {
        let Some(spec) = self.workload.dlrb.clone() else { return Ok(()) };
        let mut threads = Vec::new();
        for name in &spec.threads {
            let of_name = placed.iter().copied().filter(|&t| *self.threads[t as usize].name == **name);
            let before = threads.len();
            threads.extend(of_name);
            let rows = || self.workload.threads.iter().map(|row| row.name.as_ref().unwrap_or(&row.program));
            if threads.len() == before {
                let known = rows().any(|row| row == name);
                let unknown = WorkloadError::Unknown { kind: "thread", name: name.clone() };
                return Err(if known { WorkloadError::NotPlaced(name.clone()) } else { unknown });
            }
        }
        let n = threads.len();
        let balancer = Dlrb::new(Domain::of(self.topology.components()), n, spec.phase_change);
        for (&t, cpu) in threads.iter().zip(balancer.decision().cpus) {
            let mask = self.masks.intern(&CpuMask::of(self.topology.len(), [cpu]));
            let mask = self.effective(Some(mask), self.threads[t as usize].group);
            let thread = &mut self.threads[t as usize];
            (thread.user_mask, thread.mask, thread.cpu, thread.last_cpu) = (Some(mask), mask, cpu, cpu);
        }
        let starts = vec![IterationStart::default(); n];
        let threads = threads.into_iter().map(|t| (t, self.threads[t as usize].life)).collect();
        self.application = Some(Application { balancer, threads, starts, ended: vec![None; n] });
        Ok(())
    }
}

impl<S: Scheduler> Simulation<'_, S> {
    /// A thread has ended an iteration. When all threads of the application have, its balancer acts.
    pub(super) fn iteration_over(&mut self, cpu: CpuIx, t: ThreadIx) {
        let e = &mut self.engine;
        e.settle(cpu);
        let (now, run_ns) = (e.now, e.threads[t as usize].run_ns);
        let Some(application) = &mut e.application else { return };
        let Some(at) = application.threads.iter().position(|o| o.0 == t) else { return };
        let start = std::mem::replace(&mut application.starts[at], IterationStart { at: now, run_ns });
        let share = u128::from(run_ns - start.run_ns) * 10_000 / u128::from((now - start.at).max(1));
        application.ended[at] = Some(share as Utilisation);
        if application.ended.iter().any(Option::is_none) {
            return;
        }
        let utilisation: Vec<Utilisation> = application.ended.iter_mut().filter_map(Option::take).collect();
        let (before, threads) = (application.balancer.decision(), application.threads.clone());
        let decision = application.balancer.iteration(&utilisation);
        self.apply(&threads, &before, &decision);
    }

    fn apply(&mut self, threads: &[(ThreadIx, u32)], before: &Decision, decision: &Decision) {
        for (i, &(t, life)) in threads.iter().enumerate() {
            let thread = &self.engine.threads[t as usize];
            if thread.life != life || thread.state == State::Dead {
                continue;
            }
            self.engine.set_smt_priority(t, decision.priorities[i]);
            if before.cpus[i] != decision.cpus[i] {
                let mask = CpuMask::of(self.engine.topology.len(), [decision.cpus[i]]);
                let mask = self.engine.masks.intern(&mask);
                self.set_user_mask(t, mask);
            }
        }
    }
}
