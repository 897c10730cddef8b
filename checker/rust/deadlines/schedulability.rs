//! Whether a set of tasks is certain to meet its deadlines.

use serde::Serialize;

use super::task::Reservation;

/// Rounding of sums of shares.
const EPSILON: f64 = 1e-9;

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
    pub global_density: bool,
    /// Global EDF by utilisations, where every deadline is its period: ΣU ≤ m − (m − 1)·Umax (Goossens, Funk, Baruah: Real-Time Systems 25, 2003).
    /// None where a deadline is shorter.
    pub gfb: Option<bool>,
    /// The tasks can be parted among the CPUs so that EDF on each meets all deadlines: first fit by falling density, Σδ ≤ 1 on each.
    pub partitioned_first_fit: bool,
}

impl Schedulability {
    /// Of these tasks on so many CPUs.
    pub fn of(tasks: &[Reservation], cpus: usize) -> Self {
        let (mut utilisation, mut utilisation_max, mut density, mut density_max) = (0.0, 0f64, 0.0, 0f64);
        for task in tasks {
            utilisation += task.utilisation();
            utilisation_max = utilisation_max.max(task.utilisation());
            density += task.density();
            density_max = density_max.max(task.density());
        }
        let within = |sum: f64, max: f64| sum <= cpus as f64 - (cpus as f64 - 1.0) * max + EPSILON && cpus > 0;
        let implicit = tasks.iter().all(|task| task.deadline_ns == task.period_ns);
        Self {
            cpus,
            tasks: tasks.len(),
            utilisation,
            utilisation_max,
            density,
            density_max,
            global_density: within(density, density_max),
            gfb: implicit.then(|| within(utilisation, utilisation_max)),
            partitioned_first_fit: partitioned_first_fit(tasks, cpus).is_some(),
        }
    }
}

/// The CPU of each task where first fit by falling density finds one for all, so that no CPU's sum of densities is above 1.
pub fn partitioned_first_fit(tasks: &[Reservation], cpus: usize) -> Option<Vec<usize>> {
    let mut order: Vec<usize> = (0..tasks.len()).collect();
    order.sort_by(|&a, &b| tasks[b].density().total_cmp(&tasks[a].density()).then(a.cmp(&b)));
    let (mut load, mut on) = (vec![0.0; cpus], vec![0; tasks.len()]);
    for at in order {
        let cpu = load.iter().position(|&used| used + tasks[at].density() <= 1.0 + EPSILON)?;
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

    /// Dhall and Liu: m light tasks beside a heavy one miss under global EDF although utilisation is little above 1.
    #[test]
    fn a_heavy_task_fails_the_global_tests_and_passes_the_partitioned_one() {
        let set = [task(1, 10, 10), task(1, 10, 10), task(10, 11, 11)];
        let of = Schedulability::of(&set, 2);
        assert_eq!((of.global_density, of.gfb, of.partitioned_first_fit), (false, Some(false), true));
        assert_eq!(partitioned_first_fit(&set, 2), Some(vec![1, 1, 0]));
        assert!((of.utilisation - (0.2 + 10.0 / 11.0)).abs() < 1e-12);
    }

    #[test]
    fn the_bounds_themselves_pass_and_what_is_above_does_not() {
        let half = [task(5, 10, 10); 3];
        assert_eq!(Schedulability::of(&half, 2).gfb, Some(true), "1.5 ≤ 2 − 0.5");
        let more = [task(5, 10, 10), task(5, 10, 10), task(51, 100, 100)];
        assert_eq!(Schedulability::of(&more, 2).gfb, Some(false));
        assert!(!Schedulability::of(&[task(11, 20, 20); 3], 2).partitioned_first_fit, "three of 0.55 on two CPUs");
        let constrained = Schedulability::of(&[task(5, 5, 10), task(1, 10, 10)], 2);
        assert_eq!((constrained.gfb, constrained.global_density, constrained.density_max), (None, false, 1.0));
        assert!(!Schedulability::of(&[task(1, 2, 2)], 0).global_density);
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
            match partitioned_first_fit(&set, 2) {
                Some(on) => assert!(fits(&on), "{set:?} {on:?}"),
                None => assert!(set.iter().map(Reservation::density).sum::<f64>() > 1.5, "{set:?}"),
            }
        }
    }
}
