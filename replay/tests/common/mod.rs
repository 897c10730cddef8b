//! Runs a simulation and asks the real checker about its trace.
#![allow(dead_code)] // Each test file uses its part of this module.

use arrow_array::{RecordBatch, RecordBatchIterator};
use wastenot_checker::{BatchReader, Options, check};
use wastenot_machine::Machine;
use wastenot_replay::{BatchCollector, Outcome, Scheduler, Settings, Simulation, Workload};
use wastenot_schemas as tables;

pub type Tables = Vec<(&'static str, RecordBatch)>;

/// The trace and the outcome of a simulation.
pub fn simulate<S: Scheduler>(m: &Machine, w: &Workload, s: S, settings: &Settings) -> (Tables, Outcome) {
    let mut kept = BatchCollector::default();
    let simulation = Simulation::new(m, w, s, settings, &mut kept).unwrap_or_else(|e| panic!("{e}"));
    let outcome = simulation.run().unwrap_or_else(|e| panic!("{e}"));
    (kept.0, outcome)
}

/// What the checker says.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    pub wasted_ns: i64,
    pub certain_ns: i64,
    pub idle_while_waiting_ns: i64,
    pub busy_ns: i64,
    pub idle_ns: i64,
    pub online_ns: i64,
    pub late_wakes: i64,
    /// Waste by grade, noise first.
    pub grades: [i64; 6],
    pub episodes: [i64; 6],
    /// By excuse.
    pub ledger: Vec<(u8, i64)>,
    /// Every figure of trust that is not zero.
    pub data_quality: Vec<(String, Option<String>, i64)>,
    /// Run time by thread name.
    pub run_ns: Vec<(String, i64)>,
}

impl Verdict {
    pub fn data_quality_of(&self, what: &str) -> i64 {
        self.data_quality.iter().filter(|(w, ..)| w == what).map(|t| t.2).sum()
    }

    /// Waste of grade `expected` and above: what outlasts a tick.
    pub fn beyond_tick(&self) -> i64 {
        self.grades[2..5].iter().sum()
    }
}

/// The tables of a trace, as a check reads them.
pub fn inputs(trace: &Tables) -> Vec<(String, BatchReader)> {
    let mut names: Vec<&'static str> = trace.iter().map(|t| t.0).collect();
    names.sort_unstable();
    names.dedup();
    let reader = |name: &'static str| -> (String, BatchReader) {
        let list: Vec<RecordBatch> = trace.iter().filter(|t| t.0 == name).map(|t| t.1.clone()).collect();
        let schema = list[0].schema();
        (name.to_owned(), Box::new(RecordBatchIterator::new(list.into_iter().map(Ok), schema)))
    };
    names.into_iter().map(reader).collect()
}

/// Checks a trace.
pub fn verdict(trace: &Tables) -> Verdict {
    let inputs = inputs(trace);
    let mut out = wastenot_checker::BatchCollector::default();
    check(inputs, &Options::default(), &mut out).unwrap_or_else(|e| panic!("{e}"));
    let mut v = Verdict::default();
    for (table, batch) in &out.0 {
        read(&mut v, table, batch);
    }
    v
}

fn read(v: &mut Verdict, table: &str, batch: &RecordBatch) {
    match table {
        tables::verdict::NAME => {
            let view = tables::verdict::View::try_new(batch).unwrap();
            let r = view.row(0);
            (v.wasted_ns, v.certain_ns, v.idle_while_waiting_ns) = (r.wasted_ns, r.certain_ns, r.idle_while_waiting_ns);
            (v.busy_ns, v.idle_ns, v.online_ns) = (r.busy_ns, r.idle_ns, r.online_ns);
            v.late_wakes = r.late_wakes;
        }
        tables::verdict_grade::NAME => {
            let view = tables::verdict_grade::View::try_new(batch).unwrap();
            for i in 0..batch.num_rows() {
                let r = view.row(i);
                v.grades[r.grade as usize] = r.core_ns;
                v.episodes[r.grade as usize] = r.episodes;
            }
        }
        tables::excuse_ledger::NAME => {
            let view = tables::excuse_ledger::View::try_new(batch).unwrap();
            v.ledger.extend((0..batch.num_rows()).map(|i| (view.row(i).excuse, view.row(i).core_ns)));
        }
        tables::data_quality::NAME => {
            let view = tables::data_quality::View::try_new(batch).unwrap();
            for i in 0..batch.num_rows() {
                let r = view.row(i);
                if r.value != 0 {
                    v.data_quality.push((r.what.to_owned(), r.detail.map(str::to_owned), r.value));
                }
            }
        }
        tables::thread::NAME => {
            let view = tables::thread::View::try_new(batch).unwrap();
            for i in 0..batch.num_rows() {
                let r = view.row(i);
                v.run_ns.push((r.name.unwrap_or("").to_owned(), r.run_ns));
            }
        }
        _ => {}
    }
}

/// A machine of equal parts under Linux 6.12: nodes ▸ LLCs ▸ cores ▸ threads.
pub fn machine(nodes: u32, llcs: u32, cores: u32, smt: u32) -> Machine {
    Machine { kernel: Some("6.12.0".into()), ..wastenot_replay::machines::even(nodes, llcs, cores, smt) }
}

/// Eight nodes of eight CPUs in pairs, as the four-socket Opteron of the EuroSys paper: distances 10, 16 and 22.
pub fn opteron() -> Machine {
    const D: [[i32; 8]; 8] = [
        [10, 16, 16, 22, 16, 22, 16, 22],
        [16, 10, 22, 16, 22, 16, 22, 16],
        [16, 22, 10, 16, 16, 22, 16, 22],
        [22, 16, 16, 10, 22, 16, 22, 16],
        [16, 22, 16, 22, 10, 16, 16, 22],
        [22, 16, 22, 16, 16, 10, 22, 16],
        [16, 22, 16, 22, 16, 22, 10, 16],
        [22, 16, 22, 16, 22, 16, 16, 10],
    ];
    let mut m = machine(8, 1, 4, 2);
    m.nodes.iter_mut().zip(D).for_each(|(node, row)| node.distances = row.to_vec());
    m
}

/// Four small CPUs, three larger ones and one largest behind one cache.
pub fn big_little() -> Machine {
    let mut m = machine(1, 1, 8, 1);
    m.cpus.iter_mut().for_each(|c| c.capacity = [223, 223, 223, 223, 793, 793, 793, 1024][c.cpu as usize]);
    m
}

/// The machines on which faults are tried: two caches; two nodes with SMT; eight nodes, some two hops apart; big and small
/// CPUs.
pub fn machines() -> [(&'static str, Machine); 4] {
    [
        ("caches", machine(1, 2, 4, 1)),
        ("nodes", machine(2, 1, 4, 2)),
        ("two-hops", opteron()),
        ("big-little", big_little()),
    ]
}
