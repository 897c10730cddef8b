//! The figures of the jobs of a trace.

use serde::Serialize;

use super::culprit::Culprit;
use super::fault::Fault;
use super::job_table::EndedJob;
use super::passed_over::{GRADE_NAMES, Instead, PassedOverInterval};
use super::schedulability::{NotCovered, Schedulability};
use super::task::{JobEnd, Reservation, TIME_USES, Task, TimeUse};
use super::tracker::DeadlineTracker;
use crate::scheduler::Scheduler;
use crate::threads::Utid;

/// A thread, as people know it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ThreadName {
    pub utid: u32,
    pub tid: i32,
    pub name: Option<String>,
}

/// Where a thread's parameters come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ParameterSource {
    Recorded,
    Declared,
}

/// What the times of jobs went to, ns, by the names of [`TimeUse`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Spent {
    pub run: i64,
    pub passed_over: i64,
    pub late_wake: i64,
    pub earlier_deadlines: i64,
    pub confined: i64,
    pub interference: i64,
    pub contention: i64,
    pub blocked: i64,
    pub throttled: i64,
    pub unknown: i64,
}

impl From<[i64; TIME_USES]> for Spent {
    fn from(ns: [i64; TIME_USES]) -> Self {
        let of = |on: TimeUse| ns[on as usize];
        Self {
            run: of(TimeUse::Run),
            passed_over: of(TimeUse::PassedOver),
            late_wake: of(TimeUse::LateWake),
            earlier_deadlines: of(TimeUse::EarlierDeadlines),
            confined: of(TimeUse::Confined),
            interference: of(TimeUse::Interference),
            contention: of(TimeUse::Contention),
            blocked: of(TimeUse::Blocked),
            throttled: of(TimeUse::Throttled),
            unknown: of(TimeUse::Unknown),
        }
    }
}

/// Missed deadlines by whose fault they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Faults {
    pub own_overrun: u64,
    pub scheduler: u64,
    pub interference: u64,
    pub overload: u64,
    pub not_guaranteed: u64,
    pub not_visible: u64,
    pub contention: u64,
}

impl From<[u64; Fault::COUNT]> for Faults {
    fn from(counts: [u64; Fault::COUNT]) -> Self {
        let of = |fault: Fault| counts[fault as usize];
        Self {
            own_overrun: of(Fault::OwnOverrun),
            scheduler: of(Fault::Scheduler),
            interference: of(Fault::Interference),
            overload: of(Fault::Overload),
            not_guaranteed: of(Fault::NotGuaranteed),
            not_visible: of(Fault::NotVisible),
            contention: of(Fault::Contention),
        }
    }
}

/// One thread with a deadline.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TaskFigures {
    #[serde(flatten)]
    pub thread: ThreadName,
    pub parameters: ParameterSource,
    /// It ran as SCHED_DEADLINE.
    pub is_deadline_class: bool,
    #[serde(flatten)]
    pub reservation: Reservation,
    pub utilisation: f64,
    pub jobs: u64,
    pub missed: u64,
    pub unfinished: u64,
    pub incomplete: u64,
    /// Those of them whose events were lost or are missing.
    pub lost: u64,
    pub tardiness_max_ns: i64,
    /// Of the missed ones; None where none was.
    pub tardiness_mean_ns: Option<i64>,
    pub laxity_min_ns: Option<i64>,
    pub response_max_ns: i64,
    pub run_max_ns: i64,
    pub overruns: u64,
    pub overrun_max_ns: i64,
    pub throttles: u64,
    pub outside_mask: u64,
    pub faults: Faults,
    pub spent_ns: Spent,
}

/// The most demanding set of tasks that shared a root domain: SCHED_DEADLINE threads, or declared tasks of other classes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RootDomainFigures {
    pub cpus: Vec<i16>,
    pub at_ns: i64,
    pub tasks: Vec<u32>,
    /// They are SCHED_DEADLINE threads.
    pub is_deadline_class: bool,
    /// What may be admitted: sched_rt_runtime_us / sched_rt_period_us of each CPU. None: no bound, not recorded, or of
    /// tasks that are not admitted.
    pub admission_bound: Option<f64>,
    pub bound_exceeded: Option<bool>,
    pub tests: Schedulability,
}

/// Times for which deadline threads were passed over, of one grade.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PassedOverGrade {
    pub grade: &'static str,
    /// Longer than this; at most the next grade's.
    pub above_ns: i64,
    pub count: u64,
    pub total_ns: i64,
}

