//! Reads a CTF trace, or a live session, into all tables and forgets them:
//! `cargo run --release -p wastenot-ctf --example read_ctf -- FOLDER` (or `net://localhost/host/HOSTNAME/SESSION`).

use std::path::Path;
use std::time::Instant;
use wastenot_assemble::SinkError;
use wastenot_import::{Options, run};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let from = std::env::args().nth(1).ok_or("usage: read_ctf FOLDER")?;
    let begun = Instant::now();
    let options = Options::default();
    let opened = match from.starts_with("net") {
        true => wastenot_ctf::open_live(&from, &options)?,
        false => wastenot_ctf::open(Path::new(&from), &options)?,
    };
    let opening = begun.elapsed();
    let mut rows = std::collections::BTreeMap::<&str, usize>::new();
    let mut sink = |table: &'static str, batch: arrow_array::RecordBatch| {
        *rows.entry(table).or_default() += batch.num_rows();
        Ok::<(), SinkError>(())
    };
    let summary = run(opened, &options, &mut sink, &mut |_, _| {})?;
    let seconds = begun.elapsed().as_secs_f64();
    let calls = 2 * rows.get("balance_attempt").copied().unwrap_or(0) as u64;
    let events = summary.counts.read.values().sum::<u64>() + summary.counts.ignored + calls;
    println!("{}", summary.to_json());
    println!("{rows:?}");
    let status = std::fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    let rate = events as f64 / seconds / 1e6;
    // SAFETY: fills a structure of numbers.
    let child_kb = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage);
        usage.ru_maxrss
    };
    println!(
        "{events} events in {seconds:.3} s (opening {opening:.3?}): {rate:.2} M/s; {peak}, of the child {child_kb} kB"
    );
    Ok(())
}
