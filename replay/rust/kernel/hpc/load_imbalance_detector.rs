//! The Load Imbalance Detector: at each wakeup that starts an iteration it decides whether the application is balanced; if it
//! is not, the heuristic sets the priority of the thread that woke. Source: section 4.3.2 of the thesis, which does not say what
//! imbalanced is: here, utilisations that differ by more than [`HpcSettings::imbalance`].

use super::super::*;
use super::heuristic::{Heuristic, HpcSettings, PERCENT};
use super::iterations::{Iterations, Utilisation};
use crate::engine::State;

/// True when the utilisations of an application's threads differ by more than is balanced.
pub(super) fn is_imbalanced(utilisations: impl Iterator<Item = Utilisation>, settings: &HpcSettings) -> bool {
    let bounds = utilisations.fold(None, |bounds: Option<(Utilisation, Utilisation)>, u| {
        Some(bounds.map_or((u, u), |(least, most)| (least.min(u), most.max(u))))
    });
    bounds.is_some_and(|(least, most)| most - least > u64::from(settings.imbalance) * PERCENT)
}

impl Kernel {
    /// A thread is of the class from now on.
    pub(super) fn join_hpc(&mut self, e: &Engine<'_>, t: ThreadIx) {
        if self.hpc.threads.contains(&t) {
            return;
        }
        self.hpc.threads.push(t);
        let at = t as usize;
        if self.hpc.iterations.len() <= at {
            self.hpc.iterations.resize_with(at + 1, Iterations::default);
        }
        self.hpc.iterations[at] = Iterations::new(e.now(), e.thread(t).run_ns);
    }

    /// A thread ends or goes to another class.
    pub(in super::super) fn leave_hpc(&mut self, t: ThreadIx) {
        self.hpc.threads.retain(|&o| o != t);
    }

    /// A thread woke: its iteration is over.
    pub(super) fn end_iteration(&mut self, e: &mut Engine<'_>, t: ThreadIx) {
        self.hpc.iterations[t as usize].end(e.now(), e.thread(t).run_ns);
        if self.hpc.settings.heuristic == Heuristic::None {
            return;
        }
        let utilisations = self.hpc.threads.iter().filter_map(|&o| self.seen_utilisation(e, o));
        if !is_imbalanced(utilisations, &self.hpc.settings) {
            return self.hpc.iterations[t as usize].is_stable();
        }
        if let Some(u) = self.hpc.settings.utilisation(&self.hpc.iterations[t as usize]) {
            let priority = self.hpc.settings.priority(u, e.thread(t).smt_priority);
            e.set_smt_priority(t, priority);
        }
    }

    /// The utilisation of a thread as it is seen now: the iteration of one that sleeps is as good as over. None for a thread
    /// that computes next to nothing.
    fn seen_utilisation(&self, e: &Engine<'_>, t: ThreadIx) -> Option<Utilisation> {
        let iterations = self.hpc.iterations[t as usize];
        let asleep = e.thread(t).state == State::Sleeping;
        let seen = if asleep { iterations.as_if_ended(e.now(), e.thread(t).run_ns) } else { iterations };
        let least = u64::from(self.hpc.settings.ignored) * PERCENT;
        seen.all().utilisation().filter(|&u| u >= least)?;
        self.hpc.settings.utilisation(&seen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_application_is_imbalanced_when_utilisations_differ_by_more_than_20_percent() {
        let settings = HpcSettings::default();
        let imbalanced = |u: &[u64]| is_imbalanced(u.iter().map(|u| u * PERCENT), &settings);
        assert!(imbalanced(&[25, 100, 25, 100]));
        assert!(!imbalanced(&[80, 100, 90]));
        assert!(imbalanced(&[79, 100]));
        assert!(!imbalanced(&[]));
    }
}
