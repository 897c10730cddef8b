//! Import a trace of any format and throw the rows away: what was read, and how fast.
//!
//! `cargo run --release -p wastenot-formats --example import -- FILE`

use std::time::Instant;
use wastenot_import::{ImportError, Options, run};

fn main() {
    let path = std::env::args_os().nth(1).expect("a file");
    if let Err(error) = import(path.as_ref()) {
        eprintln!("{error}");
        std::process::exit(1);
    }
}

fn import(path: &std::path::Path) -> Result<(), ImportError> {
    let begin = Instant::now();
    let options = Options::default();
    let opened = wastenot_formats::open(path, &options)?;
    let summary = run(opened, &options, &mut |_, _| Ok(()), &mut |_, _| {})?;
    let seconds = begin.elapsed().as_secs_f64();
    let read: u64 = summary.counts.read.values().sum::<u64>() + summary.counts.ignored;
    println!("{}", summary.to_json());
    println!("{read} events in {seconds:.3} s: {:.2} M/s; {} kB at most", read as f64 / seconds / 1e6, most_memory());
    Ok(())
}

/// Largest resident size so far (kB), as the kernel counts it.
fn most_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
