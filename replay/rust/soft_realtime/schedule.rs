//! A set of jobs on a core of two hardware threads, from 0 to its end or the first missed deadline. Jobs run to their end; a
//! context is filled when its job ends. All of a set must meet their deadlines: what happens to a job that is late is left open,
//! as the set has failed by then.

use super::Ms;
use super::allocation::{AccountedWork, Role, allocation};
use super::core_model::CoreModel;
use super::dual_objective::{DualObjective, STOPPED};
use super::task_set::Task;
use serde::Serialize;

/// Time between two runs of the scheduler.
const TIMESLICE: Ms = 10.0;
/// Work that is less than this is done.
const NOTHING: Ms = 1e-9;
/// Least allocation to the critical job, by a scheduler that decides alone, and with hardware that may give more.
const LEAST_SINGLE: f64 = 0.5;
const LEAST_DUAL: f64 = 0.4;

/// The schedulers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Algorithm {
    /// Earliest deadline first; the fetch policy icount shares the core.
    #[serde(rename = "EDF")]
    Edf,
    /// Least laxity first, likewise.
    #[serde(rename = "LLF")]
    Llf,
    /// Resource-aware: the scheduler sets the share of the critical job.
    #[serde(rename = "SRA-EDF")]
    SraEdf,
    /// The same by laxity.
    #[serde(rename = "SRA-LLF")]
    SraLlf,
    /// Resource-aware with hardware that may give more than was set.
    #[serde(rename = "DRA-EDF")]
    DraEdf,
    /// The same by laxity.
    #[serde(rename = "DRA-LLF")]
    DraLlf,
    /// The earliest deadline beside the job of most symbiosis, unless a task has much utilisation: then GLOB_NOSYM_US.
    #[serde(rename = "GLOB_SYM_US")]
    GlobSymUs,
    /// EDF, tasks of much utilisation first.
    #[serde(rename = "GLOB_NOSYM_US")]
    GlobNosymUs,
}

/// All of them.
pub const ALGORITHMS: [Algorithm; 8] = [
    Algorithm::Edf,
    Algorithm::SraEdf,
    Algorithm::DraEdf,
    Algorithm::Llf,
    Algorithm::SraLlf,
    Algorithm::DraLlf,
    Algorithm::GlobNosymUs,
    Algorithm::GlobSymUs,
];

/// N / (2N − 1) for two hardware threads: a task above it has much utilisation.
pub const MUCH_UTILISATION: f64 = 2.0 / 3.0;

/// A job.
#[derive(Clone, Copy, Debug)]
struct Job {
    task: Task,
    /// Work left, in time alone; what the scheduler does not see.
    left: Ms,
    accounted: AccountedWork,
    running: bool,
}

/// How the two running jobs share the core.
#[derive(Clone, Debug)]
enum Sharing {
    /// icount.
    Uncontrolled,
    /// A share for the critical job.
    Single(f64),
    /// A least share for it.
    Dual(DualObjective),
}

/// A run.
struct Run<'a> {
    algorithm: Algorithm,
    core: &'a CoreModel,
    jobs: Vec<Job>,
    now: Ms,
    /// Running jobs, the critical one first.
    running: Vec<usize>,
}

/// True when all jobs of a set meet their deadlines.
pub fn succeeds(set: &[Task], algorithm: Algorithm, core: &CoreModel) -> bool {
    let much = set.iter().any(|t| t.utilisation() > MUCH_UTILISATION);
    let algorithm = if algorithm == Algorithm::GlobSymUs && much { Algorithm::GlobNosymUs } else { algorithm };
    let job = |&task: &Task| Job { task, left: task.wcet, accounted: AccountedWork::default(), running: false };
    let jobs = set.iter().map(job).collect();
    Run { algorithm, core, jobs, now: 0.0, running: Vec::new() }.meets_all_deadlines()
}

