//! Jobs of deadline tasks on drawn traces, with the exact times; and random traces against a naive reference.

mod drawn;
mod random;
mod reference;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt32Type};
use arrow_array::{Array, RecordBatch, RecordBatchIterator};
use wastenot_checker::deadlines::{DL_JOB, DeadlineOptions, DeadlineReport, DeclaredTask, deadlines};
use wastenot_checker::{BatchCollector, BatchReader};
use wastenot_drawing::draw;

pub const MS: i64 = 1_000_000;

/// What a job's time went to, in the order of the table's columns: run, passed over, late wake, earlier deadlines, confined,
/// interference, contention, blocked, throttled, unknown.
pub type Spent = [i64; 10];

/// A row of the table of jobs.
#[derive(Clone, Debug, PartialEq)]
pub struct JobRow {
    pub tid: i32,
    pub activation: i64,
    pub deadline: i64,
    pub end: Option<i64>,
    pub ended_by: String,
    pub missed: bool,
    pub tardiness: i64,
    pub overrun: i64,
    pub laxity: i64,
    pub throttles: u32,
    pub fault: Option<String>,
    pub spent: Spent,
}

const SPENT: [&str; 10] = [
    "run_ns",
    "passed_over_ns",
    "late_wake_ns",
    "earlier_deadlines_ns",
    "confined_ns",
    "interference_ns",
    "contention_ns",
    "blocked_ns",
    "throttled_ns",
    "unknown_ns",
];

pub fn declared(name: &str, runtime_ms: i64, deadline_ms: i64, period_ms: i64) -> DeclaredTask {
    let [runtime_ns, deadline_ns, period_ns] = [runtime_ms, deadline_ms, period_ms].map(|ms| ms * MS);
    DeclaredTask { name: name.into(), runtime_ns, deadline_ns, period_ns }
}

/// The figures and jobs of a drawn trace, jobs in the order of their threads and times.
pub fn jobs_of(text: &str, tasks: &[DeclaredTask]) -> (DeadlineReport, Vec<JobRow>) {
    let drawn = draw(text).unwrap_or_else(|e| panic!("{e}"));
    let inputs = drawn.into_iter().map(|(name, batch)| {
        let schema = batch.schema();
        (name.to_owned(), Box::new(RecordBatchIterator::new([Ok(batch)], schema)) as BatchReader)
    });
    let mut kept = BatchCollector::default();
    let options = DeadlineOptions { tasks: tasks.to_vec(), listed: None };
    let report = deadlines(inputs.collect(), &options, &mut kept).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let tid = |utid: u32| report.tasks.iter().find(|task| task.thread.utid == utid).expect("it is listed").thread.tid;
    let mut rows: Vec<JobRow> =
        kept.0.iter().filter(|(name, _)| *name == DL_JOB).flat_map(|(_, b)| rows(b, &tid)).collect();
    rows.sort_by_key(|row| (row.tid, row.activation));
    (report, rows)
}

fn rows(batch: &RecordBatch, tid: &dyn Fn(u32) -> i32) -> Vec<JobRow> {
    let column = |name: &str| batch.column_by_name(name).unwrap_or_else(|| panic!("no column {name}")).clone();
    let ns = |name: &str, row: usize| column(name).as_primitive::<Int64Type>().value(row);
    let number = |name: &str, row: usize| column(name).as_primitive::<UInt32Type>().value(row);
    let text = |name: &str, row: usize| {
        let column = arrow_cast(&column(name));
        column.is_valid(row).then(|| column.as_string::<i32>().value(row).to_owned())
    };
    let of = |row: usize| JobRow {
        tid: tid(number("utid", row)),
        activation: ns("activation_ns", row),
        deadline: ns("deadline_ns", row),
        end: column("end_ns").is_valid(row).then(|| ns("end_ns", row)),
        ended_by: text("ended_by", row).expect("never NULL"),
        missed: column("missed").as_boolean().value(row),
        tardiness: ns("tardiness_ns", row),
        overrun: ns("overrun_ns", row),
        laxity: ns("laxity_min_ns", row),
        throttles: number("throttles", row),
        fault: text("fault", row),
        spent: SPENT.map(|name| ns(name, row)),
    };
    (0..batch.num_rows()).map(of).collect()
}

/// A dictionary of texts as texts.
fn arrow_cast(column: &dyn Array) -> arrow_array::ArrayRef {
    let dictionary = column.as_dictionary::<arrow_array::types::UInt8Type>();
    let texts = dictionary.downcast_dict::<arrow_array::StringArray>().expect("texts");
    std::sync::Arc::new(texts.into_iter().collect::<arrow_array::StringArray>())
}
