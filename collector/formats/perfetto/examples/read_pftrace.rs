//! How fast a trace is read, in the forms that the tracer writes: `read_pftrace [EVENTS]` (10 million when not given), or
//! `read_pftrace FILE` for a trace at hand.
//!
//! Made: eight CPUs, a bundle per CPU and drain cycle, as many events in it as a page of the kernel's buffer holds, once as
//! messages and once in the compact form, with a waking per switch. Writing is measured on an export of the same events.

use arrow_array::{RecordBatch, RecordBatchIterator};
use std::collections::BTreeMap;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;
use wastenot_assemble::SinkError;
use wastenot_import::Options;

const CPUS: u64 = 8;
const PER_BUNDLE: u64 = 64;

fn put(out: &mut Vec<u8>, mut n: u64) {
    while n > 127 {
        out.push(n as u8 | 128);
        n >>= 7;
    }
    out.push(n as u8);
}

fn number(out: &mut Vec<u8>, field: u64, n: u64) {
    put(out, field << 3);
    put(out, n);
}

fn bytes(out: &mut Vec<u8>, field: u64, content: &[u8]) {
    put(out, field << 3 | 2);
    put(out, content.len() as u64);
    out.extend_from_slice(content);
}

/// A bundle of switches and wakings, each switch from the thread that the one before switched to.
fn bundle(cpu: u64, begin: u64, compact: bool) -> Vec<u8> {
    let mut out = Vec::new();
    number(&mut out, 1, cpu);
    let tid = |n: u64| if n.is_multiple_of(2) { 0 } else { 1000 + cpu * 10 + n % 7 };
    if compact {
        let mut columns = vec![Vec::new(); 12];
        for n in 0..PER_BUNDLE {
            let step = if n == 0 { begin } else { 1000 };
            for (column, value) in [(1, step), (2, 1), (3, tid(n)), (4, 120), (6, n % 2)] {
                put(&mut columns[column], value);
            }
            let step = if n == 0 { begin + 500 } else { 1000 };
            for (column, value) in [(7, step), (8, tid(1)), (9, cpu), (10, 120), (11, 1)] {
                put(&mut columns[column], value);
            }
        }
        let mut sched = Vec::new();
        for name in ["swapper/0", "worker thread"] {
            bytes(&mut sched, 5, name.as_bytes());
        }
        for (column, packed) in columns.iter().enumerate().filter(|(_, packed)| !packed.is_empty()) {
            bytes(&mut sched, column as u64, packed);
        }
        bytes(&mut out, 4, &sched);
        return out;
    }
    for n in 0..PER_BUNDLE {
        let (mut switch, mut waking) = (Vec::new(), Vec::new());
        bytes(&mut switch, 1, b"worker thread");
        for (field, value) in [(2, tid(n)), (3, 120), (4, 1)] {
            number(&mut switch, field, value);
        }
        bytes(&mut switch, 5, b"worker thread");
        for (field, value) in [(6, tid(n + 1)), (7, 120)] {
            number(&mut switch, field, value);
        }
        bytes(&mut waking, 1, b"worker thread");
        for (field, value) in [(2, tid(1)), (3, 120), (4, 1), (5, cpu)] {
            number(&mut waking, field, value);
        }
        for (at, field, message) in [(0, 4, &switch), (500, 20, &waking)] {
            let mut event = Vec::new();
            number(&mut event, 1, begin + n * 1000 + at);
            number(&mut event, 2, tid(n));
            bytes(&mut event, field, message);
            bytes(&mut out, 2, &event);
        }
    }
    out
}

fn make(path: &Path, events: u64, compact: bool) -> std::io::Result<()> {
    let mut file = BufWriter::new(std::fs::File::create(path)?);
    for cycle in 0..events / (2 * PER_BUNDLE * CPUS) {
        for cpu in 0..CPUS {
            let mut packet = Vec::new();
            bytes(&mut packet, 1, &bundle(cpu, 1_000_000 + cycle * PER_BUNDLE * 1000 + cpu * 7, compact));
            number(&mut packet, 10, 5);
            let mut out = Vec::new();
            bytes(&mut out, 1, &packet);
            file.write_all(&out)?;
        }
    }
    file.flush()
}

/// Time this thread has run on a CPU (s): on a busy machine it says more than the wall clock.
fn on_cpu() -> f64 {
    let schedstat = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    schedstat.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(0.0) / 1e9
}

/// Peak of the memory in use so far (MB).
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("?").trim().to_owned();
    line.strip_suffix(" kB")
        .and_then(|kb| kb.parse::<u64>().ok())
        .map_or(line.clone(), |kb| format!("{} MB", kb / 1024))
}

fn read(path: &Path, what: &str, keep: &mut BTreeMap<String, Vec<RecordBatch>>, keeping: bool) {
    let (begun, before) = (Instant::now(), on_cpu());
    let options = Options::default();
    let opened = wastenot_perfetto::open(path, &options).unwrap_or_else(|e| panic!("{e}"));
    let scanned = begun.elapsed();
    let mut sink = |table: &'static str, batch: RecordBatch| {
        if keeping {
            keep.entry(table.into()).or_default().push(batch);
        }
        Ok::<(), SinkError>(())
    };
    let summary = wastenot_import::run(opened, &options, &mut sink, &mut |_, _| {}).unwrap_or_else(|e| panic!("{e}"));
    let (took, bytes) = (begun.elapsed(), std::fs::metadata(path).map_or(0, |meta| meta.len()));
    println!(
        "{what}: {} events, {:.0} MB in {took:.2?} (first look {scanned:.2?}): {:.1} M events/s, of CPU time {:.1}; peak {}",
        summary.events,
        bytes as f64 / 1e6,
        summary.events as f64 / took.as_secs_f64() / 1e6,
        summary.events as f64 / (on_cpu() - before) / 1e6,
        peak()
    );
}

fn main() {
    let argument = std::env::args().nth(1).unwrap_or_else(|| "10000000".into());
    let mut kept = BTreeMap::new();
    let Ok(events) = argument.parse() else { return read(Path::new(&argument), "read", &mut kept, false) };
    let path = std::env::temp_dir().join(format!("read_pftrace-{}.pftrace", std::process::id()));
    for (compact, what) in [(true, "compact"), (false, "messages")] {
        make(&path, events, compact).expect("a file in the folder for temporary files");
        read(&path, what, &mut kept, !compact && events <= 10_000_000);
    }
    if !kept.is_empty() {
        let mut inputs: BTreeMap<String, wastenot_perfetto::BatchReader> = BTreeMap::new();
        for (table, batches) in kept {
            let schema = batches[0].schema();
            inputs.insert(table, Box::new(RecordBatchIterator::new(batches.into_iter().map(Ok), schema)));
        }
        let begun = Instant::now();
        let written = wastenot_perfetto::write(inputs, &path, &mut |_| Ok(())).unwrap_or_else(|e| panic!("{e}"));
        let rate = written.events as f64 / begun.elapsed().as_secs_f64() / 1e6;
        println!("written: {} events, {:.0} MB: {rate:.1} M events/s", written.events, written.bytes as f64 / 1e6);
        read(&path, "export read back", &mut BTreeMap::new(), false);
    }
    let _ = std::fs::remove_file(path);
}
