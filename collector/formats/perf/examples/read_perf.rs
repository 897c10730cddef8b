//! How many records a second are read, on one core: `cargo run --release -p wastenot-perf --example read_perf FILE`.
//! Twice: to rows (without the tables), and to tables that are thrown away. Rates are per second of CPU time (10 ms fine), so that other
//! work on the machine counts little.

use std::path::Path;
use wastenot_assemble::{Interner, Progress, Row};
use wastenot_import::{Options, run};

fn main() {
    let path = std::env::args().nth(1).expect("a perf.data");
    let path = Path::new(&path);
    let options = Options::default();
    let opened = || wastenot_perf::open(path, &options).unwrap_or_else(|error| panic!("{error}"));

    let begin = cpu_seconds();
    let rows = rows(opened());
    let to_rows = cpu_seconds() - begin;

    let begin = cpu_seconds();
    let summary = run(opened(), &options, &mut |_: &'static str, _: arrow_array::RecordBatch| Ok(()), &mut |_, _| {});
    let to_tables = cpu_seconds() - begin;
    let summary = summary.unwrap_or_else(|error| panic!("{error}"));
    let counts = &summary.counts;
    let records = counts.read.values().sum::<u64>() + counts.ignored;
    let rate = |seconds: f64| records as f64 / seconds / 1e6;
    println!("{}", summary.to_json());
    println!(
        "{records} records: {rows} rows at {:.1} M records/s, tables at {:.1} M records/s, {} MB at most",
        rate(to_rows),
        rate(to_tables),
        peak_memory()
    );
}

/// Read all rows, whichever source is behind the others first.
fn rows(opened: wastenot_import::OpenTrace) -> usize {
    let (mut ids, mut sources) = (Interner::default(), opened.sources);
    let mut at: Vec<i64> = vec![i64::MIN; sources.len()];
    let (mut batch, mut count) = (Vec::<Row>::new(), 0);
    while let Some(behind) = (0..at.len()).min_by_key(|&n| at[n]).filter(|&n| at[n] < i64::MAX) {
        batch.clear();
        at[behind] = match sources[behind].read(&mut ids, &mut batch).expect("readable") {
            Progress::Settled(instant) => instant,
            Progress::End => i64::MAX,
        };
        count += std::hint::black_box(&batch).len();
    }
    count
}

/// CPU time of this process so far, from /proc/self/stat (user and system time, 100 ticks a second).
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields).split_whitespace();
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// Largest resident memory so far (MB), from /proc/self/status.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok()).unwrap_or(0) / 1024
}