/// A time for which a thread was passed over.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PassedOverRow {
    pub thread: ThreadName,
    pub start_ns: i64,
    pub end_ns: i64,
    pub instead: Instead,
    /// CPU on whose queue it waited, and the one that it might have used.
    pub queue_cpu: i16,
    pub cpu: i16,
    /// What that CPU ran; None: nothing.
    pub ran: Option<ThreadName>,
}

/// The invariant of global EDF: no deadline thread waits while a CPU that it may use idles or runs what comes after it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EdfFigures {
    /// SCHED_DEADLINE threads ran whose deadlines are known, so that it could be checked.
    pub checked: bool,
    /// Longer than a tick.
    pub violations: u64,
    pub grades: Vec<PassedOverGrade>,
    /// Waits longer than a tick that would be violations if the thread was passed over while that was not known.
    pub undecided: u64,
    /// Time for which a thread waited, and whether it was passed over is not known: events were lost, or what a CPU did.
    pub unknown_ns: i64,
    /// Switches to a deadline thread on a CPU outside its mask.
    pub outside_mask: u64,
    pub longest: Vec<PassedOverRow>,
}

/// Who kept a job from running.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CulpritRow {
    pub on: TimeUse,
    /// `thread`, `interrupt`, `idle_cpu`, `fair_server` or `quota`.
    pub kind: &'static str,
    pub thread: Option<ThreadName>,
    pub cpu: Option<i16>,
    pub irq_kind: Option<&'static str>,
    pub vector: Option<i32>,
    pub dur_ns: i64,
}

/// A missed deadline.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MissRow {
    pub thread: ThreadName,
    pub activation_ns: i64,
    pub deadline_ns: i64,
    /// None: under way as the recording ended.
    pub end_ns: Option<i64>,
    pub ended_by: JobEnd,
    pub tardiness_ns: i64,
    pub overrun_ns: i64,
    pub throttles: u32,
    pub fault: Fault,
    /// What the fault names made up for the tardiness alone; false: it is the largest of several parts.
    pub alone: bool,
    /// The CPUs that it may use, what the tasks that may use no others need of them, and what may be admitted there.
    pub cpus: Vec<i16>,
    pub needed: f64,
    pub admissible: f64,
    pub spent_ns: Spent,
    /// The longest first.
    pub kept_by: Vec<CulpritRow>,
}

/// What is known of the parameters.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ParameterEvidence {
    /// They were recorded throughout.
    pub recorded: bool,
    /// Why they were not.
    pub why: Option<String>,
    /// Threads with recorded parameters that a declared task names too: what was recorded counts.
    pub declared_in_vain: Vec<ThreadName>,
    /// Names of declared tasks that no thread has.
    pub unmatched: Vec<String>,
    /// SCHED_DEADLINE threads of which no parameters are known: their jobs are not measured.
    pub undescribed: Vec<ThreadName>,
    /// Servers of declared SCHED_DEADLINE threads are modelled by the kernel's rules.
    pub modelled: bool,
}

/// All figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DeadlineReport {
    pub start_ns: i64,
    pub end_ns: i64,
    pub parameters: ParameterEvidence,
    pub jobs: u64,
    pub missed: u64,
    pub unfinished: u64,
    pub incomplete: u64,
    /// Those of them whose events were lost or are missing.
    pub lost: u64,
    /// How often events were lost: what happened then is not measured.
    pub losses: u64,
    pub overruns: u64,
    pub throttles: u64,
    pub tardiness_max_ns: i64,
    pub tardiness_mean_ns: Option<i64>,
    pub laxity_min_ns: Option<i64>,
    pub faults: Faults,
    /// Those that missed most first.
    pub tasks: Vec<TaskFigures>,
    pub root_domains: Vec<RootDomainFigures>,
    pub edf: EdfFigures,
    /// Those with most tardiness, of `missed`.
    pub misses: Vec<MissRow>,
}

/// Of how many culprits of a miss the list has.
const CULPRITS: usize = 5;

