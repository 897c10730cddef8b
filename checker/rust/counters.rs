//! The figures of a walk at an instant, as counters that only rise.

use wastenot_schemas::Excuse;

use crate::causes::AnswerTotals;
use crate::causes::answers::Answer;
use crate::scheduler::CpuTimes;
use crate::wait_ledger::LedgerRow;

/// Number of grades, in the order of the enumeration `grade`.
pub const GRADES: usize = wastenot_schemas::grade::NAMES.len();

/// The figures of a walk from the start of the trace up to `until_ns`; docs/semantics.md, Counters. All times are ns, all waste
/// is core-ns. At the end of a trace they are those of the tables that a check writes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counters {
    /// Start of the trace.
    pub start_ns: i64,
    /// They hold up to here: all events before it have been read, and nothing that is known already changes the state before it.
    pub until_ns: i64,
    pub events_read: i64,
    /// Events that were read and could not be applied.
    pub events_rejected: i64,
    /// Events that the source reports as lost, as far as it counted them.
    pub events_lost: i64,
    /// `verdict.wasted_ns`.
    pub wasted_ns: i64,
    /// `verdict.certain_ns`.
    pub certain_ns: i64,
    /// `verdict.idle_while_waiting_ns`.
    pub idle_while_waiting_ns: i64,
    /// `excuse_ledger.core_ns` by code of the excuse.
    pub excused_ns: [i64; Excuse::ALL.len()],
    /// `verdict_grade` by code of the grade. Without the recurrent episodes, whose waste is that of other grades too, they add up to
    /// `wasted_ns` together with `ungraded_ns`.
    pub grades: [GradeCounter; GRADES],
    /// The wait ledger, `cgroup_wait`, in the order of its rows. What later events show not to have been a wait is taken back.
    pub waits: Vec<LedgerRow>,
    /// Waits of cgroups that were forgotten, which are not among `waits`.
    pub forgotten_wait_ns: i64,
    /// `refuted_wait_ns` in `data_quality`.
    pub refuted_wait_ns: i64,
    /// Waste whose grade is not known yet: how long it lasts decides it.
    pub ungraded_ns: i64,
    /// Waste of episodes that are over, by grade, question, answer and node. That of an episode of one grade can be that of one of a lower
    /// grade as well, as in the tables: sum up within a grade.
    pub causes: Vec<CauseCounter>,
    /// `verdict.idle_ns`.
    pub idle_ns: i64,
    /// Times of CPUs in slices that are over.
    pub cpus: CpuTimes,
    /// Times of CPUs in the slices under way. What comes later may show that a CPU did something else.
    pub under_way: CpuTimes,
    /// `verdict.late_wakes`.
    pub late_wakes: i64,
    /// Events that contradict the events before them.
    pub contradictions: i64,
    /// Self-checks that find more than may be (enumeration `self_check`): the verdict is suspect.
    pub suspect: Vec<&'static str>,
    /// Threads that the walk remembers, and those that it has forgotten.
    pub threads: i64,
    pub forgotten_threads: i64,
}

/// Episodes and waste of a grade.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GradeCounter {
    pub episodes: i64,
    pub core_ns: i64,
}

/// What has one answer, in the episodes of one grade.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CauseCounter {
    /// Code of the enumeration `grade`.
    pub grade: u8,
    pub answer: Answer,
    /// NUMA node of the idle CPU, -1 where it is unknown.
    pub node: i32,
    pub totals: AnswerTotals,
}

/// An episode that is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinishedEpisode {
    /// Code of the enumeration `grade`.
    pub grade: u8,
    /// The same, for its own waste; a check also counts that of episodes within it.
    pub severity: u8,
    pub start_ns: i64,
    pub end_ns: i64,
    pub core_ns: i64,
    pub total_core_ns: i64,
    pub peak: u32,
    /// Kernel numbers of CPUs.
    pub idle_cpus: Vec<i16>,
    pub overloaded_cpus: Vec<i16>,
    /// Threads that waited.
    pub threads: i32,
    pub placed_by: &'static str,
    pub not_moved_because: &'static str,
    pub ended_by: &'static str,
    /// Code of the enumeration `proof`.
    pub proof: u8,
}