impl Run<'_> {
    fn meets_all_deadlines(mut self) -> bool {
        while self.jobs.iter().any(|j| j.left > NOTHING) {
            self.fill();
            self.until_next_decision();
            // Late: one that has just ended, or one that has not.
            let late = |j: usize| self.jobs[j].task.deadline < self.now - NOTHING;
            if self.running.iter().copied().chain(self.unfinished()).any(late) {
                return false;
            }
            self.running.retain(|&j| self.jobs[j].left > NOTHING);
        }
        true
    }

    fn by_laxity(&self) -> bool {
        matches!(self.algorithm, Algorithm::Llf | Algorithm::SraLlf | Algorithm::DraLlf)
    }

    /// What is run first: the smaller, the sooner.
    fn urgency(&self, j: usize) -> f64 {
        let job = &self.jobs[j];
        match self.algorithm {
            _ if self.by_laxity() => job.accounted.laxity(&job.task, self.now),
            Algorithm::GlobNosymUs if job.task.utilisation() > MUCH_UTILISATION => f64::NEG_INFINITY,
            _ => job.task.deadline,
        }
    }

    fn unfinished(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.jobs.len()).filter(|&j| self.jobs[j].left > NOTHING)
    }

    fn most_urgent(&self, of: impl Iterator<Item = usize>) -> Option<usize> {
        of.min_by(|&a, &b| self.urgency(a).total_cmp(&self.urgency(b)).then(a.cmp(&b)))
    }

    /// Fills the contexts.
    fn fill(&mut self) {
        if self.algorithm == Algorithm::GlobSymUs {
            return self.fill_by_symbiosis();
        }
        let refilled = self.running.len() < 2;
        while self.running.len() < 2 {
            let waiting = self.unfinished().filter(|&j| !self.jobs[j].running);
            let Some(next) = self.most_urgent(waiting) else { break };
            self.jobs[next].running = true;
            self.running.push(next);
        }
        // Jobs that run keep their roles until one of them ends.
        if refilled && self.running.len() == 2 && self.urgency(self.running[1]) < self.urgency(self.running[0]) {
            self.running.swap(0, 1);
        }
    }

    /// The earliest deadline, and the job of most symbiosis with it: the other one is preempted if need be.
    fn fill_by_symbiosis(&mut self) {
        let Some(first) = self.most_urgent(self.unfinished()) else { return };
        let program = |j: usize| self.jobs[j].task.program;
        let symbiosis = |j: usize| self.core.symbiosis(program(first), program(j));
        let others = self.unfinished().filter(|&j| j != first);
        // Of equal ones the earliest deadline.
        let best = others.min_by(|&a, &b| {
            symbiosis(b)
                .total_cmp(&symbiosis(a))
                .then(self.jobs[a].task.deadline.total_cmp(&self.jobs[b].task.deadline))
        });
        self.running = [first].into_iter().chain(best).collect();
    }

    /// The share of the critical job, decided anew.
    fn share(&self) -> Sharing {
        let critical = &self.jobs[self.running[0]];
        let slowdown = critical.accounted.slowdown(&critical.task, self.now);
        match self.algorithm {
            Algorithm::SraEdf | Algorithm::SraLlf => Sharing::Single(allocation(slowdown, LEAST_SINGLE)),
            Algorithm::DraEdf | Algorithm::DraLlf => {
                Sharing::Dual(DualObjective::new(allocation(slowdown, LEAST_DUAL)))
            }
            _ => Sharing::Uncontrolled,
        }
    }

    /// Runs until a job ends or the scheduler runs again.
    fn until_next_decision(&mut self) {
        let [critical, other] = self.running[..] else {
            let Some(&only) = self.running.first() else { return };
            let time = self.jobs[only].left.min(TIMESLICE);
            self.jobs[only].left -= time;
            self.jobs[only].accounted.add(Role::Critical, time, 1.0);
            self.now += time;
            return;
        };
        let (a, b) = (self.jobs[critical].task.program, self.jobs[other].task.program);
        let mut sharing = self.share();
        let mut left = TIMESLICE;
        while left > NOTHING && self.jobs[critical].left > NOTHING && self.jobs[other].left > NOTHING {
            let (speeds, phase) = match &sharing {
                Sharing::Uncontrolled => (self.core.uncontrolled(a, b), left),
                Sharing::Single(share) => (self.core.controlled(a, b, *share), left),
                Sharing::Dual(dra) => (self.core.controlled(a, b, dra.current()), dra.length()),
            };
            let ends = |job: &Job, speed: f64| if speed > 0.0 { job.left / speed } else { f64::INFINITY };
            let (first, second) = (ends(&self.jobs[critical], speeds.0), ends(&self.jobs[other], speeds.1));
            let time = phase.min(left).min(first).min(second);
            self.jobs[critical].left -= time * speeds.0;
            self.jobs[other].left -= time * speeds.1;
            (self.now, left) = (self.now + time, left - time);
            if let Sharing::Dual(dra) = &mut sharing {
                dra.ran(time);
                if time >= phase {
                    dra.end_phase(self.core.throughput(a, b, speeds));
                    (self.now, left) = (self.now + STOPPED, left - STOPPED);
                }
            }
        }
        let given = match &sharing {
            Sharing::Uncontrolled => None,
            Sharing::Single(share) => Some(*share),
            Sharing::Dual(dra) => Some(dra.average()),
        };
        let time = TIMESLICE - left;
        for (j, role) in [(critical, Role::Critical), (other, Role::Other)] {
            match given {
                Some(share) => self.jobs[j].accounted.add(role, time, share),
                // Without control the scheduler counts the time for which a job ran (formula 6.3).
                None => self.jobs[j].accounted.add(Role::Critical, time, 1.0),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::core_model::{Control, CoreSettings};
    use super::*;

    fn core() -> CoreModel {
        CoreModel::new(CoreSettings { seed: 1, least_share: 0.3, control: Control::Symbiosis })
    }

    fn task(program: usize, wcet: Ms, deadline: Ms) -> Task {
        Task { program, wcet, deadline }
    }

    #[test]
    fn a_job_alone_meets_its_deadline_exactly_when_its_time_fits() {
        for algorithm in ALGORITHMS {
            assert!(succeeds(&[task(0, 4.0, 4.1)], algorithm, &core()), "{algorithm:?}");
            assert!(!succeeds(&[task(0, 4.0, 3.9)], algorithm, &core()), "{algorithm:?}");
        }
    }

    #[test]
    fn icount_lets_the_earlier_deadline_miss_where_a_share_saves_it() {
        // adpcm_c beside epic_d runs at 0.306 by itself (table 6.3).
        let set = [task(0, 1.6772, 3.0), task(3, 6.1524, 60.0)];
        assert!(!succeeds(&set, Algorithm::Edf, &core()));
        assert!(succeeds(&set, Algorithm::SraEdf, &core()));
        assert!(succeeds(&set, Algorithm::DraEdf, &core()));
    }

    #[test]
    fn tasks_of_much_utilisation_run_first_under_glob_nosym_us() {
        // Two jobs with earlier deadlines take both contexts under EDF until the third one is late.
        let set = [task(1, 3.0, 19.0), task(1, 3.0, 19.0), task(5, 18.0, 20.0)];
        assert!(!succeeds(&set, Algorithm::Edf, &core()));
        let run = |algorithm| {
            let job = |&task: &Task| Job { task, left: task.wcet, accounted: AccountedWork::default(), running: false };
            let jobs = set.iter().map(job).collect();
            let mut run = Run { algorithm, core: &core(), jobs, now: 0.0, running: Vec::new() };
            run.fill();
            run.running
        };
        assert_eq!(run(Algorithm::Edf), [0, 1]);
        assert_eq!(run(Algorithm::GlobNosymUs), [2, 0]);
    }
}