impl DeadlineReport {
    pub(super) fn of(
        tracker: DeadlineTracker,
        s: &Scheduler,
        (recorded, why): (bool, Option<String>),
        window: Option<(i64, i64)>,
        end_ns: i64,
    ) -> Self {
        let names = Names { s };
        let mut described: Vec<&Task> = tracker.tasks.iter().filter(|task| is_described(task)).collect();
        described.sort_by_key(|task| (std::cmp::Reverse(task.sums.missed), task.utid));
        let tasks: Vec<TaskFigures> = described.iter().map(|task| names.figures(task)).collect();
        let sum = |of: &dyn Fn(&TaskFigures) -> u64| tasks.iter().map(of).sum::<u64>();
        let missed = sum(&|task| task.missed);
        let tardiness: i128 = described.iter().map(|task| task.sums.tardiness_ns).sum();
        let mut faults = [0; Fault::COUNT];
        for task in &described {
            faults.iter_mut().zip(task.sums.faults).for_each(|(all, of)| *all += of);
        }
        let named = |utids: &std::collections::HashSet<Utid>| {
            let mut utids: Vec<Utid> = utids.iter().copied().collect();
            utids.sort_unstable();
            utids.into_iter().map(|utid| names.of(utid)).collect::<Vec<_>>()
        };
        let parameters = ParameterEvidence {
            recorded,
            why,
            declared_in_vain: named(&tracker.declared_in_vain),
            unmatched: tracker.tasks_without_threads(),
            undescribed: named(&tracker.undescribed),
            modelled: described.iter().any(|task| task.declared && task.sums.jobs > 0 && names.is_deadline(task)),
        };
        Self {
            start_ns: window.map_or(s.started, |(start, _)| start),
            end_ns,
            jobs: sum(&|task| task.jobs),
            missed,
            unfinished: sum(&|task| task.unfinished),
            incomplete: sum(&|task| task.incomplete),
            lost: sum(&|task| task.lost),
            losses: tracker.losses,
            overruns: sum(&|task| task.overruns),
            throttles: sum(&|task| task.throttles),
            tardiness_max_ns: tasks.iter().map(|task| task.tardiness_max_ns).max().unwrap_or(0),
            tardiness_mean_ns: mean(tardiness, missed),
            laxity_min_ns: tasks.iter().filter_map(|task| task.laxity_min_ns).min(),
            faults: faults.into(),
            root_domains: root_domains(&tracker, s),
            edf: names.edf(&tracker),
            misses: tracker.misses.iter().map(|miss| names.miss(miss)).collect(),
            parameters,
            tasks,
        }
    }
}

/// It had parameters at some time, so that jobs of it could be measured.
fn is_described(task: &Task) -> bool {
    task.last_reservation.is_some()
}

fn mean(sum: i128, count: u64) -> Option<i64> {
    (count > 0).then(|| (sum / i128::from(count.max(1))) as i64)
}

fn root_domains(tracker: &DeadlineTracker, s: &Scheduler) -> Vec<RootDomainFigures> {
    let mut out = Vec::new();
    for (set, peaks) in tracker.roots.sets.iter().zip(&tracker.peaks) {
        for peak in peaks.iter().flatten() {
            let share = tracker.bound.filter(|_| peak.is_deadline);
            let bound = share.map(|share| share * peak.tests.cpus as f64);
            let is_known = tracker.is_bound_known && peak.is_deadline;
            let tests = peak.tests.clone();
            // What other threads of the class need is not known.
            let hides_some = peak.is_deadline && !tracker.undescribed.is_empty();
            out.push(RootDomainFigures {
                cpus: set.iter().map(|cpu| s.topology.number(cpu as u16)).collect(),
                at_ns: peak.at_ns,
                tasks: peak.tasks.iter().map(|&utid| s.threads[utid].number).collect(),
                is_deadline_class: peak.is_deadline,
                admission_bound: bound,
                bound_exceeded: match bound {
                    Some(bound) => Some(tests.utilisation > bound + 1e-9),
                    None => is_known.then_some(false),
                },
                tests: if hides_some { tests.not_covered(NotCovered::Parameters) } else { tests },
            });
        }
    }
    out
}

/// The names of the walk's threads and CPUs.
struct Names<'a> {
    s: &'a Scheduler,
}

