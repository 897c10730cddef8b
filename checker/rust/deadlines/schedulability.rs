//! Whether a set of tasks is certain to meet its deadlines.
//!
//! The tests are of SCHED_DEADLINE threads; those of global EDF, of such that may use every CPU of their root domain.

use serde::Serialize;

use super::task::Reservation;

/// Rounding of sums of shares.
const EPSILON: f64 = 1e-9;

/// Why a set of tasks is not one that a test is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NotCovered {
    /// The threads are not SCHED_DEADLINE: EDF does not order them, and the kernel does not admit them.
    Class,
    /// The parameters of a SCHED_DEADLINE thread beside them are not known.
    Parameters,
    /// A thread may not use all CPUs of the root domain.
    Affinity,
}

/// What the tests say of a set of tasks on `cpus` equal CPUs. Each is sufficient: a set that fails may still meet every deadline.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Schedulability {
    pub cpus: usize,
    pub tasks: usize,
    pub utilisation: f64,
    pub utilisation_max: f64,
    pub density: f64,
    pub density_max: f64,
    /// Global EDF by densities: Σδ ≤ m − (m − 1)·δmax. For deadlines up to the period (Bertogna, Cirinei, Lipari: ECRTS 2005).
    /// None where the set is not covered.
    pub global_density: Option<bool>,
    /// Global EDF by utilisations, where every deadline is its period: ΣU ≤ m − (m − 1)·Umax (Goossens, Funk, Baruah: Real-Time Systems 25, 2003).
    /// None where a deadline is shorter, or the set is not covered.
    pub gfb: Option<bool>,
    /// The tasks can be parted among the CPUs that each may use so that EDF on each CPU meets all deadlines: first fit, those with the
    /// fewest CPUs first, by falling density, Σδ ≤ 1 on each. None where the set is not covered, be it for another reason than affinity.
    pub partitioned_first_fit: Option<bool>,
    /// Why the tests of global EDF say nothing.
    pub not_covered: Option<NotCovered>,
}

impl Schedulability {
    /// Of these tasks on so many CPUs, all of which each may use.
    pub fn of(tasks: &[Reservation], cpus: usize) -> Self {
        Self::of_confined(tasks, &vec![(0..cpus).collect(); tasks.len()], cpus)
    }

    /// Of these tasks on so many CPUs; `usable`: which of them each may use.
    pub fn of_confined(tasks: &[Reservation], usable: &[Vec<usize>], cpus: usize) -> Self {
        let (mut utilisation, mut utilisation_max, mut density, mut density_max) = (0.0, 0f64, 0.0, 0f64);
        for task in tasks {
            utilisation += task.utilisation();
            utilisation_max = utilisation_max.max(task.utilisation());
            density += task.density();
            density_max = density_max.max(task.density());
        }
        let within = |sum: f64, max: f64| sum <= cpus as f64 - (cpus as f64 - 1.0) * max + EPSILON && cpus > 0;
        let is_free = usable.iter().all(|usable| usable.len() == cpus);
        let implicit = tasks.iter().all(|task| task.deadline_ns == task.period_ns);
        Self {
            cpus,
            tasks: tasks.len(),
            utilisation,
            utilisation_max,
            density,
            density_max,
            global_density: is_free.then(|| within(density, density_max)),
            gfb: (is_free && implicit).then(|| within(utilisation, utilisation_max)),
            partitioned_first_fit: Some(partitioned_first_fit(tasks, usable, cpus).is_some()),
            not_covered: (!is_free).then_some(NotCovered::Affinity),
        }
    }

    /// The same set, of which no test says anything.
    pub fn not_covered(self, why: NotCovered) -> Self {
        Self { global_density: None, gfb: None, partitioned_first_fit: None, not_covered: Some(why), ..self }
    }
}

