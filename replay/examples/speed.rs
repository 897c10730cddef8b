//! Speed and memory of the simulator on 64 CPUs in eight nodes with every balancer on.
//!
//! `cargo run --release -p wastenot-replay --example speed [-- SECONDS]` prints, per release, event rows and engine events per
//! second of processor time in user mode, and how far resident memory grew from a tenth of the simulated time to all of it.

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "../tests/common/workloads.rs"]
mod workloads;

use wastenot_replay::span::{MS, S, US};
use wastenot_replay::workload::{Object, ThreadSpec};
use wastenot_replay::{Evidence, FaultSet, Kernel, NullSink, Release, Settings, Simulation, Span, Step, Workload};
use wastenot_schemas::EvidenceLevel;
use workloads::{forever, hog, limited, workload};

/// Threads that nap, pipelines, short-lived processes, and hogs: about two threads per CPU.
fn load(seconds: u64) -> Workload {
    let nap = vec![forever(vec![Step::Run(Span::exponential(300 * US)), Step::Sleep(Span::exponential(500 * US))])];
    let write = vec![forever(vec![Step::Run(Span::exponential(50 * US)), Step::Write { pipe: "p".into(), items: 1 }])];
    let read = vec![forever(vec![Step::Read { pipe: "p".into(), items: 1 }, Step::Run(Span::exponential(50 * US))])];
    let make = vec![forever(vec![
        Step::Join(7),
        Step::Fork { program: "job".into(), count: 1, name: Some("cc".into()), threads: false, bubble: false },
    ])];
    let job = vec![Step::Exec("cc1".into()), Step::Run(Span::exponential(5 * MS))];
    let programs = [("nap", nap), ("write", write), ("read", read), ("make", make), ("job", job), ("hog", hog())];
    let starts = [("nap", 96), ("write", 16), ("read", 16), ("make", 2), ("hog", 8)];
    let starts = starts.iter().map(|(name, n)| ThreadSpec::of(name, *n)).collect();
    limited(seconds * S, workload(&programs, starts, &[("p", Object::Pipe { capacity: 64 })]))
}

/// Processor time of this process in user mode so far.
fn user_seconds() -> f64 {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::uninit();
    // SAFETY: getrusage fills the structure, and cannot fail with these arguments.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr());
        usage.assume_init()
    };
    usage.ru_utime.tv_sec as f64 + usage.ru_utime.tv_usec as f64 / 1e6
}

/// Largest resident memory of this process so far, in MB.
fn peak_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0");
    line.trim_matches(|c: char| !c.is_ascii_digit()).parse::<f64>().unwrap_or(0.0) / 1e3
}

fn main() {
    let seconds: u64 = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(20);
    let machine = common::opteron();
    for (release, level) in [
        (Release::Averages, EvidenceLevel::L1),
        (Release::Eevdf, EvidenceLevel::L1),
        (Release::Eevdf, EvidenceLevel::L3),
    ] {
        let run = |seconds: u64| {
            let settings = Settings { evidence: Evidence::level(level), ..Settings::default() };
            let mut sink = NullSink;
            let kernel = Kernel::new(release, FaultSet::shipped(release));
            let start = user_seconds();
            let simulation = Simulation::new(&machine, &load(seconds), kernel, &settings, &mut sink);
            let outcome = simulation.and_then(Simulation::run).unwrap_or_else(|e| panic!("{e}"));
            (outcome, user_seconds() - start)
        };
        run(seconds.div_ceil(10));
        let before = peak_mb();
        let (outcome, took) = run(seconds);
        println!(
            "{release:?} {level:?}: {:>5.2} M rows/s, {:>5.2} M engine events/s, {:.1} M rows in {took:.1} s; memory {before:.0} MB after a tenth, {:.0} MB at the end",
            outcome.rows as f64 / took / 1e6,
            outcome.handled as f64 / took / 1e6,
            outcome.rows as f64 / 1e6,
            peak_mb(),
        );
    }
}