impl Names<'_> {
    fn of(&self, utid: Utid) -> ThreadName {
        let thread = &self.s.threads[utid];
        ThreadName { utid: thread.number, tid: thread.tid, name: thread.name.as_deref().map(str::to_owned) }
    }

    fn cpu(&self, cpu: u16) -> i16 {
        self.s.topology.number(cpu)
    }

    fn is_deadline(&self, task: &Task) -> bool {
        task.was_deadline
    }

    fn figures(&self, task: &Task) -> TaskFigures {
        let sums = &task.sums;
        let reservation = task.last_reservation.expect("described");
        TaskFigures {
            thread: self.of(task.utid),
            parameters: if task.recorded { ParameterSource::Recorded } else { ParameterSource::Declared },
            is_deadline_class: task.was_deadline,
            reservation,
            utilisation: reservation.utilisation(),
            jobs: sums.jobs,
            missed: sums.missed,
            unfinished: sums.unfinished,
            incomplete: sums.incomplete,
            lost: sums.lost,
            tardiness_max_ns: sums.tardiness_max_ns,
            tardiness_mean_ns: mean(sums.tardiness_ns, sums.missed),
            laxity_min_ns: sums.laxity_min_ns,
            response_max_ns: sums.response_max_ns,
            run_max_ns: sums.run_max_ns,
            overruns: sums.overruns,
            overrun_max_ns: sums.overrun_max_ns,
            throttles: sums.throttles,
            outside_mask: sums.outside_mask,
            faults: sums.faults.into(),
            spent_ns: sums.spent_ns.into(),
        }
    }

    fn edf(&self, tracker: &DeadlineTracker) -> EdfFigures {
        let totals = &tracker.passed_over;
        let tick_ns = tracker.tick_ns;
        let bounds = super::passed_over::lower_bounds(tick_ns);
        let grades = (0..GRADE_NAMES.len()).map(|at| PassedOverGrade {
            grade: GRADE_NAMES[at],
            above_ns: bounds[at],
            count: totals.counts[at],
            total_ns: totals.ns[at].min(i128::from(i64::MAX)) as i64,
        });
        EdfFigures {
            checked: tracker.tasks.iter().any(|task| task.was_deadline && (task.recorded || task.sums.jobs > 0)),
            violations: totals.violations(),
            grades: grades.collect(),
            undecided: totals.undecided,
            unknown_ns: totals.unknown_ns.min(i128::from(i64::MAX)) as i64,
            outside_mask: tracker.tasks.iter().map(|task| task.sums.outside_mask).sum(),
            longest: totals.longest.iter().map(|interval| self.passed_over(interval)).collect(),
        }
    }

    fn passed_over(&self, interval: &PassedOverInterval) -> PassedOverRow {
        let ran = match interval.of.by {
            Culprit::Thread(utid) | Culprit::FairServer(utid) => Some(self.of(utid)),
            _ => None,
        };
        PassedOverRow {
            thread: self.of(interval.utid),
            start_ns: interval.of.since_ns,
            end_ns: interval.end_ns,
            instead: interval.of.instead,
            queue_cpu: self.cpu(interval.of.queue),
            cpu: self.cpu(interval.of.cpu),
            ran,
        }
    }

    fn miss(&self, ended: &EndedJob) -> MissRow {
        let EndedJob { utid, end_ns, how, tardiness_ns, fault, demand, job, .. } = ended;
        let ((fault, alone), demand) = fault.zip(demand.as_ref()).expect("it was missed");
        let mut culprits = job.culprits.clone();
        culprits.sort_by_key(|(.., ns)| std::cmp::Reverse(*ns));
        MissRow {
            thread: self.of(*utid),
            activation_ns: job.activation_ns,
            deadline_ns: job.deadline_ns,
            end_ns: (*how != JobEnd::Unfinished).then_some(*end_ns),
            ended_by: *how,
            tardiness_ns: *tardiness_ns,
            overrun_ns: job.overrun_ns(),
            throttles: job.throttles,
            fault,
            alone,
            cpus: demand.cpus.iter().map(|&cpu| self.cpu(cpu)).collect(),
            needed: demand.needed,
            admissible: demand.admissible,
            spent_ns: job.spent_ns.into(),
            kept_by: culprits.iter().take(CULPRITS).map(|culprit| self.culprit(culprit)).collect(),
        }
    }

    fn culprit(&self, &(on, culprit, dur_ns): &(TimeUse, Culprit, i64)) -> CulpritRow {
        let row = CulpritRow { on, kind: "quota", thread: None, cpu: None, irq_kind: None, vector: None, dur_ns };
        match culprit {
            Culprit::Thread(utid) => CulpritRow { kind: "thread", thread: Some(self.of(utid)), ..row },
            Culprit::FairServer(utid) => CulpritRow { kind: "fair_server", thread: Some(self.of(utid)), ..row },
            Culprit::IdleCpu(cpu) => CulpritRow { kind: "idle_cpu", cpu: Some(self.cpu(cpu)), ..row },
            Culprit::Interrupt { cpu, kind, vector } => {
                let irq_kind = wastenot_schemas::irq_kind::NAMES.get(usize::from(kind)).copied();
                CulpritRow { kind: "interrupt", cpu: Some(self.cpu(cpu)), irq_kind, vector, ..row }
            }
            Culprit::Quota => row,
        }
    }
}
