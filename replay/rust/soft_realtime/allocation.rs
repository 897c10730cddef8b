//! How much of the core the most critical job (MCT) gets: RA(t) = max(MinRA, Si(t)), where Si(t) = RCi / (di − t) and RCi is what
//! is left of its time alone (formulas 6.5 and 6.6). The other job (LPT) gets the rest.

use super::Ms;
use super::task_set::Task;
use serde::Serialize;

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

/// Tasks of table 6.1, by their places in its text: τ1, τ3, τ2, τ4.
const EXAMPLE: [Task; 4] = [
    Task { program: 0, wcet: 1.0, deadline: 5.0 },
    Task { program: 0, wcet: 4.0, deadline: 6.0 },
    Task { program: 0, wcet: 0.5, deadline: 7.0 },
    Task { program: 0, wcet: 2.0, deadline: 8.0 },
];

/// An instant of the example at which another job becomes the most critical, or the other one ends.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ExampleStep {
    /// Number of the most critical job in the thesis.
    pub job: u32,
    /// When.
    pub at: Ms,
    /// Its Si(t).
    pub slowdown: f64,
    /// RA(t), as the hardware takes it, where half of the core is the least.
    pub allocation: f64,
}

/// What the formulas say of the example of table 6.1, at the thesis's instants: τ1 is the most critical job at first, at 1.25 it ends and
/// τ3, the other job until then, is; at 3.8 τ2 ends.
pub fn table_6_1() -> [ExampleStep; 3] {
    let [t1, t3, ..] = EXAMPLE;
    let mut third = AccountedWork::default();
    let step = |job, at, work: &AccountedWork, task| {
        let slowdown = work.slowdown(task, at);
        ExampleStep { job, at, slowdown, allocation: allocation(slowdown, 0.5) }
    };
    let first = step(1, 0.0, &AccountedWork::default(), &t1);
    third.add(Role::Other, 1.25, first.allocation);
    let second = step(3, 1.25, &third, &t3);
    third.add(Role::Critical, 2.55, second.allocation);
    [first, second, step(3, 3.8, &third, &t3)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_table_6_1_has_the_allocations_of_the_formula() {
        let thousandths = |step: ExampleStep| (step.job, step.at, (step.slowdown * 1000.0).round(), step.allocation);
        let steps = table_6_1().map(thousandths);
        // The last in the thesis is 0.76: it leaves out the factor 1.25 and uses 0.76 for 0.74.
        assert_eq!(steps, [(1, 0.0, 200.0, 0.5), (3, 1.25, 741.0, 0.74), (3, 3.8, 742.0, 0.74)]);
    }

    #[test]
    fn a_job_that_gets_what_it_needs_needs_as_much_later() {
        let task = EXAMPLE[1];
        let mut work = AccountedWork::default();
        let needs = work.slowdown(&task, 0.0);
        work.add(Role::Critical, 3.0, needs);
        assert!((work.slowdown(&task, 3.0) - needs).abs() < 1e-12);
        assert!(work.slowdown(&task, 6.0).is_infinite());
        assert_eq!(allocation(f64::INFINITY, 0.5), 1.0);
    }
}
