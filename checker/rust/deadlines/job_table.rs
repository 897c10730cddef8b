//! The table of jobs.

use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Int64Builder, StringDictionaryBuilder, UInt32Builder};
use arrow_array::types::UInt8Type;
use arrow_array::{ArrayRef, RecordBatch};
use wastenot_schemas::BATCH_ROWS;

use super::fault::Fault;
use super::faults::Demand;
use super::task::{Job, JobEnd, TimeUse};
use crate::threads::Utid;

/// Name of the table of jobs.
pub const DL_JOB: &str = "dl_job";

/// A job that is over.
#[derive(Clone, Debug)]
pub struct EndedJob {
    pub utid: Utid,
    pub end_ns: i64,
    pub how: JobEnd,
    pub tardiness_ns: i64,
    pub laxity_ns: i64,
    /// Of a missed one.
    pub fault: Option<(Fault, bool)>,
    pub demand: Option<Demand>,
    pub job: Job,
}

/// Columns that say what a job's time went to.
const SPENT: [(&str, TimeUse); 10] = [
    ("run_ns", TimeUse::Run),
    ("passed_over_ns", TimeUse::PassedOver),
    ("late_wake_ns", TimeUse::LateWake),
    ("earlier_deadlines_ns", TimeUse::EarlierDeadlines),
    ("confined_ns", TimeUse::Confined),
    ("interference_ns", TimeUse::Interference),
    ("contention_ns", TimeUse::Contention),
    ("blocked_ns", TimeUse::Blocked),
    ("throttled_ns", TimeUse::Throttled),
    ("unknown_ns", TimeUse::Unknown),
];

type Texts = StringDictionaryBuilder<UInt8Type>;

/// Rows that have not been handed on.
#[derive(Default)]
pub struct JobTable {
    rows: usize,
    utid: UInt32Builder,
    activation_ns: Int64Builder,
    activated_by: Texts,
    deadline_ns: Int64Builder,
    end_ns: Int64Builder,
    ended_by: Texts,
    missed: BooleanBuilder,
    tardiness_ns: Int64Builder,
    overrun_ns: Int64Builder,
    laxity_min_ns: Int64Builder,
    throttles: UInt32Builder,
    fault: Texts,
    spent: [Int64Builder; SPENT.len()],
}

impl JobTable {
    pub fn push(&mut self, ended: &EndedJob) {
        let EndedJob { utid, end_ns, how, tardiness_ns, laxity_ns, fault, job, .. } = ended;
        self.rows += 1;
        self.utid.append_value(*utid);
        self.activation_ns.append_value(job.activation_ns);
        self.activated_by.append_value(if job.by_replenishment { "replenishment" } else { "wakeup" });
        self.deadline_ns.append_value(job.deadline_ns);
        self.end_ns.append_option((*how != JobEnd::Unfinished).then_some(*end_ns));
        self.ended_by.append_value(how.name());
        self.missed.append_value(*tardiness_ns > 0);
        self.tardiness_ns.append_value(*tardiness_ns);
        self.overrun_ns.append_value(job.overrun_ns());
        self.laxity_min_ns.append_value(*laxity_ns);
        self.throttles.append_value(job.throttles);
        self.fault.append_option(fault.map(|(fault, _)| fault.name()));
        for (column, (_, time_use)) in self.spent.iter_mut().zip(SPENT) {
            column.append_value(job.spent(time_use));
        }
    }

    pub fn is_full(&self) -> bool {
        self.rows >= BATCH_ROWS
    }

    /// The rows so far, which may be none.
    pub fn take(&mut self) -> RecordBatch {
        self.rows = 0;
        let mut columns: Vec<(&str, ArrayRef, bool)> = vec![
            ("utid", Arc::new(self.utid.finish()), false),
            ("activation_ns", Arc::new(self.activation_ns.finish()), false),
            ("activated_by", Arc::new(self.activated_by.finish()), false),
            ("deadline_ns", Arc::new(self.deadline_ns.finish()), false),
            ("end_ns", Arc::new(self.end_ns.finish()), true),
            ("ended_by", Arc::new(self.ended_by.finish()), false),
            ("missed", Arc::new(self.missed.finish()), false),
            ("tardiness_ns", Arc::new(self.tardiness_ns.finish()), false),
            ("overrun_ns", Arc::new(self.overrun_ns.finish()), false),
            ("laxity_min_ns", Arc::new(self.laxity_min_ns.finish()), false),
            ("throttles", Arc::new(self.throttles.finish()), false),
            ("fault", Arc::new(self.fault.finish()), true),
        ];
        for (column, (name, _)) in self.spent.iter_mut().zip(SPENT) {
            columns.push((name, Arc::new(column.finish()), false));
        }
        RecordBatch::try_from_iter_with_nullable(columns).expect("all columns have as many rows")
    }
}
