//! Writes two seconds of two CPUs as an old kernel under an old LTTng would have recorded them:
//! `cargo run -p wastenot-ctf --example old_kernel -- FOLDER RELEASE MINOR PREEMPTED IDLE`, for instance
//! `... /tmp/trace 4.4.0-21-generic 8 2048 1026`.
//!
//! On CPU 0 two busy threads preempt each other every 4 ms and leave with PREEMPTED; on CPU 1 a kernel thread wakes every 100 ms, runs
//! for 50 us and leaves with IDLE. One of the busy threads always waits while CPU 1 idles: one core is wasted, but for what the
//! kernel thread uses.

#[path = "../tests/traces/ctf.rs"]
mod ctf;

use ctf::{Channel, Endian, Payload, Trace};
use std::path::Path;

const MS: u64 = 1_000_000;
const END_MS: u64 = 2000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, release, minor, preempted, idle] = &arguments[..] else {
        return Err("usage: old_kernel FOLDER RELEASE MINOR PREEMPTED IDLE".into());
    };
    let (preempted, idle): (i64, i64) = (preempted.parse()?, idle.parse()?);
    let channel = Channel { name: "channel0", context: "", events: vec![ctf::SWITCH, ctf::WAKEUP] };
    let folder = Path::new(folder).join("kernel");
    let version = (2, minor.parse()?);
    let mut trace = Trace::written_by(version, &folder, Endian::Little, vec![channel], 7, "kernel", release)?;
    let hogs = [("hog-a", 100), ("hog-b", 101)];
    let (idle0, idle1) = (("swapper/0", 0), ("swapper/1", 0));
    let worker = ("kworker/1:1", 60);
    wake(&mut trace, 0, MS, hogs[0])?;
    wake(&mut trace, 0, MS + 1000, hogs[1])?;
    switch(&mut trace, 0, MS + 2000, idle0, 0, hogs[0])?;
    for (n, at) in (5..END_MS).step_by(4).enumerate() {
        switch(&mut trace, 0, at * MS, hogs[n % 2], preempted, hogs[(n + 1) % 2])?;
    }
    for at in (2..END_MS).step_by(100) {
        wake(&mut trace, 1, at * MS, worker)?;
        switch(&mut trace, 1, at * MS + 5000, idle1, 0, worker)?;
        switch(&mut trace, 1, at * MS + 55_000, worker, idle, idle1)?;
    }
    Ok(trace.finish()?)
}

fn switch(
    trace: &mut Trace,
    cpu: u32,
    ts: u64,
    prev: (&str, i32),
    state: i64,
    next: (&str, i32),
) -> std::io::Result<()> {
    let new = || Payload::new(Endian::Little);
    let fields = new().text(prev.0).int(prev.1).int(20).long(state).text(next.0).int(next.1).int(20);
    trace.event(0, cpu, ts, "sched_switch", &[], &fields.bytes)
}

fn wake(trace: &mut Trace, cpu: u32, ts: u64, thread: (&str, i32)) -> std::io::Result<()> {
    let fields = Payload::new(Endian::Little).text(thread.0).int(thread.1).int(20).int(cpu as i32);
    trace.event(0, cpu, ts, "sched_wakeup", &[], &fields.bytes)
}
