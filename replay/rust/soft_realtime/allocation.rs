//! How much of the core the most critical job (MCT) gets: RA(t) = max(MinRA, Si(t)), where Si(t) = RCi / (di − t) and RCi is what
//! is left of its time alone (formulas 6.5 and 6.6). The other job (LPT) gets the rest.

use super::Ms;
use super::task_set::Task;

/// f of formula 6.5.
pub const EXPONENT: f64 = 0.7;

/// Which of the two a job runs as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Most critical thread.
    Critical,
    /// Lower-priority thread.
    Other,
}

/// How much of its work a job is taken to have done: the accumulators of formula 6.5.
#[derive(Clone, Copy, Debug, Default)]
pub struct AccountedWork(Ms);

impl AccountedWork {
    /// The job ran for a while in a role, with this allocation to the critical one.
    pub fn add(&mut self, role: Role, time: Ms, allocation: f64) {
        self.0 += time
            * match role {
                Role::Critical => allocation,
                Role::Other => 1.0 - allocation.powf(EXPONENT),
            };
    }

    /// RCi: what is left.
    pub fn remaining(&self, task: &Task) -> Ms {
        (task.wcet - self.0).max(0.0)
    }

    /// Si(t), the speed at which it just meets its deadline. Past the deadline: infinite.
    pub fn slowdown(&self, task: &Task, now: Ms) -> f64 {
        let left = task.deadline - now;
        if left > 0.0 { self.remaining(task) / left } else { f64::INFINITY }
    }

    /// li: time to the deadline less what is left.
    pub fn laxity(&self, task: &Task, now: Ms) -> Ms {
        task.deadline - now - self.remaining(task)
    }
}

/// RA(t) for this Si(t), at most everything. The hardware takes hundredths: as the thesis's example has it (0.741 is set as 0.74).
pub fn allocation(slowdown: f64, least: f64) -> f64 {
    (slowdown.max(least).min(1.0) * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Table 6.1.
    const TASKS: [Task; 4] = [
        Task { program: 0, wcet: 1.0, deadline: 5.0 },
        Task { program: 0, wcet: 4.0, deadline: 6.0 },
        Task { program: 0, wcet: 0.5, deadline: 7.0 },
        Task { program: 0, wcet: 2.0, deadline: 8.0 },
    ];

    #[test]
    fn the_example_of_table_6_1_has_the_allocations_of_the_formula() {
        let [t1, t3, ..] = TASKS;
        let mut third = AccountedWork::default();
        // At 0 τ1 is the most critical: S1 = 0.2, and it gets the least.
        assert_eq!(AccountedWork::default().slowdown(&t1, 0.0), 0.2);
        assert_eq!(allocation(0.2, 0.5), 0.5);
        // At 1.25 τ1 ends, and τ3, the other job until then, becomes the most critical.
        third.add(Role::Other, 1.25, 0.5);
        let slowdown = third.slowdown(&t3, 1.25);
        assert_eq!((slowdown * 1000.0).round() / 1000.0, 0.741);
        assert_eq!(allocation(slowdown, 0.5), 0.74);
        // At 3.8 τ2 ends. The thesis prints 0.76: it leaves out the factor 1.25 and uses 0.76 for 0.74.
        third.add(Role::Critical, 2.55, allocation(slowdown, 0.5));
        assert_eq!((third.slowdown(&t3, 3.8) * 1000.0).round() / 1000.0, 0.742);
    }

    #[test]
    fn a_job_that_gets_what_it_needs_needs_as_much_later() {
        let task = TASKS[1];
        let mut work = AccountedWork::default();
        let needs = work.slowdown(&task, 0.0);
        work.add(Role::Critical, 3.0, needs);
        assert!((work.slowdown(&task, 3.0) - needs).abs() < 1e-12);
        assert!(work.slowdown(&task, 6.0).is_infinite());
        assert_eq!(allocation(f64::INFINITY, 0.5), 1.0);
    }
}