/// The CPU of each task where first fit finds one for all among those that each may use, so that no CPU's sum of densities is above 1.
/// Tasks with the fewest CPUs come first, of these the one with the highest density.
pub fn partitioned_first_fit(tasks: &[Reservation], usable: &[Vec<usize>], cpus: usize) -> Option<Vec<usize>> {
    let mut order: Vec<usize> = (0..tasks.len()).collect();
    let falling = |a: usize, b: usize| tasks[b].density().total_cmp(&tasks[a].density());
    order.sort_by(|&a, &b| usable[a].len().cmp(&usable[b].len()).then(falling(a, b)).then(a.cmp(&b)));
    let (mut load, mut on) = (vec![0.0; cpus], vec![0; tasks.len()]);
    for at in order {
        let fits = |cpu: &usize| load[*cpu] + tasks[at].density() <= 1.0 + EPSILON;
        let cpu = usable[at].iter().copied().find(fits)?;
        load[cpu] += tasks[at].density();
        on[at] = cpu;
    }
    Some(on)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(runtime_ns: i64, deadline_ns: i64, period_ns: i64) -> Reservation {
        Reservation { runtime_ns, deadline_ns, period_ns }
    }

    fn free(tasks: usize, cpus: usize) -> Vec<Vec<usize>> {
        vec![(0..cpus).collect(); tasks]
    }

    #[test]
    fn no_test_of_global_edf_is_about_tasks_that_may_not_use_every_cpu() {
        // Both on CPU 1 of four: 1.4 of it.
        let both = Schedulability::of_confined(&[task(14, 20, 20); 2], &[vec![1], vec![1]], 4);
        assert_eq!((both.gfb, both.global_density, both.partitioned_first_fit), (None, None, Some(false)));
        assert_eq!(both.not_covered, Some(NotCovered::Affinity));
        let apart = Schedulability::of_confined(&[task(14, 20, 20); 2], &[vec![1], vec![0]], 4);
        assert_eq!((apart.gfb, apart.partitioned_first_fit), (None, Some(true)));
        // The one that may use CPU 0 only takes it before the denser one, which may use both.
        let narrow = [task(12, 20, 20), task(10, 20, 20)];
        assert_eq!(partitioned_first_fit(&narrow, &[vec![0, 1], vec![0]], 2), Some(vec![1, 0]));
    }

    /// Dhall and Liu: m light tasks beside a heavy one miss under global EDF although utilisation is little above 1.
    #[test]
    fn a_heavy_task_fails_the_global_tests_and_passes_the_partitioned_one() {
        let set = [task(1, 10, 10), task(1, 10, 10), task(10, 11, 11)];
        let of = Schedulability::of(&set, 2);
        assert_eq!((of.global_density, of.gfb, of.partitioned_first_fit), (Some(false), Some(false), Some(true)));
        assert_eq!(partitioned_first_fit(&set, &free(3, 2), 2), Some(vec![1, 1, 0]));
        assert!((of.utilisation - (0.2 + 10.0 / 11.0)).abs() < 1e-12);
    }

    #[test]
    fn the_bounds_themselves_pass_and_what_is_above_does_not() {
        let half = [task(5, 10, 10); 3];
        assert_eq!(Schedulability::of(&half, 2).gfb, Some(true), "1.5 ≤ 2 − 0.5");
        let more = [task(5, 10, 10), task(5, 10, 10), task(51, 100, 100)];
        assert_eq!(Schedulability::of(&more, 2).gfb, Some(false));
        assert_eq!(
            Schedulability::of(&[task(11, 20, 20); 3], 2).partitioned_first_fit,
            Some(false),
            "three of 0.55 on two CPUs"
        );
        let constrained = Schedulability::of(&[task(5, 5, 10), task(1, 10, 10)], 2);
        assert_eq!((constrained.gfb, constrained.global_density, constrained.density_max), (None, Some(false), 1.0));
        assert_eq!(Schedulability::of(&[task(1, 2, 2)], 0).global_density, Some(false));
    }

    /// First fit fails only above (m + 1) / 2, where each task fits one CPU (Lopez, Diaz, Garcia: Real-Time Systems 28, 2004).
    #[test]
    fn what_first_fit_finds_holds_and_it_fails_only_above_its_bound() {
        let kinds = [task(1, 4, 4), task(2, 4, 4), task(3, 4, 4), task(2, 5, 6)];
        for code in 0..256 {
            let set: Vec<Reservation> = (0..4).map(|at| kinds[code >> (2 * at) & 3]).collect();
            let fits = |on: &[usize]| {
                (0..2).all(|cpu| {
                    let of = set.iter().zip(on).filter(|(_, c)| **c == cpu);
                    of.map(|(task, _)| task.density()).sum::<f64>() <= 1.0 + 1e-9
                })
            };
            match partitioned_first_fit(&set, &free(4, 2), 2) {
                Some(on) => assert!(fits(&on), "{set:?} {on:?}"),
                None => assert!(set.iter().map(Reservation::density).sum::<f64>() > 1.5, "{set:?}"),
            }
        }
    }
}
